//! The spreading kernels φ(t), t in grid points, and their Fourier transforms Φ.

use crate::error::{NufftError, Result as NufftResult};
use crate::options::{SpreadingKernel, Upsampling};
use crate::prolate::Prolate;
use phasefront_core::quadrature::gauss_legendre;
use phasefront_core::{Precision, Real};
use std::f64::consts::{PI, TAU};

/// Errors of a prolate kernel of some width along one axis, for random points and all modes of the band.
#[derive(Debug, Clone, Copy)]
struct ErrorModel {
    /// RMS over the band of the relative aliasing error.
    aliasing: f64,
    /// The aliasing error of the highest mode, where it is largest.
    at_band_edge: f64,
    /// √(mean Φ² over the grid · mean 1/Φ² over the band): amplification of rounding errors on the grid,
    /// which are not band-limited, by the deconvolution.
    amplification: f64,
}

const fn errors(aliasing: f64, at_band_edge: f64, amplification: f64) -> ErrorModel {
    ErrorModel { aliasing, at_band_edge, amplification }
}

/// Minimum width of a prolate kernel.
const MIN_WIDTH: usize = 2;
/// Prolate kernels of increasing width, for both upsampling factors; wider ones only add rounding errors.
const PROLATE: [&[ErrorModel]; 2] = [
    &[
        errors(9.99e-2, 0.303, 1.0),
        errors(2.15e-2, 9.51e-2, 1.15),
        errors(4.68e-3, 2.73e-2, 1.42),
        errors(1.09e-3, 7.64e-3, 1.86),
        errors(2.50e-4, 2.05e-3, 2.54),
        errors(5.82e-5, 5.46e-4, 3.56),
        errors(1.36e-5, 1.43e-4, 5.11),
        errors(3.25e-6, 3.75e-5, 7.47),
        errors(7.72e-7, 9.69e-6, 11.0),
        errors(1.84e-7, 2.50e-6, 16.5),
        errors(4.35e-8, 6.40e-7, 24.8),
        errors(1.06e-8, 1.64e-7, 37.5),
        errors(2.54e-9, 4.17e-8, 57.1),
        errors(6.08e-10, 1.06e-8, 87.3),
        errors(1.46e-10, 2.69e-9, 134.0),
        errors(3.58e-11, 6.82e-10, 206.0),
        errors(8.61e-12, 1.72e-10, 319.0),
        errors(2.15e-12, 4.51e-11, 493.0),
    ],
    &[
        errors(3.56e-2, 8.23e-2, 0.851),
        errors(3.59e-3, 1.12e-2, 0.814),
        errors(3.76e-4, 1.42e-3, 0.8),
        errors(3.87e-5, 1.71e-4, 0.801),
        errors(3.99e-6, 2.05e-5, 0.814),
        errors(4.15e-7, 2.40e-6, 0.836),
        errors(4.30e-8, 2.79e-7, 0.867),
        errors(4.51e-9, 3.21e-8, 0.906),
        errors(4.71e-10, 3.68e-9, 0.953),
        errors(4.99e-11, 4.19e-10, 1.01),
        errors(5.23e-12, 4.74e-11, 1.07),
        errors(5.54e-13, 5.37e-12, 1.15),
        errors(5.89e-14, 6.04e-13, 1.23),
        errors(7.03e-15, 7.03e-14, 1.33),
    ],
];
/// Maximum K of the Kaiser-Bessel kernel: beyond it rounding errors dominate.
const MAX_KAISER_BESSEL: usize = 7;

/// A spreading kernel `width` grid points wide: a point x (in grid points) contributes to the grid points i with
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
    KaiserBessel(f64),
}

/// The use of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KernelUse<'a> {
    /// Between points and the modes of a box: types 1 and 2.
    Modes(&'a [usize]),
    /// On two successive grids in this number of dimensions: type 3.
    Type3(usize),
}

