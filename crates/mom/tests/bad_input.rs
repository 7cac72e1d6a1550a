//! Every wrong problem has its own message, names the field at fault, and costs no work.

use phasefront_mesh::{Outline, Segment};
use phasefront_mom::{
    Body, CellCount, Dielectric, Equation, Lcn, Material, Method, MomError, NearGrid, Polarization, Problem,
    Shape, prepare,
};
use std::f64::consts::TAU;

fn good() -> Problem {
    Problem {
        bodies: body(Shape::Circle { center: [0.0, 0.0], radius: 1.0 }),
        frequencies: vec![3e8],
        propagation: vec![0.0],
        method: Method::Pulse,
        cells: CellCount::PerWavelength(20.0),
        observation: vec![0.0],
        currents: true,
        ..Problem::default()
    }
}

fn body(shape: Shape) -> Vec<Body> {
    vec![Body::conductor(shape)]
}

fn polygon(points: &[[f64; 2]]) -> Vec<Body> {
    body(Shape::Polygon { points: points.to_vec() })
}

#[track_caller]
fn refused(problem: Problem, message: &str, advice: &str) {
    match prepare(problem) {
        Err(MomError::Invalid(error)) => {
            assert_eq!(error.to_string(), message);
            assert_eq!(error.advice, advice);
        }
        other => panic!("expected {message:?}, got {other:?}"),
    }
}

#[test]
fn wrong_sources() {
    for f in [0.0, -1e9] {
        refused(
            Problem { frequencies: vec![1e9, f], ..good() },
            &format!("source.frequency: a frequency of {f} Hz is not valid"),
            "give a frequency above zero, for example \"1 GHz\"",
        );
    }
}

#[test]
fn wrong_shapes() {
    refused(
        Problem { bodies: vec![], ..good() },
        "geometry.bodies: there is no scatterer",
        "add one, for example { shape = \"circle\", radius = \"1 m\" }",
    );
    refused(
        Problem { bodies: body(Shape::Circle { center: [0.0, 0.0], radius: 0.0 }), ..good() },
        "geometry.bodies[0].radius: a radius of 0 m is not valid",
        "give a length above zero",
    );
    refused(
        Problem {
            bodies: body(Shape::Ellipse { center: [0.0, 0.0], semi_axes: [1.0, -0.5], rotation: 0.0 }),
            ..good()
        },
        "geometry.bodies[0].semi_axes[1]: a semi-axis of -0.5 m is not valid",
        "give a length above zero",
    );
    refused(
        Problem { bodies: body(Shape::Strip { from: [1.0, 2.0], to: [1.0, 2.0] }), ..good() },
        "geometry.bodies[0].to: the strip has zero width",
        "make `from` and `to` differ",
    );
}

#[test]
fn wrong_polygons() {
    refused(
        Problem { bodies: polygon(&[[0.0, 0.0], [1.0, 0.0]]), ..good() },
        "geometry.bodies[0].points: 2 points do not make a polygon",
        "give at least 3 corners; use shape = \"strip\" for a flat plate",
    );
    refused(
        Problem { bodies: polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), ..good() },
        "geometry.bodies[0].points[2]: corners 1 and 2 are the same point",
        "remove one of them; the polygon closes by itself",
    );
    refused(
        Problem { bodies: polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), ..good() },
        "geometry.bodies[0].points[3]: corners 3 and 0 are the same point",
        "remove one of them; the polygon closes by itself",
    );
    refused(
        Problem { bodies: polygon(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), ..good() },
        "geometry.bodies[0].points: the outline intersects or touches itself: edge 0 intersects edge 2",
        "list the corners in order around the body (edge i runs from corner i to corner i+1)",
    );
}

#[test]
fn bodies_that_touch() {
    let circle =
        |x| Body { cells: Some(400), ..Body::conductor(Shape::Circle { center: [x, 0.0], radius: 1.0 }) };
    refused(
        Problem { bodies: vec![circle(0.0), circle(1.0)], ..good() },
        "geometry.bodies[1]: bodies 0 and 1 touch or intersect near (0.501134, 0.866679) m",
        "separate them, or draw them as one outline",
    );
    let same = prepare(Problem { bodies: vec![circle(0.0), circle(0.0)], ..good() });
    assert!(matches!(same, Err(MomError::Invalid(_))));
    assert!(prepare(Problem { bodies: vec![circle(0.0), circle(2.1)], ..good() }).is_ok());
}

