//! The entries of the matrix for targets on a cell or near it.

use crate::cell::{Cell, Rules};
use crate::close::Close;
use crate::layers::{CloseLayers, Layers, Wanted};
use crate::layout::Density;
use crate::moments;
use crate::neighbors::Neighbors;
use crate::problem::{Lcn, Method, Moments, Problem};
use crate::system::System;
use crate::wave::Medium;
use num_complex::Complex64;
use phasefront_core::constants::EXP_EULER;
use rayon::prelude::*;
use std::f64::consts::FRAC_2_PI;

const J: Complex64 = Complex64::new(0.0, 1.0);

/// Entries of the columns of one cell and one kind of density, for some rows.
#[derive(Debug, Clone)]
pub(crate) struct NearGroup {
    /// First of the columns, as many as the order of the cells.
    pub column: usize,
    pub rows: Vec<usize>,
    /// For each row, its entries.
    pub values: Vec<Complex64>,
}

pub(crate) fn near_groups(system: &System<'_>, problem: &Problem) -> Vec<NearGroup> {
    match problem.method {
        Method::Pulse => pulse_diagonal(system),
        Method::Lcn(lcn) => {
            let neighbors = Neighbors::new(system.mesh);
            let outside = Medium::new(system.k.into());
            let insides: Vec<Option<Medium>> = (0..system.layout.blocks.len())
                .map(|block| system.interior_of(block).map(|inside| Medium::new(inside.k)))
                .collect();
            let (media, reach) = ((&outside, &insides[..]), problem.near_distance());
            let cells = (0..system.mesh.cells.len()).into_par_iter();
            let mut groups: Vec<NearGroup> = cells
                .flat_map_iter(|cell| groups_of_cell(system, lcn, reach, media, &neighbors, cell))
                .collect();
            // One after another they cover all columns.
            groups.sort_unstable_by_key(|group| group.column);
            groups
        }
    }
}

/// Z_mm = (kη w_m/4) {1 − j(2/π)[ln(γ k w_m/4) − 1]}, here for ηJ.
fn pulse_diagonal(system: &System<'_>) -> Vec<NearGroup> {
    let entry = |i: usize| {
        let w = system.mesh.w[i];
        let h = Complex64::new(1.0, -FRAC_2_PI * ((0.25 * EXP_EULER * system.k * w).ln() - 1.0));
        NearGroup { column: i, rows: vec![i], values: vec![0.25 * system.k * w * h] }
    };
    (0..system.len()).map(entry).collect()
}

fn groups_of_cell(
    system: &System<'_>,
    lcn: Lcn,
    reach: f64,
    (outside, insides): (&Medium, &[Option<Medium>]),
    neighbors: &Neighbors,
    index: usize,
) -> Vec<NearGroup> {
    let (mesh, order) = (system.mesh, lcn.order);
    let cell = &mesh.cells[index];
    let (source, first) = (&system.layout.blocks[cell.body], index * order);
    let mut groups: Vec<NearGroup> = (0..source.runs.len())
        .map(|run| NearGroup { column: source.unknown(run, first), rows: Vec::new(), values: Vec::new() })
        .collect();
    for node in neighbors.around(mesh, cell, first..first + order, reach * cell.length) {
        let own = (first..first + order).contains(&node).then(|| node - first);
        let target = Target::new(system, node, own);
        let interior = system.interior_of(cell.body).filter(|_| mesh.body[node] == cell.body);
        let wanted = target.wanted(system, cell.body);
        let outer = target.entries((&mesh.rules, cell), lcn.moments, outside, wanted);
        let inner = insides[cell.body]
            .as_ref()
            .filter(|_| interior.is_some())
            .map(|medium| target.entries((&mesh.rules, cell), lcn.moments, medium, wanted));
        let at = &system.layout.blocks[mesh.body[node]];
        for row in (0..at.runs.len()).map(|run| at.unknown(run, node)) {
            for (group, &density) in groups.iter_mut().zip(&source.runs) {
                group.rows.push(row);
                for i in 0..order {
                    // The static parts of 𝒯 on the two sides of a dielectric cancel.
                    let mut entry = System::outer(system.rows[row], density).combine(&outer.at(
                        i,
                        system.k.into(),
                        interior.is_none(),
                    ));
                    if let (Some(inside), Some(inner)) = (interior, &inner) {
                        let share = system.inner(inside, system.rows[row], density);
                        entry += share.combine(&inner.at(i, inside.k, false));
                    }
                    if own == Some(i) {
                        entry += system.jump(cell.body, system.rows[row], density);
                    }
                    group.values.push(entry);
                }
            }
        }
    }
    groups
}

/// A node as a target of a cell.
struct Target {
    point: Complex64,
    normal: Complex64,
    node: usize,
    /// Which node of the cell it is, if it is on it.
    own: Option<usize>,
}

/// Entries of the four operators for the nodes of a cell; the static part of 𝒯 apart, as in [`CloseLayers`].
#[derive(Default)]
pub(crate) struct Entries {
    pub s: Vec<Complex64>,
    pub d: Vec<Complex64>,
    pub dp: Vec<Complex64>,
    pub t: Vec<Complex64>,
    pub t_static: Vec<f64>,
}

impl Entries {
    fn at(&self, i: usize, k: Complex64, with_static: bool) -> Layers {
        let or_zero = |v: &Vec<Complex64>| v.get(i).copied().unwrap_or_default();
        let pole = self.t_static.get(i).filter(|_| with_static).map_or(Complex64::ZERO, |t| t / (J * k));
        Layers { s: or_zero(&self.s), d: or_zero(&self.d), dp: or_zero(&self.dp), t: or_zero(&self.t) + pole }
    }
}

impl Target {
    fn new(system: &System<'_>, node: usize, own: Option<usize>) -> Self {
        Self { point: system.point(node), normal: system.normal(node), node, own }
    }

    /// Which operators the rows at this target need of a block's densities.
    fn wanted(&self, system: &System<'_>, source: usize) -> Wanted {
        let at = &system.layout.blocks[system.mesh.body[self.node]];
        let rows = || (0..at.runs.len()).map(|run| system.rows[at.unknown(run, self.node)]);
        let (value, slope) = (rows().any(|r| r.value != 0.0), rows().any(|r| r.slope != 0.0));
        let has = |density| system.layout.blocks[source].run_of(density).is_some();
        let (single, double) = (has(Density::Single), has(Density::Double));
        Wanted { s: value && single, d: value && double, dp: slope && single, t: slope && double }
    }

    fn entries(
        &self,
        (rules, cell): (&Rules, &Cell),
        moments: Moments,
        medium: &Medium,
        wanted: Wanted,
    ) -> Entries {
        let on = self.own.map(|i| rules.coarse.nodes[i]);
        let offset = self.point - cell.middle;
        if moments != Moments::Split {
            return moments::entries(rules, cell, offset, on, medium, self.normal, wanted, moments);
        }
        let close = Close::new(rules, cell, offset, on);
        let fine = CloseLayers::new(rules, cell, &close, medium, self.normal, wanted);
        let statics: Vec<Complex64> = fine.t_static.iter().map(|&t| t.into()).collect();
        Entries {
            s: rules.to_coarse(&fine.s),
            d: rules.to_coarse(&fine.d),
            dp: rules.to_coarse(&fine.dp),
            t: rules.to_coarse(&fine.t),
            t_static: rules.to_coarse(&statics).iter().map(|t| t.re).collect(),
        }
    }
}
