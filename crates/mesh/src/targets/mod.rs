//! Generated targets: canonical bodies of known RCS, benchmarks of the Electromagnetic Code
//! Consortium, and generic models of a missile, a ship and two aircraft.
//!
//! All are in meters, around the origin, with one group. Closed bodies have their normals outward.

mod aircraft;
mod benchmark;
mod corner;
mod flat;
mod loft;
mod missile;
mod parts;
mod patches;
mod round;
mod ship;

pub use aircraft::{aircraft_a, aircraft_b};
pub use benchmark::{cone_sphere, nasa_almond, ogive};
pub use corner::{dihedral, square_trihedral, trihedral};
pub use flat::{cuboid, plate};
pub use missile::missile;
pub use round::{cylinder, lat_long_sphere, sphere};
pub use ship::ship;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::MeshError;
    use crate::triangle::{MeshReport, TriangleMesh, WELD_TOLERANCE, repair};

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
            "a target with zero cells; give at least one cell in each direction"
        );
        for huge in [plate([1.0, 1.0], [1 << 40, 1 << 40]), plate([1.0, 1.0], [10_000, 10_000])] {
            assert_eq!(message(huge), "a target of more than 100 million triangles; cut it into fewer cells");
        }
    }
}
