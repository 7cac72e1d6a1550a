// The page over a results folder, in a real browser.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { colorsOf, drag, figureOf, hover, IN_SPACE, launch, mockServer, numberAfter, openPage, realServer, until } from "./tools.mjs";

let browser, server;

before(async () => {
  browser = await launch(IN_SPACE);
  server = process.env.PHASEFRONT_URL ? realServer(process.env.PHASEFRONT_URL) : await mockServer();
});

after(async () => {
  await browser.close();
  await server.close();
});

/** A test with a page of its own, which must end without trouble. */
function onPage(name, hash, body, options = {}) {
  test(name, { skip: options.mockOnly && process.env.PHASEFRONT_URL ? "needs the mock" : false }, async () => {
    const opened = await openPage(browser, server, options);
    try {
      await opened.page.goto(`${server.url}/${hash}`);
      await opened.page.locator("main h1").waitFor();
      await body(opened.page, opened);
      assert.deepEqual(opened.trouble, []);
    } finally {
      await opened.close();
    }
  });
}

const echo = (degrees) => 20 * Math.log10(1.2 + Math.cos((3 * degrees * Math.PI) / 180));

onPage("runs are listed with their state, filtered and chosen", "#/", async (page) => {
  const rows = page.locator("tbody tr");
  assert.equal(await rows.count(), 5);
  assert.match(await rows.filter({ hasText: "kinds" }).innerText(), /✗ 2 of 3/);
  assert.match(await rows.filter({ hasText: "fine" }).innerText(), /✓ 2 of 2/);
  assert.match(await rows.filter({ hasText: "unfinished" }).innerText(), /stopped/);
  await page.getByLabel("Filter").fill("scatter mom");
  assert.equal(await rows.count(), 2);
  const compare = page.locator("a.button");
  assert.equal(await compare.getAttribute("href"), null);
  for (const box of await page.locator("tbody input").all()) await box.check();
  await compare.click();
  await page.getByRole("heading", { name: "Comparison of 2 runs" }).waitFor();
});

onPage(
  "a run that is written while the list is shown appears in it",
  "#/",
  async (page) => {
    await page.locator("tbody input").first().focus();
    const folder = join(server.root, "later");
    await mkdir(folder);
    await writeFile(join(folder, "case.toml"), 'solver = "mom"\n');
    const row = page.locator("tbody tr").filter({ hasText: "later" });
    await row.waitFor();
    assert.match(await row.innerText(), /running/);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "INPUT");
  },
  { mockOnly: true },
);

onPage("a run shows its checks, warnings, numbers and files", "#/run/kinds", async (page) => {
  assert.equal(await page.locator("h1").innerText(), "kinds");
  assert.match(await page.locator(".facts").innerText(), /dgtd.*AVX-512.*double precision.*1\.76 s/);
  assert.match(await page.locator(".verdict").innerText(), /1 of 3 checks fail; read the warning$/);
  assert.match(await page.locator(".warning").innerText(), /3 slivers/);
  const checks = page.getByRole("table", { name: "Checks" }).locator("tbody tr");
  assert.match(await checks.nth(0).innerText(), /forward\s+34\.58\s+34\.58\s+± 0\.03\s+dBsm\s+✓ pass/);
  assert.match(await checks.nth(2).innerText(), /sideways.*✗ fail/s);
  const trust = page.getByRole("table", { name: "How far to trust this" }).locator("tbody tr");
  assert.equal(await trust.count(), 4);
  assert.match(await trust.nth(0).innerText(), /points per wavelength\s+⚠ warning\s+3\.2\s+≥ 5\s+The shortest wavelength/);
  assert.match(await trust.nth(1).innerText(), /energy left\s+⚠ warning\s+–\s+≤ 0\.0001/);
  assert.match(await trust.nth(3).innerText(), /edge length\s+✓ holds\s+0\.0625 m\s+≤ 0\.1 m/);
  const metrics = page.getByRole("table", { name: "Metrics" });
  assert.match(await metrics.innerText(), /unknowns\s+1000\s+residual\s+3\.3639·10⁻¹⁵\s+condition\s+–/);
  const report = page.getByRole("link", { name: "Report to print" });
  assert.equal(await report.getAttribute("target"), "_blank");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByLabel("Download sweep.csv").click()]);
  assert.equal(download.suggestedFilename(), "sweep.csv");
  await page.locator("summary").click();
  assert.match(await page.getByRole("table", { name: "Settings" }).innerText(), /source\.frequency\s+"300 MHz"/);
});

