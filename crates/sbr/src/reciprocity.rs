//! Reciprocity: transmitter and receiver may be exchanged, S(i, s) = S(s, i)ᵀ.
//!
//! Beams are bounded by what the transmitter sees, and edges diffract the wave of the transmitter: exchanged, both are others. So the
//! target is looked at from both ends, and the result is the mean: S = ½[F(i, s) + F(s, i)ᵀ]. It is reciprocal by construction, and half of
//! the difference is an estimate of the error.

use crate::accumulator::Counts;
use crate::problem::Aspect;
use crate::scattering::Amplitudes;

/// Part of the power of all amplitudes below which those that should be equal are noise.
const NOISE: f64 = 1e-6;

/// The aspect with transmitter and receiver exchanged.
pub(crate) fn exchanged(aspect: &Aspect) -> Aspect {
    Aspect { incident: aspect.observer, observer: aspect.incident }
}

/// ½(F + Gᵀ).
pub(crate) fn mean(there: &Amplitudes, back: &Amplitudes) -> Amplitudes {
    let [vv, vh, hv, hh] = *back;
    let transposed = [vv, hv, vh, hh];
    std::array::from_fn(|i| 0.5 * (there[i] + transposed[i]))
}

/// Adds a pair of amplitudes to the statistics; `result` is their mean.
pub(crate) fn compare(aspect: &Aspect, there: &Amplitudes, result: &Amplitudes, counts: &mut Counts) {
    // In monostatic directions both ends are the same: vv and hh cannot differ.
    let compared = if aspect.is_monostatic() { 1..3 } else { 0..4 };
    counts.exchange_level += NOISE * result.iter().map(|s| s.norm_sqr()).sum::<f64>();
    for i in compared {
        counts.exchange_error += (there[i] - result[i]).norm_sqr();
        counts.exchange_level += result[i].norm_sqr();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Direction;
    use num_complex::Complex64;

    #[test]
    fn the_mean_is_reciprocal_and_half_of_the_difference_is_counted() {
        let number = |i: u32| Complex64::new(f64::from(i).sin(), f64::from(i * i).cos());
        let [there, back]: [Amplitudes; 2] = [1, 5].map(|first| std::array::from_fn(|i| number(first + i as u32)));
        let ([vv, vh, hv, hh], result) = (mean(&there, &back), mean(&back, &there));
        assert_eq!([vv, hv, vh, hh], result);
        let [a, b] = [[40.0, 10.0], [60.0, 20.0]].map(|[theta, phi]| Direction::degrees(theta, phi));
        let mut counts = Counts::default();
        compare(&Aspect { incident: a, observer: b }, &there, &[vv, vh, hv, hh], &mut counts);
        let half = |i: usize, j: usize| (0.5 * (there[i] - back[j])).norm_sqr();
        let expected = half(0, 0) + half(1, 2) + half(2, 1) + half(3, 3);
        assert!((counts.exchange_error - expected).abs() < 1e-14 && counts.reciprocity_error() > 0.0);
    }
}
