//! The `mom` solver as a job: from its case to its problem, and from its solution to tables, arrays and plots.

mod plots;
mod problem;

use crate::error::{RunError, SolverError};
use crate::input::blame_owner;
use crate::job::{Context, Job, Products};
use num_complex::Complex64;
use phasefront_case::model::mom::MomCase;
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, Precision};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_mom::{CellCount, MomError, Polarization, Solution, Study, prepare};
use phasefront_report::{Array, ArrayFile, Table};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// Rows a table may have: above this a CSV file serves nobody.
const MOST_ROWS: usize = 2_000_000;

/// Bytes per point of the near field while it is written: two copies for the NPZ file, the file itself, the plot.
const NEAR_OUTPUT_BYTES: u64 = 2 * 32 + 8;

/// A validated `mom` case.
pub(crate) struct MomJob {
    study: Study,
}

impl MomJob {
    /// `folder` is where the files that the case names are looked for.
    pub(crate) fn new(case: &MomCase, folder: &Path) -> Result<Self, SolverError> {
        let (problem, owners) = problem::problem(case, folder).map_err(SolverError::Field)?;
        let study = prepare(problem).map_err(|error| match solver_error(error) {
            SolverError::Field(error) => SolverError::Field(blame_owner(error, "geometry.bodies", &owners)),
            other @ SolverError::Run(_) => other,
        })?;
        let job = Self { study };
        job.check_rows().map_err(SolverError::Field)?;
        Ok(job)
    }

    /// Combinations of frequency and incidence.
    fn waves(&self) -> usize {
        self.study.problem.frequencies.len() * self.study.problem.propagation.len()
    }

    fn check_rows(&self) -> Result<(), FieldError> {
        let (current, echo) = (self.study.mesh.len(), self.study.problem.observation.len());
        if self.study.problem.currents && self.waves().saturating_mul(current) > MOST_ROWS {
            let message =
                format!("{} waves on {current} nodes would fill too many rows of current.csv", self.waves());
            return Err(FieldError::new(
                "output.current",
                message,
                "set current = false, or sweep less at a time",
            ));
        }
        if self.waves().saturating_mul(echo) > MOST_ROWS {
            let message =
                format!("{} waves at {echo} angles would fill too many rows of echo_width.csv", self.waves());
            return Err(FieldError::new(
                "output.echo_width",
                message,
                "ask for fewer angles, or sweep less at a time",
            ));
        }
        Ok(())
    }
}

impl Job for MomJob {
    fn facts(&self) -> BTreeMap<String, f64> {
        [
            ("unknowns", self.study.unknowns() as f64),
            ("cells", self.study.mesh.cell_count() as f64),
            ("shortest_wavelength_m", self.study.shortest_wavelength()),
            ("cells_per_wavelength", self.study.cells_per_wavelength()),
            ("factorizations", self.study.problem.frequencies.len() as f64),
            ("incident_waves", self.waves() as f64),
            ("corner_levels", self.study.problem.corner_levels() as f64),
            ("near_distance_cells", self.study.problem.near_distance()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    fn warnings(&self) -> &[String] {
        &self.study.warnings
    }

    fn precision(&self) -> Precision {
        self.study.problem.precision
    }

    fn memory(&self, backend: &Backend) -> MemoryEstimate {
        let MemoryEstimate { device, host } = self.study.memory(backend);
        MemoryEstimate { device, host: host + NEAR_OUTPUT_BYTES * self.study.near_points() }
    }

    fn memory_field(&self) -> &'static str {
        let grid = self.study.problem.near_field.as_ref();
        if grid.is_some_and(|g| g.x.len() * g.y.len() > self.study.unknowns().pow(2)) {
            return "output.field";
        }
        match self.study.problem.cells {
            CellCount::Total(_) => "solve.cells",
            CellCount::PerWavelength(_) => "solve.cells_per_wavelength",
        }
    }

    fn memory_advice(&self, free: u64) -> String {
        if self.memory_field() == "output.field" {
            return format!("about {:.1e} points fit", 0.85 * free as f64 / (NEAR_OUTPUT_BYTES + 48) as f64);
        }
        let entry = 2.0 * self.precision().bytes() as f64;
        let fits = (0.85 * free as f64 / entry).sqrt().floor();
        match self.precision() {
            Precision::Double => {
                format!("about {fits} unknowns fit; precision = \"single\" needs half the memory")
            }
            Precision::Single => format!("about {fits} unknowns fit"),
        }
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        let solution = self.study.solve(context.backend, context.progress).map_err(solver_error)?;
        let mut products = Products::default();
        let metrics = [
            ("unknowns", self.study.unknowns() as f64),
            ("residual", solution.worst(|f| f.residual)),
            ("condition", solution.worst(|f| f.condition.unwrap_or(0.0))),
            ("backward_error", solution.worst(|f| f.backward_error)),
            ("interior_field", solution.worst(|f| f.interior_field)),
        ];
        products.metrics.extend(metrics.map(|(name, value)| (name.to_owned(), value)));
        if let [only] = &solution.frequencies[..]
            && let [width] = only.extinction_width[..]
        {
            products.metrics.insert("extinction_width_m".into(), width);
        }
        products.warnings = solution.warnings(&self.study);
        if !self.study.problem.observation.is_empty() {
            products.tables.push((echo_width_table(&self.study, &solution), "echo width against angle"));
        }
        if self.study.problem.monostatic {
            let table = monostatic_table(&self.study, &solution);
            products.tables.push((table, "echo width back towards the source"));
        }
        if self.study.problem.currents {
            products
                .tables
                .push((current_table(&self.study, &solution), "surface current, A/m for a unit field"));
        }
        if let Some(arrays) = field_arrays(&self.study, &solution) {
            products.arrays.push((arrays, "field along z on the grid, for a unit incident field"));
        }
        products.plots = plots::plots(&self.study, &solution);
        Ok(products)
    }
}

/// A solver error as `run` sorts them.
pub(crate) fn solver_error(error: MomError) -> SolverError {
    let advice = error.advice();
    SolverError::Run(match error {
        MomError::Invalid(error) => return SolverError::Field(error),
        MomError::NotConverged { .. } => RunError::NotConverged { message: error.to_string(), advice },
        MomError::Device(error) => RunError::Device(error),
        MomError::Interrupted(error) => RunError::Interrupted(error),
    })
}

/// Degrees, rounded where radians blur them: 57 and not 57.00000000000001.
pub(crate) fn degrees(radians: f64) -> f64 {
    (radians.to_degrees() * 1e10).round() / 1e10
}

/// Direction of a wave in degrees, from 0 to 360: an `arrival` of 270 degrees is 450 off +x before that.
fn incidence(radians: f64) -> f64 {
    let angle = degrees(radians);
    if (0.0..=360.0).contains(&angle) { angle } else { degrees(radians.rem_euclid(TAU)) }
}

/// Every (frequency, incidence) pair: frequency in Hz, incidence in degrees, and their indices.
fn waves<'a>(
    study: &'a Study,
    solution: &'a Solution,
) -> impl Iterator<Item = (f64, f64, usize, usize)> + 'a {
    solution.frequencies.iter().enumerate().flat_map(|(f, at)| {
        study.problem.propagation.iter().enumerate().map(move |(d, &a)| (at.frequency, incidence(a), f, d))
    })
}

