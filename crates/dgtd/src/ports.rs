//! Lumped and coaxial ports: a voltage source with internal resistance on a flat surface, as a resistive sheet with an impressed field.

use crate::domain::Domain;
use crate::domain::mesh_error_at;
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::problem::{Port, PortShape, Problem};
use crate::reference::cubature::triangle;
use crate::wave_port::WavePort;
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_core::constants::ETA0;
use phasefront_mesh::{TET_EDGES, TetMesh};
use std::f64::consts::PI;
use std::ops::RangeInclusive;

/// Distance of a port's nodes from its plane, relative to its size.
const FLAT: f64 = 1e-6;
/// Deviation of a lumped port's area from length times width: files have few digits.
const RECTANGLE: f64 = 1e-3;
/// Deviation of the radii of an annulus from those given: polygons with the area of a circle extend beyond it.
const RADII: f64 = 0.02;
/// Area of the faces of an annulus relative to the exact one: polygons, hexagons at least, have 0.83 or more.
const RING: RangeInclusive<f64> = 0.8..=1.05;

/// A port on the mesh.
#[derive(Debug, Clone)]
pub struct PortPlan {
    /// Mode field.
    pub shape: PortShape,
    /// Normal of its plane.
    normal: DVec3,
    /// Length along the field, m (lumped port).
    length: f64,
    /// Width perpendicular to the field, m.
    width: f64,
    /// Admittance of the equivalent sheet relative to vacuum: η₀ l/(R w), or η₀ ln(b/a)/(2πR).
    pub admittance: f64,
    /// Its faces: tetrahedron and face; interior faces from both sides, those of a wave port from inside of the model.
    pub faces: Vec<(usize, usize)>,
    /// The mode of a wave port.
    pub wave: Option<WavePort>,
}

impl PortPlan {
    /// All ports of a problem.
    pub fn all(problem: &Problem, domain: &Domain) -> Result<Vec<Self>, DgtdError> {
        let one = |(i, wave): (usize, Option<WavePort>)| match (&problem.sources.ports[i], wave) {
            (port, Some(wave)) => Ok(Self::of_wave(port, wave)),
            (port, None) if port.shape.is_on_wire() => Ok(Self::bare(port.shape)),
            (port, None) => Self::new(&problem.sources.port_path(i), port, domain),
        };
        WavePort::all(problem, domain)?.into_iter().enumerate().map(one).collect()
    }

    fn of_wave(port: &Port, wave: WavePort) -> Self {
        Self {
            normal: wave.cross.offset.normalize(),
            faces: wave.cross.faces.clone(),
            wave: Some(wave),
            ..Self::bare(port.shape)
        }
    }

    /// Without faces.
    fn bare(shape: PortShape) -> Self {
        let normal = DVec3::ZERO;
        Self { shape, normal, length: 0.0, width: 0.0, admittance: 0.0, faces: Vec::new(), wave: None }
    }

    pub(crate) fn new(path: &str, port: &Port, domain: &Domain) -> Result<Self, DgtdError> {
        let group = domain.mesh.surface(&port.surface).map_err(mesh_error_at(format!("{path}.surface")))?;
        let faces: Vec<(usize, usize)> = domain.faces.faces_in(group).collect();
        let advice = "a port must be a flat rectangle between two conductors, or a flat annulus";
        let normal = flat_normal(&domain.mesh, &faces, &port.surface, (&format!("{path}.surface"), advice))?;
        let corners = faces.iter().flat_map(|&(tet, face)| domain.mesh.face_corners(tet, face));
        let corners: Vec<DVec3> = corners.map(DVec3::from).collect();
        let mut plan = Self { normal, faces, ..Self::bare(port.shape) };
        let area = area(domain, &plan.faces);
        let admittance = match port.shape {
            PortShape::Lumped { along } => {
                let sides = check_rectangle(path, &port.surface, (normal, along.into()), &corners, area)?;
                plan.length = sides[0];
                // So that length times width is the area over which the voltage is averaged.
                plan.width = area / plan.length;
                // R = R_s l/w for a sheet of R_s ohms per square.
                plan.length / plan.width
            }
            PortShape::Coaxial { center, inner, outer } => {
                let radii = corners.iter().map(|corner| plan.arm(center, *corner).length()).collect();
                check_ring(path, &port.surface, [inner, outer], radii, area)?;
                // R = R_s ln(b/a)/2π between concentric circles.
                (outer / inner).ln() / (2.0 * PI)
            }
            PortShape::Wave { .. } | PortShape::Wire { .. } => 0.0,
        };
        plan.admittance = ETA0 * admittance / port.resistance.unwrap_or(f64::INFINITY);
        Ok(plan)
    }

