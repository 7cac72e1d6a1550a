//! The coupling of wires and mesh.
//!
//! The cloud of a wire is a bundle of filaments: copies of its axis, shifted by the points of a quadrature of the cloud, each with its share
//! of the current. A filament is cut at the faces of the elements, and the integrals over its pieces are exact. So the projection of its
//! current on the polynomials of the elements has the charge of the wire, and no other: ∫ J·∇φ = −∫ (dI/ds) φ ds for every continuous
//! piecewise polynomial φ, whose gradients are all static fields of the mesh. The average of E that drives the wire has the same weights,
//! so that what the wire takes from the mesh, ∫ J·E, is what the mesh loses.

use super::path::{Paths, Plane, Segment};
use crate::domain::Domain;
use crate::geometry::Shape;
use crate::locate::Locator;
use crate::reference::Element;
use crate::reference::basis::barycentric;
use crate::wire_kernel::shell;
use glam::DVec3;
use phasefront_core::quadrature::gauss_legendre;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Radii, polar angles and azimuths of the filaments. Fields are discontinuous between elements: what few filaments miss of the cloud is noise
/// that the mesh does not resolve, and the flux dissipates it as a resistance of the wire would.
const RULE: [usize; 3] = [10, 8, 16];
/// Least change of a barycentric coordinate along a filament that leaves an element: less is rounding on a face along it.
const LEAST_SLOPE: f64 = 1e-9;
/// Least part of a segment that a filament advances from element to element: rounding must not stop it on a face.
const ADVANCE: f64 = 1e-7;

/// ∫ φ_d t·ℓ over all filaments in one element, for each current d and the basis functions ℓ of each component: [component][node].
pub type Weights = BTreeMap<u32, BTreeMap<usize, Vec<f64>>>;

/// The points of a quadrature of a cloud of radius 1, with their weights.
fn filaments() -> Vec<(DVec3, f64)> {
    let [radii, polar, around] = RULE;
    let (radial, cosine) = (gauss_legendre(radii), gauss_legendre(polar));
    let mut points = Vec::new();
    for (i, (x, w)) in radial.nodes.iter().zip(&radial.weights).enumerate() {
        let r = 0.5 + 0.5 * x;
        for (j, (z, v)) in cosine.nodes.iter().zip(&cosine.weights).enumerate() {
            for k in 0..around {
                // Each ring is turned against the others.
                let turn = (k as f64 + 0.382 * i as f64 + 0.618 * j as f64 + 0.123) / around as f64;
                let (sine, cosine) = (TAU * turn).sin_cos();
                let across = (1.0 - z * z).sqrt();
                let weight = 0.5 * w * shell(r) * 0.5 * v / around as f64;
                points.push((r * DVec3::new(across * cosine, across * sine, *z), weight));
            }
        }
    }
    points
}

/// Why there are no weights.
pub enum Obstacle {
    /// A filament leaves the mesh here.
    Outside(usize, DVec3),
    /// It meets a curved element here.
    Curved(usize, DVec3),
}

/// The weights of all wires.
pub fn weights(
    domain: &Domain,
    element: &Element,
    locator: &Locator<'_>,
    paths: &Paths,
    cloud: f64,
) -> Result<Weights, Obstacle> {
    // The current is linear, the polynomials of the element are of its order.
    let rule = gauss_legendre(element.order.div_ceil(2) + 1);
    let mut weights = Weights::new();
    for segment in &paths.segments {
        let planes: Vec<&Plane> = paths
            .planes
            .iter()
            .filter(|plane| segment.ends.iter().any(|end| plane.height(*end) < cloud))
            .collect();
        for (offset, share) in filaments() {
            let ends = segment.ends.map(|end| end + cloud * offset);
            let Some([mut from, to]) = clipped(ends, &planes) else { continue };
            while to - from > ADVANCE {
                let inside = ends[0].lerp(ends[1], from + ADVANCE.min(0.5 * (to - from)));
                let Some((tet, _)) = locator.find(inside) else {
                    return Err(Obstacle::Outside(segment.wire, inside));
                };
                let shape = Shape::of(&domain.mesh, tet);
                if shape.curved {
                    return Err(Obstacle::Curved(segment.wire, inside));
                }
                let until = exit(&shape, ends, from).max(from + ADVANCE).min(to);
                add(&mut weights, element, (tet, &shape), segment, (ends, [from, until], share), &rule);
                from = until;
            }
        }
    }
    Ok(weights)
}

/// The part of a filament on the front side of all planes.
fn clipped(ends: [DVec3; 2], planes: &[&Plane]) -> Option<[f64; 2]> {
    let mut part = [0.0_f64, 1.0_f64];
    for plane in planes {
        let [a, b] = ends.map(|end| plane.height(end));
        if a <= 0.0 && b <= 0.0 {
            return None;
        }
        if a < 0.0 {
            part[0] = part[0].max(a / (a - b));
        } else if b < 0.0 {
            part[1] = part[1].min(a / (a - b));
        }
    }
    (part[1] > part[0]).then_some(part)
}

/// Where a line leaves an element, after `from`.
fn exit(shape: &Shape, ends: [DVec3; 2], from: f64) -> f64 {
    let inverse = shape.jacobian([0.25; 3]).inverse();
    let [a, b] = ends.map(|end| barycentric((inverse * (end - shape.corners[0])).into()));
    let mut exit = f64::INFINITY;
    for i in 0..4 {
        let slope = b[i] - a[i];
        if slope < -LEAST_SLOPE {
            exit = exit.min(-a[i] / slope);
        }
    }
    exit.max(from)
}

/// Adds the piece of a filament in one element.
fn add(
    weights: &mut Weights,
    element: &Element,
    (tet, shape): (usize, &Shape),
    segment: &Segment,
    (ends, [from, to], share): ([DVec3; 2], [f64; 2], f64),
    rule: &phasefront_core::quadrature::Rule,
) {
    let count = element.len();
    let inverse = shape.jacobian([0.25; 3]).inverse();
    let along = ends[1] - ends[0];
    let of_tet = weights.entry(tet as u32).or_default();
    for (node, weight) in rule.nodes.iter().zip(&rule.weights) {
        let s = 0.5 * (from + to) + 0.5 * (to - from) * node;
        let local = inverse * (ends[0].lerp(ends[1], s) - shape.corners[0]);
        let basis = element.interpolation(local.into());
        for (current, part) in segment.currents.iter().zip([1.0 - s, s]) {
            let Some(current) = current else { continue };
            let values = of_tet.entry(*current).or_insert_with(|| vec![0.0; 3 * count]);
            // t ds = along dσ, with σ from 0 to 1 on the segment.
            let vector = 0.5 * (to - from) * weight * share * part * along;
            for axis in 0..3 {
                for (value, basis) in values[axis * count..(axis + 1) * count].iter_mut().zip(&basis) {
                    *value += vector[axis] * basis;
                }
            }
        }
    }
}
