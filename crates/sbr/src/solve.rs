//! The order of the stages: trace and radiate ray tubes, add edge diffraction, the same with transmitter and receiver exchanged, refer
//! phases to the origin.

use crate::accumulator::{Accumulator, Counts};
use crate::batch::{Batch, by_incidence};
use crate::cpu::CpuEngine;
use crate::engine::{Engine, RayTimes};
use crate::error::SbrError;
use crate::gpu::GpuEngine;
use crate::problem::Aspect;
use crate::reciprocity;
use crate::scattering::{Amplitudes, ScatteringMatrix};
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;
use std::ops::Range;
use std::time::Instant;

/// Duration of a sample of aspects from which that of all is expected.
const SAMPLE_SECONDS: f64 = 0.3;

/// The solution of a study.
#[derive(Debug, Clone)]
pub struct Solution {
    /// In the order of the problem's frequencies.
    pub frequencies: Vec<FrequencySolution>,
    /// Ray statistics.
    pub counts: Counts,
}

/// The solution at one frequency.
#[derive(Debug, Clone)]
pub struct FrequencySolution {
    /// Frequency, Hz.
    pub frequency: f64,
    /// One matrix per aspect, in order.
    pub scattering: Vec<ScatteringMatrix>,
}

/// The solution of a range of aspects.
#[derive(Debug, Clone)]
pub struct PartialSolution {
    /// By frequency, then one matrix per aspect of the range, in order.
    pub scattering: Vec<Vec<ScatteringMatrix>>,
    /// Ray statistics.
    pub counts: Counts,
}

/// Scattering centers on the body: the amplitude radiated from each triangle of the mesh. Their sum is the scattering matrix without
/// edge diffraction.
#[derive(Debug, Clone)]
pub struct HotSpots {
    /// By number of bounces, starting at one; then by triangle.
    pub by_bounce: Vec<Vec<ScatteringMatrix>>,
}

/// A study on a device.
pub struct Solver<'a> {
    study: &'a Study,
    engine: Box<dyn Engine>,
}

impl Study {
    /// Solves for all frequencies and aspects.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, SbrError> {
        // Progress counts aspects, although rays are traced per incident wave.
        let stage = progress.stage("rays", Some(self.problem.aspects.len() as u64), "directions");
        let mut solver = self.solver(backend)?;
        let mut scattering = vec![Vec::new(); self.problem.frequencies.len()];
        let mut counts = Counts::default();
        for aspects in solver.batches() {
            let count = aspects.len() as u64;
            let part = solver.solve(aspects, progress)?;
            for (all, some) in scattering.iter_mut().zip(part.scattering) {
                all.extend(some);
            }
            counts.merge(&part.counts);
            stage.advance(count);
        }
        let frequencies = self.problem.frequencies.iter().zip(scattering);
        let frequencies =
            frequencies.map(|(&frequency, scattering)| FrequencySolution { frequency, scattering }).collect();
        Ok(Solution { frequencies, counts })
    }

    /// Moves the study to a device, to solve in batches.
    pub fn solver(&self, backend: &Backend) -> Result<Solver<'_>, SbrError> {
        let engine: Box<dyn Engine> = match backend.gpu() {
            Some(gpu) => Box::new(GpuEngine::new(gpu, &self.scene)?),
            None => Box::new(CpuEngine),
        };
        Ok(Solver { study: self, engine })
    }
}

