/** Ranges of data. */

import type { Num, Range } from "../plots";

/** Ratio of positive values above which the axis is logarithmic. */
const WIDE = 100;

/** Smallest and largest value that an axis can show. */
export function extent(values: Iterable<number | null>, log = false): Range | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/** A range around a single value; a valid range is unchanged. */
export function widen([low, high]: Range, log = false): Range {
  if (high - low > 2e-12 * Math.max(Math.abs(low), Math.abs(high))) return [low, high];
  const middle = 0.5 * (low + high);
  if (log) return [middle / 10, middle * 10];
  const half = middle === 0 ? 1 : 0.1 * Math.abs(middle);
  return [middle - half, middle + half];
}

/** The requested range if it is valid, else that of the data; never empty. */
export function rangeOf(asked: Range | null, data: Range | null, log = false): Range {
  const fits = (x: number) => Number.isFinite(x) && (!log || x > 0);
  if (asked && asked.every(fits) && asked[0] !== asked[1]) return [Math.min(...asked), Math.max(...asked)];
  return widen(data ?? (log ? [1, 10] : [0, 1]), log);
}

/** Whether values need a logarithmic axis. */
export function isWide(values: Num[]): boolean {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (value === null) continue;
    if (!(value > 0)) return false;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high > WIDE * low;
}
