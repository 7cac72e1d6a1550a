//! Every wrong problem has its own message, names the field at fault, and costs no work.

use phasefront_reflectarray::*;

fn good() -> Problem {
    Problem {
        design: None,
        frequencies: vec![15e9],
        feed: Feed { offset: 0.2, height: 0.3, exponent: 5.0, polarization: 0.0 },
        element: Element { exponent: 1.0, reflection: None },
        lattice: Lattice { elements: [10, 12], spacing: [0.01, 0.01] },
        placement: Placement::Periodic,
        focus: None,
        coverage: vec![region("spot", 0.1)],
        outside: None,
        window: Window { center: [0.0, 0.1], samples: [20, 20], step: 0.025 },
        synthesis: Synthesis::default(),
        outputs: Outputs::default(),
    }
}

fn region(name: &str, half: f64) -> Region {
    let ring = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| [half * a, 0.1 + half * b]);
    Region { name: name.into(), polygons: vec![polygon(&ring)], lower: Some(20.0), upper: None }
}

fn polygon(ring: &[[f64; 2]]) -> UvPolygon {
    UvPolygon { rings: vec![ring.to_vec()] }
}

#[track_caller]
fn refused(problem: Problem, message: &str, advice: &str) {
    match prepare(problem) {
        Err(ReflectarrayError::Invalid(error)) => {
            assert_eq!(error.to_string(), message);
            assert_eq!(error.advice, advice);
        }
        other => panic!("expected {message:?}, got {other:?}"),
    }
}

#[test]
fn the_good_one_passes_without_a_warning() {
    assert_eq!(prepare(good()).unwrap().warnings, Vec::<String>::new());
}

#[test]
fn wrong_frequencies() {
    let none = Problem { frequencies: vec![], ..good() };
    refused(none, "source.frequency: there is no frequency", "give at least one");
    for f in [0.0, -1e9] {
        refused(
            Problem { frequencies: vec![1e9, f], ..good() },
            &format!("source.frequency: a frequency of {f} Hz has no wave"),
            "give a frequency above zero, for example \"14.25 GHz\"",
        );
    }
}

#[test]
fn wrong_lattices() {
    let lattice = |elements, spacing| Problem { lattice: Lattice { elements, spacing }, ..good() };
    refused(
        lattice([10, 0], [0.01; 2]),
        "geometry.elements: 10 by 0 elements are none",
        "give at least one along each axis",
    );
    refused(
        lattice([1 << 40, 1 << 40], [0.01; 2]),
        "geometry.elements: 1099511627776 by 1099511627776 elements are more than can be computed with",
        "give at most 1000000 in all",
    );
    refused(
        lattice([4, 4], [0.01, -0.01]),
        "geometry.spacing: elements cannot stand -0.01 m apart",
        "give a spacing above zero; half a wavelength is usual",
    );
}

#[test]
fn spacing_bounds_that_cannot_hold() {
    let aperiodic = |min_spacing, max_spacing| Problem {
        placement: Placement::Aperiodic { min_spacing, max_spacing },
        ..good()
    };
    assert!(prepare(aperiodic(0.01, 0.014)).is_ok());
    refused(
        aperiodic(0.014, 0.01),
        "geometry.placement: no distance is at least 1.4000e-2 m and at most 1.0000e-2 m with room between",
        "make min_spacing smaller than max_spacing",
    );
    refused(
        aperiodic(0.0, 0.01),
        "geometry.placement.min_spacing: neighbors cannot keep a distance of 0 m",
        "give a length above zero",
    );
    refused(
        aperiodic(0.011, 0.014),
        "geometry.spacing: the lattice of 1.0000e-2 m is not within the bounds of 1.1000e-2 m to 1.4000e-2 m",
        "start from a spacing within geometry.placement, or widen those bounds",
    );
}

