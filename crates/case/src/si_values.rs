//! The values of a case in SI units, by which two spellings of one problem are recognized as equal.

use phasefront_core::units::{Angle, Conductivity, Frequency, Length, Resistance, Time};
use serde_json::Value;
use std::collections::BTreeMap;

/// Every value of a serialized case by its path, defaults included; quantities in SI units.
pub(crate) fn si_values(case: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(case, String::new(), &mut found);
    found
}

fn collect(value: &Value, path: String, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(value, below, found);
            }
        }
        // A list of one value and the value alone are the same sweep.
        Value::Array(items) if items.len() == 1 && !items[0].is_object() => collect(&items[0], path, found),
        Value::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                collect(value, format!("{path}[{i}]"), found);
            }
        }
        Value::String(text) => {
            found.insert(path, si(text).unwrap_or_else(|| text.clone()));
        }
        Value::Number(value) => {
            found.insert(path, value.as_f64().map_or_else(|| value.to_string(), number));
        }
        Value::Null | Value::Bool(_) => {
            found.insert(path, value.to_string());
        }
    }
}

/// A quantity of any dimension in its SI unit, with the dimension, so that 1 m and 1 Hz differ; none for other text.
fn si(text: &str) -> Option<String> {
    macro_rules! first_of {
        ($($quantity:ident),*) => {
            None$(.or_else(|| {
                let value = text.parse::<$quantity>().ok()?.si();
                Some(format!("{} {}", stringify!($quantity), number(value)))
            }))*
        };
    }
    first_of!(Frequency, Length, Angle, Time, Conductivity, Resistance)
}

/// Fourteen digits: 0.3 GHz and 300 MHz differ in the last bit after the conversion.
fn number(value: f64) -> String {
    format!("{value:.13e}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spellings_of_one_value_are_equal_and_other_values_are_not() {
        let of = |value: Value| si_values(&json!({ "a": { "b": value } }));
        assert_eq!(of(json!("3 GHz")), of(json!(["3000 MHz"])));
        assert_eq!(of(json!("0.3 GHz")), of(json!("300 MHz")));
        assert_eq!(of(json!(2)), of(json!(2.0)));
        assert_ne!(of(json!("3 GHz")), of(json!("3.0000000001 GHz")));
        assert_ne!(of(json!("3 mm")), of(json!("3 m")));
        assert_ne!(of(json!("3 Hz")), of(json!("3 m")));
        assert_ne!(of(json!("auto")), of(json!("off")));
        assert_ne!(of(json!(["1 m", "2 m"])), of(json!(["2 m", "1 m"])));
        assert_eq!(of(json!("auto"))["a.b"], "auto");
    }
}
