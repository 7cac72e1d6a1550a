//! The paper's tubes: a grid of rays, and a tube between each four that leave the target from one triangle.

use super::tally::Tally;
use crate::aperture::{Aperture, BLOCK, RAYS};
use crate::exit::{Exit, Tube};
use crate::front::{Front, Outline};
use crate::scene::{NO_FACET, Scene};
use crate::trail::Trail;
use phasefront_mesh::bvh::{NOTHING, TILE};

/// The rays of one incident wave.
pub(crate) struct GridOfRays<'a> {
    pub scene: &'a Scene,
    pub aperture: &'a Aperture,
    pub exit: &'a Exit<'a>,
    pub bounces: usize,
    /// Whether to tell facets and bounces apart.
    pub hot_spots: bool,
}

/// A ray, and the facets that it met.
struct Ray {
    start: Trail,
    way: Vec<u32>,
}

impl GridOfRays<'_> {
    /// Shoots a block of tubes.
    pub fn block(&self, first: [usize; 2]) -> Tally {
        let mut tally = Tally::new(self.exit.sums());
        let last = self.last_facets(first);
        tally.counts.rays += (RAYS * RAYS) as u64;
        for (i, j) in (0..BLOCK).flat_map(|j| (0..BLOCK).map(move |i| (i, j))) {
            let n = j * RAYS + i;
            let corners = [n, n + 1, n + RAYS + 1, n + RAYS].map(|corner| last[corner]);
            let hits = corners.iter().filter(|&&facet| facet != NO_FACET).count();
            if hits == 4 && corners.iter().all(|&facet| facet == corners[0]) {
                self.tube([(first[0] + i) as f64 + 0.5, (first[1] + j) as f64 + 0.5], &mut tally);
            } else {
                let area = self.aperture.step.powi(2) * hits as f64 / 4.0;
                tally.counts.hit_area += area;
                tally.counts.discarded_area += area;
            }
        }
        tally
    }

    /// A tube goes to the ray in its middle.
    fn tube(&self, middle: [f64; 2], tally: &mut Tally) {
        tally.counts.rays += 1;
        let Ray { start, way } = self.shoot(middle);
        if way.is_empty() {
            return;
        }
        let side = self.aperture.step;
        let front = |way: &[u32]| Front::new(&start.follow(self.scene, way), Outline::Square(side));
        let tube = Tube { way: &way, exit: front(&way), shadow: front(&way[..1]) };
        tally.add(self.exit, &tube, side * side, self.hot_spots);
    }

    /// Where the rays of a block leave the target, in rows; the first bounces by tiles, but for the paper's tree.
    fn last_facets(&self, block: [usize; 2]) -> Vec<u32> {
        let at = |i: usize, j: usize| [(block[0] + i) as f64, (block[1] + j) as f64];
        let last = |ray: Ray| ray.way.last().copied().unwrap_or(NO_FACET);
        if self.scene.kd_tree.is_some() {
            return (0..RAYS * RAYS).map(|n| last(self.shoot(at(n % RAYS, n / RAYS)))).collect();
        }
        let mut facets = vec![NO_FACET; RAYS * RAYS];
        for tile in 0..(RAYS / TILE).pow(2) {
            let [x, y] = [tile % (RAYS / TILE) * TILE, tile / (RAYS / TILE) * TILE];
            let Aperture { sheaf, step, .. } = self.aperture;
            let hits = self.scene.tree.tile(sheaf, self.aperture.place(at(x, y)), *step);
            for (j, row) in hits.triangles.iter().enumerate() {
                for (i, &first) in row.iter().enumerate().filter(|(_, first)| **first != NOTHING) {
                    let start = self.start(at(x + i, y + j));
                    facets[(y + j) * RAYS + x + i] = last(self.follow(start, first, None));
                }
            }
        }
        facets
    }

    fn start(&self, at: [f64; 2]) -> Trail {
        Trail::new(&self.aperture.sheaf, self.exit.incident[0], self.aperture.place(at))
    }

    /// A single ray.
    fn shoot(&self, at: [f64; 2]) -> Ray {
        let start = self.start(at);
        let k = self.aperture.sheaf.k;
        let mut leaf = None;
        match self.scene.closest(self.scene.before_everything(start.point, k), k, NO_FACET, &mut leaf) {
            Some(first) => self.follow(start, first, leaf),
            None => Ray { start, way: Vec::new() },
        }
    }

    /// On from the first facet, in the leaf where it was found, until the ray leaves or has had its bounces.
    fn follow(&self, start: Trail, first: u32, mut leaf: Option<u32>) -> Ray {
        let mut way = vec![first];
        let mut trail = start.follow(self.scene, &way);
        while way.len() < self.bounces
            && let Some(next) =
                self.scene.closest(trail.point, trail.direction, way[way.len() - 1], &mut leaf)
        {
            trail.bounce(&self.scene.facets[next as usize]);
            way.push(next);
        }
        Ray { start, way }
    }
}
