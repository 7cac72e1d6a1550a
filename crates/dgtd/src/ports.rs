//! Ports: a voltage with its resistance behind a flat surface.

use crate::domain::Domain;
use crate::domain::blame;
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::problem::{Port, PortShape, Problem};
use crate::reference::cubature::triangle;
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_core::constants::ETA0;
use phasefront_mesh::TET_EDGES;
use std::f64::consts::PI;
use std::ops::RangeInclusive;

/// How far, in parts of the port's size, its faces may stand off from a plane.
const FLAT: f64 = 1e-6;
/// How far, in parts of it, the area of a lumped port may be off length times width: files have few digits.
const RECTANGLE: f64 = 1e-3;
/// How far, in parts of them, the radii of a ring's corners may be off those given: polygons with a circle's area reach over it.
const RADII: f64 = 0.02;
/// What part of a ring's area its faces may have: those of polygons, hexagons at least, have 0.83 or more.
const RING: RangeInclusive<f64> = 0.8..=1.05;

/// A port on the mesh.
#[derive(Debug, Clone)]
pub struct PortPlan {
    /// Its field.
    pub shape: PortShape,
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
        let corners = faces.iter().flat_map(|&(tet, face)| domain.mesh.face_corners(tet, face));
        let corners: Vec<DVec3> = corners.map(DVec3::from).collect();
        let mut plan = Self { shape: port.shape, normal, length: 0.0, width: 0.0, admittance: 0.0, faces };
        let area = area(domain, &plan.faces);
        let admittance = match port.shape {
            PortShape::Lumped { along } => {
                let sides = check_rectangle(&path, &port.surface, (normal, along.into()), &corners, area)?;
                plan.length = sides[0];
                plan.width = area / plan.length;
                plan.length / (port.resistance * plan.width)
            }
            PortShape::Coaxial { center, inner, outer } => {
                let radii = corners.iter().map(|corner| plan.arm(center, *corner).length()).collect();
                check_ring(&path, &port.surface, [inner, outer], radii, area)?;
                (outer / inner).ln() / (2.0 * PI * port.resistance)
            }
        };
        plan.admittance = ETA0 * admittance;
        Ok(plan)
    }

    /// The field of 1 V at a place.
    pub fn field(&self, place: DVec3) -> DVec3 {
        match self.shape {
            PortShape::Lumped { along } => DVec3::from(along) / self.length,
            PortShape::Coaxial { center, inner, outer } => {
                let arm = self.arm(center, place);
                arm / (arm.length_squared() * (outer / inner).ln())
            }
        }
    }

    /// From the axis to a place, across the axis: the point on it that is given may lie in another plane.
    fn arm(&self, center: [f64; 3], place: DVec3) -> DVec3 {
        let arm = place - DVec3::from(center);
        arm - self.normal * self.normal.dot(arm)
    }

    /// v such that the voltage is ∫ E·v dA: the mean over the width of what ∫ E·dl gives.
    pub fn voltage(&self, place: DVec3) -> DVec3 {
        match self.shape {
            PortShape::Lumped { along } => DVec3::from(along) / self.width,
            PortShape::Coaxial { center, .. } => {
                let arm = self.arm(center, place);
                arm / (2.0 * PI * arm.length_squared())
            }
        }
    }
}

/// Area of flat faces, whose edges may be curved; those inside the mesh are there twice.
fn area(domain: &Domain, faces: &[(usize, usize)]) -> f64 {
    let of = |&(tet, face): &(usize, usize)| {
        let share = if domain.faces.neighbors[tet][face].is_some() { 0.5 } else { 1.0 };
        let shape = Shape::of(&domain.mesh, tet);
        // A normal is a product of two linear functions.
        let points =
            triangle(2).into_iter().map(|(uv, weight)| weight * shape.face_normal(face, uv).length());
        share * points.sum::<f64>()
    };
    faces.iter().map(of).sum()
}

