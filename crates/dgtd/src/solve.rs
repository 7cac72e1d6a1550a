//! A study from mesh to answers: the order of the stages.

use crate::check;
use crate::cpu::Cpu;
use crate::domain::Domain;
use crate::drive::{Drive, Incident, driven_tets};
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::gpu::GpuEngine;
use crate::locate::Locator;
use crate::plan::Plan;
use crate::ports::PortPlan;
use crate::problem::Problem;
use crate::time::{self, TimeStep};
use crate::watch::Watch;
use num_complex::Complex64;
use phasefront_core::{FieldError, Precision, Progress};
use phasefront_device::Backend;
use std::f64::consts::TAU;

/// Samples of a spectrum in the shortest period that the pulse has.
const SAMPLES_PER_PERIOD: f64 = 8.0;
/// Steps between looks at the energy.
const LOOK: u64 = 25;

/// A problem that passed its checks, with its mesh made ready.
pub struct Study {
    /// What was asked.
    pub problem: Problem,
    /// The time step.
    pub step: TimeStep,
    /// What the user should know before trusting the answer.
    pub warnings: Vec<String>,
    pub(crate) domain: Domain,
    pub(crate) plan: Plan,
    pub(crate) drive: Drive,
    pub(crate) watch: Watch,
}

/// Checks a problem, sorts its mesh and finds its time step.
pub fn prepare(problem: Problem) -> Result<Study, DgtdError> {
    check::settings(&problem)?;
    let domain = Domain::new(&problem)?;
    let ports = PortPlan::all(&problem, &domain)?;
    let incident = Incident::find(&problem, &domain)?;
    let dipoles = locate_dipoles(&problem, &domain)?;
    let driven = driven_tets(&domain, incident.as_ref(), &ports, &dipoles);
    let plan = Plan::new(&problem, &domain, &ports, &driven);
    let drive = Drive::new(&problem, &domain, &plan, (incident.as_ref(), &ports, &dipoles));
    drop(incident);
    let watch = Watch::new(&problem, &domain, &plan, (&ports, &drive))?;
    let mut step = time::step(&problem, &domain, &plan);
    // The last step ends at the time that was asked for.
    let length = problem.stop.time - drive.start;
    step.dt = length / (length / step.dt).ceil();
    Ok(Study { problem, step, warnings: Vec::new(), domain, plan, drive, watch })
}

fn locate_dipoles(problem: &Problem, domain: &Domain) -> Result<Vec<(usize, [f64; 3])>, DgtdError> {
    if problem.sources.dipoles.is_empty() {
        return Ok(Vec::new());
    }
    let locator = Locator::new(&domain.mesh);
    let find = |(i, dipole): (usize, &crate::problem::Dipole)| {
        let [x, y, z] = dipole.position;
        locator.find(dipole.position.into()).ok_or_else(|| {
            FieldError::new(
                format!("source.dipoles[{i}].position"),
                format!("the dipole at ({x}, {y}, {z}) m is outside of the mesh"),
                "put it where there are fields",
            )
            .into()
        })
    };
    problem.sources.dipoles.iter().enumerate().map(find).collect()
}

/// How a run went.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Steps done.
    pub steps: u64,
    /// Time of the first of all steps, s.
    pub start: f64,
    /// dt, s.
    pub dt: f64,
    /// Times and energies, s and J.
    pub energy: Vec<(f64, f64)>,
    /// Whether the energy fell as far as was asked.
    pub settled: bool,
    /// Watched values after each step: six fields (E in V/m, H in A/m) for each probe, then a voltage for each port.
    pub records: Vec<f64>,
    /// Spectra ∫ field e^{−jωt} dt of the watched nodes: [frequency][node][component], E and η₀H.
    pub spectra: Vec<Complex64>,
    /// ‖fields − exact‖/‖exact‖ at the end, at the nodes, where the exact fields are known: with [`crate::Initial`] in vacuum.
    pub error: Option<f64>,
}

impl Study {
    /// When no source gives anything any more, s.
    pub(crate) fn drive_end(&self) -> f64 {
        let last = self
            .drive
            .faces
            .iter()
            .flat_map(|face| &face.points)
            .map(|point| point.delay)
            .fold(0.0, f64::max);
        self.problem.pulse.end() + last
    }

    /// Degrees of freedom: components times nodes.
    pub fn dof(&self) -> usize {
        self.domain.mesh.tets.len() * self.plan.element.len() * 6
    }

    /// Runs the fields.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, DgtdError> {
        match backend {
            Backend::Cpu => match self.problem.precision {
                Precision::Single => self.run(&mut Cpu::<f32>::new(self), progress),
                Precision::Double => self.run(&mut Cpu::<f64>::new(self), progress),
            },
            Backend::Gpu(gpu) => match self.problem.precision {
                Precision::Single => self.run(&mut GpuEngine::<f32>::new(self, gpu)?, progress),
                Precision::Double => self.run(&mut GpuEngine::<f64>::new(self, gpu)?, progress),
            },
        }
    }

    fn run(&self, engine: &mut dyn Engine, progress: &Progress) -> Result<Solution, DgtdError> {
        let (start, dt) = (self.drive.start, self.step.dt);
        let steps = ((self.problem.stop.time - start) / dt).round() as u64;
        let stage = progress.stage("fields", Some(steps), "steps");
        let every = self.spectrum_interval();
        let mut solution = Solution {
            steps: 0,
            start,
            dt,
            energy: Vec::new(),
            settled: false,
            records: Vec::new(),
            spectra: Vec::new(),
            error: None,
        };
        let mut peak: f64 = 0.0;
        while solution.steps < steps {
            engine.step(start + solution.steps as f64 * dt)?;
            solution.steps += 1;
            stage.advance(1);
            let now = start + solution.steps as f64 * dt;
            engine.record(now)?;
            if solution.steps % every == 0 {
                engine.accumulate(&self.factors(now, every as f64 * dt))?;
            }
            if solution.steps % LOOK == 0 || solution.steps == steps {
                progress.check()?;
                let energy = engine.energy()?;
                if !energy.is_finite() {
                    return Err(DgtdError::Unstable { step: solution.steps, time_ns: 1e9 * now });
                }
                peak = peak.max(energy);
                solution.energy.push((now, energy));
                solution.records.extend(engine.take_records()?);
                let low =
                    self.problem.stop.energy_db.is_some_and(|db| energy <= peak * 10_f64.powf(-0.1 * db));
                if low && now > self.drive_end() {
                    solution.settled = true;
                    break;
                }
            }
        }
        solution.spectra = engine.spectra()?;
        if self.problem.sources.initial.is_some() {
            let now = start + solution.steps as f64 * dt;
            solution.error = self.distance_to_exact(&engine.fields()?, now);
        }
        Ok(solution)
    }

    /// Steps between samples of spectra.
    fn spectrum_interval(&self) -> u64 {
        let highest = self.problem.pulse.highest_content().max(self.problem.highest_frequency);
        ((1.0 / (SAMPLES_PER_PERIOD * highest)) / self.step.dt).floor().max(1.0) as u64
    }

    /// e^{−jωt} dt for each frequency.
    fn factors(&self, t: f64, dt: f64) -> Vec<Complex64> {
        self.problem.monitors.frequencies.iter().map(|f| Complex64::from_polar(dt, -TAU * f * t)).collect()
    }
}
