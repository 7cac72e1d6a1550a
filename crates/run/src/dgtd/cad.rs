//! Bodies of the CAD files of a case, by name.

use super::gmsh;
use super::mesh_cache::{CachedFile, read_output};
use crate::error::SolverError;
use crate::input::{InputFolder, digest, read_bytes, units};
use phasefront_case::model::dgtd::{Cad, CadKind, Geometry, is_vacuum};
use phasefront_core::FieldError;
use phasefront_mesh::drawing::{
    CadBody, CadFile, CadOrigin, FoundBody, closed_surface, found_bodies, import_script,
};
use phasefront_mesh::{MeshError, Units};

/// Files that Gmsh writes of a CAD file.
const BODIES: &str = "bodies.msh";
const NAMES: &str = "names.xao";
/// OpenCASCADE reads STEP and IGES files in millimeters, whatever their unit is.
const MILLIMETER: f64 = 1e-3;

/// The bodies of all CAD files, in order.
#[derive(Default)]
pub(super) struct Imported {
    /// For the drawing.
    pub files: Vec<CadFile>,
    /// With their bytes, for Gmsh.
    pub bytes: Vec<(String, Vec<u8>)>,
    /// Their bodies.
    pub bodies: Vec<NamedBody>,
    pub warnings: Vec<String>,
}

/// A body with the name that materials and boundaries refer to.
pub(super) struct NamedBody {
    pub name: String,
    pub body: CadBody,
    /// The position of its file in the case.
    pub cad: usize,
}

/// Reads the CAD files of a case, with Gmsh where they are not triangles.
pub(super) fn import(geometry: &Geometry, folder: &InputFolder) -> Result<Imported, SolverError> {
    let mut imported = Imported::default();
    for (i, cad) in geometry.cad.0.iter().enumerate() {
        let path = format!("geometry.cad[{i}]");
        let bytes = read_bytes(folder, &cad.file, &path)?;
        let wrong =
            |error: MeshError| FieldError::new(&*path, format!("{}: {error}", cad.file), error.advice());
        let kind = cad.kind().unwrap_or(CadKind::Step);
        let found = if kind == CadKind::Stl {
            let body = closed_surface(&bytes, cad.units.map_or(Units::Millimeters, units)).map_err(wrong)?;
            vec![FoundBody { label: String::new(), color: None, body }]
        } else {
            let name = format!("cad_{}.{}", imported.files.len(), kind.extension());
            let unit = cad.units.map_or(MILLIMETER, |unit| units(unit).in_meters());
            let (found, notes) = inspect(&name, &bytes, unit, &path, folder)?;
            imported.warnings.extend(notes.iter().map(|note| format!("{}: {note}", cad.file)));
            let file = imported.files.len();
            imported.files.push(CadFile { name: name.clone(), unit, digest: digest(&bytes) });
            imported.bytes.push((name, bytes));
            let of_file = |mut found: FoundBody| {
                if let CadOrigin::File { body, .. } = found.body.origin {
                    found.body.origin = CadOrigin::File { file, body };
                }
                found
            };
            found.into_iter().map(of_file).collect()
        };
        let names: Vec<String> = found.iter().enumerate().map(|(k, body)| name(cad, body, k)).collect();
        check_names(cad, geometry, &found, &names, &path)?;
        let bodies = found.into_iter().zip(names);
        imported.bodies.extend(bodies.map(|(found, name)| NamedBody { name, body: found.body, cad: i }));
    }
    Ok(imported)
}

/// The name of a body: that of all of the file, the one that the case gives to its name or color, its own, or its number.
fn name(cad: &Cad, found: &FoundBody, index: usize) -> String {
    let own = if found.name().is_empty() { format!("body{}", index + 1) } else { found.name().to_owned() };
    let other = [Some(own.as_str()), Some(found.label.as_str()), found.color.as_deref()];
    let other = other.into_iter().flatten().find_map(|key| cad.names.get(key));
    cad.name.as_ref().or(other).cloned().unwrap_or(own)
}

