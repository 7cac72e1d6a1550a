//! `[geometry]`: the bodies that scatter.

use super::Material;
use crate::model::angles::no_rotation;
use crate::model::{MeshUnits, Pair, Tagged, Variant};
use phasefront_core::{Angle, FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The bodies that scatter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_geometry")]
pub struct Geometry {
    /// The bodies: a list of tables, each with its `shape`.
    #[schemars(length(min = 1))]
    pub bodies: Vec<Body>,
}

/// One body, chosen by its `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
#[schemars(rename = "mom_body")]
pub enum Body {
    /// A circular cylinder.
    Circle(Circle),
    /// An elliptic cylinder.
    Ellipse(Ellipse),
    /// A closed polygon.
    Polygon(Polygon),
    /// A straight, infinitely thin strip, open at both ends.
    Strip(Strip),
    /// An airfoil of the NACA four-digit series.
    Naca(Naca),
    /// A smooth curve through the points of a CSV file.
    Spline(Spline),
    /// Outlines drawn in an SVG file; each becomes a body.
    Svg(Svg),
    /// Outlines in a Gmsh mesh of lines; each becomes a body.
    Gmsh(Gmsh),
}

impl Body {
    /// What the body is made of.
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

    /// The number of cells this body asks for, if it does.
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

    /// The file that holds its outline and the unit of the coordinates there, if it comes from a file.
    pub fn file(&self) -> Option<(&str, MeshUnits)> {
        match self {
            Self::Spline(b) => Some((&b.file, b.units)),
            Self::Svg(b) => Some((&b.file, b.units)),
            Self::Gmsh(b) => Some((&b.file, b.units)),
            Self::Circle(_) | Self::Ellipse(_) | Self::Polygon(_) | Self::Strip(_) | Self::Naca(_) => None,
        }
    }
}

/// A circular cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// Radius of the circle.
    pub radius: Length,
    /// Center [x, y]; the origin if left out.
    #[serde(default = "Pair::zero")]
    pub center: Pair,
    /// What the body is made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// An elliptic cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipse {
    /// The two semi-axes, along x and along y before the rotation.
    pub semi_axes: Pair,
    /// Center [x, y]; the origin if left out.
    #[serde(default = "Pair::zero")]
    pub center: Pair,
    /// Rotation about the center, counter-clockwise; none if left out.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// What the body is made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// A closed polygon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polygon {
    /// The corners [x, y] in order; the last is joined to the first.
    #[schemars(length(min = 3))]
    pub points: Vec<Pair>,
    /// What the body is made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// A straight, infinitely thin strip, open at both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Strip {
    /// One end [x, y].
    pub from: Pair,
    /// The other end [x, y].
    pub to: Pair,
    /// What the body is made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// An airfoil of the NACA four-digit series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Naca {
    /// The four digits: "2412" is cambered by 2 % of the chord at 40 % of it, and 12 % thick.
    #[schemars(extend("pattern" = "^[0-9]{4}$"))]
    pub code: String,
    /// Length from the nose to the trailing edge.
    pub chord: Length,
    /// Where the nose is, [x, y]; the origin if left out. The trailing edge lies towards +x before the rotation.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Rotation about the nose, counter-clockwise; none if left out.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// What the body is made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// A smooth curve through the points of a CSV file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spline {
    /// File with the points, relative to the case file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Unit of the coordinates in the file.
    pub units: MeshUnits,
    /// Whether the last point is joined to the first; true if left out.
    #[serde(default = "yes")]
    pub closed: bool,
    /// Where the origin of the file is put, [x, y]; the origin if left out.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Rotation about the origin of the file, counter-clockwise; none if left out.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// What the body is made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on this body; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Outlines drawn in an SVG file; each becomes a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Svg {
    /// File with the outlines, relative to the case file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Unit of the coordinates in the file.
    pub units: MeshUnits,
    /// The element or group to take, by its id; all shapes if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub id: Option<String>,
    /// Where the origin of the file is put, [x, y]; the origin if left out.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Rotation about the origin of the file, counter-clockwise; none if left out.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// What the bodies are made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on each outline; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

/// Outlines in a Gmsh mesh of lines; each becomes a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gmsh {
    /// File with the outlines, relative to the case file.
    #[schemars(length(min = 1))]
    pub file: String,
    /// Unit of the coordinates in the file.
    pub units: MeshUnits,
    /// The physical group to take, by its name; all lines if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub group: Option<String>,
    /// Whether the edges stay straight; if false, which is the default, curves are drawn through their points.
    #[serde(default)]
    pub flat: bool,
    /// Where the origin of the file is put, [x, y]; the origin if left out.
    #[serde(default = "Pair::zero")]
    pub position: Pair,
    /// Rotation about the origin of the file, counter-clockwise; none if left out.
    #[serde(default = "no_rotation")]
    pub rotation: Angle,
    /// What the bodies are made of.
    #[serde(default)]
    pub material: Material,
    /// Number of cells on each outline; if left out, it follows from `[solve]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
}

fn yes() -> bool {
    true
}

/// Refuses bodies whose keys are good one by one and make no body.
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
            "a polygon has at least three points".into(),
            "give more points, or use shape = \"strip\" for a single straight line",
        ),
        Body::Naca(wing) if wing.code.len() != 4 || !wing.code.bytes().all(|b| b.is_ascii_digit()) => wrong(
            "code",
            format!("{:?} is not a code of the four-digit series", wing.code),
            "write four digits in quotes: \"0012\" is symmetric and 12 % thick",
        ),
        Body::Strip(_) if !is_pec => wrong(
            "material",
            "a strip has no inside that a dielectric could fill".into(),
            "use `material = \"pec\"`, or draw a thin polygon",
        ),
        Body::Spline(Spline { closed: false, .. }) if !is_pec => wrong(
            "material",
            "an open curve has no inside that a dielectric could fill".into(),
            "use `material = \"pec\"`, or `closed = true`",
        ),
        _ => Ok(()),
    }
}

/// The tables of this solver that a key chooses the shape of.
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
