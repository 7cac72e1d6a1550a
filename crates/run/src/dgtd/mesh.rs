//! The mesh of a case: read from a file, made of a box here, or made of a drawing by Gmsh.

use super::cad::import;
use super::drawing::{Drawn, drawing};
use super::gmsh;
use super::mesh_cache::{CachedFile, read_output};
use crate::error::SolverError;
use crate::input::{InputFolder, read_bytes, units};
use crate::memory::{MEMORY_SHARE, check_list};
use phasefront_case::model::dgtd::{Brick, DgtdCase, Geometry, Part};
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, Precision};
use phasefront_device::Backend;
use phasefront_mesh::drawing::{DrawnSizes, Feature, Meshed, SizeView, Space};
use phasefront_mesh::{
    BoxMesh, BoxRegion, BoxSheet, GmshMesh, MFEM, MeshError, TetMesh, Units, gmsh_tets, mfem_mesh,
};

/// Memory that a tetrahedron takes at least while the mesh is made: its corners, neighbors and faces.
const BYTES_OF_A_TET: u64 = 150;
/// Name of the file that Gmsh writes.
const MESH: &str = "model.msh";
/// What stands for the mesh among the input files of a case.
pub(super) const MADE_BY_GMSH: &str = "the mesh made by Gmsh";
/// Part of a port inside of a body that is not told: what ends at a curved surface has to reach into it a little.
const MOST_COVERED: f64 = 0.01;
/// Predicted elements may be as many times too many.
const TOO_MANY: f64 = 3.0;

/// A mesh, and warnings about it.
pub(super) struct CaseMesh {
    pub mesh: TetMesh,
    /// Of a drawn one.
    pub drawn: Option<DrawnSizes>,
    pub warnings: Vec<String>,
}

/// The mesh of a case whose highest frequency is this; a drawn one with the sizes that earlier passes found.
pub(super) fn mesh(
    case: &DgtdCase,
    highest: f64,
    views: Vec<SizeView>,
    folder: &InputFolder,
) -> Result<CaseMesh, SolverError> {
    let geometry = &case.geometry;
    match &geometry.brick {
        Some(brick) => Ok(CaseMesh { mesh: made(brick)?, drawn: None, warnings: Vec::new() }),
        None if geometry.is_drawn() => drawn(case, highest, views, folder),
        None => Ok(read(geometry, folder)?),
    }
}

/// A box divided into tetrahedra.
fn made(brick: &Brick) -> Result<TetMesh, FieldError> {
    let region = |p: &Part| BoxRegion { name: p.name.clone(), from: p.from.si(), to: p.to.si() };
    let sheet = |p: &Part| BoxSheet { name: p.name.clone(), from: p.from.si(), to: p.to.si() };
    let mesh = BoxMesh {
        from: brick.from.si(),
        to: brick.to.si(),
        cell: brick.cell_size.si(),
        name: brick.name.clone(),
        regions: brick.regions.iter().map(region).collect(),
        sheets: brick.sheets.iter().map(sheet).collect(),
    };
    let wrong = |error: MeshError| FieldError::new("geometry.box", error.to_string(), error.advice());
    check_list("geometry.box", "tetrahedra", mesh.tets().map_err(wrong)?, BYTES_OF_A_TET)?;
    mesh.mesh().map_err(wrong)
}

