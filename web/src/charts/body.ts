/** A 3-D body: gray, and colored where its triangles have values. */

import { quantity } from "./axes";
import { colorAt } from "./colors";
import { eye } from "./eye";
import { extent, rangeOf } from "./scale";
import { stage } from "./scene";
import { number } from "../format";
import { numbers, type BodyPlot, type Range } from "../plots";

/** Fraction of ambient light: surfaces turned away remain visible. */
const AMBIENT = 0.55;

export function bodyChart(plot: BodyPlot, signal: AbortSignal): HTMLElement {
  const values = numbers(plot.values);
  const data = extent(values);
  const range = rangeOf(plot.range, data);
  const describe = (triangle: number) => {
    const value = values.length > 0 ? `: ${quantity(plot.value_label, number(values[triangle], 5))}` : "";
    const middle = middleOf(plot, triangle).map((x) => number(x, 4));
    return `triangle ${triangle + 1} at (${middle.join(", ")}) m${value}`;
  };
  return stage(
    {
      label: plot.title,
      surfaces: [{ positions: positionsOf(plot), colors: colorsOf(plot, values, range) }],
      ambient: AMBIENT,
      eye: eye(plot.view, plot.source, plot.up),
      bar: data ? { range, colors: "heat", label: plot.value_label } : null,
      source: plot.source,
      axes: false,
      describe,
    },
    signal,
  );
}

function middleOf(plot: BodyPlot, triangle: number): number[] {
  const corners = plot.triangles[triangle].map((i) => plot.vertices[i]);
  return [0, 1, 2].map((k) => (corners[0][k] + corners[1][k] + corners[2][k]) / 3);
}

function positionsOf(plot: BodyPlot): Float32Array {
  const positions = new Float32Array(9 * plot.triangles.length);
  plot.triangles.forEach((corners, i) => corners.forEach((corner, j) => positions.set(plot.vertices[corner], 9 * i + 3 * j)));
  return positions;
}

/** A triangle without a value, or with one below the range, has the gray of the body, the lower end of the color map. */
function colorsOf(plot: BodyPlot, values: Float64Array, [low, high]: Range): Float32Array {
  const colors = new Float32Array(9 * plot.triangles.length);
  plot.triangles.forEach((_, i) => {
    const value = values.length > 0 ? values[i] : NaN;
    const rgb = colorAt("heat", Number.isFinite(value) ? (value - low) / (high - low) : 0).map((c) => c / 255);
    for (let j = 0; j < 3; j += 1) colors.set(rgb, 9 * i + 3 * j);
  });
  return colors;
}
