/** Curves on a plane: drawing of series, and the sample nearest to the pointer. */

import { LINE_WIDTH, marker, type Look } from "./looks";
import type { Place, Projection } from "./plane";

/** Points of a series on the plane; null breaks the line. */
export type Curve = (Place | null)[];

export function drawCurve(context: CanvasRenderingContext2D, p: Projection, curve: Curve, look: Look): void {
  context.save();
  context.strokeStyle = look.color();
  context.lineWidth = look.marker === null ? LINE_WIDTH : 1.5;
  context.setLineDash(look.dash);
  context.lineJoin = "round";
  context.beginPath();
  let isDown = false;
  for (const place of curve) {
    if (place && look.marker !== null) marker(context, p.x(place.x), p.y(place.y), look.marker, 3.6);
    else if (place && isDown) context.lineTo(p.x(place.x), p.y(place.y));
    else if (place) context.moveTo(p.x(place.x), p.y(place.y));
    isDown = place !== null;
  }
  context.stroke();
  context.restore();
}

/** A dot that marks the sample whose value the legend shows. */
export function drawDot(context: CanvasRenderingContext2D, p: Projection, place: Place, ink: string, r = 5): void {
  context.fillStyle = ink;
  context.beginPath();
  context.arc(p.x(place.x), p.y(place.y), r, 0, 2 * Math.PI);
  context.fill();
}

/** The sample nearest to a point; none if the curve is empty. */
export function nearestSample(curve: Curve, at: Place): number | null {
  let best: number | null = null;
  let least = Infinity;
  curve.forEach((place, i) => {
    if (!place) return;
    const distance = Math.hypot(place.x - at.x, place.y - at.y);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}
