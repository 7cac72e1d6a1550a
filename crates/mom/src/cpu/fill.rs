//! The matrix: regular entries by Gauss quadrature in SIMD, tile by tile, then the local corrections.

use super::tiles::{Scratch, tiles};
use crate::error::MomError;
use crate::green::Medium;
use crate::layer_potentials;
use crate::layout::Density;
use crate::media::Media;
use crate::system::{Coefficients, Row, System};
use num_complex::{Complex, Complex64};
use phasefront_comm::{BlockCyclic, Cyclic};
use phasefront_core::simd::{Arch, vectorize};
use phasefront_core::{Progress, Real};
use rayon::prelude::*;
use std::ops::Range;

/// Fills the entries of a matrix that `layout` assigns to this process, column-major: all of them, or those of a rank.
pub(crate) fn fill<T: Real>(
    system: &System<'_>,
    arch: Arch,
    layout: &BlockCyclic,
    matrix: &mut [Complex<T>],
    progress: &Progress,
) -> Result<(), MomError> {
    let (BlockCyclic { rows, columns }, order) = (*layout, system.mesh.rules.order());
    let stage = progress.stage("fill", Some(columns.own_len() as u64), "columns");
    // On more ranks than blocks some have no entries.
    if matrix.is_empty() {
        return Ok(());
    }
    let (media, row_tiles) = (Media::new(system), row_tiles(system, rows));
    let columns: Vec<usize> = columns.own().flatten().collect();
    // A task fills the columns of a cell and density at least, which share their near block.
    let tasks = matrix.par_chunks_mut(rows.own_len()).zip(&columns).with_min_len(order);
    tasks.try_for_each_init(
        || Scratch::new(arch),
        |scratch, (entries, &column)| {
            progress.check()?;
            fill_column(system, (&media, &row_tiles), column, entries, scratch);
            // Near blocks cover all columns in order.
            let near = &system.near[column / order];
            for (row, values) in near.rows.iter().zip(near.values.chunks(order)) {
                if let Some(row) = rows.position(*row) {
                    entries[row] = T::complex_from_f64(values[column - near.column]);
                }
            }
            stage.advance(1);
            Ok(())
        },
    )
}

/// Consecutive rows with the same trace weights that fit into a tile.
struct RowTile {
    block: usize,
    row: Row,
    /// Where the first of them is stored.
    first: usize,
    nodes: Range<usize>,
}

/// The rows of this process in tiles.
fn row_tiles(system: &System<'_>, own: Cyclic) -> Vec<RowTile> {
    let block_of = &system.layout.block_of;
    // Trace weights change where corner refinement replaces the CFIE: within a tile they are constants of the loop.
    let continues = |a: &Row, b: &Row| {
        (a.node + 1, a.dirichlet, a.neumann) == (b.node, b.dirichlet, b.neumann)
            && block_of[a.node] == block_of[b.node]
    };
    let (mut all, mut first) = (Vec::new(), 0);
    for rows in own.own() {
        for same in system.rows[rows].chunk_by(continues) {
            let (row, start) = (same[0], same[0].node);
            for nodes in tiles(start..start + same.len()) {
                let next = first + nodes.len();
                all.push(RowTile { block: block_of[start], row, first, nodes });
                first = next;
            }
        }
    }
    all
}

/// Fills one column by Gauss quadrature; near interactions are replaced afterwards.
fn fill_column<T: Real>(
    system: &System<'_>,
    (media, row_tiles): (&Media, &[RowTile]),
    column: usize,
    entries: &mut [Complex<T>],
    scratch: &mut Scratch,
) {
    // By columns: the source is fixed, and targets are contiguous in SIMD vectors.
    let (source, density) = system.columns[column];
    let source_block = system.layout.block_of[source];
    for RowTile { block, row, first, nodes } in row_tiles {
        let entries = &mut entries[*first..first + nodes.len()];
        let tile = Tile { system, source, density, nodes: nodes.clone() };
        tile.exterior(*row, entries, scratch);
        // Interior operators couple the nodes of one dielectric only.
        if let (Some(medium), Some(interior), true) =
            (media.interior(*block), system.interior_of(*block), *block == source_block)
        {
            tile.interior(medium, system.interior(interior, *row, density), entries);
        }
    }
}

