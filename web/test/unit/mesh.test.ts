import assert from "node:assert/strict";
import test from "node:test";
import { channels, colorNumbers, colorsOf, corners, edges, ends, middle } from "../../src/charts/triangles";
import type { MeshPart, MeshPlot } from "../../src/plots";

/** A square of 4 m by 2 m in two triangles, from (-1, 0, 5) m, on a grid of 0.5 m. */
const part: MeshPart = { name: "patch", kind: "conductor", shown: true, triangles: [0, 1, 2, 0, 2, 3], quality: [0, 100] };
const plot: MeshPlot = {
  kind: "mesh", name: "mesh", title: "", caption: "", view: [0, 0, 1], marks: [],
  surface: { origin: [-1, 0, 5], spacing: 0.5, coarse: false, vertices: [0, 0, 0, 8, 0, 0, 8, 4, 0, 0, 4, 0], parts: [part] },
};

test("a surface reads back in meters", () => {
  assert.deepEqual([...corners(plot, part)], [-1, 0, 5, 3, 0, 5, 3, 2, 5, -1, 0, 5, 3, 2, 5, -1, 2, 5]);
  assert.deepEqual(middle(plot, part, 1).map((x) => Math.round(3 * x)), [1, 4, 15]);
  assert.deepEqual(ends(plot, [part], 0), [-1, 3]);
  assert.deepEqual(ends(plot, [part], 2), [5, 5]);
});

test("an edge of two triangles is drawn once", () => {
  const lines = edges(plot, part);
  assert.equal(lines.length, 5 * 6);
  const lengths = [0, 1, 2, 3, 4].map((i) => Math.hypot(lines[6 * i] - lines[6 * i + 3], lines[6 * i + 1] - lines[6 * i + 4]));
  assert.deepEqual(lengths.map((x) => Math.round(100 * x)).sort((a, b) => a - b), [200, 200, 400, 400, 447]);
});

test("vacuum is gray and takes no color from the others", () => {
  assert.deepEqual(colorNumbers([{ kind: "vacuum" }, { kind: "material" }, { kind: "port" }]), [null, 0, 1]);
  assert.deepEqual(channels("#d55e00"), [0xd5, 0x5e, 0]);
  const [r, g, b] = channels(null);
  assert.ok(r === g && g === b);
});

test("corners have the color of the group, or of the quality of the element", () => {
  assert.deepEqual([...colorsOf(part, [255, 0, 51])].map((c) => Math.round(255 * c)).slice(0, 3), [255, 0, 51]);
  const quality = [...colorsOf(part, null)].map((c) => Math.round(255 * c));
  assert.equal(quality.length, 18);
  assert.deepEqual([quality.slice(6, 9), quality.slice(9, 12)], [[0x44, 0x01, 0x54], [0xfd, 0xe7, 0x25]], "viridis from 0 to 1");
});
