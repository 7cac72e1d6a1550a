//! The `dgtd` solver as a job: from its case to its problem, and from its solution to tables and plots.

mod currents;
mod facts;
mod far;
mod plots;
mod ports;
mod problem;
mod slices;
mod tables;
mod volumes;

use crate::error::{RunError, SolverError};
use crate::job::{Context, Job, Needs, Products};
use phasefront_case::model::dgtd::{DgtdCase, Output};
use phasefront_core::{FieldError, Precision};
use phasefront_device::Backend;
use phasefront_dgtd::{DgtdError, Problem, STAGES, Solution, Study, prepare};
use phasefront_report::IndexMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// A validated dgtd case.
pub(crate) struct DgtdJob {
    study: Study,
    warnings: Vec<String>,
    output: Output,
    made_in_code: bool,
}

impl DgtdJob {
    /// `folder` is where the mesh that the case names is looked for.
    pub(crate) fn new(case: &DgtdCase, folder: &Path) -> Result<Self, SolverError> {
        let asked = problem::asked(case, folder).map_err(SolverError::Field)?;
        let made_in_code = case.geometry.brick.is_some();
        let study = prepare(asked.problem).map_err(|error| solver_error(error, made_in_code))?;
        let warnings = [&asked.warnings[..], &study.warnings[..]].concat();
        Ok(Self { study, warnings, output: case.output.clone(), made_in_code })
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

impl Job for DgtdJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        facts::facts(&self.study).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn precision(&self) -> Precision {
        self.problem().precision
    }

    fn memory(&self, backend: &Backend) -> Needs {
        facts::memory(&self.study, backend)
    }

    fn memory_field(&self) -> &'static str {
        if self.made_in_code { "geometry.box" } else { "geometry.mesh" }
    }

    fn memory_advice(&self, _free: u64) -> String {
        "take a coarser mesh, a lower order, `precision = \"single\"`, or fewer frequencies, monitors and snapshots"
            .into()
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        let started = Instant::now();
        let solved = self.study.solve(context.backend, context.progress);
        let solution = solved.map_err(|error| solver_error(error, self.made_in_code))?;
        let seconds = started.elapsed().as_secs_f64();
        let mut products = Products { metrics: self.metrics(&solution, seconds), ..Products::default() };
        self.add_far_fields(&solution, &mut products);
        self.add_ports(&solution, &mut products);
        self.add_pictures(&solution, &mut products);
        self.add_volumes(&solution, &mut products);
        self.add_times(&solution, &mut products);
        products.warnings.extend(self.unsettled(&solution));
        products.warnings.extend(self.missed_snapshots(&solution));
        Ok(products)
    }
}

impl DgtdJob {
    fn add_far_fields(&self, solution: &Solution, products: &mut Products) {
        if let Some(asked) = &self.output.rcs {
            let (table, plots, peak) = far::rcs(&self.study, solution, asked);
            products.tables.push((table, "bistatic cross sections: all, and by the receiver's polarisation"));
            products.plots.extend(plots);
            products.metrics.insert("peak_rcs_dbsm".into(), peak);
        }
        if let Some(asked) = &self.output.directivity {
            let found = far::antenna(&self.study, solution, asked);
            products.tables.push((found.table, "directivity in all directions; of ports the gain, too"));
            products.arrays.push((found.arrays, "directivity, and far fields times distance"));
            products.plots.extend(found.plots);
            products.metrics.insert("peak_directivity_dbi".into(), found.peak_directivity);
            if let Some(gain) = found.peak_gain {
                products.metrics.insert("peak_gain_dbi".into(), gain);
            }
        }
    }

    fn add_ports(&self, solution: &Solution, products: &mut Products) {
        let spectra = self.study.ports(solution);
        if spectra.is_empty() {
            return;
        }
        products
            .tables
            .push((ports::table(&spectra), "S-parameters, and the impedance that the source sees"));
        if let Some(parameters) = ports::touchstone(self.problem(), &spectra) {
            products.s_parameters.push((parameters, "S-parameters for circuit simulators"));
        }
        products.plots.extend(ports::plots(self.problem(), &spectra));
    }

