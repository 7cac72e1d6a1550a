//! Tiles: runs of nodes whose distances and Hankel functions are evaluated together, in SIMD and within the first-level cache.

use crate::system::System;
use num_complex::Complex64;
use phasefront_core::simd::{Arch, vectorize};
use phasefront_core::special::hankel_batch::{hankel2_0_batch_on, hankel2_01_batch_on};
use std::ops::Range;

/// Nodes per tile: their intermediate values fit into the first-level cache.
const TILE: usize = 256;

/// `nodes` cut into tiles.
pub(super) fn tiles(nodes: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    nodes.clone().step_by(TILE).map(move |start| start..nodes.end.min(start + TILE))
}

/// Distances kr and Hankel functions of one tile, and the instruction set that computes them.
pub(super) struct Scratch {
    pub(super) arch: Arch,
    /// kr.
    pub(super) z: Vec<f64>,
    /// Re H₀, Im H₀, Re H₁, Im H₁.
    pub(super) h: [Vec<f64>; 4],
}

impl Scratch {
    pub(super) fn new(arch: Arch) -> Self {
        Self { arch, z: Vec::new(), h: Default::default() }
    }

    /// kr from `point` to the nodes of a tile; 1 where a node is the point itself.
    pub(super) fn distances(&mut self, system: &System<'_>, k: f64, point: Complex64, nodes: &Range<usize>) {
        let (x, y) = (&system.mesh.x[nodes.clone()], &system.mesh.y[nodes.clone()]);
        // No allocation after the first full tile.
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
                    // The value at a coincident node is never used; any regular argument avoids infinities.
                    *z = if r > 0.0 { k * r } else { 1.0 };
                }
            },
        );
    }

    pub(super) fn hankel_0(&mut self) {
        let [re0, im0, ..] = &mut self.h;
        hankel2_0_batch_on(self.arch, &self.z, re0, im0);
    }

    pub(super) fn hankel_01(&mut self) {
        let [re0, im0, re1, im1] = &mut self.h;
        hankel2_01_batch_on(self.arch, &self.z, re0, im0, re1, im1);
    }
}
