//! Models of solids and sheets, meshed by Gmsh. Skipped with a message where there is no Gmsh.

use phasefront_core::Progress;
use phasefront_run::{Options, RunError, check_text, mesh, run_text};
use std::f64::consts::TAU;
use std::path::Path;
use std::process::Command;

const C0: f64 = 299_792_458.0;

/// Whether Gmsh is on the path.
fn has_gmsh() -> bool {
    let program = std::env::var("PHASEFRONT_GMSH").unwrap_or_else(|_| "gmsh".into());
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("SKIPPED: models meshed by Gmsh; there is no gmsh on the path: pip install gmsh");
    }
    found
}

fn case(geometry: &str, rest: &str) -> String {
    format!("version = 1\nsolver = \"dgtd\"\nname = \"drawn\"\n[geometry]\n{geometry}\n{rest}\n")
}

/// The facts of a case by their names.
fn facts(text: &str) -> Result<Vec<(String, f64)>, RunError> {
    let report = check_text("case.toml", text, Path::new("."), &Options::default())?;
    Ok(report.facts.into_iter().collect())
}

fn refused(text: &str) -> String {
    facts(text).expect_err("it is refused").to_string()
}

const PORT: &str = "[source]\nfrequency = { from = \"0.7 GHz\", to = \"1.3 GHz\", points = 7 }\n\
    ports = [{ surface = \"port\", resistance = \"50 ohm\", direction = [0, 0, 1] }]\n[solve]\norder = 2\nprecision = \"single\"\n";

const ARMS: &str = r#"{ name = "arms", shape = "rectangle", from = ["0 mm", "-5 mm", "5 mm"], to = ["0 mm", "5 mm", "70 mm"] },
  { name = "arms", shape = "rectangle", from = ["0 mm", "-5 mm", "-70 mm"], to = ["0 mm", "5 mm", "-5 mm"] },"#;

#[test]
fn a_dipole_is_thirty_lines() {
    if !has_gmsh() {
        return;
    }
    let port = r#"{ name = "port", shape = "rectangle", from = ["0 mm", "-5 mm", "-5 mm"], to = ["0 mm", "5 mm", "5 mm"] }"#;
    let geometry = format!("sheets = [{ARMS} {port}]\nboundaries = {{ arms = \"pec\" }}");
    let facts = facts(&case(&geometry, PORT)).unwrap();
    let elements = facts.iter().find(|(name, _)| name == "elements").unwrap().1;
    assert!((5e3..4e4).contains(&elements), "{elements} elements");
    // Finer at the edges, by a size of the user's.
    let fine = geometry.replace("\"70 mm\"]", "\"70 mm\"], edge_size = \"1 mm\"");
    let more = self::facts(&case(&fine, PORT)).unwrap();
    assert!(more.iter().find(|(name, _)| name == "elements").unwrap().1 > 1.2 * elements);
}

