//! A drawing: solids and sheets by name, element sizes, and the space around them.

use super::cad::CadFile;
use super::crossing::crossing;
use super::feature::Feature;
use super::planes::{Planes, SAME_PLANE};
use super::region::Refinement;
use super::sheet::SheetShape;
use super::solid::{SolidShape, around};
use super::view::SizeView;
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, norm, sub};

/// Name of the volume between a model and its PML.
pub const AIR: &str = "air";
/// Name of the volume around it.
pub const PML: &str = "pml";
/// Name of the closed surface halfway between a model and its PML.
pub const HUYGENS: &str = "huygens";

/// Solids and sheets. Where they overlap, the later one applies.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// CAD files that solids are from.
    pub files: Vec<CadFile>,
    /// Solids in order.
    pub solids: Vec<DrawnSolid>,
    /// Sheets in order.
    pub sheets: Vec<DrawnSheet>,
    /// Axes of wires that no element is divided for.
    pub wires: Vec<Vec<Vec3>>,
    /// Element size at them, in meters.
    pub wire_size: f64,
    /// Space around them; without it their own faces are the boundary.
    pub space: Option<Space>,
    /// Planes at which all of it ends.
    pub planes: Planes,
    /// Largest element size, in meters: that of air.
    pub cell_size: f64,
    /// Elements across a gap between conductors.
    pub across_gaps: f64,
    /// Further sizes.
    pub refinements: Vec<Refinement>,
    /// Sizes found by earlier passes.
    pub views: Vec<SizeView>,
}

/// A solid by name.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnSolid {
    /// Its name, of the volume or of the surface of a body.
    pub name: String,
    /// Where it is.
    pub shape: SolidShape,
    /// Whether it is a body with a surface, without waves inside.
    pub is_body: bool,
    /// Largest element size inside, in meters.
    pub cell_size: f64,
    /// Element size at sharp edges of a body, in meters.
    pub edge_size: f64,
}

/// A sheet by name.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnSheet {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub shape: SheetShape,
    /// Whether it is a conductor or a film, and not a port.
    pub is_conductor: bool,
    /// Element size at its edge, in meters.
    pub edge_size: f64,
}

/// Space around a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Space {
    /// Distance from the model to the PML, in meters.
    pub air: f64,
    /// Thickness of the PML, in meters.
    pub pml: f64,
}

impl Drawing {
    /// Refuses what cannot be meshed, or is not what it seems to be; with the part that is wrong.
    pub fn check(&self) -> Result<(), (Feature, MeshError)> {
        for (i, sheet) in self.sheets.iter().enumerate() {
            sheet.shape.check().map_err(|error| (Feature::SheetEdges(i), error))?;
        }
        for (i, solid) in self.solids.iter().enumerate().filter(|(_, solid)| solid.is_body) {
            if let SolidShape::Wire { points, radius } = &solid.shape
                && let Some(position) = crossing(points, *radius)
            {
                let error = MeshError::geometry(
                    format!(
                        "the wire \"{}\" runs through itself at {} m",
                        solid.name,
                        crate::tet::position_text(position)
                    ),
                    "move its points apart, or make it thinner; draw parts that are to touch as several wires of the same name",
                );
                return Err((Feature::Solid(i), error));
            }
        }
        Ok(())
    }

    /// The corners of the box around all solids, sheets and wires, which ends at the planes.
    pub fn bounds(&self) -> [Vec3; 2] {
        let solids = self.solids.iter().flat_map(|solid| solid.shape.bounds());
        let sheets = self.sheets.iter().flat_map(|sheet| sheet.shape.bounds());
        let wires = self.wires.iter().flatten().copied();
        self.planes.ends(around(&solids.chain(sheets).chain(wires).collect::<Vec<_>>(), 0.0))
    }

    /// The boxes around the model: that of the surface [`HUYGENS`], the end of the air, and that of the PML.
    pub(super) fn boxes(&self) -> Option<[[Vec3; 2]; 3]> {
        let Space { air, pml } = self.space?;
        let bounds = self.bounds();
        Some([0.5 * air, air, air + pml].map(|distance| self.planes.ends(around(&bounds, distance))))
    }

    /// The name of a plane beyond which a part with these bounds lies.
    pub fn plane_before(&self, bounds: [Vec3; 2]) -> Option<&'static str> {
        self.planes.leaves_nothing(bounds, SAME_PLANE * self.diagonal())
    }

    /// Length of the diagonal of the model, in meters.
    pub(super) fn diagonal(&self) -> f64 {
        let [low, high] = self.boxes().map_or_else(|| self.bounds(), |boxes| boxes[2]);
        norm(sub(high, low))
    }

    /// Whether elements have to be of the second order.
    pub fn is_curved(&self) -> bool {
        self.solids.iter().any(|solid| solid.shape.is_curved())
            || self.sheets.iter().any(|sheet| sheet.shape.is_curved())
    }
}
