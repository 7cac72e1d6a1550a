/** Color maps, the same as in the static plots (crates/report/src/plot/colormap.rs). */

import type { ColorName } from "../plots";

/** Evenly spaced anchors: viridis, RdBu, twilight, and a heat map with uniformly decreasing lightness. */
const ANCHORS: Record<ColorName, number[]> = {
  sequential: [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725],
  diverging: [
    0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f,
  ],
  phase: [0xe2d9e2, 0x9ebbc9, 0x6785be, 0x5e43a5, 0x421257, 0x471340, 0x8e2c50, 0xba6657, 0xceac94, 0xe2d9e2],
  heat: [0xdfdfdf, 0xd9c8a7, 0xd9ac71, 0xdd8c43, 0xe3631e, 0xe91c0b, 0xc7012d, 0xa40022, 0x820019],
};

/** Number of intervals between anchors. */
export function intervals(name: ColorName): number {
  return ANCHORS[name].length - 1;
}

export type Rgb = [number, number, number];

/** The color at `t` in 0..1. */
export function colorAt(name: ColorName, t: number): Rgb {
  const anchors = ANCHORS[name];
  const place = Math.min(Math.max(t, 0), 1) * (anchors.length - 1);
  const left = Math.min(Math.floor(place), anchors.length - 2);
  const part = place - left;
  const mix = (shift: number) => {
    const a = (anchors[left] >> shift) & 0xff;
    const b = (anchors[left + 1] >> shift) & 0xff;
    return Math.round(a + part * (b - a));
  };
  return [mix(16), mix(8), mix(0)];
}

/** Steps of a palette: finer ones are not visible. */
export const STEPS = 256;

/** A palette as pixels of an ImageData, in the byte order of this machine. */
export function palette(name: ColorName): Uint32Array {
  const bytes = new Uint8ClampedArray(4 * STEPS);
  for (let i = 0; i < STEPS; i += 1) bytes.set([...colorAt(name, i / (STEPS - 1)), 255], 4 * i);
  return new Uint32Array(bytes.buffer);
}
