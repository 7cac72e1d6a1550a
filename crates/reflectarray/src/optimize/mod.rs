//! Optimizers that know nothing of antennas: L-BFGS with a Wolfe line search, and multi-level single linkage around it.

mod lbfgs;
mod line_search;
mod mlsl;

pub(crate) use lbfgs::Lbfgs;
pub(crate) use mlsl::{Mlsl, unit_box_point};

/// A place, the function's value there, and its gradient.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

/// A function to be made small.
pub(crate) trait Function<E> {
    /// Value and gradient at a place, or the reason to stop.
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), E>;

    /// A search moved on to this point.
    fn moved(&mut self, point: &Point) -> Result<(), E> {
        let _ = point;
        Ok(())
    }
}

impl<E, F: FnMut(&[f64]) -> Result<(f64, Vec<f64>), E>> Function<E> for F {
    fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), E> {
        self(x)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, v| v.abs().max(m))
}
