//! H₀⁽²⁾(kr) and H₁⁽²⁾(kr) for one complex wavenumber k and many distances r: waves in lossy dielectrics.
//!
//! With k = |k| e^{−jφ}, 0 ≤ φ ≤ π/2, the argument z = kr lies on a ray of the complex plane. The
//! smooth factors along it are polynomials of one real variable, computed once for each k. With ρ =
//! |k| r / 2:
//!
//! - ρ < 1: H₀ = A₀(ρ²) + B₀(ρ²) ln ρ and H₁ = c/ρ + ρ (A₁(ρ²) + B₁(ρ²) ln ρ), the power series of Abramowitz and Stegun
//!   9.1.10–13. Cancellation grows with |z| and with φ; at |z| = 2 and φ = π/2 the terms are at most 30 |H|.
//! - ρ ≥ 1: H₀ = ρ^{−1/2} e^{−jkr} F₀(1/ρ) and H₁ likewise, where F is interpolated at Chebyshev points from the Laplace
//!   integral of the amplitude, DLMF 10.32.8.
//!
//! The error stays below 1e-14 |H| up to |z| = 1e4 wherever H is a normal number (`tests/ray_hankel.rs`).

use num_complex::Complex64;
use std::f64::consts::{FRAC_2_PI, PI};

const EULER: f64 = 0.577_215_664_901_532_9;

/// Terms of the series for ρ < 1: 1/(13!)² is below 1e-17.
pub const NEAR_TERMS: usize = 13;
/// Terms of the polynomials for ρ ≥ 1: the coefficient after the last of F is below 1e-17.
pub const FAR_TERMS: usize = 28;

/// Offset of the series in the table: |k|/2 and c come first.
pub const NEAR: usize = 3;
/// Offset of the polynomials in the table.
pub const FAR: usize = NEAR + 8 * NEAR_TERMS;

/// The polynomials of one wavenumber.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_core::special::{bessel::hankel2_0, ray_hankel::RayHankel};
/// let (h0, _) = RayHankel::new(Complex64::new(2.0, 0.0)).eval(0.7);
/// assert!((h0 - hankel2_0(1.4)).norm() < 1e-14);
/// ```
#[derive(Clone, Debug)]
pub struct RayHankel {
    k: Complex64,
    table: Vec<f64>,
}

impl RayHankel {
    /// Computes the polynomials, in about 0.1 ms.
    ///
    /// # Panics
    /// If k is not the wavenumber of a passive medium: Re k ≥ 0, Im k ≤ 0, finite and not zero.
    pub fn new(k: Complex64) -> Self {
        assert!(k.re >= 0.0 && k.im <= 0.0 && k.norm().is_normal(), "no wavenumber of a passive medium: {k}");
        let phi = -k.arg();
        // 2j/(πz) = c/ρ
        let c = Complex64::from_polar(1.0 / PI, phi + PI / 2.0);
        let mut table = vec![k.norm() / 2.0, c.re, c.im];
        table.extend(near_terms(phi).flatten().flat_map(|a| [a.re, a.im]));
        table.extend(far_terms(phi).flatten().flat_map(|a| [a.re, a.im]));
        Self { k, table }
    }

    /// The wavenumber, an argument of `ray_hankel2_01` in the kernels.
    pub fn k(&self) -> Complex64 {
        self.k
    }

    /// |k|/2, c, the coefficients A₀ B₀ A₁ B₁ of each power of ρ² and F₀ F₁ of each power of 2/ρ − 1, lowest first;
    /// complex numbers as pairs.
    pub fn table(&self) -> &[f64] {
        &self.table
    }

    /// H₀⁽²⁾(kr) and H₁⁽²⁾(kr) for r > 0; zero where they underflow.
    pub fn eval(&self, r: f64) -> (Complex64, Complex64) {
        let rho = self.table[0] * r;
        if rho < 1.0 {
            // Near field: the logarithm and the pole 1/ρ are explicit, so that A and B are
            // polynomials.
            let [a0, b0, a1, b1] = polynomials(&self.table[NEAR..FAR], rho * rho);
            let (log, c) = (rho.ln(), Complex64::new(self.table[1], self.table[2]));
            (a0 + b0 * log, c / rho + (a1 + b1 * log) * rho)
        } else {
            // Far field: the propagation factor is explicit, so that F varies slowly with 1/ρ.
            let [f0, f1] = polynomials(&self.table[FAR..], 2.0 / rho - 1.0);
            let wave = self.plane_wave(r) / rho.sqrt();
            (f0 * wave, f1 * wave)
        }
    }

    /// e^{−jkr}. The rounding error δ of kr, from a fused multiply-add, is corrected by the factor
    /// 1 − jδ; at a thousand wavelengths it would cost four digits.
    fn plane_wave(&self, r: f64) -> Complex64 {
        let z = self.k * r;
        let delta = Complex64::new(self.k.re.mul_add(r, -z.re), self.k.im.mul_add(r, -z.im));
        Complex64::from_polar(z.im.exp(), -z.re) * Complex64::new(1.0 + delta.im, -delta.re)
    }
}

/// N polynomials of a real variable, with coefficients interleaved: `[power][polynomial][re, im]`.
fn polynomials<const N: usize>(table: &[f64], t: f64) -> [Complex64; N] {
    let mut sums = [Complex64::ZERO; N];
    // Horner's rule, all N sums in one pass over the table: independent chains and contiguous
    // reads.
    for terms in table.chunks_exact(2 * N).rev() {
        for (sum, a) in sums.iter_mut().zip(terms.chunks_exact(2)) {
            *sum = *sum * t + Complex64::new(a[0], a[1]);
        }
    }
    sums
}

