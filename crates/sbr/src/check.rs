//! Validation of a problem, called by `prepare`.

use crate::antenna_checks;
use crate::material::{Constants, Material, Medium};
use crate::problem::{Bounces, Problem, Tracer, Tubes};
use crate::scene::Scene;
use phasefront_core::FieldError;
use phasefront_core::constants::C0;
use phasefront_mesh::TriangleMesh;
use std::f64::consts::PI;

/// Size of a target in wavelengths above which its units must be wrong, and single-precision bounding boxes are too coarse.
const MAX_WAVELENGTHS: f64 = 1e6;
/// Length of a target in meters above which its unit is probably another one; the longest ships have 460.
const LARGEST_TARGET: f64 = 500.0;
/// Limits of the tube width in wavelengths: geometrical optics fails above, run time explodes below.
const MAX_TUBE: f64 = 1.0;
const MIN_TUBE: f64 = 1e-4;
/// Limit of the number of bounces.
const MAX_BOUNCES: usize = 1000;

/// Checks that do not need the scene.
pub(crate) fn problem(problem: &Problem) -> Result<(), FieldError> {
    mesh(&problem.mesh)?;
    source(problem)?;
    solve(problem)?;
    let wavelengths = problem.mesh.diagonal() * problem.highest_frequency() / C0;
    if wavelengths > MAX_WAVELENGTHS {
        let message = format!("the target is {wavelengths:.1e} wavelengths long");
        return Err(FieldError::new(
            "geometry.units",
            message,
            "check the units of the mesh and the frequency",
        ));
    }
    Ok(())
}

fn mesh(mesh: &TriangleMesh) -> Result<(), FieldError> {
    let copy = mesh.clone();
    // The constructor validates: the fields of a mesh are public and may have been changed since.
    match TriangleMesh::new(copy.vertices, copy.triangles, copy.groups, copy.group_names) {
        Ok(_) => Ok(()),
        Err(error) => Err(FieldError::new("geometry.mesh", error.to_string(), error.advice())),
    }
}

fn source(problem: &Problem) -> Result<(), FieldError> {
    if problem.frequencies.is_empty() {
        return Err(FieldError::new("source.frequency", "there is no frequency", "give at least one"));
    }
    if let Some(f) = problem.frequencies.iter().find(|f| !(f.is_finite() && **f > 0.0)) {
        let message = format!("a frequency of {f} Hz is not positive");
        let advice = "give a positive frequency, for example \"10 GHz\"";
        return Err(FieldError::new("source.frequency", message, advice));
    }
    if let Some(antennas) = &problem.antennas {
        return antenna_checks::problem(problem, antennas);
    }
    if problem.aspects.is_empty() {
        let advice = "give at least one angle in each list";
        return Err(FieldError::new("source", "there is no aspect", advice));
    }
    for aspect in &problem.aspects {
        let angles = [aspect.incident.theta, aspect.incident.phi, aspect.observer.theta, aspect.observer.phi];
        if angles.iter().any(|angle| !angle.is_finite()) {
            return Err(FieldError::new("source", "an angle is not finite", "give finite angles"));
        }
    }
    Ok(())
}

fn solve(problem: &Problem) -> Result<(), FieldError> {
    if let Bounces::AtMost(bounces) = problem.bounces
        && !(1..=MAX_BOUNCES).contains(&bounces)
    {
        let message = format!("{bounces} bounces are outside 1 to {MAX_BOUNCES}");
        let advice = "1 is physical optics; \"auto\" continues until little power is left";
        return Err(FieldError::new("solve.bounces", message, advice));
    }
    if !(MIN_TUBE..=MAX_TUBE).contains(&problem.tube_width) {
        let message =
            format!("a tube width of {} wavelengths is outside {MIN_TUBE} to {MAX_TUBE}", problem.tube_width);
        let advice = "0.1 is usual";
        return Err(FieldError::new("solve.tube_width", message, advice));
    }
    if !(problem.edge_angle > 0.0 && problem.edge_angle <= PI) {
        let message = format!("an edge angle of {} rad is outside 0 to π", problem.edge_angle);
        let advice = "30 degrees is usual: faces that meet at more are an edge";
        return Err(FieldError::new("geometry.edge_angle", message, advice));
    }
    if problem.tracer == Tracer::KdTree && problem.tubes == Tubes::Beams {
        let message = "a kd-tree traces single rays only; adaptive beams need the BVH";
        let advice = "set `tubes = \"ray-grid\"`, or omit `tracer`";
        return Err(FieldError::new("solve.tracer", message, advice));
    }
    Ok(())
}

