/** A surface in a 3-D scene: colored triangles, perhaps with lines, and with a part cut off. */

import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial,
  type Plane, type Raycaster,
} from "three";

/** Opacity of lines, and the pixels between them from which on they have it: closer ones would darken the colors. */
const LINE = 0.45;
const APART = 14;

export interface Surface {
  /** Corners of the triangles, three numbers each, in order. */
  positions: Float32Array;
  /** Red, green, blue in 0..1 for each corner. */
  colors: Float32Array;
  /** Ends of lines, three numbers each. */
  lines?: Float32Array;
  /** Whether it is shown at first; true if not given. */
  shown?: boolean;
}

export class Body {
  readonly group = new Group();
  private readonly faces: Mesh<BufferGeometry, MeshLambertMaterial>;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
  /** Mean length of the lines. */
  private length = 0;
  private planes: Plane[] = [];

  /** `depth` orders surfaces that coincide: the one with less is in front. */
  constructor(surface: Surface, depth: number) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(surface.positions, 3));
    geometry.setAttribute("color", new BufferAttribute(linear(surface.colors), 3));
    geometry.computeVertexNormals();
    const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 * depth };
    this.faces = new Mesh(geometry, new MeshLambertMaterial({ vertexColors: true, side: DoubleSide, ...offset }));
    this.group.add(this.faces);
    this.group.visible = surface.shown !== false;
    if (!surface.lines) return;
    const ends = new BufferGeometry().setAttribute("position", new BufferAttribute(surface.lines, 3));
    this.lines = new LineSegments(ends, new LineBasicMaterial({ color: 0x000000, transparent: true, opacity: LINE }));
    this.group.add(this.lines);
    this.length = meanLength(surface.lines);
  }

  /** Fades lines that are close to each other, at so many pixels per unit of length. */
  fade(scale: number): void {
    if (this.lines) this.lines.material.opacity = LINE * Math.min((this.length * scale) / APART, 1);
  }

  color(colors: Float32Array): void {
    this.faces.geometry.setAttribute("color", new BufferAttribute(linear(colors), 3));
  }

  /** Shows what is in front of all planes. */
  cut(planes: Plane[]): void {
    this.planes = planes;
    this.faces.material.clippingPlanes = planes;
    if (this.lines) this.lines.material.clippingPlanes = planes;
  }

  /** The nearest triangle on a ray that is shown. */
  hit(ray: Raycaster): { triangle: number; distance: number } | null {
    if (!this.group.visible) return null;
    const isShown = (hit: { point: Parameters<Plane["distanceToPoint"]>[0] }) =>
      this.planes.every((plane) => plane.distanceToPoint(hit.point) >= 0);
    const found = ray.intersectObject(this.faces).find(isShown);
    return typeof found?.faceIndex === "number" ? { triangle: found.faceIndex, distance: found.distance } : null;
  }

  dispose(): void {
    this.faces.geometry.dispose();
    this.lines?.geometry.dispose();
  }
}

function meanLength(lines: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < lines.length; i += 6) sum += Math.hypot(lines[i + 3] - lines[i], lines[i + 4] - lines[i + 1], lines[i + 5] - lines[i + 2]);
  return (6 * sum) / Math.max(lines.length, 1);
}

/** Colors are given in sRGB; three.js computes in linear light. */
function linear(colors: Float32Array): Float32Array {
  const converted = new Float32Array(colors.length);
  const colorOf = new Color();
  for (let i = 0; i < converted.length; i += 3) {
    colorOf.setRGB(colors[i], colors[i + 1], colors[i + 2], "srgb");
    colorOf.toArray(converted, i);
  }
  return converted;
}
