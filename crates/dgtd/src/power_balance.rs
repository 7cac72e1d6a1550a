//! Balance of power: of what a source delivers, all is reflected, transmitted or radiated where nothing absorbs.
//!
//! Before a run ends, in closed models: fields that still ring leave by the ports, and each spectrum lacks them.

use crate::huygens::Huygens;
use crate::scattering::PortSpectrum;
use crate::solve::Solution;
use crate::study::Study;
use num_complex::Complex64;
use phasefront_core::decibels::{power_db, power_ratio};

/// Power that may be unaccounted for, relative to the available power, where all of it leaves by ports.
const MAX_MISSING: f64 = 1e-3;
/// The same where part of it radiates, since power through a surface around an antenna adds errors of its own, or where some is absorbed.
const MAX_MISSING_OPEN: f64 = 0.01;
/// Decay of the energy between two looks at the power of the ports, dB: they take longer than an energy check.
const LOOK: f64 = 3.0;
/// Ratio of two energies that tell the rate of their decay.
const DECADE: f64 = 10.0;

/// The balance of power at the frequency where it is worst.
pub(crate) struct Balance {
    /// What is missing in a lossless model, or too much in any other, relative to the available power.
    pub off: f64,
    /// What is reflected, transmitted and radiated.
    pub sum: f64,
    /// Hz.
    pub frequency: f64,
    /// Of `off`.
    pub limit: f64,
    /// Whether all power is accounted for.
    pub complete: bool,
}

/// Where the power goes that enters a lossless model.
struct Accounted {
    /// Whether it may leave by each of the ports.
    ports: Vec<bool>,
    /// Whether it may leave through the far-field surface.
    radiates: bool,
}

impl Study {
    /// The balance of power of a run; none without ports, or where the excited one carries no power at any frequency.
    pub(crate) fn power_balance(&self, solution: &Solution) -> Option<Balance> {
        let accounted = self.accounted(solution);
        let complete = accounted.is_some();
        let radiates = accounted.as_ref().is_some_and(|accounted| accounted.radiates);
        let counted = |port: usize| accounted.as_ref().is_none_or(|accounted| accounted.ports[port]);
        let spectra = self.ports(solution);
        // A mode below its cut-off carries none.
        let wave = self.ports.get(solution.excited).and_then(|port| port.wave.as_ref());
        let powered = spectra
            .iter()
            .enumerate()
            .filter(|(_, at)| wave.is_none_or(|wave| wave.propagates(at.frequency)));
        let sums = powered.map(|(f, at)| {
            let ports: f64 =
                at.s.iter().enumerate().filter(|(i, _)| counted(*i)).map(|(_, s)| s.norm_sqr()).sum();
            let radiated = if radiates { self.radiated_share(solution, f, at) } else { 0.0 };
            (at.frequency, ports + radiated)
        });
        let off = |sum: f64| if complete { (1.0 - sum).abs() } else { sum - 1.0 };
        let (frequency, sum) = sums.max_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
        let limit = if complete && !radiates { MAX_MISSING } else { MAX_MISSING_OPEN };
        Some(Balance { off: off(sum), sum, frequency, limit, complete })
    }

    fn radiated_share(&self, solution: &Solution, frequency: usize, at: &PortSpectrum) -> f64 {
        self.far_field(solution, frequency, &[]).power / self.available_power(solution, at.frequency)
    }

    /// Whether the power of the ports of a closed lossless model is known: it is conserved, or what still rings cannot change it by more than
    /// it may be off, or it has stopped to change, as where the mesh loses a part of it. Others are not looked at. To be asked at an energy
    /// check, with all samples so far.
    pub(crate) fn power_is_settled(&self, solution: &Solution) -> bool {
        if !self.is_closed() {
            return true;
        }
        let Some(&(_, left)) = solution.energy.last().filter(|_| self.is_time_to_look(&solution.energy))
        else {
            return false;
        };
        let sum = |at: &PortSpectrum| at.s.iter().map(Complex64::norm_sqr).sum::<f64>();
        // Before the energy fell by the last few decibels.
        let before = solution.energy.iter().rev().find(|(_, energy)| *energy >= power_ratio(LOOK) * left);
        // What is missing falls as the amplitude, by r from there to here: of a geometric series r/(1 − r) of the last term is left.
        let earlier = before.map(|&(time, more)| {
            let r = (left / more).sqrt();
            let sums: Vec<f64> = self.ports(&self.until(solution, time)).iter().map(sum).collect();
            (sums, r / (1.0 - r))
        });
        let tail = tail(&solution.energy);
        let settled = |(i, at): (usize, &PortSpectrum)| {
            let sum = sum(at);
            let available = 2.0 * self.available_power(solution, at.frequency);
            // |b + δ|² differs from |b|² by 2|b||δ| at most, with |b| ≤ |a|, but for δ².
            let missing = 2.0 * (tail / available).sqrt();
            let change = earlier.as_ref().map_or(f64::INFINITY, |(sums, rest)| rest * (sum - sums[i]).abs());
            available == 0.0 || (1.0 - sum).abs().min(missing).min(change) <= MAX_MISSING
        };
        self.ports(solution).iter().enumerate().all(settled)
    }

