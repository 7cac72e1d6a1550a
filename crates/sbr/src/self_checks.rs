//! How far rays and facets can be trusted on a target, as known before the run.

use crate::curvature::{Interpolation, sagitta};
use crate::problem::{Problem, Tubes};
use glam::{DMat3, DVec3};
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;
use phasefront_mesh::TriangleMesh;

/// Largest sagitta of facets in wavelengths. The path there and back is off by twice the sagitta, a phase of 4πs/λ, here 11 degrees.
/// Chosen by the study `coarse_facets_warn` of tests/physics/validity.rs: of 66 spheres and cylinders below it, one is off by more than
/// a decibel in one of six directions, by 1.1 dB; of 30 above it, 21 are, by up to 23 dB.
const MAX_SAGITTA: f64 = 1.0 / 64.0;
/// Smallest width of a target in wavelengths, chosen by the study `small_bodies_warn` of tests/physics/validity.rs: physical optics of
/// spheres is within 1.5 dB of Mie's series above it, and up to 7 dB off below.
const MIN_WIDTH: f64 = 2.0;
/// Width of the tubes of a ray grid in wavelengths above which it undersamples the target; beams do not.
const COARSE_TUBE: f64 = 0.25;

/// All self-checks of a problem, after interpolation.
pub(crate) fn self_checks(problem: &Problem, interpolation: Option<&Interpolation>) -> Vec<SelfCheck> {
    let mut checks = vec![size(problem)];
    checks.extend(facets(problem));
    checks.extend(interpolation.map(|interpolation| interpolated_surface(problem, interpolation)));
    if problem.tubes == Tubes::RayGrid {
        checks.push(tube_width(problem));
    }
    checks
}

/// Rays need a body of some wavelengths, at the lowest frequency.
fn size(problem: &Problem) -> SelfCheck {
    let lowest = problem.frequencies.iter().copied().fold(f64::INFINITY, f64::min);
    let wavelengths = width(&problem.mesh) * lowest / C0;
    let sentence = if wavelengths >= MIN_WIDTH {
        format!("The target is {wavelengths:.3} wavelengths wide at the lowest frequency, as rays need it.")
    } else {
        format!(
            "the target is {wavelengths:.3} wavelengths wide at the lowest frequency, less than the {MIN_WIDTH} \
             that geometrical optics needs: check geometry.units and source.frequency, or use a full-wave solver"
        )
    };
    SelfCheck::at_least("target width", wavelengths, MIN_WIDTH, sentence).in_unit("wavelengths")
}

/// Facets should follow the surface that they stand for; nothing if no facets meet at small angles, as on boxes and plates.
fn facets(problem: &Problem) -> Option<SelfCheck> {
    let sagitta = sagitta(problem)? * problem.highest_frequency() / C0;
    let sentence = if sagitta <= MAX_SAGITTA {
        format!(
            "Facets of curved surfaces deviate from them by {sagitta:.2e} wavelengths at the highest frequency."
        )
    } else {
        format!(
            "facets deviate from the curved surface that they seem to stand for by {sagitta:.3} wavelengths at the \
             highest frequency, above {MAX_SAGITTA:.4}: the result is that of the facets, which flash one by one; \
             make them {:.1} times smaller along each side, unless the target has facets",
            (sagitta / MAX_SAGITTA).sqrt()
        )
    };
    Some(SelfCheck::at_most("sagitta of facets", sagitta, MAX_SAGITTA, sentence).in_unit("wavelengths"))
}

