//! One test body per device: every device must agree with the CPU; any number of threads and ranks has the bits of one.

use num_complex::Complex64;
use phasefront_comm::threads;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::{Event, Progress, Sink};
use phasefront_device::{Backend, for_each_gpu, testing};
use phasefront_reflectarray::{
    Checkpoint, Cost, DEFINES, Derivatives, Design, Element, Evaluation, Feed, Goals, KERNELS, Lattice,
    Method, Objective, Outputs, Outside, PatternView, Placement, Problem, ReflectarrayError, Region,
    Sensitivity, Solution, Study, Synthesis, UvGrid, UvPolygon, prepare,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Tolerance between devices that round differently.
const TOLERANCE: f64 = 1e-10;
/// A wavelength of 20 mm.
const FREQUENCY: f64 = 299_792_458.0 / 0.02;

fn problem(elements: [usize; 2], samples: [usize; 2]) -> Problem {
    let ring = vec![[0.0, -0.15], [0.2, -0.15], [0.2, 0.05], [0.0, 0.05]];
    let polygons = vec![UvPolygon { rings: vec![ring] }];
    Problem {
        design: None,
        frequencies: vec![FREQUENCY],
        feed: Feed { offset: 0.07, height: 0.12, power_exponent: 10.6, polarization: 0.3 },
        element: Element { power_exponent: 1.0, reflection: None },
        lattice: Lattice { elements, spacing: [0.011, 0.0105] },
        placement: Placement::Periodic,
        focus: Some([0.1, -0.05]),
        coverage: vec![Region { name: "square".into(), polygons, lower: Some(14.0), upper: Some(17.0) }],
        outside: Some(Outside { upper: 3.0, margin: 0.05 }),
        uv_grid: UvGrid { center: [0.083, -0.023], points: samples, spacing: 0.5 / samples[0] as f64 },
        synthesis: Synthesis { tolerance: 1e-13, ..Synthesis::default() },
        outputs: Outputs::default(),
    }
}

/// Reproducible pseudo-random numbers in [−1, 1).
fn noise(n: usize) -> f64 {
    2.0 * ((n as f64 * 12.9898 + 4.1).sin() * 43758.5453).rem_euclid(1.0) - 1.0
}

/// The initial design with perturbed phases, and positions perturbed by up to `shift`.
fn perturbed(problem: &Problem, shift: f64) -> Design {
    let mut design = problem.initial_design();
    for n in 0..design.len() {
        design.phase[n] += noise(n);
        design.x[n] += shift * noise(n + 1000);
        design.y[n] += shift * noise(n + 2000);
    }
    design
}

/// Without every third element.
fn thinned(mut design: Design) -> Design {
    let keep = |n: &usize| n % 3 != 1;
    let pick = |values: &[f64]| (0..values.len()).filter(keep).map(|n| values[n]).collect();
    (design.x, design.y, design.phase) = (pick(&design.x), pick(&design.y), pick(&design.phase));
    design.index = (0..design.index.len()).filter(keep).map(|n| design.index[n]).collect();
    design
}

#[track_caller]
fn close(what: &str, got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    assert!(expected.is_empty() || largest > 0.0, "{what} vanishes");
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        assert!((g - e).abs() <= TOLERANCE * largest, "{what} {i}: {g} and {e}, largest {largest}");
    }
}

#[track_caller]
fn same(what: &str, got: &Evaluation, expected: &Evaluation) {
    close(&format!("{what}, value"), &[got.value], &[expected.value]);
    close(&format!("{what}, phase"), &got.phase, &expected.phase);
    close(&format!("{what}, x"), &got.x, &expected.x);
    close(&format!("{what}, y"), &got.y, &expected.y);
}

fn parts(field: &[Complex64]) -> Vec<f64> {
    field.iter().flat_map(|e| [e.re, e.im]).collect()
}

