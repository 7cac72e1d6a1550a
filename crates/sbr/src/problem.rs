//! What the solver takes.

use crate::check;
use crate::edges::Fringes;
use crate::error::SbrError;
use crate::material::Material;
use crate::scene::Scene;
use glam::DVec3;
use phasefront_core::constants::C0;
use phasefront_mesh::TriangleMesh;

/// A direction as seen from the target, in radians: θ from +z, φ from +x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// θ.
    pub theta: f64,
    /// φ.
    pub phi: f64,
}

impl Direction {
    /// From degrees.
    pub fn degrees(theta: f64, phi: f64) -> Self {
        Self { theta: theta.to_radians(), phi: phi.to_radians() }
    }

    /// The unit vectors r̂, θ̂ and φ̂.
    pub(crate) fn frame(self) -> [DVec3; 3] {
        let (sin_t, cos_t) = self.theta.sin_cos();
        let (sin_p, cos_p) = self.phi.sin_cos();
        [
            DVec3::new(sin_t * cos_p, sin_t * sin_p, cos_t),
            DVec3::new(cos_t * cos_p, cos_t * sin_p, -sin_t),
            DVec3::new(-sin_p, cos_p, 0.0),
        ]
    }
}

/// Where the transmitter and the receiver stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Towards the transmitter: the wave travels the other way.
    pub incident: Direction,
    /// Towards the receiver.
    pub observer: Direction,
}

impl Look {
    /// Transmitter and receiver in one place.
    pub fn monostatic(direction: Direction) -> Self {
        Self { incident: direction, observer: direction }
    }

    /// Whether transmitter and receiver are in one place.
    pub fn is_monostatic(&self) -> bool {
        self.incident == self.observer
    }
}

/// What bounds ray tubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tubes {
    /// The edges of the facets that they meet: beams, cut as often as need be.
    Adaptive,
    /// The rays of a grid; tubes whose corners leave different triangles are dropped.
    Paper,
}

/// Which fields of the exit aperture radiate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formulation {
    /// Both, by halves.
    Eh,
    /// The electric field alone.
    E,
    /// The magnetic field alone.
    H,
}

impl Formulation {
    /// Weights of the electric and of the magnetic field.
    pub(crate) fn weights(self) -> [f64; 2] {
        match self {
            Self::Eh => [1.0, 1.0],
            Self::E => [2.0, 0.0],
            Self::H => [0.0, 2.0],
        }
    }
}

/// What edges add to the rays: convex ones over which the surface of a bare conductor turns by
/// [`phasefront_mesh::SMOOTH_ANGLE`] or more, and rims of sheets. The mesh must be welded ([`phasefront_mesh::repair`]), or the
/// sides of its triangles are rims; edges of coated or dielectric faces add nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// Nothing.
    None,
    /// Fringe currents of the physical theory of diffraction, as if the faces of a wedge had no end.
    Ptd,
    /// The same, ending where the faces do.
    Truncated,
}

/// The tree that rays find their triangles with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracer {
    /// A wide tree of boxes.
    Bvh,
    /// The paper's kd-tree with ropes, and its single pass over all bounces.
    KdTree,
}

/// A radar target and what is asked about it. Mesh, frequencies and looks have no default: fill them in.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The target. Both sides of a sheet reflect; a closed body is looked at from outside.
    pub mesh: TriangleMesh,
    /// Materials of the mesh's groups by name; a group that is not here conducts.
    pub materials: Vec<(String, Material)>,
    /// Frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// Directions. Neighbors with the same incidence share their rays.
    pub looks: Vec<Look>,
    /// Most bounces of a ray; one gives physical optics.
    pub bounces: usize,
    /// Width of a ray tube in wavelengths of the highest frequency. Beams are as wide as the facets that they meet; those below a
    /// sixteenth of a tube's area are not cut, but go where the ray in their middle goes.
    pub tube: f64,
    /// What bounds them.
    pub tubes: Tubes,
    /// Which fields radiate.
    pub formulation: Formulation,
    /// What edges add.
    pub edges: Edges,
    /// The tree that rays find their triangles with.
    pub tracer: Tracer,
}

impl Default for Problem {
    fn default() -> Self {
        Self {
            mesh: TriangleMesh::default(),
            materials: Vec::new(),
            frequencies: Vec::new(),
            looks: Vec::new(),
            bounces: 5,
            tube: 0.1,
            tubes: Tubes::Adaptive,
            formulation: Formulation::Eh,
            edges: Edges::None,
            tracer: Tracer::Bvh,
        }
    }
}

/// A problem that passed its checks, with its mesh made ready for rays.
pub struct Study {
    /// What was asked.
    pub problem: Problem,
    /// What the user should know before trusting the answer.
    pub warnings: Vec<String>,
    pub(crate) scene: Scene,
    pub(crate) fringes: Fringes,
}

/// Checks a problem and sorts its triangles for the rays.
pub fn prepare(problem: Problem) -> Result<Study, SbrError> {
    check::problem(&problem)?;
    let scene = Scene::new(&problem.mesh, &check::materials_of_groups(&problem)?, problem.tracer);
    check::scene(&scene)?;
    let warnings = check::warnings(&problem, &scene);
    let fringes = Fringes::new(&problem, &scene, C0 / check::highest_frequency(&problem));
    Ok(Study { problem, warnings, scene, fringes })
}

impl Study {
    /// Wavelength at the highest frequency.
    pub fn shortest_wavelength(&self) -> f64 {
        C0 / check::highest_frequency(&self.problem)
    }

    /// Width of a ray tube, m.
    pub fn tube_width(&self) -> f64 {
        self.problem.tube * self.shortest_wavelength()
    }
}
