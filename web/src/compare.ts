/** Comparison of runs: common axes, and tables of their numbers. */

import { getPlots, getResult } from "./api";
import { figure } from "./charts/figure";
import { el, table } from "./dom";
import { number, seconds, spoken } from "./format";
import { difference, overlays, shortNames, union, type NamedRun } from "./overlay";
import { runLink } from "./routes";
import { passMark } from "./tables";

export async function comparePage(asked: string[], signal: AbortSignal): Promise<HTMLElement> {
  // A run that is named twice would have two curves of one name.
  const paths = [...new Set(asked)];
  const names = shortNames(paths);
  const runs: NamedRun[] = await Promise.all(
    paths.map(async (path, i) => {
      const [result, plots] = await Promise.all([getResult(path), getPlots(path)]);
      return { name: names[i] || result.case, path, result, plots: plots?.plots ?? [] };
    }),
  );
  document.title = `${runs.map((run) => run.name).join(", ")} compared · Phasefront`;
  const shared = overlays(runs);
  const none = "These runs have no line or polar plot in common: same name, same axes.";
  return el(
    "article",
    {},
    el("h1", {}, `Comparison of ${runs.length} runs`),
    el("h2", {}, "Runs"),
    table("Runs", ["Run", "Folder", "Case", "Solver", "Device", "Time"], runs.map(about), [5]),
    el("h2", {}, "Plots"),
    shared.length === 0 ? el("p", {}, none) : el("div", { class: "figures" }, ...shared.map((plot) => figure(null, plot, signal))),
    el("h2", {}, "Metrics"),
    metrics(runs),
    el("h2", {}, "Checks"),
    checks(runs),
  );
}

function about({ name, path, result }: NamedRun): (Node | string)[] {
  const whole = Object.values(result.seconds).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return [el("a", { href: runLink(path) }, name), path, result.case, result.solver, result.device, seconds(whole)];
}

/** Values of every run, and the differences from the first. */
function metrics(runs: NamedRun[]): HTMLElement {
  const [first, ...others] = runs;
  const head = ["Metric", first.name, ...others.flatMap((run) => [run.name, `${run.name} − ${first.name}`])];
  const rows = union(runs.map((run) => Object.keys(run.result.metrics))).map((name) => {
    const value = (run: NamedRun) => run.result.metrics[name];
    const cells = others.flatMap((run) => [number(value(run), 7), differs(difference(value(run), value(first)))]);
    return [spoken(name), number(value(first), 7), ...cells];
  });
  return table("Metrics", head, rows, head.map((_, i) => i).slice(1));
}

function differs(by: ReturnType<typeof difference>): string {
  if (!by) return "–";
  const sign = by.by > 0 ? "+" : "";
  return Number.isNaN(by.percent) ? `${sign}${number(by.by, 3)}` : `${sign}${number(by.by, 3)} (${sign}${number(by.percent, 3)} %)`;
}

function checks(runs: NamedRun[]): HTMLElement {
  const names = union(runs.map((run) => run.result.checks.map((check) => check.name)));
  if (names.length === 0) return el("p", {}, "None of these runs has checks.");
  const head = ["Check", ...runs.flatMap((run) => [run.name, "Reference", "Result"])];
  const rows = names.map((name) => [
    name,
    ...runs.flatMap((run) => {
      const check = run.result.checks.find((c) => c.name === name);
      if (!check) return ["–", "–", "–"];
      const reference = `${number(check.reference, 6)} ± ${number(check.tolerance, 3)}`;
      return [`${number(check.value, 6)} ${check.unit ?? ""}`, reference, passMark(check.pass)];
    }),
  ]);
  return table("Checks", head, rows, runs.flatMap((_, i) => [3 * i + 1, 3 * i + 2]));
}
