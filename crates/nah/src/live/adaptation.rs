//! Adaptation of the regularization and of the dead microphones while a stream is received.

use super::block::POLL_INTERVAL;
use super::queue::{Popped, Queue};
use crate::engine::Engine;
use crate::pipeline::Pipeline;
use crate::preprocessing::Preprocessing;
use crate::problem::{FilterChoice, Method};
use crate::scalar::Scalar;
use crate::simulate::{SimulatedSource, add_noise, field};
use crate::solution::Regularization;
use crate::stages::RegularizedReconstructor;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::Progress;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After an update, this multiple of its duration is waited, so that updates take at most a tenth of the time.
const REST: u32 = 10;

/// Phasors at all microphones, for each frequency.
type Phasors = Vec<Vec<Complex64>>;

/// Updates the regularization on a thread of its own.
pub struct AdaptiveRegularization<'a, T: Scalar> {
    study: &'a Study,
    engine: &'a dyn Engine<T>,
    dead: &'a Mutex<Vec<usize>>,
    requests: Queue<Phasors>,
    replies: Queue<Update<T>>,
    regularization: Mutex<Vec<Regularization>>,
}

struct Update<T: Scalar> {
    preprocessing: Preprocessing<T>,
    /// Where the regularization is not fixed by the problem.
    reconstructor: Option<RegularizedReconstructor<T>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic of another thread does not invalidate the data.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, T: Scalar> AdaptiveRegularization<'a, T> {
    /// Starts with a regularization.
    pub fn new(
        study: &'a Study,
        engine: &'a dyn Engine<T>,
        dead: &'a Mutex<Vec<usize>>,
        regularization: Vec<Regularization>,
    ) -> Self {
        // Capacity one: only the newest phasors are worth adapting to.
        let (requests, replies) = (Queue::new(1), Queue::new(1));
        Self { study, engine, dead, requests, replies, regularization: Mutex::new(regularization) }
    }

    /// Phasors to adapt to; closing this queue ends [`AdaptiveRegularization::run`].
    pub fn requests(&self) -> &Queue<Phasors> {
        &self.requests
    }

    /// The current regularization.
    pub fn regularization(&self) -> Vec<Regularization> {
        locked(&self.regularization).clone()
    }

    /// Requests an update for the current phasors.
    pub fn request(&self, pipeline: &Pipeline<T>) {
        let double = |i| pipeline.measured(i).iter().map(|p| T::complex_to_f64(*p)).collect();
        // An unserved request is replaced, so that the processor never waits.
        self.requests.push_dropping((0..self.study.frequencies.len()).map(double).collect());
    }

    /// Applies an update that is ready.
    pub fn apply(&self, pipeline: &mut Pipeline<T>) {
        // Without waiting: no update is the usual case.
        let Popped::Item(update) = self.replies.pop(Duration::ZERO) else { return };
        pipeline.set_preprocessing(update.preprocessing);
        if let Some((regularization, reconstructor)) = update.reconstructor {
            pipeline.set_reconstructor(reconstructor);
            *locked(&self.regularization) = regularization;
        }
    }

    /// Serves requests until their queue is closed.
    pub fn run(&self) {
        let mut rest_until = Instant::now();
        let mut replaced = Vec::new();
        let is_adaptive = is_adaptive(self.study);
        loop {
            let phasors = match self.requests.pop(POLL_INTERVAL) {
                Popped::Item(phasors) => phasors,
                Popped::Nothing => continue,
                Popped::Closed => return,
            };
            let start = Instant::now();
            let dead = locked(self.dead).clone();
            // Without any signal there is nothing to adapt to.
            let silent = dead.len() == self.study.problem.format().microphones;
            if start < rest_until || silent || (dead == replaced && !is_adaptive) {
                continue;
            }
            // Without a solution, the previous reconstructor stays in use.
            let reconstructor = is_adaptive
                .then(|| {
                    let fields = (&self.study.frequencies[..], &phasors[..]);
                    self.study.reconstructor(fields, &dead, self.engine, &Progress::silent()).ok()
                })
                .flatten();
            let preprocessing = self.study.preprocessing(&dead);
            self.replies.push_dropping(Update { preprocessing, reconstructor });
            replaced = dead;
            rest_until = Instant::now() + start.elapsed() * REST;
        }
    }
}

/// Whether the regularization depends on the measured field.
fn is_adaptive(study: &Study) -> bool {
    match study.problem.method {
        // Its rows change with the dead microphones, whatever its weight is.
        Method::Esm => true,
        Method::Auto | Method::Fft => study.problem.filter == FilterChoice::Auto,
    }
}

/// Phasors for the regularization before anything is received: a monopole near the source plane, with noise at −40 dB.
pub fn initial_phasors(study: &Study) -> Phasors {
    let problem = &study.problem;
    let pitch = problem.grid.pitch[0].max(problem.grid.pitch[1]);
    let source = SimulatedSource::Monopole { position: [0.0, 0.0, -1.5 * pitch], strength: Complex64::ONE };
    let phasors = |(i, frequency): (usize, &f64)| {
        let k = problem.medium.wavenumber(*frequency);
        let mut phasors = field(&[source], &problem.microphones(), problem.standoff, k, &problem.medium);
        add_noise(&mut phasors, 40.0, 1, i as u64);
        phasors
    };
    study.frequencies.iter().enumerate().map(phasors).collect()
}
