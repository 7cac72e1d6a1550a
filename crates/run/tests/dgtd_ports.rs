//! The whole S-matrix of a dgtd case, as its files have it, against lines and slabs in closed form.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::DeviceChoice;
use phasefront_run::{Options, Outcome, run};
use std::f64::consts::TAU;
use std::path::Path;

/// Length of the column of space between two ports, m.
const LENGTH: f64 = 0.4;
/// Where its slab begins, and how thick it is, m.
const SLAB: [f64; 2] = [0.1, 0.1];

/// A column of space, 376.73 Ω, between ports of these resistances; its slab is off the middle, so that its two sides differ.
fn case(eps: f64, resistances: [f64; 2], driven: &str) -> String {
    let [near, far] = resistances;
    format!(
        r#"version = 1
solver = "dgtd"
name = "column"

[geometry]
box = {{ from = ["0 m", "0 m", "0 m"], to = ["50 mm", "50 mm", "400 mm"], cell_size = "50 mm", regions = [{{ name = "slab", from = ["0 m", "0 m", "100 mm"], to = ["50 mm", "50 mm", "200 mm"] }}] }}
materials = {{ slab = {{ eps_r = {eps:?} }} }}
boundaries = {{ xmin = "pec", xmax = "pec", ymin = "pmc", ymax = "pmc" }}

[source]
frequency = ["0.3 GHz", "0.5 GHz", "0.9 GHz"]
ports = [
    {{ surface = "zmin", resistance = "{near} ohm", direction = [1, 0, 0] }},
    {{ surface = "zmax", resistance = "{far} ohm", direction = [1, 0, 0] }},
]
excite = {driven}

[solve]
order = 4
energy_decay_db = 80
"#
    )
}

fn solved(text: &str, folder: &Path) -> Outcome {
    let file = folder.join("case.toml");
    std::fs::write(&file, text).unwrap();
    let options = Options { device: DeviceChoice::Cpu, out: Some(folder.join("out")), ..Options::default() };
    run(&file, &options, &Progress::silent()).unwrap_or_else(|error| panic!("{error}"))
}

/// Frequency, S11, S21, S12 and S22 at each frequency, in the order that Touchstone 1.1 has for two ports.
fn touchstone(folder: &Path) -> Vec<(f64, [Complex64; 4])> {
    let text = std::fs::read_to_string(folder.join("out/sparameters.s2p")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with(['!', '#']));
    let numbers = lines.map(|line| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<f64>>());
    numbers.map(|n| (n[0], std::array::from_fn(|i| Complex64::new(n[1 + 2 * i], n[2 + 2 * i])))).collect()
}

/// S11, S21, S12, S22 from the columns of `port.csv`.
fn table(folder: &Path) -> Vec<(f64, [Complex64; 4])> {
    let csv = std::fs::read_to_string(folder.join("out/port.csv")).unwrap();
    let titles: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let at = |row: &[f64], name: &str| row[titles.iter().position(|title| *title == name).unwrap()];
    let rows =
        csv.lines().skip(1).map(|line| line.split(',').map(|n| n.parse().unwrap()).collect::<Vec<f64>>());
    let s =
        |row: &[f64], ij: &str| Complex64::new(at(row, &format!("s{ij}_re")), at(row, &format!("s{ij}_im")));
    rows.map(|row| (at(&row, "frequency_hz"), ["11", "21", "12", "22"].map(|ij| s(&row, ij)))).collect()
}

fn assert_near(found: &[(f64, [Complex64; 4])], expected: impl Fn(f64) -> [Complex64; 4], tolerance: f64) {
    assert_eq!(found.len(), 3);
    for (frequency, s) in found {
        for ((name, s), expected) in ["S11", "S21", "S12", "S22"].iter().zip(s).zip(expected(*frequency)) {
            assert!((s - expected).norm() < tolerance, "{name} at {frequency} Hz: {s}, expected {expected}");
        }
        let [_, s21, s12, _] = s;
        assert!((s21 - s12).norm() < 5e-5, "reciprocity at {frequency} Hz: {s21} and {s12}");
    }
}

