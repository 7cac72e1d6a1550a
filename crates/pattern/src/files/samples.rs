//! From the angles of a file to a [`Pattern`].

use crate::error::PatternError;
use crate::pattern::{Pattern, Powers};
use num_complex::Complex64;

/// Angles of a file, in degrees, that differ by less are equal: files round them to a few digits.
pub(super) const SAME: f64 = 1e-4;

/// Samples as a file has them: angles in degrees, θ perhaps below zero, [r E_θ, r E_φ] in volts for just those angles, φ fastest.
pub(super) struct Samples {
    pub theta: Vec<f64>,
    pub phi: Vec<f64>,
    pub fields: Vec<[Complex64; 2]>,
}

impl Samples {
    /// The pattern. (−θ, φ) becomes (θ, φ + 180°), where θ̂ and φ̂ are reversed.
    pub fn into_pattern(self, frequency: f64, powers: Powers) -> Result<Pattern, PatternError> {
        let folded =
            if self.theta.first().is_some_and(|&first| first < -SAME) { self.folded()? } else { self };
        let radians = |angles: Vec<f64>| angles.into_iter().map(f64::to_radians).collect();
        Pattern::new(frequency, radians(folded.theta), radians(folded.phi), folded.fields, powers)
    }

    fn folded(self) -> Result<Self, PatternError> {
        let columns = self.phi.len();
        let first = self.theta.iter().position(|&theta| theta > -SAME).unwrap_or(self.theta.len());
        let theta = self.theta[first..].to_vec();
        // θ and −θ stand at the same distance from the two ends, and no θ below zero is left over.
        let mirror = |row: usize| self.theta.len() - 1 - row;
        let pairs = |row: usize| (self.theta[row] + self.theta[mirror(row)]).abs() < SAME;
        let complete = first == theta.len() || (first + 1 == theta.len() && theta[0].abs() < SAME);
        if !complete || !(first..self.theta.len()).all(pairs) {
            return Err(PatternError::invalid(
                "theta runs below zero, and not as far as above",
                "export theta from 0 to 180 deg, or the same angles on both sides of 0",
            ));
        }
        let azimuths = self.folded_azimuths();
        let mut fields = Vec::with_capacity(theta.len() * azimuths.len());
        for row in first..self.theta.len() {
            for &(_, j, reverse) in &azimuths {
                let row = if reverse { mirror(row) } else { row };
                let field = self.fields[row * columns + j];
                fields.push(if reverse { field.map(|component| -component) } else { field });
            }
        }
        Ok(Self { theta, phi: azimuths.into_iter().map(|(phi, ..)| phi).collect(), fields })
    }

    /// Azimuths of the folded grid, rising: each with its column in the file, and whether that is the one of φ − 180°.
    fn folded_azimuths(&self) -> Vec<(f64, usize, bool)> {
        let start = self.phi.first().copied().unwrap_or(0.0);
        let direct = self.phi.iter().enumerate().map(|(j, &phi)| (phi, j, false));
        let reversed = self.phi.iter().enumerate().map(|(j, &phi)| (phi + 180.0, j, true));
        let mut azimuths: Vec<(f64, usize, bool)> = direct
            .chain(reversed)
            .map(|(phi, j, reverse)| (start + (phi - start + SAME).rem_euclid(360.0) - SAME, j, reverse))
            .collect();
        azimuths.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Of two columns of one azimuth, the direct one.
        azimuths.dedup_by(|later, earlier| {
            let same = later.0 - earlier.0 < SAME;
            if same && earlier.2 {
                *earlier = *later;
            }
            same
        });
        azimuths
    }
}

/// `count` angles from a first one, in steps.
pub(super) fn ramp(first: f64, step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|n| first + step * n as f64).collect()
}

/// `count` angles from a first to a last one.
pub(super) fn range(first: f64, last: f64, count: usize) -> Vec<f64> {
    ramp(first, if count > 1 { (last - first) / (count - 1) as f64 } else { 0.0 }, count)
}
