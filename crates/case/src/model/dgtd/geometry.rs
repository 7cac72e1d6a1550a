//! `[geometry]`: the mesh, from a file, of solids, sheets and CAD files that Gmsh meshes, or from a built-in box mesher, its materials and boundary conditions.

use super::{Boundary, Brick, CadFiles, Lumped, Material, Planes, Refinement, SheetShape, Solid, Space, ThinWire};
use crate::model::{MeshUnits, Two};
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Mesh, materials and boundary conditions. Give `mesh` with its `units`, or `solids`, `sheets` and `cad`, or `box`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_geometry")]
#[schemars(extend("oneOf" = [
    { "required": ["mesh", "units"] },
    { "anyOf": [
        { "required": ["solids"] }, { "required": ["sheets"] }, { "required": ["cad"] },
        { "required": ["thin_wires"], "not": { "anyOf": [{ "required": ["mesh"] }, { "required": ["box"] }] } },
    ] },
    { "required": ["box"] },
]))]
pub struct Geometry {
    /// Gmsh file (.msh) or MFEM file (.mesh) with a volume mesh and named physical groups, or
    /// attributes; path relative to the case file. Give this, `box`, or any of `solids`, `sheets` and `cad`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub mesh: Option<String>,
    /// Unit of the mesh coordinates. Required with `mesh`, since mesh files do not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MeshUnits")]
    pub units: Option<MeshUnits>,
    /// Axis-aligned box, meshed with tetrahedra by the solver. Give this, `mesh`, or any of `solids`, `sheets` and `cad`.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Brick")]
    pub brick: Option<Brick>,
    /// Solids, meshed by Gmsh; where they overlap, the later one applies. A solid whose name is in `boundaries` is a body with that
    /// boundary condition on its surface; any other is a volume whose material is in `materials`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solids: Vec<Solid>,
    /// Infinitely thin sheets, meshed by Gmsh: conductors, resistive sheets, ports. Where they overlap, the later one applies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sheets: Vec<SheetShape>,
    /// CAD files, meshed by Gmsh: one name such as "part.step", or a list. Where bodies and
    /// `solids` overlap, the later one applies, with the bodies first. Each body has the material or boundary condition of its name.
    /// Surfaces that bound no body are sheets.
    #[serde(default, skip_serializing_if = "CadFiles::is_empty")]
    pub cad: CadFiles,
    /// Element sizes in regions, which replace the automatic ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refine: Vec<Refinement>,
    /// Air between the solids and sheets and the PML around them: a length, with `lambda` the wavelength at the lowest frequency;
    /// `false` for a closed model, whose boundary is that of its solids. Default: "0.25 lambda".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Space")]
    pub space: Option<Space>,
    /// Planes of symmetry and infinite grounds of a model of solids and sheets, by the side of the model that each one is and its
    /// coordinate: `{ zmin = "0 mm" }`. Their boundary conditions are in `boundaries`, by the same names.
    #[serde(default, skip_serializing_if = "Planes::is_empty")]
    pub planes: Planes,
    /// Materials, keyed by the physical group of the volume. Volumes named `air`, `vacuum` or `pml*` are vacuum unless listed
    /// here; every other volume must be listed.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// Boundary conditions, keyed by the physical group of the surface. The outer surface of a PML needs none.
    #[serde(default)]
    pub boundaries: BTreeMap<String, Boundary>,
    /// Lumped resistors, inductors and capacitors between conductors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lumped: Vec<Lumped>,
    /// Wires that the mesh does not resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thin_wires: Vec<ThinWire>,
    /// Pairs of surfaces with periodic boundary conditions. The two surfaces of a pair are translates of each other.
    #[serde(default)]
    pub periodic: Vec<Two<String>>,
    /// Surfaces on flat outer PEC walls that are symmetry planes, with the mirrored half of the model behind them. The far field
    /// takes other flat outer PEC walls as infinite ground planes, and PMC walls as symmetry planes.
    #[serde(default)]
    pub symmetry: Vec<String>,
}

/// The closed surface around a model of solids and sheets, in the air: of the far field, and of a plane wave.
pub const HUYGENS: &str = "huygens";
/// Volumes whose names begin so absorb: a solid must not by accident.
const PML: &str = "pml";

/// Whether a volume of this name is vacuum unless a material says otherwise.
pub fn is_vacuum(name: &str) -> bool {
    ["air", "vacuum"].contains(&name.to_lowercase().as_str())
}

