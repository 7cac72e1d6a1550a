//! A study from mesh to results: the order of the stages, for any engine.

use crate::between_nodes::echo_width_error;
use crate::checkpoint::Checkpoint;
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::error::MomError;
use crate::gpu::GpuEngine;
use crate::local_correction::assemble;
use crate::media::Media;
use crate::near_field::Region;
use crate::problem::{Method, NearGrid};
use crate::ranks::{self, RanksEngine};
use crate::solution::{FrequencySolution, NearField};
use crate::study::Study;
use crate::system::System;
use crate::verify;
use num_complex::{Complex, Complex64};
use phasefront_comm::{Comm, DenseNumber};
use phasefront_core::simd::Arch;
use phasefront_core::{Precision, Progress, Real};
use phasefront_device::Backend;
use phasefront_device::cpu::HostComplex;
use rayon::prelude::*;
use std::f64::consts::PI;
use std::io;

/// The results, one entry per frequency.
#[derive(Debug, Clone)]
pub struct Solution {
    /// In the order of the problem's frequencies.
    pub frequencies: Vec<FrequencySolution>,
}

impl Study {
    /// Solves the study on `backend`.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, MomError> {
        self.resume(backend, progress, Vec::new(), &mut |_| Ok(()))
    }

    /// Solves the frequencies that are not among `finished`, which an interrupted call of the same study has passed to `save`. Each
    /// newly finished frequency is passed to `save` before the next one begins; an error that it returns ends the run. The result is
    /// that of an uninterrupted run, bit for bit.
    pub fn resume(
        &self,
        backend: &Backend,
        progress: &Progress,
        finished: Vec<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Solution, MomError> {
        let engine: &mut dyn Engine = match (backend, self.problem.precision) {
            (Backend::Cpu, Precision::Double) => &mut CpuEngine::<f64>::new(),
            (Backend::Cpu, Precision::Single) => &mut CpuEngine::<f32>::new(),
            (Backend::Gpu(gpu), Precision::Double) => &mut GpuEngine::<f64>::new(gpu.clone(), self)?,
            (Backend::Gpu(gpu), Precision::Single) => &mut GpuEngine::<f32>::new(gpu.clone(), self)?,
        };
        self.run(engine, progress, self.restore(finished), save)
    }

    /// One rank's work of a solution on several ranks, which factor the matrix together, each with its part of it in memory. Every rank
    /// calls it. Rank 0 has the finished frequencies, gets the solution, reports progress, saves and stops the run; the others get nothing.
    pub fn resume_on(
        &self,
        comm: &dyn Comm,
        backend: &Backend,
        progress: &Progress,
        finished: Vec<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Option<Solution>, MomError> {
        if comm.size() == 1 {
            return self.resume(backend, progress, finished, save).map(Some);
        }
        match self.problem.precision {
            Precision::Double => self.run_on::<f64>(comm, backend, progress, finished, save),
            Precision::Single => self.run_on::<f32>(comm, backend, progress, finished, save),
        }
    }

    /// Whether [`resume_on`](Study::resume_on) finds what it needs on this rank, before anything is computed. Not collective.
    pub fn check_ranks(&self, comm: &dyn Comm, backend: &Backend) -> Result<(), MomError> {
        self.ranks_engine::<f64>(comm, backend).map(|_| ())
    }

    fn ranks_engine<'a, T: Real>(
        &self,
        comm: &'a dyn Comm,
        backend: &Backend,
    ) -> Result<RanksEngine<'a, T>, MomError>
    where
        Complex<T>: HostComplex + DenseNumber,
    {
        RanksEngine::new(comm, backend, self.unknowns())
    }

    fn run_on<T: Real>(
        &self,
        comm: &dyn Comm,
        backend: &Backend,
        progress: &Progress,
        finished: Vec<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Option<Solution>, MomError>
    where
        Complex<T>: HostComplex + DenseNumber,
    {
        let solved = self.restore(finished);
        let left: Vec<usize> = (0..solved.len()).filter(|&index| solved[index].is_none()).collect();
        let left = ranks::unsolved(comm, &left)?;
        let mut engine = self.ranks_engine::<T>(comm, backend)?;
        ranks::same_devices(comm, engine.is_on_gpus())?;
        if comm.rank() == 0 {
            progress.note(&engine.describe());
            let result = self.run(&mut engine, progress, solved, save);
            // After any other error the job is ended.
            if matches!(result, Ok(_) | Err(MomError::Interrupted(_))) {
                ranks::end(comm, result.is_err())?;
            }
            return result.map(Some);
        }
        for index in left {
            let system = self.system(self.problem.frequencies[index], progress)?;
            engine.assist(&system, &self.problem.propagation, progress)?;
        }
        ranks::end(comm, false)?;
        Ok(None)
    }

    /// Fills the matrix of the first frequency on the CPU with one of the `instruction_sets` of `core`, for benchmarks.
    #[doc(hidden)]
    pub fn fill_on(&self, arch: Arch, progress: &Progress) -> Result<(), MomError> {
        let system = self.system(self.problem.frequencies[0], progress)?;
        CpuEngine::<f64>::with_arch(arch).fill(&system, progress)
    }

    fn run(
        &self,
        engine: &mut dyn Engine,
        progress: &Progress,
        mut solved: Vec<Option<FrequencySolution>>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Solution, MomError> {
        let frequencies = &self.problem.frequencies;
        let left = solved.iter().filter(|s| s.is_none()).count() as u64;
        // The stages of a single frequency show its progress.
        let sweep = (frequencies.len() > 1).then(|| progress.stage("sweep", Some(left), "frequencies"));
        for (index, slot) in solved.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
            let frequency = frequencies[index];
            let solution = self.at_frequency(engine, frequency, progress)?;
            progress.scalar("residual", ("frequency (GHz)", 1e-9 * frequency), solution.residual);
            if let Some(sweep) = &sweep {
                sweep.advance(1);
            }
            let checkpoint = Checkpoint { index, solution };
            save(&checkpoint)?;
            *slot = Some(checkpoint.solution);
        }
        Ok(Solution { frequencies: solved.into_iter().flatten().collect() })
    }

    /// An entry for each frequency, with the solutions of those that are finished.
    fn restore(&self, finished: Vec<Checkpoint>) -> Vec<Option<FrequencySolution>> {
        let frequencies = &self.problem.frequencies;
        let mut solved = vec![None; frequencies.len()];
        // One that does not belong to the study is solved again.
        for Checkpoint { index, solution } in finished {
            if frequencies.get(index) == Some(&solution.frequency) {
                solved[index] = Some(solution);
            }
        }
        solved
    }

    fn at_frequency(
        &self,
        engine: &mut dyn Engine,
        frequency: f64,
        progress: &Progress,
    ) -> Result<FrequencySolution, MomError> {
        let problem = &self.problem;
        let system = self.system(frequency, progress)?;
        engine.prepare(&system, progress)?;
        progress.check()?;
        {
            let _stage = progress.stage("solve", None, "directions");
            engine.solve(&system, &problem.propagation)?;
        }
        progress.check()?;
        // Before any result: a solution that does not satisfy the equations is an error.
        let verification = Verification::new(engine, &system, self, progress)?;
        let far = FarField::new(engine, &system, self, progress)?;
        let near_field = match &problem.near_field {
            Some(grid) => Some(near_field(engine, &system, grid, problem.propagation[0], progress)?),
            None => None,
        };
        // Currents of all directions are downloaded only if they are requested.
        let currents = if problem.currents {
            let all: Vec<usize> = (0..problem.propagation.len()).collect();
            engine.solutions(&all)?.iter().map(|x| system.electric_current(x)).collect()
        } else {
            Vec::new()
        };
        Ok(FrequencySolution {
            frequency,
            currents,
            echo_width: far.echo_width,
            monostatic: far.monostatic,
            extinction_width: far.extinction_width,
            near_field,
            residual: verification.residual.largest,
            backward_error: verification.residual.backward_error,
            condition: verification.condition,
            interior_field: verification.interior_field,
            echo_width_error: verification.echo_width_error,
        })
    }

    fn system(&self, frequency: f64, progress: &Progress) -> Result<System<'_>, MomError> {
        let system = {
            let _stage = progress.stage("near entries", None, "cells");
            assemble(self, frequency)
        };
        progress.check()?;
        Ok(system)
    }
}

