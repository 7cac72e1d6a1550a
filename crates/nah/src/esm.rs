//! Equivalent sources: monopoles behind the source plane whose field at the microphones is the one that was measured (Koopmann, Song and Fahnline,
//! *J. Acoust. Soc. Am.* 86 (1989) 2433; Sarkissian, *ibid.* 118 (2005) 671). It takes no grid, no transform and nothing beyond the rim.
//!
//! With G the fields of the monopoles at the microphones, their strengths are q = Gᴴ(GGᴴ + λ)⁻¹p, with the λ that generalized
//! cross-validation over the microphones finds.

use crate::dense::{Factor, Matrix};
use crate::grid::Grid;
use crate::hologram::Medium;
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::FieldError;
use rayon::prelude::*;

/// How far behind the source plane the monopoles are, in pitches.
const RETREAT: f64 = 1.5;
/// Monopoles beyond the rim of the grid, on each side.
const BEYOND: usize = 4;
/// λ over the mean of the diagonal of GGᴴ: powers of ten from −10 to 2 in half steps, as numbers of half steps.
const WEIGHTS: std::ops::RangeInclusive<i32> = -20..=4;

/// Monopoles for one frequency.
pub struct Esm {
    k: f64,
    medium: Medium,
    /// Where fields are wanted.
    grid: Grid,
    sources: Vec<[f64; 3]>,
    /// G and GGᴴ.
    fields: Matrix,
    product: Matrix,
    /// The mean of the diagonal of GGᴴ.
    scale: f64,
}

impl Esm {
    /// For microphones at places, the source plane at `distance` from them, and fields on a grid.
    pub fn new(microphones: &[[f64; 2]], grid: Grid, distance: f64, k: f64, medium: Medium) -> Self {
        let wider = Grid { columns: grid.columns + 2 * BEYOND, rows: grid.rows + 2 * BEYOND, ..grid };
        let depth = RETREAT * grid.pitch[0].max(grid.pitch[1]);
        // The array is z = 0, and the source z < 0.
        let source = |i: usize| {
            let [x, y] = wider.place(i);
            [x, y, -distance - depth]
        };
        let sources: Vec<[f64; 3]> = (0..wider.len()).map(source).collect();
        let pressure = |m: usize, s: usize| {
            let [x, y] = microphones[m];
            monopole([x, y, 0.0], sources[s], k).0
        };
        let fields = Matrix::from_fn(microphones.len(), sources.len(), pressure);
        let product = fields.times_adjoint(&fields);
        let diagonal = product.rows().enumerate().map(|(i, row)| row[i].re);
        let scale = diagonal.sum::<f64>() / microphones.len().max(1) as f64;
        Self { k, medium, grid, sources, fields, product, scale }
    }

    /// The λ that cross-validation finds for a field, ‖λ(GGᴴ + λ)⁻¹p‖²/(λ tr(GGᴴ + λ)⁻¹)². Steps are first whole powers of ten, then half ones.
    pub fn best_weight(&self, pressure: &[Complex64]) -> f64 {
        let weight = |step: i32| self.scale * 10_f64.powf(0.5 * f64::from(step));
        let score = |step: i32| {
            let Some(factor) = Factor::new(&self.product, weight(step)) else { return f64::INFINITY };
            let mut left = pressure.to_vec();
            factor.solve(&mut left);
            left.iter().map(Complex64::norm_sqr).sum::<f64>() / factor.inverse_trace().powi(2)
        };
        let least = |steps: &mut dyn Iterator<Item = i32>| {
            steps.map(|step| (score(step), step)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |best| best.1)
        };
        let whole = least(&mut WEIGHTS.step_by(2));
        weight(least(&mut [whole - 1, whole, whole + 1].into_iter()))
    }

    /// The strengths of the monopoles that make a pressure at the microphones, with a weight.
    pub fn strengths(&self, weight: f64, pressure: &[Complex64]) -> Result<Vec<Complex64>, FieldError> {
        let mut left = pressure.to_vec();
        self.factor(weight)?.solve(&mut left);
        let of_source = |s: usize| self.fields.rows().zip(&left).map(|(row, x)| row[s].conj() * x).sum();
        Ok((0..self.sources.len()).map(of_source).collect())
    }

