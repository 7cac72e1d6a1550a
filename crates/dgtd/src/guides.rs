//! The guides that continue wave ports: behind the faces of each port layers of its cross section, with the sheet that excites the modes
//! between two of them, and a PML at the end.
//!
//! Waves that leave the model through the port go on as in an infinite guide, so that no condition for each mode is needed.

use crate::domain::mesh_error_at;
use crate::error::DgtdError;
use crate::geometry::{Edge, edges_of};
use crate::material::Material;
use crate::modes::Wall;
use crate::ports::flat_normal;
use crate::problem::{Boundary, Guide, Problem};
use phasefront_core::FieldError;
use phasefront_mesh::{ExtrudedLayer, FaceTable, SideNames, TetMesh};
use std::collections::{BTreeMap, BTreeSet};

/// Layers of the PML.
const PML_LAYERS: usize = 6;
/// Deviation of the normal of a port from an axis.
const ALONG: f64 = 1e-6;

/// Adds the guides of all wave ports to the mesh of a problem, unless it has them already.
pub fn add_guides(problem: &mut Problem) -> Result<(), DgtdError> {
    if !problem.guides.is_empty() || !problem.sources.ports.iter().any(|port| port.shape.is_wave()) {
        return Ok(());
    }
    let faces = problem.mesh.faces().map_err(mesh_error_at("geometry.mesh"))?;
    for i in 0..problem.sources.ports.len() {
        let port = &problem.sources.ports[i];
        // Several modes of one port have one guide.
        if port.shape.is_wave() && problem.guides.iter().all(|guide| guide.surface != port.surface) {
            add_guide(problem, &faces, i)?;
        }
    }
    Ok(())
}

fn add_guide(problem: &mut Problem, table: &FaceTable, i: usize) -> Result<(), DgtdError> {
    let surface = problem.sources.ports[i].surface.clone();
    let path = format!("{}.surface", problem.sources.port_path(i));
    let refuse = |message: String, advice: &str| FieldError::new(&*path, message, advice);
    let mesh = &problem.mesh;
    let group = mesh.surface(&surface).map_err(mesh_error_at(&*path))?;
    let faces: Vec<(usize, usize)> = table.faces_in(group).collect();
    if faces.iter().any(|&(tet, face)| table.neighbors[tet][face].is_some()) {
        return Err(refuse(
            format!("the wave port {surface:?} lies inside the mesh"),
            "a wave port is the open end of a guide, on the outer boundary of the mesh: end the mesh there, or put a conductor behind \
             it, whose inside is not meshed",
        )
        .into());
    }
    if problem.boundaries.iter().any(|(name, _)| *name == surface) {
        return Err(refuse(
            format!("the wave port {surface:?} also has a boundary condition"),
            "remove the condition: waves pass through a wave port",
        )
        .into());
    }
    let advice = "a wave port must be flat: end the guide in a plane";
    let outward = flat_normal(mesh, &faces, &surface, (&path, advice))?;
    let Some(axis) = (0..3).find(|&axis| outward[axis].abs() > 1.0 - ALONG) else {
        return Err(refuse(
            format!(
                "the wave port {surface:?} has the normal ({:.3}, {:.3}, {:.3}), which is not along x, y or z",
                outward.x, outward.y, outward.z
            ),
            "turn the model so that the guides at its ports run along x, y or z: the layer that ends them absorbs along axes only",
        )
        .into());
    };
    leave_other_surfaces(&mut problem.mesh, &faces, group);
    let mesh = &problem.mesh;
    let (walls, on_absorbing) = walls(problem, &faces, &surface, &path)?;
    let fillings = fillings(problem, &faces, &surface, &path)?;
    let height = longest_edge(mesh, &faces);
    let at = mesh.face_corners(faces[0].0, faces[0].1)[0][axis];
    let prefix = unused_prefix(mesh, i + 1);
    let guide = Guide {
        pml_volumes: format!("pml {prefix}"),
        sheet: format!("{prefix}sheet"),
        volumes: prefix,
        offset: (height * outward).into(),
        pml_begin: at + 2.0 * height * outward[axis],
        pml_thickness: PML_LAYERS as f64 * height,
        surface,
        on_absorbing,
    };
    extend(problem, &guide, (&faces, outward.into(), height), &walls).map_err(mesh_error_at(&*path))?;
    for (name, [medium, absorber]) in fillings {
        problem.materials.push((format!("{}{name}", guide.volumes), medium));
        problem.materials.push((format!("{}{name}", guide.pml_volumes), absorber));
    }
    problem.guides.push(guide);
    Ok(())
}

