//! An aperture of a ray tube: a plane wave on a planar piece of surface.
//!
//! Over a tube, the map from the incident aperture to the surface is linear, and so is the phase. The radiation integral over the
//! surface therefore becomes one over the tube's cross section in the incident aperture, with a constant Jacobian.

use crate::radiation_integral::{Wavenumbers, polygon, square};
use crate::ray_differential::RayDifferential;
use glam::{DVec2, DVec3};
use num_complex::Complex64;

/// A wave on a planar piece of surface, expanded about the tube's reference ray.
#[derive(Clone, Copy)]
pub(crate) struct ExitAperture<'a> {
    ray: RayDifferential,
    /// Normal on the side of the outgoing wave, times surface area per area of the incident aperture: ∂p/∂u × ∂p/∂v.
    pub area: DVec3,
    section: Section<'a>,
}

/// Cross section of a tube in the incident aperture, relative to its reference ray.
#[derive(Clone, Copy)]
pub(crate) enum Section<'a> {
    /// A square with this side.
    Square(f64),
    /// Corners in order.
    Polygon(&'a [DVec2]),
}

impl<'a> ExitAperture<'a> {
    pub fn new(ray: &RayDifferential, section: Section<'a>) -> Self {
        // n dS = (∂p/∂u × ∂p/∂v) du dv.
        let area = ray.dpoint[0].cross(ray.dpoint[1]);
        let area = if area.dot(ray.direction) < 0.0 { -area } else { area };
        Self { ray: *ray, area, section }
    }

    pub fn direction(&self) -> DVec3 {
        self.ray.direction
    }

    /// Direction of the wave before its reflection at the surface.
    pub fn direction_before(&self) -> DVec3 {
        self.ray.direction.reflect(self.area.normalize())
    }

    /// The fields of both incident polarizations after `bounces` reflections at conductors, the last at the surface. Each reflection
    /// changes the handedness of (v, h, k), hence the sign of h = ∓k × v (see [`crate::field::Field::mirrored`]).
    pub fn mirrored(&self, bounces: usize) -> [DVec3; 2] {
        pair(self.ray.v, self.ray.direction, bounces)
    }

    /// The same before the last of these reflections.
    pub fn mirrored_before(&self, bounces: usize) -> [DVec3; 2] {
        pair(-self.ray.v.reflect(self.area.normalize()), self.direction_before(), bounces - 1)
    }

    /// Radiation integral ∫∫ e^{jk(s·p − L)} du dv over the cross section for every wavenumber, passed to `each` with its index.
    pub fn integrals(&self, s: DVec3, waves: &Wavenumbers, each: impl FnMut(usize, Complex64)) {
        let RayDifferential { point, length, dpoint, dlength, .. } = self.ray;
        // ψ = s·p − L: the receiver's delay minus the path length, linear over the cross section.
        let phase = s.dot(point) - length;
        let slope = DVec2::new(s.dot(dpoint[0]) - dlength[0], s.dot(dpoint[1]) - dlength[1]);
        match self.section {
            Section::Square(side) => square(phase, slope, side, waves, each),
            Section::Polygon(corners) => polygon(phase, slope, corners, waves, each),
        }
    }
}

fn pair(v: DVec3, direction: DVec3, bounces: usize) -> [DVec3; 2] {
    let sign = if bounces.is_multiple_of(2) { -1.0 } else { 1.0 };
    [v, direction.cross(v) * sign]
}
