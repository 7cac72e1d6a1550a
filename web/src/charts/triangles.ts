/** The surfaces of a mesh as numbers for a 3-D scene. */

import { colorAt, type Rgb } from "./colors";
import { el } from "../dom";
import type { MeshPart, MeshPlot, Vec3 } from "../plots";

/** Color of what has none of its own: vacuum. */
const GRAY: Rgb = [228, 228, 228];
const VACUUM = "vacuum";

/** A vertex, m. */
export function vertex({ surface }: MeshPlot, index: number): Vec3 {
  return [0, 1, 2].map((k) => surface.origin[k] + surface.spacing * surface.vertices[3 * index + k]) as Vec3;
}

/** Positions of corners of triangles or ends of edges, three numbers each. */
function places(plot: MeshPlot, indices: ArrayLike<number>): Float32Array {
  const found = new Float32Array(3 * indices.length);
  for (let i = 0; i < indices.length; i += 1) found.set(vertex(plot, indices[i]), 3 * i);
  return found;
}

export const corners = (plot: MeshPlot, part: MeshPart) => places(plot, part.triangles);

/** The edges of triangles, each once. */
export function edges(plot: MeshPlot, { triangles }: MeshPart): Float32Array {
  const count = plot.surface.vertices.length / 3;
  const known = new Set<number>();
  const ends: number[] = [];
  triangles.forEach((a, i) => {
    const b = triangles[i % 3 === 2 ? i - 2 : i + 1];
    // One number for both directions: indices are below 2^17, their products below 2^53.
    const key = Math.min(a, b) * count + Math.max(a, b);
    if (known.has(key)) return;
    known.add(key);
    ends.push(a, b);
  });
  return places(plot, ends);
}

/** The middle of a triangle, m. */
export function middle(plot: MeshPlot, part: MeshPart, triangle: number): Vec3 {
  const [a, b, c] = [0, 1, 2].map((j) => vertex(plot, part.triangles[3 * triangle + j]));
  return [0, 1, 2].map((k) => (a[k] + b[k] + c[k]) / 3) as Vec3;
}

/** For each part the number of its color, in the order of the printed picture; none for vacuum. */
export function colorNumbers(parts: Pick<MeshPart, "kind">[]): (number | null)[] {
  let next = 0;
  return parts.map(({ kind }) => (kind === VACUUM ? null : next++));
}

/** Red, green and blue of `#rrggbb`; gray for none. */
export function channels(hex: string | null): Rgb {
  return hex === null ? GRAY : ([1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as Rgb);
}

/** The colors of corners, red, green and blue in 0..1: of the group, or of the quality of each element. */
export function colorsOf(part: MeshPart, group: Rgb | null): Float32Array {
  const colors = new Float32Array(3 * part.triangles.length);
  part.quality.forEach((quality, i) => {
    const rgb = (group ?? colorAt("sequential", quality / 100)).map((c) => c / 255);
    for (let j = 0; j < 3; j += 1) colors.set(rgb, 9 * i + 3 * j);
  });
  return colors;
}

/** Lowest and highest coordinates along an axis, m, of the parts that are given. */
export function ends(plot: MeshPlot, parts: MeshPart[], axis: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { triangles } of parts) {
    for (const index of triangles) {
      const at = plot.surface.vertices[3 * index + axis];
      if (at < low) low = at;
      if (at > high) high = at;
    }
  }
  return [low, high].map((at) => plot.surface.origin[axis] + plot.surface.spacing * at) as [number, number];
}

/** A square of a color, for lists. */
export function swatch(rgb: Rgb): HTMLElement {
  const square = el("span", { class: "swatch", "aria-hidden": "true" });
  square.style.background = `rgb(${rgb.join(" ")})`;
  return square;
}
