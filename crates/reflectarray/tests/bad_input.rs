//! Every wrong problem has its own message, names the field at fault, and costs no work.

use num_complex::Complex64;
use phasefront_pattern::{Pattern as FarField, Powers};
use phasefront_reflectarray::*;

fn good() -> Problem {
    Problem {
        design: None,
        frequencies: vec![15e9],
        feed: Feed {
            offset: 0.2,
            height: 0.3,
            pattern: FeedPattern::Cosine { power_exponent: 10.0 },
            polarization: 0.0,
        },
        element: Element { power_exponent: 1.0, reflection: None },
        lattice: Lattice { elements: [10, 12], spacing: [0.01, 0.01] },
        placement: Placement::Periodic,
        focus: None,
        coverage: vec![region("spot", 0.1)],
        outside: None,
        uv_grid: UvGrid { center: [0.0, 0.1], points: [20, 20], spacing: 0.025 },
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

/// The sentences of the self-checks that do not hold.
fn warnings(problem: Problem) -> Vec<String> {
    let checks = prepare(problem).unwrap().self_checks;
    checks.into_iter().filter(|check| !check.holds()).map(|check| check.sentence).collect()
}

#[test]
fn the_good_one_passes_without_a_warning() {
    assert_eq!(warnings(good()), Vec::<String>::new());
    // Every self-check is listed, with what its value means.
    let study = prepare(good()).unwrap();
    assert_eq!(study.self_checks.len(), 4);
    assert!(study.self_checks.iter().all(|check| !check.sentence.is_empty()));
}

#[test]
fn wrong_frequencies() {
    let none = Problem { frequencies: vec![], ..good() };
    refused(none, "source.frequency: no frequency is given", "specify at least one");
    for f in [0.0, -1e9] {
        refused(
            Problem { frequencies: vec![1e9, f], ..good() },
            &format!("source.frequency: the frequency must be positive and finite, not {f} Hz"),
            "specify a positive frequency, for example \"14.25 GHz\"",
        );
    }
}

#[test]
fn wrong_lattices() {
    let lattice = |elements, spacing| Problem { lattice: Lattice { elements, spacing }, ..good() };
    refused(
        lattice([10, 0], [0.01; 2]),
        "geometry.elements: an array of 10 x 0 has no elements",
        "specify at least one element along each axis",
    );
    refused(
        lattice([1 << 40, 1 << 40], [0.01; 2]),
        "geometry.elements: an array of 1099511627776 x 1099511627776 elements exceeds the limit",
        "use at most 1000000 in total",
    );
    refused(
        lattice([4, 4], [0.01, -0.01]),
        "geometry.spacing: the element spacing must be positive and finite, not -0.01 m",
        "specify a positive spacing; half a wavelength is usual",
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
        "geometry.placement: the minimum spacing of 1.4000e-2 m is not below the maximum of 1.0000e-2 m",
        "choose min_spacing smaller than max_spacing",
    );
    refused(
        aperiodic(0.0, 0.01),
        "geometry.placement.min_spacing: the spacing bound must be positive and finite, not 0 m",
        "specify a positive length",
    );
    refused(
        aperiodic(0.011, 0.014),
        "geometry.spacing: the lattice spacing of 1.0000e-2 m is outside the bounds of 1.1000e-2 m to 1.4000e-2 m",
        "choose a spacing within geometry.placement, or widen those bounds",
    );
}

/// A feed polarized along x, sampled over a cone.
fn sampled(frequency: f64, cone: f64) -> SampledFeed {
    let theta: Vec<f64> = (0..=20).map(|i| cone / 20.0 * f64::from(i)).collect();
    let phi: Vec<f64> = (0..36).map(|j| (10.0 * f64::from(j)).to_radians()).collect();
    let at = |theta: f64, phi: f64| [phi.cos(), -phi.sin()].map(|c| Complex64::from(c * theta.cos().powi(4)));
    let fields = theta.iter().flat_map(|&t| phi.iter().map(move |&p| at(t, p))).collect();
    let far_field = FarField::new(frequency, theta.clone(), phi.clone(), fields, Powers::default()).unwrap();
    SampledFeed { far_fields: vec![far_field].into(), rotation: 0.0, phase_center: [0.0; 3] }
}

fn fed(sampled: SampledFeed, polarization: f64) -> Problem {
    let feed = Feed { pattern: FeedPattern::Sampled(sampled), polarization, ..good().feed };
    Problem { feed, ..good() }
}

#[test]
fn wrong_samples_of_the_feed() {
    let right = || sampled(15.1e9, 0.5);
    assert_eq!(warnings(fed(right(), 0.0)), Vec::<String>::new());
    let message = "geometry.feed.pattern.file: the pattern of the feed has no samples at 15.000000 GHz: the nearest are at 15.200000 GHz";
    refused(
        fed(sampled(15.2e9, 0.5), 0.0),
        message,
        "give a file with that frequency; 1 % are allowed between the two",
    );
    refused(
        fed(sampled(15e9, 0.1), 0.0),
        "geometry.feed.pattern.file: the pattern of the feed has no samples toward (x, y) = (-0.0500, -0.0600) m of the array: theta 12.18 \
         deg, phi -135.04 deg of the file at 15.000000 GHz",
        "export the pattern over a wider cone and all of phi",
    );
    refused(
        fed(right(), std::f64::consts::FRAC_PI_2),
        "geometry.feed.polarization: of the power that the feed sends toward the array, 0.0 % are co-polar for the polarization of 90.0 deg",
        "set geometry.feed.polarization to the direction of its electric field, or rotate it by geometry.feed.pattern.rotation",
    );
    refused(
        fed(SampledFeed { far_fields: vec![].into(), ..right() }, 0.0),
        "geometry.feed.pattern.file: the pattern of the feed has no samples",
        "give at least one frequency",
    );
    refused(
        fed(SampledFeed { rotation: f64::NAN, ..right() }, 0.0),
        "geometry.feed.pattern.rotation: the rotation is not finite",
        "specify an angle",
    );
    refused(
        fed(SampledFeed { phase_center: [0.0, f64::INFINITY, 0.0], ..right() }, 0.0),
        "geometry.feed.pattern.phase_center: the phase center is not finite",
        "specify three lengths",
    );
    // Two wavelengths off the origin of a file, the phase turns by more than steps of 1.4 degrees resolve.
    let mut displaced = right();
    displaced.phase_center = [0.0; 3];
    let far_field = &displaced.far_fields[0];
    let turned = |(i, field): (usize, &[Complex64; 2])| {
        let (theta, phi) = (far_field.theta()[i / 36], far_field.phi()[i % 36]);
        field.map(|e| e * Complex64::cis(1500.0 * theta.sin() * phi.cos()))
    };
    let fields = far_field.fields().iter().enumerate().map(turned).collect();
    let (theta, phi) = (far_field.theta().to_vec(), far_field.phi().to_vec());
    displaced.far_fields = vec![FarField::new(15e9, theta, phi, fields, Powers::default()).unwrap()].into();
    let found = warnings(fed(displaced, 0.0));
    assert!(
        found.len() == 1 && found[0].starts_with("the samples of the feed's pattern are too far apart"),
        "{found:?}"
    );
}

#[test]
fn wrong_feeds_and_elements() {
    let feed = |feed: Feed| Problem { feed, ..good() };
    let right = good().feed;
    refused(
        feed(Feed { height: 0.0, ..right.clone() }),
        "geometry.feed.height: the distance of the array plane from the feed must be positive and finite, not 0 m",
        "specify a positive distance",
    );
    refused(
        feed(Feed { offset: f64::NAN, ..right.clone() }),
        "geometry.feed.offset: the offset is not finite",
        "specify a length",
    );
    refused(
        feed(Feed { polarization: f64::INFINITY, ..right.clone() }),
        "geometry.feed.polarization: the polarization angle is not finite",
        "specify an angle",
    );
    refused(
        feed(Feed { pattern: FeedPattern::Cosine { power_exponent: -1.0 }, ..right.clone() }),
        "geometry.feed.power_exponent: the exponent -1 of the cosine pattern is out of range",
        "use an exponent from 0 to 300",
    );
    let element = |exponent, reflection| Problem {
        element: Element { power_exponent: exponent, reflection },
        ..good()
    };
    refused(
        element(f64::NAN, None),
        "geometry.element.power_exponent: the exponent NaN of the cosine pattern is out of range",
        "use an exponent from 0 to 300",
    );
    let table = |theta: &[f64], amplitude: &[f64]| {
        let phase = vec![0.0; theta.len()];
        element(1.0, Some(ReflectionTable { theta: theta.to_vec(), amplitude: amplitude.to_vec(), phase }))
    };
    assert!(prepare(table(&[0.3], &[1.0])).is_ok());
    for (wrong, message, advice) in [
        (
            table(&[0.0, 1.0], &[1.0]),
            "the reflection table has no rows, or columns of different lengths",
            "specify an amplitude and a phase for each angle",
        ),
        (
            table(&[], &[]),
            "the reflection table has no rows, or columns of different lengths",
            "specify an amplitude and a phase for each angle",
        ),
        (
            table(&[1.0, 0.5], &[1.0, 1.0]),
            "the angles of the reflection table are not ascending",
            "sort the rows by angle",
        ),
        (
            table(&[0.0, 0.5], &[1.0, -1.0]),
            "the reflection table has a negative amplitude or a value that is not finite",
            "correct the table",
        ),
        (
            table(&[0.0, 0.5], &[0.0, 0.0]),
            "all amplitudes of the reflection table are zero",
            "correct the table",
        ),
    ] {
        refused(wrong, &format!("geometry.element.reflection: {message}"), advice);
    }
}

#[test]
fn wrong_grids() {
    let uv_grid = |uv_grid: UvGrid| Problem { uv_grid, ..good() };
    let right = good().uv_grid;
    refused(
        uv_grid(UvGrid { spacing: 0.0, ..right }),
        "solve.uv_grid.spacing: the spacing must be positive and finite, not 0",
        "specify a positive spacing, for example 0.004",
    );
    refused(
        uv_grid(UvGrid { points: [0, 5], ..right }),
        "solve.uv_grid.points: a (u, v) grid of 0 x 5 has no points",
        "use at least one point along u and v",
    );
    refused(
        uv_grid(UvGrid { points: [100_000, 5000], ..right }),
        "solve.uv_grid.points: a (u, v) grid of 100000 x 5000 points exceeds the limit",
        "use a larger spacing or fewer points",
    );
    refused(
        uv_grid(UvGrid { center: [0.9, 0.9], ..right }),
        "solve.uv_grid.center: (u, v) = (0.9, 0.9) is outside visible space",
        "choose u and v with u² + v² < 1",
    );
    refused(
        uv_grid(UvGrid { spacing: 1.0, ..right }),
        "solve.uv_grid.points: the (u, v) grid is 19.000 wide in u, and visible space only 2",
        "use fewer points or a smaller spacing",
    );
    refused(
        Problem { focus: Some([1.0, 0.0]), ..good() },
        "geometry.focus: (u, v) = (1, 0) is outside visible space",
        "choose u and v with u² + v² < 1",
    );
}

#[test]
fn wrong_coverages() {
    let coverage = |coverage: Vec<Region>| Problem { coverage, ..good() };
    refused(
        coverage(vec![]),
        "geometry.coverage: there is no coverage to synthesize a beam for",
        "add a region, or use method = \"analysis\"",
    );
    let analysis = Synthesis { method: Method::Analysis, ..Synthesis::default() };
    assert!(prepare(Problem { synthesis: analysis, ..coverage(vec![]) }).is_ok());
    let spot = || region("spot", 0.1);
    refused(
        coverage(vec![spot(), Region { upper: Some(19.5), ..spot() }]),
        "geometry.coverage[1].lower_dbi: the lower bound of `spot`, 20 dBi, exceeds its upper bound, 19.5 dBi",
        "choose a lower bound below the upper one",
    );
    refused(
        coverage(vec![Region { lower: Some(f64::NAN), ..spot() }]),
        "geometry.coverage[0].lower_dbi: the bound is not finite",
        "specify a directivity in dBi",
    );
    refused(
        coverage(vec![Region { lower: None, upper: Some(f64::NAN), ..spot() }]),
        "geometry.coverage[0].upper_dbi: the bound is not finite",
        "specify a directivity in dBi",
    );
    refused(
        coverage(vec![
            spot(),
            Region { name: "low".into(), lower: None, upper: Some(10.0), ..region("", 0.05) },
        ]),
        "geometry.coverage[0].lower_dbi: the lower bound of 20 dBi in `spot` exceeds the upper bound of 10.00 dBi of an overlapping region",
        "separate the regions, or make their bounds compatible",
    );
    refused(
        coverage(vec![Region { polygons: vec![], ..spot() }]),
        "geometry.coverage[0]: `spot` has no polygon",
        "add at least one polygon",
    );
    refused(
        coverage(vec![Region { polygons: vec![polygon(&[[0.0, 0.0], [0.1, 0.1]])], ..spot() }]),
        "geometry.coverage[0]: a ring of `spot` has 2 points and encloses no area",
        "use at least 3 points",
    );
    refused(
        coverage(vec![Region { polygons: vec![polygon(&[[0.0, 0.0], [0.9, 0.9], [0.1, 0.0]])], ..spot() }]),
        "geometry.coverage[0]: `spot` has a point (u, v) = (0.9, 0.9), which is outside visible space",
        "choose points with u² + v² < 1",
    );
    refused(
        coverage(vec![spot(), region("wide", 0.4)]),
        "geometry.coverage[1]: `wide` spans u = -0.4000 to 0.4000, beyond the points of the (u, v) grid, -0.2500 to 0.2250",
        "move or extend solve.uv_grid so that it contains the region",
    );
    // A region smaller than a sample cell has the samples around it, if they are in visible space.
    let between =
        |u: f64| Region { polygons: vec![polygon(&[[u, 0.101], [u + 1e-3, 0.101], [u, 0.102]])], ..spot() };
    assert!(prepare(coverage(vec![between(0.001)])).is_ok());
    let uv_grid = UvGrid { center: [0.97, 0.1], points: [20, 20], spacing: 0.025 };
    refused(
        Problem { uv_grid, ..coverage(vec![between(0.992)]) },
        "geometry.coverage[0]: no point of the (u, v) grid in visible space belongs to `spot`: the points span u = 0.7200 to 1.1950 and v = -0.1500 to \
         0.3250 in steps of 0.025",
        "use a smaller spacing, or move solve.uv_grid",
    );
}

#[test]
fn wrong_bounds_elsewhere() {
    let outside = |upper, margin| Problem { outside: Some(Outside { upper, margin }), ..good() };
    refused(
        outside(f64::INFINITY, 0.0),
        "geometry.outside.upper_dbi: the bound is not finite",
        "specify a directivity in dBi",
    );
    refused(
        outside(5.0, -0.1),
        "geometry.outside.margin: the margin must be zero or positive, not -0.1",
        "specify a width in u and v of zero or more",
    );
}

#[test]
fn wrong_settings() {
    let settings = |synthesis: Synthesis| Problem { synthesis, ..good() };
    refused(
        settings(Synthesis { tolerance: 0.5, ..Synthesis::default() }),
        "solve.tolerance: the tolerance 5e-1 of the NUFFTs is out of range",
        "use a tolerance from 1e-14 to 1e-2",
    );
    refused(
        settings(Synthesis { phase_bits: Some(0), ..Synthesis::default() }),
        "solve.phase_bits: phase shifters with 0 bits are not supported",
        "use 1 to 16, or omit the key for continuous phases",
    );
}

#[test]
fn wrong_sensitivities() {
    let right = Sensitivity { failed_fraction: 0.05, pointing_error: 0.002, trials: 10 };
    let with = |sensitivity: Sensitivity| Problem {
        outputs: Outputs { sensitivity: Some(sensitivity), ..Outputs::default() },
        ..good()
    };
    assert!(prepare(with(right)).is_ok());
    refused(
        with(Sensitivity { failed_fraction: 1.0, ..right }),
        "output.sensitivity.failed_fraction: the fraction 1 of failed elements leaves no element or is negative",
        "use a fraction of at least 0 and below 1",
    );
    refused(
        with(Sensitivity { pointing_error: -0.1, ..right }),
        "output.sensitivity.pointing_error: the pointing error of -0.1 rad is out of range",
        "use a small positive angle, for example \"0.1 deg\"",
    );
    refused(
        with(Sensitivity { trials: 0, ..right }),
        "output.sensitivity.trials: the number of trials is zero",
        "specify at least one",
    );
    let mut nothing = with(right);
    nothing.coverage.clear();
    nothing.synthesis.method = Method::Analysis;
    refused(
        nothing,
        "output.sensitivity: the sensitivity of D_min requires a coverage",
        "omit output.sensitivity, or add a coverage",
    );
}

#[test]
fn doubtful_problems_are_warned_of() {
    let mut problem = good();
    problem.feed.offset = -0.03;
    assert_eq!(
        warnings(problem),
        [
            "the feed blocks the beam: toward (u, v) = (0.000, 0.100) the projected aperture, 0.100 m by 0.120 m, contains the feed at \
          (0.000, 0.000) m from its center, and blockage is not modeled; use a larger geometry.feed.offset"
        ]
    );
    let mut problem = good();
    problem.lattice.elements = [100, 12];
    assert_eq!(
        warnings(problem),
        [
            "the grid spacing of 0.025 exceeds the beamwidth of the array, 0.0200: minima of D between the points may be missed; use 0.0100 or \
             less in solve.uv_grid.spacing"
        ]
    );
    let mut problem = good();
    problem.lattice.spacing = [0.005, 0.005];
    assert_eq!(
        warnings(problem),
        [
            "neighbors are 0.250 wavelengths apart at 15.0000 GHz: they couple strongly, which the element pattern does not include; use 0.3 \
             wavelengths or more in geometry.spacing"
        ]
    );
    let mut problem = good();
    problem.lattice.spacing = [0.01, 0.024];
    assert_eq!(
        warnings(problem),
        [
            "the lattice has a grating lobe in visible space, at (u, v) = (0.000, -0.633) at 15.0000 GHz, which takes power from the beam; use a \
             spacing of λ/(1 + sin θ) = 16.33 mm or less in geometry.spacing"
        ]
    );
}

#[test]
fn absurd_spacings() {
    for (spacing, text) in [(1e-4, "0.005"), (0.3, "15.010")] {
        let mut problem = good();
        problem.lattice.spacing[1] = spacing;
        refused(
            problem,
            &format!("geometry.spacing: neighbors {text} wavelengths apart at 15.0000 GHz are out of range"),
            "use 0.1 to 5 wavelengths, usually 0.5; check the units of spacing and frequency",
        );
    }
    // Elements of a given design that coincide.
    let mut problem = good();
    problem.coverage.clear();
    problem.focus = Some([0.0, 0.1]);
    problem.synthesis.method = Method::Analysis;
    let mut design = problem.initial_design();
    (design.x[1], design.y[1]) = (design.x[0], design.y[0]);
    problem.design = Some(design);
    refused(
        problem,
        "geometry.design: neighbors 0.000 wavelengths apart at 15.0000 GHz are out of range",
        "use 0.1 to 5 wavelengths, usually 0.5; check the units of spacing and frequency",
    );
    // Bounds of free positions.
    let mut problem = good();
    problem.placement = Placement::Aperiodic { min_spacing: 1e-4, max_spacing: 0.014 };
    refused(
        problem,
        "geometry.placement: neighbors 0.005 wavelengths apart at 15.0000 GHz are out of range",
        "use 0.1 to 5 wavelengths, usually 0.5; check the units of spacing and frequency",
    );
    // A single element has no neighbors.
    let mut problem = good();
    problem.lattice = Lattice { elements: [1, 1], spacing: [1e-4, 1e-4] };
    prepare(problem).unwrap();
}
