//! Adaptation to `solve.accuracy`: passes of one case, each on a finer mesh or of a higher order, until the estimated error is small
//! enough; and what is said of them.

use super::error::solver_error;
use super::far;
use super::prepared::Prepared;
use super::runs::Runs;
use super::saving::{Interrupted, save_passes, shared};
use crate::error::{RunError, SolverError};
use crate::input::{InputFolder, digest};
use crate::job::{Context, Products};
use crate::memory::{MemoryUse, memory_uses};
use phasefront_case::model::dgtd::{Band, MAX_ORDER};
use phasefront_core::units::bytes_text;
use phasefront_core::{FieldError, SelfCheck};
use phasefront_dgtd::{DgtdError, Estimate, Pass};
use phasefront_mesh::drawing::SizeView;
use phasefront_report::Table;

/// Time of a pass relative to the one before it: twice to three times the elements, and steps half as long.
const COST_RATIO: f64 = 5.0;

/// Time of so many passes relative to the first.
pub(super) fn cost(passes: u32) -> f64 {
    (0..passes).map(|pass| COST_RATIO.powi(pass as i32)).sum()
}

/// An adaptation of a case.
struct Adaptation<'a> {
    /// The case of the first pass.
    first: &'a Prepared,
    /// The error that is allowed.
    accuracy: f64,
    /// Finished passes.
    passes: Vec<Pass>,
    context: &'a Context<'a>,
}

/// What comes after a pass.
enum Next {
    /// Another one.
    Pass(Box<Prepared>),
    /// The user has stopped the run.
    Stopped,
    /// Nothing, for a reason that is not the choice of the case.
    Obstacle(String),
}

/// Solves a case in passes until its estimated error is at most `accuracy`.
pub(super) fn adapt(
    first: &Prepared,
    accuracy: f64,
    mut interrupted: Option<Interrupted<'_>>,
    context: &Context<'_>,
) -> Result<Products, SolverError> {
    let passes = interrupted.as_mut().map(Interrupted::take_passes).unwrap_or_default();
    let mut adaptation = Adaptation { first, accuracy, passes, context };
    let mut later = match adaptation.restored()? {
        Some(Next::Pass(job)) => Some(job),
        Some(_) => return Ok(stopped()),
        None => None,
    };
    let mut products: Option<Products> = None;
    loop {
        let job = later.as_deref().unwrap_or(first);
        adaptation.announce(job);
        let runs = match (job.runs(interrupted.take(), &adaptation.passes, context), products.take()) {
            (Ok(Some(runs)), _) => runs,
            (Ok(None), _) => return Ok(stopped()),
            // Resuming does not cure a pass that diverges: what those before it have found is the result. On other errors the
            // checkpoint has them.
            (Err(SolverError::Run(RunError::NotConverged { message, advice, .. })), Some(products)) => {
                let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
                let reason = format!("pass {} failed: {message}{advice}", adaptation.passes.len() + 1);
                return Ok(adaptation.ended(products, Some(reason)));
            }
            (Err(error), _) => return Err(error),
        };
        adaptation.finish(job, &runs)?;
        // Those of other ranks count for nothing, but tell that there is a finished pass.
        let is_first = context.comm.rank() == 0;
        let finished = if is_first { adaptation.products(job, &runs) } else { Products::default() };
        let next = if adaptation.is_finished() { None } else { Some(adaptation.next(job)?) };
        let obstacle = match next {
            Some(Next::Pass(next)) => {
                later = Some(next);
                products = Some(finished);
                continue;
            }
            Some(Next::Stopped) => return Ok(stopped()),
            Some(Next::Obstacle(reason)) => Some(reason),
            None => None,
        };
        return Ok(adaptation.ended(finished, obstacle));
    }
}

/// Of a run that the user has stopped.
fn stopped() -> Products {
    Products { interrupted: true, ..Products::default() }
}

/// Whether the user wants to stop, which only rank 0 knows. Collective.
fn is_stopped(context: &Context<'_>) -> Result<bool, SolverError> {
    let stops = context.progress.check().is_err();
    Ok(context.comm.max(f64::from(u8::from(stops)))? > 0.0)
}

