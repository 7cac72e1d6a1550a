/**
 * A 3-D scene in parallel projection: orbit by drag, touch and keys, and the triangle under the pointer.
 * It draws only when something changes.
 */

import {
  AmbientLight, Box3, ConeGeometry, CylinderGeometry, DirectionalLight, Group, Mesh, MeshBasicMaterial, OrthographicCamera, Plane,
  Raycaster, Scene, Sphere, Vector2, Vector3, WebGLRenderer,
} from "three";
import { BAR_ROOM, FONT, drawBar, type Bar } from "./axes";
import { cross, ground, type Eye } from "./eye";
import { drawMarks, type Mark } from "./marks";
import { Body, type Surface } from "./surface";
import { el, onceAFrame } from "../dom";
import { color, onTheme } from "../theme";
import type { Vec3 } from "../plots";

const HEIGHT = 520;
const ZOOM = 1.2;
/** Zoom at which a marked element is looked at. */
const NEAR = 10;
/** Rotation per arrow key, and per pixel of a drag, in radians. */
const KEY_TURN = Math.PI / 36;
const DRAG_TURN = 0.008;
/** Maximum elevation: along the vertical itself the upward direction is undefined. */
const STEEPEST = Math.PI / 2 - 1e-3;
/** Size of the axis triad, below the color bar. */
const TRIAD = 96;
/** Direction of the light, from the upper left of the camera, as in the static plots. */
const LAMP: Vec3 = [-0.366, 0.448, 0.815];
const HELP =
  "Drag to turn, Shift and drag to move, Ctrl and wheel to zoom, double click for the first view. Keys: arrows turn and tell the value in the middle, Shift and arrows move, + and − zoom, 0 shows the first view.";

export interface StageOptions {
  label: string;
  /** What is drawn; where surfaces coincide, the later one is seen. */
  surfaces: Surface[];
  /** Fraction of ambient light. */
  ambient: number;
  eye: Eye;
  bar: Bar | null;
  /** Direction toward the source of the incident wave; drawn as an arrow onto the body. */
  source: Vec3 | null;
  /** Whether axes are drawn through the origin, besides the triad in the corner. */
  axes: boolean;
  /** Places to look at, drawn over everything. */
  marks?: Mark[];
  /** Description of the triangle under the pointer. */
  describe(triangle: number, surface: number): string;
}

export function stage(options: StageOptions, signal: AbortSignal): HTMLElement {
  return new Stage(options, signal).element;
}

export class Stage {
  readonly element: HTMLElement;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera();
  private readonly lamp = new DirectionalLight(0xffffff, 1);
  private readonly bodies: Body[];
  private readonly over = el("canvas", { class: "marks", "aria-hidden": "true" });
  private readonly sign = el("canvas", { class: "triad", "aria-hidden": "true" });
  private readonly bar = el("canvas", { class: "bar", "aria-hidden": "true" });
  private readonly output = el("output", { class: "readout" }, " ");
  private readonly center: Vector3;
  private readonly radius: number;
  private readonly side: Vector3;
  private readonly level: Vector3;
  private target = new Vector3();
  private azimuth = 0;
  private elevation = 0;
  private zoom = 1;
  private size: { right: number; up: number } | null = null;
  /** Ends of the arrows, which must be in view too. */
  private readonly ends: Vector3[] = [];
  readonly redraw = onceAFrame(() => this.paint());

