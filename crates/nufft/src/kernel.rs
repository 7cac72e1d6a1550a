//! The spreading functions φ(t), t in grid points: what a point adds to the grid around it, and their Fourier transforms.

use crate::options::Upsampling;
use crate::prolate::Prolate;
use phasefront_core::Precision;
use phasefront_core::quadrature::gauss_legendre;
use std::f64::consts::{PI, TAU};

/// What a prolate kernel of some width does to a transform along one axis; a random point, all modes of the band.
#[derive(Debug, Clone, Copy)]
struct Traits {
    /// Root mean square over the band of the relative error by aliases.
    aliases: f64,
    /// The same of the highest mode alone, where it is largest.
    at_edge: f64,
    /// √(mean Φ² over the grid · mean 1/Φ² over the band): by how much rounding on the grid, which has no band, grows when Φ is
    /// divided out.
    amplification: f64,
}

const fn traits(aliases: f64, at_edge: f64, amplification: f64) -> Traits {
    Traits { aliases, at_edge, amplification }
}

/// Narrowest prolate kernel.
const NARROWEST: usize = 2;
/// Prolate kernels from the narrowest on, for both upsamplings; wider ones only add rounding.
const PROLATE: [&[Traits]; 2] = [
    &[
        traits(9.99e-2, 0.303, 1.0),
        traits(2.15e-2, 9.51e-2, 1.15),
        traits(4.68e-3, 2.73e-2, 1.42),
        traits(1.09e-3, 7.64e-3, 1.86),
        traits(2.50e-4, 2.05e-3, 2.54),
        traits(5.82e-5, 5.46e-4, 3.56),
        traits(1.36e-5, 1.43e-4, 5.11),
        traits(3.25e-6, 3.75e-5, 7.47),
        traits(7.72e-7, 9.69e-6, 11.0),
        traits(1.84e-7, 2.50e-6, 16.5),
        traits(4.35e-8, 6.40e-7, 24.8),
        traits(1.06e-8, 1.64e-7, 37.5),
        traits(2.54e-9, 4.17e-8, 57.1),
        traits(6.08e-10, 1.06e-8, 87.3),
        traits(1.46e-10, 2.69e-9, 134.0),
        traits(3.58e-11, 6.82e-10, 206.0),
        traits(8.61e-12, 1.72e-10, 319.0),
        traits(2.15e-12, 4.51e-11, 493.0),
    ],
    &[
        traits(3.56e-2, 8.23e-2, 0.851),
        traits(3.59e-3, 1.12e-2, 0.814),
        traits(3.76e-4, 1.42e-3, 0.8),
        traits(3.87e-5, 1.71e-4, 0.801),
        traits(3.99e-6, 2.05e-5, 0.814),
        traits(4.15e-7, 2.40e-6, 0.836),
        traits(4.30e-8, 2.79e-7, 0.867),
        traits(4.51e-9, 3.21e-8, 0.906),
        traits(4.71e-10, 3.68e-9, 0.953),
        traits(4.99e-11, 4.19e-10, 1.01),
        traits(5.23e-12, 4.74e-11, 1.07),
        traits(5.54e-13, 5.37e-12, 1.15),
        traits(5.89e-14, 6.04e-13, 1.23),
        traits(7.03e-15, 7.03e-14, 1.33),
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

/// What a kernel is wanted for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Demand<'a> {
    /// Between points and the modes of a box: types 1 and 2.
    Modes(&'a [usize]),
    /// On two grids in so many dimensions, one after the other: type 3.
    Twice(usize),
}

impl Demand<'_> {
    /// Expected relative error, ε being the rounding of one operation:
    ///
    /// ```text
    /// e² = Σ_axes (aliases² + at_edge²/N) + (ε Π amplification)²
    /// ```
    ///
    /// The sum over N modes exceeds the integral over the band by at most the highest one. Of type 3 the second grid has the error of
    /// a box, and the first amplifies it like rounding; its frequencies reach to the edge, as its points do.
    fn error(self, traits: &Traits, epsilon: f64) -> f64 {
        let square = |x: f64| x * x;
        let axis = |modes: f64| square(traits.aliases) + square(traits.at_edge) / modes;
        let amplified = |axes: usize| square(traits.amplification).powi(axes as i32);
        match self {
            Self::Modes(modes) => {
                let aliases: f64 = modes.iter().map(|&n| axis(n.max(1) as f64)).sum();
                aliases + square(epsilon) * amplified(modes.len())
            }
            Self::Twice(axes) => {
                let aliases = axes as f64 * axis(FEW_FREQUENCIES);
                aliases + (aliases + square(epsilon) * amplified(axes)) * amplified(axes)
            }
        }
        .sqrt()
    }
}

/// What one operation on the grid loses. (Measured on boxes of 100² to 1000² modes with 1.25: errors are 0.8 of what this gives.)
pub(crate) fn epsilon(precision: Precision) -> f64 {
    match precision {
        Precision::Single => f64::from(f32::EPSILON),
        Precision::Double => f64::EPSILON,
    }
}

/// Points or frequencies of type 3 among which one at the edge is reckoned with; where there are fewer, the error is some more.
const FEW_FREQUENCIES: f64 = 30.0;

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
    pub fn for_tolerance(
        tolerance: f64,
        upsampling: Upsampling,
        demand: Demand<'_>,
        epsilon: f64,
    ) -> Result<Self, f64> {
        let errors = PROLATE[upsampling as usize].iter().map(|traits| demand.error(traits, epsilon));
        match errors.clone().position(|error| error <= tolerance) {
            Some(wider) => Ok(Self::prolate(NARROWEST + wider, upsampling.value())),
            None => Err(errors.fold(f64::INFINITY, f64::min)),
        }
    }

    /// The same for the paper's kernel, by its aliases alone: K from 2 up.
    pub fn paper_for_tolerance(tolerance: f64, demand: Demand<'_>) -> Result<Self, f64> {
        let axes = match demand {
            Demand::Modes(modes) => modes.len(),
            Demand::Twice(axes) => 2 * axes,
        };
        let mut reach = f64::INFINITY;
        for kernel in (2..=WIDEST_PAPER).map(Self::paper) {
            reach = kernel.expected_error() * (axes as f64).sqrt();
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

    /// Root mean square of the error by aliases over the band, in one dimension.
    pub fn expected_error(&self) -> f64 {
        let highest = PI / self.upsampling;
        let square =
            gauss_legendre(24).integrate(0.0, highest, |omega| self.aliases(omega).powi(2)) / highest;
        square.sqrt()
    }

    /// The aliases √(Σ_m |Φ(ω + 2πm)/Φ(ω)|²) that a random point adds at ω.
    fn aliases(&self, omega: f64) -> f64 {
        let own = self.transform(omega);
        let alias = |m: i32| (self.truncated_transform(omega + TAU * f64::from(m)) / own).powi(2);
        (1..=3).map(|m| alias(m) + alias(-m)).sum::<f64>().sqrt()
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
    fn traits_are_as_tabled() {
        for upsampling in [Upsampling::Low, Upsampling::High] {
            for (width, tabled) in (NARROWEST..).zip(PROLATE[upsampling as usize]) {
                let kernel = Kernel::prolate(width, upsampling.value());
                let highest = PI / kernel.upsampling;
                let rule = gauss_legendre(60);
                let grid = rule.integrate(0.0, PI, |omega| kernel.transform(omega).powi(2)) / PI;
                let band = rule.integrate(0.0, highest, |omega| kernel.transform(omega).powi(-2)) / highest;
                let found = [kernel.expected_error(), kernel.aliases(highest), (grid * band).sqrt()];
                // Aliases of 1e-12 and less of the peak have few digits left.
                let digits = if tabled.aliases < 1e-11 { 0.1 } else { 0.01 };
                for (found, tabled) in
                    found.iter().zip([tabled.aliases, tabled.at_edge, tabled.amplification])
                {
                    assert!((found / tabled - 1.0).abs() < digits, "{width} {upsampling:?}: {found:.3e}");
                }
            }
        }
    }
}
