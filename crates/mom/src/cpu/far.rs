//! Far entries of the matrix, far sums and distant fields, many nodes at a time so that Hankel functions run in SIMD.

use crate::field::Place;
use crate::layers;
use crate::layout::Density;
use crate::system::{Coefficients, Row, System};
use crate::wave::Medium;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_core::simd::{Arch, vectorize};
use phasefront_core::special::hankel_batch::{hankel2_0_batch_on, hankel2_01_batch_on};
use std::ops::Range;

/// Nodes worked on together: their intermediate values stay in the first-level cache.
const TILE: usize = 256;

/// Distances kr and Hankel functions of one tile, and the instruction set that computes them.
pub(super) struct Scratch {
    arch: Arch,
    z: Vec<f64>,
    h: [Vec<f64>; 4],
}

impl Scratch {
    pub(super) fn new(arch: Arch) -> Self {
        Self { arch, z: Vec::new(), h: Default::default() }
    }

    /// kr from `point` to the nodes of a tile; 1 where a node is the point itself.
    fn distances(&mut self, system: &System<'_>, k: f64, point: Complex64, nodes: &Range<usize>) {
        let (x, y) = (&system.mesh.x[nodes.clone()], &system.mesh.y[nodes.clone()]);
        self.z.resize(nodes.len(), 0.0);
        self.h.iter_mut().for_each(|h| h.resize(nodes.len(), 0.0));
        let z = &mut self.z[..];
        vectorize(
            self.arch,
            #[inline(always)]
            || {
                for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
                    let (dx, dy) = (x - point.re, y - point.im);
                    let r = (dx * dx + dy * dy).sqrt();
                    *z = if r > 0.0 { k * r } else { 1.0 };
                }
            },
        );
    }

    fn hankel_0(&mut self) {
        let [re0, im0, ..] = &mut self.h;
        hankel2_0_batch_on(self.arch, &self.z, re0, im0);
    }

    fn hankel_01(&mut self) {
        let [re0, im0, re1, im1] = &mut self.h;
        hankel2_01_batch_on(self.arch, &self.z, re0, im0, re1, im1);
    }
}

/// The media of a system: outside, and each inside.
pub(super) struct Media {
    outside: Medium,
    insides: Vec<Medium>,
}

impl Media {
    pub(super) fn new(system: &System<'_>) -> Self {
        let insides = system.interiors.iter().map(|i| Medium::new(i.k)).collect();
        Self { outside: Medium::new(system.k.into()), insides }
    }

    /// The medium at a place.
    pub(super) fn at(&self, system: &System<'_>, place: &Place) -> &Medium {
        place.inside.and_then(|block| self.inside(system, block)).unwrap_or(&self.outside)
    }

    fn inside(&self, system: &System<'_>, block: usize) -> Option<&Medium> {
        system.interiors.iter().position(|i| i.block == block).map(|i| &self.insides[i])
    }
}

/// Rows that follow one another, ask for the same and fit into a tile.
pub(super) struct Stretch {
    block: usize,
    row: Row,
    /// The first of them.
    first: usize,
    nodes: Range<usize>,
}

/// All rows of a system, in stretches.
pub(super) fn stretches(system: &System<'_>) -> Vec<Stretch> {
    let mut all = Vec::new();
    for (b, block) in system.layout.blocks.iter().enumerate() {
        for run in 0..block.runs.len() {
            let first = block.unknown(run, block.nodes.start);
            let rows = &system.rows[first..first + block.nodes.len()];
            for alike in rows.chunk_by(|a, b| (a.value, a.slope) == (b.value, b.slope)) {
                let (row, start) = (alike[0], alike[0].node);
                all.extend(tiles(start..start + alike.len()).map(|nodes| {
                    let first = block.unknown(run, nodes.start);
                    Stretch { block: b, row, first, nodes }
                }));
            }
        }
    }
    all
}

fn tiles(nodes: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    nodes.clone().step_by(TILE).map(move |start| start..nodes.end.min(start + TILE))
}

/// Fills one column with the entries that Gauss points give; entries near the diagonal are replaced later.
pub(super) fn fill_column<T: Real>(
    system: &System<'_>,
    (media, stretches): (&Media, &[Stretch]),
    column: usize,
    entries: &mut [Complex<T>],
    scratch: &mut Scratch,
) {
    let (source, density) = system.columns[column];
    let home = system.layout.block_of[source];
    for Stretch { block, row, first, nodes } in stretches {
        let entries = &mut entries[*first..first + nodes.len()];
        let tile = Tile { system, source, density, nodes: nodes.clone() };
        tile.outer(*row, entries, scratch);
        if let (Some(medium), Some(inside), true) =
            (media.inside(system, *block), system.interior_of(*block), *block == home)
        {
            tile.inner(medium, system.inner(inside, *row, density), entries);
        }
    }
}

/// A source and a run of targets.
struct Tile<'a> {
    system: &'a System<'a>,
    source: usize,
    density: Density,
    nodes: Range<usize>,
}

