//! A study from mesh to answers: the order of the stages, whatever the device.

use crate::cpu::CpuOperator;
use crate::engine::Operator;
use crate::error::MomError;
use crate::field::Place;
use crate::gpu::GpuOperator;
use crate::interior;
use crate::post;
use crate::problem::{Method, NearGrid, Study};
use crate::system::System;
use num_complex::Complex64;
use phasefront_core::simd::Arch;
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Field inside a closed conductor, as a share of the incident one, above which a solution is doubtful. Measured on circles of
/// ka = 1 to 15 with 20 pulses per wavelength: 0.03 on the whole, and the error of the echo width grows with it near a
/// resonance, to 1 or 2 % where it reaches 1, and without bound beyond.
const INTERIOR_LIMIT_OF_PULSES: f64 = 1.0;
/// The same for higher orders. Measured on circles at and near two resonances of each equation, orders 2 to 12: where the
/// resonance rules, the complex current is off by 0.3 to 3 times the field inside, as a share of its largest value, and the echo
/// width of the MFIE by up to 4 times, so that what passes has lost at most 8 % to it. The CFIE, ka = 1 to 15, orders 1 to 8 with
/// 10 nodes per wavelength and more, has up to 0.012, from order 3 on up to 0.001. It is no measure of coarse cells: the TE-EFIE
/// of order 2 had currents off by 7 % with 0.015, which the warning of low orders in TE is for.
const INTERIOR_LIMIT: f64 = 0.02;

/// Condition number above which rounding may take more than half of the digits. Cells of different lengths raise it in proportion
/// and harm nothing.
fn condition_limit(study: &Study) -> f64 {
    let lengths = || study.mesh.cells.iter().map(|cell| cell.length);
    let ratio = lengths().fold(0.0, f64::max) / lengths().fold(f64::INFINITY, f64::min);
    ratio
        * match study.problem.precision {
            Precision::Double => 1e10,
            Precision::Single => 1e5,
        }
}

/// Everything asked for, one entry per frequency.
#[derive(Debug, Clone)]
pub struct Solution {
    /// In the order of the problem's frequencies.
    pub frequencies: Vec<FrequencySolution>,
}

/// The solution at one frequency.
#[derive(Debug, Clone)]
pub struct FrequencySolution {
    /// Frequency, Hz.
    pub frequency: f64,
    /// Electric surface current n × H at each node, A/m for a unit incident field (E for TM, H for TE), along z (TM) or along
    /// the outline (TE); one list per direction of incidence. Empty unless asked for.
    pub currents: Vec<Vec<Complex64>>,
    /// Echo width, m; per direction of incidence and observation angle.
    pub echo_width: Vec<Vec<f64>>,
    /// Echo width back towards each incident wave, m. Empty unless asked for.
    pub monostatic: Vec<f64>,
    /// Power taken from each incident wave over its power density, m: scattered and absorbed, by the optical theorem.
    pub extinction_width: Vec<f64>,
    /// Near field, if asked for.
    pub near_field: Option<NearField>,
    /// Largest miss of the equations found on sampled rows, as a share of the incident field.
    pub residual: f64,
    /// That miss as a share of what the terms of a row add up to in size: the backward error of the factorization.
    pub backward_error: f64,
    /// Estimate of the condition number of the matrix in the 1-norm.
    pub condition: f64,
    /// Largest total field found inside closed conductors, where there should be none, as a share of the incident field.
    pub interior_field: f64,
}

/// Field along z on a grid, V/m for a unit incident E (TM) or A/m for a unit incident H (TE); row-major, rows along y.
#[derive(Debug, Clone)]
pub struct NearField {
    /// Incident plus scattered.
    pub total: Vec<Complex64>,
    /// Total less incident, inside dielectrics too.
    pub scattered: Vec<Complex64>,
}

