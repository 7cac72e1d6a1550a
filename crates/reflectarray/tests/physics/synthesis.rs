//! Small arrays and an elliptic coverage: directivities, constraints, interruption and resumption of a synthesis.

use phasefront_core::{Event, Progress, Sink};
use phasefront_device::Backend;
use phasefront_reflectarray::{
    Checkpoint, Element, Feed, FeedPattern, Gradient, Lattice, Method, Objective, Outputs, Outside,
    Placement, Problem, Region, Solution, Synthesis, SynthesisStage, UvGrid, UvPolygon, prepare,
};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const FREQUENCY: f64 = 10e9;
const WAVELENGTH: f64 = 299_792_458.0 / FREQUENCY;
/// Half axes of the coverage in u and v.
const AXES: [f64; 2] = [0.16, 0.1];
const CENTER: [f64; 2] = [0.1, -0.05];

fn problem(side: usize) -> Problem {
    let at = |i: u32| {
        let angle = TAU * f64::from(i) / 60.0;
        [CENTER[0] + AXES[0] * angle.cos(), CENTER[1] + AXES[1] * angle.sin()]
    };
    let ellipse = UvPolygon { rings: vec![(0..60).map(at).collect()] };
    let region = Region { name: "ellipse".into(), polygons: vec![ellipse], lower: None, upper: None };
    Problem {
        frequencies: vec![FREQUENCY],
        feed: Feed {
            offset: 0.12,
            height: 0.3,
            pattern: FeedPattern::Cosine { power_exponent: 12.0 },
            polarization: 0.0,
        },
        element: Element { power_exponent: 1.0, reflection: None },
        lattice: Lattice { elements: [side, side], spacing: [0.5 * WAVELENGTH; 2] },
        placement: Placement::Periodic,
        design: None,
        focus: None,
        coverage: vec![region],
        outside: None,
        uv_grid: UvGrid { center: CENTER, points: [31, 21], spacing: 0.012 },
        synthesis: Synthesis { starts: 3, ..Synthesis::default() },
        outputs: Outputs::default(),
    }
}

fn solve(problem: &Problem) -> Solution {
    let study = prepare(problem.clone()).unwrap();
    study.solve(&Backend::Cpu, &Progress::silent(), None, &mut |_| Ok(())).unwrap()
}

/// D_min and D_mean over the coverage.
fn levels(solution: &Solution) -> [f64; 2] {
    let all = solution.patterns[0].coverage.iter().find(|figures| figures.region == "all").unwrap();
    [all.d_min, all.d_mean]
}

fn with_method(side: usize, method: Method) -> Problem {
    let mut problem = problem(side);
    problem.synthesis.method = method;
    problem
}

#[test]
fn the_stages_beat_the_focus_and_alternating_projections_and_stay_below_the_law() {
    let [focus, _] = levels(&solve(&with_method(15, Method::Analysis)));
    let [projections, _] = levels(&solve(&with_method(15, Method::AlternatingProjections)));
    let solution = solve(&problem(15));
    let [d_min, d_mean] = levels(&solution);
    assert!(projections > focus + 3.0, "{projections} {focus}");
    assert!(d_min > projections + 0.1, "{d_min} {projections}");
    assert!(d_mean > d_min);
    // No more than all of the power can fall on the coverage: D_min ≤ 4π/Ω, with dΩ = du dv/cos θ ≥ du dv.
    let bound = 10.0 * (4.0 * PI / (PI * AXES[0] * AXES[1])).log10();
    assert!(d_min < bound, "{d_min} {bound}");
    let stages = ["modal", "elements", "polish"];
    let seen = |stage: &str| solution.history.iter().any(|row| row.stage == stage);
    assert!(stages.into_iter().all(seen));
    assert!(solution.history.is_sorted_by_key(|row| row.evaluations));
    assert!(solution.design.phase.iter().all(|phase| (0.0..TAU).contains(phase)));
}

#[test]
fn free_positions_keep_their_distances_and_pay() {
    let mut problem = problem(13);
    let periodic = levels(&solve(&problem));
    problem.placement = Placement::Aperiodic { min_spacing: 0.5 * WAVELENGTH, max_spacing: 0.7 * WAVELENGTH };
    let solution = solve(&problem);
    let [low, high] = solution.spacing;
    assert!(low > 0.5 - 1e-5 && high < 0.7 + 1e-5, "{low} {high}");
    let aperiodic = levels(&solution);
    assert!(aperiodic[0] > periodic[0] + 0.3, "{aperiodic:?} {periodic:?}");
}

#[test]
fn projections_move_elements_within_their_bounds_and_gain_by_it() {
    let mut problem = with_method(13, Method::AlternatingProjections);
    let periodic = levels(&solve(&problem));
    problem.placement = Placement::Aperiodic { min_spacing: 0.5 * WAVELENGTH, max_spacing: 0.7 * WAVELENGTH };
    let solution = solve(&problem);
    let [low, high] = solution.spacing;
    assert!(low > 0.5 - 1e-5 && high < 0.7 + 1e-5 && high - low > 0.01, "{low} {high}");
    let aperiodic = levels(&solution);
    assert!(aperiodic[0] > periodic[0], "{aperiodic:?} {periodic:?}");
}

