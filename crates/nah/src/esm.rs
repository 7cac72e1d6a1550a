//! The equivalent source method (ESM): monopoles behind the source plane that reproduce the pressure at the microphones (Koopmann, Song and
//! Fahnline, *J. Acoust. Soc. Am.* 86 (1989) 2433; Sarkissian, *ibid.* 118 (2005) 671). It needs no regular grid, no DFT and no extrapolation.
//!
//! With the free-field Green's functions G = e^{−jkr}/r from the monopoles to the microphones, the Tikhonov-regularized source strengths are
//! q = Gᴴ(GGᴴ + λ)⁻¹p. Dead microphones have no row: nothing is known there.
//!
//! λ is the larger of those of the largest marginal likelihood and of GCV. For the likelihood, take the strengths for independent normal numbers of variance s, and the noise of the microphones for
//! such of variance n = λs. Then q is their conditional mean for the measured p, and p itself is normal with the covariance s(GGᴴ + λ), whose
//! likelihood is largest at s = pᴴ(GGᴴ + λ)⁻¹p/M and at the λ with the least M ln pᴴ(GGᴴ + λ)⁻¹p + ln det(GGᴴ + λ) (Wahba, *Ann. Statist.* 13 (1985)
//! 1378; of equivalent sources Pereira, Antoni and Leclère, *Appl. Acoust.* 97 (2015) 11). Generalized cross-validation (GCV) asks how well a microphone is predicted
//! by all others, where evanescent waves hardly count; the likelihood asks for signal and noise at every wavenumber, which is what matters
//! on a plane nearer to the source. The conditional covariance gives the expected error of any field f of the sources as well,
//! s(‖f‖² − fGᴴ(GGᴴ + λ)⁻¹Gfᴴ) (Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, eq. 2.26).

use crate::dense::{Factor, Matrix};
use crate::grid::Grid;
use crate::medium::Medium;
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::FieldError;
use rayon::prelude::*;

