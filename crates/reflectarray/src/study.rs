//! A validated problem, with its self-checks and its memory estimate.

use crate::check;
use crate::error::ReflectarrayError;
use crate::parallel::concurrent_tasks;
use crate::problem::Problem;
use crate::self_checks;
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;
use phasefront_device::{Backend, MemoryEstimate};

/// Peak bytes per sample of the grid and frequency: fields, weights and the patterns of the solution.
const SAMPLE_BYTES: u64 = 400;
/// Peak bytes per element: design, gradients and the curvature pairs of L-BFGS.
const ELEMENT_BYTES: u64 = 1500;

/// Phase fronts from which searches start, besides the random starts: convex and concave, of regular and of space-tapered positions.
const INITIAL_FRONTS: usize = 4;

/// Maximum samples of visible space along u and v, and peak bytes of each: the field, and its levels in order.
const VISIBLE_SAMPLES: f64 = 4001.0;
const VISIBLE_BYTES: u64 = 64;

/// A problem that passed its checks.
#[derive(Debug, Clone)]
pub struct Study {
    /// The problem.
    pub problem: Problem,
    /// What is known about the validity of the solution before the run.
    pub self_checks: Vec<SelfCheck>,
}

/// Validates a problem.
///
/// ```
/// use phasefront_reflectarray::*;
/// let problem = Problem {
///     frequencies: vec![], // no frequency
///     feed: Feed { offset: 0.1, height: 0.2, pattern: FeedPattern::Cosine { power_exponent: 10.0 }, polarization: 0.0 },
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
    let self_checks = self_checks::of_problem(&problem);
    Ok(Study { problem, self_checks })
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
        // The highest lobe is looked for on a grid of quarter beamwidths over all of visible space.
        let highest = problem.frequencies.iter().copied().fold(0.0, f64::max);
        let visible = [0, 1].map(|axis| {
            let side = problem.lattice.elements[axis] as f64 * problem.lattice.spacing[axis];
            (8.0 * side * highest / C0).min(VISIBLE_SAMPLES) as u64 + 9
        });
        let visible = VISIBLE_BYTES * visible[0] * visible[1];
        // Each task that runs at the same time has its own fields and gradients.
        let tasks = concurrent_tasks(INITIAL_FRONTS + problem.synthesis.starts, backend) as u64;
        let of_task =
            samples.saturating_mul(SAMPLE_BYTES).saturating_add(elements.saturating_mul(ELEMENT_BYTES));
        let bytes = of_task.saturating_mul(tasks).saturating_add(exponentials).saturating_add(visible);
        match backend {
            Backend::Cpu => MemoryEstimate { device: 0, host: bytes },
            Backend::Gpu(_) => MemoryEstimate { device: bytes, host: bytes },
        }
    }
}
