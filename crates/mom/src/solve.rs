//! A study from mesh to answers: the order of the stages, whatever the device.

use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::error::MomError;
use crate::gpu::GpuEngine;
use crate::interior;
use crate::post;
use crate::problem::{NearGrid, Study};
use num_complex::Complex64;
use phasefront_core::constants::{ETA0, wavenumber};
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;

/// Field inside a closed body, as a share of the incident one, above which a solution is doubtful. Measured on circles of
/// ka = 1 to 15 with 20 cells per wavelength: 0.03 on the whole, and the error of the echo width grows with it near a
/// resonance, to 1 or 2 % where it reaches 1, and without bound beyond.
const INTERIOR_LIMIT: f64 = 1.0;

/// Everything asked for, one entry per frequency.
#[derive(Debug, Clone)]
pub struct Solution {
    /// In the order of the problem's frequencies.
    pub frequencies: Vec<FrequencySolution>,
}

/// The solution at one frequency.
#[derive(Debug, Clone)]
pub struct FrequencySolution {
    /// Frequency, Hz.
    pub frequency: f64,
    /// Current on each cell, A/m for a unit incident field; one list per direction of incidence. Empty unless asked for.
    pub currents: Vec<Vec<Complex64>>,
    /// Echo width, m; per direction of incidence and observation angle.
    pub echo_width: Vec<Vec<f64>>,
    /// Near field, if asked for.
    pub near_field: Option<NearField>,
    /// Largest miss of the equations found on sampled rows, as a share of the incident field.
    pub residual: f64,
    /// Largest total field found inside closed bodies, where there should be none, as a share of the incident field.
    pub interior_field: f64,
}

/// Electric field on a grid, V/m for a unit incident field; row-major, rows along y.
#[derive(Debug, Clone)]
pub struct NearField {
    /// Incident plus scattered.
    pub total: Vec<Complex64>,
    /// Scattered alone.
    pub scattered: Vec<Complex64>,
}

impl Study {
    /// Solves the study on `backend`.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, MomError> {
        match (backend, self.problem.precision) {
            (Backend::Cpu, Precision::Double) => self.run(&mut CpuEngine::<f64>::new(&self.mesh), progress),
            (Backend::Cpu, Precision::Single) => self.run(&mut CpuEngine::<f32>::new(&self.mesh), progress),
            (Backend::Gpu(gpu), Precision::Double) => {
                self.run(&mut GpuEngine::<f64>::new(gpu.clone(), &self.mesh)?, progress)
            }
            (Backend::Gpu(gpu), Precision::Single) => {
                self.run(&mut GpuEngine::<f32>::new(gpu.clone(), &self.mesh)?, progress)
            }
        }
    }

    fn run(&self, engine: &mut dyn Engine, progress: &Progress) -> Result<Solution, MomError> {
        let frequencies = &self.problem.frequencies;
        let total = frequencies.len() as u64;
        let sweep = (total > 1).then(|| progress.stage("sweep", Some(total), "frequencies"));
        let solved: Result<Vec<_>, MomError> = frequencies
            .iter()
            .map(|&f| {
                let solution = self.at_frequency(engine, f, progress)?;
                progress.scalar("residual", f, solution.residual);
                if let Some(sweep) = &sweep {
                    sweep.advance(1);
                }
                Ok(solution)
            })
            .collect();
        Ok(Solution { frequencies: solved? })
    }

    fn at_frequency(
        &self,
        engine: &mut dyn Engine,
        frequency: f64,
        progress: &Progress,
    ) -> Result<FrequencySolution, MomError> {
        let (k, problem) = (wavenumber(frequency), &self.problem);
        engine.fill(k, progress)?;
        progress.check()?;
        {
            let _stage = progress.stage("factor", None, "matrices");
            engine.factor()?;
        }
        progress.check()?;
        let currents = {
            let _stage = progress.stage("solve", None, "directions");
            engine.solve(k, &problem.propagation)?;
            engine.currents()?
        };
        progress.check()?;
        let (residual, interior_field) = {
            let _stage = progress.stage("verify", None, "rows");
            let directions = &problem.propagation;
            (
                post::residual(&self.mesh, k, directions, &currents),
                interior::largest_field(&self.mesh, &problem.bodies, k, directions, &currents),
            )
        };
        if residual.is_nan() || residual > post::residual_limit(problem.precision) {
            return Err(MomError::NotConverged { residual, frequency_hz: frequency });
        }
        let sums = {
            let _stage = progress.stage("far", None, "angles");
            engine.far_sums(k, &problem.observation)?
        };
        let near_field = match &problem.near_field {
            Some(grid) => {
                Some(total_field(k, grid, problem.propagation[0], engine.near_field(k, grid, progress)?))
            }
            None => None,
        };
        let echo_width = post::echo_width(k, &sums);
        let currents = if problem.current { currents } else { Vec::new() };
        Ok(FrequencySolution { frequency, currents, echo_width, near_field, residual, interior_field })
    }
}

/// Adds the incident wave e^{-jk(x cos a + y sin a)} to a scattered field.
fn total_field(k: f64, grid: &NearGrid, direction: f64, scattered: Vec<Complex64>) -> NearField {
    let (sin, cos) = direction.sin_cos();
    let points = grid.y.iter().flat_map(|&y| grid.x.iter().map(move |&x| (x, y)));
    let incident = points.map(|(x, y)| Complex64::cis(-k * (x * cos + y * sin)));
    let total = incident.zip(&scattered).map(|(i, s)| i + s).collect();
    NearField { total, scattered }
}

impl Solution {
    /// What the user should know before trusting it.
    pub fn warnings(&self) -> Vec<String> {
        let worst = self.frequencies.iter().max_by(|a, b| a.interior_field.total_cmp(&b.interior_field));
        let doubtful = self.frequencies.iter().filter(|f| f.interior_field > INTERIOR_LIMIT).count();
        match worst {
            Some(worst) if doubtful > 0 => vec![format!(
                "the field inside a closed body should vanish and reaches {:.2} of the incident field at {} Hz{}: the frequency is \
                 near a resonance of the interior, where this equation fails; do not trust this result, try another \
                 frequency or more cells",
                worst.interior_field,
                worst.frequency,
                if doubtful > 1 { format!(" ({doubtful} frequencies are affected)") } else { String::new() }
            )],
            _ => Vec::new(),
        }
    }
}

/// The factor kη/4 of the electric field integral equation.
pub(crate) fn kernel_scale(k: f64) -> f64 {
    0.25 * k * ETA0
}
