//! Tubes of rays: which stay together, and where the others are cut.

use super::aperture::{Aperture, BLOCK};
use super::scene::{End, Hit, Scene};
use crate::exit::{Amplitudes, Exit, MOST_CORNERS, Tube};
use crate::problem::Tubes;
use glam::DVec3;
use num_complex::Complex64;

/// Directions in which the rays of one tube may leave, as the length of their difference: at tubes of a tenth of a
/// wavelength the phase of a corner is then off by 0.06 rad.
const SPREAD: f64 = 0.2;
/// How often a tube that more than two ways lead out of is split in 2 × 2.
const SPLITS: u32 = 3;
/// Halvings between two corners until the place where their ways part is known: to 1/4096 of a tube, which moves the echo of
/// an edge by less than 0.001 dB.
const HALVINGS: u32 = 12;

/// Ray tubes of one incident wave.
pub(crate) struct Shooting<'a> {
    pub scene: &'a Scene,
    pub aperture: &'a Aperture,
    pub exit: &'a Exit<'a>,
    pub bounces: usize,
    pub tubes: Tubes,
}

/// What tubes add up to.
#[derive(Clone)]
pub(crate) struct Tally {
    pub sums: Vec<Amplitudes>,
    pub rays: u64,
    pub most_bounces: usize,
    /// Area of the aperture whose rays hit the target, m².
    pub hit_area: f64,
    /// The part of it that is in no tube.
    pub discarded_area: f64,
}

impl Tally {
    pub fn new(sums: usize) -> Self {
        let sums = vec![[Complex64::ZERO; 4]; sums];
        Self { sums, rays: 0, most_bounces: 0, hit_area: 0.0, discarded_area: 0.0 }
    }

    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().flatten().zip(other.sums.iter().flatten()) {
            *sum += more;
        }
        self.rays += other.rays;
        self.most_bounces = self.most_bounces.max(other.most_bounces);
        self.hit_area += other.hit_area;
        self.discarded_area += other.discarded_area;
    }
}

/// A ray: where it starts, in tubes, and what became of it.
#[derive(Clone, Copy)]
struct Corner {
    at: [f64; 2],
    end: End,
}

/// Whether rays that go one way leave in nearly one direction.
fn narrow(corners: &[Corner]) -> bool {
    let first = corners[0].end.direction;
    corners.iter().all(|corner| corner.end.direction.distance_squared(first) <= SPREAD * SPREAD)
}