impl Tile<'_> {
    /// Sets the entries of the outer medium, whose wavenumber is real.
    fn outer<T: Real>(&self, row: Row, entries: &mut [Complex<T>], scratch: &mut Scratch) {
        let (mesh, k) = (self.system.mesh, self.system.k);
        scratch.distances(self.system, k, self.system.point(self.source), &self.nodes);
        let scale = 0.25 * k * mesh.w[self.source];
        if self.density == Density::Single && row.slope == 0.0 {
            scratch.hankel_0();
            let (scale, [re0, im0, ..]) = (scale * row.value, &scratch.h);
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

    /// value 𝒮 + slope 𝒟', times 4/k: value H₀ + j slope (n·R)/r H₁.
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
            let dipole = row.slope * k * along / scratch.z[i];
            let (re, im) = (row.value * re0[i] - dipole * im1[i], row.value * im0[i] + dipole * re1[i]);
            *entry = T::complex_from_f64(Complex64::new(scale * re, scale * im));
        }
    }

    /// −value 𝒟 − slope 𝒯, times 4/k: j value (n'·R)/r H₁ + slope {n·n' H₁/z + (n·R)(n'·R)/r² (H₀ − 2H₁/z)}.
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
            let (rx, ry) = (k * (mesh.x[t] - x0) * inverse, k * (mesh.y[t] - y0) * inverse);
            let at_source = sx * rx + sy * ry;
            let product = row.slope * at_source * (mesh.nx[t] * rx + mesh.ny[t] * ry);
            let parallel = row.slope * (mesh.nx[t] * sx + mesh.ny[t] * sy) * inverse;
            let dipole = row.value * at_source;
            let h1 = parallel - 2.0 * inverse * product;
            let re = product * re0[i] + h1 * re1[i] - dipole * im1[i];
            let im = product * im0[i] + h1 * im1[i] + dipole * re1[i];
            *entry = T::complex_from_f64(Complex64::new(scale * re, scale * im));
        }
    }

    /// Adds the entries of the inside of a dielectric, whose wavenumber may be complex.
    fn inner<T: Real>(&self, medium: &Medium, share: Coefficients, entries: &mut [Complex<T>]) {
        let system = self.system;
        for (entry, target) in entries.iter_mut().zip(self.nodes.clone()) {
            if target != self.source {
                let away = system.point(self.source) - system.point(target);
                let kernels = layers::far(medium, away, system.normal(target), system.normal(self.source));
                let value = share.combine(&kernels) * system.mesh.w[self.source];
                *entry = T::complex_from_f64(T::complex_to_f64(*entry) + value);
            }
        }
    }
}

/// ∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds for each of the solutions, which follow one another.
pub(super) fn sums(system: &System<'_>, phi: f64, solutions: &[Complex64]) -> Vec<Complex64> {
    let (sin, cos) = phi.sin_cos();
    let mesh = system.mesh;
    let weight = |&(i, density): &(usize, Density)| {
        let wave = Complex64::cis(system.k * (mesh.x[i] * cos + mesh.y[i] * sin)) * mesh.w[i];
        match density {
            Density::Single => wave,
            Density::Double => -(mesh.nx[i] * cos + mesh.ny[i] * sin) * wave,
        }
    };
    let weights: Vec<Complex64> = system.columns.iter().map(weight).collect();
    solutions.chunks(weights.len()).map(|x| x.iter().zip(&weights).map(|(x, w)| x * w).sum()).collect()
}

/// Field at a point of all cells but the close ones, in a medium without losses.
pub(super) fn distant_field(
    system: &System<'_>,
    solution: &[Complex64],
    point: Complex64,
    place: &Place,
    scratch: &mut Scratch,
) -> Complex64 {
    let (k, single, double) = system.representation(place.inside);
    let order = system.mesh.rules.order();
    let mut sum = Complex64::ZERO;
    for (b, block) in system.layout.blocks.iter().enumerate() {
        if place.inside.is_some_and(|inside| inside != b) {
            continue;
        }
        // Runs of cells between the close ones.
        let mut start = block.cells.start;
        let ends = place.close.iter().copied().filter(|c| block.cells.contains(c)).chain([block.cells.end]);
        for end in ends {
            for nodes in tiles(start * order..end * order) {
                scratch.distances(system, k.re, point, &nodes);
                for (run, &density) in block.runs.iter().enumerate() {
                    let first = block.unknown(run, nodes.start);
                    let values = &solution[first..first + nodes.len()];
                    sum += match density {
                        Density::Single => {
                            scratch.hankel_0();
                            0.25 * k * single * monopoles(system, &nodes, values, scratch)
                        }
                        Density::Double => {
                            scratch.hankel_01();
                            let j_quarter = Complex64::new(0.0, -0.25);
                            j_quarter * k * double * dipoles(system, k.re, point, &nodes, values, scratch)
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
fn monopoles(
    system: &System<'_>,
    nodes: &Range<usize>,
    values: &[Complex64],
    scratch: &Scratch,
) -> Complex64 {
    let (w, [re, im, ..]) = (&system.mesh.w[nodes.clone()], &scratch.h);
    values.iter().enumerate().map(|(i, v)| w[i] * v * Complex64::new(re[i], im[i])).sum()
}

/// Σ H₁ (n'·R)/r w μ.
fn dipoles(
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
