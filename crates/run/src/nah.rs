//! The `nah` solver as a job: from its case and its recording to its problem, and from holograms to tables, arrays and maps.

mod files;
mod methods;
mod plots;
mod problem;
mod simulated;
mod spectra_files;
mod tables;
mod waves;

use crate::error::{RunError, SolverError};
use crate::job::{Context, Job, Products};
use phasefront_case::model::nah::NahCase;
use phasefront_core::{FieldError, Precision};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_nah::{Filter, Filters, Input, Kept, NahError, Pace, Problem, Solution, Study, prepare};
use phasefront_report::IndexMap;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::path::Path;

/// Bytes for each place of a widened field: transforms, gains and planes of it.
const PLACE_BYTES: u64 = 400;

/// A validated nah case.
pub(crate) struct NahJob {
    study: Study,
    maps: bool,
    seed: Option<u64>,
}

impl NahJob {
    /// `folder` is where the files that the case names are looked for.
    pub(crate) fn new(case: &NahCase, folder: &Path) -> Result<Self, SolverError> {
        let problem = problem::problem(case, folder).map_err(SolverError::Field)?;
        let simulated = case.source.is_simulated();
        let study = prepare(problem).map_err(|error| blame(solver_error(error), simulated))?;
        let seed = (simulated && case.source.snr_db.is_some()).then_some(case.source.seed);
        Ok(Self { study, maps: case.output.maps, seed })
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

/// Sources made in code have no file to blame.
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
            ("largest_wave_number_rad_per_m", problem.grid.nyquist()),
            ("frequencies", self.study.frequencies.len() as f64),
            ("dead_microphones", self.study.faults.dead.len() as f64),
        ];
        if let Some(rate) = problem.sample_rate() {
            facts.extend([
                ("sample_rate_hz", rate),
                ("line_width_hz", rate / problem.analysis.samples as f64),
                ("holograms_per_signal_second", rate / problem.analysis.hop as f64),
            ]);
            if !self.is_stream() {
                facts.push(("duration_s", problem.frames() as f64 * problem.times as f64 / rate));
            }
        }
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn warnings(&self) -> &[String] {
        &self.study.warnings
    }

    fn precision(&self) -> Precision {
        self.problem().precision
    }

    fn seed(&self) -> Option<u64> {
        self.seed
    }

    fn memory(&self, backend: &Backend) -> MemoryEstimate {
        let problem = self.problem();
        let microphones = problem.format().microphones as u64;
        let signal = (problem.frames() as u64).saturating_mul(4 * microphones);
        let window = (problem.analysis.samples as u64).saturating_mul(64 * microphones);
        let places = (9 * problem.grid.len() as u64).saturating_mul(PLACE_BYTES);
        let places = places.saturating_mul((problem.refine * problem.refine) as u64);
        let lines = (self.study.frequencies.len() * problem.planes.len()) as u64;
        // Equivalent sources: a few matrices of microphones times sources.
        let matrices =
            if problem.method == phasefront_nah::Method::Esm { 256 * microphones * microphones } else { 0 };
        let working = window.saturating_add(places.saturating_mul(lines)).saturating_add(matrices);
        // The signal stays on the host; what is made of it is on a GPU as well, if there is one.
        let device = if let Backend::Gpu(_) = backend { working } else { 0 };
        let host = signal.saturating_add(working);
        MemoryEstimate { device, host }
    }

    fn memory_field(&self) -> &'static str {
        "source"
    }

    fn memory_advice(&self, _free: u64) -> String {
        "take a shorter recording, or fewer frequencies".into()
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        let solution = self.study.solve(context.backend, context.progress).map_err(solver_error)?;
        let mut products = Products {
            metrics: self.metrics(&solution),
            warnings: [self.stream_warnings(&solution), self.loud_filters(&solution)].concat(),
            ends_when_stopped: self.is_stream(),
            ..Products::default()
        };
        products.tables.push((
            tables::levels(&solution),
            "levels at the array and on the first plane, hologram by hologram",
        ));
        products
            .tables
            .push((tables::planes(&solution), "levels, power and filter of each hologram that is written"));
        if let Some(table) = tables::third_octaves(&solution) {
            products.tables.push((table, "the same summed over third octaves"));
        }
        if let Some(table) = methods::table(&solution) {
            let what = "holograms and phasors of each way from samples to phasors against the nominal one";
            products.tables.push((table, what));
        }
        if let Some(table) = tables::reference(&solution) {
            products.tables.push((table, "the first plane against what was measured there"));
        }
        for arrays in tables::holograms(self.problem(), &solution) {
            products
                .arrays
                .push((arrays, "pressure at the array; pressure, velocity and intensity on a plane"));
        }
        if self.maps {
            products.plots = plots::plots(self.problem(), &solution);
            products.plots.extend(methods::plots(self.problem(), &solution));
            products.plots.extend(methods::errors(self.problem(), &solution));
        }
        if let Some((table, plot)) = methods::walsh_coefficients(self.problem()) {
            products.tables.push((table, "Walsh coefficients that count in each line of the spectrum"));
            products.plots.extend(self.maps.then_some(plot));
        }
        Ok(products)
    }
}

/// Growth of the steepest waves that are kept, dB, beyond which noise is all there is to see: few arrays hear more than this between
/// their loudest sound and their noise.
const LOUDEST: f64 = 50.0;

