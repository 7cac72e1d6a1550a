//! Right-hand sides of plane waves, and their solution.

use super::factor::Factors;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_device::Op;
use phasefront_device::cpu::HostComplex;
use rayon::prelude::*;

/// Solutions for plane waves in the given directions, one after another; `matrix` holds the factors.
pub(super) fn plane_waves<T: Real>(
    system: &System<'_>,
    factors: &Factors,
    matrix: &[Complex<T>],
    directions: &[f64],
) -> Vec<Complex64>
where
    Complex<T>: HostComplex,
{
    // Incident fields in double precision, rounded once; all directions are solved together.
    let column = |&a: &f64| {
        let entry = move |&row| T::complex_from_f64(system.incident(row, a));
        system.rows.iter().map(entry).collect::<Vec<_>>()
    };
    let mut rhs: Vec<Complex<T>> = directions.par_iter().flat_map_iter(column).collect();
    factors.solve(Op::None, matrix, &mut rhs);
    rhs.into_iter().map(T::complex_to_f64).collect()
}
