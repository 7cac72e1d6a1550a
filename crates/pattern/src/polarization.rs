//! Polarization: Ludwig-3 and circular components, the polarization ellipse.

use crate::pattern::{Direction, Pattern};
use num_complex::Complex64;
use std::f64::consts::FRAC_1_SQRT_2;

/// A component of the far field. Reference angles are in radians.
///
/// With reference angle χ, Ludwig's third definition (A. C. Ludwig, IEEE Trans. Antennas Propag. 21 (1973), 116-119) is
///
/// ```text
/// e_co    = cos(φ − χ) θ̂ − sin(φ − χ) φ̂      on the axis +z: x̂ cos χ + ŷ sin χ
/// e_cross = sin(φ − χ) θ̂ + cos(φ − χ) φ̂                   −x̂ sin χ + ŷ cos χ
/// ```
///
/// and circular components belong to e_R = (e_co − j e_cross)/√2 and e_L = (e_co + j e_cross)/√2. Right-handed as the IEEE defines it
/// (IEEE Std 145): with e^{+jωt}, the field turns clockwise for an observer behind the antenna who looks along the propagation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Component {
    /// E_θ.
    Theta,
    /// E_φ.
    Phi,
    /// Co-polar, Ludwig 3; the reference angle of the polarization on the axis, from +x.
    Co(f64),
    /// Cross-polar, Ludwig 3, for the same reference angle.
    Cross(f64),
    /// Right-hand circular; the reference angle shifts its phase.
    RightCircular(f64),
    /// Left-hand circular; the reference angle shifts its phase.
    LeftCircular(f64),
}

impl Component {
    /// This component of a field [E_θ, E_φ] at azimuth φ.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use phasefront_pattern::Component;
    /// // x̂ − jŷ on the axis, seen at φ = 0: right-handed.
    /// let field = [Complex64::ONE, -Complex64::I];
    /// assert!((Component::RightCircular(0.0).of(field, 0.0) - 2f64.sqrt()).norm() < 1e-15);
    /// assert!(Component::LeftCircular(0.0).of(field, 0.0).norm() < 1e-15);
    /// ```
    pub fn of(self, [theta, phi]: [Complex64; 2], azimuth: f64) -> Complex64 {
        match self {
            Self::Theta => theta,
            Self::Phi => phi,
            Self::Co(reference) => ludwig3([theta, phi], azimuth - reference)[0],
            Self::Cross(reference) => ludwig3([theta, phi], azimuth - reference)[1],
            Self::RightCircular(reference) => circular(ludwig3([theta, phi], azimuth - reference))[0],
            Self::LeftCircular(reference) => circular(ludwig3([theta, phi], azimuth - reference))[1],
        }
    }
}

/// [E_co, E_cross] of [E_θ, E_φ]; its own inverse with −φ.
pub(crate) fn ludwig3([theta, phi]: [Complex64; 2], azimuth: f64) -> [Complex64; 2] {
    let (sin, cos) = azimuth.sin_cos();
    [theta * cos - phi * sin, theta * sin + phi * cos]
}

/// [E_R, E_L] of [E_co, E_cross].
fn circular([co, cross]: [Complex64; 2]) -> [Complex64; 2] {
    [(co + Complex64::I * cross) * FRAC_1_SQRT_2, (co - Complex64::I * cross) * FRAC_1_SQRT_2]
}

/// [E_co, E_cross] of [E_R, E_L].
pub(crate) fn linear([right, left]: [Complex64; 2]) -> [Complex64; 2] {
    [(right + left) * FRAC_1_SQRT_2, Complex64::I * (left - right) * FRAC_1_SQRT_2]
}

/// Sense of rotation by the IEEE definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Right-handed.
    Right,
    /// Left-handed.
    Left,
}

/// The curve that the tip of the electric field draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipse {
    /// Major over minor axis, from 1 (circular) to infinity (linear).
    pub axial_ratio: f64,
    /// Angle of the major axis in radians, from θ̂ toward φ̂, in (−π/2, π/2]; without meaning for circular polarization.
    pub tilt: f64,
    /// Sense of rotation; for linear polarization whichever rounding gives.
    pub sense: Sense,
}

impl Ellipse {
    /// The ellipse of a field [E_θ, E_φ]; none where the field vanishes.
    pub fn of([theta, phi]: [Complex64; 2]) -> Option<Self> {
        let [right, left] = circular([theta, phi]).map(Complex64::norm);
        if right + left == 0.0 {
            return None;
        }
        // Major and minor axes are (|E_R| ± |E_L|)/√2; twice the tilt is the angle of the Stokes parameters Q and U.
        let tilt = 0.5 * (2.0 * (theta * phi.conj()).re).atan2(theta.norm_sqr() - phi.norm_sqr());
        let sense = if right >= left { Sense::Right } else { Sense::Left };
        Some(Self { axial_ratio: (right + left) / (right - left).abs(), tilt, sense })
    }
}

impl Pattern {
    /// One component at every sample, φ fastest.
    pub fn component(&self, component: Component) -> Vec<Complex64> {
        let azimuths = self.phi().iter().cycle();
        self.fields().iter().zip(azimuths).map(|(&field, &phi)| component.of(field, phi)).collect()
    }

    /// The polarization ellipse in a direction, interpolated; none outside the grid and where the field vanishes.
    pub fn ellipse(&self, direction: Direction) -> Option<Ellipse> {
        self.field(direction).and_then(Ellipse::of)
    }
}
