//! Solids and sheets of a model that Gmsh meshes, selected by their `shape`.

use super::brick::{check_corners, check_group};
use crate::model::checks::check_positive;
use crate::model::{Axis, Pair, Point, Tagged, Variant};
use phasefront_core::{FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Solid, selected by `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "dgtd_solid")]
pub enum Solid {
    /// Axis-aligned box.
    Box(SolidBox),
    /// Circular cylinder.
    Cylinder(Cylinder),
    /// Truncated circular cone.
    Cone(Cone),
    /// Solid sphere.
    Sphere(Sphere),
    /// Torus about an axis parallel to z.
    Torus(Torus),
    /// Wire of circular cross section along a polyline.
    Wire(Wire),
    /// Polygon in the xy plane, extruded along z.
    Extrusion(Extrusion),
}

/// Axis-aligned box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_solid_box")]
pub struct SolidBox {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Corner with the smallest coordinates.
    pub from: Point,
    /// Opposite corner, with the largest coordinates.
    pub to: Point,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
    /// Element size at its edges, if it is a conductor or bends around one. Default: from its width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Circular cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_cylinder")]
pub struct Cylinder {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Center of one end.
    pub from: Point,
    /// Center of the other end.
    pub to: Point,
    /// Radius of the cylinder.
    pub radius: Length,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
    /// Element size at its edges, if it is a conductor or bends around one. Default: from its width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Truncated circular cone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_cone")]
pub struct Cone {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Center of one end.
    pub from: Point,
    /// Center of the other end.
    pub to: Point,
    /// Radii of the two ends.
    pub radii: Pair,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
    /// Element size at its edges, if it is a conductor or bends around one. Default: from its width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Solid sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_solid_sphere")]
pub struct Sphere {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Center [x, y, z].
    pub center: Point,
    /// Radius of the sphere.
    pub radius: Length,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
}

/// Torus about an axis parallel to z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_torus")]
pub struct Torus {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Center [x, y, z].
    pub center: Point,
    /// Radius of the circle in the middle of the tube.
    pub radius: Length,
    /// Radius of the tube.
    pub tube_radius: Length,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
}

/// Wire of circular cross section along a polyline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_solid_wire")]
pub struct Wire {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Vertices of the polyline on the axis of the wire, in order.
    #[schemars(length(min = 2))]
    pub points: Vec<Point>,
    /// Radius of the wire.
    pub radius: Length,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
    /// Element size at its ends, if it is a conductor. Default: from its radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Polygon in the xy plane, extruded along z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_extrusion")]
pub struct Extrusion {
    /// Name of the solid, which `materials` or `boundaries` refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Vertices [x, y] in order; the last is connected to the first.
    #[schemars(length(min = 3))]
    pub points: Vec<Pair>,
    /// Coordinates [z_min, z_max] of its lower and upper end.
    pub z: Pair,
    /// Maximum element size in the solid. Default: from the wavelength in its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub cell_size: Option<Length>,
    /// Element size at its edges, if it is a conductor or bends around one. Default: from its width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

impl Solid {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Box(s) => &s.name,
            Self::Cylinder(s) => &s.name,
            Self::Cone(s) => &s.name,
            Self::Sphere(s) => &s.name,
            Self::Torus(s) => &s.name,
            Self::Wire(s) => &s.name,
            Self::Extrusion(s) => &s.name,
        }
    }

    /// Maximum element size inside, if the case specifies it.
    pub fn cell_size(&self) -> Option<Length> {
        match self {
            Self::Box(s) => s.cell_size,
            Self::Cylinder(s) => s.cell_size,
            Self::Cone(s) => s.cell_size,
            Self::Sphere(s) => s.cell_size,
            Self::Torus(s) => s.cell_size,
            Self::Wire(s) => s.cell_size,
            Self::Extrusion(s) => s.cell_size,
        }
    }

    /// Element size at sharp edges, if the case specifies it.
    pub fn edge_size(&self) -> Option<Length> {
        match self {
            Self::Box(s) => s.edge_size,
            Self::Cylinder(s) => s.edge_size,
            Self::Cone(s) => s.edge_size,
            Self::Wire(s) => s.edge_size,
            Self::Extrusion(s) => s.edge_size,
            Self::Sphere(_) | Self::Torus(_) => None,
        }
    }

    /// Rejects solids without a volume; `path` is its path in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_group(&format!("{path}.name"), self.name())?;
        check_sizes(path, self.cell_size(), self.edge_size())?;
        let radius = |key: &str, radius: Length| check_radius(path, key, radius);
        match self {
            Self::Box(s) => check_corners(path, s.from, s.to, 0),
            Self::Cylinder(s) => radius("radius", s.radius).and_then(|()| check_ends(path, s.from, s.to)),
            Self::Cone(s) => {
                // Gmsh cannot mesh a tip.
                if s.radii.si().iter().any(|&radius| radius <= 0.0) {
                    let advice = "write for example `radii = [\"5 mm\", \"0.1 mm\"]`: approximate a tip by a small radius";
                    return Err(FieldError::new(
                        format!("{path}.radii"),
                        "both radii must be positive",
                        advice,
                    ));
                }
                check_ends(path, s.from, s.to)
            }
            Self::Sphere(s) => radius("radius", s.radius),
            Self::Torus(s) => {
                radius("tube_radius", s.tube_radius)?;
                if s.radius.si() <= s.tube_radius.si() {
                    let message = "the radius must be larger than `tube_radius`: the tube would touch itself";
                    let advice = "make `radius` larger; it is that of the circle in the middle of the tube";
                    return Err(FieldError::new(format!("{path}.radius"), message, advice));
                }
                Ok(())
            }
            Self::Wire(s) => {
                radius("radius", s.radius)?;
                check_count(path, "points", s.points.len(), 2)?;
                let apart = |(i, ends): (usize, &[Point])| {
                    let coincide = ends[0].si() == ends[1].si();
                    coincide.then(|| repeated(format!("{path}.points[{}]", i + 1)))
                };
                s.points.windows(2).enumerate().find_map(apart).map_or(Ok(()), Err)
            }
            Self::Extrusion(s) => {
                check_count(path, "points", s.points.len(), 3)?;
                let [low, high] = s.z.si();
                if low >= high {
                    let advice = "write the lower end first, for example `z = [\"0 mm\", \"1 mm\"]`";
                    let message = "the extrusion has no height";
                    return Err(FieldError::new(format!("{path}.z"), message, advice));
                }
                Ok(())
            }
        }
    }
}

