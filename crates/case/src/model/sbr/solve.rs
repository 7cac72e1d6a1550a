//! `[solve]`: how rays are shot.

use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bounces: no wave survives so many with anything left to see.
const MOST_BOUNCES: u32 = 1000;
/// Widths of a tube in wavelengths: more is no ray tube, less no machine can trace.
const TUBE: [f64; 2] = [1e-4, 1.0];

/// How rays are shot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_solve", description = "How rays are shot.")]
pub struct Solve {
    /// Most bounces of a ray; 1 is physical optics.
    #[schemars(extend("minimum" = 1, "maximum" = MOST_BOUNCES))]
    pub bounces: u32,
    /// Width of a ray tube, in wavelengths of the highest frequency: the paper's tubes have it; beams of less than
    /// a thousandth of its square are cut no more.
    #[schemars(extend("minimum" = TUBE[0], "maximum" = TUBE[1]))]
    pub tube_width: f64,
    /// What bounds ray tubes.
    pub tubes: Tubes,
    /// Which fields of a tube's last footprint radiate.
    pub formulation: Formulation,
    /// What sharp edges add to the rays.
    pub edges: Edges,
    /// The tree that rays find their triangles with; "kd-tree" goes with tubes = "ray-grid".
    pub tracer: Tracer,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            bounces: 5,
            tube_width: 0.1,
            tubes: Tubes::default(),
            formulation: Formulation::default(),
            edges: Edges::default(),
            tracer: Tracer::default(),
        }
    }
}

/// What bounds ray tubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "sbr_tubes")]
pub enum Tubes {
    /// The edges of the facets that they meet: beams, cut as often as need be.
    #[default]
    Adaptive,
    /// The rays of a grid; tubes whose corners leave different triangles are dropped, as the paper does.
    RayGrid,
}

/// Which fields of a tube's last footprint radiate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "sbr_formulation")]
pub enum Formulation {
    /// Both, by halves.
    #[default]
    Eh,
    /// The electric field alone.
    E,
    /// The magnetic field alone.
    H,
}

/// What sharp edges add to the rays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_edges")]
pub enum Edges {
    /// Nothing.
    #[default]
    None,
    /// Fringe currents of the physical theory of diffraction, as if the faces of a wedge had no end.
    Ptd,
    /// The same, ending where the faces do.
    Truncated,
}

/// The tree that rays find their triangles with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "sbr_tracer")]
pub enum Tracer {
    /// A wide tree of boxes: the faster one.
    #[default]
    Bvh,
    /// The paper's kd-tree with ropes, to compare with.
    KdTree,
}

impl Solve {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if !(1..=MOST_BOUNCES).contains(&self.bounces) {
            return Err(FieldError::new(
                "solve.bounces",
                format!("a ray bounces from 1 to {MOST_BOUNCES} times"),
                "write for example `bounces = 5`, the default; 1 is physical optics",
            ));
        }
        if !(TUBE[0]..=TUBE[1]).contains(&self.tube_width) {
            return Err(FieldError::new(
                "solve.tube_width",
                format!("the width of a tube must be from {} to {} wavelengths", TUBE[0], TUBE[1]),
                "write for example `tube_width = 0.1`, the default",
            ));
        }
        Ok(())
    }
}
