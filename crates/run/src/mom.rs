//! The `mom` solver as a job: from its case to its problem, and from its solution to tables, arrays and plots.

mod files;
mod plots;
mod problem;
mod tables;

use crate::error::{RunError, SolverError, checkpoint_not_saved};
use crate::input::{InputFolder, blame_owner};
use crate::job::{Context, Job, Products};
use files::NEAR_OUTPUT_BYTES;
use phasefront_case::model::mom::MomCase;
use phasefront_comm::Comm;
use phasefront_core::{FieldError, Precision, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_mom::{CellCount, Checkpoint, MomError, Solution, Study, prepare};
use std::collections::BTreeMap;

/// How a matrix fits that is too large for one machine.
const SHARED: &str = "MPI ranks on several machines share the matrix";

/// A validated `mom` case.
pub(crate) struct MomJob {
    study: Study,
}

impl MomJob {
    /// Files that the case names are resolved against `folder`.
    pub(crate) fn new(case: &MomCase, folder: &InputFolder) -> Result<Self, SolverError> {
        let (problem, owners) = problem::translate(case, folder).map_err(SolverError::Field)?;
        let study = prepare(problem).map_err(|error| match solver_error(error) {
            SolverError::Field(error) => SolverError::Field(blame_owner(error, "geometry.bodies", &owners)),
            other @ SolverError::Run(_) => other,
        })?;
        tables::check_rows(&study).map_err(SolverError::Field)?;
        Ok(Self { study })
    }
}

impl Job for MomJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        [
            ("unknowns", self.study.unknowns() as f64),
            ("cells", self.study.mesh.cell_count() as f64),
            ("proximity_cells", self.study.mesh.proximity_cells as f64),
            ("shortest_wavelength_m", self.study.shortest_wavelength()),
            ("cells_per_wavelength", self.study.cells_per_wavelength()),
            ("factorizations", self.study.problem.frequencies.len() as f64),
            ("incident_waves", tables::wave_count(&self.study.problem) as f64),
            ("corner_levels", self.study.problem.corner_levels() as f64),
            ("near_distance_cells", self.study.problem.near_distance()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    fn warnings(&self) -> &[String] {
        &[]
    }

    fn self_checks(&self) -> Vec<SelfCheck> {
        self.study.self_checks.clone()
    }

    fn precision(&self) -> Precision {
        self.study.problem.precision
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn check_ranks(&self, comm: &dyn Comm, backend: &Backend) -> Result<(), SolverError> {
        self.study.check_ranks(comm, backend).map_err(|error| {
            let advice = error.advice().unwrap_or_default();
            SolverError::Field(FieldError::new("solver", error.to_string(), advice))
        })
    }

    fn memory(&self, backend: &Backend, ranks: usize, _: usize) -> MemoryEstimate {
        if ranks > 1 {
            return self.study.memory_on_ranks(backend, ranks);
        }
        let MemoryEstimate { device, host } = self.study.memory(backend);
        MemoryEstimate { device, host: host + NEAR_OUTPUT_BYTES * self.study.near_points() }
    }

    fn memory_of_first_rank(&self) -> u64 {
        self.study.memory_of_first_rank() + NEAR_OUTPUT_BYTES * self.study.near_points()
    }

    fn memory_field(&self) -> &'static str {
        // Blame the larger of the near-field grid and the matrix, N² entries.
        let grid = self.study.problem.near_field.as_ref();
        if grid.is_some_and(|g| g.x.len() * g.y.len() > self.study.unknowns().pow(2)) {
            return "output.near_field";
        }
        match self.study.problem.cells {
            CellCount::Total(_) => "solve.cells",
            CellCount::PerWavelength(_) => "solve.cells_per_wavelength",
        }
    }

    fn memory_advice(&self, free: u64) -> String {
        if self.memory_field() == "output.near_field" {
            return format!("about {:.1e} points fit", 0.85 * free as f64 / (NEAR_OUTPUT_BYTES + 48) as f64);
        }
        let entry = 2.0 * self.precision().bytes() as f64;
        // Somewhat less than the limit of the memory check: the advice must lead to a case that
        // runs.
        let fits = (0.85 * free as f64 / entry).sqrt().floor();
        match self.precision() {
            Precision::Double => {
                format!("about {fits} unknowns fit; precision = \"single\" needs half the memory; {SHARED}")
            }
            Precision::Single => format!("about {fits} unknowns fit; {SHARED}"),
        }
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        // On other ranks than 0, which writes, there is none either.
        let Some(solution) = self.solution(context)? else {
            return Ok(Products { interrupted: true, ..Products::default() });
        };
        let mut products = Products::default();
        let metrics = [
            ("unknowns", self.study.unknowns() as f64),
            ("residual", solution.worst(|f| f.residual)),
            ("condition", solution.worst(|f| f.condition.unwrap_or(0.0))),
            ("backward_error", solution.worst(|f| f.backward_error)),
            ("interior_field", solution.worst(|f| f.interior_field)),
        ];
        products.metrics.extend(metrics.map(|(name, value)| (name.to_owned(), value)));
        if context.comm.size() > 1 {
            products.metrics.insert("ranks".into(), context.comm.size() as f64);
        }
        if let [only] = &solution.frequencies[..]
            && let [width] = only.extinction_width[..]
        {
            products.metrics.insert("extinction_width_m".into(), width);
        }
        products.self_checks = solution.self_checks(&self.study);
        if !self.study.problem.observation.is_empty() {
            products
                .tables
                .push((tables::echo_width(&self.study, &solution), "bistatic echo width against angle"));
        }
        if self.study.problem.monostatic {
            let table = tables::monostatic(&self.study, &solution);
            products.tables.push((table, "monostatic echo width"));
        }
        if self.study.problem.currents {
            products
                .tables
                .push((tables::currents(&self.study, &solution), "surface current, A/m for a unit field"));
        }
        if let Some(arrays) = files::near_field(&self.study, &solution) {
            products.arrays.push((arrays, "field along z on the grid, for a unit incident field"));
        }
        products.plots = plots::plots(&self.study, &solution);
        Ok(products)
    }
}

impl MomJob {
    /// All frequencies, those done before the run was stopped included; nothing if it is stopped again, and on other ranks than 0.
    fn solution(&self, context: &Context<'_>) -> Result<Option<Solution>, SolverError> {
        let mut finished = Vec::new();
        let read = context.checkpoints.pieces(context.progress, |piece: Checkpoint| {
            finished.push(piece);
            true
        });
        read.map_err(SolverError::Run)?;
        let mut save =
            |piece: &Checkpoint| context.checkpoints.append(piece, true).map_err(std::io::Error::other);
        let Context { comm, backend, progress, .. } = *context;
        match self.study.resume_on(comm, backend, progress, finished, &mut save) {
            Err(MomError::Interrupted(_)) => Ok(None),
            solved => solved.map_err(solver_error),
        }
    }
}

/// A solver error as an error of `run`.
fn solver_error(error: MomError) -> SolverError {
    let advice = error.advice();
    SolverError::Run(match error {
        MomError::Invalid(error) => return SolverError::Field(error),
        MomError::NotConverged { .. } => {
            RunError::NotConverged { message: error.to_string(), advice, on_all_ranks: false }
        }
        MomError::Checkpoint(error) => checkpoint_not_saved(error),
        MomError::Device(error) => RunError::Device(error),
        MomError::Comm(error) => RunError::Comm(error),
        // The first was refused by `check_ranks` already, with its line.
        MomError::GpuOnRanks | MomError::MixedDevices => {
            return SolverError::Field(FieldError::new(
                "solver",
                error.to_string(),
                advice.unwrap_or_default(),
            ));
        }
        MomError::Interrupted(error) => RunError::Interrupted(error),
    })
}
