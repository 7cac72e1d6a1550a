/** Maps: a field over the plane in colors, with lines and outlines over it. */

import { AXIS_MARGINS, BAR_ROOM, FONT, drawAxes, drawBar, quantity } from "./axes";
import { palette } from "./colors";
import { contour } from "./contour";
import { colorRange, seen } from "./field";
import { plane, type Place, type Plane, type Projection, type View } from "./plane";
import { halfTurn, nearest, raster, side } from "./raster";
import { extent } from "./scale";
import { el } from "../dom";
import { number, withMinus } from "../format";
import { color } from "../theme";
import { numbers, type Colored, type MapPlot, type Overlay, type Range } from "../plots";

export type Field = Pick<Colored, "title" | "x_label" | "y_label" | "value_label" | "x" | "y" | "colors"> & Overlay;

export interface MapView {
  element: HTMLElement;
  setValues(values: ArrayLike<number>): void;
  setRange(range: Range): void;
  setView(view: View): void;
  redraw(): void;
}

export interface MapOptions {
  range: Range;
  /** Whether it has a color bar. */
  bar: boolean;
  maxHeight?: number;
  moved?(view: View): void;
  click?(row: number, column: number): void;
  /** A sample that is marked, as row and column. */
  mark?(): [number, number] | null;
}

/** Distance in pixels of a contour label from the edges, and from other labels horizontally and vertically. */
const EDGE_ROOM = 20;
const LABEL_ROOM = [44, 24];
/** Segments of the shortest contour that is labeled. */
const SHORTEST_LABELED = 12;

/** Pixels of the image per sample: more would cost time at every live frame without visible gain. */
const PIXELS = 6;

export const NO_OVERLAY: Overlay = { stretched: false, contours: [], lines: [], faint_lines: [], outlines: [] };

export function mapChart(plot: MapPlot, signal: AbortSignal): HTMLElement {
  const values = numbers(plot.values);
  const range = colorRange(plot, extent(seen(plot, values)));
  const view = mapView(plot, { range, bar: true }, signal);
  view.setValues(values);
  return view.element;
}

export function mapView(field: Field, options: MapOptions, signal: AbortSignal): MapView {
  const { x, y } = field;
  let { range } = options;
  let values: ArrayLike<number> = [];
  let contours: { level: number; pieces: ReturnType<typeof contour> }[] = [];
  const shades = palette(field.colors);
  const picture = new Picture();
  const output = el("output", { class: "readout" }, " ");
  let hovered: Place | null = null;
  const readOut = () => (output.textContent = hovered ? sampleText(field, values, hovered) : " ");
  const draw = (context: CanvasRenderingContext2D, p: Projection) => {
    const shading = { range, palette: shades, halfTurn: halfTurn(field.colors, field.value_label) };
    context.fillStyle = color(field.colors === "diverging" ? "no-value-beside-white" : "no-value");
    context.fillRect(p.left, p.top, p.width, p.height);
    const carry = field.outlines.some((outline) => outline.filled);
    picture.draw(context, p, samplesIn(x, p.view.x), samplesIn(y, p.view.y), (pixels, w, h) => raster(pixels, w, h, { x, y, values, carry }, p.view, shading));
    clipped(context, p, () => {
      drawLines(context, p, field, contours);
      const mark = options.mark?.();
      if (mark) drawMark(context, p.x(x[mark[1]]), p.y(y[mark[0]]));
    });
    drawAxes(context, p, field.x_label, field.y_label);
    if (options.bar) drawBar(context, p, { range, colors: field.colors, label: field.value_label });
  };
  const board: Plane = plane(
    {
      label: field.title,
      home: { x: side(x), y: side(y) },
      equal: !field.stretched,
      margins: { ...AXIS_MARGINS, right: options.bar ? BAR_ROOM : AXIS_MARGINS.right },
      maxHeight: options.maxHeight ?? 680,
      draw,
      hover: (place) => {
        hovered = place;
        readOut();
      },
      click: (place) => options.click?.(nearest(y, place.y), nearest(x, place.x)),
      moved: options.moved,
    },
    signal,
  );
  const refresh = () => {
    picture.clear();
    board.redraw();
  };
  return {
    element: el("div", { class: "chart" }, board.element, output),
    setValues(next) {
      values = next;
      contours = field.contours.map((level) => ({ level, pieces: contour(x, y, next, level) }));
      readOut();
      refresh();
    },
    setRange(next) {
      range = next;
      refresh();
    },
    setView: (view) => board.setView(view),
    redraw: () => board.redraw(),
  };
}

/** The sample nearest to a point: its position and value. */
function sampleText(field: Field, values: ArrayLike<number>, place: Place): string {
  const { x, y } = field;
  const [row, column] = [nearest(y, place.y), nearest(x, place.x)];
  const at = `${quantity(field.x_label, number(x[column], 4))}, ${quantity(field.y_label, number(y[row], 4))}`;
  return `${at}: ${quantity(field.value_label, number(values[row * x.length + column], 5))}`;
}

