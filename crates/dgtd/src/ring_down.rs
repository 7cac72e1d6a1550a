//! Resonances in what rings at probes and ports after the sources have ended.

use crate::resonances::{Record, Resonance, merge, resonances};
use crate::solve::Solution;
use crate::study::Study;
use phasefront_core::constants::ETA0;

/// Fields at a probe.
const FIELDS: usize = 6;

/// A time series of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// A field at a probe: index of the probe, and component of E and H.
    Probe(usize, usize),
    /// The voltage at a port, by its index.
    Port(usize),
}

impl Study {
    /// The resonances in a band, Hz, with the time series that shows each best, from all runs of a case.
    pub fn resonances(&self, solutions: &[Solution], band: [f64; 2]) -> Vec<(Resonance, Series)> {
        let mut all = Vec::new();
        for solution in solutions {
            for resonance in resonances(&self.ringing(solution), solution.dt, band) {
                merge(&mut all, resonance);
            }
        }
        all.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
        let probes = self.problem.monitors.probes.len();
        let named = |mut resonance: Resonance| {
            let Resonance { channel, .. } = resonance;
            let series = if channel < FIELDS * probes {
                Series::Probe(channel / FIELDS, channel % FIELDS)
            } else {
                Series::Port(channel - FIELDS * probes)
            };
            if matches!(series, Series::Probe(_, 3..)) {
                resonance.amplitude /= ETA0;
            }
            (resonance, series)
        };
        all.into_iter().map(named).collect()
    }

    /// Time at which the record of the ring-down begins, s.
    pub fn ring_down_start(&self) -> f64 {
        if self.problem.sources.initial.is_some() { 0.0 } else { self.source_end() }
    }

    /// What is left of the time series after the sources have ended: E and η₀H at each probe, and the voltage at each port.
    fn ringing(&self, solution: &Solution) -> Vec<Record> {
        let steps = (self.ring_down_start() - solution.start) / solution.dt;
        let skipped = steps.max(0.0).ceil() as usize;
        let probe = |i: usize| {
            let fields = self.probe(solution, i);
            let channel = |c: usize| {
                let scale = if c < 3 { 1.0 } else { ETA0 };
                fields.iter().skip(skipped).map(|field| scale * field[c]).collect()
            };
            Record { channels: (0..FIELDS).map(channel).collect() }
        };
        let port = |i: usize| {
            let voltage = self.voltage(solution, i).into_iter().skip(skipped).collect();
            Record { channels: vec![voltage] }
        };
        let (probes, ports) = (self.problem.monitors.probes.len(), self.problem.sources.ports.len());
        (0..probes).map(probe).chain((0..ports).map(port)).collect()
    }
}
