//! Radar cross sections from scattering amplitudes, and how far to trust them.

use crate::problem::{Bounces, Tubes};
use crate::solve::Solution;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::SelfCheck;
use phasefront_core::decibels::power_db;
use std::f64::consts::PI;

/// Largest share of the power that may still be bouncing at the maximum number of bounces, chosen by the study
/// `power_left_tells_the_error` of tests/physics/bounces.rs: of 495 results of open boxes with less, none is off by more than 0.5 dB; of
/// 385 with more, 371 are.
const MAX_REMAINING: f64 = 1e-3;
/// Largest share of discarded tubes of a ray grid: what they carry is missing, 20 lg(1 − 0.05) = −0.45 dB in a flash.
const MAX_DISCARDED: f64 = 0.05;

/// Largest difference between transmitter and receiver exchanged, relative to the result.
const MAX_RECIPROCITY_ERROR: f64 = 0.3;

/// Radar cross section (RCS) of a scattering amplitude: σ = 4π|S|², m².
pub fn cross_section(amplitude: Complex64) -> f64 {
    4.0 * PI * amplitude.norm_sqr()
}

/// Radar cross section in dBsm, decibels relative to one square meter.
pub fn dbsm(amplitude: Complex64) -> f64 {
    power_db(cross_section(amplitude))
}

impl Solution {
    /// How far the result can be trusted, as measured in the run; one that does not hold is a warning too.
    pub fn self_checks(&self, study: &Study) -> Vec<SelfCheck> {
        let mut checks = vec![self.remaining_power(study), self.reciprocity()];
        if study.problem.tubes == Tubes::RayGrid {
            checks.push(self.discarded_area());
        }
        checks
    }

    fn remaining_power(&self, study: &Study) -> SelfCheck {
        let share = self.counts.worst_remaining_share;
        let (limit, advice) = match study.problem.bounces {
            Bounces::Auto => (
                Bounces::MAX_AUTO,
                "the target traps rays: close the holes of its mesh, or give solve.bounces a larger number",
            ),
            Bounces::AtMost(1) => {
                (1, "with one bounce this is physical optics; otherwise set `bounces = \"auto\"`")
            }
            Bounces::AtMost(limit) => (limit, "raise solve.bounces, or set it to \"auto\""),
        };
        let sentence = if share <= MAX_REMAINING {
            format!("Of the power that hit the target, {share:.1e} was still bouncing after the last bounce.")
        } else {
            format!(
                "{:.2} % of the power that hit the target was still bouncing after {limit} bounces, in the direction \
                 where it is most, and its echo is missing: {advice}",
                100.0 * share
            )
        };
        SelfCheck::at_most("power still bouncing", share, MAX_REMAINING, sentence)
    }

    fn reciprocity(&self) -> SelfCheck {
        let error = self.counts.reciprocity_error();
        let sentence = if error <= MAX_RECIPROCITY_ERROR {
            format!(
                "Transmitter and receiver exchanged give amplitudes within {:.1} % of the result, rms: cross-polarized ones in \
                 monostatic directions, all in bistatic ones.",
                100.0 * error
            )
        } else {
            format!(
                "transmitter and receiver exchanged give amplitudes that differ from the result by {:.0} %, rms: cross-polarized \
                 ones in monostatic directions, all in bistatic ones; their mean is the result, and its error is at least as large: rays and \
                 edges that are traced once do not reach this echo",
                100.0 * error
            )
        };
        SelfCheck::at_most("reciprocity", error, MAX_RECIPROCITY_ERROR, sentence)
    }

    fn discarded_area(&self) -> SelfCheck {
        let share = self.counts.discarded_area_share();
        let sentence = if share <= MAX_DISCARDED {
            format!(
                "Tubes over edges of triangles, which are discarded, are {:.2} % of the area.",
                100.0 * share
            )
        } else {
            format!(
                "{:.1} % of the area is in tubes over edges of triangles, which are discarded: echoes are too weak; \
                 reduce solve.tube_width, or use `tubes = \"adaptive\"`",
                100.0 * share
            )
        };
        SelfCheck::at_most("discarded area", share, MAX_DISCARDED, sentence)
    }
}
