//! The equation system at one frequency.
//!
//! Outside all bodies the scattered field is, with the layer operators of `layers.rs`,
//!
//! ```text
//! u = −𝒮σ + 𝒟μ,    (1/jk) ∂u/∂n = −𝒟'σ + 𝒯μ.
//! ```
//!
//! Each row asks for `value`·u + `slope`·(1/jk) ∂u/∂n of the total field just inside a conductor to vanish: the electric or
//! magnetic field equation or a combination. On a dielectric of wavenumber k₁, with p = μ_r (TM) or ε_r (TE), Müller's
//! equations add the representations of both sides so that the strongest singularities cancel:
//!
//! ```text
//! u − (𝒟₀ − 𝒟₁) u + (𝒮₀ − p (k₀/k₁) 𝒮₁) σ = u_inc
//! ((1+p)/2) σ − (𝒯₀ − (k₁/k₀) 𝒯₁) u + (𝒟₀' − p 𝒟₁') σ = (1/jk₀) ∂u_inc/∂n
//! ```
//! (C. Müller, Foundations of the Mathematical Theory of Electromagnetic Waves, 1969, in two dimensions).

use crate::layers::Layers;
use crate::layout::{Block, Density, Layout};
use crate::material::Material;
use crate::mesh::Mesh;
use crate::near::{NearGroup, near_groups};
use crate::problem::{Equation, Method, Polarization, Study};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;

/// Halvings towards a corner from which on the combined equation is left for that of the field alone.
///
/// The last cell at a corner cannot follow the current there. In TM, the equation of the normal derivative takes what it gets
/// wrong for a share of its charge; in TE it is hypersingular, and rounding grows with the inverse of the cell. The
/// equation of the field has neither fault: with it the TM echo width of a square of one wavelength is right to 2e-10 in place of
/// 3e-6. Each row holds for the exact solution by itself, so rows need not all ask for the same; and a field inside that
/// vanishes on part of the outline and obeys an impedance condition on the rest has no resonance: its flux through the
/// outline is real, so both its value and its derivative vanish on that rest, and by Holmgren's theorem everywhere.
/// Of two, three and five halvings, five kept reciprocity best on ten triangles and squares with sides of 0.45 to 1.9
/// wavelengths (TM: 2e-10, 1e-10 and 9e-11 at worst); all but a thirty-second of every side keeps the combination.
const FIELD_ALONE_FROM: usize = 5;

/// One row of the system: its node and what it asks of the field there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub node: usize,
    /// Share of the field.
    pub value: f64,
    /// Share of (1/jk) times its normal derivative.
    pub slope: f64,
}

/// The inside of a dielectric.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interior {
    pub block: usize,
    /// Wavenumber inside.
    pub k: Complex64,
    /// p of the equations above.
    pub ratio: Complex64,
}

/// The system at one frequency, but for its matrix.
pub(crate) struct System<'a> {
    pub mesh: &'a Mesh,
    pub layout: &'a Layout,
    pub polarization: Polarization,
    /// Wavenumber outside.
    pub k: f64,
    pub rows: Vec<Row>,
    /// Node and kind of each column.
    pub columns: Vec<(usize, Density)>,
    pub interiors: Vec<Interior>,
    /// The entries that quadrature cannot give; they replace the far ones.
    pub near: Vec<NearGroup>,
}

/// Weights of the four layer operators in an entry of the matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coefficients {
    pub s: Complex64,
    pub d: Complex64,
    pub dp: Complex64,
    pub t: Complex64,
}

impl Coefficients {
    pub(crate) fn combine(&self, layers: &Layers) -> Complex64 {
        self.s * layers.s + self.d * layers.d + self.dp * layers.dp + self.t * layers.t
    }
}

impl<'a> System<'a> {
    pub(crate) fn new(study: &'a Study, frequency: f64) -> Self {
        let (problem, mesh, layout) = (&study.problem, &study.mesh, &study.layout);
        let k = wavenumber(frequency);
        let mut rows = Vec::with_capacity(layout.unknowns);
        let mut columns = Vec::with_capacity(layout.unknowns);
        let mut interiors = Vec::new();
        for (b, block) in layout.blocks.iter().enumerate() {
            for (value, slope) in shares(study, b) {
                let is_combined = value > 0.0 && slope > 0.0;
                rows.extend(block.nodes.clone().map(|node| {
                    let halvings = mesh.cells[node / mesh.rules.order()].halvings;
                    if is_combined && halvings >= FIELD_ALONE_FROM {
                        Row { node, value: 1.0, slope: 0.0 }
                    } else {
                        Row { node, value, slope }
                    }
                }));
            }
            for &density in &block.runs {
                columns.extend(block.nodes.clone().map(|node| (node, density)));
            }
            if let Material::Dielectric(medium) = problem.bodies[b].material {
                let ratio = match problem.polarization {
                    Polarization::Tm => Complex64::from(medium.mu_r),
                    Polarization::Te => medium.permittivity(frequency),
                };
                interiors.push(Interior { block: b, k: k * medium.index(frequency), ratio });
            }
        }
        let mut system = Self {
            mesh,
            layout,
            polarization: problem.polarization,
            k,
            rows,
            columns,
            interiors,
            near: Vec::new(),
        };
        system.near = near_groups(&system, problem);
        system
    }

