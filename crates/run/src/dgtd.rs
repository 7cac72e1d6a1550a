//! The `dgtd` solver as a job: from its case to its problem, and from its solution to tables and plots.

mod adapt;
mod cad;
mod drawing;
mod error;
mod estimate;
mod far;
mod files;
mod gmsh;
mod groups;
mod kept;
mod labels;
mod mesh;
mod picture;
mod plots;
mod ports;
mod problem;
mod runs;
mod saving;
mod slices;
mod tables;
mod trust;

use crate::error::SolverError;
use crate::input::{InputFolder, digest};
use crate::job::{Context, Job, Products, RunTime};
use crate::memory::{MemoryUse, memory_uses};
use error::solver_error;
use estimate::{Estimate, Pass};
use phasefront_case::model::dgtd::{DgtdCase, MAX_ORDER};
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, Precision, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_dgtd::{DgtdError, Problem, RankReport, STAGES, Solution, Study, prepare};
use phasefront_mesh::TetMesh;
use phasefront_mesh::drawing::SizeView;
use phasefront_report::{IndexMap, ReportError};
use ports::Column;
use runs::Runs;
use saving::{Interrupted, save_passes, shared};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The self-check of edges that a mesh may not resolve.
const EDGES: &str = "nodes across narrow conductors";

/// Steps that are timed to estimate the duration of a run: on a GPU, where a step of a sample takes a millisecond, and on a CPU.
const TIMED_STEPS_GPU: usize = 20;
const TIMED_STEPS_CPU: usize = 2;

/// The mesh of a case, and warnings about it.
pub(crate) fn case_mesh(
    case: &DgtdCase,
    folder: &InputFolder,
) -> Result<(TetMesh, Vec<String>), SolverError> {
    let made = mesh::mesh(case, problem::highest_frequency(&case.source), Vec::new(), folder)?;
    Ok((made.mesh, made.warnings))
}

/// A picture of it, as PNG.
pub(crate) fn mesh_picture(case: &DgtdCase, mesh: &TetMesh) -> Result<Vec<u8>, ReportError> {
    picture::picture(case, mesh)
}

/// A validated dgtd case.
pub(crate) struct DgtdJob {
    study: Study,
    warnings: Vec<String>,
    case: DgtdCase,
    /// The folder of the files that the case names.
    inputs: PathBuf,
    /// Of a drawn mesh the largest element size and the unit of its script, m.
    drawn: Option<(f64, f64)>,
    /// Element sizes that earlier passes found.
    views: Vec<SizeView>,
    /// Indices of the excited ports, each in a run of its own; a single run where there are no ports.
    excited: Vec<usize>,
    made_in_code: bool,
}

impl DgtdJob {
    /// Files that the case names are relative to `folder`.
    pub(crate) fn new(case: &DgtdCase, folder: &InputFolder) -> Result<Self, SolverError> {
        Self::with_sizes(case, Vec::new(), folder)
    }

    /// With element sizes that earlier passes found.
    fn with_sizes(case: &DgtdCase, views: Vec<SizeView>, folder: &InputFolder) -> Result<Self, SolverError> {
        let translated = problem::translate(case, views.clone(), folder)?;
        let made_in_code = case.geometry.brick.is_some();
        let study = prepare(translated.problem).map_err(|error| solver_error(error, made_in_code))?;
        study.check_initial().map_err(|error| solver_error(error, made_in_code))?;
        if let Some(sphere) = &case.output.mie {
            far::sphere(sphere).check(&study).map_err(|error| solver_error(error, made_in_code))?;
        }
        let warnings = [&translated.warnings[..], &study.warnings[..]].concat();
        let excited = case.source.excited_ports();
        Ok(Self {
            study,
            warnings,
            case: case.clone(),
            inputs: folder.path().to_owned(),
            drawn: translated.drawn,
            views,
            excited,
            made_in_code,
        })
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

impl Job for DgtdJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        let (study, problem, step) = (&self.study, self.problem(), &self.study.step);
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
            ("runs", self.excited.len() as f64),
        ];
        // Said where steps of a part of the mesh are timed.
        let (sampled, all) = (study.sampled_elements(), problem.mesh.tets.len());
        let timed = (sampled < all).then_some(("timed_elements", sampled as f64));
        let local = study
            .local_steps()
            .map(|(gain, levels)| [("time_step_levels", levels as f64), ("local_time_stepping_gain", gain)]);
        facts
            .into_iter()
            .chain(timed)
            .chain(local.into_iter().flatten())
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn self_checks(&self) -> Vec<SelfCheck> {
        // An adaptation measures what this one guesses.
        let adapts = self.case.solve.accuracy.is_some() && self.drawn.is_some();
        let guessed = |check: &SelfCheck| adapts && check.name == EDGES;
        self.study.self_checks.iter().filter(|check| !guessed(check)).cloned().collect()
    }

