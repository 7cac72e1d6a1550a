//! LU factorization on all threads: right-looking by panels of columns, with look-ahead.
//!
//! ```text
//! [L0]         [U]             U  = L0⁻¹ A0          rows of the panel
//! [L1] panel,  [A1 ← A1 − L1 U]                      rows below it
//! ```
//!
//! The columns of the next panel are updated first. One thread factors them while the others update the rest, so that the
//! panels, which hardly divide, cost time only near the end. Tiles have a fixed size and each belongs to one thread: the
//! factors have the same bits for any number of threads.

use super::registers;
use crate::{DeviceError, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// The row interchanges of [`super::lu_factor`]; the factors lie where the matrix was.
#[derive(Debug, Clone)]
pub struct Lu {
    pub(super) forward: Vec<usize>,
    pub(super) inverse: Vec<usize>,
}

impl Lu {
    /// Order of the matrix.
    pub fn n(&self) -> usize {
        self.forward.len()
    }
}

/// Columns of a panel: the fewest that let a product of tiles run at its full rate. Panels take longer the wider they are.
const PANEL: usize = 64;
/// Rows and columns of a tile: with its part of the panel it stays in the second-level cache. The rows are a multiple of
/// those that the innermost loop of the product has (24 with AVX-512).
const TILE: [usize; 2] = [192, 64];

/// Rows that a panel has moved: (to, from), counted from its first row.
type Moves = Vec<(usize, usize)>;

/// P A = L U in place.
pub(super) fn factor_in_place<C: ComplexField + Copy + Default + PartialEq>(
    n: usize,
    matrix: &mut [C],
) -> Result<Lu> {
    let mut forward: Vec<usize> = (0..n).collect();
    let mut moves: Vec<Moves> = Vec::new();
    let mut tiles = Vec::new();
    let width = |first: usize| PANEL.min(n - first);
    let mut order = factor_panel(0, n, &mut matrix[..n * width(0)]);
    for first in (0..n).step_by(PANEL) {
        let next = first + width(first);
        let before = forward[first..].to_vec();
        forward[first..].iter_mut().zip(&order).for_each(|(row, &from)| *row = before[from]);
        let moved = order.iter().enumerate().filter(|(to, from)| to != *from);
        moves.push(moved.map(|(to, &from)| (to, from)).collect());
        if next == n {
            break;
        }
        let (factored, columns) = matrix.split_at_mut(n * next);
        let panel = MatRef::from_column_major_slice(&factored[n * first..], n, next - first);
        let update = Update::new(panel, first, &moves[moves.len() - 1], &mut tiles);
        let (ahead, rest) = columns.split_at_mut(n * width(next));
        update.apply(ahead, TILE[1] / 4);
        (order, ()) = rayon::join(|| factor_panel(next, n, ahead), || update.apply(rest, TILE[1]));
    }
    // Columns to the left of a panel follow its interchanges.
    matrix.par_chunks_mut((n * PANEL).max(1)).enumerate().for_each(|(panel, columns)| {
        let mut values = Vec::new();
        for column in columns.chunks_mut(n) {
            for (later, moves) in moves.iter().enumerate().skip(panel + 1) {
                permute(&mut column[later * PANEL..], moves, &mut values);
            }
        }
    });
    // The factorization does not fail on a singular matrix: it leaves a zero on the diagonal of U.
    let zero = C::default();
    if let Some(column) = (0..n).find(|&i| matrix[i * (n + 1)] == zero) {
        return Err(DeviceError::Singular { column });
    }
    let mut inverse = vec![0; n];
    forward.iter().enumerate().for_each(|(to, &from)| inverse[from] = to);
    Ok(Lu { forward, inverse })
}

/// Factors whole `columns` from the row `first` on; returns which row came to each position, counted from there.
fn factor_panel<C: ComplexField>(first: usize, n: usize, columns: &mut [C]) -> Vec<usize> {
    let width = columns.len().checked_div(n).unwrap_or(0);
    let panel = MatMut::from_column_major_slice_mut(columns, n, width).split_at_row_mut(first).1;
    let (mut forward, mut inverse) = (vec![0; n - first], vec![0; n - first]);
    let parameters = faer::Spec::default();
    let scratch = factor::lu_in_place_scratch::<usize, C>(n - first, width, Par::Seq, parameters);
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    factor::lu_in_place(panel, &mut forward, &mut inverse, Par::Seq, stack, parameters);
    registers::release(Par::Seq);
    forward
}

/// Moves the rows of a column; `values` is memory to work with.
fn permute<C: Copy>(column: &mut [C], moves: &[(usize, usize)], values: &mut Vec<C>) {
    values.clear();
    values.extend(moves.iter().map(|&(_, from)| column[from]));
    moves.iter().zip(values).for_each(|(&(to, _), value)| column[to] = *value);
}

/// What a factored panel does to the columns to its right.
struct Update<'a, C> {
    n: usize,
    /// First row of the panel.
    first: usize,
    moves: &'a [(usize, usize)],
    /// The unit lower triangle L0.
    triangle: MatRef<'a, C>,
    /// L1, tile after tile: contiguous, as every thread reads them for each of its tiles.
    tiles: &'a [C],
}

