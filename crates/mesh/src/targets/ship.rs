//! A ship of 0.9 × 0.2 × 0.2 m.

use super::loft::solid;
use super::parts::{assembled, block, post};
use crate::error::MeshError;
use crate::triangle::TriangleMesh;
use crate::triangle::vec3::{Vec3, add};
use std::f64::consts::PI;

/// A ship of 2,400 triangles with its bow at +x and its mast along +y: hull, deckhouse, bridge, hangar, funnel, gun and
/// mast; 0.9 m long, 0.2 m high and 0.2 m wide.
///
/// ```
/// let ship = phasefront_mesh::targets::ship().unwrap();
/// assert_eq!(ship.triangles.len(), 2400);
/// ```
pub fn ship() -> Result<TriangleMesh, MeshError> {
    let gun = post([0.0; 3], 0.004, 0.07)?.mapped(|[x, y, z]| add([z, x, y], [0.31, 0.0, 0.098]));
    let parts = [
        hull(),
        block([0.0, 0.0, 0.098], [0.34, 0.13, 0.05])?,
        block([0.1, 0.0, 0.136], [0.11, 0.11, 0.05])?,
        block([-0.22, 0.0, 0.096], [0.12, 0.12, 0.045])?,
        block([-0.06, 0.0, 0.138], [0.06, 0.05, 0.05])?,
        post([0.26, 0.0, 0.085], 0.028, 0.04)?,
        post([0.06, 0.0, 0.172], 0.005, 0.06)?,
        gun,
    ];
    // Up is y: turntable sweeps of the ship rotate about this axis.
    let upright = parts.map(|part| part.mapped(|[x, y, z]| [x, z, -y]));
    Ok(assembled(upright, [0.9, 0.2, 0.2], 2400))
}

/// Frames from stern to bow: x, half the beam, keel, deck.
const FRAMES: [[f64; 4]; 12] = [
    [-0.45, 0.070, 0.030, 0.072],
    [-0.40, 0.082, 0.016, 0.072],
    [-0.33, 0.092, 0.006, 0.072],
    [-0.24, 0.098, 0.001, 0.072],
    [-0.12, 0.100, 0.000, 0.073],
    [0.00, 0.100, 0.000, 0.074],
    [0.10, 0.097, 0.000, 0.076],
    [0.19, 0.086, 0.001, 0.079],
    [0.27, 0.066, 0.003, 0.083],
    [0.34, 0.043, 0.008, 0.088],
    [0.40, 0.021, 0.018, 0.093],
    [0.45, 0.002, 0.060, 0.098],
];

/// Points of a frame below the deck's edges, and on the deck between them.
const BELOW: usize = 15;
const DECK: usize = 7;

fn hull() -> TriangleMesh {
    let ring = |&[x, half, keel, deck]: &[f64; 4]| -> Vec<Vec3> {
        // Around the bilge: |y/b|³ + |z/d|³ = 1.
        let bent = |c: f64| c.signum() * c.abs().powf(2.0 / 3.0);
        let below = (0..=BELOW).map(|i| {
            let (sin, cos) = (PI * i as f64 / BELOW as f64).sin_cos();
            [
                x,
                half * if i == 0 || i == BELOW { cos } else { bent(cos) },
                deck - (deck - keel) * bent(sin.max(0.0)),
            ]
        });
        let across = (1..DECK).map(|i| [x, half * (2.0 * i as f64 / DECK as f64 - 1.0), deck]);
        below.chain(across).collect()
    };
    solid(FRAMES.iter().map(ring).collect())
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::vehicle;

    #[test]
    fn ship_has_its_size() {
        vehicle(&super::ship().unwrap(), [0.9, 0.2, 0.2], 2400, 8);
    }
}
