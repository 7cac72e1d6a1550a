/** Combined plots and numbers of several runs. */

import type { RunResult } from "./api";
import type { LinePlot, Plot, PolarPlot, Series } from "./plots";

export interface NamedRun {
  name: string;
  result: RunResult;
  plots: Plot[];
}

/** Plots with the same name and axes in two or more runs, with all series on common axes. */
export function overlays(runs: NamedRun[]): (LinePlot | PolarPlot)[] {
  const groups = new Map<string, { run: string; plot: LinePlot | PolarPlot }[]>();
  for (const run of runs) {
    for (const plot of run.plots) {
      if (plot.kind !== "line" && plot.kind !== "polar") continue;
      const key = axesOf(plot);
      groups.set(key, [...(groups.get(key) ?? []), { run: run.name, plot }]);
    }
  }
  return [...groups.values()].filter((group) => group.length > 1).map(merged);
}

function axesOf(plot: LinePlot | PolarPlot): string {
  const axes = plot.kind === "line" ? [plot.x.label, plot.y.label, plot.x.log, plot.y.log] : [plot.angle_label, plot.radial_label];
  return JSON.stringify([plot.kind, plot.name, axes]);
}

function merged(group: { run: string; plot: LinePlot | PolarPlot }[]): LinePlot | PolarPlot {
  const first = group[0].plot;
  const series = group.flatMap(({ run, plot }) => plot.series.map((s) => renamed(s, run)));
  const caption = `${group.map(({ run }) => run).join(", ")} on one axis`;
  // Limits requested by one run would cut off the others.
  if (first.kind === "polar") return { ...first, series, caption, floor: null, top: null };
  return { ...first, series, caption, x: { ...first.x, range: null }, y: { ...first.y, range: null } };
}

function renamed(series: Series, run: string): Series {
  return { ...series, label: series.label ? `${run} · ${series.label}` : run };
}

/** Distinguishing suffixes of paths: as many of their last components as needed. */
export function shortNames(paths: string[]): string[] {
  const parts = paths.map((path) => path.split("/"));
  const longest = Math.max(...parts.map((p) => p.length));
  for (let count = 1; count < longest; count += 1) {
    const names = parts.map((p) => p.slice(-count).join("/"));
    if (new Set(names).size === paths.length) return names;
  }
  return paths;
}

/** Names of all runs, in the order of first appearance. */
export function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

/** Difference of a value from the first: absolute, and in percent of the first. */
export function difference(value: number | null | undefined, first: number | null | undefined): { by: number; percent: number } | null {
  if (value === null || value === undefined || first === null || first === undefined) return null;
  const by = value - first;
  return { by, percent: first === 0 ? (by === 0 ? 0 : NaN) : (100 * by) / Math.abs(first) };
}