/// Refuses names that mean nothing, with all that were found; and keys of `names` that are not there.
fn check_names(
    cad: &Cad,
    geometry: &Geometry,
    found: &[FoundBody],
    names: &[String],
    path: &str,
) -> Result<(), FieldError> {
    let list = || {
        let described = found.iter().zip(names).map(|(found, name)| match &found.color {
            Some(color) => format!("\"{name}\" ({color})"),
            None => format!("\"{name}\""),
        });
        described.collect::<Vec<_>>().join(", ")
    };
    let is_there = |key: &str| {
        let own = (0..).map(|i| format!("body{}", i + 1));
        found.iter().zip(own).any(|(found, own)| {
            [found.name(), &found.label, found.color.as_deref().unwrap_or_default(), &own].contains(&key)
        })
    };
    if let Some(key) = cad.names.keys().find(|key| !is_there(key)) {
        return Err(FieldError::new(
            format!("{path}.names"),
            format!("{} has no body with the name or color \"{key}\"", cad.file),
            format!("its bodies are {}", list()),
        ));
    }
    let has_role = |name: &&String| {
        geometry.materials.contains_key(*name) || geometry.boundaries.contains_key(*name) || is_vacuum(name)
    };
    let mut without: Vec<&String> = names.iter().filter(|name| !has_role(name)).collect();
    without.dedup();
    let Some(first) = without.first() else { return Ok(()) };
    let quoted: Vec<String> = without.iter().map(|name| format!("\"{name}\"")).collect();
    Err(FieldError::new(
        path,
        format!(
            "bodies of {} have neither a material nor a boundary condition: {}",
            cad.file,
            quoted.join(", ")
        ),
        format!(
            "its bodies are {}; add for example `materials = {{ \"{first}\" = {{ eps_r = 2.2 }} }}` or `boundaries = {{ \"{first}\" = \
             \"pec\" }}`, or give other names with `names`",
            list()
        ),
    ))
}

/// The bodies in a file that Gmsh reads, in meters.
fn inspect(
    name: &str,
    bytes: &[u8],
    unit: f64,
    path: &str,
    folder: &InputFolder,
) -> Result<(Vec<FoundBody>, Vec<String>), SolverError> {
    let script = import_script(name, BODIES, NAMES);
    let key = format!("{script}// {}\n", digest(bytes));
    let [bodies, names, printed] =
        ["bodies.msh", "xao", "log"].map(|extension| CachedFile::of(&key, extension));
    let wrong = |error: MeshError| FieldError::new(path, error.to_string(), error.advice());
    let parse = |bodies: &[u8], names: &[u8], printed: &[u8]| {
        let [names, printed] = [names, printed].map(String::from_utf8_lossy);
        found_bodies(bodies, &names, &printed).map_err(wrong)
    };
    let before = [&bodies, &names, &printed].map(CachedFile::read);
    // Files that were damaged are made again.
    let found = match &before {
        [Some(bodies), Some(names), Some(printed)] => parse(bodies, names, printed).ok(),
        _ => None,
    };
    let (mut found, notes) = if let Some(found) = found {
        found
    } else {
        let files = [(name.to_owned(), bytes.to_vec())];
        let ran = gmsh::run(&script, &files, path, &folder.progress)?;
        let read = |name: &str| {
            read_output(ran.folder.path(), name).map_err(|error| {
                let advice = "look at the file with Gmsh itself, and export it again, as STEP if it is not";
                FieldError::new(path, format!("Gmsh left no {name}: {error}"), advice)
            })
        };
        let (mesh, xao) = (read(BODIES)?, read(NAMES)?);
        let found = parse(&mesh, &xao, ran.printed.as_bytes())?;
        bodies.write(&mesh);
        names.write(&xao);
        printed.write(ran.printed.as_bytes());
        found
    };
    for body in &mut found {
        body.body.surface.vertices.iter_mut().flatten().for_each(|x| *x *= unit);
    }
    Ok((found, notes))
}
