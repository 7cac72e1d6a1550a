//! Tables: named columns of equal length, written as CSV.

use crate::ReportError;
use std::fmt::Write as _;

/// Tolerance, absolute or relative, for matching values when rows are selected: case files give
/// angles and frequencies as decimal text, and the solver's grid has rounding errors.
const SAME: f64 = 1e-9;

/// A table: one CSV file.
///
/// ```
/// use phasefront_report::Table;
///
/// let table = Table::new("echo_width")
///     .number("incidence_deg", vec![0.0, 0.0, 0.0])
///     .number("observation_deg", vec![0.0, 90.0, 180.0])
///     .number("sigma_m", vec![34.5, 2.5, 3.25]);
/// assert_eq!(table.to_csv().lines().nth(2), Some("0,90,2.5"));
///
/// let filters = [("incidence_deg".to_owned(), 0.0)];
/// let sigma = table.number_at("sigma_m", &filters, Some(("observation_deg", 45.0)))?;
/// assert_eq!(sigma, 18.5);
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// File stem: `echo_width` becomes `echo_width.csv`.
    pub name: String,
    /// The columns, all of the same length.
    pub columns: Vec<Column>,
}

/// One column of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name with unit: `observation_deg`, `sigma_m`.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// The values of a [`Column`].
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Real numbers.
    Number(Vec<f64>),
    /// Real numbers, and empty cells where there is none.
    Sparse(Vec<Option<f64>>),
    /// Integers: indices, counts.
    Integer(Vec<i64>),
    /// Text: names of bodies.
    Text(Vec<String>),
}

impl Values {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Number(v) => v.len(),
            Self::Sparse(v) => v.len(),
            Self::Integer(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value in `row` as written to the CSV file, before quoting; empty beyond the end.
    pub fn cell(&self, row: usize) -> String {
        match self {
            Self::Number(v) => v.get(row).map(|x| number_text(*x)).unwrap_or_default(),
            Self::Sparse(v) => v.get(row).copied().flatten().map(number_text).unwrap_or_default(),
            Self::Integer(v) => v.get(row).map(i64::to_string).unwrap_or_default(),
            Self::Text(v) => v.get(row).cloned().unwrap_or_default(),
        }
    }

    fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Number(v) => v.get(row).copied(),
            Self::Sparse(v) => v.get(row).copied().flatten(),
            Self::Integer(v) => v.get(row).map(|i| *i as f64),
            Self::Text(_) => None,
        }
    }
}

