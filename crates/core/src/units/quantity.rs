//! A number with a unit: its dimension, and reading it from text.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// Conversion of a unit to SI. Powers of ten below one divide, because 1e3 is exact and 1e-3 is
/// not: `"3 mm"` becomes the double nearest to 0.003.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// SI value = number × factor.
    Times(f64),
    /// SI value = number ÷ factor.
    Over(f64),
}

/// A named unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Symbol, such as "GHz".
    pub symbol: &'static str,
    /// Conversion to SI.
    pub scale: Scale,
}

const fn times(symbol: &'static str, factor: f64) -> Unit {
    Unit { symbol, scale: Scale::Times(factor) }
}

const fn over(symbol: &'static str, divisor: f64) -> Unit {
    Unit { symbol, scale: Scale::Over(divisor) }
}

/// A physical dimension and its units.
pub trait Dimension: Copy + fmt::Debug + PartialEq + 'static {
    /// Name with an article: "a length".
    const NAME: &'static str;
    /// Allowed units, the SI unit first.
    const UNITS: &'static [Unit];
    /// Whether a number without unit is in SI units.
    const BARE_IS_SI: bool;
    /// A typical value, for error messages.
    const EXAMPLE: &'static str;
}

macro_rules! dimension {
    ($marker:ident, $alias:ident, $doc:literal, $name:literal, $bare:literal, $example:literal, $units:expr) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $marker;
        impl Dimension for $marker {
            const NAME: &'static str = $name;
            const UNITS: &'static [Unit] = &$units;
            const BARE_IS_SI: bool = $bare;
            const EXAMPLE: &'static str = $example;
        }
        #[doc = $doc]
        pub type $alias = Quantity<$marker>;
    };
}

dimension!(
    LengthDim,
    Length,
    "A length; SI unit m.",
    "a length",
    true,
    "3 mm",
    [
        times("m", 1.0),
        times("km", 1e3),
        over("cm", 1e2),
        over("mm", 1e3),
        over("um", 1e6),
        over("nm", 1e9),
        times("in", 0.0254),
        times("ft", 0.3048),
    ]
);
dimension!(
    FrequencyDim,
    Frequency,
    "A frequency; SI unit Hz.",
    "a frequency",
    true,
    "10 GHz",
    [times("Hz", 1.0), times("kHz", 1e3), times("MHz", 1e6), times("GHz", 1e9), times("THz", 1e12),]
);
dimension!(
    AngleDim,
    Angle,
    "An angle; SI unit rad. The unit is required.",
    "an angle",
    false,
    "45 deg",
    [times("rad", 1.0), over("mrad", 1e3), times("deg", std::f64::consts::PI / 180.0),]
);
dimension!(
    TimeDim,
    Time,
    "A time; SI unit s.",
    "a time",
    true,
    "5 ns",
    [times("s", 1.0), over("ms", 1e3), over("us", 1e6), over("ns", 1e9), over("ps", 1e12),]
);
dimension!(
    ConductivityDim,
    Conductivity,
    "A conductivity; SI unit S/m.",
    "a conductivity",
    true,
    "0.1 S/m",
    // MS/m is used for metals, and must not be mistaken for a misspelled mS/m.
    [times("S/m", 1.0), over("mS/m", 1e3), times("MS/m", 1e6),]
);
dimension!(
    ResistanceDim,
    Resistance,
    "A resistance; SI unit ohm.",
    "a resistance",
    true,
    "50 ohm",
    // Mohm must not be mistaken for a misspelled mohm.
    [times("ohm", 1.0), over("mohm", 1e3), times("kohm", 1e3), times("Mohm", 1e6),]
);

dimension!(
    InductanceDim,
    Inductance,
    "An inductance; SI unit H.",
    "an inductance",
    true,
    "10 nH",
    [times("H", 1.0), over("mH", 1e3), over("uH", 1e6), over("nH", 1e9), over("pH", 1e12),]
);
dimension!(
    CapacitanceDim,
    Capacitance,
    "A capacitance; SI unit F.",
    "a capacitance",
    true,
    "1 pF",
    [times("F", 1.0), over("uF", 1e6), over("nF", 1e9), over("pF", 1e12), over("fF", 1e15),]
);

/// A number with a unit of dimension `D`.
///
/// ```
/// use phasefront_core::{Frequency, Length};
/// let f: Frequency = "10 GHz".parse().unwrap();
/// assert_eq!(f.si(), 1e10);
/// assert_eq!(f.to_string(), "10 GHz");
/// assert!("10 GHz".parse::<Length>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity<D: Dimension> {
    value: f64,
    unit: &'static Unit,
    dimension: PhantomData<D>,
}

impl<D: Dimension> Quantity<D> {
    /// A quantity given in SI units.
    pub fn from_si(value: f64) -> Self {
        Self { value, unit: &D::UNITS[0], dimension: PhantomData }
    }

    /// The value in SI units.
    pub fn si(self) -> f64 {
        match self.unit.scale {
            Scale::Times(factor) => self.value * factor,
            Scale::Over(divisor) => self.value / divisor,
        }
    }
}

