/** Tables of a run: checks, self-checks, metrics, stages, settings and files. */

import { fileUrl, holds, type Check, type FileEntry, type RunResult, type SelfCheck } from "./api";
import { el, table } from "./dom";
import { bytes, number, seconds, spoken } from "./format";

/** A mark that does not rely on color alone. */
export function passMark(pass: boolean): HTMLElement {
  return el("span", { class: `word ${pass ? "pass" : "fail"}` }, pass ? "✓ pass" : "✗ fail");
}

export function checksTable(checks: Check[]): HTMLElement {
  const sources = [...new Set(checks.map((check) => check.source))];
  const rows = checks.map((check) => [
    check.name,
    number(check.value, 6),
    number(check.reference, 6),
    `± ${number(check.tolerance, 3)}`,
    check.unit ?? "",
    passMark(check.pass),
    String(sources.indexOf(check.source) + 1),
  ]);
  const head = ["Check", "Value", "Reference", "Tolerance", "Unit", "Result", "Source"];
  return el(
    "div",
    {},
    table("Checks", head, rows, [1, 2, 3]),
    el("ol", { class: "sources note" }, ...sources.map((source) => el("li", {}, source))),
  );
}

/** The self-checks of a run; those that do not hold first, since they limit what the result is worth. */
export function trustTable(trust: SelfCheck[]): HTMLElement {
  const ordered = [...trust.filter((check) => !holds(check)), ...trust.filter(holds)];
  const rows = ordered.map((check) => {
    const unit = check.unit ? ` ${check.unit}` : "";
    const good = holds(check);
    return [
      check.name,
      el("span", { class: `word ${good ? "pass" : "fail"}` }, good ? "✓ holds" : "⚠ warning"),
      `${number(check.value, 4)}${check.value === null ? "" : unit}`,
      `${check.bound === "at_most" ? "≤" : "≥"} ${number(check.limit, 4)}${unit}`,
      el("span", { class: "sentence" }, check.sentence),
    ];
  });
  return table("How far to trust this", ["Self-check", "Result", "Value", "Limit", "What it means"], rows, [2, 3]);
}

export function metricsTable(metrics: RunResult["metrics"]): HTMLElement {
  const rows = Object.entries(metrics).map(([name, value]) => [spoken(name), number(value, 7)]);
  return table("Metrics", ["Metric", "Value"], rows, [1]);
}

/** The time of each stage, with a bar for its share. */
export function stagesTable(stages: RunResult["seconds"]): HTMLElement {
  const whole = Object.values(stages).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const rows = Object.entries(stages).map(([name, value]) => {
    const share = whole > 0 ? (value ?? 0) / whole : 0;
    const bar = el("span", { class: "share" });
    bar.style.width = `${(100 * share).toFixed(1)}%`;
    return [name, seconds(value), el("span", { class: "shares", "aria-hidden": "true" }, bar)];
  });
  return table("Time of each stage", ["Stage", "Time", "Share"], [...rows, ["all", seconds(whole), ""]], [1]);
}

export function settingsTable(settings: RunResult["settings"]): HTMLElement {
  const rows = Object.entries(settings).map(([name, value]) => [el("code", {}, name), el("code", {}, value)]);
  return table("Settings", ["Setting", "Value"], rows);
}

export function filesTable(run: string, files: FileEntry[]): HTMLElement {
  const rows = files.map((file) => {
    const url = fileUrl(run, file.name);
    const save = el("a", { href: `${url}?download`, download: true, "aria-label": `Download ${file.name}` }, "download");
    return [el("a", { href: url, target: "_blank", rel: "noopener" }, file.name), file.what, bytes(file.bytes), save];
  });
  return table("Files", ["File", "Contents", "Size", ""], rows, [2]);
}
