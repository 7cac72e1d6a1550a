//! The spreading functions φ(t), t in grid points: what a point adds to the grid around it, and their Fourier transforms.

use crate::options::Upsampling;
use crate::prolate::Prolate;
use phasefront_core::quadrature::gauss_legendre;
use std::f64::consts::{PI, TAU};

/// Narrowest prolate kernel.
const NARROWEST: usize = 2;
/// [`Kernel::expected_error`] of the prolate kernels from the narrowest on, for both upsamplings; wider ones only add rounding.
const EXPECTED_ERRORS: [&[f64]; 2] = [
    &[
        9.99e-2, 2.15e-2, 4.68e-3, 1.09e-3, 2.50e-4, 5.82e-5, 1.36e-5, 3.25e-6, 7.72e-7, 1.84e-7, 4.35e-8,
        1.06e-8, 2.54e-9, 6.08e-10, 1.45e-10, 3.55e-11, 8.30e-12, 2.29e-12,
    ],
    &[
        3.56e-2, 3.59e-3, 3.76e-4, 3.87e-5, 3.99e-6, 4.15e-7, 4.30e-8, 4.51e-9, 4.71e-10, 4.99e-11, 5.23e-12,
        5.54e-13, 5.90e-14, 7.03e-15,
    ],
];
/// Largest K of the paper's kernel: beyond it rounding decides.
const WIDEST_PAPER: usize = 7;

/// A spreading function `width` grid points wide: a point x (in grid points) touches the grid points i with
/// −width/2 ≤ i − x < width/2.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub width: usize,
    pub upsampling: f64,
    shape: Shape,
}

#[derive(Debug, Clone)]
enum Shape {
    Prolate(Prolate),
    /// Half-width K of the Kaiser-Bessel pair.
    Paper(f64),
}

/// What the errors of a box of few modes are more than the integral over the band, by upsampling: the outermost modes have the
/// largest errors and weigh more there. (Boxes of 40 modes: up to four times with 1.25, up to two with 2; half of that is left to
/// the margin between typical and tolerated errors.)
const FEW_MODES: [f64; 2] = [2.0, 1.0];

impl Kernel {
    /// ψ(2t/w) with the bandwidth c = πw(1 − 1/2σ): its transform is small from the first alias of the highest mode on.
    pub fn prolate(width: usize, upsampling: f64) -> Self {
        let bandwidth = PI * width as f64 * (1.0 - 0.5 / upsampling);
        Self { width, upsampling, shape: Shape::Prolate(Prolate::new(bandwidth)) }
    }

    /// Fourmont's Kaiser-Bessel pair (J. Fourier Anal. Appl. 9, 2003) with 2K + 1 points and c = 2.
    pub fn paper(half_width: usize) -> Self {
        Self { width: 2 * half_width + 1, upsampling: 2.0, shape: Shape::Paper(half_width as f64) }
    }

    /// The narrowest prolate kernel whose error stays below `tolerance`; if there is none, the least error there is.
    pub fn for_tolerance(tolerance: f64, upsampling: Upsampling) -> Result<Self, f64> {
        let errors = EXPECTED_ERRORS[upsampling as usize];
        let more = FEW_MODES[upsampling as usize];
        match errors.iter().position(|&error| more * error <= tolerance) {
            Some(wider) => Ok(Self::prolate(NARROWEST + wider, upsampling.value())),
            None => Err(more * errors[errors.len() - 1]),
        }
    }

    /// The same for the paper's kernel: K from 2 up.
    pub fn paper_for_tolerance(tolerance: f64) -> Result<Self, f64> {
        let mut reach = f64::INFINITY;
        for kernel in (2..=WIDEST_PAPER).map(Self::paper) {
            reach = kernel.expected_error();
            if reach <= tolerance {
                return Ok(kernel);
            }
        }
        Err(reach)
    }

    /// φ(t), |t| ≤ width/2.
    pub fn value(&self, t: f64) -> f64 {
        match &self.shape {
            Shape::Prolate(psi) => psi.value(2.0 * t / self.width as f64),
            Shape::Paper(k) => kaiser(t, *k),
        }
    }

    /// Φ(ω) = ∫φ(t) e^{iωt} dt, ω in radians per grid point.
    pub fn transform(&self, omega: f64) -> f64 {
        match &self.shape {
            Shape::Prolate(psi) => {
                let half = 0.5 * self.width as f64;
                half * psi.transform(half * omega)
            }
            Shape::Paper(k) => kaiser_transform(omega, *k),
        }
    }

