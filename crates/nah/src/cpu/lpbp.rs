//! Linear predictive border padding with coefficients for each row and each column. Each column is predicted from predicted rows, so that errors
//! accumulate: this is computed in double precision, whatever the precision of the reconstruction.

use crate::extrapolation::Extrapolation;
use crate::grid::Grid;
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{ComplexPack, PACK};

/// The pressure extrapolated and tapered by windows along x and y, on the padded grid with rows as lanes.
pub fn extrapolate<T: Scalar>(
    grid: &Grid,
    pressure: &[Complex<T>],
    [window_x, window_y]: [&[T]; 2],
    padded: &mut [ComplexPack<T>],
) {
    let exact: Vec<Complex64> = pressure.iter().map(|p| T::complex_to_f64(*p)).collect();
    let field = Extrapolation::Lpbp.pad(grid, &exact);
    let columns = 3 * grid.columns;
    for (y, row) in field.chunks_exact(columns).enumerate() {
        let to = &mut padded[y / PACK * columns..][..columns];
        for ((value, to), weight) in row.iter().zip(to).zip(window_x) {
            // Rounded once, after the extrapolation.
            let value = T::complex_from_f64(*value) * (*weight * window_y[y]);
            (to.re[y % PACK], to.im[y % PACK]) = (value.re, value.im);
        }
    }
}
