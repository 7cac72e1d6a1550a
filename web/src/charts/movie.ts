/** A field over time: play, pause, slider, and the time of the frame. */

import { colorRange, seen } from "./field";
import { mapView, NO_OVERLAY } from "./map";
import { extent } from "./scale";
import { el } from "../dom";
import { timeText } from "../format";
import { numbers, type MoviePlot } from "../plots";

/** Playback rate, frames per second. */
const RATE = 20;

export function movieChart(plot: MoviePlot, signal: AbortSignal): HTMLElement {
  const frames = plot.frames.map(numbers);
  const field = { ...NO_OVERLAY, ...plot };
  const ends = frames.flatMap((frame) => extent(seen(field, frame)) ?? []);
  const view = mapView(field, { range: colorRange(plot, extent(ends)), bar: true }, signal);
  const last = frames.length - 1;
  let at = 0;
  let timer: number | undefined;
  const time = el("output", { class: "time" });
  const slider = el("input", {
    type: "range", min: 0, max: last, value: 0, step: 1, "aria-label": "Time", oninput: () => show(Number(slider.value)),
  });
  const button = el("button", { type: "button", onclick: () => (timer === undefined ? play() : pause()) }, "Play");
  const show = (index: number) => {
    at = index;
    slider.value = String(index);
    const text = timeText(plot.times_s[index]);
    slider.setAttribute("aria-valuetext", text);
    time.textContent = `${text}  (${index + 1} of ${frames.length})`;
    view.setValues(frames[index]);
  };
  const play = () => {
    button.textContent = "Pause";
    timer = window.setInterval(() => show(at === last ? 0 : at + 1), 1000 / RATE);
  };
  const pause = () => {
    button.textContent = "Play";
    window.clearInterval(timer);
    timer = undefined;
  };
  signal.addEventListener("abort", pause);
  if (frames.length === 0) return el("p", { class: "note" }, "The run saved no frames.");
  show(0);
  return el("div", { class: "chart movie" }, view.element, el("div", { class: "controls" }, button, slider, time));
}
