//! What leaves the target through one tube: a plane wave on a flat piece of surface.
//!
//! The map from the aperture to the surface is linear over a tube, and so is the phase, so that the integral over the surface is one
//! over the tube's polygon in the aperture.

use crate::footprint;
use crate::trail::Trail;
use glam::{DVec2, DVec3};
use num_complex::Complex64;

/// A wave on a piece of surface, about the point that stands for the tube.
#[derive(Clone, Copy)]
pub(crate) struct Front<'a> {
    trail: Trail,
    /// Normal of the surface times its area per area of the aperture, on the side of the wave.
    pub area: DVec3,
    outline: Outline<'a>,
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
    pub fn new(trail: &Trail, outline: Outline<'a>) -> Self {
        let area = trail.across[0].cross(trail.across[1]);
        let area = if area.dot(trail.direction) < 0.0 { -area } else { area };
        Self { trail: *trail, area, outline }
    }

    pub fn direction(&self) -> DVec3 {
        self.trail.direction
    }

    /// The fields of both incident waves after so many mirrors: h = −k × v, and each turns it about (see
    /// [`crate::field::Field::mirrored`]).
    pub fn mirrored(&self, hits: usize) -> [DVec3; 2] {
        let sign = if hits.is_multiple_of(2) { -1.0 } else { 1.0 };
        [self.trail.v, self.trail.direction.cross(self.trail.v) * sign]
    }

    /// ∫ e^{jk(phase towards s)} over the aperture, for each wavenumber: each gets its place and the integral.
    pub fn integrals(&self, s: DVec3, waves: &footprint::Waves, each: impl FnMut(usize, Complex64)) {
        let Trail { point, length, across, longer, .. } = self.trail;
        let middle = s.dot(point) - length;
        let slope = DVec2::new(s.dot(across[0]) - longer[0], s.dot(across[1]) - longer[1]);
        match self.outline {
            Outline::Square(side) => footprint::square(middle, slope, side, waves, each),
            Outline::Polygon(corners) => footprint::polygon(middle, slope, corners, waves, each),
        }
    }
}
