/** Formatting of numbers, sizes and times, with a typeset minus and superscript powers of ten. */

const RAISED: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

/** `10⁻⁶`. */
export function powerOfTen(exponent: number): string {
  return `10${[...String(exponent)].map((c) => RAISED[c]).join("")}`;
}

/** A typeset minus; minus zero is zero. */
export function withMinus(text: string): string {
  if (!text.startsWith("-")) return text;
  return /^-[0.]*$/.test(text) ? text.slice(1) : `−${text.slice(1)}`;
}

/** A number with `digits` significant digits; empty if there is none. */
export function number(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  // Counts keep all their digits.
  if (Number.isInteger(value) && size < 1e9) return withMinus(String(value));
  if (size >= 1e-4 && size < 10 ** Math.max(digits, 6)) {
    return withMinus(String(Number(value.toPrecision(digits))));
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${withMinus(String(Number(mantissa)))}·${powerOfTen(Number(exponent))}`;
}

export function bytes(count: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let unit = 0;
  let size = count;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toPrecision(3)} ${units[unit]}`;
}

export function seconds(value: number | null): string {
  if (value === null) return "–";
  if (value < 1e-3) return `${number(value * 1e6, 3)} µs`;
  if (value < 1) return `${number(value * 1e3, 3)} ms`;
  if (value < 120) return `${number(value, 3)} s`;
  const whole = Math.round(value);
  const minutes = Math.floor(whole / 60);
  if (minutes < 120) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Local date and time, to the minute. */
export function moment(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const UNITS: Record<string, string> = {
  db: "dB", dbi: "dBi", dbsm: "dBsm", m: "m", s: "s", hz: "Hz", ghz: "GHz", deg: "deg", pa: "Pa", w: "W", v: "V",
};

/** An identifier as words, with its unit: `energy_drop_db` is `energy drop (dB)`. */
export function spoken(name: string): string {
  const rate = /^(.*)_per_s$/.exec(name);
  if (rate) return `${rate[1].replaceAll("_", " ").replace("gdof", "GDOF")}/s`;
  const parts = /^(.*)_([a-z]+)$/.exec(name);
  const unit = parts ? UNITS[parts[2]] : undefined;
  const words = parts && unit ? parts[1] : name;
  return words.replaceAll("_", " ") + (unit ? ` (${unit})` : "");
}

/** A time with a suitable SI prefix, down to nanoseconds and below. */
export function timeText(seconds: number): string {
  const units: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];
  const [unit, name] = units.find(([size]) => Math.abs(seconds) >= size) ?? (seconds === 0 ? units[3] : units[4]);
  return `${number(seconds / unit, 4)} ${name}`;
}