#[test]
fn strips_that_meet_end_to_start_touch() {
    let strip = |a, b| Body::conductor(Shape::Strip { from: [a, 0.0], to: [b, 0.0] });
    refused(
        Problem { bodies: vec![strip(0.0, 1.0), strip(1.0, 2.0)], ..good() },
        "geometry.bodies[1]: bodies 0 and 1 touch or intersect near (1.000000, 0.000000) m",
        "separate them, or draw them as one outline",
    );
}

#[test]
fn rectangles_and_triangles_at_any_coordinates_are_good() {
    // Coordinates that are not sums of powers of two, where a corner could be missed by a rounding.
    for i in 0..40 {
        for j in 1..40 {
            let (x, y) = (-1.3 + 0.1 * f64::from(i), 0.1 * f64::from(j));
            let rectangle = polygon(&[[-1.7, -0.3], [x, -0.3], [x, y], [-1.7, y]]);
            assert!(prepare(Problem { bodies: rectangle, ..good() }).is_ok(), "rectangle to ({x}, {y})");
            let triangle = polygon(&[[-1.7, -0.3], [x, 0.1 - y], [x + 0.1, y]]);
            assert!(prepare(Problem { bodies: triangle, ..good() }).is_ok(), "triangle to ({x}, {y})");
        }
    }
}

#[test]
fn problems_that_no_case_file_can_make() {
    refused(
        Problem { frequencies: vec![], ..good() },
        "source.frequency: there is no frequency",
        "give at least one",
    );
    refused(
        Problem { propagation: vec![], ..good() },
        "source.propagation: there is no direction",
        "give at least one angle",
    );
    let lost = body(Shape::Circle { center: [f64::NAN, 0.0], radius: 1.0 });
    assert!(matches!(prepare(Problem { bodies: lost, ..good() }), Err(MomError::Invalid(_))));
}

#[test]
fn bodies_share_the_cells_that_are_asked_for() {
    let circle =
        |x, cells| Body { cells, ..Body::conductor(Shape::Circle { center: [x, 0.0], radius: 1.0 }) };
    let bodies = vec![circle(0.0, None), circle(3.0, Some(41)), circle(6.0, None)];
    let study = prepare(Problem { bodies, cells: CellCount::Total(200), ..good() }).unwrap();
    let count = |b| study.mesh.body.iter().filter(|&&body| body == b).count();
    assert_eq!([count(0), count(1), count(2)], [80, 41, 79]);
}

#[test]
fn wrong_discretizations() {
    refused(
        Problem { cells: CellCount::Total(3), ..good() },
        "solve.cells: 3 cells are too few for 1 body",
        "give at least 4: 4 for each body",
    );
    let circle =
        |x, cells| Body { cells, ..Body::conductor(Shape::Circle { center: [x, 0.0], radius: 1.0 }) };
    refused(
        Problem {
            bodies: vec![circle(0.0, Some(40)), circle(3.0, None)],
            cells: CellCount::Total(30),
            ..good()
        },
        "solve.cells: 30 cells are too few for 1 body in addition to the 40 of bodies with a count of their own",
        "give at least 44: 4 for each body",
    );
    refused(
        Problem { bodies: vec![circle(0.0, Some(40))], cells: CellCount::Total(60), ..good() },
        "solve.cells: the cells of the bodies add up to 40, not 60",
        "remove solve.cells, or correct it",
    );
    for n in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        refused(
            Problem { cells: CellCount::PerWavelength(n), ..good() },
            &format!("solve.cells_per_wavelength: {n} is not a valid number of cells per wavelength"),
            "give a number above zero: 10 is coarse, 20 is usual",
        );
    }
    refused(
        Problem { cells: CellCount::Total(2_000_000), ..good() },
        "solve.cells: this needs 2.000e6 cells, and the matrix 6.400e13 bytes",
        "use fewer cells, a smaller body or a lower frequency",
    );
    // Two unknowns per node on a dielectric: 3.2e5, where a conductor has 1.6e5.
    let sixteen_thousand = |material| Problem {
        bodies: vec![Body { material, ..good().bodies.remove(0) }],
        cells: CellCount::Total(16_000),
        ..lcn(Lcn::default())
    };
    refused(
        sixteen_thousand(Material::Dielectric(Dielectric::lossless(2.0))),
        "solve.cells: this needs 1.600e4 cells, and the matrix 1.638e12 bytes",
        "use fewer cells, a smaller body or a lower frequency",
    );
    assert!(prepare(sixteen_thousand(Material::Conductor)).is_ok());
    let mut few = good();
    few.bodies[0].cells = Some(3);
    refused(few, "geometry.bodies[0].cells: 3 cells are too few for a body", "give at least 4");
    refused(
        Problem { bodies: body(Shape::Circle { center: [1e16, 1e16], radius: 1e-3 }), ..good() },
        "geometry.bodies[0]: cells of 1.571e-3 m are below the rounding error of coordinates of 1.000e16 m",
        "move the geometry to the origin, or use fewer cells",
    );
}

