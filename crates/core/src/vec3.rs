//! Complex vectors in three dimensions: electric and magnetic fields.

use num_complex::Complex64;
use std::ops::{Add, Mul, Sub};

/// A complex 3-vector in Cartesian components.
///
/// ```
/// use phasefront_core::CVec3;
/// let (x, y) = (CVec3::real([1.0, 0.0, 0.0]), CVec3::real([0.0, 1.0, 0.0]));
/// assert_eq!(x.cross(y), CVec3::real([0.0, 0.0, 1.0]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct CVec3 {
    /// x component.
    pub x: Complex64,
    /// y component.
    pub y: Complex64,
    /// z component.
    pub z: Complex64,
}

impl CVec3 {
    /// A vector of complex components.
    pub fn new(x: Complex64, y: Complex64, z: Complex64) -> Self {
        Self { x, y, z }
    }

    /// A vector with zero imaginary part.
    pub fn real([x, y, z]: [f64; 3]) -> Self {
        Self::new(x.into(), y.into(), z.into())
    }

    /// Bilinear product Σ aᵢbᵢ, without conjugation: the dot product of Maxwell's equations.
    pub fn dot(self, other: Self) -> Complex64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Cross product a × b.
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Complex conjugate of each component.
    #[must_use]
    pub fn conj(self) -> Self {
        Self::new(self.x.conj(), self.y.conj(), self.z.conj())
    }

    /// Hermitian length (Σ |aᵢ|²)^½.
    pub fn norm(self) -> f64 {
        (self.x.norm_sqr() + self.y.norm_sqr() + self.z.norm_sqr()).sqrt()
    }
}

impl Add for CVec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for CVec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<Complex64> for CVec3 {
    type Output = Self;
    fn mul(self, s: Complex64) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triple_product_vanishes_and_lagrange_identity_holds() {
        let a = CVec3::new(Complex64::new(1.0, 2.0), Complex64::new(-0.5, 0.1), Complex64::new(3.0, 0.0));
        let b = CVec3::new(Complex64::new(0.3, -1.0), Complex64::new(2.0, 0.7), Complex64::new(0.0, 1.0));
        assert!(a.dot(a.cross(b)).norm() < 1e-14);
        // |a × b|² = |a|²|b|² − |a·b*|²
        let lhs = a.cross(b).norm().powi(2);
        let rhs = a.norm().powi(2) * b.norm().powi(2) - a.dot(b.conj()).norm_sqr();
        assert!((lhs - rhs).abs() < 1e-12 * rhs);
        assert_eq!((a + b) - b * Complex64::ONE, (a + b) - b);
    }
}