    fn precision(&self) -> Precision {
        self.problem().precision
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn uses_several_gpus(&self) -> bool {
        true
    }

    fn memory(&self, backend: &Backend, parts: usize) -> MemoryEstimate {
        self.study.memory(self.excited.len(), backend, parts)
    }

    fn memory_field(&self) -> &'static str {
        if self.made_in_code { "geometry.box" } else { "geometry.mesh" }
    }

    fn memory_advice(&self, _free: u64) -> String {
        "use a coarser mesh, a lower order, `precision = \"single\"`, or fewer frequencies, monitors and snapshots"
            .into()
    }

    /// Estimated from a few steps on this device, of a sample of a large mesh.
    fn seconds(&self, backend: &Backend) -> Result<Option<RunTime>, SolverError> {
        let steps = if matches!(backend, Backend::Cpu) { TIMED_STEPS_CPU } else { TIMED_STEPS_GPU };
        let timed = self.study.time_sample(backend, steps);
        let seconds = timed.map_err(|error| solver_error(error, self.made_in_code))?;
        // One run for each excited port.
        let step = seconds / steps as f64 * self.excited.len() as f64;
        let [passes, most_passes] = match self.case.solve.accuracy {
            Some(_) => [adapt::cost(2), adapt::cost(self.case.solve.max_passes)],
            None => [1.0; 2],
        };
        let likely = passes * step * self.study.likely_steps() as f64;
        let at_most = most_passes * step * self.study.max_steps() as f64;
        Ok(Some(RunTime { likely, at_most }))
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        context.checkpoints.check_shared(context.comm).map_err(SolverError::Run)?;
        let interrupted = Interrupted::read(context).map_err(SolverError::Run)?;
        if let Some(accuracy) = self.case.solve.accuracy {
            return self.adapt(accuracy.fraction(), interrupted, context);
        }
        match self.runs(interrupted, &[], context)? {
            None => Ok(Products { interrupted: true, ..Products::default() }),
            Some(_) if context.comm.rank() > 0 => Ok(Products::default()),
            Some(runs) => Ok(self.products(&runs, None)),
        }
    }
}

impl DgtdJob {
    /// One run for each excited port, from where an earlier process left them; none if the user stops them.
    fn runs(
        &self,
        interrupted: Option<Interrupted<'_>>,
        passes: &[Pass],
        context: &Context<'_>,
    ) -> Result<Option<Runs>, SolverError> {
        runs::solve(&self.study, (&self.excited, passes), self.made_in_code, interrupted, context)
    }

