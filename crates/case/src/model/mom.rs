//! The case of the `mom` solver: scattering by perfectly conducting bodies in two dimensions.

use super::{Pair, Tagged, Variant};
use phasefront_core::units::{AngleDim, FrequencyDim, LengthDim, Range};
use phasefront_core::{Angle, FieldError, Precision, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Cells per wavelength when the case gives neither `cells` nor `cells_per_wavelength`.
pub const DEFAULT_CELLS_PER_WAVELENGTH: f64 = 20.0;

/// A scattering case in two dimensions, solved by the method of moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MomCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The solver this case is for.
    #[schemars(with = "String", extend("const" = "mom"))]
    pub solver: MomSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// The bodies that scatter.
    pub geometry: Geometry,
    /// The incident wave.
    pub source: Source,
    /// How to solve.
    #[serde(default)]
    pub solve: Solve,
    /// What to compute from the solution.
    #[serde(default)]
    pub output: Output,
}

/// The name of this solver, as `solver` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MomSolver {
    /// Method of moments in two dimensions.
    Mom,
}

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
}

impl Body {
    /// What the body is made of.
    pub fn material(&self) -> Material {
        match self {
            Self::Circle(b) => b.material,
            Self::Ellipse(b) => b.material,
            Self::Polygon(b) => b.material,
            Self::Strip(b) => b.material,
        }
    }

    /// The number of cells this body asks for, if it does.
    pub fn cells(&self) -> Option<NonZeroU32> {
        match self {
            Self::Circle(b) => b.cells,
            Self::Ellipse(b) => b.cells,
            Self::Polygon(b) => b.cells,
            Self::Strip(b) => b.cells,
        }
    }
}

/// A circular cylinder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// Radius of the circle.
    pub radius: phasefront_core::Length,
    /// Centre [x, y]; the origin if left out.
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
    /// Centre [x, y]; the origin if left out.
    #[serde(default = "Pair::zero")]
    pub center: Pair,
    /// Rotation about the centre, counter-clockwise; none if left out.
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

fn no_rotation() -> Angle {
    degrees(0)
}

/// An angle of whole degrees, so that it prints back as degrees and not as radians.
fn degrees(whole: u16) -> Angle {
    format!("{whole} deg").parse().expect("a whole number of degrees is an angle")
}

/// What a body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_material")]
pub enum Material {
    /// A perfect electric conductor.
    #[default]
    Pec,
}

/// The incident plane wave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["propagation"] }, { "required": ["arrival"] }]))]
#[schemars(rename = "mom_source")]
pub struct Source {
    /// Frequency: one, a list of them, or { from, to, points }.
    pub frequency: Sweep<FrequencyDim>,
    /// Polarization of the wave.
    pub polarization: Polarization,
    /// Direction the wave travels to, from +x counter-clockwise. Give this or `arrival`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub propagation: Option<Sweep<AngleDim>>,
    /// Direction the wave comes from: 180 degrees off `propagation`. Give this or `propagation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sweep<AngleDim>")]
    pub arrival: Option<Sweep<AngleDim>>,
}

impl Source {
    /// The directions the wave travels to, in radians, whichever way the case gives them.
    ///
    /// ```
    /// let text = include_str!("../../tests/good/circle.toml").replace("propagation = \"0 deg\"", "arrival = \"0 deg\"");
    /// let phasefront_case::Case::Mom(case) = phasefront_case::parse("circle.toml", &text).unwrap().case;
    /// assert_eq!(case.source.propagation_angles(), [std::f64::consts::PI]);
    /// ```
    pub fn propagation_angles(&self) -> Vec<f64> {
        let to = self.propagation.iter().flat_map(Sweep::values);
        let from = self.arrival.iter().flat_map(Sweep::values).map(|a| a + std::f64::consts::PI);
        to.chain(from).collect()
    }
}

/// Polarization of the incident wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "mom_polarization")]
pub enum Polarization {
    /// Electric field along the axis of the bodies.
    #[serde(rename = "TM")]
    Tm,
}