/// Solids, sheets and CAD files, meshed by Gmsh.
fn drawn(
    case: &DgtdCase,
    highest: f64,
    views: Vec<SizeView>,
    folder: &InputFolder,
) -> Result<CaseMesh, SolverError> {
    let path = case.geometry.drawn_key();
    let mut imported = import(case, folder)?;
    let mut bytes = std::mem::take(&mut imported.bytes);
    let mut drawn = drawing(case, highest, imported, folder)?;
    drawn.drawing.views = views;
    bytes.extend(drawn.drawing.view_files());
    drawn
        .drawing
        .check()
        .map_err(|(part, error)| FieldError::new(drawn.feature(part).0, error.to_string(), error.advice()))?;
    let mut warnings = covered_ports(case, &drawn);
    check_size(case, &drawn)?;
    let script = drawn.drawing.script(MESH);
    let wrong = |error: MeshError| FieldError::new(path, error.to_string(), error.advice());
    let read = |bytes: &[u8]| -> Result<(TetMesh, Vec<String>), FieldError> {
        let mut mesh = GmshMesh::parse(bytes).map_err(wrong)?;
        let meshed = drawn.drawing.name(&mut mesh).map_err(wrong)?;
        check_parts(&drawn, &meshed)?;
        // Its notes are on the order of nodes, which is none of the user's.
        Ok((gmsh_tets(&mesh, Units::Meters).map_err(wrong)?.mesh, shared_volumes(&drawn, &meshed)))
    };
    let cached = CachedFile::of(&script, "msh");
    // A file that was damaged is made again.
    let found = cached.read().and_then(|bytes| Some((read(&bytes).ok()?, bytes)));
    let ((mesh, shared), bytes) = if let Some(found) = found {
        found
    } else {
        let ran = gmsh::run(&script, &bytes, path, &folder.progress)?;
        let bytes = read_output(ran.folder.path(), MESH).map_err(|error| {
            let advice = "free some space for temporary files, or set TMPDIR to a folder that has it";
            FieldError::new(path, format!("Gmsh left no mesh: {error}"), advice)
        })?;
        let mesh = read(&bytes)?;
        cached.write(&bytes);
        (mesh, bytes)
    };
    warnings.extend(shared);
    // Another version of Gmsh may make another mesh: work of one is not resumed with the other.
    folder.add(MADE_BY_GMSH, &bytes);
    let sizes = DrawnSizes { largest: drawn.drawing.cell_size, unit: drawn.drawing.unit() };
    Ok(CaseMesh { mesh, drawn: Some(sizes), warnings })
}

/// Warns of lumped ports and elements that reach into a body: what is left of them is not what was drawn.
fn covered_ports(case: &DgtdCase, drawn: &Drawn) -> Vec<String> {
    let ports = case.source.ports.iter().flatten().filter(|port| port.direction.is_some());
    let ports = ports.map(|port| ("port", &port.surface));
    let lumped = case.geometry.lumped.iter().map(|element| ("lumped element", &element.surface));
    let mut warnings = Vec::new();
    for (kind, surface) in ports.chain(lumped) {
        let sheets = drawn.drawing.sheets.iter().enumerate().filter(|(_, sheet)| sheet.name == *surface);
        for covered in sheets.filter_map(|(i, _)| drawn.drawing.covered(i)) {
            if covered.fraction < MOST_COVERED {
                continue;
            }
            let [x, y, z] = covered.position;
            warnings.push(format!(
                "{:.0} % of the {kind} \"{surface}\" is inside of the body \"{}\", around ({x:.4}, {y:.4}, {z:.4}) m, and is left out: its length \
                 or width is that of the rest; end it at the surface of the body",
                100.0 * covered.fraction,
                drawn.drawing.solids[covered.body].name
            ));
        }
    }
    warnings
}

/// Warns of bodies of a CAD file that overlap: their order is none of the user's.
fn shared_volumes(drawn: &Drawn, meshed: &Meshed) -> Vec<String> {
    let told = |([applies, other], [x, y, z]): &([usize; 2], [f64; 3])| {
        let file = drawn.solids[*applies].clone();
        let [applies, other] = [applies, other].map(|i| &drawn.drawing.solids[*i].name);
        format!(
            "the bodies \"{other}\" and \"{applies}\" overlap ({file}), around ({x:.4}, {y:.4}, {z:.4}) m: \"{applies}\" applies there, the later one of \
             the file; cut one from the other where the file is made, or draw that part again in `solids`, which apply in place of all bodies"
        )
    };
    meshed.shared.iter().map(told).collect()
}

/// Refuses a mesh that no memory of this machine can hold, before it is made.
fn check_size(case: &DgtdCase, drawn: &Drawn) -> Result<(), FieldError> {
    let parts = drawn.drawing.tetrahedra();
    let elements: f64 = parts.iter().map(|(_, count)| count).sum();
    let Some((feature, count)) = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(()) };
    let order = f64::from(case.solve.order);
    let nodes = (order + 1.0) * (order + 2.0) * (order + 3.0) / 6.0;
    let number = if case.solve.precision == Precision::Single { 4.0 } else { 8.0 };
    // Six components, and their second copy that the time integration keeps.
    let needed = elements * (BYTES_OF_A_TET as f64 + 12.0 * nodes * number);
    // Without a figure of the system nothing is refused here; the allocator has the last word.
    let free = Backend::Cpu.memory().map_or(u64::MAX, |memory| memory.free);
    if needed <= TOO_MANY * MEMORY_SHARE * free as f64 {
        return Ok(());
    }
    let (path, what) = drawn.feature(*feature);
    Err(FieldError::new(
        path,
        format!(
            "the mesh would have about {elements:.1e} elements, {:.0} % of them for {what}: {} of memory, and {} are free",
            100.0 * count / elements,
            bytes_text(needed as u64),
            bytes_text(free)
        ),
        match (feature, drawn.drawing.space) {
            (Feature::Model, Some(Space { air, pml })) => format!(
                "raise the lowest frequency, which the {:.3} m of air and PML around the model follow, or lower the highest",
                air + pml
            ),
            (Feature::Model, None) => "lower the highest frequency, or divide the model".into(),
            _ => "ask for larger elements there, or run on a machine with more memory".into(),
        },
    ))
}

