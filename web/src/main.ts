/** Starts the application: header with theme and links, and below it the page that the address selects. */

import "./style.css";
import { ApiError, getState, type State } from "./api";
import { comparePage } from "./compare";
import { el } from "./dom";
import { livePage } from "./live";
import { meshPage } from "./mesh";
import { runPage } from "./run";
import { runsPage } from "./runs";
import { liveLink, parseRoute, runsLink, type Route } from "./routes";
import { onTheme, startTheme, theme, toggleTheme } from "./theme";

const main = el("main", { id: "main", tabindex: -1 });
/** Stops the activities of the previous page: polls, sockets, animations. */
let current = new AbortController();

async function show(route: Route, state: State): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  main.replaceChildren(el("p", { class: "note" }, "Loading …"));
  mark(route);
  try {
    const page = await build(route, state, signal);
    if (!signal.aborted) main.replaceChildren(page);
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(problem(error));
  }
}

async function build(route: Route, state: State, signal: AbortSignal): Promise<HTMLElement> {
  switch (route.page) {
    case "run":
      return runPage(route.path, signal);
    case "compare":
      return comparePage(route.paths, signal);
    case "live":
      return livePage(signal);
    default:
      return state.mesh ? meshPage(signal) : runsPage(state, signal);
  }
}

function problem(error: unknown): HTMLElement {
  const { message, help } = error instanceof ApiError ? error : { message: String(error), help: "" };
  return el("div", { class: "problem", role: "alert" }, el("h1", {}, "This could not be shown"), el("p", {}, message), el("p", {}, help));
}

/** Marks the header link of the current page. */
function mark(route: Route): void {
  document.title = "Phasefront";
  for (const link of document.querySelectorAll("header nav a")) {
    const here = link.getAttribute("href") === (route.page === "live" ? liveLink : route.page === "runs" ? runsLink : "");
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function head(state: State | null): HTMLElement {
  const button = el("button", { type: "button", class: "theme", onclick: toggleTheme });
  const name = () => (button.textContent = theme() === "dark" ? "Light" : "Dark");
  onTheme(name, new AbortController().signal);
  name();
  button.setAttribute("title", "Change between light and dark");
  const skip = (event: Event) => {
    event.preventDefault();
    main.focus();
  };
  return el(
    "header",
    {},
    el("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the content"),
    el("a", { class: "brand", href: runsLink }, "Phasefront"),
    el(
      "nav",
      { "aria-label": "Pages" },
      el("a", { href: runsLink }, state?.mesh ? "Mesh" : "Runs"),
      state?.live ? el("a", { href: liveLink }, "Live") : null,
    ),
    el("span", { class: "root" }, state ? [state.mesh ? "" : state.root, state.version].filter(Boolean).join("  ·  ") : ""),
    button,
  );
}

async function start(): Promise<void> {
  startTheme();
  let state: State;
  try {
    state = await getState();
  } catch (error) {
    document.body.append(head(null), main);
    main.append(problem(error));
    return;
  }
  document.body.append(head(state), main);
  // Open a live run directly.
  if (state.live && location.hash === "") location.replace(liveLink);
  window.addEventListener("hashchange", () => {
    window.scrollTo(0, 0);
    void show(parseRoute(location.hash), state);
  });
  await show(parseRoute(location.hash), state);
}

void start();
