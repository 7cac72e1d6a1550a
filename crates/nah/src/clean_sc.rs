//! CLEAN-SC (P. Sijtsma, *Int. J. Aeroacoustics* 6 (2007) 357): sources are taken out of the matrix
//! of cross-spectra one by one, the strongest first, each with all that is coherent with it, and so
//! with its side lobes.

use crate::dense::Matrix;
use crate::steering::{Diagonal, Steering};
use num_complex::Complex64;

/// The part of the strongest source that is taken out at a time, φ: with less than all of it, sources
/// that are near to each other share what is coherent with both.
const GAIN: f64 = 0.6;
/// Iterations of the source component without its diagonal, which change it by about one part in the
/// number of microphones, then by one part in its square, and so on.
const COMPONENT_ITERATIONS: usize = 20;
/// Iterations for each microphone, at most: there are no more incoherent sources than microphones, and
/// with the diagonal even noise makes the matrix smaller to the last.
const ITERATIONS_PER_CHANNEL: usize = 2;

/// The sources found, |A|² at each point, and the delay-and-sum map of what is left.
pub fn clean_sc(steering: &Steering, mut matrix: Matrix, diagonal: Diagonal) -> [Vec<f64>; 2] {
    let norms = steering.norms(diagonal);
    let mut dirty = steering.powers(&matrix, &norms);
    let mut clean = vec![0.0; dirty.len()];
    let mut size = sum_of_norms(&matrix);
    for _ in 0..ITERATIONS_PER_CHANNEL * steering.channels() {
        // Where most of the matrix is explained; see `steering.rs`.
        let explained = |i: &usize| dirty[*i] * norms[*i];
        let strongest = (0..dirty.len()).max_by(|a, b| explained(a).total_cmp(&explained(b)));
        let Some(peak) = strongest.filter(|peak| dirty[*peak] > 0.0) else { break };
        let weights: Vec<Complex64> = steering.at(peak).iter().map(|a| a / norms[peak]).collect();
        let component = component(&matrix, &weights, dirty[peak], diagonal);
        let power = GAIN * dirty[peak];
        subtract(&mut matrix, power, &component, diagonal);
        // What does not make the matrix smaller is no source.
        let left = sum_of_norms(&matrix);
        if left.is_nan() || left >= size {
            break;
        }
        size = left;
        clean[peak] += power;
        let forms = steering.forms_of_vector(&component, diagonal);
        dirty.iter_mut().zip(forms).zip(&norms).for_each(|((d, f), n)| *d -= power * f / (n * n));
    }
    [clean, dirty]
}

/// Σ|D_ij|.
fn sum_of_norms(matrix: &Matrix) -> f64 {
    // Faster than hypot(), and far from under- and overflow.
    matrix.values.iter().map(|value| value.norm_sqr().sqrt()).sum()
}

/// The source component h: the pressure of all that is coherent with the beam w, over √P. The matrix
/// P(hhᴴ − H) shares its cross-spectra with the beam, Dw = P(hhᴴ − H)w, hence
/// h = (Dw/P + Hw)/√(1 + wᴴHw), with H the diagonal of hhᴴ if it is left out, and 0 else.
fn component(matrix: &Matrix, weights: &[Complex64], power: f64, diagonal: Diagonal) -> Vec<Complex64> {
    let beam = |row: &[Complex64]| row.iter().zip(weights).map(|(d, w)| d * w).sum::<Complex64>();
    let seen: Vec<Complex64> = matrix.rows().map(|row| beam(row) / power).collect();
    if diagonal == Diagonal::Kept {
        return seen;
    }
    let mut h = weights.to_vec();
    for _ in 0..COMPONENT_ITERATIONS {
        let own: f64 = h.iter().zip(weights).map(|(h, w)| h.norm_sqr() * w.norm_sqr()).sum();
        let scale = 1.0 / (1.0 + own).sqrt();
        let next = |((h, w), seen): ((&Complex64, &Complex64), &Complex64)| scale * (seen + h.norm_sqr() * w);
        h = h.iter().zip(weights).zip(&seen).map(next).collect();
    }
    h
}

/// D − P(hhᴴ − H).
fn subtract(matrix: &mut Matrix, power: f64, h: &[Complex64], diagonal: Diagonal) {
    for (i, row) in matrix.values.chunks_exact_mut(h.len()).enumerate() {
        row.iter_mut().zip(h).for_each(|(value, other)| *value -= power * h[i] * other.conj());
        if diagonal == Diagonal::Removed {
            row[i] = Complex64::ZERO;
        }
    }
}
