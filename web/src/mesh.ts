/** The page of `phasefront mesh CASE --view`: the mesh of a case, without a run. */

import { ApiError, getPlots } from "./api";
import { figure } from "./charts/figure";
import { el } from "./dom";

export async function meshPage(signal: AbortSignal): Promise<HTMLElement> {
  const file = await getPlots("");
  const [plot] = file?.plots ?? [];
  if (!plot) throw new ApiError("There is no mesh here.", "Start `phasefront mesh CASE --view` again.", 0);
  document.title = `${plot.title} · Phasefront`;
  return el("article", {}, el("h1", {}, "Mesh"), el("div", { class: "figures" }, figure("", plot, signal)));
}
