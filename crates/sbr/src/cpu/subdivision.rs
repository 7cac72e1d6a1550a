//! Subdivision of a beam: what remains of a polygon after occluders are clipped away.

use super::frame::ProjectedFacet;
use super::polygon::{Affine, Polygon};
use crate::layout::MAX_POLYGONS;

/// The remaining polygons of a beam.
#[derive(Default)]
pub(super) struct Subdivision {
    polygons: Vec<Polygon>,
    /// Double buffer of `polygons`.
    scratch: Vec<Polygon>,
    /// The parts of a polygon that are being clipped.
    inside: Vec<Polygon>,
}

impl Subdivision {
    /// Begins with a whole beam; what the memory held before is dropped.
    pub fn begin(&mut self, whole: Polygon) {
        self.polygons.clear();
        self.polygons.push(whole);
    }

    pub fn polygons(&self) -> &[Polygon] {
        &self.polygons
    }

    pub fn is_empty(&self) -> bool {
        self.polygons.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.polygons.len() > MAX_POLYGONS
    }

    /// Removes the part covered by a facet where all conditions are positive.
    pub fn subtract(&mut self, facet: &ProjectedFacet, conditions: &[Affine]) {
        // Cheapest tests first: most polygons are not touched by a facet and pass unchanged.
        let is_touched = |polygon: &Polygon| {
            let is_negative = |value: &Affine| polygon.range(value)[1] <= value.tolerance;
            !conditions.iter().any(is_negative) && !facet.is_disjoint(polygon)
        };
        let Self { polygons, scratch, inside } = self;
        let Some(first) = polygons.iter().position(is_touched) else { return };
        scratch.clear();
        scratch.extend_from_slice(&polygons[..first]);
        for (i, polygon) in polygons.iter().enumerate().skip(first) {
            if i > first && !is_touched(polygon) {
                scratch.push(*polygon);
                continue;
            }
            // A polygon is cut one half-plane at a time. Each outside part remains, and what is
            // inside all of them is covered and dropped.
            inside.clear();
            inside.push(*polygon);
            // The outside parts are disjoint, so that no area is counted twice.
            for value in conditions.iter().chain(&facet.sides) {
                clip(inside, value, |outside| scratch.push(outside));
            }
        }
        // The buffers exchange roles, and their capacity is reused.
        std::mem::swap(polygons, scratch);
    }
}

/// The part of a beam on a facet where a condition is positive; in `inside`, what that held before is dropped.
pub(super) fn intersection(
    beam: &Polygon,
    facet: &ProjectedFacet,
    condition: &Affine,
    inside: &mut Vec<Polygon>,
) {
    inside.clear();
    if beam.range(condition)[1] <= condition.tolerance || facet.is_disjoint(beam) {
        return;
    }
    inside.push(*beam);
    for value in std::iter::once(condition).chain(&facet.sides) {
        clip(inside, value, |_| ());
    }
}

/// Leaves the parts of polygons where a value is positive; the rest goes to `outside`.
fn clip(inside: &mut Vec<Polygon>, value: &Affine, mut outside: impl FnMut(Polygon)) {
    let mut i = 0;
    while i < inside.len() {
        if let Some([one, other]) = inside[i].halves_if_full() {
            inside[i] = one;
            inside.insert(i + 1, other);
        }
        let polygon = &inside[i];
        let [low, high] = polygon.range(value);
        if high <= value.tolerance {
            outside(inside.remove(i));
            continue;
        }
        if low < -value.tolerance {
            let [positive, negative] = polygon.split(value);
            if negative.has_area() {
                outside(negative);
            }
            if !positive.has_area() {
                inside.remove(i);
                continue;
            }
            inside[i] = positive;
        }
        i += 1;
    }
}