impl Adaptation<'_> {
    /// The pass that an earlier process began; none if that was the first.
    fn restored(&self) -> Result<Option<Next>, SolverError> {
        let mut later: Option<Box<Prepared>> = None;
        for pass in &self.passes {
            match self.after(later.as_deref().unwrap_or(self.first), pass)? {
                Next::Pass(job) => later = Some(job),
                Next::Stopped => return Ok(Some(Next::Stopped)),
                Next::Obstacle(reason) => {
                    let lost =
                        format!("the mesh of the pass that was interrupted cannot be made again: {reason}");
                    return Err(SolverError::Run(self.context.checkpoints.refusal(lost)));
                }
            }
        }
        Ok(later.map(Next::Pass))
    }

    fn announce(&self, job: &Prepared) {
        let (pass, elements, order) =
            (self.passes.len() + 1, job.study.mesh().tets.len(), job.case.solve.order);
        self.context.progress.note(&format!("pass {pass}: {elements} elements of order {order}"));
    }

    /// Counts a pass. Rank 0 has its results, and tells the others what it has found.
    fn finish(&mut self, job: &Prepared, runs: &Runs) -> Result<(), SolverError> {
        let found = (self.context.comm.rank() == 0).then(|| {
            let output = &job.case.output;
            let directions = output.rcs.as_ref().or(output.directivity.as_ref()).map(far::directions);
            let asked = (directions.as_deref(), output.resonances.map(Band::si));
            Pass::new(&job.study, &runs.solutions, asked, job.drawn)
        });
        let found = shared(self.context.comm, found.as_slice()).map_err(SolverError::Run)?;
        self.passes.extend(found);
        self.context.progress.note(&self.note());
        Ok(())
    }

    /// The estimate of the last pass, if there are two.
    fn estimate(&self) -> Option<Estimate> {
        match &self.passes[..] {
            [.., before, last] => Some(Estimate::new(before, last, &self.first.excited)),
            _ => None,
        }
    }

    fn error(&self) -> f64 {
        self.estimate().map_or(f64::NAN, |estimate| estimate.error)
    }

    /// Whether the accuracy is reached, or no further pass is allowed.
    fn is_finished(&self) -> bool {
        self.error() <= self.accuracy || self.passes.len() >= self.first.case.solve.max_passes as usize
    }

    /// What comes after the last pass, that of `job`.
    fn next(&self, job: &Prepared) -> Result<Next, SolverError> {
        save_passes(&self.passes, self.context);
        self.after(job, &self.passes[self.passes.len() - 1])
    }

    /// What comes after a pass of `job`. Collective.
    fn after(&self, job: &Prepared, pass: &Pass) -> Result<Next, SolverError> {
        let made = self.refined(job, pass)?;
        if is_stopped(self.context)? {
            return Ok(Next::Stopped);
        }
        // One rank without it, or with another one, ends the adaptation of all.
        let mut first = made.as_ref().map_or_else(|_| Vec::new(), |job| job.fingerprint().into_bytes());
        let own = first.clone();
        self.context.comm.broadcast(&mut first)?;
        let lacks = self.context.comm.max(f64::from(u8::from(made.is_err() || own != first)))?;
        Ok(match made {
            Ok(next) if lacks == 0.0 => Next::Pass(Box::new(next)),
            Ok(_) => Next::Obstacle("another rank cannot make the next pass, or makes another mesh".into()),
            Err(reason) => Next::Obstacle(reason),
        })
    }

    /// The pass after this one of `job`, or why there is none.
    fn refined(&self, job: &Prepared, pass: &Pass) -> Result<Result<Prepared, String>, SolverError> {
        let (mut case, mut views) = (job.case.clone(), job.views.clone());
        if job.drawn.is_some() {
            views.push(SizeView { digest: digest(pass.sizes.as_bytes()), text: pass.sizes.clone() });
        } else if case.solve.order < MAX_ORDER {
            case.solve.order += 1;
        } else {
            return Ok(Err(format!("{MAX_ORDER} is the highest order: use a finer mesh")));
        }
        let folder = InputFolder::watched(&job.inputs, self.context.progress);
        match Prepared::with_sizes(&case, views, &folder) {
            Ok(next) => match self.first.changed_input(&next) {
                Some(file) => Ok(Err(format!("{file} has changed since the first pass"))),
                None => Ok(shortage(&next, self.context)?.map_or(Ok(next), Err)),
            },
            Err(SolverError::Field(FieldError { message, .. })) => {
                Ok(Err(format!("the mesh of the next pass cannot be made: {message}")))
            }
            Err(_) if self.context.progress.check().is_err() => Ok(Err("the run was stopped".to_owned())),
            Err(error) => Err(error),
        }
    }

    /// The results of the last pass. Self-checks of its mesh stand in place of those of the first one.
    fn products(&self, job: &Prepared, runs: &Runs) -> Products {
        let mut products = job.products(runs, self.estimate().as_ref());
        if self.passes.len() > 1 {
            products.self_checks.extend(job.self_checks());
            let first = &self.first.warnings;
            products.warnings.extend(job.warnings.iter().filter(|new| !first.contains(new)).cloned());
        }
        products
    }

    /// How the last pass has ended.
    fn note(&self) -> String {
        let Some(last) = self.passes.last() else { return String::new() };
        let [x, y, z] = last.worst_element;
        let known = last.observables.matches.iter().filter(|f| f.is_finite());
        let matched: Vec<String> = known.map(|f| format!(", best match at {:.5} GHz", 1e-9 * f)).collect();
        let matched = matched.concat();
        let error = Some(self.error()).filter(|error| error.is_finite());
        let error = error.map_or(String::new(), |error| format!(", estimated error {:.2} %", 100.0 * error));
        format!(
            "pass {}: the mesh dissipates {:.1e} J, most at ({x:.4}, {y:.4}, {z:.4}) m{matched}{error}",
            self.passes.len(),
            last.dissipated_energy(),
        )
    }

    /// Adds what the passes have found to the results of the last one; `obstacle` says why there is no further one where that is not the
    /// choice of the case.
    fn ended(&self, mut products: Products, obstacle: Option<String>) -> Products {
        let (passes, excited) = (&self.passes, &self.first.excited);
        products.tables.push((table(passes, excited), "passes of the adaptation"));
        products.metrics.insert("passes".into(), passes.len() as f64);
        if let (Some(estimate), Some(last)) = (self.estimate(), passes.last()) {
            for (resonance, port) in estimate.best_matches(last).into_iter().zip(excited) {
                if let Some([corrected, correction]) = resonance {
                    products.metrics.insert(format!("resonance{}_hz", port + 1), corrected);
                    products.metrics.insert(format!("resonance{}_error_hz", port + 1), correction.abs());
                }
            }
        }
        let percent = 100.0 * self.error();
        if percent.is_finite() {
            products.metrics.insert("estimated_error_percent".into(), percent);
        }
        products.self_checks.push(self.self_check(obstacle));
        products
    }

    fn self_check(&self, obstacle: Option<String>) -> SelfCheck {
        let (error, accuracy, count) = (self.error(), self.accuracy, self.passes.len());
        let percent = 100.0 * error;
        let count = if count == 1 { "1 pass".to_owned() } else { format!("{count} passes") };
        let advice = obstacle.unwrap_or_else(|| "allow more with `max_passes` in [solve]".into());
        let sentence = if error <= accuracy {
            format!("The error of the mesh is estimated to be {percent:.2} % in the last pass.")
        } else if error.is_finite() {
            format!(
                "the error of the mesh is estimated to be {percent:.2} % after {count}, more than the accuracy that is asked for; {advice}"
            )
        } else {
            format!("the error of the mesh is not known after {count}; {advice}")
        };
        SelfCheck::at_most("estimated error", percent, 100.0 * accuracy, sentence).in_unit("%")
    }
}