#[test]
fn stages_of_no_iterations_are_left_out() {
    let mut problem = problem(9);
    problem.synthesis.polish_iterations = 0;
    let stages = |problem: &Problem| {
        let mut stages: Vec<String> = solve(problem).history.into_iter().map(|row| row.stage).collect();
        stages.dedup();
        stages
    };
    assert_eq!(stages(&problem), ["modal", "elements"]);
    problem.synthesis.element_iterations = 0;
    assert_eq!(stages(&problem), ["modal"]);
    problem.synthesis.modal_iterations = 0;
    assert_eq!(stages(&problem), [""; 0]);
    // Only the initial phase fronts, which are better than the focused beam.
    let [focus, _] = levels(&solve(&with_method(9, Method::Analysis)));
    assert!(levels(&solve(&problem))[0] > focus);
    problem.synthesis.polish_iterations = 7;
    assert_eq!(stages(&problem), ["polish"]);
    assert!(solve(&problem).history.len() <= 14, "seven iterations for each of two fronts");
}

/// Φ written out from D on the grid's samples, for a region with a lower bound and nothing else.
#[test]
fn the_objective_has_one_scale() {
    let mut problem = problem(9);
    let lower = 30.0; // Out of reach, so that Φ is not 0.
    problem.coverage[0].lower = Some(lower);
    let solution = solve(&problem);
    let mask = Objective::new(&problem, &Backend::Cpu).unwrap().pattern().mask.clone();
    let linear = |db: f64| 10f64.powf(db / 10.0);
    let miss = |i: &usize| (linear(lower) - linear(solution.patterns[0].d_co[*i])).max(0.0);
    let expected: f64 = mask.covered.iter().map(|i| miss(i).powi(2)).sum();
    assert!((solution.objective / expected - 1.0).abs() < 1e-9, "{} {expected}", solution.objective);
    // The final design is in the history, with the P_rad of the beginning of its search.
    let nearest = solution.history.iter().map(|row| (row.objective / expected - 1.0).abs());
    assert!(nearest.fold(f64::INFINITY, f64::min) < 0.01);
}

/// Name of a stage, its total and its progress.
type Bar = (String, Option<u64>, u64);

/// Collects the progress of all stages.
#[derive(Default)]
struct Bars(Mutex<BTreeMap<u64, Bar>>);
impl Sink for Bars {
    fn event(&self, event: Event<'_>) {
        let mut bars = self.0.lock().unwrap();
        match event {
            Event::Stage { id, name, total, .. } => {
                bars.insert(id, (name.into(), total, 0));
            }
            Event::Advance { id, done } => bars.get_mut(&id).unwrap().2 = done,
            _ => {}
        }
    }
}

#[test]
fn every_bar_ends_full() {
    for method in [Method::Multistage, Method::AlternatingProjections] {
        let bars = Arc::new(Bars::default());
        let progress = Progress::new(bars.clone(), Arc::new(AtomicBool::new(false)));
        let mut problem = with_method(9, method);
        problem.synthesis.element_iterations = 50; // Shared unevenly by four rounds, or by the projections.
        let study = prepare(problem).unwrap();
        study.solve(&Backend::Cpu, &progress, None, &mut |_| Ok(())).unwrap();
        let bars = bars.0.lock().unwrap();
        let counted: Vec<_> = bars.values().filter(|(_, total, _)| total.is_some()).collect();
        assert!(!counted.is_empty());
        assert!(counted.iter().all(|(_, total, done)| *total == Some(*done)), "{counted:?}");
    }
}

#[test]
fn a_seed_gives_the_same_design_again() {
    let problem = problem(9);
    assert_eq!(solve(&problem).design, solve(&problem).design);
}

#[test]
fn bounds_that_were_asked_for_are_kept() {
    let mut problem = problem(15);
    let [reached, _] = levels(&solve(&problem));
    let lower = reached - 1.0;
    problem.coverage[0].lower = Some(lower);
    problem.outside = Some(Outside { upper: lower - 3.0, margin: 0.05 });
    let solution = solve(&problem);
    assert_eq!(solution.patterns[0].coverage[0].share_within_mask, 1.0, "{:?}", levels(&solution));
    let uv_grid = problem.uv_grid;
    let outside = |i: usize| {
        let (u, v) = (uv_grid.u()[i % uv_grid.points[0]], uv_grid.v()[i / uv_grid.points[0]]);
        // Beyond the ellipse grown by the margin, whatever the direction.
        let [a, b] = AXES.map(|axis| axis + 0.05);
        ((u - CENTER[0]) / a).powi(2) + ((v - CENTER[1]) / b).powi(2) > 1.02
    };
    let d = &solution.patterns[0].d_co;
    let worst = (0..d.len()).filter(|&i| outside(i)).map(|i| d[i]).fold(f64::NEG_INFINITY, f64::max);
    assert!(worst < lower - 2.9, "{worst} {lower}");
}

