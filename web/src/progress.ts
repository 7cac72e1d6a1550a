/** The stages of a live run with their progress. */

import { el } from "./dom";
import { number } from "./format";

export interface Progress {
  element: HTMLElement;
  begin(id: number, name: string, total: number | null, unit: string): void;
  advance(id: number, done: number): void;
  end(id: number): void;
  /** Clears all stages: a new connection sends those in progress again. */
  clear(): void;
}

interface Stage {
  row: HTMLElement;
  bar: HTMLProgressElement;
  text: HTMLElement;
  total: number | null;
  unit: string;
}

export function progress(): Progress {
  const stages = new Map<number, Stage>();
  const list = el("ol", { class: "stages", "aria-label": "Stages" });
  return {
    element: list,
    begin(id, name, total, unit) {
      const known = stages.get(id);
      if (known) {
        // The number of items that are expected has changed.
        known.total = total;
        if (total) known.bar.max = total;
        return;
      }
      const bar = el("progress", { "aria-label": name, max: total && total > 0 ? total : null });
      const text = el("span", { class: "count" });
      const row = el("li", {}, el("span", { class: "name" }, name), bar, text);
      stages.set(id, { row, bar, text, total, unit });
      list.append(row);
    },
    advance(id, done) {
      const stage = stages.get(id);
      if (!stage) return;
      const { total, unit } = stage;
      if (total) stage.bar.value = done;
      const share = total ? ` of ${number(total)} ${unit} (${Math.round((100 * done) / total)} %)` : ` ${unit}`;
      stage.text.textContent = `${number(done)}${share}`;
    },
    end(id) {
      const stage = stages.get(id);
      if (!stage) return;
      stage.row.classList.add("done");
      stage.bar.max = 1;
      stage.bar.value = 1;
      stage.text.textContent = "✓ done";
    },
    clear() {
      stages.clear();
      list.replaceChildren();
    },
  };
}
