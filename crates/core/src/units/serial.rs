//! Reading quantities and sweeps from case files, writing them back, and their JSON schema.

use super::quantity::{Dimension, Quantity, QuantityError};
use super::sweep::{MAX_SWEEP_POINTS, Range, Sweep};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// Separates message and advice in the error text of serde.
const ADVICE_MARK: &str = "\nadvice: ";

fn custom<E: de::Error>(error: &QuantityError) -> E {
    E::custom(format_args!("{error}{ADVICE_MARK}{}", error.advice()))
}

/// Deserialization error with message and advice, which [`split_advice`] separates.
///
/// ```
/// use phasefront_core::units::{complaint, split_advice};
/// let error: serde_json::Error = complaint("the list is empty", "give at least one value");
/// assert_eq!(split_advice(&error.to_string()), ("the list is empty", Some("give at least one value")));
/// ```
pub fn complaint<E: de::Error>(message: impl fmt::Display, advice: impl fmt::Display) -> E {
    E::custom(format_args!("{message}{ADVICE_MARK}{advice}"))
}

/// Splits the text of a deserialization error made by [`complaint`] into message and advice.
pub fn split_advice(text: &str) -> (&str, Option<&str>) {
    text.split_once(ADVICE_MARK).map_or((text, None), |(message, advice)| (message, Some(advice)))
}

fn bare<D: Dimension, E: de::Error>(value: f64, text: String) -> Result<Quantity<D>, E> {
    if !D::BARE_IS_SI {
        let message = format!("{} needs a unit", D::NAME);
        return Err(complaint(
            message,
            format_args!("write it in quotes with its unit, for example \"{}\"", D::EXAMPLE),
        ));
    }
    if !value.is_finite() {
        return Err(custom(&QuantityError::NotFinite { text, dimension: D::NAME }));
    }
    Ok(Quantity::from_si(value))
}

struct QuantityVisitor<D>(PhantomData<D>);

impl<D: Dimension> Visitor<'_> for QuantityVisitor<D> {
    type Value = Quantity<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} such as \"{}\"", D::NAME, D::EXAMPLE)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        text.parse().map_err(|e| custom(&e))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        bare(value, value.to_string())
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        bare(value as f64, value.to_string())
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        bare(value as f64, value.to_string())
    }
}

impl<'de, D: Dimension> Deserialize<'de> for Quantity<D> {
    fn deserialize<De: Deserializer<'de>>(deserializer: De) -> Result<Self, De::Error> {
        // The type in the file decides: text with a unit, or a bare number.
        deserializer.deserialize_any(QuantityVisitor(PhantomData))
    }
}

impl<D: Dimension> Serialize for Quantity<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const RANGE_KEYS: &[&str] = &["from", "to", "points", "step"];

/// How far a range may be from an integer number of steps: ends and steps are rounded decimals.
const STEP_TOLERANCE: f64 = 1e-6;

fn read_range<'de, D: Dimension, A: MapAccess<'de>>(mut map: A) -> Result<Range<D>, A::Error> {
    // `points` is read as a signed number, so that a negative one gets the message below.
    let (mut from, mut to, mut points, mut step) = (None, None, None::<i64>, None::<Quantity<D>>);
    while let Some(key) = map.next_key::<String>()? {
        match key.as_str() {
            "from" => from = Some(map.next_value()?),
            "to" => to = Some(map.next_value()?),
            "points" => points = Some(map.next_value()?),
            "step" => step = Some(map.next_value()?),
            _ => return Err(de::Error::unknown_field(&key, RANGE_KEYS)),
        }
    }
    let from: Quantity<D> = from.ok_or_else(|| de::Error::missing_field("from"))?;
    let to: Quantity<D> = to.ok_or_else(|| de::Error::missing_field("to"))?;
    let points = match (points, step) {
        (Some(points), None) => points,
        (None, Some(step)) => steps_to_points(from, to, step)?,
        (None, None) => return Err(de::Error::missing_field("points")),
        (Some(_), Some(_)) => {
            return Err(complaint("a range has both `points` and `step`", "give one of them"));
        }
    };
    if points < 1 || points > MAX_SWEEP_POINTS as i64 {
        let message = format!("a range cannot have {points} points");
        return Err(complaint(message, format_args!("give a number from 1 to {MAX_SWEEP_POINTS}")));
    }
    // One point or equal ends contradict each other: most likely a typing error in one of the
    // three.
    if points == 1 && from.si() != to.si() {
        return Err(complaint("a range of one point cannot have different ends", "give at least 2 points"));
    }
    if points > 1 && from.si() == to.si() {
        return Err(complaint("the range has zero length", "make `from` and `to` differ, or set points = 1"));
    }
    Ok(Range { from, to, points: points as usize })
}

