//! The unit of a file's coordinates.

use crate::error::MeshError;

/// The unit of the coordinates in a mesh file. No format states it, so the caller must.
///
/// ```
/// use phasefront_mesh::Units;
///
/// assert_eq!(Units::parse("mm").unwrap(), Units::Millimeters);
/// assert_eq!(Units::Inches.in_meters(), 0.0254);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// µm.
    Micrometers,
    /// mm.
    Millimeters,
    /// cm.
    Centimeters,
    /// m.
    Meters,
    /// Inches of 25.4 mm.
    Inches,
    /// Feet of twelve inches.
    Feet,
}

const NAMES: [(&str, Units); 6] = [
    ("um", Units::Micrometers),
    ("mm", Units::Millimeters),
    ("cm", Units::Centimeters),
    ("m", Units::Meters),
    ("in", Units::Inches),
    ("ft", Units::Feet),
];

impl Units {
    /// The unit of this name: `um`, `mm`, `cm`, `m`, `in` or `ft`.
    pub fn parse(name: &str) -> Result<Self, MeshError> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|&(_, units)| units).ok_or_else(|| {
            MeshError::geometry(
                format!("{name:?} is not a unit of length"),
                "give the unit of the file's coordinates: \"um\", \"mm\", \"cm\", \"m\", \"in\" or \"ft\"",
            )
        })
    }

    /// How long one of them is in meters.
    pub fn in_meters(self) -> f64 {
        match self {
            Self::Micrometers => 1e-6,
            Self::Millimeters => 1e-3,
            Self::Centimeters => 1e-2,
            Self::Meters => 1.0,
            // Exact by definition since 1959.
            Self::Inches => 0.0254,
            Self::Feet => 0.3048,
        }
    }
}
