//! The transform as matrix products.
//!
//! The directions form a grid, so the exponential factors and either sum is a pair of matrix products,
//!
//! ```text
//! F = Ex diag(a) Eyᵀ,   S[W]_n = (Exᵀ W Ey)_nn,   Ex_hn = e^{jβ u_h x_n},   Ey_kn = e^{jβ v_k y_n}
//! ```
//!
//! If the elements form a grid too (x by column, y by row), F = Ex A Eyᵀ with A the matrix of excitations, and the matrices have one
//! column per column or row of the array instead of one per element.

use super::directions::{AdjointSums, DirectionGrid};
use crate::problem::Design;
use num_complex::Complex64;
use phasefront_device::cpu::{gemm_on_one_thread, team};
use rayon::prelude::*;

/// Grid cells per element up to which the matrices of the grid are by far the smaller ones.
const MAX_CELLS_PER_ELEMENT: usize = 4;

/// Columns of a block of a product: those of a kernel of the product with AVX-512; few, so that threads have equal shares.
const BLOCK_COLUMNS: usize = 4;

/// The matrices for one set of positions.
#[derive(Debug)]
pub(super) struct MatrixProduct {
    /// e^{jβ u_h x}, a column for each distinct x; likewise v and y.
    ex: Vec<Complex64>,
    ey: Vec<Complex64>,
    /// Their transposes: `gemm` has no transposed operands. That of `ex` is needed for a grid only.
    ext: Vec<Complex64>,
    eyt: Vec<Complex64>,
    /// Where the elements are in a matrix of columns by rows, if they form a grid.
    cells: Option<Cells>,
}

/// The elements in a matrix of columns by rows.
#[derive(Debug, Clone)]
enum Cells {
    /// All of them, in order.
    All,
    /// The index of each.
    At(Vec<usize>),
}

impl MatrixProduct {
    /// For scattered elements.
    pub fn scattered(directions: &DirectionGrid, design: &Design) -> Self {
        let DirectionGrid { beta, u, v } = directions;
        let (ex, ey) = (exponentials(*beta, u, &design.x), exponentials(*beta, v, &design.y));
        Self { eyt: transpose(v.len(), &ey), ex, ey, ext: Vec::new(), cells: None }
    }

    /// For elements on a grid; none if they form no grid.
    pub fn grid(directions: &DirectionGrid, design: &Design) -> Option<Self> {
        let DirectionGrid { beta, u, v } = directions;
        let ElementGrid { x, y, cells } = ElementGrid::of(design)?;
        let (ex, ey) = (exponentials(*beta, u, &x), exponentials(*beta, v, &y));
        let (ext, eyt) = (transpose(u.len(), &ex), transpose(v.len(), &ey));
        let is_whole =
            cells.len() == x.len() * y.len() && cells.iter().enumerate().all(|(n, cell)| n == *cell);
        let cells = if is_whole { Cells::All } else { Cells::At(cells) };
        Some(Self { ex, ey, ext, eyt, cells: Some(cells) })
    }

    /// Overwrites `field`, one value for each direction.
    pub fn field(&self, directions: &DirectionGrid, a: &[Complex64], field: &mut [Complex64]) {
        let (nu, nv) = (directions.u.len(), directions.v.len());
        if let Some(cells) = &self.cells {
            // Ex (A Eyᵀ) with A the excitations as a matrix
            let (nx, ny) = (self.ex.len() / nu, self.ey.len() / nv);
            let shape = [nu, nv, nx, ny];
            return match cells {
                Cells::All => multiply_twice(shape, &self.ex, a, &self.eyt, field),
                Cells::At(cells) => {
                    let mut matrix = vec![Complex64::ZERO; nx * ny];
                    for (&cell, a) in cells.iter().zip(a) {
                        matrix[cell] = *a;
                    }
                    multiply_twice(shape, &self.ex, &matrix, &self.eyt, field);
                }
            };
        }
        // diag(a) Eyᵀ
        let columns = self.eyt.chunks(a.len());
        let right: Vec<Complex64> =
            columns.flat_map(|column| column.iter().zip(a).map(|(e, a)| e * a)).collect();
        multiply([nu, nv, a.len()], &self.ex, &right, field);
    }

    pub fn adjoint(&self, directions: &DirectionGrid, w: &[Complex64], derivatives: bool) -> AdjointSums {
        let DirectionGrid { u, v, .. } = directions;
        let (nu, nv) = (u.len(), v.len());
        let columns = self.ey.len() / nv;
        if let (Some(cells), false) = (&self.cells, derivatives) {
            // Exᵀ (W Ey)
            let shape = [self.ext.len() / nu, columns, nu, nv];
            let mut sums = zeros(shape[0] * columns);
            multiply_twice(shape, &self.ext, w, &self.ey, &mut sums);
            return AdjointSums { s: cells.of_elements(sums), ..AdjointSums::default() };
        }
        // W Ey, one column for each y
        let product = |w: &[Complex64]| {
            let mut product = zeros(nu * columns);
            multiply([nu, columns, nv], w, &self.ey, &mut product);
            product
        };
        let we = product(w);
        if !derivatives {
            return AdjointSums { s: self.sum_over_u(nu, &we), ..AdjointSums::default() };
        }
        let scaled = |values: &[Complex64], factor: &dyn Fn(usize) -> f64| -> Vec<Complex64> {
            values.iter().enumerate().map(|(i, value)| value * factor(i)).collect()
        };
        // v multiplies before the sum over v, u after it: W Ey is shared by S[W] and S[uW].
        let vwe = product(&scaled(w, &|i| v[i / nu]));
        let uwe = scaled(&we, &|i| u[i % nu]);
        AdjointSums {
            s: self.sum_over_u(nu, &we),
            su: self.sum_over_u(nu, &uwe),
            sv: self.sum_over_u(nu, &vwe),
        }
    }