onPage("a line plot tells values under the pointer, zooms by drag and hides series", "#/run/scatter/fine", async (page) => {
  const figure = await figureOf(page, "echo");
  const over = figure.locator(".u-over");
  const place = async () => numberAfter(await figure.locator(".place").innerText(), "angle");
  await hover(page, over, 0.25, 0.5);
  const degrees = await place();
  assert.ok(Math.abs(degrees - 90) <= 2, `${degrees}`);
  const value = Number((await figure.locator(".value").innerText()).replace("−", "-"));
  assert.ok(Math.abs(value - echo(degrees)) < 1e-4, `${value} at ${degrees}`);
  await drag(page, over, [0.5, 0.1], [0.75, 0.9]);
  await hover(page, over, 0.002, 0.5);
  assert.ok(Math.abs((await place()) - 180) <= 2, "the zoomed axis begins where the drag began");
  await over.dblclick();
  await hover(page, over, 0.002, 0.5);
  assert.ok((await place()) <= 2, "a double click shows all");
  // The first series is black, and nothing else is.
  const black = () =>
    figure.locator(".uplot canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Uint32Array(data.buffer).filter((pixel) => pixel === 0xff000000).length;
    });
  assert.ok((await black()) > 100);
  const button = figure.locator(".series");
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  await until("the series to be hidden", async () => (await black()) === 0);
});

onPage("a line plot is used by keyboard", "#/run/scatter/fine", async (page) => {
  const figure = await figureOf(page, "echo");
  await figure.locator(".line").focus();
  await page.keyboard.press("ArrowRight");
  for (let i = 0; i < 30; i += 1) await page.keyboard.press("ArrowRight");
  const place = await figure.locator(".place").innerText();
  assert.equal(numberAfter(place, "angle"), 30);
  const value = Number((await figure.locator(".value").innerText()).replace("−", "-"));
  assert.ok(Math.abs(value - echo(30)) < 1e-4, `${value}`);
});

onPage("a polar plot tells levels under the pointer", "#/run/kinds", async (page) => {
  const figure = await figureOf(page, "lobes");
  await hover(page, figure.locator(".plane canvas"), 0.5, 0.2);
  const place = numberAfter(await figure.locator(".place").innerText(), "angle");
  assert.ok(Math.abs(place - 90) < 1, `${place}`);
  const [two, four] = await figure.locator(".value").allInnerTexts();
  // cos² of 90 and of 180 degrees: a null and a peak.
  assert.ok(two.startsWith("−") && Math.abs(Number(four.replace("−", "-"))) < 0.01, `${two} ${four}`);
});

onPage("a map tells values, zooms by drag, moves by keyboard and is whole again", "#/run/kinds", async (page) => {
  const figure = await figureOf(page, "field");
  const canvas = figure.locator(".plane canvas");
  const readout = figure.locator(".readout");
  const across = async () => numberAfter(await readout.innerText(), "x");
  await hover(page, canvas, 0.7, 0.4);
  const text = await readout.innerText();
  const [x, y, value] = ["x", "y", "|E|"].map((name) => numberAfter(text, name));
  assert.ok(Math.abs(value - (1 + Math.cos(4 * x) * Math.exp(-y * y))) < 1e-4, text);
  await drag(page, canvas, [0.66, 0.3], [0.8, 0.5]);
  await hover(page, canvas, 0.16, 0.4);
  assert.ok((await across()) > 0.4, "the left edge is where the drag began");
  await canvas.dblclick();
  await hover(page, canvas, 0.16, 0.4);
  assert.ok((await across()) < -1.5);
  await canvas.focus();
  await page.mouse.move(0, 0);
  await page.keyboard.press("ArrowRight");
  const first = await across();
  for (let i = 0; i < 5; i += 1) await page.keyboard.press("ArrowRight");
  assert.ok((await across()) > first);
  assert.ok((await colorsOf(page, canvas)) > 100);
});

