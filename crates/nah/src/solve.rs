//! All holograms of an input, in the order of its samples.

use crate::carriers::{Carriers, Recipes};
use crate::error::NahError;
use crate::esm::{Esm, Operator};
use crate::filter::{Filters, Gain};
use crate::gcv::{Quantity, best_filter};
use crate::gpu_spectra::GpuAnalyzer;
use crate::hologram::KSpace;
use crate::input::{Block, Input};
use crate::live::Followed;
use crate::mend::Mend;
use crate::pipeline::{Ear, Pipeline};
use crate::post::{Agreement, Difference, agreement, difference, intensity};
use crate::problem::{FilterChoice, Method, Problem, Study, compared_ways, is_same, spectrum_end};
use crate::refine::Fine;
use crate::scalar::Scalar;
use crate::spectra::{Analysis, Analyzer, Way, bins};
use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;

/// What came out.
#[derive(Debug, Clone)]
pub struct Solution {
    /// One for each frequency, of the spectrum that is given whole.
    pub lines: Vec<Line>,
    /// Of all holograms.
    pub followed: Followed,
    /// Microphones that heard nothing.
    pub dead: Vec<usize>,
}

/// Fields at one frequency.
#[derive(Debug, Clone)]
pub struct Line {
    /// Hz.
    pub frequency: f64,
    /// What was kept.
    pub kept: Kept,
    /// Pressure at the microphones, Pa.
    pub measured: Vec<Complex64>,
    /// Fields on the planes.
    pub planes: Vec<Plane>,
    /// Holograms of other ways from samples to phasors: that of the nominal one first.
    pub compared: Vec<Compared>,
    /// How far the pressure on the first plane is from what was measured there.
    pub reference: Option<Agreement>,
}

/// A hologram of one way from samples to phasors, made with the filter of the chosen one.
#[derive(Debug, Clone)]
pub struct Compared {
    /// From samples to phasors.
    pub way: Way,
    /// Pressure on the first plane, Pa.
    pub pressure: Vec<Complex64>,
    /// How far that is from the nominal one.
    pub plane: Difference,
    /// The same of the phasors at the microphones.
    pub array: Difference,
}

/// What was kept of the waves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kept {
    /// What these filters let through.
    Filters(Filters),
    /// What equivalent sources with this weight hold.
    Weight(f64),
}

/// Fields on a plane.
#[derive(Debug, Clone)]
pub struct Plane {
    /// From the array towards the source, m.
    pub distance: f64,
    /// Pa.
    pub pressure: Vec<Complex64>,
    /// Along z, away from the source, m/s.
    pub velocity: Vec<Complex64>,
    /// Along z, W/m².
    pub intensity: Vec<f64>,
    /// Through the plane above the array, W.
    pub power: f64,
}

/// A hologram in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// When its first sample was heard, s.
    pub time: f64,
    /// Hz.
    pub frequency: f64,
    /// Root of the mean square of the pressure's amplitude at the microphones, Pa.
    pub measured: f64,
    /// The same on the first plane.
    pub pressure: f64,
    /// The largest amplitude there, Pa.
    pub peak: f64,
    /// Through the first plane, W.
    pub power: f64,
}

