//! What a reconstructor is built from, the same for every device.

use crate::esm::EsmOperator;
use crate::extrapolation::Extrapolation;
use crate::grid::Grid;
use crate::propagator::Propagator;
use crate::scalar::Scalar;
use num_complex::Complex64;

/// The specification of a reconstructor, for all frequencies alike.
pub enum ReconstructorSpec<T: Scalar> {
    /// Propagators in k-space, for the fields of each frequency.
    KSpace(Grid, Extrapolation, Vec<Vec<Propagator>>),
    /// A reconstruction matrix of equivalent sources for each frequency.
    Esm(Vec<EsmOperator<T>>),
}

impl<T: Scalar> ReconstructorSpec<T> {
    /// Number of frequencies.
    pub fn frequencies(&self) -> usize {
        match self {
            Self::KSpace(_, _, frequencies) => frequencies.len(),
            Self::Esm(operators) => operators.len(),
        }
    }

    /// Fields of each frequency.
    pub fn fields(&self) -> usize {
        match self {
            Self::KSpace(_, _, frequencies) => frequencies.first().map_or(0, Vec::len),
            Self::Esm(operators) => operators.first().map_or(0, EsmOperator::fields),
        }
    }

    /// Points of each field.
    pub fn points(&self) -> usize {
        match self {
            Self::KSpace(grid, ..) => grid.len(),
            Self::Esm(operators) => operators.first().map_or(0, EsmOperator::points),
        }
    }
}

/// References to propagators.
pub fn borrowed(propagators: &[Propagator]) -> Vec<&dyn Fn(f64) -> Complex64> {
    propagators.iter().map(|propagator| &**propagator as &dyn Fn(f64) -> Complex64).collect()
}
