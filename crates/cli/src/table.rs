//! Columns of text, aligned.

use crate::output::{Style, Verdict};
use phasefront_core::text::visible;

/// Rows under a heading, each with an optional verdict. The first columns are text, aligned left; the others are numbers, aligned
/// right.
#[derive(Debug)]
pub struct Table {
    words: usize,
    rows: Vec<(Vec<String>, Option<Verdict>)>,
}

impl Table {
    /// An empty table with these headings, those of the columns of words first.
    pub fn new(words: &[&str], numbers: &[&str]) -> Self {
        let headings = [words, numbers].concat();
        Self { words: words.len(), rows: vec![(headings.iter().map(ToString::to_string).collect(), None)] }
    }

    /// Adds a row, closed by the word for its verdict if there is one. Cells may have text from files.
    pub fn row(&mut self, cells: &[String], verdict: Option<Verdict>) {
        self.rows.push((cells.iter().map(|cell| visible(cell).into_owned()).collect(), verdict));
    }

    /// Whether it has no rows under its heading.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    /// The whole table, each line ended.
    pub fn render(&self, style: Style) -> String {
        let columns = self.rows.iter().map(|(cells, _)| cells.len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|c| self.rows.iter().filter_map(|(cells, _)| cells.get(c)).map(|t| t.chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        let mut text = String::new();
        for (index, (cells, verdict)) in self.rows.iter().enumerate() {
            let line = line(cells, &widths, self.words);
            let line = line.trim_end();
            text += &if index == 0 { style.dim(line) } else { line.to_owned() };
            if let Some(verdict) = verdict {
                text += "  ";
                text += &style.verdict(*verdict);
            }
            text.push('\n');
        }
        text
    }
}

/// One line of cells at fixed widths, the first `words` of them flush left and the others flush right.
pub fn line(cells: &[String], widths: &[usize], words: usize) -> String {
    let mut text = String::new();
    for (index, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if index > 0 {
            text += "  ";
        }
        let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
        let (before, after) = if index < words { ("", gap.as_str()) } else { (gap.as_str(), "") };
        text.extend([before, cell, after]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["check"], &["value"]);
        assert!(table.is_empty());
        table.row(&["width".into(), "1.5".into()], Some(Verdict::Pass));
        table.row(&["a longer name".into(), "-12.25".into()], Some(Verdict::Fail));
        let lines = "check           value\n\
                     width             1.5  pass\n\
                     a longer name  -12.25  FAIL\n";
        assert_eq!(table.render(Style::PLAIN), lines);
    }
}
