//! Bodies made in code: those with known echoes, the benchmarks of the Electromagnetic Code Consortium, and look-alikes of
//! a missile, a ship and two aircraft.
//!
//! All are in meters, around the origin, with one group. Closed bodies have their normals outwards.

mod aircraft;
mod benchmark;
mod corner;
mod flat;
mod loft;
mod missile;
mod parts;
mod round;
mod ship;

pub use aircraft::{aircraft_a, aircraft_b};
pub use benchmark::{cone_sphere, nasa_almond, ogive};
pub use corner::{dihedral, square_trihedral, trihedral};
pub use flat::{cuboid, plate};
pub use missile::missile;
pub use round::{cylinder, lat_long_sphere, sphere};
pub use ship::ship;

use crate::error::MeshError;
use crate::read::DEFAULT_GROUP;
use crate::triangle::TriangleMesh;
use crate::triangle::weld::weld;

/// The most triangles that a target may have: more than memory holds rays for.
const MAX_TRIANGLES: usize = 100_000_000;

/// Refuses sizes that are none, and numbers of cells that are zero or too many in `triangles`.
fn check(sizes: &[f64], cells: &[usize], triangles: Option<usize>) -> Result<(), MeshError> {
    if let Some(size) = sizes.iter().find(|size| !(size.is_finite() && **size > 0.0)) {
        return Err(MeshError::geometry(format!("{size} m is not a size"), "give sizes above zero"));
    }
    if cells.contains(&0) {
        return Err(MeshError::geometry("a target cut into no cells", "give one cell or more each way"));
    }
    match triangles {
        Some(0..=MAX_TRIANGLES) => Ok(()),
        _ => {
            Err(MeshError::geometry("a target of more than 100 million triangles", "cut it into fewer cells"))
        }
    }
}

/// The product of numbers, if it is one.
fn product(factors: &[usize]) -> Option<usize> {
    factors.iter().try_fold(1_usize, |product, &factor| product.checked_mul(factor))
}

fn body(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> TriangleMesh {
    let groups = vec![0; triangles.len()];
    TriangleMesh { vertices, triangles, groups, group_names: vec![DEFAULT_GROUP.into()] }
}

/// Patches made one by one, joined where their vertices differ by rounding only.
fn joined(patches: impl IntoIterator<Item = TriangleMesh>) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for patch in patches {
        all.append(&patch);
    }
    let target = weld(&all.vertices, all.bounds()[0], 1e-12 * all.diagonal());
    let mut kept = Vec::new();
    let mut number = vec![0; all.vertices.len()];
    for (i, &target) in target.iter().enumerate() {
        if target as usize == i {
            number[i] = kept.len() as u32;
            kept.push(all.vertices[i]);
        } else {
            number[i] = number[target as usize];
        }
    }
    for corner in all.triangles.as_flattened_mut() {
        *corner = number[*corner as usize];
    }
    TriangleMesh { vertices: kept, ..all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle::{MeshReport, WELD_TOLERANCE, repair};

    /// The report of a target, which must need no repairs.
    #[track_caller]
    pub(super) fn flawless(mesh: &TriangleMesh) -> MeshReport {
        let repaired = repair(mesh.clone(), WELD_TOLERANCE).unwrap();
        assert_eq!(repaired.report.repairs, crate::triangle::Repairs::default());
        assert_eq!(repaired.report.non_manifold_edges + repaired.report.one_sided_edges, 0);
        repaired.report
    }

    /// The report of a closed target.
    #[track_caller]
    pub(super) fn closed(mesh: &TriangleMesh) -> MeshReport {
        let report = flawless(mesh);
        assert_eq!(report.closed_shells, report.shells);
        assert!(report.holes.is_empty());
        report
    }

    #[test]
    fn wrong_sizes() {
        let message = |result: Result<TriangleMesh, MeshError>| {
            let error = result.unwrap_err();
            format!("{error}; {}", error.advice())
        };
        assert_eq!(message(plate([1.0, -1.0], [1, 1])), "-1 m is not a size; give sizes above zero");
        assert_eq!(message(sphere(f64::NAN, 1)), "NaN m is not a size; give sizes above zero");
        assert_eq!(
            message(cuboid([1.0; 3], [1, 0, 1])),
            "a target cut into no cells; give one cell or more each way"
        );
        for huge in [plate([1.0, 1.0], [1 << 40, 1 << 40]), plate([1.0, 1.0], [10_000, 10_000])] {
            assert_eq!(message(huge), "a target of more than 100 million triangles; cut it into fewer cells");
        }
    }
}