/// How far the monopoles are behind the source plane by default, in pitches. Too close, single monopoles show between grid points; too far, the
/// fields of neighbors are all but the same.
const RETREAT: f64 = 1.5;
/// Monopoles outside the aperture edge, on each side.
const MARGIN: usize = 4;
/// λ over the mean of the diagonal of GGᴴ is 10 to a number of steps over `STEPS`: from −10 to 2.
const STEPS: i32 = 4;
const FIRST: i32 = -10 * STEPS;
const LAST: i32 = 2 * STEPS;

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
    /// The default depth of the monopoles behind the source plane, m.
    pub fn default_depth(grid: &Grid) -> f64 {
        RETREAT * grid.pitch[0].max(grid.pitch[1])
    }

    /// For microphones at these positions, some of them dead, monopoles at a depth behind the source plane at the standoff `distance`, and
    /// reconstruction on a grid.
    pub fn new(
        microphones: &[[f64; 2]],
        dead: &[usize],
        grid: Grid,
        [distance, depth]: [f64; 2],
        k: f64,
        medium: Medium,
    ) -> Self {
        // Sources beyond the aperture edge represent sound from outside of it.
        let extended = Grid { columns: grid.columns + 2 * MARGIN, rows: grid.rows + 2 * MARGIN, ..grid };
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

    /// The λ that is chosen where none is given: the larger of those of the marginal likelihood and of GCV. The likelihood knows what becomes of the noise on
    /// the way back; where the field has fewer evanescent waves than that of independent sources, as that of a plate, GCV sees that.
    pub fn auto_weight(&self, pressure: &[Complex64]) -> f64 {
        let known = self.known(pressure);
        let likely = self.least_step(FIRST, |factor| likelihood(factor, &known));
        // GCV among larger ones only, for it is dear.
        self.weight(self.least_step(likely, |factor| gcv(factor, &known)))
    }

    /// The λ of the largest marginal likelihood for a measured pressure.
    pub fn likely_weight(&self, pressure: &[Complex64]) -> f64 {
        let known = self.known(pressure);
        self.weight(self.least_step(FIRST, |factor| likelihood(factor, &known)))
    }

    /// The λ with the least GCV functional for a measured pressure.
    pub fn gcv_weight(&self, pressure: &[Complex64]) -> f64 {
        let known = self.known(pressure);
        self.weight(self.least_step(FIRST, |factor| gcv(factor, &known)))
    }

    /// λ of a step, relative to the mean of the diagonal, so that the search range does not depend on distance and pitch.
    fn weight(&self, step: i32) -> f64 {
        self.scale * 10_f64.powf(f64::from(step) / f64::from(STEPS))
    }

    /// The step from `first` on with the least value of a functional of GGᴴ + λ: by decades first, then by quarters.
    fn least_step(&self, first: i32, functional: impl Fn(&Factor) -> f64) -> i32 {
        let at = |step: i32| {
            let factor = Factor::new(&self.product, self.weight(step));
            let value = factor.map_or(f64::INFINITY, |factor| functional(&factor));
            // Without any signal no λ is better than another: what is not a number is not chosen.
            (if value.is_nan() { f64::INFINITY } else { value }, step)
        };
        let least = |steps: &mut dyn Iterator<Item = i32>| steps.map(at).min_by(|a, b| a.0.total_cmp(&b.0));
        // Both functionals are smooth in ln λ: decades locate the minimum, quarters refine it.
        let Some(coarse) = least(&mut (first..=LAST).step_by(STEPS as usize)) else { return first };
        let mut near =
            (coarse.1 + 1 - STEPS..coarse.1 + STEPS).filter(|step| *step >= first && *step != coarse.1);
        least(&mut near).filter(|fine| fine.0 < coarse.0).unwrap_or(coarse).1
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

    /// The expected errors of pressure and normal velocity at the grid points of planes, given by their distances from the array: standard
    /// deviations for a measured pressure, given the sources of the likelihood with this λ. By plane, quantity and point.
    pub fn expected_errors(
        &self,
        weight: f64,
        pressure: &[Complex64],
        planes: &[f64],
    ) -> Result<Vec<f64>, FieldError> {
        let factor = self.factor(weight)?;
        let variance = self.variance(&factor, pressure);
        let fields = self.fields(planes);
        let product = fields.times_adjoint(&self.green);
        let of_row = |(product, field): (&[Complex64], &[Complex64])| {
            let adjoint: Vec<Complex64> = product.iter().map(Complex64::conj).collect();
            let prior: f64 = field.iter().map(Complex64::norm_sqr).sum();
            // Rounding may leave less than nothing where the microphones tell all.
            (variance * (prior - factor.quadratic(&adjoint)).max(0.0)).sqrt()
        };
        let rows: Vec<_> = product.rows().zip(fields.rows()).collect();
        Ok(rows.into_par_iter().map(of_row).collect())
    }

    /// The variance s of the source strengths for a measured pressure, Pa² m²; that of the noise is λs.
    pub fn source_power(&self, weight: f64, pressure: &[Complex64]) -> Result<f64, FieldError> {
        Ok(self.variance(&self.factor(weight)?, pressure))
    }

    /// s = pᴴ(GGᴴ + λ)⁻¹p/M.
    fn variance(&self, factor: &Factor, pressure: &[Complex64]) -> f64 {
        factor.quadratic(&self.known(pressure)) / self.alive.len().max(1) as f64
    }

    /// Pressure and normal velocity of unit monopoles at the grid points of planes, [plane][pressure, velocity][point].
    fn fields(&self, planes: &[f64]) -> Matrix {
        let points = self.grid.len();
        let field = |row: usize, s: usize| {
            let (plane, part) = (row / (2 * points), row / points % 2);
            let [x, y] = self.grid.position(row % points);
            let (p, u) = self.pressure_and_velocity([x, y, -planes[plane]], self.sources[s]);
            if part == 0 { p } else { u }
        };
        Matrix::from_fn(2 * points * planes.len(), self.sources.len(), field)
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
        // F Gᴴ (GGᴴ + λ)⁻¹ row by row, with F the fields of the sources on the planes: the inverse is Hermitian.
        let product = self.fields(planes).times_adjoint(&self.green);
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
        Ok(EsmOperator { rows, points: self.grid.len() })
    }
}

/// −ln of the marginal likelihood but for a constant, M ln pᴴ(GGᴴ + λ)⁻¹p + ln det(GGᴴ + λ).
fn likelihood(factor: &Factor, known: &[Complex64]) -> f64 {
    known.len() as f64 * factor.quadratic(known).ln() + factor.log_determinant()
}

/// ‖λ(GGᴴ + λ)⁻¹p‖²/(λ tr(GGᴴ + λ)⁻¹)² (Golub, Heath and Wahba, *Technometrics* 21 (1979) 215); the λ in numerator and denominator cancel.
fn gcv(factor: &Factor, known: &[Complex64]) -> f64 {
    let mut residual = known.to_vec();
    factor.solve(&mut residual);
    residual.iter().map(Complex64::norm_sqr).sum::<f64>() / factor.inverse_trace().powi(2)
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
