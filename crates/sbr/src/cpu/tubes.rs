//! Tubes of rays: which stay together, and where the others are cut.

use super::aperture::{Aperture, BLOCK};
use super::scene::{End, Hit, Scene};
use crate::exit::{Amplitudes, Exit, Tube};
use crate::front::{Front, MOST_CORNERS, Place};
use crate::post::Counts;
use crate::problem::Tubes;
use num_complex::Complex64;

/// Error that a bundle may bring in, in radians and as a part of what a whole tube sends: with it the echo of a sphere of
/// radius 1 m by physical optics is good to 0.06 dB at 1 and 3 GHz with tubes of a tenth of a wavelength.
const ROUGHNESS: f64 = 0.05;
/// How often a tube may be split in 2 × 2 if its rays bounce once at most. At the rim of smooth bodies the phase runs as a
/// root of the distance from it, and 32 bundles along a tube's side are fine enough at 0.1 wavelengths.
const SPLITS_OF_RIMS: u32 = 5;
/// And if they bounce on: off curved surfaces such rays part at ever smaller distances.
const SPLITS: u32 = 2;
/// Halvings between two corners until the place where their ways part is known, to 1/4096 of a tube: at tubes of a tenth of a
/// wavelength this moves the echo of a plate, 45° off and 43 dB below its flash, by 0.007 dB.
const HALVINGS: u32 = 12;

/// Ray tubes of one incident wave.
pub(crate) struct Shooting<'a> {
    pub scene: &'a Scene,
    pub aperture: &'a Aperture,
    pub exit: &'a Exit<'a>,
    pub bounces: usize,
    pub tubes: Tubes,
    /// Largest wavenumber.
    pub k: f64,
}

/// What tubes add up to.
#[derive(Clone)]
pub(crate) struct Tally {
    pub sums: Vec<Amplitudes>,
    pub counts: Counts,
}

impl Tally {
    pub fn new(sums: usize) -> Self {
        let sums = vec![[Complex64::ZERO; 4]; sums];
        Self { sums, counts: Counts::default() }
    }

    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().flatten().zip(other.sums.iter().flatten()) {
            *sum += more;
        }
        self.counts.merge(&other.counts);
    }
}

/// A ray: where it starts, in tubes, and what became of it.
#[derive(Clone, Copy)]
struct Corner {
    at: [f64; 2],
    end: End,
}

impl Shooting<'_> {
    /// Shoots a block of tubes.
    pub fn block(&self, first: [usize; 2]) -> Tally {
        let mut work = Work { shooting: self, hits: Vec::new(), tally: Tally::new(self.exit.sums()) };
        let at = |i: usize, j: usize| [(first[0] + i) as f64, (first[1] + j) as f64];
        let side = BLOCK + 1;
        let rays: Vec<Corner> = (0..side * side).map(|n| work.shoot(at(n % side, n / side))).collect();
        for n in (0..BLOCK).flat_map(|j| (0..BLOCK).map(move |i| j * side + i)) {
            work.tube(&[rays[n], rays[n + 1], rays[n + side + 1], rays[n + side]], 0);
        }
        work.tally
    }
}

/// A polygon of the aperture whose rays stay together.
struct Bundle {
    /// On the last facet and on the first; `None` for rays that miss.
    fronts: Option<[Front; 2]>,
    area: f64,
    /// Error of its phase and its direction in radians; infinite where not even its centre ray goes the way of the corners.
    roughness: f64,
}

struct Work<'a> {
    shooting: &'a Shooting<'a>,
    /// Bounces of the last ray.
    hits: Vec<Hit>,
    tally: Tally,
}