impl Shooting<'_> {
    /// Shoots a block of tubes.
    pub fn block(&self, first: [usize; 2]) -> Tally {
        let mut work = Work { shooting: self, hits: Vec::new(), tally: Tally::new(self.exit.sums()) };
        let at = |i: usize, j: usize| [(first[0] + i) as f64, (first[1] + j) as f64];
        let side = BLOCK + 1;
        let rays: Vec<Corner> = (0..side * side).map(|n| work.shoot(at(n % side, n / side))).collect();
        for n in (0..BLOCK).flat_map(|j| (0..BLOCK).map(move |i| j * side + i)) {
            work.tube([rays[n], rays[n + 1], rays[n + side + 1], rays[n + side]], 0);
        }
        work.tally
    }
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
        self.tally.rays += 1;
        Corner { at, end }
    }

    /// Adds a tube with its corners in order around it.
    fn tube(&mut self, corners: [Corner; 4], depth: u32) {
        if self.shooting.tubes == Tubes::Paper {
            return self.paper_tube(&corners);
        }
        let ways = (0..4).filter(|&i| is_first_of_its_way(&corners, i)).count();
        let last_chance = depth == SPLITS;
        if ways == 1 {
            if corners[0].end.class == 0 {
                return;
            }
            if last_chance || narrow(&corners) {
                if last_chance || self.shoot(middle(&corners)).end.class == corners[0].end.class {
                    return self.emit(&corners);
                }
            }
        } else if last_chance || ways == 2 {
            let pieces = self.pieces(&corners);
            if last_chance || pieces.iter().all(|piece| narrow(piece)) {
                return self.emit_pieces(&corners, &pieces);
            }
        }
        self.split(corners, depth);
    }

    /// The paper's rule: a tube is kept if the last hits of its corners are on one triangle.
    fn paper_tube(&mut self, corners: &[Corner; 4]) {
        let hits = corners.iter().filter(|corner| corner.end.class != 0).count();
        if hits == 4 && corners.iter().all(|corner| corner.end.facet == corners[0].end.facet) {
            return self.emit(corners);
        }
        let area = self.area(corners) * hits as f64 / 4.0;
        self.tally.hit_area += area;
        self.tally.discarded_area += area;
    }

    /// Splits a tube in 2 × 2.
    fn split(&mut self, corners: [Corner; 4], depth: u32) {
        let centre = self.shoot(middle(&corners));
        let sides = [0, 1, 2, 3].map(|i| self.shoot(middle(&[corners[i], corners[(i + 1) % 4]])));
        for i in 0..4 {
            self.tube([corners[i], sides[i], centre, sides[(i + 3) % 4]], depth + 1);
        }
    }

    /// A tube cut where the ways of its corner rays part: each way gets the polygon of its corners and of the places on the
    /// tube's sides where it ends.
    fn pieces(&mut self, corners: &[Corner; 4]) -> Vec<Vec<Corner>> {
        let mut pieces = Vec::with_capacity(4);
        for i in (0..4).filter(|&i| is_first_of_its_way(corners, i)) {
            let class = corners[i].end.class;
            let mut piece = Vec::with_capacity(MOST_CORNERS);
            for j in 0..4 {
                let (a, b) = (corners[j], corners[(j + 1) % 4]);
                match [a, b].map(|corner| corner.end.class == class) {
                    [true, true] => piece.push(a),
                    [true, false] => piece.extend([a, self.parting(a, b)]),
                    [false, true] => piece.push(self.parting(b, a)),
                    [false, false] => {}
                }
            }
            pieces.push(piece);
        }
        pieces
    }

    fn emit_pieces(&mut self, corners: &[Corner; 4], pieces: &[Vec<Corner>]) {
        let mut rest = self.area(corners);
        for piece in pieces {
            let area = self.area(piece);
            rest -= area;
            if piece[0].end.class != 0 && area > 0.0 {
                self.emit(piece);
            }
        }
        // What no corner saw, though it may have missed.
        let rest = rest.max(0.0);
        self.tally.hit_area += rest;
        self.tally.discarded_area += rest;
    }

    /// The last ray from `inside` towards `outside` that goes the way of the first.
    fn parting(&mut self, mut inside: Corner, mut outside: Corner) -> Corner {
        for _ in 0..HALVINGS {
            let between = self.shoot(middle(&[inside, outside]));
            if between.end.class == inside.end.class {
                inside = between;
            } else {
                outside = between;
            }
        }
        inside
    }

    /// Adds a polygon whose corners go one way. Its centre ray stands for it, or its first corner where that goes another way.
    fn emit(&mut self, polygon: &[Corner]) {
        let mut centre = self.shoot(middle(polygon));
        if centre.end.class != polygon[0].end.class {
            centre = self.shoot(polygon[0].at);
        }
        let aperture = self.shooting.aperture;
        let mut corners = [(DVec3::ZERO, centre.end); MOST_CORNERS];
        for (place, corner) in corners.iter_mut().zip(polygon) {
            *place = (aperture.point(corner.at), corner.end);
        }
        let length = aperture.k.dot(aperture.point(centre.at)) + centre.end.length;
        let tube = Tube { hits: &self.hits, length, corners: &corners[..polygon.len()] };
        self.shooting.exit.add(&tube, &mut self.tally.sums);
        self.tally.most_bounces = self.tally.most_bounces.max(self.hits.len());
        self.tally.hit_area += self.area(polygon);
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