impl KernelUse<'_> {
    /// Expected relative error, ε being the rounding of one operation:
    ///
    /// ```text
    /// e² = Σ_axes (aliases² + at_band_edge²/N) + (ε Π amplification)²
    /// ```
    ///
    /// The sum over N modes exceeds the integral over the band by at most the highest mode. In type 3 the second grid has the error of
    /// a box, and the first amplifies it like rounding; frequencies and points extend to the band edge.
    fn error(self, model: &ErrorModel, epsilon: f64) -> f64 {
        let square = |x: f64| x * x;
        // Along one axis: RMS over the band, and the excess of the discrete sum at its edge.
        let axis = |modes: f64| square(model.aliasing) + square(model.at_band_edge) / modes;
        // Rounding on the grid passes through the
        // deconvolution of every axis: a product, not a sum.
        let amplified = |axes: usize| square(model.amplification).powi(axes as i32);
        match self {
            Self::Modes(modes) => {
                let aliasing: f64 = modes.iter().map(|&n| axis(n.max(1) as f64)).sum();
                aliasing + square(epsilon) * amplified(modes.len())
            }
            Self::Type3(axes) => {
                let aliasing = axes as f64 * axis(FREQUENCIES_PER_EDGE);
                // The inner transform has the error of a box; the deconvolution of the outer grid
                // amplifies it, together with its rounding.
                aliasing + (aliasing + square(epsilon) * amplified(axes)) * amplified(axes)
            }
        }
        .sqrt()
    }
}

/// Rounding error of one operation on the grid. (Measured on boxes of 100² to 1000² modes with 1.25: errors are 0.8 of this model.)
pub(crate) fn epsilon(precision: Precision) -> f64 {
    match precision {
        Precision::Single => f64::from(f32::EPSILON),
        Precision::Double => f64::EPSILON,
    }
}

/// Points or frequencies of type 3 per one at the band edge, as assumed by the error model; with fewer, the error is somewhat larger.
const FREQUENCIES_PER_EDGE: f64 = 30.0;

impl Kernel {
    /// ψ(2t/w) with the bandwidth c = πw(1 − 1/2σ): its transform is small beyond the first alias of the highest mode.
    pub fn prolate(width: usize, upsampling: f64) -> Self {
        let bandwidth = PI * width as f64 * (1.0 - 0.5 / upsampling);
        Self { width, upsampling, shape: Shape::Prolate(Prolate::new(bandwidth)) }
    }

    /// Fourmont's Kaiser-Bessel pair (J. Fourier Anal. Appl. 9, 2003) with 2K + 1 points and c = 2.
    pub fn kaiser_bessel(half_width: usize) -> Self {
        Self { width: 2 * half_width + 1, upsampling: 2.0, shape: Shape::KaiserBessel(half_width as f64) }
    }

    /// The narrowest prolate kernel with an error below `tolerance`; if there is none, the smallest attainable error.
    pub fn for_tolerance(
        tolerance: f64,
        upsampling: Upsampling,
        kernel_use: KernelUse<'_>,
        epsilon: f64,
    ) -> Result<Self, f64> {
        let errors = PROLATE[upsampling as usize].iter().map(|model| kernel_use.error(model, epsilon));
        // Errors fall with the width: the first that suffices is the narrowest, hence the cheapest.
        match errors.clone().position(|error| error <= tolerance) {
            Some(index) => Ok(Self::prolate(MIN_WIDTH + index, upsampling.value())),
            // Not the last entry: at low upsampling the
            // amplified rounding grows again with the width.
            None => Err(errors.fold(f64::INFINITY, f64::min)),
        }
    }

    /// The same for the Kaiser-Bessel kernel, by its aliasing error only: K from 2.
    pub fn kaiser_bessel_for_tolerance(tolerance: f64, kernel_use: KernelUse<'_>) -> Result<Self, f64> {
        let axes = match kernel_use {
            // Errors of the axes are independent and add in squares. Type 3 has two grids per axis.
            KernelUse::Modes(modes) => modes.len(),
            KernelUse::Type3(axes) => 2 * axes,
        };
        let mut attainable = f64::INFINITY;
        for kernel in (2..=MAX_KAISER_BESSEL).map(Self::kaiser_bessel) {
            attainable = kernel.expected_error() * (axes as f64).sqrt();
            if attainable <= tolerance {
                return Ok(kernel);
            }
        }
        Err(attainable)
    }

    /// φ(t), |t| ≤ width/2.
    pub fn value(&self, t: f64) -> f64 {
        match &self.shape {
            Shape::Prolate(psi) => psi.value(2.0 * t / self.width as f64),
            Shape::KaiserBessel(k) => kaiser(t, *k),
        }
    }

    /// Φ(ω) = ∫φ(t) e^{iωt} dt, ω in radians per grid point.
    pub fn transform(&self, omega: f64) -> f64 {
        match &self.shape {
            Shape::Prolate(psi) => {
                // φ(t) = ψ(2t/w): scaling of the argument by w/2 scales the transform by w/2.
                let half = 0.5 * self.width as f64;
                half * psi.transform(half * omega)
            }
            Shape::KaiserBessel(k) => kaiser_transform(omega, *k),
        }
    }

