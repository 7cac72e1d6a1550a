//! `Study::solve`: the loop over time steps, stages and monitors.

use crate::checkpoint::{Checkpoint, CheckpointSink, NoCheckpoints, Saved, read_pairs, write_pairs};
use crate::cpu::CpuEngine;
use crate::dissipation::Dissipation;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::gpu::{GpuEngine, GpuReal, KernelLayout};
use crate::part::Part;
use crate::ranks::{Rank, RankReport};
use crate::share::Share;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_comm::{Comm, Single};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::constants::EPS0;
use phasefront_core::decibels::power_ratio;
use phasefront_core::{FieldError, Interrupted, Precision, Progress};
use phasefront_device::{Backend, Gpu};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

/// Samples of the running Fourier transform per shortest period of the pulse.
const SAMPLES_PER_PERIOD: f64 = 8.0;
/// Steps between energy checks.
const ENERGY_CHECK_INTERVAL: u64 = 25;
/// Share of the energy checks at which the dissipation is sampled.
const DISSIPATION_SHARE: f64 = 0.3;
/// Golden ratio less one: the fractional parts of its multiples are evenly spread, and samples keep step with no resonance.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
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
    pub samples: Vec<f64>,
    /// Spectra ∫ field e^{−jωt} dt of the monitored nodes: by frequency, node and component, E and η₀H.
    pub spectra: Vec<Complex64>,
    /// Fields of the snapshots before the end of the run: by snapshot, node and component, E and η₀H.
    pub snapshots: Vec<f32>,
    /// Energy that each element dissipated numerically, J, by its number in [`Study::mesh`]; empty unless requested.
    pub dissipated: Vec<f64>,
    /// ‖fields − exact‖/‖exact‖ at the end, at the nodes, where the exact fields are known: with [`crate::Initial`] in vacuum.
    pub error: Option<f64>,
    /// What each rank did in the last process; empty where one had all elements.
    pub ranks: Vec<RankReport>,
}

/// The solutions of finished runs are part of the checkpoint of a case that excites several ports in turn.
impl State for Solution {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        // The ranks are those of one process, and not of the next.
        let Self {
            excited,
            steps,
            start,
            dt,
            energy,
            settled,
            samples,
            spectra,
            snapshots,
            dissipated,
            error,
            ..
        } = self;
        out.integers([*excited as u64, *steps, u64::from(*settled)].into_iter());
        out.doubles(&[*start, *dt]);
        write_pairs(energy, out);
        out.doubles(samples);
        out.complex(spectra);
        out.singles(snapshots);
        out.doubles(dissipated);
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
            samples: from.doubles()?,
            spectra: from.complex()?,
            snapshots: from.singles()?,
            dissipated: from.doubles()?,
            error: from.doubles()?.first().copied(),
            ranks: Vec::new(),
        })
    }
}

/// What rank 0 decides at an energy check, for all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Go,
    Settled,
    Unstable,
    Stop,
}

impl Verdict {
    const ALL: [Self; 4] = [Self::Go, Self::Settled, Self::Unstable, Self::Stop];
}

/// The engine of a device; on a GPU with the given kernel layout, or the default one.
pub(crate) fn engine<'a>(
    share: &'a Share<'a>,
    backend: &Backend,
    shape: Option<KernelLayout>,
) -> Result<Box<dyn Engine + 'a>, DgtdError> {
    Ok(match (backend, share.study.problem.precision) {
        (Backend::Cpu, Precision::Single) => Box::new(CpuEngine::<f32>::new(share)?),
        (Backend::Cpu, Precision::Double) => Box::new(CpuEngine::<f64>::new(share)?),
        (Backend::Gpu(gpu), Precision::Single) => Box::new(gpu_engine::<f32>(share, gpu, shape)?),
        (Backend::Gpu(gpu), Precision::Double) => Box::new(gpu_engine::<f64>(share, gpu, shape)?),
    })
}

fn gpu_engine<'a, T: GpuReal>(
    share: &'a Share<'a>,
    gpu: &Arc<dyn Gpu>,
    shape: Option<KernelLayout>,
) -> Result<GpuEngine<'a, T>, DgtdError> {
    match shape {
        Some(shape) => GpuEngine::with_layout(share, gpu, shape),
        None => GpuEngine::new(share, gpu),
    }
}

