//! What receivers at positions receive from transmitters at positions, by way of the target.
//!
//! With b/a = j(λ/4π) A of [`crate::cpu`]'s spherical waves, the power ratio is |b/a|², and the radar equation
//! P_r/P_t = λ² G_t G_r σ/((4π)³ R_t² R_r²) gives the cross section that it would be at infinity. R and G are those of the middle of the
//! bounding box of the target.

use crate::accumulator::Counts;
use crate::antenna::Antenna;
use crate::cpu::{SphericalWave, trace_spherical};
use crate::error::SbrError;
use crate::field::Field;
use crate::post::remaining_power;
use crate::problem::{Antennas, Bounces};
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_core::{FieldError, Progress, SelfCheck};
use phasefront_device::Backend;
use rayon::prelude::*;
use std::f64::consts::PI;

/// All pairs of transmitters and receivers.
#[derive(Debug, Clone)]
pub struct Reception {
    /// Transmitter by transmitter.
    pub links: Vec<Link>,
    /// Ray statistics.
    pub counts: Counts,
}

/// A transmitter and a receiver.
#[derive(Debug, Clone)]
pub struct Link {
    /// Index of the transmitter.
    pub transmitter: usize,
    /// Index of the receiver; none if the transmitter receives its own echo.
    pub receiver: Option<usize>,
    /// Distances of both from the middle of the target, m.
    pub ranges: [f64; 2],
    /// By frequency.
    pub responses: Vec<Response>,
}

/// The echo of a link at one frequency.
#[derive(Debug, Clone, Copy)]
pub struct Response {
    /// Frequency, Hz.
    pub frequency: f64,
    /// Gains of both antennas toward the middle of the target.
    pub gains: [f64; 2],
    /// The wave that leaves the receiver over that which enters the transmitter, b/a.
    pub transmission: Complex64,
    /// The cross section of a target at infinity with this echo, m².
    pub cross_section: f64,
}

impl Study {
    /// Solves for all pairs of transmitters and receivers, on the CPU.
    pub fn receive(&self, backend: &Backend, progress: &Progress) -> Result<Reception, SbrError> {
        let Some(antennas) = &self.problem.antennas else {
            let message = "there is no transmitter at a position";
            return Err(FieldError::new("source.transmitters", message, "give at least one").into());
        };
        if backend.gpu().is_some() {
            let message = "waves from transmitters at positions do not run on a GPU";
            return Err(FieldError::new("source.transmitters", message, "run with `--device cpu`").into());
        }
        let stage = progress.stage("rays", Some(antennas.transmitters.len() as u64), "transmitters");
        let solve = |transmitter: usize| {
            let found = self.echoes(antennas, transmitter, progress)?;
            stage.advance(1);
            Ok(found)
        };
        let transmitters = (0..antennas.transmitters.len()).into_par_iter();
        let found: Vec<(Vec<Link>, Counts)> = transmitters.map(solve).collect::<Result<_, SbrError>>()?;
        let mut reception = Reception { links: Vec::new(), counts: Counts::default() };
        for (links, counts) in found {
            reception.links.extend(links);
            reception.counts.merge(&counts);
        }
        Ok(reception)
    }

    /// The links of one transmitter.
    fn echoes(
        &self,
        antennas: &Antennas,
        transmitter: usize,
        progress: &Progress,
    ) -> Result<(Vec<Link>, Counts), SbrError> {
        let problem = &self.problem;
        let source = &antennas.transmitters[transmitter];
        let receivers: Vec<&Antenna> = antennas.receivers_of(transmitter);
        let wave =
            SphericalWave::new(&self.scene, source, &receivers, &problem.frequencies, problem.formulation);
        let levels = problem.bounces.levels();
        let mut total = trace_spherical(self, &wave, levels[0], progress)?;
        for &bounces in &levels[1..] {
            if total.counts.remaining_share() <= Bounces::NEGLIGIBLE {
                break;
            }
            total = trace_spherical(self, &wave, bounces, progress)?;
        }
        total.counts.worst_remaining_share = total.counts.remaining_share();
        let link = |(i, sums): (usize, &[[Complex64; 4]])| Link {
            transmitter,
            receiver: antennas.receivers.is_some().then_some(i),
            ranges: [source, receivers[i]].map(|antenna| antenna.point().distance(self.scene.center)),
            responses: (0..sums.len())
                .map(|w| self.response([source, receivers[i]], w, sums[w][0]))
                .collect(),
        };
        let links = total.sums.chunks(problem.frequencies.len()).enumerate().map(link).collect();
        Ok((links, total.counts))
    }

    fn response(&self, antennas: [&Antenna; 2], w: usize, sum: Complex64) -> Response {
        let frequency = self.problem.frequencies[w];
        let middle = self.scene.center;
        let gains = antennas.map(|antenna| {
            let toward = (middle - antenna.point()).normalize();
            antenna.at(w, frequency).field(toward).map_or(0.0, Field::norm_squared)
        });
        let ranges: f64 = antennas.map(|antenna| antenna.point().distance_squared(middle)).iter().product();
        // (4π)³R⁴/(λ²G²) |b/a|² with |b/a| = λ|A|/4π.
        let cross_section = 4.0 * PI * ranges * sum.norm_sqr() / (gains[0] * gains[1]);
        let transmission = Complex64::new(0.0, C0 / frequency / (4.0 * PI)) * sum;
        Response { frequency, gains, transmission, cross_section }
    }
}

impl Reception {
    /// How far the result can be trusted, as measured in the run.
    pub fn self_checks(&self, study: &Study) -> Vec<SelfCheck> {
        vec![remaining_power(&self.counts, study)]
    }
}
