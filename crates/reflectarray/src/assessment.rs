//! How far to trust a solution, as measured.

use crate::history::HistoryRow;
use crate::solve::Solution;
use phasefront_core::SelfCheck;

/// Level of the highest lobe outside the coverage relative to the beam's peak, dB. The arrays of the gallery have −13 dB to −24 dB; a grating
/// lobe has the level of the element pattern.
const MAX_LOBE: f64 = -10.0;
/// Violation of the mask, dB, that is within the accuracy of the antenna model.
const MAX_VIOLATION: f64 = 0.1;
/// Gain in the last tenth of the last stage, dB: up to 0.03 dB in the syntheses of the gallery that have converged, 0.35 dB in
/// the one by projections.
const MAX_GAIN: f64 = 0.5;

impl Solution {
    /// The measured self-checks.
    pub fn self_checks(&self) -> Vec<SelfCheck> {
        [self.lobe_check(), self.mask_check(), self.convergence_check()].into_iter().flatten().collect()
    }

    fn lobe_check(&self) -> Option<SelfCheck> {
        let lobe = self.side_lobe?;
        let [u, v] = lobe.direction;
        let location = format!("at (u, v) = ({u:.3}, {v:.3}) and {:.4} GHz", 1e-9 * lobe.frequency);
        let sentence = if lobe.level <= MAX_LOBE {
            format!(
                "Outside the beam the highest lobe in visible space is {:.1} dB below its peak, {location}.",
                -lobe.level
            )
        } else {
            format!(
                "a lobe {:+.1} dB relative to the peak of the beam radiates {location}, outside the beam; reduce geometry.spacing if it is a \
                 grating lobe, else bound it by geometry.outside within solve.uv_grid",
                lobe.level
            )
        };
        let check = SelfCheck::at_most("highest lobe outside the beam", lobe.level, MAX_LOBE, sentence);
        Some(check.in_unit("dB"))
    }

    fn mask_check(&self) -> Option<SelfCheck> {
        let violation = self.mask_violation?;
        let sentence = if violation <= MAX_VIOLATION {
            "The pattern is within the mask.".into()
        } else {
            format!(
                "the pattern violates its mask by up to {violation:.2} dB: coverage.csv has the share of each region within it; relax the \
                 bounds of geometry.coverage and geometry.outside, or enlarge the array"
            )
        };
        Some(SelfCheck::at_most("violation of the mask", violation, MAX_VIOLATION, sentence).in_unit("dB"))
    }

    fn convergence_check(&self) -> Option<SelfCheck> {
        // A run that was interrupted has not ended, and says so.
        let gain = final_gain(&self.history).filter(|_| !self.interrupted)?;
        let sentence = if gain <= MAX_GAIN {
            "The synthesis has converged.".into()
        } else {
            format!(
                "the synthesis still gained {gain:.2} dB in the last tenth of its last stage and has not converged: raise \
                 solve.polish_iterations or solve.element_iterations"
            )
        };
        Some(SelfCheck::at_most("gain at the end of the synthesis", gain, MAX_GAIN, sentence).in_unit("dB"))
    }
}

/// By how much the best D_min of the last stage rose in the last tenth of its rows, dB, with a tenth of D_mean as in the score.
fn final_gain(history: &[HistoryRow]) -> Option<f64> {
    let stage = &history.last()?.stage;
    let scores: Vec<f64> =
        history.iter().filter(|row| row.stage == *stage).map(|row| row.d_min + 0.1 * row.d_mean).collect();
    let best = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let before = best(&scores[..scores.len() * 9 / 10]);
    // A single row has none before it.
    before.is_finite().then(|| best(&scores) - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_is_that_of_the_last_tenth_of_the_last_stage() {
        let row = |stage: &str, d_min: f64| HistoryRow {
            stage: stage.into(),
            iteration: 0,
            evaluations: 0,
            objective: 0.0,
            d_mean: 0.0,
            d_min,
        };
        let mut history: Vec<HistoryRow> = (0..5).map(|_| row("modal", 50.0)).collect();
        history.extend((0..20).map(|i| row("polish", f64::from(i))));
        assert_eq!(final_gain(&history), Some(2.0));
        history.extend((0..20).map(|_| row("polish", 3.0)));
        assert_eq!(final_gain(&history), Some(0.0));
        assert_eq!(final_gain(&history[..1]), None);
        assert_eq!(final_gain(&[]), None);
    }
}
