//! Where the ways of rays part.
//!
//! Between two rays that go different ways the parting lies where one of them leaves the surface that it met at the first bounce that
//! tells them apart. The edges of facets tell that place to rounding, without another ray.

use super::block::{Ray, Work};
use super::tubes::Piece;
use crate::footprint::MOST_CORNERS;
use crate::scene::{Facet, Scene};
use crate::trail::Trail;
use glam::{DVec2, DVec3};
use phasefront_mesh::SMOOTH_ANGLE;

/// Facets of a smooth surface that are crossed on the way to its end.
const FACETS: usize = 16;
/// Facets lie in one plane if they turn by less than this angle.
const FLAT: f64 = 1e-9;
/// Two facets share an edge if they end at the same place, as a part of the distance between the rays.
const SAME_EDGE: f64 = 1e-7;
/// Edges are in line if they leave it by less than this angle.
const STRAIGHT: f64 = 1e-3;

/// What tells ways apart.
#[derive(Clone, Copy)]
pub(super) enum Ways {
    /// The smooth patches that were met.
    Patches,
    /// The facets.
    Facets,
}

impl Ways {
    fn of(self, ray: &Ray) -> u32 {
        match self {
            Self::Patches => ray.patches,
            Self::Facets => ray.facets,
        }
    }

    /// How many different ones there are.
    pub fn count(self, rays: [&Ray; 4]) -> usize {
        let is_first = |i: &usize| rays[..*i].iter().all(|earlier| self.of(earlier) != self.of(rays[*i]));
        (0..rays.len()).filter(is_first).count()
    }
}

