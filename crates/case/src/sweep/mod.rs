//! Sweep files: one case, and lists of values for its keys.
//!
//! ```
//! let case = include_str!("../../tests/good/circle.toml");
//! let text = r#"
//! case = "circle.toml"
//! [values]
//! "geometry.bodies[0].radius" = ["1 m", "2 m"]
//! solve.cells = { from = 160, to = 320, points = 3 }
//! "#;
//! let base = phasefront_case::parse("circle.toml", case).unwrap();
//! let file = phasefront_case::SweepFile::parse("sweep.toml", text).unwrap();
//! let sweep = phasefront_case::Sweep::new(file, base).unwrap();
//! assert_eq!(sweep.points(), 6);
//! // The first key varies slowest.
//! let values: Vec<&str> = sweep.values(4).map(|(_, value)| &*value.toml).collect();
//! assert_eq!(values, ["\"2 m\"", "240"]);
//! let file = sweep.case(4).unwrap();
//! assert_eq!(&file.source.text[file.locate("solve.cells").unwrap()], "240");
//! ```

mod file;
mod template;
mod values;

use crate::error::{CaseError, Report, SourceText};
use crate::parse::{CaseFile, parse};
use file::Axis;
pub use file::SweepFile;
use template::{Placed, Template};
pub use values::{SweptKey, SweptValue};

/// A sweep over a case.
#[derive(Debug, Clone)]
pub struct Sweep {
    file: SweepFile,
    base: CaseFile,
    template: Template,
}

impl Sweep {
    /// The sweep of a file over the case that it names. Refuses paths that the case cannot have.
    pub fn new(file: SweepFile, base: CaseFile) -> Result<Self, CaseError> {
        let template = Template::new(&base, file.axes.iter().flat_map(|axis| &axis.keys))
            .map_err(|(span, report)| report.at(&file.source, span))?;
        Ok(Self { file, base, template })
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.file.axes.iter().map(Axis::len).product()
    }

    /// The keys, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &SweptKey> {
        self.file.axes.iter().flat_map(|axis| &axis.keys)
    }

    /// The keys and their values at a point; the last key varies fastest.
    pub fn values(&self, point: usize) -> impl Iterator<Item = (&SweptKey, &SweptValue)> {
        let mut below = self.points();
        self.file.axes.iter().flat_map(move |axis| {
            below /= axis.len();
            let index = point / below % axis.len();
            axis.keys.iter().map(move |key| (key, &key.values[index]))
        })
    }

    /// The case of a point: the text of the base case with the values in place. Errors in a value are located in the sweep file.
    pub fn case(&self, point: usize) -> Result<CaseFile, CaseError> {
        parse(&self.base.source.name, &self.text(point)).map_err(|error| self.explain(point, error))
    }

    /// The text of the case of a point.
    pub fn text(&self, point: usize) -> String {
        self.filled(point).0
    }

    /// An error in the case of a point, located in the sweep file if a value of the sweep is the cause.
    pub fn explain(&self, point: usize, error: CaseError) -> CaseError {
        let (text, placed) = self.filled(point);
        if error.source_text() != text {
            return error;
        }
        let span = error.span();
        let report = |help: &str| Report::new(error.message(), error.label(), help);
        for (placeholder, (key, value)) in placed.iter().zip(self.values(point)) {
            if let Some(span) = placeholder.source(&span, key, value) {
                return report(error.help()).at(&self.file.source, span);
            }
        }
        let values: Vec<String> =
            self.values(point).map(|(key, value)| format!("{} = {}", key.path, value.toml)).collect();
        let help = format!("{}\nthis is point {point} of the sweep: {}", error.help(), values.join(", "));
        report(&help).at(&SourceText::new(error.file(), &text), span)
    }

    fn filled(&self, point: usize) -> (String, Vec<Placed>) {
        self.template.fill(self.values(point).map(|(_, value)| &*value.toml))
    }
}
