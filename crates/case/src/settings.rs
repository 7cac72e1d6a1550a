//! Every setting of a case with its defaults filled in.

use crate::outline::Node;
use serde_json::Value;

/// One setting of a case.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Setting {
    /// Its path: `geometry.bodies[0].radius`.
    pub path: String,
    /// Its value as a case file writes it.
    pub value: String,
    /// Whether the file leaves it out.
    pub is_default: bool,
}

/// The settings of a serialized case, in the order of the model.
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

/// A range is one value to its reader.
fn is_range(value: &Value) -> bool {
    value.as_object().is_some_and(|t| t.keys().eq(["from", "to", "points"]) && t["points"].is_number())
}

/// A value as one line of TOML.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<String> = table.iter().map(|(k, v)| format!("{k} = {}", toml_text(v))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", "))
        }
        // JSON and TOML write strings, numbers and booleans alike.
        scalar => scalar.to_string(),
    }
}
