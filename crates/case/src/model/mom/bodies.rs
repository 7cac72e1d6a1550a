//! `[geometry]`: the scatterers.

use super::Material;
use crate::model::angles::no_rotation;
use crate::model::{MeshUnits, Pair, Tagged, Variant};
use phasefront_core::{Angle, FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Bodies that scatter the wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_geometry")]
pub struct Geometry {
    /// List of bodies, each a table with its `shape`.
    #[schemars(length(min = 1))]
    pub bodies: Vec<Body>,
}

/// Body, selected by `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "mom_body")]
pub enum Body {
    /// Circular cylinder.
    Circle(Circle),
    /// Elliptic cylinder.
    Ellipse(Ellipse),
    /// Closed polygon.
    Polygon(Polygon),
    /// Straight, infinitely thin strip (open contour).
    Strip(Strip),
    /// NACA four-digit airfoil.
    Naca(Naca),
    /// Smooth spline through the points of a CSV file.
    Spline(Spline),
    /// Outlines of an SVG file; each becomes a body.
    Svg(Svg),
    /// Outlines of a Gmsh line mesh; each becomes a body.
    Gmsh(Gmsh),
}

impl Body {
    /// Material of the body.
    pub fn material(&self) -> Material {
        match self {
            Self::Circle(b) => b.material,
            Self::Ellipse(b) => b.material,
            Self::Polygon(b) => b.material,
            Self::Strip(b) => b.material,
            Self::Naca(b) => b.material,
            Self::Spline(b) => b.material,
            Self::Svg(b) => b.material,
            Self::Gmsh(b) => b.material,
        }
    }

    /// Number of cells, if the case specifies it for this body.
    pub fn cells(&self) -> Option<NonZeroU32> {
        match self {
            Self::Circle(b) => b.cells,
            Self::Ellipse(b) => b.cells,
            Self::Polygon(b) => b.cells,
            Self::Strip(b) => b.cells,
            Self::Naca(b) => b.cells,
            Self::Spline(b) => b.cells,
            Self::Svg(b) => b.cells,
            Self::Gmsh(b) => b.cells,
        }
    }

    /// File with the outline and the unit of its coordinates, for bodies read from files.
    pub fn file(&self) -> Option<(&str, MeshUnits)> {
        match self {
            Self::Spline(b) => Some((&b.file, b.units)),
            Self::Svg(b) => Some((&b.file, b.units)),
            Self::Gmsh(b) => Some((&b.file, b.units)),
            Self::Circle(_) | Self::Ellipse(_) | Self::Polygon(_) | Self::Strip(_) | Self::Naca(_) => None,
        }
    }
}

/// Circular cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// Radius of the cylinder.
    pub radius: Length,
    /// Center [x, y].
    #[serde(default = "Pair::zero")]
    pub center: Pair,
    /// Material of the body.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Elliptic cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipse {
    /// Semi-axes along x and y, before rotation.
    pub semi_axes: Pair,
    /// Center [x, y].
    #[serde(default = "Pair::zero")]
    pub center: Pair,
    /// Counterclockwise rotation about the center.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// Material of the body.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Closed polygon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polygon {
    /// Vertices [x, y] in order; the last is connected to the first.
    #[schemars(length(min = 3))]
    pub points: Vec<Pair>,
    /// Material of the body.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Straight, infinitely thin strip (open contour).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Strip {
    /// First end point [x, y].
    pub from: Pair,
    /// Second end point [x, y].
    pub to: Pair,
    /// Material of the body.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// NACA four-digit airfoil.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Naca {
    /// Four-digit designation: "2412" has 2 % camber at 40 % of the chord and 12 % thickness.
    #[schemars(extend("pattern" = "^[0-9]{4}$"))]
    pub code: String,
    /// Chord length, from leading to trailing edge.
    pub chord: Length,
    /// Position [x, y] of the leading edge; the trailing edge is toward +x before rotation.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Counterclockwise rotation about the leading edge.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// Material of the body.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Smooth spline through the points of a CSV file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spline {
    /// CSV file with the points; path relative to the case file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Unit of the coordinates in the file.
    pub units: MeshUnits,
    /// Close the curve by connecting the last point to the first.
    #[serde(default = "yes")]
    pub closed: bool,
    /// Position [x, y] of the file's origin.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Counterclockwise rotation about the file's origin.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// Material of the body.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Outlines of an SVG file; each becomes a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Svg {
    /// File with the outlines; path relative to the case file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Unit of the coordinates in the file.
    pub units: MeshUnits,
    /// Id of the element or group to use. Default: all shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub id: Option<String>,
    /// Position [x, y] of the file's origin.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Counterclockwise rotation about the file's origin.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// Material of the bodies.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on each outline. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Outlines of a Gmsh line mesh; each becomes a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gmsh {
    /// File with the outlines; path relative to the case file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Unit of the coordinates in the file.
    pub units: MeshUnits,
    /// Name of the physical group to use. Default: all lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub group: Option<String>,
    /// Keep edges straight instead of fitting smooth curves through the nodes.
    #[serde(default)]
    pub flat: bool,
    /// Position [x, y] of the file's origin.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Counterclockwise rotation about the file's origin.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// Material of the bodies.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on each outline. Default: from `cells` or `cells_per_wavelength` in `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

fn yes() -> bool {
    true
}

/// Rejects bodies that are inconsistent although each key is valid.
pub(super) fn check(bodies: &[Body]) -> Result<(), FieldError> {
    if bodies.is_empty() {
        return Err(FieldError::new(
            "geometry.bodies",
            "the list is empty",
            "give at least one body, for example `bodies = [{ shape = \"circle\", radius = \"1 m\" }]`",
        ));
    }
    bodies.iter().enumerate().try_for_each(|(i, body)| check_body(body, &format!("geometry.bodies[{i}]")))
}

fn check_body(body: &Body, path: &str) -> Result<(), FieldError> {
    let wrong = |key: &str, message: String, advice: &str| {
        Err(FieldError::new(format!("{path}.{key}"), message, advice))
    };
    body.material().check(&format!("{path}.material"))?;
    if body.file().is_some_and(|(file, _)| file.is_empty()) {
        return wrong("file", "the file name is empty".into(), "give its path relative to the case file");
    }
    let is_pec = body.material() == Material::Pec;
    match body {
        Body::Polygon(polygon) if polygon.points.len() < 3 => wrong(
            "points",
            "a polygon requires at least three vertices".into(),
            "add vertices, or use shape = \"strip\" for a straight line",
        ),
        Body::Naca(airfoil)
            if airfoil.code.len() != 4 || !airfoil.code.bytes().all(|b| b.is_ascii_digit()) =>
        {
            wrong(
                "code",
                format!("{:?} is not a NACA four-digit designation", airfoil.code),
                "write four digits in quotes: \"0012\" is symmetric and 12 % thick",
            )
        }
        Body::Strip(_) if !is_pec => wrong(
            "material",
            "a strip is an open contour and cannot be dielectric".into(),
            "use `material = \"pec\"`, or a thin polygon",
        ),
        Body::Spline(Spline { closed: false, .. }) if !is_pec => wrong(
            "material",
            "an open curve cannot be dielectric".into(),
            "use `material = \"pec\"`, or `closed = true`",
        ),
        _ => Ok(()),
    }
}

/// Tagged tables of this solver.
pub(in crate::model) const TAGGED: &[Tagged] = &[Tagged {
    path: "geometry.bodies",
    tag: "shape",
    variants: &[
        Variant { name: "circle", read: |table| Circle::deserialize(table).map(drop) },
        Variant { name: "ellipse", read: |table| Ellipse::deserialize(table).map(drop) },
        Variant { name: "polygon", read: |table| Polygon::deserialize(table).map(drop) },
        Variant { name: "strip", read: |table| Strip::deserialize(table).map(drop) },
        Variant { name: "naca", read: |table| Naca::deserialize(table).map(drop) },
        Variant { name: "spline", read: |table| Spline::deserialize(table).map(drop) },
        Variant { name: "svg", read: |table| Svg::deserialize(table).map(drop) },
        Variant { name: "gmsh", read: |table| Gmsh::deserialize(table).map(drop) },
    ],
}];
