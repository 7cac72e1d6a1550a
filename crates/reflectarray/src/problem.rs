//! What the solver takes.

use crate::check;
use crate::error::ReflectarrayError;
use phasefront_core::constants::C0;

/// Feed at the origin, radiating towards the center of the array, which lies at (0, `offset`, `height`) in the feed's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feed {
    /// Offset of the array's center along y, m.
    pub offset: f64,
    /// Distance of the array plane, m.
    pub height: f64,
    /// m_f of the amplitude cos^{m_f}(θ) from the axis to the array's center.
    pub exponent: f64,
    /// Direction of its electric field, from x towards y, rad.
    pub polarization: f64,
}

/// Pattern of one element.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// p of the power pattern cos^p θ.
    pub exponent: f64,
    /// Reflection of the cell common to all elements against θ, if it is known.
    pub reflection: Option<ReflectionTable>,
}

/// S₀(θ): complex factor of the field, linear between its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ReflectionTable {
    /// Angles from the array's normal, rad, ascending.
    pub theta: Vec<f64>,
    /// Amplitudes.
    pub amplitude: Vec<f64>,
    /// Phases, rad.
    pub phase: Vec<f64>,
}

/// The grid of elements the design starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Elements along x and y.
    pub elements: [usize; 2],
    /// Spacing along x and y, m.
    pub spacing: [f64; 2],
}

/// Where the elements may stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placement {
    /// On the lattice.
    Periodic,
    /// Anywhere, as long as neighbors (ix, iy) and (ix ± 1, iy), (ix, iy ± 1) keep these distances, m.
    Aperiodic {
        /// Shortest.
        min_spacing: f64,
        /// Longest.
        max_spacing: f64,
    },
}

/// A part of the coverage: polygons in the (u, v) plane and the directivity asked for there.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name in tables.
    pub name: String,
    /// Closed outlines; a point is inside if it is so by the even-odd rule of one polygon's rings.
    pub polygons: Vec<UvPolygon>,
    /// Lower bound, dBi; as high as the aperture can give if left out.
    pub lower: Option<f64>,
    /// Upper bound, dBi.
    pub upper: Option<f64>,
}

/// One outline and its holes, in (u, v); rings are not closed by repeating their first point.
#[derive(Debug, Clone, PartialEq)]
pub struct UvPolygon {
    /// The outline first, then the holes.
    pub rings: Vec<Vec<[f64; 2]>>,
}

/// The part of the (u, v) plane that the synthesis looks at: a grid of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Its middle.
    pub center: [f64; 2],
    /// Samples along u and v.
    pub samples: [usize; 2],
    /// Distance of the samples.
    pub step: f64,
}

impl Window {
    /// u of the samples, ascending: the middle is sample n/2, as the modes of a transform have it.
    pub fn u(&self) -> Vec<f64> {
        self.axis(0)
    }

    /// v of the samples, ascending.
    pub fn v(&self) -> Vec<f64> {
        self.axis(1)
    }

    fn axis(&self, axis: usize) -> Vec<f64> {
        let n = self.samples[axis];
        (0..n).map(|i| self.center[axis] + (i as f64 - (n / 2) as f64) * self.step).collect()
    }
}

/// An upper bound outside the coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside {
    /// dBi.
    pub upper: f64,
    /// Width of the band around the coverage where nothing is asked, in u and v.
    pub margin: f64,
}

/// How the design is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Analyze the elements as they start: phases by a point focus, or as given.
    Analysis,
    /// The four stages: pre-synthesis, few modes from many starts, every phase, minimax.
    Multistage,
    /// Alternating projections between patterns within the mask and unit-amplitude excitations.
    IteratedProjections,
}

/// How gradients are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gradient {
    /// Closed form, by the adjoint transform.
    Analytic,
    /// Forward differences, one evaluation per unknown.
    FiniteDifference,
}

/// Settings of the synthesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Synthesis {
    /// Which way.
    pub method: Method,
    /// Gradients.
    pub gradient: Gradient,
    /// Highest radial order of the Zernike polynomials of the phase in the modal stage.
    pub zernike_order: usize,
    /// Degree of the polynomial map of the positions along each axis (aperiodic only).
    pub position_order: usize,
    /// Random starts of the modal stage.
    pub starts: usize,
    /// Most iterations of the modal stage's local searches; 0 leaves the stage out.
    pub modal_iterations: usize,
    /// Most iterations of the stage with every phase; 0 leaves it out.
    pub element_iterations: usize,
    /// Most iterations of the minimax stage; 0 leaves it out.
    pub polish_iterations: usize,
    /// Seed of the random starts.
    pub seed: u64,
    /// Bits of the phase shifters, if phases come in steps.
    pub phase_bits: Option<u32>,
    /// Relative accuracy of the transforms.
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

/// What else is wanted beside the design and its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extras {
    /// The cross-polar map.
    pub cross_polar: bool,
    /// Trials with failed elements and with pointing errors.
    pub sensitivity: Option<Sensitivity>,
}

