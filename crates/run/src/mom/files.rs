//! Array files of a `mom` run: the near field.

use num_complex::Complex64;
use phasefront_mom::{Polarization, Solution, Study};
use phasefront_report::{Array, ArrayFile};

/// Bytes per point of the near field while it is written: two copies for the NPZ file, the file itself, the plot.
pub(super) const NEAR_OUTPUT_BYTES: u64 = 2 * 32 + 8;

/// Total and scattered near field on the grid.
pub(super) fn near_field(study: &Study, solution: &Solution) -> Option<ArrayFile> {
    let grid = study.problem.near_field.as_ref()?;
    let field = solution.frequencies.first()?.near_field.as_ref()?;
    let letter = match study.problem.polarization {
        Polarization::Tm => 'e',
        Polarization::Te => 'h',
    };
    let plane = |values: &[Complex64]| Array::Complex2 {
        rows: grid.y.len(),
        cols: grid.x.len(),
        values: values.to_vec(),
    };
    Some(
        ArrayFile::new("near_field")
            .with("x", Array::Real1(grid.x.clone()))
            .with("y", Array::Real1(grid.y.clone()))
            .with(format!("{letter}_total"), plane(&field.total))
            .with(format!("{letter}_scattered"), plane(&field.scattered)),
    )
}
