//! The study: everything known before a device is chosen.

use crate::antenna_checks;
use crate::check;
use crate::curvature::{Interpolation, interpolate};
use crate::edges::{DiffractingEdge, EdgeDiffraction};
use crate::error::SbrError;
use crate::problem::{Antennas, Problem};
use crate::scene::Scene;
use crate::self_checks;
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;
use phasefront_device::{Backend, MemoryEstimate};

/// Area below which a beam is not clipped, as a fraction of a tube's area: 1/320 of a wavelength across for tubes of 0.1.
const NARROW_BEAM: f64 = 1.0 / 1024.0;

/// Bytes per triangle: vertices, facets and acceleration structures.
const TRIANGLE_BYTES: u64 = 1000;
/// Bytes per frequency of an aspect: its scattering matrix, and its row in tables and files as text.
const ASPECT_BYTES: u64 = 1000;
/// Bytes for beams being traced, independent of the problem.
const BEAM_BYTES: u64 = 64 << 20;

/// A validated problem with its acceleration structures and edges.
pub struct Study {
    /// The problem, with the mesh that rays see: curved surfaces are interpolated.
    pub problem: Problem,
    /// What interpolation did; none if the target has no curved surfaces, or is taken for its facets.
    pub interpolation: Option<Interpolation>,
    /// Warnings to read before trusting the result.
    pub warnings: Vec<String>,
    /// How far the result can be trusted, as known before the run; one that does not hold is a warning too.
    pub self_checks: Vec<SelfCheck>,
    pub(crate) scene: Scene,
    pub(crate) edges: EdgeDiffraction,
}

/// Validates a problem, interpolates curved surfaces, builds acceleration structures and finds diffracting edges.
pub fn prepare(mut problem: Problem) -> Result<Study, SbrError> {
    check::problem(&problem)?;
    let interpolation = interpolate(&mut problem);
    let scene = Scene::new(&problem.mesh, &check::materials_of_groups(&problem)?, problem.tracer);
    check::scene(&scene)?;
    antenna_checks::in_scene(&problem, &scene)?;
    let warnings = check::warnings(&problem, &scene);
    let edges = EdgeDiffraction::new(&problem, &scene, C0 / problem.highest_frequency());
    let mut self_checks = self_checks::self_checks(&problem, interpolation.as_ref());
    self_checks.extend(antenna_checks::self_checks(&problem, &scene));
    Ok(Study { problem, interpolation, warnings, self_checks, scene, edges })
}

impl Study {
    /// Wavelength at the highest frequency, m.
    pub fn shortest_wavelength(&self) -> f64 {
        C0 / self.problem.highest_frequency()
    }

    /// Width of a ray tube, m.
    pub fn tube_width(&self) -> f64 {
        self.problem.tube_width * self.shortest_wavelength()
    }

    /// Memory that a run on `backend` needs.
    pub fn memory(&self, backend: &Backend) -> MemoryEstimate {
        let Problem { aspects, antennas, frequencies, mesh, .. } = &self.problem;
        let pairs = aspects.len() + antennas.as_ref().map_or(0, Antennas::links);
        let results = (pairs as u64).saturating_mul(frequencies.len() as u64);
        let triangles = (mesh.triangles.len() as u64).saturating_mul(TRIANGLE_BYTES);
        // Saturating: a nonsensical case gives a huge estimate and a message, not an overflow.
        let host = results.saturating_mul(ASPECT_BYTES).saturating_add(triangles).saturating_add(BEAM_BYTES);
        MemoryEstimate { device: if backend.gpu().is_some() { host } else { 0 }, host }
    }

    /// The edges that diffract; none if edge diffraction is off.
    pub fn diffracting_edges(&self) -> Vec<DiffractingEdge> {
        self.edges.edges(&self.scene)
    }

    /// Area below which a beam is not clipped, m².
    pub(crate) fn narrow_beam_area(&self) -> f64 {
        NARROW_BEAM * self.tube_width().powi(2)
    }
}
