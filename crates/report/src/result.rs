//! `result.json`: the summary of a finished run.

use crate::error::ReportError;
use crate::version::RESULT_VERSION;
use indexmap::IndexMap;
use phasefront_core::SelfCheck;
use serde::{Deserialize, Serialize};

/// The contents of `result.json`, in this order.
///
/// ```
/// use phasefront_report::RunResult;
///
/// let mut result = RunResult::new("mom", "circle");
/// result.metrics.insert("unknowns".into(), 256.0);
/// result.metrics.insert("condition".into(), f64::INFINITY);
/// let text = result.to_json();
/// assert!(text.contains("\"condition\": null"));
/// let back = RunResult::from_json(&text)?;
/// assert_eq!(back.metrics["unknowns"], 256.0);
/// assert!(back.metrics["condition"].is_nan());
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Version of the format: [`RESULT_VERSION`].
    pub version: u32,
    /// Program and version that wrote it: `phasefront 0.1.0`.
    pub software: String,
    /// Which solver: `mom`.
    pub solver: String,
    /// Name of the case.
    pub case: String,
    /// Device it ran on, in words.
    pub device: String,
    /// `double` or `single`.
    pub precision: String,
    /// Seed of the random choices, if the solver makes any.
    pub seed: Option<u64>,
    /// Whether a second run on the same device gives the same bits.
    pub deterministic: bool,
    /// Every setting by its path, as text, defaults included.
    pub settings: IndexMap<String, String>,
    /// SHA-256 of each file that the case names, by its name there.
    #[serde(default)]
    pub inputs: IndexMap<String, String>,
    /// Time of each stage in seconds, in the order they ran.
    #[serde(with = "nullable_map")]
    pub seconds: IndexMap<String, f64>,
    /// Numbers that describe the run. A value that is not finite is written as `null` and read as NaN.
    #[serde(with = "nullable_map")]
    pub metrics: IndexMap<String, f64>,
    /// Values compared with their references.
    pub checks: Vec<Check>,
    /// How far to trust this: each self-check with its value, its limit and a sentence.
    #[serde(default)]
    pub trust: Vec<SelfCheck>,
    /// Warnings to the user, those of self-checks that do not hold included.
    pub warnings: Vec<String>,
    /// Files of the run, `result.json` itself left out.
    pub files: Vec<FileEntry>,
}

/// A value compared with its reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What is compared: `sigma forward`.
    pub name: String,
    /// The value of the run.
    #[serde(with = "nullable")]
    pub value: f64,
    /// The reference value.
    #[serde(with = "nullable")]
    pub reference: f64,
    /// Largest |value - reference| that passes, in the unit of the value.
    #[serde(with = "nullable")]
    pub tolerance: f64,
    /// Whether it passes.
    pub pass: bool,
    /// Where the reference comes from.
    pub source: String,
    /// Unit of value, reference and tolerance, if they have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A file that a run wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Name within the folder, with `/` between folders.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// What it holds, in a few words.
    pub what: String,
}

impl Check {
    /// A check that passes where |value - reference| is at most `tolerance`; one with a NaN does not.
    pub fn new(
        name: impl Into<String>,
        value: f64,
        reference: f64,
        tolerance: f64,
        source: impl Into<String>,
    ) -> Self {
        let pass = (value - reference).abs() <= tolerance;
        Self { name: name.into(), value, reference, tolerance, pass, source: source.into(), unit: None }
    }

    /// |value - reference|.
    pub fn error(&self) -> f64 {
        (self.value - self.reference).abs()
    }
}

impl RunResult {
    /// The result of `case`, with everything else empty and the version of this program as software.
    pub fn new(solver: impl Into<String>, case: impl Into<String>) -> Self {
        Self {
            version: RESULT_VERSION,
            software: concat!("phasefront ", env!("CARGO_PKG_VERSION")).to_owned(),
            solver: solver.into(),
            case: case.into(),
            device: String::new(),
            precision: "double".to_owned(),
            seed: None,
            deterministic: false,
            settings: IndexMap::new(),
            inputs: IndexMap::new(),
            seconds: IndexMap::new(),
            metrics: IndexMap::new(),
            checks: Vec::new(),
            trust: Vec::new(),
            warnings: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Whether every check passes; also true without any.
    pub fn pass(&self) -> bool {
        self.checks.iter().all(|check| check.pass)
    }

    /// The text of `result.json`.
    pub fn to_json(&self) -> String {
        // Keys are text and numbers are finite or null: serialization cannot fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads the text of a `result.json`.
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        /// Read first, to distinguish a newer format from an invalid file.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(text)?;
        if version != RESULT_VERSION {
            return Err(ReportError::Version { version });
        }
        Ok(serde_json::from_str(text)?)
    }
}

/// A number that JSON cannot hold is written as `null`, and `null` is read as NaN.
mod nullable {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        x.is_finite().then_some(*x).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}

/// The same for every value of a map.
mod nullable_map {
    use indexmap::IndexMap;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(map: &IndexMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(name, x)| (name, x.is_finite().then_some(*x))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<IndexMap<String, f64>, D::Error> {
        let map: IndexMap<String, Option<f64>> = IndexMap::deserialize(deserializer)?;
        Ok(map.into_iter().map(|(name, x)| (name, x.unwrap_or(f64::NAN))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_reads_back() {
        let mut result = RunResult::new("mom", "circle");
        result.seed = Some(u64::MAX);
        result.settings.insert("solve.method".into(), "\"lcn\"".into());
        result.seconds.extend([("solve".to_owned(), 0.1), ("fill".to_owned(), 1.0 / 3.0)]);
        result.metrics.insert("residual".into(), 1.234567890123e-17);
        result.checks.push(Check::new("forward", 34.584560348, 34.58456034799, 1e-9, "Mie series"));
        result.trust.push(SelfCheck::at_least("cells", 2.0, 5.0, "few cells").in_unit("per wavelength"));
        result.warnings.push("few cells".into());
        result.files.push(FileEntry { name: "a.csv".into(), bytes: 3, what: "a".into() });
        assert_eq!(RunResult::from_json(&result.to_json()).unwrap(), result);
    }

    #[test]
    fn the_order_of_fields_and_of_stages_is_kept() {
        let mut result = RunResult::new("mom", "circle");
        result.seconds.extend([("z".to_owned(), 1.0), ("a".to_owned(), 2.0)]);
        let text = result.to_json();
        let order = ["version", "software", "solver", "case", "device", "precision", "seed", "deterministic"];
        let rest = ["settings", "seconds", "z", "a", "metrics", "checks", "trust", "warnings", "files"];
        let positions: Vec<_> =
            order.iter().chain(&rest).map(|k| text.find(&format!("\"{k}\":")).unwrap()).collect();
        assert!(positions.is_sorted(), "{text}");
    }

    #[test]
    fn a_check_with_nan_fails_and_survives_json() {
        let mut result = RunResult::new("mom", "circle");
        result.checks.push(Check::new("c", f64::NAN, 1.0, f64::INFINITY, "none"));
        assert!(!result.pass());
        let back = RunResult::from_json(&result.to_json()).unwrap();
        assert!(back.checks[0].value.is_nan() && !back.checks[0].pass);
    }

    #[test]
    fn another_version_and_other_text_are_told_apart() {
        let text = RunResult::new("mom", "circle").to_json().replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(RunResult::from_json(&text), Err(ReportError::Version { version: 2 })));
        for text in ["", "{", "[]", "{\"version\": 1}", "{\"version\": -1}"] {
            assert!(matches!(RunResult::from_json(text), Err(ReportError::Json { .. })), "{text}");
        }
    }
}
