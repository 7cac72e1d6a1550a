//! The field beyond the rim of the array.

use crate::burg::{carry_on, coefficients};
use crate::grid::Grid;
use num_complex::Complex64;

/// Coefficients of a prediction at most.
const ORDER: usize = 8;

/// How a field goes on beyond the rim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extrapolation {
    /// Row by row, and then column by column of all that there is, each with a prediction of its own.
    Lpbp,
    /// With one prediction for all rows and one for all columns: E_y P E_xᵀ.
    Plpbp,
    /// As silence.
    Zero,
}

impl Extrapolation {
    /// The field on the grid that is three times as wide and as high; on the array it stays as it is.
    pub fn widen(self, grid: &Grid, field: &[Complex64]) -> Vec<Complex64> {
        let rows: Vec<Vec<Complex64>> = field.chunks_exact(grid.columns).map(<[_]>::to_vec).collect();
        let wide = match self {
            Self::Lpbp => {
                let columns = transposed(&each_for_itself(&rows));
                transposed(&each_for_itself(&columns))
            }
            Self::Plpbp => {
                let for_rows = coefficients(&rows, order(grid.columns));
                let for_columns = coefficients(&transposed(&rows), order(grid.rows));
                let columns = transposed(&all_alike(&rows, &for_rows));
                transposed(&all_alike(&columns, &for_columns))
            }
            Self::Zero => {
                let columns = transposed(&all_alike(&rows, &[]));
                transposed(&all_alike(&columns, &[]))
            }
        };
        wide.concat()
    }
}

/// Coefficients for so many points.
pub(crate) fn order(points: usize) -> usize {
    ORDER.min(points / 3)
}

fn each_for_itself(rows: &[Vec<Complex64>]) -> Vec<Vec<Complex64>> {
    let wider = |row: &Vec<Complex64>| {
        carry_on(row, &coefficients(std::slice::from_ref(row), order(row.len())), row.len())
    };
    rows.iter().map(wider).collect()
}

fn all_alike(rows: &[Vec<Complex64>], a: &[Complex64]) -> Vec<Vec<Complex64>> {
    rows.iter().map(|row| carry_on(row, a, row.len())).collect()
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
                let [x, y] = GRID.place(i);
                Complex64::from_polar(1.0 + x, 9.0 * x - 4.0 * y) + Complex64::from_polar(0.5, 30.0 * y)
            })
            .collect()
    }

    #[test]
    fn the_array_stays_as_it_is() {
        for how in [Extrapolation::Lpbp, Extrapolation::Plpbp, Extrapolation::Zero] {
            assert_eq!(GRID.crop(&how.widen(&GRID, &field())), field());
        }
    }

    /// With predictions that all rows and all columns share, it does not matter which go first.
    #[test]
    fn axes_may_be_swapped() {
        let field = field();
        let turned = Grid { columns: GRID.rows, rows: GRID.columns, pitch: [GRID.pitch[1], GRID.pitch[0]] };
        let across: Vec<Complex64> =
            (0..GRID.len()).map(|i| field[i % GRID.rows * GRID.columns + i / GRID.rows]).collect();
        let (one, other) =
            (Extrapolation::Plpbp.widen(&GRID, &field), Extrapolation::Plpbp.widen(&turned, &across));
        let (columns, rows) = (3 * GRID.columns, 3 * GRID.rows);
        let largest = one.iter().map(|x| x.norm()).fold(0.0, f64::max);
        for i in 0..one.len() {
            let apart = (one[i] - other[i % columns * rows + i / columns]).norm();
            assert!(apart < 1e-6 * largest, "{i}: {apart:e}");
        }
    }
}
