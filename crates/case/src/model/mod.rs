//! Data model of case files, one struct per solver.
//!
//! To add a solver: define its structs in a module here, add a variant to [`Case`] and an entry to `SOLVERS`; the
//! parser, the error messages and the schema are derived from them.

use phasefront_core::FieldError;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use toml::Spanned;
use toml::de::DeTable;

mod angles;
mod antenna_pattern;
mod axis;
mod checks;
mod complex;
pub mod dgtd;
mod directions;
mod electrical_length;
mod medium;
mod mesh_units;
pub mod mom;
pub mod nah;
mod pair;
pub mod reflectarray;
mod rotation;
pub mod sbr;
mod tagged;
mod toggle;
mod triple;

pub use antenna_pattern::AntennaPattern;
pub use axis::Axis;
pub use checks::MAX_NAME_LENGTH;
pub(crate) use checks::{NAME_PATTERN, check_name};
pub use complex::ComplexNumber;
pub use dgtd::DgtdCase;
pub use directions::{Angles, Directions};
pub use electrical_length::ElectricalLength;
pub use mesh_units::MeshUnits;
pub use mom::MomCase;
pub use nah::NahCase;
pub use pair::{InPairs, Pair, Two};
pub use reflectarray::ReflectarrayCase;
pub use rotation::Rotation;
pub use sbr::SbrCase;
pub(crate) use tagged::{Tagged, Variant};
pub use toggle::{Toggle, ToggleTable};
pub use triple::{InTriples, Point, Three};

/// Supported version of the case-file format.
pub const VERSION: u32 = 1;

/// Case of one of the solvers.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    /// Two-dimensional method of moments.
    Mom(MomCase),
    /// Reflectarray synthesis.
    Reflectarray(ReflectarrayCase),
    /// Shooting and bouncing rays.
    Sbr(SbrCase),
    /// Discontinuous Galerkin time-domain method.
    Dgtd(Box<DgtdCase>),
    /// Near-field acoustic holography.
    Nah(Box<NahCase>),
}

impl Case {
    /// Name of the case and of its result folder.
    pub fn name(&self) -> &str {
        match self {
            Self::Mom(case) => &case.name,
            Self::Reflectarray(case) => &case.name,
            Self::Sbr(case) => &case.name,
            Self::Dgtd(case) => &case.name,
            Self::Nah(case) => &case.name,
        }
    }

    /// Value of the key `solver`.
    pub fn solver(&self) -> &'static str {
        match self {
            Self::Mom(_) => "mom",
            Self::Reflectarray(_) => "reflectarray",
            Self::Sbr(_) => "sbr",
            Self::Dgtd(_) => "dgtd",
            Self::Nah(_) => "nah",
        }
    }

    /// Validates the case beyond its types and resolves the defaults that depend on other keys.
    pub(crate) fn complete(&mut self) -> Result<(), FieldError> {
        match self {
            Self::Mom(case) => mom::complete(case),
            Self::Reflectarray(case) => reflectarray::complete(case),
            Self::Sbr(case) => sbr::complete(case),
            Self::Dgtd(case) => dgtd::complete(case),
            Self::Nah(case) => nah::complete(case),
        }
    }
}

impl Serialize for Case {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Mom(case) => case.serialize(serializer),
            Self::Reflectarray(case) => case.serialize(serializer),
            Self::Sbr(case) => case.serialize(serializer),
            Self::Dgtd(case) => case.serialize(serializer),
            Self::Nah(case) => case.serialize(serializer),
        }
    }
}

