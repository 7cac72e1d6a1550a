//! Filters and dead microphones of a stream, looked at again and again while it goes on.

use super::TICK;
use super::queue::{Popped, Queue};
use crate::carriers::Carriers;
use crate::mend::Mend;
use crate::pipeline::Pipeline;
use crate::problem::{FilterChoice, Method, Study};
use crate::scalar::Scalar;
use crate::simulate::{Sounder, add_noise, field};
use crate::solve::Kept;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What may be spent on better filters: one part in so many of the time.
const SHARE: u32 = 10;

/// Phasors at all microphones, one list for each frequency.
type Phasors = Vec<Vec<Complex64>>;

/// Finds better filters on a thread of its own.
pub struct Tuner<'a, T: Scalar> {
    study: &'a Study,
    backend: &'a Backend,
    dead: &'a Mutex<Vec<usize>>,
    requests: Queue<Phasors>,
    replies: Queue<Tuned<T>>,
    kept: Mutex<Vec<Kept>>,
}

struct Tuned<T: Scalar> {
    mend: Mend<T>,
    /// With what they keep, where the case leaves that open.
    carriers: Option<(Vec<Kept>, Carriers<T>)>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, T: Scalar> Tuner<'a, T> {
    /// Begins with filters that keep this.
    pub fn new(study: &'a Study, backend: &'a Backend, dead: &'a Mutex<Vec<usize>>, kept: Vec<Kept>) -> Self {
        let (requests, replies) = (Queue::new(1), Queue::new(1));
        Self { study, backend, dead, requests, replies, kept: Mutex::new(kept) }
    }

    /// Where the phasors that are looked at come from; closing it ends [`Tuner::run`].
    pub fn requests(&self) -> &Queue<Phasors> {
        &self.requests
    }

    /// What the filters in use keep.
    pub fn kept(&self) -> Vec<Kept> {
        locked(&self.kept).clone()
    }

    /// Asks for filters for what is heard now.
    pub fn ask(&self, pipeline: &Pipeline<T>) {
        let exact = |line| pipeline.measured(line).iter().map(|p| T::complex_to_f64(*p)).collect();
        self.requests.push_dropping((0..self.study.frequencies.len()).map(exact).collect());
    }

    /// Puts what was found to use.
    pub fn take(&self, pipeline: &mut Pipeline<T>) {
        let Popped::Item(tuned) = self.replies.pop(Duration::ZERO) else { return };
        pipeline.set_mend(tuned.mend);
        if let Some((kept, carriers)) = tuned.carriers {
            pipeline.set_carriers(carriers);
            *locked(&self.kept) = kept;
        }
    }

    /// Answers until the queue of requests is closed.
    pub fn run(&self) {
        let mut resting = Instant::now();
        let mut mended = Vec::new();
        loop {
            let phasors = match self.requests.pop(TICK) {
                Popped::Item(phasors) => phasors,
                Popped::Nothing => continue,
                Popped::Closed => return,
            };
            let start = Instant::now();
            let dead = locked(self.dead).clone();
            // Where nothing sounds there is nothing to learn.
            let silent = dead.len() == self.study.problem.format().microphones;
            if start < resting || silent || (dead == mended && !self.study.is_open()) {
                continue;
            }
            let carriers = if self.study.is_open() { self.carriers(&phasors) } else { None };
            self.replies.push_dropping(Tuned { mend: self.study.mend(&dead), carriers });
            mended = dead;
            resting = Instant::now() + start.elapsed() * SHARE;
        }
    }

    /// None where the field gives none: those before stay in use.
    fn carriers(&self, phasors: &Phasors) -> Option<(Vec<Kept>, Carriers<T>)> {
        self.study.carriers(phasors, self.backend, &Progress::silent()).ok()
    }
}

impl Study {
    /// Whether the case leaves open what is kept.
    fn is_open(&self) -> bool {
        self.problem.method == Method::Esm || self.problem.filter == FilterChoice::Auto
    }

    /// What a stream may sound like before anything came: a point near the source plane, with noise 40 dB below.
    pub(super) fn guess(&self) -> Phasors {
        let problem = &self.problem;
        let pitch = problem.grid.pitch[0].max(problem.grid.pitch[1]);
        let point = Sounder::Monopole { at: [0.0, 0.0, -1.5 * pitch], strength: Complex64::ONE };
        let of_line = |(i, frequency): (usize, &f64)| {
            let k = problem.medium.wave_number(*frequency);
            let mut phasors = field(&[point], &problem.microphones(), problem.distance, k, &problem.medium);
            add_noise(&mut phasors, 40.0, 1, i as u64);
            phasors
        };
        self.frequencies.iter().enumerate().map(of_line).collect()
    }
}
