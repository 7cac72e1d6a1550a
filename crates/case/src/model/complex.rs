//! A complex number: `4`, or `"12 - 0.3j"`.

use phasefront_core::units::complaint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Complex number: a real number, or text such as `"12 - 0.3j"`.
///
/// ```
/// use phasefront_case::model::ComplexNumber;
/// let lossy: ComplexNumber = serde_json::from_str(r#""12 - 0.3j""#).unwrap();
/// assert_eq!((lossy.re, lossy.im), (12.0, -0.3));
/// assert_eq!(serde_json::to_string(&lossy).unwrap(), r#""12 - 0.3j""#);
/// let real: ComplexNumber = serde_json::from_str("4").unwrap();
/// assert_eq!((real.re, real.im), (4.0, 0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComplexNumber {
    /// Real part.
    pub re: f64,
    /// Imaginary part; with e^{+jωt}, losses make it negative.
    pub im: f64,
}

impl ComplexNumber {
    /// 1, the constant of vacuum.
    pub const ONE: Self = Self { re: 1.0, im: 0.0 };

    /// Reads `a`, `a + bj` or `bj`; `i` is taken for `j`.
    fn read(text: &str) -> Option<Self> {
        let tight: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let Some(body) = tight.strip_suffix(['j', 'i']) else {
            return Some(Self { re: tight.parse().ok()?, im: 0.0 });
        };
        // The sign between the parts is the last one that belongs to no exponent.
        let is_sign =
            |&(at, c): &(usize, char)| at > 0 && matches!(c, '+' | '-') && !body[..at].ends_with(['e', 'E']);
        let split = body.char_indices().rfind(is_sign).map_or(0, |(at, _)| at);
        let (re, im) = body.split_at(split);
        let re = if re.is_empty() { 0.0 } else { re.parse().ok()? };
        Some(Self { re, im: im.parse().ok()? })
    }
}

impl fmt::Display for ComplexNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.im < 0.0 { '-' } else { '+' };
        write!(f, "{} {sign} {}j", self.re, self.im.abs())
    }
}

struct ComplexVisitor;

impl Visitor<'_> for ComplexVisitor {
    type Value = ComplexNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number such as 4.0 or \"12 - 0.3j\"")
    }
    fn visit_f64<E: Error>(self, re: f64) -> Result<ComplexNumber, E> {
        finite(ComplexNumber { re, im: 0.0 })
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<ComplexNumber, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<ComplexNumber, E> {
        self.visit_f64(value as f64)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<ComplexNumber, E> {
        match ComplexNumber::read(text) {
            Some(number) => finite(number),
            None => Err(complaint(
                format_args!("\"{text}\" is not a complex number"),
                "write 4.0, or text such as \"12 - 0.3j\"; losses make the imaginary part negative",
            )),
        }
    }
}

fn finite<E: Error>(number: ComplexNumber) -> Result<ComplexNumber, E> {
    if number.re.is_finite() && number.im.is_finite() {
        return Ok(number);
    }
    Err(complaint("a constant of a material must be finite", "write for example 4.0 or \"12 - 0.3j\""))
}

impl<'de> Deserialize<'de> for ComplexNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ComplexVisitor)
    }
}

impl Serialize for ComplexNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.im == 0.0 { serializer.serialize_f64(self.re) } else { serializer.collect_str(self) }
    }
}

impl JsonSchema for ComplexNumber {
    fn schema_name() -> Cow<'static, str> {
        "complex_number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let part = r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?";
        let pattern = format!(r"^\s*([-+]?\s*{part}\s*[-+]\s*)?[-+]?\s*{part}\s*[ji]?\s*$");
        json_schema!({
            "description": "Real number, or complex number as text.",
            "anyOf": [{ "type": "number" }, { "type": "string", "pattern": pattern, "examples": ["12 - 0.3j"] }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_by_the_last_sign() {
        let read = |text: &str| ComplexNumber::read(text).map(|z| (z.re, z.im));
        assert_eq!(read("1.6-0.9j"), Some((1.6, -0.9)));
        assert_eq!(read(" -2 + 1e-3 j"), Some((-2.0, 1e-3)));
        assert_eq!(read("1e-2-3E+1i"), Some((1e-2, -30.0)));
        assert_eq!(read("-5j"), Some((0.0, -5.0)));
        assert_eq!(read("-5"), Some((-5.0, 0.0)));
        for wrong in ["", "j", "4 - j0.3", "1 + 2", "a - 1j", "1 - 2 - 3j"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
