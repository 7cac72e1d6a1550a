//! The near field: Gauss quadrature in SIMD for far cells, near-singular quadrature for near ones.

use super::tiles::{Scratch, tiles};
use crate::error::MomError;
use crate::layout::Density;
use crate::media::Media;
use crate::near_field::Region;
use crate::system::System;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::simd::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// The field of `solution` at points in the given regions: scattered outside, total in a dielectric.
pub(crate) fn field(
    system: &System<'_>,
    arch: Arch,
    solution: &[Complex64],
    (points, regions): (&[Complex64], &[Region]),
    progress: &Progress,
) -> Result<Vec<Complex64>, MomError> {
    let stage = progress.stage("near", Some(points.len() as u64), "points");
    let media = Media::new(system);
    let field = |scratch: &mut Scratch, (point, region): (&Complex64, &Region)| {
        progress.check()?;
        stage.advance(1);
        let medium = media.at(region.inside);
        if medium.k.im != 0.0 {
            // The SIMD Hankel functions take real arguments only.
            let weights = system.field_weights(*point, region, medium);
            return Ok(weights.iter().zip(solution).map(|(w, x)| w * x).sum());
        }
        // Near cells by singular quadrature, all others by the Gauss rule.
        let near = system.near_cell_field(solution, *point, region, medium);
        Ok(near + far_cell_field(system, solution, *point, region, scratch))
    };
    points.par_iter().zip(regions).map_init(|| Scratch::new(arch), field).collect()
}

/// Field of all cells except the near ones at a point in a lossless medium, by Gauss quadrature.
fn far_cell_field(
    system: &System<'_>,
    solution: &[Complex64],
    point: Complex64,
    region: &Region,
    scratch: &mut Scratch,
) -> Complex64 {
    let (k, single, double) = system.representation(region.inside);
    let order = system.mesh.rules.order();
    let mut sum = Complex64::ZERO;
    for (b, block) in system.layout.blocks.iter().enumerate() {
        // Inside a dielectric only its own layers radiate.
        if region.inside.is_some_and(|inside| inside != b) {
            continue;
        }
        // Runs of cells between the near ones.
        let mut start = block.cells.start;
        let ends =
            region.near_cells.iter().copied().filter(|c| block.cells.contains(c)).chain([block.cells.end]);
        for end in ends {
            for nodes in tiles(start * order..end * order) {
                scratch.distances(system, k.re, point, &nodes);
                // Distances serve both densities of a dielectric.
                for (d, &density) in block.densities.iter().enumerate() {
                    let first = block.unknown(d, nodes.start);
                    let values = &solution[first..first + nodes.len()];
                    // 0.25 k H₀ is the kernel of 𝒮, −0.25 jk H₁ (n'·R)/r that of 𝒟; the sums below leave these factors out.
                    sum += match density {
                        Density::Single => {
                            scratch.hankel_0();
                            0.25 * k * single * single_layer(system, &nodes, values, scratch)
                        }
                        Density::Double => {
                            scratch.hankel_01();
                            let j_quarter = Complex64::new(0.0, -0.25);
                            j_quarter
                                * k
                                * double
                                * double_layer(system, k.re, point, &nodes, values, scratch)
                        }
                    };
                }
            }
            start = end + 1;
        }
    }
    sum
}

/// Σ H₀ w σ.
fn single_layer(
    system: &System<'_>,
    nodes: &Range<usize>,
    values: &[Complex64],
    scratch: &Scratch,
) -> Complex64 {
    let (w, [re, im, ..]) = (&system.mesh.w[nodes.clone()], &scratch.h);
    values.iter().enumerate().map(|(i, v)| w[i] * v * Complex64::new(re[i], im[i])).sum()
}

/// Σ H₁ (n'·R)/r w μ.
fn double_layer(
    system: &System<'_>,
    k: f64,
    point: Complex64,
    nodes: &Range<usize>,
    values: &[Complex64],
    scratch: &Scratch,
) -> Complex64 {
    let (mesh, [_, _, re, im]) = (system.mesh, &scratch.h);
    let term = |(i, v): (usize, &Complex64)| {
        let t = nodes.start + i;
        let along = mesh.nx[t] * (point.re - mesh.x[t]) + mesh.ny[t] * (point.im - mesh.y[t]);
        mesh.w[t] * k * along / scratch.z[i] * v * Complex64::new(re[i], im[i])
    };
    values.iter().enumerate().map(term).sum()
}
