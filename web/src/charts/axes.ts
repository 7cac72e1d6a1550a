/** Axes with ticks and labels around an area of a canvas, and the color bar beside it. */

import { type Rgb, colorAt, intervals } from "./colors";
import { linear, isDegrees, type Ticks } from "./ticks";
import { color } from "../theme";
import type { ColorName, Range } from "../plots";
import type { Projection } from "./plane";

export const FONT = "16px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/** Margins of an area with axes, with or without a color bar. */
export const AXIS_MARGINS = { left: 84, right: 16, top: 24, bottom: 58 };
export const BAR_ROOM = 112;
const BAR_WIDTH = 20;
const BAR_GAP = 18;

/** Frame, ticks and labels; tick labels do not overlap. */
export function drawAxes(context: CanvasRenderingContext2D, p: Projection, xLabel: string, yLabel: string): void {
  const ink = color("ink");
  context.save();
  context.font = FONT;
  context.fillStyle = ink;
  context.strokeStyle = ink;
  context.lineWidth = 1.1;
  context.strokeRect(p.left, p.top, p.width, p.height);
  const bottom = p.top + p.height;
  const xTicks = horizontalTicks(context, p.view.x, xLabel, p.width);
  context.textAlign = "center";
  xTicks.values.forEach((value, i) => {
    tick(context, p.x(value), bottom, 0, 5);
    context.fillText(xTicks.labels[i], p.x(value), bottom + 22);
  });
  const yTicks = linear(p.view.y, verticalMost(p.height), isDegrees(yLabel));
  context.textAlign = "right";
  yTicks.values.forEach((value, i) => {
    tick(context, p.left - 5, p.y(value), 5, 0);
    context.fillText(yTicks.labels[i], p.left - 9, p.y(value) + 5);
  });
  context.textAlign = "center";
  context.fillText(withFactor(xLabel, xTicks), p.left + 0.5 * p.width, bottom + 48, p.width + 60);
  upward(context, withFactor(yLabel, yTicks), p.left - 62, p.top + 0.5 * p.height, p.height + 40);
  context.restore();
}

/** Maximum number of intervals of a vertical axis: one line per label. */
function verticalMost(height: number): number {
  return Math.min(Math.max(Math.floor(height / 36), 1), 9);
}

function horizontalTicks(context: CanvasRenderingContext2D, range: Range, label: string, width: number): Ticks {
  const degrees = isDegrees(label);
  for (let most = Math.min(Math.max(Math.floor(width / 60), 1), 12); most > 1; most -= 1) {
    const ticks = linear(range, most, degrees);
    const widest = Math.max(0, ...ticks.labels.map((text) => context.measureText(text).width));
    if (1.4 * widest * ticks.labels.length <= width) return ticks;
  }
  return linear(range, 1, degrees);
}

function withFactor(label: string, ticks: Ticks): string {
  return ticks.factor ? `${label}  ${ticks.factor}` : label;
}

function tick(context: CanvasRenderingContext2D, x: number, y: number, dx: number, dy: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + dx, y + dy);
  context.stroke();
}

function upward(context: CanvasRenderingContext2D, text: string, x: number, y: number, room: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(text, 0, 0, room);
  context.restore();
}

export interface Bar {
  range: Range;
  colors: ColorName;
  label: string;
}

/** The color bar to the right of an area. */
export function drawBar(
  context: CanvasRenderingContext2D,
  area: Pick<Projection, "left" | "top" | "width" | "height">,
  bar: Bar,
): void {
  const { range, colors, label } = bar;
  const left = area.left + area.width + BAR_GAP;
  const at = (value: number) => area.top + area.height * (1 - (value - range[0]) / (range[1] - range[0]));
  context.save();
  context.font = FONT;
  context.fillStyle = gradient(context, colors, area.top + area.height, area.top);
  context.fillRect(left, area.top, BAR_WIDTH, area.height);
  context.fillStyle = color("ink");
  context.strokeStyle = color("ink");
  context.lineWidth = 1.1;
  context.strokeRect(left, area.top, BAR_WIDTH, area.height);
  const ticks = linear(range, verticalMost(area.height), isDegrees(label));
  context.textAlign = "left";
  ticks.values.forEach((value, i) => {
    tick(context, left + BAR_WIDTH, at(value), 5, 0);
    context.fillText(ticks.labels[i], left + BAR_WIDTH + 8, at(value) + 5);
  });
  // The label may extend beyond both ends of the bar, but not beyond the canvas.
  const room = area.height + 2 * Math.min(20, area.top);
  upward(context, withFactor(label, ticks), left + BAR_WIDTH + 66, area.top + 0.5 * area.height, room);
  context.restore();
}

/** The colors from one height to another. */
function gradient(context: CanvasRenderingContext2D, colors: ColorName, from: number, to: number): CanvasGradient {
  const whole = context.createLinearGradient(0, from, 0, to);
  const count = intervals(colors);
  for (let i = 0; i <= count; i += 1) whole.addColorStop(i / count, css(colorAt(colors, i / count)));
  return whole;
}

export function css([r, g, b]: Rgb): string {
  return `rgb(${r} ${g} ${b})`;
}

/** A value with the name and unit of its axis: `x (m)` and 0.5 make `x 0.5 m`. */
export function quantity(label: string, value: string): string {
  const parts = /^(.*?)\s*\(([^()]*)\)\s*$/.exec(label);
  return parts ? `${parts[1]} ${value} ${parts[2]}` : `${label} ${value}`;
}