  constructor(
    private readonly options: StageOptions,
    signal: AbortSignal,
  ) {
    // Throws without WebGL; the caller then shows the static plot.
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.localClippingEnabled = true;
    this.bodies = options.surfaces.map((surface, i) => new Body(surface, options.surfaces.length - i));
    this.bodies.forEach((body) => this.scene.add(body.group));
    const box = new Box3();
    this.bodies.filter((body) => body.group.visible).forEach((body) => box.expandByObject(body.group));
    const sphere = box.isEmpty() ? new Sphere(new Vector3(), 1) : box.getBoundingSphere(new Sphere());
    this.center = options.axes ? new Vector3() : sphere.center;
    this.radius = (options.axes ? 1.25 : sphere.radius) || 1;
    const level = ground(options.eye.up);
    this.level = new Vector3(...level);
    this.side = new Vector3(...cross(options.eye.up, level));
    this.light();
    this.arrows();
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${options.label}. ${HELP}`);
    const board = el("div", { class: "stage" }, canvas, this.bar, this.over, this.sign);
    this.element = el("div", { class: "chart" }, board, this.output);
    this.reset();
    this.listen(canvas);
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(board);
    onTheme(() => this.redraw(), signal);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      this.bodies.forEach((body) => body.dispose());
      this.renderer.dispose();
      // A browser has few contexts: do not wait for garbage collection.
      this.renderer.forceContextLoss();
    });
  }

  /** Shows or hides a surface. */
  show(index: number, shown: boolean): void {
    this.bodies[index].group.visible = shown;
    this.redraw();
  }

  /** Gives a surface other colors, as in [`Surface`]. */
  color(index: number, colors: Float32Array): void {
    this.bodies[index].color(colors);
    this.redraw();
  }

  /** The color bar; none for colors that mean no number. */
  scale(bar: Bar | null): void {
    this.options.bar = bar;
    this.redraw();
  }

  /** Leaves out what lies beyond a plane: where `toward` x is more than `most`. Nothing if there is none. */
  cut(plane: { toward: Vec3; most: number } | null): void {
    const planes = plane ? [new Plane(new Vector3(...plane.toward).negate(), plane.most)] : [];
    this.bodies.forEach((body) => body.cut(planes));
    this.redraw();
  }

  /** Moves a place to the middle, near enough to see what is around it. */
  lookAt(place: Vec3): void {
    this.target.set(...place);
    this.zoom = Math.max(this.zoom, NEAR);
    this.redraw();
  }

  /** Shows or hides a mark. */
  mark(index: number, shown: boolean): void {
    (this.options.marks as Mark[])[index].shown = shown;
    this.redraw();
  }

  private light(): void {
    const { ambient } = this.options;
    // Lambert's law in three.js divides by pi.
    this.scene.add(new AmbientLight(0xffffff, ambient * Math.PI));
    this.lamp.intensity = (1 - ambient) * Math.PI;
    this.camera.add(this.lamp, this.lamp.target);
    this.lamp.position.set(...LAMP);
    this.lamp.target.position.set(0, 0, 0);
    this.scene.add(this.camera);
  }

  private arrows(): void {
    const { source, axes } = this.options;
    const r = this.radius;
    if (source) {
      const toward = new Vector3(...source).normalize();
      const tail = this.center.clone().addScaledVector(toward, 1.65 * r);
      this.ends.push(tail);
      this.scene.add(arrow(tail, toward.negate(), 0.5 * r, 0.022 * r, 0x0072b2));
    }
    if (!axes) return;
    for (const axis of [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)]) {
      this.scene.add(arrow(new Vector3(), axis, 1.2, 0.008, 0x808080));
      this.ends.push(axis.clone().multiplyScalar(1.2));
    }
  }

  private reset(): void {
    const { toward, up } = this.options.eye;
    const t = new Vector3(...toward);
    const rise = t.dot(new Vector3(...up));
    this.elevation = Math.min(Math.max(Math.asin(Math.min(Math.max(rise, -1), 1)), -STEEPEST), STEEPEST);
    // From above, x is to the right and y up, as in a plan view.
    const isPlan = Math.abs(rise) > 0.999;
    this.azimuth = isPlan ? (-Math.sign(rise) * Math.PI) / 2 : Math.atan2(t.dot(this.side), t.dot(this.level));
    this.zoom = 1;
    this.target.copy(this.center);
    this.redraw();
  }

  private paint(): void {
    const width = (this.element.querySelector(".stage") as HTMLElement).clientWidth - (this.options.bar ? BAR_ROOM : 0);
    this.bar.hidden = !this.options.bar;
    if (width <= 0) return;
    const height = Math.min(HEIGHT, Math.max(0.8 * width, 240));
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.setSize(width, height);
    this.place(width / height);
    const scale = height / (this.camera.top - this.camera.bottom);
    this.bodies.forEach((body) => body.fade(scale));
    this.renderer.render(this.scene, this.camera);
    this.triad();
    this.colorBar(height);
    this.drawOver(width, height);
  }

  private drawOver(width: number, height: number): void {
    const { marks } = this.options;
    if (!marks?.length) return;
    const context = sized(this.over, width, height);
    const seen = marks.map(({ position }) => {
      const { x, y } = new Vector3(...position).project(this.camera);
      return { x: 0.5 * width * (1 + x), y: 0.5 * height * (1 - y) };
    });
    if (context) drawMarks(context, marks, seen, width);
  }

  private place(shape: number): void {
    const up = new Vector3(...this.options.eye.up);
    const flat = Math.cos(this.elevation);
    const toward = this.level
      .clone()
      .multiplyScalar(flat * Math.cos(this.azimuth))
      .addScaledVector(this.side, flat * Math.sin(this.azimuth))
      .addScaledVector(up, Math.sin(this.elevation));
    Object.assign(this.camera, { near: 0.01 * this.radius, far: 40 * this.radius });
    this.camera.up.copy(up);
    this.camera.position.copy(this.target).addScaledVector(toward, 20 * this.radius);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
    this.size ??= this.seen();
    const half = (1.06 * Math.max(this.size.up, this.size.right / shape)) / this.zoom;
    Object.assign(this.camera, { left: -half * shape, right: half * shape, top: half, bottom: -half });
    this.camera.updateProjectionMatrix();
  }

  /** Horizontal and vertical extent of the scene from its center, in the initial view. */
  private seen(): { right: number; up: number } {
    const reach = { right: 0, up: 0 };
    const place = new Vector3();
    const take = () => {
      place.applyMatrix4(this.camera.matrixWorldInverse);
      reach.right = Math.max(reach.right, Math.abs(place.x));
      reach.up = Math.max(reach.up, Math.abs(place.y));
    };
    for (const { positions, shown } of this.options.surfaces) {
      for (let i = 0; shown !== false && i < positions.length; i += 3) {
        place.fromArray(positions, i);
        take();
      }
    }
    for (const end of this.ends) {
      place.copy(end);
      take();
    }
    return reach;
  }

  private turn(right: number, up: number): void {
    const most = STEEPEST;
    this.azimuth -= right;
    this.elevation = Math.min(Math.max(this.elevation + up, -most), most);
    this.redraw();
  }

  /** Pans by fractions of the height of the view. */
  private move(right: number, up: number): void {
    const height = this.camera.top - this.camera.bottom;
    const axis = (column: number) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, column);
    this.target.addScaledVector(axis(0), -right * height).addScaledVector(axis(1), -up * height);
    this.redraw();
  }

  private zoomBy(factor: number): void {
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.3), 200);
    this.redraw();
  }

  private listen(canvas: HTMLCanvasElement): void {
    let drags = false;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      drags = true;
    });
    canvas.addEventListener("pointerup", () => (drags = false));
    canvas.addEventListener("pointercancel", () => (drags = false));
    canvas.addEventListener("pointerleave", () => (this.output.textContent = " "));
    canvas.addEventListener("pointermove", (event) => {
      if (!drags) return this.point(event);
      if (event.shiftKey) this.move(event.movementX / canvas.clientHeight, -event.movementY / canvas.clientHeight);
      else this.turn(event.movementX * DRAG_TURN, event.movementY * DRAG_TURN);
    });
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!(event.ctrlKey || document.activeElement === canvas)) return;
        event.preventDefault();
        this.zoomBy(event.deltaY < 0 ? ZOOM : 1 / ZOOM);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (arrow && event.shiftKey) this.move(0.05 * arrow[0], 0.05 * arrow[1]);
    else if (arrow) this.turn(KEY_TURN * arrow[0], KEY_TURN * arrow[1]);
    else if (event.key === "+" || event.key === "=") this.zoomBy(ZOOM);
    else if (event.key === "-") this.zoomBy(1 / ZOOM);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
    // Without a pointer, describe the center once it is drawn.
    requestAnimationFrame(() => this.tell(0, 0, "in the middle: "));
  }

  private point(event: PointerEvent): void {
    const box = this.renderer.domElement.getBoundingClientRect();
    const [u, v] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    this.tell(2 * u - 1, 1 - 2 * v, "");
  }

  /** Describes the triangle at a point of the view, in normalized device coordinates. */
  private tell(right: number, up: number, where: string): void {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(right, up), this.camera);
    // Of surfaces that coincide, the last one is seen.
    const hits = this.bodies.flatMap((body, surface) => {
      const hit = body.hit(ray);
      return hit ? [{ ...hit, surface }] : [];
    });
    const nearest = Math.min(...hits.map((hit) => hit.distance)) + 1e-6 * this.radius;
    const hit = hits.reverse().find(({ distance }) => distance <= nearest);
    this.output.textContent = hit ? where + this.options.describe(hit.triangle, hit.surface) : " ";
  }

  /** The axis triad in a corner. */
  private triad(): void {
    const context = sized(this.sign, TRIAD, TRIAD);
    if (!context) return;
    const inverse = this.camera.matrixWorldInverse;
    const names = ["x", "y", "z"];
    const ends = names.map((_, i) => new Vector3().setFromMatrixColumn(inverse, i));
    names
      .map((name, i) => ({ name, end: ends[i] }))
      .sort((a, b) => a.end.z - b.end.z)
      .forEach(({ name, end }) => {
        context.strokeStyle = context.fillStyle = color(end.z < -0.1 ? "soft" : "ink");
        context.beginPath();
        context.moveTo(48, 48);
        context.lineTo(48 + 28 * end.x, 48 - 28 * end.y);
        context.stroke();
        context.fillText(name, 48 + 39 * end.x, 53 - 39 * end.y);
      });
  }

  private colorBar(height: number): void {
    if (!this.options.bar) return;
    const context = sized(this.bar, BAR_ROOM, height);
    if (context) drawBar(context, { left: 0, top: 12, width: 0, height: height - 24 - TRIAD }, this.options.bar);
  }
}

/** An arrow from its tail along a direction. */
function arrow(tail: Vector3, along: Vector3, length: number, radius: number, ink: number): Group {
  const material = new MeshBasicMaterial({ color: ink });
  const head = 8 * radius;
  const shaft = new Mesh(new CylinderGeometry(radius, radius, length - head), material);
  shaft.position.y = 0.5 * (length - head);
  const tip = new Mesh(new ConeGeometry(3 * radius, head), material);
  tip.position.y = length - 0.5 * head;
  const group = new Group().add(shaft, tip);
  group.position.copy(tail);
  // Cylinders and cones of three.js are aligned with y.
  group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along);
  return group;
}

function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  const context = canvas.getContext("2d");
  context?.scale(ratio, ratio);
  if (context) Object.assign(context, { font: FONT, textAlign: "center", lineWidth: 1.6 });
  return context;
}
