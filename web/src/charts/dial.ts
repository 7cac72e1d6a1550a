/** Levels and angles of a polar plot. */

import { extent, widen } from "./scale";
import { step } from "./ticks";
import type { Num, PolarPlot, Range } from "../plots";

/** Default dynamic range below the top, dB: the nulls of a pattern are arbitrarily deep. */
const DEPTH = 50;
/** Maximum number of rings. */
export const RINGS = 6;

/** Levels at the center and at the outer ring; limits taken from the data are rounded to rings. */
export function dialRange(plot: Pick<PolarPlot, "floor" | "top" | "series">): Range {
  const [low, high] = widen(extent(plot.series.flatMap((series) => series.y)) ?? [-1, 0]);
  const highest = plot.top ?? high;
  const lowest = Math.min(plot.floor ?? Math.max(low, highest - DEPTH), highest);
  const [a, b] = widen([lowest, highest]);
  const by = step([a, b], RINGS);
  return [plot.floor ?? Math.floor(a / by + 1e-9) * by, plot.top ?? Math.ceil(b / by - 1e-9) * by];
}

/** Polar angle of a point, 0 to 360 degrees. */
export function angleOf({ x, y }: { x: number; y: number }): number {
  return ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
}

/** The sample nearest in angle; none beyond three degrees, outside of the sweep. */
export function nearestAngle(angles: Num[], degrees: number): number | null {
  let best: number | null = null;
  let least = 3;
  angles.forEach((angle, i) => {
    if (angle === null) return;
    const turned = Math.abs((((angle - degrees) % 360) + 540) % 360 - 180);
    if (turned <= least) [best, least] = [i, turned];
  });
  return best;
}
