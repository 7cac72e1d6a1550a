//! Tubes that end where facets do.
//!
//! Parallel rays that meet one plane stay parallel, so that a tube can be as wide as the facets that it meets: a beam (P. S. Heckbert,
//! P. Hanrahan, Computer Graphics 18, 119, 1984). Each facet that the wave falls on starts with the whole of its shadow; what lies
//! before it is cut off, and what is left is mirrored and goes on. Over a beam the phase is linear, and its integral exact.

use super::pieces::{Pieces, on_facet};
use super::polygon::{Linear, Polygon};
use super::tally::Tally;
use super::view::{Flat, View};
use crate::exit::{Exit, Tube};
use crate::footprint::MOST_CORNERS;
use crate::front::{Front, Outline};
use crate::scene::{NO_FACET, Scene};
use crate::trail::Trail;
use glam::DVec2;
use phasefront_mesh::bvh::{Bundle, Sheaf};
use std::ops::Range;

/// Facets in the way of a beam; one with more of them is halved.
pub(crate) const MOST_MET: usize = 40;

/// The beams of one incident wave.
pub(crate) struct Beams<'a> {
    pub scene: &'a Scene,
    pub sheaf: Sheaf,
    pub exit: &'a Exit<'a>,
    pub bounces: usize,
    /// Area below which a beam is not cut but goes where the ray in its middle goes.
    pub narrow: f64,
    /// Whether to tell facets and bounces apart.
    pub hot_spots: bool,
}

/// Beams under way.
struct Work<'a> {
    beams: &'a Beams<'a>,
    tally: Tally,
    /// Facets that the beam met.
    way: Vec<u32>,
}

impl Beams<'_> {
    /// Follows those that begin on some of the facets.
    pub fn starting_on(&self, facets: Range<usize>) -> Tally {
        let tally = Tally::new(self.exit.sums());
        let mut work = Work { beams: self, tally, way: Vec::with_capacity(self.bounces) };
        let view = View::new(&self.sheaf, self.scene.touching);
        for number in facets {
            if let Some(flat) = view.flat(&self.scene.facets[number]) {
                work.meet(&view, number as u32, &flat, flat.shape);
            }
        }
        work.tally
    }
}

/// A facet in the way of a beam, and what of the beam is on its plane.
struct Met {
    number: u32,
    flat: Flat,
    beam: Polygon,
}