impl Table {
    /// A table without columns.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), columns: Vec::new() }
    }

    /// Adds a column of real numbers.
    #[must_use]
    pub fn number(self, name: impl Into<String>, values: Vec<f64>) -> Self {
        self.column(name.into(), Values::Number(values))
    }

    /// Adds a column of real numbers with empty cells: where there is no value, or one that is not finite.
    #[must_use]
    pub fn sparse(self, name: impl Into<String>, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let finite = |value: Option<f64>| value.filter(|x| x.is_finite());
        self.column(name.into(), Values::Sparse(values.into_iter().map(finite).collect()))
    }

    /// Adds a column of integers.
    #[must_use]
    pub fn integer(self, name: impl Into<String>, values: Vec<i64>) -> Self {
        self.column(name.into(), Values::Integer(values))
    }

    /// Adds a column of text.
    #[must_use]
    pub fn text(self, name: impl Into<String>, values: Vec<String>) -> Self {
        self.column(name.into(), Values::Text(values))
    }

    fn column(mut self, name: String, values: Values) -> Self {
        debug_assert!(self.columns.is_empty() || values.len() == self.rows(), "length of column {name}");
        self.columns.push(Column { name, values });
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.values.len())
    }

    /// An error if the columns differ in length.
    pub fn validate(&self) -> Result<(), ReportError> {
        let expected = self.rows();
        match self.columns.iter().find(|c| c.values.len() != expected) {
            None => Ok(()),
            Some(c) => Err(ReportError::Rows {
                table: self.name.clone(),
                column: c.name.clone(),
                rows: c.values.len(),
                expected,
            }),
        }
    }

    /// The table as CSV: a header, then one line per row; fields are quoted as RFC 4180 says, and numbers have
    /// the fewest digits that read back as the same number.
    pub fn to_csv(&self) -> String {
        let mut csv = String::new();
        push_line(&mut csv, self.columns.iter().map(|c| c.name.clone()));
        for row in 0..self.rows() {
            push_line(&mut csv, self.columns.iter().map(|c| c.values.cell(row)));
        }
        csv
    }

    /// One number: the value of `column` in the row where every column named in `filters` has the value given.
    ///
    /// With `at = (name, value)` the rows that pass the filters are sorted by that column and the number is
    /// interpolated linearly at `value`; beyond the ends it is the number at the end.
    pub fn number_at(
        &self,
        column: &str,
        filters: &[(String, f64)],
        at: Option<(&str, f64)>,
    ) -> Result<f64, ReportError> {
        self.validate()?;
        let wanted = self.numeric(column)?;
        let conditions = filters
            .iter()
            .map(|(name, value)| Ok((self.numeric(name)?, *value)))
            .collect::<Result<Vec<_>, ReportError>>()?;
        let passes = |row: usize| conditions.iter().all(|(v, x)| v.number(row).is_some_and(|y| same(y, *x)));
        let rows: Vec<usize> = (0..self.rows()).filter(|row| passes(*row)).collect();
        let filters = || filters_text(filters);
        let Some((along, x)) = at else {
            return match rows[..] {
                [] => Err(ReportError::NoRow { table: self.name.clone(), filters: filters() }),
                [row] => Ok(wanted.number(row).unwrap_or(f64::NAN)),
                _ => Err(ReportError::ManyRows {
                    table: self.name.clone(),
                    filters: filters(),
                    rows: rows.len(),
                }),
            };
        };
        let abscissa = self.numeric(along)?;
        let mut points: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| Some((abscissa.number(*row)?, wanted.number(*row)?))).collect();
        points.retain(|(x, _)| x.is_finite());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        interpolate(&points, x)
            .ok_or_else(|| ReportError::NoRow { table: self.name.clone(), filters: filters() })
    }

    fn numeric(&self, column: &str) -> Result<&Values, ReportError> {
        let found = self.columns.iter().find(|c| c.name == column).ok_or_else(|| ReportError::NoColumn {
            table: self.name.clone(),
            column: column.to_owned(),
            columns: self.columns.iter().map(|c| c.name.clone()).collect(),
        })?;
        if matches!(found.values, Values::Text(_)) {
            return Err(ReportError::NotNumeric { table: self.name.clone(), column: column.to_owned() });
        }
        Ok(&found.values)
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * b.abs().max(1.0)
}

fn filters_text(filters: &[(String, f64)]) -> String {
    if filters.is_empty() {
        return "any value".to_owned();
    }
    filters.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(" and ")
}

/// `points` sorted by the first number; none if there are none.
fn interpolate(points: &[(f64, f64)], x: f64) -> Option<f64> {
    // An exact match is returned as it is: interpolation next to an infinite value would give NaN.
    if let Some((_, y)) = points.iter().find(|(px, _)| same(*px, x)) {
        return Some(*y);
    }
    let upper = points.partition_point(|(px, _)| *px < x);
    // Beyond the ends both are the same point, which gives the value at the end.
    let (left, right) = (points.get(upper.saturating_sub(1))?, points.get(upper.min(points.len() - 1))?);
    if right.0 == left.0 {
        return Some(left.1);
    }
    let t = (x - left.0) / (right.0 - left.0);
    Some(left.1 + t * (right.1 - left.1))
}

