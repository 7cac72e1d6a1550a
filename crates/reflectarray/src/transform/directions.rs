//! Input and output of the transform.

use num_complex::Complex64;

/// The wavenumber and the regular grid of directions.
pub(super) struct DirectionGrid {
    pub beta: f64,
    pub u: Vec<f64>,
    pub v: Vec<f64>,
}

/// The adjoint sums S[W], S[uW] and S[vW] at the elements; the last two are empty unless requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdjointSums {
    pub s: Vec<Complex64>,
    pub su: Vec<Complex64>,
    pub sv: Vec<Complex64>,
}
