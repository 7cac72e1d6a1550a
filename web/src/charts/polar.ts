/** Polar plots of levels in dB: 0 deg to the right, angles counterclockwise. */

import { FONT, quantity } from "./axes";
import { drawCurve, drawDot, type Curve } from "./curves";
import { angleOf, dialRange, nearestAngle, RINGS } from "./dial";
import { legend } from "./legend";
import { looks } from "./looks";
import { clipped } from "./map";
import { plane, type Place, type Projection } from "./plane";
import { linear } from "./ticks";
import { el } from "../dom";
import { number, withMinus } from "../format";
import { color } from "../theme";
import type { PolarPlot, Range, Series } from "../plots";

/** Angle of the ring labels: between two spokes. */
const LABEL_RAY = 75;

export function polarChart(plot: PolarPlot, signal: AbortSignal): HTMLElement {
  const range = dialRange(plot);
  const curves = plot.series.map((series) => curveOf(series, range));
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
    drawAngles(context, p);
    clipped(context, p, () => {
      drawDial(context, p, range);
      curves.forEach((curve, i) => shown[i] && drawCurve(context, p, curve, shapes[i]));
      if (at) {
        const degrees = angleOf(at);
        plot.series.forEach((series, i) => {
          const place = curves[i][nearestAngle(series.x, degrees) ?? -1];
          if (place && shown[i]) drawDot(context, p, place, shapes[i].color());
        });
      }
    });
  };
  const hover = (place: Place | null) => {
    at = place;
    if (!place) return entries.show("", plot.series.map(() => ""));
    const degrees = angleOf(place);
    const levels = plot.series.map((series) => level(series, nearestAngle(series.x, degrees)));
    entries.show(quantity(plot.angle_label, number(Number(degrees.toFixed(1)))), levels);
  };
  const home = { x: [-1.01, 1.01] as Range, y: [-1.01, 1.01] as Range };
  const margins = { left: 48, right: 48, top: 32, bottom: 32 };
  const board = plane({ label: plot.title, home, equal: true, margins, maxHeight: 720, draw, hover }, signal);
  const floor = withMinus(String(range[0]));
  const note = `${plot.radial_label} against ${plot.angle_label}; center: ${floor} and below`;
  return el("div", { class: "chart" }, entries.element, board.element, el("p", { class: "note" }, note));
}

/** Points with radius 1 at the top level; a level that is not finite is a null, at the center. */
function curveOf(series: Series, [floor, top]: Range): Curve {
  return series.x.map((angle, i) => {
    if (angle === null) return null;
    const r = (Math.min(Math.max(series.y[i] ?? floor, floor), top) - floor) / (top - floor);
    const a = (angle * Math.PI) / 180;
    return { x: r * Math.cos(a), y: r * Math.sin(a) };
  });
}

function level(series: Series, index: number | null): string {
  return index === null ? "–" : number(series.y[index], 5);
}

function drawDial(context: CanvasRenderingContext2D, p: Projection, range: Range): void {
  const scale = p.x(1) - p.x(0);
  const circle = (r: number) => {
    context.beginPath();
    context.arc(p.x(0), p.y(0), r * scale, 0, 2 * Math.PI);
    context.stroke();
  };
  const radius = (value: number) => (value - range[0]) / (range[1] - range[0]);
  const rings = linear(range, RINGS);
  context.font = FONT;
  context.textAlign = "center";
  context.lineWidth = 1;
  context.strokeStyle = color("grid");
  rings.values.forEach((value) => circle(radius(value)));
  for (let degrees = 0; degrees < 360; degrees += 30) {
    const [x, y] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    context.beginPath();
    context.moveTo(p.x(0), p.y(0));
    context.lineTo(p.x(x), p.y(y));
    context.stroke();
  }
  context.strokeStyle = color("ink");
  circle(1);
  const ray = (LABEL_RAY * Math.PI) / 180;
  rings.values.forEach((value, i) => {
    if (radius(value) < 0.05) return;
    haloed(context, rings.labels[i], p.x(radius(value) * Math.cos(ray)), p.y(radius(value) * Math.sin(ray)) + 5);
  });
}

/** Angle labels around the dial, where its edge is visible. */
function drawAngles(context: CanvasRenderingContext2D, p: Projection): void {
  context.font = FONT;
  context.textAlign = "center";
  context.fillStyle = color("ink");
  for (let degrees = 0; degrees < 360; degrees += 30) {
    const [x, y] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    if (isSeen(p, x, y)) context.fillText(`${degrees}°`, p.x(x) + 26 * x + 3, p.y(y) - 20 * y + 6);
  }
}

export function isSeen({ view }: Projection, x: number, y: number): boolean {
  return x >= view.x[0] && x <= view.x[1] && y >= view.y[0] && y <= view.y[1];
}

/** Text that is legible over lines. */
export function haloed(context: CanvasRenderingContext2D, text: string, x: number, y: number, ink = color("soft")): void {
  context.save();
  context.lineWidth = 4;
  context.strokeStyle = color("paper");
  context.fillStyle = ink;
  context.setLineDash([]);
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
  context.restore();
}
