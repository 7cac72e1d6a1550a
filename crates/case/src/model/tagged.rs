//! Tagged tables: the value of one key, the tag, determines the other keys.

use toml::de::ValueDeserializer;

/// Table in which the value of one key, the tag, determines the other keys.
///
/// serde buffers such tables and loses the source spans; with this description the parser deserializes the selected
/// struct directly from the document and recovers the span of the error.
pub(crate) struct Tagged {
    /// Path of the table, or of the list of these tables.
    pub path: &'static str,
    /// The tag.
    pub tag: &'static str,
    /// Allowed values of the tag.
    pub variants: &'static [Variant],
}

/// One variant of a [`Tagged`] table.
pub(crate) struct Variant {
    /// Value of the tag.
    pub name: &'static str,
    /// Deserializes the table without its tag.
    pub read: fn(ValueDeserializer<'_>) -> Result<(), toml::de::Error>,
}
