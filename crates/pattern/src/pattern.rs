//! A far-field pattern: one frequency, a grid of directions, two complex components.

use crate::error::PatternError;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Angles of a file are rounded to a few digits: two that differ by less, in radians, are the same direction.
pub(crate) const SAME_ANGLE: f64 = 1e-6;

/// Powers that the fields of a pattern belong to, in watts, where they are known.
///
/// Fields relative to the radiated power are directivity, to the accepted power gain, to the available power realized gain.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Powers {
    /// Power that leaves through the far sphere.
    pub radiated: Option<f64>,
    /// Power that enters the antenna at its port.
    pub accepted: Option<f64>,
    /// Power that a matched port would accept: that of the incident wave.
    pub available: Option<f64>,
}

/// A direction in spherical coordinates, in radians: θ from +z, φ from +x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// Polar angle.
    pub theta: f64,
    /// Azimuth.
    pub phi: f64,
}

impl Direction {
    /// The unit vector r̂.
    pub fn unit(self) -> [f64; 3] {
        let ((st, ct), (sp, cp)) = (self.theta.sin_cos(), self.phi.sin_cos());
        [st * cp, st * sp, ct]
    }

    /// The direction of a vector.
    pub(crate) fn of([x, y, z]: [f64; 3]) -> Self {
        Self { theta: x.hypot(y).atan2(z), phi: y.atan2(x) }
    }
}

/// The far field of an antenna at one frequency.
///
/// r E_θ and r E_φ in volts, peak values of the phasors with e^{+jωt}; the factor e^{−jkr} is removed, so that the phase reference
/// is the origin. Samples stand on a grid of θ and φ, φ fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    frequency: f64,
    theta: Vec<f64>,
    phi: Vec<f64>,
    fields: Vec<[Complex64; 2]>,
    powers: Powers,
    circle: Circle,
}

/// How the azimuths of a grid cover the circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Circle {
    /// Only a part of it.
    Partial,
    /// All of it; the next sample after the last is the first.
    Open,
    /// All of it, and the last azimuth repeats the first.
    Closed,
}

impl Circle {
    /// Less than three distinct azimuths are never the whole.
    fn of(phi: &[f64]) -> Self {
        let count = phi.len();
        let span = phi[count - 1] - phi[0];
        let step = phi.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        if count >= 4 && (span - TAU).abs() < SAME_ANGLE {
            Self::Closed
        } else if count >= 3 && TAU - span < step + SAME_ANGLE {
            Self::Open
        } else {
            Self::Partial
        }
    }
}

impl Pattern {
    /// A pattern of samples [r E_θ, r E_φ], φ fastest: that of θᵢ, φⱼ is `fields[i * phi.len() + j]`.
    ///
    /// θ rises strictly within 0 and π; φ rises strictly over at most 2π. Neither needs to be uniform.
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use phasefront_pattern::{Pattern, Powers};
    /// let fields = vec![[Complex64::ONE, Complex64::ZERO]; 6];
    /// let pattern = Pattern::new(1e9, vec![0.0, 0.5, 1.0], vec![0.0, 1.0], fields, Powers::default())?;
    /// assert_eq!(pattern.at(2, 1)[0], Complex64::ONE);
    /// # Ok::<(), phasefront_pattern::PatternError>(())
    /// ```
    pub fn new(
        frequency: f64,
        theta: Vec<f64>,
        phi: Vec<f64>,
        fields: Vec<[Complex64; 2]>,
        powers: Powers,
    ) -> Result<Self, PatternError> {
        if !(frequency.is_finite() && frequency > 0.0) {
            let problem = format!("a frequency of {frequency} Hz is not positive");
            return Err(PatternError::invalid(problem, "give the frequency in Hz"));
        }
        check_rising("theta", &theta)?;
        check_rising("phi", &phi)?;
        let (first, last) = (theta[0], theta[theta.len() - 1]);
        if first < -SAME_ANGLE || last > PI + SAME_ANGLE {
            let problem =
                format!("theta runs from {:.6} to {:.6} deg", first.to_degrees(), last.to_degrees());
            return Err(PatternError::invalid(problem, "sample theta within 0 and 180 deg"));
        }
        let span = phi[phi.len() - 1] - phi[0];
        if span > TAU + SAME_ANGLE {
            let problem = format!("phi spans {:.6} deg", span.to_degrees());
            return Err(PatternError::invalid(problem, "sample phi over at most 360 deg"));
        }
        if Some(fields.len()) != theta.len().checked_mul(phi.len()) {
            let problem = format!(
                "{} samples for {} values of theta and {} of phi",
                fields.len(),
                theta.len(),
                phi.len()
            );
            return Err(PatternError::invalid(problem, "give one sample for each pair of theta and phi"));
        }
        if !fields.iter().flatten().all(|component| component.is_finite()) {
            return Err(PatternError::invalid(
                "a field is not a finite number",
                "remove or repair that sample",
            ));
        }
        for power in [powers.radiated, powers.accepted, powers.available].into_iter().flatten() {
            if !(power.is_finite() && power > 0.0) {
                let problem = format!("a power of {power} W is not positive");
                return Err(PatternError::invalid(problem, "leave an unknown power out"));
            }
        }
        let circle = Circle::of(&phi);
        Ok(Self { frequency, theta, phi, fields, powers, circle })
    }

