// A results folder for the tests and for working on the page: a run with every kind of plot, two that compare, one of an older
// program, and one that is not finished. The numbers are formulas, so that tests know them.

import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The file by which the program knows a run that began and did not end (crates/report/src/folder.rs). */
const UNFINISHED = ".unfinished";

const range = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
const grid = (x, y, f) => y.flatMap((v) => x.map((u) => f(u, v)));
const decibel = (power) => (power > 0 ? 10 * Math.log10(power) : null);

/** Fills a folder and gives it back. */
export async function makeFixture(root) {
  await writeRun(root, "scatter/coarse", result("mom", "sweep", 0.01), plotsOfSweep(0.01, "300 MHz"));
  await writeRun(root, "scatter/fine", result("mom", "sweep", 0), plotsOfSweep(0, "600 MHz"));
  await writeRun(root, "kinds", failing(result("dgtd", "kinds", 0)), allKinds());
  const old = result("sbr", "old", 0);
  old.files.push({ name: "rcs.svg", bytes: 120, what: "radar cross section against angle" });
  await writeRun(root, "old", old, null);
  await writeFile(join(root, "old", "rcs.svg"), '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M5 55L85 5" stroke="#000"/></svg>');
  await mkdir(join(root, "unfinished"), { recursive: true });
  await writeFile(join(root, "unfinished", UNFINISHED), "");
  await writeFile(join(root, "unfinished", "case.toml"), 'solver = "mom"\n');
  await utimes(join(root, "unfinished", "case.toml"), 1.7e9, 1.7e9);
  return root;
}

async function writeRun(root, path, run, plots) {
  const folder = join(root, path);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "sweep.csv"), "angle_deg,level_db\n0,1\n");
  await writeFile(join(folder, "report.html"), `<!doctype html><title>${run.case}</title><h1>${run.case}</h1>`);
  await writeFile(join(folder, "result.json"), JSON.stringify(run, null, 2));
  if (plots) await writeFile(join(folder, "plots.json"), JSON.stringify({ version: 1, plots }));
}

function result(solver, name, off) {
  const check = (what, value, reference, tolerance) => ({
    name: what, value, reference, tolerance, pass: Math.abs(value - reference) <= tolerance, source: "Mie series", unit: "dBsm",
  });
  return {
    version: 1, software: "phasefront 0.1.0", solver, case: name, device: "CPU, 2 threads, AVX-512", precision: "double", seed: null,
    deterministic: true,
    settings: { solver: `"${solver}"`, "source.frequency": '"300 MHz"' },
    seconds: { fill: 0.0123, solve: 0.25, report: 1.5 },
    metrics: { unknowns: off ? 500 : 1000, residual: 3.3639e-15, condition: null },
    checks: [check("forward", 34.58 + off, 34.58, 0.03), check("back", 3.18 + off, 3.18, 0.03)],
    trust: [
      trust("residual", 3.3639e-15, 1e-6, "at_most", "", "Sampled rows of the equations hold to rounding."),
      trust("edge length", 0.0625, 0.1, "at_most", "m", "Every edge is shorter than a tenth of the wavelength, which a first-order basis needs."),
    ],
    warnings: [],
    files: [
      { name: "sweep.csv", bytes: 27, what: "level against angle" },
      { name: "report.html", bytes: 60, what: "the report" },
    ],
  };
}

function trust(name, value, limit, bound, unit, sentence) {
  return { name, value, limit, bound, unit, sentence };
}

function failing(run) {
  run.checks.push({ name: "sideways", value: 9, reference: 1, tolerance: 0.5, pass: false, source: "a measurement" });
  run.warnings.push("the mesh has 3 slivers");
  const coarse = "The shortest wavelength has too few points: refine the mesh, or lower the highest frequency of the pulse.";
  run.trust.push(trust("points per wavelength", 3.2, 5, "at_least", "", coarse));
  run.trust.push(trust("energy left", null, 1e-4, "at_most", "", "The energy at the end was not recorded: give the run a longer duration."));
  return run;
}

function plotsOfSweep(off, frequency) {
  const x = range(0, 360, off ? 181 : 361);
  const y = x.map((a) => decibel((1.2 + Math.cos((3 * a * Math.PI) / 180)) ** 2 + off));
  const series = [{ label: "TM", x, y, style: "solid" }];
  return [
    { kind: "line", name: "echo", title: `Echo width, TM, ${frequency}`, caption: "", x: axis("angle (deg)"), y: axis("echo width (dB m)"), series },
    { ...polar(series), name: "echo_polar", title: "Echo width around" },
  ];
}

function axis(label, log = false, ends = null) {
  return { label, range: ends, log };
}

function polar(series) {
  return { kind: "polar", caption: "", angle_label: "angle (deg)", radial_label: "echo width (dB m)", floor: null, top: null, series };
}

function allKinds() {
  return [line(), { ...polar(lobes()), name: "lobes", title: "Lobes" }, smith(), map(), phase(), movie(), panels(), dots(), body(), pattern(), mesh()];
}

function line() {
  const x = range(1, 1000, 400);
  const series = [
    { label: "residual", x, y: x.map((i) => 10 ** (-i / 100)), style: "solid" },
    { label: "bound", x, y: x.map((i) => 3 * 10 ** (-i / 100)), style: "dashed" },
    { label: "measured", x: range(1, 1000, 21), y: range(1, 1000, 21).map((i) => 0.3 * 10 ** (-i / 100)), style: "points" },
  ];
  return { kind: "line", name: "residual", title: "Residual", caption: "Against steps, logarithmic.", x: axis("step"), y: axis("residual", true), series };
}

function lobes() {
  const x = range(0, 360, 361);
  const lobe = (n) => x.map((a) => decibel(Math.cos((n * a * Math.PI) / 360) ** 2));
  return [{ label: "two", x, y: lobe(2), style: "solid" }, { label: "four", x, y: lobe(4), style: "solid" }];
}

