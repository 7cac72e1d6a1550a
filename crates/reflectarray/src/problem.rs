//! The input of the solver: a [`Problem`] in SI units.

use phasefront_core::constants::C0;
use phasefront_pattern::Pattern as FarField;
use std::sync::Arc;

/// Feed at the origin. Its boresight points at the center of the array, which lies at (0, `offset`, `height`).
#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    /// Offset of the array center along y, m.
    pub offset: f64,
    /// Distance z₀ of the array plane from the feed, m.
    pub height: f64,
    /// Radiation pattern about the boresight.
    pub pattern: FeedPattern,
    /// Angle of the co-polar direction of the feed's electric field, from x toward y, rad.
    pub polarization: f64,
}

/// Radiation pattern of the feed.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedPattern {
    /// Co-polar field cos^{m_f}(θ) with θ from the boresight, and none behind.
    Cosine {
        /// Exponent 2 m_f of the power pattern.
        power_exponent: f64,
    },
    /// Samples of a far field, measured or computed.
    Sampled(SampledFeed),
}

/// A feed with a sampled far field. Without rotation, +z of the samples is the boresight and +x is that of the array.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledFeed {
    /// Far fields; that of the nearest frequency applies.
    pub far_fields: Arc<[FarField]>,
    /// Rotation of the antenna about its boresight, from x toward y, rad.
    pub rotation: f64,
    /// The point that stands at the origin, m, in the axes of the samples.
    pub phase_center: [f64; 3],
}

/// Element pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// Exponent p of the power pattern cos^p θ.
    pub power_exponent: f64,
    /// Reflection coefficient of the unit cell against θ, the same for all elements; none for an ideal cell.
    pub reflection: Option<ReflectionTable>,
}

/// Complex reflection coefficient S₀(θ), interpolated linearly between the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ReflectionTable {
    /// Angles from the array normal, rad, ascending.
    pub theta: Vec<f64>,
    /// Amplitudes.
    pub amplitude: Vec<f64>,
    /// Phases, rad.
    pub phase: Vec<f64>,
}

/// The regular lattice of the elements, from which an aperiodic synthesis departs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Elements along x and y.
    pub elements: [usize; 2],
    /// Spacing along x and y, m.
    pub spacing: [f64; 2],
}

/// Whether the element positions are unknowns of the synthesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placement {
    /// Fixed on the lattice.
    Periodic,
    /// Free, subject to bounds on the distance between neighbors (ix, iy) and (ix ± 1, iy), (ix, iy ± 1).
    Aperiodic {
        /// Lower bound, m.
        min_spacing: f64,
        /// Upper bound, m.
        max_spacing: f64,
    },
}

/// One region of the coverage: polygons in the (u, v) plane with bounds on the directivity.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Name in tables.
    pub name: String,
    /// Polygons; a point belongs to the region if it is inside one of them by the even-odd rule.
    pub polygons: Vec<UvPolygon>,
    /// Lower bound, dBi. If none, the synthesis maximizes the minimum directivity of the region.
    pub lower: Option<f64>,
    /// Upper bound, dBi.
    pub upper: Option<f64>,
}

/// A polygon with holes, in (u, v). The first point of a ring is not repeated at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct UvPolygon {
    /// Exterior ring, then the holes.
    pub rings: Vec<Vec<[f64; 2]>>,
}

/// The regular grid in the (u, v) plane on which the pattern is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UvGrid {
    /// Center.
    pub center: [f64; 2],
    /// Points along u and v.
    pub points: [usize; 2],
    /// Spacing of the points in u and in v.
    pub spacing: f64,
}

impl UvGrid {
    /// u of the samples, ascending. The center is sample n/2, the order of the modes of an NUFFT.
    pub fn u(&self) -> Vec<f64> {
        self.axis(0)
    }

    /// v of the samples, ascending.
    pub fn v(&self) -> Vec<f64> {
        self.axis(1)
    }

    fn axis(&self, axis: usize) -> Vec<f64> {
        let n = self.points[axis];
        (0..n).map(|i| self.center[axis] + (i as f64 - (n / 2) as f64) * self.spacing).collect()
    }
}

