import assert from "node:assert/strict";
import test from "node:test";
import { bytes, number, powerOfTen, seconds, spoken, timeText } from "../../src/format";
import { extent, isWide, rangeOf, widen } from "../../src/charts/scale";
import { linear, logarithmic, step } from "../../src/charts/ticks";

test("numbers keep their digits and have a typeset minus", () => {
  assert.equal(number(34.59341599004426), "34.5934");
  assert.equal(number(-0.25), "−0.25");
  assert.equal(number(1008), "1008");
  assert.equal(number(1361662), "1361662");
  assert.equal(number(3.3639253828e-15), "3.36393·10⁻¹⁵");
  assert.equal(number(-1.5e9, 3), "−1.5·10⁹");
  assert.equal(number(null), "–");
  assert.equal(number(NaN), "–");
  assert.equal(number(-Infinity), "−∞");
  assert.equal(number(0), "0");
  assert.equal(powerOfTen(-12), "10⁻¹²");
});

test("sizes and times have the unit that suits them", () => {
  assert.equal(bytes(903), "903 bytes");
  assert.equal(bytes(471358), "471 kB");
  assert.equal(seconds(0.0123), "12.3 ms");
  assert.equal(seconds(12e-6), "12 µs");
  assert.equal(seconds(179.7), "3 min 0 s");
  assert.equal(seconds(3725), "62 min 5 s");
  assert.equal(seconds(36000), "10 h 0 min");
  assert.equal(timeText(2.5e-9), "2.5 ns");
  assert.equal(timeText(0), "0 ns");
});

test("names of the program are said as words with their unit", () => {
  assert.equal(spoken("energy_drop_db"), "energy drop (dB)");
  assert.equal(spoken("rays_per_s"), "rays/s");
  assert.equal(spoken("gdof_per_s"), "GDOF/s");
  assert.equal(spoken("extinction_width_m"), "extinction width (m)");
  assert.equal(spoken("backward_error"), "backward error");
});

test("ticks are round, as in the printed plots", () => {
  assert.deepEqual(linear([0, 1], 6).labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(linear([-42, 7], 6).labels, ["−40", "−30", "−20", "−10", "0"]);
  assert.equal(step([0, 360], 12, true), 30);
  assert.equal(step([-180, 180], 6, true), 90);
  const small = linear([0, 3e-6], 4);
  assert.deepEqual([small.labels, small.factor], [["0", "1", "2", "3"], "×10⁻⁶"]);
});

test("logarithmic ticks are powers of ten", () => {
  assert.deepEqual(logarithmic([1e-2, 1e2], 8).labels, ["0.01", "0.1", "1", "10", "100"]);
  assert.deepEqual(logarithmic([1, 10], 8).labels, ["1", "2", "5", "10"]);
  assert.equal(logarithmic([1e-9, 1e-1], 4).labels[1], "10⁻⁶");
  assert.ok(logarithmic([1e-300, 1e300], 6).values.length <= 8);
});

test("no range gives too many ticks", () => {
  const ends = [-1e9, -1, 0, 1e-5, 1, 1 + 1e-9, 1e9];
  ends.forEach((low, i) => {
    for (const high of ends.slice(i + 1)) assert.ok(linear([low, high], 7).values.length <= 16, `${low} ${high}`);
  });
});

test("a range is never empty and leaves out what an axis has no place for", () => {
  assert.deepEqual(extent([3, null, NaN, -1, Infinity]), [-1, 3]);
  assert.deepEqual(extent([-5, 0, 2], true), [2, 2]);
  assert.equal(extent([]), null);
  assert.deepEqual(widen([5, 5]), [4.5, 5.5]);
  assert.deepEqual(rangeOf([3, -1], null), [-1, 3]);
  assert.deepEqual(rangeOf([1, 1], [2, 4]), [2, 4]);
  assert.deepEqual(rangeOf(null, null, true), [1, 10]);
});

test("positive values over decades ask for a logarithmic axis", () => {
  assert.ok(isWide([1, null, 1e-5]));
  assert.ok(!isWide([1, 0.5]));
  assert.ok(!isWide([1e-5, 1, -1]));
});
