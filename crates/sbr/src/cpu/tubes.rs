//! Tubes of rays: which stay together, and what becomes of the others.

use super::block::{Ray, Shooting, Work};
use super::cut::Ways;
use crate::exit::Tube;
use crate::footprint::MOST_CORNERS;
use crate::front::{Front, Outline, bend, slope_change};
use crate::problem::Tubes;
use crate::trail::Trail;
use glam::DVec2;
use num_complex::Complex64;

/// Most that paths over a tube may be from linear, in radians, and more for the parts of a split one: 2^depth of them lie along an
/// edge that crosses it. The mean over a tube is right to second order; what is left is c²/1440 on a smooth surface and ±0.04 c where
/// two facets meet, either way with equal chance.
pub(crate) const BEND: f64 = 0.5;
/// How often a tube may be split in 2 × 2 if its rays bounce once at most. At the rim of smooth bodies the phase runs as a
/// root of the distance from it, and 32 bundles along a tube's side are fine enough at 0.1 wavelengths.
pub(crate) const SPLITS_OF_RIMS: u32 = 5;
/// And if they bounce on: off curved surfaces such rays part at ever smaller distances.
const SPLITS: u32 = 2;

/// A polygon of the aperture whose rays go one way.
pub(super) struct Piece {
    pub corners: Vec<Ray>,
}