function smith() {
  const t = range(0, 1, 101);
  const turn = (i) => [0.7 * i * Math.cos(6 * i), 0.7 * i * Math.sin(6 * i)];
  const series = [{ label: "S11", x: t.map((i) => turn(i)[0]), y: t.map((i) => turn(i)[1]), style: "solid" }];
  return { kind: "smith", name: "smith", title: "Reflection", caption: "", label: "reference 50 ohm", series, marks: [{ at: [0, 0], label: "match" }] };
}

const FIELD = { x: range(-2, 2, 81), y: range(-1, 1, 41) };
const OVER = { range: null, stretched: false, contours: [], lines: [], faint_lines: [], outlines: [] };
const LABELS = { caption: "", x_label: "x (m)", y_label: "y (m)" };

function circle(r) {
  return range(0, 2 * Math.PI, 61).map((a) => [r * Math.cos(a), r * Math.sin(a)]);
}

/** A wave around a body that hides its inside. */
function map() {
  const f = (x, y) => (Math.hypot(x, y) < 0.5 ? null : 1 + Math.cos(4 * x) * Math.exp(-(y * y)));
  return {
    kind: "map", name: "field", title: "Field", ...LABELS, ...FIELD, ...OVER, value_label: "|E| (V/m)", values: grid(FIELD.x, FIELD.y, f),
    colors: "sequential", contours: [1.5], outlines: [{ points: circle(0.5), closed: true, filled: true }],
  };
}

function phase() {
  const f = (x, y) => (Math.atan2(y, x) * 180) / Math.PI;
  return { kind: "map", name: "phase", title: "Phase", ...LABELS, ...FIELD, ...OVER, value_label: "phase (deg)", values: grid(FIELD.x, FIELD.y, f), colors: "phase" };
}

function movie() {
  const times_s = range(0, 4e-9, 25);
  const frames = times_s.map((t) => grid(FIELD.x, FIELD.y, (x, y) => Math.cos(5 * Math.hypot(x, y) - 3e9 * t) / (1 + Math.hypot(x, y))));
  return { kind: "movie", name: "slice", title: "Slice over time", ...LABELS, ...FIELD, range: null, value_label: "Ez (V/m)", colors: "diverging", times_s, frames };
}

function panels() {
  const panel = (n) => ({ title: `order ${n}`, note: `error ${n} dB`, values: grid(FIELD.x, FIELD.y, (x, y) => Math.sin(n * x) * y) });
  return { kind: "panels", name: "orders", title: "Orders", ...LABELS, ...FIELD, range: null, value_label: "p (Pa)", colors: "sequential", panels: [1, 2, 3].map(panel) };
}

function dots() {
  const places = grid(range(-3, 3, 7), range(-3, 3, 7), (x, y) => [x, y]);
  const [x, y] = [0, 1].map((k) => places.map((p) => p[k]));
  return { kind: "dots", name: "elements", title: "Elements", ...LABELS, x, y, values: places.map(([u, v]) => (360 * (u * u + v * v)) / 18 - 180), side: 0.9, value_label: "phase (deg)", colors: "phase", range: null };
}

/** A box of 2 by 1 by 1 m with hot spots on the side of the source. */
function body() {
  const vertices = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? 1 : -1, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5]);
  const triangles = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
  const values = triangles.map((_, i) => (i >= 10 ? 5 * (i - 9) : i >= 8 ? null : -20));
  return {
    kind: "body", name: "spots", title: "Hot spots", caption: "", value_label: "cross section (dBsm)", vertices, triangles, values,
    range: [-10, 10], source: [1, 0.2, 0.3], up: null, view: null,
  };
}

function pattern() {
  const [theta_deg, phi_deg] = [range(0, 180, 37), range(0, 355, 72)];
  const level = (theta) => decibel(1.5 * Math.sin((theta * Math.PI) / 180) ** 2 + 1e-9);
  const values = theta_deg.flatMap((theta) => phi_deg.map(() => level(theta)));
  return { kind: "pattern", name: "pattern", title: "Dipole", caption: "", value_label: "directivity (dBi)", theta_deg, phi_deg, values, floor: null, view: null };
}

/** A board of 2 by 2 by 0.2 m with a patch over it, in air; elements at the patch are the worse ones. */
function mesh() {
  const box = (origin) => [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1 ? 40 : 0, i & 2 ? 40 : 0, i & 4 ? origin : 0]);
  const sides = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  const after = (count) => sides.map((i) => i + count);
  const patch = [[10, 10, 5], [30, 10, 5], [10, 30, 5], [30, 30, 5]].flat();
  const part = (name, kind, triangles, quality, shown) => ({ name, kind, shown, triangles, quality: triangles.filter((_, i) => i % 3 === 0).map(() => quality) });
  const parts = [
    part("air", "vacuum", after(8), 80, false), part("none", "material", [], 0, true), part("board", "material", sides, 60, true),
    part("patch", "conductor", [16, 17, 18, 17, 19, 18], 25, true),
  ];
  return {
    kind: "mesh", name: "mesh", title: "Mesh of kinds, 12 tetrahedra", caption: "By groups.", view: [0.3, -0.5, 1],
    surface: { origin: [-1, -1, 0], spacing: 0.05, coarse: false, vertices: [...box(4), ...box(40), ...patch], parts },
    marks: [
      { name: "limits the time step", note: "a smallest altitude of 200 mm, in board", position: [0, 0, 0.1] },
      { name: "worst shape", note: "a quality of 0.250, in board", position: [0, 0, 0.1] },
    ],
  };
}

if (process.argv[2] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await makeFixture(process.argv[2]);
}
