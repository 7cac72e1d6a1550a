//! The Fresnel transition function of a half-plane.
//!
//! ```text
//! w(y) = e^{jy²} Q(y) = ½ e^{z²} erfc(z),    z = e^{jπ/4} y,    Q(y) = (e^{jπ/4}/√π) ∫_y^∞ e^{−jt²} dt
//! ```
//!
//! The midpoint rule over e^{z²} erfc(z) = (2z/π) ∫₀^∞ e^{−u²}/(z² + u²) du, with the residue at its pole added, has an error
//! of e^{−π²/h²} (F. Matta, A. Reichel, Math. Comp. 25, 339, 1971, with the midpoints of D. B. Hunter, T. Regan, Math.
//! Comp. 26, 539, 1972).

use num_complex::Complex64;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, TAU};
use std::sync::LazyLock;

/// Width of the midpoint rule: e^{−π²/h²} = 7e-18.
const STEP: f64 = 0.5;
/// Number of midpoints: at the next one e^{−u²} is 1e-17.
const POINTS: usize = 12;
/// Above this y the residue, e^{−√2 πy/h}, is below 1e-34.
const RESIDUE_LIMIT: f64 = 9.0;

/// u² and e^{−u²} at the midpoints.
static RULE: LazyLock<[(f64, f64); POINTS]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let square = ((i as f64 + 0.5) * STEP).powi(2);
        (square, (-square).exp())
    })
});

/// e^{jπ/4}.
const EIGHTH: Complex64 = Complex64::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2);

/// w(y) for y ≥ 0.
pub(super) fn transition(y: f64) -> Complex64 {
    let y2 = y * y;
    // 1/(z² + u²) with z² = jy².
    let sum = RULE.iter().fold(Complex64::ZERO, |sum, &(u2, weight)| {
        sum + Complex64::new(u2, -y2) * (weight / (u2 * u2 + y2 * y2))
    });
    let z = EIGHTH * y;
    let rule = z * sum * (STEP / PI);
    // The residue would be added to no effect, and its exponential overflows for still larger y.
    if y > RESIDUE_LIMIT {
        return rule;
    }
    // Residue of the pole at u = jz: e^{z²}/(1 + e^{2πz/h}).
    rule + Complex64::cis(y2) / (1.0 + (z * (TAU / STEP)).exp())
}

/// dw/dy = 2jy w − e^{jπ/4}/√π, with w = w(y).
pub(super) fn derivative(y: f64, w: Complex64) -> Complex64 {
    Complex64::new(0.0, 2.0 * y) * w - EIGHTH * (0.5 * FRAC_2_SQRT_PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C(x) and S(x) of Fresnel to 16 digits (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, table 7.7, has
    /// the first seven of them): Q(y) = ½ − ½(1 + j)(C − jS), y = x√(π/2).
    #[test]
    fn it_has_the_values_of_fresnels_integrals() {
        let table = [
            (0.0, 0.0, 0.0),
            (0.5, 0.492_344_225_871_446_4, 0.064_732_432_859_999_28),
            (1.0, 0.779_893_400_376_822_8, 0.438_259_147_390_354_8),
            (2.0, 0.488_253_406_075_340_8, 0.343_415_678_363_698_2),
            (5.0, 0.563_631_188_704_012_2, 0.499_191_381_917_116_9),
        ];
        for (x, c, s) in table {
            let y: f64 = x * (0.5 * PI).sqrt();
            let q = 0.5 - Complex64::new(0.5, 0.5) * Complex64::new(c, -s);
            let value = transition(y) * Complex64::cis(-y * y);
            assert!((value - q).norm() < 2e-15, "{x}: {value} is not {q}");
        }
    }

    /// w(y) = (e^{−jπ/4}/(2√π y)) (1 − 1/(2jy²) + 3/(2jy²)² − ...) far out.
    #[test]
    fn it_has_its_series_far_out() {
        for y in [8.9, 9.1, 30.0, 1e3, 1e8] {
            let t = Complex64::new(0.0, 2.0 * y * y).inv();
            let series = 1.0 - t * (1.0 - t * (3.0 - t * (15.0 - t * (105.0 - t * 945.0))));
            let far = EIGHTH.conj() * series * (0.25 * FRAC_2_SQRT_PI / y);
            let next = 10395.0 * t.norm().powi(6);
            assert!((transition(y) / far - 1.0).norm() < next + 1e-14);
        }
    }

    #[test]
    fn it_has_its_derivative() {
        for y in [0.0, 0.3, 1.0, 4.0] {
            let w = transition(y);
            let slope = (transition(y + 2e-4) - transition(y + 1e-4)) * 1e4;
            // The slope is that of the point between.
            let between = transition(y + 1.5e-4);
            assert!((slope - derivative(y + 1.5e-4, between)).norm() < 1e-8, "{y} {w}");
        }
    }
}
