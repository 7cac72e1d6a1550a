//! Fields of `dgtd` cases as a user finds them in files, against closed forms.

use phasefront_core::Progress;
use phasefront_core::constants::{C0, ETA0};
use phasefront_device::DeviceChoice;
use phasefront_run::{Options, run};
use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};

/// Runs a case on the CPU; gives back the folder of its results and its warnings.
fn results(folder: &Path, text: &str) -> (PathBuf, Vec<String>) {
    let (case, out) = (folder.join("case.toml"), folder.join("out"));
    std::fs::write(&case, text).unwrap();
    let options = Options { device: DeviceChoice::Cpu, out: Some(out.clone()), ..Options::default() };
    let outcome = run(&case, &options, &Progress::silent()).unwrap_or_else(|error| panic!("{error}"));
    (out, outcome.result.warnings)
}

/// Base 64 (RFC 4648) without checks.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().enumerate().fold(0, |bits, (i, c)| bits | digit(*c) << (18 - 6 * i));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// An array of a VTU file: its bytes behind their length.
fn array(vtu: &str, name: &str) -> Vec<u8> {
    let at = vtu.find(&format!("Name=\"{name}\"")).unwrap_or_else(|| panic!("no {name}"));
    let (_, rest) = vtu[at..].split_once('>').unwrap();
    decoded(rest.split_once('<').unwrap().0).split_off(8)
}

fn points(vtu: &str) -> Vec<[f64; 3]> {
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
    array(vtu, "Points").chunks(24).map(|p| [0, 8, 16].map(|i| number(&p[i..i + 8]))).collect()
}

fn vectors(vtu: &str, name: &str) -> Vec<[f64; 3]> {
    let number = |bytes: &[u8]| f64::from(f32::from_le_bytes(bytes.try_into().unwrap()));
    array(vtu, name).chunks(12).map(|p| [0, 4, 8].map(|i| number(&p[i..i + 4]))).collect()
}

/// The numbers of an array of an NPZ file, whose members are not compressed: behind the name NumPy's mark, and ten bytes from there and
/// the header on, whose length stands in the last two of them.
fn numbers(npz: &[u8], name: &str, count: usize) -> Vec<f64> {
    let find =
        |from: usize, what: &[u8]| from + npz[from..].windows(what.len()).position(|w| w == what).unwrap();
    let mark = find(find(0, format!("{name}.npy").as_bytes()), b"\x93NUMPY");
    let first = mark + 10 + usize::from(u16::from_le_bytes([npz[mark + 8], npz[mark + 9]]));
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
    npz[first..first + 8 * count].chunks(8).map(number).collect()
}

fn near(what: &str, position: [f64; 3], got: [f64; 3], exact: [f64; 3], tolerance: f64) {
    let miss = (0..3).map(|k| (got[k] - exact[k]).abs()).fold(0.0, f64::max);
    assert!(miss < tolerance, "{what} at {position:?}: {got:?} for {exact:?}");
}