impl Work<'_> {
    /// Adds a tube with its corners in order around it.
    pub fn tube(&mut self, corners: [&Ray; 4]) {
        if corners.iter().all(|ray| ray.patches == 0) {
            return;
        }
        match self.shooting.tubes {
            Tubes::Adaptive => self.adaptive(corners, 0),
            Tubes::Paper => self.paper(corners),
        }
    }

    fn adaptive(&mut self, corners: [&Ray; 4], depth: u32) {
        let side = self.side(depth);
        let last = depth >= if corners.iter().any(|ray| ray.hits > 1) { SPLITS } else { SPLITS_OF_RIMS };
        let limit = BEND * f64::from(1 << depth) / self.shooting.k;
        if Ways::Patches.count(corners) == 1 {
            if corners[0].patches == 0 {
                return;
            }
            let facets = Ways::Facets.count(corners);
            if facets == 1 || last || bend(trails(corners), side) <= limit {
                return self.add_whole(corners, side);
            }
            if facets == 2 && self.add_pieces(corners, Ways::Facets, side, limit) {
                return;
            }
        } else if Ways::Patches.count(corners) == 2 && self.add_pieces(corners, Ways::Patches, side, limit) {
            return;
        }
        if last { self.add_centre(corners, side) } else { self.split(corners, depth) }
    }

    /// The paper's rule: a tube is kept if the last hits of its corners are on one triangle.
    fn paper(&mut self, corners: [&Ray; 4]) {
        let side = self.side(0);
        let hits = corners.iter().filter(|ray| ray.patches != 0).count();
        let last = |ray: &Ray| self.way(ray).last().copied();
        if hits == 4 && corners.iter().all(|ray| last(ray) == last(corners[0])) {
            return self.add_centre(corners, side);
        }
        let area = side * side * hits as f64 / 4.0;
        self.tally.counts.hit_area += area;
        self.tally.counts.discarded_area += area;
    }

    /// Splits a tube in 2 × 2.
    fn split(&mut self, corners: [&Ray; 4], depth: u32) {
        let centre = &self.shoot(middle(corners));
        let sides = [0, 1, 2, 3].map(|i| self.shoot(middle([corners[i], corners[(i + 1) % 4]])));
        for i in 0..4 {
            // The corner stays in its place: tubes begin with the lowest.
            let mut part = [centre; 4];
            part[i] = corners[i];
            part[(i + 1) % 4] = &sides[i];
            part[(i + 3) % 4] = &sides[(i + 3) % 4];
            self.adaptive(part, depth + 1);
        }
    }

    /// Cuts a tube where two ways part, if that can be found and leaves pieces that are nearly flat.
    fn add_pieces(&mut self, corners: [&Ray; 4], ways: Ways, side: f64, limit: f64) -> bool {
        let Some(pieces) = self.pieces(corners, ways) else { return false };
        if pieces.iter().any(|piece| Self::bend(piece, side) > limit) {
            return false;
        }
        for piece in pieces {
            if piece.corners[0].patches != 0 {
                self.add_piece(&piece);
            }
        }
        true
    }

    /// How far the paths over a piece of a tube are from linear, at most.
    fn bend(piece: &Piece, side: f64) -> f64 {
        let first = &piece.corners[0];
        let change =
            |ray: &Ray| slope_change(&first.trail, &ray.trail, 0) + slope_change(&first.trail, &ray.trail, 1);
        let others = piece.corners.iter().filter(|ray| ray.facets != first.facets);
        side * others.map(change).fold(0.0, f64::max)
    }

    fn add_whole(&mut self, corners: [&Ray; 4], side: f64) {
        let alike = are_alike(&corners);
        let shadow = self.first_trails(&corners);
        let shadow = Front::between([0, 1, 2, 3].map(|i| &shadow[i]), alike, side);
        self.add(&corners, &Front::between(trails(corners), alike, side), &shadow, side * side);
    }

    /// A tube that is neither whole nor cut goes to the ray in its middle.
    fn add_centre(&mut self, corners: [&Ray; 4], side: f64) {
        let ray = self.shoot(middle(corners));
        if ray.patches != 0 {
            let shadow = self.first_trails(&[&ray])[0];
            self.add(&[&ray], &Front::around(&ray.trail, side), &Front::around(&shadow, side), side * side);
        }
    }

    fn add_piece(&mut self, piece: &Piece) {
        let step = self.shooting.aperture.step;
        let rays: Vec<&Ray> = piece.corners.iter().collect();
        let mean = DVec2::from(middle(rays.iter().copied()));
        let mut polygon = [DVec2::ZERO; MOST_CORNERS];
        for (place, ray) in polygon.iter_mut().zip(&piece.corners) {
            *place = step * (DVec2::from(ray.at) - mean);
        }
        let polygon = &polygon[..piece.corners.len().min(MOST_CORNERS)];
        let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
        let area = 0.5 * edges.map(|(a, b)| a.perp_dot(*b)).sum::<f64>().abs();
        let alike = are_alike(&rays);
        let shadow = self.first_trails(&rays);
        let exit = Front::mean(piece.corners.iter().map(|ray| &ray.trail), alike, Outline::Polygon(polygon));
        let shadow = Front::mean(shadow.iter(), alike, Outline::Polygon(polygon));
        self.add(&rays, &exit, &shadow, area);
    }

    /// Where rays were on their first facets, if a receiver sees the shadow; where they are otherwise.
    fn first_trails(&self, rays: &[&Ray]) -> Vec<Trail> {
        let Shooting { scene, exit, .. } = *self.shooting;
        let first = |ray: &&Ray| {
            if !exit.has_shadow() {
                return ray.trail;
            }
            self.start(ray.at).trail.follow(scene, &self.way(ray)[..1])
        };
        rays.iter().map(first).collect()
    }

    /// Adds a tube that some rays stand for.
    fn add(&mut self, rays: &[&Ray], exit: &Front<'_>, shadow: &Front<'_>, area: f64) {
        let count = if are_alike(rays) { 1 } else { rays.len().min(MOST_CORNERS) };
        let mut ways: [&[u32]; MOST_CORNERS] = [&[]; MOST_CORNERS];
        for (way, ray) in ways.iter_mut().zip(&rays[..count]) {
            *way = ray.way(&self.ways);
        }
        let tube = Tube { ways: &ways[..count], exit, shadow };
        if self.shooting.hot_spots {
            let mut spot = [[Complex64::ZERO; 4]];
            self.shooting.exit.add(&tube, &mut spot);
            let part = spot[0].map(|amplitude| amplitude / count as f64);
            let facets = tube.ways.iter().filter_map(|way| way.last());
            self.tally.hot_spots.extend(facets.map(|&facet| (rays[0].hits, facet, part)));
        } else {
            self.shooting.exit.add(&tube, &mut self.tally.sums);
        }
        self.tally.counts.bounces = self.tally.counts.bounces.max(rays[0].hits);
        self.tally.counts.hit_area += area;
    }

    /// Width of a tube that was split so often.
    fn side(&self, depth: u32) -> f64 {
        self.shooting.aperture.step / f64::from(1 << depth)
    }
}

/// Rays that met the same facets have the same field.
fn are_alike(rays: &[&Ray]) -> bool {
    rays.iter().all(|ray| ray.facets == rays[0].facets)
}

fn trails(corners: [&Ray; 4]) -> [&Trail; 4] {
    [0, 1, 2, 3].map(|i| &corners[i].trail)
}

/// The mean place of some rays.
fn middle<'a>(rays: impl IntoIterator<Item = &'a Ray>) -> [f64; 2] {
    let (mut sum, mut count) = (DVec2::ZERO, 0.0);
    for ray in rays {
        sum += DVec2::from(ray.at);
        count += 1.0;
    }
    (sum / count).to_array()
}
