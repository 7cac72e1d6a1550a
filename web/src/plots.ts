/** The types of `plots.json`, which every run writes with its static plots. `null` stands for numbers that are not finite. */

export type Num = number | null;
export type Range = [number, number];
export type ColorName = "sequential" | "diverging" | "phase" | "heat";

export interface Axis {
  label: string;
  range: Range | null;
  log: boolean;
}

export interface Series {
  label: string;
  x: Num[];
  y: Num[];
  style: "solid" | "dashed" | "points";
}

interface Named {
  name: string;
  title: string;
  caption: string;
}

export interface LinePlot extends Named {
  kind: "line";
  x: Axis;
  y: Axis;
  series: Series[];
}

export interface PolarPlot extends Named {
  kind: "polar";
  angle_label: string;
  radial_label: string;
  floor: Num;
  top: Num;
  series: Series[];
}

export interface SmithPlot extends Named {
  kind: "smith";
  label: string;
  series: Series[];
  marks: { at: [number, number]; label: string }[];
}

/** Common fields of maps, panels and dots. */
export interface Colored extends Named {
  x_label: string;
  y_label: string;
  value_label: string;
  x: number[];
  y: number[];
  colors: ColorName;
  range: Range | null;
}

export interface Outline {
  points: [number, number][];
  closed: boolean;
  filled: boolean;
}

/** Overlays of a field. */
export interface Overlay {
  stretched: boolean;
  contours: number[];
  lines: [number, number][][];
  faint_lines: [number, number][][];
  outlines: Outline[];
}

export interface MapPlot extends Colored, Overlay {
  kind: "map";
  values: Num[];
}

/** A map over time, without overlays unless the run provides them. */
export interface MoviePlot extends Colored, Partial<Overlay> {
  kind: "movie";
  times_s: number[];
  frames: Num[][];
}

export interface PanelPlot extends Colored {
  kind: "panels";
  panels: { title: string; note?: string; values: Num[] }[];
}

export interface DotPlot extends Colored {
  kind: "dots";
  values: Num[];
  side: number;
}

export type Vec3 = [number, number, number];

export interface BodyPlot extends Named {
  kind: "body";
  value_label: string;
  vertices: Vec3[];
  triangles: Vec3[];
  values: Num[];
  range: Range | null;
  source: Vec3 | null;
  up: Vec3 | null;
  view: Vec3 | null;
}

export interface PatternPlot extends Named {
  kind: "pattern";
  value_label: string;
  theta_deg: number[];
  phi_deg: number[];
  values: Num[];
  floor: Num;
  view: Vec3 | null;
}

/** A group of a mesh. Triangles are three indices of vertices each; the quality of an element is in percent. */
export interface MeshPart {
  name: string;
  kind: string;
  shown: boolean;
  triangles: number[];
  quality: number[];
}

export interface MeshMark {
  name: string;
  note: string;
  position: Vec3;
}

export interface MeshPlot extends Named {
  kind: "mesh";
  /** Vertices are three integers each, on a grid from `origin` with `spacing`. */
  surface: { origin: Vec3; spacing: number; coarse: boolean; vertices: number[]; parts: MeshPart[] };
  marks: MeshMark[];
  view: Vec3;
}

export type Plot =
  | LinePlot
  | PolarPlot
  | SmithPlot
  | MapPlot
  | MoviePlot
  | PanelPlot
  | DotPlot
  | BodyPlot
  | PatternPlot
  | MeshPlot;

export interface PlotFile {
  version: number;
  plots: Plot[];
}

/** Numbers as a typed array; null becomes NaN. */
export function numbers(values: Num[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? NaN);
}
