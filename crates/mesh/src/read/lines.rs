//! Lines and words of a text, without copying.

use crate::error::{Location, MeshError};

/// The lines of a text, counted from one.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// The number of the line given last.
    pub number: usize,
}

impl<'a> Lines<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, number: 0 }
    }

    pub fn location(&self) -> Location {
        Location::Line(self.number)
    }

    /// The bytes after the last line returned.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        // A carriage return before the line feed is blank space to `words`.
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = &self.rest[(end + 1).min(self.rest.len())..];
        Some(line)
    }
}

/// Words between blanks.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A line as a name: trimmed, with invalid UTF-8 replaced.
pub(super) fn name(line: &[u8]) -> String {
    String::from_utf8_lossy(line.trim_ascii()).into_owned()
}

/// A finite number.
pub(super) fn float(word: &[u8], location: Location) -> Result<f64, MeshError> {
    // Rust's parser accepts "inf" and "nan"; coordinates must be finite.
    let value = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    value.filter(|value| value.is_finite()).ok_or_else(|| {
        MeshError::syntax(
            location,
            format!("{:?} where a coordinate belongs", shortened(word)),
            "write coordinates as finite numbers: 1.5 or 2e-3",
        )
    })
}

/// The next three words as coordinates.
pub(super) fn point<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    location: Location,
) -> Result<[f64; 3], MeshError> {
    let mut point = [0.0; 3];
    for coordinate in &mut point {
        let word = words.next().ok_or_else(|| {
            MeshError::syntax(location, "a point with fewer than three coordinates", "give x, y and z")
        })?;
        *coordinate = float(word, location)?;
    }
    Ok(point)
}

/// An integer.
pub(super) fn whole<T: std::str::FromStr>(word: &[u8], location: Location) -> Result<T, MeshError> {
    let value = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    value.ok_or_else(|| {
        MeshError::syntax(
            location,
            format!("{:?} where an integer belongs", shortened(word)),
            "the file is damaged: save it again",
        )
    })
}

/// The first characters of an unexpected text, for messages.
pub(super) fn shortened(word: &[u8]) -> String {
    String::from_utf8_lossy(word).chars().take(20).collect()
}