/// Refuses solids and sheets of which nothing is left, and sheets that reach out of the model.
fn check_parts(drawn: &Drawn, meshed: &Meshed) -> Result<(), FieldError> {
    let drawing = &drawn.drawing;
    for (i, _) in meshed.solids.iter().enumerate().filter(|(_, is_left)| !**is_left) {
        let name = &drawing.solids[i].name;
        let covers = |j: &usize| drawing.overlap(i, *j) && drawing.solids[*j].name != *name;
        if let Some(j) = (i + 1..drawing.solids.len()).find(covers) {
            let cover = &drawing.solids[j].name;
            return Err(FieldError::new(
                &*drawn.solids[i],
                format!("nothing is left of \"{name}\": later solids, such as \"{cover}\", cover it"),
                "where solids overlap the later one applies: list it after them, or remove it",
            ));
        }
    }
    if let Some(i) = meshed.outside.iter().position(|outside| *outside) {
        let name = &drawing.sheets[i].name;
        return Err(FieldError::new(
            &*drawn.sheets[i],
            format!("the sheet \"{name}\" reaches out of the closed model"),
            "end it where the solids end, or remove `space = false`",
        ));
    }
    if let Some(i) = meshed.sheets.iter().position(|is_left| !is_left) {
        let name = &drawing.sheets[i].name;
        if drawing.sheets[i + 1..].iter().all(|later| later.name != *name) {
            return Err(FieldError::new(
                &*drawn.sheets[i],
                format!("nothing is left of the sheet \"{name}\""),
                "it lies inside a body, or later sheets cover it: move it, or remove it",
            ));
        }
    }
    Ok(())
}

/// A mesh file, and notes on it.
fn read(geometry: &Geometry, folder: &InputFolder) -> Result<CaseMesh, FieldError> {
    const PATH: &str = "geometry.mesh";
    let file = geometry.mesh.as_deref().unwrap_or_default();
    let wrong = |error: MeshError| FieldError::new(PATH, format!("{file}: {error}"), error.advice());
    let bytes = read_bytes(folder, file, PATH)?;
    // A mesh without units was refused with the case.
    let units = geometry.units.map_or(Units::Meters, units);
    let parse = if bytes.starts_with(MFEM) { mfem_mesh } else { GmshMesh::parse };
    let import = parse(&bytes).and_then(|mesh| gmsh_tets(&mesh, units)).map_err(wrong)?;
    let warnings = import.notes.iter().map(|note| format!("{file}: {note}")).collect();
    Ok(CaseMesh { mesh: import.mesh, drawn: None, warnings })
}

#[cfg(test)]
mod tests {
    use super::super::cad::Imported;
    use super::*;
    use std::path::Path;

    fn case_of(geometry: &str) -> DgtdCase {
        let text = format!(
            "version = 1\nsolver = \"dgtd\"\nname = \"a\"\n[geometry]\n{geometry}\n[source]\nfrequency = \"1 GHz\"\n\
             plane_wave = {{ theta = \"0 deg\", phi = \"0 deg\", polarization = \"theta\" }}\n\
             [solve]\norder = 2\n[output]\nrcs = {{ theta = \"0 deg\", phi = \"0 deg\" }}\n"
        );
        let file = phasefront_case::parse("case.toml", &text).unwrap();
        let phasefront_case::Case::Dgtd(case) = file.case else { panic!("a dgtd case") };
        *case
    }

