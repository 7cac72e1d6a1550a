//! Reference values of a case: `expected.json`, and the comparison of a result with it.

use crate::error::RunError;
use crate::job::Products;
use phasefront_report::Check;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Test tier of a gallery case, by its duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Seconds: in every developer's test run.
    Quick,
    /// In every full test run.
    Ci,
    /// Minutes or a GPU: by hand.
    Big,
}

/// The file `expected.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Its test tier.
    pub tier: Tier,
    /// The checks.
    pub checks: Vec<ExpectedCheck>,
}

/// One number and its reference. The number is a `metric`, or a `column` of a `table`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCheck {
    /// What is compared.
    pub name: String,
    /// Name of a metric.
    pub metric: Option<String>,
    /// Name of a table, without `.csv`.
    pub table: Option<String>,
    /// Its column.
    pub column: Option<String>,
    /// Row filter: each of these columns has this value.
    #[serde(default, rename = "where")]
    pub filters: BTreeMap<String, f64>,
    /// Interpolate in this column at this value, among those rows.
    #[serde(default)]
    pub at: BTreeMap<String, f64>,
    /// The reference value.
    pub reference: f64,
    /// Largest difference that passes, in the number's own unit.
    pub tolerance: f64,
    /// Whether any larger number passes too: a figure of merit to be reached.
    #[serde(default)]
    pub at_least: bool,
    /// Unit, for the report.
    pub unit: Option<String>,
    /// Where the reference comes from.
    pub source: String,
}

impl Expected {
    /// The file beside `case`, if there is one.
    pub fn beside(case: &Path) -> Result<Option<Self>, RunError> {
        let path = case.with_file_name("expected.json");
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&path, &text).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RunError::Expected { path, message: error.to_string() }),
        }
    }

    /// Parses its text and verifies that every check identifies its number; `path` is for messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, RunError> {
        let wrong = |message: String| RunError::Expected { path: path.into(), message };
        let expected: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for check in &expected.checks {
            check.validate().map_err(|message| wrong(format!("check \"{}\": {message}", check.name)))?;
        }
        Ok(expected)
    }

    /// Every check with the value of the run. A missing number is NaN, and its check fails: an
    /// error in `expected.json` must not discard a finished run.
    pub(crate) fn checks(&self, products: &Products) -> Vec<Check> {
        self.checks.iter().map(|check| check.compare(products)).collect()
    }
}

impl ExpectedCheck {
    fn validate(&self) -> Result<(), &'static str> {
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err("`tolerance` cannot be negative");
        }
        match (&self.metric, &self.table, &self.column) {
            (Some(_), None, None) if self.filters.is_empty() && self.at.is_empty() => Ok(()),
            (Some(_), None, None) => Err("`where` and `at` require a table"),
            (None, Some(_), Some(_)) if self.at.len() > 1 => Err("`at` takes one column"),
            (None, Some(_), Some(_)) => Ok(()),
            _ => Err("give either `metric`, or `table` and `column`"),
        }
    }

    fn compare(&self, products: &Products) -> Check {
        let (value, source) = match self.value(products) {
            Ok(value) => (value, self.source.clone()),
            // The reason goes into the source text, the only free text of a check.
            Err(message) => (f64::NAN, format!("{} (this run: {message})", self.source)),
        };
        let mut check = Check::new(&self.name, value, self.reference, self.tolerance, source);
        check.unit.clone_from(&self.unit);
        // NaN compares false: a missing value never passes.
        check.pass |= self.at_least && value >= self.reference;
        check
    }

    fn value(&self, products: &Products) -> Result<f64, String> {
        if let Some(metric) = &self.metric {
            return products
                .metrics
                .get(metric)
                .copied()
                .ok_or_else(|| format!("there is no metric \"{metric}\""));
        }
        let (name, column) = (self.table.as_deref().unwrap_or(""), self.column.as_deref().unwrap_or(""));
        let table = products.tables.iter().find(|(table, _)| table.name == name);
        let (table, _) = table.ok_or_else(|| format!("there is no table \"{name}\""))?;
        let filters: Vec<(String, f64)> = self.filters.clone().into_iter().collect();
        let at = self.at.iter().next().map(|(name, value)| (name.as_str(), *value));
        table.number_at(column, &filters, at).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_report::Table;

    fn parse(check: &str) -> Result<Expected, String> {
        let text = format!(
            r#"{{"tier": "quick", "checks": [{{"name": "c", "reference": 2, "tolerance": 0.1, "source": "s", {check}}}]}}"#
        );
        Expected::parse(Path::new("expected.json"), &text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_check_says_where_its_number_comes_from() {
        assert!(parse(r#""metric": "m""#).is_ok());
        assert_eq!(
            parse(r#""table": "t""#).unwrap_err(),
            "expected.json: check \"c\": give either `metric`, or `table` and `column`"
        );
        assert_eq!(
            parse(r#""metric": "m", "at": {"x": 1}"#).unwrap_err(),
            "expected.json: check \"c\": `where` and `at` require a table"
        );
        assert!(parse(r#""metrik": "m""#).unwrap_err().contains("unknown field `metrik`"));
    }

    #[test]
    fn numbers_are_found_and_missing_ones_fail() {
        let mut products = Products::default();
        products.metrics.insert("m".into(), 2.05);
        let table = Table::new("t").number("x", vec![0.0, 1.0]).number("y", vec![1.0, 3.0]);
        products.tables.push((table, "a table"));
        let check = |text: &str| parse(text).unwrap().checks(&products).remove(0);
        assert!(check(r#""metric": "m""#).pass);
        let interpolated = check(r#""table": "t", "column": "y", "at": {"x": 0.5}"#);
        assert!(interpolated.pass && interpolated.value == 2.0);
        let missing = check(r#""table": "t", "column": "z""#);
        assert!(
            !missing.pass && missing.value.is_nan() && missing.source.contains("this run:"),
            "{missing:?}"
        );
        assert!(!check(r#""metric": "n""#).pass);
        products.metrics.insert("m".into(), 7.0);
        let check = |text: &str| parse(text).unwrap().checks(&products).remove(0);
        assert!(!check(r#""metric": "m""#).pass && check(r#""metric": "m", "at_least": true"#).pass);
        products.metrics.insert("m".into(), 1.0);
        assert!(!parse(r#""metric": "m", "at_least": true"#).unwrap().checks(&products)[0].pass);
    }
}
