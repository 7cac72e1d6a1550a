//! Targets made in code, chosen by their `shape`.

use crate::model::{Pair, Tagged, Two, Variant};
use phasefront_core::{Angle, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// A target made in code, around the origin, chosen by its `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(rename = "sbr_target")]
pub enum Target {
    /// A rectangle in the plane z = 0.
    Plate(Plate),
    /// A sphere.
    Sphere(Sphere),
    /// A cylinder about the z axis.
    Cylinder(Cylinder),
    /// Two plates in the planes x = 0 and y = 0 that meet along z; broadside is theta 90 deg, phi 45 deg.
    Dihedral(Dihedral),
    /// A corner of three right-angled triangles with legs along the axes.
    Trihedral(Trihedral),
    /// A corner of three squares with sides along the axes.
    SquareTrihedral(SquareTrihedral),
    /// A cone with its tip at -x that goes over into a sphere.
    ConeSphere(ConeSphere),
    /// A circular arc turned about its chord, the x axis.
    Ogive(Ogive),
    /// The NASA almond, 252.4 mm long with its tip at +x.
    Almond(Almond),
    /// A missile of 700 triangles, 1.1 m long with its nose at +x.
    Missile(Vehicle),
    /// A ship of 2,400 triangles, 0.9 m long with its bow at +x and its mast along +y.
    Ship(Vehicle),
    /// A fighter of 13,050 triangles, 11.76 m long.
    AircraftA(Vehicle),
    /// An attack aircraft of 20,120 triangles, 14.12 m long.
    AircraftB(Vehicle),
}

/// A rectangle in the plane z = 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plate {
    /// Sides along x and y.
    pub size: Pair,
    /// Cells of two triangles along x and y; one if left out.
    #[serde(default = "one_each")]
    pub cells: Two<NonZeroU32>,
}

/// A sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Its radius.
    pub radius: Length,
    /// The sides of an icosahedron are cut into the square of this number; 64 if left out.
    #[serde(default = "sphere_cells")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub cells: NonZeroU32,
}

/// A cylinder about the z axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Its radius.
    pub radius: Length,
    /// Its length along z.
    pub length: Length,
    /// Whether its ends are closed; they are if left out.
    #[serde(default = "yes")]
    pub closed: bool,
    /// Cells along and around it; [1, 360] if left out.
    #[serde(default = "cylinder_cells")]
    pub cells: Two<NonZeroU32>,
}

/// Two plates that meet along z.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dihedral {
    /// Side of each plate away from the seam.
    pub width: Length,
    /// Side along the seam.
    pub length: Length,
    /// Cells away from the seam and along it; one if left out.
    #[serde(default = "one_each")]
    pub cells: Two<NonZeroU32>,
}

/// A corner of three right-angled triangles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trihedral {
    /// Length of the legs along the axes.
    pub leg: Length,
    /// Each triangle is cut into the square of this number; 1 if left out.
    #[serde(default = "one")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub cells: NonZeroU32,
}

/// A corner of three squares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SquareTrihedral {
    /// Length of the sides along the axes.
    pub side: Length,
    /// Each square is cut into the square of this number; 1 if left out.
    #[serde(default = "one")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub cells: NonZeroU32,
}

/// A cone that goes over into a sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConeSphere {
    /// Half the angle at the tip.
    pub half_angle: Angle,
    /// Radius of the sphere.
    pub radius: Length,
    /// Cells along the cone and again along the sphere, and around them; [60, 180] if left out.
    #[serde(default = "round_cells")]
    pub cells: Two<NonZeroU32>,
}

/// A circular arc turned about its chord.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ogive {
    /// Length of the chord.
    pub length: Length,
    /// Radius in the middle.
    pub radius: Length,
    /// Cells along and around it; [60, 180] if left out.
    #[serde(default = "round_cells")]
    pub cells: Two<NonZeroU32>,
}

/// The NASA almond.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Almond {
    /// Cells along and around it; [60, 180] if left out.
    #[serde(default = "round_cells")]
    pub cells: Two<NonZeroU32>,
}

/// A vehicle whose mesh is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vehicle {}

fn yes() -> bool {
    true
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn one_each() -> Two<NonZeroU32> {
    cells(1, 1)
}

fn sphere_cells() -> NonZeroU32 {
    cells(64, 1).x
}

fn cylinder_cells() -> Two<NonZeroU32> {
    cells(1, 360)
}

fn round_cells() -> Two<NonZeroU32> {
    cells(60, 180)
}

fn cells(x: u32, y: u32) -> Two<NonZeroU32> {
    let [x, y] = [x, y].map(|n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN));
    Two { x, y }
}

/// The table of this solver that a key chooses the shape of.
pub(in crate::model) const TAGGED: &[Tagged] = &[Tagged {
    path: "geometry.target",
    tag: "shape",
    variants: &[
        Variant { name: "plate", read: |table| Plate::deserialize(table).map(drop) },
        Variant { name: "sphere", read: |table| Sphere::deserialize(table).map(drop) },
        Variant { name: "cylinder", read: |table| Cylinder::deserialize(table).map(drop) },
        Variant { name: "dihedral", read: |table| Dihedral::deserialize(table).map(drop) },
        Variant { name: "trihedral", read: |table| Trihedral::deserialize(table).map(drop) },
        Variant { name: "square-trihedral", read: |table| SquareTrihedral::deserialize(table).map(drop) },
        Variant { name: "cone-sphere", read: |table| ConeSphere::deserialize(table).map(drop) },
        Variant { name: "ogive", read: |table| Ogive::deserialize(table).map(drop) },
        Variant { name: "almond", read: |table| Almond::deserialize(table).map(drop) },
        Variant { name: "missile", read: |table| Vehicle::deserialize(table).map(drop) },
        Variant { name: "ship", read: |table| Vehicle::deserialize(table).map(drop) },
        Variant { name: "aircraft-a", read: |table| Vehicle::deserialize(table).map(drop) },
        Variant { name: "aircraft-b", read: |table| Vehicle::deserialize(table).map(drop) },
    ],
}];
