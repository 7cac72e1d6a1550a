/** Combined plots and numbers of several runs. */

import type { RunResult } from "./api";
import { spoken } from "./format";
import type { LinePlot, Plot, PolarPlot, Series } from "./plots";

export interface NamedRun {
  /** As short as tells it from the others. */
  name: string;
  /** Its folder. */
  path: string;
  result: RunResult;
  plots: Plot[];
}

/** Plots with the same name and axes in two or more runs, with all series on common axes. */
export function overlays(runs: NamedRun[]): (LinePlot | PolarPlot)[] {
  const groups = new Map<string, Member[]>();
  for (const run of runs) {
    for (const plot of run.plots) {
      if (plot.kind !== "line" && plot.kind !== "polar") continue;
      const key = axesOf(plot);
      groups.set(key, [...(groups.get(key) ?? []), { run, plot }]);
    }
  }
  return [...groups.values()].filter((group) => group.length > 1).map(merged);
}

function axesOf(plot: LinePlot | PolarPlot): string {
  const axes = plot.kind === "line" ? [plot.x.label, plot.y.label, plot.x.log, plot.y.log] : [plot.angle_label, plot.radial_label];
  return JSON.stringify([plot.kind, plot.name, axes]);
}

interface Member {
  run: NamedRun;
  plot: LinePlot | PolarPlot;
}

function merged(group: Member[]): LinePlot | PolarPlot {
  const first = group[0].plot;
  const series = group.flatMap(({ run, plot }) => plot.series.map((s) => renamed(s, run.name)));
  const titles = group.map(({ plot }) => plot.title || spoken(plot.name));
  const title = commonTitle(titles) || spoken(first.name);
  const caption = captionOf(group, titles);
  // Limits requested by one run would cut off the others.
  if (first.kind === "polar") return { ...first, title, series, caption, floor: null, top: null };
  return { ...first, title, series, caption, x: { ...first.x, range: null }, y: { ...first.y, range: null } };
}

/** The leading parts that all titles share: frequencies and angles after them are those of one run only. */
export function commonTitle(titles: string[]): string {
  const parts = titles.map((title) => title.split(", "));
  const differs = parts[0].findIndex((part, i) => parts.some((other) => other[i] !== part));
  return (differs < 0 ? parts[0] : parts[0].slice(0, differs)).join(", ");
}

/** The runs, each with its folder; with its own title where the titles differ. */
function captionOf(group: Member[], titles: string[]): string {
  const same = titles.every((title) => title === titles[0]);
  const words = group.map(({ run, plot }, i) => {
    const folder = run.path && run.path !== run.name ? `${run.name} (${run.path})` : run.name;
    return same ? folder : `${folder}: ${titles[i] || plot.name}`;
  });
  return same ? `${words.join(", ")} on one axis` : words.join("; ");
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
