import assert from "node:assert/strict";
import test from "node:test";
import { align, nearestWithValue } from "../../src/charts/align";
import { colorAt, palette } from "../../src/charts/colors";
import { contour } from "../../src/charts/contour";
import { angleOf, dialRange, nearestAngle } from "../../src/charts/dial";
import { dot, eye } from "../../src/charts/eye";
import { colorRange, seen } from "../../src/charts/field";
import { halfTurn, raster } from "../../src/charts/raster";
import { describe, onArc } from "../../src/charts/reflection";

const all = () => true;

test("series of different places share one axis, and gaps stay gaps", () => {
  const [x, a, b] = align([{ x: [0, 1, 2], y: [5, null, 7] }, { x: [2, 0.5], y: [8, 9] }], (_, y) => y !== null);
  assert.deepEqual(x, [0, 0.5, 1, 2]);
  assert.deepEqual(a, [5, undefined, null, 7]);
  assert.deepEqual(b, [undefined, 9, undefined, 8]);
});

test("a line straight up keeps both its ends", () => {
  const [x, , line] = align([{ x: [0, 1, 2], y: [1, 1, 1] }, { x: [1, 1], y: [0, 9] }], all);
  assert.deepEqual(x, [0, 1, 1, 2]);
  assert.deepEqual(line, [undefined, 0, 9, undefined]);
});

test("the value under the pointer is that of the nearest sample, but a gap has none", () => {
  const x = [0, 1, 2, 3, 10];
  assert.equal(nearestWithValue([5, undefined, undefined, undefined, 6], x, 2), 0);
  assert.equal(nearestWithValue([5, undefined, null, undefined, 6], x, 2), null);
  assert.equal(nearestWithValue([undefined, undefined], [0, 1], 0), null);
});

/** Lightness L* of CIELAB. */
function lightness(color: number[]): number {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16;
}

test("sequential colors survive gray print, and phases close on themselves", () => {
  const steps = Array.from({ length: 21 }, (_, i) => lightness(colorAt("sequential", i / 20)));
  assert.ok(steps.every((l, i) => i === 0 || l > steps[i - 1]));
  assert.deepEqual(colorAt("phase", 0), colorAt("phase", 1));
  assert.deepEqual(colorAt("sequential", -1), [0x44, 0x01, 0x54]);
  assert.deepEqual([...new Uint8Array(palette("sequential").buffer).slice(-4)], [0xfd, 0xe7, 0x25, 255]);
});

function pixels(values: number[], colors: "sequential" | "phase", carry = false, turn: number | null = null): Uint32Array {
  const out = new Uint32Array(4);
  const grid = { x: [0, 1], y: [0, 1], values, carry };
  const shading = { range: turn === null ? [0, 255] : [-turn, turn], palette: Uint32Array.from({ length: 256 }, (_, i) => i + 1), halfTurn: turn };
  raster(out, 4, 1, grid, { x: [0, 1], y: [0, 1] }, shading as Parameters<typeof raster>[5]);
  assert.equal(halfTurn(colors, "phase (deg)"), turn);
  return out;
}

test("a map interpolates its values and leaves gaps clear", () => {
  assert.deepEqual([...pixels([0, 80, 0, 80], "sequential")], [11, 31, 51, 71]);
  assert.deepEqual([...pixels([0, NaN, 0, NaN], "sequential")], [1, 1, 0, 0]);
  assert.deepEqual([...pixels([7, NaN, 7, NaN], "sequential", true)], [8, 8, 8, 8]);
});

test("phases turn: between 170 and -170 degrees is 180, not 0", () => {
  const shades = pixels([170, -170, 170, -170], "phase", false, 180);
  assert.ok(shades.every((shade) => shade < 10 || shade > 246), String(shades));
});

test("a contour of a distance is a circle", () => {
  const axis = Array.from({ length: 41 }, (_, i) => -1 + i / 20);
  const pieces = contour(axis, axis, axis.flatMap((y) => axis.map((x) => Math.hypot(x, y))), 0.62);
  assert.ok(pieces.flat().every(([x, y]) => Math.abs(Math.hypot(x, y) - 0.62) < 1e-3));
  const length = pieces.reduce((sum, [a, b]) => sum + Math.hypot(a[0] - b[0], a[1] - b[1]), 0);
  assert.ok(Math.abs(length / (2 * Math.PI * 0.62) - 1) < 5e-3, String(length));
  assert.equal(contour([0, 1], [0, 1], [1, 0, 0, 1], 0.5).length, 2);
  assert.equal(contour([0, 1], [0, 1], [1, 0, NaN, 1], 0.5).length, 0);
});

test("a polar plot ends at rings and is not deeper than 50 dB", () => {
  const series = [{ label: "", x: [0, 90, 180], y: [7, -13, -300], style: "solid" as const }];
  assert.deepEqual(dialRange({ floor: null, top: null, series }), [-50, 10]);
  assert.deepEqual(dialRange({ floor: -20, top: 8, series }), [-20, 8]);
  assert.equal(angleOf({ x: 0, y: -1 }), 270);
  assert.equal(nearestAngle([0, 90, 359], 359.9), 0);
  assert.equal(nearestAngle([0, 90], 45), null);
});

test("the range of colors leaves out what a body hides, and zero is in the middle of two signs", () => {
  const square: [number, number][] = [[0.5, -1], [1.5, -1], [1.5, 1], [0.5, 1]];
  const field = { x: [0, 1, 2], y: [0], outlines: [{ points: square, closed: true, filled: true }] };
  assert.deepEqual([...seen(field, Float64Array.from([1, 99, 3]))], [1, NaN, 3]);
  const plot = { colors: "diverging" as const, range: null, value_label: "Ez (V/m)" };
  assert.deepEqual(colorRange(plot, [-1, 3]), [-3, 3]);
  assert.deepEqual(colorRange({ ...plot, colors: "phase", value_label: "phase (rad)" }, null), [-Math.PI, Math.PI]);
});

test("reflections are told as level, phase and impedance", () => {
  assert.equal(describe({ x: 1 / 3, y: 0 }), "−9.542 dB, 0°, z 2 + j0");
  const { x, y } = onArc(1, 0.5);
  // z = 1 + j: (z - 1)/(z + 1) = j/(2 + j) = 0.2 + 0.4j.
  assert.ok(Math.hypot(x - 0.2, y - 0.4) < 1e-12);
});

test("without a view the eye is a little off the source", () => {
  for (const source of [[1, 0, 0], [0, -1, 0.5], [0, 0, 1], [1, 1, -0.2]] as [number, number, number][]) {
    const { toward } = eye(null, source, null);
    const angle = (Math.acos(dot(toward, source) / Math.hypot(...source)) * 180) / Math.PI;
    assert.ok(angle > 15 && angle < 40, `${source}: ${angle}`);
  }
  assert.deepEqual(eye([0, 0, 5], null, null).toward, [0, 0, 1]);
});
