/** Live frames as binary messages: a JSON header, followed by the values. */

import type { Range } from "./plots";

export interface FrameHeader {
  type: "frame";
  name: string;
  number: number;
  rows: number;
  cols: number;
  x: Range;
  y: Range;
  x_label: string;
  y_label: string;
  value_label: string;
}

export interface Frame extends FrameHeader {
  /** Row by row, row 0 at `y[0]`; NaN marks a missing value. */
  values: Float32Array;
}

/** Parses a binary message: length of the header, header padded to a multiple of four bytes, float32 values, little-endian. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as FrameHeader;
  const count = header.rows * header.cols;
  if (buffer.byteLength !== 4 + length + 4 * count) {
    throw new Error(`frame "${header.name}" has ${buffer.byteLength - 4 - length} bytes for ${count} values`);
  }
  return { ...header, values: new Float32Array(buffer, 4 + length, count) };
}

/** Evenly spaced positions from the first to the last. */
export function spaced([first, last]: Range, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (count === 1 ? first : first + ((last - first) * i) / (count - 1)));
}

/** The frequency in a name such as `1000 Hz`; none in other names. */
export function hertz(name: string): number | null {
  const match = /^([\d.]+(?:e[+-]?\d+)?)\s*Hz$/i.exec(name);
  return match ? Number(match[1]) : null;
}

/** Names sorted by frequency, then alphabetically. */
export function ordered(names: string[]): string[] {
  return [...names].sort((a, b) => (hertz(a) ?? Infinity) - (hertz(b) ?? Infinity) || a.localeCompare(b));
}
