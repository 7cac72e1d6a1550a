/** Series with places of their own on one common axis, as uPlot wants them. */

import type { Num, Series } from "../plots";

/** The common x, then the y of each series: undefined where a series has no sample, null where it has a gap. */
export type Aligned = [number[], ...(Num | undefined)[][]];

export function align(series: Pick<Series, "x" | "y">[], fits: (x: Num, y: Num) => boolean): Aligned {
  const sorted = series.map(rising);
  const first = sorted[0]?.x ?? [];
  const same = sorted.every((s) => s.x.length === first.length && s.x.every((x, i) => x === first[i]));
  const x = same ? first : [...new Set(sorted.flatMap((s) => s.x))].sort((a, b) => a - b);
  const place = new Map(x.map((value, i) => [value, i]));
  const columns = sorted.map((s) => {
    const value = (i: number) => (fits(s.x[i], s.y[i]) ? s.y[i] : null);
    if (same) return s.y.map((_, i) => value(i));
    const column: (Num | undefined)[] = new Array(x.length).fill(undefined);
    s.x.forEach((at, i) => (column[place.get(at) as number] = value(i)));
    return column;
  });
  return [x, ...columns];
}

/** The samples that have an x, in its order. */
function rising({ x, y }: Pick<Series, "x" | "y">): { x: number[]; y: Num[] } {
  const order = x.map((_, i) => i).filter((i) => x[i] !== null);
  order.sort((a, b) => (x[a] as number) - (x[b] as number));
  return { x: order.map((i) => x[i] as number), y: order.map((i) => y[i]) };
}

/** The sample of a column nearest to a place of the common axis that has a value. */
export function nearestWithValue(column: ArrayLike<Num | undefined>, x: ArrayLike<number>, index: number): number | null {
  const has = (i: number) => column[i] !== undefined && column[i] !== null;
  if (column[index] === null) return null;
  for (let d = 0; d < column.length; d += 1) {
    const [before, after] = [index - d >= 0 && has(index - d), index + d < column.length && has(index + d)];
    if (before && after) return x[index] - x[index - d] <= x[index + d] - x[index] ? index - d : index + d;
    if (before) return index - d;
    if (after) return index + d;
  }
  return null;
}
