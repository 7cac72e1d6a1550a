//! The `sbr` solver as a job: from its case to its problem, and from its solution to tables, arrays and plots.

mod antenna;
mod files;
mod hot_spots;
mod imaging;
mod journal;
mod plots;
mod polarization;
mod problem;
mod tables;
mod windows;

use crate::error::{RunError, SolverError};
use crate::input::InputFolder;
use crate::job::{Context, Job, Products, RunTime};
use journal::Journal;
use phasefront_case::model::Toggle;
use phasefront_case::model::sbr::{Output, SbrCase};
use phasefront_comm::queue::{self, Ended};
use phasefront_comm::{Comm, CommError};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::decibels::power_db;
use phasefront_core::{FieldError, Precision, Progress, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_mesh::MeshReport;
use phasefront_report::IndexMap;
use phasefront_sbr::{
    Antennas, Checkpoint, Counts, Edges, FrequencySolution, Problem, SbrError, Solution, Study, Work, dbsm,
    prepare,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

/// Bytes per sample of a range profile, in tables and files as text.
const SAMPLE_BYTES: u64 = 1000;

/// A validated sbr case.
pub(crate) struct SbrJob {
    study: Study,
    report: MeshReport,
    warnings: Vec<String>,
    self_checks: Vec<SelfCheck>,
    output: Output,
    /// Name and value of the quantity that the run time is proportional to.
    work: (&'static str, f64),
}

impl SbrJob {
    /// `folder` is where the files that the case names are.
    pub(crate) fn new(case: &SbrCase, folder: &InputFolder) -> Result<Self, SolverError> {
        let translated = problem::translate(case, folder).map_err(SolverError::Field)?;
        let study = prepare(translated.problem)
            .map_err(|error| solver_error(error).blame_target(case.geometry.target.is_some()))?;
        let mut warnings = translated.warnings;
        warnings.extend_from_slice(&study.warnings);
        let work = match study.work() {
            Work::FacetsTimesWaves(count) => ("facets_times_waves", count),
            Work::ApertureRays(count) => ("aperture_rays_about", count),
        };
        let mut self_checks = study.self_checks.clone();
        self_checks.extend(windows::self_checks(&study.problem, &case.output));
        let output = case.output.clone();
        Ok(Self { study, report: translated.report, warnings, self_checks, output, work })
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

impl Job for SbrJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        let problem = self.problem();
        let wavelength = self.study.shortest_wavelength();
        let mut facts = tables::mesh_facts(&self.report);
        facts.extend([
            ("incident_waves", self.study.incident_waves() as f64),
            ("frequencies", problem.frequencies.len() as f64),
            ("shortest_wavelength_m", wavelength),
            ("size_wavelengths", problem.mesh.diagonal() / wavelength),
            ("tube_width_m", self.study.tube_width()),
            ("facets", problem.mesh.triangles.len() as f64),
            ("interpolated_area_share", self.study.interpolation.map_or(0.0, |found| found.area_share)),
            self.work,
        ]);
        facts.push(match &problem.antennas {
            Some(antennas) => ("links", antennas.links() as f64),
            None => ("directions", problem.aspects.len() as f64),
        });
        if problem.edges != Edges::None {
            facts.extend(tables::edge_facts(&self.study.diffracting_edges()));
        }
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn self_checks(&self) -> Vec<SelfCheck> {
        self.self_checks.clone()
    }

    fn precision(&self) -> Precision {
        Precision::Double
    }

    fn is_shared(&self) -> bool {
        self.problem().antennas.is_none()
    }

    fn uses_several_gpus(&self) -> bool {
        self.problem().antennas.is_none()
    }

    fn refuses_gpu(&self) -> Option<FieldError> {
        let message = "waves from transmitters at positions do not run on a GPU";
        let error = || FieldError::new("source.transmitters", message, "run with `--device cpu`");
        self.problem().antennas.as_ref().map(|_| error())
    }

    fn memory(&self, backend: &Backend, _: usize, _: usize) -> MemoryEstimate {
        let problem = self.problem();
        let results = (problem.aspects.len() as u64).saturating_mul(problem.frequencies.len() as u64);
        let padding = self.output.range_profile.map_or(0, |profile| u64::from(profile.oversampling.get()));
        let profiles = results.saturating_mul(padding).saturating_mul(SAMPLE_BYTES);
        let MemoryEstimate { device, host } = self.study.memory(backend);
        MemoryEstimate { device, host: host.saturating_add(profiles) }
    }

    fn memory_field(&self) -> &'static str {
        "source"
    }

    fn memory_advice(&self, _free: u64) -> String {
        "use fewer angles or frequencies, or a mesh with fewer triangles".into()
    }

    fn seconds(&self, backend: &Backend) -> Result<Option<RunTime>, SolverError> {
        if self.problem().antennas.is_some() {
            return Ok(None);
        }
        let solver = self.study.solver(backend).map_err(solver_error)?;
        let likely = solver.expected_seconds(&Progress::silent()).map_err(solver_error)?;
        Ok(Some(RunTime { likely, at_most: None }))
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        if let Some(antennas) = &self.problem().antennas {
            return self.receive(antennas, context);
        }
        let Some(solution) = context.on_each_gpu(|context| self.solution(context))? else {
            return Ok(Products { interrupted: true, ..Products::default() });
        };
        let self_checks = solution.self_checks(&self.study);
        let mut products = Products { metrics: self.metrics(&solution), self_checks, ..Products::default() };
        if self.output.rcs != Toggle::Off {
            let what = "radar cross sections and scattering matrices, receiver's polarization first";
            products.tables.push((tables::rcs(self.problem(), &solution), what));
            products.plots = plots::rcs(self.problem(), &solution);
        }
        if let Some(settings) = self.output.range_profile {
            let profiles = imaging::profiles(self.problem(), &solution, settings);
            let profiles = profiles.map_err(SolverError::Field)?;
            products.plots.push(plots::range_profiles(self.problem(), &profiles));
            let table = tables::range_profiles(self.problem(), profiles);
            products
                .tables
                .push((table, "range profiles: distance from the origin, positive away from the radar"));
        }
        if let Some(settings) = self.output.isar {
            let images = imaging::images(self.problem(), &solution, settings).map_err(SolverError::Field)?;
            products
                .arrays
                .push((files::isar(&images), "ISAR images, complex amplitudes in each polarization"));
            // The first plot is the one that overviews show.
            products.plots.insert(0, plots::isar(self.problem(), &images));
        }
        if let Some(at) = hot_spots::strongest(&self.output.hotspots, self.problem(), &solution) {
            let _stage = context.progress.stage("hot spots", None, "aspects");
            let mut solver = self.study.solver(context.backend).map_err(solver_error)?;
            let found = match solver.hot_spots(at.0, at.1, context.progress) {
                Err(SbrError::Interrupted(_)) => {
                    return Ok(Products { interrupted: true, ..Products::default() });
                }
                found => found.map_err(solver_error)?,
            };
            let surface = files::hot_spots(&self.problem().mesh, &found);
            products.surfaces.push((surface, "cross section radiated from each triangle, for ParaView"));
            products.plots.push(plots::hot_spots(self.problem(), &found, at));
        }
        if self.problem().edges != Edges::None {
            let edges = tables::edges(&self.study.diffracting_edges());
            products.tables.push((edges, "edges that diffract: ends, lengths and angles"));
        }
        products.tables.push((tables::mesh(&self.report), "properties of the mesh, and repairs"));
        Ok(products)
    }
}

impl SbrJob {
    /// What receivers at positions receive.
    fn receive(&self, antennas: &Antennas, context: &Context<'_>) -> Result<Products, SolverError> {
        let reception = match self.study.receive(context.backend, context.progress) {
            Err(SbrError::Interrupted(_)) => {
                return Ok(Products { interrupted: true, ..Products::default() });
            }
            found => found.map_err(solver_error)?,
        };
        let echoes = reception.links.iter().flat_map(|link| &link.responses);
        let peak = echoes.map(|at| at.transmission.norm_sqr()).fold(0.0, f64::max);
        let mut metrics = self.counts(&reception.counts);
        metrics.insert("peak_power_ratio_db".into(), power_db(peak));
        let received = antenna::received(antennas, &reception);
        Ok(Products {
            metrics,
            self_checks: reception.self_checks(&self.study),
            tables: vec![
                (received, "what each receiver receives of each transmitter by way of the target"),
                (tables::mesh(&self.report), "properties of the mesh, and repairs"),
            ],
            ..Products::default()
        })
    }

    /// All aspects, those done before the run was stopped included; nothing if it is stopped again, and on other ranks than 0. Ranks take
    /// batches of aspects in turn, and rank 0 puts them in order: the answers are the same for any number of ranks.
    fn solution(&self, context: &Context<'_>) -> Result<Option<Solution>, SolverError> {
        let Context { comm, progress, .. } = *context;
        let problem = self.problem();
        let solver = RefCell::new(self.study.solver(context.backend).map_err(solver_error)?);
        let mut journal = Journal::open(context.checkpoints, problem, progress).map_err(SolverError::Run)?;
        let batches = of_first_rank(comm, &journal.left(&solver.borrow().batches()))?;
        let left = (problem.aspects.len() - journal.finished()) as u64;
        let stage = progress.stage("rays", Some(left), "directions");
        let (started, mut rays) = (Instant::now(), 0);
        let work = |items: Range<usize>| -> Result<Vec<u8>, SolverError> {
            let aspects = batches[items.start].clone();
            let part = solver.borrow_mut().solve(aspects.clone(), progress).map_err(solver_error)?;
            let piece = Checkpoint { aspects, scattering: part.scattering, counts: part.counts };
            let mut bytes = StateWriter::default();
            piece.write(&mut bytes);
            Ok(bytes.parts().concat())
        };
        let accept = |_: Range<usize>, bytes: Vec<u8>| -> Result<(), SolverError> {
            let piece = Checkpoint::read(&mut StateReader::new(&bytes));
            let piece = piece.ok_or(CommError::Malformed { rank: 0, bytes: bytes.len() })?;
            rays += piece.counts.rays;
            stage.advance(piece.aspects.len() as u64);
            journal.add(piece).map_err(SolverError::Run)?;
            let rate = rays as f64 / started.elapsed().as_secs_f64().max(1e-9);
            progress.scalar("rays_per_s", ("directions", journal.finished() as f64), rate);
            Ok(())
        };
        match queue::share(comm, batches.len(), 1, work, accept) {
            Ok(Ended::Complete) if comm.rank() == 0 => {}
            Ok(_) | Err(SolverError::Run(RunError::Interrupted(_))) => return Ok(None),
            Err(error) => return Err(error),
        }
        let (scattering, counts) = journal.into_whole(problem.frequencies.len());
        let frequencies = problem.frequencies.iter().zip(scattering);
        let frequencies =
            frequencies.map(|(&frequency, scattering)| FrequencySolution { frequency, scattering }).collect();
        Ok(Some(Solution { frequencies, counts }))
    }

    fn metrics(&self, solution: &Solution) -> IndexMap<String, f64> {
        let all = solution.frequencies.iter().flat_map(|at| &at.scattering);
        let levels = all.flat_map(|s| polarization::POLARIZATIONS.map(|(_, pick)| dbsm(pick(s))));
        let mut metrics = self.counts(&solution.counts);
        metrics.insert("peak_dbsm".into(), levels.fold(f64::NEG_INFINITY, f64::max));
        metrics
    }

    fn counts(&self, counts: &Counts) -> IndexMap<String, f64> {
        [
            ("rays", counts.rays as f64),
            ("bounces", counts.bounces as f64),
            ("discarded_area_share", counts.discarded_area_share()),
            ("power_still_bouncing_share", counts.worst_remaining_share),
            ("mesh_triangles", self.report.triangles as f64),
            ("facets", self.problem().mesh.triangles.len() as f64),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
    }
}

impl SolverError {
    /// The size of a built-in target is given in `target`, not by `units`.
    fn blame_target(self, made_in_code: bool) -> Self {
        match self {
            Self::Field(error) if made_in_code && error.path == "geometry.units" => {
                let advice = "use a smaller target, or a lower frequency";
                Self::Field(FieldError::new("geometry.target", error.message, advice))
            }
            other => other,
        }
    }
}

/// Ranges that rank 0 has, on all ranks: others may have other devices, and would divide the work otherwise.
fn of_first_rank(comm: &dyn Comm, ranges: &[Range<usize>]) -> Result<Vec<Range<usize>>, CommError> {
    let numbers: Vec<u64> = ranges.iter().flat_map(|range| [range.start as u64, range.end as u64]).collect();
    let mut bytes: Vec<u8> = bytemuck::cast_slice(&numbers).to_vec();
    comm.broadcast(&mut bytes)?;
    let numbers: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
    Ok(numbers.chunks_exact(2).map(|range| range[0] as usize..range[1] as usize).collect())
}

/// A solver error as `run` sorts them.
pub(crate) fn solver_error(error: SbrError) -> SolverError {
    match error {
        SbrError::Invalid(error) => SolverError::Field(error),
        SbrError::Device(error) => SolverError::Run(RunError::Device(error)),
        SbrError::Interrupted(error) => SolverError::Run(RunError::Interrupted(error)),
        SbrError::BeamsDoNotFit { .. } => {
            let advice = error.advice().unwrap_or_default();
            SolverError::Field(FieldError::new("solve.tube_width", error.to_string(), advice))
        }
    }
}