#[test]
fn a_cavity_of_a_cylinder_rings_at_its_modes() {
    if !has_gmsh() {
        return;
    }
    // TM010 of a cylinder with the radius a and TM011: k² = (2.404826/a)² + (π/d)² (Pozar, Microwave Engineering, section 6.4).
    let geometry = r#"space = false
solids = [{ name = "inside", shape = "cylinder", from = ["0 m", "0 m", "0 m"], to = ["0 m", "0 m", "0.3 m"], radius = "0.25 m" }]
materials = { inside = { eps_r = 1 } }
boundaries = { inside = "pec" }"#;
    let (lowest, next) = (2.404_826 / 0.25, (2.404_826_f64 / 0.25).hypot(std::f64::consts::PI / 0.3));
    let [lowest, next] = [lowest, next].map(|k| k * C0 / TAU);
    let rest = "[source]\nfrequency = { from = \"0.3 GHz\", to = \"0.8 GHz\", points = 3 }\n\
         dipoles = [{ position = [\"10 mm\", \"0 m\", \"100 mm\"], moment = [0, 0, 1] }]\n\
         [solve]\norder = 3\nenergy_decay_db = false\nmax_time = \"60 ns\"\n\
         [output]\nprobes = [[\"-0.05 m\", \"0.02 m\", \"0.03 m\"]]\n";
    let folder = tempfile::tempdir().unwrap();
    let options = Options { out: Some(folder.path().join("out")), ..Options::default() };
    run_text("case.toml", &case(geometry, rest), Path::new("."), &options, &Progress::silent()).unwrap();
    let table = std::fs::read_to_string(folder.path().join("out/probes.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|h| h == name).unwrap_or_else(|| panic!("{head:?}"));
    let (time, field) = (column("time_s"), column("probe1_ez_v_per_m"));
    let rows: Vec<[f64; 2]> =
        lines.map(|row| [row[time].parse().unwrap(), row[field].parse().unwrap()]).collect();
    for expected in [lowest, next] {
        let found = peak(&rows, 0.93 * expected, 1.07 * expected);
        assert!((found / expected - 1.0).abs() < 3e-3, "{found:e} instead of {expected:e}");
    }
}

/// The frequency at which a Hann-windowed transform of the samples is largest.
fn peak(rows: &[[f64; 2]], from: f64, to: f64) -> f64 {
    let end = rows.last().unwrap()[0];
    let size = |f: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for &[t, e] in rows {
            let weight = (std::f64::consts::PI * t / end).sin().powi(2);
            let (sin, cos) = (TAU * f * t).sin_cos();
            re += weight * e * cos;
            im += weight * e * sin;
        }
        f64::hypot(re, im)
    };
    let steps = 400;
    let at = |i: usize| from + (to - from) * i as f64 / steps as f64;
    (0..=steps).map(at).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap()
}

#[test]
fn bodies_volumes_and_surfaces_are_told_apart() {
    if !has_gmsh() {
        return;
    }
    // A coated ball, whose coat and core are concentric: the later one applies; the core is a body, with waves around it.
    let geometry = r#"solids = [
  { name = "coat", shape = "sphere", center = [0, 0, 0], radius = "60 mm" },
  { name = "core", shape = "sphere", center = [0, 0, 0], radius = "40 mm" },
  { name = "rod", shape = "cone", from = ["100 mm", "0 mm", "0 mm"], to = ["160 mm", "0 mm", "0 mm"], radii = ["10 mm", "4 mm"] },
  { name = "ring", shape = "torus", center = ["0 mm", "0 mm", "100 mm"], radius = "40 mm", tube_radius = "10 mm" },
  { name = "loop", shape = "wire", points = [["0 mm", "100 mm", "0 mm"], ["0 mm", "100 mm", "60 mm"], ["40 mm", "100 mm", "60 mm"]], radius = "5 mm" },
  { name = "angle", shape = "extrusion", points = [["-100 mm", "0 mm"], ["-80 mm", "0 mm"], ["-80 mm", "10 mm"], ["-90 mm", "10 mm"], ["-90 mm", "40 mm"], ["-100 mm", "40 mm"]], z = ["0 mm", "20 mm"] },
]
sheets = [{ name = "disk", shape = "disk", center = ["0 mm", "0 mm", "-100 mm"], radius = "30 mm", axis = "x" }]
materials = { coat = { eps_r = 2 }, ring = { eps_r = 3 } }
boundaries = { core = "pec", rod = "pec", loop = "pec", angle = "pec", disk = "pec" }"#;
    let rest = "[source]\nfrequency = \"1 GHz\"\nplane_wave = { theta = \"0 deg\", phi = \"0 deg\", polarization = \"theta\" }\n\
         [solve]\norder = 2\n[output]\nrcs = { theta = \"180 deg\", phi = \"0 deg\" }\n";
    // Every name is found in the mesh, and every outer face has a condition: else the solver refuses it.
    let found = facts(&case(geometry, rest)).unwrap();
    assert!(found.iter().any(|(name, value)| name == "elements" && *value > 1e3), "{found:?}");
    // A body that another solid covers has no surface.
    let covered = geometry.replace("radius = \"40 mm\" }", "radius = \"40 mm\" },\n  { name = \"coat\", shape = \"sphere\", center = [0, 0, 0], radius = \"50 mm\" }");
    let message = refused(&case(&covered, rest));
    assert!(
        message.contains("geometry.solids[1]: nothing is left of \"core\": later solids, such as \"coat\""),
        "{message}"
    );
}

fn elements(geometry: &str) -> f64 {
    let found = facts(&case(geometry, PORT)).unwrap();
    found.iter().find(|(name, _)| name == "elements").unwrap().1
}

