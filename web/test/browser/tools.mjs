// What the browser tests have in common: a browser, a server, and eyes for canvases.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { makeFixture } from "../../dev/fixture.mjs";
import { startMock } from "../../dev/mock.mjs";

const CHROMIUM = process.env.PHASEFRONT_CHROMIUM ?? "/usr/bin/chromium";

/** WebGL by software, for 3-D; without a GPU process drawing in 2-D is faster. */
export const IN_SPACE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
export const FLAT = ["--disable-gpu"];

export function launch(args) {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", ...args] });
}

/** The mock over a fresh fixture. */
export async function mockServer(live = null) {
  const root = await makeFixture(await mkdtemp(join(tmpdir(), "phasefront-web-")));
  const mock = await startMock({ root, dist: fileURLToPath(new URL("../../dist", import.meta.url)), live });
  const close = async () => {
    await mock.close();
    await rm(root, { recursive: true });
  };
  return { ...mock, root, close };
}

/** A server of the program, by the address that it printed. */
export function realServer(printed) {
  return { url: new URL(printed).origin, door: printed, root: null, close() {} };
}

/** A page that collects what must not happen: errors, and requests to other hosts. */
export async function openPage(browser, { url, door }, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const trouble = [];
  const requests = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A file that is not there is asked for on purpose: older runs have no plots.json.
    if (message.type() === "error" && !message.text().includes("404")) trouble.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    requests.push(request.url());
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  // The token of the printed address, for the cookie that opens all others.
  if (door) await page.request.get(door);
  return { page, trouble, requests, close: () => context.close() };
}

/** Waits until a function of the test gives something true, and gives it. */
export async function until(what, check, limit = 15000) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A figure of a run's page, scrolled to and drawn. */
export async function figureOf(page, name) {
  const figure = page.locator(`#plot-${name}`);
  await figure.scrollIntoViewIfNeeded();
  await figure.locator("canvas").first().waitFor();
  await figure.locator("canvas").last().scrollIntoViewIfNeeded();
  await page.waitForTimeout(150);
  return figure;
}

/** Moves the pointer to a share of an element, from its upper left corner. */
export async function hover(page, locator, u, v) {
  const box = await locator.boundingBox();
  await page.mouse.move(box.x + u * box.width, box.y + v * box.height);
}

/** Drags between two shares of an element. */
export async function drag(page, locator, [u, v], [s, t], keys = []) {
  for (const key of keys) await page.keyboard.down(key);
  await hover(page, locator, u, v);
  await page.mouse.down();
  await hover(page, locator, 0.5 * (u + s), 0.5 * (v + t));
  await hover(page, locator, s, t);
  await page.mouse.up();
  for (const key of keys) await page.keyboard.up(key);
}

/** The number after a word in a text: `numberAfter("x −0.5 m", "x")` is -0.5. */
export function numberAfter(text, word) {
  const at = text.indexOf(word);
  const match = at < 0 ? null : /^\s*([−-]?[\d.]+)/.exec(text.slice(at + word.length));
  if (!match) throw new Error(`no number after "${word}" in "${text}"`);
  return Number(match[1].replace("−", "-"));
}

/** How many different colors an element shows: more than a few mean that something is drawn. */
export async function colorsOf(page, locator) {
  const picture = (await locator.screenshot()).toString("base64");
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
  }, picture);
}
