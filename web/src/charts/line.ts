/** Line plots: drag to zoom, double-click to reset; the legend shows the values at the pointer. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { align, nearestWithValue } from "./align";
import { FONT, quantity } from "./axes";
import { legend, type Legend } from "./legend";
import { LINE_WIDTH, looks, marker, type Look } from "./looks";
import { extent, rangeOf } from "./scale";
import { isDegrees, linear, logarithmic, step, type Ticks } from "./ticks";
import { el } from "../dom";
import { number } from "../format";
import { color, onTheme } from "../theme";
import type { Axis, LinePlot, Num, Range, Series } from "../plots";

const SHAPE = 0.56;
const TALLEST = 560;
const ZOOM = 1.25;
/** Width of a letter, and height below the vertical axis, in pixels. */
const LETTER = 8.6;
const BELOW = 70;
/** Maximum number of points drawn with shaped markers. */
const MANY_POINTS = 1000;
const HELP =
  "Drag to zoom, double click for the whole. Keys: left and right move the cursor, + and − zoom around it, 0 shows the whole.";

type Side = "x" | "y";

export interface LineChart {
  element: HTMLElement;
  /** New data for the same series; the zoom is preserved. */
  update(series: Series[]): void;
}

export function lineChart(plot: LinePlot, signal: AbortSignal): LineChart {
  const holder = el("div", { class: "line", tabindex: 0, role: "img", "aria-label": `${plot.title}. ${HELP}` });
  const entries = legend(plot.series, (i, shown) => chart.setSeries(i + 1, { show: shown }), signal);
  let home = wholeOf(plot, plot.series);
  const chart = new uPlot(options(plot, () => home, entries), aligned(plot, plot.series), holder);
  setView(chart, home);
  const observer = new ResizeObserver(() => chart.setSize(size(holder, plot)));
  observer.observe(holder);
  onTheme(() => chart.redraw(), signal);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    chart.destroy();
  });
  holder.addEventListener("keydown", (event) => key(chart, home, event));
  return {
    element: el("div", { class: "chart" }, entries.element, holder),
    update(series) {
      const follows = (side: Side) => chart.scales[side].min === home[side][0] && chart.scales[side].max === home[side][1];
      const all = follows("x") && follows("y");
      home = wholeOf(plot, series);
      chart.setData(aligned(plot, series), false);
      if (all) setView(chart, home);
      else chart.redraw();
    },
  };
}

function setView(chart: uPlot, view: Record<Side, Range>): void {
  chart.batch(() => {
    for (const side of ["x", "y"] as const) chart.setScale(side, { min: view[side][0], max: view[side][1] });
  });
}

/** Height in proportion to the width, but at least the length of the vertical label. */
function size(holder: HTMLElement, plot: LinePlot): { width: number; height: number } {
  const width = Math.max(holder.clientWidth, 200);
  const lowest = Math.max(280, LETTER * plot.y.label.length + BELOW);
  return { width, height: Math.round(Math.max(Math.min(SHAPE * width, TALLEST), lowest)) };
}

function aligned(plot: LinePlot, series: Series[]): uPlot.AlignedData {
  const fits = (x: Num, y: Num) => y !== null && (!plot.y.log || y > 0) && (!plot.x.log || (x ?? 0) > 0);
  return align(series, fits) as uPlot.AlignedData;
}

/** The requested ranges, else those of the data; a vertical range from the data is rounded to ticks. */
function wholeOf(plot: LinePlot, series: Series[]): Record<Side, Range> {
  const of = (axis: Axis, side: Side) => rangeOf(axis.range, extent(series.flatMap((s) => s[side]), axis.log), axis.log);
  const y = of(plot.y, "y");
  return { x: of(plot.x, "x"), y: plot.y.range ? y : rounded(y, plot.y) };
}

function rounded(range: Range, axis: Axis): Range {
  if (axis.log) return [10 ** Math.floor(Math.log10(range[0])), 10 ** Math.ceil(Math.log10(range[1]))];
  const by = step(range, 8, isDegrees(axis.label));
  return [Math.floor(range[0] / by + 1e-9) * by, Math.ceil(range[1] / by - 1e-9) * by];
}

