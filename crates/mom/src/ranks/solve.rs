//! Right-hand sides of plane waves, and their solution.

use super::factor::Factors;
use crate::error::MomError;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_comm::{Comm, DenseNumber};
use phasefront_core::Real;
use phasefront_device::Op;
use phasefront_device::cpu::HostComplex;

/// Solutions for plane waves in the given directions, one after another, on rank 0; nothing on the others. Collective.
pub(super) fn plane_waves<T: Real>(
    system: &System<'_>,
    comm: &dyn Comm,
    factors: &Factors,
    matrix: &[Complex<T>],
    directions: &[f64],
) -> Result<Vec<Complex64>, MomError>
where
    Complex<T>: HostComplex + DenseNumber,
{
    let layout = factors.layout();
    let mut solutions = Vec::new();
    // A block for each column of the grid: every rank has work, and what rank 0 collects at a time stays small.
    for batch in directions.chunks(layout.columns.block * layout.columns.parts) {
        let own = layout.right_hand_sides(batch.len());
        let mut rhs: Vec<Complex<T>> = Vec::with_capacity(own.own_len());
        for direction in own.columns.own().flatten() {
            let rows = own.rows.own().flat_map(|rows| &system.rows[rows]);
            // Incident fields in double precision, rounded once.
            rhs.extend(rows.map(|&row| T::complex_from_f64(system.incident(row, batch[direction]))));
        }
        let solved = factors.solve(comm, Op::None, matrix, &mut rhs, batch.len())?;
        solutions.extend(solved.unwrap_or_default());
    }
    Ok(solutions)
}