/// All costs and gradients of some designs, one after another on the same objectives.
#[track_caller]
fn agree(problem: &Problem, designs: &[Design], backend: &Backend) {
    let mut ours = Objective::new(problem, backend).unwrap();
    let mut theirs = Objective::new(problem, &Backend::Cpu).unwrap();
    let goals = Goals::new(problem, theirs.pattern().mask);
    for (i, design) in designs.iter().enumerate() {
        for wanted in [Derivatives::None, Derivatives::Phase, Derivatives::PhaseAndPosition] {
            let what = format!("design {i} {wanted:?}");
            let got = ours.evaluate(design, wanted).unwrap();
            same(&what, &got, &theirs.evaluate(design, wanted).unwrap());
            ours.fetch_pattern().unwrap();
            theirs.fetch_pattern().unwrap();
            close(&what, ours.pattern().intensity, theirs.pattern().intensity);
            let mut margin = |pattern: &PatternView<'_>| Cost::Minimax { sharpness: 1.5 }.of(&goals, pattern);
            let got = ours.evaluate_with(design, &mut margin, wanted).unwrap();
            same(
                &format!("{what} margin"),
                &got,
                &theirs.evaluate_with(design, &mut margin, wanted).unwrap(),
            );
        }
        for f in 0..problem.frequencies.len() {
            close("field", &parts(&ours.field(f).unwrap()), &parts(&theirs.field(f).unwrap()));
        }
    }
}

for_each_gpu! {
    fn lattices_have_the_same_costs_and_gradients(backend: &Backend) {
        for (elements, samples) in [([6, 5], [21, 18]), ([17, 34], [40, 65]), ([2, 1], [3, 2])] {
            let problem = problem(elements, samples);
            let mut stretched = perturbed(&problem, 0.0);
            stretched.x.iter_mut().for_each(|x| *x *= 1.1);
            let designs = [problem.initial_design(), perturbed(&problem, 0.0), stretched];
            agree(&problem, &designs, backend);
        }
    }

    fn scattered_elements_have_the_same_costs_and_gradients(backend: &Backend) {
        for (elements, samples) in [([6, 5], [21, 18]), ([15, 14], [65, 70]), ([40, 39], [30, 33])] {
            let problem = problem(elements, samples);
            agree(&problem, &[perturbed(&problem, 0.002), perturbed(&problem, 0.001)], backend);
        }
    }

    fn elements_may_leave_their_positions_and_the_array(backend: &Backend) {
        let problem = problem([9, 8], [21, 18]);
        let designs = [
            thinned(problem.initial_design()),
            perturbed(&problem, 0.002),
            thinned(perturbed(&problem, 0.002)),
            perturbed(&problem, 0.0),
        ];
        agree(&problem, &designs, backend);
    }

    fn frequencies_and_bounds_may_be_many_and_change(backend: &Backend) {
        let mut problem = problem([9, 8], [21, 18]);
        problem.frequencies.push(1.1 * FREQUENCY);
        let design = perturbed(&problem, 0.001);
        let mut objectives = [backend, &Backend::Cpu].map(|b| Objective::new(&problem, b).unwrap());
        let [(ours, our_pattern), (theirs, their_pattern)] = objectives.each_mut().map(|objective| {
            let mut all = vec![objective.evaluate(&design, Derivatives::Phase).unwrap()];
            objective.set_lower_bound(0, 16.0);
            all.push(objective.evaluate(&design, Derivatives::Phase).unwrap());
            objective.update_power(&perturbed(&problem, 0.0)).unwrap();
            all.push(objective.evaluate(&design, Derivatives::Phase).unwrap());
            // A copy has the mask and P_rad of the original.
            all.push(objective.clone().evaluate(&design, Derivatives::Phase).unwrap());
            // The pattern is fetched on request, for all frequencies.
            assert!(objective.pattern().intensity.is_empty());
            objective.fetch_pattern().unwrap();
            (all, objective.pattern().intensity.to_vec())
        });
        close("pattern", &our_pattern, &their_pattern);
        assert!(ours[0].value != ours[1].value && ours[1].value != ours[2].value);
        ours.iter().zip(&theirs).enumerate().for_each(|(i, (g, e))| same(&format!("{i}"), g, e));
    }

    fn analyses_are_the_same(backend: &Backend) {
        let study = prepare(problem([9, 8], [21, 18])).unwrap();
        let [ours, theirs] =
            [backend, &Backend::Cpu].map(|b| study.analyze(perturbed(&study.problem, 0.0), b).unwrap());
        close("d_co", &ours.patterns[0].d_co, &theirs.patterns[0].d_co);
        close("objective", &[ours.objective], &[theirs.objective]);
    }

    fn any_cost_may_be_asked_for(backend: &Backend) {
        let problem = problem([7, 6], [20, 19]);
        let design = perturbed(&problem, 0.002);
        let mut cost = |pattern: &PatternView<'_>| {
            let weights: Vec<f64> = (0..pattern.intensity.len()).map(noise).collect();
            (pattern.intensity.iter().zip(&weights).map(|(e, w)| e * w).sum(), weights)
        };
        let [ours, theirs] = [backend, &Backend::Cpu].map(|b| {
            let mut objective = Objective::new(&problem, b).unwrap();
            objective.evaluate_with(&design, &mut cost, Derivatives::PhaseAndPosition).unwrap()
        });
        same("noise", &ours, &theirs);
    }
}

