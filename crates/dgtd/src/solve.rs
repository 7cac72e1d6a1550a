//! `Study::solve`: the loop over time steps, stages and monitors.

use crate::checkpoint::{Checkpoint, CheckpointSink, NoCheckpoints, read_pairs, write_pairs};
use crate::cpu::Cpu;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::gpu::GpuEngine;
use crate::study::Study;
use crate::time::{C, STAGES};
use num_complex::Complex64;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::constants::EPS0;
use phasefront_core::decibels::power_ratio;
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use std::f64::consts::TAU;
use std::time::Instant;

/// Samples of the running Fourier transform per shortest period of the pulse.
const SAMPLES_PER_PERIOD: f64 = 8.0;
/// Steps between energy checks.
const ENERGY_CHECK_INTERVAL: u64 = 25;
/// Ratio to the injected energy at which a run counts as unstable; what PMLs store and return is far less.
const DIVERGENCE_RATIO: f64 = 100.0;

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Index of the excited port; meaningless without ports.
    pub excited: usize,
    /// Number of steps.
    pub steps: u64,
    /// Time of the first step, s.
    pub start: f64,
    /// dt, s.
    pub dt: f64,
    /// Times and energies, s and J.
    pub energy: Vec<(f64, f64)>,
    /// Whether the energy decayed as far as requested.
    pub settled: bool,
    /// Time series of the monitors after each step: six fields (E and η₀H in V/m) for each probe, then a voltage for each port.
    pub records: Vec<f64>,
    /// Spectra ∫ field e^{−jωt} dt of the monitored nodes: by frequency, node and component, E and η₀H.
    pub spectra: Vec<Complex64>,
    /// Fields of the snapshots before the end of the run: by snapshot, node and component, E and η₀H.
    pub snapshots: Vec<f32>,
    /// ‖fields − exact‖/‖exact‖ at the end, at the nodes, where the exact fields are known: with [`crate::Initial`] in vacuum.
    pub error: Option<f64>,
}

/// The solutions of finished runs are part of the checkpoint of a case that excites several ports in turn.
impl State for Solution {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { excited, steps, start, dt, energy, settled, records, spectra, snapshots, error } = self;
        out.integers([*excited as u64, *steps, u64::from(*settled)].into_iter());
        out.doubles(&[*start, *dt]);
        write_pairs(energy, out);
        out.doubles(records);
        out.complex(spectra);
        out.singles(snapshots);
        out.doubles(error.as_slice());
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let [excited, steps, settled] = from.integers()?.try_into().ok()?;
        let [start, dt] = from.doubles()?.try_into().ok()?;
        Some(Self {
            excited: usize::try_from(excited).ok()?,
            steps,
            start,
            dt,
            energy: read_pairs(from)?,
            settled: settled != 0,
            records: from.doubles()?,
            spectra: from.complex()?,
            snapshots: from.singles()?,
            error: from.doubles()?.first().copied(),
        })
    }
}

/// One time step from `time` (s): the stages of the LSRK scheme, each at time + C dt. The loop is here and not in the engines because
/// ranks that share a mesh exchange the traces of their common faces between stages.
pub(crate) fn step(engine: &mut dyn Engine, time: f64, dt: f64) -> Result<(), DgtdError> {
    (0..STAGES).try_for_each(|stage| engine.stage(time + C[stage] * dt, stage))
}

