// Live runs in a real browser: the maps of `nah` at 30 frames a second or more, and a time-domain run in progress.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { colorsOf, FLAT, hover, launch, mockServer, numberAfter, openPage, realServer, until } from "./tools.mjs";

const real = process.env.PHASEFRONT_LIVE_URL;
const mockOnly = { skip: real ? "needs the mock" : false };
const LEAST_RATE = 30;
let browser, server;

before(async () => {
  browser = await launch(FLAT);
  server = real ? realServer(real) : await mockServer("nah");
});

after(async () => {
  await browser.close();
  await server.close();
});

async function onLive(shown, body, options) {
  const opened = await openPage(browser, shown, options);
  try {
    await opened.page.goto(`${shown.url}/`);
    await body(opened.page, opened);
    assert.deepEqual(opened.trouble, []);
  } finally {
    await opened.close();
  }
}

const map = (page) => page.locator(".hologram .plane canvas");

/** Frames that the page draws in some seconds, and the processor time of its main thread for each, in seconds. */
async function costOfFrames(page, seconds) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const before = await spent();
  // The page writes the frames of every second.
  const frames = await page.evaluate((count) => new Promise((resolve) => {
    const rate = document.querySelector(".rate");
    let [sum, left] = [0, count];
    const observer = new MutationObserver(() => {
      sum += Number.parseInt(rate.textContent, 10);
      left -= 1;
      if (left > 0) return;
      observer.disconnect();
      resolve(sum);
    });
    observer.observe(rate, { childList: true, characterData: true, subtree: true });
  }), seconds);
  return { frames, cost: ((await spent()) - before) / frames };
}

test("a live run is shown first, and its map can run at 30 frames a second", async () => {
  await onLive(server, async (page) => {
    await map(page).waitFor();
    assert.ok(page.url().endsWith("#/live"));
    const { frames, cost } = await costOfFrames(page, 3);
    // Processor time, not wall time: on a busy machine fewer frames are drawn, and each costs the same.
    assert.ok(frames > 0 && cost < 1 / LEAST_RATE, `${frames} frames in 3 s, ${1000 * cost} ms each`);
    // The weekly tier runs on a quiet machine.
    if (process.env.PHASEFRONT_TIER === "weekly") assert.ok(frames >= 3 * LEAST_RATE, `${frames} frames in 3 s`);
    assert.ok((await colorsOf(page, map(page))) > 50);
  });
});

test("the map tells levels under the pointer, and its frequency is chosen by keyboard", async () => {
  await onLive(server, async (page) => {
    await map(page).waitFor();
    await hover(page, map(page), 0.45, 0.4);
    const readout = page.locator(".hologram .readout").first();
    const level = await until("a level", async () => /dB/.test(await readout.innerText()) && (await readout.innerText()));
    assert.ok(Number.isFinite(numberAfter(level, "x")) && /sound pressure|level/.test(level), level);
    const choice = page.getByLabel("Map", { exact: true });
    await until("all frequencies", async () => (await choice.locator("option").count()) > 1);
    const names = await choice.locator("option").allInnerTexts();
    assert.deepEqual(names, [...names].sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b)));
    await choice.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await choice.inputValue(), names[1]);
  });
});

test("space stops the map and lets it go on", async () => {
  await onLive(server, async (page) => {
    await map(page).waitFor();
    await page.locator("h1").click();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.waitForTimeout(300);
    const picture = () => map(page).evaluate((canvas) => canvas.toDataURL());
    const still = await picture();
    await page.waitForTimeout(500);
    assert.equal(await picture(), still);
    await page.keyboard.press(" ");
    await until("the map to go on", async () => (await picture()) !== still);
  });
});