    /// A run as it was at an earlier energy check, as far as ports see it.
    fn until(&self, solution: &Solution, time: f64) -> Solution {
        let steps = ((time - solution.start) / solution.dt).round() as usize;
        Solution {
            excited: solution.excited,
            steps: steps as u64,
            start: solution.start,
            dt: solution.dt,
            energy: Vec::new(),
            settled: false,
            samples: solution.samples[..(steps * self.monitors.rows.len()).min(solution.samples.len())]
                .to_vec(),
            spectra: Vec::new(),
            snapshots: Vec::new(),
            dissipated: Vec::new(),
            error: None,
            ranks: Vec::new(),
        }
    }

    /// Whether the energy has fallen by a few decibels since the last look, or has not for twice as long as before.
    fn is_time_to_look(&self, energy: &[(f64, f64)]) -> bool {
        let ringing = energy.partition_point(|(time, _)| *time <= self.source_end());
        let Some((&(_, last), before)) = energy[ringing..].split_last() else { return false };
        let least = before.iter().map(|(_, energy)| *energy).fold(f64::INFINITY, f64::min);
        let steps = |energy: f64| (power_db(energy) / LOOK).floor();
        before.len().is_power_of_two() || before.is_empty() || steps(last) < steps(least)
    }

    /// Whether all power that enters leaves by ports.
    fn is_closed(&self) -> bool {
        !self.problem.sources.ports.is_empty() && !self.is_open() && self.is_lossless(None)
    }

    /// Where all power is accounted for: nothing absorbs in the model, or a far-field surface encloses the excited port and all that is
    /// around it.
    fn accounted(&self, solution: &Solution) -> Option<Accounted> {
        let ports = self.problem.sources.ports.len();
        if self.is_closed() {
            return Some(Accounted { ports: vec![true; ports], radiates: false });
        }
        let name = self.problem.monitors.far_surface.as_ref().filter(|_| self.problem.monitors.far_field)?;
        // Later runs of several ports have no spectra.
        if ports == 0 || solution.spectra.is_empty() {
            return None;
        }
        let hull = Huygens::new(&self.domain, name, "output.far_field_surface").ok()?;
        let mut counted = vec![false; ports];
        for (conditions, _) in self.domain.conditions.iter().zip(&hull.inside).filter(|(_, inside)| **inside)
        {
            for condition in conditions {
                if let Some(port) = condition.port() {
                    counted[port] = true;
                }
            }
        }
        for (counted, port) in counted.iter_mut().zip(&self.ports) {
            *counted |= port
                .wave
                .as_ref()
                .is_some_and(|wave| wave.cross.faces.iter().all(|face| hull.inside[face.0]));
        }
        let complete = counted[solution.excited] && self.is_lossless(Some(&hull.inside));
        complete.then_some(Accounted { ports: counted, radiates: true })
    }

    /// Whether waves can leave the mesh.
    fn is_open(&self) -> bool {
        // What enters a guide has left by its port.
        let mut model = (0..self.domain.mesh.tets.len()).filter(|&tet| !self.domain.in_guide(tet));
        let absorbs =
            |tet: usize| self.domain.conditions[tet].iter().any(|condition| condition.is_absorbing());
        model.any(|tet| self.domain.in_pml(tet) || absorbs(tet))
    }

    /// Whether no material and no sheet absorbs, in all of the mesh or in the marked elements.
    pub(crate) fn is_lossless(&self, inside: Option<&[bool]>) -> bool {
        let lossy = |tet: usize| {
            let material = self.domain.material(tet);
            material.sigma != 0.0
                || !material.poles.is_empty()
                || self.domain.conditions[tet].iter().any(|condition| condition.is_lossy())
        };
        let mut counted =
            (0..self.domain.mesh.tets.len()).filter(|&tet| inside.is_none_or(|inside| inside[tet]));
        !counted.any(lossy)
    }
}

/// |∫ b e^{−jωt} dt|² of waves b, in √W, that leave later, at most, J/Hz: W/α where a single resonance with the energy W left decays as
/// e^{−2αt}, since ∫ b² dt = W for b = 2 √(αW) e^{−αt} cos ωt.
fn tail(energy: &[(f64, f64)]) -> f64 {
    let Some(&(now, left)) = energy.last() else { return 0.0 };
    let peak = || energy.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let earlier = energy.iter().rev().copied().find(|(_, energy)| *energy >= DECADE * left).or_else(peak);
    let Some((then, more)) = earlier.filter(|(then, _)| *then < now && left > 0.0) else { return 0.0 };
    2.0 * left * (now - then) / (more / left).ln()
}