/// A₀ B₀ A₁ B₁ of every power of ρ², from Jₙ and Yₙ with ln(z/2) = ln ρ − jφ:
///
///   J₀ = Σ q ρ^{2m},      q = (−e^{−2jφ})^m / m!²,              Y₀ = (2/π) Σ (ln(z/2) + γ − S_m) q ρ^{2m},
///   J₁ = (z/2) Σ p ρ^{2m}, p = (−e^{−2jφ})^m / (m! (m+1)!),
///   Y₁ = −2/(πz) + (2/π) ln(z/2) J₁ − (z/2π) Σ (S_m + S_{m+1} − 2γ) p ρ^{2m},
///
/// where S_m = 1 + 1/2 + … + 1/m.
fn near_terms(phi: f64) -> impl Iterator<Item = [Complex64; 4]> {
    let angle = 1.0 - FRAC_2_PI * phi; // the imaginary part of ln(z/2) joins J
    let (mut factorial, mut harmonic) = (1.0, 0.0);
    (0..NEAR_TERMS).map(move |m| {
        if m > 0 {
            factorial *= m as f64;
            harmonic += 1.0 / m as f64;
        }
        let after = (m + 1) as f64;
        let turn = Complex64::from_polar(1.0, m as f64 * (PI - 2.0 * phi)) / (factorial * factorial);
        let (q, p) = (turn, turn * Complex64::from_polar(1.0 / after, -phi));
        [
            q * Complex64::new(angle, FRAC_2_PI * (harmonic - EULER)),
            q * Complex64::new(0.0, -FRAC_2_PI),
            p * Complex64::new(angle, (2.0 * harmonic + 1.0 / after - 2.0 * EULER) / PI),
            p * Complex64::new(0.0, -FRAC_2_PI),
        ]
    })
}

/// F₀ F₁ of every power of t = 2/ρ − 1.
fn far_terms(phi: f64) -> impl Iterator<Item = [Complex64; 2]> {
    let angle = |i: usize| PI * (i as f64 + 0.5) / FAR_TERMS as f64;
    // Samples at the Chebyshev points of t in (−1, 1), which is ρ in (1, ∞).
    let values: Vec<[Complex64; 2]> = (0..FAR_TERMS)
        .map(|i| {
            let rho = 2.0 / (1.0 + angle(i).cos());
            [0, 1].map(|n| amplitude(n, Complex64::from_polar(2.0 * rho, -phi)))
        })
        .collect();
    // √(2/(πz)) = √(1/(πρ)) e^{jφ/2}; the phases of e^{−j(z − π/4 − nπ/2)} that do not depend on z.
    let front =
        [0.0, 1.0].map(|n| Complex64::from_polar(1.0 / PI.sqrt(), phi / 2.0 + PI / 4.0 + n * PI / 2.0));
    let mut powers = vec![[Complex64::ZERO; 2]; FAR_TERMS];
    // T_m in powers of t, by T_{m+1} = 2t T_m − T_{m−1}.
    let (mut before, mut chebyshev) = ([0.0; FAR_TERMS + 1], [0.0; FAR_TERMS + 1]);
    chebyshev[0] = 1.0;
    // Coefficients of T_m by the discrete cosine transform. Its O(n²) sum is cheap for 28 points.
    for m in 0..FAR_TERMS {
        let weight = if m == 0 { 1.0 } else { 2.0 } / FAR_TERMS as f64;
        for n in 0..2 {
            let sum: Complex64 = (0..FAR_TERMS).map(|i| values[i][n] * (m as f64 * angle(i)).cos()).sum();
            for (power, t) in powers.iter_mut().zip(chebyshev) {
                power[n] += front[n] * sum * (weight * t);
            }
        }
        let grow = if m == 0 { 1.0 } else { 2.0 };
        let next = std::array::from_fn(|i| if i == 0 { 0.0 } else { grow * chebyshev[i - 1] } - before[i]);
        before = std::mem::replace(&mut chebyshev, next);
    }
    powers.into_iter()
}

/// Hₙ⁽²⁾(z) √(πz/2) e^{j(z − π/4 − nπ/2)} for |z| ≥ 2 in the lower right quadrant, n = 0, 1.
///
/// DLMF 10.32.8 with K_n of jz and t = v²: (2/Γ(n + 1/2)) ∫₀^∞ e^{−v²} v^{2n} (1 + v²/(2jz))^{n − 1/2} dv. The integrand is even
/// and analytic up to |Im v| = √2 or more, so the trapezoidal rule with step h errs by e^{−2π√2/h} (Trefethen and Weideman,
/// SIAM Review 56, 2014), 5e-20 here; the tail beyond the last point is 1e-18.
fn amplitude(n: i32, z: Complex64) -> Complex64 {
    const STEP: f64 = 0.2;
    let gamma = if n == 0 { PI.sqrt() } else { PI.sqrt() / 2.0 };
    let point = |i: i32| {
        let v2 = (STEP * f64::from(i)).powi(2);
        let root = (1.0 + v2 / (2.0 * Complex64::I * z)).sqrt();
        (-v2).exp() * if n == 0 { 1.0 / root } else { v2 * root }
    };
    (point(0) + 2.0 * (1..=32).map(point).sum::<Complex64>()) * (STEP / gamma)
}
