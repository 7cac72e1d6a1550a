//! Initial guess of a synthesis: positions and smooth phase fronts, before any search.

use super::position_map::place_uniformly;
use super::run::{Run, SPACING_MARGIN};
use super::space_taper::space_tapered;
use super::transport::{DiscreteMeasure, optimal_transport};
use crate::checkpoint::SynthesisStage;
use crate::error::ReflectarrayError;
use crate::problem::Design;

impl Run<'_> {
    /// Phase fronts by optimal transport, convex and concave. Free positions are spaced as wide as allowed, since directivity grows with the
    /// aperture and excludes spillover; then space-tapered to the amplitudes of a continuous aperture.
    pub fn initial_guess(&mut self) -> Result<(), ReflectarrayError> {
        let _stage = self.progress.stage(SynthesisStage::Start.name(), None, "fronts");
        let mut regular = self.problem.lattice.design();
        if let Some(bounds) = self.bounds {
            place_uniformly(&mut regular, bounds.tightened(SPACING_MARGIN).max);
        }
        // Convex and concave fronts lead to different local minima: both are candidates.
        for mirrored in [false, true] {
            self.progress.check()?;
            self.add_front(regular.clone(), mirrored)?;
        }
        let Some(bounds) = self.bounds else { return Ok(()) };
        for (front, mirrored) in self.state.designs.clone().iter().zip([false, true]) {
            self.progress.check()?;
            let design = space_tapered(self.problem, front, &self.mask, bounds.tightened(SPACING_MARGIN))?;
            self.add_front(design, mirrored)?;
        }
        Ok(())
    }

    /// Adds the design with the phases that transport its power to the coverage.
    fn add_front(&mut self, mut design: Design, mirrored: bool) -> Result<(), ReflectarrayError> {
        let positions: Vec<[f64; 2]> = design.x.iter().zip(&design.y).map(|(x, y)| [*x, *y]).collect();
        // The measure of the aperture is power, |f|².
        let power = |p: &[f64; 2]| self.focus.illumination.amplitude(p[0], p[1]).powi(2);
        let power: Vec<f64> = positions.iter().map(power).collect();
        let front = optimal_transport(&DiscreteMeasure::new(positions, &power), &self.target, mirrored);
        // By stationary phase the direction is ∇φ relative to the focus, for a phase of −βφ.
        let phase =
            |((&x, &y), front): ((&f64, &f64), &f64)| self.focus.phase(x, y) - self.focus.beta() * front;
        design.phase = design.x.iter().zip(&design.y).zip(&front).map(phase).collect();
        self.update_best(&design)?;
        self.state.designs.push(design);
        Ok(())
    }
}