    fn factor(&self, weight: f64) -> Result<Factor, FieldError> {
        Factor::new(&self.product, weight).ok_or_else(|| {
            let advice = "check `positions`: no two microphones may be in one place";
            FieldError::new("geometry", "the equivalent sources have no solution", advice)
        })
    }

    /// Pressure and velocity along z of monopoles of these strengths, at places of a plane by its distance from the array.
    pub fn field(&self, strengths: &[Complex64], grid: &Grid, plane: f64) -> [Vec<Complex64>; 2] {
        let at = |i: usize| {
            let [x, y] = grid.place(i);
            let term = |(source, q): (&[f64; 3], &Complex64)| {
                let (p, u) = self.pressure_and_velocity([x, y, -plane], *source);
                (q * p, q * u)
            };
            let terms = self.sources.iter().zip(strengths).map(term);
            terms.fold((Complex64::ZERO, Complex64::ZERO), |sum, (p, u)| (sum.0 + p, sum.1 + u))
        };
        let (pressure, velocity) = (0..grid.len()).into_par_iter().map(at).unzip();
        [pressure, velocity]
    }

    /// Of a monopole of strength one. jωρ u = −∂p/∂z.
    fn pressure_and_velocity(&self, at: [f64; 3], source: [f64; 3]) -> (Complex64, Complex64) {
        let (p, slope) = monopole(at, source, self.k);
        (p, -slope / (Complex64::I * self.medium.density * self.medium.speed * self.k))
    }

    /// What takes the pressure at the microphones to pressure and velocity along z on each plane, by its distance from the array: one matrix.
    pub fn operator<T: Scalar>(&self, weight: f64, planes: &[f64]) -> Result<Operator<T>, FieldError> {
        let factor = self.factor(weight)?;
        let places = self.grid.len();
        let field = |row: usize, s: usize| {
            let (plane, part) = (row / (2 * places), row / places % 2);
            let [x, y] = self.grid.place(row % places);
            let (p, u) = self.pressure_and_velocity([x, y, -planes[plane]], self.sources[s]);
            if part == 0 { p } else { u }
        };
        let wanted = Matrix::from_fn(2 * places * planes.len(), self.sources.len(), field);
        // F Gᴴ (GGᴴ + λ)⁻¹, row by row: the inverse is its own adjoint.
        let product = wanted.times_adjoint(&self.fields);
        let row = |row: &[Complex64]| {
            let mut x: Vec<Complex64> = row.iter().map(Complex64::conj).collect();
            factor.solve(&mut x);
            x.iter().map(|x| T::complex_from_f64(x.conj())).collect()
        };
        let rows = product.values.par_chunks_exact(product.columns).map(row).collect();
        Ok(Operator { rows, places })
    }
}

/// e^{−jkr}/r and its slope along z.
fn monopole(at: [f64; 3], source: [f64; 3], k: f64) -> (Complex64, Complex64) {
    let height = at[2] - source[2];
    let r = (at[0] - source[0]).hypot(at[1] - source[1]).hypot(height);
    let p = Complex64::from_polar(1.0 / r, -k * r);
    (p, -p * Complex64::new(1.0 / r, k) * (height / r))
}

/// One matrix from the pressure at the microphones to fields.
pub struct Operator<T> {
    rows: Vec<Vec<Complex<T>>>,
    places: usize,
}

impl<T: Scalar> Operator<T> {
    /// How many fields come out.
    pub fn fields(&self) -> usize {
        self.rows.len() / self.places.max(1)
    }

    /// How many places each has.
    pub fn places(&self) -> usize {
        self.places
    }

    /// One row for each value of each field.
    pub(crate) fn rows(&self) -> &[Vec<Complex<T>>] {
        &self.rows
    }

    /// The fields, one after the other.
    pub fn run(&self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        let zero = Complex::new(T::zero(), T::zero());
        fields.par_iter_mut().zip(&self.rows).for_each(|(value, row)| {
            *value = row.iter().zip(pressure).fold(zero, |sum, (a, p)| sum + *a * *p);
        });
    }
}
