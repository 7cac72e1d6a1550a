//! The `reflectarray` solver as a job: from its case to its problem, and from its solution to tables, arrays, files and plots.

mod cuts;
mod files;
mod plots;
mod problem;

use crate::error::{RunError, SolverError};
use crate::input::blame_owner;
use crate::job::{Context, Job, Products};
use cuts::Cuts;
use phasefront_case::model::reflectarray::{Export, ReflectarrayCase};
use phasefront_core::Precision;
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_reflectarray::coverage::Satellite;
use phasefront_reflectarray::{Checkpoint, Problem, ReflectarrayError, Solution, Study, export, prepare};
use phasefront_report::{Array, ArrayFile, IndexMap, Table};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::path::Path;

/// Angles of the far-field export: θ in this many steps up to the corner of the window, φ every two degrees.
const FFE_THETA: usize = 90;
const FFE_PHI: usize = 180;

/// A validated reflectarray case.
pub(crate) struct ReflectarrayJob {
    name: String,
    pub(crate) study: Study,
    satellite: Option<Satellite>,
    exports: Vec<Export>,
}

impl ReflectarrayJob {
    /// `folder` is where the files that the case names are looked for.
    pub(crate) fn new(case: &ReflectarrayCase, folder: &Path) -> Result<Self, SolverError> {
        let asked = problem::asked(case, folder).map_err(SolverError::Field)?;
        let study = prepare(asked.problem).map_err(|error| match solver_error(error) {
            SolverError::Field(error) => {
                SolverError::Field(blame_owner(error, "geometry.coverage", &asked.owners))
            }
            other @ SolverError::Run(_) => other,
        })?;
        let exports = case.output.exports.clone();
        Ok(Self { name: case.name.clone(), study, satellite: asked.satellite, exports })
    }

    fn problem(&self) -> &Problem {
        &self.study.problem
    }
}

impl Job for ReflectarrayJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        let problem = self.problem();
        let (lattice, window) = (&problem.lattice, &problem.window);
        let side = |i: usize| lattice.elements[i] as f64 * lattice.spacing[i];
        [
            ("elements", (lattice.elements[0] * lattice.elements[1]) as f64),
            ("wavelength_m", problem.wavelength()),
            ("aperture_x_m", side(0)),
            ("aperture_y_m", side(1)),
            ("window_u_center", window.center[0]),
            ("window_v_center", window.center[1]),
            ("window_u_samples", window.samples[0] as f64),
            ("window_v_samples", window.samples[1] as f64),
            ("window_step", window.step),
            ("regions", problem.coverage.len() as f64),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    fn warnings(&self) -> &[String] {
        &self.study.warnings
    }

    fn precision(&self) -> Precision {
        Precision::Double
    }

    fn seed(&self) -> Option<u64> {
        Some(self.problem().synthesis.seed)
    }

    fn memory(&self, backend: &Backend) -> MemoryEstimate {
        self.study.memory(backend)
    }

    fn memory_field(&self) -> &'static str {
        "solve.window"
    }

    fn memory_advice(&self, _free: u64) -> String {
        "take a longer step or fewer samples, or fewer elements".into()
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        let resume = context.checkpoints.resume.clone().map(serde_json::from_value::<Checkpoint>);
        let resume = resume.transpose().map_err(|error| {
            solver_error(ReflectarrayError::Checkpoint(format!("it is not one of this version: {error}")))
        })?;
        let mut save =
            |checkpoint: &Checkpoint| context.checkpoints.save(checkpoint).map_err(std::io::Error::other);
        let solution =
            self.study.solve(context.backend, context.progress, resume, &mut save).map_err(solver_error)?;
        let mut products = Products { interrupted: solution.interrupted, ..Products::default() };
        products.metrics = metrics(&solution);
        products.tables.push((elements(&solution), "position, phase and illumination of each element"));
        if !solution.history.is_empty() {
            products.tables.push((history(&solution), "how the synthesis got there"));
        }
        if solution.interrupted {
            return Ok(products);
        }
        if !self.problem().coverage.is_empty() {
            products.tables.push((coverage(&solution), "directivity over each region of the coverage"));
        }
        products.arrays.push((directivity(self.problem(), &solution), "directivity on the window's samples"));
        let cuts = Cuts::new(self.problem(), &solution.design).map_err(solver_error)?;
        products.tables.extend(cuts.tables());
        products.plots = plots::plots(self.problem(), self.satellite.as_ref(), &solution, &cuts);
        for export in &self.exports {
            products.texts.push(self.export(*export, &solution).map_err(solver_error)?);
        }
        Ok(products)
    }
}

impl ReflectarrayJob {
    /// Name, text and description of a file for another program.
    fn export(
        &self,
        kind: Export,
        solution: &Solution,
    ) -> Result<(&'static str, String, &'static str), ReflectarrayError> {
        let problem = self.problem();
        Ok(match kind {
            Export::Grd => {
                let text = export::grd(&self.name, &problem.window, &solution.patterns);
                ("pattern.grd", text, "complex fields on the window's samples, for GRASP")
            }
            Export::Dxf => {
                let text = export::dxf(&solution.design, problem.lattice.spacing);
                ("layout.dxf", text, "drawing of the layout, millimeters")
            }
            Export::Ffe => {
                let (theta, phi) = far_field_angles(problem);
                let fields = export::far_fields(problem, &solution.design, &theta, &phi)?;
                let text = export::ffe(&self.name, &theta, &phi, &fields);
                ("pattern.ffe", text, "far field over theta and phi, for FEKO")
            }
        })
    }
}