#[test]
fn sizes_that_only_a_wrong_unit_can_make() {
    let circle = |radius| body(Shape::Circle { center: [0.0, 0.0], radius });
    let fixed = CellCount::Total(100);
    refused(
        Problem { bodies: circle(1e-200), cells: fixed, ..good() },
        "geometry.bodies[0]: cells of 6.283e-202 m are out of proportion to the wavelength of 9.993e-1 m",
        "check the units of the body and of the frequency",
    );
    refused(
        Problem { bodies: circle(1e9), cells: fixed, ..good() },
        "geometry.bodies[0]: cells of 6.283e7 m are out of proportion to the wavelength of 9.993e-1 m",
        "check the units of the body and of the frequency",
    );
}

#[test]
fn thin_ellipses_are_good_with_any_number_of_cells() {
    for b in [0.1, 0.05, 0.01, 1e-3, 1e-5] {
        for cells in 76..90 {
            let ellipse = body(Shape::Ellipse { center: [0.0, 0.0], semi_axes: [1.0, b], rotation: 0.0 });
            let study = prepare(Problem { bodies: ellipse, cells: CellCount::Total(cells), ..good() });
            assert_eq!(study.map(|s| s.mesh.len()).unwrap(), cells, "b = {b}");
        }
    }
}

#[test]
fn a_field_map_of_a_sweep() {
    let grid = NearGrid { x: vec![0.0], y: vec![0.0] };
    refused(
        Problem { propagation: vec![0.0, 1.0], near_field: Some(grid), ..good() },
        "output.near_field: the near field requires a single frequency and a single incidence",
        "remove output.near_field, or run the case once per frequency and incidence",
    );
}

/// Sentences of the self-checks before the run that do not hold.
fn warnings(problem: Problem) -> Vec<String> {
    let checks = prepare(problem).unwrap().self_checks;
    assert!(!checks.is_empty());
    checks.into_iter().filter(|check| !check.holds()).map(|check| check.sentence).collect()
}

#[test]
fn coarse_meshes_warn_and_say_what_is_needed() {
    let warnings = |n| warnings(Problem { cells: CellCount::PerWavelength(n), ..good() });
    assert!(warnings(20.0).is_empty());
    for (density, nodes) in [(5.0, "5.1"), (1.0, "1.1")] {
        assert_eq!(
            warnings(density),
            [format!(
                "{nodes} nodes per wavelength do not represent the wave: use about 126 cells (20 per wavelength) for about 2 % \
                 accuracy"
            )]
        );
    }
}

#[test]
fn bodies_thinner_than_their_cells_are_told() {
    let plate = |thickness: f64| polygon(&[[-1.0, 0.0], [1.0, 0.0], [1.0, thickness], [-1.0, thickness]]);
    let warnings = |thickness| warnings(Problem { bodies: plate(thickness), ..good() });
    assert_eq!(
        warnings(1e-3),
        [
            "body 0 is 1.00e-3 m thick and its cells are 4.88e-2 m long: pulses cannot separate the currents on its two sides; \
          use cells shorter than the thickness, or replace the body by a strip"
        ]
    );
    assert!(warnings(0.1).is_empty());
}

