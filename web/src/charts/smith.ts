/** Smith charts: reflection coefficients in the complex plane, over circles of constant resistance and reactance. */

import { FONT } from "./axes";
import { drawCurve, drawDot, nearestSample, type Curve } from "./curves";
import { legend } from "./legend";
import { looks } from "./looks";
import { clipped } from "./map";
import { plane, type Place, type Projection } from "./plane";
import { haloed, isSeen } from "./polar";
import { describe, onArc } from "./reflection";
import { el } from "../dom";
import { color } from "../theme";
import type { Range, SmithPlot } from "../plots";

/** Normalized resistances and reactances of the grid lines. */
const VALUES = [0.2, 0.5, 1, 2, 5];
const PIECES = 64;

export function smithChart(plot: SmithPlot, signal: AbortSignal): HTMLElement {
  const curves: Curve[] = plot.series.map(({ x, y }) =>
    x.map((re, i) => (re === null || y[i] === null ? null : { x: re, y: y[i] as number })),
  );
  const shapes = looks(plot.series);
  const shown = plot.series.map(() => true);
  let at: Place | null = null;
  const entries = legend(
    plot.series,
    (i, show) => {
      shown[i] = show;
      board.redraw();
    },
    signal,
  );
  const draw = (context: CanvasRenderingContext2D, p: Projection) => {
    drawRim(context, p);
    clipped(context, p, () => {
      drawGrid(context, p);
      curves.forEach((curve, i) => {
        if (!shown[i]) return;
        drawCurve(context, p, curve, shapes[i]);
        const start = curve.find((place) => place !== null);
        if (start && shapes[i].marker === null) drawDot(context, p, start, shapes[i].color(), 4.5);
        const near = at && curve[nearestSample(curve, at) ?? -1];
        if (near) drawDot(context, p, near, shapes[i].color(), 6);
      });
      for (const mark of plot.marks) {
        drawDot(context, p, { x: mark.at[0], y: mark.at[1] }, color("ink"), 4.5);
        haloed(context, mark.label, p.x(mark.at[0]), p.y(mark.at[1]) - 12, color("ink"));
      }
    });
  };
  const hover = (place: Place | null) => {
    at = place;
    if (!place) return entries.show("", plot.series.map(() => ""));
    entries.show("", curves.map((curve) => describe(curve[nearestSample(curve, place) ?? -1] ?? null)));
  };
  const home = { x: [-1.01, 1.01] as Range, y: [-1.01, 1.01] as Range };
  const margins = { left: 48, right: 48, top: 32, bottom: 32 };
  const board = plane({ label: plot.title, home, equal: true, margins, maxHeight: 720, draw, hover }, signal);
  const note = [plot.label, "a dot is where a curve starts"].filter((text) => text !== "").join("; ");
  return el("div", { class: "chart" }, entries.element, board.element, el("p", { class: "note" }, note));
}

function drawGrid(context: CanvasRenderingContext2D, p: Projection): void {
  const scale = p.x(1) - p.x(0);
  const circle = (x: number, r: number) => {
    context.beginPath();
    context.arc(p.x(x), p.y(0), r * scale, 0, 2 * Math.PI);
    context.stroke();
  };
  context.font = FONT;
  context.textAlign = "center";
  context.lineWidth = 1;
  context.strokeStyle = color("smith-grid");
  for (const r of VALUES) circle(r / (1 + r), 1 / (1 + r));
  for (const x of VALUES.flatMap((value) => [value, -value])) {
    context.beginPath();
    for (let i = 0; i <= PIECES; i += 1) {
      const { x: re, y: im } = onArc(x, i / PIECES);
      if (i === 0) context.moveTo(p.x(re), p.y(im));
      else context.lineTo(p.x(re), p.y(im));
    }
    context.stroke();
  }
  context.beginPath();
  context.moveTo(p.x(-1), p.y(0));
  context.lineTo(p.x(1), p.y(0));
  context.stroke();
  context.strokeStyle = color("ink");
  circle(0, 1);
  for (const r of VALUES) haloed(context, String(r), p.x((r - 1) / (r + 1)) + 14, p.y(0) - 6);
}

/** Reactance labels around the chart, where its edge is visible. */
function drawRim(context: CanvasRenderingContext2D, p: Projection): void {
  context.font = FONT;
  context.textAlign = "center";
  context.fillStyle = color("soft");
  const ends: [Place, string][] = [[{ x: -1, y: 0 }, "0"], [{ x: 1, y: 0 }, "∞"]];
  const reactances = VALUES.flatMap((value): [Place, string][] => [[onArc(value, 0), `+j${value}`], [onArc(-value, 0), `−j${value}`]]);
  for (const [{ x, y }, text] of [...ends, ...reactances]) {
    if (isSeen(p, x, y)) context.fillText(text, p.x(x) + 24 * x, p.y(y) - 18 * y + 5);
  }
}
