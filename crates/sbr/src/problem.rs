//! The problem: a target, plane waves that illuminate it, aspects, and solver settings, in SI units.

use crate::antenna::Antenna;
use crate::material::Material;
use glam::DVec3;
use phasefront_mesh::{SMOOTH_ANGLE, TriangleMesh};

/// A direction from the target in spherical coordinates, radians: θ from +z, φ from +x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// θ.
    pub theta: f64,
    /// φ.
    pub phi: f64,
}

impl Direction {
    /// From angles in degrees.
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

/// An aspect: the directions of the transmitter and the receiver as seen from the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aspect {
    /// Toward the transmitter. The incident plane wave propagates along −r̂ of this direction.
    pub incident: Direction,
    /// Toward the receiver.
    pub observer: Direction,
}

impl Aspect {
    /// Monostatic: the transmitter and the receiver share a position.
    pub fn monostatic(direction: Direction) -> Self {
        Self { incident: direction, observer: direction }
    }

    /// Whether the aspect is monostatic; otherwise it is bistatic.
    pub fn is_monostatic(&self) -> bool {
        self.incident == self.observer
    }
}

/// Antennas at positions, in place of plane waves from directions.
#[derive(Debug, Clone, PartialEq)]
pub struct Antennas {
    /// Each sends a wave of its own.
    pub transmitters: Vec<Antenna>,
    /// Each receives every transmitter. None: each transmitter receives its own echo, as a monostatic radar does.
    pub receivers: Option<Vec<Antenna>>,
}

impl Antennas {
    /// The antennas that receive a transmitter.
    pub(crate) fn receivers_of(&self, transmitter: usize) -> Vec<&Antenna> {
        match &self.receivers {
            Some(receivers) => receivers.iter().collect(),
            None => vec![&self.transmitters[transmitter]],
        }
    }

    /// Number of pairs of transmitters and receivers.
    pub fn links(&self) -> usize {
        self.transmitters.len() * self.receivers.as_ref().map_or(1, Vec::len)
    }
}

/// How the incident plane wave is divided into ray tubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tubes {
    /// Adaptive beams, bounded by the facets that they hit
    /// and clipped exactly at edges and shadow boundaries.
    Beams,
    /// A uniform grid of rays. A tube whose corner rays leave the target from different triangles is discarded.
    RayGrid,
}

/// Which fields of the exit aperture radiate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formulation {
    /// Electric and magnetic equivalent currents, with equal weights.
    Eh,
    /// The electric field alone, doubled.
    E,
    /// The magnetic field alone, doubled.
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

/// Edge diffraction by the physical theory of diffraction (PTD): the fringe currents at convex edges of bare conductors with a
/// turn of [`Problem::edge_angle`] or more, and at the rims of sheets. The mesh must be welded
/// ([`phasefront_mesh::repair`]), or the sides of its triangles count as rims. Edges of coated or dielectric faces do not diffract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// No edge diffraction.
    None,
    /// Fringe currents (Ufimtsev) as equivalent edge currents (Michaeli) on wedges with infinite faces.
    Ptd,
    /// The same on wedges with finite faces: the fringe current is truncated at the end of each face (Johansen).
    Truncated,
}

/// How often a ray tube is reflected, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounces {
    /// Until no more than [`Bounces::NEGLIGIBLE`] of the power of the incident wave on the target is still bouncing, or
    /// [`Bounces::MAX_AUTO`] is reached.
    Auto,
    /// This number; 1 is physical optics.
    AtMost(usize),
}

impl Bounces {
    /// Share of the power that may be left without another bounce.
    pub const NEGLIGIBLE: f64 = 1e-4;
    /// Maximum number of bounces of [`Bounces::Auto`]: a cavity of square cross section that is twelve times as deep as wide sends
    /// a wave back after this number at 75 degrees from its axis.
    pub const MAX_AUTO: usize = LEVELS[LEVELS.len() - 1];

    /// Maximum numbers that are tried in turn, each for the incident waves that have more than a negligible power left after the one
    /// before. Most bodies need the first only; the memory of a beam on a GPU grows with it.
    pub(crate) fn levels(self) -> Vec<usize> {
        match self {
            Self::Auto => LEVELS.to_vec(),
            Self::AtMost(bounces) => vec![bounces],
        }
    }
}

const LEVELS: [usize; 3] = [8, 24, 96];

/// What the facets of a mesh stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// A curved surface, where facets meet at small angles one after the other: it is drawn through the vertices, and facets are divided
    /// until they follow it. Flat faces and edges of the body stay.
    Interpolated,
    /// Themselves.
    Facets,
}

/// The acceleration structure for ray-triangle intersection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracer {
    /// A bounding volume hierarchy (BVH) with eight children per node.
    Bvh,
    /// A kd-tree with ropes; a ray is traced over all of its bounces without returning to the root.
    KdTree,
}

/// A radar target and its illumination. Mesh, frequencies and aspects have no default.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The target. Both sides of an open sheet reflect; closed bodies reflect on the outside.
    pub mesh: TriangleMesh,
    /// What its facets stand for. Interpolation needs a welded mesh ([`phasefront_mesh::repair`]).
    pub surface: Surface,
    /// Materials by mesh group; groups without an entry are perfect electric conductors (PEC).
    pub materials: Vec<(String, Material)>,
    /// Frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// Aspects. Consecutive aspects with the same incident direction share their rays.
    pub aspects: Vec<Aspect>,
    /// Transmitters and receivers at positions, without aspects then.
    pub antennas: Option<Antennas>,
    /// Maximum number of bounces.
    pub bounces: Bounces,
    /// Width of a ray tube in wavelengths at the highest frequency. Beams are as wide as the facets that they hit; those with
    /// less than 1/1024 of a tube's area are not clipped but follow their central ray.
    pub tube_width: f64,
    /// How the incident wave is divided into tubes.
    pub tubes: Tubes,
    /// Which fields of the exit aperture radiate.
    pub formulation: Formulation,
    /// Edge diffraction.
    pub edges: Edges,
    /// Turn of the surface, radians, from which an edge of the mesh is one of the body: it diffracts and stays sharp. Edges below it are
    /// taken for chords of a curved surface.
    pub edge_angle: f64,
    /// The acceleration structure for ray-triangle intersection.
    pub tracer: Tracer,
}

impl Default for Problem {
    fn default() -> Self {
        Self {
            mesh: TriangleMesh::default(),
            surface: Surface::Interpolated,
            materials: Vec::new(),
            frequencies: Vec::new(),
            aspects: Vec::new(),
            antennas: None,
            bounces: Bounces::Auto,
            tube_width: 0.1,
            tubes: Tubes::Beams,
            formulation: Formulation::Eh,
            edges: Edges::None,
            edge_angle: SMOOTH_ANGLE,
            tracer: Tracer::Bvh,
        }
    }
}

impl Problem {
    /// The highest frequency, Hz.
    pub(crate) fn highest_frequency(&self) -> f64 {
        self.frequencies.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}
