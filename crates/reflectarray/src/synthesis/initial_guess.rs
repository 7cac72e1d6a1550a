//! Initial guess of a synthesis: positions and smooth phase fronts, before any search.

use super::coordinator::Coordinator;
use super::position_map::place_uniformly;
use super::run::{Run, SPACING_MARGIN};
use super::space_taper::space_tapered;
use super::transport::{DiscreteMeasure, optimal_transport};
use crate::checkpoint::SynthesisStage;
use crate::error::ReflectarrayError;
use crate::problem::Design;

impl Coordinator<'_> {
    /// Phase fronts by optimal transport, convex and concave. Free positions are spaced as wide as allowed, since directivity grows with the
    /// aperture and excludes spillover; then space-tapered to the amplitudes of a continuous aperture.
    pub fn initial_guess(&mut self) -> Result<(), ReflectarrayError> {
        let progress = self.run.progress;
        let stage = progress.stage(SynthesisStage::Start.name(), None, "fronts");
        let mut regular = self.run.problem.lattice.design();
        if let Some(bounds) = self.run.bounds {
            place_uniformly(&mut regular, bounds.tightened(SPACING_MARGIN).max);
        }
        if self.run.state.round == 0 {
            // By all threads, and once: the tasks share what P_rad needs of the positions.
            self.run.objective.update_power(&regular)?;
            // Convex and concave fronts lead to different local minima: both are candidates.
            let fronts = self.round(2, (&stage, 1), |run, task| run.add_front(regular.clone(), task == 1))?;
            self.run.state.designs.extend(fronts.into_iter().flat_map(|state| state.designs));
            self.end_round();
        }
        let Some(bounds) = self.run.bounds.filter(|_| self.run.state.round == 1) else { return Ok(()) };
        let fronts = self.run.state.designs.clone();
        let tapered = self.round(fronts.len(), (&stage, 1), |run, task| {
            let bounds = bounds.tightened(SPACING_MARGIN);
            let design = space_tapered(run.problem, &fronts[task], &run.mask, bounds)?;
            run.add_front(design, task == 1)
        })?;
        self.run.state.designs.extend(tapered.into_iter().flat_map(|state| state.designs));
        self.end_round();
        Ok(())
    }
}

impl Run<'_> {
    /// Adds the design with the phases that transport its power to the coverage.
    fn add_front(&mut self, mut design: Design, mirrored: bool) -> Result<(), ReflectarrayError> {
        self.progress.check()?;
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