    /// Solves the case in passes until the estimated error is at most `accuracy`.
    fn adapt(
        &self,
        accuracy: f64,
        mut interrupted: Option<Interrupted<'_>>,
        context: &Context<'_>,
    ) -> Result<Products, SolverError> {
        let mut passes = interrupted.as_mut().map(Interrupted::take_passes).unwrap_or_default();
        let mut later: Option<Self> = None;
        for pass in &passes {
            match later.as_ref().unwrap_or(self).next(pass, context)? {
                Ok(next) => later = Some(next),
                Err(_) if is_stopped(context)? => {
                    return Ok(Products { interrupted: true, ..Products::default() });
                }
                Err(reason) => {
                    let lost =
                        format!("the mesh of the pass that was interrupted cannot be made again: {reason}");
                    return Err(SolverError::Run(context.checkpoints.refusal(lost)));
                }
            }
        }
        loop {
            let job = later.as_ref().unwrap_or(self);
            context.progress.note(&format!(
                "pass {}: {} elements of order {}",
                passes.len() + 1,
                job.study.mesh().tets.len(),
                job.case.solve.order
            ));
            let Some(runs) = job.runs(interrupted.take(), &passes, context)? else {
                return Ok(Products { interrupted: true, ..Products::default() });
            };
            // Rank 0 has the results, and tells the others what it has found.
            let own = if context.comm.rank() == 0 {
                vec![adapt::pass(&job.study, &runs.solutions, &job.case, job.drawn)]
            } else {
                Vec::new()
            };
            passes.extend(shared(context.comm, &own).map_err(SolverError::Run)?);
            let estimate = match &passes[..] {
                [.., before, last] => Some(Estimate::new(before, last, &self.excited)),
                _ => None,
            };
            let reached = estimate.as_ref().is_some_and(|estimate| estimate.error <= accuracy);
            context.progress.note(&adapt::note(&passes, estimate.as_ref()));
            let ends = reached || passes.len() >= self.case.solve.max_passes as usize;
            let mut obstacle = None;
            if !ends {
                save_passes(&passes, context);
                match job.next(&passes[passes.len() - 1], context)? {
                    Ok(next) => {
                        later = Some(next);
                        continue;
                    }
                    Err(_) if is_stopped(context)? => {
                        return Ok(Products { interrupted: true, ..Products::default() });
                    }
                    Err(reason) => obstacle = Some(reason),
                }
            }
            if context.comm.rank() > 0 {
                return Ok(Products::default());
            }
            let mut products = job.products(&runs, estimate.as_ref());
            let ended = adapt::Ended { passes: &passes, estimate: estimate.as_ref(), obstacle };
            adapt::add(&mut products, ended, accuracy, &self.excited);
            return Ok(products);
        }
    }

    /// The job of the next pass, or why there is none.
    fn next(&self, pass: &Pass, context: &Context<'_>) -> Result<Result<Self, String>, SolverError> {
        let (mut case, mut views) = (self.case.clone(), self.views.clone());
        if self.drawn.is_some() {
            views.push(SizeView { digest: digest(pass.sizes.as_bytes()), text: pass.sizes.clone() });
        } else if case.solve.order < MAX_ORDER {
            case.solve.order += 1;
        } else {
            return Ok(Err(format!("{MAX_ORDER} is the highest order: use a finer mesh")));
        }
        let folder = InputFolder::watched(&self.inputs, context.progress);
        let made = match Self::with_sizes(&case, views, &folder) {
            Ok(next) => next.shortage(context)?.map_or(Ok(next), Err),
            // What the passes so far have found is not lost.
            Err(SolverError::Field(FieldError { message, .. })) => {
                Err(format!("the mesh of the next pass cannot be made: {message}"))
            }
            Err(_) if context.progress.check().is_err() => Err("the run was stopped".to_owned()),
            Err(error) => return Err(error),
        };
        // One rank without it ends the adaptation of all.
        let lacks = context.comm.max(f64::from(u8::from(made.is_err())))?;
        Ok(made.and_then(|next| {
            if lacks == 0.0 { Ok(next) } else { Err("another rank cannot make the next pass".into()) }
        }))
    }

    /// What is said if memory does not suffice.
    fn shortage(&self, context: &Context<'_>) -> Result<Option<String>, SolverError> {
        let Context { backend, others, comm, .. } = *context;
        let uses = memory_uses(self, backend, others.len(), comm).map_err(DgtdError::from);
        let uses = uses.map_err(|error| solver_error(error, false))?;
        Ok(uses.into_iter().find(|usage| !usage.fits()).map(
            |MemoryUse { place, needed_bytes, free_bytes }| {
                let [needed, free] = [needed_bytes, free_bytes].map(bytes_text);
                format!("the next pass needs {needed} of {place} memory, and {free} are free")
            },
        ))
    }