impl Study {
    /// Runs the simulation.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, DgtdError> {
        self.solve_from(None, backend, progress, &mut NoCheckpoints)
    }

    /// Runs the simulation from a checkpoint, or from the start. The result is bit for bit that of an uninterrupted run.
    pub fn solve_from(
        &self,
        checkpoint: Option<&Checkpoint>,
        backend: &Backend,
        progress: &Progress,
        sink: &mut dyn CheckpointSink,
    ) -> Result<Solution, DgtdError> {
        let mut engine: Box<dyn Engine> = match (backend, self.problem.precision) {
            (Backend::Cpu, Precision::Single) => Box::new(Cpu::<f32>::new(self)?),
            (Backend::Cpu, Precision::Double) => Box::new(Cpu::<f64>::new(self)?),
            (Backend::Gpu(gpu), Precision::Single) => Box::new(GpuEngine::<f32>::new(self, gpu)?),
            (Backend::Gpu(gpu), Precision::Double) => Box::new(GpuEngine::<f64>::new(self, gpu)?),
        };
        let mut solution = Solution {
            excited: self.problem.sources.excited,
            steps: 0,
            start: self.sources.start,
            dt: self.step.dt,
            energy: Vec::new(),
            settled: false,
            records: Vec::new(),
            spectra: Vec::new(),
            snapshots: Vec::new(),
            error: None,
        };
        if let Some(checkpoint) = checkpoint {
            engine.restore(&checkpoint.fields)?;
            solution.steps = checkpoint.steps;
            solution.energy.clone_from(&checkpoint.energy);
            solution.records.clone_from(&checkpoint.records);
            // A checkpoint may be that of a run that had settled: no step must follow.
            solution.settled = self.is_settled(&solution.energy);
            solution.snapshots.clone_from(&checkpoint.snapshots);
        }
        self.run(&mut *engine, &mut solution, progress, sink)?;
        solution.spectra = engine.spectra()?;
        if self.problem.sources.initial.is_some() {
            let now = solution.start + solution.steps as f64 * solution.dt;
            solution.error = self.distance_to_exact(&engine.fields()?, now);
        }
        Ok(solution)
    }

    fn run(
        &self,
        engine: &mut dyn Engine,
        solution: &mut Solution,
        progress: &Progress,
        sink: &mut dyn CheckpointSink,
    ) -> Result<(), DgtdError> {
        let (start, dt) = (solution.start, solution.dt);
        let steps = self.max_steps();
        let first = solution.steps;
        let mut expected = self.forecast_steps(&solution.energy);
        let stage = progress.stage("fields", Some(expected.saturating_sub(first)), "steps");
        let (started, every) = (Instant::now(), self.spectrum_interval());
        let snapshots = self.snapshot_steps();
        // A snapshot of the initial fields; a resumed run has it already.
        if solution.steps == 0 && snapshots.first() == Some(&0) {
            self.save_snapshot(engine, &mut solution.snapshots)?;
        }
        while solution.steps < steps && !solution.settled {
            step(engine, start + solution.steps as f64 * dt, dt)?;
            solution.steps += 1;
            stage.advance(1);
            let now = start + solution.steps as f64 * dt;
            // Monitors see the fields at the end of the step.
            engine.record(now)?;
            // Rectangle rule of the Fourier integral: for a signal that begins and ends at zero its
            // error is aliasing alone.
            if solution.steps.is_multiple_of(every) {
                engine.accumulate(&self.factors(now, every as f64 * dt))?;
            }
            if snapshots.binary_search(&solution.steps).is_ok() {
                self.save_snapshot(engine, &mut solution.snapshots)?;
            }
            if solution.steps.is_multiple_of(ENERGY_CHECK_INTERVAL) || solution.steps == steps {
                self.check_energy(engine, solution, now)?;
                // Interruption is checked here only, where records are on the host and a checkpoint
                // is complete; it is saved before the run ends.
                let stopped = progress.check();
                if stopped.is_err() || sink.is_due() {
                    sink.save(Checkpoint {
                        steps: solution.steps,
                        energy: solution.energy.clone(),
                        records: solution.records.clone(),
                        snapshots: solution.snapshots.clone(),
                        fields: engine.state()?,
                    });
                }
                stopped?;
                let forecast = self.forecast_steps(&solution.energy).max(solution.steps);
                if forecast != expected {
                    expected = forecast;
                    stage.expect(expected.saturating_sub(first));
                }
                let rate = self.rate(solution.steps - first, started.elapsed().as_secs_f64());
                let now = ("time (ns)", 1e9 * now);
                progress.scalar("gdof_per_s", now, rate);
                progress.scalar("energy_drop_db", now, solution.energy_drop());
            }
        }
        Ok(())
    }

    /// Appends the current fields to the snapshots: [element][node][component], E and η₀H.
    fn save_snapshot(&self, engine: &mut dyn Engine, saved: &mut Vec<f32>) -> Result<(), DgtdError> {
        // All fields are downloaded: snapshots are few.
        let (fields, nodes) = (engine.fields()?, self.plan.element.len());
        for &slot in &self.monitors.snapshots {
            let values = &fields[6 * nodes * slot as usize..][..6 * nodes];
            // From [component][node] to [node][component]; single precision suffices for plots.
            saved.extend((0..6 * nodes).map(|i| values[i % 6 * nodes + i / 6] as f32));
        }
        Ok(())
    }

    /// 10⁹ degrees of freedom times stages per second.
    fn rate(&self, steps: u64, seconds: f64) -> f64 {
        1e-9 * self.dof() as f64 * (STAGES as u64 * steps) as f64 / seconds.max(1e-9)
    }

    /// Energy check: whether the run has become unstable, and whether the fields have decayed.
    fn check_energy(
        &self,
        engine: &mut dyn Engine,
        solution: &mut Solution,
        now: f64,
    ) -> Result<(), DgtdError> {
        // The engine has ½ ∫ ε_r|E|² + μ_r|η₀H|²; ε₀ makes it joules.
        let energy = EPS0 * engine.energy()?;
        solution.energy.push((now, energy));
        if !energy.is_finite() || self.has_diverged(&solution.energy) {
            return Err(DgtdError::Unstable { step: solution.steps, time_ns: 1e9 * now });
        }
        // Records move to the host at every check, since a checkpoint contains them.
        solution.records.extend(engine.take_records()?);
        solution.settled = self.is_settled(&solution.energy);
        Ok(())
    }

    /// Whether the energy is far above what the sources injected.
    fn has_diverged(&self, energy: &[(f64, f64)]) -> bool {
        let end = self.source_end();
        // The largest energy while sources are active; afterwards nothing adds to it.
        let given =
            energy.iter().filter(|(time, _)| *time <= end).map(|(_, energy)| *energy).fold(0.0, f64::max);
        given > 0.0 && energy.last().is_some_and(|(_, last)| *last > DIVERGENCE_RATIO * given)
    }

    /// Whether the sources have ended and the energy has decayed as far as requested.
    fn is_settled(&self, energy: &[(f64, f64)]) -> bool {
        let Some(&(now, last)) = energy.last() else { return false };
        let peak = energy.iter().map(|(_, energy)| *energy).fold(0.0, f64::max);
        // Decibels of energy below its peak.
        let low = self.problem.stop.energy_db.is_some_and(|db| last <= peak * power_ratio(-db));
        low && now > self.source_end()
    }

    /// Steps between samples of the running Fourier transform.
    fn spectrum_interval(&self) -> u64 {
        let highest = self.problem.pulse.highest_content().max(self.problem.highest_frequency);
        // Rounded down: never fewer samples per period than required.
        ((1.0 / (SAMPLES_PER_PERIOD * highest)) / self.step.dt).floor().max(1.0) as u64
    }

    /// e^{−jωt} dt for each frequency.
    fn factors(&self, t: f64, dt: f64) -> Vec<Complex64> {
        self.problem.monitors.frequencies.iter().map(|f| Complex64::from_polar(dt, -TAU * f * t)).collect()
    }
}
