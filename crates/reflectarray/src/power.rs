//! The radiated power, which turns |E|² into a directivity: D = 4π |E|²/P_rad.
//!
//! ```text
//! P_rad = ∫ |E|² dΩ = Σ_mn a_m a_n* κ(β d_mn),   d_mn the distance between elements m and n
//! κ(t)  = ∫ |g|² e^{jt·(u, v)} dΩ = 2π ∫ |g(θ)|² J₀(t sin θ) sin θ dθ
//!       = 2π 2^{ν−1} Γ(ν) J_ν(t)/t^ν,   ν = (p + 1)/2,   for |g|² = cos^p θ   (Sonine's first integral)
//! ```
//!
//! The double sum costs O(N²). But κ is needed for |x| ≤ X and |y| ≤ Y only, the extents of the array; windowed smoothly beyond, it
//! is a short Fourier sum to 1e-9 of κ(0), κ(β|d|) = Σ_k w_k e^{jβ u_k·d} over a grid of u_k, and with it
//!
//! ```text
//! P_rad = Σ_k w_k |F(u_k)|²,   F(u) = Σ_n a_n e^{jβ u·(x_n, y_n)}
//! ```
//!
//! One array-factor transform as for the pattern, whether the elements form a lattice or not.

use crate::error::ReflectarrayError;
use crate::problem::{Design, Element, Problem};
use crate::transform::Transform;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_core::quadrature::{Rule, gauss_legendre};
use phasefront_core::{Precision, special::bessel::hankel2_0};
use phasefront_device::cpu::{self, team};
use phasefront_device::{Backend, Direction, Fft};
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The window rolls off as erfc from −4.3 to 4.3: e^{−4.3²} = 1e-8 remains of it, and of its spectrum, at the ends.
const ROLL_OFF: f64 = 4.3;
/// Minimum width of the roll-off, wavelengths: a narrower one has a wider spectrum and needs a wider grid of u_k.
const MIN_ROLL_OFF_WIDTH: f64 = 12.0;
/// Ratio of successive extents for which there are weights. An array takes the next larger one, so that its weights depend on its own
/// extent and not on those of earlier arrays: a resumed run then has the same bits.
const GROWTH: f64 = 1.1;

/// Terms of a partial sum: a few microseconds of work.
const PART: usize = 4096;

/// P_rad at one frequency.
#[derive(Debug, Clone)]
pub(crate) struct Power {
    element: Element,
    beta: f64,
    tolerance: f64,
    backend: Backend,
    /// Weights of the extents met so far, by all clones: they take longer to compute than a hundred powers, and every task of a
    /// synthesis has a clone.
    fits: Arc<Mutex<Vec<Arc<Fit>>>>,
    /// The one that the transform is for.
    fit: Option<Arc<Fit>>,
    transform: Transform,
    /// F of the last array, kept for its memory.
    field: Vec<Complex64>,
}

/// Weights w_k for arrays up to some extent.
#[derive(Debug)]
struct Fit {
    /// Powers of [`GROWTH`] in the extents, in wavelengths.
    steps: [i32; 2],
    u: Vec<f64>,
    v: Vec<f64>,
    weights: Vec<f64>,
}

impl Power {
    pub fn new(problem: &Problem, frequency: f64, backend: &Backend) -> Self {
        let (beta, tolerance) = (wavenumber(frequency), problem.synthesis.tolerance);
        let transform = Transform::new(beta, Vec::new(), Vec::new(), tolerance, backend);
        let element = problem.element.clone();
        let backend = backend.clone();
        Self {
            element,
            beta,
            tolerance,
            backend,
            fits: Arc::default(),
            fit: None,
            transform,
            field: Vec::new(),
        }
    }

    /// P_rad of excitations a at the positions of a design.
    pub fn of(&mut self, design: &Design, a: &[Complex64]) -> Result<f64, ReflectarrayError> {
        let wavelength = TAU / self.beta;
        // An array of less than a wavelength counts as one of a wavelength.
        let steps = design.extent().map(|e| (e / wavelength).max(1.0).log(GROWTH).ceil() as i32);
        let fit = match &self.fit {
            Some(fit) if fit.steps == steps => Arc::clone(fit),
            _ => self.switch(steps),
        };
        self.transform.set_positions(design)?;
        self.transform.field(a, &mut self.field)?;
        let sum = |(fields, weights): (&[Complex64], &[f64])| -> f64 {
            fields.iter().zip(weights).map(|(f, w)| w * f.norm_sqr()).sum()
        };
        let part = |range: Range<usize>| sum((&self.field[range.clone()], &fit.weights[range]));
        Ok(team::map(fit.weights.len(), PART, part).into_iter().sum())
    }