/// Infinitely thin sheet, selected by `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "dgtd_sheet_shape")]
pub enum SheetShape {
    /// Rectangle normal to x, y or z.
    Rectangle(Rectangle),
    /// Circular disk normal to x, y or z.
    Disk(Disk),
    /// Flat polygon.
    Polygon(FlatPolygon),
}

/// Rectangle normal to x, y or z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_rectangle")]
pub struct Rectangle {
    /// Name of the surface, which `boundaries` or a port refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Corner with the smallest coordinates.
    pub from: Point,
    /// Opposite corner; equal to `from` along exactly one axis.
    pub to: Point,
    /// Element size at its edges. Default: from its width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Circular disk normal to x, y or z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_disk")]
pub struct Disk {
    /// Name of the surface, which `boundaries` or a port refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Center [x, y, z].
    pub center: Point,
    /// Radius of the disk.
    pub radius: Length,
    /// Axis normal to the disk.
    #[serde(default)]
    pub axis: Axis,
    /// Element size at its edge. Default: from its radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

/// Flat polygon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_flat_polygon")]
pub struct FlatPolygon {
    /// Name of the surface, which `boundaries` or a port refer to.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Vertices in order, in one plane; the last is connected to the first.
    #[schemars(length(min = 3))]
    pub points: Vec<Point>,
    /// Element size at its edges. Default: from its width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Length")]
    pub edge_size: Option<Length>,
}

impl SheetShape {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Rectangle(s) => &s.name,
            Self::Disk(s) => &s.name,
            Self::Polygon(s) => &s.name,
        }
    }

    /// Element size at its edges, if the case specifies it.
    pub fn edge_size(&self) -> Option<Length> {
        match self {
            Self::Rectangle(s) => s.edge_size,
            Self::Disk(s) => s.edge_size,
            Self::Polygon(s) => s.edge_size,
        }
    }

    /// Rejects sheets without an area; `path` is its path in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        check_group(&format!("{path}.name"), self.name())?;
        check_sizes(path, None, self.edge_size())?;
        match self {
            Self::Rectangle(s) => check_corners(path, s.from, s.to, 1),
            Self::Disk(s) => check_radius(path, "radius", s.radius),
            // The mesher checks that they are in one plane.
            Self::Polygon(s) => check_count(path, "points", s.points.len(), 3),
        }
    }
}

fn check_radius(path: &str, key: &str, radius: Length) -> Result<(), FieldError> {
    let advice = format!("write for example `{key} = \"5 mm\"`");
    check_positive(format!("{path}.{key}"), "the radius", radius.si(), advice)
}

fn check_sizes(path: &str, cell: Option<Length>, edge: Option<Length>) -> Result<(), FieldError> {
    for (key, size) in [("cell_size", cell), ("edge_size", edge)] {
        if let Some(size) = size {
            let advice = format!("write for example `{key} = \"1 mm\"`");
            check_positive(format!("{path}.{key}"), "the element size", size.si(), advice)?;
        }
    }
    Ok(())
}

fn check_ends(path: &str, from: Point, to: Point) -> Result<(), FieldError> {
    if from.si() == to.si() { Err(repeated(format!("{path}.to"))) } else { Ok(()) }
}

fn repeated(path: String) -> FieldError {
    FieldError::new(path, "the two ends are the same point", "move one of them")
}

fn check_count(path: &str, key: &str, count: usize, least: usize) -> Result<(), FieldError> {
    if count >= least {
        return Ok(());
    }
    Err(FieldError::new(
        format!("{path}.{key}"),
        format!("{count} points are too few"),
        format!("give at least {least}"),
    ))
}

/// Tagged tables of solids and sheets.
pub(super) const SOLIDS: Tagged = Tagged {
    path: "geometry.solids",
    tag: "shape",
    variants: &[
        Variant { name: "box", read: |table| SolidBox::deserialize(table).map(drop) },
        Variant { name: "cylinder", read: |table| Cylinder::deserialize(table).map(drop) },
        Variant { name: "cone", read: |table| Cone::deserialize(table).map(drop) },
        Variant { name: "sphere", read: |table| Sphere::deserialize(table).map(drop) },
        Variant { name: "torus", read: |table| Torus::deserialize(table).map(drop) },
        Variant { name: "wire", read: |table| Wire::deserialize(table).map(drop) },
        Variant { name: "extrusion", read: |table| Extrusion::deserialize(table).map(drop) },
    ],
};

/// See [`SOLIDS`].
pub(super) const SHEETS: Tagged = Tagged {
    path: "geometry.sheets",
    tag: "shape",
    variants: &[
        Variant { name: "rectangle", read: |table| Rectangle::deserialize(table).map(drop) },
        Variant { name: "disk", read: |table| Disk::deserialize(table).map(drop) },
        Variant { name: "polygon", read: |table| FlatPolygon::deserialize(table).map(drop) },
    ],
};
