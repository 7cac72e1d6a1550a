//! What is in a CAD file: Gmsh reads it, tells the names and colors of its bodies and sheets, and triangulates their surfaces.

use super::cad::{CadBody, CadOrigin};
use super::cad_sheet::{CadSheet, together};
use crate::error::MeshError;
use crate::gmsh::GmshMesh;
use crate::read::{MeshFormat, read_triangles};
use crate::triangle::vec3::{Vec3, add, cross, norm, sub, times};
use crate::triangle::{TriangleMesh, Units, WELD_TOLERANCE, repair};
use std::collections::HashMap;

/// Gmsh's number of triangles of the second order.
const TRIANGLE: i32 = 9;
/// Sine of the angle between normals of a flat face.
const FLAT: f64 = 1e-4;
/// Distance from a plane, relative to the size of a surface, that counts as none.
const SAME_PLANE: f64 = 1e-8;
/// Part of the surface that sewing may lose, where faces overlap a little.
const LOST: f64 = 1e-3;
/// Most flat faces that are given to OpenCASCADE, whose cuts take seconds for a thousand.
const MAX_FACES: usize = 10_000;

/// What a CAD file tells of a part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Label {
    /// Its name in the file, with those of the assemblies that it is in before it: `Shapes/antenna/patch`; empty if it has none.
    pub path: String,
    /// Its color, `#rrggbb`, if it has one.
    pub color: Option<String>,
}

impl Label {
    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// A body of a CAD file.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundBody {
    /// What the file tells of it.
    pub label: Label,
    /// The body, of file 0.
    pub body: CadBody,
}

/// A surface of a CAD file that bounds no solid.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundSheet {
    /// What the file tells of it.
    pub label: Label,
    /// The surface, of file 0.
    pub sheet: CadSheet,
}

/// The parts of a CAD file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Solids in order.
    pub bodies: Vec<FoundBody>,
    /// Surfaces that bound no solid, in order.
    pub sheets: Vec<FoundSheet>,
}

/// A script that tells what is in a CAD file, and writes the triangulated surfaces of its bodies and sheets and their names to files.
pub fn import_script(file: &str, out: &str, names: &str) -> String {
    format!(
        "SetFactory(\"OpenCASCADE\");\n{}Merge \"{file}\";\nv() = Volume{{:}};\n\
         For i In {{0:#v()-1}}\n  Physical Surface(i + 1) = Abs(Boundary{{ Volume{{v(i)}}; }});\nEndFor\n\
         s() = Surface{{:}};\nIf (#v() > 0)\n  s() -= Abs(Boundary{{ Volume{{v()}}; }});\nEndIf\n\
         For i In {{0:#s()-1}}\n  Physical Surface(#v() + i + 1) = s(i);\n  Printf(\"sheet %g\", s(i));\nEndFor\n\
         Mesh.MeshSizeFromPoints = 0;\nMesh.MeshSizeExtendFromBoundary = 0;\nMesh.MeshSizeFromCurvature = 24;\n\
         Mesh.MshFileVersion = 4.1;\nSave \"{names}\";\nMesh 2;\nSetOrder 2;\nSave \"{out}\";\n",
        super::cad::sewing(file)
    )
}

/// The parts that Gmsh has found, from the files that it wrote and what it printed.
pub fn found_parts(mesh: &[u8], names: &str, printed: &str) -> Result<Found, MeshError> {
    check_sewing(printed)?;
    let mesh = GmshMesh::parse(mesh)?;
    let colors = colors(printed);
    let label = |path: Option<&String>| {
        let path = path.cloned().unwrap_or_default();
        Label { color: colors.get(path.as_str()).cloned(), path }
    };
    // Surfaces are numbered from 1 on.
    let tags: Vec<usize> =
        printed.lines().filter_map(|line| line.strip_prefix("sheet ")?.trim().parse().ok()).collect();
    let count = mesh.groups.iter().filter(|group| group.dim == 2).count();
    if count == 0 {
        return Err(MeshError::geometry(
            "there are no solids and no surfaces in it",
            "export solids or surfaces, as STEP, and not sketches",
        ));
    }
    let bodies = count.saturating_sub(tags.len());
    let (solids, faces) = (labels(names, "solid"), labels(names, "face"));
    let body = |body: usize| {
        let (surface, is_curved) = surface(&mesh, body)?;
        let origin = CadOrigin::File { file: 0, body };
        Ok(FoundBody { label: label(solids.get(body)), body: CadBody { surface, is_curved, origin } })
    };
    let sheet = |(i, tag): (usize, &usize)| {
        let (surface, sagitta) = sheet_surface(&mesh, bodies + i)?;
        let sheet = CadSheet { surface, sagitta, file: 0, faces: vec![i] };
        Ok(FoundSheet { label: label(faces.get(tag.wrapping_sub(1))), sheet })
    };
    let found = Found {
        bodies: (0..bodies).map(body).collect::<Result<_, MeshError>>()?,
        sheets: tags.iter().enumerate().map(sheet).collect::<Result<_, MeshError>>()?,
    };
    check_open(&found.sheets)?;
    Ok(found)
}

