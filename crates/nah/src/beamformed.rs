//! Beamforming of a recording at the frequencies that are too high for holograms: focus planes, sources, and how far to trust them.

use crate::beamforming::{Beamformer, Beamforming, BeamformingMap};
use crate::cross_spectra::CrossSpectrum;
use crate::error::NahError;
use crate::grid::Grid;
use crate::problem::{BeamformingSettings, Problem};
use crate::solution::{Beamformed, FoundSource, SideLobe};
use crate::study::Study;
use phasefront_core::decibels::power_db;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Focus points to a wavelength where no spacing is given. The narrowest main lobe, half a wavelength from its middle to its zero, then loses 0.2 dB along an
/// axis between two points, sinc²(1/8).
const POINTS_PER_WAVELENGTH: f64 = 8.0;
/// Around a source, what is nearer than so many resolutions is its main lobe; those to the side of the array are wider than in front of it.
const MAIN_LOBE: f64 = 2.0;
/// Points of CLEAN-SC that are nearer to a stronger one than this part of the resolution are the same source.
const SAME_SOURCE: f64 = 0.5;
/// Sources weaker than this part of the strongest are left out of the list: 30 dB.
const WEAKEST: f64 = 1e-3;

/// The focus plane at a frequency: points around the middle of the array.
pub(crate) fn focus(problem: &Problem, settings: &BeamformingSettings, frequency: f64) -> Grid {
    let grid = problem.grid;
    let size = settings.size.unwrap_or_else(|| {
        [(grid.columns - 1) as f64 * grid.pitch[0], (grid.rows - 1) as f64 * grid.pitch[1]]
    });
    let spacing =
        settings.spacing.unwrap_or_else(|| problem.medium.speed / (frequency * POINTS_PER_WAVELENGTH));
    let intervals = size.map(|side| (side / spacing).ceil().max(1.0));
    let pitch = [0, 1].map(|axis| size[axis] / intervals[axis]);
    let [columns, rows] = intervals.map(|intervals| (intervals as usize).saturating_add(1));
    Grid { columns, rows, pitch }
}

/// The distance of the first zero from the middle of a main lobe, λ/(2 sin α), of an array that is seen from the focus plane under the half angle α: about
/// λ times distance over size far from it.
fn resolution(problem: &Problem, frequency: f64) -> f64 {
    let [width, height] = problem.extent().0;
    let half = 0.5 * width.min(height);
    let wavelength = problem.medium.speed / frequency;
    0.5 * wavelength * problem.standoff.hypot(half) / half
}

impl Study {
    /// Sources at each of these frequencies, of cross-spectra of the microphones that are not dead, and perhaps of references after them.
    pub(crate) fn beamformed(&self, cross_spectra: &[CrossSpectrum]) -> Result<Vec<Beamformed>, NahError> {
        let Some(settings) = &self.problem.beamforming else { return Ok(Vec::new()) };
        // CLEAN-SC of one frequency takes one thread.
        cross_spectra.par_iter().map(|cross| self.beamform(settings, cross)).collect()
    }

    fn beamform(
        &self,
        settings: &BeamformingSettings,
        cross: &CrossSpectrum,
    ) -> Result<Beamformed, NahError> {
        let problem = &self.problem;
        let alive = |(m, _): &(usize, [f64; 2])| !self.faults.dead.contains(m);
        let microphones: Vec<[f64; 2]> =
            problem.microphones().into_iter().enumerate().filter(alive).map(|(_, at)| at).collect();
        let own = cross.of(&(0..microphones.len()).collect::<Vec<_>>());
        let focus = focus(problem, settings, cross.frequency);
        let k = problem.medium.wavenumber(cross.frequency);
        let beamformer = Beamformer::new(&microphones, &focus, problem.standoff, k)?;
        let map = beamformer.map(&own, settings.method)?;
        let resolution = resolution(problem, cross.frequency);
        let peak = beamformer.peak(&map.powers);
        let side_lobe = side_lobe(&beamformer, &focus, peak, MAIN_LOBE * resolution);
        let sources = match settings.method {
            Beamforming::CleanSc(_) => sources(&map, &focus, SAME_SOURCE * resolution),
            // Side lobes look like sources: the strongest point is the only one that is sure.
            Beamforming::DelayAndSum(_) | Beamforming::Functional { .. } => {
                vec![FoundSource { position: focus.position(peak), power: map.powers[peak] }]
            }
        };
        let is_clean = matches!(settings.method, Beamforming::CleanSc(_));
        let explained = is_clean.then(|| beamformer.power_at_microphones(&map.powers) / own.trace());
        let power = is_clean.then(|| self.half_space_power(map.powers.iter().sum()));
        let averages = cross.windows.independent();
        let frequency = cross.frequency;
        Ok(Beamformed { frequency, focus, map, resolution, sources, side_lobe, explained, power, averages })
    }

