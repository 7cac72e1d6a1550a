//! A missile of 1.1 × 0.25 × 0.2 m.

use super::loft::solid;
use super::parts::{assembled, fin, plain_rings, smooth_rings, wings};
use crate::triangle::TriangleMesh;

/// A missile of 700 triangles with its nose at +x: body with a nozzle, wings along y, tail fins along y and z; 1.1 m long,
/// 0.25 m wide and 0.2 m high.
///
/// ```
/// let missile = phasefront_mesh::targets::missile();
/// assert_eq!(missile.triangles.len(), 700);
/// ```
pub fn missile() -> TriangleMesh {
    let nose = [
        [0.55, 0.0, 0.0, 0.0, 2.0],
        [0.48, 0.0, 0.025, 0.025, 2.0],
        [0.40, 0.0, 0.041, 0.041, 2.0],
        [0.30, 0.0, 0.050, 0.050, 2.0],
    ];
    let stern = [
        [0.05, 0.0, 0.050, 0.050, 2.0],
        [-0.25, 0.0, 0.050, 0.050, 2.0],
        [-0.55, 0.0, 0.045, 0.045, 2.0],
        // Into the nozzle.
        [-0.55, 0.0, 0.038, 0.038, 2.0],
        [-0.48, 0.0, 0.022, 0.022, 2.0],
    ];
    let mut rings = smooth_rings(&nose, 2, 16);
    rings.extend(plain_rings(&stern, 16));
    let tail = [[-0.36, 0.0, 0.0, 0.16, 0.06], [-0.46, 0.1, 0.0, 0.08, 0.06]];
    let parts = [
        solid(rings),
        wings(&[[0.16, 0.0, 0.0, 0.22, 0.05], [0.0, 0.125, 0.0, 0.08, 0.05]], 4),
        wings(&tail, 4),
        fin(
            &[
                [-0.461, -0.1, 0.0, 0.08, 0.06],
                [-0.361, 0.0, 0.0, 0.16, 0.06],
                [-0.461, 0.1, 0.0, 0.08, 0.06],
            ],
            4,
        ),
    ];
    assembled(parts, [1.1, 0.25, 0.2], 700)
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::{open_duct, vehicle};

    #[test]
    fn missile_has_its_size_and_a_nozzle() {
        let missile = super::missile();
        vehicle(&missile, [1.1, 0.25, 0.2], 700, 4);
        open_duct(&missile, 0.01, 1.0, -0.48);
        // The same in every run.
        assert_eq!(missile, super::missile());
    }
}
