//! From a [`Solution`] to what users need to judge it: the worst figures over all frequencies, and warnings.

use crate::problem::Method;
use crate::solve::{FrequencySolution, Solution};
use crate::study::Study;
use phasefront_core::Precision;

/// Interior field of a closed conductor, relative to the incident one, above which a solution with pulses is doubtful. Measured on
/// circles of ka = 1 to 15 with 20 pulses per wavelength: 0.03 in general. Near an interior resonance the error of the echo width grows
/// with it, to 1 or 2 % where it reaches 1, and without bound beyond.
const INTERIOR_LIMIT_OF_PULSES: f64 = 1.0;
/// The same for higher orders. Measured on circles at and near two interior resonances of each equation, orders 2 to 12: where the
/// resonance dominates, the error of the complex current is 0.3 to 3 times the interior field, relative to its largest value, and that of
/// the echo width of the MFIE up to 4 times, so that a solution that passes has lost at most 8 % to it. The CFIE, ka = 1 to 15, orders
/// 1 to 8 with 10 nodes per wavelength and more, has up to 0.012, from order 3 on up to 0.001. It is no measure of coarse cells: the
/// TE-EFIE of order 2 had currents wrong by 7 % with 0.015, which the warning about low orders in TE covers.
const INTERIOR_LIMIT: f64 = 0.02;

/// Condition number above which rounding may cost more than half of the digits. Cells of different lengths raise it in proportion
/// without harm.
fn condition_limit(study: &Study) -> f64 {
    let lengths = || study.mesh.cells.iter().map(|cell| cell.length);
    // Columns scale with the weights of their nodes, in proportion to the cell length.
    let ratio = lengths().fold(0.0, f64::max) / lengths().fold(f64::INFINITY, f64::min);
    ratio
        * match study.problem.precision {
            Precision::Double => 1e10,
            Precision::Single => 1e5,
        }
}

impl Solution {
    /// The largest value of `figure` over all frequencies, at least zero.
    pub fn worst(&self, figure: impl Fn(&FrequencySolution) -> f64) -> f64 {
        self.frequencies.iter().map(figure).fold(0.0, f64::max)
    }

    /// What the user should know before trusting the results.
    pub fn warnings(&self, study: &Study) -> Vec<String> {
        let mut warnings = Vec::new();
        let interior =
            if study.problem.method == Method::Pulse { INTERIOR_LIMIT_OF_PULSES } else { INTERIOR_LIMIT };
        if let Some((worst, others)) = worst(&self.frequencies, |f| f.interior_field, interior) {
            warnings.push(format!(
                "the field inside a closed body should vanish but reaches {:.2} of the incident field at {} Hz{others}: the frequency \
                 is near an interior resonance, where this equation fails, or the cells are too coarse; do not trust this \
                 result, use equation = \"cfie\" or more cells",
                worst.interior_field, worst.frequency
            ));
        }
        let limit = condition_limit(study);
        // An engine without an estimate does not warn.
        let condition = |f: &FrequencySolution| f.condition.unwrap_or(0.0);
        if let Some((worst, others)) = worst(&self.frequencies, condition, limit) {
            warnings.push(format!(
                "the matrix has a condition number of {:.1e} at {} Hz{others}: more than half of the digits may be lost; \
                 use equation = \"cfie\" on closed bodies, or fewer corner_levels",
                condition(worst),
                worst.frequency
            ));
        }
        warnings
    }
}

/// The frequency where `figure` is largest, if that is above `limit`, and a note on how many others are.
fn worst(
    all: &[FrequencySolution],
    figure: impl Fn(&FrequencySolution) -> f64,
    limit: f64,
) -> Option<(&FrequencySolution, String)> {
    let worst = all.iter().max_by(|a, b| figure(a).total_cmp(&figure(b)))?;
    let count = all.iter().filter(|f| figure(f) > limit).count();
    let note = if count > 1 { format!(" ({count} frequencies are affected)") } else { String::new() };
    (count > 0).then_some((worst, note))
}
