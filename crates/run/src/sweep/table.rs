//! `sweep.csv`: one row for every point.

use super::point::{PointState, Status};
use crate::error::RunError;
use phasefront_case::{Sweep, SweptKey};
use phasefront_report::{Table, replace_file};
use std::path::Path;

/// Writes the table of a sweep.
///
/// Shards that end at the same time write it without regard to each other. One may end after `states` was called here and before this
/// table has its name, which then hides the newer one. So the last table is compared with the folders once more: if no point is left,
/// nobody else will write it.
pub(super) fn write(
    folder: &Path,
    sweep: &Sweep,
    states: impl Fn() -> Result<Vec<PointState>, RunError>,
) -> Result<Vec<PointState>, RunError> {
    let mut csv = table(sweep, &states()?).to_csv();
    loop {
        replace_file(&folder.join("sweep.csv"), csv.as_bytes())?;
        let points = states()?;
        // As text, since a metric that is not a number differs from itself.
        let now = table(sweep, &points).to_csv();
        let is_left = |point: &PointState| matches!(point.status, Status::Unfinished | Status::Missing);
        if now == csv || points.iter().any(is_left) {
            return Ok(points);
        }
        csv = now;
    }
}

fn table(sweep: &Sweep, points: &[PointState]) -> Table {
    let mut table =
        Table::new("sweep").integer("index", points.iter().map(|point| point.index as i64).collect());
    for (index, key) in sweep.keys().enumerate() {
        let values =
            || points.iter().filter_map(|p| sweep.values(p.index).nth(index).map(|(_, value)| value));
        let quantities = || values().map(|value| value.quantity.as_ref().map(|(number, _)| *number));
        table = match column_name(key) {
            Some(name) => table.sparse(name, quantities()),
            None => table.text(&key.path, values().map(|value| value.text().to_owned()).collect()),
        };
    }
    table = table.text("status", points.iter().map(|point| point.status.name().to_owned()).collect());
    for metric in metrics(points) {
        table = table.sparse(metric, points.iter().map(|point| point.metrics.get(metric).copied()));
    }
    table
        .integer("warnings", points.iter().map(|point| point.warnings as i64).collect())
        .text("folder", points.iter().map(|point| point.folder.display().to_string()).collect())
        .text("message", points.iter().map(|point| point.message.clone().unwrap_or_default()).collect())
}

/// The name of a column of numbers, with their unit: `geometry.bodies[0].radius_mm`. None where values are not numbers of one unit.
fn column_name(key: &SweptKey) -> Option<String> {
    Some(match key.unit()? {
        "" => key.path.clone(),
        unit => format!("{}_{}", key.path, unit.replace('/', "_per_")),
    })
}

/// Names of all metrics, in the order of their first appearance.
fn metrics(points: &[PointState]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for name in points.iter().flat_map(|point| point.metrics.keys()) {
        if known.insert(name.as_str()) {
            names.push(name);
        }
    }
    names
}