/// Refuses surfaces that enclose a volume together: what they are of is a body that is no solid in the file.
fn check_open(sheets: &[FoundSheet]) -> Result<(), MeshError> {
    if sheets.is_empty() {
        return Ok(());
    }
    let parts: Vec<CadSheet> = sheets.iter().map(|found| found.sheet.clone()).collect();
    let closed = repair(together(&parts)?, WELD_TOLERANCE)?.report.closed_shells;
    if closed == 0 {
        return Ok(());
    }
    Err(MeshError::geometry(
        format!("{closed} of its surfaces are closed, but there is no solid in them"),
        "export solids, as STEP: the inside of a closed surface has to be known",
    ))
}

/// Refuses a file of faces that do not all become bodies: where bodies touch, sewing takes one of them.
fn check_sewing(printed: &str) -> Result<(), MeshError> {
    let areas = printed.lines().find_map(|line| {
        let (_, areas) = line.split_once("Total surface area :")?;
        let (after, before) = areas.trim().strip_suffix(')')?.split_once(" (")?;
        Some([after.trim().parse::<f64>().ok()?, before.parse::<f64>().ok()?])
    });
    match areas {
        Some([after, before]) if (before - after).abs() > LOST * before => Err(MeshError::geometry(
            format!("of its surfaces, {:.0} % form no closed body", 100.0 * (before - after).abs() / before),
            "export it as STEP, which has solids; or each body alone",
        )),
        _ => Ok(()),
    }
}

/// The labels of solids or faces in an XAO file, in order.
fn labels(names: &str, kind: &str) -> Vec<String> {
    let label = |line: &str| {
        let (_, rest) = line
            .trim()
            .strip_prefix('<')?
            .strip_prefix(kind)?
            .strip_prefix(" index=")?
            .split_once("name=\"")?;
        Some(rest.rsplit_once("\" reference=")?.0.to_owned())
    };
    names.lines().filter_map(label).collect()
}

/// The colors that Gmsh prints, each after the label that it belongs to.
fn colors(printed: &str) -> HashMap<&str, String> {
    let (mut colors, mut label) = (HashMap::new(), None);
    for line in printed.lines() {
        if let Some((_, rest)) = line.split_once(" - Label ") {
            label = rest.split_once('\'').and_then(|(_, rest)| Some(rest.rsplit_once('\'')?.0));
        } else if let (Some((_, rest)), Some(label)) = (line.split_once(" - Color ("), label) {
            let numbers = rest.split(')').next().unwrap_or_default().split(',');
            let bytes: Vec<String> = numbers
                .filter_map(|number| number.trim().parse::<f64>().ok())
                .map(|part| format!("{:02x}", (255.0 * part.clamp(0.0, 1.0)).round() as u8))
                .collect();
            // That of the body comes first, those of single faces after it.
            colors.entry(label).or_insert_with(|| format!("#{}", bytes.concat()));
        }
    }
    colors
}

/// The surface of a body in millimeters, as OpenCASCADE has it, and whether it is curved.
fn surface(mesh: &GmshMesh, body: usize) -> Result<(TriangleMesh, bool), MeshError> {
    let group = i32::try_from(body + 1).unwrap_or(i32::MAX);
    let (mut triangles, mut is_curved) = (Vec::new(), false);
    for block in mesh.blocks.iter().filter(|b| b.kind.number == TRIANGLE && b.groups.contains(&group)) {
        let mut first = None;
        for nodes in block.nodes.chunks_exact(block.kind.nodes) {
            let [a, b, c] = [0, 1, 2].map(|i| mesh.nodes[nodes[i]]);
            let normal = cross(sub(b, a), sub(c, a));
            let normal = times(1.0 / norm(normal).max(f64::MIN_POSITIVE), normal);
            is_curved |= norm(cross(normal, *first.get_or_insert(normal))) > FLAT;
            triangles.push([0, 1, 2].map(|i| nodes[i] as u32));
        }
    }
    let all: Vec<Vec3> = mesh.nodes.clone();
    let surface = TriangleMesh::with_one_group(all, triangles, "body")?;
    Ok((repair(surface, WELD_TOLERANCE)?.mesh, is_curved))
}

