//! A small dense solve.

use num_complex::Complex64;
use rayon::prelude::*;

/// x of A x = b by elimination with row pivots; rows of A one after another.
pub fn solve(mut a: Vec<Vec<Complex64>>, mut b: Vec<Complex64>) -> Vec<Complex64> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].norm().total_cmp(&a[j][c].norm())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        let (done, left) = a.split_at_mut(c + 1);
        let top = &done[c];
        let (known, rest) = b.split_at_mut(c + 1);
        let pivot_value = known[c];
        left.par_iter_mut().zip(rest).with_min_len(64).for_each(|(row, value)| {
            let factor = row[c] / top[c];
            for (x, t) in row[c..].iter_mut().zip(&top[c..]) {
                *x -= factor * t;
            }
            *value -= factor * pivot_value;
        });
    }
    for c in (0..n).rev() {
        let known: Complex64 = (c + 1..n).map(|j| a[c][j] * b[j]).sum();
        b[c] = (b[c] - known) / a[c][c];
    }
    b
}
