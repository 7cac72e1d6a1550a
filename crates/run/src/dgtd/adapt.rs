//! Adaptation to `solve.accuracy`: passes with finer meshes, or where the mesh is given with higher orders.

use super::DgtdJob;
use super::error::solver_error;
use super::estimate::{Asked, Estimate, Pass};
use super::runs::Runs;
use super::saving::{Interrupted, save_passes, shared};
use super::tables;
use crate::error::SolverError;
use crate::input::{InputFolder, digest};
use crate::job::{Context, Products};
use crate::memory::{MemoryUse, memory_uses};
use phasefront_case::model::dgtd::MAX_ORDER;
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, SelfCheck};
use phasefront_dgtd::{DgtdError, Solution};
use phasefront_mesh::drawing::{SizeView, size_view};

/// Part of the dissipation whose elements are refined (W. Dörfler, *SIAM J. Numer. Anal.* 33, 1106, 1996).
const MARKED_SHARE: f64 = 0.8;

/// Time of a pass relative to the one before it: twice to three times the elements, and steps half as long.
const COST_RATIO: f64 = 5.0;

/// Time of so many passes relative to the first.
pub(super) fn cost(passes: u32) -> f64 {
    (0..passes).map(|pass| COST_RATIO.powi(pass as i32)).sum()
}

impl DgtdJob {
    /// Solves the case in passes until the estimated error is at most `accuracy`.
    pub(super) fn adapt(
        &self,
        accuracy: f64,
        mut interrupted: Option<Interrupted<'_>>,
        context: &Context<'_>,
    ) -> Result<Products, SolverError> {
        let mut passes = interrupted.as_mut().map(Interrupted::take_passes).unwrap_or_default();
        let mut later: Option<Self> = None;
        for pass in &passes {
            let next = later.as_ref().unwrap_or(self).next(pass, context)?;
            later = Some(next.ok_or_else(|| {
                let lost = "the mesh of the pass that was interrupted cannot be made again";
                SolverError::Run(context.checkpoints.refusal(lost))
            })?);
        }
        loop {
            let job = later.as_ref().unwrap_or(self);
            context.progress.note(&format!(
                "pass {}: {} elements of order {}",
                passes.len() + 1,
                job.study.mesh().tets.len(),
                job.case.solve.order
            ));
            let Some(runs) = job.runs(interrupted.take(), &passes, context)? else {
                return Ok(Products { interrupted: true, ..Products::default() });
            };
            // Rank 0 has the results, and tells the others what it has found.
            let own = if context.comm.rank() == 0 { vec![job.pass(&runs)] } else { Vec::new() };
            passes.extend(shared(context.comm, &own).map_err(SolverError::Run)?);
            let estimate = match &passes[..] {
                [.., before, last] => Some(Estimate::new(before, last)),
                _ => None,
            };
            let reached = estimate.as_ref().is_some_and(|estimate| estimate.error <= accuracy);
            self.tell(&passes, estimate.as_ref(), context);
            let ends = reached || passes.len() >= self.case.solve.max_passes as usize;
            let next = if ends {
                None
            } else {
                save_passes(&passes, context);
                job.next(&passes[passes.len() - 1], context)?
            };
            // The user may stop while the mesh is made; only rank 0 knows.
            let stops = next.is_none() && !ends && context.progress.check().is_err();
            if context.comm.max(f64::from(u8::from(stops)))? > 0.0 {
                return Ok(Products { interrupted: true, ..Products::default() });
            }
            match next {
                Some(next) => later = Some(next),
                None if context.comm.rank() > 0 => return Ok(Products::default()),
                None => return Ok(job.adapted(&runs, &passes, estimate.as_ref(), accuracy)),
            }
        }
    }

    /// Says how a pass has ended.
    fn tell(&self, passes: &[Pass], estimate: Option<&Estimate>, context: &Context<'_>) {
        let Some(last) = passes.last() else { return };
        let [x, y, z] = last.place;
        let matched: Vec<String> = last
            .asked
            .matches
            .iter()
            .filter(|f| f.is_finite())
            .map(|f| format!(", best match at {:.5} GHz", 1e-9 * f))
            .collect();
        let error = estimate
            .map_or(String::new(), |estimate| format!(", estimated error {:.2} %", 100.0 * estimate.error));
        context.progress.note(&format!(
            "pass {}: the mesh dissipates {:.1e} J, most at ({x:.4}, {y:.4}, {z:.4}) m{}{error}",
            passes.len(),
            last.dissipated,
            matched.concat()
        ));
    }

