// Plays a live run to the sockets of the mock: a hologram at 60 frames a second, or a time-domain solver that keeps running.

const HOLOGRAM = { size: 32, half: 0.31, frequencies: [250, 500, 1000, 2000, 4000], rate: 60 };

/** A run of the solver; `clients` gives the sockets that listen. */
export function playLive(solver, clients) {
  const log = { case: solver === "nah" ? "two-monopoles" : "slab", solver, folder: `demo/${solver === "nah" ? "two-monopoles" : "slab"}` };
  const run = { log, series: new Map(), frames: new Map(), stages: new Map(), words: [], end: null };
  const send = (message) => {
    remember(run, message);
    for (const socket of clients()) socket.send(JSON.stringify(message));
  };
  const sendFrame = (frame) => {
    const bytes = encodeFrame(frame.header, frame.values);
    run.frames.set(frame.header.name, bytes);
    for (const socket of clients()) socket.send(bytes);
  };
  const stop = solver === "nah" ? playHologram(send, sendFrame) : playSlab(send);
  return {
    greet: (socket) => greet(run, socket),
    finish() {
      stop();
      send({ type: "end", state: "finished", message: "2 of 2 checks pass", folder: log.folder });
    },
    close: stop,
  };
}

/** What a new client is told first. */
function greet(run, socket) {
  const send = (message) => socket.send(JSON.stringify(message));
  send({ type: "hello", ...run.log });
  for (const { stage, done } of run.stages.values()) {
    send(stage);
    send({ type: "advance", id: stage.id, done });
  }
  for (const [series, known] of run.series) send({ type: "series", series, ...known });
  run.words.forEach(send);
  for (const bytes of run.frames.values()) socket.send(bytes);
  if (run.end) send(run.end);
}

function remember(run, message) {
  if (message.type === "stage") run.stages.set(message.id, { stage: message, done: 0 });
  else if (message.type === "advance") run.stages.get(message.id).done = message.done;
  else if (message.type === "stage_end") run.stages.delete(message.id);
  else if (message.type === "scalar") {
    const series = run.series.get(message.series) ?? { x_label: message.x_label, x: [], value: [] };
    series.x.push(message.x);
    series.value.push(message.value);
    run.series.set(message.series, series);
  } else if (message.type === "end") run.end = message;
  else run.words.push(message);
}

/** The header is padded with spaces, so that the values behind it are aligned. */
export function encodeFrame(header, values) {
  let text = JSON.stringify({ type: "frame", ...header });
  text += " ".repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const head = Buffer.from(text);
  const bytes = Buffer.alloc(4 + head.length + 4 * values.length);
  bytes.writeUInt32LE(head.length, 0);
  head.copy(bytes, 4);
  values.forEach((value, i) => bytes.writeFloatLE(value, 4 + head.length + 4 * i));
  return bytes;
}

function playHologram(send, sendFrame) {
  const { frequencies, rate } = HOLOGRAM;
  send({ type: "stage", id: 1, name: "listen", total: 600, unit: "blocks" });
  send({ type: "note", text: "64 microphones at 51.2 kHz" });
  send({ type: "warning", text: "channel 17 is clipped" });
  let number = 0;
  const timer = setInterval(() => {
    number += 1;
    for (const frequency of frequencies) sendFrame(hologramFrame(frequency, number));
    if (number % 6 === 0) send({ type: "advance", id: 1, done: Math.min(number / 6, 600) });
    if (number % 30 === 0) send({ type: "scalar", series: "level_db", x_label: "time (s)", x: number / rate, value: 94 + 2 * Math.sin(number / 90) });
  }, 1000 / rate);
  return () => clearInterval(timer);
}

/** Two sources whose levels beat against each other; deeper frequencies are wider and louder. */
function hologramFrame(frequency, number) {
  const { size, half, rate } = HOLOGRAM;
  const width = 0.05 + 60 / frequency;
  const values = [];
  for (let row = 0; row < size; row += 1) {
    for (let col = 0; col < size; col += 1) {
      const [x, y] = [col, row].map((i) => -half + (2 * half * i) / (size - 1));
      const at = (cx, cy, phase) =>
        (1.2 + Math.sin((2 * Math.PI * number) / rate + phase)) * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / width ** 2);
      values.push(100 - 6 * Math.log2(frequency / 250) + 20 * Math.log10(at(-0.1, 0.08, 0) + at(0.12, -0.06, 2) + 0.02));
    }
  }
  // A microphone that is broken.
  values[5 * size + 7] = NaN;
  const ends = [-half, half];
  const labels = { x_label: "x (m)", y_label: "y (m)", value_label: "sound pressure level (dB re 20 uPa)" };
  return { header: { name: `${frequency} Hz`, number, rows: size, cols: size, x: ends, y: ends, ...labels }, values };
}

function playSlab(send) {
  send({ type: "stage", id: 1, name: "mesh", total: null, unit: "" });
  send({ type: "stage_end", id: 1 });
  send({ type: "stage", id: 2, name: "march", total: 4000, unit: "steps" });
  let step = 0;
  const timer = setInterval(() => {
    step = Math.min(step + 20, 4000);
    send({ type: "advance", id: 2, done: step });
    send({ type: "scalar", series: "energy_drop_db", x_label: "step", x: step, value: -0.02 * step + 2 * Math.sin(step / 60) });
    send({ type: "scalar", series: "residual", x_label: "step", x: step, value: 10 ** (-step / 500) });
  }, 50);
  return () => clearInterval(timer);
}
