//! Points on the sides of a box, on which the near field is saved.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::huygens::Huygens;
use crate::images::Mirror;
use crate::locate::Locator;
use crate::problem::{NearBox, Problem};
use glam::DVec3;
use phasefront_core::FieldError;

/// Where errors are.
const PATH: &str = "output.near_field.box";

/// A point on a side of a box, in an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxPoint {
    /// Position, m.
    pub position: DVec3,
    /// Out of the box.
    pub normal: DVec3,
    /// Area of its rectangle, m².
    pub area: f64,
    /// The element.
    pub tet: usize,
    /// Local coordinates there.
    pub local: [f64; 3],
}

/// The points of a box. Sides that lie in a mirror are left out: images close the box there.
pub fn box_points(
    problem: &Problem,
    domain: &Domain,
    (sides, mirrors): (&NearBox, &[Mirror]),
    locator: &Locator<'_>,
) -> Result<Vec<BoxPoint>, DgtdError> {
    if (0..3).any(|axis| {
        sides.points[axis] == 0
            || sides.to[axis].partial_cmp(&sides.from[axis]) != Some(std::cmp::Ordering::Greater)
    }) {
        return Err(refuse(
            "the box has no volume, or no points".into(),
            "give `from` with the smallest coordinates, `to` with the largest, and at least one point along each axis",
        ));
    }
    let mut points = Vec::new();
    for side in (0..6).filter(|side| !in_mirror(sides, *side, mirrors)) {
        for (position, normal, area) in side_points(sides, side) {
            let Some((tet, local)) = locator.find(position) else {
                return Err(refuse(
                    format!("the point {} of the box is outside of the mesh", text(position)),
                    "place the box in the air around the model; at a symmetry plane it ends in the plane",
                ));
            };
            points.push(BoxPoint { position, normal, area, tet, local });
        }
    }
    check_medium(domain, &points)?;
    check_bodies(domain, &points, mirrors)?;
    check_sources(problem, domain, &points, locator)?;
    Ok(points)
}

/// Position, normal and area of the points of a side: `axis`, or 3 + `axis` for the far one. Points go along the first of the two
/// other axes first.
fn side_points(sides: &NearBox, side: usize) -> impl Iterator<Item = (DVec3, DVec3, f64)> + use<> {
    let NearBox { from, to, points } = *sides;
    let (axis, far) = (side % 3, side >= 3);
    let [u, v] = other_axes(axis);
    let step = move |k: usize| (to[k] - from[k]) / points[k] as f64;
    let mut normal = DVec3::ZERO;
    normal[axis] = if far { 1.0 } else { -1.0 };
    (0..points[v]).flat_map(move |j| {
        (0..points[u]).map(move |i| {
            let mut position = DVec3::ZERO;
            position[axis] = if far { to[axis] } else { from[axis] };
            position[u] = from[u] + (i as f64 + 0.5) * step(u);
            position[v] = from[v] + (j as f64 + 0.5) * step(v);
            (position, normal, step(u) * step(v))
        })
    })
}

/// The two axes across another one, in order.
pub fn other_axes(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

fn in_mirror(sides: &NearBox, side: usize, mirrors: &[Mirror]) -> bool {
    let [u, v] = other_axes(side % 3);
    let corner = |i: usize| {
        let mut corner = if side >= 3 { sides.to } else { sides.from };
        // All four corners have the coordinate of the side along its axis.
        corner[u] = if i & 1 == 0 { sides.from[u] } else { sides.to[u] };
        corner[v] = if i & 2 == 0 { sides.from[v] } else { sides.to[v] };
        corner
    };
    mirrors.iter().any(|mirror| (0..4).all(|i| mirror.holds(&corner(i))))
}

/// Equivalent currents radiate in one medium.
fn check_medium(domain: &Domain, points: &[BoxPoint]) -> Result<(), DgtdError> {
    let Some(first) = points.first() else {
        return Err(refuse("all sides of the box are symmetry planes".into(), "place it around the model"));
    };
    let medium = domain.material(first.tet);
    let other = points.iter().find(|point| {
        let here = domain.material(point.tet);
        here != medium || here.sigma != 0.0 || !here.poles.is_empty() || domain.in_pml(point.tet)
    });
    if !medium.is_isotropic() {
        return Err(refuse(
            format!("the box lies in the anisotropic medium {:?}", domain.volume_name(first.tet)),
            "equivalent currents radiate in an isotropic medium: place it in one, for example air",
        ));
    }
    let Some(point) = other else { return Ok(()) };
    Err(refuse(
        format!("the box passes {:?} at {}", domain.volume_name(point.tet), text(point.position)),
        "it must lie in one homogeneous medium without losses, away from bodies and PMLs: move it",
    ))
}

fn check_bodies(domain: &Domain, points: &[BoxPoint], mirrors: &[Mirror]) -> Result<(), DgtdError> {
    let touches = |tet: usize| {
        (0..4).any(|face| {
            let corners = domain.mesh.face_corners(tet, face);
            let mirror = mirrors.iter().any(|mirror| corners.iter().all(|corner| mirror.holds(corner)));
            !domain.conditions[tet][face].is_interior() && !mirror
        })
    };
    let Some(point) = points.iter().find(|point| touches(point.tet)) else { return Ok(()) };
    Err(refuse(
        format!(
            "the box touches a conductor, a sheet, a port or the end of the mesh at {}",
            text(point.position)
        ),
        "leave at least two elements between bodies and the box",
    ))
}

/// The field of a point source is smeared over its element, and jumps at a TF/SF surface.
fn check_sources(
    problem: &Problem,
    domain: &Domain,
    points: &[BoxPoint],
    locator: &Locator<'_>,
) -> Result<(), DgtdError> {
    for dipole in &problem.sources.dipoles {
        let found = locator.find(dipole.position.into());
        let Some(point) = points.iter().find(|point| found.is_some_and(|(tet, _)| tet == point.tet)) else {
            continue;
        };
        return Err(refuse(
            format!("the box passes the element of a dipole at {}", text(point.position)),
            "leave at least two elements between dipoles and the box",
        ));
    }
    if let Some((name, path)) = problem.sources.injection_surface() {
        let inside = Huygens::new(domain, name, path)?.inside;
        if let Some(point) = points.iter().find(|point| inside[point.tet] != inside[points[0].tet]) {
            return Err(refuse(
                format!("the box crosses the TF/SF surface {name:?} near {}", text(point.position)),
                "place it outside of that surface, where the field is the scattered one",
            ));
        }
    }
    Ok(())
}

fn refuse(message: String, advice: &str) -> DgtdError {
    FieldError::new(PATH, message, advice).into()
}

fn text(position: DVec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", position.x, position.y, position.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The areas of a box of 2 x 3 x 5 m add up to its surface, and Σ r·n dS = 3 V (Gauss).
    #[test]
    fn points_cover_the_box() {
        let sides = NearBox { from: [1.0, -1.0, 0.0], to: [3.0, 2.0, 5.0], points: [2, 4, 3] };
        let all: Vec<_> = (0..6).flat_map(|side| side_points(&sides, side)).collect();
        assert_eq!(all.len(), 2 * (4 * 3 + 2 * 3 + 2 * 4));
        let area: f64 = all.iter().map(|(_, _, area)| area).sum();
        let volume: f64 = all.iter().map(|(position, normal, area)| position.dot(*normal) * area / 3.0).sum();
        assert!((area - 62.0).abs() < 1e-12 && (volume - 30.0).abs() < 1e-12, "{area} {volume}");
    }
}