impl Study {
    /// Solves it. Phasors of the spectrum that is given whole, and those that are compared, are made by the CPU; all others, and all fields, by whatever
    /// `backend` is.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, NahError> {
        if let Input::Stream(stream) = &self.problem.input {
            return match self.problem.precision {
                Precision::Double => self.listen::<f64>(stream, backend, progress),
                Precision::Single => self.listen::<f32>(stream, backend, progress),
            };
        }
        let phasors = {
            let _stage = progress.stage("spectra", None, "spectra");
            self.phasors(self.problem.analysis.way)
        };
        match self.problem.precision {
            Precision::Double => self.holograms::<f64>(&phasors, backend, progress),
            Precision::Single => self.holograms::<f32>(&phasors, backend, progress),
        }
    }

    /// Bins of the frequencies.
    fn bins(&self, rate: f64) -> Vec<usize> {
        bins(&self.frequencies, rate, self.problem.analysis.samples)
    }

    fn analyzer<T: Scalar>(&self, way: Way, rate: f64) -> Analyzer<T> {
        let analysis = Analysis { way, ..self.problem.analysis };
        Analyzer::new(self.problem.format(), &analysis, self.bins(rate))
    }

    /// What makes phasors of blocks, in the way of the problem.
    pub(crate) fn ear<T: Scalar>(&self, backend: &Backend, rate: f64) -> Result<Ear<T>, NahError> {
        let problem = &self.problem;
        Ok(match backend {
            Backend::Cpu => self.analyzer(problem.analysis.way, rate).into(),
            Backend::Gpu(gpu) => {
                let (format, bins) = (problem.format(), self.bins(rate));
                Ear::Gpu(GpuAnalyzer::new(gpu, format, &problem.analysis, &bins)?)
            }
        })
    }

    pub(crate) fn mend<T: Scalar>(&self, dead: &[usize]) -> Mend<T> {
        let problem = &self.problem;
        Mend::new(&problem.microphones(), problem.calibration.as_deref(), dead)
    }

    /// Phasors of the spectrum that is given whole, as one way finds them, put right.
    fn phasors(&self, way: Way) -> Vec<Vec<Complex64>> {
        let problem = &self.problem;
        let count = problem.format().microphones;
        let mut phasors = vec![Complex64::ZERO; count * self.frequencies.len()];
        match problem.sample_rate() {
            Some(rate) => {
                let mut analyzer = self.analyzer::<f64>(way, rate);
                let hop = problem.analysis.hop;
                for start in (0..spectrum_end(problem, rate)).step_by(hop) {
                    analyzer.push(block(&problem.input, start, hop));
                }
                analyzer.spectra(&mut phasors);
            }
            None => copy_spectra(problem, &self.frequencies, count, &mut phasors),
        }
        let mend = self.mend::<f64>(&self.faults.dead);
        phasors.chunks_exact_mut(count).for_each(|line| mend.run(line));
        phasors.chunks_exact(count).map(<[_]>::to_vec).collect()
    }

    /// Holograms of all ways that are compared, frequency by frequency.
    fn compare<T: Scalar>(
        &self,
        pipeline: &mut Pipeline<T>,
        progress: &Progress,
    ) -> Result<Vec<Vec<Compared>>, NahError> {
        let mut compared: Vec<Vec<Compared>> = vec![Vec::new(); self.frequencies.len()];
        let ways = compared_ways(&self.problem);
        if ways.is_empty() {
            return Ok(compared);
        }
        let stage = progress.stage("comparison", Some(ways.len() as u64), "ways");
        let mut nominal = Vec::new();
        for way in ways {
            progress.check()?;
            let phasors = self.phasors(way);
            pipeline.push_phasors(&rounded(&phasors))?;
            // The nominal way comes first.
            if nominal.is_empty() {
                nominal.clone_from(&phasors);
            }
            for (i, of_line) in compared.iter_mut().enumerate() {
                let pressure = exact::<T>(pipeline.field(i, 0));
                let first = of_line.first().map_or(&pressure, |first| &first.pressure);
                let plane = difference(&pressure, first);
                let array = difference(&phasors[i], &nominal[i]);
                of_line.push(Compared { way, pressure, plane, array });
            }
            stage.advance(1);
        }
        Ok(compared)
    }

    fn holograms<T: Scalar>(
        &self,
        phasors: &[Vec<Complex64>],
        backend: &Backend,
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        let (kept, carriers) = self.carriers::<T>(phasors, backend, progress)?;
        let rate = self.problem.sample_rate();
        let ear = if let Some(rate) = rate {
            self.ear(backend, rate)?
        } else {
            let nothing = Analysis { way: Way::Dot, samples: 8, hop: 8 };
            Analyzer::new(self.problem.format(), &nothing, Vec::new()).into()
        };
        // Phasors that are given are right already.
        let right = Mend::new(&self.problem.microphones(), None, &[]);
        let mut pipeline = Pipeline::new(ear, right, carriers);
        let mut compared = self.compare(&mut pipeline, progress)?.into_iter();
        pipeline.push_phasors(&rounded(phasors))?;
        let line = |i| self.line(&pipeline, i, kept[i], compared.next().unwrap_or_default());
        let lines = (0..kept.len()).map(line).collect::<Result<_, _>>()?;
        pipeline.set_mend(self.mend(&self.faults.dead));
        let followed = if let Some(rate) = rate {
            self.replay(&mut pipeline, backend, rate, progress)?
        } else {
            let mut followed = Followed::default();
            followed.history.add(|| self.moments(&pipeline, 0.0));
            followed
        };
        Ok(Solution { lines, followed, dead: self.faults.dead.clone() })
    }

    /// What takes the pressure at the microphones to the planes, at all frequencies; and what it keeps.
    pub(crate) fn carriers<T: Scalar>(
        &self,
        phasors: &[Vec<Complex64>],
        backend: &Backend,
        progress: &Progress,
    ) -> Result<(Vec<Kept>, Carriers<T>), NahError> {
        let problem = &self.problem;
        let stage = progress.stage("filters", Some(phasors.len() as u64), "frequencies");
        let mut kept = Vec::new();
        let (mut operators, mut gains) = (Vec::new(), Vec::new());
        for (frequency, line) in self.frequencies.iter().zip(phasors) {
            progress.check()?;
            if problem.method == Method::Esm {
                let (weight, operator) = self.sources(*frequency, line)?;
                kept.push(Kept::Weight(weight));
                operators.push(operator);
            } else {
                let filters = self.filters(*frequency, line);
                kept.push(Kept::Filters(filters));
                gains.push(self.gains(*frequency, filters));
            }
            stage.advance(1);
        }
        let recipes = match problem.method {
            Method::Esm => Recipes::Sources(operators),
            Method::Fft => Recipes::Waves(problem.grid, problem.extrapolation, gains),
        };
        let carriers = match backend {
            Backend::Cpu => Carriers::on_cpu(recipes),
            Backend::Gpu(gpu) => Carriers::on_gpu(gpu, recipes, problem.format().microphones)?,
        };
        Ok((kept, carriers))
    }

    /// The operator of equivalent sources at one frequency, and its weight.
    fn sources<T: Scalar>(
        &self,
        frequency: f64,
        phasors: &[Complex64],
    ) -> Result<(f64, Operator<T>), NahError> {
        let Problem { grid, medium, distance, .. } = self.problem;
        let k = medium.wave_number(frequency);
        let sources = Esm::new(&self.problem.microphones(), grid, distance, k, medium);
        let weight = sources.best_weight(phasors);
        Ok((weight, sources.operator(weight, &self.problem.planes)?))
    }

    fn filters(&self, frequency: f64, phasors: &[Complex64]) -> Filters {
        let Problem { grid, medium, extrapolation, filter, .. } = self.problem;
        match filter {
            FilterChoice::Given(filters) => filters,
            FilterChoice::Auto => {
                let space = KSpace::new(grid, phasors, extrapolation, medium.wave_number(frequency));
                Filters {
                    pressure: best_filter(&space, Quantity::Pressure),
                    velocity: best_filter(&space, Quantity::Velocity),
                }
            }
        }
    }

    /// What waves are multiplied by: for pressure and velocity on each plane.
    fn gains(&self, frequency: f64, filters: Filters) -> Vec<Gain> {
        let medium = self.problem.medium;
        let k = medium.wave_number(frequency);
        self.problem.planes.iter().flat_map(|plane| filters.gains(k, *plane, medium)).collect()
    }

    /// Fields at one frequency, of what a pipeline holds.
    pub(crate) fn line<T: Scalar>(
        &self,
        pipeline: &Pipeline<T>,
        i: usize,
        kept: Kept,
        compared: Vec<Compared>,
    ) -> Result<Line, NahError> {
        let (problem, frequency) = (&self.problem, self.frequencies[i]);
        let measured = exact::<T>(pipeline.measured(i));
        let fine =
            (problem.refine > 1).then(|| Fine::new(problem, frequency, kept, &measured)).transpose()?;
        let plane = |(j, &distance): (usize, &f64)| {
            let [mut pressure, mut velocity] =
                [2 * j, 2 * j + 1].map(|field| exact::<T>(pipeline.field(i, field)));
            let mut flow = intensity(&pressure, &velocity);
            let power = flow.iter().sum::<f64>() * self.area();
            if let Some(fine) = &fine {
                [pressure, velocity] = fine.plane(problem, distance);
                flow = intensity(&pressure, &velocity);
            }
            Plane { distance, pressure, velocity, intensity: flow, power }
        };
        let planes = problem.planes.iter().enumerate().map(plane).collect();
        let near = problem.reference_at(frequency);
        let reference = near.map(|near| agreement(&exact::<T>(pipeline.field(i, 0)), near));
        Ok(Line { frequency, kept, measured, planes, compared, reference })
    }

    /// What each place of the grid stands for, m².
    fn area(&self) -> f64 {
        self.problem.grid.pitch[0] * self.problem.grid.pitch[1]
    }

    /// The holograms of a pipeline in numbers.
    pub(crate) fn moments<T: Scalar>(&self, pipeline: &Pipeline<T>, time: f64) -> Vec<Moment> {
        let mean = |field: &[_]| {
            let sum: f64 = field.iter().map(|p| T::complex_to_f64(*p).norm_sqr()).sum();
            (sum / field.len().max(1) as f64).sqrt()
        };
        let moment = |(i, frequency): (usize, &f64)| {
            let [pressure, velocity] = [0, 1].map(|field| pipeline.field(i, field));
            let flow = |(p, u)| 0.5 * (T::complex_to_f64(p) * T::complex_to_f64(u).conj()).re;
            let power = pressure.iter().copied().zip(velocity.iter().copied()).map(flow).sum::<f64>();
            let peak = pressure.iter().map(|p| T::complex_to_f64(*p).norm()).fold(0.0, f64::max);
            Moment {
                time,
                frequency: *frequency,
                measured: mean(pipeline.measured(i)),
                pressure: mean(pressure),
                peak,
                power: power * self.area(),
            }
        };
        self.frequencies.iter().enumerate().map(moment).collect()
    }
}