/// What is known about the accuracy of a solution.
struct Verification {
    residual: verify::Residual,
    interior_field: f64,
    condition: Option<f64>,
    echo_width_error: Option<f64>,
}

impl Verification {
    /// Verifies the solutions of sampled directions; too large a backward error is an error.
    fn new(
        engine: &dyn Engine,
        system: &System<'_>,
        study: &Study,
        progress: &Progress,
    ) -> Result<Self, MomError> {
        let _stage = progress.stage("verify", None, "rows");
        let propagation = &study.problem.propagation;
        let sample = verify::sample(propagation.len());
        let directions: Vec<f64> = sample.iter().map(|&d| propagation[d]).collect();
        let solutions = engine.solutions(&sample)?;
        let media = Media::new(system);
        let verification = Self {
            residual: verify::residual(system, &media, &directions, &solutions),
            interior_field: verify::interior_field(study, system, &media, &directions, &solutions),
            condition: engine.condition()?,
            echo_width_error: (study.problem.method != Method::Pulse)
                .then(|| echo_width_error(system, &media, &directions, &solutions)),
        };
        let residual = &verification.residual;
        // A NaN compares as false with any limit.
        let limit = verify::backward_error_limit(study.problem.precision);
        if residual.backward_error.is_nan() || residual.backward_error > limit {
            let frequency_hz = system.frequency;
            return Err(MomError::NotConverged { residual: residual.largest, frequency_hz });
        }
        Ok(verification)
    }
}

