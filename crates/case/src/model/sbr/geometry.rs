//! `[geometry]`: the target, as a mesh file or made in code, and what it is made of.

use super::{Material, Target};
use crate::model::MeshUnits;
use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Vertices closer than this, relative to the size of the mesh, are one, unless a case says otherwise. Coordinates in single
/// precision, as binary STL has them, are off by up to 6e-8 of the largest one.
const WELD_TOLERANCE: f64 = 3e-7;
/// The most that vertices may be moved: with more, bodies lose their shape.
const MAX_WELD_TOLERANCE: f64 = 0.01;

/// The target. Give `mesh` with its `units`, or `target`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_geometry")]
#[schemars(extend("oneOf" = [{ "required": ["mesh", "units"] }, { "required": ["target"] }]))]
pub struct Geometry {
    /// A mesh of triangles, relative to the case file: .stl, .obj, .ply, .unv or .msh. Give this or `target`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub mesh: Option<String>,
    /// The unit of the mesh's coordinates, which no file tells. Needed with `mesh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MeshUnits")]
    pub units: Option<MeshUnits>,
    /// How far vertices that are one may be apart, relative to the size of the mesh; 3e-7 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0, "maximum" = MAX_WELD_TOLERANCE))]
    pub weld_tolerance: Option<f64>,
    /// What becomes of triangles whose normals point the wrong way; they are turned over if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Winding")]
    pub winding: Option<Winding>,
    /// A target made in code, chosen by its `shape`. Give this or `mesh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Target")]
    pub target: Option<Target>,
    /// Turns about the axes, one after the other; none if left out.
    #[serde(default)]
    pub rotation: Vec<Rotation>,
    /// What each group of the mesh is made of, by the name of the group; what is not here conducts. A target has one group, `body`.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
}

/// What becomes of triangles whose normals point the wrong way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_winding")]
pub enum Winding {
    /// They are turned over, and counted.
    #[default]
    Fix,
    /// The mesh is refused.
    Refuse,
}

/// A turn about an axis through the origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_rotation")]
pub struct Rotation {
    /// Which axis.
    pub axis: Axis,
    /// By how much, counter-clockwise as seen from the axis's tip.
    pub angle: Angle,
}

/// An axis of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "axis")]
pub enum Axis {
    /// x.
    X,
    /// y.
    Y,
    /// z.
    Z,
}

impl Geometry {
    /// Checks what belongs together, and fills in what a mesh file is read with.
    pub(super) fn complete(&mut self) -> Result<(), FieldError> {
        match (&self.mesh, &self.target) {
            (None, None) => Err(FieldError::new(
                "geometry",
                "there is no target",
                "add a mesh, `mesh = \"ship.stl\"` with `units = \"mm\"`, or a target made in code, \
                 `target = { shape = \"sphere\", radius = \"1 m\" }`",
            )),
            (Some(_), Some(_)) => Err(FieldError::new(
                "geometry.target",
                "`mesh` and `target` cannot both be given",
                "keep one of them",
            )),
            (Some(mesh), None) => {
                check_mesh(mesh, self.units, self.weld_tolerance)?;
                self.weld_tolerance.get_or_insert(WELD_TOLERANCE);
                self.winding.get_or_insert_default();
                Ok(())
            }
            (None, Some(_)) => self.check_keys_of_meshes(),
        }?;
        self.materials
            .iter()
            .try_for_each(|(group, material)| material.check(&format!("geometry.materials.{group}")))
    }

    fn check_keys_of_meshes(&self) -> Result<(), FieldError> {
        let keys = [
            ("units", self.units.is_some()),
            ("weld_tolerance", self.weld_tolerance.is_some()),
            ("winding", self.winding.is_some()),
        ];
        match keys.iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(FieldError::new(
                format!("geometry.{key}"),
                format!("`{key}` goes with a mesh file, and this target is made in code"),
                "remove it: sizes of targets carry their own units",
            )),
            None => Ok(()),
        }
    }
}

fn check_mesh(mesh: &str, units: Option<MeshUnits>, weld_tolerance: Option<f64>) -> Result<(), FieldError> {
    if mesh.is_empty() {
        let advice = "give its path from the case file";
        return Err(FieldError::new("geometry.mesh", "the name of the file is empty", advice));
    }
    if units.is_none() {
        return Err(FieldError::new(
            "geometry.units",
            format!("the unit of the coordinates in {mesh} is missing, and no mesh file tells it"),
            "add for example `units = \"mm\"`; it may be \"um\", \"mm\", \"cm\", \"m\", \"in\" or \"ft\"",
        ));
    }
    if weld_tolerance.is_some_and(|weld_tolerance| !(0.0..=MAX_WELD_TOLERANCE).contains(&weld_tolerance)) {
        return Err(FieldError::new(
            "geometry.weld_tolerance",
            format!("it is a part of the size of the mesh, from 0 to {MAX_WELD_TOLERANCE}"),
            "write for example `weld_tolerance = 1e-5`, or leave it out",
        ));
    }
    Ok(())
}