/// What the names of a guide's groups begin with, and no group of the mesh does.
fn unused_prefix(mesh: &TetMesh, number: usize) -> String {
    let names = || mesh.volume_names.iter().chain(&mesh.surface_names);
    let used =
        |prefix: &str| names().any(|name| name.strip_prefix("pml ").unwrap_or(name).starts_with(prefix));
    let mut prefix = format!("port {number} ");
    while used(&prefix) {
        prefix.insert_str(0, "guide of ");
    }
    prefix
}

/// The volumes that a port cuts, with the media of the guide and of its PML.
fn fillings(
    problem: &Problem,
    faces: &[(usize, usize)],
    surface: &str,
    path: &str,
) -> Result<Vec<(String, [Material; 2])>, DgtdError> {
    let volumes: BTreeSet<u16> = faces.iter().map(|&(tet, _)| problem.mesh.volume_of[tet]).collect();
    let near = problem.middle_frequency();
    let mut fillings = Vec::new();
    for volume in volumes {
        let name = problem.mesh.volume_names[usize::from(volume)].clone();
        let given = problem.materials.iter().find(|(other, _)| *other == name).map(|(_, m)| m.clone());
        // One without a material is refused later if its name does not tell it.
        let Some(material) = given.or_else(|| Material::by_name(&name)) else { continue };
        if !material.is_isotropic() {
            return Err(FieldError::new(
                path,
                format!("the wave port {surface:?} cuts the anisotropic material {name:?}"),
                "modes are computed in isotropic materials: end the anisotropic one before the port, or use a lumped port",
            )
            .into());
        }
        // A PML has neither losses nor poles; those of usual boards change the impedance by less than a PML reflects.
        let eps = material.permittivity(near).re;
        if eps <= 0.0 {
            return Err(FieldError::new(
                path,
                format!(
                    "the wave port {surface:?} cuts {name:?}, whose permittivity is {eps:.3} at {:.4} GHz, the middle of the band: \
                     no mode propagates in it",
                    1e-9 * near
                ),
                "end the guide where it is filled with a material of positive permittivity, or choose other frequencies",
            )
            .into());
        }
        let absorber = Material { eps, sigma: 0.0, poles: Vec::new(), ..material.clone() };
        fillings.push((name, [material, absorber]));
    }
    Ok(fillings)
}

/// Adds the layers, with the walls that they continue.
fn extend(
    problem: &mut Problem,
    guide: &Guide,
    (faces, outward, height): (&[(usize, usize)], [f64; 3], f64),
    walls: &BTreeMap<Edge, Wall>,
) -> Result<(), phasefront_mesh::MeshError> {
    let layer = |prefix: &str, begin: Option<&String>| ExtrudedLayer {
        height,
        prefix: prefix.to_owned(),
        begin: begin.cloned(),
    };
    let mut layers = vec![layer(&guide.volumes, None), layer(&guide.volumes, Some(&guide.sheet))];
    layers.extend((0..PML_LAYERS).map(|_| layer(&guide.pml_volumes, None)));
    let name = |wall: &Wall| match wall {
        Wall::Electric => format!("{}electric wall", guide.volumes),
        Wall::Magnetic => format!("{}magnetic wall", guide.volumes),
    };
    let sides: SideNames = walls.iter().map(|(edge, wall)| (*edge, name(wall))).collect();
    problem.mesh.extrude(faces, outward, &layers, &sides)?;
    for (wall, boundary) in [(Wall::Electric, Boundary::Pec), (Wall::Magnetic, Boundary::Pmc)] {
        if walls.values().any(|other| *other == wall) {
            problem.boundaries.push((name(&wall), boundary));
        }
    }
    Ok(())
}

