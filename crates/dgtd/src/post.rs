//! From time series and spectra to S-parameters, probes and surfaces.

use crate::geometry::Shape;
use crate::material::Material;
use crate::solve::Solution;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use phasefront_core::decibels::power_db;
use phasefront_mesh::TET_EDGES;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Scattering parameters at one frequency: the column of the excited port j.
#[derive(Debug, Clone, PartialEq)]
pub struct PortSpectrum {
    /// Hz.
    pub frequency: f64,
    /// S_ij for each port i.
    pub s: Vec<Complex64>,
    /// Input impedance of the excited port, Ω.
    pub impedance: Complex64,
    /// Power accepted by the excited port for a source of the pulse's spectrum, W.
    pub accepted_power: f64,
}

/// Fewest points of a smooth curve over a band: the reflection of a long line makes some ten turns on a Smith chart, and a turn of forty
/// points looks round.
const SMOOTH: usize = 401;

/// Evenly spaced frequencies for a smooth curve, from the lowest of these to the highest; none for a single one.
///
/// ```
/// let band = phasefront_dgtd::band(&[3e9, 1e9]);
/// assert_eq!((band[0], band[200], band.len()), (1e9, 2e9, 401));
/// ```
pub fn band(requested: &[f64]) -> Vec<f64> {
    let points = requested.len().max(SMOOTH);
    let low = requested.iter().copied().fold(f64::INFINITY, f64::min);
    let high = requested.iter().copied().fold(0.0, f64::max);
    if high <= low {
        return Vec::new();
    }
    (0..points).map(|i| low + (high - low) * i as f64 / (points - 1) as f64).collect()
}

impl Solution {
    /// The spectra of all monitored nodes at one frequency, [node][component].
    pub(crate) fn spectrum(&self, study: &Study, frequency: usize) -> &[Complex64] {
        let len = study.monitors.nodes.len() * 6;
        &self.spectra[frequency * len..(frequency + 1) * len]
    }

    /// Energy decay below the peak, dB.
    pub fn energy_drop(&self) -> f64 {
        let peak = self.energy.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
        let last = self.energy.last().map_or(peak, |&(_, energy)| energy);
        if peak > 0.0 { power_db(peak / last) } else { 0.0 }
    }

    /// Time of row `i` of the time series, s.
    pub fn time(&self, i: usize) -> f64 {
        self.start + (i + 1) as f64 * self.dt
    }
}

impl Study {
    /// Rows of the time series per step.
    fn rows(&self) -> usize {
        self.monitors.rows.len()
    }

    /// E (V/m) and H (A/m) at a probe at all steps.
    pub fn probe(&self, solution: &Solution, probe: usize) -> Vec<[f64; 6]> {
        let steps = solution.samples.chunks_exact(self.rows().max(1));
        steps
            .map(|row| std::array::from_fn(|c| row[6 * probe + c] * if c < 3 { 1.0 } else { 1.0 / ETA0 }))
            .collect()
    }

    /// The voltage at a port at all steps, V.
    pub fn voltage(&self, solution: &Solution, port: usize) -> Vec<f64> {
        let steps = solution.samples.chunks_exact(self.rows().max(1));
        steps.map(|row| row[6 * self.monitors.probes + port]).collect()
    }

    /// ∫ value e^{−jωt} dt of a time series with one value per step.
    pub fn transform(
        &self,
        solution: &Solution,
        values: impl Iterator<Item = f64>,
        frequency: f64,
    ) -> Complex64 {
        // Rectangle rule: samples begin at zero and have decayed at the end.
        let kernel = |i: usize| Complex64::from_polar(solution.dt, -TAU * frequency * solution.time(i));
        values.enumerate().map(|(i, value)| value * kernel(i)).sum()
    }

    /// S-parameters at the frequencies of the monitors, column of the excited port; none without ports.
    pub fn ports(&self, solution: &Solution) -> Vec<PortSpectrum> {
        let ports = &self.problem.sources.ports;
        if ports.is_empty() {
            return Vec::new();
        }
        let voltages: Vec<Vec<f64>> = (0..ports.len()).map(|port| self.voltage(solution, port)).collect();
        let (excited, resistance) = (solution.excited, ports[solution.excited].resistance);
        let at = |&frequency: &f64| {
            let source = self.problem.pulse.spectrum(frequency);
            let s: Vec<Complex64> = ports
                .iter()
                .zip(&voltages)
                .enumerate()
                .map(|(i, (port, voltage))| {
                    let v = self.transform(solution, voltage.iter().copied(), frequency) / source;
                    // The source V_s behind R_j sends a_j = V_s/(2√R_j); port i has b_i = V_i/√R_i − δ_ij a_j:
                    // S_ij = b_i/a_j = 2 (V_i/V_s) √(R_j/R_i) − δ_ij.
                    if i == excited { 2.0 * v - 1.0 } else { 2.0 * v * (resistance / port.resistance).sqrt() }
                })
                .collect();
            let reflected = s[excited];
            PortSpectrum {
                frequency,
                impedance: resistance * (1.0 + reflected) / (1.0 - reflected),
                s,
                accepted_power: self.available_power(solution, frequency) * (1.0 - reflected.norm_sqr()),
            }
        };
        self.problem.monitors.frequencies.iter().map(at).collect()
    }

