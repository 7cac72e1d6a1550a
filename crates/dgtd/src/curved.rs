//! Quadrature where geometry varies: over curved elements, and at points of faces.

use crate::geometry::tangent;
use crate::plan::Plan;
use glam::DVec3;

/// A quadrature point of a face.
#[derive(Debug, Clone, Copy)]
pub struct FacePoint<'a> {
    /// Position, m.
    pub position: DVec3,
    /// n, outward.
    pub normal: DVec3,
    /// t₁ at the point; t₂ = n × t₁.
    pub tangent: DVec3,
    /// Quadrature weight times area element, m².
    pub weight: f64,
    /// Interpolation weights of the face's nodes.
    pub interpolation: &'a [f64],
}

impl Plan {
    /// Quadrature points of a face, straight or curved; exact for products of two fields of the element.
    pub fn face_points(&self, slot: usize, face: usize) -> Vec<FacePoint<'_>> {
        let (rule, shape) = (&self.points.face, &self.shapes[slot]);
        let point = |(k, local): (usize, [f64; 3])| {
            // N = |N| n: its length is the area element, its direction the normal.
            let area = shape.face_normal(face, rule.coordinates[k]);
            let normal = area.normalize();
            FacePoint {
                position: shape.at(local),
                normal,
                tangent: tangent(normal),
                weight: rule.weights[k] * area.length(),
                interpolation: rule.values.row(k),
            }
        };
        rule.on(face).enumerate().map(point).collect()
    }

    /// ∫ f² over a curved element by quadrature, since J varies.
    pub(crate) fn curved_square(&self, slot: usize, f: &[f64]) -> f64 {
        let term = |(p, local): (usize, &[f64; 3])| {
            let value: f64 = self.points.values.row(p).iter().zip(f).map(|(v, f)| v * f).sum();
            self.points.weights[p] * self.jacobian(slot, *local) * value * value
        };
        self.points.coordinates.iter().enumerate().map(term).sum()
    }

    /// f/J for a curved element, projected: M⁻¹VᵀW(1/J)V f, the weight-adjusted inverse of its mass matrix times M
    /// (Chan, Hewett and Warburton, SIAM J. Sci. Comput. 39, A2395, 2017).
    pub(crate) fn over_jacobian(&self, slot: usize, f: &[f64]) -> Vec<f64> {
        let at = |(p, local): (usize, &[f64; 3])| {
            let value: f64 = self.points.values.row(p).iter().zip(f).map(|(v, f)| v * f).sum();
            value / self.jacobian(slot, *local)
        };
        // V f/J at the quadrature points, then P.
        let values: Vec<f64> = self.points.coordinates.iter().enumerate().map(at).collect();
        let row = |i: usize| self.points.project.row(i).iter().zip(&values).map(|(p, v)| p * v).sum();
        (0..f.len()).map(row).collect()
    }

    fn jacobian(&self, slot: usize, local: [f64; 3]) -> f64 {
        self.shapes[slot].jacobian(local).determinant()
    }
}

#[cfg(test)]
mod tests {
    use crate::deformed::{cube, deformed};
    use crate::problem::{Boundary, Problem, Stop};
    use crate::share::Share;
    use crate::study::prepare;

    /// The unit cube sheared by x → x + y²/2, which quadratic elements represent exactly: its volume stays 1, and the area of the
    /// sides normal to x becomes ∫₀¹ √(1 + y²) dy = (√2 + asinh 1)/2.
    #[test]
    fn volumes_and_areas_are_exact() {
        let study = prepare(Problem {
            mesh: deformed(cube(2), |[x, y, z]| [x + 0.5 * y * y, y, z]),
            boundaries: ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]
                .map(|name| (name.into(), Boundary::Pec))
                .into(),
            highest_frequency: 1e8,
            stop: Stop { energy_db: None, time: 1e-9 },
            order: 4,
            ..Problem::default()
        })
        .unwrap();
        let (share, domain) = (Share::whole(&study), &study.domain);
        let plan = &share.plan;
        let ones = vec![1.0; plan.element.len()];
        let slots = || (0..plan.tets.len()).filter(|&slot| plan.tets[slot].is_some());
        let volume: f64 = slots().map(|slot| plan.square(slot, &ones)).sum();
        assert!((volume - 1.0).abs() < 1e-13, "{volume}");
        let group = domain.mesh.surface("xmax").unwrap();
        let (mut area, mut height) = (0.0, 0.0);
        for (tet, face) in domain.faces.faces_in(group) {
            let slot = plan.slot_of[tet] as usize;
            for point in plan.face_points(slot, face) {
                assert!((point.position.x - 1.0 - 0.5 * point.position.y.powi(2)).abs() < 1e-14);
                area += point.weight;
                let nodes = plan.element.face_nodes[face].iter().zip(point.interpolation);
                let z: f64 = nodes.map(|(node, w)| w * plan.position(slot, usize::from(*node)).z).sum();
                height += point.weight * point.normal.x * z;
            }
        }
        let exact = 0.5 * (2_f64.sqrt() + 1_f64.asinh());
        assert!((area - exact).abs() < 1e-9, "{area} {exact}");
        // ∫ z n_x dA = ∫∫ z dy dz.
        assert!((height - 0.5).abs() < 1e-13, "{height}");
        // J is constant in such an element.
        let f: Vec<f64> = plan.element.nodes.iter().map(|p| (p[0] + 2.0 * p[1] - p[2]).sin()).collect();
        let first = slots().next().unwrap();
        let scale = plan.shapes[first].jacobian([0.25; 3]).determinant();
        for (a, b) in f.iter().zip(plan.over_jacobian(first, &f)) {
            assert!((a - scale * b).abs() < 1e-12);
        }
    }
}
