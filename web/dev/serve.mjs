// `npm run dev -- [FOLDER] [--live nah|dgtd]`: the mock over a results folder, and the page from its sources before it.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createServer } from "vite";
import { makeFixture } from "./fixture.mjs";
import { startMock } from "./mock.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { live: { type: "string" } } });
const root = positionals[0] ?? (await makeFixture(await mkdtemp(join(tmpdir(), "phasefront-web-"))));
const mock = await startMock({ root, dist: new URL("../dist", import.meta.url).pathname, live: values.live ?? null, port: 8123 });
console.log(`mock of the server over ${root}: ${mock.url}`);
const vite = await createServer({ root: new URL("..", import.meta.url).pathname });
await vite.listen();
vite.printUrls();
