//! A validated problem, with its warnings and its memory estimate.

use crate::check;
use crate::error::ReflectarrayError;
use crate::problem::Problem;
use phasefront_device::{Backend, MemoryEstimate};

/// Peak bytes per sample of the grid and frequency: fields, weights and the patterns of the solution.
const SAMPLE_BYTES: u64 = 400;
/// Peak bytes per element: design, gradients and the curvature pairs of L-BFGS.
const ELEMENT_BYTES: u64 = 1500;

/// A problem that passed its checks.
#[derive(Debug, Clone)]
pub struct Study {
    /// The problem.
    pub problem: Problem,
    /// Doubtful settings the user should know of before trusting the solution.
    pub warnings: Vec<String>,
}

/// Validates a problem.
///
/// ```
/// use phasefront_reflectarray::*;
/// let problem = Problem {
///     frequencies: vec![], // no frequency
///     feed: Feed { offset: 0.1, height: 0.2, power_exponent: 10.0, polarization: 0.0 },
///     element: Element { power_exponent: 1.0, reflection: None },
///     lattice: Lattice { elements: [15, 15], spacing: [0.0105, 0.0105] },
///     placement: Placement::Periodic,
///     design: None,
///     focus: None,
///     coverage: vec![],
///     outside: None,
///     uv_grid: UvGrid { center: [0.0, 0.1], points: [32, 32], spacing: 0.02 },
///     synthesis: Synthesis { method: Method::Analysis, ..Synthesis::default() },
///     outputs: Outputs::default(),
/// };
/// let Err(ReflectarrayError::Invalid(error)) = prepare(problem) else { panic!("it was accepted") };
/// assert_eq!(error.path, "source.frequency");
/// ```
pub fn prepare(problem: Problem) -> Result<Study, ReflectarrayError> {
    check::problem(&problem)?;
    let warnings = check::warnings(&problem);
    Ok(Study { problem, warnings })
}

impl Study {
    /// Peak memory of a run on `backend`.
    pub fn memory(&self, backend: &Backend) -> MemoryEstimate {
        let problem = &self.problem;
        let [nu, nv] = problem.uv_grid.points.map(|n| n as u64);
        let [nx, ny] = problem.lattice.elements.map(|n| n as u64);
        let elements = nx.saturating_mul(ny);
        let samples = nu.saturating_mul(nv).saturating_mul(problem.frequencies.len() as u64);
        // The matrix-product transform stores e^{jβux} and e^{jβvy}: (nu + nv) complex numbers per element.
        let exponentials = 16_u64.saturating_mul(elements).saturating_mul(nu.saturating_add(nv));
        let bytes = samples
            .saturating_mul(SAMPLE_BYTES)
            .saturating_add(elements.saturating_mul(ELEMENT_BYTES))
            .saturating_add(exponentials);
        match backend {
            Backend::Cpu => MemoryEstimate { device: 0, host: bytes },
            Backend::Gpu(_) => MemoryEstimate { device: bytes, host: bytes },
        }
    }
}
