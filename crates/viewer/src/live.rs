//! Live runs: the state that is sent to the clients.
//!
//! Events come from the threads of a solver and must not block. They only change a [`State`]; every
//! client has a task of its own that polls it about sixty times a second and sends what this client
//! has not received. A slow client receives fewer frames, and delays neither the run nor other
//! clients; a client that connects late receives the current state.

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use indexmap::IndexMap;
use phasefront_core::{Event, Frame, Sink};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval};

/// Interval of updates to a client.
const TICK: Duration = Duration::from_millis(16);
/// Maximum number of points of a series; above it every second point is dropped, repeatedly.
const MAX_POINTS: usize = 4000;
/// Maximum number of new points that are sent individually; above it the whole series is sent.
const MAX_SINGLE: usize = 100;
/// Maximum number of stored notes and warnings.
const MAX_MESSAGES: usize = 500;
/// How long a finished run waits for a client to reconnect: browsers drop the connection when a
/// page is reloaded.
const GRACE: Duration = Duration::from_secs(3);
/// Interval at which a client is asked whether it is still there. Browsers answer by themselves.
const PING: Duration = Duration::from_secs(20);
/// A client that says nothing for this long is gone.
const MAX_SILENCE: Duration = Duration::from_mins(1);

/// The state sent to the clients of a run. It is the [`Sink`] of the run.
pub struct Live {
    hello: Value,
    state: Mutex<State>,
    pages: AtomicUsize,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// `finished`, `failed` or `stopped`.
    pub state: &'static str,
    /// The error, if any.
    pub message: String,
}

#[derive(Default)]
struct State {
    /// Running stages, in the order in which they began.
    stages: IndexMap<u64, Stage>,
    series: IndexMap<String, Series>,
    messages: Vec<Value>,
    frames: IndexMap<String, Picture>,
    end: Option<End>,
}

struct Stage {
    name: String,
    total: Option<u64>,
    unit: String,
    done: u64,
}

struct Series {
    x_label: String,
    x: Vec<f64>,
    value: Vec<f64>,
    /// How often points were dropped: clients then receive the whole series.
    thinned: u32,
}

struct Picture {
    number: u64,
    bytes: Bytes,
}

/// What a client has received.
#[derive(Default)]
struct Seen {
    hello: bool,
    /// Finished and expected items.
    stages: HashMap<u64, (u64, Option<u64>)>,
    series: HashMap<String, (u32, usize)>,
    messages: usize,
    frames: HashMap<String, u64>,
    end: bool,
}

impl Live {
    /// For a case of that name with results in `folder`, as named in the list of runs.
    pub fn new(case: &str, solver: &str, folder: &str) -> Arc<Self> {
        let hello = json!({"type": "hello", "case": case, "solver": solver, "folder": folder});
        Arc::new(Self { hello, state: Mutex::default(), pages: AtomicUsize::new(0) })
    }

    /// Number of clients.
    pub(crate) fn pages(&self) -> usize {
        self.pages.load(Ordering::Relaxed)
    }

    /// Reports the end of the run to the clients.
    pub fn end(&self, end: End) {
        self.state().end = Some(end);
    }

    /// Waits until no client is connected, or `stop` is set.
    pub fn wait(&self, stop: &AtomicBool) {
        // Time since a client was last connected.
        let mut left = Instant::now();
        while left.elapsed() < GRACE && !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(50));
            if self.pages() > 0 {
                left = Instant::now();
            }
        }
    }

    /// Serves one client until it disconnects.
    pub(crate) async fn attend(&self, mut socket: WebSocket) {
        self.pages.fetch_add(1, Ordering::Relaxed);
        let _page = Leave(&self.pages);
        let mut seen = Seen::default();
        let mut clock = interval(TICK);
        // After a slow send, resume at the normal rate instead of catching up in a burst.
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut ping = interval(PING);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                _ = clock.tick() => {
                    for message in self.news(&mut seen) {
                        if socket.send(message).await.is_err() {
                            return;
                        }
                    }
                }
                _ = ping.tick() => {
                    let asked = socket.send(Message::Ping(Bytes::new())).await;
                    if asked.is_err() || heard.elapsed() > MAX_SILENCE {
                        return;
                    }
                }
                // Clients send nothing but that they are there, and the end of the connection.
                received = socket.recv() => match received {
                    Some(Ok(_)) => heard = Instant::now(),
                    _ => return,
                },
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere must not be masked by a second one here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that a client has not received.
    fn news(&self, seen: &mut Seen) -> Vec<Message> {
        // Everything is copied under the lock and sent after it is released: a slow client must not
        // hold it.
        let state = self.state();
        let mut texts = Vec::new();
        if !std::mem::replace(&mut seen.hello, true) {
            texts.push(self.hello.clone());
        }
        state.stage_news(seen, &mut texts);
        state.series_news(seen, &mut texts);
        texts.extend_from_slice(&state.messages[seen.messages..]);
        seen.messages = state.messages.len();
        let mut messages: Vec<_> = texts.iter().map(as_text).collect();
        for (name, picture) in &state.frames {
            if seen.frames.insert(name.clone(), picture.number) != Some(picture.number) {
                messages.push(Message::Binary(picture.bytes.clone()));
            }
        }
        if let Some(end) = state.end.as_ref().filter(|_| !seen.end) {
            seen.end = true;
            let folder = &self.hello["folder"];
            let end = json!({"type": "end", "state": end.state, "message": end.message, "folder": folder});
            messages.push(as_text(&end));
        }
        messages
    }
}

