/** Several maps of the same plane with a common color scale and common zoom. */

import { BAR_ROOM, drawBar } from "./axes";
import { colorRange } from "./field";
import { mapView, NO_OVERLAY, type MapView } from "./map";
import { extent } from "./scale";
import { el } from "../dom";
import { onTheme } from "../theme";
import { numbers, type PanelPlot } from "../plots";

const BAR_HEIGHT = 300;

export function panelChart(plot: PanelPlot, signal: AbortSignal): HTMLElement {
  const values = plot.panels.map((panel) => numbers(panel.values));
  const ends = values.flatMap((field) => extent(field) ?? []);
  const range = colorRange(plot, extent(ends));
  const views: MapView[] = plot.panels.map((panel, i) => {
    const moved = (view: Parameters<MapView["setView"]>[0]) =>
      views.forEach((other, j) => j !== i && other.setView(view));
    const field = { ...plot, ...NO_OVERLAY, title: `${plot.title}: ${panel.title}` };
    const view = mapView(field, { range, bar: false, maxHeight: 340, moved }, signal);
    view.setValues(values[i]);
    return view;
  });
  const figures = plot.panels.map((panel, i) =>
    el(
      "section",
      { class: "panel" },
      el("h4", {}, panel.title),
      el("p", { class: "note" }, panel.note ?? ""),
      views[i].element,
    ),
  );
  const bar = el("canvas", { role: "img", "aria-label": `Colors: ${plot.value_label} from ${range[0]} to ${range[1]}` });
  const paint = () => {
    const ratio = window.devicePixelRatio || 1;
    [bar.width, bar.height] = [BAR_ROOM * ratio, (BAR_HEIGHT + 20) * ratio];
    [bar.style.width, bar.style.height] = [`${BAR_ROOM}px`, `${BAR_HEIGHT + 20}px`];
    const context = bar.getContext("2d");
    context?.scale(ratio, ratio);
    const area = { left: -12, top: 10, width: 0, height: BAR_HEIGHT };
    if (context) drawBar(context, area, { range, colors: plot.colors, label: plot.value_label });
  };
  onTheme(paint, signal);
  paint();
  return el("div", { class: "panels" }, el("div", { class: "panel-grid" }, ...figures), bar);
}