/// How to solve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("not" = { "required": ["cells", "cells_per_wavelength"] }))]
#[schemars(rename = "mom_solve")]
pub struct Solve {
    /// Discretisation of the current.
    pub method: Method,
    /// Integral equation.
    pub equation: Equation,
    /// Precision of matrix and solution.
    pub precision: Precision,
    /// Number of cells of all bodies, shared by length. Give this or `cells_per_wavelength`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NonZeroU32", extend("maximum" = u32::MAX))]
    pub cells: Option<NonZeroU32>,
    /// Cells per wavelength at the highest frequency; 20 if neither this nor `cells` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0, "default" = 20))]
    pub cells_per_wavelength: Option<f64>,
}

/// Discretisation of the current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_method")]
pub enum Method {
    /// Constant current on flat cells, matched at their midpoints.
    #[default]
    Pulse,
}

/// Integral equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "mom_equation")]
pub enum Equation {
    /// Electric-field integral equation.
    #[default]
    Efie,
}

/// What to compute from the solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "mom_output")]
pub struct Output {
    /// Observation angles of the echo width; every degree of the full circle if left out.
    #[schemars(with = "Sweep<AngleDim>")]
    pub echo_width: Option<Sweep<AngleDim>>,
    /// Whether to write the surface current.
    pub current: bool,
    /// Where to compute the near field; nowhere if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FieldGrid")]
    pub field: Option<FieldGrid>,
}

impl Default for Output {
    fn default() -> Self {
        let circle = Range { from: degrees(0), to: degrees(360), points: 361 };
        Self { echo_width: Some(Sweep::Range(circle)), current: true, field: None }
    }
}

/// A rectangular grid of observation points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mom_field_grid")]
pub struct FieldGrid {
    /// Points along x.
    pub x: Range<LengthDim>,
    /// Points along y.
    pub y: Range<LengthDim>,
}

/// Checks what the types cannot say and fills in the default that depends on another key.
pub(super) fn complete(case: &mut MomCase) -> Result<(), FieldError> {
    check_bodies(&case.geometry.bodies)?;
    check_direction(&case.source)?;
    match (case.solve.cells, case.solve.cells_per_wavelength) {
        (Some(_), Some(_)) => Err(FieldError::new(
            "solve.cells_per_wavelength",
            "`cells` and `cells_per_wavelength` cannot both be given",
            "remove one of the two: both say how finely the bodies are divided",
        )),
        (None, None) => {
            case.solve.cells_per_wavelength = Some(DEFAULT_CELLS_PER_WAVELENGTH);
            Ok(())
        }
        (None, Some(density)) if !(density.is_finite() && density > 0.0) => Err(FieldError::new(
            "solve.cells_per_wavelength",
            "the number of cells per wavelength must be above zero",
            format!("write for example `cells_per_wavelength = {DEFAULT_CELLS_PER_WAVELENGTH}`, the default"),
        )),
        _ => Ok(()),
    }
}

fn check_bodies(bodies: &[Body]) -> Result<(), FieldError> {
    if bodies.is_empty() {
        return Err(FieldError::new(
            "geometry.bodies",
            "the list is empty",
            "give at least one body, for example `bodies = [{ shape = \"circle\", radius = \"1 m\" }]`",
        ));
    }
    for (i, body) in bodies.iter().enumerate() {
        if let Body::Polygon(polygon) = body
            && polygon.points.len() < 3
        {
            return Err(FieldError::new(
                format!("geometry.bodies[{i}].points"),
                "a polygon has at least three points",
                "give more points, or use shape = \"strip\" for a single straight line",
            ));
        }
    }
    Ok(())
}

fn check_direction(source: &Source) -> Result<(), FieldError> {
    match (&source.propagation, &source.arrival) {
        (Some(_), Some(_)) => Err(FieldError::new(
            "source.arrival",
            "`propagation` and `arrival` cannot both be given",
            "keep one of them: `arrival` is where the wave comes from, 180 degrees off `propagation`",
        )),
        (None, None) => Err(FieldError::new(
            "source",
            "the direction of the wave is missing",
            "add `propagation = \"0 deg\"` (where the wave travels to) or `arrival = \"180 deg\"` (where it comes from)",
        )),
        _ => Ok(()),
    }
}

