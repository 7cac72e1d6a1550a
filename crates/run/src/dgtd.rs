//! The `dgtd` solver as a job: from its case to its problem, and from its solution to tables and plots.

mod adapt;
mod cad;
mod columns;
mod drawing;
mod error;
mod far;
mod figures;
mod files;
mod gmsh;
mod groups;
mod labels;
mod materials;
mod mesh;
mod mesh_cache;
mod mesh_groups;
mod near_field;
mod near_source;
mod picture;
mod plots;
mod ports;
mod prepared;
mod problem;
mod products;
mod pulse;
mod resonances;
mod runs;
mod saving;
mod self_checks;
mod slices;
mod tables;

pub(crate) use picture::Limiting;

use crate::error::SolverError;
use crate::input::InputFolder;
use crate::job::{Context, Job, Products, RunTime};
use error::solver_error;
use phasefront_case::model::dgtd::DgtdCase;
use phasefront_core::{Precision, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_dgtd::Study;
use phasefront_mesh::TetMesh;
use phasefront_report::plot::Plot;
use prepared::Prepared;
use saving::Interrupted;
use std::collections::BTreeMap;

/// Steps that are timed to estimate the duration of a run: on a GPU, where a step of a sample takes a millisecond, and on a CPU.
const TIMED_STEPS_GPU: usize = 20;
const TIMED_STEPS_CPU: usize = 2;

/// The mesh of a case, and warnings about it.
pub(crate) fn case_mesh(
    case: &DgtdCase,
    folder: &InputFolder,
) -> Result<(TetMesh, Vec<String>), SolverError> {
    let highest = problem::highest_frequency(case, &pulse::pulse(&case.source, folder)?);
    let made = mesh::mesh(case, highest, Vec::new(), folder)?;
    Ok((made.mesh, made.warnings))
}

/// The plot of the mesh of a case, with the element that limits the time step if that is known.
pub(crate) fn mesh_plot(case: &DgtdCase, mesh: &TetMesh, limiting: Option<&Limiting>) -> Plot {
    picture::plot(case, mesh, |_| false, limiting)
}

/// A validated dgtd case.
pub(crate) struct DgtdJob(Prepared);

impl DgtdJob {
    /// Files that the case names are relative to `folder`.
    pub(crate) fn new(case: &DgtdCase, folder: &InputFolder) -> Result<Self, SolverError> {
        Prepared::new(case, folder).map(Self)
    }
}

impl Job for DgtdJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        let Prepared { study, excited, .. } = &self.0;
        let (problem, step) = (&study.problem, &study.step);
        let facts = [
            ("elements", problem.mesh.tets.len() as f64),
            ("dof", study.dof() as f64),
            ("highest_frequency_hz", problem.highest_frequency),
            ("points_per_wavelength", study.points_per_wavelength()),
            ("dt_s", step.dt),
            ("limiting_element_x_m", step.position[0]),
            ("limiting_element_y_m", step.position[1]),
            ("limiting_element_z_m", step.position[2]),
            ("limiting_altitude_m", step.altitude),
            ("longest_time_s", problem.stop.time),
            ("steps_at_most", study.max_steps() as f64),
            ("steps_likely", study.likely_steps() as f64),
            ("runs", excited.len() as f64),
        ];
        // Said where steps of a part of the mesh are timed.
        let (sampled, all) = (study.sampled_elements(), problem.mesh.tets.len());
        let timed = (sampled < all).then_some(("timed_elements", sampled as f64));
        let local = study
            .local_steps()
            .map(|(gain, levels)| [("time_step_levels", levels as f64), ("local_time_stepping_gain", gain)]);
        let facts = facts.into_iter().chain(timed).chain(local.into_iter().flatten());
        facts.map(|(name, value)| (name.to_owned(), value)).chain(mode_facts(study)).collect()
    }

    fn warnings(&self) -> &[String] {
        &self.0.warnings
    }

    fn self_checks(&self) -> Vec<SelfCheck> {
        self.0.self_checks()
    }

    fn precision(&self) -> Precision {
        self.0.problem().precision
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn uses_several_gpus(&self) -> bool {
        true
    }

    fn memory(&self, backend: &Backend, ranks: usize, gpus: usize) -> MemoryEstimate {
        self.0.memory(backend, ranks, gpus)
    }

    fn memory_of_first_rank(&self) -> u64 {
        self.0.study.output_bytes()
    }

    fn memory_field(&self) -> &'static str {
        self.0.mesh_key
    }

    fn memory_advice(&self, _free: u64) -> String {
        "use a coarser mesh, a lower order, `precision = \"single\"`, or fewer frequencies, monitors and snapshots"
            .into()
    }

    /// Estimated from a few steps on this device, of a sample of a large mesh.
    fn seconds(&self, backend: &Backend) -> Result<Option<RunTime>, SolverError> {
        let steps = if matches!(backend, Backend::Cpu) { TIMED_STEPS_CPU } else { TIMED_STEPS_GPU };
        let Prepared { study, excited, case, mesh_key, .. } = &self.0;
        let timed = study.time_sample(backend, steps);
        let seconds = timed.map_err(|error| solver_error(error, mesh_key))?;
        // One run for each excited port.
        let step = seconds / steps as f64 * excited.len() as f64;
        let [passes, most_passes] = match case.solve.accuracy {
            Some(_) => [adapt::cost(2), adapt::cost(case.solve.max_passes)],
            None => [1.0; 2],
        };
        let likely = passes * step * study.likely_steps() as f64;
        let at_most = most_passes * step * study.max_steps() as f64;
        Ok(Some(RunTime { likely, at_most: Some(at_most) }))
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        context.checkpoints.check_shared(context.comm).map_err(SolverError::Run)?;
        let interrupted = Interrupted::read(context).map_err(SolverError::Run)?;
        if let Some(accuracy) = self.0.case.solve.accuracy {
            return adapt::adapt(&self.0, accuracy.fraction(), interrupted, context);
        }
        match self.0.runs(interrupted, &[], context)? {
            None => Ok(Products { interrupted: true, ..Products::default() }),
            Some(_) if context.comm.rank() > 0 => Ok(Products::default()),
            Some(runs) => Ok(self.0.products(&runs, None)),
        }
    }
}

/// What is known of the modes of wave ports before the run: cut-offs, and the impedances of lines.
fn mode_facts(study: &Study) -> Vec<(String, f64)> {
    let mut facts = Vec::new();
    for port in 0..study.problem.sources.ports.len() {
        let Some(cutoff) = study.cutoff_frequency(port) else { continue };
        facts.push((format!("port_{}_cutoff_hz", port + 1), cutoff));
        if let Some([_, impedance]) = study.mode_at(port, study.problem.middle_frequency()) {
            facts.push((format!("port_{}_impedance_ohm", port + 1), impedance.norm()));
        }
    }
    facts
}
