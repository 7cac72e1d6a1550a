/** Places to look at in a 3-D scene: a ring with a cross and a name, over everything. */

import { color } from "../theme";
import type { Vec3 } from "../plots";

const RING = 9;
const ARM = 15;

export interface Mark {
  name: string;
  position: Vec3;
  shown: boolean;
}

/** Draws marks at their positions on the screen; names stand above and below in turn, since two marks may be one element. */
export function drawMarks(context: CanvasRenderingContext2D, marks: Mark[], seen: { x: number; y: number }[], width: number): void {
  context.lineJoin = "round";
  marks.forEach(({ name, shown }, i) => {
    if (!shown) return;
    const { x, y } = seen[i];
    const half = 0.5 * context.measureText(name).width + 6;
    const middle = Math.min(Math.max(x, half), width - half);
    const base = i % 2 === 0 ? y - ARM - 7 : y + ARM + 19;
    // A wide line of the background below each line, so that it is seen on any color.
    for (const [ink, wide] of [["paper", 5], ["fail", 2]] as const) {
      context.strokeStyle = color(ink);
      context.lineWidth = wide;
      context.beginPath();
      context.arc(x, y, RING, 0, 2 * Math.PI);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + RING * dx, y + RING * dy);
        context.lineTo(x + ARM * dx, y + ARM * dy);
      }
      context.stroke();
    }
    context.strokeStyle = color("paper");
    context.lineWidth = 5;
    context.strokeText(name, middle, base);
    context.fillStyle = color("ink");
    context.fillText(name, middle, base);
  });
}
