/** Live maps: the frames of one name on a canvas, color scale, pause, and the spectrum at a point. */

import { lineChart, type LineChart } from "./charts/line";
import { mapView, NO_OVERLAY, type MapView } from "./charts/map";
import { quantity } from "./charts/axes";
import { el } from "./dom";
import { number } from "./format";
import { hertz, ordered, spaced, type Frame } from "./frames";
import { LevelScale, type ScaleMode } from "./levels";
import type { Series } from "./plots";

const SPECTRUM_MS = 100;
const RATE_MS = 1000;

export interface Hologram {
  element: HTMLElement;
  frame(frame: Frame): void;
  togglePause(): void;
}

export function hologram(signal: AbortSignal): Hologram {
  return new LiveMap(signal);
}

class LiveMap implements Hologram {
  readonly element: HTMLElement;
  private readonly latest = new Map<string, Frame>();
  /** The frames shown: the latest ones, or those at the time of the pause. */
  private shown: Map<string, Frame> = this.latest;
  private readonly choice = el("select", { id: "frame-name", onchange: () => this.chosen() });
  private readonly pauseButton = el("button", { type: "button", onclick: () => this.togglePause(), "aria-keyshortcuts": "Space" }, "Pause");
  private readonly rate = el("output", { class: "rate", "aria-live": "off" }, "0 frames/s");
  private readonly mapHolder = el("div", { class: "card" });
  private readonly spectrumHolder = el("div", { class: "card spectrum" }, el("p", { class: "note" }, HINT));
  private readonly scale = new LevelScale();
  private map: MapView | null = null;
  private grid = "";
  private drawn = { name: "", number: -1, at: 0 };
  private drawnCount = 0;
  private place: [number, number] | null = null;
  private spectrum: { chart: LineChart; life: AbortController; key: string } | null = null;

  constructor(private readonly signal: AbortSignal) {
    this.element = el(
      "section",
      { class: "hologram" },
      el("h2", {}, "Live map"),
      el("div", { class: "controls" }, el("label", { for: "frame-name" }, "Map"), this.choice, this.pauseButton, ...this.scaleControls(), this.rate),
      el("div", { class: "side-by-side" }, this.mapHolder, this.spectrumHolder),
    );
    this.animate();
    const timers = [
      window.setInterval(() => this.drawSpectrum(), SPECTRUM_MS),
      window.setInterval(() => this.tellRate(), RATE_MS),
    ];
    signal.addEventListener("abort", () => {
      timers.forEach((timer) => window.clearInterval(timer));
      this.spectrum?.life.abort();
    });
  }

  frame(frame: Frame): void {
    const isNew = !this.latest.has(frame.name);
    this.latest.set(frame.name, frame);
    if (isNew) this.listNames();
  }

  togglePause(): void {
    const paused = this.shown !== this.latest;
    this.shown = paused ? this.latest : new Map(this.latest);
    this.pauseButton.textContent = paused ? "Pause" : "Resume";
    this.element.classList.toggle("paused", !paused);
  }

  private scaleControls(): HTMLElement[] {
    const end = (label: string, value: number) =>
      el("input", { type: "number", step: 1, value, "aria-label": label, disabled: true, oninput: () => changed() });
    const [from, to] = [end("Colors from", this.scale.fixed[0]), end("Colors to", this.scale.fixed[1])];
    const changed = () => {
      this.scale.mode = mode.value as ScaleMode;
      this.scale.restart();
      from.disabled = to.disabled = mode.value !== "fixed";
      // While a number is being typed, the two may not form a valid range.
      if (from.valueAsNumber < to.valueAsNumber) this.scale.fixed = [from.valueAsNumber, to.valueAsNumber];
      this.drawn.number = -1;
    };
    const mode = el(
      "select",
      { id: "scale-mode", onchange: changed },
      el("option", { value: "hold" }, "hold the extremes"),
      el("option", { value: "follow" }, "follow the level"),
      el("option", { value: "fixed" }, "fixed"),
    );
    return [el("label", { for: "scale-mode" }, "Colors"), mode, from, el("span", {}, "to"), to];
  }