/// The tables of this solver that a key chooses the shape of.
pub(super) const TAGGED: &[Tagged] = &[Tagged {
    path: "geometry.bodies",
    tag: "shape",
    variants: &[
        Variant { name: "circle", read: |table| Circle::deserialize(table).map(drop) },
        Variant { name: "ellipse", read: |table| Ellipse::deserialize(table).map(drop) },
        Variant { name: "polygon", read: |table| Polygon::deserialize(table).map(drop) },
        Variant { name: "strip", read: |table| Strip::deserialize(table).map(drop) },
    ],
}];

/// How each key is written, for error messages.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    ("geometry", "[geometry]\nbodies = [{ shape = \"circle\", radius = \"1 m\" }]"),
    ("geometry.bodies", "bodies = [{ shape = \"circle\", radius = \"1 m\" }]"),
    ("geometry.bodies[]", "{ shape = \"circle\", radius = \"1 m\" }"),
    ("geometry.bodies[].shape", "shape = \"circle\""),
    ("geometry.bodies[].radius", "radius = \"3 mm\""),
    ("geometry.bodies[].center", "center = [\"0 m\", \"0 m\"]"),
    ("geometry.bodies[].semi_axes", "semi_axes = [\"2 m\", \"1 m\"]"),
    ("geometry.bodies[].rotation", "rotation = \"30 deg\""),
    ("geometry.bodies[].points", "points = [[\"0 m\", \"0 m\"], [\"1 m\", \"0 m\"], [\"0 m\", \"1 m\"]]"),
    ("geometry.bodies[].points[]", "[\"1 m\", \"0 m\"]"),
    ("geometry.bodies[].from", "from = [\"-1 m\", \"0 m\"]"),
    ("geometry.bodies[].to", "to = [\"1 m\", \"0 m\"]"),
    ("geometry.bodies[].material", "material = \"pec\""),
    ("geometry.bodies[].cells", "cells = 100"),
    ("source", "[source]\nfrequency = \"300 MHz\"\npolarization = \"TM\"\npropagation = \"0 deg\""),
    ("source.frequency", "frequency = \"300 MHz\""),
    ("source.frequency.from", "from = \"1 GHz\""),
    ("source.frequency.to", "to = \"2 GHz\""),
    ("source.frequency.points", "points = 11"),
    ("source.polarization", "polarization = \"TM\""),
    ("source.propagation", "propagation = \"0 deg\""),
    ("source.propagation.from", "from = \"0 deg\""),
    ("source.propagation.to", "to = \"360 deg\""),
    ("source.propagation.points", "points = 361"),
    ("source.arrival", "arrival = \"180 deg\""),
    ("source.arrival.from", "from = \"0 deg\""),
    ("source.arrival.to", "to = \"360 deg\""),
    ("source.arrival.points", "points = 361"),
    ("solve", "[solve]\ncells_per_wavelength = 20"),
    ("solve.method", "method = \"pulse\""),
    ("solve.equation", "equation = \"efie\""),
    ("solve.precision", "precision = \"double\""),
    ("solve.cells", "cells = 400"),
    ("solve.cells_per_wavelength", "cells_per_wavelength = 20"),
    ("output", "[output]\ncurrent = true"),
    ("output.echo_width", "echo_width = { from = \"0 deg\", to = \"360 deg\", points = 361 }"),
    ("output.echo_width.from", "from = \"0 deg\""),
    ("output.echo_width.to", "to = \"360 deg\""),
    ("output.echo_width.points", "points = 361"),
    ("output.current", "current = true"),
    (
        "output.field",
        "field = { x = { from = \"-3 m\", to = \"3 m\", points = 200 }, y = { from = \"-3 m\", to = \"3 m\", points = 200 } }",
    ),
    ("output.field.x", "x = { from = \"-3 m\", to = \"3 m\", points = 200 }"),
    ("output.field.x.from", "from = \"-3 m\""),
    ("output.field.x.to", "to = \"3 m\""),
    ("output.field.x.points", "points = 200"),
    ("output.field.y", "y = { from = \"-3 m\", to = \"3 m\", points = 200 }"),
    ("output.field.y.from", "from = \"-3 m\""),
    ("output.field.y.to", "to = \"3 m\""),
    ("output.field.y.points", "points = 200"),
];
