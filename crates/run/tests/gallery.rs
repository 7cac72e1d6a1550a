//! Every gallery case of the tier asked for, on every device: it runs, and it meets its references.
//!
//! `PHASEFRONT_TIER=quick` runs the quick ones; otherwise `ci` ones run too, but for OpenCL, which is there to test kernels and has only
//! this machine's cores. `big` ones are run by hand, two of them in the weekly tier.

use phasefront_case::Case;
use phasefront_core::Progress;
use phasefront_device::{Backend, DeviceKind, for_each_device};
use phasefront_run::{Expected, Options, Tier, run};
use std::path::{Path, PathBuf};
use std::process::Command;

fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(gallery())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn wanted(tier: Tier) -> bool {
    match tier {
        Tier::Quick => true,
        Tier::Ci => std::env::var("PHASEFRONT_TIER").as_deref() != Ok("quick"),
        Tier::Big => false,
    }
}

#[test]
fn every_folder_is_a_whole_case() {
    let folders = folders();
    assert!(!folders.is_empty());
    for folder in folders {
        let expected = Expected::beside(&folder.join("case.toml")).unwrap();
        let expected = expected.unwrap_or_else(|| panic!("{} has no expected.json", folder.display()));
        assert!(!expected.checks.is_empty(), "{} checks nothing", folder.display());
        assert!(expected.checks.iter().all(|c| !c.source.is_empty() && c.tolerance >= 0.0));
        assert!(folder.join("README.md").is_file(), "{} has no README.md", folder.display());
        let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
        assert!(text.starts_with("#:schema ../../schema/case-1.schema.json\n"), "{}", folder.display());
    }
}

/// Whether the source of a radar case is antennas at positions, which a GPU refuses.
fn has_antennas(case: &Path) -> bool {
    std::fs::read_to_string(case).unwrap().contains("\ntransmitters = ")
}

/// Whether Gmsh meshes the model of a case.
fn is_drawn(case: &Path) -> bool {
    let text = std::fs::read_to_string(case).unwrap();
    let Case::Dgtd(case) = phasefront_case::parse("case.toml", &text).unwrap().case else { return false };
    case.geometry.is_drawn()
}

fn has_gmsh() -> bool {
    let program = std::env::var("PHASEFRONT_GMSH").unwrap_or_else(|_| "gmsh".into());
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// D_mean and D_min of a synthesis, dBi.
fn levels(name: &str) -> [f64; 2] {
    let out = tempfile::tempdir().unwrap();
    let options = Options {
        device: Backend::Cpu.name().parse().unwrap(),
        out: Some(out.path().join("run")),
        ..Options::default()
    };
    let outcome = run(&gallery().join(name).join("case.toml"), &options, &Progress::silent()).unwrap();
    ["d_mean_dbi", "d_min_dbi"].map(|metric| outcome.result.metrics[metric])
}

/// What elements off the lattice are for: with as many of them D_mean gains a decibel and D_min gains too (the paper: 1.35 and 0.32 dB);
/// with fewer both stay within half a decibel, which the weekly tier tests.
#[test]
fn aperiodic_arrays_gain_or_save_elements() {
    if !wanted(Tier::Ci) {
        return;
    }
    let (lattice, free) = (levels("22-conus-44-periodic"), levels("23-conus-44-aperiodic"));
    assert!(
        free[0] >= lattice[0] + 1.0 && free[1] > lattice[1],
        "{free:?} off the lattice, {lattice:?} on it"
    );
    if std::env::var("PHASEFRONT_TIER").as_deref() != Ok("weekly") {
        return;
    }
    for name in ["24-conus-42-aperiodic", "25-conus-40-aperiodic"] {
        let fewer = levels(name);
        assert!((0..2).all(|i| fewer[i] > free[i] - 0.5), "{name}: {fewer:?}, and {free:?} with 44 x 44");
    }
}

for_each_device! {
    fn cases_meet_their_references(backend: &Backend) {
        for folder in folders() {
            let case = folder.join("case.toml");
            let expected = Expected::beside(&case).unwrap().unwrap();
            if !wanted(expected.tier) || (expected.tier != Tier::Quick && backend.kind() == DeviceKind::OpenCl) {
                continue;
            }
            if is_drawn(&case) && !has_gmsh() {
                println!("SKIPPED: {}; there is no gmsh: pip install gmsh", folder.display());
                continue;
            }
            if backend.gpu().is_some() && has_antennas(&case) {
                println!("SKIPPED: {} on {}; antennas at positions run on CPUs only", folder.display(), backend.name());
                continue;
            }
            let out = tempfile::tempdir().unwrap();
            let options = Options {
                device: backend.name().parse().unwrap(),
                out: Some(out.path().join("run")),
                ..Options::default()
            };
            let outcome = run(&case, &options, &Progress::silent()).unwrap();
            assert_eq!(outcome.result.checks.len(), expected.checks.len());
            for check in &outcome.result.checks {
                assert!(check.pass, "{}: {check:?}", folder.display());
            }
            for file in &outcome.result.files {
                let size = std::fs::metadata(outcome.folder.join(&file.name)).unwrap().len();
                assert_eq!(size, file.bytes, "{}", file.name);
            }
        }
    }
}
