//! Green's function of the two-dimensional Helmholtz equation, G = −(j/4) H₀⁽²⁾(kr), and its derivatives: Hankel functions in a medium,
//! split into smooth and logarithmic parts.
//!
//! With z = kr, H₀ = H₀⁽²⁾(z) and H₁ = H₁⁽²⁾(z) = 2j/(πz) + H₁ʳ(z), three combinations appear in the layer potentials.
//! Each has the form a + b ln r with a and b smooth in r²:
//!
//! ```text
//! H₀,    H₁ʳ/r,    (k H₀ − 2 H₁ʳ/r + jk/π)/r²
//! ```

use complex_bessel::besselj;
use num_complex::Complex64;
use phasefront_core::special::bessel::{hankel2_0, hankel2_1};
use phasefront_core::special::ray_hankel::RayHankel;
use std::f64::consts::{FRAC_2_PI, PI};

const J: Complex64 = Complex64::new(0.0, 1.0);
const EULER: f64 = 0.577_215_664_901_532_9;

/// |kr| up to which power series are used: no digits cancel in them there, and none in the differences that
/// define the three combinations beyond.
const SERIES_BELOW: f64 = 2.0;
/// Terms of the series: 1/(20!)² is below the unit roundoff.
const TERMS: usize = 20;

/// A function a + b ln r.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LogSplit {
    pub smooth: Complex64,
    pub log: Complex64,
}

/// The three combinations at one distance.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HankelParts {
    /// H₀.
    pub h0: LogSplit,
    /// H₁ʳ/r.
    pub h1: LogSplit,
    /// (k H₀ − 2 H₁ʳ/r + jk/π)/r².
    pub h2: LogSplit,
}

/// A homogeneous medium: its wavenumber, real or complex with Im k ≤ 0, and the Hankel functions in it.
pub(crate) struct Medium {
    pub k: Complex64,
    lossy: Option<RayHankel>,
}

impl Medium {
    pub(crate) fn new(k: Complex64) -> Self {
        Self { k, lossy: (k.im != 0.0).then(|| RayHankel::new(k)) }
    }

    /// H₀⁽²⁾(kr) and H₁⁽²⁾(kr).
    pub(crate) fn hankel(&self, r: f64) -> (Complex64, Complex64) {
        match &self.lossy {
            None => (hankel2_0(self.k.re * r), hankel2_1(self.k.re * r)),
            Some(lossy) => lossy.eval(r),
        }
    }

    /// The table from which kernels evaluate Hankel functions in a lossy medium; `None` if it is lossless.
    pub(crate) fn table(&self) -> Option<&[f64]> {
        self.lossy.as_ref().map(RayHankel::table)
    }
}

impl HankelParts {
    pub(crate) fn new(medium: &Medium, r: f64) -> Self {
        if medium.k.norm() * r < SERIES_BELOW {
            Self::by_series(medium.k, r)
        } else {
            Self::by_difference(medium, r)
        }
    }

    fn by_difference(medium: &Medium, r: f64) -> Self {
        let k = medium.k;
        let (h0, h1) = medium.hankel(r);
        // J₀ and J₁ are the coefficients of the logarithm. For real k they are the real parts of H₀
        // and H₁.
        let (j0, j1) = if k.im == 0.0 {
            (Complex64::from(h0.re), Complex64::from(h1.re))
        } else {
            // J overflows where |Im kr| is some hundreds. H has vanished there, with or without its
            // logarithm.
            let or_zero = |order: f64| besselj(order, k * r).unwrap_or(Complex64::ZERO);
            (or_zero(0.0), or_zero(1.0))
        };
        // H = J − jY with Y = (2/π) ln r J + a function smooth in r².
        let log_of = |regular: Complex64| -J * FRAC_2_PI * regular;
        let split = |value: Complex64, log: Complex64| LogSplit { smooth: value - log * r.ln(), log };
        // H₁ʳ/r: H₁ without its static pole.
        let h1_over_r = (h1 - 2.0 * J / (PI * k * r)) / r;
        let combination = (k * h0 - 2.0 * h1_over_r + J * k / PI) / (r * r);
        Self {
            h0: split(h0, log_of(j0)),
            h1: split(h1_over_r, log_of(j1 / r)),
            h2: split(combination, log_of((k * j0 - 2.0 * j1 / r) / (r * r))),
        }
    }

