//! Random initial guesses of the modal stage (multistart): low-order modes of phases and positions, in a box around a design.

use super::position_map::PositionMap;
use super::run::Run;
use super::unknowns::Unknowns;
use super::zernike::Modes;
use crate::problem::Design;

/// Maximum order of the modes in which random initial guesses differ, of phases (tilt, defocus, astigmatism, coma, trefoil) and positions.
pub(super) const RANDOM_ORDER: usize = 3;
/// Half width of the box, rad, for phase modes of order 1; 1/n of it for order n.
const HALF_WIDTH: f64 = 6.0;

/// The box [-1, 1]ⁿ and the designs of its points.
pub(crate) struct RandomStarts<'a> {
    base: &'a Design,
    modes: &'a Modes,
    count: usize,
    map: Option<PositionMap>,
    /// Half width of the box along each unknown.
    pub half_widths: Vec<f64>,
}

impl<'a> RandomStarts<'a> {
    pub fn new(run: &Run<'_>, base: &'a Design, modes: &'a Modes) -> Self {
        let low = RANDOM_ORDER.min(run.problem.synthesis.zernike_order);
        let count = modes.up_to(low);
        let map = run.position_map(base, low);
        let mut half_widths: Vec<f64> =
            // High orders are less likely to be large: their share of the box shrinks.
            modes.orders[..count].iter().map(|n| HALF_WIDTH / *n as f64).collect();
        if let (Some(map), Some(bounds)) = (&map, run.bounds) {
            // c P_d(ξ) changes the distance of neighbors by at most c (2/(n − 1)) d(d + 1)/2: limited to half the width of the bounds.
            let sides = base.shape().into_iter().max().unwrap_or(1) as f64 - 1.0;
            let width = (bounds.max - bounds.min) / run.problem.wavelength();
            let of = |degree: &usize| 0.5 * width * sides / (degree * (degree + 1)) as f64;
            let along: Vec<f64> = map.degrees.iter().map(of).collect();
            half_widths.extend(along.repeat(2));
        }
        Self { base, modes, count, map, half_widths }
    }

    /// The design at a point of the box, projected onto the spacing bounds.
    pub fn design(&self, run: &Run<'_>, unit: &[f64]) -> Design {
        let values: Vec<f64> = unit.iter().zip(&self.half_widths).map(|(u, r)| u * r).collect();
        let modes = Some((self.modes, self.count));
        let mut design =
            Unknowns::new(run.focus.clone(), self.base, modes, self.map.as_ref()).design(&values);
        run.enforce_spacing(&mut design);
        design
    }

    /// The point of the box that a search from `unit` ends at, given the final values of its unknowns.
    pub fn moved(&self, unit: &[f64], steps: &[f64]) -> Vec<f64> {
        // Steps may leave the box: minima outside of it count as well.
        unit.iter().zip(steps).zip(&self.half_widths).map(|((u, step), r)| u + step / r).collect()
    }
}
