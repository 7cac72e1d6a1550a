//! The discrete system of integral equations at one frequency.
//!
//! Outside all bodies the scattered field is, with the layer operators of `layer_potentials.rs`,
//!
//! ```text
//! u = −𝒮σ + 𝒟μ,    (1/jk) ∂u/∂n = −𝒟'σ + 𝒯μ.
//! ```
//!
//! Each row requires a combination of the two traces of the total field just inside a conductor to vanish,
//! `dirichlet`·u + `neumann`·(1/jk) ∂u/∂n = 0: the EFIE, the MFIE or the CFIE, which is free of interior resonances
//! (Mautz and Harrington, AEÜ 32 (1978) 157). On a dielectric of wavenumber k₁, with p = μ_r (TM) or ε_r (TE), Müller's equations
//! add the representations of both sides so that the hypersingular parts cancel:
//!
//! ```text
//! u − (𝒟₀ − 𝒟₁) u + (𝒮₀ − p (k₀/k₁) 𝒮₁) σ = u_inc
//! ((1+p)/2) σ − (𝒯₀ − (k₁/k₀) 𝒯₁) u + (𝒟₀' − p 𝒟₁') σ = (1/jk₀) ∂u_inc/∂n
//! ```
//! (C. Müller, Foundations of the Mathematical Theory of Electromagnetic Waves, 1969, in two dimensions).

use crate::layer_potentials::LayerKernels;
use crate::layout::{Block, Density, Layout};
use crate::material::Material;
use crate::mesh::Mesh;
use crate::problem::{Equation, Method, Polarization};
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::constants::{ETA0, wavenumber};

/// Level of corner refinement from which on the CFIE is replaced by the Dirichlet condition alone.
///
/// The last cell at a corner cannot resolve the singular current there. In TM, the equation of the normal derivative interprets the
/// error as charge; in TE it is hypersingular, and rounding errors grow with the inverse of the cell length. The
/// Dirichlet condition has neither fault: with it the error of the TM echo width of a square of one wavelength is 2e-10 instead of
/// 3e-6. Each row holds for the exact solution by itself, so rows may enforce different conditions; and an interior field that
/// vanishes on part of the contour and satisfies an impedance condition on the rest has no resonance: its flux through the
/// contour is real, so both its value and its derivative vanish on that rest, and by Holmgren's theorem everywhere.
/// Of levels two, three and five, five preserved reciprocity best on ten triangles and squares with sides of 0.45 to 1.9
/// wavelengths (TM: 2e-10, 1e-10 and 9e-11 at worst); all but 1/32 of every side keeps the CFIE.
const DIRICHLET_FROM_LEVEL: usize = 5;

/// One row of the system: its collocation node and the weights of the two traces of the field there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub node: usize,
    /// Weight of the Dirichlet trace u.
    pub dirichlet: f64,
    /// Weight of the Neumann trace (1/jk) ∂u/∂n.
    pub neumann: f64,
}

/// The interior of a dielectric.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interior {
    pub block: usize,
    /// Wavenumber inside.
    pub k: Complex64,
    /// p of the equations above.
    pub ratio: Complex64,
}

/// Locally corrected entries for the columns of one cell and one kind of density.
#[derive(Debug, Clone)]
pub(crate) struct NearBlock {
    /// First of the columns, as many as the order of the cells.
    pub column: usize,
    /// Rows of near interactions.
    pub rows: Vec<usize>,
    /// For each row, its entries.
    pub values: Vec<Complex64>,
}

/// The system at one frequency: everything an engine needs to apply or to factor its matrix.
pub(crate) struct System<'a> {
    pub mesh: &'a Mesh,
    pub layout: &'a Layout,
    pub polarization: Polarization,
    /// Frequency, Hz.
    pub frequency: f64,
    /// Wavenumber outside.
    pub k: f64,
    pub rows: Vec<Row>,
    /// Node and kind of each column.
    pub columns: Vec<(usize, Density)>,
    pub interiors: Vec<Interior>,
    /// Near interactions, where Gauss quadrature fails; they replace the regular entries. In order of their columns, which they
    /// cover completely.
    pub near: Vec<NearBlock>,
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
    pub(crate) fn combine(&self, kernels: &LayerKernels) -> Complex64 {
        self.s * kernels.s + self.d * kernels.d + self.dp * kernels.dp + self.t * kernels.t
    }
}

impl<'a> System<'a> {
    /// Rows, columns and media; near interactions are left empty for `local_correction.rs` to fill in.
    pub(crate) fn new(study: &'a Study, frequency: f64) -> Self {
        let (problem, mesh, layout) = (&study.problem, &study.mesh, &study.layout);
        let k = wavenumber(frequency);
        let mut rows = Vec::with_capacity(layout.unknowns);
        let mut columns = Vec::with_capacity(layout.unknowns);
        let mut interiors = Vec::new();
        for (b, block) in layout.blocks.iter().enumerate() {
            // On dielectrics the Dirichlet rows come first, as u among the unknowns: the jump terms
            // are on the diagonal.
            for (dirichlet, neumann) in trace_weights(study, b) {
                // Only the CFIE has both weights; rows of the EFIE, the MFIE and Müller's equations
                // stay.
                let is_combined = dirichlet > 0.0 && neumann > 0.0;
                rows.extend(block.nodes.clone().map(|node| {
                    let level = mesh.cells[node / mesh.rules.order()].refinement_level;
                    if is_combined && level >= DIRICHLET_FROM_LEVEL {
                        Row { node, dirichlet: 1.0, neumann: 0.0 }
                    } else {
                        Row { node, dirichlet, neumann }
                    }
                }));
            }
            for &density in &block.densities {
                columns.extend(block.nodes.clone().map(|node| (node, density)));
            }
            if let Material::Dielectric(medium) = problem.bodies[b].material {
                // Continuous across the contour: (1/μ_r) ∂E_z/∂n in TM, (1/ε_r) ∂H_z/∂n in TE.
                let ratio = match problem.polarization {
                    Polarization::Tm => medium.mu_r,
                    Polarization::Te => medium.permittivity(frequency),
                };
                interiors.push(Interior { block: b, k: k * medium.index(frequency), ratio });
            }
        }
        let polarization = problem.polarization;
        Self { mesh, layout, polarization, frequency, k, rows, columns, interiors, near: Vec::new() }
    }

