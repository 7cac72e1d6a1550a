//! From time series and spectra to probes and surfaces.

use crate::geometry::Shape;
use crate::material::Material;
use crate::solve::Solution;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use phasefront_core::decibels::power_db;
use phasefront_mesh::TET_EDGES;
use std::f64::consts::TAU;

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

    /// The current into the model at a port at all steps, A: I of a wave port; (V_s − V)/R of a lumped one, where only the excited port has a
    /// source V_s.
    pub fn current(&self, solution: &Solution, port: usize) -> Vec<f64> {
        let ports = &self.problem.sources.ports;
        if let Some(resistance) = ports[port].resistance.filter(|_| !ports[port].shape.is_wave()) {
            let source = |i: usize| {
                if port == solution.excited { self.problem.pulse.at(solution.time(i)) } else { 0.0 }
            };
            let voltage = self.voltage(solution, port);
            return voltage.iter().enumerate().map(|(i, v)| (source(i) - v) / resistance).collect();
        }
        let before = ports[..port].iter().filter(|port| port.shape.is_wave()).count();
        let steps = solution.samples.chunks_exact(self.rows().max(1));
        steps.map(|row| row[6 * self.monitors.probes + ports.len() + before]).collect()
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

    /// Normalization of spectra: one over that of the pulse for incident fields, so that they are per 1 V/m of a plane wave, or for the near
    /// field of a file as it is.
    pub(crate) fn normalization(&self, frequency: usize) -> Complex64 {
        let sources = &self.problem.sources;
        if sources.plane_wave.is_some() || sources.near_field.is_some() {
            return self.problem.pulse.spectrum(self.problem.monitors.frequencies[frequency]).inv();
        }
        Complex64::new(1.0, 0.0)
    }

    /// The medium around the near-to-far-field surface.
    pub fn far_medium(&self) -> Material {
        let first = self.monitors.far.first();
        first.map_or(Material::VACUUM, |face| self.domain.material(face.tet as usize).clone())
    }
}
