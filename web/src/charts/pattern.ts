/** 3-D radiation patterns: the level in dB as the distance from the center, and as color. */

import { quantity } from "./axes";
import { colorAt } from "./colors";
import { eye } from "./eye";
import { extent, widen } from "./scale";
import { stage } from "./scene";
import { el } from "../dom";
import { number } from "../format";
import { numbers, type PatternPlot, type Range } from "../plots";

/** Default dynamic range below the peak, dB. */
const DEPTH = 30;
/** Fraction of ambient light: high, because colors are compared with the bar. */
const AMBIENT = 0.7;

/** A triangle of the surface: its corners as row and column of the grid. */
type Corner = [number, number];

export function patternChart(plot: PatternPlot, signal: AbortSignal): HTMLElement {
  const values = numbers(plot.values);
  const data = extent(values);
  if (!data) return el("p", { class: "note" }, "The pattern has no levels.");
  const floor = plot.floor !== null && plot.floor < data[1] ? plot.floor : data[1] - DEPTH;
  const range = widen([floor, data[1]]);
  const phi = closed(plot.phi_deg);
  const columns = plot.phi_deg.length;
  const levelAt = ([row, column]: Corner) => values[row * columns + (column % columns)];
  const triangles = cells(plot.theta_deg.length, phi.length).filter((corners) =>
    corners.every((corner) => !Number.isNaN(levelAt(corner))),
  );
  const describe = (triangle: number) => {
    const [row, column] = triangles[triangle][0];
    const at = `theta ${number(plot.theta_deg[row], 4)} deg, phi ${number(phi[column] % 360, 4)} deg`;
    return `${at}: ${quantity(plot.value_label, number(levelAt([row, column]), 5))}`;
  };
  return stage(
    {
      label: plot.title,
      surfaces: [surfaceOf(plot, phi, triangles, levelAt, range)],
      ambient: AMBIENT,
      eye: eye(plot.view, null, null),
      bar: { range, colors: "sequential", label: plot.value_label },
      source: null,
      axes: true,
      describe,
    },
    signal,
  );
}

/** The angles around z, closed to a full turn if the gap is no more than a step. */
export function closed(phi: number[]): number[] {
  const widest = Math.max(0, ...phi.slice(1).map((angle, i) => angle - phi[i]));
  const rest = phi[0] + 360 - phi[phi.length - 1];
  return rest > 1e-9 && rest <= 1.001 * widest ? [...phi, phi[0] + 360] : phi;
}

/** Two triangles for each cell of a grid. */
function cells(rows: number, columns: number): [Corner, Corner, Corner][] {
  const triangles: [Corner, Corner, Corner][] = [];
  for (let i = 1; i < rows; i += 1) {
    for (let j = 1; j < columns; j += 1) {
      triangles.push([[i - 1, j - 1], [i, j - 1], [i, j]], [[i - 1, j - 1], [i, j], [i - 1, j]]);
    }
  }
  return triangles;
}

function surfaceOf(
  plot: PatternPlot,
  phi: number[],
  triangles: [Corner, Corner, Corner][],
  levelAt: (corner: Corner) => number,
  [floor, peak]: Range,
): { positions: Float32Array; colors: Float32Array } {
  const positions = new Float32Array(9 * triangles.length);
  const colors = new Float32Array(9 * triangles.length);
  triangles.flat().forEach((corner, i) => {
    const [theta, turn] = [plot.theta_deg[corner[0]], phi[corner[1]]].map((degrees) => (degrees * Math.PI) / 180);
    const r = Math.min(Math.max((levelAt(corner) - floor) / (peak - floor), 0), 1);
    const flat = r * Math.sin(theta);
    positions.set([flat * Math.cos(turn), flat * Math.sin(turn), r * Math.cos(theta)], 3 * i);
    colors.set(colorAt("sequential", r).map((c) => c / 255), 3 * i);
  });
  return { positions, colors };
}