onPage("a movie plays, pauses and follows its slider", "#/run/kinds", async (page) => {
  const figure = await figureOf(page, "slice");
  const time = () => figure.locator(".time").innerText();
  assert.match(await time(), /^0 ns\s+\(1 of 25\)/);
  await figure.getByRole("button", { name: "Play" }).click();
  await until("frames", async () => !(await time()).includes("(1 of 25)"));
  await figure.getByRole("button", { name: "Pause" }).click();
  const stopped = await time();
  await page.waitForTimeout(300);
  assert.equal(await time(), stopped);
  const slider = figure.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("End");
  assert.match(await time(), /^4 ns\s+\(25 of 25\)/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await time(), /\(24 of 25\)/);
});

onPage("bodies and patterns are drawn in space, turn, and tell values", "#/run/kinds", async (page, { requests }) => {
  assert.ok(!requests.some((url) => url.includes("scene")), "what draws in space is not loaded before it is needed");
  const figure = await figureOf(page, "spots");
  const canvas = figure.locator(".stage canvas").first();
  assert.ok((await colorsOf(page, canvas)) > 5);
  await hover(page, canvas, 0.5, 0.5);
  assert.match(await figure.locator(".readout").innerText(), /triangle \d+ at \(.*\) m: cross section .* dBsm/);
  const before = await canvas.screenshot();
  await canvas.focus();
  for (let i = 0; i < 6; i += 1) await page.keyboard.press("ArrowLeft");
  await page.waitForTimeout(200);
  assert.ok(!before.equals(await canvas.screenshot()), "the arrow keys turn it");
  assert.match(await figure.locator(".readout").innerText(), /^in the middle: triangle/);
  const dipole = await figureOf(page, "pattern");
  const pattern = dipole.locator(".stage canvas").first();
  assert.ok((await colorsOf(page, pattern)) > 50);
  await hover(page, pattern, 0.4, 0.55);
  const text = await dipole.locator(".readout").innerText();
  const theta = (numberAfter(text, "theta") * Math.PI) / 180;
  assert.ok(Math.abs(numberAfter(text, "directivity") - 10 * Math.log10(1.5 * Math.sin(theta) ** 2)) < 1e-3, text);
});

onPage("a mesh shows and hides groups, its quality, a cut, and elements to look at", "#/run/kinds", async (page) => {
  const figure = await figureOf(page, "mesh");
  const canvas = figure.locator(".stage canvas").first();
  const at = async (u, v) => {
    await hover(page, canvas, u, v);
    return figure.locator(".readout").innerText();
  };
  const groups = figure.getByRole("group", { name: "Groups" });
  assert.deepEqual((await groups.locator("label").allInnerTexts()).map((text) => text.trim()), ["air vacuum", "board material", "patch conductor"]);
  assert.match(await at(0.5, 0.45), /^patch \(conductor\) at \(.*, 0\.25\) m: quality 0\.25$/);
  await groups.getByLabel("patch").uncheck();
  assert.match(await at(0.5, 0.45), /^board \(material\) at \(.*, 0\.2\) m: quality 0\.60$/, "the board goes on below the patch");
  await groups.getByLabel("air").check();
  assert.match(await at(0.5, 0.45), /^air /);
  await groups.getByLabel("air").uncheck();
  await groups.getByLabel("patch").check();
  // Two colors of groups, and two of their qualities beside a bar.
  const before = await canvas.screenshot();
  await figure.getByLabel("Color by").selectOption("quality");
  await until("other colors", async () => !before.equals(await canvas.screenshot()));
  assert.ok((await colorsOf(page, figure.locator(".bar"))) > 100, "the scale of the quality");
  await figure.getByLabel("Cut off").selectOption("across z");
  const slider = figure.getByRole("slider", { name: "Place of the cut" });
  await slider.focus();
  await page.keyboard.press("Home");
  assert.match(await figure.locator(".cut output").innerText(), /^z = 0 m$/);
  assert.match(await at(0.5, 0.45), /^board .* 0\) m: quality/, "only the bottom is left");
  await figure.getByLabel("Cut off").selectOption("nothing");
  const marks = figure.getByRole("group", { name: "Elements" });
  assert.match(await marks.innerText(), /limits the time step: a smallest altitude of 200 mm, in board[^]*worst shape: a quality of 0\.250/);
  const over = figure.locator("canvas.marks");
  const inked = () => over.evaluate((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((byte) => byte > 0));
  assert.ok(await inked());
  for (const box of await marks.getByRole("checkbox").all()) await box.uncheck();
  await until("no mark", async () => !(await inked()));
  await marks.getByRole("button", { name: "Look at the element: worst shape" }).click();
  await until("a nearer view", async () => /^patch/.test(await at(0.2, 0.2)));
});

