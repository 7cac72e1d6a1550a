//! The Tukey window: a cosine taper over the extrapolated field.

use crate::grid::Grid;
use num_complex::Complex64;
use std::f64::consts::PI;

/// Multiplies a field on the padded grid by the Tukey window, which is one on the array and decays as a cosine to the edge of the padding.
pub fn taper(grid: &Grid, padded: &mut [Complex64]) {
    let (along_x, along_y) = (tukey(grid.columns), tukey(grid.rows));
    for (row, y) in padded.chunks_exact_mut(3 * grid.columns).zip(&along_y) {
        for (value, x) in row.iter_mut().zip(&along_x) {
            // The measured field is not even rounded.
            if *x * *y != 1.0 {
                *value *= x * y;
            }
        }
    }
}

/// The Tukey window along an axis of the padded grid, for `count` microphones along it.
pub fn tukey(count: usize) -> Vec<f64> {
    // Half a step from zero: no padded point is discarded entirely, and both ends are symmetric.
    let rising = (0..count).map(|i| 0.5 - 0.5 * (PI * (i as f64 + 0.5) / count as f64).cos());
    let rising: Vec<f64> = rising.collect();
    rising.iter().copied().chain((0..count).map(|_| 1.0)).chain(rising.iter().rev().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_array_is_unchanged_and_the_padding_decays() {
        let grid = Grid { columns: 6, rows: 5, pitch: [0.1; 2] };
        let field: Vec<Complex64> =
            (0..9 * grid.len()).map(|i| Complex64::new(1.0 + i as f64, 0.3 * i as f64)).collect();
        let mut tapered = field.clone();
        taper(&grid, &mut tapered);
        assert_eq!(grid.crop(&tapered), grid.crop(&field));
        // (1 − cos(π/12))/2 times (1 − cos(π/10))/2 in the corner.
        let corner = 0.25 * (1.0 - (PI / 12.0).cos()) * (1.0 - (PI / 10.0).cos());
        assert!((tapered[0].re - corner).abs() < 1e-15, "{}", tapered[0]);
    }
}
