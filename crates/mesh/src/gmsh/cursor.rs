//! Numbers of an MSH file, text or binary, in the same order.

use crate::error::{Location, MeshError};

const CUT_SHORT: &str = "the file is cut short: save or copy it again";
const DAMAGED: &str = "the file is damaged: save it again from Gmsh";

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Binary { big_endian: bool },
}

/// A read position in the file.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub encoding: Encoding,
    /// Whether counts and numbers of nodes have four bytes, as in version 2.2.
    pub narrow: bool,
    /// The section being read, for messages.
    pub section: String,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, encoding: Encoding::Text, narrow: false, section: String::new() }
    }

    pub fn location(&self) -> Location {
        match self.encoding {
            Encoding::Text => {
                // Lines are counted on demand for messages, not while reading.
                let before = &self.bytes[..self.at.min(self.bytes.len())];
                Location::Line(before.split(|&byte| byte == b'\n').count())
            }
            Encoding::Binary { .. } => Location::Byte(self.at),
        }
    }

    /// An error at the current position: the file is damaged.
    pub fn damaged(&self, problem: impl Into<String>) -> MeshError {
        MeshError::syntax(self.location(), problem, DAMAGED)
    }

    fn cut_short(&self) -> MeshError {
        let problem = if self.section.is_empty() {
            "the file ends before its first section".into()
        } else {
            format!("the file ends inside ${}", self.section)
        };
        MeshError::syntax(self.location(), problem, CUT_SHORT)
    }

    /// Where the next byte is.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Back to an [`Cursor::offset`], for messages.
    pub fn go_back(&mut self, offset: usize) {
        self.at = offset;
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn skip_blanks(&mut self) {
        self.at += self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// The name of the next section; none at the end of the file.
    pub fn next_section(&mut self) -> Result<Option<String>, MeshError> {
        // Cleared, so that an error between sections does not name the last one.
        self.section.clear();
        self.skip_blanks();
        if self.left() == 0 {
            return Ok(None);
        }
        let line = self.line()?;
        match line.strip_prefix('$') {
            Some(name) if !name.is_empty() => {
                name.clone_into(&mut self.section);
                Ok(Some(name.to_owned()))
            }
            _ => Err(MeshError::syntax(
                self.location_of_last_line(),
                format!("{:?} where a section such as $Nodes belongs", shortened(&line)),
                "give a mesh that Gmsh saved as MSH",
            )),
        }
    }

    fn location_of_last_line(&self) -> Location {
        let text = Self { encoding: Encoding::Text, section: String::new(), ..*self };
        match text.location() {
            Location::Line(line) if self.at > 0 && self.bytes[self.at - 1] == b'\n' => {
                Location::Line(line - 1)
            }
            location => location,
        }
    }

    /// The rest of this line.
    pub fn line(&mut self) -> Result<String, MeshError> {
        if self.left() == 0 {
            return Err(self.cut_short());
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        // Names of groups may have any encoding; a replaced character is better than a refusal.
        Ok(String::from_utf8_lossy(&rest[..length]).trim().to_owned())
    }

    /// Moves behind the end mark of this section, which must be next.
    pub fn end_section(&mut self) -> Result<(), MeshError> {
        self.skip_blanks();
        let mark = format!("$End{}", self.section);
        // A file that ends inside the mark is truncated; any other text is damage.
        if self.left() == 0 || mark.as_bytes().starts_with(&self.bytes[self.at..]) && self.left() < mark.len()
        {
            return Err(self.cut_short());
        }
        if !self.bytes[self.at..].starts_with(mark.as_bytes()) {
            return Err(self.damaged(format!("${} does not end where its numbers do", self.section)));
        }
        self.at += mark.len();
        Ok(())
    }

    /// Moves behind the end mark of this section, wherever it is.
    pub fn skip_section(&mut self) -> Result<(), MeshError> {
        let mark = format!("$End{}", self.section);
        // Binary sections have no length field: search for the mark.
        let found = self.bytes[self.at..].windows(mark.len()).position(|window| window == mark.as_bytes());
        let Some(offset) = found else {
            self.at = self.bytes.len();
            return Err(self.cut_short());
        };
        self.at += offset + mark.len();
        Ok(())
    }

    fn token(&mut self) -> Result<&'a str, MeshError> {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.cut_short());
        }
        let text = std::str::from_utf8(&rest[..length])
            .map_err(|_| self.damaged(format!("${} holds something that is no text", self.section)))?;
        // The section ends before its count is reached.
        if text.starts_with("$End") {
            return Err(self.damaged(format!("${} has fewer numbers than it says", self.section)));
        }
        self.at += length;
        Ok(text)
    }

    fn raw<const N: usize>(&mut self) -> Result<[u8; N], MeshError> {
        let Some(&bytes) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.cut_short());
        };
        self.at += N;
        Ok(bytes)
    }

    /// A number of type T, parsed from text or converted from bytes of either order.
    fn number<T: std::str::FromStr, const N: usize>(
        &mut self,
        what: &str,
        orders: [fn([u8; N]) -> T; 2],
    ) -> Result<T, MeshError> {
        match self.encoding {
            Encoding::Binary { big_endian } => Ok(orders[usize::from(big_endian)](self.raw()?)),
            Encoding::Text => {
                let text = self.token()?;
                text.parse().map_err(|_| {
                    self.damaged(format!("{:?} where {what} belongs, in ${}", shortened(text), self.section))
                })
            }
        }
    }

    /// `int`.
    pub fn int(&mut self) -> Result<i32, MeshError> {
        self.number("an integer", [i32::from_le_bytes, i32::from_be_bytes])
    }

    /// `size_t`, or `int` in binary files of version 2.2.
    pub fn size(&mut self) -> Result<u64, MeshError> {
        // Text has no width: the same parser reads both versions.
        if self.narrow && self.encoding != Encoding::Text {
            let number = self.int()?;
            return u64::try_from(number).map_err(|_| {
                self.damaged(format!("{number} where a number or count belongs, in ${}", self.section))
            });
        }
        self.number("a number or count", [u64::from_le_bytes, u64::from_be_bytes])
    }

    /// A count of items with so many `int`, `size_t` and `double` each at least, once it is checked that the bytes left can
    /// hold them: nothing is allocated for a count that the file cannot keep.
    pub fn count(&mut self, [ints, sizes, doubles]: [usize; 3]) -> Result<usize, MeshError> {
        let announced = self.size()?;
        let size = match self.encoding {
            // One digit and one separator.
            Encoding::Text => 2 * (ints + sizes + doubles),
            Encoding::Binary { .. } => 4 * ints + if self.narrow { 4 } else { 8 } * sizes + 8 * doubles,
        };
        let left = self.left();
        match usize::try_from(announced).ok().filter(|count| count.saturating_mul(size) <= left) {
            Some(count) => Ok(count),
            None => Err(MeshError::syntax(
                self.location(),
                format!(
                    "${} announces {announced} items of at least {size} bytes each, and {left} bytes follow",
                    self.section
                ),
                CUT_SHORT,
            )),
        }
    }

    /// `double`, which must be finite.
    pub fn float(&mut self) -> Result<f64, MeshError> {
        let value = self.number("a coordinate", [f64::from_le_bytes, f64::from_be_bytes])?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.damaged(format!("a coordinate in ${} is not a finite number", self.section)))
        }
    }
}

/// The first characters of an unexpected text, for messages.
fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}
