//! What the writers of all formats share.

use crate::error::PatternError;
use crate::pattern::{Pattern, SAME_ANGLE};
use num_complex::Complex64;

/// A number with all its digits, as Fortran and C read it: -1.2345678901234567E-01.
pub(super) fn scientific(value: f64) -> String {
    let text = format!("{value:.16e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{mantissa}E{exponent:+03}")
}

/// Degrees without the noise of the conversion, so that 90 is written as 90.
pub(super) fn degrees(radians: f64) -> f64 {
    (radians.to_degrees() * 1e12).round() / 1e12
}

/// Real and imaginary parts of two components.
pub(super) fn components(field: [Complex64; 2]) -> String {
    let [a, b] = field;
    [a.re, a.im, b.re, b.im].map(scientific).join(" ")
}

/// First angle, last angle and step of an axis in degrees, which must be uniform.
pub(super) fn uniform(format: &'static str, name: &str, angles: &[f64]) -> Result<[f64; 3], PatternError> {
    let (first, last) = (angles[0], angles[angles.len() - 1]);
    let step = if angles.len() > 1 { (last - first) / (angles.len() - 1) as f64 } else { 0.0 };
    if angles.iter().enumerate().any(|(n, angle)| (angle - first - step * n as f64).abs() > SAME_ANGLE) {
        return Err(PatternError::NotRepresentable {
            format,
            problem: format!("the steps of {name} are not equal"),
            advice: format!("sample {name} in equal steps, or write an .ffe file"),
        });
    }
    Ok([degrees(first), degrees(last), degrees(step)])
}

/// Refuses an empty list, and patterns on different grids where a format has one grid for all.
pub(super) fn check(format: &'static str, patterns: &[Pattern], one_grid: bool) -> Result<(), PatternError> {
    let refuse = |problem: &str, advice: &str| {
        Err(PatternError::NotRepresentable { format, problem: problem.into(), advice: advice.into() })
    };
    let Some(first) = patterns.first() else {
        return refuse("there is none", "give at least one pattern");
    };
    let differs = |other: &Pattern| other.theta() != first.theta() || other.phi() != first.phi();
    if one_grid && patterns.iter().any(differs) {
        return refuse("all its frequencies have one grid", "write one file for each grid");
    }
    Ok(())
}
