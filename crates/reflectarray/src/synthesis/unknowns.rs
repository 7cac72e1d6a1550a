//! Unknowns of the optimizer: from their values to a design, and the gradient back by the chain rule.
//!
//! ```text
//! ψ_n = β(r_n − u₀ x_n − v₀ y_n) + ζ_n
//! ```
//!
//! The bracket focuses the beam on the center (u₀, v₀) of the coverage wherever the elements are, so that moving them stretches the
//! pattern about that direction instead of defocusing it. All unknowns are changes from a base design, initially zero.

use super::position_map::PositionMap;
use super::zernike::Modes;
use crate::evaluation::Evaluation;
use crate::illumination::Illumination;
use crate::parallel::BLOCK;
use crate::problem::{Design, Problem};
use phasefront_core::constants::wavenumber;
use phasefront_device::cpu::team;

/// Scaling of the position coefficients, wavelengths per unit, which preconditions L-BFGS: the spacing penalty is then about as steep in
/// a coefficient as the pattern is in a phase. Measured on 44 by 44 elements over North America: D_min within 0.1 dB for 0.05 to 0.2,
/// and 0.4 dB lower for 1.
const POSITION_UNIT: f64 = 0.1;

/// Modes whose products with a gradient are summed side by side: the latency of the additions of one hides those of the others.
const MODES: usize = 8;

/// The focusing part of the phases, a function of the positions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Focus {
    pub illumination: Illumination,
    beta: f64,
    pub center: [f64; 2],
}

impl Focus {
    pub fn new(problem: &Problem, center: [f64; 2]) -> Self {
        let frequency = problem.frequencies[0];
        Self { illumination: Illumination::new(problem.feed, frequency), beta: wavenumber(frequency), center }
    }

    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// β(r − u₀ x − v₀ y)
    pub fn phase(&self, x: f64, y: f64) -> f64 {
        self.beta * (self.illumination.distance(x, y) - self.center[0] * x - self.center[1] * y)
    }

    /// ζ of a design: its phases minus the focusing part.
    pub fn residual(&self, design: &Design) -> Vec<f64> {
        let positions = design.x.iter().zip(&design.y);
        design.phase.iter().zip(positions).map(|(phase, (&x, &y))| phase - self.phase(x, y)).collect()
    }
}

/// The unknowns of one search.
#[derive(Debug, Clone)]
pub(crate) struct Unknowns<'a> {
    focus: Focus,
    base: &'a Design,
    zeta: Vec<f64>,
    /// The focusing part of the base design's phases.
    focusing: Vec<f64>,
    /// The leading modes and their number; none if every phase is an unknown of its own.
    modes: Option<(&'a Modes, usize)>,
    /// The position map; none if the positions are fixed.
    pub map: Option<&'a PositionMap>,
}