    /// RMS of the aliasing error over the band, in one dimension.
    pub fn expected_error(&self) -> f64 {
        // The modes extend to π/σ, in radians per grid point.
        let highest = PI / self.upsampling;
        let square =
            gauss_legendre(24).integrate(0.0, highest, |omega| self.aliasing(omega).powi(2)) / highest;
        square.sqrt()
    }

    /// Aliasing error √(Σ_m |Φ(ω + 2πm)/Φ(ω)|²) of a random point at ω.
    fn aliasing(&self, omega: f64) -> f64 {
        let direct = self.transform(omega);
        // Random points make the phases of aliases independent: powers add.
        let alias = |m: i32| (self.truncated_transform(omega + TAU * f64::from(m)) / direct).powi(2);
        // Aliases fall with |m|: three on each side determine the sum.
        (1..=3).map(|m| alias(m) + alias(-m)).sum::<f64>().sqrt()
    }

    /// The transform of φ truncated to its width, beyond which the Kaiser-Bessel kernel does not vanish.
    fn truncated_transform(&self, omega: f64) -> f64 {
        match &self.shape {
            Shape::Prolate(_) => self.transform(omega),
            Shape::KaiserBessel(_) => {
                // No closed form for the truncated kernel: Gauss-Legendre quadrature. The number of
                // nodes grows with the width, as the phase of the aliases does.
                let half = 0.5 * self.width as f64;
                let rule = gauss_legendre(32 + 12 * self.width);
                rule.integrate(-half, half, |t| self.value(t) * (omega * t).cos())
            }
        }
    }
}

/// α for c = 2: just below π(2 − 1/c).
const ALPHA: f64 = 1.5 * PI - 0.01;

/// φ̂(x)/√(2π) = (1/π) sinh(α√(K²−x²))/√(K²−x²), and sin for sinh beyond K.
fn kaiser(x: f64, k: f64) -> f64 {
    let square = k * k - x * x;
    let root = square.abs().sqrt();
    // sinh x/x = 1 + x²/6 + …; the next term is x⁴/120, below 1e-18 here.
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

/// I₀(x) = Σ (x²/4)^k/(k!)²: all terms are positive, so there is no cancellation; 60 terms suffice up to x = 40.
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

/// The spreading kernel for a tolerance, if the precision and the upsampling factor admit one.
pub(crate) fn choose_kernel<T: Real>(
    kernel_use: KernelUse<'_>,
    tolerance: f64,
    kind: SpreadingKernel,
    upsampling: Upsampling,
) -> NufftResult<Kernel> {
    let kernel = match kind {
        SpreadingKernel::Prolate => {
            Kernel::for_tolerance(tolerance, upsampling, kernel_use, epsilon(T::PRECISION))
        }
        SpreadingKernel::KaiserBessel => Kernel::kaiser_bessel_for_tolerance(tolerance, kernel_use),
    };
    kernel.map_err(|attainable| NufftError::Tolerance { tolerance, attainable })
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
    fn kaiser_bessel_kernel_is_as_accurate_as_published() {
        let error = |k| Kernel::kaiser_bessel(k).expected_error() * 2f64.sqrt();
        assert!((2e-6..8e-6).contains(&error(3)), "{:.1e}", error(3));
        assert!((2e-12..1e-11).contains(&error(6)), "{:.1e}", error(6));
    }

    #[test]
    fn errors_are_as_tabulated() {
        for upsampling in [Upsampling::Low, Upsampling::High] {
            for (width, tabulated) in (MIN_WIDTH..).zip(PROLATE[upsampling as usize]) {
                let kernel = Kernel::prolate(width, upsampling.value());
                let highest = PI / kernel.upsampling;
                let rule = gauss_legendre(60);
                let grid = rule.integrate(0.0, PI, |omega| kernel.transform(omega).powi(2)) / PI;
                let band = rule.integrate(0.0, highest, |omega| kernel.transform(omega).powi(-2)) / highest;
                let found = [kernel.expected_error(), kernel.aliasing(highest), (grid * band).sqrt()];
                // Aliases of 1e-12 and less of the peak have few digits left.
                let digits = if tabulated.aliasing < 1e-11 { 0.1 } else { 0.01 };
                for (found, tabulated) in
                    found.iter().zip([tabulated.aliasing, tabulated.at_band_edge, tabulated.amplification])
                {
                    assert!((found / tabulated - 1.0).abs() < digits, "{width} {upsampling:?}: {found:.3e}");
                }
            }
        }
    }
}
