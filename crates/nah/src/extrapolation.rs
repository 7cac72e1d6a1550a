//! Extrapolation of the field beyond the aperture edge, so that the DFT does not wrap the truncated field around.
//!
//! Linear predictive border padding (LPBP): rows, then columns, are extrapolated by linear prediction (Scholte, Lopez Arteaga, Roozen and
//! Nijmeijer, *J. Acoust. Soc. Am.* 125 (2009) 3844).

use crate::burg::{coefficients, extrapolate};
use crate::grid::Grid;
use num_complex::Complex64;

/// The largest prediction order.
const MAX_ORDER: usize = 8;

/// How the field is extrapolated beyond the aperture edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extrapolation {
    /// Linear predictive border padding: each row, then each column of the result, by coefficients of its own.
    Lpbp,
    /// Pooled LPBP: one set of coefficients for all rows and one for all columns, E_y P E_xᵀ.
    Plpbp,
    /// Zero padding.
    Zero,
}

impl Extrapolation {
    /// The field on the padded grid; on the array it is unchanged.
    pub fn pad(self, grid: &Grid, field: &[Complex64]) -> Vec<Complex64> {
        let rows: Vec<Vec<Complex64>> = field.chunks_exact(grid.columns).map(<[_]>::to_vec).collect();
        let padded = match self {
            Self::Lpbp => {
                // Columns of the extrapolated rows: the corners are predicted from predictions.
                let columns = transposed(&extrapolate_each(&rows));
                transposed(&extrapolate_each(&columns))
            }
            Self::Plpbp => {
                let for_rows = coefficients(&rows, order(grid.columns));
                // Coefficients of both axes come from the measured field alone, so that the order
                // of the axes does not matter.
                let for_columns = coefficients(&transposed(&rows), order(grid.rows));
                let columns = transposed(&extrapolate_all(&rows, &for_rows));
                transposed(&extrapolate_all(&columns, &for_columns))
            }
            Self::Zero => {
                // Without coefficients every prediction is zero.
                let columns = transposed(&extrapolate_all(&rows, &[]));
                transposed(&extrapolate_all(&columns, &[]))
            }
        };
        padded.concat()
    }
}

/// The prediction order for a number of points: higher orders than a third of them would fit noise.
pub(crate) fn order(points: usize) -> usize {
    MAX_ORDER.min(points / 3)
}

/// Each row by its own coefficients.
fn extrapolate_each(rows: &[Vec<Complex64>]) -> Vec<Vec<Complex64>> {
    let longer = |row: &Vec<Complex64>| {
        extrapolate(row, &coefficients(std::slice::from_ref(row), order(row.len())), row.len())
    };
    rows.iter().map(longer).collect()
}

/// All rows by the same coefficients.
fn extrapolate_all(rows: &[Vec<Complex64>], a: &[Complex64]) -> Vec<Vec<Complex64>> {
    rows.iter().map(|row| extrapolate(row, a, row.len())).collect()
}

fn transposed(rows: &[Vec<Complex64>]) -> Vec<Vec<Complex64>> {
    let columns = rows.first().map_or(0, Vec::len);
    (0..columns).map(|x| rows.iter().map(|row| row[x]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid { columns: 12, rows: 9, pitch: [0.02, 0.03] };

    fn field() -> Vec<Complex64> {
        (0..GRID.len())
            .map(|i| {
                let [x, y] = GRID.position(i);
                Complex64::from_polar(1.0 + x, 9.0 * x - 4.0 * y) + Complex64::from_polar(0.5, 30.0 * y)
            })
            .collect()
    }

    #[test]
    fn the_measured_field_is_unchanged() {
        for how in [Extrapolation::Lpbp, Extrapolation::Plpbp, Extrapolation::Zero] {
            assert_eq!(GRID.crop(&how.pad(&GRID, &field())), field());
        }
    }

    /// With pooled coefficients the order of the axes does not matter.
    #[test]
    fn pooled_extrapolation_commutes_with_transposition() {
        let field = field();
        let transposed_grid =
            Grid { columns: GRID.rows, rows: GRID.columns, pitch: [GRID.pitch[1], GRID.pitch[0]] };
        let transposed_field: Vec<Complex64> =
            (0..GRID.len()).map(|i| field[i % GRID.rows * GRID.columns + i / GRID.rows]).collect();
        let (one, other) = (
            Extrapolation::Plpbp.pad(&GRID, &field),
            Extrapolation::Plpbp.pad(&transposed_grid, &transposed_field),
        );
        let (columns, rows) = (3 * GRID.columns, 3 * GRID.rows);
        let largest = one.iter().map(|x| x.norm()).fold(0.0, f64::max);
        for i in 0..one.len() {
            let difference = (one[i] - other[i % columns * rows + i / columns]).norm();
            assert!(difference < 1e-6 * largest, "{i}: {difference:e}");
        }
    }
}
