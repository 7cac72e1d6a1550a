//! All settings of a case, including defaults.

use crate::outline::Node;
use serde_json::Value;

/// Setting of a case.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Setting {
    /// Path: `geometry.bodies[0].radius`.
    pub path: String,
    /// Value in the syntax of case files.
    pub value: String,
    /// Whether the value is a default, not set in the file.
    pub is_default: bool,
}

/// Settings of a serialized case, in the order of the model.
pub(crate) fn settings(case: &Value, document: &Node) -> Vec<Setting> {
    let mut found = Vec::new();
    collect(case, Some(document), String::new(), &mut found);
    found
}

fn collect(value: &Value, node: Option<&Node>, path: String, found: &mut Vec<Setting>) {
    match value {
        Value::Object(table) if !is_range(value) => {
            for (key, value) in table {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(value, node.and_then(|n| n.get(key)), below, found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (i, value) in items.iter().enumerate() {
                let step = crate::outline::Step::Index(i);
                collect(value, node.and_then(|n| n.step(&step)), format!("{path}[{i}]"), found);
            }
        }
        _ => found.push(Setting { path, value: toml_text(value), is_default: node.is_none() }),
    }
}

/// Whether a value is a range, which is listed as one setting.
fn is_range(value: &Value) -> bool {
    value.as_object().is_some_and(|t| t.keys().eq(["from", "to", "points"]) && t["points"].is_number())
}

/// Value as one line of TOML.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<String> = table.iter().map(|(k, v)| format!("{k} = {}", toml_text(v))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", "))
        }
        // Strings, numbers and booleans have the same syntax in JSON and TOML.
        scalar => scalar.to_string(),
    }
}