impl Work<'_> {
    /// A tube whose corners go two ways, cut between them: each gets the polygon of its corners and of the places on the tube's
    /// sides where it ends, and of the corner between if the edges there are not in line. `None` if there is a third way.
    pub fn pieces(&mut self, corners: [&Ray; 4], ways: Ways) -> Option<[Piece; 2]> {
        let first = ways.of(corners[0]);
        let mut pieces = [0, 1].map(|_| Piece { corners: Vec::with_capacity(MOST_CORNERS) });
        let mut earlier: Option<Parting> = None;
        for i in 0..4 {
            let (a, b) = (*corners[i], *corners[(i + 1) % 4]);
            let own = usize::from(ways.of(&a) != first);
            pieces[own].corners.push(a);
            if ways.of(&a) == ways.of(&b) {
                continue;
            }
            let parting = self.parting(&a, &b, ways)?;
            pieces[own].corners.push(parting.end);
            if let Some(earlier) = &earlier
                && let Some(apex) = apex(earlier, &parting)
            {
                if !is_within(corners, apex) {
                    return None;
                }
                pieces[own].corners.push(self.moved(&parting.end, apex));
                pieces[1 - own].corners.push(self.moved(&parting.start, apex));
            }
            pieces[1 - own].corners.push(parting.start);
            earlier = Some(parting);
        }
        Some(pieces)
    }

    /// The place between two rays where their ways part; `None` if edges do not tell it.
    fn parting(&mut self, a: &Ray, b: &Ray, ways: Ways) -> Option<Parting> {
        let bounce = self.first_difference(a, b, ways);
        let own = self.end_of_surface(a, b, bounce, ways);
        let other = self.end_of_surface(b, a, bounce, ways).map(|end| End { at: 1.0 - end.at, ..end });
        let end = match (own, other) {
            (Some(own), Some(other)) if (own.at - other.at).abs() < SAME_EDGE => own,
            // One is before the other where both are.
            (Some(own), Some(other)) if own.at > other.at => {
                let middle = 0.5 * (own.at + other.at);
                if own.depth_at(middle) < other.depth_at(1.0 - middle) { own } else { other }
            }
            // There is something else between them.
            (Some(_), Some(_)) | (None, None) => return None,
            (Some(end), None) | (None, Some(end)) => end,
        };
        if end.goes_on || !(end.at > 0.0 && end.at < 1.0) {
            return None;
        }
        let place = at(a, b, end.at);
        if !(self.holds(a, place, bounce) && self.holds(b, place, bounce)) {
            return None;
        }
        let normal = end.normal;
        let [a, b] = [(a, own), (b, other)].map(|(ray, end)| match end {
            Some(end) => self.on_facet(ray, bounce, end.facet),
            None => *ray,
        });
        Some(Parting { end: self.moved(&a, place), start: self.moved(&b, place), normal })
    }

    /// Whether a ray, moved elsewhere, still meets the planes that it met after a bounce within their facets.
    fn holds(&self, ray: &Ray, place: [f64; 2], bounce: usize) -> bool {
        let scene = self.shooting.scene;
        let [mut here, mut there] = [ray.at, place].map(|at| self.start(at).trail);
        self.way(ray).iter().enumerate().all(|(m, &number)| {
            let facet = &scene.facets[number as usize];
            here.bounce(facet);
            there.bounce(facet);
            m <= bounce || stays_in_plane(scene, number, here.point, there.point)
        })
    }

    /// A ray that met another facet of the same surface at its last bounce; at an earlier one it stays as it is, in the same plane.
    fn on_facet(&mut self, ray: &Ray, bounce: usize, facet: u32) -> Ray {
        if self.way(ray)[bounce] == facet || ray.hits > bounce + 1 {
            return *ray;
        }
        let mut way = self.way(ray)[..bounce].to_vec();
        way.push(facet);
        self.with_way(ray, &way)
    }

    /// The first bounce that tells two rays apart.
    fn first_difference(&self, a: &Ray, b: &Ray, ways: Ways) -> usize {
        let scene = self.shooting.scene;
        let (own, other) = (self.way(a), self.way(b));
        let alike = |(a, b): &(&u32, &u32)| match ways {
            Ways::Facets => a == b,
            Ways::Patches => scene.facets[**a as usize].patch == scene.facets[**b as usize].patch,
        };
        own.iter().zip(other).take_while(alike).count()
    }

    /// Where `inside`, on its way towards `outside`, leaves the surface that it met at this bounce: a facet or, if ways are by patches,
    /// the plane that it lies in, or at the last bounce the smooth patch. `None` if it met none.
    fn end_of_surface(&self, inside: &Ray, outside: &Ray, bounce: usize, ways: Ways) -> Option<End> {
        let scene = self.shooting.scene;
        let own = self.way(inside).get(..=bounce)?;
        let before = self.start(inside.at).trail.follow(scene, &own[..bounce]);
        let step = self.shooting.aperture.step;
        let motion = [0, 1].map(|axis| step * (outside.at[axis] - inside.at[axis]));
        let mut end = end_of_facet(scene, before, own[bounce], motion)?;
        for _ in 1..FACETS {
            // Off a plane rays go on as before; off a curved surface later bounces are another matter.
            let may_turn = if inside.hits > bounce + 1 { FLAT } else { SMOOTH_ANGLE.sin() };
            let turn = || {
                let [a, b] = [end.facet, end.beyond].map(|facet| scene.facets[facet as usize].normal);
                a.cross(b).length()
            };
            if !end.goes_on || matches!(ways, Ways::Facets) || turn() > may_turn {
                break;
            }
            end = end_of_facet(scene, before, end.beyond, motion)?;
        }
        end.goes_on &= matches!(ways, Ways::Patches);
        Some(end)
    }
}

