/** The legend of a chart: a button for each series that hides and shows it, with its value under the pointer. */

import { LINE_WIDTH, looks, marker } from "./looks";
import { el } from "../dom";
import { onTheme } from "../theme";
import type { Series } from "../plots";

const SAMPLE = { width: 40, height: 14 };

export interface Legend {
  element: HTMLElement;
  /** The abscissa at the pointer, and the value of each series there. */
  show(at: string, values: string[]): void;
}

export function legend(series: Series[], toggled: (index: number, shown: boolean) => void, signal: AbortSignal): Legend {
  const shapes = looks(series);
  const outputs = series.map(() => el("span", { class: "value" }));
  const place = el("span", { class: "place" }, " ");
  const samples = shapes.map(() => el("canvas", { "aria-hidden": "true" }));
  const paint = () => samples.forEach((canvas, i) => sample(canvas, shapes[i]));
  onTheme(paint, signal);
  paint();
  const entry = (s: Series, i: number) =>
    el(
      "button",
      {
        type: "button",
        class: "series",
        "aria-pressed": "true",
        title: "Hide or show this series",
        onclick: (event: MouseEvent) => {
          const button = event.currentTarget as HTMLElement;
          const shown = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(shown));
          toggled(i, shown);
        },
      },
      samples[i],
      el("span", { class: "name" }, s.label || "value"),
      outputs[i],
    );
  return {
    element: el("div", { class: "legend" }, ...series.map(entry), place),
    show(at, values) {
      place.textContent = at || " ";
      values.forEach((value, i) => (outputs[i].textContent = value));
    },
  };
}

function sample(canvas: HTMLCanvasElement, look: ReturnType<typeof looks>[number]): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = SAMPLE.width * ratio;
  canvas.height = SAMPLE.height * ratio;
  canvas.style.width = `${SAMPLE.width}px`;
  canvas.style.height = `${SAMPLE.height}px`;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  context.strokeStyle = look.color();
  context.lineWidth = LINE_WIDTH + 0.4;
  context.setLineDash(look.dash);
  context.beginPath();
  if (look.marker === null) {
    context.moveTo(0, SAMPLE.height / 2);
    context.lineTo(SAMPLE.width, SAMPLE.height / 2);
  } else {
    marker(context, SAMPLE.width / 2, SAMPLE.height / 2, look.marker, 4);
  }
  context.stroke();
}
