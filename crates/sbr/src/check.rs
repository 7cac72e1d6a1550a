//! The checks a problem passes before any ray is shot.

use crate::material::{Constants, Material, Medium};
use crate::problem::{Problem, Tracer, Tubes};
use crate::scene::Scene;
use phasefront_core::FieldError;
use phasefront_core::constants::C0;
use phasefront_mesh::TriangleMesh;

/// Size of a target in wavelengths beyond which a unit is mistaken, and the phase of single-precision hits is lost.
const MOST_WAVELENGTHS: f64 = 1e6;
/// Tube widths in wavelengths: more is no ray tube, less no machine can trace. Above the last a grid of rays misses what is between
/// them; beams do not.
const WIDEST_TUBE: f64 = 1.0;
const NARROWEST_TUBE: f64 = 1e-4;
const COARSE_TUBE: f64 = 0.25;
/// Bounces that no wave survives with anything left to see.
const MOST_BOUNCES: usize = 1000;

pub(crate) fn highest_frequency(problem: &Problem) -> f64 {
    problem.frequencies.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// All that can be told before the mesh is sorted.
pub(crate) fn problem(problem: &Problem) -> Result<(), FieldError> {
    mesh(&problem.mesh)?;
    source(problem)?;
    solve(problem)?;
    let wavelengths = problem.mesh.diagonal() * highest_frequency(problem) / C0;
    if wavelengths > MOST_WAVELENGTHS {
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
        let message = format!("a frequency of {f} Hz has no wave");
        let advice = "give a frequency above zero, for example \"10 GHz\"";
        return Err(FieldError::new("source.frequency", message, advice));
    }
    if problem.looks.is_empty() {
        let advice = "give at least one angle in each list";
        return Err(FieldError::new("source.directions", "there is no direction to look from", advice));
    }
    for (i, look) in problem.looks.iter().enumerate() {
        let angles = [look.incident.theta, look.incident.phi, look.observer.theta, look.observer.phi];
        if angles.iter().any(|angle| !angle.is_finite()) {
            let path = format!("source.directions[{i}]");
            return Err(FieldError::new(path, "an angle is not a number", "give finite angles"));
        }
    }
    Ok(())
}

fn solve(problem: &Problem) -> Result<(), FieldError> {
    if !(1..=MOST_BOUNCES).contains(&problem.bounces) {
        let message = format!("rays with {} bounces", problem.bounces);
        let advice = format!("give 1 to {MOST_BOUNCES}; 1 is physical optics, 5 is usual");
        return Err(FieldError::new("solve.bounces", message, advice));
    }
    if !(NARROWEST_TUBE..=WIDEST_TUBE).contains(&problem.tube) {
        let message = format!("ray tubes {} wavelengths wide", problem.tube);
        let advice = format!("give {NARROWEST_TUBE} to {WIDEST_TUBE}; 0.1 is usual");
        return Err(FieldError::new("solve.tube", message, advice));
    }
    if problem.tracer == Tracer::KdTree && problem.tubes == Tubes::Adaptive {
        let message = "the paper's tree is for single rays, and adaptive tubes are beams";
        let advice = "give `tubes = \"paper\"` with it, or leave `tracer` out";
        return Err(FieldError::new("solve.tracer", message, advice));
    }
    Ok(())
}

/// The material of each group, checked.
pub(crate) fn materials_of_groups(problem: &Problem) -> Result<Vec<Material>, FieldError> {
    let names = &problem.mesh.group_names;
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
            let message = format!("a layer {} m thick", layer.thickness);
            Err(FieldError::new(format!("{path}.thickness"), message, "give a length above zero"))
        }),
    }
}

fn check_medium(medium: &Medium, path: &str) -> Result<(), FieldError> {
    match medium {
        Medium::Constant(constants) => check_constants(constants, path),
        Medium::Table(rows) => {
            let rises = rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
            if rows.is_empty() || !rises || rows.iter().any(|(f, _)| !(f.is_finite() && *f > 0.0)) {
                let message = "the frequencies of the table do not rise from above zero";
                let advice = "give at least one row, sorted by frequency, each frequency once";
                return Err(FieldError::new(format!("{path}.table"), message, advice));
            }
            rows.iter().try_for_each(|(_, constants)| check_constants(constants, path))
        }
    }
}

fn check_constants(constants: &Constants, path: &str) -> Result<(), FieldError> {
    for (key, value) in [("eps_r", constants.eps_r), ("mu_r", constants.mu_r)] {
        if !(value.is_finite() && value.norm() > 0.0) {
            let message = format!("{value} is not a material constant");
            return Err(FieldError::new(format!("{path}.{key}"), message, "give a number that is not zero"));
        }
        if value.im > 0.0 {
            let message = format!("{value} amplifies waves");
            let advice = "with e^{+jωt}, losses make the imaginary part negative";
            return Err(FieldError::new(format!("{path}.{key}"), message, advice));
        }
    }
    Ok(())
}

/// What can be told once it is known which triangles have an area.
pub(crate) fn scene(scene: &Scene) -> Result<(), FieldError> {
    if scene.facets.is_empty() {
        let message = "none of the triangles has an area";
        return Err(FieldError::new("geometry.mesh", message, "give a surface mesh"));
    }
    Ok(())
}

pub(crate) fn warnings(problem: &Problem, scene: &Scene) -> Vec<String> {
    let mut warnings = Vec::new();
    if scene.degenerate > 0 {
        warnings.push(format!("{} triangles without area were dropped", scene.degenerate));
    }
    if problem.tubes == Tubes::Paper && problem.tube > COARSE_TUBE {
        warnings.push(format!(
            "the paper's tubes are {} wavelengths wide; above {COARSE_TUBE} curved surfaces are poorly resolved",
            problem.tube
        ));
    }
    warnings
}
