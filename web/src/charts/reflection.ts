/** Reflection coefficients and normalized impedances: z = (1 + Γ)/(1 - Γ). */

import { number } from "../format";

interface Complex {
  x: number;
  y: number;
}

/** A reflection coefficient as level, phase and normalized impedance. */
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

/** The reflection coefficient of z = t/(1 - t) + jx: from the edge of the chart at t = 0 to the open circuit at t = 1. */
export function onArc(x: number, t: number): Complex {
  // Γ = (z - 1)/(z + 1), scaled by 1 - t, which stays finite at the open circuit.
  const [re, im] = [t - (1 - t), x * (1 - t)];
  const below = 1 + im * im;
  return { x: (re + im * im) / below, y: (im - re * im) / below };
}