#[test]
fn kernels_compile_for_all_architectures() {
    testing::compile_for_all_architectures(&KERNELS, DEFINES);
}

/// Small syntheses with all that is shared: fronts, random starts, candidates and draws of failed elements.
fn shared() -> [Study; 3] {
    let mut lattice = problem([9, 8], [21, 18]);
    lattice.coverage[0].lower = None;
    lattice.synthesis = Synthesis {
        starts: 5,
        modal_iterations: 5,
        element_iterations: 12,
        polish_iterations: 21,
        phase_bits: Some(3),
        ..Synthesis::default()
    };
    lattice.outputs.sensitivity =
        Some(Sensitivity { failed_fraction: 0.05, pointing_error: 0.01, trials: 5 });
    let mut free = lattice.clone();
    free.synthesis.phase_bits = None;
    free.placement = Placement::Aperiodic { min_spacing: 0.009, max_spacing: 0.014 };
    let mut projections = lattice.clone();
    projections.synthesis.method = Method::AlternatingProjections;
    [lattice, free, projections].map(|problem| prepare(problem).unwrap())
}

/// An array and a grid that several threads divide inside of one evaluation, too.
fn large() -> Study {
    let mut problem = Problem {
        uv_grid: UvGrid { spacing: 0.008, ..problem([40, 41], [64, 60]).uv_grid },
        ..problem([40, 41], [64, 60])
    };
    problem.coverage[0].lower = None;
    problem.synthesis = Synthesis {
        starts: 2,
        modal_iterations: 2,
        element_iterations: 8,
        polish_iterations: 14,
        ..Synthesis::default()
    };
    problem.outputs.sensitivity =
        Some(Sensitivity { failed_fraction: 0.05, pointing_error: 0.01, trials: 2 });
    prepare(problem).unwrap()
}

/// The points of all scalar series, as they are reported.
#[derive(Default)]
struct Series(Mutex<Vec<(String, f64, f64)>>);

impl Sink for Series {
    fn event(&self, event: Event<'_>) {
        if let Event::Scalar { series, x, value, .. } = event {
            self.0.lock().unwrap().push((series.into(), x, value));
        }
    }
}

