//! Phasefront case files: data model, parsing with source spans, JSON schema.
//!
//! A case file is TOML: `version`, `solver` and `name`, then `[geometry]`, `[source]`, `[solve]` and `[output]`
//! with keys that depend on the solver. [`parse`] reads it into a [`Case`], or returns a [`CaseError`] with the
//! line and advice. There is no physics here: a solver reports the path of an invalid field, and
//! [`CaseFile::error_at`] locates it in the file.
//!
//! ```
//! let text = r#"
//! version = 1
//! solver = "mom"
//! name = "circle"
//!
//! [geometry]
//! bodies = [{ shape = "circle", radius = "1 m" }]
//!
//! [source]
//! frequency = "300 MHz"
//! polarization = "TM"
//! propagation = "0 deg"
//! "#;
//! let file = phasefront_case::parse("circle.toml", text).unwrap();
//! assert_eq!(file.case.name(), "circle");
//! let phasefront_case::Case::Mom(mom) = &file.case else { panic!("a mom case") };
//! assert_eq!(mom.source.frequency.values(), [3e8]);
//! ```

#![forbid(unsafe_code)]

mod error;
pub mod model;
mod outline;
mod parse;
mod refine;
mod schema;
mod settings;
mod si_values;
mod sweep;
mod syntax;

pub use error::{CaseError, SourceText};
pub use model::{Case, MomCase, Pair, ReflectarrayCase};
pub use parse::{CaseFile, MAX_BYTES, parse, parse_bytes};
pub use schema::schema;
pub use settings::Setting;
pub use sweep::{Sweep, SweepFile, SweptKey, SweptValue};