#[test]
fn wrong_feeds_and_elements() {
    let feed = |feed: Feed| Problem { feed, ..good() };
    let right = good().feed;
    refused(
        feed(Feed { height: 0.0, ..right }),
        "geometry.feed.height: the array cannot lie 0 m from the feed",
        "give a distance above zero",
    );
    refused(
        feed(Feed { offset: f64::NAN, ..right }),
        "geometry.feed.offset: the offset is not a number",
        "give a length",
    );
    refused(
        feed(Feed { polarization: f64::INFINITY, ..right }),
        "geometry.feed.polarization: the polarization is not a number",
        "give an angle",
    );
    refused(
        feed(Feed { exponent: -1.0, ..right }),
        "geometry.feed.exponent: cos to the power -1 is no pattern",
        "give an exponent from 0 to 300",
    );
    let element = |exponent, reflection| Problem { element: Element { exponent, reflection }, ..good() };
    refused(
        element(f64::NAN, None),
        "geometry.element.exponent: cos to the power NaN is no pattern",
        "give an exponent from 0 to 300",
    );
    let table = |theta: &[f64], amplitude: &[f64]| {
        let phase = vec![0.0; theta.len()];
        element(1.0, Some(ReflectionTable { theta: theta.to_vec(), amplitude: amplitude.to_vec(), phase }))
    };
    assert!(prepare(table(&[0.3], &[1.0])).is_ok());
    for (wrong, message, advice) in [
        (
            table(&[0.0, 1.0], &[1.0]),
            "the table of the reflection has no rows, or columns of different length",
            "give an amplitude and a phase for each angle",
        ),
        (
            table(&[], &[]),
            "the table of the reflection has no rows, or columns of different length",
            "give an amplitude and a phase for each angle",
        ),
        (
            table(&[1.0, 0.5], &[1.0, 1.0]),
            "the angles of the reflection do not ascend",
            "sort the rows by angle",
        ),
        (
            table(&[0.0, 0.5], &[1.0, -1.0]),
            "the reflection has a negative amplitude, or a value that is not a number",
            "correct the table",
        ),
        (
            table(&[0.0, 0.5], &[0.0, 0.0]),
            "a cell that reflects nothing makes no antenna",
            "correct the table",
        ),
    ] {
        refused(wrong, &format!("geometry.element.reflection: {message}"), advice);
    }
}

#[test]
fn wrong_windows() {
    let window = |window: Window| Problem { window, ..good() };
    let right = good().window;
    refused(
        window(Window { step: 0.0, ..right }),
        "solve.window.step: samples cannot lie 0 apart",
        "give a step above zero, for example 0.004",
    );
    refused(
        window(Window { samples: [0, 5], ..right }),
        "solve.window.samples: 0 by 5 samples are none",
        "give at least one along u and v",
    );
    refused(
        window(Window { samples: [100_000, 5000], ..right }),
        "solve.window.samples: 100000 by 5000 samples are more than can be computed with",
        "take a larger step, or a smaller window",
    );
    refused(
        window(Window { center: [0.9, 0.9], ..right }),
        "solve.window.center: (0.9, 0.9) is no visible direction",
        "give u and v with u² + v² below 1",
    );
    refused(
        window(Window { step: 1.0, ..right }),
        "solve.window.samples: the window is 19.000 wide in u, and all visible directions span 2",
        "take fewer samples, or a smaller step",
    );
    refused(
        Problem { focus: Some([1.0, 0.0]), ..good() },
        "geometry.focus: (1, 0) is no visible direction",
        "give u and v with u² + v² below 1",
    );
}

#[test]
fn wrong_coverages() {
    let coverage = |coverage: Vec<Region>| Problem { coverage, ..good() };
    refused(
        coverage(vec![]),
        "geometry.coverage: there is nothing to illuminate",
        "add a region, or use method = \"analysis\"",
    );
    let analysis = Synthesis { method: Method::Analysis, ..Synthesis::default() };
    assert!(prepare(Problem { synthesis: analysis, ..coverage(vec![]) }).is_ok());
    let spot = || region("spot", 0.1);
    refused(
        coverage(vec![spot(), Region { upper: Some(19.5), ..spot() }]),
        "geometry.coverage[1].lower_dbi: `spot` asks for at least 20 dBi and at most 19.5 dBi",
        "make the lower bound the smaller one",
    );
    refused(
        coverage(vec![Region { lower: Some(f64::NAN), ..spot() }]),
        "geometry.coverage[0].lower_dbi: the bound is not a number",
        "give a level in dBi",
    );
    refused(
        coverage(vec![Region { lower: None, upper: Some(f64::NAN), ..spot() }]),
        "geometry.coverage[0].upper_dbi: the bound is not a number",
        "give a level in dBi",
    );
    refused(
        coverage(vec![
            spot(),
            Region { name: "low".into(), lower: None, upper: Some(10.0), ..region("", 0.05) },
        ]),
        "geometry.coverage[0].lower_dbi: at least 20 dBi in `spot` and at most 10.00 dBi in a region that overlaps it",
        "cut the regions apart, or make their bounds agree",
    );
    refused(
        coverage(vec![Region { polygons: vec![], ..spot() }]),
        "geometry.coverage[0]: `spot` has no outline",
        "give it at least one polygon",
    );
    refused(
        coverage(vec![Region { polygons: vec![polygon(&[[0.0, 0.0], [0.1, 0.1]])], ..spot() }]),
        "geometry.coverage[0]: an outline of `spot` has 2 points and encloses nothing",
        "give at least 3 points",
    );
    refused(
        coverage(vec![Region { polygons: vec![polygon(&[[0.0, 0.0], [0.9, 0.9], [0.1, 0.0]])], ..spot() }]),
        "geometry.coverage[0]: `spot` has a point (0.9, 0.9), which is no visible direction",
        "keep u² + v² below 1",
    );
    refused(
        coverage(vec![spot(), region("wide", 0.4)]),
        "geometry.coverage[1]: `wide` spans u = -0.4000 to 0.4000, and the window's samples -0.2500 to 0.2250",
        "move or widen solve.window until it holds the region",
    );
    // A region smaller than a cell has the samples around it, unless they are no directions.
    let between =
        |u: f64| Region { polygons: vec![polygon(&[[u, 0.101], [u + 1e-3, 0.101], [u, 0.102]])], ..spot() };
    assert!(prepare(coverage(vec![between(0.001)])).is_ok());
    let window = Window { center: [0.97, 0.1], samples: [20, 20], step: 0.025 };
    refused(
        Problem { window, ..coverage(vec![between(0.992)]) },
        "geometry.coverage[0]: no visible sample of the window stands for `spot`: they span u = 0.7200 to 1.1950 and v = -0.1500 to \
         0.3250 in steps of 0.025",
        "make the step smaller, or move the window",
    );
}