    /// The sum over u of `we` (nu rows, one column per y) with Ex: Exᵀ · we for a grid, else column by column.
    fn sum_over_u(&self, nu: usize, we: &[Complex64]) -> Vec<Complex64> {
        if let Some(cells) = &self.cells {
            let shape = [self.ext.len() / nu, we.len() / nu, nu];
            let mut sums = zeros(shape[0] * shape[1]);
            multiply(shape, &self.ext, we, &mut sums);
            cells.of_elements(sums)
        } else {
            let dot = |(e, w): (&[Complex64], &[Complex64])| e.iter().zip(w).map(|(e, w)| e * w).sum();
            self.ex.par_chunks(nu).zip(we.par_chunks(nu)).map(dot).collect()
        }
    }
}

impl Cells {
    /// The values of the elements of a matrix.
    fn of_elements(&self, matrix: Vec<Complex64>) -> Vec<Complex64> {
        match self {
            Self::All => matrix,
            Self::At(cells) => cells.iter().map(|&cell| matrix[cell]).collect(),
        }
    }
}

/// Elements on a grid: x depends on the column only, y on the row only.
pub(crate) struct ElementGrid {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// Index of each element in a matrix of columns by rows.
    pub cells: Vec<usize>,
}

impl ElementGrid {
    /// The grid of a design, if there is one. Elements may be missing, up to [`MAX_CELLS_PER_ELEMENT`].
    pub fn of(design: &Design) -> Option<Self> {
        let [nx, ny] = design.shape();
        // Mostly empty grids, as from scattered indices: the
        // matrices would be larger than those of the elements.
        if nx * ny > MAX_CELLS_PER_ELEMENT * design.len() {
            return None;
        }
        let (mut x, mut y) = (vec![0.0; nx], vec![0.0; ny]);
        for (n, &[ix, iy]) in design.index.iter().enumerate() {
            (x[ix], y[iy]) = (design.x[n], design.y[n]);
        }
        // Exactly equal: a grid that is one only within rounding is treated as scattered, which is
        // correct in any case.
        let fits = |(n, [ix, iy]): (usize, &[usize; 2])| x[*ix] == design.x[n] && y[*iy] == design.y[n];
        let is_grid = design.index.iter().enumerate().all(fits);
        is_grid.then(|| Self { x, y, cells: design.index.iter().map(|[ix, iy]| ix + nx * iy).collect() })
    }
}

/// e^{jβ u x}, u fastest. Each column by recurrence, whose rounding error grows with its length: 1e-14 for a hundred samples.
fn exponentials(beta: f64, u: &[f64], x: &[f64]) -> Vec<Complex64> {
    let step = if u.len() > 1 { u[1] - u[0] } else { 0.0 };
    let mut table = vec![Complex64::ZERO; u.len() * x.len()];
    table.par_chunks_mut(u.len()).zip(x).for_each(|(column, x)| {
        // One sine and cosine per column instead of one per entry.
        let mut value = Complex64::cis(beta * u[0] * x);
        let ratio = Complex64::cis(beta * step * x);
        for entry in column {
            *entry = value;
            value *= ratio;
        }
    });
    table
}

/// C = A B with `shape` = [rows, columns, inner]. Threads take columns in blocks: the products are too small to be divided otherwise.
fn multiply([m, _, k]: [usize; 3], a: &[Complex64], b: &[Complex64], c: &mut [Complex64]) {
    team::map_mut(m * BLOCK_COLUMNS, c, |first, c: &mut [Complex64]| {
        let (column, columns) = (first / m, c.len() / m);
        gemm_on_one_thread([m, columns, k], a, &b[column * k..][..columns * k], c);
    });
}

/// A (B C) with `shape` = [rows of A, columns of C, rows of B, rows of C]. A thread does both products for its columns: to wait for the
/// other threads takes as long as one of them.
fn multiply_twice(
    [m, _, k, l]: [usize; 4],
    a: &[Complex64],
    b: &[Complex64],
    c: &[Complex64],
    product: &mut [Complex64],
) {
    team::map_mut(m * BLOCK_COLUMNS, product, |first, product: &mut [Complex64]| {
        let (column, columns) = (first / m, product.len() / m);
        let mut right = zeros(k * columns);
        gemm_on_one_thread([k, columns, l], b, &c[column * l..][..columns * l], &mut right);
        gemm_on_one_thread([m, columns, k], a, &right, product);
    });
}

fn zeros(len: usize) -> Vec<Complex64> {
    vec![Complex64::ZERO; len]
}

/// Aᵀ of a matrix with `rows` rows.
fn transpose(rows: usize, a: &[Complex64]) -> Vec<Complex64> {
    let columns = a.len() / rows;
    let mut transposed = vec![Complex64::ZERO; a.len()];
    transposed.par_chunks_mut(columns).enumerate().for_each(|(row, target)| {
        for (column, value) in target.iter_mut().enumerate() {
            *value = a[row + column * rows];
        }
    });
    transposed
}