    /// The predicted number of elements and the mesh; none where there is no Gmsh.
    fn predicted_and_made(geometry: &str, views: Vec<SizeView>) -> Option<(f64, CaseMesh)> {
        let (case, folder) = (case_of(geometry), InputFolder::new(Path::new("")));
        let mut drawn = drawing(&case, 1e9, Imported::default(), &folder).unwrap();
        drawn.drawing.views.clone_from(&views);
        let predicted = drawn.drawing.tetrahedra().iter().map(|(_, count)| count).sum();
        match mesh(&case, 1e9, views, &folder) {
            Ok(made) => Some((predicted, made)),
            Err(SolverError::Field(error)) if error.advice.contains("pip install gmsh") => {
                println!("SKIPPED: predicted elements; there is no gmsh on the path: pip install gmsh");
                None
            }
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn the_number_of_elements_is_predicted() {
        let strip = "{ name = \"strip\", shape = \"rectangle\", from = [\"0 mm\", \"-5 mm\", \"-70 mm\"], to = [\"0 mm\", \"5 mm\", \"70 mm\"] }";
        let ball = "solids = [{ name = \"ball\", shape = \"sphere\", center = [0, 0, 0], radius = \"50 mm\" }]\nmaterials = { ball = { eps_r = 16 } }";
        let rod = "solids = [{ name = \"rod\", shape = \"cylinder\", from = [0, 0, 0], to = [0, 0, \"0.1 m\"], radius = \"3 mm\" }]\nboundaries = { rod = \"pec\" }";
        let cases = [
            format!("sheets = [{strip}]\nboundaries = {{ strip = \"pec\" }}"),
            ball.to_owned(),
            rod.to_owned(),
            format!(
                "{rod}\nrefine = [{{ region = \"box\", from = [\"-20 mm\", \"-20 mm\", 0], to = [\"20 mm\", \"20 mm\", \"50 mm\"], cell_size = \"2.5 mm\" }}]"
            ),
        ];
        for geometry in cases {
            let Some((predicted, made)) = predicted_and_made(&geometry, Vec::new()) else { return };
            check(predicted, &made, &geometry);
        }
    }

    fn check(predicted: f64, made: &CaseMesh, what: &str) {
        let made = made.mesh.tets.len() as f64;
        println!("{predicted:.0} predicted, {made} made: {what}");
        assert!((1.0 / TOO_MANY..TOO_MANY).contains(&(predicted / made)), "{predicted} {made} {what}");
    }

    #[test]
    fn the_sizes_of_earlier_passes_count() {
        let geometry = "sheets = [{ name = \"strip\", shape = \"rectangle\", from = [\"0 mm\", \"-5 mm\", \"-70 mm\"], \
                        to = [\"0 mm\", \"5 mm\", \"70 mm\"] }]\nboundaries = { strip = \"pec\" }";
        let Some((before, mut made)) = predicted_and_made(geometry, Vec::new()) else { return };
        let mut views = Vec::new();
        for pass in 1..3 {
            // What is close to one end of the strip is marked.
            let tets = &made.mesh.tets;
            let is_near = |node: &u32| {
                let [x, y, z] = made.mesh.nodes[*node as usize];
                x.hypot(y).hypot(z - 0.07) < 0.03
            };
            let marked: Vec<bool> = tets.iter().map(|tet| tet.iter().any(is_near)).collect();
            let text = phasefront_mesh::drawing::size_view(&made.mesh, &marked, made.drawn.unwrap());
            views.push(SizeView { digest: format!("{pass}"), text });
            let (predicted, finer) = predicted_and_made(geometry, views.clone()).unwrap();
            check(predicted, &finer, "a finer pass");
            made = finer;
        }
        let (predicted, _) = predicted_and_made(geometry, views.clone()).unwrap();
        assert!(predicted > 2.0 * before, "{predicted} {before}");
        // A pass whose mesh no memory can hold is told before Gmsh begins.
        let text = "View \"sizes\" {\nSS(0,0,0,9,0,0,0,9,0,0,0,9){1e-4,1e-4,1e-4,1e-4};\n};\n".to_owned();
        let views = vec![SizeView { digest: String::new(), text }];
        let refused = mesh(&case_of(geometry), 1e9, views, &InputFolder::new(Path::new("")));
        let Err(SolverError::Field(error)) = refused else { panic!("it is refused") };
        let message = format!("{}: {}", error.path, error.message);
        assert!(
            message.starts_with("solve.accuracy: the mesh would have about 8.5e14 elements, 100 %"),
            "{message}"
        );
        assert!(message.contains("what pass 1 has found too coarse"), "{message}");
    }
}
