//! A rectangular box, meshed with tetrahedra.

use crate::model::Point;
use phasefront_core::{FieldError, Length};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Axis-aligned box, meshed with rectangular cells of six tetrahedra each. Its outer faces are the surfaces `xmin`, `xmax`,
/// `ymin`, `ymax`, `zmin` and `zmax`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_box")]
pub struct Brick {
    /// Corner with the smallest coordinates.
    pub from: Point,
    /// Opposite corner, with the largest coordinates.
    pub to: Point,
    /// Maximum cell size: one length, or three along x, y and z.
    pub cell_size: CellSize,
    /// Name of the volume outside all `regions`.
    #[serde(default = "air")]
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Boxes inside that form separate volumes; where they overlap, the later one applies. The boundary of each is a surface of
    /// the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Part>,
    /// Rectangles that form separate surfaces: `from` and `to` are equal along exactly one axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sheets: Vec<Part>,
}

/// Named axis-aligned box or rectangle.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_box_part")]
pub struct Part {
    /// Name of the volume or surface.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Corner with the smallest coordinates.
    pub from: Point,
    /// Opposite corner, with the largest coordinates.
    pub to: Point,
}

/// Maximum cell size: `"0.25 m"`, or `["0.25 m", "0.25 m", "0.1 m"]` along x, y and z.
///
/// ```
/// use phasefront_case::model::dgtd::CellSize;
/// let cube: CellSize = serde_json::from_str(r#""25 cm""#).unwrap();
/// assert_eq!(cube.si(), [0.25; 3]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellSize {
    /// The same along all axes.
    One(Length),
    /// Along x, y and z.
    Three(Point),
}

fn air() -> String {
    "air".into()
}

impl CellSize {
    /// Cell sizes along x, y and z, in meters.
    pub fn si(self) -> [f64; 3] {
        match self {
            Self::One(all) => [all.si(); 3],
            Self::Three(three) => three.si(),
        }
    }
}

impl Brick {
    /// Rejects degenerate boxes; the mesher checks whether regions and sheets lie inside.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if self.cell_size.si().iter().any(|&side| side <= 0.0) {
            return Err(FieldError::new(
                "geometry.box.cell_size",
                "the cell size must be positive",
                "write for example `cell_size = \"0.25 m\"`",
            ));
        }
        check_corners("geometry.box", self.from, self.to, 0)?;
        check_group("geometry.box.name", &self.name)?;
        for (key, parts, flat) in [("regions", &self.regions, 0), ("sheets", &self.sheets, 1)] {
            for (i, part) in parts.iter().enumerate() {
                let path = format!("geometry.box.{key}[{i}]");
                check_group(&format!("{path}.name"), &part.name)?;
                check_corners(&path, part.from, part.to, flat)?;
            }
        }
        Ok(())
    }
}

pub(super) fn check_group(path: &str, name: &str) -> Result<(), FieldError> {
    if name.is_empty() {
        let advice = "give it a name such as \"slab\": materials and boundaries refer to it";
        return Err(FieldError::new(path, "the name is empty", advice));
    }
    Ok(())
}

/// Rejects corners in the wrong order, or equal along more or fewer than `flat` axes.
pub(super) fn check_corners(path: &str, from: Point, to: Point, flat: usize) -> Result<(), FieldError> {
    let sides: Vec<f64> = from.si().iter().zip(to.si()).map(|(from, to)| to - from).collect();
    if let Some(axis) = sides.iter().position(|&side| side < 0.0) {
        return Err(FieldError::new(
            format!("{path}.to[{axis}]"),
            format!("`to` is smaller than `from` along {}", ["x", "y", "z"][axis]),
            "`from` has the smallest coordinates, `to` the largest: swap the two values",
        ));
    }
    if sides.iter().filter(|&&side| side == 0.0).count() == flat {
        return Ok(());
    }
    let (message, advice) = if flat == 0 {
        ("the box has no volume: `from` and `to` are equal along an axis", "move one of the corners")
    } else {
        ("this is not a rectangle", "make `from` and `to` equal along exactly one axis")
    };
    Err(FieldError::new(format!("{path}.to"), message, advice))
}

struct CellSizeVisitor;

impl<'de> Visitor<'de> for CellSizeVisitor {
    type Value = CellSize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a length such as \"0.25 m\", or a list of three lengths")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<CellSize, E> {
        Length::deserialize(serde::de::value::StrDeserializer::new(text)).map(CellSize::One)
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<CellSize, E> {
        Length::deserialize(serde::de::value::F64Deserializer::new(value)).map(CellSize::One)
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<CellSize, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<CellSize, E> {
        self.visit_f64(value as f64)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<CellSize, A::Error> {
        Point::deserialize(serde::de::value::SeqAccessDeserializer::new(seq)).map(CellSize::Three)
    }
}

impl<'de> Deserialize<'de> for CellSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellSizeVisitor)
    }
}

impl Serialize for CellSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(all) => all.serialize(serializer),
            Self::Three(three) => three.serialize(serializer),
        }
    }
}

impl JsonSchema for CellSize {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_cell_size".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (one, three) = (generator.subschema_for::<Length>(), generator.subschema_for::<Point>());
        json_schema!({ "anyOf": [one, three] })
    }
}
