//! Models from CAD files, meshed by Gmsh. The files are made here, by Gmsh. Skipped with a message where there is no Gmsh.

use phasefront_core::Progress;
use phasefront_run::{CaseMesh, Options, RunError, check, mesh};
use std::f64::consts::PI;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A folder with files that Gmsh makes of a script; none where there is no Gmsh.
fn folder_of(script: &str) -> Option<TempDir> {
    let program = std::env::var("PHASEFRONT_GMSH").unwrap_or_else(|_| "gmsh".into());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("make.geo"), format!("SetFactory(\"OpenCASCADE\");\n{script}")).unwrap();
    let ran = Command::new(program).args(["make.geo", "-"]).current_dir(folder.path()).output();
    if ran.is_ok_and(|output| output.status.success()) {
        return Some(folder);
    }
    println!("SKIPPED: models from CAD files; there is no gmsh on the path: pip install gmsh");
    None
}

/// Gives the bodies of a STEP file names, and the unit of its lengths. Gmsh names them by their numbers.
fn rename(folder: &Path, names: &[&str], unit: &str) {
    let file = folder.join("part.step");
    let mut text = fs::read_to_string(&file).unwrap();
    let start = text.find("PRODUCT('Open CASCADE STEP translator ").unwrap() + "PRODUCT('".len();
    let stem = text[start..].split('\'').next().unwrap().to_owned();
    for (i, name) in names.iter().enumerate() {
        text = text.replace(&format!("'{stem}.{}'", i + 1), &format!("'{name}'"));
    }
    if names.len() == 1 {
        text = text.replace(&format!("'{stem}'"), &format!("'{}'", names[0]));
    }
    fs::write(file, text.replace("SI_UNIT(.MILLI.,.METRE.)", unit)).unwrap();
}

const WAVE: &str = "[source]\nfrequency = \"1 GHz\"\n\
    plane_wave = { theta = \"0 deg\", phi = \"0 deg\", polarization = \"theta\" }\n\
    [solve]\norder = 2\n[output]\nrcs = { theta = \"180 deg\", phi = \"0 deg\" }\n";

fn meshed(folder: &Path, geometry: &str) -> Result<CaseMesh, RunError> {
    let text = format!("version = 1\nsolver = \"dgtd\"\nname = \"cad\"\n[geometry]\n{geometry}\n{WAVE}");
    fs::write(folder.join("case.toml"), text).unwrap();
    let mut found = mesh(&folder.join("case.toml"), &Options::default(), &Progress::silent())?;
    found.refused.take().map_or(Ok(found), Err)
}

fn refused(folder: &Path, geometry: &str) -> String {
    let error = meshed(folder, geometry).expect_err(geometry);
    format!("{error} {}", error.advice().unwrap_or_default())
}

/// The volume or the area of a group.
fn size(mesh: &CaseMesh, kind: &str, name: &str) -> f64 {
    let found = mesh.groups.iter().find(|group| group.kind == kind && group.name == name);
    found.unwrap_or_else(|| panic!("no {name}: {:?}", mesh.groups)).size
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found:e} instead of {expected:e}");
}

/// A substrate of 60 x 40 x 4, a post on it with the radius 5 and the height 20, and a ball of 10 beside.
const THREE: &str = "Box(1) = {0, 0, 0, 60, 40, 4};\nCylinder(2) = {20, 20, 4, 0, 0, 20, 5};\nSphere(3) = {100, 0, 0, 10};\n\
    Save \"part.step\";\nSave \"part.brep\";\n";

#[test]
fn bodies_of_a_step_file_have_names() {
    let Some(folder) = folder_of(THREE) else { return };
    rename(folder.path(), &["substrate", "post", "lens"], "SI_UNIT(.MILLI.,.METRE.)");
    let geometry = "cad = \"part.step\"\nmaterials = { substrate = { eps_r = 2.2 }, lens = { eps_r = 3 } }\n\
                    boundaries = { post = \"pec\" }\nspace = \"50 mm\"";
    let found = meshed(folder.path(), geometry).unwrap();
    assert_eq!(found.order, 2);
    near(size(&found, "volume", "substrate"), 60e-3 * 40e-3 * 4e-3, 1e-9);
    // Straight chords of twelve elements around lose some percent.
    near(size(&found, "volume", "lens"), 4.0 / 3.0 * PI * 1e-6, 0.15);
    near(size(&found, "surface", "post"), PI * (25.0 + 25.0 + 2.0 * 5.0 * 20.0) * 1e-6, 0.1);
    // Names of the file are given others by name; what is drawn in the case is later and applies.
    let geometry = "cad = [{ file = \"part.step\", names = { substrate = \"board\", lens = \"air\" } }]\n\
                    solids = [{ name = \"slot\", shape = \"box\", from = [\"30 mm\", \"0 mm\", \"0 mm\"], to = [\"60 mm\", \"40 mm\", \"4 mm\"] }]\n\
                    materials = { board = { eps_r = 2.2 }, slot = { eps_r = 1 } }\nboundaries = { post = \"pec\" }\nspace = \"50 mm\"";
    let found = meshed(folder.path(), geometry).unwrap();
    near(size(&found, "volume", "board"), 30e-3 * 40e-3 * 4e-3, 1e-9);
    near(size(&found, "volume", "slot"), 30e-3 * 40e-3 * 4e-3, 1e-9);
    // The file is an input of the run, and of the mesh that is kept.
    fs::write(folder.path().join("make.geo"), "").unwrap();
    let text = fs::read_to_string(folder.path().join("part.step")).unwrap();
    fs::write(
        folder.path().join("part.step"),
        text.replace("SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT(.CENTI.,.METRE.)"),
    )
    .unwrap();
    let found = meshed(folder.path(), "cad = [{ file = \"part.step\", name = \"all\" }]\nmaterials = { all = { eps_r = 1 } }\nspace = \"50 mm\"").unwrap();
    near(size(&found, "volume", "all"), 1e-6 * (9600.0 + 500.0 * PI + 4000.0 / 3.0 * PI), 0.06);
}