#[test]
fn pulses_longer_than_a_gap_are_told() {
    let circle = |x: f64| Body::conductor(Shape::Circle { center: [x, 0.0], radius: 1.0 });
    let warnings = |gap: f64| warnings(Problem { bodies: vec![circle(0.0), circle(2.0 + gap)], ..good() });
    let told = warnings(0.01);
    assert!(told.len() == 1 && told[0].starts_with("the gap between bodies 0 and 1 is 1.0"), "{told:?}");
    assert!(warnings(0.1).is_empty());
}

#[test]
fn an_outline_that_comes_back_to_itself_touches() {
    // A ring with a slit: 300 degrees outward, and back inward, to 1e-12 m of where it began.
    let ring = |slit: f64| {
        let (start, end) = (0.0, TAU - slit);
        let at = |r: f64, t: f64| [r * t.cos(), r * t.sin()];
        let arc = |r: f64, start: f64, sweep: f64| Segment::Arc {
            center: [0.0; 2],
            semi_axes: [r; 2],
            rotation: 0.0,
            start,
            sweep,
        };
        let line = |from: [f64; 2], to: [f64; 2]| Segment::Line { from, to };
        let segments = vec![
            arc(1.0, start, end),
            line(at(1.0, end), at(0.8, end)),
            arc(0.8, end, -end),
            line(at(0.8, start), at(1.0, start)),
        ];
        Problem { bodies: body(Shape::Outline(Outline::new(segments, true).unwrap())), ..lcn(Lcn::default()) }
    };
    let error = prepare(ring(1e-11)).unwrap_err().to_string();
    assert!(
        error.starts_with("geometry.bodies[0]: the outline intersects or touches itself near ("),
        "{error}"
    );
    // The sides of a slit are parallel: however narrow, it takes few cells.
    for slit in [0.5, 1e-2, 1e-4, 1e-6] {
        let cells = prepare(ring(slit)).unwrap().mesh.proximity_cells;
        assert!(cells < 120, "{slit}: {cells}");
    }
}

fn lcn(lcn: Lcn) -> Problem {
    Problem { method: Method::Lcn(lcn), cells: CellCount::PerWavelength(2.5), ..good() }
}

#[test]
fn circles_side_by_side_touch() {
    let circle = |x: f64| Body::conductor(Shape::Circle { center: [x, 0.3], radius: 1.0 });
    for method in [Method::Pulse, Method::Lcn(Lcn::default())] {
        let two = |x| Problem {
            bodies: vec![circle(0.1), circle(x)],
            method,
            cells: CellCount::Total(80),
            ..good()
        };
        let error = prepare(two(2.1)).unwrap_err().to_string();
        assert!(
            error.starts_with("geometry.bodies[1]: bodies 0 and 1 touch or intersect near (1.1"),
            "{error}"
        );
        assert!(prepare(two(2.101)).is_ok());
    }
}

