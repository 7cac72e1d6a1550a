//! How far a solution can be trusted, as measured in the run: energy, and the balance of power.

use crate::power_balance::Balance;
use crate::solve::Solution;
use crate::study::Study;
use phasefront_core::SelfCheck;
use phasefront_core::decibels::power_ratio;
use std::f64::consts::TAU;

/// Energy decay that spectra need where none is requested, dB: 1 % of the fields is left.
const DECAY: f64 = 40.0;
/// Ratio by which the energy may rise again after the sources have ended. Without poles and PMLs it never does; these store energy that is
/// not counted, and return it.
const MAX_GROWTH: f64 = 2.0;
/// Energies below this fraction of the peak are rounding, dB.
const FLOOR: f64 = -100.0;
/// Reflection at the end of a guide, -40 dB.
const MAX_TERMINATION: f64 = 0.01;
/// Wave below which it is not looked at, -30 dB.
const MIN_SENT: f64 = 0.03;
/// Damping of local steps: κ(ωΔt)³ of the amplitude per radian, where Δt is the longest one; from the amplification factor of the scheme.
const MULTIRATE_DAMPING: f64 = 0.575;
/// Share of the decay of the fields that it may have.
const MAX_ADDED: f64 = 0.1;
/// Deviation of the scattered share of a lossless body from one.
const MAX_SCATTERING: f64 = 0.03;

impl Solution {
    /// What the run has measured about the validity of its result.
    pub fn self_checks(&self, study: &Study) -> Vec<SelfCheck> {
        let found = [
            self.decay(study),
            self.growth(study),
            self.damping(study),
            self.power(study),
            self.terminations(study),
            self.scattering(study),
            self.snapshots_saved(study),
        ];
        found.into_iter().flatten().collect()
    }

    /// Energy left at the end, which every spectrum lacks.
    fn decay(&self, study: &Study) -> Option<SelfCheck> {
        let problem = &study.problem;
        let spectra = !problem.monitors.frequencies.is_empty();
        let wanted = problem.stop.energy_db.or(spectra.then_some(DECAY))?;
        let drop = self.energy_drop();
        let sentence = if drop >= wanted {
            "The fields have decayed, and spectra are complete.".to_owned()
        } else {
            format!(
                "the energy decayed by {drop:.1} dB instead of the requested {wanted} dB: fields still ring, and spectra and results derived from \
                 them are not reliable; set a longer `max_time` in [solve]"
            )
        };
        Some(SelfCheck::at_least("energy decay at the end", drop, wanted, sentence).in_unit("dB"))
    }

    /// Largest rise of the energy after the sources have ended.
    fn growth(&self, study: &Study) -> Option<SelfCheck> {
        let floor = power_ratio(FLOOR) * self.energy.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
        // Initial fields have no source.
        let end =
            if study.problem.sources.initial.is_some() { f64::NEG_INFINITY } else { study.source_end() };
        let mut least = f64::INFINITY;
        let rises = self.energy.iter().filter(|(time, _)| *time > end).map(|&(_, energy)| {
            least = least.min(energy.max(floor));
            energy / least
        });
        let rise = rises.reduce(f64::max).filter(|rise| rise.is_finite())?;
        let sentence = if rise <= MAX_GROWTH {
            "The energy stays bounded after the sources have ended: the run is stable.".to_owned()
        } else {
            format!(
                "the energy rose by a factor of {rise:.1} after the sources had ended, where nothing adds to it: the run is becoming unstable; \
                 make PMLs at least four elements thick, or lower solve.courant"
            )
        };
        Some(SelfCheck::at_most("rise of the energy", rise, MAX_GROWTH, sentence))
    }

    /// How much of the decay at the end local steps may have added: 2κ(ωΔt)³ω of the energy in a second, at the highest frequency.
    fn damping(&self, study: &Study) -> Option<SelfCheck> {
        if !study.clusters.is_local() {
            return None;
        }
        let ringing: Vec<(f64, f64)> =
            self.energy.iter().copied().filter(|(time, _)| *time > study.source_end()).collect();
        // The last half: what rings longest is left.
        let ringing = &ringing[ringing.len() / 2..];
        let (&(from, before), &(to, after)) = (ringing.first()?, ringing.last()?);
        if to <= from || after >= before {
            return None;
        }
        let decay = (before / after).ln() / (to - from);
        let omega = TAU * study.problem.highest_frequency;
        let added = 2.0 * MULTIRATE_DAMPING * (omega * self.dt).powi(3) * omega;
        let (share, quality) = (added / decay, omega / decay);
        let percent = 100.0 * share;
        let sentence = if share <= MAX_ADDED {
            "Local steps add little to the decay of the fields.".to_owned()
        } else {
            format!(
                "up to {percent:.0} % of the decay at the end, that of a quality factor of {quality:.0} at the highest frequency, is due to local \
                 steps: resonances are too broad, and losses too large by as much; write `time_stepping = \"global\"` in [solve], or a \
                 smaller `courant`"
            )
        };
        Some(SelfCheck::at_most("damping by local steps", percent, 100.0 * MAX_ADDED, sentence).in_unit("%"))
    }

