/** Scalar series of a live run, such as residual or energy, as growing line plots. */

import { lineChart, type LineChart } from "./charts/line";
import { isWide } from "./charts/scale";
import { el } from "./dom";
import { spoken } from "./format";
import type { Num, Series } from "./plots";

/** Minimum interval between redraws: a solver may report thousands of points per second. */
const REDRAW_MS = 100;

export interface Curves {
  element: HTMLElement;
  set(series: string, xLabel: string, x: Num[], value: Num[]): void;
  add(series: string, xLabel: string, x: Num, value: Num): void;
}

interface Curve {
  xLabel: string;
  x: Num[];
  y: Num[];
  holder: HTMLElement;
  chart: LineChart | null;
  log: boolean;
  /** Destroys the chart when a logarithmic one replaces it. */
  life: AbortController;
  isStale: boolean;
}

export function curves(signal: AbortSignal): Curves {
  const all = new Map<string, Curve>();
  const element = el("div", { class: "figures" });
  const curve = (name: string, xLabel: string): Curve => {
    const known = all.get(name);
    if (known) return known;
    const holder = el("div", { class: "card" });
    element.append(el("figure", { "data-series": name }, el("h3", {}, spoken(name)), holder));
    const fresh = { xLabel, x: [], y: [], holder, chart: null, log: false, life: new AbortController(), isStale: true };
    all.set(name, fresh);
    return fresh;
  };
  const timer = window.setInterval(() => {
    for (const [name, c] of all) if (c.isStale) redraw(name, c);
  }, REDRAW_MS);
  signal.addEventListener("abort", () => {
    window.clearInterval(timer);
    for (const c of all.values()) c.life.abort();
  });
  return {
    element,
    set: (series, xLabel, x, value) => Object.assign(curve(series, xLabel), { x: [...x], y: [...value], isStale: true }),
    add(series, xLabel, x, value) {
      const c = curve(series, xLabel);
      c.x.push(x);
      c.y.push(value);
      c.isStale = true;
    },
  };
}

function redraw(name: string, c: Curve): void {
  c.isStale = false;
  const label = spoken(name);
  const series: Series[] = [{ label, x: c.x, y: c.y, style: "solid" }];
  const log = isWide(c.y);
  if (c.chart && log === c.log) return c.chart.update(series);
  c.life.abort();
  c.life = new AbortController();
  c.log = log;
  const axis = (label: string, logarithmic: boolean) => ({ label, range: null, log: logarithmic });
  c.chart = lineChart(
    { kind: "line", name, title: label, caption: "", x: axis(c.xLabel, false), y: axis(label, log), series },
    c.life.signal,
  );
  c.holder.replaceChildren(c.chart.element);
}