/// Number of values from one end to the other in these steps, whose sign does not matter.
fn steps_to_points<D: Dimension, E: de::Error>(
    from: Quantity<D>,
    to: Quantity<D>,
    step: Quantity<D>,
) -> Result<i64, E> {
    let steps = ((to.si() - from.si()) / step.si()).abs();
    if !(step.si() != 0.0 && steps.is_finite()) {
        return Err(complaint(
            format_args!("a range in steps of {step}"),
            "give a step that leads from `from` to `to`",
        ));
    }
    if steps > MAX_SWEEP_POINTS as f64 {
        let message = format!("a range cannot have {steps:.1e} points");
        return Err(complaint(message, format_args!("give a number from 1 to {MAX_SWEEP_POINTS}")));
    }
    if (steps - steps.round()).abs() > STEP_TOLERANCE * steps.max(1.0) {
        let message =
            format!("steps of {step} do not lead from {from} to {to}: there are {steps:.3} of them");
        return Err(complaint(message, "give ends that are an integer number of steps apart, or `points`"));
    }
    Ok(steps.round() as i64 + 1)
}

struct RangeVisitor<D>(PhantomData<D>);

impl<'de, D: Dimension> Visitor<'de> for RangeVisitor<D> {
    type Value = Range<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a range {{ from, to, points }} or {{ from, to, step }}")
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        read_range(map)
    }
}

impl<'de, D: Dimension> Deserialize<'de> for Range<D> {
    fn deserialize<De: Deserializer<'de>>(deserializer: De) -> Result<Self, De::Error> {
        deserializer.deserialize_map(RangeVisitor(PhantomData))
    }
}

impl<D: Dimension> Serialize for Range<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("from", &self.from)?;
        map.serialize_entry("to", &self.to)?;
        map.serialize_entry("points", &self.points)?;
        map.end()
    }
}

struct SweepVisitor<D>(PhantomData<D>);

impl<'de, D: Dimension> Visitor<'de> for SweepVisitor<D> {
    type Value = Sweep<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} such as \"{}\", a list, {{ from, to, points }} or {{ from, to, step }}",
            D::NAME,
            D::EXAMPLE
        )
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_str(text).map(Sweep::One)
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_f64(value).map(Sweep::One)
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_i64(value).map(Sweep::One)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_u64(value).map(Sweep::One)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(q) = seq.next_element()? {
            list.push(q);
        }
        if list.is_empty() {
            return Err(complaint("the list is empty", "give at least one value"));
        }
        Ok(Sweep::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        read_range(map).map(Sweep::Range)
    }
}

impl<'de, D: Dimension> Deserialize<'de> for Sweep<D> {
    fn deserialize<De: Deserializer<'de>>(deserializer: De) -> Result<Self, De::Error> {
        deserializer.deserialize_any(SweepVisitor(PhantomData))
    }
}

impl<D: Dimension> Serialize for Sweep<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(q) => q.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
            Self::Range(range) => range.serialize(serializer),
        }
    }
}

