//! Wires that touch or cross each other.

use crate::error::DgtdError;
use crate::problem::ThinWire;
use glam::DVec3;
use phasefront_core::FieldError;

/// Least distance of two wires relative to the sum of their radii: the current of each is taken as even around it.
const APART: f64 = 2.0;

/// Refuses wires that are too close to each other, or a wire to itself, for thin ones.
pub fn check(wires: &[ThinWire]) -> Result<(), DgtdError> {
    let edges: Vec<(usize, usize, [DVec3; 2])> = wires
        .iter()
        .enumerate()
        .flat_map(|(i, wire)| {
            wire.points.windows(2).enumerate().map(move |(k, pair)| (i, k, [pair[0], pair[1]].map(DVec3::from)))
        })
        .collect();
    for (n, (i, _, a)) in edges.iter().enumerate() {
        for (j, _, b) in &edges[n + 1..] {
            // Edges of one wire that follow each other have a common point.
            let joined = i == j && a.iter().any(|end| b.contains(end));
            let least = APART * (wires[*i].radius + wires[*j].radius);
            let Some(point) = (!joined).then(|| nearest(*a, *b)).flatten().filter(|(distance, _)| *distance < least)
            else {
                continue;
            };
            let (distance, p) = point;
            return Err(FieldError::new(
                format!("geometry.thin_wires[{j}]"),
                format!(
                    "the thin wires {:?} and {:?} are {:.4} mm apart at ({:.4}, {:.4}, {:.4}) m, and must not touch or cross: they need {:.4} mm",
                    wires[*i].name, wires[*j].name, 1e3 * distance, p.x, p.y, p.z, 1e3 * least
                ),
                "move them apart, make one polyline of wires that follow each other, or draw them as solids",
            )
            .into());
        }
    }
    Ok(())
}

/// Least distance of two segments, and where on the first (C. Ericson, *Real-Time Collision Detection*, 2005, section 5.1.9).
fn nearest([p1, q1]: [DVec3; 2], [p2, q2]: [DVec3; 2]) -> Option<(f64, DVec3)> {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, b, c, f) = (d1.dot(d1), d2.dot(d2), d1.dot(d2), d1.dot(r), d2.dot(r));
    let denominator = a * e - b * b;
    let s = if denominator > 0.0 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let on_second = ((b * s + f) / e).clamp(0.0, 1.0);
    let s = ((b * on_second - c) / a).clamp(0.0, 1.0);
    let point = p1 + s * d1;
    let distance = point.distance(p2 + on_second * d2);
    distance.is_finite().then_some((distance, point))
}