/// One rank's work, with a progress for rank 0.
fn solve_on(size: usize, study: &Study, progress: &Progress, from: Option<&Checkpoint>) -> Ended {
    let (silent, saved) = (Progress::silent(), Mutex::new(from.cloned()));
    let solution = threads::run(size, |comm| {
        let is_first = comm.rank() == 0;
        let mut save = |state: &Checkpoint| {
            // Only the states of rank 0 reach a file.
            if is_first {
                *saved.lock().unwrap() = Some(stored(state));
            }
            Ok(())
        };
        let progress = if is_first { progress } else { &silent };
        let solution =
            study.solve_on(comm, &Backend::Cpu, progress, from.filter(|_| is_first).cloned(), &mut save)?;
        assert!(solution.is_none() || is_first, "rank {} has a solution", comm.rank());
        Ok::<_, ReflectarrayError>(solution)
    });
    let solution = match solution {
        Ok(solution) => solution.filter(|solution| !solution.interrupted),
        Err(ReflectarrayError::Interrupted(_)) => None,
        Err(error) => panic!("{error}"),
    };
    Ended { solution, saved: saved.into_inner().unwrap() }
}

struct Ended {
    solution: Option<Solution>,
    saved: Option<Checkpoint>,
}

/// The state as it comes back from a file.
fn stored(state: &Checkpoint) -> Checkpoint {
    let mut out = StateWriter::default();
    state.write(&mut out);
    Checkpoint::read(&mut StateReader::new(&out.parts().concat())).unwrap()
}

/// Requests an interruption at an event.
struct StopAfter(AtomicUsize, Arc<AtomicBool>);

impl Sink for StopAfter {
    fn event(&self, _: Event<'_>) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn any_number_of_threads_and_ranks_has_the_bits_of_one() {
    for (i, study) in shared().iter().chain([&large()]).enumerate() {
        let with_threads = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            let series = Arc::new(Series::default());
            let progress = Progress::new(series.clone(), Arc::new(AtomicBool::new(false)));
            let solve = || study.solve(&Backend::Cpu, &progress, None, &mut |_| Ok(())).unwrap();
            let solution = pool.install(solve);
            let series = std::mem::take(&mut *series.0.lock().unwrap());
            (solution, series)
        };
        let (one, drawn) = with_threads(1);
        // What is drawn while it runs is the history, in its order.
        let rows = one.history.iter().map(|row| (row.evaluations as f64, row.d_min));
        let d_min = drawn.iter().filter(|point| point.0 == "d_min_dbi").map(|(_, x, value)| (*x, *value));
        assert!(d_min.eq(rows), "problem {i}");
        assert!(one.sensitivity.is_some() && one.history.len() > 1);
        for threads in [2, 3, 7, 8, 16] {
            let (solution, points) = with_threads(threads);
            assert!(solution == one, "problem {i}, {threads} threads");
            assert!(points == drawn, "problem {i}, {threads} threads: other points are drawn");
        }
        for ranks in [1, 2, 3, 7] {
            let solution = solve_on(ranks, study, &Progress::silent(), None).solution;
            assert!(solution.as_ref() == Some(&one), "problem {i}, {ranks} ranks");
        }
    }
}

#[test]
fn a_synthesis_that_was_interrupted_on_three_ranks_resumes_on_others() {
    for (i, study) in shared().iter().enumerate() {
        let whole = solve_on(1, study, &Progress::silent(), None).solution;
        let mut interrupted = 0;
        for event in [1, 10, 60, 150, 300] {
            let stop = Arc::new(AtomicBool::new(false));
            let sink = Arc::new(StopAfter(AtomicUsize::new(event), stop.clone()));
            let Ended { solution, saved } = solve_on(3, study, &Progress::new(sink, stop), None);
            interrupted += usize::from(solution.is_none());
            for ranks in [1, 7] {
                let resumed = solve_on(ranks, study, &Progress::silent(), saved.as_ref()).solution;
                assert!(resumed == whole, "problem {i}, event {event}, {ranks} ranks");
            }
        }
        assert!(interrupted > 0, "problem {i}");
    }
}
