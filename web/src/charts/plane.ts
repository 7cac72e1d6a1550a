/**
 * A canvas that shows a part of a plane, with zoom, pan, pointer and keyboard for maps, polar plots, Smith charts and dots.
 * The caller draws its contents.
 */

import { color, onTheme } from "../theme";
import { el, onceAFrame } from "../dom";
import type { Range } from "../plots";

export interface View {
  x: Range;
  y: Range;
}

/** Maps data coordinates to the canvas. */
export interface Projection {
  left: number;
  top: number;
  width: number;
  height: number;
  view: View;
  x(value: number): number;
  y(value: number): number;
}

export interface Place {
  x: number;
  y: number;
}

export interface PlaneOptions {
  /** Description for screen readers. */
  label: string;
  /** The full view, shown initially and after a reset. */
  home: View;
  /** Whether both axes have the same scale. */
  equal: boolean;
  margins: { left: number; right: number; top: number; bottom: number };
  /** Largest height of the area inside the margins. */
  maxHeight: number;
  draw(context: CanvasRenderingContext2D, projection: Projection): void;
  /** The point under the pointer or the crosshair; null if there is none. */
  hover(place: Place | null): void;
  click?(place: Place): void;
  /** Called when the user changes the view. */
  moved?(view: View): void;
}

export interface Plane {
  element: HTMLElement;
  redraw(): void;
  setView(view: View): void;
}

const KEY_STEP = 0.02;
const ZOOM = 1.25;
/** A shorter drag is a click. */
const SHORTEST_DRAG = 6;

export function plane(options: PlaneOptions, signal: AbortSignal): Plane {
  return new CanvasPlane(options, signal);
}

class CanvasPlane implements Plane {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly home: View;
  private view: View;
  private crosshair: Place | null = null;
  private drag: { from: Place; to: Place; pan: boolean } | null = null;
  readonly redraw = onceAFrame(() => this.paint());
  private size = { left: 0, top: 0, width: 1, height: 1 };