    /// Number of unknowns.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The interior of a block, if it is a dielectric.
    pub(crate) fn interior_of(&self, block: usize) -> Option<Interior> {
        self.interiors.iter().find(|i| i.block == block).copied()
    }

    /// Coefficients of the exterior operators in an entry.
    pub(crate) fn exterior(row: Row, density: Density) -> Coefficients {
        let [dirichlet, neumann, zero] = [row.dirichlet, row.neumann, 0.0].map(Complex64::from);
        match density {
            Density::Single => Coefficients { s: dirichlet, d: zero, dp: neumann, t: zero },
            Density::Double => Coefficients { s: zero, d: -dirichlet, dp: zero, t: -neumann },
        }
    }

    /// Coefficients of the interior operators in an entry of a dielectric's own block.
    pub(crate) fn interior(&self, interior: Interior, row: Row, density: Density) -> Coefficients {
        let zero = Complex64::ZERO;
        let (p, index) = (interior.ratio, interior.k / self.k);
        match density {
            Density::Single => {
                Coefficients { s: -p / index * row.dirichlet, d: zero, dp: -p * row.neumann, t: zero }
            }
            Density::Double => {
                Coefficients { s: zero, d: Complex64::from(row.dirichlet), dp: zero, t: index * row.neumann }
            }
        }
    }

    /// The term outside the integrals on the diagonal, from the jump relations of the layer potentials.
    pub(crate) fn jump(&self, block: usize, row: Row, density: Density) -> Complex64 {
        match (self.interior_of(block), density) {
            (None, Density::Single) => Complex64::from(0.5 * row.neumann),
            (None, Density::Double) => Complex64::from(0.5 * row.dirichlet),
            (Some(_), Density::Double) => Complex64::from(row.dirichlet),
            (Some(inside), Density::Single) => 0.5 * (1.0 + inside.ratio) * row.neumann,
        }
    }

    /// Right-hand side of a row for the wave e^{-jk(x cos a + y sin a)}: dirichlet·u + neumann·(1/jk) ∂u/∂n.
    pub(crate) fn incident(&self, row: Row, direction: f64) -> Complex64 {
        self.incident_at(row, self.point(row.node), self.normal(row.node), direction)
    }

    /// The same at any point of the contour, with the weights of `row`.
    pub(crate) fn incident_at(
        &self,
        row: Row,
        point: Complex64,
        normal: Complex64,
        direction: f64,
    ) -> Complex64 {
        let (sin, cos) = direction.sin_cos();
        // (1/jk) ∂u/∂n = −(n·â) u for a plane wave along â.
        let trace = row.dirichlet - row.neumann * (normal.re * cos + normal.im * sin);
        trace * Complex64::cis(-self.k * (point.re * cos + point.im * sin))
    }

    /// Weights of all unknowns in the far-field integral ∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds toward φ.
    pub(crate) fn far_field_weights(&self, phi: f64) -> Vec<Complex64> {
        let (sin, cos) = phi.sin_cos();
        let mesh = self.mesh;
        let weight = |&(i, density): &(usize, Density)| {
            // Quadrature weight times e^{jk r·ŝ}.
            let wave = Complex64::cis(self.k * (mesh.x[i] * cos + mesh.y[i] * sin)) * mesh.w[i];
            match density {
                Density::Single => wave,
                Density::Double => -(mesh.nx[i] * cos + mesh.ny[i] * sin) * wave,
            }
        };
        self.columns.iter().map(weight).collect()
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
    /// contour (TE). One value per node.
    pub(crate) fn electric_current(&self, solution: &[Complex64]) -> Vec<Complex64> {
        // σ = ηJ in TM, μ = −J in TE.
        let (density, scale) = match self.polarization {
            Polarization::Tm => (Density::Single, 1.0 / ETA0),
            Polarization::Te => (Density::Double, -1.0),
        };
        let of_block = |block: &'a Block| {
            let d = block.index_of(density).unwrap_or(0);
            block.nodes.clone().map(move |node| scale * solution[block.unknown(d, node)])
        };
        self.layout.blocks.iter().flat_map(of_block).collect()
    }
}

/// Dirichlet and Neumann weights of the rows of a block away from corners, one pair per density.
fn trace_weights(study: &Study, block: usize) -> Vec<(f64, f64)> {
    let problem = &study.problem;
    if study.layout.blocks[block].is_dielectric {
        return vec![(1.0, 0.0), (0.0, 1.0)];
    }
    let closed = problem.bodies[block].shape.is_closed();
    let is_pulse = matches!(problem.method, Method::Pulse);
    let efie = match problem.equation {
        Equation::Efie => 1.0,
        // The MFIE fails on open bodies, and pulses have the EFIE only.
        Equation::Auto if is_pulse || !closed => 1.0,
        Equation::Auto | Equation::Cfie => problem.cfie_weight,
        Equation::Mfie => 0.0,
    };
    // The tangential electric field is u itself (TM) or its normal derivative (TE).
    vec![match problem.polarization {
        Polarization::Tm => (efie, 1.0 - efie),
        Polarization::Te => (1.0 - efie, efie),
    }]
}
