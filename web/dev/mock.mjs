// A stand-in for `phasefront view` and `phasefront run --live`: the same addresses over any results folder, for working on the
// page and for its tests. It listens on 127.0.0.1 only.

import { createServer } from "node:http";
import { readFile, readdir, stat } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { WebSocketServer } from "ws";
import { playLive } from "./live.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".json": "application/json", ".csv": "text/csv; charset=utf-8", ".toml": "text/plain; charset=utf-8", ".png": "image/png",
};
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

class Refusal extends Error {
  constructor(status, error, help) {
    super(error);
    Object.assign(this, { status, help });
  }
}

/** Starts the server; `live` is "nah", "dgtd" or null, `dist` the built page. Gives its address, and functions to end it. */
export async function startMock({ root, dist, live = null, port = 0 }) {
  const server = createServer((request, response) => {
    answer(request, { root, dist, live }).then(
      ({ body, type, headers }) => {
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY, ...headers });
        response.end(body);
      },
      (error) => {
        const status = error.status ?? 500;
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: error.message, help: error.help ?? "" }));
      },
    );
  });
  const sockets = live ? new WebSocketServer({ server, path: "/api/live" }) : null;
  const run = sockets ? playLive(live, () => sockets.clients) : null;
  sockets?.on("connection", (socket) => run.greet(socket));
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Drops every socket, as a network does. */
    dropSockets: () => sockets?.clients.forEach((socket) => socket.terminate()),
    finishLive: () => run?.finish(),
    close() {
      run?.close();
      sockets?.clients.forEach((socket) => socket.terminate());
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(request, { root, dist, live }) {
  const url = new URL(request.url, "http://localhost");
  const path = decodeURIComponent(url.pathname);
  if (path === "/api/state") return json({ version: "0.1.0", root: "results", live: live !== null, mesh: false });
  if (path === "/api/runs") return json({ runs: await listRuns(root) });
  if (path.startsWith("/files/")) {
    const name = path.split("/").at(-1);
    const headers = url.searchParams.has("download") ? { "content-disposition": `attachment; filename="${name}"` } : {};
    return { ...(await file(root, path.slice("/files/".length))), headers };
  }
  return file(dist, path === "/" ? "index.html" : path.slice(1));
}

function json(value) {
  return { body: JSON.stringify(value), type: "application/json", headers: {} };
}

async function file(folder, name) {
  const path = normalize(join(folder, name));
  if (!path.startsWith(normalize(folder) + sep)) throw new Refusal(403, `${name} is outside of the folder`, "Ask for files of a run.");
  try {
    return { body: await readFile(path), type: TYPES[extname(path)] ?? "application/octet-stream", headers: {} };
  } catch {
    throw new Refusal(404, `there is no file ${name}`, "See the list of runs for what there is.");
  }
}

async function listRuns(root, path = "", depth = 0) {
  const folder = join(root, path);
  const entries = await readdir(folder, { withFileTypes: true });
  const has = (name) => entries.some((entry) => entry.name === name);
  if (has("result.json")) return [await finished(folder, path)];
  if (has("case.toml")) {
    const modified_unix_s = (await stat(join(folder, "case.toml"))).mtimeMs / 1000;
    const nothing = { solver: null, case: null, device: null, seconds: null, checks: null, checks_passed: null };
    const state = Date.now() / 1000 - modified_unix_s < 60 ? "running" : "stopped";
    return [{ path, state, modified_unix_s, ...nothing }];
  }
  const inner = entries.filter((entry) => entry.isDirectory() && depth < 6);
  const lists = await Promise.all(inner.map((entry) => listRuns(root, path ? `${path}/${entry.name}` : entry.name, depth + 1)));
  return lists.flat().sort((a, b) => b.modified_unix_s - a.modified_unix_s);
}

async function finished(folder, path) {
  const name = join(folder, "result.json");
  const result = JSON.parse(await readFile(name, "utf8"));
  return {
    path,
    state: "finished",
    solver: result.solver,
    case: result.case,
    device: result.device,
    seconds: Object.values(result.seconds).reduce((sum, value) => sum + (value ?? 0), 0),
    checks: result.checks.length,
    checks_passed: result.checks.filter((check) => check.pass).length,
    modified_unix_s: (await stat(name)).mtimeMs / 1000,
  };
}
