//! The equivalent source method (ESM): monopoles behind the source plane that reproduce the pressure at the microphones (Koopmann, Song and
//! Fahnline, *J. Acoust. Soc. Am.* 86 (1989) 2433; Sarkissian, *ibid.* 118 (2005) 671). It needs no regular grid, no DFT and no extrapolation.
//!
//! With the free-field Green's functions G = e^{−jkr}/r from the monopoles to the microphones, the Tikhonov-regularized source strengths are
//! q = Gᴴ(GGᴴ + λ)⁻¹p, with λ by generalized cross-validation (GCV) over the microphones. Dead microphones have no row: nothing is known there.

use crate::dense::{Factor, Matrix};
use crate::grid::Grid;
use crate::medium::Medium;
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::FieldError;
use rayon::prelude::*;

/// Retreat distance: how far the monopoles are behind the source plane, in pitches.
const RETREAT: f64 = 1.5;
/// Monopoles outside the aperture edge, on each side.
const MARGIN: usize = 4;
/// λ over the mean of the diagonal of GGᴴ: powers of ten from −10 to 2, as numbers of half decades.
const WEIGHTS: std::ops::RangeInclusive<i32> = -20..=4;

/// Equivalent sources at one frequency.
pub struct Esm {
    k: f64,
    medium: Medium,
    /// Points of the reconstruction planes.
    grid: Grid,
    sources: Vec<[f64; 3]>,
    /// Number of microphones, and those that are not dead.
    microphones: usize,
    alive: Vec<usize>,
    /// G and GGᴴ.
    green: Matrix,
    product: Matrix,
    /// The mean of the diagonal of GGᴴ.
    scale: f64,
}

impl Esm {
    /// For microphones at these positions, some of them dead, a source plane at the standoff `distance`, and reconstruction on a grid.
    pub fn new(
        microphones: &[[f64; 2]],
        dead: &[usize],
        grid: Grid,
        distance: f64,
        k: f64,
        medium: Medium,
    ) -> Self {
        // Sources beyond the aperture edge represent sound from outside of it.
        let extended = Grid { columns: grid.columns + 2 * MARGIN, rows: grid.rows + 2 * MARGIN, ..grid };
        // Too close, single monopoles show between grid
        // points; too far, the system is ill-conditioned.
        let depth = RETREAT * grid.pitch[0].max(grid.pitch[1]);
        // The array is the plane z = 0; sources have z < 0.
        let source = |i: usize| {
            let [x, y] = extended.position(i);
            [x, y, -distance - depth]
        };
        let sources: Vec<[f64; 3]> = (0..extended.len()).map(source).collect();
        let alive: Vec<usize> = (0..microphones.len()).filter(|m| !dead.contains(m)).collect();
        let pressure = |row: usize, s: usize| {
            let [x, y] = microphones[alive[row]];
            monopole([x, y, 0.0], sources[s], k).0
        };
        let green = Matrix::from_fn(alive.len(), sources.len(), pressure);
        // GGᴴ has the size of the microphones, GᴴG that of the sources, which are usually more.
        let product = green.times_adjoint(&green);
        let diagonal = product.rows().enumerate().map(|(i, row)| row[i].re);
        let scale = diagonal.sum::<f64>() / alive.len().max(1) as f64;
        Self { k, medium, grid, sources, microphones: microphones.len(), alive, green, product, scale }
    }

    /// The pressure at the microphones that are not dead.
    fn known(&self, pressure: &[Complex64]) -> Vec<Complex64> {
        self.alive.iter().map(|m| pressure[*m]).collect()
    }

    /// The λ with the least GCV functional for a measured pressure, ‖λ(GGᴴ + λ)⁻¹p‖²/(λ tr(GGᴴ + λ)⁻¹)² (Golub, Heath and Wahba, 1979): by decades
    /// first, then by half decades.
    pub fn gcv_weight(&self, pressure: &[Complex64]) -> f64 {
        // Relative to the mean of the diagonal, so that the search range does not depend on
        // distance and pitch.
        let weight = |step: i32| self.scale * 10_f64.powf(0.5 * f64::from(step));
        let known = self.known(pressure);
        let gcv = |step: i32| {
            let Some(factor) = Factor::new(&self.product, weight(step)) else { return f64::INFINITY };
            let mut residual = known.clone();
            factor.solve(&mut residual);
            // The λ in numerator and denominator cancel.
            residual.iter().map(Complex64::norm_sqr).sum::<f64>() / factor.inverse_trace().powi(2)
        };
        let least = |steps: &mut dyn Iterator<Item = i32>| {
            steps.map(|step| (gcv(step), step)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |best| best.1)
        };
        // The functional is smooth: decades locate the minimum, half decades refine it.
        let decade = least(&mut WEIGHTS.step_by(2));
        weight(least(&mut [decade - 1, decade, decade + 1].into_iter()))
    }

    /// The source strengths q for a pressure at the microphones, with Tikhonov weight λ.
    pub fn strengths(&self, weight: f64, pressure: &[Complex64]) -> Result<Vec<Complex64>, FieldError> {
        let mut solved = self.known(pressure);
        self.factor(weight)?.solve(&mut solved);
        let of_source = |s: usize| self.green.rows().zip(&solved).map(|(row, x)| row[s].conj() * x).sum();
        Ok((0..self.sources.len()).map(of_source).collect())
    }

    /// The fit of the sources with Tikhonov weight λ.
    pub fn fit(&self, weight: f64) -> Result<Fit, FieldError> {
        let factor = self.factor(weight)?;
        let diagonal = factor.inverse_diagonal();
        Ok(Fit { weight, alive: self.alive.clone(), factor, diagonal })
    }

