// The pictures of the page in the README and the book: PHASEFRONT_URL=http://127.0.0.1:PORT/ node dev/screenshots.mjs
//
// The server shows the results of `phasefront demo` and of some cases, named below. A picture is an SVG around a JPEG: text, as all files of
// the repository are.

import { writeFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const SIZE = { width: 1280, height: 800 };
const FOLDER = fileURLToPath(new URL("../../docs/screens/", import.meta.url));
const SHOTS = [
  { name: "runs", route: "", scheme: "light" },
  { name: "run", route: "#/run/demo/circle", scheme: "light", to: "Plots" },
  { name: "body", route: "#/run/ship", scheme: "dark", to: "Hot spots" },
  { name: "compare", route: "#/compare/demo%2Fcircle,circle-lcn", scheme: "light", to: "Echo width" },
];

function asSvg(jpeg) {
  const { width, height } = SIZE;
  const data = jpeg.toString("base64");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n<image width="${width}" height="${height}" href="data:image/jpeg;base64,${data}"/>\n</svg>\n`;
}

const url = process.env.PHASEFRONT_URL;
if (!url) throw new Error("set PHASEFRONT_URL to the address that `phasefront view` prints");
mkdirSync(FOLDER, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
for (const { name, route, scheme, to } of SHOTS) {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: scheme });
  await page.goto(url + route);
  await page.waitForTimeout(1500);
  if (to) {
    const heading = page.getByText(to).first();
    await heading.evaluate((element) => element.scrollIntoView({ block: "start" }));
  }
  await page.waitForTimeout(2500);
  writeFileSync(`${FOLDER}${name}.svg`, asSvg(await page.screenshot({ type: "jpeg", quality: 72 })));
  await page.close();
}
await browser.close();