    /// Abramowitz and Stegun 9.1.10, 9.1.11 with x = z²/4 and harmonic numbers h_m:
    /// Y₀ = (2/π)[(ln(z/2) + γ) J₀ − Σ h_m (−x)^m/m!²],
    /// Y₁ = −2/(πz) + (2/π)(ln(z/2) + γ) J₁ − (z/2π) Σ (h_m + h_{m+1}) (−x)^m/(m!(m+1)!).
    fn by_series(k: Complex64, r: f64) -> Self {
        let x = 0.25 * k * k * r * r;
        // Sums of (−x)^m times: 1/m!², h_m/m!², 1/(m!(m+1)!), (h_m+h_{m+1})/(m!(m+1)!); and of (−x)^{m−1}, m ≥ 1, times
        // m/(m!(m+1)!), h_m/m!², (h_m+h_{m+1})/(m!(m+1)!).
        let (mut s, mut d) = ([Complex64::ZERO; 4], [Complex64::ZERO; 3]);
        let (mut power, mut before) = (Complex64::ONE, Complex64::ZERO);
        let (mut harmonic, mut square) = (0.0, 1.0);
        for m in 0..TERMS {
            let above = (m + 1) as f64;
            let product = square / above;
            let both = 2.0 * harmonic + 1.0 / above;
            let terms = [square, harmonic * square, product, both * product];
            s.iter_mut().zip(terms).for_each(|(s, t)| *s += t * power);
            let terms = [m as f64 * product, harmonic * square, both * product];
            d.iter_mut().zip(terms).for_each(|(d, t)| *d += t * before);
            // (−x)^{m−1} of the next term, for the sums that start at m = 1.
            before = power;
            power *= -x;
            harmonic += 1.0 / above;
            square /= above * above;
        }
        // J_n in H_n apart from ln r: 1 − j(2/π)[ln(k/2) + γ].
        let log = 1.0 - J * FRAC_2_PI * ((0.5 * k).ln() + EULER);
        // The terms m = 0 of kH₀ and 2H₁ʳ/r cancel; of the others (−x)/r² = −k²/4 is taken out.
        let quarter = -0.25 * k * k;
        Self {
            h0: LogSplit { smooth: s[0] * log + J * FRAC_2_PI * s[1], log: -J * FRAC_2_PI * s[0] },
            h1: LogSplit {
                smooth: 0.5 * k * (s[2] * log + J / PI * s[3]),
                log: -J * FRAC_2_PI * 0.5 * k * s[2],
            },
            h2: LogSplit {
                smooth: k * quarter * (d[0] * log + J * FRAC_2_PI * d[1] - J / PI * d[2]),
                log: -J * FRAC_2_PI * k * quarter * d[0],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_differences_agree() {
        for k in [Complex64::new(3.0, 0.0), Complex64::new(2.0, -1.5)] {
            let r = 1.9 / k.norm();
            let (a, b) = (HankelParts::by_series(k, r), HankelParts::by_difference(&Medium::new(k), r));
            for (a, b) in [(a.h0, b.h0), (a.h1, b.h1), (a.h2, b.h2)] {
                let scale = b.smooth.norm() + b.log.norm();
                assert!((a.smooth - b.smooth).norm() < 1e-13 * scale, "{a:?} {b:?}");
                assert!((a.log - b.log).norm() < 1e-13 * scale, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn series_give_the_hankel_functions() {
        let k = Complex64::new(2.0, 0.0);
        let medium = Medium::new(k);
        for r in [1e-6_f64, 1e-3, 0.1, 0.7] {
            let parts = HankelParts::new(&medium, r);
            let (h0, h1) = medium.hankel(r);
            let at = |s: LogSplit| s.smooth + s.log * r.ln();
            assert!((at(parts.h0) - h0).norm() < 1e-14 * h0.norm());
            let whole = at(parts.h1) * r + 2.0 * J / (PI * k * r);
            assert!((whole - h1).norm() < 1e-14 * h1.norm());
        }
    }
}
