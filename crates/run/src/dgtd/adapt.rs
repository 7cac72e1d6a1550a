//! Adaptation to `solve.accuracy`: what a pass has found, where the next one is refined, and what is said of both.

use super::estimate::{Asked, Estimate, Pass};
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
    let dissipated = dissipated(solutions);
    let marked = marked(&dissipated);
    let sizes = drawn.map(|(far, unit)| size_view(study.mesh(), &marked, far, unit));
    Pass {
        order: u64::from(case.solve.order),
        elements: dissipated.len() as u64,
        dissipated: dissipated.iter().sum(),
        place: most(study.mesh(), &dissipated),
        asked: Asked::new(study, solutions, &case.output),
        sizes: sizes.unwrap_or_default(),
    }
}

/// How a pass has ended.
pub(super) fn note(passes: &[Pass], estimate: Option<&Estimate>) -> String {
    let Some(last) = passes.last() else { return String::new() };
    let [x, y, z] = last.place;
    let known = last.asked.matches.iter().filter(|f| f.is_finite());
    let matched: Vec<String> = known.map(|f| format!(", best match at {:.5} GHz", 1e-9 * f)).collect();
    let matched = matched.concat();
    let error = estimate
        .map_or(String::new(), |estimate| format!(", estimated error {:.2} %", 100.0 * estimate.error));
    format!(
        "pass {}: the mesh dissipates {:.1e} J, most at ({x:.4}, {y:.4}, {z:.4}) m{matched}{error}",
        passes.len(),
        last.dissipated,
    )
}

/// Adds what the passes have found to the results of the last one; `excited` are the indices of the excited ports.
pub(super) fn add(
    products: &mut Products,
    passes: &[Pass],
    (estimate, accuracy): (Option<&Estimate>, f64),
    excited: &[usize],
) {
    products.tables.push((table(passes), "passes of the adaptation"));
    products.metrics.insert("passes".into(), passes.len() as f64);
    let Some(estimate) = estimate else { return };
    let percent = 100.0 * estimate.error;
    products.metrics.insert("estimated_error_percent".into(), percent);
    let found = passes.last().map(|last| &last.asked.matches[..]).unwrap_or_default();
    let errors = found.iter().zip(&estimate.matches).zip(excited);
    for ((at, error), port) in errors.filter(|((_, error), _)| error.is_finite()) {
        products.metrics.insert(format!("resonance{}_hz", port + 1), at + error);
        products.metrics.insert(format!("resonance{}_error_hz", port + 1), error.abs());
    }
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
}

/// The middle of the element with the largest value.
fn most(mesh: &TetMesh, values: &[f64]) -> [f64; 3] {
    let most = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    let corners = mesh.corners(most);
    std::array::from_fn(|axis| corners.iter().map(|corner| 0.25 * corner[axis]).sum())
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

/// `passes.csv`: what each pass of an adaptation has found.
fn table(passes: &[Pass]) -> Table {
    let numbers = |of: &dyn Fn(usize, &Pass) -> f64| -> Vec<f64> {
        passes.iter().enumerate().map(|(i, pass)| of(i, pass)).collect()
    };
    let mut table = Table::new("passes")
        .number("pass", numbers(&|i, _| (i + 1) as f64))
        .number("order", numbers(&|_, pass| pass.order as f64))
        .number("elements", numbers(&|_, pass| pass.elements as f64))
        .number("dissipated_j", numbers(&|_, pass| pass.dissipated))
        .number("most_x_m", numbers(&|_, pass| pass.place[0]))
        .number("most_y_m", numbers(&|_, pass| pass.place[1]))
        .number("most_z_m", numbers(&|_, pass| pass.place[2]));
    for port in 0..passes.first().map_or(0, |pass| pass.asked.matches.len()) {
        let found = passes.iter().map(|pass| Some(pass.asked.matches[port]).filter(|f| f.is_finite()));
        table = table.sparse(format!("best_match{}_hz", port + 1), found);
    }
    let error = |i: usize| (i > 0).then(|| Estimate::new(&passes[i - 1], &passes[i]).error);
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