#[cfg(feature = "schema")]
mod schema {
    use super::{Dimension, MAX_SWEEP_POINTS, Quantity, Range, Sweep};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    /// Name without the article: "length" of "a length".
    fn noun<D: Dimension>() -> &'static str {
        D::NAME.split_once(' ').map_or(D::NAME, |(_, noun)| noun)
    }

    /// The schema with a description.
    fn described(text: &str, mut schema: Schema) -> Schema {
        schema.insert("description".into(), text.into());
        schema
    }

    /// Pattern of a unit, with the alternative symbols that the parser accepts.
    fn spellings(symbol: &str) -> String {
        match symbol.strip_prefix('u') {
            Some(rest) => format!("[uµμ]{rest}"),
            None if symbol == "deg" => "deg|°".into(),
            None => symbol.replace("ohm", "(ohm|[Ω\u{2126}])"),
        }
    }

    impl<D: Dimension> JsonSchema for Quantity<D> {
        fn schema_name() -> Cow<'static, str> {
            noun::<D>().into()
        }
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let units = D::UNITS.iter().map(|u| spellings(u.symbol)).collect::<Vec<_>>().join("|");
            let optional = if D::BARE_IS_SI { "?" } else { "" };
            let text = json_schema!({
                "type": "string",
                // The grammar of `FromStr`, so that editors mark the same errors.
                "pattern": format!(r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*({units}){optional}\s*$"),
                "examples": [D::EXAMPLE],
            });
            let noun = format!("{}{}", noun::<D>()[..1].to_uppercase(), &noun::<D>()[1..]);
            if D::BARE_IS_SI {
                let unit = D::UNITS[0].symbol;
                let description = format!("{noun} with its unit; a bare number is in {unit}.");
                json_schema!({ "description": description, "anyOf": [text, { "type": "number" }] })
            } else {
                described(&format!("{noun} with its unit."), text)
            }
        }
    }

    impl<D: Dimension> JsonSchema for Range<D> {
        fn schema_name() -> Cow<'static, str> {
            format!("{}_range", noun::<D>()).into()
        }
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let quantity = generator.subschema_for::<Quantity<D>>();
            json_schema!({
                "type": "object",
                "description": "Uniformly spaced values, both ends included.",
                "properties": {
                    "from": described("First value.", quantity.clone()),
                    "to": described("Last value.", quantity.clone()),
                    "points": {
                        "description": "Number of values.",
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_SWEEP_POINTS,
                    },
                    "step": described("Distance of neighboring values, in place of their number.", quantity),
                },
                "required": ["from", "to"],
                "oneOf": [{ "required": ["points"] }, { "required": ["step"] }],
                "additionalProperties": false,
            })
        }
    }

    impl<D: Dimension> JsonSchema for Sweep<D> {
        fn schema_name() -> Cow<'static, str> {
            format!("{}_sweep", noun::<D>()).into()
        }
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let quantity = generator.subschema_for::<Quantity<D>>();
            let range = generator.subschema_for::<Range<D>>();
            json_schema!({
                "description": "One value, a list, { from, to, points } or { from, to, step }.",
                "anyOf": [quantity, { "type": "array", "items": quantity, "minItems": 1 }, range],
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantity::{AngleDim, FrequencyDim, LengthDim};
    use super::*;

    fn read<T: for<'de> Deserialize<'de>>(toml: &str) -> Result<T, String> {
        #[derive(serde::Deserialize)]
        struct Holder<T> {
            x: T,
        }
        toml::from_str::<Holder<T>>(&format!("x = {toml}")).map(|h| h.x).map_err(|e| e.message().to_owned())
    }

    #[test]
    fn a_sweep_is_one_value_a_list_or_a_range() {
        let values = |s| read::<Sweep<AngleDim>>(s).unwrap().values();
        assert_eq!(values(r#""90 deg""#), [std::f64::consts::FRAC_PI_2]);
        assert_eq!(values(r#"["0 rad", "1 rad"]"#), [0.0, 1.0]);
        assert_eq!(values(r#"{ from = "0 rad", to = "1 rad", points = 5 }"#), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(read::<Sweep<LengthDim>>("2").unwrap().values(), [2.0]);
        assert_eq!(
            values(r#"{ from = "1 rad", to = "0 rad", step = "0.25 rad" }"#),
            [1.0, 0.75, 0.5, 0.25, 0.0]
        );
        // 0.1 is no binary number; the ends are what they are called.
        let gigahertz = read::<Sweep<FrequencyDim>>(r#"{ from = "8 GHz", to = "12 GHz", step = "0.1 GHz" }"#);
        let gigahertz = gigahertz.unwrap().values();
        assert_eq!((gigahertz.len(), gigahertz[40]), (41, 12e9));
    }

    #[test]
    fn sweeps_survive_a_round_trip() {
        for text in [r#""1 GHz""#, r#"["1 GHz","2 GHz"]"#, r#"{"from":"1 GHz","to":"2 GHz","points":3}"#] {
            let sweep: Sweep<FrequencyDim> = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&sweep).unwrap(), text);
        }
    }

    #[test]
    fn wrong_values_are_refused_with_advice() {
        let fails = |s| read::<Sweep<AngleDim>>(s).unwrap_err();
        for (toml, message, advice) in [
            ("45", "an angle needs a unit", "write it in quotes with its unit, for example \"45 deg\""),
            ("[]", "the list is empty", "give at least one value"),
            (
                r#"{ from = "0 deg", to = "9 deg", points = 0 }"#,
                "a range cannot have 0 points",
                "give a number from 1 to 10000000",
            ),
            (
                r#"{ from = "0 deg", to = "0 deg", points = 3 }"#,
                "the range has zero length",
                "make `from` and `to` differ, or set points = 1",
            ),
            (
                r#"{ from = "0 deg", to = "9 deg", points = 1 }"#,
                "a range of one point cannot have different ends",
                "give at least 2 points",
            ),
            (
                r#"{ from = "0 rad", to = "1 rad", step = "0.3 rad" }"#,
                "steps of 0.3 rad do not lead from 0 rad to 1 rad: there are 3.333 of them",
                "give ends that are an integer number of steps apart, or `points`",
            ),
            (
                r#"{ from = "0 rad", to = "1 rad", step = "0 rad" }"#,
                "a range in steps of 0 rad",
                "give a step that leads from `from` to `to`",
            ),
            (
                r#"{ from = "0 rad", to = "1 rad", step = "1 rad", points = 2 }"#,
                "a range has both `points` and `step`",
                "give one of them",
            ),
        ] {
            assert_eq!(split_advice(&fails(toml)), (message, Some(advice)));
        }
        assert_eq!(
            fails(r#"{ from = "0 deg", too = "9 deg" }"#),
            "unknown field `too`, expected one of `from`, `to`, `points`, `step`"
        );
        assert!(read::<Sweep<LengthDim>>("nan").unwrap_err().starts_with("\"NaN\" is not a length"));
    }
}
