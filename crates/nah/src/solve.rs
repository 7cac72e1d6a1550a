//! All holograms of an input, in the order of its samples.

use crate::error::NahError;
use crate::esm::Esm;
use crate::filter::Filter;
use crate::gcv::best_filter;
use crate::hologram::{KSpace, gain};
use crate::input::{Block, Input};
use crate::live::Followed;
use crate::mend::Mend;
use crate::pipeline::{Carrier, Pipeline};
use crate::plan::Plan;
use crate::post::{Difference, difference, intensity};
use crate::problem::{FilterChoice, Method, Problem, Study, is_same, spectrum_end};
use crate::scalar::Scalar;
use crate::spectra::{Analyser, Analysis, Way, bins};
use num_complex::Complex64;
use phasefront_core::{Precision, Progress};

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
    /// How far the pressure at the microphones is from that of the nominal way.
    pub apart: Option<Difference>,
}

/// What was kept of the waves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kept {
    /// What this filter lets through.
    Filter(Filter),
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
    /// Solves it.
    pub fn solve(&self, progress: &Progress) -> Result<Solution, NahError> {
        if let Input::Stream(stream) = &self.problem.input {
            return match self.problem.precision {
                Precision::Double => self.listen::<f64>(stream, progress),
                Precision::Single => self.listen::<f32>(stream, progress),
            };
        }
        let phasors = {
            let _stage = progress.stage("spectra", None, "spectra");
            self.phasors(self.problem.analysis.way)
        };
        let apart = self.differences(&phasors);
        match self.problem.precision {
            Precision::Double => self.holograms::<f64>(&phasors, &apart, progress),
            Precision::Single => self.holograms::<f32>(&phasors, &apart, progress),
        }
    }

    /// Bins of the frequencies.
    fn bins(&self, rate: f64) -> Vec<usize> {
        bins(&self.frequencies, rate, self.problem.analysis.samples)
    }

    pub(crate) fn analyser<T: Scalar>(&self, way: Way, rate: f64) -> Analyser<T> {
        let analysis = Analysis { way, ..self.problem.analysis };
        Analyser::new(self.problem.format(), &analysis, self.bins(rate))
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
                let mut analyser = self.analyser::<f64>(way, rate);
                let hop = problem.analysis.hop;
                for start in (0..spectrum_end(problem, rate)).step_by(hop) {
                    analyser.push(block(&problem.input, start, hop));
                }
                analyser.spectra(&mut phasors);
            }
            None => copy_spectra(problem, &self.frequencies, count, &mut phasors),
        }
        let mend = self.mend::<f64>(&self.faults.dead);
        phasors.chunks_exact_mut(count).for_each(|line| mend.run(line));
        phasors.chunks_exact(count).map(<[_]>::to_vec).collect()
    }

    /// How far phasors are from those of the nominal way.
    fn differences(&self, phasors: &[Vec<Complex64>]) -> Vec<Option<Difference>> {
        if !self.problem.compare || self.problem.sample_rate().is_none() {
            return vec![None; phasors.len()];
        }
        let nominal = self.phasors(Way::Nominal { fir: false });
        phasors.iter().zip(&nominal).map(|(found, nominal)| Some(difference(found, nominal))).collect()
    }

    fn holograms<T: Scalar>(
        &self,
        phasors: &[Vec<Complex64>],
        apart: &[Option<Difference>],
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        let (kept, carriers) = self.carriers::<T>(phasors, progress)?;
        let whole: Vec<_> = phasors.concat().iter().map(|p| T::complex_from_f64(*p)).collect();
        let rate = self.problem.sample_rate();
        let analyser = match rate {
            Some(rate) => self.analyser(self.problem.analysis.way, rate),
            None => Analyser::new(
                self.problem.format(),
                &Analysis { way: Way::Dot, samples: 8, hop: 8 },
                Vec::new(),
            ),
        };
        // Phasors that are given are right already.
        let right = Mend::new(&self.problem.microphones(), None, &[]);
        let mut pipeline = Pipeline::new(analyser, right, carriers);
        pipeline.push_phasors(&whole);
        let lines = (0..kept.len()).map(|i| self.line(&pipeline, i, kept[i], apart[i])).collect();
        pipeline.set_mend(self.mend(&self.faults.dead));
        let followed = if let Some(rate) = rate {
            self.replay(&mut pipeline, rate, progress)?
        } else {
            let mut followed = Followed::default();
            followed.history.add(|| self.moments(&pipeline, 0.0));
            followed
        };
        Ok(Solution { lines, followed, dead: self.faults.dead.clone() })
    }

    /// What takes the pressure at the microphones to the planes, at each frequency; and what it keeps.
    pub(crate) fn carriers<T: Scalar>(
        &self,
        phasors: &[Vec<Complex64>],
        progress: &Progress,
    ) -> Result<(Vec<Kept>, Vec<Carrier<T>>), NahError> {
        let stage = progress.stage("filters", Some(phasors.len() as u64), "frequencies");
        let carrier = |(frequency, line): (&f64, &Vec<Complex64>)| {
            progress.check()?;
            let carrier = self.carrier::<T>(*frequency, line);
            stage.advance(1);
            carrier
        };
        self.frequencies.iter().zip(phasors).map(carrier).collect()
    }

    /// What takes the pressure at the microphones to the planes at one frequency.
    fn carrier<T: Scalar>(
        &self,
        frequency: f64,
        phasors: &[Complex64],
    ) -> Result<(Kept, Carrier<T>), NahError> {
        let problem = &self.problem;
        let (grid, medium) = (problem.grid, problem.medium);
        let k = medium.wave_number(frequency);
        if problem.method == Method::Esm {
            let sources = Esm::new(&problem.microphones(), grid, problem.distance, k, medium);
            let weight = sources.best_weight(phasors);
            let operator = sources.operator(weight, &problem.planes)?;
            return Ok((Kept::Weight(weight), Carrier::Sources(operator)));
        }
        let filter = match problem.filter {
            FilterChoice::Given(filter) => filter,
            FilterChoice::Auto => best_filter(&KSpace::new(grid, phasors, problem.extrapolation, k)),
        };
        let gains: Vec<Box<dyn Fn(f64) -> Complex64>> = problem
            .planes
            .iter()
            .flat_map(|&plane| {
                let pressure = move |kr: f64| gain(k, kr, plane, filter);
                let velocity = move |kr: f64| pressure(kr) * medium.admittance(k, kr);
                [Box::new(pressure) as Box<dyn Fn(f64) -> Complex64>, Box::new(velocity)]
            })
            .collect();
        let gains: Vec<&dyn Fn(f64) -> Complex64> = gains.iter().map(|gain| &**gain).collect();
        let plan = Plan::new(grid, problem.extrapolation, &gains);
        Ok((Kept::Filter(filter), Carrier::Waves(Box::new(plan))))
    }

    pub(crate) fn line<T: Scalar>(
        &self,
        pipeline: &Pipeline<T>,
        i: usize,
        kept: Kept,
        apart: Option<Difference>,
    ) -> Line {
        let exact = |field: &[_]| field.iter().map(|p| T::complex_to_f64(*p)).collect::<Vec<Complex64>>();
        let plane = |(j, distance): (usize, &f64)| {
            let [pressure, velocity] = [2 * j, 2 * j + 1].map(|field| exact(pipeline.field(i, field)));
            let intensity = intensity(&pressure, &velocity);
            let power = intensity.iter().sum::<f64>() * self.area();
            Plane { distance: *distance, pressure, velocity, intensity, power }
        };
        let planes = self.problem.planes.iter().enumerate().map(plane).collect();
        let measured = exact(pipeline.measured(i));
        Line { frequency: self.frequencies[i], kept, measured, planes, apart }
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
