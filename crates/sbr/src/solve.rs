//! A study from mesh to answers: the order of the stages.

use crate::cpu::{Aperture, Shooting, Tally};
use crate::error::SbrError;
use crate::exit::{Amplitudes, Exit};
use crate::post::{FrequencySolution, Scattering, Solution};
use crate::problem::{Look, Study};
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::wavenumber;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Blocks of tubes between two looks at whether to stop; their sums are held at once, and added in order.
const BLOCKS_AT_ONCE: usize = 256;

impl Study {
    /// Shoots the rays of every incident wave and adds up what they send back.
    pub fn solve(&self, progress: &Progress) -> Result<Solution, SbrError> {
        let problem = &self.problem;
        let stage = progress.stage("rays", Some(problem.looks.len() as u64), "directions");
        let waves = problem.frequencies.len();
        let mut scattering = vec![Vec::with_capacity(problem.looks.len()); waves];
        let mut total = Tally::new(0);
        for looks in problem.looks.chunk_by(|a, b| a.incident == b.incident) {
            let tally = self.incidence(looks, progress)?;
            for (look, sums) in looks.iter().zip(tally.sums.chunks(waves)) {
                for (w, sum) in sums.iter().enumerate() {
                    scattering[w].push(self.at_home(look, problem.frequencies[w], *sum));
                }
            }
            total.merge(&tally);
            stage.advance(looks.len() as u64);
        }
        let frequencies = problem.frequencies.iter().zip(scattering);
        Ok(Solution {
            frequencies: frequencies
                .map(|(&frequency, scattering)| FrequencySolution { frequency, scattering })
                .collect(),
            rays: total.rays,
            bounces: total.most_bounces,
            discarded_area_share: total.discarded_area / total.hit_area.max(f64::MIN_POSITIVE),
        })
    }

    /// All tubes of one incident wave.
    fn incidence(&self, looks: &[Look], progress: &Progress) -> Result<Tally, SbrError> {
        let problem = &self.problem;
        let [towards, _, across] = looks[0].incident.frame();
        let aperture = Aperture::new(&self.scene, -towards, across, self.tube_width());
        let exit = Exit::new(&self.scene, looks, &problem.frequencies, problem.formulation);
        let shooting = Shooting {
            scene: &self.scene,
            aperture: &aperture,
            exit: &exit,
            bounces: problem.bounces,
            tubes: problem.tubes,
            k: TAU / self.shortest_wavelength(),
        };
        let mut tally = Tally::new(exit.sums());
        for blocks in aperture.occupied(&self.scene).chunks(BLOCKS_AT_ONCE) {
            progress.check()?;
            let parts: Vec<Tally> = blocks.par_iter().map(|&block| shooting.block(block)).collect();
            for part in &parts {
                tally.merge(part);
            }
        }
        Ok(tally)
    }

    /// Amplitudes about the user's origin, from those about the middle of the target.
    fn at_home(&self, look: &Look, frequency: f64, amplitudes: Amplitudes) -> Scattering {
        let ways = look.observer.frame()[0] + look.incident.frame()[0];
        let turn = Complex64::cis(wavenumber(frequency) * ways.dot(self.scene.middle));
        let [vv, vh, hv, hh] = amplitudes.map(|amplitude| amplitude * turn);
        Scattering { vv, vh, hv, hh }
    }
}
