/** The camera of 3-D plots, as in the static plots. Vectors are plain triples, so that no 3-D library is needed here. */

import type { Vec3 } from "../plots";

/** Default azimuth and elevation of the camera relative to the source, in degrees. */
const BESIDE = 28;
const ABOVE = 18;
/** The highest source elevation with the camera above the source, in degrees; for higher sources it is below. */
const STEEPEST = 60;
const DEGREE = Math.PI / 180;

export const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const sum = (s: number, a: Vec3, t: number, b: Vec3): Vec3 => [s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]];

/** The direction of a vector; none for zero length. */
export function unit(v: Vec3 | null): Vec3 | null {
  const length = v ? Math.hypot(...v) : 0;
  return v && length > 0 && Number.isFinite(length) ? [v[0] / length, v[1] / length, v[2] / length] : null;
}

/** A horizontal direction: x if z is up. */
export function ground(up: Vec3): Vec3 {
  const along: Vec3 = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  return unit(sum(1, along, -dot(up, along), up)) as Vec3;
}

export interface Eye {
  /** From the body toward the camera. */
  toward: Vec3;
  up: Vec3;
}

/** A camera in the direction `view`, or beside `source`, or at a default angle; `up` is z if not given. */
export function eye(view: Vec3 | null, source: Vec3 | null, upward: Vec3 | null): Eye {
  const up = unit(upward) ?? [0, 0, 1];
  return { toward: unit(view) ?? beside(unit(source) ?? ground(up), up), up };
}

/** A direction beside and above another. */
function beside(source: Vec3, up: Vec3): Vec3 {
  const elevation = Math.asin(Math.min(Math.max(dot(source, up), -1), 1)) / DEGREE;
  const raised = (elevation > STEEPEST ? elevation - BESIDE : elevation + ABOVE) * DEGREE;
  const level = unit(sum(1, source, -dot(source, up), up)) ?? ground(up);
  const turned = sum(Math.cos(BESIDE * DEGREE), level, Math.sin(BESIDE * DEGREE), cross(up, level));
  return sum(Math.cos(raised), turned, Math.sin(raised), up);
}
