//! The committed schema is the one the model gives, takes every good case and refuses the wrong ones.

use phasefront_case::schema;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Wrong cases that the schema does not see: to JSON 1.0 is a whole number, the size of a quantity is hidden in a text, and
/// what one key means for another is left to the program, which says it in better words.
const BEYOND_A_SCHEMA: &[&str] = &[
    "array-design-with-synthesis",
    "coverage-ellipse-zero-axis",
    "coverage-missing",
    "coverage-without-satellite",
    "dgtd-boundary-resistance-zero",
    "dgtd-box-cell-zero",
    "dgtd-box-flat",
    "dgtd-box-reversed",
    "dgtd-box-sheet-solid",
    "dgtd-box-with-units",
    "dgtd-dipole-moment-zero",
    "dgtd-driven-beyond",
    "dgtd-driven-without-ports",
    "dgtd-initial-with-pulse",
    "dgtd-initial-without-time",
    "dgtd-material-debye-tau-zero",
    "dgtd-material-lorentz-damping-negative",
    "dgtd-material-sigma-negative",
    "dgtd-mie-radius-zero",
    "dgtd-mie-volume-misspelt",
    "dgtd-mie-volume-unknown",
    "dgtd-mie-without-rcs",
    "dgtd-output-directivity-of-wave",
    "dgtd-output-directivity-without-surface",
    "dgtd-output-far-surface-alone",
    "dgtd-output-groups-without-snapshots",
    "dgtd-output-nothing",
    "dgtd-output-nothing-in-table",
    "dgtd-output-rcs-of-port",
    "dgtd-output-slice-one-point",
    "dgtd-output-slices-same-name",
    "dgtd-output-slices-without-frequency",
    "dgtd-output-snapshots-negative",
    "dgtd-periodic-twice",
    "dgtd-periodic-with-boundary",
    "dgtd-port-coaxial-reversed",
    "dgtd-port-on-boundary",
    "dgtd-port-resistance-negative",
    "dgtd-ports-share-surface",
    "dgtd-ports-without-frequency",
    "dgtd-pulse-bandwidth-zero",
    "dgtd-solve-stop-never-without-time",
    "dgtd-solve-time-zero",
    "dgtd-source-frequency-missing",
    "dgtd-source-frequency-zero",
    "dgtd-source-nothing-in-time",
    "dgtd-wave-surface-is-boundary",
    "head-version-float",
    "material-conductivity-negative",
    "nah-filter-cutoff-of-auto",
    "nah-filter-velocity-cutoff-of-auto",
    "nah-filter-weight-of-cos",
    "nah-fir-without-bits",
    "nah-grid-large",
    "nah-listen-address",
    "nah-listen-and-file",
    "nah-listen-duration-zero",
    "nah-listen-format-f32",
    "nah-listen-frequency",
    "nah-listen-port-zero",
    "nah-listen-replay",
    "nah-listen-without-format",
    "nah-listen-without-rate",
    "nah-monopole-depth-zero",
    "nah-output-at-negative",
    "nah-output-methods-without-compare",
    "nah-pitch-zero",
    "nah-plate-size-zero",
    "nah-source-file-and-monopoles",
    "nah-source-format-of-monopoles",
    "nah-source-frequency-missing",
    "nah-source-frequency-zero",
    "nah-source-nothing",
    "nah-source-rate-zero",
    "nah-source-snr-of-file",
    "nah-spectra-of-bits",
    "nah-walsh-both",
    "nah-walsh-terms-alone",
    "nah-wave-theta-large",
    "nah-zh-negative",
    "nah-zh-zero",
    "sbr-material-mu-beside-file",
    "sbr-output-hotspots-elsewhere",
    "sbr-output-hotspots-other-frequency",
    "sbr-output-isar-bistatic",
    "sbr-output-isar-from-above",
    "sbr-output-isar-full-turn",
    "sbr-output-isar-one-angle",
    "sbr-output-isar-two-angles",
    "sbr-output-nothing",
    "sbr-output-profile-bistatic",
    "sbr-output-profile-falling",
    "sbr-output-profile-one-frequency",
    "sbr-output-profile-uneven",
    "sbr-source-phi-zero-length",
    "sbr-target-with-units",
    "sbr-target-with-winding",
    "solve-cells-float",
    "solve-cfie-with-pulse",
    "solve-corner-levels-with-pulse",
    "solve-dielectric-with-pulse",
    "solve-flat-with-pulse",
    "solve-mfie-with-pulse",
    "solve-moments-with-pulse",
    "solve-near-distance-with-pulse",
    "solve-order-with-pulse",
    "solve-weight-with-efie",
    "solve-weight-with-mfie",
    "solve-weight-with-pulse",
    "source-range-one-point",
    "source-range-zero-length",
    "source-te-with-pulse",
    "spline-open-dielectric",
    "spline-unit-negative",
    "spline-unit-zero",
    "strip-dielectric",
    "synthesis-gradient-with-projections",
    "synthesis-position-order-on-lattice",
    "synthesis-starts-with-analysis",
];

fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(in_crate(folder)).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect()
}

/// The document as JSON, or nothing if it is not TOML.
fn document(path: &Path) -> Option<Value> {
    let text = String::from_utf8(std::fs::read(path).unwrap()).ok()?;
    let table: toml::Table = text.parse().ok()?;
    Some(serde_json::to_value(table).unwrap())
}

#[test]
fn the_committed_schema_is_current() {
    let path = in_crate("../../schema/case-1.schema.json");
    let expected = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "schema/case-1.schema.json differs from the model; write it anew with\n    \
         cargo run --release -- schema > schema/case-1.schema.json"
    );
}

#[test]
fn the_schema_is_valid_itself() {
    jsonschema::meta::validate(&schema()).unwrap();
}

#[test]
fn good_cases_are_taken() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for path in cases("tests/good") {
        let found: Vec<String> = validator
            .iter_errors(&document(&path).unwrap())
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
    }
}

#[test]
fn wrong_cases_are_refused() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let mut refused = 0;
    for path in cases("tests/wrong") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some(document) = document(&path) else { continue };
        assert_eq!(validator.is_valid(&document), BEYOND_A_SCHEMA.contains(&name), "{name}");
        refused += 1;
    }
    assert!(refused >= 120, "only {refused} wrong cases are TOML");
}

/// Editors show these texts; a key without one helps nobody.
#[test]
fn every_key_has_a_description() {
    fn walk(value: &Value, path: &str) {
        if let Some(keys) = value.get("properties").and_then(Value::as_object) {
            // The tag of a shape and the ends of a range explain themselves.
            for (key, schema) in
                keys.iter().filter(|(k, _)| !["shape", "from", "to", "points"].contains(&k.as_str()))
            {
                assert!(schema.get("description").is_some(), "{path}.{key} has no description");
            }
        }
        match value {
            Value::Object(map) => map.iter().for_each(|(k, v)| walk(v, &format!("{path}.{k}"))),
            Value::Array(items) => items.iter().for_each(|v| walk(v, path)),
            _ => {}
        }
    }
    walk(&schema(), "");
}