/// Whether the way between two points on the plane of a facet, the first within it, stays on facets in that plane.
fn stays_in_plane(scene: &Scene, mut number: u32, from: DVec3, to: DVec3) -> bool {
    let normal = scene.facets[number as usize].normal;
    for _ in 0..FACETS {
        let facet = &scene.facets[number as usize];
        // How far along the way each edge is crossed outwards.
        let crossing = |i: usize| {
            let [a, b] = [facet.corners[i], facet.corners[(i + 1) % 3]];
            let inwards = facet.normal.cross(b - a);
            let approach = (from - to).dot(inwards);
            (approach > 0.0).then(|| ((from - a).dot(inwards) / approach, facet.neighbours[i]))
        };
        let Some((at, next)) = (0..3).filter_map(crossing).min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return true;
        };
        if at >= 1.0 - SAME_EDGE {
            return true;
        }
        match scene.facets.get(next as usize) {
            Some(beyond) if beyond.normal.cross(normal).length_squared() < FLAT * FLAT => number = next,
            _ => return false,
        }
    }
    false
}

/// Where a ray, moved by so much in the aperture, leaves the plane triangle of a facet.
fn end_of_facet(scene: &Scene, before: Trail, number: u32, [x, y]: [f64; 2]) -> Option<End> {
    let facet = &scene.facets[number as usize];
    let mut trail = before;
    trail.bounce(facet);
    let motion = x * trail.across[0] + y * trail.across[1];
    let crossing = |i: usize| {
        let [a, b] = [facet.corners[i], facet.corners[(i + 1) % 3]];
        let inwards = facet.normal.cross(b - a);
        let approach = -motion.dot(inwards);
        let normal = DVec2::from(trail.across.map(|p| p.dot(inwards))).try_normalize()?;
        (approach > 0.0).then(|| ((trail.point - a).dot(inwards) / approach, normal, facet.neighbours[i]))
    };
    let (at, normal, beyond) = (0..3).filter_map(crossing).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let side = |facet: &Facet| before.direction.dot(facet.normal) < 0.0;
    let next = scene.facets.get(beyond as usize);
    let goes_on = next.is_some_and(|next| next.patch == facet.patch && side(next) == side(facet));
    let depth = [trail.length, x * trail.longer[0] + y * trail.longer[1]];
    Some(End { at, normal, depth, facet: number, beyond, goes_on })
}

/// Where a ray that is moved leaves its facet.
#[derive(Clone, Copy)]
struct End {
    /// As a part of the way from one ray to the other.
    at: f64,
    /// Of the facet's edge there, as the aperture sees it.
    normal: DVec2,
    /// Length of the path at the start, and its change over the whole way.
    depth: [f64; 2],
    facet: u32,
    /// What is beyond the edge, and whether that is more of the same patch, seen from the same side.
    beyond: u32,
    goes_on: bool,
}

impl End {
    /// Length of the path at a part of the way, counted from the ray that is on the facet.
    fn depth_at(&self, part: f64) -> f64 {
        self.depth[0] + part * self.depth[1]
    }
}

/// Where one way ends and the other starts.
struct Parting {
    end: Ray,
    start: Ray,
    /// Of the edge that parts them, in the aperture.
    normal: DVec2,
}

/// Where the edges through two partings meet, if they are not one line.
fn apex(a: &Parting, b: &Parting) -> Option<[f64; 2]> {
    let [p, q] = [a, b].map(|parting| DVec2::from(parting.end.at));
    let (n, m) = (a.normal, b.normal);
    let line = q - p;
    if n.dot(line).abs().max(m.dot(line).abs()) < STRAIGHT * line.length() {
        return None;
    }
    // n·(x − p) = 0 and m·(x − q) = 0.
    let along = n.perp();
    let x = p + along * (m.dot(line) / m.dot(along));
    Some(x.to_array())
}

/// Whether a place is in a tube. One that is no number is not.
fn is_within(corners: [&Ray; 4], place: [f64; 2]) -> bool {
    let (low, high) = (corners[0].at, corners[2].at);
    (0..2).all(|axis| low[axis] <= place[axis] && place[axis] <= high[axis])
}

/// Part of the way from one ray to another.
fn at(a: &Ray, b: &Ray, t: f64) -> [f64; 2] {
    [0, 1].map(|axis| a.at[axis] + t * (b.at[axis] - a.at[axis]))
}