    /// Mode field of 1 V at a point.
    pub fn field(&self, position: DVec3) -> DVec3 {
        match self.shape {
            PortShape::Lumped { along } => DVec3::from(along) / self.length,
            PortShape::Coaxial { center, inner, outer } => {
                let arm = self.arm(center, position);
                // TEM mode: E = V/(ρ ln(b/a)) ρ̂.
                arm / (arm.length_squared() * (outer / inner).ln())
            }
            PortShape::Wave { .. } | PortShape::Wire { .. } => DVec3::ZERO,
        }
    }

    /// From the axis to a point, perpendicular to the axis: the given center may lie in another plane.
    fn arm(&self, center: [f64; 3], position: DVec3) -> DVec3 {
        let arm = position - DVec3::from(center);
        arm - self.normal * self.normal.dot(arm)
    }

    /// Extent of an edge along the field, relative to the distance of the terminals.
    pub fn rise(&self, ends: [[f64; 3]; 2]) -> f64 {
        let [a, b] = ends.map(DVec3::from);
        match self.shape {
            PortShape::Lumped { along } => (b - a).dot(along.into()).abs() / self.length,
            PortShape::Coaxial { center, inner, outer } => {
                let [from, to] = [a, b].map(|end| self.arm(center, end).length());
                (to - from).abs() / (outer - inner)
            }
            PortShape::Wave { .. } | PortShape::Wire { .. } => 0.0,
        }
    }

    /// v such that the voltage is ∫ E·v dA: the mean of ∫ E·dl over the width.
    pub fn voltage(&self, position: DVec3) -> DVec3 {
        match self.shape {
            PortShape::Lumped { along } => DVec3::from(along) / self.width,
            PortShape::Coaxial { center, .. } => {
                let arm = self.arm(center, position);
                arm / (2.0 * PI * arm.length_squared())
            }
            PortShape::Wave { .. } | PortShape::Wire { .. } => DVec3::ZERO,
        }
    }
}

/// Area of flat faces, whose edges may be curved; interior faces are listed twice.
fn area(domain: &Domain, faces: &[(usize, usize)]) -> f64 {
    let of = |&(tet, face): &(usize, usize)| {
        // Interior faces are listed from both sides and count half each.
        let share = if domain.faces.neighbors[tet][face].is_some() { 0.5 } else { 1.0 };
        let shape = Shape::of(&domain.mesh, tet);
        // The normal is a product of two linear functions.
        let points =
            triangle(2).into_iter().map(|(uv, weight)| weight * shape.face_normal(face, uv).length());
        share * points.sum::<f64>()
    };
    faces.iter().map(of).sum()
}

/// Normal of a flat port, out of the tetrahedron of its first face.
pub fn flat_normal(
    mesh: &TetMesh,
    faces: &[(usize, usize)],
    name: &str,
    (path, advice): (&str, &str),
) -> Result<DVec3, DgtdError> {
    let nodes = |&(tet, face): &(usize, usize)| {
        let shape = Shape::of(mesh, tet);
        let corners = mesh.face_corners(tet, face).map(DVec3::from);
        // Mid-edge nodes too: a curved face may bulge between corners in one plane.
        let edges = TET_EDGES.iter().zip(shape.middles).filter(move |(edge, _)| !edge.contains(&face));
        corners.into_iter().chain(edges.map(|(_, middle)| middle))
    };
    let nodes: Vec<DVec3> = faces.iter().flat_map(nodes).collect();
    let refuse =
        |message: String, advice: &str| -> DgtdError { FieldError::new(path, message, advice).into() };
    // Three corners of the first face: they are never collinear.
    let [p, q, r, ..] = nodes[..] else {
        return Err(refuse(
            format!("the surface {name:?} has no faces"),
            "assign the faces of the port to it",
        ));
    };
    let normal = (q - p).cross(r - p).normalize();
    let size = nodes.iter().map(|c| c.distance(p)).fold(0.0, f64::max);
    let off = nodes.iter().find(|c| (**c - p).dot(normal).abs() > FLAT * size);
    match off {
        Some(c) => Err(refuse(
            format!("the port {name:?} is not flat: ({:.4}, {:.4}, {:.4}) m is off its plane", c.x, c.y, c.z),
            advice,
        )),
        None => Ok(normal),
    }
}