onPage("Smith charts, panels and dots tell values too", "#/run/kinds", async (page) => {
  const smith = await figureOf(page, "smith");
  await hover(page, smith.locator(".plane canvas"), 0.5, 0.5);
  assert.match(await smith.locator(".value").innerText(), /dB, .*°, z .* j/);
  const panels = await figureOf(page, "orders");
  assert.equal(await panels.locator(".plane canvas").count(), 3);
  await hover(page, panels.locator(".plane canvas").nth(1), 0.6, 0.3);
  const text = await panels.locator(".readout").nth(1).innerText();
  const [x, y] = [numberAfter(text, "x"), numberAfter(text, "y")];
  assert.ok(Math.abs(numberAfter(text, ": p") - Math.sin(2 * x) * y) < 1e-4, text);
  const dots = await figureOf(page, "elements");
  await hover(page, dots.locator(".plane canvas"), 0.45, 0.45);
  assert.match(await dots.locator(".readout").innerText(), /phase −?[\d.]+ deg/);
});

onPage("two runs are laid over each other and their numbers compared", "#/compare/scatter/coarse,scatter/fine", async (page) => {
  const figure = await figureOf(page, "echo");
  assert.deepEqual(await figure.locator(".series .name").allInnerTexts(), ["coarse · TM", "fine · TM"]);
  assert.equal(await figure.locator("h3").innerText(), "Echo width, TM");
  assert.match(await figure.locator("figcaption").innerText(), /coarse \(scatter\/coarse\): .* 300 MHz; fine \(scatter\/fine\): .* 600 MHz/);
  assert.match(await page.getByRole("table", { name: "Runs" }).innerText(), /coarse\s+scatter\/coarse\s+sweep/);
  await hover(page, figure.locator(".u-over"), 0.5, 0.5);
  const [coarse, fine] = (await figure.locator(".value").allInnerTexts()).map((text) => Number(text.replace("−", "-")));
  assert.ok(coarse > fine && coarse - fine < 2, `${coarse} ${fine}`);
  assert.match(await page.getByRole("table", { name: "Metrics" }).innerText(), /unknowns\s+500\s+1000\s+\+500 \(\+100 %\)/);
  assert.match(await page.getByRole("table", { name: "Checks" }).innerText(), /forward\s+34\.59 dBsm\s+34\.58 ± 0\.03\s+✓ pass/);
});

test("the address with the token opens the page and does not keep it", { skip: process.env.PHASEFRONT_URL ? false : "needs the program" }, async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const refused = await page.goto(`${server.url}/`);
    assert.equal(refused.status(), 401);
    assert.match(await page.locator("p").innerText(), /token/);
    // As a browser is started: by a file, from which the cookie would not follow a redirect.
    const folder = await mkdtemp(join(tmpdir(), "phasefront-door-"));
    await writeFile(join(folder, "door.html"), `<meta http-equiv="refresh" content="0; url=${server.door}">`);
    await page.goto(pathToFileURL(join(folder, "door.html")).href);
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    assert.equal(page.url(), `${server.url}/`);
    await page.reload();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite], [`phasefront-${new URL(server.url).port}`, true, "Strict"]);
  } finally {
    await context.close();
  }
});

