//! Bodies and sheets of the CAD files of a case, by name.

use super::gmsh;
use super::mesh_cache::{CachedFile, read_output};
use crate::error::SolverError;
use crate::input::{InputFolder, digest, read_bytes, units};
use phasefront_case::model::dgtd::{Cad, CadKind, DgtdCase, is_vacuum};
use phasefront_core::FieldError;
use phasefront_mesh::drawing::{
    CadBody, CadFile, CadOrigin, CadSheet, Found, FoundBody, Label, closed_surface, found_parts,
    import_script,
};
use phasefront_mesh::{MeshError, Units};

/// Files that Gmsh writes of a CAD file.
const BODIES: &str = "bodies.msh";
const NAMES: &str = "names.xao";
/// OpenCASCADE reads STEP and IGES files in millimeters, whatever their unit is.
const MILLIMETER: f64 = 1e-3;

/// The parts of all CAD files, in order.
#[derive(Default)]
pub(super) struct Imported {
    /// For the drawing.
    pub files: Vec<CadFile>,
    /// With their bytes, for Gmsh.
    pub bytes: Vec<(String, Vec<u8>)>,
    /// Their bodies.
    pub bodies: Vec<Named<CadBody>>,
    /// Their surfaces that bound no solid; those of one name in a file are one sheet.
    pub sheets: Vec<Named<CadSheet>>,
}

/// A body or sheet with the name that materials and boundaries refer to.
pub(super) struct Named<T> {
    pub name: String,
    pub part: T,
    /// The position of its file in the case.
    pub cad: usize,
}

/// Reads the CAD files of a case, with Gmsh where they are not triangles.
pub(super) fn import(case: &DgtdCase, folder: &InputFolder) -> Result<Imported, SolverError> {
    let mut imported = Imported::default();
    for (i, cad) in case.geometry.cad.0.iter().enumerate() {
        let path = format!("geometry.cad[{i}]");
        let bytes = read_bytes(folder, &cad.file, &path)?;
        let wrong =
            |error: MeshError| FieldError::new(&*path, format!("{}: {error}", cad.file), error.advice());
        let kind = cad.kind().unwrap_or(CadKind::Step);
        if kind == CadKind::Stl {
            let body = closed_surface(&bytes, cad.units.map_or(Units::Millimeters, units)).map_err(wrong)?;
            let bodies = vec![FoundBody { label: Label::default(), body }];
            imported.add(case, i, Found { bodies, sheets: Vec::new() })?;
            continue;
        }
        let file = imported.files.len();
        let name = format!("cad_{file}.{}", kind.extension());
        let unit = cad.units.map_or(MILLIMETER, |unit| units(unit).in_meters());
        let mut found = inspect(&name, &bytes, unit, &path, folder)?;
        for body in &mut found.bodies {
            if let CadOrigin::File { file: of, .. } = &mut body.body.origin {
                *of = file;
            }
        }
        found.sheets.iter_mut().for_each(|sheet| sheet.sheet.file = file);
        let left_out = (!found.sheets.is_empty()).then(Vec::new);
        imported.files.push(CadFile { name: name.clone(), unit, digest: digest(&bytes), left_out });
        imported.bytes.push((name, bytes));
        imported.add(case, i, found)?;
    }
    Ok(imported)
}

impl Imported {
    /// Adds what was found in the last file, by name.
    fn add(&mut self, case: &DgtdCase, index: usize, found: Found) -> Result<(), SolverError> {
        let cad = &case.geometry.cad.0[index];
        let path = format!("geometry.cad[{index}]");
        let labels = found.bodies.iter().map(|found| &found.label);
        let bodies: Vec<Part<'_>> =
            labels.enumerate().map(|(k, label)| Part::new(cad, label, "body", k)).collect();
        let labels = found.sheets.iter().map(|found| &found.label);
        let sheets: Vec<Part<'_>> =
            labels.enumerate().map(|(k, label)| Part::new(cad, label, "surface", k)).collect();
        check_keys(cad, [&bodies, &sheets], &path)?;
        if let Some(part) = bodies.iter().chain(&sheets).find(|part| case.geometry.is_reserved(&part.name)) {
            return Err(FieldError::new(
                path,
                format!("the name \"{}\" is reserved for the space around the model", part.name),
                format!("give another one, `names = {{ \"{}\" = \"other\" }}`", part.own),
            )
            .into());
        }
        check_bodies(case, cad, &bodies, &path)?;
        check_surfaces(case, cad, &sheets, &path)?;
        let named = |part: &Part<'_>| part.name.clone();
        let [bodies, sheets] = [&bodies, &sheets].map(|parts| parts.iter().map(named).collect::<Vec<_>>());
        let parts = found.bodies.into_iter().zip(bodies);
        self.bodies.extend(parts.map(|(found, name)| Named { name, part: found.body, cad: index }));
        let mut by_name: Vec<(String, Vec<CadSheet>)> = Vec::new();
        for (found, name) in found.sheets.into_iter().zip(sheets) {
            if !case.has_role(&name) {
                let left_out = self.files.last_mut().and_then(|file| file.left_out.as_mut());
                if let Some(left_out) = left_out {
                    left_out.extend(&found.sheet.faces);
                }
            } else if let Some((_, parts)) = by_name.iter_mut().find(|(known, _)| *known == name) {
                parts.push(found.sheet);
            } else {
                by_name.push((name, vec![found.sheet]));
            }
        }
        for (name, parts) in by_name {
            let wrong = |error: MeshError| FieldError::new(&*path, error.to_string(), error.advice());
            self.sheets.push(Named { name, part: CadSheet::joined(&parts).map_err(wrong)?, cad: index });
        }
        Ok(())
    }
}