/// S21 = S12 = e^{−jkl}, and nothing comes back.
#[test]
fn a_matched_line_delays() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = solved(&case(1.0, [376.730_313_668; 2], "\"all\""), folder.path());
    assert_eq!(outcome.result.warnings, [""; 0]);
    let delay = |f: f64| Complex64::cis(-TAU * f * LENGTH / C0);
    assert_near(&touchstone(folder.path()), |f| [0.0.into(), delay(f), delay(f), 0.0.into()], 1e-4);
    for file in ["sparameters_1.svg", "sparameters_2.svg", "smith.svg"] {
        assert!(folder.path().join("out").join(file).is_file(), "{file}");
    }
    assert_matched_in_time(folder.path());
}

/// Of 1 V behind R, a matched line takes half, V = IR; at its end, LENGTH/c later, the same voltage and a current out of the model.
fn assert_matched_in_time(folder: &Path) {
    let csv = std::fs::read_to_string(folder.join("out/port_time.csv")).unwrap();
    assert!(csv.starts_with("time_s,port1_voltage_v,port1_current_a,port2_voltage_v,port2_current_a\n"));
    let rows: Vec<Vec<f64>> =
        csv.lines().skip(1).map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    let peak = |column: usize| rows.iter().max_by(|a, b| a[column].total_cmp(&b[column])).unwrap();
    assert!((peak(1)[1] - 0.5).abs() < 1e-3 && (peak(3)[3] - 0.5).abs() < 1e-3);
    let (delay, step) = (peak(3)[0] - peak(1)[0], rows[1][0] - rows[0][0]);
    assert!((delay - LENGTH / C0).abs() < 2.0 * step, "{delay}");
    for row in &rows {
        assert!((row[1] - 376.730_313_668 * row[2]).abs() < 2e-3, "{row:?}");
        assert!((row[3] + 376.730_313_668 * row[4]).abs() < 1e-9, "{row:?}");
    }
}

/// A slab of index n = 2 and thickness d (Born and Wolf, Principles of Optics, section 7.6): with ρ = (1 − n)/(1 + n) and p = e^{−2jnkd},
/// r = ρ (1 − p)/(1 − ρ² p) and t = (1 − ρ²) e^{−jnkd}/(1 − ρ² p), seen through the space before and behind it.
#[test]
fn a_slab_off_the_middle_has_four_parameters() {
    let folder = tempfile::tempdir().unwrap();
    // The order of the runs is not that of the files.
    solved(&case(4.0, [376.730_313_668; 2], "[2, 1]"), folder.path());
    let [before, d] = SLAB;
    let behind = LENGTH - before - d;
    let expected = |f: f64| {
        let (k, n, rho) = (TAU * f / C0, 2.0, -1.0 / 3.0_f64);
        let p = Complex64::cis(-2.0 * n * k * d);
        let rest = 1.0 - rho * rho * p;
        let r = rho * (1.0 - p) / rest;
        let t =
            (1.0 - rho * rho) * Complex64::cis(-n * k * d) / rest * Complex64::cis(-k * (before + behind));
        [r * Complex64::cis(-2.0 * k * before), t, t, r * Complex64::cis(-2.0 * k * behind)]
    };
    assert_near(&touchstone(folder.path()), expected, 3e-4);
    assert_near(&table(folder.path()), expected, 3e-4);
}

/// A line of Z₀ to a port of Z₀/2. From the matched port, S11 = −e^{−2jkl}/3; from the other one, which sees Z₀, S22 = 1/3; and what
/// does not come back arrives: |S21|² = 1 − 1/9.
#[test]
fn ports_of_two_resistances_are_in_touchstone_2() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = solved(&case(1.0, [376.730_313_668, 188.365_156_834], "\"all\""), folder.path());
    let expected = |f: f64| {
        let delay = Complex64::cis(-TAU * f * LENGTH / C0);
        let through = (8.0_f64 / 9.0).sqrt() * delay;
        [-delay * delay / 3.0, through, through, (1.0 / 3.0).into()]
    };
    assert_near(&table(folder.path()), expected, 1e-4);
    assert_eq!(outcome.result.warnings, [""; 0]);
    let text = std::fs::read_to_string(folder.path().join("out/sparameters.s2p")).unwrap();
    assert!(
        text.starts_with("[Version] 2.0\n") && text.contains("\n[Reference] 376.730313668 188.365156834\n"),
        "{text}"
    );
}
