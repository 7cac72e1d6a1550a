/** The WebSocket of a live run: receives messages, and reconnects when the connection drops. */

import { decodeFrame, type Frame } from "./frames";
import type { Num } from "./plots";

export type Message =
  | { type: "hello"; case: string; solver: string; folder: string }
  | { type: "stage"; id: number; name: string; total: number | null; unit: string }
  | { type: "advance"; id: number; done: number }
  | { type: "stage_end"; id: number }
  | { type: "series"; series: string; x_label: string; x: Num[]; value: Num[] }
  | { type: "scalar"; series: string; x_label: string; x: Num; value: Num }
  | { type: "note" | "warning"; text: string }
  | { type: "end"; state: "finished" | "failed" | "stopped"; message: string; folder: string };

export interface Listener {
  message(message: Message): void;
  frame(frame: Frame): void;
  /** Status of the connection for the user. */
  status(connected: boolean, text: string): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

export function connect(listener: Listener, signal: AbortSignal): void {
  let wait = FIRST_WAIT_MS;
  let ended = false;
  const open = () => {
    if (signal.aborted) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/live`);
    socket.binaryType = "arraybuffer";
    const close = () => socket.close();
    signal.addEventListener("abort", close);
    socket.onopen = () => {
      wait = FIRST_WAIT_MS;
      listener.status(true, "Connected");
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== "string") return listener.frame(decodeFrame(data));
      const message = JSON.parse(data) as Message;
      if (message.type === "end") ended = true;
      listener.message(message);
    };
    socket.onclose = () => {
      signal.removeEventListener("abort", close);
      if (signal.aborted) return;
      if (ended) return listener.status(false, "The run has ended; the server is shutting down.");
      listener.status(false, `Connection lost. Trying again in ${wait / 1000} s; what is shown is as old as that.`);
      window.setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    };
  };
  listener.status(false, "Connecting …");
  open();
}