/// Echo and extinction widths.
struct FarField {
    echo_width: Vec<Vec<f64>>,
    monostatic: Vec<f64>,
    extinction_width: Vec<f64>,
}

impl FarField {
    fn new(
        engine: &dyn Engine,
        system: &System<'_>,
        study: &Study,
        progress: &Progress,
    ) -> Result<Self, MomError> {
        let _stage = progress.stage("far", None, "angles");
        let problem = &study.problem;
        let widths = |integrals: &[Complex64]| {
            integrals.iter().map(|&i| echo_width(system.k, i)).collect::<Vec<f64>>()
        };
        let bistatic = engine.far_field(system, &problem.observation)?;
        let monostatic = if problem.monostatic {
            // Back toward the source of each wave.
            let back: Vec<f64> = problem.propagation.iter().map(|a| a + PI).collect();
            widths(&engine.far_field_paired(system, &back)?)
        } else {
            Vec::new()
        };
        // Optical theorem in two dimensions: the extinction width is the real part of the forward far-field integral.
        let forward = engine.far_field_paired(system, &problem.propagation)?;
        Ok(Self {
            echo_width: bistatic.iter().map(|row| widths(row)).collect(),
            monostatic,
            extinction_width: forward.iter().map(|integral| integral.re).collect(),
        })
    }
}

/// Echo width σ(φ) = (k/4) |∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds|² of a far-field integral.
fn echo_width(k: f64, integral: Complex64) -> f64 {
    0.25 * k * integral.norm_sqr()
}

/// The field on a grid: the incident wave e^{-jk(x cos a + y sin a)} is added outside, subtracted in dielectrics.
fn near_field(
    engine: &dyn Engine,
    system: &System<'_>,
    grid: &NearGrid,
    direction: f64,
    progress: &Progress,
) -> Result<NearField, MomError> {
    let points: Vec<Complex64> =
        grid.y.iter().flat_map(|&y| grid.x.iter().map(move |&x| Complex64::new(x, y))).collect();
    // On the host, once for either engine: the medium and the near cells of each point.
    let regions: Vec<Region> = points.par_iter().map(|&point| system.region(point)).collect();
    progress.check()?;
    let field = engine.near_field(system, &points, &regions, progress)?;
    let (sin, cos) = direction.sin_cos();
    let (mut total, mut scattered) = (Vec::new(), Vec::new());
    for ((point, region), value) in points.iter().zip(&regions).zip(field) {
        let incident = Complex64::cis(-system.k * (point.re * cos + point.im * sin));
        // Inside a dielectric the representation formula gives the total field.
        let whole = if region.inside.is_some() { value } else { incident + value };
        total.push(whole);
        scattered.push(whole - incident);
    }
    Ok(NearField { total, scattered })
}