    /// The power of a monopole p = A e^{−jkr}/r through half of a sphere, π|A|²/(ρc): what passes a plane in front of it, as that of a hologram does.
    pub fn half_space_power(&self, square: f64) -> f64 {
        PI * square / (self.problem.medium.density * self.problem.medium.speed)
    }
}

/// Where else, farther away than the main lobe, the array sees a source best.
fn side_lobe(beamformer: &Beamformer, focus: &Grid, peak: usize, main_lobe: f64) -> Option<SideLobe> {
    let [x, y] = focus.position(peak);
    let is_far = |i: &usize| {
        let [a, b] = focus.position(*i);
        (a - x).hypot(b - y) > main_lobe
    };
    let seen = beamformer.point_spread(peak);
    let worst = (0..focus.len()).filter(is_far).max_by(|a, b| seen[*a].total_cmp(&seen[*b]))?;
    Some(SideLobe { source: [x, y], position: focus.position(worst), level: power_db(seen[worst]) })
}

/// What CLEAN-SC finds around each strongest point together, at its center of power.
fn sources(map: &BeamformingMap, focus: &Grid, radius: f64) -> Vec<FoundSource> {
    let mut left: Vec<(f64, [f64; 2])> = map
        .powers
        .iter()
        .enumerate()
        .filter(|(_, power)| **power > 0.0)
        .map(|(i, power)| (*power, focus.position(i)))
        .collect();
    left.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found = Vec::new();
    while let Some((_, [x, y])) = left.first().copied() {
        let (near, far): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(_, [a, b])| (a - x).hypot(b - y) <= radius);
        let power = near.iter().map(|(power, _)| power).sum::<f64>();
        let mean = |axis: usize| near.iter().map(|(part, at)| part * at[axis]).sum::<f64>() / power;
        found.push(FoundSource { position: [mean(0), mean(1)], power });
        left = far;
    }
    found.sort_by(|a, b| b.power.total_cmp(&a.power));
    let strongest = found.first().map_or(0.0, |source| source.power);
    found.retain(|source| source.power > WEAKEST * strongest);
    found
}

impl Study {
    /// Bytes of the steering vectors, and of a product of them, that are there at a time.
    pub(crate) fn beamforming_bytes(&self) -> u64 {
        let Some(settings) = &self.problem.beamforming else { return 0 };
        let microphones = self.problem.format().microphones as u64;
        let points = |frequency: &f64| {
            let Grid { columns, rows, .. } = focus(&self.problem, settings, *frequency);
            (columns as u64).saturating_mul(rows as u64)
        };
        let most = self.beamforming_frequencies.iter().map(points).max().unwrap_or(0);
        let at_a_time = self.beamforming_frequencies.len().min(rayon::current_num_threads()) as u64;
        most.saturating_mul(microphones).saturating_mul(16).saturating_mul(at_a_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three points of one source, and one of another; a fourth too weak to be listed.
    #[test]
    fn points_near_each_other_are_one_source() {
        let focus = Grid { columns: 11, rows: 1, pitch: [0.1; 2] };
        let mut powers = vec![0.0; 11];
        (powers[1], powers[2], powers[3], powers[8], powers[10]) = (0.25, 1.0, 0.25, 2.0, 1e-4);
        let found = sources(&BeamformingMap { powers, residual: None }, &focus, 0.15);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert_eq!(found.len(), 2);
        assert!(near(found[0].power, 2.0) && near(found[0].position[0], 0.3));
        assert!(near(found[1].power, 1.5) && near(found[1].position[0], -0.3));
    }
}
