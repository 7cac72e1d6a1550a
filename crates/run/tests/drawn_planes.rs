//! Drawn models with planes of symmetry and infinite grounds, meshed by Gmsh. Skipped with a message where there is no Gmsh.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_run::{Options, RunError, check_text, run_text};
use std::path::Path;
use std::process::Command;

fn has_gmsh() -> bool {
    let program = std::env::var("PHASEFRONT_GMSH").unwrap_or_else(|_| "gmsh".into());
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("SKIPPED: models meshed by Gmsh; there is no gmsh on the path: pip install gmsh");
    }
    found
}

/// A strip dipole along z in the plane x = 0, 20 mm wide and 140 mm long, with these further keys of its geometry.
fn dipole(boundaries: &str, keys: &str, directions: &str) -> String {
    format!(
        r#"version = 1
solver = "dgtd"
name = "dipole"
[geometry]
sheets = [
    {{ name = "arms", shape = "rectangle", from = ["0 mm", "-10 mm", "10 mm"], to = ["0 mm", "10 mm", "70 mm"], edge_size = "6 mm" }},
    {{ name = "arms", shape = "rectangle", from = ["0 mm", "-10 mm", "-70 mm"], to = ["0 mm", "10 mm", "-10 mm"], edge_size = "6 mm" }},
    {{ name = "port", shape = "rectangle", from = ["0 mm", "-10 mm", "-10 mm"], to = ["0 mm", "10 mm", "10 mm"], edge_size = "6 mm" }},
]
boundaries = {{ arms = "pec"{boundaries} }}
space = "40 mm"
{keys}
[source]
frequency = {{ from = "0.7 GHz", to = "1.1 GHz", points = 5 }}
ports = [{{ surface = "port", resistance = "50 ohm", direction = [0, 0, 1] }}]
[solve]
order = 2
precision = "single"
energy_decay_db = 30
[output]
directivity = {{ theta = {directions}, phi = "20 deg" }}
"#
    )
}

fn column(folder: &Path, table: &str, name: &str) -> Vec<f64> {
    let csv = std::fs::read_to_string(folder.join("out").join(table)).unwrap();
    let column = csv.lines().next().unwrap().split(',').position(|title| title == name);
    let column = column.unwrap_or_else(|| panic!("{table} has no {name}: {}", csv.lines().next().unwrap()));
    csv.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap_or(f64::NAN)).collect()
}

/// S11, and directivities and gains, of a case.
fn solved(text: &str) -> (Vec<Complex64>, [Vec<f64>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { out: Some(folder.path().join("out")), ..Options::default() };
    let outcome = run_text("case.toml", text, Path::new("."), &options, &Progress::silent()).unwrap();
    println!("{:?} {:?}", outcome.result.warnings, outcome.result.seconds);
    let [re, im] = ["s11_re", "s11_im"].map(|name| column(folder.path(), "port.csv", name));
    let s11 = re.into_iter().zip(im).map(|(re, im)| Complex64::new(re, im)).collect();
    (s11, ["directivity_dbi", "gain_dbi"].map(|name| column(folder.path(), "directivity.csv", name)))
}

/// Half of the voltage of a port is above a ground, and half of its current on one side of a magnetic wall: a quarter has the same
/// resistance. A ground doubles directivity and gain (Balanis, Antenna Theory, 4.7.1).
#[test]
fn a_quarter_of_a_dipole_on_a_ground_is_the_dipole() {
    if !has_gmsh() {
        return;
    }
    let theta = "[\"20 deg\", \"50 deg\", \"80 deg\"]";
    let (whole, without) = solved(&dipole("", "", theta));
    let planes = "planes = { zmin = \"0 mm\", ymin = \"0 mm\" }";
    let (quarter, above) = solved(&dipole(", zmin = \"pec\", ymin = \"pmc\"", planes, theta));
    for (a, b) in whole.iter().zip(&quarter) {
        println!("{a:.4} {b:.4} {:.4}", (a - b).norm());
        assert!((a - b).norm() < 0.02, "{a} {b}");
    }
    for (without, above) in without.iter().zip(&above) {
        for (a, b) in without.iter().zip(above) {
            println!("{a:.3} dBi {b:.3} dBi");
            assert!((b - a - 3.0103).abs() < 0.1, "{a} {b}");
        }
        assert_eq!([without.len(), above.len()], [15; 2]);
    }
}

#[test]
fn a_port_that_a_plane_of_symmetry_cuts_is_told_without_a_far_field() {
    if !has_gmsh() {
        return;
    }
    let text = |boundaries: &str, keys: &str| {
        let text = dipole(boundaries, keys, "\"0 deg\"");
        text[..text.find("[output]").unwrap()].to_owned()
    };
    let told = |text: &str| {
        let report = check_text("case.toml", text, Path::new("."), &Options::default()).unwrap();
        let cut = report.warnings.into_iter().filter(|words| words.contains("cuts the port \"port\""));
        cut.map(|words| words[..words.find(':').unwrap()].to_owned()).collect::<Vec<_>>()
    };
    let quarter = "planes = { zmin = \"0 mm\", ymin = \"0 mm\" }";
    let found = told(&text(", zmin = \"pec\", ymin = \"pmc\"", quarter));
    // A ground is no plane of symmetry unless it is named.
    assert_eq!(found, ["a PMC symmetry plane cuts the port \"port\""]);
    let found = told(&text(", zmin = \"pec\", ymin = \"pmc\"", &format!("{quarter}\nsymmetry = [\"zmin\"]")));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(told(&text("", "")), [""; 0]);
}

fn checked(text: &str) -> Result<f64, RunError> {
    check_text("case.toml", text, Path::new("."), &Options::default()).map(|report| report.facts["elements"])
}

#[test]
fn what_is_drawn_ends_at_its_planes() {
    if !has_gmsh() {
        return;
    }
    // Bodies, volumes and sheets through two planes, one that lies in one, on sides other than the lower ones.
    let geometry = |z: &str| {
        format!(
            r#"version = 1
solver = "dgtd"
name = "planes"
[geometry]
solids = [
    {{ name = "lens", shape = "sphere", center = ["0 mm", "0 mm", "0 mm"], radius = "20 mm" }},
    {{ name = "rod", shape = "cylinder", from = ["-60 mm", "0 mm", "0 mm"], to = ["60 mm", "0 mm", "0 mm"], radius = "5 mm" }},
]
sheets = [
    {{ name = "fin", shape = "rectangle", from = ["0 mm", "-60 mm", "-60 mm"], to = ["0 mm", "60 mm", "60 mm"] }},
    {{ name = "film", shape = "disk", center = ["-40 mm", "-40 mm", "0 mm"], radius = "10 mm" }},
]
materials = {{ lens = {{ eps_r = 2 }} }}
boundaries = {{ rod = "pec", fin = "pec", film = "pec", zmax = "pec", ymax = "pmc" }}
planes = {{ zmax = "{z}", ymax = "0 mm" }}
space = "50 mm"
symmetry = ["zmax"]
[source]
frequency = "1 GHz"
plane_wave = {{ theta = "90 deg", phi = "0 deg", polarization = "theta" }}
[solve]
order = 2
[output]
rcs = {{ theta = "90 deg", phi = "0 deg" }}
"#
        )
    };
    // The far-field surface is closed by the planes, the wave is its own image in them, and each name is in the mesh.
    assert!(checked(&geometry("0 mm")).unwrap() > 500.0);
    let error = checked(&geometry("-25 mm")).unwrap_err().to_string();
    assert!(
        error.contains("geometry.solids[0]: \"lens\"") && error.contains("beyond the plane \"zmax\""),
        "{error}"
    );
}