/// The validated material of each group.
pub(crate) fn materials_of_groups(problem: &Problem) -> Result<Vec<Material>, FieldError> {
    let names = &problem.mesh.group_names;
    // Groups that are not listed are perfect conductors.
    let mut materials = vec![Material::Conductor; names.len()];
    for (name, material) in &problem.materials {
        let path = format!("geometry.materials.{name}");
        let Some(group) = names.iter().position(|known| known == name) else {
            let advice = format!("the groups of the mesh are {}", names.join(", "));
            return Err(FieldError::new(path, format!("there is no group {name:?}"), advice));
        };
        check_material(material, &path)?;
        materials[group] = material.clone();
    }
    Ok(materials)
}

fn check_material(material: &Material, path: &str) -> Result<(), FieldError> {
    match material {
        Material::Conductor => Ok(()),
        Material::HalfSpace(medium) => check_medium(medium, path),
        Material::Coated(layers) => layers.iter().enumerate().try_for_each(|(i, layer)| {
            let path = format!("{path}.layers[{i}]");
            check_medium(&layer.medium, &path)?;
            if layer.thickness.is_finite() && layer.thickness > 0.0 {
                return Ok(());
            }
            let message = format!("a layer thickness of {} m is not positive", layer.thickness);
            Err(FieldError::new(format!("{path}.thickness"), message, "give a positive length"))
        }),
    }
}

fn check_medium(medium: &Medium, path: &str) -> Result<(), FieldError> {
    match medium {
        Medium::Constant(constants) => check_constants(constants, path),
        Medium::Table(rows) => {
            let rises = rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
            if rows.is_empty() || !rises || rows.iter().any(|(f, _)| !(f.is_finite() && *f > 0.0)) {
                let message = "the frequencies of the table are not positive and increasing";
                let advice = "give at least one row, in order of increasing frequency";
                return Err(FieldError::new(format!("{path}.table"), message, advice));
            }
            rows.iter().try_for_each(|(_, constants)| check_constants(constants, path))
        }
    }
}

fn check_constants(constants: &Constants, path: &str) -> Result<(), FieldError> {
    for (key, value) in [("eps_r", constants.eps_r), ("mu_r", constants.mu_r)] {
        if !(value.is_finite() && value.norm() > 0.0) {
            let message = format!("{value} is not a finite, nonzero number");
            return Err(FieldError::new(
                format!("{path}.{key}"),
                message,
                "give a relative permittivity or permeability",
            ));
        }
        if value.im > 0.0 {
            let message = format!("{value} has gain: its imaginary part is positive");
            let advice = "with the time convention e^{+jωt}, losses are negative imaginary parts";
            return Err(FieldError::new(format!("{path}.{key}"), message, advice));
        }
    }
    Ok(())
}

/// Checks of the scene.
pub(crate) fn scene(scene: &Scene) -> Result<(), FieldError> {
    if scene.facets.is_empty() {
        let message = "all triangles are degenerate";
        return Err(FieldError::new("geometry.mesh", message, "give a surface mesh"));
    }
    Ok(())
}

pub(crate) fn warnings(problem: &Problem, scene: &Scene) -> Vec<String> {
    let dropped =
        (scene.degenerate > 0).then(|| format!("{} degenerate triangles were dropped", scene.degenerate));
    let length = problem.mesh.diagonal();
    let large = (length > LARGEST_TARGET).then(|| {
        format!(
            "the target is {length:.0} m long, more than any ship: check geometry.units and geometry.scale"
        )
    });
    dropped.into_iter().chain(large).collect()
}
