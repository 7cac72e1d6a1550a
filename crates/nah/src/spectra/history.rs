//! The last N values of every microphone.

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use rayon::prelude::*;

/// Moments in a ring.
pub struct History<V> {
    microphones: usize,
    /// How many moments are kept.
    pub samples: usize,
    ring: Vec<V>,
    /// The moment that is written next, and so the oldest.
    next: usize,
}

impl<V: Copy + Default + Sync> History<V> {
    /// Of silence.
    pub fn new(microphones: usize, samples: usize) -> Self {
        Self { microphones, samples, ring: vec![V::default(); microphones * samples], next: 0 }
    }

    /// Takes moments: the values of all microphones, one moment after the other.
    pub fn push(&mut self, moments: &[V]) {
        for moment in moments.chunks_exact(self.microphones) {
            self.ring[self.next * self.microphones..][..self.microphones].copy_from_slice(moment);
            self.next = (self.next + 1) % self.samples;
        }
    }

    /// The values of one microphone, the oldest first.
    pub fn of(&self, microphone: usize) -> impl Iterator<Item = V> + '_ {
        let at = move |n: usize| (self.next + n) % self.samples * self.microphones + microphone;
        (0..self.samples).map(move |n| self.ring[at(n)])
    }

    /// Phasors of all microphones at the first bin, then at the next, from those of each microphone; each thread has a line to write on.
    pub fn spectra<T: Scalar, L: Send>(
        &self,
        phasors: &mut [Complex<T>],
        of_one: impl Fn(usize, &mut Vec<L>) -> Vec<Complex64> + Sync,
    ) {
        let found: Vec<Vec<Complex64>> = (0..self.microphones)
            .into_par_iter()
            .map_init(Vec::new, |line, microphone| of_one(microphone, line))
            .collect();
        for (b, of_bin) in phasors.chunks_exact_mut(self.microphones).enumerate() {
            for (p, found) in of_bin.iter_mut().zip(&found) {
                *p = T::complex_from_f64(found[b]);
            }
        }
    }
}
