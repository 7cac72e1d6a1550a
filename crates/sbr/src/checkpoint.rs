//! The result of a range of aspects, saved when it is finished, so that a sweep can be resumed.

use crate::accumulator::Counts;
use crate::scattering::ScatteringMatrix;
use num_complex::Complex64;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use std::ops::Range;

/// The finished result of a range of aspects.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Which aspects.
    pub aspects: Range<usize>,
    /// By frequency, then one matrix per aspect of the range, in order.
    pub scattering: Vec<Vec<ScatteringMatrix>>,
    /// Ray statistics.
    pub counts: Counts,
}

impl State for Checkpoint {
    const VERSION: u32 = 4;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { aspects, scattering, counts } = self;
        let integers = [aspects.start as u64, aspects.end as u64, counts.rays, counts.bounces as u64];
        out.integers(integers.into_iter());
        out.doubles(&[
            counts.hit_area,
            counts.discarded_area,
            counts.remaining_power,
            counts.worst_remaining_share,
            counts.exchange_error,
            counts.exchange_level,
        ]);
        let matrices = scattering.iter().flatten();
        let elements: Vec<Complex64> =
            matrices.flat_map(|&ScatteringMatrix { vv, vh, hv, hh }| [vv, vh, hv, hh]).collect();
        out.complex(&elements);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let [first, end, rays, bounces] = from.integers()?.try_into().ok()?;
        let [hit_area, discarded_area, remaining_power, worst_remaining_share, exchange_error, exchange_level] =
            from.doubles()?.try_into().ok()?;
        let counts = Counts {
            rays,
            bounces: usize::try_from(bounces).ok()?,
            hit_area,
            discarded_area,
            remaining_power,
            worst_remaining_share,
            exchange_error,
            exchange_level,
        };
        let aspects = usize::try_from(first).ok()?..usize::try_from(end).ok()?;
        let elements = from.complex()?;
        // A short or inconsistent file gives `None`, and the aspects are solved again.
        let matrices: Vec<ScatteringMatrix> = elements
            .chunks_exact(4)
            .map(|s| ScatteringMatrix { vv: s[0], vh: s[1], hv: s[2], hh: s[3] })
            .collect();
        // Without a product: the range of a damaged file may be of any length.
        let fits = elements.len().is_multiple_of(4) && matrices.len().is_multiple_of(aspects.len());
        if aspects.is_empty() || !fits {
            return None;
        }
        let scattering = matrices.chunks(aspects.len()).map(<[_]>::to_vec).collect();
        Some(Self { aspects, scattering, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_aspects_reads_back_to_the_last_bit() {
        let number = |i: u32| f64::from(i).sin() * 10_f64.powi(i as i32 % 40 - 20);
        let z = |i: u32| Complex64::new(number(i), -number(i + 1));
        let matrix = |i: u32| ScatteringMatrix { vv: z(i), vh: z(i + 2), hv: Complex64::ZERO, hh: z(i + 6) };
        let scattering =
            vec![vec![matrix(1), matrix(9)], vec![matrix(20), matrix(33)], vec![matrix(50), matrix(70)]];
        let counts = Counts {
            rays: u64::MAX,
            bounces: 5,
            hit_area: 0.1 + 0.2,
            discarded_area: 1e-300,
            remaining_power: 1e-3 / 3.0,
            worst_remaining_share: 2.0 / 3.0,
            exchange_error: 1e-7 / 3.0,
            exchange_level: 0.7,
        };
        let checkpoint = Checkpoint { aspects: 7..9, scattering, counts };
        let read = |checkpoint: &Checkpoint| {
            let mut out = StateWriter::default();
            checkpoint.write(&mut out);
            Checkpoint::read(&mut StateReader::new(&out.parts().concat()))
        };
        assert_eq!(read(&checkpoint).as_ref(), Some(&checkpoint));
        // As many matrices as aspects, at each frequency.
        assert_eq!(read(&Checkpoint { aspects: 7..11, ..checkpoint.clone() }), None);
        assert_eq!(read(&Checkpoint { aspects: 7..7, ..checkpoint }), None);
    }
}