const ECHO_COLUMNS: [&str; 6] =
    ["incidence_deg", "observation_deg", "sigma_m", "sigma_db_m", "sigma_over_lambda", "frequency_hz"];

/// One row of an echo-width table; angles in degrees.
fn echo_row(incidence: f64, observation: f64, sigma: f64, frequency: f64) -> [f64; 6] {
    [incidence, observation, sigma, decibels(sigma), sigma * frequency / C0, frequency]
}

fn table_of<const N: usize>(name: &str, columns: [&str; N], rows: impl Iterator<Item = [f64; N]>) -> Table {
    let mut values: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    for row in rows {
        values.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    columns.iter().zip(values).fold(Table::new(name), |table, (name, column)| table.number(*name, column))
}

fn echo_width_table(study: &Study, solution: &Solution) -> Table {
    let rows = waves(study, solution).flat_map(|(frequency, incidence, f, d)| {
        let widths = &solution.frequencies[f].echo_width[d];
        let angles = study.problem.observation.iter();
        angles.zip(widths).map(move |(&phi, &sigma)| echo_row(incidence, degrees(phi), sigma, frequency))
    });
    table_of("echo_width", ECHO_COLUMNS, rows)
}

fn monostatic_table(study: &Study, solution: &Solution) -> Table {
    let rows = waves(study, solution).map(|(frequency, incidence, f, d)| {
        // Half a turn back from the way the wave travels: the `arrival` of the case, where it gives that.
        let back = degrees(study.problem.propagation[d] - PI);
        echo_row(incidence, back, solution.frequencies[f].monostatic[d], frequency)
    });
    table_of("monostatic", ECHO_COLUMNS, rows)
}

fn decibels(power: f64) -> f64 {
    10.0 * power.log10()
}

fn current_table(study: &Study, solution: &Solution) -> Table {
    let mesh = &study.mesh;
    let (mut body, mut columns) = (Vec::new(), <[Vec<f64>; 8]>::default());
    for (frequency, incidence, f, d) in waves(study, solution) {
        for (i, j) in solution.frequencies[f].currents[d].iter().enumerate() {
            body.push(mesh.body[i] as i64);
            let row = [mesh.s[i], mesh.x[i], mesh.y[i], j.re, j.im, j.norm(), incidence, frequency];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let names = ["s_m", "x_m", "y_m", "re", "im", "abs", "incidence_deg", "frequency_hz"];
    let table = Table::new("current").integer("body", body);
    names.iter().zip(columns).fold(table, |table, (name, column)| table.number(*name, column))
}

fn field_arrays(study: &Study, solution: &Solution) -> Option<ArrayFile> {
    let grid = study.problem.near_field.as_ref()?;
    let field = solution.frequencies.first()?.near_field.as_ref()?;
    let letter = match study.problem.polarization {
        Polarization::Tm => 'e',
        Polarization::Te => 'h',
    };
    let plane = |values: &[Complex64]| Array::Complex2 {
        rows: grid.y.len(),
        cols: grid.x.len(),
        values: values.to_vec(),
    };
    Some(
        ArrayFile::new("field")
            .with("x", Array::Real1(grid.x.clone()))
            .with("y", Array::Real1(grid.y.clone()))
            .with(format!("{letter}_total"), plane(&field.total))
            .with(format!("{letter}_scattered"), plane(&field.scattered)),
    )
}
