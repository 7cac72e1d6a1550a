//! From a [`Solution`] to what users need to judge it: the worst figures over all frequencies, and self-checks.

use crate::problem::Method;
use crate::solution::FrequencySolution;
use crate::solve::Solution;
use crate::study::Study;
use crate::verify::backward_error_limit;
use phasefront_core::{Precision, SelfCheck};

/// Largest estimate of the error of the echo width that passes, so that an error above 1e-3 of the largest echo width is told and one
/// below 1e-5 is not. Chosen on 35 random inputs: circles, pairs, polygons, strips and ellipses, conducting or not, order 1 to 16, 0.15 to
/// 1.5 times the default density, 0 to 16 corner levels. The 60 inputs of the test `self_checks` were kept apart: of 5 errors above
/// 1e-3 all are told, of 46 below 1e-5 none.
const ECHO_WIDTH_ERROR_LIMIT: f64 = 1e-4;
/// Interior field of a closed conductor, relative to the incident one, above which a solution with pulses is doubtful. Measured on
/// circles of ka = 1 to 15 with 20 pulses per wavelength: 0.03 in general. Near an interior resonance the error of the echo width grows
/// with it, to 1 or 2 % where it reaches 1, and without bound beyond.
const INTERIOR_LIMIT_OF_PULSES: f64 = 1.0;
/// The same for higher orders. Near a resonance the error of the complex current is 0.3 to 3 times the interior field, relative to its
/// largest value, and that of the echo width of the MFIE up to 4 times (circles at two resonances of each equation, orders 2 to 12), so
/// that a solution that passes has lost less than 1e-3 to it. On the inputs above, no error below 1e-5 came with more.
const INTERIOR_LIMIT: f64 = 2e-4;

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

    /// How far to trust the results, as measured.
    pub fn self_checks(&self, study: &Study) -> Vec<SelfCheck> {
        let mut checks = Vec::new();
        checks.extend(self.echo_width_error());
        if (0..study.problem.bodies.len()).any(|b| study.problem.is_closed_conductor(b)) {
            checks.push(self.interior_field(study));
        }
        checks.extend(self.condition(study));
        let limit = backward_error_limit(study.problem.precision);
        let sentence = "The solution satisfies the matrix equation on sampled rows.";
        checks.push(SelfCheck::at_most("backward error", self.worst(|f| f.backward_error), limit, sentence));
        checks
    }

    fn echo_width_error(&self) -> Option<SelfCheck> {
        // Pulses have no estimate.
        self.frequencies.first()?.echo_width_error?;
        let limit = ECHO_WIDTH_ERROR_LIMIT;
        let figure = |f: &FrequencySolution| f.echo_width_error.unwrap_or(f64::NAN);
        let (worst, others) = self.worst_frequency(figure, limit)?;
        let value = figure(worst);
        let sentence = if value <= limit {
            "The integral equations hold between the nodes: the cells resolve the currents.".into()
        } else {
            format!(
                "the integral equations fail between the nodes at {} Hz{others}: echo widths may be off by about {value:.0e} of \
                 the largest one; use more cells, a higher order or more corner_levels",
                worst.frequency
            )
        };
        Some(SelfCheck::at_most("estimated error of the echo width", value, limit, sentence))
    }

    fn interior_field(&self, study: &Study) -> SelfCheck {
        let limit =
            if study.problem.method == Method::Pulse { INTERIOR_LIMIT_OF_PULSES } else { INTERIOR_LIMIT };
        let value = self.worst(|f| f.interior_field);
        let sentence = match self.worst_frequency(|f| f.interior_field, limit) {
            Some((worst, others)) if value > limit => format!(
                "the field inside a closed body should vanish but reaches {value:.1e} of the incident field at {} Hz{others}: the \
                 frequency is near an interior resonance, where this equation fails, or the cells are too coarse; do not trust this \
                 result, use equation = \"cfie\" or more cells",
                worst.frequency
            ),
            _ => "The field inside closed conductors vanishes, as it must.".into(),
        };
        SelfCheck::at_most("field inside conductors", value, limit, sentence)
    }

    fn condition(&self, study: &Study) -> Option<SelfCheck> {
        // An engine without an estimate has no such check.
        self.frequencies.first()?.condition?;
        let limit = condition_limit(study);
        let figure = |f: &FrequencySolution| f.condition.unwrap_or(f64::NAN);
        let (worst, others) = self.worst_frequency(figure, limit)?;
        let value = figure(worst);
        let sentence = if value <= limit {
            "The matrix is well enough conditioned for its precision.".into()
        } else {
            format!(
                "the matrix has a condition number of {value:.1e} at {} Hz{others}: more than half of the digits may be lost; \
                 use equation = \"cfie\" on closed bodies, or fewer corner_levels",
                worst.frequency
            )
        };
        Some(SelfCheck::at_most("condition number", value, limit, sentence))
    }

    /// The frequency where `figure` is largest, and a note if it is above `limit` at others too.
    fn worst_frequency(
        &self,
        figure: impl Fn(&FrequencySolution) -> f64,
        limit: f64,
    ) -> Option<(&FrequencySolution, String)> {
        let worst = self.frequencies.iter().max_by(|a, b| figure(a).total_cmp(&figure(b)))?;
        let count = self.frequencies.iter().filter(|f| figure(f) > limit).count();
        let note = if count > 1 { format!(" ({count} frequencies are affected)") } else { String::new() };
        Some((worst, note))
    }
}