#[test]
fn curves_that_touch_in_a_single_point() {
    let body = |shape: Shape| Body::conductor(shape);
    // The normal of an ellipse of semi-axes 1 and 0.6 at its parameter 0.7; a circle of radius 0.5 rests on it there.
    let (sin, cos) = 0.7_f64.sin_cos();
    let (point, normal) = ([cos, 0.6 * sin], [0.6 * cos, sin]);
    let size = normal[0].hypot(normal[1]);
    let ellipse = || body(Shape::Ellipse { center: [0.0, 0.0], semi_axes: [1.0, 0.6], rotation: 0.0 });
    let ball = |gap: f64| {
        let away = (0.5 + gap) / size;
        let center = [point[0] + away * normal[0], point[1] + away * normal[1]];
        body(Shape::Circle { center, radius: 0.5 })
    };
    // A circle on the side of a triangle, and the corner of a triangle on a circle.
    let triangle = |gap: f64| {
        let y = 1.0 + gap;
        body(Shape::Polygon { points: vec![[-1.3, y], [0.9, y], [0.1, y + 1.0]] })
    };
    let wedge = |gap: f64| {
        let (sin, cos) = 0.637_f64.sin_cos();
        let tip = [(1.0 + gap) * cos, (1.0 + gap) * sin];
        body(Shape::Polygon { points: vec![tip, [tip[0] + 1.0, tip[1]], [tip[0] + 1.0, tip[1] + 1.0]] })
    };
    let circle = || body(Shape::Circle { center: [0.0, 0.0], radius: 1.0 });
    let pairs = |gap: f64| {
        [
            (vec![ellipse(), ball(gap)], "(0.7"),
            (vec![circle(), triangle(gap)], "("),
            (vec![circle(), wedge(gap)], "(0.8"),
        ]
    };
    for problem in [good(), lcn(Lcn::default())] {
        for (bodies, position) in pairs(0.0) {
            let error = prepare(Problem { bodies, ..problem.clone() }).unwrap_err().to_string();
            let words = format!("geometry.bodies[1]: bodies 0 and 1 touch or intersect near {position}");
            assert!(error.starts_with(&words), "{error}");
        }
        for (bodies, _) in pairs(1e-5) {
            assert!(prepare(Problem { bodies, ..problem.clone() }).is_ok());
        }
    }
}

#[test]
fn an_open_contour_has_no_magnetic_field_equation() {
    let strip = body(Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] });
    for equation in [Equation::Mfie, Equation::Cfie] {
        refused(
            Problem { bodies: strip.clone(), equation, ..lcn(Lcn::default()) },
            "solve.equation: body 0 is open, and the MFIE does not hold on an infinitely thin conductor",
            "use equation = \"auto\" (CFIE on closed bodies, EFIE on open ones) or \"efie\"",
        );
    }
    assert!(prepare(Problem { bodies: strip, equation: Equation::Auto, ..lcn(Lcn::default()) }).is_ok());
}

#[test]
fn wrong_settings_of_the_nystroem_method() {
    for order in [0, 17] {
        refused(
            lcn(Lcn { order, ..Lcn::default() }),
            &format!("solve.order: cells of order {order} are not supported"),
            "give an order from 1 to 16; 8 is usual",
        );
    }
    for near_distance in [0.0, -1.0, f64::NAN] {
        refused(
            lcn(Lcn { near_distance: Some(near_distance), ..Lcn::default() }),
            "solve.near_distance: the near distance must be above zero",
            "remove it, or give for example 1.0 cell lengths",
        );
    }
    refused(
        lcn(Lcn { corner_levels: Some(31), ..Lcn::default() }),
        "solve.corner_levels: cells refined so often are below the rounding error of their coordinates",
        "give at most 30",
    );
    for cfie_weight in [0.0, 1.0, f64::NAN] {
        refused(
            Problem { cfie_weight, ..lcn(Lcn::default()) },
            &format!("solve.cfie_weight: a CFIE weight of {cfie_weight} is not between 0 and 1"),
            "0.5 is usual",
        );
    }
}

#[test]
fn pulses_are_for_conductors_in_tm_waves() {
    let advice = "use method = \"lcn\"; order = 1 has the same cost";
    refused(
        Problem { polarization: Polarization::Te, ..good() },
        "source.polarization: method = \"pulse\" supports TM polarization only",
        advice,
    );
    refused(
        Problem { equation: Equation::Cfie, ..good() },
        "solve.equation: method = \"pulse\" supports the EFIE only",
        advice,
    );
    let mut filled = good();
    filled.bodies[0].material = Material::Dielectric(Dielectric::lossless(4.0));
    refused(filled, "geometry.bodies[0].material: method = \"pulse\" supports conductors only", advice);
}