/// θ from the normal as far as the window reaches, and φ all around, rad.
fn far_field_angles(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let reach = |axis: Vec<f64>| axis.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
    let radius = reach(problem.window.u()).hypot(reach(problem.window.v())).min(1.0);
    let step = radius.asin() / FFE_THETA as f64;
    let theta = (0..=FFE_THETA).map(|i| i as f64 * step).collect();
    (theta, (0..FFE_PHI).map(|i| TAU * i as f64 / FFE_PHI as f64).collect())
}

/// A solver error as `run` sorts them.
pub(crate) fn solver_error(error: ReflectarrayError) -> SolverError {
    let advice = error.advice();
    SolverError::Run(match error {
        ReflectarrayError::Invalid(error) => return SolverError::Field(error),
        ReflectarrayError::Device(error) => RunError::Device(error),
        ReflectarrayError::Interrupted(error) => RunError::Interrupted(error),
        ReflectarrayError::Nufft(_) | ReflectarrayError::Checkpoint(_) => {
            RunError::NotConverged { message: error.to_string(), advice }
        }
    })
}

/// The lowest figures over all frequencies.
fn metrics(solution: &Solution) -> IndexMap<String, f64> {
    let lowest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let all = || solution.patterns.iter().filter_map(|p| p.coverage.iter().find(|c| c.region == "all"));
    let mut metrics = IndexMap::new();
    let mut add = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
    if all().next().is_some() {
        add("d_mean_dbi", lowest(&mut all().map(|c| c.d_mean)));
        add("d_min_dbi", lowest(&mut all().map(|c| c.d_min)));
    }
    let peak = |d: &Vec<f64>| d.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    add("d_peak_dbi", lowest(&mut solution.patterns.iter().map(|p| peak(&p.d_co))));
    add("min_spacing_lambda", solution.spacing[0]);
    add("max_spacing_lambda", solution.spacing[1]);
    add("objective", solution.objective);
    add("evaluations", solution.evaluations as f64);
    add("spillover", solution.spillover);
    add("taper_efficiency", solution.taper_efficiency);
    let cross = solution.patterns.iter().filter_map(|p| p.d_cross.as_ref()).map(peak);
    if let Some(highest) = cross.reduce(f64::max) {
        add("d_cross_peak_dbi", highest);
    }
    if let Some(found) = &solution.sensitivity {
        add("failed_d_min_mean_dbi", found.failed_d_min[0]);
        add("failed_d_min_worst_dbi", found.failed_d_min[1]);
        add("pointing_d_min_dbi", found.pointing_d_min);
    }
    metrics
}

fn elements(solution: &Solution) -> Table {
    let design = &solution.design;
    let index = |axis: usize| design.index.iter().map(|i| i[axis] as i64).collect();
    let degrees = |phase: &f64| phase.to_degrees().rem_euclid(360.0);
    Table::new("elements")
        .integer("ix", index(0))
        .integer("iy", index(1))
        .number("x_m", design.x.clone())
        .number("y_m", design.y.clone())
        .number("phase_deg", design.phase.iter().map(degrees).collect())
        .number("amplitude", solution.amplitude.clone())
}

fn history(solution: &Solution) -> Table {
    let rows = &solution.history;
    let number = |get: &dyn Fn(usize) -> f64| (0..rows.len()).map(get).collect();
    Table::new("history")
        .text("stage", rows.iter().map(|row| row.stage.clone()).collect())
        .integer("iteration", rows.iter().map(|row| row.iteration as i64).collect())
        .integer("evaluations", rows.iter().map(|row| row.evaluations as i64).collect())
        .number("objective", number(&|i| rows[i].objective))
        .number("d_mean_dbi", number(&|i| rows[i].d_mean))
        .number("d_min_dbi", number(&|i| rows[i].d_min))
}

fn coverage(solution: &Solution) -> Table {
    let rows: Vec<_> =
        solution.patterns.iter().flat_map(|p| p.coverage.iter().map(move |c| (c, p.frequency))).collect();
    Table::new("coverage")
        .text("region", rows.iter().map(|(c, _)| c.region.clone()).collect())
        .integer("samples", rows.iter().map(|(c, _)| c.samples as i64).collect())
        .number("d_mean_dbi", rows.iter().map(|(c, _)| c.d_mean).collect())
        .number("d_min_dbi", rows.iter().map(|(c, _)| c.d_min).collect())
        .number("share_within_mask", rows.iter().map(|(c, _)| c.share_within_mask).collect())
        .number("frequency_hz", rows.iter().map(|(_, f)| *f).collect())
}

/// u, v, and on their grid D, and the number of the region a sample stands for, 0 for none. D of further frequencies is in `d_dbi_2`
/// and so on.
fn directivity(problem: &Problem, solution: &Solution) -> ArrayFile {
    let (u, v) = (problem.window.u(), problem.window.v());
    let (rows, cols) = (v.len(), u.len());
    let step = problem.window.step;
    let region =
        |at| problem.coverage.iter().position(|r| r.has_sample(at, step)).map_or(0.0, |i| i as f64 + 1.0);
    let mask = v.iter().flat_map(|&v| u.iter().map(move |&u| [u, v])).map(region).collect();
    let mut file = ArrayFile::new("directivity")
        .with("u", Array::Real1(u.clone()))
        .with("v", Array::Real1(v.clone()))
        .with("mask", Array::Real2 { rows, cols, values: mask });
    for (i, pattern) in solution.patterns.iter().enumerate() {
        let suffix = if i == 0 { String::new() } else { format!("_{}", i + 1) };
        let plane = |values: &Vec<f64>| Array::Real2 { rows, cols, values: values.clone() };
        file = file.with(format!("d_dbi{suffix}"), plane(&pattern.d_co));
        if let Some(cross) = &pattern.d_cross {
            file = file.with(format!("d_cross_dbi{suffix}"), plane(cross));
        }
    }
    file
}