/// A part of a file with its names.
struct Part<'a> {
    label: &'a Label,
    /// That of the file, or its number.
    own: String,
    /// That of the case.
    name: String,
}

impl<'a> Part<'a> {
    /// The name of a part: that of all of the file, the one that the case gives to its name or color, its own, or its number.
    fn new(cad: &Cad, label: &'a Label, kind: &str, index: usize) -> Self {
        let own =
            if label.name().is_empty() { format!("{kind}{}", index + 1) } else { label.name().to_owned() };
        let other = [Some(own.as_str()), Some(label.path.as_str()), label.color.as_deref()];
        let other = other.into_iter().flatten().find_map(|key| cad.names.get(key));
        let name = cad.name.as_ref().or(other).unwrap_or(&own).clone();
        Self { label, own, name }
    }
}

fn list(parts: &[Part<'_>]) -> String {
    let described = parts.iter().map(|part| match &part.label.color {
        Some(color) => format!("\"{}\" ({color})", part.name),
        None => format!("\"{}\"", part.name),
    });
    described.collect::<Vec<_>>().join(", ")
}

/// Refuses keys of `names` that are not there.
fn check_keys(cad: &Cad, [bodies, sheets]: [&[Part<'_>]; 2], path: &str) -> Result<(), FieldError> {
    let is_there = |key: &str| {
        bodies.iter().chain(sheets).any(|part| {
            let color = part.label.color.as_deref().unwrap_or_default();
            [part.own.as_str(), &part.label.path, color].contains(&key)
        })
    };
    let Some(key) = cad.names.keys().find(|key| !is_there(key)) else { return Ok(()) };
    let advice = match (bodies, sheets) {
        (bodies, []) => format!("its bodies are {}", list(bodies)),
        ([], sheets) => format!("its surfaces are {}", list(sheets)),
        (bodies, sheets) => {
            format!("its bodies are {}; surfaces that bound no body are {}", list(bodies), list(sheets))
        }
    };
    Err(FieldError::new(
        format!("{path}.names"),
        format!("{} has no body or surface with the name or color \"{key}\"", cad.file),
        advice,
    ))
}

/// The names of parts that the case does not use.
fn without<'a>(parts: &'a [Part<'_>], has_role: impl Fn(&str) -> bool) -> Vec<&'a String> {
    let mut without: Vec<&String> =
        parts.iter().map(|part| &part.name).filter(|name| !has_role(name)).collect();
    without.dedup();
    without
}

fn quoted(names: &[&String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Refuses bodies whose names mean nothing, with all that were found.
fn check_bodies(case: &DgtdCase, cad: &Cad, bodies: &[Part<'_>], path: &str) -> Result<(), FieldError> {
    let geometry = &case.geometry;
    let has_role = |name: &str| {
        geometry.materials.contains_key(name) || geometry.boundaries.contains_key(name) || is_vacuum(name)
    };
    let without = without(bodies, has_role);
    let Some(first) = without.first() else { return Ok(()) };
    Err(FieldError::new(
        path,
        format!(
            "bodies of {} have neither a material nor a boundary condition: {}",
            cad.file,
            quoted(&without)
        ),
        format!(
            "its bodies are {}; add for example `materials = {{ \"{first}\" = {{ eps_r = 2.2 }} }}` or `boundaries = {{ \"{first}\" = \
             \"pec\" }}`, or give other names with `names`",
            list(bodies)
        ),
    ))
}

/// Refuses surfaces whose names mean nothing: waves would pass them as if they were not there.
fn check_surfaces(case: &DgtdCase, cad: &Cad, sheets: &[Part<'_>], path: &str) -> Result<(), FieldError> {
    let without = without(sheets, |name| case.has_role(name) || is_vacuum(name));
    let Some(first) = without.first() else { return Ok(()) };
    let own = sheets.iter().find(|part| part.name == **first).map_or("", |part| &part.own);
    Err(FieldError::new(
        path,
        format!(
            "surfaces of {} that bound no body have no boundary condition, and no port is on them: {}",
            cad.file,
            quoted(&without)
        ),
        format!(
            "its surfaces are {}; add for example `boundaries = {{ \"{first}\" = \"pec\" }}`, or leave one out by the name of air, \
             `names = {{ \"{own}\" = \"air\" }}`",
            list(sheets)
        ),
    ))
}

/// The parts of a file that Gmsh reads, in meters.
fn inspect(
    name: &str,
    bytes: &[u8],
    unit: f64,
    path: &str,
    folder: &InputFolder,
) -> Result<Found, SolverError> {
    let script = import_script(name, BODIES, NAMES);
    let key = format!("{script}// {}\n", digest(bytes));
    let [bodies, names, printed] =
        ["bodies.msh", "xao", "log"].map(|extension| CachedFile::of(&key, extension));
    let wrong = |error: MeshError| FieldError::new(path, error.to_string(), error.advice());
    let parse = |bodies: &[u8], names: &[u8], printed: &[u8]| {
        let [names, printed] = [names, printed].map(String::from_utf8_lossy);
        found_parts(bodies, &names, &printed).map_err(wrong)
    };
    let before = [&bodies, &names, &printed].map(CachedFile::read);
    // Files that were damaged are made again.
    let found = match &before {
        [Some(bodies), Some(names), Some(printed)] => parse(bodies, names, printed).ok(),
        _ => None,
    };
    let mut found = if let Some(found) = found {
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
    let bodies = found.bodies.iter_mut().map(|body| &mut body.body.surface);
    let sheets = found.sheets.iter_mut().map(|sheet| &mut sheet.sheet.surface);
    for surface in bodies.chain(sheets) {
        surface.vertices.iter_mut().flatten().for_each(|x| *x *= unit);
    }
    found.sheets.iter_mut().for_each(|sheet| sheet.sheet.sagitta *= unit);
    Ok(found)
}
