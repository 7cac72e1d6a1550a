/** Squares at given positions, colored by a value: elements of an array, samples of a measurement. */

import { AXIS_MARGINS, BAR_ROOM, css, drawAxes, drawBar, quantity } from "./axes";
import { colorAt } from "./colors";
import { colorRange } from "./field";
import { clipped } from "./map";
import { plane, type Place, type Projection } from "./plane";
import { extent, widen } from "./scale";
import { el } from "../dom";
import { number } from "../format";
import { color } from "../theme";
import { numbers, type DotPlot, type Range } from "../plots";

export function dotChart(plot: DotPlot, signal: AbortSignal): HTMLElement {
  const values = numbers(plot.values);
  const range = colorRange(plot, extent(values));
  const half = 0.5 * plot.side;
  const around = (axis: number[]): Range => {
    const [low, high] = extent(axis) ?? [0, 1];
    return widen([low - half, high + half]);
  };
  const output = el("output", { class: "readout" }, " ");
  const draw = (context: CanvasRenderingContext2D, p: Projection) => {
    context.fillStyle = color("no-value");
    context.fillRect(p.left, p.top, p.width, p.height);
    clipped(context, p, () => {
      values.forEach((value, i) => {
        if (!Number.isFinite(value)) return;
        context.fillStyle = css(colorAt(plot.colors, (value - range[0]) / (range[1] - range[0])));
        // Whole pixels: otherwise the background would show between neighbors.
        const [left, right] = [p.x(plot.x[i] - half), p.x(plot.x[i] + half)].map(Math.round);
        const [top, bottom] = [p.y(plot.y[i] + half), p.y(plot.y[i] - half)].map(Math.round);
        context.fillRect(left, top, right - left, bottom - top);
      });
    });
    drawAxes(context, p, plot.x_label, plot.y_label);
    drawBar(context, p, { range, colors: plot.colors, label: plot.value_label });
  };
  const hover = (place: Place | null) => {
    const index = place ? squareAt(plot, place, half) : -1;
    if (index < 0) {
      output.textContent = " ";
      return;
    }
    const at = `${quantity(plot.x_label, number(plot.x[index], 4))}, ${quantity(plot.y_label, number(plot.y[index], 4))}`;
    output.textContent = `${at}: ${quantity(plot.value_label, number(values[index], 5))}`;
  };
  const home = { x: around(plot.x), y: around(plot.y) };
  const margins = { ...AXIS_MARGINS, right: BAR_ROOM };
  const board = plane({ label: plot.title, home, equal: true, margins, maxHeight: 680, draw, hover }, signal);
  return el("div", { class: "chart" }, board.element, output);
}

function squareAt(plot: DotPlot, { x, y }: Place, half: number): number {
  return plot.x.findIndex((at, i) => Math.abs(at - x) <= half && Math.abs(plot.y[i] - y) <= half);
}
