//! When a run that ends by its energy will end.

use crate::study::Study;
use phasefront_core::constants::C0;
use phasefront_core::decibels::power_ratio;

/// Crossings of the mesh, along its diagonal, in which the energy of an open or matched structure falls by 50 dB: 1.6 for the dipole of the
/// gallery, 8 for a short line between ports. Resonators take longer, up to the latest time.
const CROSSINGS: f64 = 4.0;
/// Pairs of energies that give a slope: the median of so many is steady.
const POINTS: usize = 40;
/// Fewest energies for a slope.
const MIN_POINTS: usize = 6;

impl Study {
    /// Steps that a run is likely to take: until the latest time, or until the fields have decayed, if the structure does not resonate.
    pub fn likely_steps(&self) -> u64 {
        let Some(decay) = self.problem.stop.energy_db else { return self.max_steps() };
        let end = self.source_end() + CROSSINGS * decay / 50.0 * self.crossing();
        self.steps_until(end)
    }

    /// The same, from the energies so far, once the sources have ended.
    pub(crate) fn forecast_steps(&self, energy: &[(f64, f64)]) -> u64 {
        let Some(decay) = self.problem.stop.energy_db else { return self.max_steps() };
        let after = energy.partition_point(|(time, _)| *time <= self.source_end());
        let peak = energy.iter().map(|(_, energy)| *energy).fold(0.0, f64::max);
        let threshold = peak * power_ratio(-decay);
        if energy.len() - after < MIN_POINTS {
            return self.likely_steps();
        }
        let end = decay_time(&energy[after..], threshold);
        end.map_or(self.max_steps(), |end| self.steps_until(end.max(self.source_end())))
    }

    fn steps_until(&self, time: f64) -> u64 {
        let steps = ((time - self.sources.start) / self.step.dt).ceil();
        (steps as u64).min(self.max_steps())
    }

    /// Time in which the slowest wave crosses the mesh, s.
    fn crossing(&self) -> f64 {
        let nodes = self.domain.mesh.nodes.iter().map(|node| glam::DVec3::from(*node));
        let (low, high) = nodes
            .fold((glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY), |(low, high), node| {
                (low.min(node), high.max(node))
            });
        let slowest = self.domain.materials.iter().map(super::material::Material::speed).fold(1.0, f64::min);
        (high - low).length() / (slowest * C0)
    }
}

/// The time at which the energy reaches `threshold`, by the median slope of its logarithm over the second half of the history (Theil and
/// Sen): what decays fast is gone by then, and beats do not mislead it. None if the energy does not fall.
fn decay_time(energy: &[(f64, f64)], threshold: f64) -> Option<f64> {
    let late = &energy[energy.len() / 2..];
    let points: Vec<(f64, f64)> = late
        .iter()
        .step_by(late.len().div_ceil(POINTS).max(1))
        .filter(|(_, energy)| *energy > 0.0)
        .map(|(time, energy)| (*time, energy.ln()))
        .collect();
    let mut slopes: Vec<f64> = points
        .iter()
        .enumerate()
        .flat_map(|(i, a)| points[..i].iter().map(move |b| (a.1 - b.1) / (a.0 - b.0)))
        .collect();
    if slopes.is_empty() {
        return None;
    }
    let middle = slopes.len() / 2;
    let slope = *slopes.select_nth_unstable_by(middle, f64::total_cmp).1;
    let &(now, last) = energy.last()?;
    (slope < 0.0).then(|| now + ((last / threshold).ln() / -slope).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fast and a slow mode, with beats: at half of the way to −50 dB the end is known to a factor of 1.5, in either direction.
    #[test]
    fn the_end_is_told_from_the_slope() {
        for (slow, share) in [(1.0, 1.0), (1.0, 0.01), (0.3, 1e-3)] {
            let at = |t: f64| ((-8.0 * t).exp() + share * (-slow * t).exp()) * (1.0 + 0.3 * (20.0 * t).sin());
            let threshold = 1e-5;
            let end = (share / threshold).ln() / slow;
            let history: Vec<(f64, f64)> =
                (0..500).map(|i| f64::from(i) * end / 1000.0).map(|t| (t, at(t))).collect();
            let told = decay_time(&history, threshold).unwrap();
            assert!((end / 1.5..1.5 * end).contains(&told), "{told} instead of {end}");
        }
        assert_eq!(decay_time(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)], 1e-5), None);
        assert_eq!(decay_time(&[(0.0, 1.0)], 1e-5), None);
    }
}