/// Length along the field and width perpendicular to it, of a port that is a rectangle with two sides along the field.
fn check_rectangle(
    path: &str,
    name: &str,
    (normal, along): (DVec3, DVec3),
    corners: &[DVec3],
    area: f64,
) -> Result<[f64; 2], DgtdError> {
    if along.dot(normal).abs() > 1e-6 {
        return Err(FieldError::new(
            format!("{path}.direction"),
            format!(
                "the field of a port must lie in its surface, but {name:?} has the normal ({:.3}, {:.3}, {:.3})",
                normal.x, normal.y, normal.z
            ),
            "give the direction from one conductor to the other",
        )
        .into());
    }
    let sides = [along, normal.cross(along)].map(|axis| {
        let [low, high] = range(corners.iter().map(|corner| axis.dot(*corner)));
        high - low
    });
    let [length, width] = sides;
    if (area / (length * width) - 1.0).abs() > RECTANGLE {
        return Err(FieldError::new(
            path,
            format!(
                "the port {name:?} is not a rectangle along its field: it is {:.4} mm long and {:.4} mm wide, but its area is {:.4} mm²",
                1e3 * length,
                1e3 * width,
                1e6 * area
            ),
            "give a rectangle from one conductor to the other, and in `direction` the direction of two of its sides",
        )
        .into());
    }
    Ok(sides)
}

/// Refuses an annulus that does not match the given radii.
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
                "the annulus {name:?} extends from {:.4} to {:.4} mm from the axis, but the given radii are {:.4} and {:.4} mm",
                1e3 * least,
                1e3 * most,
                1e3 * inner,
                1e3 * outer
            ),
            "give the radii of the conductors, not the diameters, and a center on the axis; also check the units of the mesh",
        )
        .into());
    }
    let whole = PI * (outer * outer - inner * inner);
    if !RING.contains(&(area / whole)) {
        return Err(FieldError::new(
            format!("{path}.surface"),
            format!(
                "the surface {name:?} is not the annulus between the conductors: its area is {:.4} mm², but that of the annulus is {:.4} mm²",
                1e6 * area,
                1e6 * whole
            ),
            "assign all faces of the annulus to it, and no others; both circles need at least six edges",
        )
        .into());
    }
    Ok(())
}

/// Minimum and maximum.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annulus::annulus;
    use crate::problem::{Boundary, Sources};

    /// E = V/(ρ ln(b/a)) ρ̂ between coaxial conductors (Pozar, Microwave Engineering, 2.2), for any center on the axis.
    #[test]
    fn the_axis_is_a_line() {
        let mesh = annulus([0.1, 0.4], 1.0, [1, 6, 2]);
        for height in [0.0, 7.0] {
            let shape = PortShape::Coaxial { center: [0.0, 0.0, height], inner: 0.1, outer: 0.4 };
            let problem = Problem {
                mesh: mesh.clone(),
                boundaries: ["inner", "outer", "zmax"].map(|name| (name.into(), Boundary::Pec)).into(),
                sources: Sources {
                    ports: vec![Port { surface: "zmin".into(), resistance: Some(50.0), shape }],
                    ..Sources::default()
                },
                ..Problem::default()
            };
            let domain = Domain::new(&problem).unwrap();
            let port = &PortPlan::all(&problem, &domain).unwrap()[0];
            let position = DVec3::new(0.12, 0.16, 0.0);
            let expected = DVec3::new(0.6, 0.8, 0.0) / (0.2 * 4_f64.ln());
            assert!((port.field(position) - expected).length() < 1e-12, "{}", port.field(position));
            let expected = DVec3::new(0.6, 0.8, 0.0) / (2.0 * PI * 0.2);
            assert!((port.voltage(position) - expected).length() < 1e-12, "{}", port.voltage(position));
        }
    }
}