impl<'a, C: ComplexField + Copy + Default> Update<'a, C> {
    /// `tiles` is memory that panels use one after another.
    fn new(panel: MatRef<'a, C>, first: usize, moves: &'a [(usize, usize)], tiles: &'a mut Vec<C>) -> Self {
        let (n, width) = panel.shape();
        let (triangle, below) = panel.split_at_row(first).1.split_at_row(width);
        tiles.resize(below.nrows() * width, C::default());
        tiles.par_chunks_mut(TILE[0] * width).zip(below.par_row_chunks(TILE[0])).for_each(|(tile, rows)| {
            MatMut::from_column_major_slice_mut(tile, rows.nrows(), width).copy_from(rows);
        });
        Self { n, first, moves, triangle, tiles }
    }

    /// Updates whole `columns`, so many at a time.
    fn apply(&self, columns: &mut [C], at_a_time: usize) {
        columns.par_chunks_mut(self.n * at_a_time).for_each(|columns| self.apply_at_once(columns));
    }

    fn apply_at_once(&self, columns: &mut [C]) {
        let mut values = Vec::new();
        for column in columns.chunks_mut(self.n) {
            permute(&mut column[self.first..], self.moves, &mut values);
        }
        let (count, width) = (columns.len() / self.n, self.triangle.ncols());
        let columns = MatMut::from_column_major_slice_mut(columns, self.n, count);
        let (mut upper, below) = columns.split_at_row_mut(self.first).1.split_at_row_mut(width);
        solve_unit_lower_triangular_in_place(self.triangle, upper.as_mut(), Par::Seq);
        registers::release(Par::Seq);
        // Contiguous: the products read it again for every tile.
        let mut copy = vec![C::default(); width * count];
        MatMut::from_column_major_slice_mut(&mut copy, width, count).copy_from(upper);
        let upper = MatRef::from_column_major_slice(&copy, width, count);
        below.par_row_chunks_mut(TILE[0]).zip(self.tiles.par_chunks(TILE[0] * width)).for_each(
            |(target, lower)| {
                let lower = MatRef::from_column_major_slice(lower, lower.len() / width, width);
                matmul(target, Accum::Add, lower, upper, -C::one_impl(), Par::Seq);
                registers::release(Par::Seq);
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::DeviceError;
    use crate::cpu::lu_factor;
    use num_complex::Complex64;
    use rayon::ThreadPoolBuilder;

    /// Orders around one panel, two panels, and more rows below a panel than a tile has.
    const ORDERS: [usize; 8] = [0, 1, 63, 64, 65, 129, 257, 450];

    /// Entries in the unit square by a linear congruence (Knuth's MMIX).
    fn noise(n: usize) -> Vec<Complex64> {
        let mut state = n as u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..n * n).map(|_| Complex64::new(next(), next())).collect()
    }

    #[test]
    fn the_factors_are_those_of_the_matrix() {
        for n in ORDERS {
            let matrix = noise(n);
            let mut factors = matrix.clone();
            let lu = lu_factor(n, &mut factors).unwrap();
            let mut seen = vec![false; n];
            lu.forward.iter().for_each(|&from| seen[from] = true);
            assert!(seen.into_iter().all(|seen| seen), "n = {n}: no permutation");
            for column in 0..n {
                for row in 0..n {
                    let entry = |i: usize, j: usize| factors[i + n * j];
                    // Partial pivoting: no entry of L exceeds the pivot, by |re| + |im|.
                    assert!(row <= column || entry(row, column).norm() <= 2_f64.sqrt() + 1e-12);
                    let inner = row.min(column + 1);
                    let mut sum: Complex64 = (0..inner).map(|k| entry(row, k) * entry(k, column)).sum();
                    if row <= column {
                        sum += entry(row, column);
                    }
                    let error = (sum - matrix[lu.forward[row] + n * column]).norm();
                    assert!(error < 1e-14 * (n + 10) as f64, "n = {n}, ({row}, {column}): {error:e}");
                }
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        for n in ORDERS {
            let [one, three] = [1, 3].map(|threads| {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut factors = noise(n);
                let lu = pool.install(|| lu_factor(n, &mut factors)).unwrap();
                (lu.forward, lu.inverse, factors)
            });
            assert!(one == three, "n = {n}");
        }
    }

    #[test]
    fn a_zero_pivot_is_found_in_any_panel() {
        let n = 300;
        for column in [0, 63, 64, 200, 299] {
            let mut matrix = noise(n);
            matrix[column * n..(column + 1) * n].fill(Complex64::ZERO);
            assert_eq!(lu_factor(n, &mut matrix).unwrap_err(), DeviceError::Singular { column });
        }
    }
}
