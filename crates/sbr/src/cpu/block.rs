//! A block of rays, and what they add up to.

use crate::aperture::{Aperture, BLOCK, RAYS};
use crate::exit::{Amplitudes, Exit};
use crate::post::Counts;
use crate::problem::Tubes;
use crate::scene::Scene;
use crate::trail::Trail;
use num_complex::Complex64;
use phasefront_mesh::bvh::{NOTHING, TILE};

/// Ray tubes of one incident wave.
pub(crate) struct Shooting<'a> {
    pub scene: &'a Scene,
    pub aperture: &'a Aperture,
    pub exit: &'a Exit<'a>,
    pub bounces: usize,
    pub tubes: Tubes,
    /// Largest wavenumber.
    pub k: f64,
    /// Whether to tell facets and bounces apart.
    pub hot_spots: bool,
}

/// What tubes add up to.
#[derive(Clone)]
pub(crate) struct Tally {
    pub sums: Vec<Amplitudes>,
    pub counts: Counts,
    /// Bounces, last facet, and what left it, where that is asked for.
    pub hot_spots: Vec<(usize, u32, Amplitudes)>,
}

impl Tally {
    pub fn new(sums: usize) -> Self {
        let sums = vec![[Complex64::ZERO; 4]; sums];
        Self { sums, counts: Counts::default(), hot_spots: Vec::new() }
    }

    pub fn merge(&mut self, other: Self) {
        for (sum, more) in self.sums.iter_mut().flatten().zip(other.sums.iter().flatten()) {
            *sum += more;
        }
        self.counts.merge(&other.counts);
        self.hot_spots.extend(other.hot_spots);
    }
}

/// A ray: where it starts, and what became of it.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    /// Its place in the aperture, counted in tubes.
    pub at: [f64; 2],
    /// The smooth patches and their sides that it met, in order, hashed; zero for none.
    pub patches: u32,
    /// The facets, likewise.
    pub facets: u32,
    /// Where `Work::ways` has its facets.
    first: usize,
    pub hits: usize,
    /// Where it left, or where it started.
    pub trail: Trail,
}

impl Ray {
    /// The facets that it met, among those of all rays.
    pub fn way<'a>(&self, ways: &'a [u32]) -> &'a [u32] {
        &ways[self.first..self.first + self.hits]
    }
}

/// One block under way.
pub(super) struct Work<'a> {
    pub shooting: &'a Shooting<'a>,
    /// The facets that rays met, one ray after the other.
    pub ways: Vec<u32>,
    pub tally: Tally,
}

impl Shooting<'_> {
    /// Shoots a block of tubes.
    pub fn block(&self, first: [usize; 2]) -> Tally {
        let mut work = Work { shooting: self, ways: Vec::new(), tally: Tally::new(self.exit.sums()) };
        let rays = work.rays(first);
        for n in (0..BLOCK).flat_map(|j| (0..BLOCK).map(move |i| j * RAYS + i)) {
            work.tube([&rays[n], &rays[n + 1], &rays[n + RAYS + 1], &rays[n + RAYS]]);
        }
        work.tally
    }
}

impl Work<'_> {
    /// All rays of a block, in rows; by tiles, but for the paper's tree.
    fn rays(&mut self, block: [usize; 2]) -> Vec<Ray> {
        let Shooting { scene, aperture, .. } = *self.shooting;
        let at = |i: usize, j: usize| [(block[0] + i) as f64, (block[1] + j) as f64];
        if scene.kd_tree.is_some() {
            return (0..RAYS * RAYS).map(|n| self.shoot(at(n % RAYS, n / RAYS))).collect();
        }
        let mut rays = vec![self.start([0.0; 2]); RAYS * RAYS];
        for tile in 0..(RAYS / TILE).pow(2) {
            let corner = [tile % (RAYS / TILE) * TILE, tile / (RAYS / TILE) * TILE];
            let hits =
                scene.tree.tile(&aperture.sheaf, aperture.place(at(corner[0], corner[1])), aperture.step);
            for j in 0..TILE {
                for i in 0..TILE {
                    let [x, y] = [corner[0] + i, corner[1] + j];
                    let ray = self.start(at(x, y));
                    rays[y * RAYS + x] = self.follow(ray, hits.triangles[j][i], None);
                }
            }
        }
        self.tally.counts.rays += (RAYS * RAYS) as u64;
        rays
    }

    /// A single ray.
    pub fn shoot(&mut self, at: [f64; 2]) -> Ray {
        let Shooting { scene, aperture, .. } = *self.shooting;
        self.tally.counts.rays += 1;
        let ray = self.start(at);
        // From behind everything, by a little more than rounding.
        let start = ray.trail.point - 1.01 * scene.radius * aperture.sheaf.k;
        let mut leaf = None;
        let first = scene.closest(start, aperture.sheaf.k, NOTHING, &mut leaf);
        self.follow(ray, first.unwrap_or(NOTHING), leaf)
    }

    pub fn start(&self, at: [f64; 2]) -> Ray {
        let Shooting { aperture, exit, .. } = *self.shooting;
        let trail = Trail::new(&aperture.sheaf, exit.incident[0], aperture.place(at));
        Ray { at, patches: 0, facets: 0, first: self.ways.len(), hits: 0, trail }
    }

    /// On from the first facet, in the leaf where it was found, until the ray leaves or has had its bounces.
    fn follow(&mut self, mut ray: Ray, first: u32, mut leaf: Option<u32>) -> Ray {
        let Shooting { scene, bounces, .. } = *self.shooting;
        let mut next = Some(first).filter(|&first| first != NOTHING);
        while let Some(number) = next {
            let facet = &scene.facets[number as usize];
            let side = 2 * facet.patch + u32::from(ray.trail.direction.dot(facet.normal) < 0.0);
            ray.patches = extended(ray.patches, side);
            ray.facets = extended(ray.facets, number);
            ray.trail.bounce(facet);
            ray.hits += 1;
            self.ways.push(number);
            if ray.hits == bounces {
                break;
            }
            next = scene.closest(ray.trail.point, ray.trail.direction, number, &mut leaf);
        }
        ray
    }

    /// The facets that a ray met.
    pub fn way(&self, ray: &Ray) -> &[u32] {
        ray.way(&self.ways)
    }

    /// A ray that met other facets. Of patches it met the same.
    pub fn with_way(&mut self, ray: &Ray, way: &[u32]) -> Ray {
        let first = self.ways.len();
        self.ways.extend(way);
        let facets = way.iter().fold(0, |class, &facet| extended(class, facet));
        Ray { facets, first, hits: way.len(), ..*ray }
    }

    /// A ray from elsewhere in the aperture that meets the same planes as another.
    pub fn moved(&self, ray: &Ray, at: [f64; 2]) -> Ray {
        let start = self.start(at);
        Ray { at, trail: start.trail.follow(self.shooting.scene, self.way(ray)), ..*ray }
    }
}

/// Another surface met (the mixing steps of splitmix32); never zero.
fn extended(class: u32, surface: u32) -> u32 {
    let mut x = (class.rotate_left(9) ^ surface.wrapping_add(1)).wrapping_mul(0x9e37_79b9);
    x = (x ^ (x >> 16)).wrapping_mul(0x21f0_aaad);
    x = (x ^ (x >> 15)).wrapping_mul(0x735a_2d97);
    (x ^ (x >> 15)) | 1
}
