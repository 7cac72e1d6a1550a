//! Tables of numbers with named columns, from CSV files beside the case.

use crate::input::{InputFolder, read_text};
use phasefront_core::FieldError;

/// A table with a header.
#[derive(Debug)]
pub(super) struct Columns {
    names: Vec<String>,
    /// Line in the file, and its numbers.
    pub rows: Vec<(usize, Vec<f64>)>,
}

impl Columns {
    /// Reads the file that the key at `path` names. Columns stand between commas, semicolons, tabs or blanks; `#` begins a comment.
    pub(super) fn read(folder: &InputFolder, file: &str, path: &str) -> Result<Self, FieldError> {
        Self::parse(&read_text(folder, file, path)?, false)
            .map_err(|(problem, advice)| FieldError::new(path, format!("{file}, {problem}"), advice))
    }

    /// The same of a file with or without names in its first line.
    pub(super) fn read_numbers(folder: &InputFolder, file: &str, path: &str) -> Result<Self, FieldError> {
        Self::parse(&read_text(folder, file, path)?, true)
            .map_err(|(problem, advice)| FieldError::new(path, format!("{file}, {problem}"), advice))
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    fn parse(text: &str, unnamed: bool) -> Result<Self, (String, String)> {
        // Spreadsheet programs write a byte-order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).enumerate();
        let mut lines = lines.filter(|(_, line)| !line.is_empty()).map(|(i, line)| (i + 1, fields(line)));
        let header = "give names in the first line, such as `frequency_hz,eps_r,loss_tangent`";
        let Some((line, names)) = lines.next() else { return Err(("which is empty".into(), header.into())) };
        let has_numbers = names.iter().any(|name| name.parse::<f64>().is_ok());
        if has_numbers && !unnamed {
            return Err((
                format!("line {line}: the first line has numbers and no names of columns"),
                header.into(),
            ));
        }
        let mut rows = Vec::new();
        let first = has_numbers.then(|| (line, names.clone()));
        for (line, fields) in first.into_iter().chain(lines) {
            if fields.len() != names.len() {
                let message = format!("line {line}: {} values under {} names", fields.len(), names.len());
                return Err((message, "give a number in each column, with a decimal point".into()));
            }
            let mut row = Vec::with_capacity(fields.len());
            for field in fields {
                let number = field.parse::<f64>().ok().filter(|number| number.is_finite());
                let wrong = || {
                    (
                        format!("line {line}: \"{field}\" is not a number"),
                        "write for example 1.5e9".to_owned(),
                    )
                };
                row.push(number.ok_or_else(wrong)?);
            }
            rows.push((line, row));
        }
        Ok(Self { names: names.into_iter().map(str::to_owned).collect(), rows })
    }

    /// The first column that has one of these names, and the factor of that name.
    pub(super) fn find(&self, names: &[(&str, f64)]) -> Option<(usize, f64)> {
        names.iter().find_map(|(name, factor)| {
            let column = self.names.iter().position(|known| known == name)?;
            Some((column, *factor))
        })
    }
}

fn fields(line: &str) -> Vec<&str> {
    match [';', ','].into_iter().find(|&mark| line.contains(mark)) {
        Some(mark) => line.split(mark).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_and_numbers() {
        let found = Columns::parse(
            "\u{feff}# from a data sheet\nfrequency_ghz; eps_r\n\n1; 4.4 # here\n2;4.3\n",
            false,
        )
        .unwrap();
        assert_eq!(found.rows, [(4, vec![1.0, 4.4]), (5, vec![2.0, 4.3])]);
        assert_eq!(found.find(&[("frequency_hz", 1.0), ("frequency_ghz", 1e9)]), Some((0, 1e9)));
        assert_eq!(found.find(&[("loss_tangent", 1.0)]), None);
        let message = |text: &str| Columns::parse(text, false).unwrap_err().0;
        assert_eq!(message("a,b\n1,2\n3\n"), "line 3: 1 values under 2 names");
        assert_eq!(message("a,b\n1,x\n"), "line 2: \"x\" is not a number");
        assert_eq!(message("a\nnan\n"), "line 2: \"nan\" is not a number");
        assert_eq!(message("1,2\n"), "line 1: the first line has numbers and no names of columns");
        assert_eq!(message("# nothing\n"), "which is empty");
        for text in ["0 1\n2 3\n", "time_ns, v\n0,1\n2,3\n"] {
            let rows: Vec<Vec<f64>> =
                Columns::parse(text, true).unwrap().rows.into_iter().map(|(_, row)| row).collect();
            assert_eq!(rows, [[0.0, 1.0], [2.0, 3.0]]);
        }
    }
}