test("a click on the map shows the spectrum there, which goes on", async () => {
  await onLive(server, async (page) => {
    await map(page).waitFor();
    const box = await map(page).boundingBox();
    await page.mouse.click(box.x + 0.4 * box.width, box.y + 0.4 * box.height);
    await page.getByRole("heading", { name: /^Spectrum at x/ }).waitFor();
    const chart = page.locator(".spectrum .u-over");
    await hover(page, chart, 0.01, 0.5);
    const value = () => page.locator(".spectrum .value").first().innerText();
    const first = await until("a level", async () => /\d/.test(await value()) && (await value()));
    assert.ok(Number(first.replace("−", "-")) < 200, first);
  });
});

test("the scale of the colors is held, follows, or is fixed", async () => {
  await onLive(server, async (page) => {
    await map(page).waitFor();
    const from = page.getByLabel("Colors from");
    assert.ok(await from.isDisabled());
    await page.getByLabel("Colors", { exact: true }).selectOption("fixed");
    await from.fill("250");
    await page.getByLabel("Colors to").fill("300");
    // Everything is below the scale: one color is left besides those of the axes and the bar.
    await page.waitForTimeout(300);
    const colors = await map(page).evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(150, 100, 60, 60);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.equal(colors, 1);
  });
});

test("a dropped connection is told and made again", mockOnly, async () => {
  await onLive(server, async (page, { trouble }) => {
    await map(page).waitFor();
    server.dropSockets();
    await page.getByText("Connection lost").waitFor();
    await page.getByText("Connected").waitFor();
    const number = () => page.locator(".stages .count").first().innerText();
    const before = await number();
    await until("news", async () => (await number()) !== before);
    trouble.length = 0;
  });
});

test("notes, warnings, progress and the end with its results are shown", mockOnly, async () => {
  const other = await mockServer("nah");
  try {
    await onLive(other, async (page) => {
      await page.getByText("64 microphones").waitFor();
      assert.match(await page.locator("li.warning").innerText(), /⚠ channel 17/);
      await until("progress", async () => /of 600 blocks/.test(await page.locator(".stages").innerText()));
      other.finishLive();
      await page.getByText("The run is finished.").waitFor();
      assert.equal(await page.getByRole("link", { name: "See the results" }).getAttribute("href"), "#/run/demo/two-monopoles");
    });
  } finally {
    await other.close();
  }
});

test("a time-domain run shows its energy and residual as they go on", mockOnly, async () => {
  const other = await mockServer("dgtd");
  try {
    await onLive(other, async (page) => {
      const figure = page.locator('figure[data-series="residual"]');
      await figure.locator(".u-over").waitFor();
      assert.match(await page.locator("figure h3").allInnerTexts().then(String), /energy drop \(dB\)/);
      const last = async () => {
        await hover(page, figure.locator(".u-over"), 0.995, 0.5);
        return numberAfter(await figure.locator(".place").innerText(), "step");
      };
      // From 1000 steps on the residual spans so much that its axis is logarithmic, and the chart is another one.
      const steps = async () => Number.parseInt(await page.locator(".stages .count").last().innerText(), 10);
      await until("1200 steps", async () => (await steps()) >= 1200);
      const first = await last();
      assert.ok(first > 800, `${first}`);
      await until("later steps", async () => (await last()) > first + 200);
    });
  } finally {
    await other.close();
  }
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 1920]) {
    test(`the live page fits on the screen (${width} pixels, ${colorScheme})`, async () => {
      const options = { colorScheme, viewport: { width, height: Math.round(0.6 * width) } };
      await onLive(server, async (page) => {
        await map(page).waitFor();
        const box = await map(page).boundingBox();
        await page.mouse.click(box.x + 0.4 * box.width, box.y + 0.4 * box.height);
        await page.locator(".spectrum .u-over").waitFor();
        await page.waitForTimeout(1200);
        const [whole, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
        assert.ok(whole <= seen, `${whole} > ${seen}`);
        const { PHASEFRONT_SHOTS } = process.env;
        if (PHASEFRONT_SHOTS) await page.screenshot({ path: join(PHASEFRONT_SHOTS, `live-${width}-${colorScheme}.png`) });
      }, options);
    });
  }
}