/// Upper bound on the directivity outside the coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside {
    /// Upper bound, dBi.
    pub upper: f64,
    /// Width of the transition band around the coverage, in u and v, where no bound applies.
    pub margin: f64,
}

/// Synthesis method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Analysis only: of the given design, or of the phases that focus on one direction.
    Analysis,
    /// Four stages: initial guess by optimal transport, multistart in few modes, every phase, minimax.
    Multistage,
    /// Alternating projections between the patterns within the mask and the phase-only excitations (Gerchberg-Saxton; Bucci et al. 1990).
    AlternatingProjections,
}

/// Gradient method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gradient {
    /// Analytic, by the adjoint of the array-factor transform.
    Analytic,
    /// Forward finite differences, one evaluation per unknown.
    FiniteDifference,
}

/// Settings of the synthesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Synthesis {
    /// Method.
    pub method: Method,
    /// Gradient method.
    pub gradient: Gradient,
    /// Highest radial order of the Zernike polynomials that expand the phase in the modal stage.
    pub zernike_order: usize,
    /// Degree of the polynomial map of the positions (aperiodic arrays only).
    pub position_order: usize,
    /// Local searches from random initial guesses in the modal stage (multistart).
    pub starts: usize,
    /// Maximum iterations of each local search of the modal stage; 0 skips the stage.
    pub modal_iterations: usize,
    /// Maximum iterations of the stage in which every phase is an unknown; 0 skips it.
    pub element_iterations: usize,
    /// Maximum iterations of the minimax stage; 0 skips it.
    pub polish_iterations: usize,
    /// Seed of the random initial guesses.
    pub seed: u64,
    /// Bits of the phase shifters; none for continuous phases.
    pub phase_bits: Option<u32>,
    /// Relative tolerance of the NUFFTs.
    pub tolerance: f64,
}

impl Default for Synthesis {
    fn default() -> Self {
        Self {
            method: Method::Multistage,
            gradient: Gradient::Analytic,
            zernike_order: 6,
            position_order: 5,
            starts: 8,
            modal_iterations: 60,
            element_iterations: 400,
            polish_iterations: 800,
            seed: 1,
            phase_bits: None,
            tolerance: 1e-9,
        }
    }
}

/// Optional outputs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outputs {
    /// Cross-polar pattern.
    pub cross_polar: bool,
    /// Sensitivity to failed elements and to pointing errors.
    pub sensitivity: Option<Sensitivity>,
}

/// Sensitivity analysis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// Fraction of failed elements (no reflection), 0 to 1.
    pub failed_fraction: f64,
    /// Pointing error, rad, applied in eight directions.
    pub pointing_error: f64,
    /// Random draws of the failed elements.
    pub trials: usize,
}

/// A synthesis or analysis problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Frequencies at which the mask applies, Hz; the first defines the wavelength of the results.
    pub frequencies: Vec<f64>,
    /// Feed.
    pub feed: Feed,
    /// Element pattern.
    pub element: Element,
    /// Lattice of the elements.
    pub lattice: Lattice,
    /// Whether the positions are free.
    pub placement: Placement,
    /// Design to analyze, in the order of [`Lattice::design`]; none for phases focused on one direction.
    pub design: Option<Design>,
    /// Direction (u, v) of the focused beam that phases are initialized with; the center of the coverage if none.
    pub focus: Option<[f64; 2]>,
    /// Coverage regions; may be empty for an analysis.
    pub coverage: Vec<Region>,
    /// Bound outside the coverage.
    pub outside: Option<Outside>,
    /// Observation grid.
    pub uv_grid: UvGrid,
    /// Synthesis settings.
    pub synthesis: Synthesis,
    /// Optional outputs.
    pub outputs: Outputs,
}

impl Problem {
    /// Wavelength at the first frequency, m.
    pub fn wavelength(&self) -> f64 {
        C0 / self.frequencies[0]
    }
}

/// Element positions and phases, in the order of `index`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Design {
    /// (ix, iy) of each element, from 0.
    pub index: Vec<[usize; 2]>,
    /// x from the array center, m.
    pub x: Vec<f64>,
    /// y from the array center, m.
    pub y: Vec<f64>,
    /// Control phase ψ_n of the reflection, rad.
    pub phase: Vec<f64>,
}
