//! What the solver takes.

use crate::material::Material;
use crate::pulse::Pulse;
use phasefront_core::Precision;
use phasefront_mesh::TetMesh;

/// What a named surface of the mesh is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Boundary {
    /// A perfect electric conductor: a wall, or a sheet inside the mesh.
    Pec,
    /// A perfect magnetic conductor, on the outside only.
    Pmc,
    /// The first-order absorbing condition of Silver and Müller, on the outside only.
    Absorbing,
    /// A thin sheet with this resistance, Ω per square.
    Resistive(f64),
}

/// Where a plane wave comes into the mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Through a closed surface of the mesh: the total field is inside of it, the scattered field outside (TF/SF).
    Surface(String),
    /// On the conductors themselves: the whole mesh holds the scattered field.
    Conductors,
}

/// A plane wave of 1 V/m times the pulse, which arrives at the origin at the pulse's own time.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneWave {
    /// The way it travels, a unit vector.
    pub propagation: [f64; 3],
    /// Its electric field, a unit vector across it.
    pub polarization: [f64; 3],
    /// Where it comes in.
    pub entry: Entry,
}

/// A short current: J = moment δ(r − position) pulse(t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dipole {
    /// Where, m.
    pub position: [f64; 3],
    /// Current times length, A m.
    pub moment: [f64; 3],
}

/// The field of a port.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PortShape {
    /// A flat rectangle with an even field along this unit vector, from the one conductor to the other.
    Lumped {
        /// From minus to plus.
        along: [f64; 3],
    },
    /// The ring between two coaxial conductors, with a radial field from the inner one outwards.
    Coaxial {
        /// A point on the axis.
        center: [f64; 3],
        /// Radius of the inner conductor, m.
        inner: f64,
        /// Radius of the outer conductor, m.
        outer: f64,
    },
}

/// A voltage source with its resistance on a named surface, inside the mesh or on its outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// The surface.
    pub surface: String,
    /// Resistance of the source, Ω: the reference of the S-parameters.
    pub resistance: f64,
    /// Its field.
    pub shape: PortShape,
}

/// What drives the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sources {
    /// A plane wave.
    pub plane_wave: Option<PlaneWave>,
    /// Short currents.
    pub dipoles: Vec<Dipole>,
    /// Ports. One is driven with 1 V times the pulse, the others are loads.
    pub ports: Vec<Port>,
    /// Which one: its place in the list.
    pub driven: usize,
    /// Fields at the beginning.
    pub initial: Option<Initial>,
}

/// Fields that are there at the beginning, with H such that they go on as one wave or mode of vacuum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Initial {
    /// A mode of a box with conducting walls and a corner at the origin: E_x = a_x cos(k_x x) sin(k_y y) sin(k_z z), and so on round; H = 0.
    Mode {
        /// k, rad/m.
        k: [f64; 3],
        /// a, V/m, across k.
        a: [f64; 3],
    },
    /// A plane wave e cos(k·r).
    Wave {
        /// k, rad/m.
        k: [f64; 3],
        /// e, V/m, across k.
        e: [f64; 3],
    },
}

/// How neighbors are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flux {
    /// By characteristics: what does not fit is damped.
    Upwind,
    /// By means: nothing is damped. To check with.
    Central,
}

/// How layers named `pml*` absorb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PmlKind {
    /// With a frequency shift, so that nothing is left at zero frequency.
    Shifted,
    /// Uniaxial, as in the paper.
    Uniaxial,
}

/// How a stage is cut into GPU kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernels {
    /// One for everything.
    Fused,
    /// The paper's three: curl, surface, update.
    Split,
}

/// A rectangle on which fields are sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Name of its files.
    pub name: String,
    /// One corner, m.
    pub origin: [f64; 3],
    /// From there along the two sides, m.
    pub sides: [[f64; 3]; 2],
    /// Points along them.
    pub points: [usize; 2],
}

/// What is watched while the fields run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Monitors {
    /// Frequencies of spectra, far fields and currents, Hz.
    pub frequencies: Vec<f64>,
    /// The closed surface that the far field is computed from; with [`Entry::Conductors`] and none named, the conductors.
    pub far_surface: Option<String>,
    /// Whether the far field is wanted.
    pub far_field: bool,
    /// Places at which E and H are kept at every step, m.
    pub probes: Vec<[f64; 3]>,
    /// Rectangles on which spectra are kept.
    pub slices: Vec<Slice>,
    /// Whether spectra of the currents on all conductors are kept.
    pub currents: bool,
    /// Volume groups of which spectra are kept.
    pub volumes: Vec<String>,
    /// Times at which the fields of `snapshot_groups` are kept, s.
    pub snapshots: Vec<f64>,
    /// Volume groups of the snapshots; all when empty.
    pub snapshot_groups: Vec<String>,
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// When the energy is so far below its peak, dB; none to run until `time`.
    pub energy_db: Option<f64>,
    /// Or at this time, s.
    pub time: f64,
}

/// A mesh with materials and sources, and what is asked about it. Mesh, pulse and stop have no default: fill them in.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The mesh, in meters. Groups named `pml*` absorb.
    pub mesh: TetMesh,
    /// Materials of the volume groups by name. `air`, `vacuum` and `pml*` are vacuum unless they stand here.
    pub materials: Vec<(String, Material)>,
    /// What the surface groups are. Outer faces of layers that absorb need none.
    pub boundaries: Vec<(String, Boundary)>,
    /// Pairs of surfaces, translates of each other, that are joined.
    pub periodic: Vec<(String, String)>,
    /// What drives the fields.
    pub sources: Sources,
    /// How it goes in time.
    pub pulse: Pulse,
    /// The highest frequency for which the mesh must be fine enough, Hz.
    pub highest_frequency: f64,
    /// What is watched.
    pub monitors: Monitors,
    /// When the run ends.
    pub stop: Stop,
    /// Polynomial order in an element, 1 to 6.
    pub order: usize,
    /// Precision of the fields.
    pub precision: Precision,
    /// How neighbors are joined.
    pub flux: Flux,
    /// How `pml*` layers absorb.
    pub pml: PmlKind,
    /// Time step as a part of the largest stable one.
    pub courant: f64,
    /// How a stage is cut into GPU kernels.
    pub kernels: Kernels,
}

impl Default for Problem {
    fn default() -> Self {
        Self {
            mesh: TetMesh::default(),
            materials: Vec::new(),
            boundaries: Vec::new(),
            periodic: Vec::new(),
            sources: Sources::default(),
            pulse: Pulse::gaussian(1e9),
            highest_frequency: 1e9,
            monitors: Monitors::default(),
            stop: Stop { energy_db: Some(50.0), time: 100e-9 },
            order: 3,
            precision: Precision::Double,
            flux: Flux::Upwind,
            pml: PmlKind::Shifted,
            courant: 0.9,
            kernels: Kernels::Fused,
        }
    }
}
