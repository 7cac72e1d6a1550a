//! The committed schema is the one that the model gives, and describes every key. `tests/cross/schema.py` validates cases with it.

use phasefront_case::schema;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
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
        "schema/case-1.schema.json differs from the model; regenerate it with\n    \
         cargo run --release -- schema > schema/case-1.schema.json"
    );
}

/// Editors show these texts; a key without one helps nobody.
#[test]
fn every_key_has_a_description() {
    fn walk(value: &Value, path: &str) {
        if let Some(keys) = value.get("properties").and_then(Value::as_object) {
            // The tag of a shape or a region explains itself.
            for (key, schema) in keys.iter().filter(|(k, _)| !["shape", "region"].contains(&k.as_str())) {
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

/// One style: sentences of several words, definitions in snake case, and each default once, as `default` where it is a fixed value.
#[test]
fn descriptions_and_names_have_one_style() {
    fn walk(value: &Value, path: &str) {
        if let Some(text) = value.get("description").and_then(Value::as_str) {
            assert!(text.ends_with('.') && text.split_whitespace().count() > 1, "{path}: {text}");
            let is_fixed = value
                .get("default")
                .is_some_and(|d| !d.is_object() && d.as_array().is_none_or(|items| !items.is_empty()));
            assert!(!is_fixed || !text.contains("Default:"), "{path} has its default twice: {text}");
        }
        match value {
            Value::Object(map) => map.iter().for_each(|(k, v)| walk(v, &format!("{path}.{k}"))),
            Value::Array(items) => items.iter().for_each(|v| walk(v, path)),
            _ => {}
        }
    }
    let schema = schema();
    walk(&schema, "");
    for name in schema["$defs"].as_object().unwrap().keys() {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
    }
}
