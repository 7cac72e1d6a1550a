//! Times the stages of a run by listening to its progress, so that solvers need no clocks.

use phasefront_core::{Event, Progress, Sink};
use phasefront_report::IndexMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Seconds per stage, in the order the stages first ended, and the stages under way by their id.
#[derive(Default)]
struct Ledger {
    seconds: IndexMap<String, f64>,
    running: HashMap<u64, (String, Instant)>,
}

/// Passes every event on and books the time between a stage's beginning and its end.
struct TimedSink {
    next: Arc<dyn Sink>,
    ledger: Arc<Mutex<Ledger>>,
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    // A panic elsewhere leaves at worst one stage unbooked.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sink for TimedSink {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Stage { id, name, .. } => {
                lock(&self.ledger).running.insert(id, (name.to_owned(), Instant::now()));
            }
            Event::StageEnd { id } => {
                let mut ledger = lock(&self.ledger);
                if let Some((name, start)) = ledger.running.remove(&id) {
                    *ledger.seconds.entry(name).or_default() += start.elapsed().as_secs_f64();
                }
            }
            _ => {}
        }
        self.next.event(event);
    }
}

/// Where the seconds gather.
pub(crate) struct Seconds(Arc<Mutex<Ledger>>);

impl Seconds {
    /// Seconds per stage so far.
    pub(crate) fn collect(&self) -> IndexMap<String, f64> {
        lock(&self.0).seconds.clone()
    }
}

/// A progress that times its stages on the way to `progress`.
pub(crate) fn timed(progress: &Progress) -> (Progress, Seconds) {
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let timed = progress.through(|next| Arc::new(TimedSink { next, ledger: ledger.clone() }));
    (timed, Seconds(ledger))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn stages_are_booked_in_order_and_added_up() {
        let (progress, seconds) = timed(&Progress::silent());
        {
            let _sweep = progress.stage("sweep", None, "frequencies");
            for name in ["fill", "factor", "fill"] {
                let _stage = progress.stage(name, None, "items");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let seconds = seconds.collect();
        assert_eq!(seconds.keys().collect::<Vec<_>>(), ["fill", "factor", "sweep"]);
        assert!(seconds["fill"] >= 0.01 && seconds["factor"] >= 0.005);
        assert!(seconds["sweep"] >= seconds["fill"] + seconds["factor"]);
    }
}
