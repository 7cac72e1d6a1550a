//! Built-in targets, selected by their `shape`.

use crate::model::{Pair, Tagged, Two, Variant};
use phasefront_core::{Angle, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Built-in target at the origin, selected by `shape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(rename = "sbr_target")]
pub enum Target {
    /// Rectangular plate in the plane z = 0.
    Plate(Plate),
    /// Sphere of triangles from a subdivided icosahedron.
    Sphere(Sphere),
    /// Circular cylinder about the z axis.
    Cylinder(Cylinder),
    /// Dihedral corner reflector: plates in the planes x = 0 and y = 0 with the seam along z; boresight at theta 90 deg, phi 45 deg.
    Dihedral(Dihedral),
    /// Triangular trihedral corner reflector with legs along the axes.
    Trihedral(Trihedral),
    /// Square trihedral corner reflector with sides along the axes.
    SquareTrihedral(SquareTrihedral),
    /// Cone-sphere: cone with its tip toward -x, tangent to a spherical cap.
    ConeSphere(ConeSphere),
    /// Ogive: circular arc revolved about its chord, the x axis.
    Ogive(Ogive),
    /// NASA almond, 252.4 mm long with its tip toward +x.
    Almond(Almond),
    /// Missile of 700 triangles, 1.1 m long with its nose toward +x.
    Missile(Vehicle),
    /// Ship of 2,400 triangles, 0.9 m long with its bow toward +x and its mast along +y.
    Ship(Vehicle),
    /// Fighter aircraft of 13,050 triangles, 11.76 m long.
    AircraftA(Vehicle),
    /// Attack aircraft of 20,120 triangles, 14.12 m long.
    AircraftB(Vehicle),
}

/// Rectangular plate in the plane z = 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plate {
    /// Side lengths along x and y.
    pub size: Pair,
    /// Number of cells, of two triangles each, along x and y.
    #[serde(default = "one_each")]
    pub cells: Two<NonZeroU32>,
}

/// Sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius of the sphere.
    pub radius: Length,
    /// Subdivision n of an icosahedron: each of its 20 faces becomes n² triangles.
    #[serde(default = "sphere_cells")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub cells: NonZeroU32,
}

/// Circular cylinder about the z axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius of the cylinder.
    pub radius: Length,
    /// Length along z.
    pub length: Length,
    /// Close the ends by disks.
    #[serde(default = "yes")]
    pub closed: bool,
    /// Number of cells in the axial and azimuthal directions.
    #[serde(default = "cylinder_cells")]
    pub cells: Two<NonZeroU32>,
}

/// Dihedral corner reflector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dihedral {
    /// Width of each plate, perpendicular to the seam.
    pub width: Length,
    /// Length along the seam.
    pub length: Length,
    /// Number of cells of each plate, perpendicular to the seam and along it.
    #[serde(default = "one_each")]
    pub cells: Two<NonZeroU32>,
}

/// Triangular trihedral corner reflector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trihedral {
    /// Leg length along the axes.
    pub leg: Length,
    /// Subdivision n: each face becomes n² triangles.
    #[serde(default = "one")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub cells: NonZeroU32,
}

/// Square trihedral corner reflector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SquareTrihedral {
    /// Side length along the axes.
    pub side: Length,
    /// Subdivision n: each face becomes n² squares of two triangles.
    #[serde(default = "one")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub cells: NonZeroU32,
}

/// Cone-sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConeSphere {
    /// Half-angle of the cone.
    pub half_angle: Angle,
    /// Radius of the spherical cap.
    pub radius: Length,
    /// Number of cells along the generatrix, each of cone and cap, and in azimuth.
    #[serde(default = "round_cells")]
    pub cells: Two<NonZeroU32>,
}

/// Ogive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ogive {
    /// Length from tip to tip.
    pub length: Length,
    /// Maximum radius, in the middle.
    pub radius: Length,
    /// Number of cells along the axis and in azimuth.
    #[serde(default = "round_cells")]
    pub cells: Two<NonZeroU32>,
}

/// NASA almond.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Almond {
    /// Number of cells along the axis and in azimuth.
    #[serde(default = "round_cells")]
    pub cells: Two<NonZeroU32>,
}

/// Vehicle with a fixed mesh.
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

/// Tagged tables of this solver.
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
