//! The function to minimize, and its points.

use crate::parallel::BLOCK;
use phasefront_device::cpu::team;

/// A point with the value and the gradient of the function.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

/// A function to minimize.
pub(crate) trait Function<E> {
    /// Value and gradient at x; an error ends the search.
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), E>;

    /// Called with every accepted iterate.
    fn accepted(&mut self, point: &Point) -> Result<(), E> {
        let _ = point;
        Ok(())
    }
}

impl<E, F: FnMut(&[f64]) -> Result<(f64, Vec<f64>), E>> Function<E> for F {
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), E> {
        self(x)
    }
}

/// Partial sums of a dot product: independent ones hide the latency of additions, and fill vectors.
const PARTIAL_SUMS: usize = 8;

/// aᵀb, summed by blocks.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    team::map(a.len(), BLOCK, |block| dot_of_block(&a[block.clone()], &b[block])).into_iter().sum()
}

/// aᵀb of a block.
pub(super) fn dot_of_block(a: &[f64], b: &[f64]) -> f64 {
    let (a, last_of_a) = a.as_chunks::<PARTIAL_SUMS>();
    let (b, last_of_b) = b.as_chunks::<PARTIAL_SUMS>();
    let mut sums = [0.0; PARTIAL_SUMS];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let last: f64 = last_of_a.iter().zip(last_of_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + last
}

/// max |a_i|.
pub(super) fn max_norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, v| v.abs().max(m))
}
