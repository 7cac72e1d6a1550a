//! A flat strip by its exact edge behavior: J = f(θ)/sin θ (TM), J = Σ b_m sin mθ (TE) with y = h cos θ across the
//! strip. Chebyshev quadrature with the logarithm and the finite part integrated in closed form converges like e^{-cN}
//! (Mason and Handscomb, Chebyshev Polynomials, section 9.5; Tsalamengas, IEEE Trans. Antennas Propag. 54 (2006) 2842).

use super::{J, dense};
use num_complex::Complex64;
use phasefront_mom::Polarization;
use std::f64::consts::{FRAC_2_PI, LN_2, PI};

const EULER: f64 = 0.577_215_664_901_532_9;

/// The solved problem: the strip lies on the y axis from −h to h.
pub struct Strip {
    k: f64,
    h: f64,
    polarization: Polarization,
    direction: f64,
    theta: Vec<f64>,
    /// η₀J sin θ (TM) or the jump μ of H_z across the strip (TE), and quadrature weights in dy of smooth functions.
    density: Vec<Complex64>,
    weight: f64,
}

/// Smooth part, and factor of ln τ, of H₀⁽²⁾(κτ) and of H₁⁽²⁾(κτ)/(κτ) − 2j/(πκ²τ²) (Abramowitz and Stegun 9.1.10 to 9.1.13).
fn split(kappa: f64, tau: f64) -> [(Complex64, Complex64); 2] {
    let z = kappa * tau;
    let log = (0.5 * kappa).ln() + EULER;
    if z > 2.0 {
        let h0 = Complex64::new(libm::j0(z), -libm::y0(z));
        let h1 = Complex64::new(libm::j1(z), -libm::y1(z)) / z - 2.0 * J / (PI * z * z);
        let (a0, a1) = (-J * FRAC_2_PI * h0.re, -J * FRAC_2_PI * h1.re);
        return [(h0 - a0 * tau.ln(), a0), (h1 - a1 * tau.ln(), a1)];
    }
    let x = -0.25 * z * z;
    // Sums over x^m: J₀, its harmonic companion, J₁/z and its companion.
    let (mut j0, mut y0, mut j1, mut y1) = (0.0, 0.0, 0.0, 0.0);
    let (mut term, mut harmonic) = (1.0, 0.0);
    for m in 0..25 {
        let above = f64::from(m + 1);
        j0 += term;
        y0 += term * harmonic;
        j1 += 0.5 * term / above;
        y1 += 0.5 * term / above * (2.0 * harmonic + 1.0 / above);
        harmonic += 1.0 / above;
        term *= x / (above * above);
    }
    [
        (j0 - J * FRAC_2_PI * (log * j0 - y0), -J * FRAC_2_PI * j0),
        (j1 - J * FRAC_2_PI * (log * j1 - 0.5 * y1), -J * FRAC_2_PI * j1),
    ]
}

/// ∫_0^π ln|cos θ − cos θ'| g(θ') dθ' for g even, from its values at the nodes: −[ln 2 + Σ' (2/n) cos nθ cos nθ'], the last
/// of `terms` times one half if `closed`.
fn log_weight(theta: f64, other: f64, terms: usize, closed: bool) -> f64 {
    let term = |n: usize| {
        let half = if closed && n == terms { 0.5 } else { 1.0 };
        half * 2.0 / n as f64 * (n as f64 * theta).cos() * (n as f64 * other).cos()
    };
    -LN_2 - (1..=terms).map(term).sum::<f64>()
}

impl Strip {
    /// A strip of the given width, with n unknowns; the wave travels in direction `a`, 0 being broadside.
    pub fn new(k: f64, polarization: Polarization, a: f64, width: f64, n: usize) -> Self {
        let h = 0.5 * width;
        let (theta, weight): (Vec<f64>, f64) = match polarization {
            Polarization::Tm => ((0..n).map(|i| PI * (i as f64 + 0.5) / n as f64).collect(), PI / n as f64),
            Polarization::Te => {
                ((1..=n).map(|i| PI * i as f64 / (n + 1) as f64).collect(), PI / (n + 1) as f64)
            }
        };
        let mut strip =
            Self { k, h, polarization, direction: a, theta, density: Vec::new(), weight: weight * h };
        let matrix = (0..n).map(|i| (0..n).map(|j| strip.entry(i, j)).collect()).collect();
        strip.density = dense::solve(matrix, (0..n).map(|i| strip.incident(i)).collect());
        strip
    }