/// What is said if memory does not suffice for a pass.
fn shortage(job: &Prepared, context: &Context<'_>) -> Result<Option<String>, SolverError> {
    let Context { backend, others, comm, .. } = *context;
    let needs = job.memory(backend, comm.size(), 1 + others.len());
    let uses = memory_uses(needs, 0, backend, comm).map_err(DgtdError::from);
    let uses = uses.map_err(|error| solver_error(error, job.mesh_key))?;
    let short = uses.into_iter().find(|usage| !usage.fits());
    Ok(short.map(|MemoryUse { place, needed_bytes, free_bytes }| {
        let [needed, free] = [needed_bytes, free_bytes].map(bytes_text);
        format!("the next pass needs {needed} of {place} memory, and {free} are free")
    }))
}

/// `passes.csv`: what each pass of an adaptation has found.
fn table(passes: &[Pass], excited: &[usize]) -> Table {
    let numbers = |of: &dyn Fn(usize, &Pass) -> f64| -> Vec<f64> {
        passes.iter().enumerate().map(|(i, pass)| of(i, pass)).collect()
    };
    let mut table = Table::new("passes")
        .number("pass", numbers(&|i, _| (i + 1) as f64))
        .number("order", numbers(&|_, pass| pass.order as f64))
        .number("elements", numbers(&|_, pass| pass.elements as f64))
        .number("dissipated_j", numbers(&|_, pass| pass.dissipated_energy()))
        .number("worst_element_x_m", numbers(&|_, pass| pass.worst_element[0]))
        .number("worst_element_y_m", numbers(&|_, pass| pass.worst_element[1]))
        .number("worst_element_z_m", numbers(&|_, pass| pass.worst_element[2]));
    for (run, port) in excited.iter().enumerate() {
        let found: Vec<Option<f64>> =
            passes.iter().map(|pass| pass.observables.matches.get(run).copied()).collect();
        if found.iter().any(Option::is_some) {
            let known = found.into_iter().map(|f| f.filter(|f| f.is_finite()));
            table = table.sparse(format!("best_match{}_hz", port + 1), known);
        }
    }
    let error = |i: usize| {
        let error = (i > 0).then(|| Estimate::new(&passes[i - 1], &passes[i], excited).error);
        error.filter(|error| error.is_finite())
    };
    table.sparse("estimated_error", (0..passes.len()).map(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_passes_take_most_of_the_time() {
        assert_eq!((cost(1), cost(2), cost(3)), (1.0, 6.0, 31.0));
    }
}
