//! `[solve]`: ray-tracing settings.

use super::bounces::{Bounces, MAX_BOUNCES};
use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Accepted tube widths, in wavelengths: wider tubes are inaccurate, narrower ones are too many to trace.
const TUBE_WIDTH: [f64; 2] = [1e-4, 1.0];

/// Ray-tracing settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "sbr_solve", description = "Ray-tracing settings.")]
pub struct Solve {
    /// Maximum number of bounces of a ray: "auto", until the power still bouncing is negligible, or a number; 1 is physical optics.
    pub bounces: Bounces,
    /// Width of a ray tube, in wavelengths at the highest frequency. Adaptive tubes are as wide as the facets they hit; those
    /// with a cross section below 1/1024 of the squared width are not clipped further.
    #[schemars(extend("minimum" = TUBE_WIDTH[0], "maximum" = TUBE_WIDTH[1]))]
    pub tube_width: f64,
    /// Division of the incident wave into ray tubes.
    pub tubes: Tubes,
    /// Equivalent currents that radiate from the exit aperture of a ray tube.
    pub formulation: Formulation,
    /// Edge diffraction.
    pub edges: Edges,
    /// Acceleration structure for ray-triangle intersection; "kd-tree" requires `tubes = "ray-grid"`.
    pub tracer: Tracer,
}

impl Default for Solve {
    fn default() -> Self {
        Self {
            bounces: Bounces::Auto,
            tube_width: 0.1,
            tubes: Tubes::default(),
            formulation: Formulation::default(),
            edges: Edges::default(),
            tracer: Tracer::default(),
        }
    }
}

/// Division of the incident wave into ray tubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "sbr_tubes")]
pub enum Tubes {
    /// Beams bounded by the facets they hit and clipped exactly at edges and shadow boundaries.
    #[default]
    Adaptive,
    /// Uniform grid of rays, as in the reference paper (Tao, Lin and Bao, 2010); tubes whose corner rays leave from different triangles are discarded.
    RayGrid,
}

/// Equivalent currents that radiate from the exit aperture of a ray tube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "sbr_formulation")]
pub enum Formulation {
    /// Electric and magnetic field, with equal weights.
    #[default]
    Eh,
    /// Electric field only.
    E,
    /// Magnetic field only.
    H,
}

/// Edge diffraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "sbr_edges")]
pub enum Edges {
    /// No edge diffraction.
    #[default]
    None,
    /// Physical theory of diffraction (PTD): fringe currents of wedges with infinite faces.
    Ptd,
    /// PTD with fringe currents truncated at the ends of the faces.
    Truncated,
}

/// Acceleration structure for ray-triangle intersection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "sbr_tracer")]
pub enum Tracer {
    /// Bounding volume hierarchy (BVH); faster.
    #[default]
    Bvh,
    /// kd-tree with ropes, as in the reference paper (Tao, Lin and Bao, 2010); for comparison.
    KdTree,
}

impl Solve {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if let Bounces::AtMost(bounces) = self.bounces
            && !(1..=MAX_BOUNCES).contains(&bounces)
        {
            return Err(FieldError::new(
                "solve.bounces",
                format!("the number of bounces must be from 1 to {MAX_BOUNCES}"),
                "write for example `bounces = \"auto\"`, the default; 1 is physical optics",
            ));
        }
        if !(TUBE_WIDTH[0]..=TUBE_WIDTH[1]).contains(&self.tube_width) {
            return Err(FieldError::new(
                "solve.tube_width",
                format!("the tube width must be from {} to {} wavelengths", TUBE_WIDTH[0], TUBE_WIDTH[1]),
                "write for example `tube_width = 0.1`, the default",
            ));
        }
        Ok(())
    }
}
