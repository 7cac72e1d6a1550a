//! Input of the solver.

use crate::material::Material;
use crate::pulse::Pulse;
use crate::recorded_field::RecordedField;
use phasefront_core::Precision;
use phasefront_mesh::TetMesh;
use std::sync::Arc;

/// Boundary condition of a named surface of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Boundary {
    /// Perfect electric conductor (PEC): a wall, or a sheet inside the mesh.
    Pec,
    /// Perfect magnetic conductor (PMC), on the outer boundary only.
    Pmc,
    /// First-order absorbing boundary condition (Silver-Müller), on the outer boundary only.
    Absorbing,
    /// Resistive sheet, sheet resistance in Ω per square.
    ResistiveSheet(f64),
    /// A good conductor with skin effect: a wall, or a sheet inside the mesh that is many skin depths thick. In PMLs it is perfect.
    Conductor(Conductor),
    /// A perfect conductor under a thin layer: a wall, or a sheet inside the mesh with the layer on both sides.
    Coating(Coating),
}

/// A thin layer on a perfect conductor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coating {
    /// Thickness, m.
    pub thickness: f64,
    /// Relative permittivity.
    pub eps: f64,
    /// Relative permeability.
    pub mu: f64,
    /// Dielectric loss tangent, constant over the band.
    pub loss_tangent: f64,
}

/// A good conductor, much thicker than its skin depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conductor {
    /// Conductivity, S/m.
    pub conductivity: f64,
    /// Root mean square of its roughness, m.
    pub roughness: f64,
}

/// How the parts of a lumped element are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// One after the other.
    Series,
    /// Side by side.
    Parallel,
}

/// A resistor, an inductor, a capacitor, or several of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circuit {
    /// Ω.
    pub resistance: Option<f64>,
    /// H.
    pub inductance: Option<f64>,
    /// F.
    pub capacitance: Option<f64>,
    /// How they are connected.
    pub connection: Connection,
}

/// A lumped element on a flat rectangle from one conductor to another.
#[derive(Debug, Clone, PartialEq)]
pub struct LumpedElement {
    /// The surface.
    pub surface: String,
    /// From one conductor to the other, a unit vector.
    pub along: [f64; 3],
    /// What it is.
    pub circuit: Circuit,
}

/// A conducting wire that is thinner than the elements around it, along a polyline; closed if it ends where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct ThinWire {
    /// Name, by which ports refer to it.
    pub name: String,
    /// Vertices of its axis, m. An end on a conductor is connected to it.
    pub points: Vec<[f64; 3]>,
    /// Radius, m.
    pub radius: f64,
    /// Resistance per length, Ω/m.
    pub resistance: f64,
    /// Lumped elements in it.
    pub loads: Vec<WireLoad>,
}

/// A lumped element in series with a thin wire.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WireLoad {
    /// Distance from the first point along the wire, m.
    pub position: f64,
    /// What it is.
    pub circuit: Circuit,
}

/// How a plane wave is injected into the mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Injection {
    /// Total-field/scattered-field (TF/SF): through a closed surface of the mesh, with the total field inside and the scattered field
    /// outside.
    TfSf(String),
    /// Scattered-field formulation: on the surface of the conductors; the whole mesh holds the scattered field.
    ScatteredField,
}

/// A plane wave of 1 V/m times the pulse, which passes the origin at the pulse's own time.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneWave {
    /// Direction of propagation k̂, a unit vector.
    pub propagation: [f64; 3],
    /// Polarization: direction of E, a unit vector perpendicular to k̂.
    pub polarization: [f64; 3],
    /// How it is injected.
    pub injection: Injection,
}

/// A near field that another run has recorded, in place: its equivalent currents radiate at the frequencies of the monitors, which are
/// among its own.
#[derive(Debug, Clone, PartialEq)]
pub struct NearSource {
    /// E and H on a closed surface.
    pub recorded: Arc<RecordedField>,
    /// The TF/SF surface: around the recorded one, or beside it.
    pub surface: String,
}

