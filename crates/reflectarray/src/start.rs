//! The start of a synthesis: places and smooth phase fronts, before any search.

use crate::checkpoint::SynthesisStage;
use crate::error::ReflectarrayError;
use crate::mask::Mask;
use crate::positions::spread;
use crate::presynthesis::{Cloud, transport};
use crate::problem::{Design, Problem};
use crate::search::{Run, SPACING_EDGE};
use crate::taper::tapered;

/// The middle of the coverage, weighted with what is asked there.
pub(crate) fn target(problem: &Problem, mask: &Mask) -> Cloud {
    let (u, v) = (problem.window.u(), problem.window.v());
    let point = |&i: &usize| [u[i % u.len()], v[i / u.len()]];
    let weights: Vec<f64> = mask.covered.iter().map(|&i| mask.lower[i]).collect();
    Cloud::new(mask.covered.iter().map(point).collect(), &weights)
}

impl Run<'_> {
    /// Fronts by optimal transport, convex and concave; positions, if they are free, as wide as allowed, since directivity grows with the
    /// aperture and the power that misses it is not counted, and tapered as a continuous aperture asks.
    pub fn start(&mut self) -> Result<(), ReflectarrayError> {
        let _stage = self.progress.stage(SynthesisStage::Start.name(), None, "fronts");
        let mut even = self.problem.lattice.design();
        if let Some(bounds) = self.bounds {
            spread(&mut even, bounds.within(SPACING_EDGE).max);
        }
        for mirrored in [false, true] {
            self.progress.check()?;
            self.add_front(even.clone(), mirrored)?;
        }
        let Some(bounds) = self.bounds else { return Ok(()) };
        for (front, mirrored) in self.state.designs.clone().iter().zip([false, true]) {
            self.progress.check()?;
            let design = tapered(self.problem, front, &self.asked, bounds.within(SPACING_EDGE))?;
            self.add_front(design, mirrored)?;
        }
        Ok(())
    }

    /// Adds the design with the phases that carry its power onto the coverage.
    fn add_front(&mut self, mut design: Design, mirrored: bool) -> Result<(), ReflectarrayError> {
        let places: Vec<[f64; 2]> = design.x.iter().zip(&design.y).map(|(x, y)| [*x, *y]).collect();
        let power = |p: &[f64; 2]| self.focus.illumination.amplitude(p[0], p[1]).powi(2);
        let power: Vec<f64> = places.iter().map(power).collect();
        let front = transport(&Cloud::new(places, &power), &self.target, mirrored);
        let phase =
            |((&x, &y), front): ((&f64, &f64), &f64)| self.focus.phase(x, y) - self.focus.beta() * front;
        design.phase = design.x.iter().zip(&design.y).zip(&front).map(phase).collect();
        self.consider(&design)?;
        self.state.designs.push(design);
        Ok(())
    }
}
