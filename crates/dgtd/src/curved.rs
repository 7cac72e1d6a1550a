//! Integrals where geometry varies: over curved elements, and at points of faces.

use crate::plan::{Plan, tangent};
use glam::DVec3;

/// A quadrature point of a face.
#[derive(Debug, Clone, Copy)]
pub struct FacePoint<'a> {
    /// Where it is, m.
    pub place: DVec3,
    /// n, outwards.
    pub normal: DVec3,
    /// t₁ there; t₂ = n × t₁.
    pub tangent: DVec3,
    /// The area that it stands for, m².
    pub weight: f64,
    /// Weights of the face's nodes that interpolate there.
    pub interpolation: &'a [f64],
}

impl Plan {
    /// The quadrature points of a face, straight or curved: exact where fields of the element are multiplied with each other.
    pub fn face_points(&self, slot: usize, face: usize) -> Vec<FacePoint<'_>> {
        let (rule, shape) = (&self.points.face, &self.shapes[slot]);
        let point = |(k, place): (usize, [f64; 3])| {
            let area = shape.face_normal(face, rule.places[k]);
            let normal = area.normalize();
            FacePoint {
                place: shape.at(place),
                normal,
                tangent: tangent(normal),
                weight: rule.weights[k] * area.length(),
                interpolation: rule.values.row(k),
            }
        };
        rule.on(face).enumerate().map(point).collect()
    }

    /// ∫ f² over the curved element in a slot, by quadrature: J varies.
    pub(crate) fn curved_square(&self, slot: usize, f: &[f64]) -> f64 {
        let term = |(p, place): (usize, &[f64; 3])| {
            let value: f64 = self.points.values.row(p).iter().zip(f).map(|(v, f)| v * f).sum();
            self.points.weights[p] * self.jacobian(slot, *place) * value * value
        };
        self.points.places.iter().enumerate().map(term).sum()
    }

    /// f/J for a curved element, projected: M⁻¹VᵀW(1/J)V f, the weight-adjusted inverse of its mass matrix times M
    /// (Chan, Hewett and Warburton, SIAM J. Sci. Comput. 39, A2395, 2017).
    pub(crate) fn over_jacobian(&self, slot: usize, f: &[f64]) -> Vec<f64> {
        let at = |(p, place): (usize, &[f64; 3])| {
            let value: f64 = self.points.values.row(p).iter().zip(f).map(|(v, f)| v * f).sum();
            value / self.jacobian(slot, *place)
        };
        let values: Vec<f64> = self.points.places.iter().enumerate().map(at).collect();
        let row = |i: usize| self.points.project.row(i).iter().zip(&values).map(|(p, v)| p * v).sum();
        (0..f.len()).map(row).collect()
    }

    fn jacobian(&self, slot: usize, place: [f64; 3]) -> f64 {
        self.shapes[slot].jacobian(place).determinant()
    }
}