    fn products(&self, runs: &Runs, estimate: Option<&Estimate>) -> Products {
        let mut products = Products { metrics: self.metrics(runs), ..Products::default() };
        // Fields, far fields and time series are those of the first excited port.
        let first = &runs.solutions[0];
        self.add_far_fields(first, &mut products);
        self.add_ports(runs, estimate, &mut products);
        self.add_pictures(first, &mut products);
        self.add_volumes(first, &mut products);
        self.add_times(first, &mut products);
        let measured = runs.solutions.iter().flat_map(|solution| solution.self_checks(&self.study));
        products.self_checks = trust::worst(measured);
        products
    }

    fn add_far_fields(&self, solution: &Solution, products: &mut Products) {
        if let Some(requested) = &self.case.output.rcs {
            let echo = far::rcs(&self.study, solution, requested, self.case.output.mie.as_ref());
            let what = "bistatic RCS: total, and by the receiver's polarization; for a sphere the Mie series";
            products.tables.push((echo.table, what));
            let what = "extinction cross section, by the optical theorem, and scattering cross section";
            products.tables.push((far::extinction(&self.study, solution), what));
            products.plots.extend(echo.plots);
            products.metrics.insert("peak_rcs_dbsm".into(), echo.peak);
            if let Some(difference) = echo.mie_difference {
                products.metrics.insert("mie_difference_db".into(), difference);
            }
        }
        if let Some(requested) = &self.case.output.directivity {
            let found = far::antenna(&self.study, solution, requested);
            products.tables.push((found.table, "directivity in all directions; with ports also the gain"));
            products.arrays.push((found.arrays, "directivity, and far fields times distance"));
            products.plots.extend(found.plots);
            products.metrics.insert("peak_directivity_dbi".into(), found.peak_directivity);
            if let Some(gain) = found.peak_gain {
                products.metrics.insert("peak_gain_dbi".into(), gain);
            }
        }
    }

    fn add_ports(&self, runs: &Runs, estimate: Option<&Estimate>, products: &mut Products) {
        if self.problem().sources.ports.is_empty() {
            return;
        }
        let columns: Vec<Column> =
            runs.solutions.iter().map(|solution| Column::new(&self.study, solution)).collect();
        let what = "S-parameters, and the input impedance of the first excited port";
        products.tables.push((tables::port(&columns, estimate.map(|estimate| &estimate.s[..])), what));
        let ports = &self.problem().sources.ports;
        if let Some(parameters) = files::touchstone(ports, &columns) {
            products.s_parameters.push((parameters, "S-parameters for circuit simulators"));
        }
        products.warnings.extend(ports::two_references(ports, &columns));
        products.plots.extend(plots::s_parameters(ports, &columns));
        if let Some(first) = columns.first().filter(|column| !column.spectra.is_empty()) {
            let best = &first.spectra[ports::best_matched(&first.spectra, first.port)];
            products.metrics.insert("best_match_hz".into(), best.frequency);
            products.metrics.insert("best_match_db".into(), ports::decibels(best.s[first.port]));
        }
    }