/// Hertzian dipole: J = moment δ(r − position) pulse(t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dipole {
    /// Position, m.
    pub position: [f64; 3],
    /// Current times length, A m.
    pub moment: [f64; 3],
}

/// Mode field of a port.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PortShape {
    /// A flat rectangle with a uniform field along this unit vector, from one conductor to the other.
    Lumped {
        /// Direction of E for a positive voltage.
        along: [f64; 3],
    },
    /// The annulus between two coaxial conductors, with the radial field of the TEM mode.
    Coaxial {
        /// A point on the axis.
        center: [f64; 3],
        /// Radius of the inner conductor, m.
        inner: f64,
        /// Radius of the outer conductor, m.
        outer: f64,
    },
    /// The whole cross section of a guide or line on the outer boundary, behind which it goes on, with the field of one of its modes.
    Wave {
        /// Which mode, counted from 0: lines, then TE and TM modes by rising cut-off.
        mode: usize,
        /// Direction of E for a positive voltage, a unit vector; by default along the first axis that the mode has a field along. Of all modes
        /// of a surface that of the first.
        polarity: Option<[f64; 3]>,
        /// Distance of the reference plane of the S-parameters from the surface, into the model, m.
        shift: f64,
    },
    /// A gap in a thin wire, which the port names as its surface.
    Wire {
        /// Distance from the first point along the wire, m.
        position: f64,
    },
}

impl PortShape {
    /// Whether it is a gap in a thin wire.
    pub fn is_on_wire(&self) -> bool {
        matches!(self, Self::Wire { .. })
    }

    /// Whether it is a wave port.
    pub fn is_wave(&self) -> bool {
        matches!(self, Self::Wave { .. })
    }
}

/// The guide that continues a wave port behind its surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Guide {
    /// The surface of the port.
    pub surface: String,
    /// What the names of its volume groups begin with.
    pub volumes: String,
    /// What the names of those in its PML begin with.
    pub pml_volumes: String,
    /// The surface of the sheet with the impressed current.
    pub sheet: String,
    /// From the port to the sheet, along an axis, m.
    pub offset: [f64; 3],
    /// Coordinate along this axis at which its PML begins, m.
    pub pml_begin: f64,
    /// Thickness of its PML, m.
    pub pml_thickness: f64,
    /// Whether the port borders on an absorbing side, which the guide continues as a magnetic wall.
    pub on_absorbing: bool,
}

impl Guide {
    /// The axis that it runs along, and its sign.
    pub fn axis(&self) -> (usize, f64) {
        let axis = (0..3).max_by(|&a, &b| self.offset[a].abs().total_cmp(&self.offset[b].abs())).unwrap_or(0);
        (axis, self.offset[axis].signum())
    }

    /// Whether a volume group is part of it.
    pub fn holds(&self, volume: &str) -> bool {
        volume.starts_with(&self.volumes) || volume.starts_with(&self.pml_volumes)
    }
}

/// A port on a named surface: a voltage source with internal resistance, inside the mesh or on its boundary, or a mode of a guide. Several
/// modes of one guide are ports of one surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// The surface.
    pub surface: String,
    /// Internal resistance, Ω; of a wave port that of the S-parameters only. Their reference is the impedance of the mode if there is none.
    pub resistance: Option<f64>,
    /// Mode field.
    pub shape: PortShape,
}

/// Sources of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sources {
    /// A plane wave.
    pub plane_wave: Option<PlaneWave>,
    /// A recorded near field.
    pub near_field: Option<NearSource>,
    /// Hertzian dipoles.
    pub dipoles: Vec<Dipole>,
    /// Ports. One is excited with 1 V times the pulse, the others are terminated.
    pub ports: Vec<Port>,
    /// Surfaces of wave ports whose S-parameters are those of conductors, which these surfaces are, in place of modes: as many as the port has
    /// modes.
    pub terminals: Vec<(String, Vec<String>)>,
    /// Index of the excited port.
    pub excited: usize,
    /// Initial fields.
    pub initial: Option<Initial>,
}

