/** Visible values of a field, and the range of its colors. */

import { halfTurn } from "./raster";
import { rangeOf } from "./scale";
import type { Colored, Overlay, Range } from "../plots";

/** The color range: symmetric about zero for diverging maps, a full turn for phases. */
export function colorRange(plot: Pick<Colored, "colors" | "range" | "value_label">, data: Range | null): Range {
  const turn = halfTurn(plot.colors, plot.value_label);
  if (turn !== null) return rangeOf(plot.range, [-turn, turn]);
  if (plot.colors !== "diverging") return rangeOf(plot.range, data);
  const largest = Math.max(...(data ?? [1]).map(Math.abs)) || 1;
  return rangeOf(plot.range, [-largest, largest]);
}

/** The values not covered by a filled outline: those below one may be many times larger. */
export function seen(field: Pick<Colored & Overlay, "x" | "y" | "outlines">, values: Float64Array): Float64Array {
  const filled = field.outlines.filter((outline) => outline.filled);
  if (filled.length === 0) return values;
  return values.map((value, i) => {
    const [x, y] = [field.x[i % field.x.length], field.y[Math.floor(i / field.x.length)]];
    return filled.some(({ points }) => isInside(points, x, y)) ? NaN : value;
  });
}

/** Even-odd rule: whether an odd number of edges lies to the left of a point. */
function isInside(points: [number, number][], x: number, y: number): boolean {
  let inside = false;
  points.forEach((a, i) => {
    const b = points[(i + 1) % points.length];
    if (a[1] > y !== b[1] > y && a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]) < x) inside = !inside;
  });
  return inside;
}
