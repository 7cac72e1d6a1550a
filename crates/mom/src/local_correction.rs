//! Local corrections of the Nyström method: the entries of near interactions, where the target lies on or near the source cell
//! and Gauss quadrature of the singular kernel fails (Canino et al., J. Comput. Phys. 146 (1998) 627).

use crate::cell::{Cell, Rules};
use crate::green::Medium;
use crate::layer_potentials::{CellEntries, OperatorSet};
use crate::layout::{Block, Density};
use crate::media::Media;
use crate::moments;
use crate::near_interactions::NearInteractions;
use crate::problem::{Lcn, Method, NearQuadrature, Problem};
use crate::singular_quadrature::SingularQuadrature;
use crate::study::Study;
use crate::system::{Interior, NearBlock, Row, System};
use num_complex::Complex64;
use phasefront_core::constants::EXP_EULER;
use rayon::prelude::*;
use std::f64::consts::FRAC_2_PI;

/// The system of a study at one frequency, with its near interactions.
pub(crate) fn assemble(study: &Study, frequency: f64) -> System<'_> {
    let mut system = System::new(study, frequency);
    system.near = match study.problem.method {
        Method::Pulse => pulse_diagonal(&system),
        Method::Lcn(lcn) => local_corrections(&system, &study.problem, lcn),
    };
    system
}

/// Z_mm = (kη w_m/4) {1 − j(2/π)[ln(γ k w_m/4) − 1]}, here for ηJ (Harrington, Field Computation by Moment Methods, section 3-2).
fn pulse_diagonal(system: &System<'_>) -> Vec<NearBlock> {
    let entry = |i: usize| {
        let w = system.mesh.w[i];
        // Mean of the small-argument form 1 − j(2/π) ln(γkr/2) over the cell.
        let h = Complex64::new(1.0, -FRAC_2_PI * ((0.25 * EXP_EULER * system.k * w).ln() - 1.0));
        NearBlock { column: i, rows: vec![i], values: vec![0.25 * system.k * w * h] }
    };
    (0..system.len()).map(entry).collect()
}

fn local_corrections(system: &System<'_>, problem: &Problem, lcn: Lcn) -> Vec<NearBlock> {
    let near_interactions = NearInteractions::new(system.mesh);
    let (media, distance) = (Media::new(system), problem.near_distance());
    let cells = (0..system.mesh.cells.len()).into_par_iter();
    let mut blocks: Vec<NearBlock> = cells
        .flat_map_iter(|cell| blocks_of_cell(system, lcn, distance, &media, &near_interactions, cell))
        .collect();
    // In this order they cover all columns one after another.
    blocks.sort_unstable_by_key(|block| block.column);
    blocks
}

fn blocks_of_cell(
    system: &System<'_>,
    lcn: Lcn,
    distance: f64,
    media: &Media,
    near_interactions: &NearInteractions,
    index: usize,
) -> Vec<NearBlock> {
    let (mesh, order) = (system.mesh, lcn.order);
    let cell = &mesh.cells[index];
    let (source, first) = (&system.layout.blocks[cell.body], index * order);
    let mut blocks: Vec<NearBlock> = (0..source.densities.len())
        .map(|d| NearBlock { column: source.unknown(d, first), rows: Vec::new(), values: Vec::new() })
        .collect();
    for node in near_interactions.near_nodes(mesh, cell, first..first + order, distance * cell.length) {
        // A node of the cell itself: the kernel is singular, and the target has an exact parameter.
        let own = (first..first + order).contains(&node).then(|| node - first);
        let target = Target::new(system, node, own);
        // The interior medium couples nodes of one dielectric only.
        let interior = system.interior_of(cell.body).filter(|_| mesh.body[node] == cell.body);
        // Operators that no row at this target uses are not integrated.
        let at = &system.layout.blocks[mesh.body[node]];
        let rows: Vec<Row> = (0..at.densities.len()).map(|d| system.rows[at.unknown(d, node)]).collect();
        let needed = needed(&rows, source);
        let outside = target.entries((&mesh.rules, cell), lcn.near_quadrature, &media.exterior, needed);
        let inside = media
            .interior(cell.body)
            .filter(|_| interior.is_some())
            .map(|medium| target.entries((&mesh.rules, cell), lcn.near_quadrature, medium, needed));
        for row in (0..at.densities.len()).map(|d| at.unknown(d, node)) {
            for (block, &density) in blocks.iter_mut().zip(&source.densities) {
                block.rows.push(row);
                for i in 0..order {
                    let inside = interior.zip(inside.as_ref());
                    let mut entry = entry(system, (system.rows[row], density), &outside, inside, i);
                    // The jump relation acts at the target node alone.
                    if own == Some(i) {
                        entry += system.jump(cell.body, system.rows[row], density);
                    }
                    block.values.push(entry);
                }
            }
        }
    }
    blocks
}

/// The entry of node `i` of a cell in a row, without the jump: the exterior operators, and those of the interior if the row belongs to
/// the same dielectric.
pub(crate) fn entry(
    system: &System<'_>,
    (row, density): (Row, Density),
    outside: &CellEntries,
    inside: Option<(Interior, &CellEntries)>,
    i: usize,
) -> Complex64 {
    // The static parts of 𝒯 on the two sides of a dielectric cancel.
    let kernels = outside.node(i, system.k.into(), inside.is_none());
    let mut entry = System::exterior(row, density).combine(&kernels);
    if let Some((interior, inside)) = inside {
        let coefficients = system.interior(interior, row, density);
        entry += coefficients.combine(&inside.node(i, interior.k, false));
    }
    entry
}

/// The operators that rows need for the densities of a block.
pub(crate) fn needed(rows: &[Row], source: &Block) -> OperatorSet {
    let (dirichlet, neumann) =
        (rows.iter().any(|r| r.dirichlet != 0.0), rows.iter().any(|r| r.neumann != 0.0));
    let has = |density| source.index_of(density).is_some();
    let (single, double) = (has(Density::Single), has(Density::Double));
    OperatorSet {
        s: dirichlet && single,
        d: dirichlet && double,
        dp: neumann && single,
        t: neumann && double,
    }
}

/// A node as the target of a cell.
struct Target {
    point: Complex64,
    normal: Complex64,
    /// Its index among the nodes of the cell, if it is one of them.
    own: Option<usize>,
}

impl Target {
    fn new(system: &System<'_>, node: usize, own: Option<usize>) -> Self {
        Self { point: system.point(node), normal: system.normal(node), own }
    }

    fn entries(
        &self,
        (rules, cell): (&Rules, &Cell),
        near_quadrature: NearQuadrature,
        medium: &Medium,
        needed: OperatorSet,
    ) -> CellEntries {
        let on = self.own.map(|i| rules.coarse.nodes[i]);
        let offset = self.point - cell.midpoint;
        // Adaptive quadrature, independent of the product rules below.
        if near_quadrature != NearQuadrature::Product {
            return moments::entries(rules, cell, offset, on, medium, self.normal, needed, near_quadrature);
        }
        let quadrature = SingularQuadrature::new(rules, cell, offset, on);
        CellEntries::at_fine_points(rules, cell, &quadrature, medium, self.normal, needed)
            .interpolation_transpose(rules)
    }
}
