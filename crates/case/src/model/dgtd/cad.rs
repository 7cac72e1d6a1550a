//! CAD files of a model that Gmsh meshes: one file name, or a list of files with their settings.

use crate::model::MeshUnits;
use crate::model::checks::check_positive;
use phasefront_core::{FieldError, Length};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// CAD file with its settings.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_cad")]
pub struct Cad {
    /// STEP (.step, .stp), IGES (.iges, .igs), BREP (.brep) or STL file (.stl, one closed body); path relative to the case file.
    #[schemars(extend("minLength" = 1))]
    pub file: String,
    /// Unit of its coordinates: required for STL, millimeters by default for BREP. STEP and IGES files have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MeshUnits")]
    pub units: Option<MeshUnits>,
    /// One name for all bodies and sheets of the file. Default: the names in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub name: Option<String>,
    /// Other names for bodies and sheets, keyed by the name in the file or by the color, `"#ff8000"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// Maximum element size in its bodies. Default: from the wavelength in their materials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
    /// Element size at the sharp edges of its conductors. Default: from their width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Kind of a CAD file, by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CadKind {
    /// STEP.
    Step,
    /// IGES.
    Iges,
    /// OpenCASCADE's own.
    Brep,
    /// Triangles.
    Stl,
}

impl CadKind {
    /// Its usual extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Iges => "iges",
            Self::Brep => "brep",
            Self::Stl => "stl",
        }
    }
}

impl Cad {
    /// Its kind; none for other files.
    pub fn kind(&self) -> Option<CadKind> {
        match self.file.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "step" | "stp" => Some(CadKind::Step),
            "iges" | "igs" => Some(CadKind::Iges),
            "brep" | "brp" => Some(CadKind::Brep),
            "stl" => Some(CadKind::Stl),
            _ => None,
        }
    }

    /// Rejects files that are not CAD, and units that are missing or already in the file; `path` is its place in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let wrong = |key: &str, message: String, advice: &str| {
            Err(FieldError::new(format!("{path}{key}"), message, advice))
        };
        for (key, size) in [("cell_size", self.cell_size), ("edge_size", self.edge_size)] {
            if let Some(size) = size {
                let advice = format!("write for example `{key} = \"1 mm\"`");
                check_positive(format!("{path}.{key}"), "the element size", size.si(), advice)?;
            }
        }
        match (self.kind(), self.units) {
            (None, _) => wrong(
                "",
                format!("\"{}\" is not a CAD file that can be read", self.file),
                "give a STEP (.step, .stp), IGES (.iges, .igs), BREP (.brep) or STL file (.stl)",
            ),
            (Some(CadKind::Stl), None) => wrong(
                "",
                format!("the unit of the coordinates in {} is missing; STL files do not store it", self.file),
                "write for example `cad = [{ file = \"body.stl\", units = \"mm\", name = \"body\" }]`",
            ),
            (Some(CadKind::Step | CadKind::Iges), Some(_)) => {
                wrong(".units", format!("{} stores its own unit", self.file), "remove `units`")
            }
            _ => Ok(()),
        }
    }
}

/// CAD files: one file name such as `"part.step"`, or a list of [`Cad`].
///
/// ```
/// use phasefront_case::model::dgtd::CadFiles;
/// let one: CadFiles = serde_json::from_str("\"part.step\"").unwrap();
/// assert_eq!(one.0[0].file, "part.step");
/// let list: CadFiles = serde_json::from_str("[{ \"file\": \"ball.stl\", \"units\": \"mm\" }]").unwrap();
/// assert_eq!(list.0.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CadFiles(pub Vec<Cad>);

impl CadFiles {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct FilesVisitor;

impl<'de> Visitor<'de> for FilesVisitor {
    type Value = CadFiles;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file name such as \"part.step\", or a list of { file, ... }")
    }

    fn visit_str<E: Error>(self, file: &str) -> Result<CadFiles, E> {
        Ok(CadFiles(vec![Cad { file: file.to_owned(), ..Cad::default() }]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<CadFiles, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(CadFiles)
    }
}

impl<'de> Deserialize<'de> for CadFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilesVisitor)
    }
}

impl Serialize for CadFiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for CadFiles {
    fn schema_name() -> Cow<'static, str> {
        "dgtd_cad_files".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<Cad>();
        json_schema!({
            "description": "One file name such as \"part.step\", or a list of files with their settings.",
            "anyOf": [{ "type": "string", "minLength": 1 }, { "type": "array", "items": one, "minItems": 1 }],
        })
    }
}
