//! Times the stages of a computation from its progress events, so that solvers need no clocks.

use crate::progress::{Event, Progress, Sink};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Seconds per stage, in the order in which the stages first ended, and the running stages by id.
#[derive(Default)]
struct Ledger {
    seconds: Vec<(String, f64)>,
    running: HashMap<u64, (String, Instant)>,
}

/// Forwards every event and adds up the time between the start and the end of each stage.
struct TimedSink {
    next: Arc<dyn Sink>,
    ledger: Arc<Mutex<Ledger>>,
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    // After a panic in another thread the ledger is still consistent; at worst one stage is
    // untimed.
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
                    let seconds = start.elapsed().as_secs_f64();
                    // Linear search: a run has a dozen stage names, and the order of first end must
                    // be preserved.
                    match ledger.seconds.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, total)) => *total += seconds,
                        None => ledger.seconds.push((name, seconds)),
                    }
                }
            }
            _ => {}
        }
        self.next.event(event);
    }
}

/// The accumulated times of [`timed`].
pub struct StageTimes(Arc<Mutex<Ledger>>);

impl StageTimes {
    /// Seconds per stage so far, in the order in which the stages first ended.
    pub fn collect(&self) -> Vec<(String, f64)> {
        lock(&self.0).seconds.clone()
    }
}

/// A progress that times its stages and forwards every event to `progress`.
pub fn timed(progress: &Progress) -> (Progress, StageTimes) {
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let timed = progress.through(|next| Arc::new(TimedSink { next, ledger: ledger.clone() }));
    (timed, StageTimes(ledger))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn stages_are_timed_in_order_and_added_up() {
        let (progress, seconds) = timed(&Progress::silent());
        {
            let _sweep = progress.stage("sweep", None, "frequencies");
            for name in ["fill", "factor", "fill"] {
                let _stage = progress.stage(name, None, "items");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let seconds = seconds.collect();
        assert_eq!(
            seconds.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["fill", "factor", "sweep"]
        );
        let [fill, factor, sweep] = [0, 1, 2].map(|i: usize| seconds[i].1);
        assert!(fill >= 0.01 && factor >= 0.005 && sweep >= fill + factor);
    }
}
