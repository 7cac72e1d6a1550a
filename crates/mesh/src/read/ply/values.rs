//! The numbers of a PLY file, text or binary.

use super::format::{Element, Encoding, Kind, Property};
use crate::error::{Location, MeshError};

/// The numbers one after the other.
pub(super) struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl<'a> Values<'a> {
    pub fn new(bytes: &'a [u8], at: usize, encoding: Encoding) -> Self {
        Self { bytes, at, encoding }
    }

    pub fn location(&self) -> Location {
        match self.encoding {
            Encoding::Text => Location::Line(self.bytes[..self.at].split(|&byte| byte == b'\n').count()),
            Encoding::Binary { .. } => Location::Byte(self.at),
        }
    }

    pub fn damaged(&self, problem: impl Into<String>) -> MeshError {
        MeshError::syntax(self.location(), problem, "the file is damaged: save it again")
    }

    /// The number of elements, once it is checked that the bytes left can hold as many as the header announces.
    pub fn count(&self, element: &Element) -> Result<usize, MeshError> {
        let least = |property: &Property| match (property, self.encoding) {
            // One digit and one separator at least.
            (_, Encoding::Text) => 2,
            (Property::One(_, kind) | Property::List(_, kind, _), _) => kind.size(),
        };
        let size: usize = element.properties.iter().map(least).sum();
        let left = self.bytes.len() - self.at;
        // The separator after the last number of a text may be missing.
        let most = left + usize::from(self.encoding == Encoding::Text);
        match usize::try_from(element.count).ok().filter(|count| count.saturating_mul(size) <= most) {
            Some(count) => Ok(count),
            None => Err(MeshError::syntax(
                self.location(),
                format!(
                    "the header announces {} elements {:?} of at least {size} bytes each, and {left} bytes follow",
                    element.count, element.name
                ),
                "the file is cut short or damaged: save or copy it again",
            )),
        }
    }

    fn cut_short(&self) -> MeshError {
        MeshError::syntax(
            self.location(),
            "the file ends before the numbers that its header announces",
            "the file is cut short: save or copy it again",
        )
    }

    /// The next number.
    pub fn next(&mut self, kind: Kind) -> Result<f64, MeshError> {
        match self.encoding {
            Encoding::Text => self.word(),
            Encoding::Binary { big_endian } => {
                let size = kind.size();
                let Some(raw) = self.bytes.get(self.at..self.at + size) else {
                    return Err(self.cut_short());
                };
                self.at += size;
                // The bytes in little-endian order, for either order of the file.
                let mut low = [0; 8];
                for (i, &byte) in raw.iter().enumerate() {
                    low[if big_endian { size - 1 - i } else { i }] = byte;
                }
                let bits = u64::from_le_bytes(low);
                Ok(match kind {
                    // All types are exact in f64, which saves a generic reader.
                    Kind::I8 => f64::from(bits as u8 as i8),
                    Kind::U8 => f64::from(bits as u8),
                    Kind::I16 => f64::from(bits as u16 as i16),
                    Kind::U16 => f64::from(bits as u16),
                    Kind::I32 => f64::from(bits as u32 as i32),
                    Kind::U32 => f64::from(bits as u32),
                    Kind::F32 => f64::from(f32::from_bits(bits as u32)),
                    Kind::F64 => f64::from_bits(bits),
                })
            }
        }
    }

    fn word(&mut self) -> Result<f64, MeshError> {
        let rest = &self.bytes[self.at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let word = rest[blanks..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        self.at += blanks;
        if word.is_empty() {
            return Err(self.cut_short());
        }
        let value = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        let Some(value) = value else {
            let shown = crate::read::lines::shortened(word);
            return Err(self.damaged(format!("{shown:?} where a number belongs")));
        };
        self.at += word.len();
        Ok(value)
    }
}
