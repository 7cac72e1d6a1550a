//! Tables whose keys depend on the value of one of them.

use toml::de::ValueDeserializer;

/// A table whose keys depend on the value of one of them.
///
/// serde buffers such a table and forgets the places in it; with these the parser reads the chosen struct
/// straight from the document and so finds the place of the error again.
pub(crate) struct Tagged {
    /// Path of the table, or of the list of these tables.
    pub path: &'static str,
    /// The key that chooses.
    pub tag: &'static str,
    /// What it may choose.
    pub variants: &'static [Variant],
}

/// One choice of a [`Tagged`] table.
pub(crate) struct Variant {
    /// The value of the tag.
    pub name: &'static str,
    /// Reads the table without its tag.
    pub read: fn(ValueDeserializer<'_>) -> Result<(), toml::de::Error>,
}
