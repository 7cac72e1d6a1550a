/** The list of runs, updated while the folder is written. */

import { ApiError, getRuns, type RunEntry, type State } from "./api";
import { el, table } from "./dom";
import { moment, seconds } from "./format";
import { compareLink, liveLink, runLink } from "./routes";

const POLL_MS = 2000;

export async function runsPage(state: State, signal: AbortSignal): Promise<HTMLElement> {
  const chosen = new Set<string>();
  const holder = el("div", { class: "runs" });
  const filter = el("input", { type: "search", id: "filter", placeholder: "part of a name or solver", oninput: () => list() });
  const compare = el("a", { class: "button", role: "link" });
  const status = el("p", { class: "note", role: "status" });
  let runs = await getRuns();
  const count = () => {
    const enough = chosen.size >= 2;
    compare.textContent = enough ? `Compare ${chosen.size} runs` : "Compare: choose two or more runs";
    if (enough) compare.setAttribute("href", compareLink([...chosen]));
    else compare.removeAttribute("href");
    compare.setAttribute("aria-disabled", String(!enough));
  };
  const list = () => {
    const shown = runs.filter((run) => matches(run, filter.value));
    const focused = document.activeElement?.id ?? "";
    holder.replaceChildren(
      runs.length === 0 ? empty(state) : table("Runs", HEAD, shown.map((run) => row(run, state, chosen, count)), [4]),
    );
    // The list is rebuilt every two seconds: restore the keyboard focus.
    if (focused.startsWith("choose-")) document.getElementById(focused)?.focus();
    count();
  };
  list();
  const timer = window.setInterval(async () => {
    try {
      const next = await getRuns();
      status.textContent = "";
      if (JSON.stringify(next) === JSON.stringify(runs) || signal.aborted) return;
      runs = next;
      list();
    } catch (error) {
      status.textContent = error instanceof ApiError ? `${error.message} ${error.help}` : String(error);
    }
  }, POLL_MS);
  signal.addEventListener("abort", () => window.clearInterval(timer));
  const tools = el("div", { class: "tools" }, el("label", { for: "filter" }, "Filter"), filter, compare);
  return el("div", {}, el("h1", {}, "Runs"), el("p", { class: "note" }, `in ${state.root}`), tools, status, holder);
}

const HEAD = ["Choose", "Run", "Solver", "Checks", "Time", "Device", "Written"];

function matches(run: RunEntry, text: string): boolean {
  const all = `${run.path} ${run.case ?? ""} ${run.solver ?? ""}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

function row(run: RunEntry, state: State, chosen: Set<string>, changed: () => void): (Node | string)[] {
  const name = run.path || run.case || state.root;
  const finished = run.state === "finished";
  const box = el("input", {
    type: "checkbox",
    id: `choose-${run.path}`,
    "aria-label": `Choose ${name}`,
    disabled: !finished,
    onchange: () => {
      if (box.checked) chosen.add(run.path);
      else chosen.delete(run.path);
      changed();
    },
  });
  box.checked = chosen.has(run.path);
  const target = finished ? runLink(run.path) : run.state === "running" && state.live ? liveLink : null;
  return [
    box,
    target ? el("a", { href: target }, name) : name,
    run.solver ?? "",
    finished ? checks(run) : el("span", { class: `state ${run.state}` }, run.state === "running" ? "… running" : "■ stopped"),
    seconds(run.seconds),
    run.device ?? "",
    moment(run.modified_unix_s),
  ];
}

function checks(run: RunEntry): HTMLElement {
  const [all, passed] = [run.checks ?? 0, run.checks_passed ?? 0];
  if (all === 0) return el("span", { class: "note" }, "none");
  const good = all === passed;
  return el("span", { class: `word ${good ? "pass" : "fail"}` }, `${good ? "✓" : "✗"} ${passed} of ${all}`);
}

function empty(state: State): HTMLElement {
  const command = `phasefront demo --out ${state.root}`;
  return el("p", {}, `There are no runs in ${state.root} yet. To have some: `, el("code", {}, command));
}
