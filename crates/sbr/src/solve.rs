//! A study from mesh to answers: the order of the stages.

use crate::aperture::Aperture;
use crate::cpu::{Beams, GridOfRays, Tally};
use crate::error::SbrError;
use crate::exit::{Amplitudes, Exit};
use crate::gpu::GpuEngine;
use crate::post::{Counts, FrequencySolution, HotSpots, Part, RayTimes, Scattering, Solution};
use crate::problem::{Look, Study, Tubes};
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;
use rayon::prelude::*;
use std::ops::Range;

/// Blocks of rays, or of facets, between two looks at whether to stop; their sums are held at once, and added in order.
const PARTS_AT_ONCE: usize = 256;

/// Facets whose beams are followed one after the other.
const FACETS_OF_PART: usize = 64;

/// Area of a beam, as a part of a tube's, below which it is cut no more: 1/320 of a wavelength across for tubes of 0.1.
const NARROW: f64 = 1.0 / 1024.0;

/// Facets times incident waves that a GPU is given at once, at least: what is lost of an interrupted run, a second or so.
const FACETS_AT_ONCE: usize = 1 << 23;
/// Blocks of the paper's rays are many more.
const WAVES_OF_RAYS_AT_ONCE: usize = 32;

/// A study on a device.
pub struct Solver<'a> {
    study: &'a Study,
    /// Rays go over it where it is there, and over the host where not.
    gpu: Option<GpuEngine>,
}

impl Study {
    /// Solves everything that was asked.
    pub fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Solution, SbrError> {
        let stage = progress.stage("rays", Some(self.problem.looks.len() as u64), "directions");
        let mut solver = self.solver(backend)?;
        let mut scattering = vec![Vec::new(); self.problem.frequencies.len()];
        let mut counts = Counts::default();
        for looks in solver.batches() {
            let count = looks.len() as u64;
            let part = solver.solve(looks, progress)?;
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

    /// Makes ready to solve on a device, in batches.
    pub fn solver(&self, backend: &Backend) -> Result<Solver<'_>, SbrError> {
        let gpu = backend.gpu().map(|gpu| GpuEngine::new(gpu, &self.scene)).transpose()?;
        Ok(Solver { study: self, gpu })
    }
}

impl Solver<'_> {
    /// Ranges of looks that are best solved together, in order: they cover all of them.
    pub fn batches(&self) -> Vec<Range<usize>> {
        let groups = self.study.problem.looks.chunk_by(|a, b| a.incident == b.incident);
        let lengths: Vec<usize> = groups.map(<[Look]>::len).collect();
        let mut next = 0;
        lengths
            .chunks(self.waves_at_once())
            .map(|lengths| {
                let first = next;
                next += lengths.iter().sum::<usize>();
                first..next
            })
            .collect()
    }

    fn waves_at_once(&self) -> usize {
        match (&self.gpu, self.study.problem.tubes) {
            (None, _) => 1,
            (Some(_), Tubes::Adaptive) => FACETS_AT_ONCE.div_ceil(self.study.scene.facets.len()),
            (Some(_), Tubes::Paper) => WAVES_OF_RAYS_AT_ONCE,
        }
    }

    /// Shoots the rays of every incident wave among the looks and adds up what they send back.
    pub fn solve(&mut self, looks: Range<usize>, progress: &Progress) -> Result<Part, SbrError> {
        let problem = &self.study.problem;
        let waves = problem.frequencies.len();
        let mut scattering = vec![Vec::with_capacity(looks.len()); waves];
        let mut counts = Counts::default();
        let looks = &problem.looks[looks];
        let tallies = self.tallies(looks, &problem.frequencies, false, progress)?;
        let mut sums = Vec::with_capacity(looks.len() * waves);
        for (mut tally, looks) in tallies.into_iter().zip(looks.chunk_by(|a, b| a.incident == b.incident)) {
            self.study.fringes.add(&self.study.scene, looks, &problem.frequencies, &mut tally.sums);
            sums.extend(tally.sums);
            counts.merge(&tally.counts);
        }
        for (look, sums) in looks.iter().zip(sums.chunks(waves)) {
            for (w, sum) in sums.iter().enumerate() {
                scattering[w].push(self.study.at_home(look, problem.frequencies[w], *sum));
            }
        }
        Ok(Part { scattering, counts })
    }

