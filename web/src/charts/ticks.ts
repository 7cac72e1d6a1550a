/** Ticks at round numbers, and their labels, as in the static plots. */

import { powerOfTen, withMinus } from "../format";
import type { Range } from "../plots";

/** Steps for degrees; finer ones are decimal. */
const DEGREES = [5, 10, 15, 30, 45, 90, 180, 360];
/** Exponents of ten that a label writes out. */
const PLAIN: Range = [-3, 4];

export interface Ticks {
  values: number[];
  labels: string[];
  /** Common factor of the labels: `×10⁻⁶`. */
  factor: string;
}

export function isDegrees(label: string): boolean {
  return label.includes("deg") || label.includes("°");
}

function isPlain(exponent: number): boolean {
  return exponent >= PLAIN[0] && exponent <= PLAIN[1];
}

/** The smallest round step that gives at most `most` intervals. */
export function step([low, high]: Range, most: number, degrees = false): number {
  const rough = Math.abs(high - low) / most;
  // A tolerance, so that 10 intervals of 0.1 fit into 1 despite rounding.
  const fits = (candidate: number) => candidate >= rough * (1 - 1e-9);
  if (degrees && rough > 2) {
    const whole = DEGREES.find(fits);
    if (whole !== undefined) return whole;
  }
  const decade = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((m) => m * decade).find(fits) ?? rough;
}

/** Ticks of a linear axis, at most `most` intervals. */
export function linear(range: Range, most: number, degrees = false): Ticks {
  const by = step(range, most, degrees);
  const first = Math.ceil(range[0] / by - 1e-9);
  const last = Math.floor(range[1] / by + 1e-9);
  const count = by > 0 && last >= first ? Math.min(last - first + 1, 2 * most + 2) : 0;
  const values = Array.from({ length: count }, (_, i) => (first + i) * by + 0);
  const exponent = Math.floor(Math.log10(Math.max(Math.abs(range[0]), Math.abs(range[1]))));
  const power = isPlain(exponent) ? 0 : exponent;
  const decimals = Math.min(Math.max(power - Math.floor(Math.log10(by * (1 + 1e-9))), 0), 12);
  const labels = values.map((x) => withMinus((x / 10 ** power).toFixed(decimals)));
  return { values, labels, factor: power === 0 ? "" : `×${powerOfTen(power)}` };
}

/** Ticks of a logarithmic axis with positive ends, at most about `most` intervals. */
export function logarithmic(range: Range, most: number): Ticks {
  const [low, high] = range.map(Math.log10);
  if (high - low < 1) {
    // Less than a decade: powers of ten would give one tick or none.
    return linear(range, most);
  }
  const stride = Math.max(Math.ceil((high - low) / most), 1);
  const digits = 3 * (high - low) <= most ? [1, 2, 5] : [1];
  const first = Math.floor(low - 1e-9);
  const last = Math.floor(high + 1e-9);
  const plain = isPlain(first) && isPlain(last);
  const ticks: Ticks = { values: [], labels: [], factor: "" };
  for (let exponent = first; exponent <= last; exponent += 1) {
    if (exponent % stride !== 0) continue;
    for (const digit of digits) {
      const value = digit * 10 ** exponent;
      if (value < range[0] * (1 - 1e-9) || value > range[1] * (1 + 1e-9)) continue;
      ticks.values.push(value);
      const power = digit === 1 ? powerOfTen(exponent) : `${digit}·${powerOfTen(exponent)}`;
      ticks.labels.push(plain ? value.toFixed(Math.max(-exponent, 0)) : power);
    }
  }
  return ticks;
}
