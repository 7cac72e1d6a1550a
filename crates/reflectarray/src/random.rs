//! Random starts of the modal stage: low modes of phases and places, in a box around a design.

use crate::positions::PositionMap;
use crate::problem::Design;
use crate::search::Run;
use crate::stages::RANDOM_ORDER;
use crate::unknowns::Unknowns;
use crate::zernike::Modes;

/// Half the width of the box, rad, for phase modes of order 1; 1/n of it for order n.
const REACH: f64 = 6.0;

/// Places in the box [-1, 1]ⁿ, and the designs there.
pub(crate) struct RandomStarts<'a> {
    base: &'a Design,
    modes: &'a Modes,
    count: usize,
    map: Option<PositionMap>,
    /// Half the width of the box along each unknown.
    pub reach: Vec<f64>,
}

impl<'a> RandomStarts<'a> {
    pub fn new(run: &Run<'_>, base: &'a Design, modes: &'a Modes) -> Self {
        let low = RANDOM_ORDER.min(run.problem.synthesis.zernike_order);
        let count = modes.up_to(low);
        let map = run.map(base, low);
        let mut reach: Vec<f64> = modes.orders[..count].iter().map(|n| REACH / *n as f64).collect();
        if let (Some(map), Some(bounds)) = (&map, run.bounds) {
            // c P_d(ξ) changes the distance of neighbors by at most c (2/(n − 1)) d(d + 1)/2: to half the width of the bounds.
            let sides = base.shape().into_iter().max().unwrap_or(1) as f64 - 1.0;
            let width = (bounds.max - bounds.min) / run.problem.wavelength();
            let of = |degree: &usize| 0.5 * width * sides / (degree * (degree + 1)) as f64;
            let along: Vec<f64> = map.degrees.iter().map(of).collect();
            reach.extend(along.repeat(2));
        }
        Self { base, modes, count, map, reach }
    }

    /// The design at a point of the box, within the bounds on distances.
    pub fn design(&self, run: &Run<'_>, unit: &[f64]) -> Design {
        let place: Vec<f64> = unit.iter().zip(&self.reach).map(|(u, r)| u * r).collect();
        let modes = Some((self.modes, self.count));
        let mut design = Unknowns::new(run.focus, self.base, modes, self.map.as_ref()).design(&place);
        run.put_within_bounds(&mut design);
        design
    }

    /// The point of the box that a search ends at, after these steps of the unknowns.
    pub fn moved(&self, unit: &[f64], steps: &[f64]) -> Vec<f64> {
        unit.iter().zip(steps).zip(&self.reach).map(|((u, step), r)| u + step / r).collect()
    }
}
