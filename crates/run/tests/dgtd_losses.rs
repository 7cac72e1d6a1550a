//! Lossy cavities as a user runs them: loss tangents and tables of the permittivity, against frequencies and Q in closed form.

use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::DeviceChoice;
use phasefront_run::{Options, run};
use std::path::Path;

/// Sides of the cavity, m.
const SIDES: [f64; 3] = [1.0, 0.8, 0.6];

fn case(material: &str, output: &str) -> String {
    let [x, y, z] = SIDES;
    format!(
        r#"version = 1
solver = "dgtd"
name = "cavity"

[geometry]
box = {{ from = [0, 0, 0], to = [{x}, {y}, {z}], cell_size = "0.25 m", name = "fill" }}
materials = {{ fill = {{ {material} }} }}
boundaries = {{ xmin = "pec", xmax = "pec", ymin = "pec", ymax = "pec", zmin = "pec", zmax = "pec" }}

[source]
dipoles = [{{ position = [0.37, 0.31, 0.23], moment = [1, 1, 1] }}]

[solve]
energy_decay_db = false
max_time = "240 ns"

[output]
probes = [[0.61, 0.23, 0.41]]
{output}
"#
    )
}

const BAND: &str = "resonances = { from = \"150 MHz\", to = \"235 MHz\" }";

fn solved(text: &str, folder: &Path) -> (Vec<Vec<String>>, Vec<String>) {
    let file = folder.join("case.toml");
    std::fs::write(&file, text).unwrap();
    let options = Options { device: DeviceChoice::Cpu, out: Some(folder.join("out")), ..Options::default() };
    let outcome = run(&file, &options, &Progress::silent()).unwrap_or_else(|error| panic!("{error}"));
    let csv = std::fs::read_to_string(folder.join("out/resonances.csv")).unwrap();
    let rows = csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    (rows, outcome.result.warnings)
}

/// f = c/2√ε √((m/a)² + (n/b)² + (p/d)²); the walls lose nothing, so that Q = 1/tan δ.
#[test]
fn a_filled_cavity_has_the_quality_of_its_filling() {
    let row =
        |f: u32, tangent: f64| format!("{{ frequency = \"{f} MHz\", eps_r = 2, loss_tangent = {tangent} }}");
    let table = format!("permittivity = [{}, {}, {}]", row(100, 0.01), row(180, 0.01), row(300, 0.01));
    for material in ["eps_r = 2, loss_tangent = 0.01", &table] {
        let folder = tempfile::tempdir().unwrap();
        let (rows, warnings) = solved(&case(material, BAND), folder.path());
        assert!(warnings.is_empty(), "{warnings:?}");
        let modes = [[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
        assert_eq!(rows.len(), modes.len(), "{rows:?}");
        for (row, mode) in rows.iter().zip(modes) {
            let k: f64 = mode.iter().zip(SIDES).map(|(m, side): (&f64, f64)| (m / side).powi(2)).sum();
            let expected = C0 / (2.0 * 2_f64.sqrt()) * k.sqrt();
            let [frequency, q]: [f64; 2] = [1, 3].map(|i| row[i].parse().unwrap());
            assert!((frequency / expected - 1.0).abs() < 1e-3, "{frequency} Hz instead of {expected} Hz");
            assert!((q / 100.0 - 1.0).abs() < 0.02, "{row:?}");
        }
        assert!(folder.path().join("out/resonances.svg").is_file());
    }
}

/// The pulse ends after 48 ns: in one more nothing can be told.
#[test]
fn a_run_without_ring_down_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = case("eps_r = 2, loss_tangent = 0.01", BAND).replace("240 ns", "49 ns");
    let (rows, warnings) = solved(&text, folder.path());
    assert!(rows.is_empty(), "{rows:?}");
    assert!(warnings.iter().any(|w| w.starts_with("no resonance stands out in the")), "{warnings:?}");
}

/// What a case is refused with.
fn refusal(text: &str, table: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("case.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::write(folder.path().join("table.csv"), table).unwrap();
    let options =
        Options { device: DeviceChoice::Cpu, out: Some(folder.path().join("out")), ..Options::default() };
    match run(&file, &options, &Progress::silent()) {
        Ok(_) => panic!("nothing is wrong"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn wrong_tables_are_refused() {
    let file = case("permittivity = \"table.csv\"", BAND);
    for (table, words) in [
        (
            "frequency_mhz,eps_r\n100,2\n",
            "table.csv lacks a column: frequency, permittivity and losses are needed",
        ),
        (
            "frequency_mhz,eps_r,loss_tangent\n100,2,0.01\n300,2,-0.01\n",
            "table.csv, line 3: the material would amplify: losses cannot be negative",
        ),
        (
            "frequency_mhz,eps_r,loss_tangent\n300,2,0.01\n100,2,0.01\n",
            "table.csv, line 3: frequencies must be positive and rise from row to row",
        ),
        (
            "frequency_mhz,eps_r,loss_factor\n160,2,0.01\n300,2,0.01\n",
            "the table has 0.16 to 0.3 GHz, and the case needs 0.15 to 0.235 GHz",
        ),
        ("frequency_mhz,eps_r,loss_factor\n160,2\n", "table.csv, line 2: 2 values under 3 names"),
        (
            "frequency_mhz,eps_r,loss_tangent\n100,2,0.001\n190,2,0.001\n195,6,0.001\n300,6,0.001\n",
            "no passive material is near: the best fit from 0.15 to 0.235 GHz differs by",
        ),
    ] {
        let found = refusal(&file, table);
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn a_band_without_a_pulse_is_refused() {
    let text = case("eps_r = 2", BAND).replace(
        "[solve]",
        "pulse = { shape = \"modulated\", center_frequency = \"500 MHz\", bandwidth = \"100 MHz\" }\n[solve]",
    );
    let found = refusal(&text, "");
    assert!(
        found.contains("of its largest spectral density in this band, and excites nothing there"),
        "{found}"
    );
}