impl Sources {
    /// The TF/SF surface, and its key in the case.
    pub fn injection_surface(&self) -> Option<(&str, &'static str)> {
        if let Some(source) = &self.near_field {
            return Some((&source.surface, "source.near_field.surface"));
        }
        match &self.plane_wave.as_ref()?.injection {
            Injection::TfSf(name) => Some((name, "source.plane_wave.surface")),
            Injection::ScatteredField => None,
        }
    }

    /// The key of a port in the case: the modes of one surface are one port there.
    pub fn port_path(&self, port: usize) -> String {
        let ports = &self.ports;
        let is_new = |i: usize| {
            !ports[i].shape.is_wave() || ports[..i].iter().all(|before| before.surface != ports[i].surface)
        };
        let first = |i: &usize| is_new(*i);
        // Of a later mode that of the first.
        let index = (0..=port).filter(first).count() - 1;
        format!("source.ports[{index}]")
    }
}

/// Initial fields, with H such that they evolve as one traveling wave or one mode of vacuum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Initial {
    /// A mode of a box with PEC walls and a corner at the origin: E_x = a_x cos(k_x x) sin(k_y y) sin(k_z z), cyclic in x, y, z; H = 0.
    Mode {
        /// k, rad/m.
        k: [f64; 3],
        /// a, V/m, perpendicular to k.
        a: [f64; 3],
    },
    /// A plane wave e cos(k·r).
    Wave {
        /// k, rad/m.
        k: [f64; 3],
        /// e, V/m, perpendicular to k.
        e: [f64; 3],
    },
}

/// Numerical flux between elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flux {
    /// Upwind flux: dissipates jumps between elements.
    Upwind,
    /// Central flux: conserves energy. For verification.
    Central,
}

/// Complex coordinate stretching of the volumes named `pml*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PmlKind {
    /// Complex-frequency-shifted (CFS), s = 1 + σ/(α + jω): also absorbs evanescent fields and static remainders (Roden and Gedney 2000).
    Cfs,
    /// Uniaxial, α = 0 (Gedney 1996).
    Uniaxial,
}

/// How a stage is divided into GPU kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernels {
    /// One fused kernel.
    Fused,
    /// Three kernels: curl, surface, update (Zhao, Chen and Yu 2016).
    Split,
}

/// Time steps of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeStepping {
    /// Local steps where they make the run clearly faster.
    Auto,
    /// One Runge-Kutta step for all elements, that of the smallest.
    Global,
    /// Clusters of elements with steps of 2^k of the shortest.
    Local,
}

/// A rectangle on which fields are sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Name, used for its files.
    pub name: String,
    /// First corner, m.
    pub origin: [f64; 3],
    /// The two sides from there, m.
    pub sides: [[f64; 3]; 2],
    /// Number of points along each side.
    pub points: [usize; 2],
}

/// A closed surface on which the near field is saved.
#[derive(Debug, Clone, PartialEq)]
pub enum NearField {
    /// A surface of the mesh, at the quadrature points of its faces.
    Surface(String),
    /// The sides of a box, wherever elements are.
    Box(NearBox),
}

/// A box along the axes. Each side is divided into equal rectangles with a point in the middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearBox {
    /// Corner with the smallest coordinates, m.
    pub from: [f64; 3],
    /// Opposite corner, m.
    pub to: [f64; 3],
    /// Number of rectangles along x, y and z.
    pub points: [usize; 3],
}

/// The elements of snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SnapshotExtent {
    /// All.
    #[default]
    All,
    /// Those of volume groups.
    Groups(Vec<String>),
    /// None but those that slices cut.
    Slices,
}

