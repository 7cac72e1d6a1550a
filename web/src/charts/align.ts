/** Series with individual abscissae on one common axis, as uPlot requires. */

import type { Num, Series } from "../plots";

/** The common x, then the y of each series: undefined where a series has no sample, null where it has a gap. */
export type Aligned = [number[], ...(Num | undefined)[][]];

export function align(series: Pick<Series, "x" | "y">[], fits: (x: Num, y: Num) => boolean): Aligned {
  const sorted = series.map(rising);
  const x = common(sorted.map((s) => s.x));
  const columns = sorted.map((s) => {
    const column: (Num | undefined)[] = new Array(x.length).fill(undefined);
    let at = 0;
    s.x.forEach((value, i) => {
      while (x[at] !== value) at += 1;
      column[at] = fits(value, s.y[i]) ? s.y[i] : null;
      at += 1;
    });
    return column;
  });
  return [x, ...columns];
}

/** The merged abscissae of ascending lists, each with its largest multiplicity: a vertical line has one twice. */
function common(lists: number[][]): number[] {
  const most = new Map<number, number>();
  for (const list of lists) {
    let run = 0;
    list.forEach((value, i) => {
      run = i > 0 && list[i - 1] === value ? run + 1 : 1;
      if (run > (most.get(value) ?? 0)) most.set(value, run);
    });
  }
  const places = [...most.keys()].sort((a, b) => a - b);
  return places.flatMap((value) => new Array<number>(most.get(value) ?? 1).fill(value));
}

/** The samples with a valid x, in ascending order. */
function rising({ x, y }: Pick<Series, "x" | "y">): { x: number[]; y: Num[] } {
  const order = x.map((_, i) => i).filter((i) => x[i] !== null);
  order.sort((a, b) => (x[a] as number) - (x[b] as number));
  return { x: order.map((i) => x[i] as number), y: order.map((i) => y[i]) };
}

/** The sample with a value in a column that is nearest to an index of the common axis. */
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