    /// The weights of other extents, and the transform to their directions.
    fn switch(&mut self, steps: [i32; 2]) -> Arc<Fit> {
        let fits = || self.fits.lock().unwrap_or_else(PoisonError::into_inner);
        let known = fits().iter().find(|fit| fit.steps == steps).cloned();
        // Not under the lock: threads that wait for their part of the weights may take up a task that needs it.
        let fit = known.unwrap_or_else(|| {
            let fit = Arc::new(self.fitted(steps));
            fits().push(Arc::clone(&fit));
            fit
        });
        self.transform =
            Transform::new(self.beta, fit.u.clone(), fit.v.clone(), self.tolerance, &self.backend);
        self.fit = Some(Arc::clone(&fit));
        fit
    }

    /// Weights w_k for arrays up to an extent.
    fn fitted(&self, steps: [i32; 2]) -> Fit {
        let wavelength = TAU / self.beta;
        let axes = steps.map(|step| Axis::new(wavelength * GROWTH.powi(step), wavelength));
        let [nx, ny] = axes.map(|axis| axis.points);
        let (beta, element) = (self.beta, &self.element);
        // Panels of the quadrature span at most 8 rad, which 16 nodes integrate to rounding.
        let rule = gauss_legendre(16);
        // A quarter of the even function χκ; points beyond n/2 are the negative distances, by periodicity.
        let quarter: Vec<Vec<f64>> = (0..=ny / 2)
            .into_par_iter()
            .map(|j| {
                let y = j as f64 * axes[1].step;
                let value = |i: usize| {
                    let x = i as f64 * axes[0].step;
                    axes[0]
                        .images(x)
                        .map(|(x, chi_x)| {
                            axes[1]
                                .images(y)
                                .map(|(y, chi_y)| {
                                    // Both factors roll off: beyond either of them κ, the expensive
                                    // part, is not needed.
                                    let chi = chi_x * chi_y;
                                    if chi == 0.0 {
                                        0.0
                                    } else {
                                        chi * kappa(element, &rule, beta * x.hypot(y))
                                    }
                                })
                                .iter()
                                .sum::<f64>()
                        })
                        .iter()
                        .sum()
                };
                (0..=nx / 2).map(value).collect()
            })
            .collect();
        // χκ is even in both coordinates: a quarter of it determines the period.
        let fold = |i: usize, n: usize| i.min(n - i);
        let mut values: Vec<Complex64> =
            (0..nx * ny).map(|index| quarter[fold(index / nx, ny)][fold(index % nx, nx)].into()).collect();
        let shape = Fft { planes: 1, rows: ny, cols: nx, batch: 1, precision: Precision::Double };
        cpu::fft(shape, Direction::Forward, &mut values);
        // From FFT order 0, 1, … −1 to −n/2 … n/2 − 1, the order of the directions.
        let shifted = |k: usize, n: usize| (k + n / 2) % n;
        // 1/n of the discrete transform makes the weights Fourier coefficients.
        let scale = 1.0 / (nx * ny) as f64;
        let weights =
            (0..nx * ny).map(|k| scale * values[shifted(k / nx, ny) * nx + shifted(k % nx, nx)].re).collect();
        let [u, v] = axes.map(|axis| axis.directions(wavelength));
        Fit { steps, u, v, weights }
    }
}

/// Distances along one axis at which the windowed κ is sampled.
#[derive(Debug, Clone, Copy)]
struct Axis {
    extent: f64,
    roll_off: f64,
    step: f64,
    points: usize,
}

impl Axis {
    /// The period contains the coordinate differences ±X and one roll-off, which the periodic images share. The spectrum of κ ends
    /// at |u| = 1, and the roll-off of width T widens it by 2 ROLL_OFF² λ/(πT), where e^{−(2πσu/λ)²/2} with √2 σ = T/(2 ROLL_OFF) is e^{−ROLL_OFF²}.
    fn new(extent: f64, wavelength: f64) -> Self {
        let roll_off = extent.max(MIN_ROLL_OFF_WIDTH * wavelength);
        let widest = 1.0 + 2.0 * ROLL_OFF * ROLL_OFF * wavelength / (PI * roll_off);
        let period = 2.0 * extent + roll_off;
        // Even, and by the sampling theorem two points per period λ/widest.
        let points = 2 * (widest * period / wavelength).ceil() as usize;
        Self { extent, roll_off, step: period / points as f64, points }
    }

    /// A distance up to half the period and its periodic image, whose roll-off overlaps, each with its window χ.
    fn images(&self, distance: f64) -> [(f64, f64); 2] {
        let period = self.step * self.points as f64;
        [distance, period - distance].map(|d| (d, self.window(d)))
    }

