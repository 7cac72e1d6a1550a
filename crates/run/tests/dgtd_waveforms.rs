//! Waveforms from files, as a user runs them.

use phasefront_core::Progress;
use phasefront_device::DeviceChoice;
use phasefront_run::{Options, run};
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;

/// A column of space, 0.3 m long, from a port of its impedance to metal.
fn case(pulse: &str) -> String {
    format!(
        r#"version = 1
solver = "dgtd"
name = "column"

[geometry]
box = {{ from = [0, 0, 0], to = [0.05, 0.08, 0.3], cell_size = "0.05 m" }}
boundaries = {{ xmin = "pec", xmax = "pec", ymin = "pmc", ymax = "pmc", zmax = "pec" }}

[source]
frequency = ["0.3 GHz", "0.5 GHz"]
ports = [{{ surface = "zmin", resistance = "235.4565 ohm", direction = [1, 0, 0] }}]
{pulse}

[solve]
order = 2
energy_decay_db = 100
"#
    )
}

const TABLE: &str = "pulse = { shape = \"table\", file = \"pulse.csv\", units = \"ns\" }";

/// A sine of 0.4 GHz under sin², 10 ns long.
fn burst(header: &str) -> String {
    let mut text = header.to_owned();
    for i in 0..=200 {
        let t = 0.05 * f64::from(i);
        writeln!(text, "{t:.2},{}", (0.1 * PI * t).sin().powi(2) * (0.8 * PI * t).sin()).unwrap();
    }
    text
}

fn solved(case: &str, table: &str, folder: &Path) -> Result<[Vec<Vec<f64>>; 2], String> {
    let file = folder.join("case.toml");
    std::fs::write(&file, case).unwrap();
    std::fs::write(folder.join("pulse.csv"), table).unwrap();
    let options = Options { device: DeviceChoice::Cpu, out: Some(folder.join("out")), ..Options::default() };
    run(&file, &options, &Progress::silent()).map_err(|error| error.to_string())?;
    let numbers = |name: &str| {
        let csv = std::fs::read_to_string(folder.join("out").join(name)).unwrap();
        let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        csv.lines().skip(1).map(row).collect()
    };
    Ok([numbers("port.csv"), numbers("port_time.csv")])
}

/// S-parameters are those of the default pulse; the voltage is that of the samples, half of them until the wave is back after 2 ns.
#[test]
fn a_waveform_drives_a_port() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [default, named, bare] = [("", ""), (TABLE, "time_ns,voltage_v\n"), (TABLE, "")];
    let of = |i: usize, (pulse, header): (&str, &str)| {
        solved(&case(pulse), &burst(header), folders[i].path()).unwrap()
    };
    let (expected, with_names, without) = (of(0, default), of(1, named), of(2, bare));
    assert_eq!(with_names[0], without[0]);
    for (found, expected) in without[0].iter().zip(&expected[0]) {
        // s11_re and s11_im.
        let apart = (found[2] - expected[2]).hypot(found[3] - expected[3]);
        assert!(apart < 1e-4, "{found:?} instead of {expected:?}");
    }
    let early: Vec<&Vec<f64>> = without[1].iter().filter(|row| (0.0..1.9e-9).contains(&row[0])).collect();
    assert!(early.len() > 10);
    for row in early {
        let t = 1e9 * row[0];
        let half = 0.5 * (0.1 * PI * t).sin().powi(2) * (0.8 * PI * t).sin();
        assert!((row[1] - half).abs() < 2e-3, "{row:?} instead of {half} V");
    }
}

#[test]
fn wrong_waveforms_are_refused() {
    let long = |tail: &str| burst("") + tail;
    for (table, problem) in [
        (
            long("9.0,0\n"),
            "pulse.csv: times must rise from sample to sample, but sample 202 is not after the one before it",
        ),
        (long("10.1,x\n"), "pulse.csv, line 202: \"x\" is not a number"),
        (long("10.1,0.5\n"), "% of its peak: it is zero outside of its samples, and would jump"),
        ("0,0\n1,1\n2,0\n".into(), "pulse.csv: the waveform has 3 samples, not 8 to 1000000"),
        ("0,0,1\n1,1,2\n".into(), "pulse.csv has 3 columns, not two"),
        ("\n".into(), "pulse.csv, which is empty"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let found = solved(&case(TABLE), &table, folder.path()).unwrap_err();
        assert!(found.contains(problem), "{found} instead of {problem}");
    }
}