/// A surface that bounds no solid, in millimeters, and the largest distance of its triangles from it.
fn sheet_surface(mesh: &GmshMesh, group: usize) -> Result<(TriangleMesh, f64), MeshError> {
    let group = i32::try_from(group + 1).unwrap_or(i32::MAX);
    let (mut triangles, mut height) = (Vec::new(), 0.0_f64);
    for block in mesh.blocks.iter().filter(|b| b.kind.number == TRIANGLE && b.groups.contains(&group)) {
        for nodes in block.nodes.chunks_exact(block.kind.nodes) {
            for [from, to, middle] in [[0, 1, 3], [1, 2, 4], [2, 0, 5]] {
                let [a, b, m] = [from, to, middle].map(|i| mesh.nodes[nodes[i]]);
                height = height.max(norm(sub(m, times(0.5, add(a, b)))));
            }
            // By the middles of its sides it is divided into four.
            let parts = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
            triangles.extend(parts.map(|part| part.map(|i| nodes[i] as u32)));
        }
    }
    let surface = TriangleMesh::with_one_group(mesh.nodes.clone(), triangles, "sheet")?;
    let surface = repair(surface, WELD_TOLERANCE)?.mesh;
    // Halves of a chord are a quarter as far from an arc; twice that for what is no arc.
    let sagitta = if height > SAME_PLANE * surface.diagonal() { 0.5 * height } else { 0.0 };
    Ok((surface, sagitta))
}

/// The body of an STL file.
pub fn closed_surface(bytes: &[u8], units: Units) -> Result<CadBody, MeshError> {
    let repaired = repair(read_triangles(bytes, MeshFormat::Stl, units)?.mesh, WELD_TOLERANCE)?;
    let (surface, report) = (repaired.mesh, repaired.report);
    if let Some(hole) = report.holes.first() {
        let position = crate::tet::position_text(surface.vertices[hole.vertex as usize]);
        return Err(MeshError::geometry(
            format!(
                "the surface is not closed: it has {} holes, one of {} edges at {position} m",
                report.holes.len(),
                hole.edges
            ),
            "close it in the program that made it, or export the body as STEP",
        ));
    }
    if report.non_manifold_edges + report.one_sided_edges > 0 {
        return Err(MeshError::geometry(
            format!("more than two triangles meet at {} edges", report.non_manifold_edges.max(1)),
            "unite its bodies in the program that made it, or export them as STEP",
        ));
    }
    let faces: usize = super::facets::planar_faces(&surface).iter().map(Vec::len).sum();
    if faces > MAX_FACES {
        return Err(MeshError::geometry(
            format!("it has {faces} flat faces, and {MAX_FACES} can be cut with other solids"),
            "export it as STEP, which has curved faces, or with a coarser tolerance",
        ));
    }
    Ok(CadBody { surface, is_curved: false, origin: CadOrigin::Triangles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_colors_are_read() {
        let names = "<faces>\n  <face index=\"0\" name=\"\" reference=\"4\"/>\n  <solid index=\"0\" name=\"Shapes/a/x\" reference=\"2\"/>\n\
                     <solid index=\"1\" name=\"\" reference=\"9\"/>\n";
        assert_eq!(labels(names, "solid"), ["Shapes/a/x", ""]);
        assert_eq!(labels(names, "face"), [""]);
        let printed = "Info    :  - Label 'Shapes/a/x' (3D)\nInfo    :  - Color (0.5, 0, 1) (3D & Surfaces)\n\
                       Info    :  - Color (1, 1, 1) (Surface)\nInfo    :  - Label 'y' (3D)\n";
        let found = colors(printed);
        assert_eq!((found.len(), found["Shapes/a/x"].as_str()), (1, "#8000ff"));
    }

    #[test]
    fn lost_faces_are_refused() {
        assert!(check_sewing("Info    :  - Total surface area : 1400 (1400.1)").is_ok());
        let error = check_sewing("Info    :  - Total surface area : 1400 (1550.8)").unwrap_err();
        assert_eq!(error.to_string(), "of its surfaces, 10 % form no closed body");
    }

    #[test]
    fn an_open_surface_is_refused() {
        let facet = |a: &str, b: &str, c: &str| {
            format!("facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n")
        };
        let [o, x, y, z] = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
        let three = [facet(o, y, x), facet(o, x, z), facet(o, z, y)].concat();
        let stl = |facets: &str| format!("solid a\n{facets}endsolid a\n");
        let error = closed_surface(stl(&three).as_bytes(), Units::Millimeters).unwrap_err();
        assert!(error.to_string().contains("not closed: it has 1 holes, one of 3 edges"), "{error}");
        let closed = closed_surface(stl(&(three + &facet(x, y, z))).as_bytes(), Units::Millimeters).unwrap();
        assert!((closed.surface.volume() - 1e-9 / 6.0).abs() < 1e-18);
    }
}