/// The fewest digits that read back as `x`.
pub(crate) fn number_text(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    // `Debug` uses an exponent for large and small numbers, where `Display` writes hundreds of
    // zeros.
    let text = format!("{x:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn push_line(csv: &mut String, fields: impl Iterator<Item = String>) {
    for (i, field) in fields.enumerate() {
        if i > 0 {
            csv.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) {
            // Writing to a String cannot fail.
            let _ = write!(csv, "\"{}\"", field.replace('"', "\"\""));
        } else {
            csv.push_str(&field);
        }
    }
    csv.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(name: &str, value: f64) -> Vec<(String, f64)> {
        vec![(name.to_owned(), value)]
    }

    fn sweep() -> Table {
        Table::new("echo_width")
            .integer("body", vec![1, 1, 1, 2, 2])
            .number("angle_deg", vec![20.0, 0.0, 10.0, 0.0, 10.0])
            .number("sigma_m", vec![4.0, 1.0, 2.0, 7.0, f64::NEG_INFINITY])
            .text("name", ["a", "b", "c", "d", "e"].map(String::from).to_vec())
    }

    #[test]
    fn csv_quotes_only_what_needs_it() {
        let table =
            Table::new("t").text("a,b", vec!["say \"hi\"".into(), "two\nlines".into(), "plain".into()]);
        assert_eq!(table.to_csv(), "\"a,b\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\nplain\n");
    }

    #[test]
    fn numbers_read_back_bit_for_bit_and_stay_short() {
        let values = [0.1, 1.0 / 3.0, 1e300, -2.5e-17, 5e-324, f64::MAX, 299792458.0, -0.0, 1e15];
        for x in values {
            let text = number_text(x);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), x.to_bits(), "{text}");
            assert!(text.len() <= 24, "{text}");
        }
        assert_eq!(number_text(299792458.0), "299792458");
        let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(number_text);
        assert_eq!(specials, ["nan", "inf", "-inf"]);
    }

    #[test]
    fn cells_without_a_number_are_empty() {
        let table = Table::new("t")
            .number("f", vec![1.0, 2.0, 3.0, 4.0])
            .sparse("share", [Some(0.5), None, Some(f64::INFINITY), Some(0.7)]);
        assert_eq!(table.to_csv(), "f,share\n1,0.5\n2,\n3,\n4,0.7\n");
        // They are no points to interpolate between.
        assert_eq!(table.number_at("share", &[], Some(("f", 2.5))).unwrap(), 0.6);
        assert!(table.number_at("share", &filter("f", 2.0), None).unwrap().is_nan());
    }

    #[test]
    fn a_row_is_picked_by_filters() {
        let filters = [("body".to_owned(), 2.0), ("angle_deg".to_owned(), 1e-10)];
        assert_eq!(sweep().number_at("sigma_m", &filters, None).unwrap(), 7.0);
    }

    #[test]
    fn interpolation_sorts_and_clamps() {
        let at = |x| sweep().number_at("sigma_m", &filter("body", 1.0), Some(("angle_deg", x))).unwrap();
        assert_eq!(
            [at(-5.0), at(0.0), at(5.0), at(15.0), at(20.0), at(99.0)],
            [1.0, 1.0, 1.5, 3.0, 4.0, 4.0]
        );
        // A value that is there is not spoiled by an infinite neighbor.
        let first = sweep().number_at("sigma_m", &filter("body", 2.0), Some(("angle_deg", 0.0))).unwrap();
        assert_eq!(first, 7.0);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error =
            |column, filters: &[(String, f64)], at| sweep().number_at(column, filters, at).unwrap_err();
        let text = error("sigma", &[], None);
        assert_eq!(text.to_string(), "table echo_width has no column sigma");
        assert_eq!(text.advice().unwrap(), "it has body, angle_deg, sigma_m, name");
        let text = error("sigma_m", &filter("body", 3.0), None).to_string();
        assert_eq!(text, "table echo_width has no row with body = 3");
        let text = error("sigma_m", &filter("body", 3.0), Some(("angle_deg", 0.0))).to_string();
        assert_eq!(text, "table echo_width has no row with body = 3");
        assert!(matches!(
            error("sigma_m", &filter("body", 1.0), None),
            ReportError::ManyRows { rows: 3, .. }
        ));
        assert!(matches!(error("name", &[], None), ReportError::NotNumeric { .. }));
        assert!(matches!(error("sigma_m", &[], Some(("x", 0.0))), ReportError::NoColumn { .. }));
    }

    #[test]
    fn columns_of_different_length_are_an_error() {
        let mut table = sweep();
        table.columns[1].values = Values::Number(vec![0.0]);
        assert!(matches!(table.validate(), Err(ReportError::Rows { rows: 1, expected: 5, .. })));
        assert_eq!(table.to_csv().lines().nth(2), Some("1,,1,b"));
    }
}
