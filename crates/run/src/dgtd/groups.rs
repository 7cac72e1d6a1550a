//! Names of the case and names of the mesh: what is missing, told at once, and surfaces of several parts.

use phasefront_case::model::dgtd::{DgtdCase, SurfaceNames, is_vacuum};
use phasefront_core::FieldError;
use phasefront_dgtd::Material;
use phasefront_mesh::TetMesh;

/// Fewer missing names than this are told one by one, each with the names that are like it.
const SEVERAL: usize = 2;

/// A name that the case uses, and where.
struct Used<'a> {
    name: &'a str,
    path: String,
}

/// Refuses a mesh that lacks several names of the case, or has several volumes without a material, with all of them.
pub(super) fn check_names(case: &DgtdCase, mesh: &TetMesh) -> Result<(), FieldError> {
    let missing = |used: Vec<Used<'_>>, names: &[String]| {
        used.into_iter()
            .filter(|used| !names.iter().any(|n| n == used.name))
            .map(|u| u.path)
            .collect::<Vec<_>>()
    };
    let volumes = missing(volumes(case), &mesh.volume_names);
    let surfaces = missing(surfaces(case), &mesh.surface_names);
    let has_material = |name: &&String| {
        case.geometry.materials.contains_key(*name) || is_vacuum(name) || name.starts_with("pml")
    };
    let bare: Vec<&String> = mesh.volume_names.iter().filter(|name| !has_material(name)).collect();
    if volumes.len() + surfaces.len() + bare.len() < SEVERAL {
        return Ok(());
    }
    let mut problems = Vec::new();
    if !bare.is_empty() {
        problems.push(format!("volumes without a material: {}", quoted(&bare)));
    }
    if !volumes.is_empty() {
        problems.push(format!("volumes that the mesh does not have: {}", volumes.join(", ")));
    }
    if !surfaces.is_empty() {
        problems.push(format!("surfaces that the mesh does not have: {}", surfaces.join(", ")));
    }
    let key = if case.geometry.brick.is_some() {
        "geometry.box"
    } else if case.geometry.is_drawn() {
        case.geometry.drawn_key()
    } else {
        "geometry.mesh"
    };
    Err(FieldError::new(
        key,
        problems.join("; "),
        format!(
            "the mesh has the volumes {} and the surfaces {}",
            quoted(&mesh.volume_names.iter().collect::<Vec<_>>()),
            quoted(&mesh.surface_names.iter().collect::<Vec<_>>())
        ),
    ))
}

fn quoted(names: &[&String]) -> String {
    if names.is_empty() {
        return "(none)".into();
    }
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn volumes(case: &DgtdCase) -> Vec<Used<'_>> {
    let materials = case.geometry.materials.keys();
    let mut used: Vec<Used<'_>> =
        materials.map(|name| Used { name, path: format!("geometry.materials.{name}") }).collect();
    let lists = [("volumes", &case.output.volumes), ("snapshot_volumes", &case.output.snapshot_volumes)];
    for (key, names) in lists {
        used.extend(names.iter().map(|name| Used { name, path: format!("\"{name}\" of output.{key}") }));
    }
    used
}

fn surfaces(case: &DgtdCase) -> Vec<Used<'_>> {
    let (geometry, source) = (&case.geometry, &case.source);
    let boundaries = geometry.boundaries.keys();
    let mut used: Vec<Used<'_>> =
        boundaries.map(|name| Used { name, path: format!("geometry.boundaries.{name}") }).collect();
    let planes = geometry.symmetry.iter().enumerate();
    used.extend(planes.map(|(i, name)| Used { name, path: format!("geometry.symmetry[{i}]") }));
    let pairs = geometry.periodic.iter().flat_map(|pair| [&pair.x, &pair.y]);
    used.extend(pairs.map(|name| Used { name, path: format!("\"{name}\" of geometry.periodic") }));
    // Ports in thin wires have no surface.
    let ports = source.ports.iter().flatten().enumerate().filter(|(_, port)| port.wire.is_none());
    used.extend(ports.map(|(i, port)| Used {
        name: &port.surface,
        path: format!("\"{}\" of source.ports[{i}]", port.surface),
    }));
    let lumped = geometry.lumped.iter().enumerate();
    used.extend(lumped.map(|(i, element)| Used {
        name: &element.surface,
        path: format!("\"{}\" of geometry.lumped[{i}]", element.surface),
    }));
    let wave = source.plane_wave.as_ref().and_then(|wave| wave.surface.as_ref());
    let injected = source.near_field.as_ref().map(|near| &near.surface);
    let far = case.output.far_field_surface.as_ref();
    let near = case.output.near_field.as_ref().and_then(|near| near.surface.as_ref());
    for (key, names) in [
        ("source.plane_wave.surface", wave),
        ("source.near_field.surface", injected),
        ("output.far_field_surface", far),
        ("output.near_field.surface", near),
    ] {
        let names = names.into_iter().flat_map(|names| &names.0);
        used.extend(names.map(|name| Used { name, path: format!("\"{name}\" of {key}") }));
    }
    used
}

/// Vacuum for volumes that are called so in other letters than the solver's.
pub(super) fn add_vacuum(mesh: &TetMesh, materials: &mut Vec<(String, Material)>) {
    for name in mesh.volume_names.iter().filter(|name| is_vacuum(name)) {
        let is_known = ["air", "vacuum"].contains(&name.as_str());
        if !is_known && !materials.iter().any(|(known, _)| known == name) {
            materials.push((name.clone(), Material::VACUUM));
        }
    }
}

/// The one name of a surface of several parts, which the mesh gets if it does not have it.
pub(super) fn joined(mesh: &mut TetMesh, names: &SurfaceNames, path: &str) -> Result<String, FieldError> {
    let name = names.0.join(" + ");
    if names.0.len() == 1 || mesh.surface_names.contains(&name) {
        return Ok(name);
    }
    let wrong = |error: phasefront_mesh::MeshError| FieldError::new(path, error.to_string(), error.advice());
    let mut groups = Vec::new();
    for part in &names.0 {
        groups.push(mesh.surface(part).map_err(wrong)?);
    }
    let group = u16::try_from(mesh.surface_names.len()).map_err(|_| {
        FieldError::new(path, "the mesh has too many surfaces", "put some of them into one group")
    })?;
    let parts: Vec<usize> =
        (0..mesh.triangles.len()).filter(|&i| groups.contains(&mesh.surface_of[i])).collect();
    mesh.surface_names.push(name.clone());
    mesh.surface_of.extend(parts.iter().map(|_| group));
    let triangles: Vec<[u32; 3]> = parts.iter().map(|&i| mesh.triangles[i]).collect();
    let middles: Vec<[u32; 3]> =
        parts.iter().filter_map(|&i| mesh.triangle_middles.get(i).copied()).collect();
    mesh.triangles.extend(triangles);
    mesh.triangle_middles.extend(middles);
    Ok(name)
}
