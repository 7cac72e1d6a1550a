//! Fading out what was carried on.

use crate::grid::Grid;
use num_complex::Complex64;
use std::f64::consts::PI;

/// Multiplies a field on the widened grid by Tukey's window, which is one on the array and falls as a cosine to its rim.
pub fn fade_out(grid: &Grid, wide: &mut [Complex64]) {
    let (across, down) = (weights(grid.columns), weights(grid.rows));
    for (row, y) in wide.chunks_exact_mut(3 * grid.columns).zip(&down) {
        for (value, x) in row.iter_mut().zip(&across) {
            // On the array nothing is touched, not even by a rounding.
            if *x * *y != 1.0 {
                *value *= x * y;
            }
        }
    }
}

/// The window along an axis of the widened grid.
pub fn weights(count: usize) -> Vec<f64> {
    let rising = (0..count).map(|i| 0.5 - 0.5 * (PI * (i as f64 + 0.5) / count as f64).cos());
    let rising: Vec<f64> = rising.collect();
    rising.iter().copied().chain((0..count).map(|_| 1.0)).chain(rising.iter().rev().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_array_is_untouched_and_the_rim_is_silent() {
        let grid = Grid { columns: 6, rows: 5, pitch: [0.1; 2] };
        let field: Vec<Complex64> =
            (0..9 * grid.len()).map(|i| Complex64::new(1.0 + i as f64, 0.3 * i as f64)).collect();
        let mut faded = field.clone();
        fade_out(&grid, &mut faded);
        assert_eq!(grid.crop(&faded), grid.crop(&field));
        // (1 − cos(π/12))/2 times (1 − cos(π/10))/2 in the corner.
        let corner = 0.25 * (1.0 - (PI / 12.0).cos()) * (1.0 - (PI / 10.0).cos());
        assert!((faded[0].re - corner).abs() < 1e-15, "{}", faded[0]);
    }
}