/// The normal of a port that is flat.
fn check_flat(domain: &Domain, faces: &[(usize, usize)], name: &str, path: &str) -> Result<DVec3, DgtdError> {
    let nodes = |&(tet, face): &(usize, usize)| {
        let shape = Shape::of(&domain.mesh, tet);
        let corners = domain.mesh.face_corners(tet, face).map(DVec3::from);
        let edges = TET_EDGES.iter().zip(shape.middles).filter(move |(edge, _)| !edge.contains(&face));
        corners.into_iter().chain(edges.map(|(_, middle)| middle))
    };
    let nodes: Vec<DVec3> = faces.iter().flat_map(nodes).collect();
    let refuse = |message: String, advice: &str| -> DgtdError {
        FieldError::new(format!("{path}.surface"), message, advice).into()
    };
    let [p, q, r, ..] = nodes[..] else {
        return Err(refuse(
            format!("the surface {name:?} has no faces"),
            "put the faces of the port into it",
        ));
    };
    let normal = (q - p).cross(r - p).normalize();
    let size = nodes.iter().map(|c| c.distance(p)).fold(0.0, f64::max);
    let off = nodes.iter().find(|c| (**c - p).dot(normal).abs() > FLAT * size);
    match off {
        Some(c) => Err(refuse(
            format!("the port {name:?} is not flat: ({:.4}, {:.4}, {:.4}) m is off its plane", c.x, c.y, c.z),
            "a port is a flat rectangle between two conductors, or a flat ring",
        )),
        None => Ok(normal),
    }
}

/// Length along the field and width across it of a port that is a rectangle with two sides along the field.
fn check_rectangle(
    path: &str,
    name: &str,
    (normal, along): (DVec3, DVec3),
    corners: &[DVec3],
    area: f64,
) -> Result<[f64; 2], DgtdError> {
    if along.dot(normal).abs() > 1e-6 {
        return Err(FieldError::new(
            format!("{path}.along"),
            format!(
                "the field of a port lies in its surface, and {name:?} has the normal ({:.3}, {:.3}, {:.3})",
                normal.x, normal.y, normal.z
            ),
            "give the direction from the one conductor to the other",
        )
        .into());
    }
    let sides = [along, normal.cross(along)].map(|way| {
        let [low, high] = range(corners.iter().map(|corner| way.dot(*corner)));
        high - low
    });
    let [length, width] = sides;
    if (area / (length * width) - 1.0).abs() > RECTANGLE {
        return Err(FieldError::new(
            path,
            format!(
                "the port {name:?} is not a rectangle along its field: it is {:.4} mm long and {:.4} mm wide, and its area is {:.4} mm²",
                1e3 * length,
                1e3 * width,
                1e6 * area
            ),
            "give a rectangle from the one conductor to the other, and in `along` the way of two of its sides",
        )
        .into());
    }
    Ok(sides)
}

/// Refuses a ring that is not the one between the given radii.
fn check_ring(
    path: &str,
    name: &str,
    [inner, outer]: [f64; 2],
    radii: Vec<f64>,
    area: f64,
) -> Result<(), DgtdError> {
    let [least, most] = range(radii.into_iter());
    if (least - inner).abs() > RADII * inner || (most - outer).abs() > RADII * outer {
        return Err(FieldError::new(
            format!("{path}.coaxial"),
            format!(
                "the ring {name:?} reaches from {:.4} to {:.4} mm from the axis, and the radii are {:.4} and {:.4} mm",
                1e3 * least,
                1e3 * most,
                1e3 * inner,
                1e3 * outer
            ),
            "give the radii of the conductors, no diameters, and a center on the axis; or look at the units of the mesh",
        )
        .into());
    }
    let whole = PI * (outer * outer - inner * inner);
    if !RING.contains(&(area / whole)) {
        return Err(FieldError::new(
            format!("{path}.surface"),
            format!(
                "the surface {name:?} is not the ring between the conductors: its area is {:.4} mm², and that of the ring is {:.4} mm²",
                1e6 * area,
                1e6 * whole
            ),
            "put all faces of the ring into it, and no others; both circles need six edges or more",
        )
        .into());
    }
    Ok(())
}

/// The least and the largest of some numbers.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Boundary, Sources};
    use crate::ring::ring;

    /// E = V/(ρ ln(b/a)) ρ̂ between coaxial conductors (Pozar, Microwave Engineering, 2.2), wherever on the axis its point is.
    #[test]
    fn the_axis_is_a_line() {
        let mesh = ring([0.1, 0.4], 1.0, [1, 6, 2]);
        for height in [0.0, 7.0] {
            let shape = PortShape::Coaxial { center: [0.0, 0.0, height], inner: 0.1, outer: 0.4 };
            let problem = Problem {
                mesh: mesh.clone(),
                boundaries: ["inner", "outer", "zmax"].map(|name| (name.into(), Boundary::Pec)).into(),
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