#[test]
fn forward_differences_end_as_well_for_an_evaluation_per_unknown() {
    let mut problem = problem(11);
    problem.synthesis = Synthesis {
        starts: 1,
        zernike_order: 3,
        modal_iterations: 20,
        element_iterations: 60,
        polish_iterations: 70,
        ..Synthesis::default()
    };
    let fast = solve(&problem);
    problem.synthesis.gradient = Gradient::FiniteDifference;
    let slow = solve(&problem);
    assert!((levels(&slow)[0] - levels(&fast)[0]).abs() < 0.1, "{:?} {:?}", levels(&slow), levels(&fast));
    let rows = |stage: &str| slow.history.iter().filter(|row| row.stage == stage).count() as u64;
    assert!(slow.evaluations > 121 * (rows("elements") + rows("polish")), "{}", slow.evaluations);
    assert!(fast.evaluations < 1000, "{}", fast.evaluations);
}

#[test]
fn phases_in_steps_cost_little_with_four_bits() {
    let mut problem = problem(15);
    let [free, _] = levels(&solve(&problem));
    problem.synthesis.phase_bits = Some(4);
    let solution = solve(&problem);
    let steps = solution.design.phase.iter().map(|phase| phase / (TAU / 16.0));
    assert!(steps.into_iter().all(|steps| (steps - steps.round()).abs() < 1e-9));
    // Errors spread evenly over ±π/16 remove the power sinc²(π/16) = −0.06 dB from the beam and scatter it; D_min feels a few times that.
    // The steps are improved one by one after rounding.
    let [rounded, _] = levels(&solution);
    assert!(rounded > free - 0.3 && rounded < free, "{rounded} {free}");
}

/// Requests an interruption when a stage begins.
struct StopAt(&'static str, Arc<AtomicBool>);
impl Sink for StopAt {
    fn event(&self, event: Event<'_>) {
        if matches!(event, Event::Stage { name, .. } if name == self.0) {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

/// A run interrupted at a stage, and its last checkpoint.
fn stopped_at(stage: &'static str, problem: &Problem) -> (Solution, Checkpoint) {
    let stop = Arc::new(AtomicBool::new(false));
    let progress = Progress::new(Arc::new(StopAt(stage, stop.clone())), stop);
    let mut saved = None;
    let mut save = |state: &Checkpoint| {
        saved = Some(state.clone());
        Ok(())
    };
    let study = prepare(problem.clone()).unwrap();
    let solution = study.solve(&Backend::Cpu, &progress, None, &mut save).unwrap();
    (solution, saved.unwrap())
}

#[test]
fn a_stopped_run_gives_its_best_and_continues_to_a_design_as_good() {
    let problem = problem(11);
    let [through, _] = levels(&solve(&problem));
    for (stage, expected) in [
        ("modal", SynthesisStage::Modal),
        ("elements", SynthesisStage::Elements),
        ("polish", SynthesisStage::Polish),
    ] {
        let (stopped, state) = stopped_at(stage, &problem);
        assert!(stopped.interrupted);
        assert_eq!(state.stage, expected);
        let study = prepare(problem.clone()).unwrap();
        let resumed = study.solve(&Backend::Cpu, &Progress::silent(), Some(state), &mut |_| Ok(())).unwrap();
        let [d_min, _] = levels(&resumed);
        assert!(!resumed.interrupted && d_min > through - 0.1, "{stage}: {d_min} {through}");
        assert!(levels(&stopped)[0] <= d_min + 1e-9);
        assert!(resumed.history.len() > stopped.history.len());
    }
}

#[test]
fn a_stopped_run_has_its_phases_in_steps() {
    let mut problem = problem(9);
    problem.synthesis.phase_bits = Some(2);
    let (stopped, _) = stopped_at("elements", &problem);
    let steps = stopped.design.phase.iter().map(|phase| phase / (TAU / 4.0));
    assert!(stopped.interrupted && steps.into_iter().all(|steps| (steps - steps.round()).abs() < 1e-9));
}

#[test]
fn a_damaged_state_is_refused() {
    let problem = problem(7);
    let (_, state) = stopped_at("elements", &problem);
    let resume = |state: Checkpoint| {
        let study = prepare(problem.clone()).unwrap();
        let result = study.solve(&Backend::Cpu, &Progress::silent(), Some(state), &mut |_| Ok(()));
        result.unwrap_err().to_string()
    };
    let mut short = state.clone();
    short.designs[0].phase.pop();
    let words = "the checkpoint cannot be used: a design in it does not have the lattice's 49 elements";
    assert_eq!(resume(short), words);
    let mut empty = state;
    empty.designs.clear();
    assert_eq!(resume(empty), "the checkpoint cannot be used: it has no design to continue with");
}

#[test]
fn a_state_of_another_problem_is_refused() {
    let (_, state) = stopped_at("modal", &problem(7));
    let study = prepare(problem(9)).unwrap();
    let error = study.solve(&Backend::Cpu, &Progress::silent(), Some(state), &mut |_| Ok(())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the checkpoint cannot be used: a design in it does not have the lattice's 81 elements"
    );
}