    /// The mean of the diagonal of GGᴴ, which weights are relative to.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The Cholesky factor of GGᴴ + λ.
    fn factor(&self, weight: f64) -> Result<Factor, FieldError> {
        Factor::new(&self.product, weight).ok_or_else(|| {
            let advice = "check `positions`: no two microphones may have the same position";
            FieldError::new("geometry", "the equivalent source system is singular", advice)
        })
    }

    /// Pressure and normal velocity of the sources on the grid of a plane, given by its distance from the array.
    pub fn field(&self, strengths: &[Complex64], grid: &Grid, plane: f64) -> [Vec<Complex64>; 2] {
        // Points are independent: in parallel over the plane.
        let at = |i: usize| {
            let [x, y] = grid.position(i);
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

    /// Pressure and normal velocity of a unit monopole; jωρ u = −∂p/∂z (Euler's equation).
    fn pressure_and_velocity(&self, at: [f64; 3], source: [f64; 3]) -> (Complex64, Complex64) {
        let (p, gradient) = monopole(at, source, self.k);
        (p, -gradient / (Complex64::I * self.medium.density * self.medium.speed * self.k))
    }

    /// The reconstruction matrix from the pressure at the microphones to pressure and normal velocity on planes, by their distances from the array.
    pub fn operator<T: Scalar>(&self, weight: f64, planes: &[f64]) -> Result<EsmOperator<T>, FieldError> {
        let factor = self.factor(weight)?;
        let points = self.grid.len();
        let field = |row: usize, s: usize| {
            // [plane][pressure, velocity][point].
            let (plane, part) = (row / (2 * points), row / points % 2);
            let [x, y] = self.grid.position(row % points);
            let (p, u) = self.pressure_and_velocity([x, y, -planes[plane]], self.sources[s]);
            if part == 0 { p } else { u }
        };
        let fields = Matrix::from_fn(2 * points * planes.len(), self.sources.len(), field);
        // F Gᴴ (GGᴴ + λ)⁻¹ row by row, with F the fields of the sources on the planes: the inverse is Hermitian.
        let product = fields.times_adjoint(&self.green);
        let row = |row: &[Complex64]| {
            // x (A)⁻¹ = (A⁻¹ xᴴ)ᴴ for a Hermitian A: solve with the conjugated row.
            let mut x: Vec<Complex64> = row.iter().map(Complex64::conj).collect();
            factor.solve(&mut x);
            // Whatever stands in for a dead microphone counts nothing.
            let mut full = vec![Complex::new(T::zero(), T::zero()); self.microphones];
            self.alive.iter().zip(x).for_each(|(m, x)| full[*m] = T::complex_from_f64(x.conj()));
            full
        };
        let rows = product.values.par_chunks_exact(product.columns).map(row).collect();
        Ok(EsmOperator { rows, points })
    }
}

/// Equivalent sources fitted to the microphones that are not dead.
pub struct Fit {
    weight: f64,
    alive: Vec<usize>,
    factor: Factor,
    /// Of (GGᴴ + λ)⁻¹.
    diagonal: Vec<f64>,
}

impl Fit {
    /// The power of white noise at the microphones: what the sources leave of the pressure, λ(GGᴴ + λ)⁻¹p, over the degrees of freedom that they
    /// leave, λ tr(GGᴴ + λ)⁻¹ (Wahba, *Spline Models for Observational Data*, 1990, section 4.7).
    pub fn noise_power(&self, pressure: &[Complex64]) -> f64 {
        let residual: f64 = self.solved(pressure).iter().map(Complex64::norm_sqr).sum();
        self.weight * residual / self.diagonal.iter().sum::<f64>()
    }

    /// The difference between the pressure at each microphone that is not dead and that of sources fitted to all others (Allen, *Technometrics* 16
    /// (1974) 125).
    pub fn prediction_errors(&self, pressure: &[Complex64]) -> Vec<Complex64> {
        self.solved(pressure).iter().zip(&self.diagonal).map(|(x, diagonal)| x / diagonal).collect()
    }

    fn solved(&self, pressure: &[Complex64]) -> Vec<Complex64> {
        let mut solved: Vec<Complex64> = self.alive.iter().map(|m| pressure[*m]).collect();
        self.factor.solve(&mut solved);
        solved
    }
}

/// The free-field Green's function e^{−jkr}/r of a monopole, and its derivative along z.
fn monopole(at: [f64; 3], source: [f64; 3], k: f64) -> (Complex64, Complex64) {
    let height = at[2] - source[2];
    let r = (at[0] - source[0]).hypot(at[1] - source[1]).hypot(height);
    let p = Complex64::from_polar(1.0 / r, -k * r);
    // ∂/∂r (e^{−jkr}/r) = −(1/r + jk) e^{−jkr}/r, times ∂r/∂z.
    (p, -p * Complex64::new(1.0 / r, k) * (height / r))
}

/// The reconstruction matrix, from the pressure at the microphones to fields.
pub struct EsmOperator<T> {
    rows: Vec<Vec<Complex<T>>>,
    points: usize,
}

impl<T: Scalar> EsmOperator<T> {
    /// Number of fields.
    pub fn fields(&self) -> usize {
        self.rows.len() / self.points.max(1)
    }

    /// Points of each field.
    pub fn points(&self) -> usize {
        self.points
    }

    /// One row for each value of each field.
    pub(crate) fn rows(&self) -> &[Vec<Complex<T>>] {
        &self.rows
    }
}
