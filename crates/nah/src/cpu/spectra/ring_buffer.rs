//! A ring buffer with the last N frames.

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use rayon::prelude::*;

/// Microphones that are read together: one cache line of each frame.
const GROUP: usize = 16;

/// The last frames of a stream.
pub struct RingBuffer<V> {
    microphones: usize,
    /// Number of frames.
    pub samples: usize,
    ring: Vec<V>,
    /// The frame that is written next: the oldest.
    next: usize,
}

impl<V: Copy + Default + Send + Sync> RingBuffer<V> {
    /// Filled with zeros.
    pub fn new(microphones: usize, samples: usize) -> Self {
        Self { microphones, samples, ring: vec![V::default(); microphones * samples], next: 0 }
    }

    /// Appends frames.
    pub fn push(&mut self, frames: &[V]) {
        for frame in frames.chunks_exact(self.microphones) {
            self.ring[self.next * self.microphones..][..self.microphones].copy_from_slice(frame);
            self.next = (self.next + 1) % self.samples;
        }
    }

    /// Phasors of all microphones at the first bin, then at the next. `of_one` gives those of one microphone from its samples, the oldest first; each
    /// thread has a buffer for it.
    pub fn spectra<T: Scalar, L: Send>(
        &self,
        phasors: &mut [Complex<T>],
        of_one: impl Fn(&[V], &mut Vec<L>) -> Vec<Complex64> + Sync,
    ) {
        let of_group = |(channels, buffer): &mut (Vec<V>, Vec<L>), group: usize| -> Vec<Vec<Complex64>> {
            self.read(group * GROUP, channels);
            channels
                .chunks_exact(self.samples + GROUP)
                .map(|channel| of_one(&channel[..self.samples], buffer))
                .collect()
        };
        // Groups are independent; each thread reuses its buffers.
        let groups = (0..self.microphones.div_ceil(GROUP)).into_par_iter();
        let found: Vec<_> = groups.map_init(|| (Vec::new(), Vec::new()), of_group).collect();
        // From [microphone][bin] to [bin][microphone].
        for (b, of_bin) in phasors.chunks_exact_mut(self.microphones).enumerate() {
            for (p, found) in of_bin.iter_mut().zip(found.iter().flatten()) {
                *p = T::complex_from_f64(found[b]);
            }
        }
    }

    /// Samples of a group of microphones from `first` on, one microphone after the other. A gap between them avoids cache set conflicts for window
    /// lengths that are powers of two.
    fn read(&self, first: usize, channels: &mut Vec<V>) {
        let count = GROUP.min(self.microphones - first);
        channels.clear();
        channels.resize(count * (self.samples + GROUP), V::default());
        // Frames outside, microphones inside: each cache line of the ring is read once.
        for n in 0..self.samples {
            let frame = &self.ring[(self.next + n) % self.samples * self.microphones..];
            for (channel, value) in channels.chunks_exact_mut(self.samples + GROUP).zip(&frame[first..]) {
                channel[n] = *value;
            }
        }
    }
}