/// What may go wrong with a built array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// Share of the elements that fail (no reflection), 0 to 1.
    pub failed_share: f64,
    /// Pointing error, rad: the pattern is moved by this in eight directions.
    pub pointing_error: f64,
    /// Random draws of the failed elements.
    pub trials: usize,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Frequencies the mask holds at, Hz; the first fixes the wavelength of spacings and of the results.
    pub frequencies: Vec<f64>,
    /// The feed.
    pub feed: Feed,
    /// The elements' pattern.
    pub element: Element,
    /// Their grid.
    pub lattice: Lattice,
    /// Whether they may leave it.
    pub placement: Placement,
    /// The design that an analysis looks at, in the order of [`Lattice::design`]; none for a point focus.
    pub design: Option<Design>,
    /// The direction (u, v) of the point focus that phases start from; the middle of the coverage if left out.
    pub focus: Option<[f64; 2]>,
    /// The coverage; may be empty for an analysis.
    pub coverage: Vec<Region>,
    /// What holds elsewhere.
    pub outside: Option<Outside>,
    /// Where the pattern is sampled.
    pub window: Window,
    /// How to get there.
    pub synthesis: Synthesis,
    /// What else.
    pub extras: Extras,
}

impl Problem {
    /// Wavelength at the first frequency, m.
    pub fn wavelength(&self) -> f64 {
        C0 / self.frequencies[0]
    }
}

/// A problem that passed its checks.
#[derive(Debug, Clone)]
pub struct Study {
    /// What was asked.
    pub problem: Problem,
    /// What the user should know before trusting the answer.
    pub warnings: Vec<String>,
}

/// Checks a problem.
pub fn prepare(problem: Problem) -> Result<Study, ReflectarrayError> {
    check::problem(&problem)?;
    let warnings = check::warnings(&problem);
    Ok(Study { problem, warnings })
}

/// A design: positions and phases, in the order of `index`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Design {
    /// (ix, iy) of each element, from 0.
    pub index: Vec<[usize; 2]>,
    /// x from the array's center, m.
    pub x: Vec<f64>,
    /// y from the array's center, m.
    pub y: Vec<f64>,
    /// Control phase ψ, rad.
    pub phase: Vec<f64>,
}

/// One line of the history of a synthesis.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HistoryRow {
    /// `start`, `modal`, `elements`, `polish`, `projections`, ...
    pub stage: String,
    /// Iteration, counted through all stages.
    pub iteration: usize,
    /// Evaluations of the objective until then.
    pub evaluations: u64,
    /// Φ = Σ (D − 𝒫D)² under the mask of the problem; where no lower bound was asked, what power spread evenly would give.
    pub objective: f64,
    /// Mean of D in dB over the coverage.
    pub d_mean: f64,
    /// Minimum of D over the coverage, dBi.
    pub d_min: f64,
}

/// What the pattern does over one region.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverageFigures {
    /// Name; `all` for the union of the regions.
    pub region: String,
    /// Samples inside.
    pub samples: usize,
    /// Mean of D in dB over them.
    pub d_mean: f64,
    /// Minimum, dBi.
    pub d_min: f64,
    /// Share of them within the mask.
    pub share_within_mask: f64,
}

/// The pattern at one frequency, on the window's samples, u running fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Hz.
    pub frequency: f64,
    /// Co-polar directivity, dBi.
    pub d_co: Vec<f64>,
    /// Cross-polar directivity, dBi, if asked for.
    pub d_cross: Option<Vec<f64>>,
    /// Complex co-polar field, scaled so that |E|² is the directivity.
    pub e_co: Vec<num_complex::Complex64>,
    /// Complex cross-polar field on the same scale, if asked for.
    pub e_cross: Option<Vec<num_complex::Complex64>>,
    /// Figures per region, and for all together.
    pub coverage: Vec<CoverageFigures>,
}

/// Spread of D_min and D_mean when things go wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitivityFigures {
    /// Mean and worst D_min over the draws of failed elements, dBi.
    pub failed_d_min: [f64; 2],
    /// Worst D_min over the pointing errors, dBi.
    pub pointing_d_min: f64,
}

/// What comes out.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions and phases.
    pub design: Design,
    /// |a_n|: amplitude of each element's illumination, cos^{m_f}(θ_n)/r_n.
    pub amplitude: Vec<f64>,
    /// One per frequency.
    pub patterns: Vec<Pattern>,
    /// How it got there.
    pub history: Vec<HistoryRow>,
    /// Final Φ, as in the history.
    pub objective: f64,
    /// Evaluations of Φ (each with or without gradient).
    pub evaluations: u64,
    /// Shortest and longest distance of neighbors, wavelengths.
    pub spacing: [f64; 2],
    /// Share of the feed's power that misses the aperture.
    pub spillover: f64,
    /// Taper efficiency of the illumination, 0 to 1.
    pub taper_efficiency: f64,
    /// If asked for.
    pub sensitivity: Option<SensitivityFigures>,
    /// Whether the user stopped it before the end.
    pub interrupted: bool,
}
