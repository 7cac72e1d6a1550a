//! Where the ways of rays part.
//!
//! Between two rays that go different ways the parting lies where one of them leaves its facet, at the first bounce that tells them
//! apart. That place is known to rounding from the facet's edges. If it is the last bounce of both, and what lies beyond the edge is not
//! more of the same, that is all; otherwise two rays close to it confirm that nothing else is in between.

use super::block::{Ray, Work};
use super::tubes::Piece;
use crate::footprint::MOST_CORNERS;
use crate::scene::Facet;
use glam::{DVec2, DVec3};

/// How far from the parting the rays are that confirm it, as a part of the distance between those that it parts; and in roundings
/// of the tracer at least.
const ASIDE: f64 = 1e-3;
const ROUNDINGS: f64 = 4.0;
/// Facets of one way that are crossed on the way to its end.
const FACETS: usize = 4;
/// Halvings between two rays where the facets do not tell: to 1/256 of their distance.
const HALVINGS: u32 = 8;

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
            let parting = self.parting(a, b, ways)?;
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

    /// The place between two rays where their ways part; `None` if there is a third way between them.
    fn parting(&mut self, a: Ray, b: Ray, ways: Ways) -> Option<Parting> {
        if let Some(parting) = self.known_parting(&a, &b, ways) {
            return Some(parting);
        }
        let (mut inside, mut outside) = (a, b);
        match self.walk(&mut inside, &mut outside, ways) {
            Found::Parting(parting) => return Some(parting),
            Found::Third => return None,
            Found::Nothing => {}
        }
        match self.walk(&mut outside, &mut inside, ways) {
            Found::Parting(Parting { end, start, normal }) => {
                return Some(Parting { end: start, start: end, normal });
            }
            Found::Third => return None,
            Found::Nothing => {}
        }
        for _ in 0..HALVINGS {
            let between = self.shoot(at(&inside, &outside, 0.5));
            if ways.of(&between) == ways.of(&a) {
                inside = between;
            } else if ways.of(&between) == ways.of(&b) {
                outside = between;
            } else {
                return None;
            }
        }
        Some(Parting { end: inside, start: outside, normal: None })
    }

    /// From `inside` over the facets of its way to where the way of `outside` begins.
    fn walk(&mut self, inside: &mut Ray, outside: &mut Ray, ways: Ways) -> Found {
        let (own, other) = (ways.of(inside), ways.of(outside));
        for _ in 0..FACETS {
            let aside = self.aside(inside, outside);
            let bounce = self.first_difference(inside, outside, ways);
            let Some(End { at: t, normal, .. }) = self.end_of_facet(inside, outside, bounce) else {
                return Found::Nothing;
            };
            if t + aside >= 1.0 || t - aside <= 0.0 {
                return Found::Nothing;
            }
            let beyond = self.shoot(at(inside, outside, t + aside));
            if ways.of(&beyond) == own {
                *inside = beyond;
                continue;
            }
            if ways.of(&beyond) != other {
                return Found::Third;
            }
            let before = self.shoot(at(inside, outside, t - aside));
            if ways.of(&before) == own {
                let place = at(inside, outside, t);
                let (end, start) = (self.moved(&before, place), self.moved(&beyond, place));
                return Found::Parting(Parting { end, start, normal: Some(normal) });
            }
            // The other way begins earlier: something of its own is in front.
            if ways.of(&before) != other {
                return Found::Third;
            }
            *outside = before;
            return Found::Nothing;
        }
        Found::Nothing
    }

    fn aside(&self, a: &Ray, b: &Ray) -> f64 {
        let apart = (a.at[0] - b.at[0]).hypot(a.at[1] - b.at[1]);
        let rounding = f64::from(self.shooting.scene.nearest) / self.shooting.aperture.step;
        ASIDE.max(ROUNDINGS * rounding / apart)
    }

    /// The parting, where edges alone tell it.
    fn known_parting(&self, a: &Ray, b: &Ray, ways: Ways) -> Option<Parting> {
        let bounce = self.first_difference(a, b, ways);
        // Later bounces may part the ways elsewhere.
        if a.hits > bounce + 1 || b.hits > bounce + 1 {
            return None;
        }
        let own = self.end_of_facet(a, b, bounce);
        let other = self.end_of_facet(b, a, bounce).map(|end| End { at: 1.0 - end.at, ..end });
        let end = match (own, other) {
            (Some(own), Some(other)) if (own.at - other.at).abs() < SAME_EDGE => own,
            // One is before the other where both are; between them where neither is there is a third.
            (Some(own), Some(other)) if own.at > other.at => {
                let middle = 0.5 * (own.at + other.at);
                let front = if own.depth_at(middle) < other.depth_at(1.0 - middle) { own } else { other };
                front.is_last(ways).then_some(front)?
            }
            (Some(_), Some(_)) | (None, None) => return None,
            (Some(end), None) | (None, Some(end)) => end.is_last(ways).then_some(end)?,
        };
        let place = at(a, b, end.at);
        (end.at > 0.0 && end.at < 1.0).then(|| Parting {
            end: self.moved(a, place),
            start: self.moved(b, place),
            normal: Some(end.normal),
        })
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

    /// Where `inside`, on its way towards `outside`, leaves the facet that it met at this bounce.
    fn end_of_facet(&self, inside: &Ray, outside: &Ray, bounce: usize) -> Option<End<'_>> {
        let scene = self.shooting.scene;
        let own = self.way(inside).get(..=bounce)?;
        let before = self.start(inside.at).trail.follow(scene, &own[..bounce]);
        let facet = &scene.facets[own[bounce] as usize];
        let mut trail = before;
        trail.bounce(facet);
        let step = self.shooting.aperture.step;
        let [x, y] = [0, 1].map(|axis| step * (outside.at[axis] - inside.at[axis]));
        let motion = x * trail.across[0] + y * trail.across[1];
        let crossing = |i: usize| {
            let [a, b] = [facet.corners[i], facet.corners[(i + 1) % 3]];
            let inwards = facet.normal.cross(b - a);
            let approach = -motion.dot(inwards);
            let normal = DVec2::from(trail.across.map(|p| p.dot(inwards))).try_normalize()?;
            let at = (trail.point - a).dot(inwards) / approach;
            let depth = [trail.length, x * trail.longer[0] + y * trail.longer[1]];
            let beyond = scene.facets.get(facet.neighbours[i] as usize);
            (approach > 0.0).then_some(End { at, normal, depth, facet, beyond, k: before.direction })
        };
        (0..3).filter_map(crossing).min_by(|a, b| a.at.total_cmp(&b.at))
    }
}

