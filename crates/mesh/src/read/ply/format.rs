//! Declarations of a PLY header: elements, their properties, numeric types.

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Binary { big_endian: bool },
}

/// A type of number. All of them fit into f64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// An element type of the file, such as `vertex` or `face`.
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

/// A scalar property, or a list property with the type of its length.
pub(super) enum Property {
    One(String, Kind),
    List(String, Kind, Kind),
}

impl Property {
    pub fn name(&self) -> &str {
        match self {
            Self::One(name, _) | Self::List(name, ..) => name,
        }
    }
}
