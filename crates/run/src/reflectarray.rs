//! The `reflectarray` solver as a job: from case to problem, and from solution to tables, arrays, files and plots.

mod cuts;
mod feed;
mod files;
mod plots;
mod problem;
mod tables;

use crate::error::{RunError, SolverError, checkpoint_not_saved};
use crate::input::{InputFolder, blame_owner};
use crate::job::{Context, Job, Products};
use cuts::Cuts;
use phasefront_case::model::reflectarray::{Export, ReflectarrayCase};
use phasefront_core::{Precision, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_reflectarray::coverage::Satellite;
use phasefront_reflectarray::{Checkpoint, Problem, ReflectarrayError, Study, prepare};
use std::collections::BTreeMap;

/// A validated reflectarray case.
pub(crate) struct ReflectarrayJob {
    pub(crate) study: Study,
    satellite: Option<Satellite>,
    exports: Vec<Export>,
    warnings: Vec<String>,
}

impl ReflectarrayJob {
    /// Files that the case names are resolved against `folder`.
    pub(crate) fn new(case: &ReflectarrayCase, folder: &InputFolder) -> Result<Self, SolverError> {
        let translated = problem::translate(case, folder).map_err(SolverError::Field)?;
        let study = prepare(translated.problem).map_err(|error| match solver_error(error) {
            SolverError::Field(error) => {
                SolverError::Field(blame_owner(error, "geometry.coverage", &translated.owners))
            }
            other @ SolverError::Run(_) => other,
        })?;
        let (exports, warnings) = (case.output.exports.clone(), feed::warnings(&study.problem.feed));
        Ok(Self { study, satellite: translated.satellite, exports, warnings })
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

impl Job for ReflectarrayJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        let problem = self.problem();
        let (lattice, uv_grid) = (&problem.lattice, &problem.uv_grid);
        let side = |i: usize| lattice.elements[i] as f64 * lattice.spacing[i];
        [
            ("elements", (lattice.elements[0] * lattice.elements[1]) as f64),
            ("wavelength_m", problem.wavelength()),
            ("aperture_x_m", side(0)),
            ("aperture_y_m", side(1)),
            ("uv_grid_center_u", uv_grid.center[0]),
            ("uv_grid_center_v", uv_grid.center[1]),
            ("uv_grid_points_u", uv_grid.points[0] as f64),
            ("uv_grid_points_v", uv_grid.points[1] as f64),
            ("uv_grid_spacing", uv_grid.spacing),
            ("regions", problem.coverage.len() as f64),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn self_checks(&self) -> Vec<SelfCheck> {
        self.study.self_checks.clone()
    }

    fn precision(&self) -> Precision {
        Precision::Double
    }

    fn seed(&self) -> Option<u64> {
        Some(self.problem().synthesis.seed)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn memory(&self, backend: &Backend, _: usize, _: usize) -> MemoryEstimate {
        self.study.memory(backend)
    }

    fn memory_field(&self) -> &'static str {
        "solve.uv_grid"
    }

    fn memory_advice(&self, _free: u64) -> String {
        "use a larger spacing or fewer points in `uv_grid`, or fewer elements".into()
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        // One replaceable record: the optimizer's state supersedes all earlier ones.
        let resume = context.checkpoints.state(context.progress).map_err(SolverError::Run)?;
        let mut save =
            |checkpoint: &Checkpoint| context.checkpoints.replace(checkpoint).map_err(std::io::Error::other);
        let Context { comm, backend, progress, .. } = *context;
        let solved = self.study.solve_on(comm, backend, progress, resume, &mut save);
        let solution = solved.map_err(|error| match error {
            ReflectarrayError::Checkpoint(message) => SolverError::Run(context.checkpoints.refusal(message)),
            other => solver_error(other),
        })?;
        // On other ranks than 0, which writes.
        let Some(solution) = solution else { return Ok(Products::default()) };
        let mut products = Products { interrupted: solution.interrupted, ..Products::default() };
        products.self_checks = solution.self_checks();
        products.metrics = tables::metrics(&solution);
        products
            .tables
            .push((tables::elements(&solution), "position, phase and illumination of each element"));
        if !solution.history.is_empty() {
            products.tables.push((tables::history(&solution), "convergence history of the synthesis"));
        }
        // Patterns and exports of an intermediate design would cost time and mislead.
        if solution.interrupted {
            return Ok(products);
        }
        if !self.problem().coverage.is_empty() {
            products
                .tables
                .push((tables::coverage(&solution), "directivity over each region of the coverage"));
        }
        products
            .arrays
            .push((tables::directivity(self.problem(), &solution), "directivity on the (u, v) grid"));
        let cuts = Cuts::new(self.problem(), &solution.design).map_err(solver_error)?;
        products.tables.extend(tables::cuts(&cuts));
        products.plots = plots::plots(self.problem(), self.satellite.as_ref(), &solution, &cuts);
        for export in &self.exports {
            products.texts.push(files::export(*export, self.problem(), &solution).map_err(solver_error)?);
        }
        Ok(products)
    }
}

/// A solver error as an error of `run`.
pub(crate) fn solver_error(error: ReflectarrayError) -> SolverError {
    let advice = error.advice();
    SolverError::Run(match error {
        ReflectarrayError::Invalid(error) => return SolverError::Field(error),
        ReflectarrayError::Device(error) => RunError::Device(error),
        ReflectarrayError::Interrupted(error) => RunError::Interrupted(error),
        ReflectarrayError::Comm(error) => RunError::Comm(error),
        ReflectarrayError::Save(error) => checkpoint_not_saved(error),
        ReflectarrayError::Nufft(_) | ReflectarrayError::Pattern(_) | ReflectarrayError::Checkpoint(_) => {
            // In the search of one rank.
            RunError::NotConverged { message: error.to_string(), advice, on_all_ranks: false }
        }
    })
}