impl Study {
    /// Solves the study on `backend`.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, MomError> {
        match (backend, self.problem.precision) {
            (Backend::Cpu, Precision::Double) => self.run(&mut CpuOperator::<f64>::new(), progress),
            (Backend::Cpu, Precision::Single) => self.run(&mut CpuOperator::<f32>::new(), progress),
            (Backend::Gpu(gpu), Precision::Double) => {
                self.run(&mut GpuOperator::<f64>::new(gpu.clone(), self)?, progress)
            }
            (Backend::Gpu(gpu), Precision::Single) => {
                self.run(&mut GpuOperator::<f32>::new(gpu.clone(), self)?, progress)
            }
        }
    }

    /// Fills the matrix of the first frequency on the CPU by one of the `instruction_sets` of `core`, for `bench`.
    #[doc(hidden)]
    pub fn fill_on(&self, arch: Arch, progress: &Progress) -> Result<(), MomError> {
        self.assemble(&mut CpuOperator::<f64>::on(arch), self.problem.frequencies[0], progress).map(|_| ())
    }

    fn run(&self, operator: &mut dyn Operator, progress: &Progress) -> Result<Solution, MomError> {
        let frequencies = &self.problem.frequencies;
        let total = frequencies.len() as u64;
        let sweep = (total > 1).then(|| progress.stage("sweep", Some(total), "frequencies"));
        let solved: Result<Vec<_>, MomError> = frequencies
            .iter()
            .map(|&f| {
                let solution = self.at_frequency(operator, f, progress)?;
                progress.scalar("residual", ("frequency (GHz)", 1e-9 * f), solution.residual);
                if let Some(sweep) = &sweep {
                    sweep.advance(1);
                }
                Ok(solution)
            })
            .collect();
        Ok(Solution { frequencies: solved? })
    }

    fn at_frequency(
        &self,
        operator: &mut dyn Operator,
        frequency: f64,
        progress: &Progress,
    ) -> Result<FrequencySolution, MomError> {
        let problem = &self.problem;
        let system = self.assemble(operator, frequency, progress)?;
        let norm = operator.norm()?;
        {
            let _stage = progress.stage("factor", None, "matrices");
            operator.factor()?;
        }
        progress.check()?;
        {
            let _stage = progress.stage("solve", None, "directions");
            operator.solve(&system, &problem.propagation)?;
        }
        progress.check()?;
        let (residual, interior_field, condition) = {
            let _stage = progress.stage("verify", None, "rows");
            let sample = post::sample(problem.propagation.len());
            let directions: Vec<f64> = sample.iter().map(|&d| problem.propagation[d]).collect();
            let solutions = operator.solutions(&sample)?;
            (
                post::residual(&system, &directions, &solutions),
                interior::largest_field(self, &system, &directions, &solutions),
                norm * operator.inverse_norm()?,
            )
        };
        let limit = post::backward_error_limit(problem.precision);
        if residual.backward_error.is_nan() || residual.backward_error > limit {
            return Err(MomError::NotConverged { residual: residual.largest, frequency_hz: frequency });
        }
        let far = FarField::new(operator, &system, self, progress)?;
        let near_field = match &problem.near_field {
            Some(grid) => Some(near_field(operator, &system, grid, problem.propagation[0], progress)?),
            None => None,
        };
        let currents = if problem.current {
            let all: Vec<usize> = (0..problem.propagation.len()).collect();
            operator.solutions(&all)?.iter().map(|x| system.electric_current(x)).collect()
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
            residual: residual.largest,
            backward_error: residual.backward_error,
            condition,
            interior_field,
        })
    }

    fn assemble(
        &self,
        operator: &mut dyn Operator,
        frequency: f64,
        progress: &Progress,
    ) -> Result<System<'_>, MomError> {
        let system = {
            let _stage = progress.stage("near entries", None, "cells");
            System::new(self, frequency)
        };
        progress.check()?;
        operator.fill(&system, progress)?;
        progress.check()?;
        Ok(system)
    }
}

/// What is asked of the far field.
struct FarField {
    echo_width: Vec<Vec<f64>>,
    monostatic: Vec<f64>,
    extinction_width: Vec<f64>,
}