    /// χ: 1 up to the extent, 0 beyond the roll-off.
    fn window(&self, distance: f64) -> f64 {
        // t is 0 at the extent and 1 at the end of the roll-off; the window is ½ in the middle.
        let t = (distance - self.extent) / self.roll_off;
        if t >= 1.0 { 0.0 } else { 0.5 * libm::erfc(ROLL_OFF * (2.0 * t - 1.0)) }
    }

    /// u_k = k λ/(n step), k = −n/2 … n/2 − 1.
    fn directions(&self, wavelength: f64) -> Vec<f64> {
        let step = wavelength / (self.points as f64 * self.step);
        (0..self.points).map(|k| (k as f64 - (self.points / 2) as f64) * step).collect()
    }
}

/// κ(t): in closed form, or by quadrature if the reflection coefficient is a table.
fn kappa(element: &Element, rule: &Rule, t: f64) -> f64 {
    match &element.reflection {
        None => kappa_closed_form(element.power_exponent, t),
        Some(_) => kappa_by_quadrature(element, rule, t),
    }
}

/// 2π 2^{ν−1} Γ(ν) J_ν(t)/t^ν, ν = (p + 1)/2; for small t its series 2π/(p + 1) Σ_k (−t²/4)^k / (k! (ν + 1)_k)
/// (Abramowitz and Stegun 9.1.10).
fn kappa_closed_form(p: f64, t: f64) -> f64 {
    let nu = 0.5 * (p + 1.0);
    let (mut sum, mut term) = (1.0, 1.0);
    // The series alternates: where t² < 1 + ν its terms fall from the start, and nothing cancels.
    if t * t < 1.0 + nu {
        for k in 1..30 {
            let k = f64::from(k);
            term *= -0.25 * t * t / (k * (nu + k));
            sum += term;
        }
        return TAU / (p + 1.0) * sum;
    }
    // Amos's algorithm fails where the argument has no accurate sine, far beyond any array.
    let j = complex_bessel::besselj(nu, Complex64::from(t)).map_or(0.0, |j| j.re);
    PI * libm::tgamma(nu) * (2.0 / t).powf(nu) * j
}

/// 2π ∫ |g|² J₀(t sin θ) sin θ dθ with θ = π/2 − s², which removes the singularity of cos^p θ at the horizon; panels end at
/// the rows of the table, where its slope jumps, and span at most 8 rad of the phase t sin θ.
fn kappa_by_quadrature(element: &Element, rule: &Rule, t: f64) -> f64 {
    let rows = element.reflection.as_ref().map_or(&[][..], |table| &table.theta);
    let mut ends: Vec<f64> = rows
        .iter()
        .filter(|theta| (0.0..FRAC_PI_2).contains(*theta))
        .map(|theta| (FRAC_PI_2 - theta).sqrt())
        .chain([0.0, FRAC_PI_2.sqrt()])
        .collect();
    ends.sort_by(f64::total_cmp);
    let integrand = |s: f64| {
        let (sin, cos) = (FRAC_PI_2 - s * s).sin_cos();
        // dθ = −2s ds; J₀ is the real part of H₀^(2).
        element.field(cos * cos).norm_sqr() * hankel2_0(t * sin).re * sin * 2.0 * s
    };
    let panel = |ends: &[f64]| -> f64 {
        // d(sin θ)/ds ≤ 2s ≤ 2√(π/2) bounds the phase across a panel.
        let parts = ((ends[1] - ends[0]) * 2.0 * FRAC_PI_2.sqrt() * t / 8.0).ceil().max(1.0);
        let width = (ends[1] - ends[0]) / parts;
        let from = |i: usize| ends[0] + i as f64 * width;
        (0..parts as usize).map(|i| rule.integrate(from(i), from(i + 1), integrand)).sum()
    };
    TAU * ends.windows(2).map(panel).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_weights() {
        let (beta, tolerance, backend) = (TAU, 1e-9, Backend::Cpu);
        let mut one = Power {
            element: Element { power_exponent: 1.0, reflection: None },
            transform: Transform::new(beta, Vec::new(), Vec::new(), tolerance, &backend),
            beta,
            tolerance,
            backend,
            fits: Arc::default(),
            fit: None,
            field: Vec::new(),
        };
        // Two elements, half a wavelength apart.
        let design =
            Design { x: vec![0.0, 0.5], y: vec![0.0; 2], phase: vec![0.0; 2], index: vec![[0, 0], [1, 0]] };
        let a = [Complex64::ONE; 2];
        let mut other = one.clone();
        let powers = [&mut one, &mut other].map(|power| power.of(&design, &a).unwrap());
        assert_eq!(powers[0], powers[1]);
        let [one, other] = [one, other].map(|power| power.fit.unwrap());
        assert!(Arc::ptr_eq(&one, &other), "the weights were computed twice");
    }
}