#[test]
fn wrong_materials() {
    let made_of = |medium: Dielectric, shape: Shape| Problem {
        bodies: vec![Body { material: Material::Dielectric(medium), ..Body::conductor(shape) }],
        ..lcn(Lcn::default())
    };
    let circle = || Shape::Circle { center: [0.0, 0.0], radius: 1.0 };
    refused(
        made_of(Dielectric::lossless(-2.0), circle()),
        "geometry.bodies[0].material: the real parts of eps_r, -2, and mu_r, 1, must be positive",
        "give both a positive real part",
    );
    refused(
        made_of(Dielectric { loss_tangent: -0.1, ..Dielectric::lossless(2.0) }, circle()),
        "geometry.bodies[0].material: losses must not be negative",
        "give imaginary parts of zero or less, and a loss tangent and a conductivity of zero or more",
    );
    refused(
        made_of(Dielectric::lossless(2.0), Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] }),
        "geometry.bodies[0].material: an open outline cannot enclose a dielectric",
        "close the outline, or make the body a conductor",
    );
}

#[test]
fn coarse_cells_of_high_order_warn_too() {
    // A circle of ten wavelengths around, whose cells no curvature refines.
    let large = body(Shape::Circle { center: [0.0, 0.0], radius: 10.0 / TAU });
    let warnings = |n| {
        warnings(Problem {
            bodies: large.clone(),
            frequencies: vec![299_792_458.0],
            cells: CellCount::PerWavelength(n),
            ..lcn(Lcn { order: 3, ..Lcn::default() })
        })
    };
    assert!(warnings(2.0).is_empty());
    assert_eq!(
        warnings(1.2),
        [
            "3.6 nodes per wavelength do not represent the wave: use about 67 cells (6.666666666666667 per wavelength)"
        ]
    );
}

#[test]
fn slow_orders_of_te_waves_are_told() {
    let told = |order, equation| {
        let problem = Problem {
            polarization: Polarization::Te,
            equation,
            cells: CellCount::PerWavelength(20.0 / order as f64),
            ..lcn(Lcn { order, ..Lcn::default() })
        };
        warnings(problem)
    };
    assert_eq!(
        told(2, Equation::Auto),
        ["TE polarization with cells of order 2: the EFIE converges slowly; use order 6 or more, or \
             equation = \"mfie\" on closed bodies"]
    );
    assert!(told(2, Equation::Mfie).is_empty() && told(6, Equation::Auto).is_empty());
}

#[test]
fn nothing_lies_inside_another_body() {
    let circle = |radius| Shape::Circle { center: [0.0, 0.0], radius };
    let glass = Material::Dielectric(Dielectric::lossless(2.0));
    let nested = |outer: Material| Problem {
        bodies: vec![Body::conductor(circle(0.3)), Body { material: outer, ..Body::conductor(circle(1.0)) }],
        ..lcn(Lcn::default())
    };
    refused(
        nested(glass),
        "geometry.bodies[0]: body 0 lies inside body 1, which is a dielectric",
        "place them side by side: nested media are not supported",
    );
    refused(
        nested(Material::Conductor),
        "geometry.bodies[0]: body 0 lies inside body 1, a closed conductor, where there is no field",
        "remove the inner body, open the outer one, or place them side by side",
    );
    // A strip within a square, and an arc around a circle, which is open.
    let strip = Body::conductor(Shape::Strip { from: [0.2, 0.2], to: [0.3, 0.4] });
    let square = polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]).remove(0);
    refused(
        Problem { bodies: vec![square.clone(), strip.clone()], ..lcn(Lcn::default()) },
        "geometry.bodies[1]: body 1 lies inside body 0, a closed conductor, where there is no field",
        "remove the inner body, open the outer one, or place them side by side",
    );
    let beside = Body::conductor(Shape::Strip { from: [1.2, 0.2], to: [1.3, 0.4] });
    assert!(prepare(Problem { bodies: vec![square, beside], ..lcn(Lcn::default()) }).is_ok());
    let around =
        Segment::Arc { center: [0.0; 2], semi_axes: [0.8; 2], rotation: 0.0, start: 0.3, sweep: 5.5 };
    let around = Outline::new(vec![around], false).unwrap();
    let bodies = vec![Body::conductor(Shape::Outline(around)), Body::conductor(circle(0.3))];
    assert!(prepare(Problem { bodies, ..lcn(Lcn::default()) }).is_ok());
}
