//! Names of mesh files as other programs give them.

use phasefront_core::Progress;
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet, TetMesh, gmsh_text};
use phasefront_run::{Options, RunError, check_text, run_text};
use std::fs;
use std::path::Path;

/// A box with an absorbing shell, a ball's worth of box inside, and a closed surface of six rectangles between.
fn model(surfaces: [&str; 6], vacuum: &str) -> TetMesh {
    let side = |k: usize, high: bool| {
        let (mut from, mut to) = ([0.2; 3], [0.8; 3]);
        let end = if high { 0.8 } else { 0.2 };
        (from[k], to[k]) = (end, end);
        (from, to)
    };
    let sheet = |i: usize| {
        let (from, to) = side(i / 2, i % 2 == 1);
        BoxSheet { name: surfaces[i].into(), from, to }
    };
    let core = BoxRegion { name: "core".into(), from: [0.4; 3], to: [0.6; 3] };
    BoxMesh {
        to: [1.0; 3],
        cell: [0.1; 3],
        name: vacuum.into(),
        regions: vec![core],
        sheets: (0..6).map(sheet).collect(),
        ..BoxMesh::default()
    }
    .mesh()
    .unwrap()
}

const SIX: [&str; 6] = ["left", "right", "front", "back", "bottom", "top"];
const ENDS: &str = "xmin = \"absorbing\", xmax = \"absorbing\", ymin = \"absorbing\", ymax = \"absorbing\", zmin = \"absorbing\", zmax = \"absorbing\"";

fn case(surface: &str) -> String {
    format!(
        "version = 1\nsolver = \"dgtd\"\nname = \"groups\"\n[geometry]\nmesh = \"model.msh\"\nunits = \"m\"\n\
         materials = {{ core = {{ eps_r = 4 }} }}\nboundaries = {{ {ENDS} }}\n[source]\nfrequency = \"300 MHz\"\n\
         plane_wave = {{ theta = \"0 deg\", phi = \"0 deg\", polarization = \"theta\", surface = {surface} }}\n\
         [solve]\norder = 1\nmax_time = \"20 ns\"\n[output]\nrcs = {{ theta = [\"0 deg\", \"90 deg\"], phi = \"0 deg\" }}\n"
    )
}

fn rcs(folder: &Path, mesh: &TetMesh, case: &str) -> String {
    fs::write(folder.join("model.msh"), gmsh_text(mesh)).unwrap();
    let out = folder.join("out");
    let options = Options { out: Some(out.clone()), force: true, ..Options::default() };
    run_text("case.toml", case, folder, &options, &Progress::silent()).unwrap();
    fs::read_to_string(out.join("rcs.csv")).unwrap()
}

#[test]
fn six_surfaces_are_as_good_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let one = rcs(folder.path(), &model(["huygens"; 6], "vacuum"), &case("\"huygens\""));
    let list = "[\"left\", \"right\", \"front\", \"back\", \"bottom\", \"top\"]";
    let six = rcs(folder.path(), &model(SIX, "vacuum"), &case(list));
    assert_eq!(one, six, "the same faces, the same numbers");
    // Five of them are not closed.
    let error = refused(folder.path(), &case(&list.replace(", \"top\"", "")));
    assert!(error.contains("closed"), "{error}");
    let error = refused(folder.path(), &case(&list.replace("\"top\"", "\"left\"")));
    assert!(error.contains("source.plane_wave.surface") && error.contains("listed twice"), "{error}");
}

fn refused(folder: &Path, case: &str) -> String {
    let error: RunError =
        check_text("case.toml", case, folder, &Options::default()).expect_err("it is refused");
    format!("{error} {}", error.advice().unwrap_or_default())
}

#[test]
fn vacuum_is_vacuum_in_any_letters() {
    let folder = tempfile::tempdir().unwrap();
    let plain = rcs(folder.path(), &model(["huygens"; 6], "vacuum"), &case("\"huygens\""));
    for name in ["Vacuum", "AIR", "Air"] {
        assert_eq!(plain, rcs(folder.path(), &model(["huygens"; 6], name), &case("\"huygens\"")), "{name}");
    }
}

#[test]
fn all_missing_names_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.msh"), gmsh_text(&model(SIX, "background"))).unwrap();
    let wrong = case("[\"left\", \"rihgt\"]").replace("core =", "coer =").replace("xmin =", "xmim =");
    let error = refused(folder.path(), &wrong);
    for word in [
        "geometry.mesh: ",
        "volumes without a material: \"background\", \"core\"",
        "volumes that the mesh does not have: geometry.materials.coer",
        "geometry.boundaries.xmim, \"rihgt\" of source.plane_wave.surface",
        "the mesh has the volumes \"background\", \"core\"",
    ] {
        assert!(error.contains(word), "{word}: {error}");
    }
}