    /// Of the available power of the source, what is reflected, transmitted and radiated. In a lossless model nothing is missing; in any
    /// other it is at most all.
    fn power(&self, study: &Study) -> Option<SelfCheck> {
        let Balance { off, sum, frequency, limit, complete } = study.power_balance(self)?;
        let gigahertz = 1e-9 * frequency;
        let sentence = if off <= limit {
            "Reflected, transmitted and radiated power fit the power of the source.".to_owned()
        } else if sum > 1.0 {
            format!(
                "{sum:.4} of the available power leaves the model at {gigahertz:.4} GHz, more than the source delivers: S-parameters and gain \
                 are wrong; refine the mesh, set a longer `max_time` or a larger `energy_decay_db`, and check the ports"
            )
        } else {
            format!(
                "only {sum:.4} of the available power is reflected, transmitted or radiated at {gigahertz:.4} GHz, although nothing in the model \
                 absorbs: S-parameters, efficiency and gain are off by as much; refine the mesh at ports and sharp edges, set a longer \
                 `max_time` or a larger `energy_decay_db`, and check that only the two ends of a lumped port touch conductors, and that \
                 `modes` has all that a wave port's guide carries"
            )
        };
        let name = if complete { "power unaccounted for" } else { "power beyond that of the source" };
        Some(SelfCheck::at_most(name, off.max(0.0), limit, sentence))
    }

    /// What the ends of guides reflect, relative to what enters them, where that is not little: S-parameters of a single run are off by as
    /// much.
    fn terminations(&self, study: &Study) -> Option<SelfCheck> {
        let wave = |port: &usize| *port != self.excited && study.ports[*port].wave.is_some();
        let found = study.ports(self).into_iter().flat_map(|at| {
            let ports: Vec<usize> =
                (0..at.s.len()).filter(wave).filter(|&i| at.s[i].norm() > MIN_SENT).collect();
            ports.into_iter().map(move |i| (at.frequency, i, at.incident[i].norm() / at.s[i].norm()))
        });
        let (frequency, port, reflected) = found.max_by(|a, b| a.2.total_cmp(&b.2))?;
        let sentence = if reflected <= MAX_TERMINATION {
            "The ends of guides absorb what enters them.".to_owned()
        } else {
            format!(
                "the end of the guide at port {} reflects {reflected:.3} of the wave that enters it at {:.4} GHz: S-parameters are off by up to \
                 as much; `excite = \"all\"` removes this, and frequencies near a cut-off are best left out",
                port + 1,
                1e-9 * frequency
            )
        };
        Some(SelfCheck::at_most("reflection at the ends of guides", reflected, MAX_TERMINATION, sentence))
    }

    /// A lossless body scatters all the power that it removes from a plane wave.
    fn scattering(&self, study: &Study) -> Option<SelfCheck> {
        if study.monitors.far.is_empty() || self.spectra.is_empty() || !study.is_lossless(None) {
            return None;
        }
        let frequencies = study.problem.monitors.frequencies.iter().enumerate();
        let shares = frequencies.filter_map(|(i, f)| {
            study.total_cross_sections(self, i).and_then(|sections| sections.share()).map(|share| (*f, share))
        });
        let off = |share: f64| (share - 1.0).abs();
        let (frequency, share) = shares.max_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
        let sentence = if off(share) <= MAX_SCATTERING {
            "The body scatters what it removes from the wave.".to_owned()
        } else {
            format!(
                "the body scatters {share:.3} of the power that it removes from the wave at {:.4} GHz, although it is lossless: cross sections are \
                 off by as much; refine the mesh or raise the order",
                1e-9 * frequency
            )
        };
        Some(SelfCheck::at_most("scattered less removed power", off(share), MAX_SCATTERING, sentence))
    }

    /// Snapshots after the end of a run that stopped early are missing.
    fn snapshots_saved(&self, study: &Study) -> Option<SelfCheck> {
        let requested = &study.problem.monitors.snapshots;
        // A later run of several ports has none.
        if requested.is_empty() || self.snapshots.is_empty() {
            return None;
        }
        let end = self.start + (self.steps as f64 + 0.5) * self.dt;
        let missed = requested.iter().filter(|&&time| time > end).count();
        let sentence = if missed == 0 {
            "The run has all snapshots.".to_owned()
        } else {
            format!(
                "the fields had decayed at {:.4} ns, before {missed} of {} snapshots, which are left out; `energy_decay_db = false` in [solve] \
                 runs on until `max_time`",
                1e9 * end,
                requested.len()
            )
        };
        Some(SelfCheck::at_most("snapshots left out", missed as f64, 0.0, sentence))
    }
}