/** The field as an image, cached until the field, the view or the size changes: the crosshair moves over it. */
class Picture {
  private readonly canvas = document.createElement("canvas");
  private key = "";

  clear(): void {
    this.key = "";
  }

  /** Fills an image in proportion to the visible columns and rows; the canvas interpolates the rest. */
  draw(
    context: CanvasRenderingContext2D,
    p: Projection,
    columns: number,
    rows: number,
    fill: (pixels: Uint32Array, w: number, h: number) => void,
  ): void {
    const [w, h] = [Math.min(Math.round(p.width), PIXELS * columns), Math.min(Math.round(p.height), PIXELS * rows)];
    const key = JSON.stringify([w, h, p.view]);
    if (key !== this.key) {
      this.key = key;
      if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
      const image = new ImageData(w, h);
      fill(new Uint32Array(image.data.buffer), w, h);
      this.canvas.getContext("2d")?.putImageData(image, 0, 0);
    }
    context.drawImage(this.canvas, p.left, p.top, p.width, p.height);
  }
}

/** The number of samples of an axis in view, plus one. */
function samplesIn(axis: number[], [low, high]: Range): number {
  return axis.filter((value) => value >= low && value <= high).length + 1;
}

export function clipped(context: CanvasRenderingContext2D, p: Projection, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(p.left, p.top, p.width, p.height);
  context.clip();
  draw();
  context.restore();
}

function drawLines(
  context: CanvasRenderingContext2D,
  p: Projection,
  field: Field,
  contours: { level: number; pieces: ReturnType<typeof contour> }[],
): void {
  for (const line of field.faint_lines) stroke(context, p, line, false, [["#666666", 0.5]]);
  for (const line of field.lines) stroke(context, p, line, false, [["#ffffff", 2], ["#444444", 0.9]]);
  for (const { pieces } of contours) strokePieces(context, p, pieces);
  for (const { points, closed, filled } of field.outlines) {
    if (filled) {
      trace(context, p, points, true);
      context.fillStyle = "#b8b8b8";
      context.fill();
    }
    // A dark line alone is invisible where the field is dark.
    stroke(context, p, points, closed, filled ? [["#222222", 1.8]] : [["#ffffff", 5], ["#222222", 1.8]]);
  }
  const taken: [number, number][] = [];
  for (const { level, pieces } of contours) label(context, p, level, pieces, taken);
}

function strokePieces(context: CanvasRenderingContext2D, p: Projection, pieces: ReturnType<typeof contour>): void {
  context.beginPath();
  for (const [a, b] of pieces) {
    context.moveTo(p.x(a[0]), p.y(a[1]));
    context.lineTo(p.x(b[0]), p.y(b[1]));
  }
  context.strokeStyle = "#222222";
  context.lineWidth = 0.9;
  context.stroke();
}

function trace(context: CanvasRenderingContext2D, p: Projection, points: [number, number][], closed: boolean): void {
  context.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? context.moveTo(p.x(x), p.y(y)) : context.lineTo(p.x(x), p.y(y))));
  if (closed) context.closePath();
}

function stroke(
  context: CanvasRenderingContext2D,
  p: Projection,
  points: [number, number][],
  closed: boolean,
  looks: [string, number][],
): void {
  trace(context, p, points, closed);
  for (const [ink, width] of looks) {
    context.strokeStyle = ink;
    context.lineWidth = width;
    context.stroke();
  }
}

/** Labels a contour on its line, away from the edges and from other labels; omitted if there is no room. */
function label(
  context: CanvasRenderingContext2D,
  p: Projection,
  level: number,
  pieces: ReturnType<typeof contour>,
  taken: [number, number][],
): void {
  const isFree = ([u, v]: [number, number]) =>
    Math.min(u - p.left, p.left + p.width - u, v - p.top, p.top + p.height - v) > EDGE_ROOM &&
    taken.every(([a, b]) => Math.abs(u - a) > LABEL_ROOM[0] || Math.abs(v - b) > LABEL_ROOM[1]);
  const place = pieces.map(([[x, y]]): [number, number] => [p.x(x), p.y(y)]).find(isFree);
  if (!place || pieces.length < SHORTEST_LABELED) return;
  taken.push(place);
  context.font = FONT;
  context.textAlign = "center";
  context.lineWidth = 4;
  context.strokeStyle = "#ffffff";
  context.fillStyle = "#222222";
  const text = withMinus(String(level));
  context.strokeText(text, place[0], place[1] + 5);
  context.fillText(text, place[0], place[1] + 5);
}

function drawMark(context: CanvasRenderingContext2D, x: number, y: number): void {
  for (const [ink, width] of [["#000000", 5], ["#ffffff", 2.2]] as const) {
    context.strokeStyle = ink;
    context.lineWidth = width;
    context.beginPath();
    context.arc(x, y, 9, 0, 2 * Math.PI);
    context.stroke();
  }
}