/// A source node and a tile of targets.
struct Tile<'a> {
    system: &'a System<'a>,
    source: usize,
    density: Density,
    nodes: Range<usize>,
}

impl Tile<'_> {
    /// Sets the entries of the exterior operators, whose wavenumber is real.
    fn exterior<T: Real>(&self, row: Row, entries: &mut [Complex<T>], scratch: &mut Scratch) {
        let (mesh, k) = (self.system.mesh, self.system.k);
        // Distances and Hankel functions in batches over the tile, then the combination.
        scratch.distances(self.system, k, self.system.point(self.source), &self.nodes);
        let scale = 0.25 * k * mesh.w[self.source];
        // TM-EFIE: 𝒮 alone needs H₀ alone, half the cost.
        if self.density == Density::Single && row.neumann == 0.0 {
            scratch.hankel_0();
            let (scale, [re0, im0, ..]) = (scale * row.dirichlet, &scratch.h);
            vectorize(
                scratch.arch,
                #[inline(always)]
                || {
                    for ((entry, re), im) in entries.iter_mut().zip(re0).zip(im0) {
                        *entry = T::complex_from_f64(Complex64::new(scale * re, scale * im));
                    }
                },
            );
            return;
        }
        scratch.hankel_01();
        vectorize(
            scratch.arch,
            #[inline(always)]
            || match self.density {
                Density::Single => self.single(scale, row, entries, scratch),
                Density::Double => self.double(scale, row, entries, scratch),
            },
        );
    }

    /// dirichlet 𝒮 + neumann 𝒟', times 4/k: dirichlet H₀ + j neumann (n·R)/r H₁.
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instruction set of its caller only if inlined"
    )]
    #[inline(always)]
    fn single<T: Real>(&self, scale: f64, row: Row, entries: &mut [Complex<T>], scratch: &Scratch) {
        let (mesh, k, [re0, im0, re1, im1]) = (self.system.mesh, self.system.k, &scratch.h);
        let (x0, y0) = (mesh.x[self.source], mesh.y[self.source]);
        for (i, entry) in entries.iter_mut().enumerate() {
            let t = self.nodes.start + i;
            let along = mesh.nx[t] * (mesh.x[t] - x0) + mesh.ny[t] * (mesh.y[t] - y0);
            // (n·R)/r with r = z/k: no second square root.
            let dipole = row.neumann * k * along / scratch.z[i];
            let (re, im) =
                (row.dirichlet * re0[i] - dipole * im1[i], row.dirichlet * im0[i] + dipole * re1[i]);
            *entry = T::complex_from_f64(Complex64::new(scale * re, scale * im));
        }
    }

    /// −dirichlet 𝒟 − neumann 𝒯, times 4/k: j dirichlet (n'·R)/r H₁ + neumann {n·n' H₁/z + (n·R)(n'·R)/r² (H₀ − 2H₁/z)}.
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instruction set of its caller only if inlined"
    )]
    #[inline(always)]
    fn double<T: Real>(&self, scale: f64, row: Row, entries: &mut [Complex<T>], scratch: &Scratch) {
        let (mesh, k, [re0, im0, re1, im1]) = (self.system.mesh, self.system.k, &scratch.h);
        let (x0, y0) = (mesh.x[self.source], mesh.y[self.source]);
        let (sx, sy) = (mesh.nx[self.source], mesh.ny[self.source]);
        for (i, entry) in entries.iter_mut().enumerate() {
            let t = self.nodes.start + i;
            let inverse = 1.0 / scratch.z[i];
            // R/r, the unit vector from source to target.
            let (rx, ry) = (k * (mesh.x[t] - x0) * inverse, k * (mesh.y[t] - y0) * inverse);
            let cos_source = sx * rx + sy * ry;
            let product = row.neumann * cos_source * (mesh.nx[t] * rx + mesh.ny[t] * ry);
            let parallel = row.neumann * (mesh.nx[t] * sx + mesh.ny[t] * sy) * inverse;
            let dipole = row.dirichlet * cos_source;
            // Coefficient of H₁ in −neumann 𝒯: n·n'/z − 2 (n·R)(n'·R)/(r² z).
            let h1 = parallel - 2.0 * inverse * product;
            let re = product * re0[i] + h1 * re1[i] - dipole * im1[i];
            let im = product * im0[i] + h1 * im1[i] + dipole * re1[i];
            *entry = T::complex_from_f64(Complex64::new(scale * re, scale * im));
        }
    }

    /// Adds the entries of the interior operators of a dielectric, whose wavenumber may be complex.
    fn interior<T: Real>(&self, medium: &Medium, coefficients: Coefficients, entries: &mut [Complex<T>]) {
        let system = self.system;
        for (entry, target) in entries.iter_mut().zip(self.nodes.clone()) {
            if target != self.source {
                // Scalar: k may be complex, and the SIMD Hankel functions take real arguments only.
                let separation = system.point(self.source) - system.point(target);
                let kernels = layer_potentials::kernels(
                    medium,
                    separation,
                    system.normal(target),
                    system.normal(self.source),
                );
                let value = coefficients.combine(&kernels) * system.mesh.w[self.source];
                // The sum is formed in double precision, and rounded once.
                *entry = T::complex_from_f64(T::complex_to_f64(*entry) + value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_correction::assemble;
    use crate::material::{Dielectric, Material};
    use crate::problem::{Body, Polarization, Problem};
    use crate::shape::Shape;
    use crate::study::prepare;
    use phasefront_core::simd::instruction_sets;
    use phasefront_device::cpu::norm_1;

    #[test]
    fn every_instruction_set_fills_the_same_matrix() {
        for polarization in [Polarization::Tm, Polarization::Te] {
            let study = prepare(Problem {
                bodies: vec![Body::conductor(Shape::Circle { center: [0.3, 0.0], radius: 1.0 })],
                frequencies: vec![3e8],
                propagation: vec![0.0],
                polarization,
                ..Problem::default()
            })
            .unwrap();
            let system = assemble(&study, 3e8);
            let n = system.len();
            let filled = |arch| {
                let mut matrix = vec![Complex64::ZERO; n * n];
                fill(&system, arch, &BlockCyclic::whole(n), &mut matrix, &Progress::silent()).unwrap();
                matrix
            };
            let scalar = filled(Arch::Scalar);
            let largest = norm_1(n, &scalar);
            for (name, arch) in instruction_sets() {
                let pairs = filled(arch).into_iter().zip(&scalar);
                let difference = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(difference < 1e-14 * largest, "{name}: {difference:e} of {largest:e}");
            }
        }
    }

    /// Ranks that own blocks of the matrix fill the same entries as one process, next to contacts of bodies and of densities too.
    #[test]
    fn parts_of_the_matrix_are_those_of_the_whole() {
        let glass = Material::Dielectric(Dielectric { loss_tangent: 0.04, ..Dielectric::lossless(2.5) });
        let body = |x, material| Body {
            material,
            ..Body::conductor(Shape::Circle { center: [x, 0.0], radius: 0.5 })
        };
        for polarization in [Polarization::Tm, Polarization::Te] {
            let study = prepare(Problem {
                bodies: vec![body(0.0, Material::Conductor), body(1.5, glass)],
                frequencies: vec![3e8],
                propagation: vec![0.0],
                polarization,
                ..Problem::default()
            })
            .unwrap();
            let system = assemble(&study, 3e8);
            let n = system.len();
            let filled = |layout: &BlockCyclic| {
                let mut matrix = vec![Complex64::ZERO; layout.own_len()];
                fill(&system, Arch::new(), layout, &mut matrix, &Progress::silent()).unwrap();
                matrix
            };
            let whole = filled(&BlockCyclic::whole(n));
            let largest = norm_1(n, &whole);
            // Blocks of 10 end within cells of 8 nodes; of 12 ranks in three rows and blocks of n, eleven have nothing.
            for (block, ranks) in [(10, 12), (64, 2), (n, 12)] {
                for rank in 0..ranks {
                    let own = BlockCyclic::on_ranks(n, block, ranks, rank);
                    let indices = own
                        .columns
                        .own()
                        .flatten()
                        .flat_map(|c| own.rows.own().flatten().map(move |r| c * n + r));
                    let pairs = filled(&own).into_iter().zip(indices.map(|index| whole[index]));
                    let difference = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                    assert!(
                        difference < 1e-14 * largest,
                        "{ranks} ranks, {block}: {difference:e} of {largest:e}"
                    );
                }
            }
        }
    }
}
