//! The adapter of the `nah` solver: from a case to its problem, and from holograms to tables, arrays and plots.

mod beamforming;
mod blocks;
mod files;
mod kspace_plots;
mod labels;
mod methods;
mod microphone_levels;
mod partial_fields;
mod plots;
mod problem;
mod recordings;
mod references;
mod regions;
mod simulated;
mod spectra_files;
mod tables;

use crate::error::{RunError, SolverError};
use crate::input::{InputFolder, read_bytes};
use crate::job::{Context, Job, Products};
use blocks::FinishedBlocks;
use phasefront_case::model::nah::{NahCase, Photo as CasePhoto};
use phasefront_core::{FieldError, Precision, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_nah::post::{LevelSettings, microphone_levels as measure};
use phasefront_nah::{
    Averaging, Filter, Filters, NahError, PlaybackRate, Problem, Region, Regularization, Solution, Study,
    prepare,
};
use phasefront_report::IndexMap;
use phasefront_report::plot::Photo;
use plots::Overlay;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A validated nah case.
pub(crate) struct NahJob {
    study: Study,
    maps: bool,
    levels: Option<LevelSettings>,
    regions: Vec<Region>,
    photo: Option<Arc<Photo>>,
    warnings: Vec<String>,
    seed: Option<u64>,
}

impl NahJob {
    /// Files that the case names are resolved against `folder`.
    pub(crate) fn new(case: &NahCase, folder: &InputFolder) -> Result<Self, SolverError> {
        let problem = problem::translate(case, folder).map_err(SolverError::Field)?;
        let simulated = case.source.is_simulated();
        let study = prepare(problem).map_err(|error| blame(solver_error(error), simulated))?;
        // Only simulated noise is random: a measured recording has no seed to report.
        let is_random = case.source.snr_db.is_some() || case.source.incoherent == Some(true);
        let seed = (simulated && is_random).then_some(case.source.seed);
        let levels = case.output.levels.as_ref().map(microphone_levels::settings);
        if let Some(levels) = &levels {
            levels.check(&study).map_err(SolverError::Field)?;
        }
        let regions = regions::translate(&case.output.regions, &study.problem).map_err(SolverError::Field)?;
        let photo = case.output.photo.as_ref().map(|photo| read_photo(photo, folder)).transpose();
        let photo = photo.map_err(SolverError::Field)?;
        let warnings = levels.as_ref().map(|levels| levels.warnings(&study)).unwrap_or_default();
        Ok(Self { study, maps: case.output.maps, levels, regions, photo, warnings, seed })
    }

    /// What is drawn over and under the maps.
    fn overlay(&self) -> Overlay {
        Overlay { outlines: regions::outlines(&self.regions), photo: self.photo.clone() }
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

/// A photo that a case names.
fn read_photo(photo: &CasePhoto, folder: &InputFolder) -> Result<Arc<Photo>, FieldError> {
    let path = "output.photo";
    let bytes = read_bytes(folder, &photo.file, path)?;
    let mut corners = [[0.0; 2]; 4];
    corners.iter_mut().zip(&photo.corners).for_each(|(corner, given)| *corner = given.si());
    let photo = Photo::new(&bytes, corners).map_err(|message| {
        let advice = "give a PNG or JPEG file, and the corners in the order top left, top right, bottom right, bottom left";
        FieldError::new(path, format!("{}: {message}", photo.file), advice)
    })?;
    Ok(Arc::new(photo))
}

/// Simulated sources have no file.
fn blame(error: SolverError, simulated: bool) -> SolverError {
    match error {
        SolverError::Field(error) if simulated && error.path == "source.file" => {
            SolverError::Field(FieldError { path: "source".into(), ..error })
        }
        other => other,
    }
}

impl Job for NahJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        let problem = self.problem();
        let mut facts = vec![
            ("microphones", problem.format().microphones as f64),
            ("nyquist_wavenumber_rad_per_m", problem.grid.nyquist_wavenumber()),
            ("frequencies", self.study.frequencies.len() as f64),
            ("dead_microphones", self.study.faults.dead.len() as f64),
        ];
        if problem.beamforming.is_some() {
            // Which frequencies go which way.
            let (low, high) = (&self.study.frequencies, &self.study.beamforming_frequencies);
            facts.push(("spatial_limit_hz", problem.spatial_limit()));
            facts.push(("beamforming_frequencies", high.len() as f64));
            facts.extend(low.iter().copied().reduce(f64::max).map(|f| ("highest_hologram_hz", f)));
            facts.extend(high.iter().copied().reduce(f64::min).map(|f| ("lowest_beamforming_hz", f)));
        }
        if let Some(rate) = problem.sample_rate() {
            facts.extend([
                ("sample_rate_hz", rate),
                ("frequency_resolution_hz", rate / problem.analysis.samples as f64),
            ]);
            // Averages have one hologram of all.
            if problem.averaging == Averaging::None {
                facts.push(("holograms_per_signal_second", rate / problem.analysis.hop as f64));
            }
            // A stream has no known length.
            if !self.study.is_stream() {
                facts.push(("duration_s", problem.frames() as f64 * problem.repeats as f64 / rate));
            }
        }
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn self_checks(&self) -> Vec<SelfCheck> {
        self.study.self_checks.clone()
    }

    fn precision(&self) -> Precision {
        self.problem().precision
    }

    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn memory(&self, backend: &Backend, _: usize, _: usize) -> MemoryEstimate {
        self.study.memory(backend)
    }

    fn memory_field(&self) -> &'static str {
        "source"
    }

    fn memory_advice(&self, _free: u64) -> String {
        "use a shorter recording, or fewer frequencies".into()
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        let Some(solution) = self.solution(context)? else {
            return Ok(Products { interrupted: true, ..Products::default() });
        };
        let mut products = Products {
            metrics: self.metrics(&solution),
            self_checks: solution.self_checks(&self.study).map_err(SolverError::Field)?,
            // A stream is open-ended: Ctrl-C is its regular end.
            ends_when_stopped: self.study.is_stream(),
            ..Products::default()
        };
        products
            .tables
            .push((tables::levels(&solution), "levels at the array and on the first plane over time"));
        products.tables.push((
            tables::planes(self.problem(), &solution),
            "levels, power and regularization of each saved hologram; the expected errors of fft leave out what is wrong beyond the rim of the array",
        ));
        if let Some(table) = tables::third_octaves(&self.study, &solution) {
            products.tables.push((table, "sound power in third-octave bands"));
        }
        if let Some(table) = regions::table(&self.study, &solution, &self.regions) {
            products.tables.push((table, "sound power by region, with the field indicators of ISO 9614-1"));
        }
        products.self_checks.extend(regions::check(self.problem(), &solution, &self.regions));
        if let Some(table) = beamforming::ways(&self.study, &solution) {
            products.tables.push((table, "which frequencies have holograms, and which beamforming"));
        }
        if let Some(table) = beamforming::table(&self.study, &solution) {
            products.tables.push((table, "sources found by beamforming"));
        }
        for arrays in beamforming::arrays(&solution) {
            products.arrays.push((arrays, "strengths of monopoles on the source plane, |A|² in Pa² m²"));
        }
        if let Some(table) = partial_fields::table(&solution) {
            let what =
                "fields that are independent of each other, whose powers add to those of the holograms";
            products.tables.push((table, what));
        }
        for arrays in partial_fields::arrays(self.problem(), &solution) {
            products.arrays.push((arrays, "pressure and velocity of the strongest partial fields"));
        }
        if let Some(table) = methods::table(&solution) {
            let what = "differences of holograms and phasors of each spectral method from the nominal one";
            products.tables.push((table, what));
        }
        if let Some(table) = tables::reference(&solution) {
            products.tables.push((table, "agreement of the first plane with the reference"));
        }
        for arrays in tables::holograms(self.problem(), &solution) {
            products
                .arrays
                .push((arrays, "pressure at the array; pressure, velocity and intensity on a plane"));
        }
        if self.maps {
            products.plots = plots::plots(self.problem(), &solution, &self.overlay());
            products.plots.extend(beamforming::plots(self.problem(), &solution, &self.overlay()));
            products.plots.extend(partial_fields::plots(self.problem(), &solution));
            products.plots.extend(methods::plots(self.problem(), &solution));
            products.plots.extend(methods::errors(self.problem(), &solution));
        }
        if let Some(settings) = &self.levels {
            match measure(&self.study, settings, context.progress) {
                Ok(levels) => microphone_levels::add(&mut products, &levels, settings),
                Err(NahError::Interrupted(_)) => {
                    return Ok(Products { interrupted: true, ..Products::default() });
                }
                Err(error) => return Err(solver_error(error)),
            }
        }
        if let Some((table, plot)) = methods::walsh_coefficients(self.problem()) {
            products.tables.push((table, "number of Walsh coefficients above the threshold in each DFT bin"));
            products.plots.extend(self.maps.then_some(plot));
        }
        Ok(products)
    }
}

impl NahJob {
    /// The holograms, after the blocks that were finished before the run was stopped; nothing if it is stopped again.
    fn solution(&self, context: &Context<'_>) -> Result<Option<Solution>, SolverError> {
        let finished = context.checkpoints.state(context.progress).map_err(SolverError::Run)?;
        let mut sink = FinishedBlocks::new(context.checkpoints, context.progress);
        let solved =
            self.study.resume(finished.unwrap_or_default(), &mut sink, context.backend, context.progress);
        match solved {
            Err(NahError::Interrupted(_)) => Ok(None),
            // A stream is open-ended: Ctrl-C is its regular end.
            Ok(solution) if solution.interrupted && !self.study.is_stream() => Ok(None),
            solved => Ok(Some(solved.map_err(solver_error)?)),
        }
    }

    /// Whether blocks arrive in real time.
    fn is_live(&self) -> bool {
        self.study.is_stream() || self.problem().playback == PlaybackRate::RealTime
    }

    fn metrics(&self, solution: &Solution) -> IndexMap<String, f64> {
        let mut metrics = IndexMap::new();
        let mut add = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
        let summary = &solution.summary;
        let latencies = &summary.latencies;
        if let [Some(p50), Some(p99), Some(longest)] =
            [0.5, 0.99, 1.0].map(|fraction| latencies.percentile(fraction))
        {
            let holograms = (latencies.count() as usize * solution.holograms.len()) as f64;
            // In real time the rate is that of the input; otherwise that of the processing.
            let seconds = if self.is_live() { summary.seconds } else { latencies.sum() };
            add("holograms", holograms);
            add("holograms_per_s", holograms / seconds);
            add("latency_us_p50", 1e6 * p50);
            add("latency_us_p99", 1e6 * p99);
            add("latency_us_max", 1e6 * longest);
        }
        add("dropped", (summary.dropped_blocks + summary.dropped_maps) as f64);
        let (counts, faults) = (&summary.counts, &self.study.faults);
        if self.is_live() {
            add("dropped_blocks", summary.dropped_blocks as f64);
            add("dropped_maps", summary.dropped_maps as f64);
        }
        if self.study.is_stream() {
            add("late", counts.late as f64);
            add("duplicates", counts.duplicates as f64);
            add("corrupt", counts.corrupt as f64);
            add("lost_frames", counts.lost as f64);
            add("restarts", counts.restarts as f64);
            add("stalls", counts.stalls as f64);
        }
        add("dead_microphones", solution.dead.len() as f64);
        add("clipped_samples", (faults.clipped + counts.clipped) as f64);
        add("not_finite_samples", faults.not_finite as f64);
        if let Some(averages) = solution.holograms.first().and_then(|first| first.averages.as_ref()) {
            add("averages", averages.averages);
            add("partial_fields", averages.significant as f64);
            add("array_fraction", averages.explained);
        }
        if let Some(hologram) = solution.holograms.first() {
            match hologram.regularization {
                Regularization::Filters(Filters {
                    pressure: Filter::Cos { cutoff, slope } | Filter::CosModified { cutoff, slope },
                    ..
                }) => {
                    add("kco", cutoff);
                    add("phi", slope);
                }
                Regularization::Filters(Filters { pressure: Filter::Tikhonov { weight }, .. })
                | Regularization::Tikhonov { relative: weight, .. } => {
                    add("weight", weight);
                }
                Regularization::Filters(Filters { pressure: Filter::None, .. }) => {}
            }
            // The first one is the reference method.
            for other in hologram.compared.iter().skip(1) {
                let name = methods::name(other.method);
                add(&format!("rmsre_{name}"), other.plane.rmsre);
                add(&format!("nsad_{name}"), other.plane.nsad);
                add(&format!("l2_{name}"), other.plane.l2);
            }
            if let Some(near) = hologram.reference {
                add("reference_l2", near.difference.l2);
                add("reference_nsad", near.difference.nsad);
                add("reference_correlation", near.correlation);
                add("reference_gain_db", near.gain_db);
            }
            add("noise_pa", hologram.noise);
            if let Some(plane) = hologram.planes.first() {
                add("power_w", plane.power);
            }
        }
        metrics
    }
}

/// The error of the solver as one of `run`.
pub(crate) fn solver_error(error: NahError) -> SolverError {
    match error {
        NahError::Invalid(error) => SolverError::Field(error),
        NahError::Device(error) => SolverError::Run(RunError::Device(error)),
        NahError::Interrupted(error) => SolverError::Run(RunError::Interrupted(error)),
    }
}