    fn entry(&self, i: usize, j: usize) -> Complex64 {
        let (kappa, n) = (self.k * self.h, self.theta.len());
        let (at, from) = (self.theta[i], self.theta[j]);
        let tau = (at.cos() - from.cos()).abs();
        let [h0, h1] = split(kappa, if i == j { f64::MIN_POSITIVE } else { tau });
        match self.polarization {
            // (kη/4) ∫ J H₀ dy.
            Polarization::Tm => {
                let log = log_weight(at, from, n - 1, false);
                0.25 * kappa * PI / n as f64 * (h0.0 + h0.1 * log)
            }
            // (∂²/∂τ² + κ²) ∫ μ G dτ with G = −(j/4) H₀: the kernel is −(j/4) κ² H₁(κτ)/(κτ), its pole 1/(2πτ²), and
            // f.p. ∫ sin mθ' /(τ−τ')² dτ' = −π m sin mθ / sin θ.
            Polarization::Te => {
                let log = log_weight(at, from, n + 1, true);
                let smooth =
                    -0.25 * J * kappa * kappa * PI / (n + 1) as f64 * from.sin() * (h1.0 + h1.1 * log);
                let mode = |m: usize| m as f64 * (m as f64 * from).sin() * (m as f64 * at).sin();
                let pole: f64 = (1..=n).map(mode).sum();
                smooth - 0.5 * 2.0 / (n + 1) as f64 * pole / at.sin()
            }
        }
    }

    fn incident(&self, i: usize) -> Complex64 {
        let y = self.h * self.theta[i].cos();
        let wave = Complex64::cis(-self.k * y * self.direction.sin());
        match self.polarization {
            Polarization::Tm => wave,
            // −h ∂u/∂x.
            Polarization::Te => J * self.k * self.h * self.direction.cos() * wave,
        }
    }

    /// ∫ over the strip of the density times a smooth function of y.
    fn integral(&self, f: impl Fn(f64) -> Complex64) -> Complex64 {
        let term = |(theta, density): (&f64, &Complex64)| {
            let edge = if self.polarization == Polarization::Tm { 1.0 } else { theta.sin() };
            self.weight * edge * density * f(self.h * theta.cos())
        };
        self.theta.iter().zip(&self.density).map(term).sum()
    }

    /// σ(φ) = (k/4) |∫ ηJ e^{jky sin φ} dy|², for TE with the factor cos φ of a double layer; m.
    pub fn echo_width(&self, phi: f64) -> f64 {
        let sum = self.integral(|y| Complex64::cis(self.k * y * phi.sin()));
        let factor = if self.polarization == Polarization::Tm { 1.0 } else { phi.cos() };
        0.25 * self.k * (factor * sum).norm_sqr()
    }

    /// Total field at a point at least a few node distances from the strip.
    pub fn total_field(&self, [x, y]: [f64; 2]) -> Complex64 {
        let (sin, cos) = self.direction.sin_cos();
        let incident = Complex64::cis(-self.k * (x * cos + y * sin));
        let scattered = self.integral(|from| {
            let r = x.hypot(y - from);
            match self.polarization {
                Polarization::Tm => {
                    -0.25 * self.k * Complex64::new(libm::j0(self.k * r), -libm::y0(self.k * r))
                }
                // ∂G/∂n' = −(jk/4) H₁ (x/r).
                Polarization::Te => {
                    let h1 = Complex64::new(libm::j1(self.k * r), -libm::y1(self.k * r));
                    -0.25 * J * self.k * h1 * x / r
                }
            }
        });
        incident + scattered
    }

    /// η₀J (TM) or the jump of H_z (TE) at y across the strip, by its series in θ.
    pub fn density(&self, y: f64) -> Complex64 {
        let n = self.theta.len();
        let at = (y / self.h).acos();
        let mut sum = Complex64::ZERO;
        for m in 0..=n {
            let mode = |theta: f64| match self.polarization {
                Polarization::Tm => (m as f64 * theta).cos(),
                Polarization::Te => (m as f64 * theta).sin(),
            };
            let (norm, last) = match self.polarization {
                Polarization::Tm => (if m == 0 { 1.0 } else { 2.0 } / n as f64, n - 1),
                Polarization::Te => (2.0 / (n + 1) as f64, n),
            };
            if m > last {
                break;
            }
            let product = |(theta, density): (&f64, &Complex64)| density * mode(*theta);
            sum += norm * mode(at) * self.theta.iter().zip(&self.density).map(product).sum::<Complex64>();
        }
        if self.polarization == Polarization::Tm { sum / at.sin() } else { sum }
    }
}
