//! Incident fields in time: at each point some delayed copies of the pulse, with real amplitudes.

use crate::problem::PlaneWave;
use crate::recorded_field::EquivalentCurrents;
use crate::synthesis::Synthesis;
use glam::DVec3;
use phasefront_core::constants::C0;
use rayon::prelude::*;
use std::collections::HashMap;

/// Positions closer than this are one, m: a face is computed from both of its sides, with different rounding.
const SAME: f64 = 1e-9;

/// A copy of the pulse at a point.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// Delay of the pulse, s.
    pub delay: f64,
    /// E times this copy, V/m.
    pub e: DVec3,
    /// η₀H.
    pub h: DVec3,
}

/// Incident signals at points.
pub enum Signals<'a> {
    /// One copy that passes the origin at the pulse's own time; with phase velocity and impedance relative to vacuum.
    Wave { wave: &'a PlaneWave, speed: f64, impedance: f64 },
    /// The near field of a file.
    Near(NearSignals),
}

impl Signals<'_> {
    /// Copies of the pulse at each point.
    pub fn copies(&self) -> usize {
        match self {
            Self::Wave { .. } => 1,
            Self::Near(near) => near.delays.len(),
        }
    }

    /// A copy at a point.
    pub fn at(&self, position: DVec3, copy: usize) -> Signal {
        match *self {
            Self::Wave { wave, speed, impedance } => {
                let (along, e) = (DVec3::from(wave.propagation), DVec3::from(wave.polarization));
                Signal { delay: along.dot(position) / (speed * C0), e, h: along.cross(e) / impedance }
            }
            Self::Near(ref near) => near.at(position, copy),
        }
    }
}

/// The signals of equivalent currents, at points of a TF/SF surface.
pub struct NearSignals {
    delays: Vec<f64>,
    points: HashMap<[i64; 3], usize>,
    /// E and η₀H: [point][copy].
    amplitudes: Vec<[f64; 6]>,
}

impl NearSignals {
    /// At these positions and no others.
    pub fn new(
        currents: &EquivalentCurrents,
        synthesis: &Synthesis,
        positions: impl Iterator<Item = DVec3>,
    ) -> Self {
        let (mut points, mut distinct) = (HashMap::new(), Vec::new());
        for position in positions {
            points.entry(key(position)).or_insert_with(|| {
                distinct.push(position);
                distinct.len() - 1
            });
        }
        let copies = synthesis.delays.len();
        let of_point = |position: &DVec3| {
            let fields = currents.fields_at(*position);
            let mut amplitudes = vec![[0.0; 6]; copies];
            for component in 0..6 {
                let found = synthesis.amplitudes(|f| fields[f][component]);
                amplitudes.iter_mut().zip(found).for_each(|(copy, amplitude)| copy[component] = amplitude);
            }
            amplitudes
        };
        let amplitudes = distinct.par_iter().flat_map_iter(of_point).collect();
        Self { delays: synthesis.delays.clone(), points, amplitudes }
    }

    fn at(&self, position: DVec3, copy: usize) -> Signal {
        let point = self.points[&key(position)];
        let [ex, ey, ez, hx, hy, hz] = self.amplitudes[point * self.delays.len() + copy];
        Signal { delay: self.delays[copy], e: DVec3::new(ex, ey, ez), h: DVec3::new(hx, hy, hz) }
    }
}

fn key(position: DVec3) -> [i64; 3] {
    position.to_array().map(|x| (x / SAME).round() as i64)
}
