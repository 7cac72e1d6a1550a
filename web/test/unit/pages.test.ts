import assert from "node:assert/strict";
import test from "node:test";
import { encodeFrame } from "../../dev/live.mjs";
import { fileUrl, holds } from "../../src/api";
import { decodeFrame, hertz, ordered, spaced } from "../../src/frames";
import { LevelScale } from "../../src/levels";
import { commonTitle, difference, overlays, shortNames, type NamedRun } from "../../src/overlay";
import { compareLink, parseRoute, runLink } from "../../src/routes";
import type { LinePlot } from "../../src/plots";

test("addresses within the page read back, whatever the folder is called", () => {
  for (const path of ["demo/circle", "", "a b/50 %", "über/c#,d"]) {
    assert.deepEqual(parseRoute(runLink(path)), { page: "run", path });
  }
  assert.deepEqual(parseRoute(compareLink(["a/b", "c,d"])), { page: "compare", paths: ["a/b", "c,d"] });
  assert.deepEqual(parseRoute("#/live"), { page: "live" });
  assert.deepEqual(parseRoute(""), { page: "runs" });
  assert.deepEqual(parseRoute("#/run/50%"), { page: "run", path: "50%" });
});

test("files are addressed segment by segment", () => {
  assert.equal(fileUrl("demo/a b", "sub/x#.csv"), "/files/demo/a%20b/sub/x%23.csv");
  assert.equal(fileUrl("", "result.json"), "/files/result.json");
});

function buffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

test("a frame reads back from its bytes, and one that is cut is refused", () => {
  const header = { name: "1000 Hz", number: 7, rows: 2, cols: 3, x: [0, 1], y: [0, 1], x_label: "x (m)", y_label: "y (µm)", value_label: "dB" };
  const bytes = encodeFrame(header, [1, 2, 3, NaN, 5, 6.5]);
  const frame = decodeFrame(buffer(bytes));
  assert.deepEqual([...frame.values], [1, 2, 3, NaN, 5, 6.5]);
  assert.deepEqual([frame.name, frame.number, frame.y_label], ["1000 Hz", 7, "y (µm)"]);
  assert.throws(() => decodeFrame(buffer(bytes.subarray(0, bytes.length - 4))), /has 20 bytes for 6 values/);
});

test("frequencies are read from names and put in order", () => {
  assert.equal(hertz("62.5 Hz"), 62.5);
  assert.equal(hertz("1e3 Hz"), 1000);
  assert.equal(hertz("slice"), null);
  assert.deepEqual(ordered(["1000 Hz", "b", "250 Hz", "a"]), ["250 Hz", "1000 Hz", "a", "b"]);
  assert.deepEqual(spaced([-1, 1], 3), [-1, 0, 1]);
});

test("a scale that holds only grows, one that follows closes in, a fixed one stays", () => {
  const [loud, quiet] = [Float32Array.from([60, 90.4]), Float32Array.from([70, 80])];
  const scale = new LevelScale();
  assert.deepEqual(scale.next(loud, true, 0), [60, 91]);
  assert.deepEqual(scale.next(quiet, true, 100), [60, 91]);
  scale.mode = "follow";
  assert.deepEqual(scale.next(quiet, true, 100), [70, 80]);
  scale.mode = "fixed";
  assert.deepEqual(scale.next(loud, true, 1), scale.fixed);
  scale.mode = "hold";
  scale.restart();
  assert.deepEqual(scale.next(Float32Array.from([-300, 0, NaN]), true, 1), [-60, 0]);
});

function run(name: string, y: string, title = "Echo", path = name): NamedRun {
  const axis = (label: string) => ({ label, range: null, log: false });
  const series = [{ label: "TM", x: [0], y: [1], style: "solid" as const }];
  const plot: LinePlot = { kind: "line", name: "echo_width", title, caption: "", x: axis("deg"), y: { ...axis(y), range: [0, 1] }, series };
  return { name, path, result: {} as NamedRun["result"], plots: [plot] };
}

test("plots with the same name and axes are laid over each other, others are not", () => {
  const [plot, ...rest] = overlays([run("a", "dB"), run("b", "dB"), run("c", "m")]);
  assert.equal(rest.length, 0);
  assert.deepEqual(plot.series.map((s) => s.label), ["a · TM", "b · TM"]);
  assert.equal((plot as LinePlot).y.range, null);
  assert.equal(overlays([run("a", "dB"), run("c", "m")]).length, 0);
});

test("a comparison is titled by what its runs share, and tells the rest with their folders", () => {
  const [plot] = overlays([run("a", "dB", "Echo width, TM, 300 MHz", "x/a"), run("b", "dB", "Echo width, TM, 600 MHz", "y/b")]);
  assert.equal(plot.title, "Echo width, TM");
  assert.equal(plot.caption, "a (x/a): Echo width, TM, 300 MHz; b (y/b): Echo width, TM, 600 MHz");
  const [same] = overlays([run("x/a", "dB"), run("y/a", "dB")]);
  assert.deepEqual([same.title, same.caption], ["Echo", "x/a, y/a on one axis"]);
  const [other] = overlays([run("a", "dB", "One"), run("b", "dB", "Two, TM")]);
  assert.equal(other.title, "echo width");
  assert.equal(commonTitle(["Cut, VV", "Cut, VV, 3 GHz"]), "Cut, VV");
});

test("a self-check without a value does not hold", () => {
  const check = { name: "residual", limit: 1e-6, unit: "", sentence: "" };
  assert.ok(holds({ ...check, value: 1e-6, bound: "at_most" }) && holds({ ...check, value: 1, bound: "at_least" }));
  assert.ok(!holds({ ...check, value: 1, bound: "at_most" }) && !holds({ ...check, value: null, bound: "at_least" }));
});

test("runs are called by the shortest names that tell them apart", () => {
  assert.deepEqual(shortNames(["x/circle", "y/plate"]), ["circle", "plate"]);
  assert.deepEqual(shortNames(["x/circle", "y/circle"]), ["x/circle", "y/circle"]);
});

test("differences are told as they are and in per cent", () => {
  assert.deepEqual(difference(11, 10), { by: 1, percent: 10 });
  assert.deepEqual(difference(-9, -10), { by: 1, percent: 10 });
  assert.equal(difference(null, 1), null);
  assert.ok(Number.isNaN(difference(1, 0)?.percent));
});