impl<D: Dimension> fmt::Display for Quantity<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.value, self.unit.symbol)
    }
}

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum QuantityError {
    /// There is no number at the start.
    #[error("\"{text}\" is not {dimension}: it does not start with a number")]
    NoNumber {
        /// What was written.
        text: String,
        /// What was expected.
        dimension: &'static str,
        /// How to write it.
        example: String,
    },
    /// The unit is not one of this dimension's.
    #[error("\"{text}\" is not {dimension}: {}", unknown_unit(unit))]
    UnknownUnit {
        /// What was written.
        text: String,
        /// What was expected.
        dimension: &'static str,
        /// The unit found, perhaps empty.
        unit: String,
        /// The closest unit there is.
        nearest: Option<&'static str>,
        /// The units there are.
        units: String,
    },
    /// Infinite or not a number.
    #[error("\"{text}\" is not {dimension}: it is not a finite number")]
    NotFinite {
        /// What was written.
        text: String,
        /// What was expected.
        dimension: &'static str,
    },
}

fn unknown_unit(unit: &str) -> String {
    if unit.is_empty() { "the unit is missing".into() } else { format!("unknown unit \"{unit}\"") }
}

impl QuantityError {
    /// What to write instead.
    pub fn advice(&self) -> String {
        match self {
            Self::NoNumber { example, .. } => format!("write a number and a unit, for example \"{example}\""),
            Self::UnknownUnit { unit, .. } if unit.starts_with(',') => {
                "use a decimal point, not a comma; write several values as a list: [\"1 m\", \"2 m\"]".into()
            }
            Self::UnknownUnit { nearest: Some(nearest), units, .. } => {
                format!("did you mean \"{nearest}\"? the units are {units}")
            }
            Self::UnknownUnit { units, .. } => format!("the units are {units}"),
            Self::NotFinite { .. } => "write a finite number".into(),
        }
    }
}

impl<D: Dimension> FromStr for Quantity<D> {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let trimmed = text.trim();
        let split = number_length(trimmed);
        let value: f64 = trimmed[..split].parse().map_err(|_| QuantityError::NoNumber {
            text: text.into(),
            dimension: D::NAME,
            example: match D::UNITS.iter().find(|u| u.symbol == trimmed) {
                Some(unit) => format!("1 {}", unit.symbol),
                None => D::EXAMPLE.into(),
            },
        })?;
        if !value.is_finite() {
            return Err(QuantityError::NotFinite { text: text.into(), dimension: D::NAME });
        }
        // Unicode has two ohm signs, the Greek letter and U+2126, and two micro signs.
        let symbol = trimmed[split..]
            .trim()
            .replace(['µ', 'μ'], "u")
            .replace('°', "deg")
            .replace(['Ω', '\u{2126}'], "ohm");
        // Angles have no bare form: degrees and radians are both common, and a wrong guess is
        // silent.
        if symbol.is_empty() && D::BARE_IS_SI {
            return Ok(Self { value, unit: &D::UNITS[0], dimension: PhantomData });
        }
        let unit =
            D::UNITS.iter().find(|u| u.symbol == symbol).ok_or_else(|| QuantityError::UnknownUnit {
                text: text.into(),
                dimension: D::NAME,
                nearest: nearest_unit(&symbol, D::UNITS),
                unit: symbol.clone(),
                units: D::UNITS.iter().map(|u| u.symbol).collect::<Vec<_>>().join(", "),
            })?;
        let quantity = Self { value, unit, dimension: PhantomData };
        // The number may be finite and its SI value not: "1e308 km".
        if quantity.si().is_finite() {
            Ok(quantity)
        } else {
            Err(QuantityError::NotFinite { text: text.into(), dimension: D::NAME })
        }
    }
}

/// Bytes of the decimal number `text` starts with; an `e` belongs to it only before a digit or a sign.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_number = |i: usize| match bytes[i] {
        b'0'..=b'9' | b'.' => true,
        // A sign inside the number belongs to the exponent only.
        b'+' | b'-' => i == 0 || matches!(bytes[i - 1], b'e' | b'E'),
        b'e' | b'E' => i > 0 && matches!(bytes.get(i + 1), Some(b'0'..=b'9' | b'+' | b'-')),
        _ => false,
    };
    (0..bytes.len()).find(|&i| !is_number(i)).unwrap_or(bytes.len())
}

