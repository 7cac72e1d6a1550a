//! Adaptation to `solve.accuracy`: what a pass has found, where the next one is refined, and what is said of both.

use super::estimate::{Estimate, Observables, Pass};
use crate::job::Products;
use phasefront_case::model::dgtd::DgtdCase;
use phasefront_core::SelfCheck;
use phasefront_dgtd::{Solution, Study};
use phasefront_mesh::TetMesh;
use phasefront_mesh::drawing::size_view;
use phasefront_report::Table;

/// Part of the dissipation whose elements are refined (W. Dörfler, *SIAM J. Numer. Anal.* 33, 1106, 1996).
const MARKED_SHARE: f64 = 0.8;
/// Time of a pass relative to the one before it: twice to three times the elements, and steps half as long.
const COST_RATIO: f64 = 5.0;

/// Largest correction of a resonance, relative.
const MAX_CORRECTION: f64 = 0.05;

/// Time of so many passes relative to the first.
pub(super) fn cost(passes: u32) -> f64 {
    (0..passes).map(|pass| COST_RATIO.powi(pass as i32)).sum()
}

/// The pass that these runs make; `drawn` is the largest element size of a drawn mesh and the unit of its script, m.
pub(super) fn pass(
    study: &Study,
    solutions: &[Solution],
    case: &DgtdCase,
    drawn: Option<(f64, f64)>,
) -> Pass {
    // Each run by itself: what a port sees is not refined by the losses of another one.
    let all: Vec<Vec<bool>> = solutions.iter().map(|solution| marked(&solution.dissipated)).collect();
    let elements = study.mesh().tets.len();
    let marked: Vec<bool> = (0..elements).map(|tet| all.iter().any(|of_run| of_run[tet])).collect();
    let sizes = drawn.map(|(far, unit)| size_view(study.mesh(), &marked, far, unit));
    Pass {
        order: u64::from(case.solve.order),
        elements: elements as u64,
        dissipated: solutions.iter().map(|solution| solution.dissipated.iter().sum()).collect(),
        position: most(study.mesh(), &solutions[0].dissipated),
        observables: Observables::new(study, solutions, &case.output),
        sizes: sizes.unwrap_or_default(),
    }
}

/// How a pass has ended.
pub(super) fn note(passes: &[Pass], estimate: Option<&Estimate>) -> String {
    let Some(last) = passes.last() else { return String::new() };
    let [x, y, z] = last.position;
    let known = last.observables.matches.iter().filter(|f| f.is_finite());
    let matched: Vec<String> = known.map(|f| format!(", best match at {:.5} GHz", 1e-9 * f)).collect();
    let matched = matched.concat();
    let error = estimate.filter(|estimate| estimate.error.is_finite());
    let error =
        error.map_or(String::new(), |known| format!(", estimated error {:.2} %", 100.0 * known.error));
    format!(
        "pass {}: the mesh dissipates {:.1e} J, most at ({x:.4}, {y:.4}, {z:.4}) m{matched}{error}",
        passes.len(),
        last.dissipated.iter().sum::<f64>(),
    )
}

/// How an adaptation ended: its passes, the estimate of the last one, and why there is no further one where that is not the choice of
/// the case.
pub(super) struct Ended<'a> {
    pub passes: &'a [Pass],
    pub estimate: Option<&'a Estimate>,
    pub obstacle: Option<String>,
}

/// Adds what the passes have found to the results of the last one, where this accuracy is asked for; `excited` are the indices of the
/// excited ports.
pub(super) fn add(products: &mut Products, ended: Ended<'_>, accuracy: f64, excited: &[usize]) {
    let Ended { passes, estimate, obstacle } = ended;
    products.tables.push((table(passes, excited), "passes of the adaptation"));
    products.metrics.insert("passes".into(), passes.len() as f64);
    let error = estimate.map_or(f64::NAN, |estimate| estimate.error);
    let found = passes.last().map(|last| &last.observables.matches[..]).unwrap_or_default();
    let corrections = estimate.map(|estimate| &estimate.matches[..]).unwrap_or_default();
    for ((at, correction), port) in found.iter().zip(corrections).zip(excited) {
        // A correction that large is none: the match has moved to another resonance, or the mesh is far from resolving it.
        if (correction / at).abs() <= MAX_CORRECTION {
            products.metrics.insert(format!("resonance{}_hz", port + 1), at + correction);
            products.metrics.insert(format!("resonance{}_error_hz", port + 1), correction.abs());
        }
    }
    let percent = 100.0 * error;
    if error.is_finite() {
        products.metrics.insert("estimated_error_percent".into(), percent);
    }
    let count = if passes.len() == 1 { "1 pass".to_owned() } else { format!("{} passes", passes.len()) };
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
    products
        .self_checks
        .push(SelfCheck::at_most("estimated error", percent, 100.0 * accuracy, sentence).in_unit("%"));
}

/// The middle of the element with the largest value.
fn most(mesh: &TetMesh, values: &[f64]) -> [f64; 3] {
    let most = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    let corners = mesh.corners(most);
    std::array::from_fn(|axis| corners.iter().map(|corner| 0.25 * corner[axis]).sum())
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

/// `passes.csv`: what each pass of an adaptation has found.
fn table(passes: &[Pass], excited: &[usize]) -> Table {
    let numbers = |of: &dyn Fn(usize, &Pass) -> f64| -> Vec<f64> {
        passes.iter().enumerate().map(|(i, pass)| of(i, pass)).collect()
    };
    let mut table = Table::new("passes")
        .number("pass", numbers(&|i, _| (i + 1) as f64))
        .number("order", numbers(&|_, pass| pass.order as f64))
        .number("elements", numbers(&|_, pass| pass.elements as f64))
        .number("dissipated_j", numbers(&|_, pass| pass.dissipated.iter().sum()))
        .number("most_x_m", numbers(&|_, pass| pass.position[0]))
        .number("most_y_m", numbers(&|_, pass| pass.position[1]))
        .number("most_z_m", numbers(&|_, pass| pass.position[2]));
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
    fn the_fewest_elements_with_most_of_it_are_marked() {
        assert_eq!(marked(&[1.0, 5.0, 0.5, 3.0, 0.5]), [false, true, false, true, false]);
        assert_eq!(marked(&[0.0; 3]), [false; 3]);
    }

    #[test]
    fn later_passes_take_most_of_the_time() {
        assert_eq!((cost(1), cost(2), cost(3)), (1.0, 6.0, 31.0));
    }
}