    /// What the tubes of each incident wave among the looks add up to.
    fn tallies(
        &self,
        looks: &[Look],
        frequencies: &[f64],
        hot_spots: bool,
        progress: &Progress,
    ) -> Result<Vec<Tally>, SbrError> {
        match &self.gpu {
            Some(gpu) => gpu.incidences(self.study, looks, frequencies, hot_spots, progress),
            None => looks
                .chunk_by(|a, b| a.incident == b.incident)
                .map(|looks| self.study.incidence(looks, frequencies, hot_spots, progress))
                .collect(),
        }
    }

    /// The shortest time of a GPU for the first rays and those after a bounce, of all looks of a study with the paper's tubes and two
    /// bounces; `None` on the CPU.
    pub fn ray_times(&self, repeats: usize) -> Result<Option<RayTimes>, SbrError> {
        let looks = &self.study.problem.looks;
        self.gpu.as_ref().map(|gpu| gpu.ray_times(self.study, looks, repeats)).transpose()
    }

    /// Where on the body the echo of one look at one frequency comes from, both by their places in the problem.
    pub fn hot_spots(
        &mut self,
        look: usize,
        frequency: usize,
        progress: &Progress,
    ) -> Result<HotSpots, SbrError> {
        let Study { problem, scene, .. } = self.study;
        let (look, frequency) = (problem.looks[look], problem.frequencies[frequency]);
        let mut tallies = self.tallies(&[look], &[frequency], true, progress)?;
        let tally = tallies.remove(0);
        let mut by_bounce = vec![vec![[Complex64::ZERO; 4]; problem.mesh.triangles.len()]; problem.bounces];
        for (bounces, facet, amplitudes) in tally.hot_spots {
            let spot = &mut by_bounce[bounces - 1][scene.facets[facet as usize].triangle as usize];
            for (sum, amplitude) in spot.iter_mut().zip(amplitudes) {
                *sum += amplitude;
            }
        }
        // After the last bounce that any ray had there is nothing.
        by_bounce.truncate(tally.counts.bounces);
        let home = |spot: Amplitudes| self.study.at_home(&look, frequency, spot);
        Ok(HotSpots {
            by_bounce: by_bounce.into_iter().map(|spots| spots.into_iter().map(home).collect()).collect(),
        })
    }
}

impl Study {
    /// All tubes of one incident wave.
    fn incidence(
        &self,
        looks: &[Look],
        frequencies: &[f64],
        hot_spots: bool,
        progress: &Progress,
    ) -> Result<Tally, SbrError> {
        let problem = &self.problem;
        let [towards, _, across] = looks[0].incident.frame();
        let aperture = Aperture::new(&self.scene, -towards, across, self.tube_width());
        let exit = Exit::new(&self.scene, looks, frequencies, problem.formulation);
        let mut tally = Tally::new(exit.sums());
        let mut add = |parts: Vec<Tally>| parts.into_iter().for_each(|part| tally.merge(part));
        if problem.tubes == Tubes::Paper {
            let (scene, bounces) = (&self.scene, problem.bounces);
            let grid = GridOfRays { scene, aperture: &aperture, exit: &exit, bounces, hot_spots };
            for blocks in aperture.occupied(scene).chunks(PARTS_AT_ONCE) {
                progress.check()?;
                add(blocks.par_iter().map(|&block| grid.block(block)).collect());
            }
            return Ok(tally);
        }
        let beams = Beams {
            scene: &self.scene,
            sheaf: aperture.sheaf,
            exit: &exit,
            bounces: problem.bounces,
            narrow: self.narrow_beam(),
            hot_spots,
        };
        let facets = self.scene.facets.len();
        let firsts: Vec<usize> = (0..facets).step_by(FACETS_OF_PART).collect();
        for firsts in firsts.chunks(PARTS_AT_ONCE) {
            progress.check()?;
            let part = |&first: &usize| beams.starting_on(first..facets.min(first + FACETS_OF_PART));
            add(firsts.par_iter().map(part).collect());
        }
        Ok(tally)
    }

    /// Area below which a beam is not cut, m².
    pub(crate) fn narrow_beam(&self) -> f64 {
        NARROW * self.tube_width().powi(2)
    }

    /// Amplitudes about the user's origin, from those about the middle of the target.
    fn at_home(&self, look: &Look, frequency: f64, amplitudes: Amplitudes) -> Scattering {
        let ways = look.observer.frame()[0] + look.incident.frame()[0];
        let turn = Complex64::cis(wavenumber(frequency) * ways.dot(self.scene.middle));
        let [vv, vh, hv, hh] = amplitudes.map(|amplitude| amplitude * turn);
        Scattering { vv, vh, hv, hh }
    }
}
