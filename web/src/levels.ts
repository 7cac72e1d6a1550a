/** The color scale of live maps: it follows the data, holds the extremes so far, or is fixed by the user. */

import { extent } from "./charts/scale";
import type { Range } from "./plots";

export type ScaleMode = "follow" | "hold" | "fixed";

/** Maximum range below the highest level, dB. */
const DEPTH = 60;
/** Time constant with which the scale follows decreasing data. */
const SETTLE_S = 2;

export class LevelScale {
  mode: ScaleMode = "hold";
  fixed: Range = [40, 100];
  private held: Range | null = null;

  /** The range for these values, `seconds` after the last ones. */
  next(values: Float32Array, isLevel: boolean, seconds: number): Range {
    if (this.mode === "fixed") return this.fixed;
    const data = extent(values);
    if (!data) return this.held ?? [0, 1];
    const high = data[1];
    const low = isLevel ? Math.max(data[0], high - DEPTH) : data[0];
    this.held = this.grown([low, high], seconds);
    // Whole decibels: a jittering scale is unreadable.
    const [a, b] = isLevel ? [Math.floor(this.held[0]), Math.ceil(this.held[1])] : this.held;
    return a < b ? [a, b] : [a - 0.5, b + 0.5];
  }

  private grown([low, high]: Range, seconds: number): Range {
    if (!this.held) return [low, high];
    const back = this.mode === "hold" ? 0 : 1 - Math.exp(-seconds / SETTLE_S);
    const [a, b] = this.held;
    return [low < a ? low : a + back * (low - a), high > b ? high : b + back * (high - b)];
  }

  /** Resets the extremes, for data of another kind. */
  restart(): void {
    this.held = null;
  }
}
