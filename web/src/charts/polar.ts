/** Polar plots: a level in dB around the circle, 0 deg to the right, angles counter-clockwise. */

import { FONT, quantity } from "./axes";
import { drawCurve, drawDot, type Curve } from "./curves";
import { legend } from "./legend";
import { looks } from "./looks";
import { clipped } from "./map";
import { plane, type Place, type Projection } from "./plane";
import { extent, widen } from "./scale";
import { linear, step } from "./ticks";
import { el } from "../dom";
import { number, withMinus } from "../format";
import { colour } from "../theme";
import type { Num, PolarPlot, Range, Series } from "../plots";

/** Depth below the top that is shown if no floor is given, in dB: the nulls of a pattern have no bottom. */
const DEPTH = 50;
const RINGS = 6;
/** Where the labels of the rings stand: between two spokes. */
const LABEL_RAY = 75;
const ROOM = 1.16;

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
  const draw = (context: CanvasRenderingContext2D, p: Projection) =>
    clipped(context, p, () => {
      drawDial(context, p, range);
      curves.forEach((curve, i) => shown[i] && drawCurve(context, p, curve, shapes[i]));
      if (at) {
        const degrees = angleOf(at);
        plot.series.forEach((series, i) => {
          const place = curves[i][nearestAngle(series.x, degrees) ?? -1];
          if (place && shown[i]) drawDot(context, p, place, shapes[i].colour());
        });
      }
    });
  const hover = (place: Place | null) => {
    at = place;
    if (!place) return entries.show("", plot.series.map(() => ""));
    const degrees = angleOf(place);
    const levels = plot.series.map((series) => level(series, nearestAngle(series.x, degrees)));
    entries.show(quantity(plot.angle_label, number(Number(degrees.toFixed(1)))), levels);
  };
  const home = { x: [-ROOM, ROOM] as Range, y: [-ROOM, ROOM] as Range };
  const margins = { left: 2, right: 2, top: 2, bottom: 2 };
  const board = plane({ label: plot.title, home, equal: true, margins, maxHeight: 720, draw, hover }, signal);
  const floor = withMinus(String(range[0]));
  const note = `${plot.radial_label} against ${plot.angle_label}; centre: ${floor} and below`;
  return el("div", { class: "chart" }, entries.element, board.element, el("p", { class: "note" }, note));
}

/** Levels at the centre and at the outer ring; what is taken from the data ends at rings. */
export function dialRange(plot: Pick<PolarPlot, "floor" | "top" | "series">): Range {
  const [low, high] = widen(extent(plot.series.flatMap((series) => series.y)) ?? [-1, 0]);
  const highest = plot.top ?? high;
  const lowest = Math.min(plot.floor ?? Math.max(low, highest - DEPTH), highest);
  const [a, b] = widen([lowest, highest]);
  const by = step([a, b], RINGS);
  return [plot.floor ?? Math.floor(a / by + 1e-9) * by, plot.top ?? Math.ceil(b / by - 1e-9) * by];
}

/** Places with radius 1 at the top level; a level that is not finite is a null, at the centre. */
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

/** Degrees of a place in 0..360. */
export function angleOf({ x, y }: Place): number {
  return ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
}

/** The sample nearest in angle; none farther away than three degrees, where a sweep does not reach. */
export function nearestAngle(angles: Num[], degrees: number): number | null {
  let best: number | null = null;
  let least = 3;
  angles.forEach((angle, i) => {
    if (angle === null) return;
    const turned = Math.abs((((angle - degrees) % 360) + 540) % 360 - 180);
    if (turned <= least) [best, least] = [i, turned];
  });
  return best;
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
  context.strokeStyle = colour("grid");
  rings.values.forEach((value) => circle(radius(value)));
  for (let degrees = 0; degrees < 360; degrees += 30) {
    const [x, y] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    context.beginPath();
    context.moveTo(p.x(0), p.y(0));
    context.lineTo(p.x(x), p.y(y));
    context.stroke();
    context.fillStyle = colour("ink");
    const out = 1 + 26 / scale;
    context.fillText(`${degrees}°`, p.x(out * x) + 3, p.y(out * y) + 6);
  }
  context.strokeStyle = colour("ink");
  circle(1);
  const ray = (LABEL_RAY * Math.PI) / 180;
  rings.values.forEach((value, i) => {
    if (radius(value) < 0.05) return;
    haloed(context, rings.labels[i], p.x(radius(value) * Math.cos(ray)), p.y(radius(value) * Math.sin(ray)) + 5);
  });
}

/** Text that stays readable over lines. */
export function haloed(context: CanvasRenderingContext2D, text: string, x: number, y: number, ink = colour("soft")): void {
  context.save();
  context.lineWidth = 4;
  context.strokeStyle = colour("paper");
  context.fillStyle = ink;
  context.setLineDash([]);
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
  context.restore();
}