/// The mode of the case, k = π(1, 1, 1)/m (Pozar, Microwave Engineering, 6.3): E = a cos ωt with a_x cos sin sin and so on round, and
/// η₀H = −(k × a)/|k| sin ωt with sin cos cos, ω = c|k|.
#[test]
fn snapshots_of_a_cavity_are_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let cavity = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/60-cavity/case.toml");
    let text = std::fs::read_to_string(cavity).unwrap()
        + "snapshots = [\"0 ns\", \"1 ns\", \"3 ns\"]\n\
        slices = [{ name = \"cut\", origin = [\"0.1 m\", \"0.3 m\", \"0.2 m\"], points = [4, 3], \
                    sides = [[\"0.6 m\", \"0 m\", \"0 m\"], [\"0 m\", \"0 m\", \"0.4 m\"]] }]\n";
    let (out, warnings) = results(folder.path(), &text);
    assert!(warnings.is_empty(), "{warnings:?}");
    let list = std::fs::read_to_string(out.join("fields.pvd")).unwrap();
    let times: Vec<f64> = list
        .split("timestep=\"")
        .skip(1)
        .map(|part| part.split_once('"').unwrap().0.parse().unwrap())
        .collect();
    assert_eq!(times.len(), 3);
    for (i, (time, asked)) in times.iter().zip([0.0, 1e-9, 3e-9]).enumerate() {
        // The nearest step; one is 42 ps.
        assert!((time - asked).abs() < 21e-12, "{time} for {asked}");
        let name = format!("fields_{:04}.vtu", i + 1);
        assert!(list.contains(&format!("file=\"{name}\"")), "{list}");
        let vtu = std::fs::read_to_string(out.join(name)).unwrap();
        assert!(vtu.contains(&format!("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", 384 * 20, 384 * 27)));
        let (later, now) = (3_f64.sqrt() * PI * C0 * time).sin_cos();
        let (e, h) = (vectors(&vtu, "E (V/m)"), vectors(&vtu, "H (A/m)"));
        let tolerance = if i == 0 { 1e-6 } else { 0.02 };
        for (i, position) in points(&vtu).into_iter().enumerate() {
            let [(sx, cx), (sy, cy), (sz, cz)] = position.map(|x| (PI * x).sin_cos());
            let exact = [cx * sy * sz, -2.0 * sx * cy * sz, sx * sy * cz].map(|e| now * e);
            near("E", position, e[i], exact, tolerance);
            let exact = [-sx * cy * cz, 0.0, cx * cy * sz].map(|h| later * 3_f64.sqrt() * h / ETA0);
            near("H", position, h[i], exact, tolerance / ETA0);
        }
    }
    let npz = std::fs::read(out.join("slice_cut_time.npz")).unwrap();
    assert_eq!(numbers(&npz, "time_s", 3), times);
    let e: Vec<_> = ["e_x", "e_y", "e_z"].map(|name| numbers(&npz, name, 36)).into();
    for (i, time) in (0..36).map(|i| (i, times[i / 12])) {
        let position = [0.1 + 0.2 * (i % 4) as f64, 0.3, 0.2 + 0.2 * (i % 12 / 4) as f64];
        let [(sx, cx), (sy, cy), (sz, cz)] = position.map(|x| (PI * x).sin_cos());
        let now = (3_f64.sqrt() * PI * C0 * time).cos();
        // Polynomials of third order miss a half of a sine over a quarter of it by 1e-3 between nodes.
        let exact = [cx * sy * sz, -2.0 * sx * cy * sz, sx * sy * cz].map(|e| now * e);
        near("E on the slice", position, [e[0][i], e[1][i], e[2][i]], exact, 0.02);
    }
}

/// The same mode: H on a slice, whose film it is, without fields in volumes.
#[test]
fn a_film_shows_a_slice_and_saves_no_volume() {
    let folder = tempfile::tempdir().unwrap();
    let cavity = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/60-cavity/case.toml");
    let text = std::fs::read_to_string(cavity).unwrap()
        + "snapshots = [\"1 ns\", \"2 ns\", \"3 ns\"]\n\
        slices = [{ name = \"cut\", film = \"h_x\", origin = [\"0.1 m\", \"0.3 m\", \"0.2 m\"], points = [4, 3], \
                    sides = [[\"0.6 m\", \"0 m\", \"0 m\"], [\"0 m\", \"0 m\", \"0.4 m\"]] }]\n";
    let (out, _) = results(folder.path(), &text);
    let npz = std::fs::read(out.join("slice_cut_time.npz")).unwrap();
    let times = numbers(&npz, "time_s", 3);
    let h: Vec<_> = ["h_x", "h_y", "h_z"].map(|name| numbers(&npz, name, 36)).into();
    for (i, time) in (0..36).map(|i| (i, times[i / 12])) {
        let position = [0.1 + 0.2 * (i % 4) as f64, 0.3, 0.2 + 0.2 * (i % 12 / 4) as f64];
        let [(sx, cx), (_, cy), (sz, cz)] = position.map(|x| (PI * x).sin_cos());
        let later = (3_f64.sqrt() * PI * C0 * time).sin();
        let exact = [-sx * cy * cz, 0.0, cx * cy * sz].map(|h| later * 3_f64.sqrt() * h / ETA0);
        near("H on the slice", position, [h[0][i], h[1][i], h[2][i]], exact, 0.02 / ETA0);
    }
    // An animated PNG announces its frames: three.
    let film = std::fs::read(out.join("slice_cut_time_film.png")).unwrap();
    let at = film.windows(4).position(|word| word == b"acTL").unwrap();
    assert_eq!(film[at + 4..at + 8], [0, 0, 0, 3]);
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("<img alt=\"\" src=\"data:image/png;base64,"));
    let plots = std::fs::read_to_string(out.join("plots.json")).unwrap();
    assert!(plots.contains("\"value_label\":\"Hx (A/m)\""), "{}", &plots[..300]);
    assert!(!out.join("fields.pvd").exists() && !out.join("fields_0001.vtu").exists());
}

