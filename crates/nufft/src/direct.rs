//! The sums themselves, term by term: what fast transforms are measured against, and faster for a handful of points.

use crate::options::{ModeOrder, Sign};
use num_complex::Complex64;
use rayon::prelude::*;

/// f_k = Σ_j c_j e^{±i k·x_j} on the modes of a box, first axis fastest.
pub fn type1(
    points: &[&[f64]],
    strengths: &[Complex64],
    modes: &[usize],
    sign: Sign,
    order: ModeOrder,
) -> Vec<Complex64> {
    let frequencies = mode_grid(modes, order);
    let frequencies: Vec<&[f64]> = frequencies.iter().map(Vec::as_slice).collect();
    type3(points, strengths, &frequencies, sign)
}

/// c_j = Σ_k f_k e^{±i k·x_j}, the modes of a box given first axis fastest.
pub fn type2(
    points: &[&[f64]],
    values: &[Complex64],
    modes: &[usize],
    sign: Sign,
    order: ModeOrder,
) -> Vec<Complex64> {
    let frequencies = mode_grid(modes, order);
    let frequencies: Vec<&[f64]> = frequencies.iter().map(Vec::as_slice).collect();
    type3(&frequencies, values, points, sign)
}

/// f_k = Σ_j c_j e^{±i s_k·x_j}.
pub fn type3(points: &[&[f64]], strengths: &[Complex64], frequencies: &[&[f64]], sign: Sign) -> Vec<Complex64> {
    let targets = frequencies.first().map_or(0, |s| s.len());
    let at = |k: usize| {
        let term = |(j, c): (usize, &Complex64)| {
            let phase: f64 = points.iter().zip(frequencies).map(|(x, s)| x[j] * s[k]).sum();
            c * Complex64::cis(sign.value() * phase)
        };
        strengths.iter().enumerate().map(term).sum()
    };
    (0..targets).into_par_iter().map(at).collect()
}

/// Coordinates of all modes of a box, one list per axis.
fn mode_grid(modes: &[usize], order: ModeOrder) -> Vec<Vec<f64>> {
    let count: usize = modes.iter().product();
    let mut stride = 1;
    modes
        .iter()
        .map(|&n| {
            let numbers: Vec<f64> = crate::grid::mode_numbers(n, order).map(|k| k as f64).collect();
            let axis = (0..count).map(|i| numbers[i / stride % n]).collect();
            stride *= n;
            axis
        })
        .collect()
}
