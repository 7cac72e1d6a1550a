// `npm test`: unit tests of the modules that compute, then the page in a real browser. `npm test unit` or `npm test browser` runs
// one of them. The browser tests take a built page: `npm run build` first. PHASEFRONT_URL and PHASEFRONT_LIVE_URL, if set, name
// servers to test in place of the mock: the first over the folder that `node dev/fixture.mjs FOLDER` makes, the second of a live
// run of `nah`.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const files = (folder, end) => readdirSync(here(folder)).filter((name) => name.endsWith(end)).map((name) => here(`${folder}/${name}`));

/** One file after the other: browsers side by side would slow each other down, and frames per second are counted. */
function test(paths) {
  for (const path of paths) {
    const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", path], { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
}

const which = process.argv[2] ?? "all";
if (which !== "browser") {
  // Node reads no TypeScript: the tests are bundled with what they test.
  rmSync(here(".built"), { recursive: true, force: true });
  const options = { bundle: true, platform: "node", format: "esm", outdir: here(".built"), outExtension: { ".js": ".mjs" }, logLevel: "warning" };
  await build({ ...options, entryPoints: files("unit", ".test.ts") });
  test(files(".built", ".mjs"));
}
if (which !== "unit") {
  if (!process.env.PHASEFRONT_URL && !existsSync(here("../dist/index.html"))) {
    console.error("the page is not built: run `npm run build` first");
    process.exit(1);
  }
  test(files("browser", ".test.mjs"));
}