    /// The results of the last pass, with their errors.
    fn adapted(&self, runs: &Runs, passes: &[Pass], estimate: Option<&Estimate>, accuracy: f64) -> Products {
        let mut products = self.products(runs, estimate);
        products.tables.push((tables::passes(passes), "passes of the adaptation"));
        products.metrics.insert("passes".into(), passes.len() as f64);
        let Some(estimate) = estimate else { return products };
        products.metrics.insert("estimated_error_percent".into(), 100.0 * estimate.error);
        let found = passes.last().map(|last| &last.asked.matches[..]).unwrap_or_default();
        let known =
            found.iter().zip(&estimate.matches).enumerate().filter(|(_, (_, error))| error.is_finite());
        for (i, (at, error)) in known {
            let port = self.excited[i] + 1;
            products.metrics.insert(format!("resonance{port}_hz"), at + error);
            products.metrics.insert(format!("resonance{port}_error_hz"), error.abs());
        }
        let percent = 100.0 * estimate.error;
        let sentence = if estimate.error <= accuracy {
            format!("The error of the last pass is estimated to be {percent:.2} %.")
        } else {
            format!(
                "the error is estimated to be {percent:.2} % after {} passes, more than the accuracy that is asked for; \
                 allow more with `max_passes` in [solve]",
                passes.len()
            )
        };
        let check = SelfCheck::at_most("estimated error", percent, 100.0 * accuracy, sentence);
        products.self_checks.push(check.in_unit("%"));
        products
    }

    /// The pass that these runs make.
    pub(super) fn pass(&self, runs: &Runs) -> Pass {
        let dissipated = dissipated(&runs.solutions);
        let marked = marked(&dissipated);
        let sizes = self.drawn.map(|(far, unit)| size_view(self.study.mesh(), &marked, far, unit));
        Pass {
            order: u64::from(self.case.solve.order),
            elements: dissipated.len() as u64,
            dissipated: dissipated.iter().sum(),
            place: self.most(&dissipated),
            asked: Asked::new(&self.study, &runs.solutions, &self.case.output),
            sizes: sizes.unwrap_or_default(),
        }
    }

    /// The job of the next pass; none if nothing can be refined any more, or memory is short.
    pub(super) fn next(&self, pass: &Pass, context: &Context<'_>) -> Result<Option<Self>, SolverError> {
        let (mut case, mut views) = (self.case.clone(), self.views.clone());
        if self.drawn.is_some() {
            views.push(SizeView { digest: digest(pass.sizes.as_bytes()), text: pass.sizes.clone() });
        } else if case.solve.order < MAX_ORDER {
            case.solve.order += 1;
        } else {
            return Ok(None);
        }
        let folder = InputFolder::watched(&self.inputs, context.progress);
        let next = match Self::with_sizes(&case, views, &folder) {
            // What the passes so far have found is not lost.
            Err(SolverError::Field(FieldError { message, .. })) => {
                context.progress.warn(&format!(
                    "the mesh of the next pass cannot be made, and the adaptation ends here: {message}"
                ));
                None
            }
            Err(_) if context.progress.check().is_err() => None,
            made => Some(made?),
        };
        let next = match next {
            Some(next) if next.fits(context)? => Some(next),
            _ => None,
        };
        // One rank without it ends the adaptation of all.
        let lacks = context.comm.max(f64::from(u8::from(next.is_none())))?;
        Ok(next.filter(|_| lacks == 0.0))
    }

    /// The middle of the element with the largest value.
    fn most(&self, values: &[f64]) -> [f64; 3] {
        let most = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
        let corners = self.study.mesh().corners(most);
        std::array::from_fn(|axis| corners.iter().map(|corner| 0.25 * corner[axis]).sum())
    }

    /// Whether the memory suffices.
    fn fits(&self, context: &Context<'_>) -> Result<bool, SolverError> {
        let Context { backend, others, comm, progress, .. } = *context;
        let uses = memory_uses(self, backend, others.len(), comm).map_err(DgtdError::from);
        let short = uses.map_err(|error| solver_error(error, false))?.into_iter().find(|usage| !usage.fits());
        if let Some(MemoryUse { place, needed_bytes, free_bytes }) = &short {
            let [needed, free] = [*needed_bytes, *free_bytes].map(bytes_text);
            progress.warn(&format!(
                "the next pass needs {needed} of {place} memory, and {free} are free: the adaptation ends here"
            ));
        }
        Ok(short.is_none())
    }
}

/// What each element dissipated in all runs, J.
fn dissipated(solutions: &[Solution]) -> Vec<f64> {
    let mut sums = solutions[0].dissipated.clone();
    for solution in &solutions[1..] {
        for (sum, more) in sums.iter_mut().zip(&solution.dissipated) {
            *sum += more;
        }
    }
    sums
}

/// The fewest elements that have [`MARKED_SHARE`] of the dissipation.
fn marked(dissipated: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..dissipated.len()).collect();
    order.sort_by(|a, b| dissipated[*b].total_cmp(&dissipated[*a]));
    let wanted = MARKED_SHARE * dissipated.iter().sum::<f64>();
    let (mut marked, mut sum) = (vec![false; dissipated.len()], 0.0);
    for tet in order {
        if sum >= wanted {
            break;
        }
        marked[tet] = true;
        sum += dissipated[tet];
    }
    marked
}
