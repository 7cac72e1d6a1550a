//! A uniform grid of rays, with a tube between every four rays that leave the target from one triangle (Ling, Chou and Lee 1989).

use super::tasks::TASKS_AT_ONCE;
use crate::accumulator::Accumulator;
use crate::aperture::{Aperture, TUBES};
use crate::batch::{Batch, Incidence};
use crate::error::SbrError;
use crate::exit_aperture::{ExitAperture, Section};
use crate::far_field::{FarField, Radiator, RayTube};
use crate::layout::RAYS;
use crate::ray_differential::RayDifferential;
use crate::sampling::Sampling;
use crate::scene::{NO_FACET, Scene};
use phasefront_core::Progress;
use phasefront_mesh::bvh::{NOTHING, TILE};
use rayon::prelude::*;

/// Traces and radiates all tubes of one incident wave.
pub(super) fn trace(
    batch: &Batch<'_>,
    incidence: &Incidence<'_>,
    progress: &Progress,
) -> Result<Accumulator, SbrError> {
    let (scene, problem) = (&batch.study.scene, &batch.study.problem);
    let far_field = FarField::new(scene, incidence.aspects, batch.frequencies, problem.formulation);
    let grid = RayGrid {
        scene,
        aperture: &incidence.aperture,
        far_field: &far_field,
        bounces: batch.bounces,
        sampling: Sampling::new(batch),
        by_facet: batch.by_facet,
    };
    let mut total = Accumulator::new(far_field.sums());
    // Blocks outside the projection of the target are never traced. Sums of a chunk are merged in
    // order, so that the result does not depend on the number of threads.
    for blocks in incidence.aperture.occupied(scene).chunks(TASKS_AT_ONCE) {
        progress.check()?;
        let parts: Vec<Accumulator> = blocks.par_iter().map(|&block| grid.block(block)).collect();
        for part in parts {
            total.merge(part);
        }
    }
    Ok(total)
}

/// The rays of one incident wave.
struct RayGrid<'a> {
    scene: &'a Scene,
    aperture: &'a Aperture,
    far_field: &'a FarField<'a>,
    bounces: usize,
    sampling: Sampling,
    by_facet: bool,
}

/// A ray at its start, and the facets that it hits in order.
struct Ray {
    start: RayDifferential,
    path: Vec<u32>,
}

