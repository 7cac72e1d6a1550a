//! Whether the mesh resolves the wavelength.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::problem::Problem;
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, SelfCheck};
use rayon::prelude::*;

/// Points per wavelength below which nothing is right: two samples per period are the Nyquist limit, and after one wavelength a
/// third to two thirds of the wave are wrong.
const MIN_POINTS: f64 = 2.0;
/// Points per wavelength below which lengths are most likely in another unit than given.
const OTHER_UNIT: f64 = 0.01;
/// Points per wavelength below which a wave is wrong by more than 2 to 7 % after one wavelength (`tests/physics/resolution.rs`).
pub const FEW_POINTS: f64 = 4.0;

/// The tetrahedron with the fewest nodes per wavelength along its longest edge, and how many these are.
fn coarsest(problem: &Problem, domain: &Domain) -> (usize, f64) {
    let longest = |tet: usize| {
        let p = domain.mesh.corners(tet).map(glam::DVec3::from);
        let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| p[i].distance(p[j])).fold(0.0, f64::max)
    };
    let wavelength = C0 / problem.highest_frequency;
    // N points per edge, λ/h edges per wavelength, with λ of the slowest wave in the medium.
    let points =
        |tet: usize| problem.order as f64 * wavelength * domain.material(tet).slowest() / longest(tet);
    let all = (0..domain.mesh.tets.len()).into_par_iter().map(|tet| (tet, points(tet)));
    // The first of several with the fewest.
    all.reduce(|| (0, f64::INFINITY), |least, next| if next.1 < least.1 { next } else { least })
}

/// Nodes per wavelength along the longest edge of an element, where that is least.
pub fn points_per_wavelength(problem: &Problem, domain: &Domain) -> f64 {
    coarsest(problem, domain).1
}

/// Points per wavelength, with the limit below which results are inaccurate.
pub fn self_check(problem: &Problem, domain: &Domain) -> SelfCheck {
    let points = points_per_wavelength(problem, domain);
    let sentence = if points < FEW_POINTS {
        format!(
            "the mesh has {points:.1} points per wavelength where it is coarsest: below {FEW_POINTS} results are inaccurate; \
             refine the mesh or raise the order"
        )
    } else {
        "The mesh resolves the wavelength at the highest frequency.".to_owned()
    };
    SelfCheck::at_least("points per wavelength", points, FEW_POINTS, sentence)
}

/// Refuses a mesh that does not resolve the highest frequency at all.
pub fn check(problem: &Problem, domain: &Domain) -> Result<(), DgtdError> {
    let (tet, points) = coarsest(problem, domain);
    if points >= MIN_POINTS {
        return Ok(());
    }
    let [x, y, z] = domain.middle(tet);
    Err(FieldError::new(
        "geometry.mesh",
        format!(
            "the volume {:?} is too coarse for {:.4} GHz: the element at ({x:.4}, {y:.4}, {z:.4}) m has {points:.1} points per \
             wavelength, below the minimum of {MIN_POINTS}",
            domain.volume_name(tet),
            1e-9 * problem.highest_frequency
        ),
        if points < OTHER_UNIT {
            "check the unit of length: `units` in [geometry] is that of the mesh file, for example \"mm\""
        } else {
            "refine the mesh there or raise the order, to at least 6 points; or lower the frequency"
        },
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Material;
    use crate::problem::Boundary;
    use phasefront_mesh::BoxMesh;

    #[test]
    fn points_are_counted_along_the_longest_edge() {
        // The diagonal of a cubic cell of 0.5 m is 0.866 m; at 299.8 MHz and with ε = 4 a wave is half a meter long.
        let mesh = BoxMesh { cell: [0.5; 3], name: "body".into(), ..BoxMesh::default() }.mesh().unwrap();
        let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
        let problem = |order: usize| Problem {
            mesh: mesh.clone(),
            materials: vec![("body".to_owned(), Material::dielectric(4.0))],
            boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
            highest_frequency: C0,
            order,
            ..Problem::default()
        };
        let study = crate::prepare(problem(4)).unwrap();
        assert!((study.points_per_wavelength() - 4.0 * 0.5 / 0.75_f64.sqrt()).abs() < 1e-12);
        let coarse = &study.self_checks[0];
        assert!(!coarse.holds());
        assert!(coarse.sentence.starts_with("the mesh has 2.3 points per wavelength"), "{coarse:?}");
        let error = crate::prepare(problem(3)).err().unwrap();
        let expected = "geometry.mesh: the volume \"body\" is too coarse for 0.2998 GHz: the element at (";
        let end = ") m has 1.7 points per wavelength, below the minimum of 2";
        assert!(error.to_string().starts_with(expected) && error.to_string().ends_with(end), "{error}");
    }
}