#[test]
fn sizes_of_the_user_replace_the_automatic_ones() {
    if !has_gmsh() {
        return;
    }
    let port = r#"{ name = "port", shape = "rectangle", from = ["0 mm", "-5 mm", "-5 mm"], to = ["0 mm", "5 mm", "5 mm"] }"#;
    let geometry = format!("sheets = [{ARMS} {port}]\nboundaries = {{ arms = \"pec\" }}");
    let automatic = elements(&geometry);
    let refined = |entry: &str| elements(&format!("{geometry}\nrefine = [{entry}]"));
    // Coarser edges are fewer elements, finer ones more; each region adds its own.
    assert!(refined(r#"{ region = "edges", name = "arms", cell_size = "8 mm" }"#) < 0.8 * automatic);
    assert!(refined(r#"{ region = "edges", name = "arms", cell_size = "1 mm" }"#) > 1.5 * automatic);
    assert!(refined(r#"{ region = "part", name = "port", cell_size = "1 mm" }"#) > 1.05 * automatic);
    for region in [
        r#"{ region = "box", from = ["20 mm", "0 mm", "0 mm"], to = ["50 mm", "30 mm", "30 mm"], cell_size = "4 mm" }"#,
        r#"{ region = "sphere", center = ["40 mm", "0 mm", "0 mm"], radius = "15 mm", cell_size = "4 mm" }"#,
    ] {
        // Seven elements per cube of the size: 30 mm sides have 2953, the ball 1550.
        let more = refined(region) - automatic;
        assert!((1000.0..9000.0).contains(&more), "{more}: {region}");
    }
}

/// An L-shaped cavity in one piece is refined at its inner edge, as a conductor is at its edges.
#[test]
fn the_inner_edge_of_a_cavity_is_refined() {
    if !has_gmsh() {
        return;
    }
    let cavity = |keys: &str| {
        let geometry = format!(
            r#"space = false
solids = [{{ name = "cavity", shape = "extrusion", z = ["0 mm", "100 mm"]{keys}, points = [["-100 mm", "-100 mm"], ["100 mm", "-100 mm"], ["100 mm", "0 mm"], ["0 mm", "0 mm"], ["0 mm", "100 mm"], ["-100 mm", "100 mm"]] }}]
sheets = [{{ name = "port", shape = "rectangle", from = ["-60 mm", "40 mm", "0 mm"], to = ["-60 mm", "60 mm", "100 mm"] }}]
materials = {{ cavity = {{}} }}
boundaries = {{ cavity = "pec" }}"#
        );
        elements(&geometry)
    };
    let (automatic, coarse, fine) =
        (cavity(""), cavity(", edge_size = \"1 m\""), cavity(", edge_size = \"4 mm\""));
    println!("{coarse} {automatic} {fine}");
    assert!(automatic > 1.3 * coarse && fine > 1.5 * automatic, "{coarse} {automatic} {fine}");
}

#[test]
fn a_narrow_gap_has_elements_across_it() {
    if !has_gmsh() {
        return;
    }
    // Two plates face to face: 40 mm wide, their edges get 10 mm, and a gap of 1 mm half a millimeter.
    let plates = |gap: &str| {
        format!(
            r#"solids = [
  {{ name = "left", shape = "box", from = ["-40 mm", "0 mm", "0 mm"], to = ["0 mm", "10 mm", "10 mm"] }},
  {{ name = "right", shape = "box", from = ["{gap}", "0 mm", "0 mm"], to = ["40 mm", "10 mm", "10 mm"] }},
]
boundaries = {{ left = "pec", right = "pec" }}"#
        )
    };
    let rest = "[source]\nfrequency = \"1 GHz\"\nplane_wave = { theta = \"0 deg\", phi = \"0 deg\", polarization = \"theta\" }\n\
         [solve]\norder = 2\n[output]\nrcs = { theta = \"180 deg\", phi = \"0 deg\" }\n";
    let count = |gap: &str| {
        let found = facts(&case(&plates(gap), rest)).unwrap();
        found.iter().find(|(name, _)| name == "elements").unwrap().1
    };
    // The edges along the gap are 80 mm: at half a millimeter they alone have more than a thousand elements.
    assert!(count("1 mm") > count("20 mm") + 2000.0);
}

#[test]
fn a_sheet_stays_inside_a_closed_model() {
    if !has_gmsh() {
        return;
    }
    let geometry = r#"solids = [{ name = "inside", shape = "box", from = [0, 0, 0], to = ["0.2 m", "0.2 m", "0.2 m"] }]
sheets = [
  { name = "port", shape = "rectangle", from = ["0 m", "0.1 m", "0 m"], to = ["0.1 m", "0.1 m", "0.2 m"] },
  { name = "fin", shape = "rectangle", from = ["0.1 m", "0.1 m", "0.1 m"], to = ["0.1 m", "0.3 m", "0.15 m"] },
]
space = false
materials = { inside = {} }
boundaries = { inside = "pec", fin = "pec" }"#;
    let message = refused(&case(geometry, PORT));
    assert!(
        message.contains("geometry.sheets[1]: the sheet \"fin\" reaches out of the closed model"),
        "{message}"
    );
    let away = geometry.replace("[\"0.1 m\", \"0.1 m\", \"0.1 m\"]", "[\"0.1 m\", \"0.25 m\", \"0.1 m\"]");
    let message = refused(&case(&away, PORT));
    assert!(
        message.contains("geometry.sheets[1]: the sheet \"fin\" reaches out of the closed model"),
        "{message}"
    );
    // In a body there is nothing left of it.
    let body = geometry.replace("space = false\n", "").replace("materials = { inside = {} }\n", "");
    let message = refused(&case(&body, PORT));
    assert!(message.contains("geometry.sheets[0]: nothing is left of the sheet \"port\""), "{message}");
}

/// Two rods with a gap of 10 mm between them, and a port.
fn rods(port: &str) -> String {
    case(
        &format!(
            r#"solids = [
  {{ name = "rods", shape = "box", from = ["-5 mm", "-5 mm", "5 mm"], to = ["5 mm", "5 mm", "60 mm"], edge_size = "5 mm" }},
  {{ name = "rods", shape = "box", from = ["-5 mm", "-5 mm", "-60 mm"], to = ["5 mm", "5 mm", "-5 mm"], edge_size = "5 mm" }},
]
sheets = [{{ name = "port", shape = "rectangle", {port} }}]
boundaries = {{ rods = "pec" }}"#
        ),
        PORT,
    )
}

fn warnings(text: &str) -> Vec<String> {
    let report = check_text("case.toml", text, Path::new("."), &Options::default()).unwrap();
    report.warnings
}

#[test]
fn a_port_that_reaches_into_a_body_is_told() {
    if !has_gmsh() {
        return;
    }
    let into = |text: &str| {
        warnings(text).into_iter().filter(|words| words.contains("inside of the body")).collect::<Vec<_>>()
    };
    let found = into(&rods(r#"from = ["0 mm", "-3 mm", "-5 mm"], to = ["0 mm", "3 mm", "15 mm"]"#));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(
            "50 % of the port \"port\" is inside of the body \"rods\", around (0.0000, 0.0000, 0.0100) m"
        ),
        "{found:?}"
    );
    // Between the rods, on their faces, and as long as their side.
    for port in [
        r#"from = ["0 mm", "-3 mm", "-5 mm"], to = ["0 mm", "3 mm", "5 mm"]"#,
        r#"from = ["5 mm", "-5 mm", "-5 mm"], to = ["5 mm", "5 mm", "5 mm"]"#,
    ] {
        assert_eq!(into(&rods(port)), [""; 0], "{port}");
    }
}

/// A port on the face of a body is a window in it: its edges are on the body, which is not drawn through it.
#[test]
fn a_port_may_lie_on_the_face_of_a_body() {
    if !has_gmsh() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.toml");
    // On the face with the middle in it or not, over its edge, and to its edge.
    for (from, to, area) in [
        (["-3 mm", "20 mm"], ["3 mm", "50 mm"], 180e-6),
        (["-5 mm", "40 mm"], ["-1 mm", "50 mm"], 40e-6),
        (["-3 mm", "50 mm"], ["3 mm", "70 mm"], 120e-6),
        (["-5 mm", "-5 mm"], ["5 mm", "5 mm"], 100e-6),
    ] {
        let text = rods(&format!(
            r#"from = ["5 mm", "{}", "{}"], to = ["5 mm", "{}", "{}"]"#,
            from[0], from[1], to[0], to[1]
        ));
        std::fs::write(&path, &text).unwrap();
        let found = mesh(&path, &Options::default(), &Progress::silent()).unwrap();
        let port = found.groups.iter().find(|group| group.name == "port").unwrap();
        assert!((port.size / area - 1.0).abs() < 1e-6, "{} instead of {area}", port.size);
        assert!(
            !found.warnings.iter().any(|words| words.contains("inside of the body")),
            "{:?}",
            found.warnings
        );
    }
}

#[test]
fn a_wire_through_itself_is_refused() {
    let wire = |end: &str| {
        format!(
            r#"solids = [{{ name = "wire", shape = "wire", radius = "2 mm", points = [["0 mm", "0 mm", "0 mm"], ["50 mm", "0 mm", "0 mm"], ["50 mm", "30 mm", "0 mm"], ["25 mm", "30 mm", "0 mm"], ["25 mm", "{end}", "0 mm"]] }}]
sheets = [{{ name = "port", shape = "rectangle", from = ["0 mm", "-2 mm", "-2 mm"], to = ["0 mm", "2 mm", "2 mm"] }}]
boundaries = {{ wire = "pec" }}"#
        )
    };
    let message = refused(&case(&wire("-30 mm"), PORT));
    assert!(
        message.contains("geometry.solids[0]: the wire \"wire\" runs through itself at (0.025"),
        "{message}"
    );
}

#[test]
fn wrong_drawings_are_refused() {
    for (geometry, path, message) in [
        (
            r#"sheets = [{ name = "ground", shape = "disk", center = [0, 0, 0], radius = 1 }]"#,
            "geometry.sheets[0].name",
            "no boundary condition",
        ),
        (
            r#"solids = [{ name = "pml-coat", shape = "sphere", center = [0, 0, 0], radius = 1 }]"#,
            "geometry.solids[0].name",
            "is reserved for the space",
        ),
        (
            r#"solids = [{ name = "a", shape = "sphere", center = [0, 0, 0], radius = "1 m" }]"#,
            "geometry.solids[0].name",
            "neither a material",
        ),
        (
            r#"solids = [{ name = "pml", shape = "sphere", center = [0, 0, 0], radius = "1 m" }]"#,
            "geometry.solids[0].name",
            "is reserved for the space",
        ),
        (
            r#"solids = [{ name = "a", shape = "sphere", center = [0, 0, 0], radius = "0 m" }]"#,
            "geometry.solids[0].radius",
            "must be positive",
        ),
        (
            r#"solids = [{ name = "a", shape = "torus", center = [0, 0, 0], radius = "1 m", tube_radius = "2 m" }]"#,
            "geometry.solids[0].radius",
            "touch itself",
        ),
        (
            r#"solids = [{ name = "a", shape = "wire", points = [[0, 0, 0]], radius = "1 m" }]"#,
            "geometry.solids[0].points",
            "too few",
        ),
        (
            r#"solids = [{ name = "a", shape = "cylinder", from = [0, 0, 0], to = [0, 0, 0], radius = "1 m" }]"#,
            "geometry.solids[0].to",
            "same point",
        ),
        (
            r#"sheets = [{ name = "port", shape = "rectangle", from = [0, 0, 0], to = [1, 1, 1] }]"#,
            "geometry.sheets[0].to",
            "not a rectangle",
        ),
        (
            "sheets = [{ name = \"port\", shape = \"polygon\", points = [[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0]] }]",
            "geometry.sheets[0]",
            "not in the plane",
        ),
        (
            "sheets = [{ name = \"port\", shape = \"disk\", center = [0, 0, 0], radius = 1 }]\nspace = false",
            "geometry.space",
            "needs a solid",
        ),
        (
            "box = { from = [0, 0, 0], to = [1, 1, 1], cell_size = 1 }\nspace = \"1 m\"",
            "geometry.space",
            "applies to",
        ),
        (
            "box = { from = [0, 0, 0], to = [1, 1, 1], cell_size = 1 }\nrefine = [{ region = \"edges\", name = \"a\", cell_size = 1 }]",
            "geometry.refine",
            "applies to",
        ),
        (
            "sheets = [{ name = \"port\", shape = \"disk\", center = [0, 0, 0], radius = 1 }]\nrefine = [{ region = \"edges\", name = \"prot\", cell_size = 1 }]",
            "geometry.refine[0].name",
            "no conductor \"prot\"",
        ),
        (
            "sheets = [{ name = \"port\", shape = \"disk\", center = [0, 0, 0], radius = 1 }]\nrefine = [{ region = \"part\", name = \"port\", cell_size = 0 }]",
            "geometry.refine[0].cell_size",
            "must be positive",
        ),
        (
            "sheets = [{ name = \"port\", shape = \"disk\", center = [0, 0, 0], radius = 1 }]\nrefine = [{ region = \"sphere\", center = [0, 0, 0], radius = 1, cell_size = \"1 um\" }]",
            "geometry.refine[0]: the mesh would have about",
            "for this refinement",
        ),
        (
            "solids = [{ name = \"board\", shape = \"box\", from = [0, 0, 0], to = [1, 1, 0.1], edge_size = \"1 mm\" }]\nmaterials = { board = { eps_r = 2 } }",
            "geometry.solids[0].edge_size",
            "\"board\" is no conductor, and none of its edges bends around one",
        ),
        (
            "sheets = [{ name = \"port\", shape = \"disk\", center = [0, 0, 0], radius = 1, edge_size = \"1 nm\" }]",
            "geometry.sheets[0]: the mesh would have about",
            "for the edge of \"port\"",
        ),
    ] {
        let text = case(geometry, PORT);
        let error = facts(&text).expect_err(geometry).to_string();
        assert!(error.contains(path) && error.contains(message), "{geometry}\n{error}");
    }
}
