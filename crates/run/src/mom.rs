//! The `mom` solver as a job: from its case to its problem, and from its solution to tables, arrays and plots.

mod plots;

use crate::error::{RunError, SolverError};
use crate::job::{Context, Job, Needs, Products};
use num_complex::Complex64;
use phasefront_case::model::mom::{Body as CaseBody, FieldGrid, MomCase};
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, Precision};
use phasefront_device::Backend;
use phasefront_mom::{Body, CellCount, MomError, NearGrid, Problem, Shape, Solution, Study, prepare};
use phasefront_report::{Array, ArrayFile, Table};
use std::collections::BTreeMap;

/// Rows a table may have: above this a CSV file serves nobody.
const MOST_ROWS: usize = 2_000_000;

/// Bytes per point of the near field while it is written: two copies for the NPZ file, the file itself, the plot.
const NEAR_OUTPUT_BYTES: u64 = 2 * 32 + 8;

/// A validated `mom` case.
pub(crate) struct MomJob {
    study: Study,
}

impl MomJob {
    pub(crate) fn new(case: &MomCase) -> Result<Self, SolverError> {
        let study = prepare(problem(case)).map_err(solver_error)?;
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
        if self.study.problem.current && self.waves().saturating_mul(current) > MOST_ROWS {
            let message =
                format!("{} waves on {current} cells would fill too many rows of current.csv", self.waves());
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
            ("unknowns", self.study.mesh.len() as f64),
            ("shortest_wavelength_m", self.study.shortest_wavelength()),
            ("cells_per_wavelength", self.study.cells_per_wavelength()),
            ("factorisations", self.study.problem.frequencies.len() as f64),
            ("incident_waves", self.waves() as f64),
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

    fn memory(&self, backend: &Backend) -> Needs {
        let working = self.study.working_bytes();
        let outputs = self.study.solution_bytes() + NEAR_OUTPUT_BYTES * self.study.near_points();
        match backend.name() {
            "cpu" => Needs { device: 0, host: working + outputs },
            // The LU of OpenCL goes through the host.
            "opencl" => Needs { device: working, host: working + outputs },
            _ => Needs { device: working, host: outputs },
        }
    }

    fn memory_field(&self) -> &'static str {
        let grid = self.study.problem.near_field.as_ref();
        if grid.is_some_and(|g| g.x.len() * g.y.len() > self.study.mesh.len().pow(2)) {
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
                format!("about {fits} cells fit; precision = \"single\" needs half the memory")
            }
            Precision::Single => format!("about {fits} cells fit"),
        }
    }

    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError> {
        let solution = self.study.solve(context.backend, context.progress).map_err(solver_error)?;
        let mut products = Products::default();
        let residual = solution.frequencies.iter().map(|f| f.residual).fold(0.0, f64::max);
        products.metrics.insert("unknowns".into(), self.study.mesh.len() as f64);
        products.metrics.insert("residual".into(), residual);
        let interior = solution.frequencies.iter().map(|f| f.interior_field).fold(0.0, f64::max);
        products.metrics.insert("interior_field".into(), interior);
        products.warnings = solution.warnings();
        products.tables.push((echo_width_table(&self.study, &solution), "echo width against angle"));
        if self.study.problem.current {
            products
                .tables
                .push((current_table(&self.study, &solution), "surface current, A/m for a unit field"));
        }
        if let Some(arrays) = field_arrays(&self.study, &solution) {
            products.arrays.push((arrays, "electric field on the grid, V/m for a unit incident field"));
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

fn problem(case: &MomCase) -> Problem {
    let cells = match (case.solve.cells, case.solve.cells_per_wavelength) {
        (Some(total), _) => CellCount::Total(total.get() as usize),
        (None, density) => CellCount::PerWavelength(
            density.unwrap_or(phasefront_case::model::mom::DEFAULT_CELLS_PER_WAVELENGTH),
        ),
    };
    Problem {
        bodies: case.geometry.bodies.iter().map(body).collect(),
        frequencies: case.source.frequency.values(),
        propagation: case.source.propagation_angles(),
        cells,
        precision: case.solve.precision,
        observation: case.output.echo_width.as_ref().map_or_else(Vec::new, phasefront_core::Sweep::values),
        current: case.output.current,
        near_field: case.output.field.as_ref().map(near_grid),
    }
}

fn near_grid(grid: &FieldGrid) -> NearGrid {
    NearGrid { x: grid.x.values(), y: grid.y.values() }
}

fn body(body: &CaseBody) -> Body {
    let shape = match body {
        CaseBody::Circle(b) => Shape::Circle { center: b.center.si(), radius: b.radius.si() },
        CaseBody::Ellipse(b) => {
            Shape::Ellipse { center: b.center.si(), semi_axes: b.semi_axes.si(), rotation: b.rotation.si() }
        }
        CaseBody::Polygon(b) => Shape::Polygon { points: b.points.iter().map(|p| p.si()).collect() },
        CaseBody::Strip(b) => Shape::Strip { from: b.from.si(), to: b.to.si() },
    };
    Body { shape, cells: body.cells().map(|n| n.get() as usize) }
}

/// Degrees, rounded where radians blur them: 57 and not 57.00000000000001.
fn degrees(radians: f64) -> f64 {
    (radians.to_degrees() * 1e10).round() / 1e10
}

/// Every (frequency, incidence) pair: frequency in Hz, incidence in degrees, and their indices.
fn waves<'a>(
    study: &'a Study,
    solution: &'a Solution,
) -> impl Iterator<Item = (f64, f64, usize, usize)> + 'a {
    solution.frequencies.iter().enumerate().flat_map(|(f, at)| {
        study.problem.propagation.iter().enumerate().map(move |(d, &a)| (at.frequency, degrees(a), f, d))
    })
}

fn echo_width_table(study: &Study, solution: &Solution) -> Table {
    let mut columns: [Vec<f64>; 6] = Default::default();
    for (frequency, incidence, f, d) in waves(study, solution) {
        for (&phi, &sigma) in study.problem.observation.iter().zip(&solution.frequencies[f].echo_width[d]) {
            let row = [incidence, degrees(phi), sigma, decibels(sigma), sigma * frequency / C0, frequency];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let names =
        ["incidence_deg", "observation_deg", "sigma_m", "sigma_db_m", "sigma_over_lambda", "frequency_hz"];
    names
        .iter()
        .zip(columns)
        .fold(Table::new("echo_width"), |table, (name, column)| table.number(*name, column))
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
    let plane = |values: &[Complex64]| Array::Complex2 {
        rows: grid.y.len(),
        cols: grid.x.len(),
        values: values.to_vec(),
    };
    Some(
        ArrayFile::new("field")
            .with("x", Array::Real1(grid.x.clone()))
            .with("y", Array::Real1(grid.y.clone()))
            .with("e_total", plane(&field.total))
            .with("e_scattered", plane(&field.scattered)),
    )
}