/// Where a ray that is moved leaves its facet.
#[derive(Clone, Copy)]
struct End<'a> {
    /// As a part of the way from one ray to the other.
    at: f64,
    /// Of the facet's edge there, as the aperture sees it.
    normal: DVec2,
    /// Length of the path at the start, and its change over the whole way.
    depth: [f64; 2],
    facet: &'a Facet,
    /// What is beyond the edge.
    beyond: Option<&'a Facet>,
    /// Direction of the ray that meets it.
    k: DVec3,
}

impl End<'_> {
    /// Length of the path at a part of the way, counted from the ray that is on the facet.
    fn depth_at(&self, part: f64) -> f64 {
        self.depth[0] + part * self.depth[1]
    }

    /// Whether a way ends with the facet, and does not go on over the next one.
    fn is_last(&self, ways: Ways) -> bool {
        let goes_on = |beyond: &Facet| {
            let sides = [self.facet, beyond].map(|facet| self.k.dot(facet.normal) < 0.0);
            beyond.patch == self.facet.patch && sides[0] == sides[1]
        };
        match ways {
            Ways::Facets => true,
            Ways::Patches => !self.beyond.is_some_and(goes_on),
        }
    }
}

/// Where one way ends and the other starts.
struct Parting {
    end: Ray,
    start: Ray,
    /// Of the edge that parts them, in the aperture, where it is known.
    normal: Option<DVec2>,
}

#[allow(clippy::large_enum_variant, reason = "it lives on the stack, for a moment")]
enum Found {
    Parting(Parting),
    Third,
    Nothing,
}

/// Where the edges through two partings meet, if they are not one line.
fn apex(a: &Parting, b: &Parting) -> Option<[f64; 2]> {
    let [p, q] = [a, b].map(|parting| DVec2::from(parting.end.at));
    let (n, m) = (a.normal?, b.normal?);
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