    /// Fields on slices, and currents on conductors.
    fn add_pictures(&self, solution: &Solution, products: &mut Products) {
        let monitors = &self.problem().monitors;
        for (i, slice) in monitors.slices.iter().enumerate() {
            let fields = slices::fields(&self.study, solution, i);
            let what = "E and H on a slice at all frequencies, V/m and A/m";
            products.arrays.push((slices::arrays(&monitors.frequencies, slice, &fields), what));
            products.plots.extend(slices::plot(&self.study, slice, &fields));
        }
        if monitors.currents {
            let pieces = self.study.conductor_pieces();
            let what = "currents on the conductors at a frequency, for ParaView";
            let surfaces = currents::surfaces(&self.study, solution, &pieces);
            products.surfaces.extend(surfaces.into_iter().map(|surface| (surface, what)));
            let list = volumes::list("currents", &monitors.frequencies);
            products.texts.push(("currents.pvd", list, "all currents, with frequencies in place of times"));
            products.plots.push(currents::plot(&self.study, solution, pieces));
        }
    }

    /// Fields in volumes, at frequencies and at moments.
    fn add_volumes(&self, solution: &Solution, products: &mut Products) {
        let monitors = &self.problem().monitors;
        if !monitors.volumes.is_empty() {
            let what = "E and H in volumes at a frequency, for ParaView";
            let found = volumes::spectra(&self.study, solution);
            products.volumes.extend(found.into_iter().map(|volume| (volume, what)));
            let list = volumes::list("volumes", &monitors.frequencies);
            products.texts.push(("volumes.pvd", list, "all of them, with frequencies in place of times"));
        }
        if !monitors.snapshots.is_empty() {
            let (times, found) = volumes::snapshots(&self.study, solution);
            let what = "E and H at a moment, for ParaView";
            products.volumes.extend(found.into_iter().map(|volume| (volume, what)));
            products.texts.push(("fields.pvd", volumes::list("fields", &times), "all moments, to be played"));
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

    fn metrics(&self, solution: &Solution, seconds: f64) -> IndexMap<String, f64> {
        let dof = self.study.dof() as f64;
        let mut metrics = vec![
            ("elements", self.problem().mesh.tets.len() as f64),
            ("dof", dof),
            ("dt_s", solution.dt),
            ("steps", solution.steps as f64),
            ("gdof_per_s", 1e-9 * dof * (STAGES as u64 * solution.steps) as f64 / seconds.max(1e-9)),
            ("energy_drop_db", tables::drop(solution)),
        ];
        metrics.extend(solution.error.map(|error| ("field_error", error)));
        metrics.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Words about snapshots that a run that ended early did not come to.
    fn missed_snapshots(&self, solution: &Solution) -> Option<String> {
        let end = solution.start + (solution.steps as f64 + 0.5) * solution.dt;
        let asked = &self.problem().monitors.snapshots;
        let missed = asked.iter().filter(|&&time| time > end).count();
        (missed > 0).then(|| {
            format!(
                "the fields had died out at {:.4} ns, before {missed} of {} snapshots, which are left out; `stop_db = false` in [solve] \
                 runs on until `time`",
                1e9 * end,
                asked.len()
            )
        })
    }

    /// Words about a run that ended before its energy fell as far as it should.
    fn unsettled(&self, solution: &Solution) -> Option<String> {
        let wanted = self.problem().stop.energy_db.filter(|_| !solution.settled)?;
        Some(format!(
            "the energy fell by {:.1} dB, not by the {wanted} dB asked for: fields still ring, and what is computed at frequencies \
             is not to be trusted; give a longer `time` in [solve]",
            tables::drop(solution)
        ))
    }
}

/// A solver error as `run` sorts them. What is wrong with a mesh made here stands in `box`.
fn solver_error(error: DgtdError, made_in_code: bool) -> SolverError {
    match error {
        DgtdError::Invalid(error) if made_in_code && error.path == "geometry.mesh" => {
            SolverError::Field(FieldError { path: "geometry.box".into(), ..error })
        }
        DgtdError::Invalid(error) => SolverError::Field(error),
        DgtdError::Device(error) => SolverError::Run(RunError::Device(error)),
        DgtdError::Interrupted(error) => SolverError::Run(RunError::Interrupted(error)),
        DgtdError::Unstable { .. } | DgtdError::WrongState(_) => {
            SolverError::Run(RunError::NotConverged { message: error.to_string(), advice: error.advice() })
        }
    }
}
