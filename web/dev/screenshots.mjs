// The pictures of the page in the README and the book: PHASEFRONT_URL=... PHASEFRONT_LIVE_URL=... node dev/screenshots.mjs
//
// The first server shows the results of `phasefront demo`, cases/48-ship as `ship` and a second circle as `larger-circle`; the second one a live
// run of `nah`. A picture is an SVG around a JPEG: text, as all files of the repository are.

import { writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const SIZE = { width: 1280, height: 800 };
const FOLDER = fileURLToPath(new URL("../../docs/screens/", import.meta.url));
const RESULTS = process.env.PHASEFRONT_URL;
const LIVE = process.env.PHASEFRONT_LIVE_URL;
const SHOTS = [
  { name: "live", url: LIVE, route: "#/live", scheme: "dark", click: [0.35, 0.45] },
  { name: "run", route: "#/run/demo/circle", scheme: "light", to: "Plots" },
  { name: "body", route: "#/run/ship", scheme: "dark", to: "Hot spots" },
  { name: "compare", route: "#/compare/demo%2Fcircle,larger-circle", scheme: "light", to: "Echo width" },
];

function asSvg(jpeg) {
  const { width, height } = SIZE;
  const data = jpeg.toString("base64");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n<image width="${width}" height="${height}" href="data:image/jpeg;base64,${data}"/>\n</svg>\n`;
}

if (!RESULTS || !LIVE) throw new Error("set both addresses to what `phasefront view` and `phasefront run --live` print");
mkdirSync(FOLDER, { recursive: true });
for (const { name, url = RESULTS, route, scheme, to, click } of SHOTS) {
  const browser = await chromium.launch({
    executablePath: process.env.PHASEFRONT_CHROMIUM ?? "/usr/bin/chromium",
    // WebGL by software, for 3-D; without a GPU process drawing in 2-D is faster.
    args: ["--no-sandbox", ...(name === "body" ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-gpu"])],
  });
  const page = await browser.newPage({ viewport: SIZE, colorScheme: scheme });
  // The printed address has the token; the page itself is at an address without it.
  await page.request.get(url);
  await page.goto(new URL(route, new URL(url).origin).href);
  await page.waitForTimeout(1500);
  if (to) {
    const heading = page.getByText(to).first();
    await heading.evaluate((element) => element.scrollIntoView({ block: "start" }));
  }
  if (click) {
    const box = await page.locator("canvas").first().boundingBox();
    await page.mouse.click(box.x + click[0] * box.width, box.y + click[1] * box.height);
  }
  await page.waitForTimeout(2500);
  writeFileSync(`${FOLDER}${name}.svg`, asSvg(await page.screenshot({ type: "jpeg", quality: 72 })));
  await browser.close();
}
