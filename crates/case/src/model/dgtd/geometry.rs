//! `[geometry]`: the mesh, from a file or a box made here, and what its volumes and surfaces are.

use super::{Boundary, Brick, Material};
use crate::model::{MeshUnits, Two};
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The mesh, and what its volumes and surfaces are. Give `mesh` with its `units`, or `box`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_geometry")]
#[schemars(extend("oneOf" = [{ "required": ["mesh", "units"] }, { "required": ["box"] }]))]
pub struct Geometry {
    /// A Gmsh mesh of tetrahedra with named groups, relative to the case file: .msh. Give this or `box`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub mesh: Option<String>,
    /// The unit of the mesh's coordinates, which no file tells. Needed with `mesh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MeshUnits")]
    pub units: Option<MeshUnits>,
    /// A box that is cut into tetrahedra here. Give this or `mesh`.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Brick")]
    pub brick: Option<Brick>,
    /// What each volume is made of, by the name of its group. `air`, `vacuum` and the absorbing layers `pml*` are vacuum unless
    /// they stand here.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// What each surface is, by the name of its group. The outside of absorbing layers needs no entry.
    #[serde(default)]
    pub boundaries: BTreeMap<String, Boundary>,
    /// Pairs of surfaces, one shifted against the other, that are joined: what leaves by one comes in by the other.
    #[serde(default)]
    pub periodic: Vec<Two<String>>,
}

impl Geometry {
    /// Checks what belongs together.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        match (&self.mesh, &self.brick) {
            (None, None) => Err(FieldError::new(
                "geometry",
                "there is no mesh",
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
                "`units` goes with a mesh file, and this mesh is a box made here",
                "remove it: the lengths of a box carry their own units",
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
            let advice = "give its path from the case file";
            return Err(FieldError::new("geometry.mesh", "the name of the file is empty", advice));
        }
        if self.units.is_none() {
            return Err(FieldError::new(
                "geometry.units",
                format!("the unit of the coordinates in {mesh} is missing, and no mesh file tells it"),
                "add for example `units = \"m\"`; it may be \"um\", \"mm\", \"cm\", \"m\", \"in\" or \"ft\"",
            ));
        }
        Ok(())
    }

    fn check_periodic(&self) -> Result<(), FieldError> {
        let mut joined = BTreeSet::new();
        for (i, pair) in self.periodic.iter().enumerate() {
            for (side, name) in [&pair.x, &pair.y].into_iter().enumerate() {
                if self.boundaries.contains_key(name) {
                    return Err(FieldError::new(
                        format!("geometry.boundaries.{name}"),
                        format!("the surface \"{name}\" is joined to another one by `periodic`"),
                        "a surface has one meaning: remove it here or there",
                    ));
                }
                if !joined.insert(name) {
                    return Err(FieldError::new(
                        format!("geometry.periodic[{i}][{side}]"),
                        format!("the surface \"{name}\" is joined twice"),
                        "join each surface to one other, for example [[\"xmin\", \"xmax\"], [\"ymin\", \"ymax\"]]",
                    ));
                }
            }
        }
        Ok(())
    }
}
