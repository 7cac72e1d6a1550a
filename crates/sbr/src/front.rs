//! What leaves the target through one tube: a plane wave on a flat piece of surface.
//!
//! The map from the aperture to the surface is linear over a tube, and so is the phase, so that the integral over the surface is one
//! over the tube's polygon in the aperture: a square, or what is left of one.

use crate::footprint::{self, MOST_CORNERS};
use crate::trail::Trail;
use glam::{DVec2, DVec3};
use num_complex::Complex64;

/// The corners of a square tube, in order around it, along u and along v.
const SIDES: [[[usize; 2]; 2]; 2] = [[[0, 1], [3, 2]], [[0, 3], [1, 2]]];

/// How far the paths over a square tube are from linear, at most: the change of slope from side to side.
pub(crate) fn bend(corners: [&Trail; 4], side: f64) -> f64 {
    let mut most = 0.0_f64;
    for (axis, pairs) in SIDES.iter().enumerate() {
        for [a, b] in pairs.map(|pair| pair.map(|i| corners[i])) {
            most = most.max(slope_change(a, b, axis));
        }
    }
    side * most
}

/// Largest change that any receiver sees of the slope of the phase between two rays.
pub(crate) fn slope_change(a: &Trail, b: &Trail, axis: usize) -> f64 {
    a.across[axis].distance(b.across[axis]) + (a.longer[axis] - b.longer[axis]).abs()
}

/// Smallest cross section of a tube: near a focus rays do not tell how strong a field is.
const FOCUS: f64 = 0.25;

fn facing(across: [DVec3; 2], direction: DVec3) -> DVec3 {
    let area = across[0].cross(across[1]);
    if area.dot(direction) < 0.0 { -area } else { area }
}

/// What one ray of a tube leaves on.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    /// Normal of the surface times its area per area of the aperture, on the side of the wave.
    pub area: DVec3,
    pub direction: DVec3,
    pub v: DVec3,
}

/// A wave on a piece of surface, about the middle of the tube.
#[derive(Clone, Copy)]
pub(crate) struct Front<'a> {
    point: DVec3,
    length: f64,
    /// One for each ray that stands for it, or for all if they met the same facets. What each sends is added up: products of their
    /// means would break the symmetries that each has, and make physical optics turn polarisations.
    faces: [Face; MOST_CORNERS],
    count: usize,
    across: [DVec3; 2],
    longer: [f64; 2],
    /// What is left of |E|: a tube keeps its power while its cross section grows.
    pub spreading: f64,
    pub outline: Outline<'a>,
}

/// The tube in the aperture, about the point that stands for it.
#[derive(Clone, Copy)]
pub(crate) enum Outline<'a> {
    /// A square with this side.
    Square(f64),
    /// Corners in order.
    Polygon(&'a [DVec2]),
}

impl<'a> Front<'a> {
    /// The whole tube of one ray, as wide as `side`.
    pub fn around(trail: &Trail, side: f64) -> Self {
        Self::mean(std::iter::once(trail), true, Outline::Square(side))
    }

    /// With the mean of some trails, which stands for the mean of their places; `alike` if they met the same facets.
    pub fn mean<'t>(trails: impl Iterator<Item = &'t Trail>, alike: bool, outline: Outline<'a>) -> Self {
        let nothing = Face { area: DVec3::ZERO, direction: DVec3::ZERO, v: DVec3::ZERO };
        let mut front = Self {
            point: DVec3::ZERO,
            length: 0.0,
            faces: [nothing; MOST_CORNERS],
            count: 0,
            across: [DVec3::ZERO; 2],
            longer: [0.0; 2],
            // Off planes the cross section stays as it is.
            spreading: 1.0,
            outline,
        };
        let mut count = 0.0;
        for trail in trails {
            front.point += trail.point;
            front.length += trail.length;
            for axis in 0..2 {
                front.across[axis] += trail.across[axis];
                front.longer[axis] += trail.longer[axis];
            }
            if front.count == 0 || (!alike && front.count < MOST_CORNERS) {
                let area = facing(trail.across, trail.direction);
                front.faces[front.count] = Face { area, direction: trail.direction, v: trail.v };
                front.count += 1;
            }
            count += 1.0;
        }
        let part = 1.0 / count;
        front.point *= part;
        front.length *= part;
        front.across = front.across.map(|p| p * part);
        front.longer = front.longer.map(|l| l * part);
        front
    }

    /// What the rays that stand for it leave on.
    pub fn faces(&self) -> &[Face] {
        &self.faces[..self.count]
    }

    /// Between the four corners of a square tube, in order around it. Where they met several facets of a smooth surface, the
    /// differences between corners follow it as a whole. It then is curved over the tube: ½cu² + ½cv² of u, v from −½ to ½ has a mean
    /// that is c/12 less than at the corners for each, with c the change of slope from side to side.
    pub fn between(corners: [&Trail; 4], alike: bool, side: f64) -> Self {
        let mut front = Self::mean(corners.into_iter(), alike, Outline::Square(side));
        for (axis, pairs) in SIDES.iter().enumerate() {
            let [(a, b), (c, d)] = pairs.map(|[from, to]| (corners[from], corners[to]));
            front.across[axis] = (b.point - a.point + d.point - c.point) * (0.5 / side);
            front.longer[axis] = (b.length - a.length + d.length - c.length) * (0.5 / side);
            let part = 0.5 * side / 12.0;
            front.point -= part * (b.across[axis] - a.across[axis] + d.across[axis] - c.across[axis]);
            front.length -= part * (b.longer[axis] - a.longer[axis] + d.longer[axis] - c.longer[axis]);
        }
        let direction = corners.into_iter().map(|corner| corner.direction).sum::<DVec3>() * 0.25;
        let through = front.across[0].cross(front.across[1]).dot(direction).abs();
        front.spreading = through.max(FOCUS).sqrt().recip();
        front
    }

    /// Phase towards s per wavenumber: of the middle, and its change along u and v.
    pub fn phase(&self, s: DVec3) -> (f64, DVec2) {
        let slope = |axis: usize| s.dot(self.across[axis]) - self.longer[axis];
        (s.dot(self.point) - self.length, DVec2::new(slope(0), slope(1)))
    }

    /// ∫ e^{jk(phase towards s)} over the aperture, for each wavenumber: each gets its place and the integral.
    pub fn integrals(&self, s: DVec3, waves: &footprint::Waves, each: impl FnMut(usize, Complex64)) {
        let (middle, slope) = self.phase(s);
        match self.outline {
            Outline::Square(side) => footprint::square(middle, slope, side, waves, each),
            Outline::Polygon(corners) => footprint::polygon(middle, slope, corners, waves, each),
        }
    }
}
