//! The accuracy of a discretization, measured: by how much the integral equations fail with every cell integrated again, on twice as many
//! points.
//!
//! With the failure r(s) for a unit wave, the far-field integral F is off by ∫ r ψ ds, with the densities ψ that answer to a wave from the
//! direction of observation; and the echo width, in proportion to |F|², by 2 |∫ r ψ ds|/|F|. Two parts of r add up:
//!
//! - r₁ at the nodes, where the equations were solved: the error of the quadrature.
//! - r₂ between the nodes: what the polynomials of the cells cannot represent, because cells are too long for the wave, for a gap or
//!   for a corner. It vanishes at the Gauss points of a cell, so that it is orthogonal to all but the highest Legendre terms ψ' of ψ.
//!
//! ψ is not known, but of the size and the smoothness of the solution x itself:
//!
//! ```text
//! δσ/σ = (2 / max |F|) Σ length (|r₁| |x| + |r₂| |x'|).
//! ```
//! The sum is over sampled cells: those with the largest |x'|, and others evenly along the contours.

use crate::cell::evaluate;
use crate::layer_potentials::CellEntries;
use crate::layout::{Block, Density};
use crate::legendre::polynomials;
use crate::local_correction::{entry, needed};
use crate::media::Media;
use crate::singular_quadrature::SingularQuadrature;
use crate::system::{Row, System};
use num_complex::Complex64;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Cells with the largest highest coefficients, and evenly spaced cells.
const WORST_CELLS: usize = 16;
const EVEN_CELLS: usize = 16;
/// Directions of observation among which the largest far-field integral is found, besides the forward direction.
const FAR_DIRECTIONS: usize = 24;

/// Estimate of the error of the echo width relative to its largest value, the largest over the given directions of incidence.
pub(crate) fn echo_width_error(
    system: &System<'_>,
    media: &Media,
    directions: &[f64],
    solutions: &[Vec<Complex64>],
) -> f64 {
    let highest = Highest::new(system);
    let of_cell =
        |&(cell, share): &(usize, f64)| failures(system, media, &highest, cell, share, directions, solutions);
    let zero = || vec![0.0; solutions.len()];
    let add = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a + b).collect();
    let failures: Vec<f64> = sample(system, &highest, solutions).par_iter().map(of_cell).reduce(zero, add);
    let integrals = largest_integrals(system, directions, solutions);
    let errors = failures.iter().zip(integrals).map(|(failure, integral)| 2.0 * failure / integral);
    // A NaN must not pass unnoticed.
    errors.fold(0.0, |a: f64, b| if a.is_nan() || a > b { a } else { b })
}

/// Largest far-field integral of each solution.
fn largest_integrals(system: &System<'_>, directions: &[f64], solutions: &[Vec<Complex64>]) -> Vec<f64> {
    let even = (0..FAR_DIRECTIONS).map(|i| TAU * i as f64 / FAR_DIRECTIONS as f64);
    let angles: Vec<f64> = even.chain(directions.iter().copied()).collect();
    let integrals = |&phi: &f64| {
        let weights = system.far_field_weights(phi);
        let integral =
            |x: &Vec<Complex64>| weights.iter().zip(x).map(|(w, x)| w * x).sum::<Complex64>().norm();
        solutions.iter().map(integral).collect::<Vec<f64>>()
    };
    let larger = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| a.max(b)).collect();
    angles.par_iter().map(integrals).reduce(|| vec![0.0; solutions.len()], larger)
}

/// The terms of the sum above for one cell that stands for a length of `share`, per solution.
fn failures(
    system: &System<'_>,
    media: &Media,
    highest: &Highest,
    cell: usize,
    share: f64,
    directions: &[f64],
    solutions: &[Vec<Complex64>],
) -> Vec<f64> {
    let nodes = &system.mesh.rules.coarse.nodes;
    let targets = |at: Vec<f64>| at.into_iter().map(|u| Target::new(system, media, cell, u)).collect();
    // The first node is near another cell, where quadrature is hardest.
    let at_nodes: Vec<Target> = targets(vec![nodes[0], nodes[nodes.len() / 2]]);
    let between: Vec<Target> = targets(points_between(nodes));
    let of_solution = |(&a, x): (&f64, &Vec<Complex64>)| {
        let (all, tail) = highest.sizes(system, cell, x);
        let failure = |targets: &[Target]| {
            let squares = targets.iter().map(|target| target.failure(system, a, x).powi(2));
            (squares.sum::<f64>() / targets.len() as f64).sqrt()
        };
        share * (failure(&at_nodes) * all + failure(&between) * tail)
    };
    directions.iter().zip(solutions).map(of_solution).collect()
}

