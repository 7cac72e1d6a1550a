//! Subdivision of a beam: what remains of a polygon after occluders are clipped away.

use super::frame::ProjectedFacet;
use super::polygon::{Affine, Polygon};
use crate::layout::MAX_POLYGONS;

/// The remaining polygons of a beam.
pub(super) struct Subdivision {
    polygons: Vec<Polygon>,
    /// Double buffer of `polygons`.
    scratch: Vec<Polygon>,
}

impl Subdivision {
    pub fn new(whole: Polygon) -> Self {
        Self { polygons: vec![whole], scratch: Vec::new() }
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
        self.scratch.clear();
        for &polygon in &self.polygons {
            // Cheapest tests first: most polygons are not touched by a facet and pass unchanged.
            let is_negative = |value: &Affine| polygon.range(value)[1] <= value.tolerance;
            if conditions.iter().any(is_negative) || facet.is_disjoint(&polygon) {
                self.scratch.push(polygon);
                continue;
            }
            // A polygon is cut one half-plane at a time. Each outside part remains, and what is
            // inside all of them is covered and dropped.
            let mut inside = vec![polygon];
            // The outside parts are disjoint, so that no area is counted twice.
            for value in conditions.iter().chain(&facet.sides) {
                inside = clip(inside, value, |outside| self.scratch.push(outside));
            }
        }
        // The buffers exchange roles, and their capacity is reused.
        std::mem::swap(&mut self.polygons, &mut self.scratch);
    }
}

/// The part of a beam on a facet where a condition is positive.
pub(super) fn intersection(beam: &Polygon, facet: &ProjectedFacet, condition: &Affine) -> Vec<Polygon> {
    if beam.range(condition)[1] <= condition.tolerance || facet.is_disjoint(beam) {
        return Vec::new();
    }
    let values = std::iter::once(condition).chain(&facet.sides);
    values.fold(vec![*beam], |inside, value| clip(inside, value, |_| ()))
}

/// The parts of polygons where a value is positive; the rest goes to `outside`.
fn clip(polygons: Vec<Polygon>, value: &Affine, mut outside: impl FnMut(Polygon)) -> Vec<Polygon> {
    let mut inside = Vec::with_capacity(polygons.len());
    for polygon in polygons.into_iter().flat_map(Polygon::split_if_full) {
        let [low, high] = polygon.range(value);
        if high <= value.tolerance {
            outside(polygon);
        } else if low >= -value.tolerance {
            inside.push(polygon);
        } else {
            let [positive, negative] = polygon.split(value);
            inside.extend(Some(positive).filter(Polygon::has_area));
            if negative.has_area() {
                outside(negative);
            }
        }
    }
    inside
}