/// What is monitored during the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Monitors {
    /// Frequencies of spectra, far fields and currents, Hz.
    pub frequencies: Vec<f64>,
    /// The closed surface of the near-to-far-field transformation; with [`Injection::ScatteredField`] and none named, the conductors.
    pub far_surface: Option<String>,
    /// Whether the far field is computed.
    pub far_field: bool,
    /// The closed surface on which spectra of E and H are saved as equivalent currents.
    pub near_field: Option<NearField>,
    /// Points at which E and H are saved at every step, m.
    pub probes: Vec<[f64; 3]>,
    /// Rectangles on which spectra are saved.
    pub slices: Vec<Slice>,
    /// Whether spectra of the surface currents on all conductors are saved.
    pub currents: bool,
    /// Volume groups whose spectra are saved.
    pub volumes: Vec<String>,
    /// Times of the snapshots, s.
    pub snapshots: Vec<f64>,
    /// The elements whose fields they save, besides those that slices cut.
    pub snapshot_extent: SnapshotExtent,
    /// Whether the energy that each element dissipates numerically is summed up.
    pub dissipation: bool,
}

/// Stop criterion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Energy decay below the peak, dB; none to run until `time`.
    pub energy_db: Option<f64>,
    /// Latest time, s.
    pub time: f64,
}

/// A mesh with materials, sources and monitors. Mesh, pulse and stop have no meaningful default: set them.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The mesh, in meters. Volume groups named `pml*` are perfectly matched layers.
    pub mesh: TetMesh,
    /// Materials of the volume groups by name. `air`, `vacuum` and `pml*` are vacuum unless listed here.
    pub materials: Vec<(String, Material)>,
    /// Boundary conditions of the surface groups. Outer faces of PMLs need none.
    pub boundaries: Vec<(String, Boundary)>,
    /// Lumped elements.
    pub lumped: Vec<LumpedElement>,
    /// Wires thinner than the elements around them.
    pub thin_wires: Vec<ThinWire>,
    /// Pairs of periodic surfaces, translates of each other.
    pub periodic: Vec<(String, String)>,
    /// Surface groups on flat outer PEC walls that are symmetry planes, with the other half of the model behind them. Others are
    /// infinite ground planes for the far field; PMC walls are symmetry planes always.
    pub symmetry: Vec<String>,
    /// Guides behind wave ports, which [`crate::prepare`] adds to the mesh.
    pub guides: Vec<Guide>,
    /// Sources.
    pub sources: Sources,
    /// Their time dependence.
    pub pulse: Pulse,
    /// Highest frequency that the mesh must resolve, Hz.
    pub highest_frequency: f64,
    /// Monitors.
    pub monitors: Monitors,
    /// Stop criterion.
    pub stop: Stop,
    /// Polynomial order in an element, 1 to 6.
    pub order: usize,
    /// Precision of the fields.
    pub precision: Precision,
    /// Numerical flux.
    pub flux: Flux,
    /// Kind of PML.
    pub pml: PmlKind,
    /// Time step relative to the largest stable one.
    pub courant: f64,
    /// Time steps of the elements.
    pub time_stepping: TimeStepping,
    /// How a stage is divided into GPU kernels.
    pub kernels: Kernels,
}

impl Default for Problem {
    fn default() -> Self {
        Self {
            mesh: TetMesh::default(),
            materials: Vec::new(),
            boundaries: Vec::new(),
            lumped: Vec::new(),
            thin_wires: Vec::new(),
            periodic: Vec::new(),
            symmetry: Vec::new(),
            guides: Vec::new(),
            sources: Sources::default(),
            pulse: Pulse::gaussian(1e9),
            highest_frequency: 1e9,
            monitors: Monitors::default(),
            stop: Stop { energy_db: Some(50.0), time: 100e-9 },
            order: 3,
            precision: Precision::Double,
            flux: Flux::Upwind,
            pml: PmlKind::Cfs,
            courant: 0.9,
            time_stepping: TimeStepping::Auto,
            kernels: Kernels::Fused,
        }
    }
}

impl Problem {
    /// Middle of the frequencies of the monitors, or of the pulse, Hz.
    pub fn middle_frequency(&self) -> f64 {
        let frequencies = &self.monitors.frequencies;
        let low = frequencies.iter().copied().fold(f64::INFINITY, f64::min);
        let high = frequencies.iter().copied().fold(0.0, f64::max);
        if high > 0.0 { 0.5 * (low + high) } else { 0.5 * self.highest_frequency }
    }
}