    /// Root mean square over the modes, in one dimension, of the aliases Σ_m |Φ(ω + 2πm)/Φ(ω)|² that a random point adds.
    pub fn expected_error(&self) -> f64 {
        let rule = gauss_legendre(24);
        let highest = PI / self.upsampling;
        let aliases = |omega: f64| -> f64 {
            let own = self.transform(omega);
            let alias = |m: i32| (self.truncated_transform(omega + TAU * f64::from(m)) / own).powi(2);
            (1..=3).map(|m| alias(m) + alias(-m)).sum()
        };
        (rule.integrate(0.0, highest, aliases) / highest).sqrt()
    }

    /// The transform of φ cut off at its width: the paper's kernel goes on beyond it.
    fn truncated_transform(&self, omega: f64) -> f64 {
        match &self.shape {
            Shape::Prolate(_) => self.transform(omega),
            Shape::Paper(_) => {
                let half = 0.5 * self.width as f64;
                let rule = gauss_legendre(32 + 12 * self.width);
                rule.integrate(-half, half, |t| self.value(t) * (omega * t).cos())
            }
        }
    }
}

/// α of the paper for c = 2: just below π(2 − 1/c).
const ALPHA: f64 = 1.5 * PI - 0.01;

/// φ̂(x)/√(2π) = (1/π) sinh(α√(K²−x²))/√(K²−x²), and sin for sinh beyond K.
fn kaiser(x: f64, k: f64) -> f64 {
    let square = k * k - x * x;
    let root = square.abs().sqrt();
    let ratio = if ALPHA * root < 1e-4 {
        ALPHA * (1.0 + square * ALPHA * ALPHA / 6.0)
    } else if square > 0.0 {
        (ALPHA * root).sinh() / root
    } else {
        (ALPHA * root).sin() / root
    };
    ratio / PI
}

/// φ(ξ) = I₀(K√(α²−ξ²)), zero beyond α.
fn kaiser_transform(xi: f64, k: f64) -> f64 {
    let square = ALPHA * ALPHA - xi * xi;
    if square < 0.0 { 0.0 } else { bessel_i0(k * square.sqrt()) }
}

/// I₀(x) = Σ (x²/4)^k/(k!)²: all terms are positive, so the series keeps its digits; 60 terms serve up to x = 40.
fn bessel_i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let mut term = 1.0;
    1.0 + (1..60)
        .map(|k| {
            term *= quarter / f64::from(k * k);
            term
        })
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫φ(ξ) e^{iξx} dξ = 2π kaiser(x), by quadrature over the support; the sine branch included.
    #[test]
    fn kaiser_and_bessel_are_a_pair() {
        let rule = gauss_legendre(120);
        for k in [3.0, 6.0] {
            let peak = TAU * kaiser(0.0, k);
            for x in [0.0, 0.7, k - 1e-9, k, k + 1e-9, k + 0.4] {
                // The square root at the ends of the support: ξ = α sin s.
                let integrand = |s: f64| {
                    let xi = ALPHA * s.sin();
                    kaiser_transform(xi, k) * (xi * x).cos() * ALPHA * s.cos()
                };
                let integral = rule.integrate(-PI / 2.0, PI / 2.0, integrand);
                assert!((integral - TAU * kaiser(x, k)).abs() < 1e-13 * peak, "K = {k}, x = {x}");
            }
        }
    }

    /// The figures of the specification for two dimensions: 4e-6 at K = 3, 5e-12 at K = 6.
    #[test]
    fn paper_kernel_is_as_accurate_as_published() {
        let error = |k| Kernel::paper(k).expected_error() * 2f64.sqrt();
        assert!((2e-6..8e-6).contains(&error(3)), "{:.1e}", error(3));
        assert!((2e-12..1e-11).contains(&error(6)), "{:.1e}", error(6));
    }

    #[test]
    fn expected_errors_are_as_tabled() {
        for upsampling in [Upsampling::Low, Upsampling::High] {
            for (width, tabled) in (NARROWEST..).zip(EXPECTED_ERRORS[upsampling as usize]) {
                let error = Kernel::prolate(width, upsampling.value()).expected_error();
                assert!((error / tabled - 1.0).abs() < 0.01, "{width} {upsampling:?}: {error:.2e}");
            }
        }
    }
}