    /// Fields on slices, and surface currents on conductors.
    fn add_pictures(&self, solution: &Solution, products: &mut Products) {
        let monitors = &self.problem().monitors;
        if monitors.slices.is_empty() && !monitors.currents {
            return;
        }
        // For an antenna, the frequency of the best match.
        let shown = ports::best_matched(&self.study.ports(solution), solution.excited);
        for (i, slice) in monitors.slices.iter().enumerate() {
            if !monitors.frequencies.is_empty() {
                let fields = slices::fields(&self.study, solution, i);
                let what = "E and H on a slice at all frequencies, V/m and A/m";
                products.arrays.push((files::slice_arrays(&monitors.frequencies, slice, &fields), what));
                products.plots.extend(plots::slice_map(&self.study, slice, &fields, shown));
            }
            let moments = self.study.slice_in_time(solution, i);
            if !moments.is_empty() {
                let what = "E on a slice at the times of the snapshots, V/m";
                products.arrays.push((files::slice_time_arrays(slice, &moments), what));
                products.plots.extend(plots::slice_movie(slice, &moments));
            }
        }
        if monitors.currents {
            let mesh = self.study.conductor_subdivision();
            let what = "surface currents on the conductors at a frequency, for ParaView";
            let surfaces = files::current_surfaces(&self.study, solution, &mesh);
            products.surfaces.extend(surfaces.into_iter().map(|surface| (surface, what)));
            let list = files::list("currents", &monitors.frequencies);
            products.texts.push(("currents.pvd", list, "all currents, with frequencies in place of times"));
            products.plots.push(plots::currents(&self.study, solution, mesh, shown));
        }
    }

    /// Fields in volumes, at frequencies and at the times of the snapshots.
    fn add_volumes(&self, solution: &Solution, products: &mut Products) {
        let monitors = &self.problem().monitors;
        if !monitors.volumes.is_empty() {
            let what = "E and H in volumes at a frequency, for ParaView";
            let found = files::spectra(&self.study, solution);
            products.volumes.extend(found.into_iter().map(|volume| (volume, what)));
            let list = files::list("volumes", &monitors.frequencies);
            products.texts.push(("volumes.pvd", list, "all of them, with frequencies in place of times"));
        }
        if !monitors.snapshots.is_empty() {
            let (times, found) = files::snapshots(&self.study, solution);
            let what = "E and H at the time of a snapshot, for ParaView";
            products.volumes.extend(found.into_iter().map(|volume| (volume, what)));
            products.texts.push((
                "fields.pvd",
                files::list("fields", &times),
                "all snapshots, as an animation",
            ));
        }
    }

    fn add_times(&self, solution: &Solution, products: &mut Products) {
        if !self.problem().monitors.probes.is_empty() {
            let probed = tables::probed(&self.study, solution);
            let what = "fields at the probes after every step, probes in the order of the case";
            products.tables.push((tables::probes(solution, &probed), what));
            products.plots.push(plots::probes(solution, &probed));
        }
        products.tables.push((tables::energy(solution), "energy of all fields against time"));
        products.plots.push(plots::energy(solution));
    }

    fn metrics(&self, runs: &Runs) -> IndexMap<String, f64> {
        let (dof, first, (steps, seconds)) = (self.study.dof() as f64, &runs.solutions[0], runs.pace);
        let drops = runs.solutions.iter().map(Solution::energy_drop);
        let mut metrics = vec![
            ("elements", self.problem().mesh.tets.len() as f64),
            ("dof", dof),
            ("dt_s", first.dt),
            ("steps", runs.solutions.iter().map(|solution| solution.steps).sum::<u64>() as f64),
            ("gdof_per_s", 1e-9 * dof * (STAGES as u64 * steps) as f64 / seconds.max(1e-9)),
            ("energy_drop_db", drops.fold(f64::INFINITY, f64::min)),
        ];
        metrics.extend(first.error.map(|error| ("field_error", error)));
        if !first.ranks.is_empty() {
            let worst = |of: fn(&RankReport) -> f64| first.ranks.iter().map(of).fold(0.0, f64::max);
            metrics.extend([
                ("ranks", first.ranks.len() as f64),
                ("elements_per_rank_max", worst(|rank| rank.elements)),
                ("halo_bytes_per_stage_max", worst(|rank| rank.halo_bytes)),
                ("halo_wait_s_max", worst(|rank| rank.seconds_waited)),
            ]);
        }
        metrics.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Whether the user wants to stop, which only rank 0 knows. Collective.
fn is_stopped(context: &Context<'_>) -> Result<bool, SolverError> {
    let stops = context.progress.check().is_err();
    Ok(context.comm.max(f64::from(u8::from(stops)))? > 0.0)
}