impl Work<'_> {
    fn shoot(&mut self, at: [f64; 2]) -> Corner {
        let Shooting { scene, aperture, bounces, .. } = *self.shooting;
        self.hits.clear();
        let end = scene.trace(aperture.point(at), aperture.k, bounces, |hit| self.hits.push(hit));
        self.tally.counts.rays += 1;
        Corner { at, end }
    }

    /// Adds a tube with its corners in order around it.
    fn tube(&mut self, corners: &[Corner; 4], depth: u32) {
        if self.shooting.tubes == Tubes::Paper {
            return self.paper_tube(corners);
        }
        let ways = (0..4).filter(|&i| is_first_of_its_way(corners, i)).count();
        if ways == 1 && corners[0].end.class == 0 {
            return;
        }
        let bounces_on = corners.iter().any(|corner| corner.end.length > corner.end.first);
        let last_chance = depth >= if bounces_on { SPLITS } else { SPLITS_OF_RIMS };
        if ways == 1 {
            let bundle = self.bundle(corners);
            if last_chance || self.is_fine(&bundle, depth) {
                return self.add(&bundle);
            }
        } else if ways == 2 || last_chance {
            let pieces = self.pieces(corners, depth);
            let fine = |piece: &Vec<Corner>| {
                let bundle = self.bundle(piece);
                self.is_fine(&bundle, depth)
            };
            if last_chance || pieces.iter().all(fine) {
                return self.add_pieces(corners, &pieces);
            }
        }
        self.split(corners, depth);
    }

    /// The paper's rule: a tube is kept if the last hits of its corners are on one triangle.
    fn paper_tube(&mut self, corners: &[Corner; 4]) {
        let hits = corners.iter().filter(|corner| corner.end.class != 0).count();
        if hits == 4 && corners.iter().all(|corner| corner.end.facet == corners[0].end.facet) {
            let bundle = self.bundle(corners);
            return self.add(&bundle);
        }
        let area = self.area(corners) * hits as f64 / 4.0;
        self.tally.counts.hit_area += area;
        self.tally.counts.discarded_area += area;
    }

    /// Splits a tube in 2 × 2.
    fn split(&mut self, corners: &[Corner; 4], depth: u32) {
        let centre = self.shoot(middle(corners));
        let sides = [0, 1, 2, 3].map(|i| self.shoot(middle(&[corners[i], corners[(i + 1) % 4]])));
        for i in 0..4 {
            self.tube(&[corners[i], sides[i], centre, sides[(i + 3) % 4]], depth + 1);
        }
    }

    /// A tube cut where the ways of its corner rays part: each way gets the polygon of its corners and of the places on the
    /// tube's sides where it ends.
    fn pieces(&mut self, corners: &[Corner; 4], depth: u32) -> Vec<Vec<Corner>> {
        let sides = [0, 1, 2, 3].map(|i| [corners[i], corners[(i + 1) % 4]]);
        let partings = sides.map(|[a, b]| (a.end.class != b.end.class).then(|| self.parting(a, b, depth)));
        let mut pieces = Vec::with_capacity(4);
        for i in (0..4).filter(|&i| is_first_of_its_way(corners, i)) {
            let class = corners[i].end.class;
            let mut piece = Vec::with_capacity(MOST_CORNERS);
            for (corner, parting) in corners.iter().zip(&partings) {
                let last = parting.iter().flatten();
                piece.extend([corner].into_iter().chain(last).filter(|ray| ray.end.class == class));
            }
            pieces.push(piece);
        }
        pieces
    }

    fn add_pieces(&mut self, corners: &[Corner; 4], pieces: &[Vec<Corner>]) {
        let mut rest = self.area(corners);
        for piece in pieces {
            rest -= self.area(piece);
            let bundle = self.bundle(piece);
            self.add(&bundle);
        }
        // What no corner saw, though it may have missed.
        let rest = rest.max(0.0);
        self.tally.counts.hit_area += rest;
        self.tally.counts.discarded_area += rest;
    }

    /// The last rays between two corners that go the way of the first, and of the second.
    fn parting(&mut self, a: Corner, b: Corner, depth: u32) -> [Corner; 2] {
        let [last, beyond] = self.halved(a, b, depth);
        // There may be a third way between them.
        if beyond.end.class == b.end.class { [last, beyond] } else { [last, self.halved(b, a, depth)[0]] }
    }

    /// The last ray from `inside` towards `outside` that goes the way of the first, and one beyond it.
    fn halved(&mut self, mut inside: Corner, mut outside: Corner, depth: u32) -> [Corner; 2] {
        for _ in depth..HALVINGS {
            let between = self.shoot(middle(&[inside, outside]));
            if between.end.class == inside.end.class {
                inside = between;
            } else {
                outside = between;
            }
        }
        [inside, outside]
    }

    /// A polygon whose corners go one way, with the ray that stands for it: the one at its centre, or at its first corner
    /// where the centre goes another way.
    fn bundle(&mut self, polygon: &[Corner]) -> Bundle {
        let Shooting { aperture, k, .. } = *self.shooting;
        let class = polygon[0].end.class;
        let area = self.area(polygon);
        let mut ray = self.shoot(middle(polygon));
        let astray = ray.end.class != class;
        if astray {
            ray = self.shoot(polygon[0].at);
        }
        let (Some(first), Some(last)) = (self.hits.first(), self.hits.last()) else {
            return Bundle { fronts: None, area, roughness: if astray { f64::INFINITY } else { 0.0 } };
        };
        let front = aperture.k.dot(aperture.point(ray.at));
        let ends = polygon.iter().map(|c| Place { point: c.end.point, length: front + c.end.length });
        let starts = polygon.iter().map(|c| Place {
            point: aperture.point(c.at) + c.end.first * aperture.k,
            length: front + c.end.first,
        });
        let exit = Front::new(ends, last, front + ray.end.length);
        let shadow = Front::new(starts, first, front + ray.end.first);
        let turns = polygon.iter().map(|c| c.end.direction.distance_squared(ray.end.direction));
        let roughness = k * exit.miss() + turns.fold(0.0, f64::max);
        Bundle {
            fronts: Some([exit, shadow]),
            area,
            roughness: if astray { f64::INFINITY } else { roughness },
        }
    }

    /// Whether the error of a bundle is small: 2^depth of them lie along an edge that crosses a tube, and err alike.
    fn is_fine(&self, bundle: &Bundle, depth: u32) -> bool {
        let tube = self.shooting.aperture.step.powi(2);
        bundle.roughness * bundle.area * f64::from(1 << depth) <= ROUGHNESS * tube
    }

    /// Adds the bundle that was made last.
    fn add(&mut self, bundle: &Bundle) {
        let Some([exit, shadow]) = &bundle.fronts else { return };
        self.shooting.exit.add(&Tube { hits: &self.hits, exit, shadow }, &mut self.tally.sums);
        self.tally.counts.bounces = self.tally.counts.bounces.max(self.hits.len());
        self.tally.counts.hit_area += bundle.area;
    }

    /// Of a polygon in the aperture, m².
    fn area(&self, polygon: &[Corner]) -> f64 {
        let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
        let doubled: f64 = edges.map(|(a, b)| a.at[0] * b.at[1] - a.at[1] * b.at[0]).sum();
        0.5 * doubled.abs() * self.shooting.aperture.step.powi(2)
    }
}

/// Whether no earlier corner goes the way of this one.
fn is_first_of_its_way(corners: &[Corner; 4], i: usize) -> bool {
    corners[..i].iter().all(|earlier| earlier.end.class != corners[i].end.class)
}

fn middle(corners: &[Corner]) -> [f64; 2] {
    [0, 1].map(|axis| corners.iter().map(|corner| corner.at[axis]).sum::<f64>() / corners.len() as f64)
}