impl Study {
    /// Runs the simulation.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, DgtdError> {
        self.solve_from(None, backend, progress, &mut NoCheckpoints)
    }

    /// Runs the simulation from a saved state, or from the start. The result is bit for bit that of an uninterrupted run.
    pub fn solve_from(
        &self,
        saved: Option<&Saved<'_>>,
        backend: &Backend,
        progress: &Progress,
        sink: &mut dyn CheckpointSink,
    ) -> Result<Solution, DgtdError> {
        self.solve_on(&Single::new(), saved, backend, progress, sink)
    }

    /// One rank's work of a run on several ranks, which share the elements. Every rank calls it, with the parts of the same saved state,
    /// and saves its part of checkpoints. Rank 0 gets the solution, reports progress and stops the run; the others get a solution without
    /// results. On CPUs it is the same to the last bit for any number of ranks.
    pub fn solve_on(
        &self,
        comm: &dyn Comm,
        saved: Option<&Saved<'_>>,
        backend: &Backend,
        progress: &Progress,
        sink: &mut dyn CheckpointSink,
    ) -> Result<Solution, DgtdError> {
        self.can_run_wires(comm, backend)?;
        let stage = progress.stage("tables", None, "elements");
        let share = Share::new(self, &self.part(comm)?);
        let engine = engine(&share, backend, None)?;
        let mut rank = Rank::new(comm, &share, engine)?;
        drop(stage);
        let mut solution = Solution {
            excited: self.problem.sources.excited,
            steps: 0,
            start: self.sources.start,
            dt: self.step.dt,
            energy: Vec::new(),
            settled: false,
            samples: Vec::new(),
            spectra: Vec::new(),
            snapshots: Vec::new(),
            // A run that ends before the first sample has found nothing.
            dissipated: if self.problem.monitors.dissipation {
                vec![0.0; self.mesh().tets.len()]
            } else {
                Vec::new()
            },
            error: None,
            ranks: Vec::new(),
        };
        // A checkpoint may be that of a run that had settled: no step must follow.
        if let Some(saved) = saved {
            let Checkpoint { energy, samples, snapshots, dissipated, .. } = saved.checkpoint;
            (solution.steps, solution.settled) = rank.restore(saved, self.is_settled(energy))?;
            solution.energy.clone_from(energy);
            solution.samples.clone_from(samples);
            solution.snapshots.clone_from(snapshots);
            solution.dissipated.clone_from(dissipated);
        }
        self.run(&mut rank, &mut solution, progress, sink)?;
        solution.ranks = rank.reports()?;
        solution.spectra = rank.spectra()?;
        solution.error = rank.error(solution.start + solution.steps as f64 * solution.dt)?;
        Ok(solution)
    }

    /// Thin wires are advanced on the CPU of one rank.
    fn can_run_wires(&self, comm: &dyn Comm, backend: &Backend) -> Result<(), DgtdError> {
        let (what, advice) = match backend {
            _ if self.wires.is_empty() => return Ok(()),
            Backend::Gpu(_) => ("GPUs", "run the case on the CPU: `--device cpu`"),
            Backend::Cpu if comm.size() > 1 => ("several ranks", "run the case on one rank"),
            Backend::Cpu => return Ok(()),
        };
        Err(FieldError::new("geometry.thin_wires", format!("thin wires do not run on {what}"), advice).into())
    }

    /// The elements of this rank. Rank 0 divides the mesh.
    fn part(&self, comm: &dyn Comm) -> Result<Part, DgtdError> {
        if comm.size() == 1 {
            return Ok(Part::whole(&self.domain));
        }
        let mut owner = Vec::new();
        if comm.rank() == 0 {
            owner = bytemuck::cast_slice(&self.partition(comm.size())?).to_vec();
        }
        comm.broadcast(&mut owner)?;
        let owner: Vec<u32> = bytemuck::pod_collect_to_vec(&owner);
        Ok(Part::new(&self.domain, &owner, comm.rank()))
    }

    fn run(
        &self,
        rank: &mut Rank<'_>,
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
            solution.snapshots.extend(rank.snapshot()?);
        }
        while solution.steps < steps && !solution.settled {
            rank.step(start + solution.steps as f64 * dt, dt)?;
            solution.steps += 1;
            stage.advance(1);
            let now = start + solution.steps as f64 * dt;
            // Rectangle rule of the Fourier integral: for a signal that begins and ends at zero its
            // error is aliasing alone.
            let transformed = solution.steps.is_multiple_of(every);
            let factors = if transformed { self.factors(now, every as f64 * dt) } else { Vec::new() };
            // Monitors see the fields at the end of the step.
            rank.sample(&factors)?;
            if snapshots.binary_search(&solution.steps).is_ok() {
                solution.snapshots.extend(rank.snapshot()?);
            }
            if solution.steps.is_multiple_of(ENERGY_CHECK_INTERVAL) || solution.steps == steps {
                self.check_energy(rank, solution, progress, sink)?;
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

    /// Energy check: whether the run has become unstable, whether the fields have decayed, and whether the user stops the run. Only here,
    /// where samples are on the host, a checkpoint is complete; it is saved before the run ends. Rank 0 decides for all.
    fn check_energy(
        &self,
        rank: &mut Rank<'_>,
        solution: &mut Solution,
        progress: &Progress,
        sink: &mut dyn CheckpointSink,
    ) -> Result<(), DgtdError> {
        let now = solution.start + solution.steps as f64 * solution.dt;
        // The engines have ½ ∫ ε_r|E|² + μ_r|η₀H|²; ε₀ makes it joules.
        let energy = EPS0 * rank.energy()?;
        let sampled = solution.samples.len() / self.monitors.rows.len().max(1);
        let rows = rank.take_rows(sampled as u64 + 1)?;
        solution.samples.extend(rows);
        let checks = (solution.steps / ENERGY_CHECK_INTERVAL) as f64;
        if self.problem.monitors.dissipation && (checks * GOLDEN).fract() < DISSIPATION_SHARE {
            self.add_dissipation(&rank.fields()?, solution);
        }
        let mut message = Vec::new();
        if rank.is_first() {
            solution.energy.push((now, energy));
            let stopped = progress.check();
            let verdict = if !energy.is_finite() || self.has_diverged(&solution.energy) {
                Verdict::Unstable
            } else if stopped.is_err() {
                Verdict::Stop
            } else if self.is_settled(&solution.energy) {
                Verdict::Settled
            } else {
                Verdict::Go
            };
            let saves = verdict == Verdict::Stop || (verdict != Verdict::Unstable && sink.is_due());
            message = vec![verdict as u8, u8::from(saves)];
        }
        rank.comm.broadcast(&mut message)?;
        let [verdict, saves] = [0, 1].map(|i| usize::from(message.get(i).copied().unwrap_or_default()));
        let verdict = Verdict::ALL[verdict.min(Verdict::ALL.len() - 1)];
        if verdict == Verdict::Unstable {
            return Err(DgtdError::Unstable { step: solution.steps, time_ns: 1e9 * now });
        }
        if saves != 0 {
            let checkpoint = Checkpoint {
                steps: solution.steps,
                energy: solution.energy.clone(),
                samples: solution.samples.clone(),
                snapshots: solution.snapshots.clone(),
                dissipated: solution.dissipated.clone(),
            };
            sink.save(checkpoint, rank.part()?)?;
        }
        if verdict == Verdict::Stop {
            return Err(Interrupted.into());
        }
        solution.settled = verdict == Verdict::Settled;
        Ok(())
    }

    /// Adds what the elements dissipate between two samples, on rank 0, which has all fields.
    fn add_dissipation(&self, fields: &[f64], solution: &mut Solution) {
        if fields.is_empty() {
            return;
        }
        let seconds = ENERGY_CHECK_INTERVAL as f64 * solution.dt / DISSIPATION_SHARE;
        let power = Dissipation::new(self).power(fields);
        for (sum, power) in solution.dissipated.iter_mut().zip(power) {
            *sum += seconds * power;
        }
    }

    /// 10⁹ degrees of freedom times evaluations of their rates per second.
    fn rate(&self, steps: u64, seconds: f64) -> f64 {
        1e-9 * (6 * self.nodes()) as f64 * (self.evaluations() * steps) as f64 / seconds.max(1e-9)
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