/// Phasors of all frequencies, one after the other, in the precision of holograms.
fn rounded<T: Scalar>(phasors: &[Vec<Complex64>]) -> Vec<Complex<T>> {
    phasors.iter().flatten().map(|p| T::complex_from_f64(*p)).collect()
}

fn exact<T: Scalar>(field: &[Complex<T>]) -> Vec<Complex64> {
    field.iter().map(|p| T::complex_to_f64(*p)).collect()
}

/// Moments of an input from one on.
pub(crate) fn block(input: &Input, first: usize, count: usize) -> Block<'_> {
    match input {
        Input::Samples(samples) => {
            let size = samples.microphones;
            Block::Samples(&samples.values[first * size..(first + count) * size])
        }
        Input::Bits(bits) => {
            let size = bits.microphones;
            Block::Words(&bits.words[first * size..(first + count) * size])
        }
        Input::Spectra(_) | Input::Stream(_) => Block::Samples(&[]),
    }
}

fn copy_spectra(problem: &Problem, frequencies: &[f64], count: usize, phasors: &mut [Complex64]) {
    let Input::Spectra(spectra) = &problem.input else { return };
    for (frequency, line) in frequencies.iter().zip(phasors.chunks_exact_mut(count)) {
        if let Some(found) = spectra.iter().find(|s| is_same(s.frequency, *frequency)) {
            line.copy_from_slice(&found.pressure);
        }
    }
}