/// Takes the faces of a port out of all other surfaces, such as that of the whole body that it opens.
fn leave_other_surfaces(mesh: &mut TetMesh, faces: &[(usize, usize)], group: u16) {
    let sorted = |mut corners: [u32; 3]| {
        corners.sort_unstable();
        corners
    };
    let open: BTreeSet<[u32; 3]> = faces.iter().map(|&(tet, face)| sorted(mesh.face(tet, face))).collect();
    let stays: Vec<bool> = mesh
        .triangles
        .iter()
        .zip(&mesh.surface_of)
        .map(|(triangle, other)| *other == group || !open.contains(&sorted(*triangle)))
        .collect();
    let kept = |i: &mut usize| {
        *i += 1;
        stays[*i - 1]
    };
    let [mut i, mut j, mut k] = [0; 3];
    mesh.triangles.retain(|_| kept(&mut i));
    mesh.surface_of.retain(|_| kept(&mut j));
    mesh.triangle_middles.retain(|_| kept(&mut k));
}

/// The walls that the edges of a port's faces are on: all of its border, and conductors inside; and whether an absorbing side is among
/// them.
fn walls(
    problem: &Problem,
    faces: &[(usize, usize)],
    surface: &str,
    path: &str,
) -> Result<(BTreeMap<Edge, Wall>, bool), DgtdError> {
    let mesh = &problem.mesh;
    let mut counts: BTreeMap<Edge, usize> = BTreeMap::new();
    for edge in faces.iter().flat_map(|&(tet, face)| edges_of(mesh.face(tet, face))) {
        *counts.entry(edge).or_default() += 1;
    }
    let mut walls = BTreeMap::new();
    let mut sheets: Vec<(Edge, &str)> = Vec::new();
    let mut on_absorbing = false;
    for (name, boundary) in &problem.boundaries {
        let group = mesh.surface(name).map_err(mesh_error_at(format!("geometry.boundaries.{name}")))?;
        let on = mesh.triangles.iter().zip(&mesh.surface_of).filter(|(_, other)| **other == group);
        for edge in on.flat_map(|(triangle, _)| edges_of(*triangle)).filter(|edge| counts.contains_key(edge))
        {
            match boundary {
                Boundary::Pec | Boundary::Conductor(_) => _ = walls.insert(edge, Wall::Electric),
                // Fields that leave the side of an open line are weak where it was put well.
                Boundary::Pmc | Boundary::Absorbing => {
                    on_absorbing |= *boundary == Boundary::Absorbing;
                    walls.entry(edge).or_insert(Wall::Magnetic);
                }
                Boundary::ResistiveSheet(_) | Boundary::Coating(_) => sheets.push((edge, name)),
            }
        }
    }
    let place = |edge: &Edge| {
        let [a, b] = edge.map(|node| mesh.nodes[node as usize]);
        let [x, y, z]: [f64; 3] = std::array::from_fn(|axis| 0.5 * (a[axis] + b[axis]));
        format!("({x:.4}, {y:.4}, {z:.4}) m")
    };
    if let Some((edge, sheet)) = sheets.iter().find(|(edge, _)| walls.get(edge) != Some(&Wall::Electric)) {
        return Err(FieldError::new(
            path,
            format!("the sheet or coating {sheet:?} meets the wave port {surface:?} at {}", place(edge)),
            "the modes of a port know no resistive sheets and no coatings: end it before the port, at least an element away",
        )
        .into());
    }
    let Some((edge, _)) = counts.iter().find(|(edge, count)| **count == 1 && !walls.contains_key(*edge))
    else {
        return Ok((walls, on_absorbing));
    };
    Err(FieldError::new(
        path,
        format!("the border of the wave port {surface:?} is open at {}", place(edge)),
        "a wave port is the whole cross section of a guide: its border must be on \"pec\" walls, on \"pmc\" symmetry planes, or, for open \
         lines, on an \"absorbing\" side",
    )
    .into())
}

fn longest_edge(mesh: &TetMesh, faces: &[(usize, usize)]) -> f64 {
    let edges = faces.iter().flat_map(|&(tet, face)| edges_of(mesh.face(tet, face)));
    let length = |edge: Edge| {
        let [a, b] = edge.map(|node| glam::DVec3::from(mesh.nodes[node as usize]));
        a.distance(b)
    };
    edges.map(length).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
