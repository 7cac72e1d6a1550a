/** Reflections and the impedances that belong to them: z = (1 + Γ)/(1 - Γ) in units of the reference. */

import { number } from "../format";

interface Complex {
  x: number;
  y: number;
}

/** A reflection as level, phase and impedance in units of the reference. */
export function describe(reflection: Complex | null): string {
  if (!reflection) return "–";
  const { x, y } = reflection;
  const size = Math.hypot(x, y);
  const phase = (Math.atan2(y, x) * 180) / Math.PI;
  const below = (1 - x) ** 2 + y ** 2;
  const [r, i] = [(1 - x * x - y * y) / below, (2 * y) / below];
  const impedance = `z ${number(r, 3)} ${i < 0 ? "−" : "+"} j${number(Math.abs(i), 3)}`;
  return `${number(20 * Math.log10(size), 4)} dB, ${number(phase, 4)}°, ${impedance}`;
}

/** The reflection of z = t/(1 - t) + jx: from the edge of the chart at t = 0 to the open end at t = 1. */
export function onArc(x: number, t: number): Complex {
  // Γ = (z - 1)/(z + 1) with z scaled by 1 - t, which stays finite at the open end.
  const [re, im] = [t - (1 - t), x * (1 - t)];
  const below = 1 + im * im;
  return { x: (re + im * im) / below, y: (im - re * im) / below };
}