impl Work<'_> {
    /// The shadow of a facet: what others before it let through goes on.
    fn meet(&mut self, view: &View, number: u32, flat: &Flat, beam: Polygon) {
        if beam.area() <= self.beams.narrow {
            return self.pass_whole(view, None, number, flat, beam);
        }
        let mut pieces = Pieces::new(beam);
        let bundle = view.bundle(&beam, [f64::NEG_INFINITY, beam.range(&flat.depth)[1]]);
        self.visit(view, &bundle, |other, shade| {
            if other != number {
                pieces.subtract(shade, &[before(shade, other, flat, number)]);
            }
            if pieces.is_empty() || pieces.are_too_many() { f64::NEG_INFINITY } else { bundle.high[2] }
        });
        if pieces.are_too_many() {
            return beam.halves().for_each(|half| self.meet(view, number, flat, half));
        }
        for &piece in pieces.left() {
            self.bounce(view, number, flat, piece);
        }
    }

    fn bounce(&mut self, view: &View, number: u32, flat: &Flat, beam: Polygon) {
        self.way.push(number);
        if self.way.len() == self.beams.bounces {
            self.exit(&beam);
        } else {
            let facet = &self.beams.scene.facets[number as usize];
            self.leave(&view.mirrored(facet), &flat.depth, beam);
        }
        self.way.pop();
    }

    /// A beam off the facet that it met last: what meets no other is sent to the receivers.
    fn leave(&mut self, view: &View, left: &Linear, beam: Polygon) {
        if beam.area() <= self.beams.narrow {
            return self.leave_whole(view, left, beam);
        }
        let mut free = Pieces::new(beam);
        let mut met: Vec<Met> = Vec::new();
        let mut deepest = f64::NEG_INFINITY;
        let bundle = view.bundle(&beam, [beam.range(left)[0], f64::INFINITY]);
        let base = bundle.low[2] - beam.range(left)[0];
        self.visit(view, &bundle, |number, flat| {
            let beyond = flat.depth.minus(left);
            for beam in on_facet(&beam, flat, &beyond) {
                // What is behind all that cover the beam is not in its way.
                if !free.is_empty() {
                    deepest = f64::max(deepest, beam.range(&flat.depth)[1] + base);
                }
                met.push(Met { number, flat: *flat, beam });
            }
            free.subtract(flat, &[beyond]);
            if free.are_too_many() || met.len() > MOST_MET {
                f64::NEG_INFINITY
            } else if free.is_empty() {
                deepest
            } else {
                f64::INFINITY
            }
        });
        if free.are_too_many() || met.len() > MOST_MET {
            return beam.halves().for_each(|half| self.leave(view, left, half));
        }
        for piece in free.left() {
            self.exit(piece);
        }
        for goal in &met {
            self.pass(view, left, goal, goal.beam, &met);
        }
    }

    /// A beam on its way to a facet: what others between let through goes on.
    fn pass(&mut self, view: &View, left: &Linear, goal: &Met, beam: Polygon, met: &[Met]) {
        let Met { number, flat, .. } = goal;
        if beam.area() <= self.beams.narrow {
            return self.pass_whole(view, Some(left), *number, flat, beam);
        }
        let mut pieces = Pieces::new(beam);
        for shade in met.iter().filter(|shade| shade.number != *number) {
            let conditions = [before(&shade.flat, shade.number, flat, *number), shade.flat.depth.minus(left)];
            pieces.subtract(&shade.flat, &conditions);
            if pieces.is_empty() || pieces.are_too_many() {
                break;
            }
        }
        if pieces.are_too_many() {
            return beam.halves().for_each(|half| self.pass(view, left, goal, half, met));
        }
        for &piece in pieces.left() {
            self.bounce(view, *number, flat, piece);
        }
    }

    /// A beam that is not cut: it reaches a facet if its middle ray does.
    fn pass_whole(&mut self, view: &View, left: Option<&Linear>, number: u32, flat: &Flat, beam: Polygon) {
        if self.first_on_way(view, left, beam.middle()) == Some(number) {
            self.bounce(view, number, flat, beam);
        }
    }

    /// A beam that is not cut goes where its middle ray goes.
    fn leave_whole(&mut self, view: &View, left: &Linear, beam: Polygon) {
        let Some(number) = self.first_on_way(view, Some(left), beam.middle()) else {
            return self.exit(&beam);
        };
        if let Some(flat) = view.flat(&self.beams.scene.facets[number as usize]) {
            self.bounce(view, number, &flat, beam);
        }
    }

    /// Shows all facets in the way of a bundle but the one that was met last.
    fn visit(&mut self, view: &View, bundle: &Bundle, mut each: impl FnMut(u32, &Flat) -> f64) {
        self.tally.counts.rays += 1;
        let scene = self.beams.scene;
        let left = self.way.last().copied();
        let mut farthest = bundle.high[2];
        scene.tree.bundle(bundle, |number| {
            if Some(number) != left
                && let Some(flat) = view.flat(&scene.facets[number as usize])
            {
                farthest = each(number, &flat);
            }
            farthest
        });
    }

    /// What a single ray meets.
    fn first_on_way(&mut self, view: &View, left: Option<&Linear>, place: DVec2) -> Option<u32> {
        self.tally.counts.rays += 1;
        let scene = self.beams.scene;
        let k = view.axes[2];
        let start = match left {
            Some(left) => view.point(place, left.at(place)),
            None => scene.before_everything(view.point(place, 0.0), k),
        };
        scene.closest(start, k, self.way.last().copied().unwrap_or(NO_FACET), &mut None)
    }

    /// Sends a beam to the receivers.
    fn exit(&mut self, beam: &Polygon) {
        let Beams { scene, sheaf, exit, hot_spots, .. } = self.beams;
        let middle = beam.middle();
        let mut corners = [DVec2::ZERO; MOST_CORNERS];
        for (corner, place) in corners.iter_mut().zip(beam.corners()) {
            *corner = *place - middle;
        }
        let outline = Outline::Polygon(&corners[..beam.corners().len()]);
        let start = Trail::new(sheaf, exit.incident[0], middle.to_array());
        let front = |way: &[u32]| Front::new(&start.follow(scene, way), outline);
        let tube = Tube { way: &self.way, exit: front(&self.way), shadow: front(&self.way[..1]) };
        self.tally.add(exit, &tube, beam.area(), *hot_spots);
    }
}

/// How far a facet is before another. Of two in one place the first is seen.
fn before(shade: &Flat, shade_number: u32, flat: &Flat, number: u32) -> Linear {
    let mut before = flat.depth.minus(&shade.depth);
    before.offset += if shade_number < number { 2.0 * before.tolerance } else { 0.0 };
    before
}
