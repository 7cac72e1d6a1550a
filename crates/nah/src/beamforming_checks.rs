//! Self-checks of beamforming.

use crate::solution::{Beamformed, SideLobe, Solution};
use phasefront_core::SelfCheck;

/// Where a second place is nearer than that to a source in how well it explains the cross-spectra, dB, noise may decide between them.
const HIGHEST_SIDE_LOBE: f64 = -3.0;
/// With less than half of the power, noise and sources elsewhere are more than what the map shows.
const LEAST_EXPLAINED: f64 = 0.5;

impl Solution {
    /// How far to trust beamforming.
    pub(crate) fn beamforming_checks(&self) -> Vec<SelfCheck> {
        let lobes = self.beamformed.iter().filter_map(|found| Some((found, found.side_lobe?)));
        let worst = lobes.max_by(|a, b| a.1.level.total_cmp(&b.1.level));
        let explained = self.beamformed.iter().filter_map(|found| Some((found, found.explained?)));
        let least = explained.min_by(|a, b| a.1.total_cmp(&b.1));
        worst.map(side_lobe_check).into_iter().chain(least.map(explained_check)).collect()
    }
}

fn side_lobe_check((found, lobe): (&Beamformed, SideLobe)) -> SelfCheck {
    let SideLobe { source: [x, y], position: [a, b], level } = lobe;
    let sentence = if level <= HIGHEST_SIDE_LOBE {
        format!(
            "Beamforming sees the strongest source of every frequency at one place, and elsewhere {:.1} dB less.",
            -level
        )
    } else {
        format!(
            "at {:.1} Hz the array sees the source at x = {x:.3} m, y = {y:.3} m nearly as well ({level:.1} dB) at x = {a:.3} m, y = {b:.3} m, and noise may put \
             it there: too few microphones for this frequency on a regular grid; use irregular positions, or a smaller focus plane (`size`)",
            found.frequency
        )
    };
    SelfCheck::at_most("side lobes of the array", level, HIGHEST_SIDE_LOBE, sentence).in_unit("dB")
}

fn explained_check((found, explained): (&Beamformed, f64)) -> SelfCheck {
    let sentence = if explained >= LEAST_EXPLAINED {
        format!(
            "The sources of beamforming have at least {:.0} % of the power at the microphones.",
            100.0 * explained
        )
    } else {
        format!(
            "at {:.1} Hz the sources of beamforming have only {:.0} % of the power at the microphones: the rest is noise, or of sources that are not on the focus \
             plane; see `size` of `beamforming` in [solve], and `standoff`",
            found.frequency,
            100.0 * explained
        )
    };
    SelfCheck::at_least("power in the sources of beamforming", explained, LEAST_EXPLAINED, sentence)
}
