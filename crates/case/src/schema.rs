//! JSON schema of case files, for editors and other programs.

use crate::model::SOLVERS;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// JSON schema of case files, version 1, with one alternative per solver.
///
/// Editors with TOML support complete and validate cases whose first line is
/// `#:schema ../../schema/case-1.schema.json`.
///
/// ```
/// let schema = phasefront_case::schema();
/// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
/// ```
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let cases: Vec<Value> = SOLVERS.iter().map(|model| (model.schema)(&mut generator).into()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:phasefront:case-1",
        "title": "Phasefront case, version 1",
        "oneOf": cases,
        "$defs": generator.take_definitions(true),
    })
}