function options(plot: LinePlot, home: () => Record<Side, Range>, entries: Legend): uPlot.Options {
  const shapes = looks(plot.series);
  // uPlot requests the x range with the values that were set, and the y range with the extent of
  // the data in view: y is kept, since zooming along x would otherwise change it.
  const asSet = (_: uPlot, min: number, max: number): uPlot.Range.MinMax => (min === null ? home().x : [min, max]);
  const kept = (u: uPlot): uPlot.Range.MinMax => {
    const { min, max } = u.scales.y;
    return min === undefined || min === null || max === undefined ? home().y : [min, max];
  };
  const scale = (axis: Axis, range: uPlot.Scale["range"]): uPlot.Scale => ({ time: false, distr: axis.log ? 3 : 1, range });
  return {
    width: 800,
    height: 450,
    scales: { x: scale(plot.x, asSet), y: scale(plot.y, kept) },
    axes: [axisOptions(plot.x, "x"), axisOptions(plot.y, "y")],
    series: [{}, ...plot.series.map((s, i) => seriesOptions(s, shapes[i]))],
    legend: { show: false },
    cursor: {
      drag: { x: true, y: true, uni: 24 },
      bind: { dblclick: (u) => () => (setView(u, home()), null) },
      // A series without a sample under the pointer shows its nearest one.
      dataIdx: (u, i, index) => (i === 0 ? index : (nearestWithValue(u.data[i], u.data[0], index) ?? index)),
      points: { size: 9, width: 2, fill: () => color("paper") },
    },
    hooks: { setCursor: [(u) => readOut(u, plot, entries)] },
  };
}

function ticksOf(axis: Axis, side: Side, range: Range, pixels: number): Ticks {
  const most = Math.min(Math.max(Math.floor(pixels / (side === "x" ? 75 : 48)), 1), side === "x" ? 12 : 9);
  return axis.log ? logarithmic(range, most) : linear(range, most, isDegrees(axis.label));
}

function axisOptions(axis: Axis, side: Side): uPlot.Axis {
  const ticks = (u: uPlot) => {
    const { min, max } = u.scales[side];
    const pixels = (side === "x" ? u.bbox.width : u.bbox.height) / devicePixelRatio;
    return ticksOf(axis, side, [min ?? 0, max ?? 1], pixels);
  };
  const line = { stroke: () => color("ink"), width: 1.1 };
  return {
    scale: side,
    stroke: () => color("ink"),
    font: FONT,
    labelFont: FONT,
    labelSize: 28,
    label: (u) => [axis.label, ticks(u).factor].join("  "),
    grid: { stroke: () => color("grid"), width: 1 },
    ticks: { ...line, size: 5 },
    border: { ...line, show: true },
    splits: (u) => ticks(u).values,
    filter: (_, splits) => splits,
    values: (u, splits) => {
      const { values, labels } = ticks(u);
      return splits.map((split) => labels[values.indexOf(split)] ?? "");
    },
    size: side === "x" ? 36 : (_, values) => 20 + 9.5 * Math.max(2, ...(values ?? []).map((v) => String(v).length)),
  };
}

function seriesOptions(series: Series, look: Look): uPlot.Series {
  const shape = look.marker;
  const base = { label: series.label, stroke: () => look.color(), width: LINE_WIDTH, dash: look.dash };
  if (shape === null) return { ...base, points: { show: series.x.length === 1 } };
  const small = series.x.length > MANY_POINTS;
  return {
    ...base,
    paths: () => null,
    points: {
      show: true,
      width: 1.5,
      paths: (u, index, from, to) => {
        const path = new Path2D();
        const y = u.data[index];
        for (let i = from; i <= to; i += 1) {
          const value = y[i];
          if (value === null || value === undefined) continue;
          const [px, py] = [u.valToPos(u.data[0][i], "x", true), u.valToPos(value, "y", true)];
          marker(path, px, py, small ? 0 : shape, (small ? 1.2 : 3.6) * devicePixelRatio);
        }
        return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 0 };
      },
    },
  };
}

function readOut(u: uPlot, plot: LinePlot, entries: Legend): void {
  const { idx, idxs } = u.cursor;
  if (idx === null || idx === undefined || !idxs) {
    entries.show("", plot.series.map(() => ""));
    return;
  }
  const value = (_: Series, i: number) => number(u.data[i + 1][idxs[i + 1] ?? idx], 6);
  entries.show(quantity(plot.x.label, number(u.data[0][idx], 6)), plot.series.map(value));
}

function key(u: uPlot, home: Record<Side, Range>, event: KeyboardEvent): void {
  const last = u.data[0].length - 1;
  const index = u.cursor.idx ?? null;
  const move = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
  if (move !== undefined) {
    const next = index === null ? 0 : Math.min(Math.max(index + move, 0), last);
    u.setCursor({ left: u.valToPos(u.data[0][next], "x"), top: u.bbox.height / devicePixelRatio / 2 });
  } else if (event.key === "+" || event.key === "=" || event.key === "-") {
    const { min, max } = u.scales.x;
    if (min === undefined || max === undefined) return;
    const at = index === null ? 0.5 * (min + max) : u.data[0][index];
    const factor = event.key === "-" ? ZOOM : 1 / ZOOM;
    u.setScale("x", { min: at + (min - at) * factor, max: at + (max - at) * factor });
  } else if (event.key === "0") setView(u, home);
  else if (event.key === "Escape") u.setCursor({ left: -10, top: -10 });
  else return;
  event.preventDefault();
}
