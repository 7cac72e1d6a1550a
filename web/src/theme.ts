/** Light or dark theme: the preference of the system until the user chooses; the choice is stored. */

export type Theme = "light" | "dark";

const KEY = "phasefront-theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const changes = new EventTarget();

/** Storage may be disabled in a browser: then the choice lasts as long as the page. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function theme(): Theme {
  return document.documentElement.dataset.theme as Theme;
}

function apply(next: Theme): void {
  document.documentElement.dataset.theme = next;
  changes.dispatchEvent(new Event("change"));
}

export function startTheme(): void {
  const chosen = stored();
  apply(chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => stored() ?? apply(dark.matches ? "dark" : "light"));
}

export function toggleTheme(): void {
  const next = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Not stored, but applied.
  }
  apply(next);
}

/** Calls back after each change, until the page is left. */
export function onTheme(callback: () => void, signal: AbortSignal): void {
  changes.addEventListener("change", callback, { signal });
}

/** A color of the style sheet, for canvases. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
