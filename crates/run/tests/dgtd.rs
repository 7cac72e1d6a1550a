//! The `dgtd` template as a user runs it, against a closed form.

use phasefront_core::Progress;
use phasefront_core::constants::C0;
use phasefront_device::DeviceChoice;
use phasefront_run::{Options, run, template};
use std::f64::consts::TAU;

/// |r|² of a slab of index n and thickness d in vacuum: with the reflection ρ of one face, the sum of all bounces is
/// r = ρ (1 − e^{−2jknd})/(1 − ρ² e^{−2jknd}) (Born and Wolf, Principles of Optics, 7.6).
fn reflected_power(n: f64, d: f64, frequency: f64) -> f64 {
    let rho = (1.0 - n) / (1.0 + n);
    let half = TAU * frequency / C0 * n * d;
    let s = 4.0 * rho.powi(2) * half.sin().powi(2);
    s / ((1.0 - rho.powi(2)).powi(2) + s)
}

/// The column of a CSV file of numbers.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines();
    let at = lines.next().unwrap().split(',').position(|title| title == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn the_slab_of_the_template_reflects_as_theory_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.toml");
    std::fs::write(&case, template("dgtd").unwrap()).unwrap();
    let out = folder.path().join("out");
    let options = Options { device: DeviceChoice::Cpu, out: Some(out.clone()), ..Options::default() };
    let outcome = run(&case, &options, &Progress::silent()).unwrap_or_else(|error| panic!("{error}"));
    assert!(outcome.result.warnings.is_empty(), "{:?}", outcome.result.warnings);
    assert!(outcome.result.metrics["energy_drop_db"] >= 80.0);
    let csv = std::fs::read_to_string(out.join("port.csv")).unwrap();
    let frequencies = column(&csv, "frequency_hz");
    let [re1, im1, re2, im2] = ["s11_re", "s11_im", "s21_re", "s21_im"].map(|name| column(&csv, name));
    assert_eq!(frequencies.len(), 81);
    for (i, f) in frequencies.iter().enumerate() {
        let (back, on) = (re1[i].powi(2) + im1[i].powi(2), re2[i].powi(2) + im2[i].powi(2));
        let expected = reflected_power(2.0, 0.1, *f);
        assert!((back - expected).abs() < 0.001, "{f} Hz: {back}, expected {expected}");
        // Nothing is lost.
        assert!((back + on - 1.0).abs() < 0.001, "{f} Hz: {back} + {on}");
    }
    for file in ["energy.csv", "probes.csv", "smith.svg", "report.html", "result.json"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    // Its mesh comes first, with the slab, and is not the picture of the result.
    let plots = std::fs::read_to_string(out.join("plots.json")).unwrap();
    assert!(plots.starts_with(r#"{"version":1,"plots":[{"kind":"mesh","name":"mesh""#), "{plots:.200}");
    assert!(plots.contains(r#""name":"slab","kind":"material","shown":true"#));
    let picture = std::fs::read_to_string(out.join("mesh.svg")).unwrap();
    assert!(outcome.picture.is_some_and(|main| main != picture));
    // The slab is half a wave thick at 0.7495 GHz, where nothing comes back: there the fields are drawn.
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("Electric field on middle, 0.75 GHz"));
}

/// What a case is refused with.
fn refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.toml");
    std::fs::write(&case, text).unwrap();
    let options =
        Options { device: DeviceChoice::Cpu, out: Some(folder.path().join("out")), ..Options::default() };
    match run(&case, &options, &Progress::silent()) {
        Ok(_) => panic!("nothing is wrong"),
        Err(error) => error.to_string(),
    }
}

/// Half a wave fits between conductors, a quarter does not.
#[test]
fn a_mode_that_is_none_of_the_box_is_refused() {
    let cavity = |k: &str| {
        format!(
            "version = 1\nsolver = \"dgtd\"\nname = \"a\"\n[geometry]\nbox = {{ from = [0, 0, 0], to = [1, 1, 1], cell_size = 0.5 }}\n\
             boundaries = {{ xmin = \"pec\", xmax = \"pec\", ymin = \"pec\", ymax = \"pec\", zmin = \"pec\", zmax = \"pec\" }}\n\
             [source]\ninitial = {{ mode = {{ wave_vector = [3.1416, 3.1416, {k}], amplitude = [1, -1, 0] }} }}\n[solve]\nmax_time = \"0.1 ns\"\n"
        )
    };
    let words = refusal(&cavity("1.5708"));
    assert!(words.contains("the mode does not satisfy the boundary conditions: at ("), "{words}");
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.toml");
    std::fs::write(&case, cavity("3.1416")).unwrap();
    let options =
        Options { device: DeviceChoice::Cpu, out: Some(folder.path().join("out")), ..Options::default() };
    run(&case, &options, &Progress::silent()).unwrap_or_else(|error| panic!("{error}"));
}
