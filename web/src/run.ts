/** The page of one run. */

import { fileUrl, getPlots, getResult, type RunResult } from "./api";
import { figure, printed } from "./charts/figure";
import { el, type Child } from "./dom";
import { seconds } from "./format";
import { checksTable, filesTable, metricsTable, settingsTable, stagesTable, trustTable } from "./tables";

export async function runPage(path: string, signal: AbortSignal): Promise<HTMLElement> {
  const [result, plots] = await Promise.all([getResult(path), getPlots(path)]);
  // The folder tells two runs of one case apart.
  document.title = [result.case, path, "Phasefront"].filter((text) => text !== "").join(" · ");
  const figures = plots ? plots.plots.map((plot) => figure(path, plot, signal)) : oldPlots(path, result);
  const hint = plots && el("p", { class: "note" }, HINT);
  const warnings = result.warnings.map((text) => el("li", { class: "warning" }, `⚠ ${text}`));
  return el(
    "article",
    {},
    heading(path, result),
    section("Warnings", warnings.length > 0 && el("ul", {}, ...warnings)),
    section("Checks", result.checks.length > 0 && checksTable(result.checks)),
    section("How far to trust this", result.trust?.length ? trustTable(result.trust) : null),
    section("Plots", figures.length > 0 && el("div", {}, hint, el("div", { class: "figures" }, ...figures))),
    section("Metrics", Object.keys(result.metrics).length > 0 && metricsTable(result.metrics)),
    section("Time", stagesTable(result.seconds)),
    section("Files", filesTable(path, [...result.files, { name: "result.json", bytes: size(result), what: "this page's numbers" }])),
    el("details", {}, el("summary", {}, "Settings"), settingsTable(result.settings)),
  );
}

const HINT =
  "Drag over a plot to zoom, double click to see the whole; bodies turn. Click a name in a legend to hide it. By keyboard: Tab to a plot, then arrows, + and −, and 0 for the whole.";

function section(title: string, content: Child): HTMLElement | null {
  return content ? el("section", {}, el("h2", {}, title), content) : null;
}

/** Approximate size of result.json, which does not list itself. */
function size(result: RunResult): number {
  return JSON.stringify(result, null, 2).length;
}

function heading(path: string, result: RunResult): HTMLElement {
  const whole = Object.values(result.seconds).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const passed = result.checks.filter((check) => check.pass).length;
  const good = passed === result.checks.length;
  const checked = good ? `✓ all ${passed} checks pass` : `✗ ${result.checks.length - passed} of ${result.checks.length} checks fail`;
  // Checks that pass do not outweigh a warning: they compare some values only.
  const warned = ["", "; read the warning"][result.warnings.length] ?? `; read the ${result.warnings.length} warnings`;
  const repeatable = result.deterministic ? "repeatable to the bit" : "not repeatable to the bit";
  const facts = [result.solver, result.device, `${result.precision} precision`, seconds(whole), repeatable, result.software];
  const hasReport = result.files.some((file) => file.name === "report.html");
  return el(
    "div",
    { class: "heading" },
    el("h1", {}, result.case),
    el("p", { class: "facts" }, [path, ...facts].filter((text) => text !== "").join("  ·  ")),
    result.checks.length > 0 ? el("p", { class: `verdict ${good && warned === "" ? "pass" : "fail"}` }, checked + warned) : null,
    hasReport ? el("a", { class: "button", href: fileUrl(path, "report.html"), target: "_blank", rel: "noopener" }, "Report to print") : null,
  );
}

/** Runs without `plots.json` have only static plots. */
function oldPlots(path: string, result: RunResult): HTMLElement[] {
  const pictures = result.files.filter((file) => file.name.endsWith(".svg"));
  return pictures.map((file) => {
    const name = file.name.replace(/\.svg$/, "");
    return el("figure", {}, el("div", { class: "card white" }, printed(path, name, file.what, "")), el("figcaption", {}, file.what));
  });
}