impl Geometry {
    /// Validates keys that depend on each other.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        let is_drawn = self.is_drawn();
        if let (false, Some(_)) = (is_drawn, self.space) {
            return Err(FieldError::new(
                "geometry.space",
                "`space` applies to `solids`, `sheets` and `cad` only",
                "remove it: a mesh or a box has its own boundary",
            ));
        }
        if !is_drawn && !self.refine.is_empty() {
            return Err(FieldError::new(
                "geometry.refine",
                "`refine` applies to `solids`, `sheets` and `cad` only",
                "remove it: the element sizes of a mesh file are fixed, and a box has `cell_size`",
            ));
        }
        self.check_planes()?;
        match (&self.mesh, &self.brick) {
            (Some(_), _) | (_, Some(_)) if is_drawn => Err(FieldError::new(
                self.drawn_key(),
                "solids, sheets and CAD files cannot be added to a `mesh` or a `box`",
                "keep one of them; a box has `regions` and `sheets` of its own",
            )),
            (None, None) if is_drawn => self.check_drawing(),
            (None, None) => Err(FieldError::new(
                "geometry",
                "no mesh is given",
                "add a Gmsh file, `mesh = \"sphere.msh\"` with `units = \"m\"`, or a box, \
                 `box = { from = [\"0 m\", \"0 m\", \"0 m\"], to = [\"1 m\", \"1 m\", \"1 m\"], cell_size = \"0.25 m\" }`, \
                 or draw it with `solids` and `sheets`, such as \
                 `solids = [{ name = \"ball\", shape = \"sphere\", center = [\"0 m\", \"0 m\", \"0 m\"], radius = \"1 m\" }]`",
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
        for (i, wire) in self.thin_wires.iter().enumerate() {
            let path = format!("geometry.thin_wires[{i}]");
            wire.check(&path)?;
            if self.thin_wires[..i].iter().any(|other| other.name == wire.name) {
                return Err(FieldError::new(
                    format!("{path}.name"),
                    format!("there is another thin wire \"{}\"", wire.name),
                    "give each a name of its own",
                ));
            }
        }
        for (i, lumped) in self.lumped.iter().enumerate() {
            let path = format!("geometry.lumped[{i}]");
            lumped.check(&path)?;
            if self.boundaries.contains_key(&lumped.surface) {
                return Err(FieldError::new(
                    format!("{path}.surface"),
                    format!("the surface \"{}\" also has a boundary condition", lumped.surface),
                    "remove it from `boundaries`, or give the element a surface of its own",
                ));
            }
        }
        self.check_periodic()
    }

    /// Whether it is drawn with space around them, which ends in a PML.
    pub fn has_space(&self) -> bool {
        self.is_drawn() && self.space != Some(Space::Closed)
    }

    /// Whether a name is one of the space around a drawn model.
    pub fn is_reserved(&self, name: &str) -> bool {
        name == HUYGENS || name.starts_with(PML) || self.planes.names().any(|plane| plane == name)
    }

    /// Whether it is made of solids, sheets and CAD files, or of thin wires alone.
    pub fn is_drawn(&self) -> bool {
        let only_wires = !self.thin_wires.is_empty() && self.mesh.is_none() && self.brick.is_none();
        !(self.solids.is_empty() && self.sheets.is_empty() && self.cad.is_empty()) || only_wires
    }

    /// The key that a model is drawn with, for messages on all of it.
    pub fn drawn_key(&self) -> &'static str {
        match (self.cad.is_empty(), self.solids.is_empty(), self.sheets.is_empty()) {
            (false, _, _) => "geometry.cad",
            (true, false, _) => "geometry.solids",
            (true, true, false) => "geometry.sheets",
            (true, true, true) => "geometry.thin_wires",
        }
    }

    fn check_planes(&self) -> Result<(), FieldError> {
        let Some(first) = self.planes.names().next() else { return Ok(()) };
        if !self.has_space() {
            return Err(FieldError::new(
                "geometry.planes",
                "`planes` applies to the space around `solids`, `sheets` and `cad` only",
                format!(
                    "give outer surfaces a boundary condition, such as `boundaries = {{ {first} = \"pec\" }}`, and remove it"
                ),
            ));
        }
        self.planes.check()?;
        match self.planes.names().find(|name| !self.boundaries.contains_key(*name)) {
            Some(name) => Err(FieldError::new(
                format!("geometry.planes.{name}"),
                "the plane has no boundary condition",
                format!(
                    "add `boundaries = {{ {name} = \"pec\" }}` for an infinite ground, or `\"pmc\"` for a plane of symmetry"
                ),
            )),
            None => Ok(()),
        }
    }

    fn check_drawing(&self) -> Result<(), FieldError> {
        for (i, solid) in self.solids.iter().enumerate() {
            solid.check(&format!("geometry.solids[{i}]"))?;
        }
        for (i, cad) in self.cad.0.iter().enumerate() {
            cad.check(&format!("geometry.cad[{i}]"))?;
        }
        for (i, refinement) in self.refine.iter().enumerate() {
            refinement.check(&format!("geometry.refine[{i}]"))?;
        }
        for (i, sheet) in self.sheets.iter().enumerate() {
            sheet.check(&format!("geometry.sheets[{i}]"))?;
        }
        let solids = self.solids.iter().map(Solid::name).enumerate().map(|(i, name)| ("solids", i, name));
        let sheets =
            self.sheets.iter().map(SheetShape::name).enumerate().map(|(i, name)| ("sheets", i, name));
        for (key, i, name) in solids.clone().chain(sheets) {
            if self.is_reserved(name) {
                return Err(FieldError::new(
                    format!("geometry.{key}[{i}].name"),
                    format!("the name \"{name}\" is reserved for the space around the model"),
                    "choose another name",
                ));
            }
        }
        if self.space == Some(Space::Closed) && self.solids.is_empty() && self.cad.is_empty() {
            return Err(FieldError::new(
                "geometry.space",
                "a closed model needs a solid: sheets have no volume",
                "add the solid in which waves propagate, or remove `space`",
            ));
        }
        for (i, solid) in self.solids.iter().enumerate() {
            let name = solid.name();
            if !self.materials.contains_key(name) && !self.boundaries.contains_key(name) && !is_vacuum(name) {
                return Err(FieldError::new(
                    format!("geometry.solids[{i}].name"),
                    format!("\"{name}\" has neither a material nor a boundary condition"),
                    format!(
                        "add `materials = {{ {name} = {{ eps_r = 2.2 }} }}`, or for a conductor `boundaries = {{ {name} = \"pec\" }}`"
                    ),
                ));
            }
        }
        Ok(())
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