  constructor(
    private readonly options: PlaneOptions,
    signal: AbortSignal,
  ) {
    this.home = options.home;
    this.view = options.home;
    this.canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `${options.label}. ${HELP}`, title: "" });
    this.element = el("div", { class: "plane" }, this.canvas);
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(this.element);
    signal.addEventListener("abort", () => observer.disconnect());
    onTheme(() => this.redraw(), signal);
    this.listen();
  }

  setView(view: View): void {
    this.view = this.options.equal ? this.fitted(view) : view;
    this.redraw();
  }

  private paint(): void {
    const room = this.element.clientWidth;
    if (room === 0) return;
    const { margins, equal } = this.options;
    // Next to other plots not much higher than they are; alone on a small screen up to its width.
    const maxHeight = Math.min(this.options.maxHeight, Math.max(0.75 * room, Math.min(room, 420)));
    const widest = Math.max(room - margins.left - margins.right, 60);
    const [dx, dy] = [span(this.home.x), span(this.home.y)];
    const scale = Math.min(widest / dx, maxHeight / dy);
    const width = Math.round(equal ? Math.max(dx * scale, 60) : widest);
    const height = Math.round(equal ? Math.max(dy * scale, 60) : Math.min(maxHeight, 0.62 * widest));
    this.size = { left: margins.left, top: margins.top, width, height };
    const [w, h] = [width + margins.left + margins.right, height + margins.top + margins.bottom];
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
      this.canvas.style.width = `${w}px`;
      this.canvas.style.height = `${h}px`;
      if (equal) this.view = this.fitted(this.view);
    }
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, w, h);
    const projection = this.projection();
    this.options.draw(context, projection);
    this.overlay(context, projection);
  }

  private projection(): Projection {
    const { left, top, width, height } = this.size;
    const { x, y } = this.view;
    return {
      ...this.size,
      view: this.view,
      x: (value) => left + ((value - x[0]) / span(x)) * width,
      y: (value) => top + height - ((value - y[0]) / span(y)) * height,
    };
  }

  private overlay(context: CanvasRenderingContext2D, p: Projection): void {
    context.save();
    context.beginPath();
    context.rect(p.left, p.top, p.width, p.height);
    context.clip();
    if (this.crosshair) {
      // Light below dark: one of them is visible on any color.
      const { x, y } = { x: p.x(this.crosshair.x), y: p.y(this.crosshair.y) };
      for (const [ink, width] of [["#ffffffb0", 3], ["#000000", 1]] as const) {
        context.strokeStyle = ink;
        context.lineWidth = width;
        context.beginPath();
        for (const [a, b] of [[-11, -4], [4, 11]]) {
          context.moveTo(x + a, y);
          context.lineTo(x + b, y);
          context.moveTo(x, y + a);
          context.lineTo(x, y + b);
        }
        context.stroke();
      }
    }
    if (this.drag && !this.drag.pan) {
      const { from, to } = this.drag;
      context.fillStyle = "#80808050";
      context.strokeStyle = color("ink");
      const box = [p.x(from.x), p.y(from.y), p.x(to.x) - p.x(from.x), p.y(to.y) - p.y(from.y)] as const;
      context.fillRect(...box);
      context.strokeRect(...box);
    }
    context.restore();
  }

  /** The smallest view with the aspect ratio of the canvas that contains another one. */
  private fitted({ x, y }: View): View {
    const shape = this.size.width / this.size.height;
    const [dx, dy] = [span(x), span(y)];
    return dx / dy < shape ? { x: around(x, dy * shape), y } : { x, y: around(y, dx / shape) };
  }

  private change(view: View): void {
    // Zoom is limited to twice the full view, and by the precision of the coordinates.
    const ratio = span(view.x) / span(this.home.x);
    if (ratio > 2 || ratio < 1e-6) return;
    this.setView(view);
    this.options.moved?.(this.view);
  }

  private zoom(factor: number, at: Place): void {
    const about = ([a, b]: Range, c: number): Range => [c + (a - c) / factor, c + (b - c) / factor];
    this.change({ x: about(this.view.x, at.x), y: about(this.view.y, at.y) });
  }

  private reset(): void {
    this.setView(this.home);
    this.options.moved?.(this.view);
  }

  private point(place: Place | null): void {
    this.crosshair = place;
    this.options.hover(place);
    this.redraw();
  }

  /** The data point of a pointer; null outside of the area. */
  private placeOf(event: MouseEvent): Place | null {
    const box = this.canvas.getBoundingClientRect();
    const { left, top, width, height } = this.size;
    const [u, v] = [(event.clientX - box.left - left) / width, (event.clientY - box.top - top) / height];
    if (u < 0 || u > 1 || v < 0 || v > 1) return null;
    return { x: this.view.x[0] + u * span(this.view.x), y: this.view.y[1] - v * span(this.view.y) };
  }

  private listen(): void {
    const on = <K extends keyof HTMLElementEventMap>(name: K, f: (event: HTMLElementEventMap[K]) => void) =>
      this.canvas.addEventListener(name, f, { passive: false });
    on("pointerdown", (event) => {
      const place = this.placeOf(event);
      if (!place || event.button > 1) return;
      this.canvas.setPointerCapture(event.pointerId);
      const pans = event.shiftKey || event.button === 1;
      this.drag = { from: place, to: place, pan: pans };
    });
    on("pointermove", (event) => this.pointerMoved(event));
    on("pointerup", (event) => this.released(event));
    on("pointercancel", () => (this.drag = null));
    on("pointerleave", () => this.drag || this.point(null));
    on("dblclick", () => this.reset());
    on("wheel", (event) => {
      // Without Ctrl or the keyboard focus the wheel scrolls the page.
      const place = this.placeOf(event);
      if (!place || !(event.ctrlKey || document.activeElement === this.canvas)) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, place);
    });
    on("keydown", (event) => this.key(event));
    on("blur", () => this.point(null));
  }

  private pointerMoved(event: PointerEvent): void {
    const place = this.placeOf(event);
    if (this.drag && place) {
      const { from, pan } = this.drag;
      if (pan) {
        const [dx, dy] = [from.x - place.x, from.y - place.y];
        this.change({ x: moved(this.view.x, dx), y: moved(this.view.y, dy) });
      } else {
        this.drag.to = place;
      }
    }
    this.point(place);
  }

  private released(event: PointerEvent): void {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.pan) return;
    const p = this.projection();
    const { from, to } = drag;
    const [w, h] = [Math.abs(p.x(to.x) - p.x(from.x)), Math.abs(p.y(to.y) - p.y(from.y))];
    if (w > SHORTEST_DRAG && h > SHORTEST_DRAG) {
      this.change({ x: sorted(from.x, to.x), y: sorted(from.y, to.y) });
    } else if (w <= SHORTEST_DRAG && h <= SHORTEST_DRAG && event.button === 0) {
      this.options.click?.(to);
    }
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    const { x, y } = this.view;
    const at = this.crosshair ?? { x: 0.5 * (x[0] + x[1]), y: 0.5 * (y[0] + y[1]) };
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
    };
    const arrow = arrows[event.key];
    if (arrow && !event.ctrlKey && !event.altKey) {
      const [dx, dy] = [arrow[0] * KEY_STEP * span(x), arrow[1] * KEY_STEP * span(y)];
      if (event.shiftKey) this.change({ x: moved(x, 5 * dx), y: moved(y, 5 * dy) });
      else this.point({ x: clamp(at.x + dx, x), y: clamp(at.y + dy, y) });
    } else if (event.key === "+" || event.key === "=") this.zoom(ZOOM, at);
    else if (event.key === "-") this.zoom(1 / ZOOM, at);
    else if (event.key === "0") this.reset();
    else if (event.key === "Enter" && this.options.click) this.options.click(at);
    else if (event.key === "Escape") this.drag = null;
    else return;
    if (event.key !== "Escape") event.preventDefault();
    this.redraw();
  }
}

/** Text for screen readers, and the hint below a plot. */
export const HELP =
  "Drag to zoom, Shift and drag to move, double click for the whole. Keys: arrows move the crosshair, Shift and arrows move the view, + and − zoom, 0 shows the whole.";

export function span([a, b]: Range): number {
  return b - a;
}

function around([a, b]: Range, length: number): Range {
  return [0.5 * (a + b - length), 0.5 * (a + b + length)];
}

function moved([a, b]: Range, by: number): Range {
  return [a + by, b + by];
}

function sorted(a: number, b: number): Range {
  return a < b ? [a, b] : [b, a];
}

function clamp(value: number, [low, high]: Range): number {
  return Math.min(Math.max(value, low), high);
}