/// Parameters between nodes: one in the middle and one near the end of a cell, where the polynomial that vanishes at the nodes is large.
fn points_between(nodes: &[f64]) -> Vec<f64> {
    let between = |i: usize| 0.5 * (nodes[i] + nodes[i + 1]);
    match nodes.len() {
        // A cell with a single node in its middle.
        1 => vec![-0.5, 0.5],
        2 => vec![between(0)],
        q => vec![between((q - 1) / 2), between(q - 2)],
    }
}

/// Indices of cells, each with the length of the contour that it stands for.
fn sample(system: &System<'_>, highest: &Highest, solutions: &[Vec<Complex64>]) -> Vec<(usize, f64)> {
    let cells = &system.mesh.cells;
    let all = || cells.iter().enumerate().map(|(c, cell)| (c, cell.length));
    if cells.len() <= WORST_CELLS + EVEN_CELLS {
        return all().collect();
    }
    let tail = |c: usize| {
        let squares = solutions.iter().map(|x| highest.sizes(system, c, x).1.powi(2));
        cells[c].length * squares.sum::<f64>()
    };
    let tails: Vec<f64> = (0..cells.len()).into_par_iter().map(tail).collect();
    let mut worst: Vec<usize> = (0..cells.len()).collect();
    worst.sort_by(|&a, &b| tails[b].total_cmp(&tails[a]));
    worst.truncate(WORST_CELLS);
    worst.sort_unstable();
    // The others share the rest of the contour, one sample in the middle of each part.
    let others = || all().filter(|(c, _)| worst.binary_search(c).is_err());
    let rest: f64 = others().map(|(_, length)| length).sum();
    let share = rest / EVEN_CELLS as f64;
    let (mut sampled, mut along): (Vec<_>, f64) =
        (worst.iter().map(|&c| (c, cells[c].length)).collect(), 0.0);
    for (c, length) in others() {
        let passed = |s: f64| (s / share + 0.5).floor();
        let count = passed(along + length) - passed(along);
        along += length;
        if count > 0.0 {
            sampled.push((c, count * share));
        }
    }
    sampled
}

/// The transform from the nodes of a cell to its highest Legendre coefficients, each with the mean square of its polynomial: first the
/// two highest, because a density that is even or odd about the middle lacks one of them, then the two below; one and one on cells of
/// low order.
struct Highest {
    transforms: [Vec<(Vec<f64>, f64)>; 2],
    /// For each block, whether its rows contain the hypersingular operator alone, as those of the TE-EFIE do.
    hypersingular: Vec<bool>,
}

impl Highest {
    fn new(system: &System<'_>) -> Self {
        let (rule, order) = (&system.mesh.rules.coarse, system.mesh.rules.order());
        let row = |m: usize| {
            let at = |(&u, w): (&f64, &f64)| w * polynomials(order, u)[m] * (m as f64 + 0.5);
            (rule.nodes.iter().zip(&rule.weights).map(at).collect(), 1.0 / (2 * m + 1) as f64)
        };
        let count = if order >= 4 { 2 } else { 1 };
        let below = order.saturating_sub(2 * count)..order - count;
        let is_hypersingular = |block: &Block| {
            let mut rows = system.rows[block.unknowns.clone()].iter();
            block.densities == [Density::Double] && rows.any(|row| row.neumann != 0.0)
        };
        Self {
            transforms: [(order - count..order).map(row).collect(), below.map(row).collect()],
            hypersingular: system.layout.blocks.iter().map(is_hypersingular).collect(),
        }
    }