    /// Order of the system.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The inside of a block, if it has one.
    pub(crate) fn interior_of(&self, block: usize) -> Option<Interior> {
        self.interiors.iter().find(|i| i.block == block).copied()
    }

    /// What the outer medium contributes to an entry.
    pub(crate) fn outer(row: Row, density: Density) -> Coefficients {
        let [value, slope, zero] = [row.value, row.slope, 0.0].map(Complex64::from);
        match density {
            Density::Single => Coefficients { s: value, d: zero, dp: slope, t: zero },
            Density::Double => Coefficients { s: zero, d: -value, dp: zero, t: -slope },
        }
    }

    /// What the inside of a dielectric contributes to an entry of its own block.
    pub(crate) fn inner(&self, interior: Interior, row: Row, density: Density) -> Coefficients {
        let zero = Complex64::ZERO;
        let (p, index) = (interior.ratio, interior.k / self.k);
        match density {
            Density::Single => {
                Coefficients { s: -p / index * row.value, d: zero, dp: -p * row.slope, t: zero }
            }
            Density::Double => {
                Coefficients { s: zero, d: Complex64::from(row.value), dp: zero, t: index * row.slope }
            }
        }
    }

    /// What stands before the integrals on the diagonal: the half that is left of a density when a layer is approached.
    pub(crate) fn jump(&self, block: usize, row: Row, density: Density) -> Complex64 {
        match (self.interior_of(block), density) {
            (None, Density::Single) => Complex64::from(0.5 * row.slope),
            (None, Density::Double) => Complex64::from(0.5 * row.value),
            (Some(_), Density::Double) => Complex64::from(row.value),
            (Some(inside), Density::Single) => 0.5 * (1.0 + inside.ratio) * row.slope,
        }
    }

    /// Right-hand side of a row for a wave e^{-jk(x cos a + y sin a)}: value + slope (1/jk) ∂/∂n of it.
    pub(crate) fn incident(&self, row: Row, direction: f64) -> Complex64 {
        let (sin, cos) = direction.sin_cos();
        let (mesh, i) = (self.mesh, row.node);
        let share = row.value - row.slope * (mesh.nx[i] * cos + mesh.ny[i] * sin);
        share * Complex64::cis(-self.k * (mesh.x[i] * cos + mesh.y[i] * sin))
    }

    /// Position of a node as a complex number.
    pub(crate) fn point(&self, node: usize) -> Complex64 {
        Complex64::new(self.mesh.x[node], self.mesh.y[node])
    }

    /// Normal at a node as a complex number.
    pub(crate) fn normal(&self, node: usize) -> Complex64 {
        Complex64::new(self.mesh.nx[node], self.mesh.ny[node])
    }

    /// The electric surface current n × H of a solution, A/m for a unit incident field: along z (TM), along the
    /// outline (TE). One value per node.
    pub(crate) fn electric_current(&self, solution: &[Complex64]) -> Vec<Complex64> {
        let (density, scale) = match self.polarization {
            Polarization::Tm => (Density::Single, 1.0 / phasefront_core::constants::ETA0),
            Polarization::Te => (Density::Double, -1.0),
        };
        let of_block = |block: &'a Block| {
            let run = block.run_of(density).unwrap_or(0);
            block.nodes.clone().map(move |node| scale * solution[block.unknown(run, node)])
        };
        self.layout.blocks.iter().flat_map(of_block).collect()
    }
}

/// Value and slope of the rows of a block away from corners, run by run.
fn shares(study: &Study, block: usize) -> Vec<(f64, f64)> {
    let problem = &study.problem;
    if study.layout.blocks[block].is_dielectric {
        return vec![(1.0, 0.0), (0.0, 1.0)];
    }
    let closed = problem.bodies[block].shape.is_closed();
    let is_pulse = matches!(problem.method, Method::Pulse);
    let electric = match problem.equation {
        Equation::Efie => 1.0,
        Equation::Auto if is_pulse || !closed => 1.0,
        Equation::Auto | Equation::Cfie => problem.cfie_weight,
        Equation::Mfie => 0.0,
    };
    // The electric field is the field itself (TM) or its normal derivative (TE).
    vec![match problem.polarization {
        Polarization::Tm => (electric, 1.0 - electric),
        Polarization::Te => (1.0 - electric, electric),
    }]
}
