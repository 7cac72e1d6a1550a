//! The last N values of every microphone.

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use rayon::prelude::*;

/// Microphones whose values are read together: as many as come from memory at once.
const TOGETHER: usize = 16;

/// Moments in a ring.
pub struct History<V> {
    microphones: usize,
    /// How many moments are kept.
    pub samples: usize,
    ring: Vec<V>,
    /// The moment that is written next, and so the oldest.
    next: usize,
}

impl<V: Copy + Default + Send + Sync> History<V> {
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

    /// Phasors of all microphones at the first bin, then at the next, from those of each microphone, which are made of its values, the oldest
    /// first; each thread has room to write on.
    pub fn spectra<T: Scalar, L: Send>(
        &self,
        phasors: &mut [Complex<T>],
        of_one: impl Fn(&[V], &mut Vec<L>) -> Vec<Complex64> + Sync,
    ) {
        let of_group = |(lines, room): &mut (Vec<V>, Vec<L>), group: usize| -> Vec<Vec<Complex64>> {
            self.read(group * TOGETHER, lines);
            lines
                .chunks_exact(self.samples + TOGETHER)
                .map(|line| of_one(&line[..self.samples], room))
                .collect()
        };
        let groups = (0..self.microphones.div_ceil(TOGETHER)).into_par_iter();
        let found: Vec<_> = groups.map_init(|| (Vec::new(), Vec::new()), of_group).collect();
        for (b, of_bin) in phasors.chunks_exact_mut(self.microphones).enumerate() {
            for (p, found) in of_bin.iter_mut().zip(found.iter().flatten()) {
                *p = T::complex_from_f64(found[b]);
            }
        }
    }

    /// Values of a few microphones from `first` on, line by line. Between lines is a gap, or else all of them would begin at the same place of
    /// the nearest memory.
    fn read(&self, first: usize, lines: &mut Vec<V>) {
        let count = TOGETHER.min(self.microphones - first);
        lines.clear();
        lines.resize(count * (self.samples + TOGETHER), V::default());
        for n in 0..self.samples {
            let moment = &self.ring[(self.next + n) % self.samples * self.microphones..];
            for (line, value) in lines.chunks_exact_mut(self.samples + TOGETHER).zip(&moment[first..]) {
                line[n] = *value;
            }
        }
    }
}