impl<'a> Unknowns<'a> {
    pub fn new(
        focus: Focus,
        base: &'a Design,
        modes: Option<(&'a Modes, usize)>,
        map: Option<&'a PositionMap>,
    ) -> Self {
        let focusing = base.x.iter().zip(&base.y).map(|(&x, &y)| focus.phase(x, y)).collect();
        Self { focus, base, zeta: focus.residual(base), focusing, modes, map }
    }

    pub fn len(&self) -> usize {
        self.phases() + self.map.map_or(0, |map| 2 * map.len())
    }

    fn phases(&self) -> usize {
        self.modes.map_or(self.zeta.len(), |(_, count)| count)
    }

    /// The element whose phase is unknown `i`, if it is a single phase.
    pub fn phase_of(&self, i: usize) -> Option<usize> {
        (self.modes.is_none() && i < self.zeta.len()).then_some(i)
    }

    fn unit(&self) -> f64 {
        POSITION_UNIT * std::f64::consts::TAU / self.focus.beta
    }

    /// The design for values p of the unknowns.
    pub fn design(&self, p: &[f64]) -> Design {
        let mut design = self.base.clone();
        self.update(p, &mut design);
        design
    }

    /// The same in place of a design for other values.
    pub fn update(&self, p: &[f64], design: &mut Design) {
        let (phases, positions) = p.split_at(self.phases());
        // Positions first: the focusing phase below depends on them.
        if let Some(map) = self.map {
            // From the base design at every call: rounding does not accumulate over a search.
            design.x.clone_from(&self.base.x);
            design.y.clone_from(&self.base.y);
            let moves: Vec<f64> = positions.iter().map(|c| c * self.unit()).collect();
            map.add(&moves[..map.len()], &mut design.x);
            map.add(&moves[map.len()..], &mut design.y);
        }
        let Design { x, y, phase, .. } = design;
        // Long blocks of the many modes are read faster. Nothing is summed over a block.
        let size = if self.modes.is_some() { 8 * BLOCK } else { BLOCK };
        team::map_mut(size, &mut phase[..], |first, phase: &mut [f64]| {
            let own = first..first + phase.len();
            phase.copy_from_slice(&self.zeta[own.clone()]);
            match self.modes {
                None => add(phase, 1.0, &phases[own.clone()]),
                Some((modes, _)) => modes
                    .values
                    .iter()
                    .zip(phases)
                    .for_each(|(values, c)| add(phase, *c, &values[own.clone()])),
            }
            if self.map.is_none() {
                return add(phase, 1.0, &self.focusing[own]);
            }
            let positions = x[own.clone()].iter().zip(&y[own]);
            phase.iter_mut().zip(positions).for_each(|(phase, (&x, &y))| *phase += self.focus.phase(x, y));
        });
    }

    /// Chain rule: the gradient in the unknowns from that in phases and positions at a design.
    pub fn gradient(&self, design: &Design, e: Evaluation) -> Vec<f64> {
        let of_phases = match self.modes {
            None if self.map.is_none() => return e.phase,
            None => e.phase.clone(),
            Some((modes, count)) => {
                let mut sums = vec![0.0; count];
                team::map_mut(MODES, &mut sums[..], |first, sums: &mut [f64]| {
                    dot_of_modes(&modes.values[first..], &e.phase, sums);
                });
                sums
            }
        };
        let mut gradient: Vec<f64> = of_phases;
        if let Some(map) = self.map {
            // Positions enter directly and through the focusing phase: ∂ψ/∂x = β(x/r − u₀), and for
            // y with y + y_off = r ∂r/∂y.
            let Focus { illumination, beta, center } = self.focus;
            let along = |n: usize| illumination.distance_gradient(design.x[n], design.y[n]);
            let through_phase = |n: usize, axis: usize| beta * (along(n)[axis] - center[axis]) * e.phase[n];
            let x: Vec<f64> = (0..e.x.len()).map(|n| self.unit() * (e.x[n] + through_phase(n, 0))).collect();
            let y: Vec<f64> = (0..e.y.len()).map(|n| self.unit() * (e.y[n] + through_phase(n, 1))).collect();
            gradient.extend(map.coefficient_gradient(&x));
            gradient.extend(map.coefficient_gradient(&y));
        }
        gradient
    }
}

/// Σ_n z_n g_n of up to [`MODES`] modes z, each in the order of the elements.
fn dot_of_modes(modes: &[Vec<f64>], g: &[f64], sums: &mut [f64]) {
    let mut all = [0.0; MODES];
    // The last mode again in place of those that are missing: loops of a fixed length.
    let modes: [&[f64]; MODES] = std::array::from_fn(|k| &modes[k.min(sums.len() - 1)][..g.len()]);
    for (n, g) in g.iter().enumerate() {
        for (sum, mode) in all.iter_mut().zip(modes) {
            *sum += mode[n] * g;
        }
    }
    sums.copy_from_slice(&all[..sums.len()]);
}

/// a + factor b
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}