impl RayGrid<'_> {
    /// Traces a block of tubes.
    fn block(&self, first: [usize; 2]) -> Accumulator {
        let mut total = Accumulator::new(self.far_field.sums());
        let last = self.last_facets(first);
        total.counts.rays += (RAYS * RAYS) as u64;
        // `last` holds one more ray than tubes along each side: neighboring blocks share their rim.
        for (i, j) in (0..TUBES).flat_map(|j| (0..TUBES).map(move |i| (i, j))) {
            let n = j * RAYS + i;
            let corners = [n, n + 1, n + RAYS + 1, n + RAYS].map(|corner| last[corner]);
            let hits = corners.iter().filter(|&&facet| facet != NO_FACET).count();
            if hits == 4 && corners.iter().all(|&facet| facet == corners[0]) {
                self.tube([first[0] + i, first[1] + j], &mut total);
            } else {
                // A divergent tube: its corner rays leave from different triangles.
                let area = self.aperture.step.powi(2) * hits as f64 / 4.0;
                total.counts.hit_area += area;
                total.counts.discarded_area += area;
            }
        }
        total
    }

    /// Radiates a tube along its central ray.
    fn tube(&self, at: [usize; 2], total: &mut Accumulator) {
        total.counts.rays += 1;
        let Ray { start, path } = self.primary_ray(at.map(|i| i as f64 + 0.5));
        // Corner rays hit but the central one passes through a gap: nothing to radiate.
        if path.is_empty() {
            return;
        }
        let side = self.aperture.step;
        let aperture =
            |path: &[u32]| ExitAperture::new(&start.follow(self.scene, path), Section::Square(side));
        // As in the paper: the last facet radiates, and of all shadows that of the first.
        let radiator = |bounces: usize, weight: f64, shadow: bool| {
            let aperture = aperture(&path[..bounces]);
            Radiator { aperture, bounces, weight, shadow }
        };
        let (last, alone) = (path.len(), path.len() == 1);
        let radiators = [radiator(last, 1.0, alone), radiator(1, 0.0, !alone)];
        let tube = RayTube { path: &path, radiators: &radiators };
        total.add(self.far_field, &tube, side * side, self.by_facet);
        // A tube leaves from one triangle: its central ray stands for all of it.
        let (count, area) = self.sampling.rays(&at.map(|i| i as u32), side * side);
        if path.len() == self.bounces && count > 0 {
            let area = count as f64 * area;
            let (ray, last) = (start.follow(self.scene, &path), path[path.len() - 1]);
            total.counts.rays += 1;
            if self.scene.closest(ray.point, ray.direction, last, &mut None).is_some() {
                total.counts.remaining_power += area * self.far_field.power(&path);
            }
        }
    }

    /// The last facets of the rays of a block, row by row. Primary hits are found in tiles, except with a kd-tree, which traces single
    /// rays over all of their bounces.
    fn last_facets(&self, block: [usize; 2]) -> Vec<u32> {
        let at = |i: usize, j: usize| [(block[0] + i) as f64, (block[1] + j) as f64];
        let last = |ray: Ray| ray.path.last().copied().unwrap_or(NO_FACET);
        if self.scene.kd_tree.is_some() {
            return (0..RAYS * RAYS).map(|n| last(self.primary_ray(at(n % RAYS, n / RAYS)))).collect();
        }
        let mut facets = vec![NO_FACET; RAYS * RAYS];
        // Rays of a tile are parallel and adjacent: they
        // traverse the BVH together and share its loads.
        for tile in 0..(RAYS / TILE).pow(2) {
            let [x, y] = [tile % (RAYS / TILE) * TILE, tile / (RAYS / TILE) * TILE];
            let Aperture { sheaf, step, .. } = self.aperture;
            let hits = self.scene.tree.tile(sheaf, self.aperture.position(at(x, y)), *step);
            for (j, row) in hits.triangles.iter().enumerate() {
                // Misses are skipped: their entry is `NO_FACET` already.
                for (i, &first) in row.iter().enumerate().filter(|(_, first)| **first != NOTHING) {
                    let start = self.start(at(x + i, y + j));
                    facets[(y + j) * RAYS + x + i] = last(self.follow(start, first, None));
                }
            }
        }
        facets
    }

    fn start(&self, at: [f64; 2]) -> RayDifferential {
        RayDifferential::new(&self.aperture.sheaf, self.far_field.incident[0], self.aperture.position(at))
    }

    /// Traces a single ray.
    fn primary_ray(&self, at: [f64; 2]) -> Ray {
        let start = self.start(at);
        let k = self.aperture.sheaf.k;
        let mut leaf = None;
        match self.scene.closest(self.scene.primary_origin(start.point, k), k, NO_FACET, &mut leaf) {
            Some(first) => self.follow(start, first, leaf),
            None => Ray { start, path: Vec::new() },
        }
    }

    /// Traces on from the first facet, found in `leaf`, until the ray leaves the target or reaches the maximum number of bounces.
    fn follow(&self, start: RayDifferential, first: u32, mut leaf: Option<u32>) -> Ray {
        let mut path = vec![first];
        // The search yields the facet only; the reflection is evaluated in double precision.
        let mut ray = start.follow(self.scene, &path);
        while path.len() < self.bounces
            && let Some(next) = self.scene.closest(ray.point, ray.direction, path[path.len() - 1], &mut leaf)
        {
            ray.reflect(&self.scene.facets[next as usize]);
            path.push(next);
        }
        Ray { start, path }
    }
}