impl State {
    fn stage_news(&self, seen: &mut Seen, texts: &mut Vec<Value>) {
        // Ends before beginnings, so that the client never shows a finished stage below a new one.
        let gone: Vec<u64> = seen.stages.keys().copied().filter(|id| !self.stages.contains_key(id)).collect();
        for id in gone {
            seen.stages.remove(&id);
            texts.push(json!({"type": "stage_end", "id": id}));
        }
        for (id, stage) in &self.stages {
            let before = seen.stages.insert(*id, (stage.done, stage.total));
            // A page that knows the stage takes the new total.
            if before.is_none_or(|(_, total)| total != stage.total) {
                let Stage { name, total, unit, .. } = stage;
                texts.push(json!({"type": "stage", "id": id, "name": name, "total": total, "unit": unit}));
            }
            if before.map_or(0, |(done, _)| done) != stage.done {
                texts.push(json!({"type": "advance", "id": id, "done": stage.done}));
            }
        }
    }

    fn series_news(&self, seen: &mut Seen, texts: &mut Vec<Value>) {
        for (name, series) in &self.series {
            let Series { x_label, x, value, thinned } = series;
            let now = (*thinned, x.len());
            // The number of decimations identifies the sampling: the tail alone can be sent if it
            // is unchanged.
            let before = seen.series.insert(name.clone(), now);
            let message = |kind: &str, x: Value, value: Value| json!({"type": kind, "series": name, "x_label": x_label, "x": x, "value": value});
            match before {
                Some((thinned, length)) if thinned == now.0 && now.1 - length <= MAX_SINGLE => {
                    let new = x[length..].iter().zip(&value[length..]);
                    texts.extend(new.map(|(x, value)| message("scalar", json!(x), json!(value))));
                }
                _ => texts.push(message("series", json!(x), json!(value))),
            }
        }
    }
}

/// Decrements the number of clients when dropped, on every path.
struct Leave<'a>(&'a AtomicUsize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn as_text(value: &Value) -> Message {
    Message::Text(value.to_string().into())
}

impl Series {
    fn new(x_label: &str) -> Self {
        Self { x_label: x_label.into(), x: Vec::new(), value: Vec::new(), thinned: 0 }
    }

    fn push(&mut self, x: f64, value: f64) {
        if self.x.len() == MAX_POINTS {
            for values in [&mut self.x, &mut self.value] {
                // Halving keeps the whole time range at a bounded size; both arrays lose the same
                // indices.
                *values = values.iter().copied().step_by(2).collect();
            }
            self.thinned += 1;
        }
        self.x.push(x);
        self.value.push(value);
    }
}

/// A frame as a binary message: length of the header, header, values, all aligned to four bytes.
fn picture(frame: &Frame<'_>, number: u64) -> Bytes {
    let mut header = json!({
        "type": "frame", "name": frame.name, "number": number, "rows": frame.rows, "cols": frame.cols,
        "x": frame.x, "y": frame.y, "x_label": "x (m)", "y_label": "y (m)", "value_label": frame.value_label,
    })
    .to_string();
    // The values then start at a multiple of four bytes, as a Float32Array view requires.
    while !header.len().is_multiple_of(4) {
        header.push(' ');
    }
    let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(frame.values.iter().flat_map(|value| value.to_le_bytes()));
    bytes.into()
}

impl Sink for Live {
    fn event(&self, event: Event<'_>) {
        let mut state = self.state();
        match event {
            Event::Stage { id, name, total, unit } => {
                let stage = Stage { name: name.into(), total, unit: unit.into(), done: 0 };
                state.stages.insert(id, stage);
            }
            Event::Advance { id, done } => {
                if let Some(stage) = state.stages.get_mut(&id) {
                    // Threads may report out of order; progress never decreases.
                    stage.done = stage.done.max(done);
                }
            }
            Event::Total { id, total } => {
                if let Some(stage) = state.stages.get_mut(&id) {
                    stage.total = Some(total);
                }
            }
            Event::StageEnd { id } => {
                state.stages.shift_remove(&id);
            }
            Event::Scalar { series, x_label, x, value } => {
                let series = state.series.entry(series.into());
                series.or_insert_with(|| Series::new(x_label)).push(x, value);
            }
            Event::Frame(frame) => {
                // Only the latest frame of a name is stored: a slow client skips frames instead of
                // lagging.
                let number = state.frames.get(frame.name).map_or(1, |last| last.number + 1);
                let bytes = picture(&frame, number);
                match state.frames.get_mut(frame.name) {
                    Some(known) => *known = Picture { number, bytes },
                    None => {
                        state.frames.insert(frame.name.into(), Picture { number, bytes });
                    }
                }
            }
            Event::Note(text) => state.say("note", text),
            Event::Warning(text) => state.say("warning", text),
        }
    }
}

