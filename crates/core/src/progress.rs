//! Progress reporting and cancellation.
//!
//! A solver reports events to a [`Progress`] and knows nothing of terminals, web pages or Python. The caller
//! supplies a [`Sink`] that displays the events, and a flag that stops the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An event of a run.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A stage began; it has `total` items of `unit`, or an unknown number if `None`. Stages may nest.
    Stage {
        /// Identifies the stage.
        id: u64,
        /// Short name, also the key of its time in `result.json`.
        name: &'a str,
        /// Number of items, when known.
        total: Option<u64>,
        /// What the items are, plural: "rows", "angles".
        unit: &'a str,
    },
    /// `done` items of a stage are finished.
    Advance {
        /// Which stage.
        id: u64,
        /// Items finished since the stage began.
        done: u64,
    },
    /// The expected number of items of a stage has changed, as with a run that ends by a criterion.
    Total {
        /// Which stage.
        id: u64,
        /// Number of items now expected.
        total: u64,
    },
    /// A stage ended.
    StageEnd {
        /// Which one.
        id: u64,
    },
    /// One point of a named scalar series: residual, energy, objective.
    Scalar {
        /// Name of the series.
        series: &'a str,
        /// What it is drawn over, with unit: "iteration", "time (ns)".
        x_label: &'a str,
        /// Abscissa.
        x: f64,
        /// Value there.
        value: f64,
    },
    /// A snapshot of the state.
    Frame(Frame<'a>),
    /// Information for the user, such as the device selected and why.
    Note(&'a str),
    /// A warning about the validity of the result.
    Warning(&'a str),
}

/// A snapshot of the state of a run: values over a rectangle.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// What it shows; snapshots of one name form a sequence.
    pub name: &'a str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Positions of the first and the last column, m.
    pub x: [f64; 2],
    /// Positions of the first and the last row, m.
    pub y: [f64; 2],
    /// What the values are, with unit.
    pub value_label: &'a str,
    /// The values, row by row.
    pub values: &'a [f32],
}

/// Where events go. Called from any thread.
pub trait Sink: Send + Sync {
    /// Takes one event; must return quickly.
    fn event(&self, event: Event<'_>);
}

struct Silent;
impl Sink for Silent {
    fn event(&self, _: Event<'_>) {}
}

/// The user requested the run to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A solver's handle for progress and cancellation. Cheap to clone.
///
/// ```
/// use phasefront_core::Progress;
/// let progress = Progress::silent();
/// let stage = progress.stage("fill", Some(3), "rows");
/// for _ in 0..3 {
///     stage.advance(1);
///     progress.check().unwrap();
/// }
/// ```
#[derive(Clone)]
pub struct Progress {
    sink: Arc<dyn Sink>,
    stop: Arc<AtomicBool>,
    /// A second way to ask for the end.
    asked: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Progress {
    /// Sends events to `sink`; setting `stop` ends the run.
    pub fn new(sink: Arc<dyn Sink>, stop: Arc<AtomicBool>) -> Self {
        Self { sink, stop, asked: None }
    }

    /// Drops all events and never stops.
    pub fn silent() -> Self {
        Self::new(Arc::new(Silent), Arc::new(AtomicBool::new(false)))
    }

    /// The same handle with another sink in front, for example to time stages or to log.
    #[must_use]
    pub fn through(&self, wrap: impl FnOnce(Arc<dyn Sink>) -> Arc<dyn Sink>) -> Self {
        Self { sink: wrap(self.sink.clone()), ..self.clone() }
    }

    /// The same handle, which also ends the run once `asked` is true. [`Progress::check`] calls it, from any thread and at any rate.
    #[must_use]
    pub fn or_when(&self, asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { asked: Some(Arc::new(asked)), ..self.clone() }
    }

    /// Begins a stage; it ends when the returned guard is dropped.
    pub fn stage<'a>(&'a self, name: &'a str, total: Option<u64>, unit: &'a str) -> Stage<'a> {
        // Unique over the whole process: handles share sinks. Uniqueness needs no ordering.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        self.sink.event(Event::Stage { id, name, total, unit });
        Stage { progress: self, id, done: AtomicU64::new(0) }
    }

    /// Adds a point to a scalar series; `x` has its label, with unit.
    pub fn scalar(&self, series: &str, (x_label, x): (&str, f64), value: f64) {
        self.sink.event(Event::Scalar { series, x_label, x, value });
    }

    /// Reports a snapshot of the state.
    pub fn frame(&self, frame: Frame<'_>) {
        debug_assert_eq!(frame.values.len(), frame.rows * frame.cols);
        self.sink.event(Event::Frame(frame));
    }

    /// Reports information to the user.
    pub fn note(&self, message: &str) {
        self.sink.event(Event::Note(message));
    }

    /// Warns the user about the validity of the result.
    pub fn warn(&self, message: &str) {
        self.sink.event(Event::Warning(message));
    }

    /// `Err(Interrupted)` once the user has requested to stop. Call it between units of work.
    pub fn check(&self) -> Result<(), Interrupted> {
        // No data is published through the flag, so a relaxed load suffices and is free in inner
        // loops.
        if self.stop.load(Ordering::Relaxed) {
            return Err(Interrupted);
        }
        if self.asked.as_ref().is_some_and(|asked| asked()) {
            // Whoever holds the flag learns of it, as of Ctrl-C.
            self.stop.store(true, Ordering::Relaxed);
            return Err(Interrupted);
        }
        Ok(())
    }
}

/// A running stage; threads may share it.
pub struct Stage<'a> {
    progress: &'a Progress,
    id: u64,
    done: AtomicU64,
}

impl Stage<'_> {
    /// `items` more are finished.
    pub fn advance(&self, items: u64) {
        // Threads may deliver their events out of order: a sink takes the largest `done` it has
        // seen.
        let done = self.done.fetch_add(items, Ordering::Relaxed) + items;
        self.progress.sink.event(Event::Advance { id: self.id, done });
    }

    /// `total` items are now expected.
    pub fn expect(&self, total: u64) {
        self.progress.sink.event(Event::Total { id: self.id, total });
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.progress.sink.event(Event::StageEnd { id: self.id });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    struct Log(Mutex<Vec<String>>);
    impl Sink for Log {
        fn event(&self, event: Event<'_>) {
            self.0.lock().unwrap().push(format!("{event:?}"));
        }
    }

    #[test]
    fn events_arrive_in_order_and_stop_is_seen() {
        let log = Arc::new(Log(Mutex::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let progress = Progress::new(log.clone(), stop.clone());
        {
            let stage = progress.stage("fill", Some(2), "rows");
            stage.advance(1);
            stage.expect(3);
            stage.advance(1);
            progress.scalar("residual", ("iteration", 1.0), 0.5);
            let (x, y) = ([0.0, 1.0], [0.0, 0.0]);
            let values = &[0.0, 1.0];
            progress.frame(Frame { name: "field", rows: 1, cols: 2, x, y, value_label: "E (V/m)", values });
        }
        let seen = log.0.lock().unwrap().join("\n");
        let order = ["name: \"fill\"", "done: 1", "total: 3", "done: 2", "residual", "Frame", "StageEnd"];
        let positions: Vec<_> = order.iter().map(|s| seen.find(s).expect(s)).collect();
        assert!(positions.is_sorted());
        assert_eq!(progress.check(), Ok(()));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(progress.check(), Err(Interrupted));
    }

    #[test]
    fn a_request_raises_the_flag_of_all_handles() {
        let first = Progress::silent();
        let asked = Arc::new(AtomicBool::new(false));
        let heard = asked.clone();
        let second = first.or_when(move || heard.load(Ordering::Relaxed)).through(|sink| sink);
        assert_eq!(second.check(), Ok(()));
        asked.store(true, Ordering::Relaxed);
        assert_eq!(first.check(), Ok(()));
        assert_eq!(second.check(), Err(Interrupted));
        assert_eq!(first.check(), Err(Interrupted));
    }
}
