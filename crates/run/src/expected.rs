//! References beside a case: `expected.json`, and how a result is compared with it.

use crate::error::RunError;
use crate::job::Products;
use phasefront_report::Check;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How long a gallery case takes, and so who runs it.
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
    /// Who runs it.
    pub tier: Tier,
    /// What must come out.
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
    /// Rows to look at: those where each of these columns has this value.
    #[serde(default, rename = "where")]
    pub filters: BTreeMap<String, f64>,
    /// Interpolate in this column at this value, among those rows.
    #[serde(default)]
    pub at: BTreeMap<String, f64>,
    /// What it should be.
    pub reference: f64,
    /// Largest difference that passes, in the number's own unit.
    pub tolerance: f64,
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

    /// Reads its text; `path` is for messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, RunError> {
        serde_json::from_str(text)
            .map_err(|error| RunError::Expected { path: path.into(), message: error.to_string() })
    }

    pub(crate) fn checks(&self, products: &Products) -> Result<Vec<Check>, RunError> {
        self.checks.iter().map(|check| check.compare(products)).collect()
    }
}

impl ExpectedCheck {
    fn compare(&self, products: &Products) -> Result<Check, RunError> {
        let value = self.value(products)?;
        let mut check = Check::new(&self.name, value, self.reference, self.tolerance, &self.source);
        check.unit.clone_from(&self.unit);
        Ok(check)
    }

    fn value(&self, products: &Products) -> Result<f64, RunError> {
        let wrong = |message: String| RunError::Expected {
            path: "expected.json".into(),
            message: format!("check \"{}\": {message}", self.name),
        };
        match (&self.metric, &self.table, &self.column) {
            (Some(metric), None, None) => products
                .metrics
                .get(metric)
                .copied()
                .ok_or_else(|| wrong(format!("there is no metric \"{metric}\""))),
            (None, Some(table), Some(column)) => {
                let (table, _) = products
                    .tables
                    .iter()
                    .find(|(t, _)| t.name == *table)
                    .ok_or_else(|| wrong(format!("there is no table \"{table}\"")))?;
                let filters: Vec<(String, f64)> = self.filters.clone().into_iter().collect();
                if self.at.len() > 1 {
                    return Err(wrong("`at` takes one column".into()));
                }
                let at = self.at.iter().next().map(|(name, value)| (name.as_str(), *value));
                table.number_at(column, &filters, at).map_err(|error| wrong(error.to_string()))
            }
            _ => Err(wrong("give either `metric`, or `table` and `column`".into())),
        }
    }
}
