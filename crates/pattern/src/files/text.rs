//! Lines and numbers of text files, with line numbers for messages.

use crate::error::PatternError;

/// What to do about a file that ends too early.
pub(super) const INCOMPLETE: &str = "the file is incomplete: export or copy it again";
/// Least length of a row of four numbers with its line break. A table of more rows than the rest of a file can hold is refused before
/// memory is allocated for it.
const LEAST_ROW: usize = 8;

/// Lines of a file, counted.
pub(super) struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        // Some editors put a byte order mark in front.
        Self { rest: text.trim_start_matches('\u{feff}'), line: 0 }
    }

    /// The number of the last line, from one.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The next line, without its line break and trailing blanks.
    pub fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.line += 1;
        Some(line.trim_end())
    }

    /// The next line that is not blank.
    pub fn filled(&mut self) -> Option<&'a str> {
        loop {
            let line = self.next()?;
            if !line.is_empty() {
                return Some(line.trim_start());
            }
        }
    }

    /// The next line that is not blank, or the error that the file ends.
    pub fn expect(&mut self, what: &str) -> Result<&'a str, PatternError> {
        self.filled().ok_or_else(|| PatternError::Syntax {
            line: self.line + 1,
            problem: format!("the file ends where {what} is expected"),
            advice: INCOMPLETE.into(),
        })
    }

    /// The next line that is not blank, which has at least `N` numbers and nothing else.
    pub fn numbers<const N: usize>(&mut self, what: &str) -> Result<[f64; N], PatternError> {
        let line = self.expect(what)?;
        self.parse(line, what)
    }

    /// The first `N` numbers of the current line; all of its words must be numbers.
    pub fn parse<const N: usize>(&self, line: &str, what: &str) -> Result<[f64; N], PatternError> {
        let mut values = [0.0; N];
        let mut count = 0;
        for word in words(line) {
            let value = number(word).ok_or_else(|| {
                self.wrong(
                    format!("{:?} in {what} is not a number", shortened(word)),
                    format!("{what} has {N} numbers"),
                )
            })?;
            if let Some(place) = values.get_mut(count) {
                *place = value;
            }
            count += 1;
        }
        if count < N {
            return Err(self
                .wrong(format!("{what} has {count} numbers instead of {N}"), "check that line".to_owned()));
        }
        Ok(values)
    }

    /// Whether everything that follows is blank.
    pub fn is_done(&self) -> bool {
        self.rest.trim().is_empty()
    }

    /// `rows · columns` where that many rows may follow.
    pub fn table(&self, rows: usize, columns: usize) -> Result<usize, PatternError> {
        let count = rows.checked_mul(columns).filter(|&count| count > 0);
        count.filter(|&count| count <= (self.rest.len() + 1) / LEAST_ROW).ok_or_else(|| {
            let problem = format!(
                "{rows} by {columns} samples are declared, and the rest of the file cannot hold them"
            );
            self.wrong(problem, INCOMPLETE.to_owned())
        })
    }

    /// A count of at least one.
    pub fn count(&self, value: f64, what: &str) -> Result<usize, PatternError> {
        self.integer(value, what).and_then(|value| {
            usize::try_from(value)
                .ok()
                .filter(|&value| value > 0)
                .ok_or_else(|| self.wrong(format!("{what} is {value}"), format!("{what} must be at least 1")))
        })
    }

    /// An integer.
    pub fn integer(&self, value: f64, what: &str) -> Result<i64, PatternError> {
        // Beyond that, neighboring numbers of double precision are no longer integers apart.
        if value.fract() == 0.0 && value.abs() < 9e15 {
            Ok(value as i64)
        } else {
            Err(self
                .wrong(format!("{what} is {value}, not an integer"), format!("give {what} as an integer")))
        }
    }

    /// An error of the current line.
    pub fn wrong(&self, problem: String, advice: String) -> PatternError {
        PatternError::Syntax { line: self.line.max(1), problem, advice }
    }

    /// A variant in the current line that is not read.
    pub fn unsupported(&self, what: impl Into<String>, advice: &str) -> PatternError {
        PatternError::Unsupported { line: self.line.max(1), what: what.into(), advice: advice.into() }
    }
}

/// Words between blanks, commas and semicolons.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|word| !word.is_empty())
}

/// A finite number as C or Fortran writes it: also 1.5D+03, and 1.5-103 where three digits of the exponent displace its letter.
pub(super) fn number(word: &str) -> Option<f64> {
    let finite = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
    if !word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eEdD".contains(&byte)) {
        return None;
    }
    finite(word).or_else(|| finite(&word.replace(['d', 'D'], "E"))).or_else(|| {
        let sign = word.rfind(['+', '-']).filter(|&at| at > 0)?;
        let (mantissa, exponent) = word.split_at(sign);
        finite(&format!("{mantissa}E{exponent}"))
    })
}

/// The beginning of a text for a message.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain("...".chars()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_fortran_are_read() {
        let cases = [
            ("1.5D+03", 1500.0),
            ("-.25d-1", -0.025),
            ("0.1190000000E+03", 119.0),
            ("1.5-103", 1.5e-103),
            ("-2+101", -2e101),
        ];
        for (text, value) in cases {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["nan", "inf", "1e999", "", "-", "1.5E", "0x10", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
