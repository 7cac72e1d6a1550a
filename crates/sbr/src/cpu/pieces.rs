//! What is left of a beam as others are cut off it.

use super::polygon::{Linear, Polygon};
use super::view::Flat;

/// Pieces that a beam may fall into; one that falls into more is halved first.
const MOST_PIECES: usize = 16;

pub(super) struct Pieces {
    left: Vec<Polygon>,
    spare: Vec<Polygon>,
}

impl Pieces {
    pub fn new(whole: Polygon) -> Self {
        Self { left: vec![whole], spare: Vec::new() }
    }

    pub fn left(&self) -> &[Polygon] {
        &self.left
    }

    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    pub fn are_too_many(&self) -> bool {
        self.left.len() > MOST_PIECES
    }

    /// Keeps what is not on a facet where conditions are above zero.
    pub fn subtract(&mut self, facet: &Flat, conditions: &[Linear]) {
        self.spare.clear();
        for &piece in &self.left {
            let is_free = |value: &Linear| piece.range(value)[1] <= value.tolerance;
            if conditions.iter().any(is_free) || facet.is_beside(&piece) {
                self.spare.push(piece);
                continue;
            }
            let mut inside = vec![piece];
            for value in conditions.iter().chain(&facet.sides) {
                inside = divide(inside, value, |outside| self.spare.push(outside));
            }
        }
        std::mem::swap(&mut self.left, &mut self.spare);
    }
}

/// What of a beam is on a facet where a condition is above zero.
pub(super) fn on_facet(beam: &Polygon, facet: &Flat, condition: &Linear) -> Vec<Polygon> {
    if beam.range(condition)[1] <= condition.tolerance || facet.is_beside(beam) {
        return Vec::new();
    }
    let values = std::iter::once(condition).chain(&facet.sides);
    values.fold(vec![*beam], |inside, value| divide(inside, value, |_| ()))
}

/// The parts of polygons where a value is above zero; the others are given away.
fn divide(polygons: Vec<Polygon>, value: &Linear, mut outside: impl FnMut(Polygon)) -> Vec<Polygon> {
    let mut inside = Vec::with_capacity(polygons.len());
    for polygon in polygons.into_iter().flat_map(Polygon::with_room) {
        let [low, high] = polygon.range(value);
        if high <= value.tolerance {
            outside(polygon);
        } else if low >= -value.tolerance {
            inside.push(polygon);
        } else {
            let [within, beyond] = polygon.cut(value);
            inside.extend(Some(within).filter(Polygon::has_area));
            if beyond.has_area() {
                outside(beyond);
            }
        }
    }
    inside
}