/// Facets should leave little open of the surface that is drawn through them.
fn interpolated_surface(problem: &Problem, interpolation: &Interpolation) -> SelfCheck {
    let uncertainty = interpolation.uncertainty * problem.highest_frequency() / C0;
    let sentence = if uncertainty <= MAX_SAGITTA {
        format!(
            "Facets of {:.0} % of the area were taken for a curved surface, which is certain to {uncertainty:.2e} wavelengths at the \
             highest frequency; `surface = \"facets\"` keeps them flat.",
            100.0 * interpolation.area_share
        )
    } else {
        format!(
            "the mesh leaves open where the curved surface is that its facets stand for, by {uncertainty:.3} wavelengths \
             at the highest frequency, above {MAX_SAGITTA:.4}: make facets {:.1} times smaller along each side where \
             curvature changes, or use `surface = \"facets\"` if the target has facets",
            (uncertainty / MAX_SAGITTA).sqrt()
        )
    };
    SelfCheck::at_most("interpolated surface", uncertainty, MAX_SAGITTA, sentence).in_unit("wavelengths")
}

fn tube_width(problem: &Problem) -> SelfCheck {
    let width = problem.tube_width;
    let sentence = if width <= COARSE_TUBE {
        format!("The tubes of the ray grid are {width} wavelengths wide at the highest frequency.")
    } else {
        format!(
            "the ray grid is {width} wavelengths wide; above {COARSE_TUBE} it undersamples curved surfaces: \
             reduce solve.tube_width, or use `tubes = \"adaptive\"`"
        )
    };
    SelfCheck::at_most("ray tube width", width, COARSE_TUBE, sentence).in_unit("wavelengths")
}

/// The second largest extent of a mesh along its principal axes, m: a wire has its diameter, a plate its shorter side.
fn width(mesh: &TriangleMesh) -> f64 {
    let axes = principal_axes(mesh);
    let extent = |axis: DVec3| {
        let along =
            mesh.triangles.iter().flatten().map(|&i| axis.dot(DVec3::from(mesh.vertices[i as usize])));
        let [low, high] =
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        high - low
    };
    let mut extents = axes.map(extent);
    extents.sort_by(f64::total_cmp);
    extents[1]
}

/// Principal axes of the area of a mesh.
fn principal_axes(mesh: &TriangleMesh) -> [DVec3; 3] {
    let (mut area, mut center) = (0.0, DVec3::ZERO);
    let parts: Vec<(f64, DVec3)> = (0..mesh.triangles.len())
        .map(|t| {
            let middle = mesh.corners(t).map(DVec3::from).iter().sum::<DVec3>() / 3.0;
            (DVec3::from(mesh.area_vector(t)).length(), middle)
        })
        .collect();
    for (part, middle) in &parts {
        area += part;
        center += *part * *middle;
    }
    center /= area.max(f64::MIN_POSITIVE);
    let mut moments = DMat3::ZERO;
    for (t, (part, middle)) in parts.iter().enumerate() {
        // ∫ r rᵀ dA = A/12 (Σ cᵢcᵢᵀ + 9 mmᵀ), with the corners c and the centroid m.
        let [a, b, c] = mesh.corners(t).map(|corner| DVec3::from(corner) - center);
        for point in [a, b, c, 3.0 * (*middle - center)] {
            moments += *part / 12.0 * DMat3::from_cols(point * point.x, point * point.y, point * point.z);
        }
    }
    eigenvectors(moments)
}

/// Eigenvectors of a symmetric matrix, by Jacobi rotations.
fn eigenvectors(mut matrix: DMat3) -> [DVec3; 3] {
    /// Rotations converge quadratically: five sweeps are more than double precision needs.
    const SWEEPS: usize = 8;
    let mut vectors = DMat3::IDENTITY;
    for (p, q) in (0..SWEEPS).flat_map(|_| [(0, 1), (0, 2), (1, 2)]) {
        let (a, b, c) = (matrix.col(p)[p], matrix.col(q)[q], matrix.col(p)[q]);
        let (sin, cos) = (0.5 * (2.0 * c).atan2(b - a)).sin_cos();
        let mut rotation = DMat3::IDENTITY;
        rotation.col_mut(p)[p] = cos;
        rotation.col_mut(q)[q] = cos;
        rotation.col_mut(q)[p] = sin;
        rotation.col_mut(p)[q] = -sin;
        matrix = rotation.transpose() * matrix * rotation;
        vectors *= rotation;
    }
    [vectors.x_axis, vectors.y_axis, vectors.z_axis]
}