    /// Root mean squares on a cell of the densities of a solution, and of the Legendre terms that the cell leaves out: the highest
    /// ones, A, continued as they fall from those below, B: A²/B, and A where they do not fall. The hypersingular operator amplifies
    /// high terms, and A itself comes closer to what is lost.
    fn sizes(&self, system: &System<'_>, cell: usize, solution: &[Complex64]) -> (f64, f64) {
        let (rule, order) = (&system.mesh.rules.coarse, system.mesh.rules.order());
        let block = &system.layout.blocks[system.mesh.cells[cell].body];
        let (mut all, mut terms) = (0.0, [0.0; 2]);
        for first in (0..block.densities.len()).map(|d| block.unknown(d, cell * order)) {
            let values = &solution[first..first + order];
            all += values.iter().zip(&rule.weights).map(|(x, w)| 0.5 * w * x.norm_sqr()).sum::<f64>();
            for (term, rows) in terms.iter_mut().zip(&self.transforms) {
                for (row, mean) in rows {
                    let coefficient: Complex64 = row.iter().zip(values).map(|(t, x)| t * x).sum();
                    *term += mean * coefficient.norm_sqr();
                }
            }
        }
        let [high, low] = terms.map(f64::sqrt);
        let falls = low > high && !self.hypersingular[system.mesh.cells[cell].body];
        (all.sqrt(), if falls { high * high / low } else { high })
    }
}

/// A point on a cell between its nodes, and the rows of the system there.
struct Target {
    point: Complex64,
    normal: Complex64,
    /// Each with the weights of all unknowns.
    rows: Vec<(Row, Vec<Complex64>)>,
}

impl Target {
    fn new(system: &System<'_>, media: &Media, index: usize, u: f64) -> Self {
        let (mesh, rules) = (system.mesh, &system.mesh.rules);
        let (order, home) = (rules.order(), &mesh.cells[index]);
        let at = &system.layout.blocks[home.body];
        let (offset, slope) = evaluate(&home.series, Complex64::from(u));
        // The tangent turned clockwise.
        let (point, normal) = (home.midpoint + offset, Complex64::new(slope.im, -slope.re) / slope.norm());
        let conditions: Vec<Row> =
            (0..at.densities.len()).map(|d| system.rows[at.unknown(d, index * order)]).collect();
        let mut rows: Vec<(Row, Vec<Complex64>)> =
            conditions.iter().map(|&row| (row, vec![Complex64::ZERO; system.len()])).collect();
        for (c, cell) in mesh.cells.iter().enumerate() {
            let source = &system.layout.blocks[cell.body];
            let needed = needed(&conditions, source);
            let on = (c == index).then_some(u);
            let quadrature = SingularQuadrature::new(rules, cell, point - cell.midpoint, on);
            let entries = |medium| {
                CellEntries::at_fine_points(rules, cell, &quadrature, medium, normal, needed)
                    .interpolation_transpose(rules)
            };
            let outside = entries(&media.exterior);
            // The interior medium couples the nodes of one dielectric only.
            let interior = system.interior_of(cell.body).filter(|_| cell.body == home.body);
            let inside = interior.and_then(|_| media.interior(cell.body)).map(entries);
            for (row, weights) in &mut rows {
                for (d, &density) in source.densities.iter().enumerate() {
                    for i in 0..order {
                        weights[source.unknown(d, c * order + i)] =
                            entry(system, (*row, density), &outside, interior.zip(inside.as_ref()), i);
                    }
                }
            }
        }
        // The jump acts on the densities at the point itself.
        for (row, weights) in &mut rows {
            for (d, &density) in at.densities.iter().enumerate() {
                let jump = system.jump(home.body, *row, density);
                for (i, t) in rules.interpolation_at(u).into_iter().enumerate() {
                    weights[at.unknown(d, index * order + i)] += jump * t;
                }
            }
        }
        Self { point, normal, rows }
    }

    /// |r|, over all rows.
    fn failure(&self, system: &System<'_>, direction: f64, solution: &[Complex64]) -> f64 {
        let of_row = |(row, weights): &(Row, Vec<Complex64>)| {
            let sum: Complex64 = weights.iter().zip(solution).map(|(w, x)| w * x).sum();
            (system.incident_at(*row, self.point, self.normal, direction) - sum).norm_sqr()
        };
        self.rows.iter().map(of_row).sum::<f64>().sqrt()
    }
}