impl NahJob {
    /// Words about filters that keep waves which must grow a lot on their way to the first plane, and all noise with them.
    fn loud_filters(&self, solution: &Solution) -> Vec<String> {
        let warning = |line: &phasefront_nah::Line| {
            let Kept::Filters(filters) = line.kept else { return None };
            let distance = line.planes.first()?.distance;
            let k = TAU * line.frequency / self.problem().medium.speed;
            let growth = filters.pressure.growth_db(k, distance).filter(|growth| *growth > LOUDEST)?;
            Some(format!(
                "at {} Hz the filter keeps waves that grow by {growth:.0} dB on their way back over {distance:.3} m, and noise with them: levels on \
                 that plane are not to be trusted; take the array nearer, or give a lower `cutoff` in [solve]",
                plots::hertz(line.frequency),
            ))
        };
        solution.lines.iter().filter_map(warning).collect()
    }

    fn is_stream(&self) -> bool {
        matches!(self.problem().input, Input::Stream(_))
    }

    /// Whether blocks come when they come, and not when they are taken.
    fn is_live(&self) -> bool {
        self.is_stream() || self.problem().pace == Pace::RealTime
    }

    /// What a stream did not bring.
    fn stream_warnings(&self, solution: &Solution) -> Vec<String> {
        let (followed, counts) = (&solution.followed, &solution.followed.counts);
        let rows = [
            (followed.dropped_blocks, "blocks that came too fast for this machine and were left out"),
            (followed.dropped_pictures, "pictures that came too fast to be shown"),
            (counts.corrupt, "datagrams that were garbage, incomplete or out of place"),
            (counts.late, "datagrams that came too late"),
            (counts.lost, "moments that never came and count as silence"),
            (counts.restarts, "times that the stream went on at another place"),
            (counts.stalls, "times that it was silent for longer than a second"),
        ];
        let found = rows.iter().filter(|(count, _)| *count > 0);
        let mut warnings: Vec<String> = found.map(|(count, what)| format!("{what}: {count}")).collect();
        if self.is_stream() && !solution.dead.is_empty() {
            warnings
                .push(format!("microphones that heard nothing in the last second: {}", solution.dead.len()));
        }
        warnings
    }

    fn metrics(&self, solution: &Solution) -> IndexMap<String, f64> {
        let mut metrics = IndexMap::new();
        let mut add = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
        let followed = &solution.followed;
        let latencies = &followed.latencies;
        if let [Some(p50), Some(p99), Some(longest)] =
            [0.5, 0.99, 1.0].map(|share| latencies.percentile(share))
        {
            let holograms = (latencies.count() as usize * solution.lines.len()) as f64;
            // What waits to be taken is as fast as it is taken; what comes as it comes, as fast as it came.
            let seconds = if self.is_live() { followed.seconds } else { latencies.sum() };
            add("holograms", holograms);
            add("holograms_per_s", holograms / seconds);
            add("latency_us_p50", 1e6 * p50);
            add("latency_us_p99", 1e6 * p99);
            add("latency_us_max", 1e6 * longest);
        }
        add("dropped", (followed.dropped_blocks + followed.dropped_pictures) as f64);
        let (counts, faults) = (&followed.counts, &self.study.faults);
        if self.is_live() {
            add("dropped_blocks", followed.dropped_blocks as f64);
            add("dropped_pictures", followed.dropped_pictures as f64);
        }
        if self.is_stream() {
            add("late", counts.late as f64);
            add("corrupt", counts.corrupt as f64);
            add("lost_moments", counts.lost as f64);
            add("restarts", counts.restarts as f64);
            add("stalls", counts.stalls as f64);
        }
        add("dead_microphones", solution.dead.len() as f64);
        add("clipped_samples", (faults.clipped + counts.clipped) as f64);
        add("not_finite_samples", faults.not_finite as f64);
        if let Some(line) = solution.lines.first() {
            match line.kept {
                Kept::Filters(Filters {
                    pressure: Filter::Cos { cutoff, slope } | Filter::CosModified { cutoff, slope },
                    ..
                }) => {
                    add("kco", cutoff);
                    add("phi", slope);
                }
                Kept::Filters(Filters { pressure: Filter::Tikhonov { weight }, .. })
                | Kept::Weight(weight) => {
                    add("weight", weight);
                }
                Kept::Filters(Filters { pressure: Filter::None, .. }) => {}
            }
            // The first one is the nominal one.
            for other in line.compared.iter().skip(1) {
                let name = methods::name(other.way);
                add(&format!("rmsre_{name}"), other.plane.rmsre);
                add(&format!("nsad_{name}"), other.plane.nsad);
                add(&format!("l2_{name}"), other.plane.l2);
            }
            if let Some(near) = line.reference {
                add("reference_l2", near.apart.l2);
                add("reference_nsad", near.apart.nsad);
                add("reference_correlation", near.correlation);
                add("reference_gain_db", near.gain_db);
            }
            if let Some(plane) = line.planes.first() {
                add("power_w", plane.power);
            }
        }
        metrics
    }
}

/// A solver error as `run` sorts them.
pub(crate) fn solver_error(error: NahError) -> SolverError {
    match error {
        NahError::Invalid(error) => SolverError::Field(error),
        NahError::Device(error) => SolverError::Run(RunError::Device(error)),
        NahError::Interrupted(error) => SolverError::Run(RunError::Interrupted(error)),
    }
}