onPage("an older run shows its printed plots", "#/run/old", async (page) => {
  const image = page.locator("figure img");
  await until("the picture", () => image.evaluate((element) => element.complete && element.naturalWidth > 0));
  assert.equal(await image.getAttribute("src"), "/files/old/rcs.svg");
});

onPage("what the server refuses is told with its help", "#/run/nothing", async (page) => {
  const asked = await page.request.get(`${server.url}/files/nothing/result.json`);
  const { error, help } = await asked.json();
  assert.deepEqual(await page.getByRole("alert").locator("p").allInnerTexts(), [error, help]);
  assert.ok(error.length > 5 && help.length > 5);
});

onPage("the theme follows the system until it is chosen, and the choice is remembered", "#/", async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.getByRole("button", { name: "Light" }).click();
  assert.equal(await theme(), "light");
  await page.reload();
  await page.locator("h1").waitFor();
  assert.equal(await theme(), "light");
}, { colorScheme: "dark" });

onPage("everything is reached by keyboard, and the focus is seen", "#/run/scatter/fine", async (page) => {
  await figureOf(page, "echo_polar");
  await page.evaluate(() => {
    window.scrollTo(0, 0);
    document.activeElement?.blur();
  });
  const reached = new Set();
  for (let i = 0; i < 40; i += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      return { what: `${element.tagName} ${element.className} ${element.textContent.slice(0, 12)}`, outline: parseFloat(style.outlineWidth), is: style.outlineStyle };
    });
    reached.add(at.what.split(" ").slice(0, 2).join(" "));
    assert.ok(at.what.startsWith("BODY") || (at.outline >= 2 && at.is !== "none"), `${at.what} shows no focus`);
  }
  for (const needed of ["A skip", "A brand", "BUTTON theme", "DIV line", "BUTTON series", "CANVAS ", "SUMMARY "]) {
    assert.ok(reached.has(needed), `${needed} among ${[...reached].join(", ")}`);
  }
});

for (const colorScheme of ["light", "dark"]) {
  onPage(`text has the contrast of WCAG AA (${colorScheme})`, "#/", async (page) => {
    const ratios = await page.evaluate(() => {
      const luminance = (hex) => {
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      const pairs = ["ink", "soft", "link", "pass", "fail"].flatMap((ink) => [[ink, "paper"], [ink, "tint"]]);
      return [...pairs, ["pass", "pass-tint"], ["fail", "fail-tint"]].map(([a, b]) => {
        const [high, low] = [luminance(color(a)), luminance(color(b))].sort((x, y) => y - x);
        return { pair: `${a} on ${b}`, ratio: (high + 0.05) / (low + 0.05) };
      });
    });
    for (const { pair, ratio } of ratios) assert.ok(ratio >= 4.5, `${pair}: ${ratio.toFixed(2)}`);
  }, { colorScheme });

  for (const width of [1280, 1920]) {
    onPage(`nothing is wider than the screen (${width} pixels, ${colorScheme})`, "#/run/kinds", async (page) => {
      await figureOf(page, "field");
      const [whole, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(whole <= seen, `${whole} > ${seen}`);
      const sizes = await page.evaluate(() => [...document.querySelectorAll("main *")].map((e) => parseFloat(getComputedStyle(e).fontSize)));
      assert.ok(Math.min(...sizes) >= 16, "text has at least 16 pixels");
      const { PHASEFRONT_SHOTS } = process.env;
      if (PHASEFRONT_SHOTS) await page.screenshot({ path: join(PHASEFRONT_SHOTS, `kinds-${width}-${colorScheme}.png`), fullPage: true });
    }, { colorScheme, viewport: { width, height: Math.round(0.6 * width) } });
  }
}
