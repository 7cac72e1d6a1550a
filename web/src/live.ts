/** The page of a run in progress: stages, residual or energy, live maps, and a link to the results at its end. */

import { curves } from "./curves";
import { el } from "./dom";
import { hologram, type Hologram } from "./hologram";
import { progress } from "./progress";
import { runLink } from "./routes";
import { connect, type Message } from "./socket";

export function livePage(signal: AbortSignal): HTMLElement {
  const title = el("h1", {}, "Live run");
  const facts = el("p", { class: "facts" }, " ");
  const status = el("p", { class: "status", role: "status" });
  const end = el("div", { role: "status" });
  const stages = progress();
  const series = curves(signal);
  const words = el("ul", { class: "words" });
  const mapHolder = el("div", {});
  let map: Hologram | null = null;
  const message = (m: Message) => {
    switch (m.type) {
      case "hello":
        // A new connection sends the complete state again.
        stages.clear();
        words.replaceChildren();
        end.replaceChildren();
        title.textContent = m.case;
        document.title = `${m.case} (live) · Phasefront`;
        facts.textContent = [m.solver, m.folder].filter((text) => text !== "").join("  ·  ");
        break;
      case "stage":
        return stages.begin(m.id, m.name, m.total, m.unit);
      case "advance":
        return stages.advance(m.id, m.done);
      case "stage_end":
        return stages.end(m.id);
      case "series":
        return series.set(m.series, m.x_label, m.x, m.value);
      case "scalar":
        return series.add(m.series, m.x_label, m.x, m.value);
      case "note":
        return words.append(el("li", {}, m.text));
      case "warning":
        return words.append(el("li", { class: "warning" }, `⚠ ${m.text}`));
      case "end":
        return end.replaceChildren(banner(m));
    }
  };
  connect(
    {
      message,
      frame(frame) {
        if (!map) {
          map = hologram(signal);
          mapHolder.append(map.element);
        }
        map.frame(frame);
      },
      status(connected, text) {
        status.textContent = `${connected ? "●" : "○"} ${text}`;
        status.classList.toggle("lost", !connected);
      },
    },
    signal,
  );
  onSpace(() => map?.togglePause(), signal);
  return el("article", { class: "live" }, title, facts, status, end, stages.element, mapHolder, series.element, words);
}

/** Calls back when the space bar is pressed outside of controls that use it. */
function onSpace(callback: () => void, signal: AbortSignal): void {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== " " || takesSpace(event.target)) return;
    event.preventDefault();
    callback();
  };
  window.addEventListener("keydown", pressed, { signal });
}

/** Whether the focused element uses the space bar itself. */
function takesSpace(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, select, button, textarea, a, summary") !== null;
}

function banner(m: Extract<Message, { type: "end" }>): HTMLElement {
  const words = { finished: "✓ The run is finished.", failed: "✗ The run failed.", stopped: "■ The run was stopped." }[m.state];
  const good = m.state === "finished";
  return el(
    "div",
    { class: `banner ${good ? "pass" : "fail"}` },
    el("p", {}, el("strong", {}, words), ` ${m.message ?? ""}`),
    good ? el("a", { class: "button", href: runLink(m.folder) }, "See the results") : null,
  );
}
