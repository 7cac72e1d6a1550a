//! Geometrical optics: an electric field and its reflection.

use crate::material::Reflection;
use glam::DVec3;
use num_complex::Complex64;

/// A complex electric field, as its real and imaginary parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub re: DVec3,
    pub im: DVec3,
}

impl Field {
    pub fn real(re: DVec3) -> Self {
        Self { re, im: DVec3::ZERO }
    }

    /// E·a with a real vector.
    pub fn along(self, a: DVec3) -> Complex64 {
        Complex64::new(self.re.dot(a), self.im.dot(a))
    }

    /// |E|².
    pub fn norm_squared(self) -> f64 {
        self.re.length_squared() + self.im.length_squared()
    }

    fn directed(amplitude: Complex64, direction: DVec3) -> Self {
        Self { re: amplitude.re * direction, im: amplitude.im * direction }
    }

    /// Reflection by a perfect conductor: E_r = 2(n·E)n − E. It reverses the handedness of (v, h, k): with h = ∓k × v before,
    /// h = ±k × v after.
    pub fn mirrored(self, n: DVec3) -> Self {
        let mirror = |e: DVec3| 2.0 * n.dot(e) * n - e;
        Self { re: mirror(self.re), im: mirror(self.im) }
    }

    /// Fresnel reflection of a wave from direction `k_in` into `k_out`:
    /// E_r = Γ⊥ (E·ê⊥) ê⊥ + Γ∥ (E·ê∥) ê∥', with ê⊥ = k × n/|k × n| and ê∥ = k × ê⊥ of each wave.
    pub fn reflected(self, k_in: DVec3, k_out: DVec3, n: DVec3, gamma: Reflection) -> Self {
        // At normal incidence any transverse direction is perpendicular to a plane of incidence.
        let across = k_in.cross(n).try_normalize().unwrap_or_else(|| n.any_orthonormal_vector());
        let a = Self::directed(gamma.perpendicular * self.along(across), across);
        let b = Self::directed(gamma.parallel * self.along(k_in.cross(across)), k_out.cross(across));
        Self { re: a.re + b.re, im: a.im + b.im }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Material;

    #[test]
    fn a_conductor_has_its_reflection_coefficients_at_any_angle() {
        let conductor = Material::Conductor.reflection(1e9, 0.5);
        for k_in in [DVec3::new(0.0, 0.0, -1.0), DVec3::new(0.6, 0.0, -0.8), DVec3::new(0.48, 0.64, -0.6)] {
            let k_out = k_in - 2.0 * k_in.z * DVec3::Z;
            let e = k_in.any_orthonormal_pair();
            let field = Field { re: e.0, im: e.1 };
            let (a, b) = (field.mirrored(DVec3::Z), field.reflected(k_in, k_out, DVec3::Z, conductor));
            assert!((a.re - b.re).length() < 1e-14 && (a.im - b.im).length() < 1e-14);
            // The total tangential field vanishes, and the wave stays transverse.
            assert!((a.re + e.0).truncate().length() < 1e-14 && a.re.dot(k_out).abs() < 1e-14);
        }
    }
}