    /// Frequency in Hz.
    pub fn frequency(&self) -> f64 {
        self.frequency
    }

    /// Polar angles in radians, rising.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Azimuths in radians, rising.
    pub fn phi(&self) -> &[f64] {
        &self.phi
    }

    /// All samples [r E_θ, r E_φ] in volts, φ fastest.
    pub fn fields(&self) -> &[[Complex64; 2]] {
        &self.fields
    }

    /// The sample of θᵢ, φⱼ.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn at(&self, i: usize, j: usize) -> [Complex64; 2] {
        assert!(j < self.phi.len(), "no azimuth {j}");
        self.fields[i * self.phi.len() + j]
    }

    /// The powers that are known.
    pub fn powers(&self) -> Powers {
        self.powers
    }

    /// The same antenna with all powers, where known, multiplied by `ratio`, and the fields by its square root.
    ///
    /// GRASP works with a total power of 4π W, so that |field|² is directivity: `scaled(4π / power)` gives that before a file is written.
    pub fn scaled(&self, ratio: f64) -> Result<Self, PatternError> {
        if !(ratio.is_finite() && ratio > 0.0) {
            return Err(PatternError::invalid(
                format!("a power ratio of {ratio} is not positive"),
                "give a positive ratio",
            ));
        }
        let amplitude = ratio.sqrt();
        let fields = self.fields.iter().map(|field| field.map(|component| component * amplitude)).collect();
        let Powers { radiated, accepted, available } = self.powers;
        let [radiated, accepted, available] = [radiated, accepted, available].map(|p| p.map(|p| p * ratio));
        let powers = Powers { radiated, accepted, available };
        Self::new(self.frequency, self.theta.clone(), self.phi.clone(), fields, powers)
    }

    /// How the azimuths cover the circle.
    pub(crate) fn circle(&self) -> Circle {
        self.circle
    }

    /// Number of different azimuths: one less than there are where the last repeats the first.
    pub(crate) fn distinct_azimuths(&self) -> usize {
        self.phi.len() - usize::from(self.circle == Circle::Closed)
    }

    /// Whether θ begins at 0, and whether it ends at π.
    pub(crate) fn poles(&self) -> [bool; 2] {
        [self.theta[0].abs() < SAME_ANGLE, (self.theta[self.theta.len() - 1] - PI).abs() < SAME_ANGLE]
    }
}

/// Refuses what is empty, not finite or not rising.
fn check_rising(name: &str, angles: &[f64]) -> Result<(), PatternError> {
    if angles.is_empty() {
        return Err(PatternError::invalid(format!("{name} has no values"), "give at least one"));
    }
    if !angles.iter().all(|angle| angle.is_finite()) {
        return Err(PatternError::invalid(
            format!("{name} has a value that is not finite"),
            "give angles in radians",
        ));
    }
    if let Some(pair) = angles.windows(2).find(|pair| pair[1] <= pair[0]) {
        let problem = format!(
            "{name} does not rise: {:.6} deg is followed by {:.6} deg",
            pair[0].to_degrees(),
            pair[1].to_degrees()
        );
        return Err(PatternError::invalid(problem, "sort the samples by rising angles, each angle once"));
    }
    Ok(())
}