impl State {
    fn say(&mut self, kind: &str, text: &str) {
        let message = json!({"type": kind, "text": text});
        // Repeated warnings of a sweep are shown once.
        if self.messages.len() < MAX_MESSAGES && !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(messages: &[Message]) -> Vec<Value> {
        let text = |message: &Message| match message {
            Message::Text(text) => Some(serde_json::from_str(text).unwrap()),
            _ => None,
        };
        messages.iter().filter_map(text).collect()
    }

    #[test]
    fn a_page_that_comes_late_is_told_where_things_stand() {
        let live = Live::new("slab", "dgtd", "slab");
        live.event(Event::Stage { id: 1, name: "time", total: Some(9), unit: "steps" });
        live.event(Event::Stage { id: 2, name: "plan", total: None, unit: "elements" });
        live.event(Event::StageEnd { id: 2 });
        live.event(Event::Advance { id: 1, done: 4 });
        live.event(Event::Advance { id: 1, done: 3 });
        live.event(Event::Scalar { series: "energy", x_label: "time (ns)", x: 1.0, value: f64::NAN });
        live.event(Event::Note("on the CPU"));
        live.event(Event::Note("on the CPU"));
        let mut seen = Seen::default();
        let told = texts(&live.news(&mut seen));
        assert_eq!(
            told,
            [
                json!({"type": "hello", "case": "slab", "solver": "dgtd", "folder": "slab"}),
                json!({"type": "stage", "id": 1, "name": "time", "total": 9, "unit": "steps"}),
                json!({"type": "advance", "id": 1, "done": 4}),
                json!({"type": "series", "series": "energy", "x_label": "time (ns)", "x": [1.0], "value": [null]}),
                json!({"type": "note", "text": "on the CPU"}),
            ]
        );
        assert!(live.news(&mut seen).is_empty());
        live.event(Event::Scalar { series: "energy", x_label: "time (ns)", x: 2.0, value: -3.0 });
        live.event(Event::StageEnd { id: 1 });
        live.end(End { state: "finished", message: String::new() });
        assert_eq!(
            texts(&live.news(&mut seen)),
            [
                json!({"type": "stage_end", "id": 1}),
                json!({"type": "scalar", "series": "energy", "x_label": "time (ns)", "x": 2.0, "value": -3.0}),
                json!({"type": "end", "state": "finished", "message": "", "folder": "slab"}),
            ]
        );
    }

    #[test]
    fn long_series_are_thinned_and_sent_again() {
        let live = Live::new("a", "mom", "a");
        let mut seen = Seen::default();
        for i in 0..10 * MAX_POINTS {
            live.event(Event::Scalar { series: "residual", x_label: "", x: i as f64, value: 1.0 });
            if i == 10 {
                live.news(&mut seen);
            }
        }
        let told = texts(&live.news(&mut seen));
        assert_eq!((told.len(), &told[0]["type"]), (1, &json!("series")));
        let x: Vec<f64> = serde_json::from_value(told[0]["x"].clone()).unwrap();
        assert!(x.len() <= MAX_POINTS && x.is_sorted() && x[0] == 0.0, "{}", x.len());
        assert_eq!(x.last(), Some(&((10 * MAX_POINTS - 1) as f64)));
    }

    #[test]
    fn a_slow_page_gets_the_last_picture_and_others_all_of_theirs() {
        let live = Live::new("hum", "nah", "hum");
        let (mut slow, mut fast) = (Seen::default(), Seen::default());
        for i in 1..=3 {
            let values = [i as f32, f32::NAN, 0.0];
            live.event(Event::Frame(Frame {
                name: "1000 Hz",
                rows: 1,
                cols: 3,
                x: [-0.5, 0.5],
                y: [0.0, 0.0],
                value_label: "level (dB)",
                values: &values,
            }));
            let frames = live.news(&mut fast).into_iter().filter(|m| matches!(m, Message::Binary(_)));
            assert_eq!(frames.count(), 1);
        }
        let told = live.news(&mut slow);
        let [Message::Binary(bytes)] = &told[1..] else { panic!("{told:?}") };
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!((length % 4, &header["number"], &header["cols"]), (0, &json!(3), &json!(3)));
        assert_eq!(bytes[4 + length..][..4], 3_f32.to_le_bytes());
        assert_eq!(bytes.len(), 4 + length + 12);
    }
}
