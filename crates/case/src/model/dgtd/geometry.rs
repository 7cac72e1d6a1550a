//! `[geometry]`: the mesh, from a file or a built-in box mesher, its materials and boundary conditions.

use super::{Boundary, Brick, Material};
use crate::model::{MeshUnits, Two};
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Mesh, materials and boundary conditions. Give `mesh` with its `units`, or `box`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_geometry")]
#[schemars(extend("oneOf" = [{ "required": ["mesh", "units"] }, { "required": ["box"] }]))]
pub struct Geometry {
    /// Gmsh file (.msh) with a tetrahedral mesh and named physical groups; path relative to the case file. Give this or `box`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub mesh: Option<String>,
    /// Unit of the mesh coordinates. Required with `mesh`, since mesh files do not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MeshUnits")]
    pub units: Option<MeshUnits>,
    /// Rectangular box, meshed with tetrahedra by the solver. Give this or `mesh`.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Brick")]
    pub brick: Option<Brick>,
    /// Materials, keyed by the physical group of the volume. Volumes named `air`, `vacuum` or `pml*` are vacuum unless listed
    /// here; every other volume must be listed.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// Boundary conditions, keyed by the physical group of the surface. The outer surface of a PML needs none.
    #[serde(default)]
    pub boundaries: BTreeMap<String, Boundary>,
    /// Pairs of surfaces with periodic boundary conditions. The two surfaces of a pair are translates of each other.
    #[serde(default)]
    pub periodic: Vec<Two<String>>,
}

impl Geometry {
    /// Validates keys that depend on each other.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        match (&self.mesh, &self.brick) {
            (None, None) => Err(FieldError::new(
                "geometry",
                "no mesh is given",
                "add a Gmsh file, `mesh = \"sphere.msh\"` with `units = \"m\"`, or a box, \
                 `box = { from = [\"0 m\", \"0 m\", \"0 m\"], to = [\"1 m\", \"1 m\", \"1 m\"], cell_size = \"0.25 m\" }`",
            )),
            (Some(_), Some(_)) => Err(FieldError::new(
                "geometry.box",
                "`mesh` and `box` cannot both be given",
                "keep one of them",
            )),
            (Some(mesh), None) => self.check_mesh(mesh),
            (None, Some(_)) if self.units.is_some() => Err(FieldError::new(
                "geometry.units",
                "`units` applies to mesh files only, and this case defines a `box`",
                "remove it: the lengths of a box have their own units",
            )),
            (None, Some(brick)) => brick.check(),
        }?;
        for (group, material) in &self.materials {
            material.check(&format!("geometry.materials.{group}"))?;
        }
        for (group, boundary) in &self.boundaries {
            boundary.check(&format!("geometry.boundaries.{group}"))?;
        }
        self.check_periodic()
    }

    fn check_mesh(&self, mesh: &str) -> Result<(), FieldError> {
        if mesh.is_empty() {
            let advice = "give its path relative to the case file";
            return Err(FieldError::new("geometry.mesh", "the file name is empty", advice));
        }
        if self.units.is_none() {
            return Err(FieldError::new(
                "geometry.units",
                format!("the unit of the coordinates in {mesh} is missing; mesh files do not store it"),
                "add for example `units = \"m\"`; the allowed units are \"um\", \"mm\", \"cm\", \"m\", \"in\" and \"ft\"",
            ));
        }
        Ok(())
    }

    fn check_periodic(&self) -> Result<(), FieldError> {
        let mut paired = BTreeSet::new();
        for (i, pair) in self.periodic.iter().enumerate() {
            for (side, name) in [&pair.x, &pair.y].into_iter().enumerate() {
                if self.boundaries.contains_key(name) {
                    return Err(FieldError::new(
                        format!("geometry.boundaries.{name}"),
                        format!("the surface \"{name}\" is also listed in `periodic`"),
                        "a surface has one boundary condition: remove it from `boundaries` or from `periodic`",
                    ));
                }
                if !paired.insert(name) {
                    return Err(FieldError::new(
                        format!("geometry.periodic[{i}][{side}]"),
                        format!("the surface \"{name}\" is listed twice"),
                        "pair each surface with exactly one other, for example [[\"xmin\", \"xmax\"], [\"ymin\", \"ymax\"]]",
                    ));
                }
            }
        }
        Ok(())
    }
}
