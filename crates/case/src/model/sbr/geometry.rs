//! `[geometry]`: the target, a mesh file or a built-in shape, and its materials.

use super::{Material, Target};
use crate::model::angles::degrees;
use crate::model::{MeshUnits, Rotation};
use phasefront_core::{Angle, FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Default weld tolerance, relative to the size of the mesh. Single-precision coordinates, as in binary STL, have rounding errors
/// of up to 6e-8 of the largest one.
const WELD_TOLERANCE: f64 = 3e-7;
/// Maximum weld tolerance: larger values distort the geometry.
const MAX_WELD_TOLERANCE: f64 = 0.01;

/// Target geometry and materials. Give `mesh` with its `units`, or `target`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "sbr_geometry")]
#[schemars(extend("oneOf" = [{ "required": ["mesh", "units"] }, { "required": ["target"] }]))]
pub struct Geometry {
    /// Triangle mesh file (.stl, .obj, .ply, .unv, .msh, .inp, .glb or .gltf); path relative to the case file. Give this or `target`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub mesh: Option<String>,
    /// Unit of the mesh coordinates. Required with `mesh`, since mesh files do not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MeshUnits")]
    pub units: Option<MeshUnits>,
    /// Distance below which vertices are merged, relative to the size of the mesh. Applies to `mesh` only. Default: 3e-7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0, "maximum" = MAX_WELD_TOLERANCE))]
    pub weld_tolerance: Option<f64>,
    /// Treatment of triangles with inconsistent orientation. Applies to `mesh` only. Default: "fix".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Winding")]
    pub winding: Option<Winding>,
    /// Built-in target, selected by its `shape`. Give this or `mesh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Target")]
    pub target: Option<Target>,
    /// What the facets of the mesh stand for.
    #[serde(default)]
    pub surface: SurfaceModel,
    /// Turn of the surface from which an edge of the mesh is one of the target: it diffracts and stays sharp.
    #[serde(default = "default_edge_angle")]
    pub edge_angle: Angle,
    /// Factor by which the target is enlarged, as for scale models.
    #[serde(default = "unscaled")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// Rotations of the target about the coordinate axes, applied in order. Default: none.
    #[serde(default)]
    pub rotation: Vec<Rotation>,
    /// Materials, keyed by mesh group. Groups not listed are PEC. A built-in target has one group, `body`.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
}

/// 30 degrees: a cylinder of more than twelve facets is round.
fn default_edge_angle() -> Angle {
    degrees(30)
}

fn unscaled() -> f64 {
    1.0
}

/// What the facets of a mesh stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_surface_model")]
pub enum SurfaceModel {
    /// Where facets meet at small angles one after the other, a curved surface through their vertices; flat faces and sharp edges
    /// stay.
    #[default]
    Interpolated,
    /// The facets themselves.
    Facets,
}

/// Treatment of triangles with inconsistent orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_winding")]
pub enum Winding {
    /// Reverse their orientation and report their number.
    #[default]
    Fix,
    /// Reject the mesh.
    Reject,
}

impl Geometry {
    /// Validates keys that depend on each other and resolves the defaults for mesh files.
    pub(super) fn complete(&mut self) -> Result<(), FieldError> {
        match (&self.mesh, &self.target) {
            (None, None) => Err(FieldError::new(
                "geometry",
                "no target is given",
                "add a mesh, `mesh = \"ship.stl\"` with `units = \"mm\"`, or a built-in target, \
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
            (None, Some(_)) => self.check_mesh_keys(),
        }?;
        if !(self.edge_angle.si() > 0.0 && self.edge_angle.si() <= PI) {
            return Err(FieldError::new(
                "geometry.edge_angle",
                "the edge angle must be above 0 and at most 180 deg",
                "write for example `edge_angle = \"30 deg\"`, the default",
            ));
        }
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(FieldError::new(
                "geometry.scale",
                "the scale must be above zero",
                "write for example `scale = 0.1` for a tenth of the size",
            ));
        }
        self.materials
            .iter()
            .try_for_each(|(group, material)| material.check(&format!("geometry.materials.{group}")))
    }

    fn check_mesh_keys(&self) -> Result<(), FieldError> {
        let keys = [
            ("units", self.units.is_some()),
            ("weld_tolerance", self.weld_tolerance.is_some()),
            ("winding", self.winding.is_some()),
        ];
        match keys.iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(FieldError::new(
                format!("geometry.{key}"),
                format!("`{key}` applies to mesh files only, and this target is built in"),
                "remove it: the dimensions of built-in targets have their own units",
            )),
            None => Ok(()),
        }
    }
}

fn check_mesh(mesh: &str, units: Option<MeshUnits>, weld_tolerance: Option<f64>) -> Result<(), FieldError> {
    if mesh.is_empty() {
        let advice = "give its path relative to the case file";
        return Err(FieldError::new("geometry.mesh", "the file name is empty", advice));
    }
    if units.is_none() {
        return Err(FieldError::new(
            "geometry.units",
            format!("the unit of the coordinates in {mesh} is missing; mesh files do not store it"),
            "add for example `units = \"mm\"`; the allowed units are \"um\", \"mm\", \"cm\", \"m\", \"in\" and \"ft\"",
        ));
    }
    if weld_tolerance.is_some_and(|weld_tolerance| !(0.0..=MAX_WELD_TOLERANCE).contains(&weld_tolerance)) {
        return Err(FieldError::new(
            "geometry.weld_tolerance",
            format!(
                "the weld tolerance must be from 0 to {MAX_WELD_TOLERANCE}, relative to the size of the mesh"
            ),
            "write for example `weld_tolerance = 1e-5`, or omit it",
        ));
    }
    Ok(())
}