/// A plane wave comes up the channel to a conductor at z = 0.3 m: it comes from θ = 180°, θ̂ is −x there.
const MIRROR: &str = r#"version = 1
solver = "dgtd"
name = "mirror"
[geometry]
boundaries = { xmin = "pec", xmax = "pec", ymin = "pmc", ymax = "pmc", zmin = "absorbing", zmax = "pec" }
[geometry.box]
from = ["0 m", "0 m", "-0.1 m"]
to = ["50 mm", "75 mm", "0.3 m"]
cell_size = ["50 mm", "75 mm", "50 mm"]
regions = [{ name = "vacuum", from = ["0 m", "0 m", "0.1 m"], to = ["50 mm", "75 mm", "0.2 m"] }]
sheets = [{ name = "hull", from = ["0 m", "0 m", "0 m"], to = ["50 mm", "75 mm", "0 m"] }]
[source]
frequency = ["0.8 GHz", "1.1 GHz"]
plane_wave = { theta = "180 deg", phi = "0 deg", polarization = "theta", surface = "hull" }
[solve]
order = 4
energy_decay_db = 80
[output]
slices = [{ name = "cut", origin = ["20 mm", "30 mm", "10 mm"], sides = [["0 m", "0 m", "0.39 m"], ["20 mm", "0 m", "0 m"]], points = [40, 3] }]
currents = true
volumes = ["vacuum"]
snapshots = ["1 ns", "100 ns"]
snapshot_volumes = ["vacuum"]
"#;

/// E_x is −(e^{−jkz} − e^{−jk(2L−z)}) for a wave of 1 V/m, and the current on the mirror twice the incident magnetic field (Balanis,
/// Advanced Engineering Electromagnetics, 7.5).
#[test]
fn a_mirror_has_a_standing_wave_and_twice_the_current() {
    let folder = tempfile::tempdir().unwrap();
    let (out, warnings) = results(folder.path(), MIRROR);
    assert!(
        matches!(&warnings[..], [one] if one.contains("before 1 of 2 snapshots, which are left out")),
        "{warnings:?}"
    );
    let read = |name: &str| std::fs::read(out.join(name)).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    let slice = read("slice_cut.npz");
    let (z, e) = (numbers(&slice, "z_m", 120), numbers(&slice, "e_x", 2 * 2 * 120));
    for (f, frequency) in [0.8e9, 1.1e9].into_iter().enumerate() {
        let k = TAU * frequency / C0;
        let standing = |z: f64| {
            let [there, back] = [k * z, k * (0.6 - z)].map(|phase| [phase.cos(), -phase.sin()]);
            [back[0] - there[0], back[1] - there[1]]
        };
        for (i, &z) in z.iter().enumerate() {
            let got = [0, 1].map(|part| e[2 * (120 * f + i) + part]);
            if z > 0.3 + 1e-9 {
                assert!(got[0].is_nan() && got[1].is_nan(), "there is nothing behind the mirror");
            } else {
                let [re, im] = standing(z);
                near("slice", [0.0, 0.0, z], [got[0], got[1], 0.0], [re, im, 0.0], 0.01);
            }
        }
        let vtu = text(&format!("volumes_{:04}.vtu", f + 1));
        let (re, im) = (vectors(&vtu, "E_re (V/m)"), vectors(&vtu, "E_im (V/m)"));
        for (i, position) in points(&vtu).into_iter().enumerate() {
            let exact = standing(position[2]);
            near("volume", position, re[i], [exact[0], 0.0, 0.0], 0.01);
            near("volume", position, im[i], [exact[1], 0.0, 0.0], 0.01);
        }
        let vtu = text(&format!("currents_{:04}.vtu", f + 1));
        let (re, im) = (vectors(&vtu, "J_re (A/m)"), vectors(&vtu, "J_im (A/m)"));
        let on_mirror = |i: &usize| re[*i][0].hypot(im[*i][0]) > 1.5 / ETA0;
        let found: Vec<usize> = (0..re.len()).filter(on_mirror).collect();
        assert_eq!(found.len(), 2 * 15, "the nodes of the two faces at the end");
        for i in found {
            // J = n × H with n along −z; H is against y there as E is against x.
            let phase = k * 0.3;
            near("current", [0.0; 3], re[i], [-2.0 * phase.cos() / ETA0, 0.0, 0.0], 0.01 / ETA0);
            near("current", [0.0; 3], im[i], [2.0 * phase.sin() / ETA0, 0.0, 0.0], 0.01 / ETA0);
        }
    }
    assert!(text("volumes.pvd").contains("timestep=\"1.1e9\"") && text("currents.pvd").contains("8e8"));
    assert!(text("fields.pvd").contains("fields_0001.vtu") && !out.join("fields_0002.vtu").exists());
    for file in ["slice_cut.png", "slice_cut.svg", "currents.png", "currents.svg"] {
        assert!(out.join(file).is_file(), "{file}");
    }
}
