//! Permittivity of a material over frequency: rows in the case, or a CSV file.

use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Frequency};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Permittivity over frequency: a CSV file `"fr4.csv"`, or rows `[{ frequency = "1 GHz", eps_r = 4.4, loss_tangent = 0.02 }, …]`.
///
/// ```
/// use phasefront_case::model::dgtd::Permittivity;
/// let file: Permittivity = serde_json::from_str(r#""fr4.csv""#).unwrap();
/// assert_eq!(file, Permittivity::File("fr4.csv".into()));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Permittivity {
    /// CSV file; path relative to the case file.
    File(String),
    /// Rows.
    Rows(Vec<PermittivityRow>),
}

/// Permittivity at one frequency. Give `loss_tangent` or `loss_factor`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_permittivity_row")]
pub struct PermittivityRow {
    /// Frequency of the row.
    pub frequency: Frequency,
    /// Real part ε′ of the relative permittivity.
    pub eps_r: f64,
    /// Loss tangent ε″/ε′. Give this or `loss_factor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub loss_tangent: Option<f64>,
    /// Loss factor ε″. Give this or `loss_tangent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub loss_factor: Option<f64>,
}

impl PermittivityRow {
    /// ε″.
    pub fn losses(&self) -> f64 {
        self.loss_factor.unwrap_or_else(|| self.eps_r * self.loss_tangent.unwrap_or_default())
    }
}

impl Permittivity {
    /// Rejects rows out of order, of an active material, and tables of fewer than two; `path` is the key in the case. Files are checked
    /// when they are read.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let Self::Rows(rows) = self else { return Ok(()) };
        if rows.len() < 2 {
            return Err(FieldError::new(
                path,
                "a table of the permittivity has at least two rows",
                "add rows, or write `eps_r` and `loss_tangent` for a material without dispersion",
            ));
        }
        for (i, row) in rows.iter().enumerate() {
            let at = |key: &str| format!("{path}[{i}].{key}");
            check_positive(
                at("frequency"),
                "the frequency",
                row.frequency.si(),
                "write for example \"1 GHz\"",
            )?;
            if i > 0 && row.frequency.si() <= rows[i - 1].frequency.si() {
                let advice = "sort the rows, each frequency once";
                return Err(FieldError::new(
                    at("frequency"),
                    "frequencies must rise from row to row",
                    advice,
                ));
            }
            if row.loss_tangent.is_some() == row.loss_factor.is_some() {
                let message = "a row has either `loss_tangent` or `loss_factor`";
                return Err(FieldError::new(
                    format!("{path}[{i}]"),
                    message,
                    "write `loss_tangent = 0` for no losses",
                ));
            }
            let (key, losses) = match row.loss_factor {
                Some(factor) => ("loss_factor", factor),
                None => ("loss_tangent", row.losses()),
            };
            if !(losses >= 0.0 && row.eps_r.is_finite() && losses.is_finite()) {
                return Err(FieldError::new(
                    at(key),
                    "the material would amplify: losses cannot be negative",
                    "losses are positive here, ε = ε′ − jε″",
                ));
            }
        }
        Ok(())
    }
}

struct PermittivityVisitor;

impl<'de> Visitor<'de> for PermittivityVisitor {
    type Value = Permittivity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a CSV file such as \"fr4.csv\", or a list of { frequency, eps_r, loss_tangent }")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Permittivity, E> {
        Ok(Permittivity::File(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Permittivity, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Permittivity::Rows)
    }
}

impl<'de> Deserialize<'de> for Permittivity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PermittivityVisitor)
    }
}

impl Serialize for Permittivity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::File(file) => serializer.serialize_str(file),
            Self::Rows(rows) => rows.serialize(serializer),
        }
    }
}

impl JsonSchema for Permittivity {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_permittivity".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let row = generator.subschema_for::<PermittivityRow>();
        json_schema!({
            "anyOf": [
                { "description": "CSV file; path relative to the case file.", "type": "string", "minLength": 1 },
                { "description": "Rows in order of frequency.", "type": "array", "items": row, "minItems": 2 },
            ],
        })
    }
}