/// Description of one solver's cases for the parser and the schema.
pub(crate) struct SolverModel {
    /// Value of the key `solver`.
    pub name: &'static str,
    /// Deserializes the document.
    pub read: fn(Spanned<DeTable<'_>>) -> Result<Case, toml::de::Error>,
    /// Tables whose keys depend on a tag.
    pub tagged: &'static [Tagged],
    /// Examples of the keys, by path with empty brackets for list items, or with the shape of the item that they are for.
    pub examples: &'static [(&'static str, &'static str)],
    /// JSON schema of the document.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// All solvers.
pub(crate) const SOLVERS: &[SolverModel] = &[
    SolverModel {
        name: "mom",
        read: |root| MomCase::deserialize(toml::de::Deserializer::from(root)).map(Case::Mom),
        tagged: mom::TAGGED,
        examples: mom::EXAMPLES,
        schema: MomCase::json_schema,
    },
    SolverModel {
        name: "reflectarray",
        read: |root| {
            ReflectarrayCase::deserialize(toml::de::Deserializer::from(root)).map(Case::Reflectarray)
        },
        tagged: &[],
        examples: reflectarray::EXAMPLES,
        schema: ReflectarrayCase::json_schema,
    },
    SolverModel {
        name: "sbr",
        read: |root| SbrCase::deserialize(toml::de::Deserializer::from(root)).map(Case::Sbr),
        tagged: sbr::TAGGED,
        examples: sbr::EXAMPLES,
        schema: SbrCase::json_schema,
    },
    SolverModel {
        name: "dgtd",
        read: |root| {
            DgtdCase::deserialize(toml::de::Deserializer::from(root)).map(|case| Case::Dgtd(Box::new(case)))
        },
        tagged: dgtd::TAGGED,
        examples: dgtd::EXAMPLES,
        schema: DgtdCase::json_schema,
    },
    SolverModel {
        name: "nah",
        read: |root| {
            NahCase::deserialize(toml::de::Deserializer::from(root)).map(|case| Case::Nah(Box::new(case)))
        },
        tagged: &[],
        examples: nah::EXAMPLES,
        schema: NahCase::json_schema,
    },
];

/// Examples of the keys common to all cases.
pub(crate) const HEAD_EXAMPLES: &[(&str, &str)] =
    &[("version", "version = 1"), ("solver", "solver = \"mom\""), ("name", "name = \"my-case\"")];

/// Names of the solvers, the allowed values of the key `solver`.
pub fn solvers() -> impl Iterator<Item = &'static str> {
    SOLVERS.iter().map(|solver| solver.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Patterns of all keys that a schema allows below `path`.
    fn keys(schema: &Value, root: &Value, path: &str, found: &mut Vec<String>) {
        if let Some(reference) = schema["$ref"].as_str() {
            keys(root.pointer(reference.trim_start_matches('#')).unwrap(), root, path, found);
        }
        for alternative in ["anyOf", "oneOf"].iter().filter_map(|k| schema[k].as_array()).flatten() {
            keys(alternative, root, path, found);
        }
        if schema["additionalProperties"].is_object() {
            // User-defined keys.
            keys(&schema["additionalProperties"], root, &format!("{path}.*"), found);
            found.push(format!("{path}.*"));
        }
        if schema["items"].is_object() {
            keys(&schema["items"], root, &format!("{path}[]"), found);
        }
        for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            keys(schema, root, &below, found);
            found.push(below);
        }
    }

    #[test]
    fn every_key_has_an_example_that_is_toml() {
        let schema = crate::schema();
        for (i, model) in SOLVERS.iter().enumerate() {
            let mut found = Vec::new();
            keys(&schema["oneOf"][i], &schema, "", &mut found);
            assert!(found.len() > 30, "{found:?}");
            let example = |path: &str| model.examples.iter().chain(HEAD_EXAMPLES).find(|(p, _)| *p == path);
            for path in &found {
                assert!(example(path).is_some(), "{path} has no example");
            }
            for (path, example) in model.examples {
                let is_item = path.ends_with("[]");
                // The shape that an example is for.
                let plain = path.replace("[extrusion]", "[]");
                assert!(is_item || found.contains(&plain), "{path} is not a key");
                let text = if is_item { format!("item = {example}") } else { (*example).to_owned() };
                assert!(text.parse::<toml::Table>().is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn tagged_lists_name_the_variants_of_the_model() {
        let schema = crate::schema();
        for (name, tag, tagged) in [
            ("mom_body", "shape", &mom::TAGGED[0]),
            ("sbr_target", "shape", &sbr::TAGGED[0]),
            ("dgtd_pulse", "shape", &dgtd::TAGGED[0]),
            ("dgtd_refinement", "region", &dgtd::TAGGED[1]),
            ("dgtd_solid", "shape", &dgtd::TAGGED[2]),
            ("dgtd_sheet_shape", "shape", &dgtd::TAGGED[3]),
        ] {
            let variants = schema["$defs"][name]["oneOf"].as_array().unwrap();
            let names: Vec<&str> =
                variants.iter().map(|v| v["properties"][tag]["const"].as_str().unwrap()).collect();
            assert_eq!(tagged.variants.iter().map(|v| v.name).collect::<Vec<_>>(), names);
        }
    }

    #[test]
    fn names_are_valid_folder_names() {
        for good in ["circle", "a", "two circles", "v1.2_b-c", "Zylinder-ä", "x..y"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", ".", "..", ".hidden", "a/b", "a\\b", "a:b", " a", "a ", "a.", "a\nb", &"x".repeat(61)]
        {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
