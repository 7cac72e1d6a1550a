//! Ports: a voltage with its resistance behind a flat surface.

use crate::domain::Domain;
use crate::domain::blame;
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::problem::{Port, PortShape, Problem};
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_core::constants::ETA0;
use std::f64::consts::PI;

/// How far, in parts of the port's size, its faces may stand off from a plane.
const FLAT: f64 = 1e-6;

/// A port on the mesh.
#[derive(Debug, Clone)]
pub struct PortPlan {
    shape: PortShape,
    /// Of the surface.
    normal: DVec3,
    /// Length along the field, m (of a lumped port).
    length: f64,
    /// Width across it, m.
    width: f64,
    /// Admittance of the sheet relative to vacuum's: η₀ l/(R w), or η₀ ln(b/a)/(2πR).
    pub admittance: f64,
    /// Its faces: tetrahedron and face; inner ones from both sides.
    pub faces: Vec<(usize, usize)>,
}

impl PortPlan {
    /// All ports of a problem.
    pub fn all(problem: &Problem, domain: &Domain) -> Result<Vec<Self>, DgtdError> {
        problem.sources.ports.iter().enumerate().map(|(i, port)| Self::new(i, port, domain)).collect()
    }

    fn new(i: usize, port: &Port, domain: &Domain) -> Result<Self, DgtdError> {
        let path = format!("source.ports[{i}]");
        let group = domain.mesh.surface(&port.surface).map_err(blame(format!("{path}.surface")))?;
        let faces: Vec<(usize, usize)> = domain.faces.faces_in(group).collect();
        let normal = check_flat(domain, &faces, &port.surface, &path)?;
        let (mut length, mut width) = (0.0, 0.0);
        let admittance = match port.shape {
            PortShape::Lumped { along } => {
                let along = DVec3::from(along);
                if along.dot(normal).abs() > 1e-6 {
                    return Err(FieldError::new(
                        format!("{path}.along"),
                        format!("the field of a port lies in its surface, and {:?} has the normal ({:.3}, {:.3}, {:.3})", port.surface, normal.x, normal.y, normal.z),
                        "give the direction from the one conductor to the other",
                    )
                    .into());
                }
                let corners = faces.iter().flat_map(|&(tet, face)| domain.mesh.face_corners(tet, face));
                let heights: Vec<f64> = corners.map(|p| along.dot(p.into())).collect();
                length = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                    - heights.iter().copied().fold(f64::INFINITY, f64::min);
                width = area(domain, &faces) / length;
                length / (port.resistance * width)
            }
            PortShape::Coaxial { inner, outer, .. } => (outer / inner).ln() / (2.0 * PI * port.resistance),
        };
        Ok(Self { shape: port.shape, normal, length, width, admittance: ETA0 * admittance, faces })
    }

    /// The field of 1 V at a place.
    pub fn field(&self, place: DVec3) -> DVec3 {
        match self.shape {
            PortShape::Lumped { along } => DVec3::from(along) / self.length,
            PortShape::Coaxial { centre, inner, outer } => {
                let arm = self.arm(centre, place);
                arm / (arm.length_squared() * (outer / inner).ln())
            }
        }
    }

    /// From the axis to a place, across the axis: the point on it that is given may lie in another plane.
    fn arm(&self, centre: [f64; 3], place: DVec3) -> DVec3 {
        let arm = place - DVec3::from(centre);
        arm - self.normal * self.normal.dot(arm)
    }

    /// v such that the voltage is ∫ E·v dA: the mean over the width of what ∫ E·dl gives.
    pub fn voltage(&self, place: DVec3) -> DVec3 {
        match self.shape {
            PortShape::Lumped { along } => DVec3::from(along) / self.width,
            PortShape::Coaxial { centre, .. } => {
                let arm = self.arm(centre, place);
                arm / (2.0 * PI * arm.length_squared())
            }
        }
    }
}

/// Area of faces; those inside the mesh are there twice.
fn area(domain: &Domain, faces: &[(usize, usize)]) -> f64 {
    let of = |&(tet, face): &(usize, usize)| {
        let share = if domain.faces.neighbours[tet][face].is_some() { 0.5 } else { 1.0 };
        0.5 * share * Shape::of(&domain.mesh, tet).face_normal(face, [1.0 / 3.0; 2]).length()
    };
    faces.iter().map(of).sum()
}

/// The normal of a port that is flat.
fn check_flat(domain: &Domain, faces: &[(usize, usize)], name: &str, path: &str) -> Result<DVec3, DgtdError> {
    let corners: Vec<DVec3> =
        faces.iter().flat_map(|&(tet, face)| domain.mesh.face_corners(tet, face)).map(DVec3::from).collect();
    let refuse = |message: String, advice: &str| -> DgtdError {
        FieldError::new(format!("{path}.surface"), message, advice).into()
    };
    let [p, q, r, ..] = corners[..] else {
        return Err(refuse(
            format!("the surface {name:?} has no faces"),
            "put the faces of the port into it",
        ));
    };
    let normal = (q - p).cross(r - p).normalize();
    let size = corners.iter().map(|c| c.distance(p)).fold(0.0, f64::max);
    let off = corners.iter().find(|c| (**c - p).dot(normal).abs() > FLAT * size);
    match off {
        Some(c) => Err(refuse(
            format!("the port {name:?} is not flat: ({:.4}, {:.4}, {:.4}) m is off its plane", c.x, c.y, c.z),
            "a port is a flat rectangle between two conductors, or a flat ring",
        )),
        None => Ok(normal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Boundary, Sources};
    use phasefront_mesh::BoxMesh;

    /// E = V/(ρ ln(b/a)) ρ̂ between coaxial conductors (Pozar, Microwave Engineering, 2.2), wherever on the axis its point is.
    #[test]
    fn the_axis_is_a_line() {
        let mesh = BoxMesh { to: [1.0; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
        let sides = ["xmin", "xmax", "ymin", "ymax", "zmax"];
        for height in [0.0, 7.0] {
            let shape = PortShape::Coaxial { centre: [0.0, 0.0, height], inner: 0.1, outer: 0.4 };
            let problem = Problem {
                mesh: mesh.clone(),
                boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
                sources: Sources {
                    ports: vec![Port { surface: "zmin".into(), resistance: 50.0, shape }],
                    ..Sources::default()
                },
                ..Problem::default()
            };
            let domain = Domain::new(&problem).unwrap();
            let port = &PortPlan::all(&problem, &domain).unwrap()[0];
            let place = DVec3::new(0.12, 0.16, 0.0);
            let expected = DVec3::new(0.6, 0.8, 0.0) / (0.2 * 4_f64.ln());
            assert!((port.field(place) - expected).length() < 1e-12, "{}", port.field(place));
            let expected = DVec3::new(0.6, 0.8, 0.0) / (2.0 * PI * 0.2);
            assert!((port.voltage(place) - expected).length() < 1e-12, "{}", port.voltage(place));
        }
    }
}
