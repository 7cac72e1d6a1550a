/** A field on a grid as pixels, interpolated between the samples as in the static maps. */

import { STEPS } from "./colors";
import type { Range } from "../plots";

export interface Grid {
  /** Positions of the columns, ascending or descending. */
  x: number[];
  /** Positions of the rows, ascending or descending. */
  y: number[];
  /** Row by row; NaN is a gap. */
  values: ArrayLike<number>;
  /** Whether the field is extrapolated into gaps, up to the edge of the filled body that covers their staircase. */
  carry: boolean;
}

/** Positions among the samples of an axis: the lower index, and the weight of the next sample. */
interface Places {
  lower: Int32Array;
  part: Float64Array;
}

/** Positions of `count` evenly spaced pixels between two data values among the samples of an axis; -1 is outside. */
export function places(axis: number[], from: number, to: number, count: number): Places {
  const lower = new Int32Array(count);
  const part = new Float64Array(count);
  const last = axis.length - 1;
  const falls = axis.length > 1 && axis[0] > axis[1];
  const [low, high] = side(axis);
  for (let i = 0; i < count; i += 1) {
    const at = from + ((i + 0.5) / count) * (to - from);
    if (at < low || at > high) {
      lower[i] = -1;
      continue;
    }
    let a = 0;
    let b = last;
    while (b - a > 1) {
      const middle = (a + b) >> 1;
      if (falls ? axis[middle] > at : axis[middle] < at) a = middle;
      else b = middle;
    }
    lower[i] = a;
    part[i] = last === 0 ? 0 : Math.min(Math.max((at - axis[a]) / (axis[b] - axis[a]), 0), 1);
  }
  return { lower, part };
}

/** Ends of an axis; a single sample is one unit wide. */
export function side(axis: number[]): Range {
  const first = axis[0];
  const last = axis[axis.length - 1];
  return axis.length > 1 ? [Math.min(first, last), Math.max(first, last)] : [first - 0.5, first + 0.5];
}

/** The sample nearest to a value of an axis. */
export function nearest(axis: ArrayLike<number>, at: number): number {
  let best = 0;
  for (let i = 1; i < axis.length; i += 1) {
    if (Math.abs(axis[i] - at) < Math.abs(axis[best] - at)) best = i;
  }
  return best;
}

export interface Shading {
  range: Range;
  palette: Uint32Array;
  /** Half a turn in the unit of the values if they are phases, which wrap: the mean of 179 and -179 degrees is 180. */
  halfTurn: number | null;
}

/** Fills `pixels` (width × height, top row first) for the view x0..x1, y0..y1. Gaps and the outside remain transparent. */
export function raster(
  pixels: Uint32Array,
  width: number,
  height: number,
  grid: Grid,
  view: { x: Range; y: Range },
  shading: Shading,
): void {
  const columns = places(grid.x, view.x[0], view.x[1], width);
  const rows = places(grid.y, view.y[1], view.y[0], height);
  const { values } = grid;
  const cols = grid.x.length;
  const [low, high] = shading.range;
  const factor = (STEPS - 1) / (high - low);
  for (let j = 0; j < height; j += 1) {
    const row = rows.lower[j];
    const above = Math.min(row + 1, grid.y.length - 1);
    const v = rows.part[j];
    for (let i = 0; i < width; i += 1) {
      const col = columns.lower[i];
      let value = NaN;
      if (row >= 0 && col >= 0) {
        const next = Math.min(col + 1, cols - 1);
        const u = columns.part[i];
        const a = values[row * cols + col];
        const b = values[row * cols + next];
        const c = values[above * cols + col];
        const d = values[above * cols + next];
        if (shading.halfTurn === null) value = (1 - v) * (a + u * (b - a)) + v * (c + u * (d - c));
        else value = meanPhase(a, b, c, d, u, v, shading.halfTurn);
        // Next to a gap: the nearest sample instead of interpolation.
        if (!(value - value === 0)) {
          value = grid.carry ? meanOfFinite(a, b, c, d, u, v) : v < 0.5 ? (u < 0.5 ? a : b) : u < 0.5 ? c : d;
        }
      }
      const index = Math.round((value - low) * factor);
      pixels[j * width + i] =
        value - value === 0 ? shading.palette[index < 0 ? 0 : index >= STEPS ? STEPS - 1 : index] : 0;
    }
  }
}

/** The weighted mean of the corners that have a value. */
function meanOfFinite(a: number, b: number, c: number, d: number, u: number, v: number): number {
  const weights = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
  let [sum, whole] = [0, 0];
  [a, b, c, d].forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    sum += weights[i] * value;
    whole += weights[i];
  });
  return sum / whole;
}

function meanPhase(a: number, b: number, c: number, d: number, u: number, v: number, halfTurn: number): number {
  const unit = Math.PI / halfTurn;
  const mean = (f: (x: number) => number) =>
    (1 - v) * ((1 - u) * f(unit * a) + u * f(unit * b)) + v * ((1 - u) * f(unit * c) + u * f(unit * d));
  return Math.atan2(mean(Math.sin), mean(Math.cos)) / unit;
}

/** Half a turn of a phase map: degrees unless the label says radians. */
export function halfTurn(colors: string, label: string): number | null {
  if (colors !== "phase") return null;
  return /\brad\b/.test(label) ? Math.PI : 180;
}
