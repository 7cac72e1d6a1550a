/** Color, dash and marker of each series: those of the static plots, and lighter ones in the dark theme. */

import { type Theme, theme } from "../theme";
import type { Series } from "../plots";

/** Colors of Okabe and Ito, black first; distinguishable by color-blind readers. */
const SERIES: Record<Theme, string[]> = {
  light: ["#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"],
  dark: ["#f4f4f4", "#ff8a47", "#4aa8f0", "#35cf9f", "#eba5cd", "#f6c343", "#a5dcff"],
};

/** Dash patterns of solid series in order, distinguishable in gray print. */
const DASHES = [[], [14, 3], [2.5, 2.5], [14, 3, 2.5, 3], [9, 3, 2.5, 3, 2.5, 3]];
const DASHED = [6, 4];

export const LINE_WIDTH = 1.8;

export interface Look {
  dash: number[];
  /** Shape of the marker; none for lines. */
  marker: number | null;
  /** Depends on the theme, hence evaluated at each drawing. */
  color: () => string;
}

export function looks(series: Pick<Series, "style">[]): Look[] {
  let solid = 0;
  let points = 0;
  return series.map(({ style }, i) => {
    const color = () => SERIES[theme()][i % SERIES.light.length];
    if (style === "points") return { dash: [], marker: points++, color };
    return { dash: style === "dashed" ? DASHED : DASHES[solid++ % DASHES.length], marker: null, color };
  });
}

/** The color of a group of a mesh, without black, on which lines are not seen. */
export function groupColor(index: number): string {
  const colors = SERIES[theme()];
  return colors[1 + (index % (colors.length - 1))];
}

/** A hollow marker: circle, square, triangle, diamond. */
export function marker(path: CanvasPath, x: number, y: number, shape: number, r: number): void {
  const polygon = (...points: [number, number][]) => {
    points.forEach(([px, py], i) => (i === 0 ? path.moveTo(px, py) : path.lineTo(px, py)));
    path.closePath();
  };
  const d = 1.35 * r;
  switch (shape % 4) {
    case 0:
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
      break;
    case 1:
      polygon([x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]);
      break;
    case 2:
      polygon([x, y - 1.3 * r], [x + 1.2 * r, y + r], [x - 1.2 * r, y + r]);
      break;
    default:
      polygon([x, y - d], [x + d, y], [x, y + d], [x - d, y]);
  }
}
