//! Interim: the solution of a synthesis, until `solve` gives one itself.

use crate::illumination::Illumination;
use crate::objective::{Objective, Wanted};
use crate::{Checkpoint, CoverageFigures, Pattern, ReflectarrayError, Solution, Study};
use phasefront_core::Progress;
use phasefront_device::Backend;

impl Study {
    /// Finds the design and its pattern.
    pub fn solve(
        &self,
        backend: &Backend,
        progress: &Progress,
        resume: Option<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> std::io::Result<()>,
    ) -> Result<Solution, ReflectarrayError> {
        let (design, state, interrupted) = if self.problem.synthesis.method == crate::Method::Analysis {
            (self.problem.start(), None, false)
        } else {
            let (design, state, interrupted) = self.synth(backend, progress, resume, save)?;
            (design, Some(state), interrupted)
        };
        let mut objective = Objective::new(&self.problem, backend)?;
        let value = objective.evaluate(&design, Wanted::None)?.value;
        let figures = objective.figures();
        let n = objective.pattern().intensity.len() / self.problem.frequencies.len();
        let patterns = self
            .problem
            .frequencies
            .iter()
            .enumerate()
            .map(|(i, &frequency)| {
                let view = objective.pattern();
                let scale = view.scale[i];
                let level = |name: &str, f: &crate::Levels| CoverageFigures {
                    region: name.into(),
                    samples: 1,
                    d_mean: f.d_mean,
                    d_min: f.d_min,
                    share_within_mask: 1.0,
                };
                let coverage =
                    if self.problem.coverage.is_empty() { vec![] } else { vec![level("all", &figures.all)] };
                Pattern {
                    frequency,
                    d_co: view.intensity[i * n..(i + 1) * n]
                        .iter()
                        .map(|e| 10.0 * (e * scale).log10())
                        .collect(),
                    d_cross: None,
                    e_co: objective.field(i).iter().map(|e| e * scale.sqrt()).collect(),
                    e_cross: None,
                    coverage,
                }
            })
            .collect();
        let wave = Illumination::new(self.problem.feed, self.problem.frequencies[0]);
        let amplitude = design.x.iter().zip(&design.y).map(|(&x, &y)| wave.amplitude(x, y)).collect();
        let spacing = design.spacing().map(|d| d / self.problem.wavelength());
        Ok(Solution {
            amplitude,
            design,
            patterns,
            history: state.as_ref().map_or_else(Vec::new, |s| s.history.clone()),
            objective: value,
            evaluations: objective.evaluations(),
            spacing,
            spillover: 0.0,
            taper_efficiency: 1.0,
            sensitivity: None,
            interrupted,
        })
    }
}
