/** Requests to the server. Every failure becomes an `ApiError` with a readable message. */

import type { PlotFile } from "./plots";

export interface State {
  version: string;
  root: string;
  live: boolean;
  /** Whether there is the mesh of a case in place of runs. */
  mesh: boolean;
}

export interface RunEntry {
  path: string;
  state: "finished" | "running" | "stopped";
  solver: string | null;
  case: string | null;
  device: string | null;
  seconds: number | null;
  checks: number | null;
  checks_passed: number | null;
  modified_unix_s: number;
}

export interface Check {
  name: string;
  value: number | null;
  reference: number | null;
  tolerance: number | null;
  pass: boolean;
  source: string;
  unit?: string;
}

/** A figure by which a run judges its own result. */
export interface SelfCheck {
  name: string;
  value: number | null;
  limit: number;
  bound: "at_most" | "at_least";
  unit: string;
  sentence: string;
}

/** Whether the value is on the good side of its limit; one that could not be measured is not. */
export function holds({ value, limit, bound }: SelfCheck): boolean {
  if (value === null) return false;
  return bound === "at_most" ? value <= limit : value >= limit;
}

export interface FileEntry {
  name: string;
  bytes: number;
  what: string;
}

export interface RunResult {
  version: number;
  software: string;
  solver: string;
  case: string;
  device: string;
  precision: string;
  seed: number | null;
  deterministic: boolean;
  settings: Record<string, string>;
  /** SHA-256 by name. Runs of earlier versions have none. */
  inputs?: Record<string, string>;
  seconds: Record<string, number | null>;
  metrics: Record<string, number | null>;
  checks: Check[];
  /** Runs of earlier versions have none. */
  trust?: SelfCheck[];
  warnings: string[];
  files: FileEntry[];
}

export class ApiError extends Error {
  constructor(
    message: string,
    readonly help: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const UNREACHABLE = "If the program was stopped, start it again with `phasefront view`, then reload this page.";

async function json<T>(url: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { accept: "application/json" } });
  } catch {
    throw new ApiError("The server does not answer.", UNREACHABLE, 0);
  }
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const name = decodeURIComponent(url);
    if (response.ok) throw new ApiError(`${name} is not valid JSON.`, "It may be half written: try again.", 0);
    throw new ApiError(`${name}: ${response.status} ${response.statusText}`, "", response.status);
  }
  if (!response.ok) {
    const { error, help } = body as { error?: string; help?: string };
    throw new ApiError(error ?? `${url}: ${response.status}`, help ?? "", response.status);
  }
  return body as T;
}

/** Address of a file of a run. */
export function fileUrl(run: string, name: string): string {
  const segments = [...run.split("/"), ...name.split("/")].filter((segment) => segment !== "");
  return `/files/${segments.map(encodeURIComponent).join("/")}`;
}

export const getState = () => json<State>("/api/state");

export const getRuns = async () => (await json<{ runs: RunEntry[] }>("/api/runs")).runs;

export const getResult = (run: string) => json<RunResult>(fileUrl(run, "result.json"));

/** The plots of a run; none for runs without `plots.json`. */
export async function getPlots(run: string): Promise<PlotFile | null> {
  try {
    const file = await json<PlotFile>(fileUrl(run, "plots.json"));
    if (file.version !== 1) {
      throw new ApiError(`plots.json has version ${file.version}, this page reads 1.`, "Use a newer phasefront to view it.", 0);
    }
    return file;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
