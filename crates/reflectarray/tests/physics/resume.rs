//! A synthesis that is interrupted anywhere and resumed ends with the bits of one that was not.

use crate::small;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::{Event, Progress, Sink};
use phasefront_device::Backend;
use phasefront_reflectarray::{
    Checkpoint, Method, Placement, Problem, ReflectarrayError, Solution, Study, Synthesis, prepare,
};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Requests an interruption at an event, and counts the events.
struct StopAfter {
    limit: usize,
    count: AtomicUsize,
    stop: Arc<AtomicBool>,
}

impl Sink for StopAfter {
    fn event(&self, _: Event<'_>) {
        if self.count.fetch_add(1, Ordering::Relaxed) + 1 == self.limit {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn watched(limit: usize) -> (Progress, Arc<StopAfter>) {
    let stop = Arc::new(AtomicBool::new(false));
    let sink = Arc::new(StopAfter { limit, count: AtomicUsize::new(0), stop: stop.clone() });
    (Progress::new(sink.clone(), stop), sink)
}

/// The state as it comes back from a file.
fn stored(state: &Checkpoint) -> Checkpoint {
    let mut out = StateWriter::default();
    state.write(&mut out);
    Checkpoint::read(&mut StateReader::new(&out.parts().concat())).unwrap()
}

/// Runs until `limit` events, from a state; the solution if it ended, and the last state saved.
fn run(study: &Study, limit: usize, from: Option<Checkpoint>) -> (Option<Solution>, Option<Checkpoint>) {
    let mut saved = from.clone();
    let mut save = |state: &Checkpoint| {
        saved = Some(stored(state));
        Ok(())
    };
    match study.solve(&Backend::Cpu, &watched(limit).0, from, &mut save) {
        Ok(solution) => (Some(solution).filter(|solution| !solution.interrupted), saved),
        Err(ReflectarrayError::Interrupted(_)) => (None, saved),
        Err(error) => panic!("{error}"),
    }
}

fn problems() -> [(&'static str, Problem); 4] {
    let mut lattice = small([9, 8], 1.0);
    lattice.coverage[0].lower = None;
    lattice.synthesis = Synthesis {
        starts: 4,
        modal_iterations: 6,
        element_iterations: 16,
        polish_iterations: 28,
        phase_bits: Some(3),
        ..Synthesis::default()
    };
    let mut free = lattice.clone();
    free.synthesis.phase_bits = None;
    free.placement = Placement::Aperiodic { min_spacing: 0.009, max_spacing: 0.014 };
    let projections = |problem: &Problem| {
        let mut problem = problem.clone();
        problem.synthesis.method = Method::AlternatingProjections;
        problem.synthesis.element_iterations = 60;
        problem
    };
    let fixed = projections(&lattice);
    let moving = projections(&free);
    [("lattice", lattice), ("free positions", free), ("projections", fixed), ("moving projections", moving)]
}

#[test]
fn a_resumed_run_ends_with_the_bits_of_an_uninterrupted_one() {
    for (name, problem) in problems() {
        let study = prepare(problem).unwrap();
        let (progress, sink) = watched(usize::MAX);
        let whole = study.solve(&Backend::Cpu, &progress, None, &mut |_| Ok(())).unwrap();
        let events = sink.count.load(Ordering::Relaxed);
        // Pseudo-random points of interruption, the first and the last events among them.
        let mut limits: Vec<usize> = (1..=12).map(|i| 1 + i * 7919 % events).collect();
        limits.extend([1, 2, events - 1]);
        for limit in limits {
            let (ended, state) = run(&study, limit, None);
            let resumed = ended.or_else(|| run(&study, usize::MAX, state).0).unwrap();
            assert!(resumed == whole, "{name}, interrupted at event {limit} of {events}");
        }
        // Interrupted again and again.
        let mut state = None;
        let mut ended = None;
        for _ in 0..200 {
            (ended, state) = run(&study, events / 9, state);
            if ended.is_some() {
                break;
            }
        }
        // Stages longer than a ninth of the run never end that way.
        let ended = ended.or_else(|| run(&study, usize::MAX, state).0).unwrap();
        assert!(ended == whole, "{name}, interrupted repeatedly");
    }
}

#[test]
fn an_interrupted_run_that_cannot_be_saved_is_an_error() {
    let [(_, problem), ..] = problems();
    let study = prepare(problem).unwrap();
    let (progress, _) = watched(200);
    let full = &mut |_: &Checkpoint| Err(io::Error::from(io::ErrorKind::StorageFull));
    let error = study.solve(&Backend::Cpu, &progress, None, full).unwrap_err();
    assert!(matches!(error, ReflectarrayError::Save(_)), "{error}");
    assert!(error.to_string().starts_with("the state of the synthesis could not be saved: "));
    // Uninterrupted, the work is not lost.
    study.solve(&Backend::Cpu, &Progress::silent(), None, full).unwrap();
}