/// A patch of two squares side by side, a half pipe with the radius 10 and the length 30, and a loose square, beside a block.
const SURFACES: &str = "Box(1) = {0, 0, 0, 60, 40, 4};\nRectangle(101) = {10, 10, 4, 10, 10};\nRectangle(102) = {20, 10, 4, 10, 10};\n\
    l = newl; Circle(l) = {90, 0, 0, 10, 0, Pi};\ne() = Extrude{0, 0, 30}{ Curve{l}; };\nRectangle(104) = {0, 0, 40, 20, 20};\n";

#[test]
fn surfaces_without_a_solid_are_sheets() {
    let script = format!("{SURFACES}Save \"part.step\";\n");
    let Some(folder) = folder_of(&script) else { return };
    rename(folder.path(), &["block", "patch", "patch", "shell", "loose"], "SI_UNIT(.MILLI.,.METRE.)");
    let geometry = "cad = [{ file = \"part.step\", names = { shell = \"pipe\", loose = \"air\" } }]\n\
                    materials = { block = { eps_r = 2.2 } }\nboundaries = { patch = \"pec\", pipe = { sheet_resistance = \"50 ohm\" } }\n\
                    space = \"50 mm\"";
    let found = meshed(folder.path(), geometry).unwrap();
    assert_eq!(found.order, 2);
    near(size(&found, "volume", "block"), 60e-3 * 40e-3 * 4e-3, 1e-9);
    near(size(&found, "surface", "patch"), 200e-6, 1e-9);
    // Straight chords of twelve elements around.
    near(size(&found, "surface", "pipe"), PI * 10e-3 * 30e-3, 0.03);
    assert!(!found.groups.iter().any(|group| ["loose", "surface4"].contains(&group.name.as_str())));
    // Its edges are refined as those of drawn sheets.
    let fine = geometry.replace("\"air\" } }]", "\"air\" }, edge_size = \"1.5 mm\" }]");
    let finer = meshed(folder.path(), &fine).unwrap();
    assert!(finer.elements > found.elements + 200, "{} {}", finer.elements, found.elements);
    // A sheet that means nothing is told with all others.
    let message = refused(folder.path(), &geometry.replace(", loose = \"air\"", ""));
    for word in [
        "geometry.cad[0]",
        "no boundary condition",
        "\"loose\"",
        "\"pipe\"",
        "names = { \"loose\" = \"air\" }",
    ] {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn a_file_of_surfaces_alone_is_a_model() {
    let script = "Rectangle(1) = {0, 0, 0, 30, 10};\nRectangle(2) = {0, 0, 5, 30, 10};\nSave \"part.iges\";\nSave \"part.brep\";\n";
    let Some(folder) = folder_of(script) else { return };
    for file in ["part.iges", "part.brep"] {
        let plates = format!(
            "cad = [{{ file = \"{file}\", name = \"plates\" }}]\nboundaries = {{ plates = \"pec\" }}"
        );
        near(size(&meshed(folder.path(), &plates).unwrap(), "surface", "plates"), 600e-6, 1e-9);
        let closed = refused(folder.path(), &format!("{plates}\nspace = false"));
        assert!(closed.contains("geometry.space: a closed model needs a solid"), "{closed}");
    }
    // Each face has a number where the file has no names.
    let one = "cad = \"part.brep\"\nboundaries = { surface1 = \"pec\", surface2 = \"pec\" }";
    near(size(&meshed(folder.path(), one).unwrap(), "surface", "surface2"), 300e-6, 1e-9);
    // The faces of a ball enclose something.
    let Some(folder) = folder_of("Sphere(1) = {0, 0, 0, 10};\nDelete { Volume{1}; }\nSave \"part.brep\";\n")
    else {
        return;
    };
    let message = refused(
        folder.path(),
        "cad = [{ file = \"part.brep\", name = \"ball\" }]\nboundaries = { ball = \"pec\" }",
    );
    assert!(
        message.contains("closed, but there is no solid in them") && message.contains("STEP"),
        "{message}"
    );
}

#[test]
fn units_of_a_step_file_are_its_own() {
    let script = "Box(1) = {0, 0, 0, 0.2, 0.1, 0.05};\nSave \"part.step\";\nSave \"part.brep\";\n";
    let Some(folder) = folder_of(script) else { return };
    rename(folder.path(), &["block"], "SI_UNIT($,.METRE.)");
    let material = "materials = { block = { eps_r = 2 } }\nspace = \"50 mm\"";
    let found = meshed(folder.path(), &format!("cad = \"part.step\"\n{material}")).unwrap();
    near(size(&found, "volume", "block"), 1e-3, 1e-9);
    let inches = format!("cad = [{{ file = \"part.brep\", units = \"in\", name = \"block\" }}]\n{material}");
    near(size(&meshed(folder.path(), &inches).unwrap(), "volume", "block"), 1e-3 * 0.0254_f64.powi(3), 1e-9);
    let twice = format!("cad = [{{ file = \"part.step\", units = \"in\", name = \"block\" }}]\n{material}");
    assert!(refused(folder.path(), &twice).contains("stores its own unit"));
}

#[test]
fn colors_are_names_too() {
    let Some(folder) = folder_of("Box(1) = {0, 0, 0, 60, 40, 20};\nSave \"part.step\";\n") else { return };
    let file = folder.path().join("part.step");
    let text = fs::read_to_string(&file).unwrap();
    let number = |head: &str| {
        let line = text.lines().find(|line| line.contains(head)).unwrap();
        line.split(" = ").next().unwrap().trim().to_owned()
    };
    let (body, context) = (number("MANIFOLD_SOLID_BREP"), number("GEOMETRIC_REPRESENTATION_CONTEXT(3)"));
    let style = format!(
        "#9000=MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',(#9001),{context});\n\
         #9001=STYLED_ITEM('color',(#9002),{body});\n#9002=PRESENTATION_STYLE_ASSIGNMENT((#9003));\n\
         #9003=SURFACE_STYLE_USAGE(.BOTH.,#9004);\n#9004=SURFACE_SIDE_STYLE('',(#9005));\n\
         #9005=SURFACE_STYLE_FILL_AREA(#9006);\n#9006=FILL_AREA_STYLE('',(#9007));\n\
         #9007=FILL_AREA_STYLE_COLOUR('',#9008);\n#9008=COLOUR_RGB('',1.,0.5,0.);\n"
    );
    let end = text.rfind("ENDSEC;").unwrap();
    fs::write(&file, format!("{}{style}{}", &text[..end], &text[end..])).unwrap();
    let geometry = "cad = [{ file = \"part.step\", names = { \"#ff8000\" = \"block\" } }]\nmaterials = { block = { eps_r = 2 } }";
    near(size(&meshed(folder.path(), geometry).unwrap(), "volume", "block"), 48e-6, 1e-9);
    let message = refused(folder.path(), &geometry.replace("ff8000", "00ff00"));
    assert!(
        message.contains("no body or surface with the name or color \"#00ff00\"")
            && message.contains("(#ff8000)"),
        "{message}"
    );
}

#[test]
fn iges_and_stl_are_closed_bodies() {
    let script = "Box(1) = {0, 0, 0, 60, 40, 20};\nCylinder(2) = {30, 20, 0, 0, 0, 20, 8};\n\
                  BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }\nSave \"part.iges\";\n\
                  Mesh.MeshSizeMax = 20;\nMesh.MeshSizeFromCurvature = 12;\nMesh 2;\nSave \"part.stl\";\n";
    let Some(folder) = folder_of(script) else { return };
    let rest = "materials = { block = { eps_r = 2 } }\nspace = \"50 mm\"";
    let found =
        meshed(folder.path(), &format!("cad = [{{ file = \"part.iges\", name = \"block\" }}]\n{rest}"))
            .unwrap();
    near(size(&found, "volume", "block"), 48e-6 - PI * 64e-6 * 20e-3, 0.03);
    let stl = format!("cad = [{{ file = \"part.stl\", units = \"mm\", name = \"block\" }}]\n{rest}");
    let found = meshed(folder.path(), &stl).unwrap();
    assert_eq!(found.order, 1, "facets are flat");
    // A hole with twelve sides: 12/2 sin(30°) r² of it.
    near(size(&found, "volume", "block"), 48e-6 - 3.0 * 64e-6 * 20e-3, 5e-3);
    assert!(
        refused(folder.path(), &stl.replace("units = \"mm\", ", "")).contains("STL files do not store it")
    );
    // Without its last facet.
    let text = fs::read_to_string(folder.path().join("part.stl")).unwrap();
    let cut = text.rfind("facet normal").unwrap();
    fs::write(folder.path().join("part.stl"), format!("{}endsolid\n", &text[..cut])).unwrap();
    assert!(refused(folder.path(), &stl).contains("not closed: it has 1 holes, one of 3 edges"));
}

/// A pin through a board, and listed before it in the file: a conductor applies. Where two materials overlap, that is told.
#[test]
fn overlapping_bodies_are_told_but_for_conductors() {
    let script = "Cylinder(1) = {20, 20, -1, 0, 0, 6, 2};\nBox(2) = {0, 0, 0, 60, 40, 4};\nBox(3) = {50, 30, 2, 20, 20, 4};\n\
                  Save \"part.step\";\n";
    let Some(folder) = folder_of(script) else { return };
    rename(folder.path(), &["pin", "board", "lid"], "SI_UNIT(.MILLI.,.METRE.)");
    let geometry = "cad = \"part.step\"\nmaterials = { board = { eps_r = 2.2 }, lid = { eps_r = 3 } }\n\
                    boundaries = { pin = \"pec\" }\nspace = \"50 mm\"";
    let found = meshed(folder.path(), geometry).unwrap();
    // The corner of 10 x 10 x 2 is the lid's, and straight chords of twelve elements around the pin lose some percent of it.
    near(size(&found, "volume", "lid"), 20e-3 * 20e-3 * 4e-3, 1e-9);
    near(
        size(&found, "volume", "board"),
        (60.0 * 40.0 * 4.0 - 10.0 * 10.0 * 2.0 - PI * 4.0 * 4.0) * 1e-9,
        1e-3,
    );
    near(size(&found, "surface", "pin"), PI * (2.0 * 4.0 + 4.0 * 6.0) * 1e-6, 0.03);
    let [told] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
    assert!(
        told.starts_with("the bodies \"board\" and \"lid\" overlap (geometry.cad[0]), around (0.05")
            && told.contains("\"lid\" applies there"),
        "{told}"
    );
    // Of one name they are one volume.
    let one = geometry.replace("\"part.step\"", "[{ file = \"part.step\", names = { lid = \"board\" } }]");
    let found = meshed(folder.path(), &one.replace(", lid = { eps_r = 3 }", "")).unwrap();
    assert_eq!(found.warnings, [""; 0]);
}

#[test]
fn wrong_files_are_refused() {
    let Some(folder) = folder_of(THREE) else { return };
    rename(folder.path(), &["substrate", "post", "lens"], "SI_UNIT(.MILLI.,.METRE.)");
    let message = refused(folder.path(), "cad = \"part.step\"\nboundaries = { post = \"pec\" }");
    for word in ["geometry.cad[0]", "neither a material", "\"substrate\"", "\"lens\"", "\"post\""] {
        assert!(message.contains(word), "{word}: {message}");
    }
    fs::write(folder.path().join("bad.step"), "nonsense").unwrap();
    let message = refused(folder.path(), "cad = \"bad.step\"");
    assert!(message.contains("geometry.cad[0]") && message.contains("Could not read file"), "{message}");
    assert!(refused(folder.path(), "cad = \"part.dxf\"").contains("not a CAD file that can be read"));
    assert!(refused(folder.path(), "cad = \"none.step\"").contains("cannot be read"));
    // The cylinder touches the plate: faces of the two are sewn, and form no body.
    let touching =
        "Box(1) = {0, 0, 0, 60, 40, 4};\nCylinder(2) = {20, 20, 4, 0, 0, 20, 5};\nSave \"part.iges\";\n";
    let Some(folder) = folder_of(touching) else { return };
    let message =
        refused(folder.path(), "cad = [{ file = \"part.iges\", name = \"a\" }]\nmaterials = { a = {} }");
    assert!(
        message.contains("2 of its surfaces are closed, but there is no solid") && message.contains("STEP"),
        "{message}"
    );
}

#[test]
fn the_file_is_an_input_of_the_case() {
    let Some(folder) = folder_of(THREE) else { return };
    fs::write(
        folder.path().join("case.toml"),
        format!("version = 1\nsolver = \"dgtd\"\nname = \"cad\"\n[geometry]\ncad = [{{ file = \"part.step\", name = \"all\" }}]\n\
                 boundaries = {{ all = \"pec\" }}\nspace = \"50 mm\"\n{WAVE}"),
    )
    .unwrap();
    let plan = check(&folder.path().join("case.toml"), &Options::default(), &Progress::silent()).unwrap();
    assert!(plan.facts["elements"] > 100.0);
}