impl FarField {
    fn new(
        operator: &dyn Operator,
        system: &System<'_>,
        study: &Study,
        progress: &Progress,
    ) -> Result<Self, MomError> {
        let _stage = progress.stage("far", None, "angles");
        let problem = &study.problem;
        let widths =
            |sums: &[Complex64]| sums.iter().map(|s| post::echo_width(system.k, *s)).collect::<Vec<f64>>();
        let sums = operator.far_sums(system, &problem.observation)?;
        let monostatic = if problem.monostatic {
            let back: Vec<f64> = problem.propagation.iter().map(|a| a + PI).collect();
            widths(&operator.far_sums_of_each(system, &back)?)
        } else {
            Vec::new()
        };
        // Optical theorem in the plane: Re of the far sum in the direction of propagation.
        let forward = operator.far_sums_of_each(system, &problem.propagation)?;
        Ok(Self {
            echo_width: sums.iter().map(|row| widths(row)).collect(),
            monostatic,
            extinction_width: forward.iter().map(|s| s.re).collect(),
        })
    }
}

/// The field on a grid: with the incident wave e^{-jk(x cos a + y sin a)} added outside, subtracted in dielectrics.
fn near_field(
    operator: &dyn Operator,
    system: &System<'_>,
    grid: &NearGrid,
    direction: f64,
    progress: &Progress,
) -> Result<NearField, MomError> {
    let points: Vec<Complex64> =
        grid.y.iter().flat_map(|&y| grid.x.iter().map(move |&x| Complex64::new(x, y))).collect();
    let places: Vec<Place> = points.par_iter().map(|&point| system.place(point)).collect();
    progress.check()?;
    let field = operator.near_field(system, &points, &places, progress)?;
    let (sin, cos) = direction.sin_cos();
    let (mut total, mut scattered) = (Vec::new(), Vec::new());
    for ((point, place), value) in points.iter().zip(&places).zip(field) {
        let incident = Complex64::cis(-system.k * (point.re * cos + point.im * sin));
        let whole = if place.inside.is_some() { value } else { incident + value };
        total.push(whole);
        scattered.push(whole - incident);
    }
    Ok(NearField { total, scattered })
}

impl Solution {
    /// What the user should know before trusting it.
    pub fn warnings(&self, study: &Study) -> Vec<String> {
        let mut warnings = Vec::new();
        let interior =
            if study.problem.method == Method::Pulse { INTERIOR_LIMIT_OF_PULSES } else { INTERIOR_LIMIT };
        if let Some((worst, others)) = worst(&self.frequencies, |f| f.interior_field, interior) {
            warnings.push(format!(
                "the field inside a closed body should vanish and reaches {:.2} of the incident field at {} Hz{others}: the frequency is \
                 near a resonance of the interior, where this equation fails, or the cells are too coarse; do not trust this \
                 result, use equation = \"cfie\" or more cells",
                worst.interior_field, worst.frequency
            ));
        }
        let limit = condition_limit(study);
        if let Some((worst, others)) = worst(&self.frequencies, |f| f.condition, limit) {
            warnings.push(format!(
                "the matrix has a condition number of {:.1e} at {} Hz{others}: more than half of the digits may be lost; \
                 use equation = \"cfie\" on closed bodies, or fewer corner_levels",
                worst.condition, worst.frequency
            ));
        }
        warnings
    }
}

/// The frequency where `figure` is largest, if that is above `limit`, and words on how many others are.
fn worst(
    all: &[FrequencySolution],
    figure: impl Fn(&FrequencySolution) -> f64,
    limit: f64,
) -> Option<(&FrequencySolution, String)> {
    let worst = all.iter().max_by(|a, b| figure(a).total_cmp(&figure(b)))?;
    let count = all.iter().filter(|f| figure(f) > limit).count();
    let words = if count > 1 { format!(" ({count} frequencies are affected)") } else { String::new() };
    (count > 0).then_some((worst, words))
}