    /// Available power of the source of the excited port, W: |V_s|²/8R, for peak values.
    pub(crate) fn available_power(&self, solution: &Solution, frequency: f64) -> f64 {
        let resistance = self.problem.sources.ports[solution.excited].resistance;
        self.problem.pulse.spectrum(frequency).norm_sqr() / (8.0 * resistance)
    }

    /// Reflection coefficient of the excited port, at any frequencies within the spectrum of the pulse; none without ports.
    pub fn reflection(&self, solution: &Solution, frequencies: &[f64]) -> Vec<Complex64> {
        if self.problem.sources.ports.is_empty() {
            return Vec::new();
        }
        let voltage = self.voltage(solution, solution.excited);
        let at = |&frequency: &f64| {
            let v = self.transform(solution, voltage.iter().copied(), frequency);
            2.0 * v / self.problem.pulse.spectrum(frequency) - 1.0
        };
        frequencies.par_iter().map(at).collect()
    }

    /// Frequency with the smallest reflection at the excited port, Hz; none if it is not inside of the band of the monitors.
    pub fn best_match(&self, solution: &Solution) -> Option<f64> {
        let within = |frequencies: Vec<f64>| -> Option<[f64; 3]> {
            let back: Vec<f64> =
                self.reflection(solution, &frequencies).iter().map(Complex64::norm_sqr).collect();
            let best = (0..back.len()).min_by(|a, b| back[*a].total_cmp(&back[*b]))?;
            (best > 0 && best + 1 < back.len())
                .then(|| [-1, 0, 1].map(|i| frequencies[best.wrapping_add_signed(i)]))
        };
        // Twice, the second time between the neighbors of the best: the curve is smooth on the scale of a thousandth of its band.
        let [low, _, high] = within(band(&self.problem.monitors.frequencies))?;
        within(band(&[low, high])).map(|[_, best, _]| best)
    }

    /// Nodes on the surface of a volume, or of all conductors outside of PMLs, m.
    pub fn surface_nodes(&self, volume: Option<&str>) -> Vec<[f64; 3]> {
        let domain = &self.domain;
        // Faces between the named volume and anything else; outer faces have no neighbor.
        let on = |tet: usize, face: usize| match volume {
            Some(name) => {
                let behind = domain.faces.neighbors[tet][face].map(|n| domain.volume_name(n.tet as usize));
                domain.volume_name(tet) == name && behind != Some(name)
            }
            None => domain.conditions[tet][face].is_conductor() && !domain.in_pml(tet),
        };
        let mut nodes = Vec::new();
        for (tet, face) in (0..domain.mesh.tets.len()).flat_map(|tet| (0..4).map(move |face| (tet, face))) {
            if on(tet, face) {
                let shape = Shape::of(&domain.mesh, tet);
                let edges = TET_EDGES.iter().zip(shape.middles).filter(|(edge, _)| !edge.contains(&face));
                nodes.extend(domain.mesh.face_corners(tet, face));
                // Mid-edge nodes of straight elements are on chords.
                nodes.extend(edges.filter(|_| shape.curved).map(|(_, middle)| middle.to_array()));
            }
        }
        nodes
    }

    /// Normalization of spectra: one over that of the pulse for a plane wave, so that they are per 1 V/m.
    pub(crate) fn normalization(&self, frequency: usize) -> Complex64 {
        match self.problem.sources.plane_wave {
            Some(_) => self.problem.pulse.spectrum(self.problem.monitors.frequencies[frequency]).inv(),
            None => Complex64::new(1.0, 0.0),
        }
    }

    /// The medium around the near-to-far-field surface.
    pub fn far_medium(&self) -> Material {
        let first = self.monitors.far.first();
        first.map_or(Material::VACUUM, |face| self.domain.material(face.tet as usize).clone())
    }
}
