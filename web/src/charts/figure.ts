/** A plot of any kind as a figure with title, chart and caption. 3-D drawing is loaded on first use. */

import { dotChart } from "./dots";
import { lineChart } from "./line";
import { mapChart } from "./map";
import { movieChart } from "./movie";
import { panelChart } from "./panels";
import { polarChart } from "./polar";
import { smithChart } from "./smith";
import { fileUrl } from "../api";
import { el } from "../dom";
import type { Plot } from "../plots";

/** Kinds that take the whole width. */
const WIDE: Plot["kind"][] = ["panels", "mesh"];

/** `run` has the static plot, for when the interactive one cannot be drawn; a plot of several runs has none. */
export function figure(run: string | null, plot: Plot, signal: AbortSignal): HTMLElement {
  const holder = el("div", { class: "card" });
  const enlarge = el("button", { type: "button", "aria-pressed": "false", title: "Full width", onclick: () => {
    enlarge.setAttribute("aria-pressed", String(element.classList.toggle("large")));
  } }, "Enlarge");
  const element = el(
    "figure",
    { id: `plot-${plot.name}`, "data-kind": plot.kind },
    el("div", { class: "figure-head" }, el("h3", {}, plot.title || plot.name), WIDE.includes(plot.kind) ? null : enlarge),
    holder,
    isEmpty(plot) ? el("p", { class: "note" }, "This plot has no data.") : null,
    plot.caption ? el("figcaption", {}, plot.caption) : null,
  );
  const show = () =>
    draw(plot, signal).then(
      (chart) => holder.replaceChildren(chart),
      (error: Error) =>
        holder.replaceChildren(
          run === null ? el("p", { class: "note" }, `This plot cannot be drawn: ${error.message}`) : printed(run, plot.name, plot.title, error.message),
        ),
    );
  whenNear(element, show, signal);
  return element;
}

/** Whether the axes would be empty. */
function isEmpty(plot: Plot): boolean {
  return "series" in plot && !plot.series.some((series) => series.y.some((y) => y !== null));
}

/** Calls back once the element is near the viewport: a run may have dozens of plots, and a browser has few 3-D contexts. */
function whenNear(element: HTMLElement, callback: () => void, signal: AbortSignal): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      callback();
    },
    { rootMargin: "500px" },
  );
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}

async function draw(plot: Plot, signal: AbortSignal): Promise<HTMLElement> {
  switch (plot.kind) {
    case "line":
      return lineChart(plot, signal).element;
    case "polar":
      return polarChart(plot, signal);
    case "smith":
      return smithChart(plot, signal);
    case "map":
      return mapChart(plot, signal);
    case "movie":
      return movieChart(plot, signal);
    case "panels":
      return panelChart(plot, signal);
    case "dots":
      return dotChart(plot, signal);
    case "body":
      return (await import("./body")).bodyChart(plot, signal);
    case "pattern":
      return (await import("./pattern")).patternChart(plot, signal);
    case "mesh":
      return (await import("./mesh")).meshChart(plot, signal);
    default:
      throw new Error(`This page does not know plots of the kind "${(plot as { kind: string }).kind}".`);
  }
}

/** The static plot, where this page cannot draw an interactive one. */
export function printed(run: string, name: string, title: string, reason: string): HTMLElement {
  return el(
    "div",
    { class: "printed" },
    reason ? el("p", { class: "note" }, `Shown as printed: ${reason}`) : null,
    el("img", { src: fileUrl(run, `${name}.svg`), alt: title || name, loading: "lazy" }),
  );
}