#[test]
fn wrong_bounds_elsewhere() {
    let outside = |upper, margin| Problem { outside: Some(Outside { upper, margin }), ..good() };
    refused(
        outside(f64::INFINITY, 0.0),
        "geometry.outside.upper_dbi: the bound is not a number",
        "give a level in dBi",
    );
    refused(
        outside(5.0, -0.1),
        "geometry.outside.margin: a margin of -0.1 leaves no band",
        "give a width in u and v of zero or more",
    );
}

#[test]
fn wrong_settings() {
    let settings = |synthesis: Synthesis| Problem { synthesis, ..good() };
    refused(
        settings(Synthesis { tolerance: 0.5, ..Synthesis::default() }),
        "solve.tolerance: transforms cannot have a tolerance of 5e-1",
        "give one from 1e-14 to 1e-2",
    );
    refused(
        settings(Synthesis { phase_bits: Some(0), ..Synthesis::default() }),
        "solve.phase_bits: there are no phase shifters of 0 bits",
        "give 1 to 16, or leave it out",
    );
}

#[test]
fn wrong_sensitivities() {
    let right = Sensitivity { failed_share: 0.05, pointing_error: 0.002, trials: 10 };
    let wanted = |sensitivity: Sensitivity| Problem {
        outputs: Outputs { sensitivity: Some(sensitivity), ..Outputs::default() },
        ..good()
    };
    assert!(prepare(wanted(right)).is_ok());
    refused(
        wanted(Sensitivity { failed_share: 1.0, ..right }),
        "output.sensitivity.failed_share: if a share of 1 fails, no antenna is left",
        "give a share from 0 to below 1",
    );
    refused(
        wanted(Sensitivity { pointing_error: -0.1, ..right }),
        "output.sensitivity.pointing_error: a pointing error of -0.1 rad is no error",
        "give a small angle, for example \"0.1 deg\"",
    );
    refused(
        wanted(Sensitivity { trials: 0, ..right }),
        "output.sensitivity.trials: no trials tell nothing",
        "give at least one",
    );
    let mut nothing = wanted(right);
    nothing.coverage.clear();
    nothing.synthesis.method = Method::Analysis;
    refused(
        nothing,
        "output.sensitivity: without a coverage there is no D_min to be sensitive",
        "leave it out, or give a coverage",
    );
}

#[test]
fn doubtful_problems_are_warned_of() {
    let mut problem = good();
    problem.feed.offset = -0.03;
    assert_eq!(
        prepare(problem).unwrap().warnings,
        [
            "the feed stands in the beam: towards (0.000, 0.100) the array's outline, 0.100 m by 0.120 m, passes the feed at \
          (0.000, 0.000) m from its middle, and blockage is not modeled; use a larger geometry.feed.offset"
        ]
    );
    let mut problem = good();
    problem.lattice.elements = [100, 12];
    assert_eq!(
        prepare(problem).unwrap().warnings,
        [
            "a step of 0.025 is wider than the array's beam, 0.0200: D may dip unseen between the samples; use 0.0100 or less"
        ]
    );
}
