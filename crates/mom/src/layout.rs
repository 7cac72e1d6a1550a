//! The unknowns: which layer densities each body has, and their indices in the system.

use crate::material::Material;
use crate::mesh::Mesh;
use crate::problem::{Polarization, Problem};
use std::ops::Range;

/// The unknowns of one body: on a conductor one per node, on a dielectric the field at all nodes, followed by its
/// normal derivative at all nodes.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Its nodes.
    pub nodes: Range<usize>,
    /// Its cells.
    pub cells: Range<usize>,
    /// Its unknowns.
    pub unknowns: Range<usize>,
    /// The layer densities, each with one unknown per node: one on conductors, two on dielectrics.
    pub densities: Vec<Density>,
    pub is_dielectric: bool,
}

/// Kind of layer density.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Density {
    /// A single layer σ with the field −jk ∫ G σ ds: ηJ (TM), or (1/jk) ∂u/∂n on a dielectric.
    Single,
    /// A double layer μ with the field ∫ μ ∂G/∂n' ds: the total field u, or its jump on an open conductor (TE).
    Double,
}

impl Block {
    /// Index of the unknown of `node` for the density number `d`.
    pub(crate) fn unknown(&self, d: usize, node: usize) -> usize {
        self.unknowns.start + d * self.nodes.len() + node - self.nodes.start
    }

    /// Index of a kind of density among those of the block.
    pub(crate) fn index_of(&self, density: Density) -> Option<usize> {
        self.densities.iter().position(|&d| d == density)
    }
}

/// All blocks, one per body, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub blocks: Vec<Block>,
    pub unknowns: usize,
    /// The block of each node.
    pub block_of: Vec<usize>,
}

impl Layout {
    pub(crate) fn new(problem: &Problem, mesh: &Mesh) -> Self {
        let order = mesh.rules.order();
        let mut layout = Self { blocks: Vec::new(), unknowns: 0, block_of: mesh.body.clone() };
        let mut cell = 0;
        for (i, body) in problem.bodies.iter().enumerate() {
            // Cells of a body are consecutive.
            let end = cell + mesh.cells[cell..].iter().take_while(|c| c.body == i).count();
            let densities = match (body.material, problem.polarization) {
                (Material::Conductor, Polarization::Tm) => vec![Density::Single],
                (Material::Conductor, Polarization::Te) => vec![Density::Double],
                // u, then σ: the order of the Dirichlet and Neumann rows.
                (Material::Dielectric(_), _) => vec![Density::Double, Density::Single],
            };
            let first = layout.unknowns;
            layout.unknowns += densities.len() * (end - cell) * order;
            layout.blocks.push(Block {
                nodes: cell * order..end * order,
                cells: cell..end,
                unknowns: first..layout.unknowns,
                is_dielectric: densities.len() == 2,
                densities,
            });
            cell = end;
        }
        layout
    }
}
