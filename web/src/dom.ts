/** Creates elements; text is inserted as text, so that nothing from a file can become markup. */

export type Child = Node | string | null | undefined | false;

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** An element; `onclick: f` adds a listener, `true` sets an attribute without value, `false` and null omit it. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) parent.append(child);
  }
}

/** A table with a header row; numeric cells are right-aligned by the class `number`. */
export function table(caption: string, head: Child[], rows: Child[][], numeric: number[] = []): HTMLElement {
  const cell = (tag: "td" | "th", child: Child, column: number) =>
    el(tag, { class: numeric.includes(column) ? "number" : null, scope: tag === "th" ? "col" : null }, child);
  return el(
    "div",
    { class: "wide", tabindex: 0, role: "group", "aria-label": caption },
    el(
      "table",
      { "aria-label": caption },
      el("thead", {}, el("tr", {}, ...head.map((child, i) => cell("th", child, i)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((child, i) => cell("td", child, i))))),
    ),
  );
}

/** Runs the work before the next animation frame, once for any number of requests. */
export function onceAFrame(work: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      work();
    });
  };
}
