/** A mesh in space: groups to show and hide, colors by group or by quality, a cut, and the elements to look at. */

import { eye } from "./eye";
import { groupColor } from "./looks";
import type { Mark } from "./marks";
import { Stage } from "./scene";
import { channels, colorNumbers, colorsOf, corners, edges, ends, middle, swatch } from "./triangles";
import { el } from "../dom";
import { number } from "../format";
import { onTheme } from "../theme";
import type { MeshPart, MeshPlot, Vec3 } from "../plots";

/** Fraction of ambient light: high, because colors are compared with the list and the bar. */
const AMBIENT = 0.7;
const AXES = ["x", "y", "z"];
/** Positions of the slider of the cut, and decimals of its place in meters. */
const STEPS = 200;
const DIGITS = 9;

export function meshChart(plot: MeshPlot, signal: AbortSignal): HTMLElement {
  const numbers = colorNumbers(plot.surface.parts);
  // Groups without triangles only keep the colors of the others.
  const shown = plot.surface.parts.map((part, i) => ({ part, color: numbers[i] })).filter(({ part }) => part.triangles.length > 0);
  if (shown.length === 0) return el("p", { class: "note" }, "The mesh has nothing to show.");
  const parts = shown.map(({ part }) => part);
  const own = (i: number) => channels(shown[i].color === null ? null : groupColor(shown[i].color as number));
  const marks: Mark[] = plot.marks.map(({ name, position }) => ({ name, position, shown: true }));
  const stage = new Stage(
    {
      label: plot.title,
      surfaces: parts.map((part, i) => ({
        positions: corners(plot, part), colors: colorsOf(part, own(i)), lines: edges(plot, part), shown: part.shown,
      })),
      ambient: AMBIENT,
      eye: eye(plot.view, null, null),
      bar: null,
      source: null,
      axes: false,
      marks,
      describe: (triangle, surface) => describe(plot, parts[surface], triangle),
    },
    signal,
  );
  const swatches = parts.map((_, i) => swatch(own(i)));
  const byQuality = el("select", { onchange: () => paint() }, el("option", { value: "group" }, "group"), el("option", { value: "quality" }, "quality of elements"));
  const paint = () => {
    const quality = byQuality.value === "quality";
    parts.forEach((part, i) => {
      stage.color(i, colorsOf(part, quality ? null : own(i)));
      swatches[i].style.background = `rgb(${own(i).join(" ")})`;
    });
    stage.scale(quality ? { range: [0, 1], colors: "sequential", label: "quality of the element" } : null);
  };
  onTheme(paint, signal);
  const side = el(
    "div",
    { class: "mesh-side" },
    el("label", { class: "row" }, "Color by", byQuality),
    groupList(parts, swatches, (i, on) => stage.show(i, on)),
    cutControls(plot, parts, (plane) => stage.cut(plane)),
    plot.marks.length > 0 ? markList(plot, stage) : null,
    plot.surface.coarse ? el("p", { class: "note" }, COARSE) : null,
  );
  return el("div", { class: "mesh" }, stage.element, side);
}

const COARSE = "The mesh is large: triangles that are small on the page are merged here. The file of the mesh has all.";

function describe(plot: MeshPlot, part: MeshPart, triangle: number): string {
  const at = middle(plot, part, triangle).map((x) => number(x, 4)).join(", ");
  return `${part.name} (${part.kind}) at (${at}) m: quality ${(part.quality[triangle] / 100).toFixed(2)}`;
}

function checkbox(checked: boolean, changed: (on: boolean) => void): HTMLInputElement {
  const box = el("input", { type: "checkbox", checked, onchange: () => changed(box.checked) });
  return box;
}

function groupList(parts: MeshPart[], swatches: HTMLElement[], changed: (index: number, on: boolean) => void): HTMLElement {
  const row = (part: MeshPart, i: number) =>
    el(
      "label",
      { class: "row" },
      checkbox(part.shown, (on) => changed(i, on)),
      swatches[i],
      el("span", {}, part.name, el("span", { class: "note" }, part.name === part.kind ? "" : ` ${part.kind}`)),
    );
  return el("fieldset", { class: "groups" }, el("legend", {}, "Groups"), ...parts.map(row));
}

/** The cut leaves out the side of the first camera. */
function cutControls(plot: MeshPlot, parts: MeshPart[], changed: (plane: { toward: Vec3; most: number } | null) => void): HTMLElement {
  const place = el("output", {}, "");
  const slider = el("input", {
    type: "range", min: 0, max: STEPS, value: STEPS / 2, step: 1, disabled: true, "aria-label": "Place of the cut", oninput: () => cut(),
  });
  const choice = el(
    "select",
    { onchange: () => cut() },
    el("option", { value: "" }, "nothing"),
    ...AXES.map((axis, k) => el("option", { value: k }, `across ${axis}`)),
  );
  const cut = () => {
    slider.disabled = choice.value === "";
    place.textContent = "";
    if (slider.disabled) return changed(null);
    const axis = Number(choice.value);
    const [low, high] = ends(plot, parts, axis);
    const share = Number(slider.value) / STEPS;
    // In the middle of a symmetric model rounding errors must not be told.
    const at = Number(((1 - share) * low + share * high).toFixed(DIGITS));
    const text = `${AXES[axis]} = ${number(at, 4)} m`;
    place.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    const sign = plot.view[axis] < 0 ? -1 : 1;
    changed({ toward: AXES.map((_, k) => (k === axis ? sign : 0)) as Vec3, most: sign * at });
  };
  return el("div", { class: "cut" }, el("label", { class: "row" }, "Cut off", choice), slider, place);
}

function markList(plot: MeshPlot, stage: Stage): HTMLElement {
  const row = ({ name, note, position }: MeshPlot["marks"][number], i: number) =>
    el(
      "div",
      { class: "mark" },
      el("label", { class: "row" }, checkbox(true, (on) => stage.mark(i, on)), el("span", {}, el("strong", {}, name), `: ${note}`)),
      el("button", { type: "button", "aria-label": `Look at the element: ${name}`, onclick: () => stage.lookAt(position) }, "Look at it"),
    );
  return el("fieldset", {}, el("legend", {}, "Elements"), ...plot.marks.map(row));
}