  private listNames(): void {
    const chosen = this.choice.value;
    const names = ordered([...this.latest.keys()]);
    this.choice.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
    this.choice.value = names.includes(chosen) ? chosen : names[0];
  }

  private chosen(): void {
    this.scale.restart();
    this.drawn.number = -1;
  }

  private animate(): void {
    if (this.signal.aborted) return;
    requestAnimationFrame(() => {
      this.draw();
      this.animate();
    });
  }

  private draw(): void {
    const frame = this.shown.get(this.choice.value);
    if (!frame || (frame.name === this.drawn.name && frame.number === this.drawn.number)) return;
    const map = this.mapFor(frame);
    const now = performance.now();
    map.setRange(this.scale.next(frame.values, isLevel(frame), (now - this.drawn.at) / 1000));
    map.setValues(frame.values);
    this.drawn = { name: frame.name, number: frame.number, at: now };
    this.drawnCount += 1;
  }

  /** The map for frames of this grid; a different grid needs a new one. */
  private mapFor(frame: Frame): MapView {
    const key = JSON.stringify([frame.rows, frame.cols, frame.x, frame.y, frame.x_label, frame.y_label, frame.value_label]);
    if (this.map && key === this.grid) return this.map;
    this.grid = key;
    this.place = null;
    const field = {
      ...NO_OVERLAY,
      title: `Live map of ${frame.value_label}`,
      x_label: frame.x_label, y_label: frame.y_label, value_label: frame.value_label,
      x: spaced(frame.x, frame.cols), y: spaced(frame.y, frame.rows),
      colors: "sequential" as const,
    };
    const click = (row: number, column: number) => {
      this.place = [row, column];
      this.drawSpectrum();
      map.redraw();
    };
    const map = mapView(field, { range: [0, 1], bar: true, maxHeight: 560, click, mark: () => this.place }, this.signal);
    this.map = map;
    this.mapHolder.replaceChildren(map.element);
    return map;
  }

  private tellRate(): void {
    const paused = this.shown !== this.latest;
    this.rate.textContent = paused ? "paused" : `${this.drawnCount} frames/s`;
    this.drawnCount = 0;
  }

  /** Level against frequency at the selected point, over all frames whose names are frequencies. */
  private drawSpectrum(): void {
    const frame = this.shown.get(this.choice.value);
    if (!this.place || !frame) return;
    const [row, column] = this.place;
    const names = ordered([...this.shown.keys()]).filter((name) => hertz(name) !== null);
    const value = (name: string) => this.shown.get(name)?.values[row * frame.cols + column] ?? null;
    const x = names.map((name) => hertz(name) as number);
    const y = names.map(value).map((level) => (level !== null && Number.isFinite(level) ? level : null));
    const series: Series[] = [
      { label: "level", x, y, style: "solid" },
      { label: "measured frequencies", x, y, style: "points" },
    ];
    const key = JSON.stringify([this.place, names]);
    if (this.spectrum?.key === key) return this.spectrum.chart.update(series);
    this.spectrum?.life.abort();
    const life = new AbortController();
    const plot = {
      kind: "line" as const, name: "spectrum", title: "Spectrum at a point", caption: "",
      x: { label: "frequency (Hz)", range: null, log: x.length > 2 && x[x.length - 1] > 20 * x[0] },
      y: { label: frame.value_label, range: null, log: false },
      series,
    };
    this.spectrum = { chart: lineChart(plot, life.signal), life, key };
    const at = (label: string, [first, last]: [number, number], count: number, index: number) =>
      quantity(label, number(spaced([first, last], count)[index], 4));
    const where = `${at(frame.x_label, frame.x, frame.cols, column)}, ${at(frame.y_label, frame.y, frame.rows, row)}`;
    this.spectrumHolder.replaceChildren(el("h3", {}, `Spectrum at ${where}`), this.spectrum.chart.element);
  }
}

const HINT = "Click a place of the map for its spectrum; by keyboard: move the crosshair with the arrows, then Enter.";

function isLevel(frame: Frame): boolean {
  return frame.value_label.includes("dB");
}