/// Spelled-out unit names, without a plural s, and their symbols.
const SPELLED_OUT: &[(&str, &str)] = &[
    ("meter", "m"),
    ("metre", "m"),
    ("inch", "in"),
    // `inches` without its s.
    ("inche", "in"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("hertz", "Hz"),
    ("degree", "deg"),
    ("radian", "rad"),
    ("second", "s"),
    ("sec", "s"),
    ("ohm", "ohm"),
];

/// Spelled-out prefixes, and their symbols.
const PREFIXES: &[(&str, &str)] = &[
    ("", ""),
    ("kilo", "k"),
    ("mega", "M"),
    ("giga", "G"),
    ("tera", "T"),
    ("centi", "c"),
    ("milli", "m"),
    ("micro", "u"),
    ("nano", "n"),
    ("pico", "p"),
];

/// The symbol of a spelled-out unit: `kilometers` is `km`.
fn spelled_out(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    PREFIXES.iter().find_map(|(prefix, short)| {
        let name = singular.strip_prefix(prefix)?;
        SPELLED_OUT.iter().find(|(n, _)| *n == name).map(|(_, symbol)| format!("{short}{symbol}"))
    })
}

/// The unit that is spelled out, or that differs only in case or by one edit.
fn nearest_unit(symbol: &str, units: &'static [Unit]) -> Option<&'static str> {
    if let Some(unit) = spelled_out(symbol).and_then(|meant| units.iter().find(|u| u.symbol == meant)) {
        return Some(unit.symbol);
    }
    let distance = |u: &Unit| strsim::osa_distance(&u.symbol.to_lowercase(), &symbol.to_lowercase());
    let nearest = units.iter().min_by_key(|u| distance(u))?;
    // One edit, but none for a single letter: any unit is one edit away from it.
    (distance(nearest) <= symbol.len().saturating_sub(1).min(1)).then_some(nearest.symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_convert_to_the_nearest_double() {
        assert_eq!("3 mm".parse::<Length>().unwrap().si(), 0.003);
        assert_eq!("0.7mm".parse::<Length>().unwrap().si(), 0.0007);
        assert_eq!("2.5 µm".parse::<Length>().unwrap().si(), 2.5e-6);
        assert_eq!("10.5 in".parse::<Length>().unwrap().si(), 0.2667);
        assert_eq!("299.792458 MHz".parse::<Frequency>().unwrap().si(), 299_792_458.0);
        assert_eq!("180 deg".parse::<Angle>().unwrap().si(), std::f64::consts::PI);
        assert_eq!("-90°".parse::<Angle>().unwrap().si(), -std::f64::consts::FRAC_PI_2);
        assert_eq!("1e3".parse::<Length>().unwrap().si(), 1000.0);
        assert_eq!("1e-3 m".parse::<Length>().unwrap().si(), 0.001);
        assert_eq!("5 ns".parse::<Time>().unwrap().si(), 5e-9);
        assert_eq!("3 mS/m".parse::<Conductivity>().unwrap().si(), 0.003);
        assert_eq!("58 MS/m".parse::<Conductivity>().unwrap().si(), 5.8e7);
        assert_eq!("50 Ω".parse::<Resistance>().unwrap().si(), 50.0);
        assert_eq!("2.2 kΩ".parse::<Resistance>().unwrap().si(), 2200.0);
        assert_eq!("3 mohm".parse::<Resistance>().unwrap().si(), 0.003);
    }

    #[test]
    fn prints_back_what_was_written() {
        for text in ["10 GHz", "299.792458 MHz", "1 Hz"] {
            assert_eq!(text.parse::<Frequency>().unwrap().to_string(), text);
        }
        assert_eq!(Length::from_si(0.25).to_string(), "0.25 m");
    }

    #[test]
    fn every_wrong_text_has_its_message() {
        let fails = |text: &str| {
            let e = text.parse::<Frequency>().unwrap_err();
            format!("{e} | {}", e.advice())
        };
        assert_eq!(
            fails("10 Ghz"),
            "\"10 Ghz\" is not a frequency: unknown unit \"Ghz\" | did you mean \"GHz\"? the units are Hz, kHz, MHz, GHz, THz"
        );
        assert_eq!(
            fails("3 mm"),
            "\"3 mm\" is not a frequency: unknown unit \"mm\" | the units are Hz, kHz, MHz, GHz, THz"
        );
        assert_eq!(
            fails("fast"),
            "\"fast\" is not a frequency: it does not start with a number | write a number and a unit, for example \"10 GHz\""
        );
        assert_eq!(
            fails("MHz"),
            "\"MHz\" is not a frequency: it does not start with a number | write a number and a unit, for example \"1 MHz\""
        );
        assert_eq!(
            fails("1e999 Hz"),
            "\"1e999 Hz\" is not a frequency: it is not a finite number | write a finite number"
        );
        assert!(fails("3 megahertz").ends_with("did you mean \"MHz\"? the units are Hz, kHz, MHz, GHz, THz"));
        for (text, meant) in [("3 Meters", "m"), ("3 micrometer", "um"), ("3 inches", "in"), ("3 feet", "ft")]
        {
            let e = text.parse::<Length>().unwrap_err();
            assert!(e.advice().starts_with(&format!("did you mean \"{meant}\"?")), "{text}: {}", e.advice());
        }
        for (text, meant) in [("3 Ohm", "ohm"), ("3 ohms", "ohm"), ("3 Kiloohm", "kohm"), ("3 Mega", "")] {
            let advice = text.parse::<Resistance>().unwrap_err().advice();
            assert_eq!(
                advice.starts_with(&format!("did you mean \"{meant}\"?")),
                !meant.is_empty(),
                "{advice}"
            );
        }
        let e = "45".parse::<Angle>().unwrap_err();
        assert_eq!(e.to_string(), "\"45\" is not an angle: the unit is missing");
    }
}