impl Solver<'_> {
    /// Ranges of aspects that are best solved together, in order. They cover all aspects.
    pub fn batches(&self) -> Vec<Range<usize>> {
        let lengths: Vec<usize> = by_incidence(&self.study.problem.aspects).map(<[Aspect]>::len).collect();
        let mut next = 0;
        lengths
            // Batches end between incident waves: aspects of one wave share its rays.
            .chunks(self.engine.waves_per_batch(self.study))
            .map(|lengths| {
                let first = next;
                next += lengths.iter().sum::<usize>();
                first..next
            })
            .collect()
    }

    /// Solves a range of aspects: rays, then edge diffraction, as seen from both ends.
    pub fn solve(&mut self, aspects: Range<usize>, progress: &Progress) -> Result<PartialSolution, SbrError> {
        let problem = &self.study.problem;
        let aspects = &problem.aspects[aspects];
        let (sums, counts) = self.reciprocal(aspects, progress)?;
        let mut scattering = vec![Vec::with_capacity(aspects.len()); problem.frequencies.len()];
        // [aspect][frequency] in the sums, [frequency][aspect] in the result.
        for (aspect, sums) in aspects.iter().zip(sums.chunks(problem.frequencies.len())) {
            for (w, &sum) in sums.iter().enumerate() {
                scattering[w].push(rephase(self.study, aspect, problem.frequencies[w], sum));
            }
        }
        Ok(PartialSolution { scattering, counts })
    }

    /// ½[F(i, s) + F(s, i)ᵀ], by aspect, then by frequency.
    fn reciprocal(
        &self,
        aspects: &[Aspect],
        progress: &Progress,
    ) -> Result<(Vec<Amplitudes>, Counts), SbrError> {
        let frequencies = self.study.problem.frequencies.len();
        let (there, mut counts) = self.one_way(aspects, progress)?;
        let mut back = there.clone();
        // Monostatic aspects are their own exchange. The others are sorted, so that those that begin at one receiver share its rays.
        let mut bistatic: Vec<usize> = (0..aspects.len()).filter(|&i| !aspects[i].is_monostatic()).collect();
        let start = |i: usize| [aspects[i].observer.theta, aspects[i].observer.phi].map(f64::to_bits);
        bistatic.sort_by_key(|&i| start(i));
        let waves: Vec<&[usize]> = bistatic.chunk_by(|&i, &j| start(i) == start(j)).collect();
        for waves in waves.chunks(self.engine.waves_per_batch(self.study)) {
            let indices = waves.concat();
            let exchanged: Vec<Aspect> = indices.iter().map(|&i| reciprocity::exchanged(&aspects[i])).collect();
            let (sums, more) = self.one_way(&exchanged, progress)?;
            counts.merge(&more);
            for (i, sums) in indices.iter().zip(sums.chunks(frequencies)) {
                back[i * frequencies..(i + 1) * frequencies].copy_from_slice(sums);
            }
        }
        let mut result = there;
        for (n, (there, back)) in result.iter_mut().zip(&back).enumerate() {
            let mean = reciprocity::mean(there, back);
            reciprocity::compare(&aspects[n / frequencies], there, &mean, &mut counts);
            *there = mean;
        }
        Ok((result, counts))
    }

    /// F(i, s), by aspect, then by frequency.
    fn one_way(
        &self,
        aspects: &[Aspect],
        progress: &Progress,
    ) -> Result<(Vec<Amplitudes>, Counts), SbrError> {
        let batch = Batch::new(self.study, aspects, &self.study.problem.frequencies, false);
        let mut totals = self.engine.trace(&batch, progress)?;
        // Fringe fields are added to the same sums, with phases about the center of the scene.
        self.engine.edges(&batch, &mut totals)?;
        let mut counts = Counts::default();
        totals.iter().for_each(|total| counts.merge(&total.counts));
        Ok((totals.into_iter().flat_map(|total| total.sums).collect(), counts))
    }

    /// Expected duration of all aspects in seconds, by solving some of them, spread evenly: twice as many each time, until they take
    /// `SAMPLE_SECONDS`.
    pub fn expected_seconds(&self, progress: &Progress) -> Result<f64, SbrError> {
        let problem = &self.study.problem;
        let waves: Vec<&[Aspect]> = by_incidence(&problem.aspects).collect();
        let time = |count: usize| -> Result<f64, SbrError> {
            let chosen = (0..count).map(|i| waves[(2 * i + 1) * waves.len() / (2 * count)]);
            let aspects: Vec<Aspect> = chosen.flatten().copied().collect();
            let started = Instant::now();
            self.reciprocal(&aspects, progress)?;
            Ok(started.elapsed().as_secs_f64())
        };
        // The first time kernels are compiled.
        time(1)?;
        let mut count = 1;
        loop {
            let seconds = time(count)?;
            if seconds >= SAMPLE_SECONDS || count == waves.len() {
                return Ok(seconds * waves.len() as f64 / count as f64);
            }
            count = (2 * count).min(waves.len());
        }
    }

    /// Shortest duration of primary and reflected rays on a GPU, over all aspects of a study with a ray grid and two bounces; `None`
    /// on the CPU.
    pub fn ray_times(&self, repeats: usize) -> Result<Option<RayTimes>, SbrError> {
        let problem = &self.study.problem;
        self.engine.ray_times(&Batch::new(self.study, &problem.aspects, &problem.frequencies, false), repeats)
    }

    /// Scattering centers on the body for one aspect and one frequency, given by their indices in the problem.
    pub fn hot_spots(
        &mut self,
        aspect: usize,
        frequency: usize,
        progress: &Progress,
    ) -> Result<HotSpots, SbrError> {
        let Study { problem, scene, .. } = self.study;
        let (aspect, frequency) = (problem.aspects[aspect], problem.frequencies[frequency]);
        let frequencies = [frequency];
        let trace = |aspect: Aspect| -> Result<Accumulator, SbrError> {
            let batch_aspects = [aspect];
            let batch = Batch::new(self.study, &batch_aspects, &frequencies, true);
            Ok(self.engine.trace(&batch, progress)?.remove(0))
        };
        let there = trace(aspect)?;
        let back = if aspect.is_monostatic() { there.clone() } else { trace(reciprocity::exchanged(&aspect))? };
        // No ray had more bounces than this.
        let bounces = there.counts.bounces.max(back.counts.bounces);
        let mut by_bounce = vec![vec![[Complex64::ZERO; 4]; problem.mesh.triangles.len()]; bounces];
        let none = [Complex64::ZERO; 4];
        let there = there.hot_spots.into_iter().map(|(bounces, facet, a)| (bounces, facet, reciprocity::mean(&a, &none)));
        let back = back.hot_spots.into_iter().map(|(bounces, facet, a)| (bounces, facet, reciprocity::mean(&none, &a)));
        for (bounces, facet, amplitudes) in there.chain(back) {
            // Facets are indexed without degenerate triangles, results by mesh triangle.
            let spot = &mut by_bounce[bounces - 1][scene.facets[facet as usize].triangle as usize];
            for (sum, amplitude) in spot.iter_mut().zip(amplitudes) {
                *sum += amplitude;
            }
        }
        let rephased = |spot: Amplitudes| rephase(self.study, &aspect, frequency, spot);
        Ok(HotSpots {
            by_bounce: by_bounce.into_iter().map(|spots| spots.into_iter().map(rephased).collect()).collect(),
        })
    }
}

/// Refers phases to the origin of the mesh coordinates instead of the center of the scene c: S e^{jk(r̂_i + r̂_s)·c}.
fn rephase(study: &Study, aspect: &Aspect, frequency: f64, amplitudes: Amplitudes) -> ScatteringMatrix {
    // Both paths, to and from the target, differ by r̂·c between the two reference points.
    let directions = aspect.observer.frame()[0] + aspect.incident.frame()[0];
    let phasor = Complex64::cis(wavenumber(frequency) * directions.dot(study.scene.center));
    let [vv, vh, hv, hh] = amplitudes.map(|amplitude| amplitude * phasor);
    ScatteringMatrix { vv, vh, hv, hh }
}
