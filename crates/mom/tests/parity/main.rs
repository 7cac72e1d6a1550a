//! One test body for all devices: each must reproduce the results of the CPU.

mod hankel;

use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_core::{Precision, Progress};
use phasefront_device::{Arg, Backend, Grid, for_each_device, for_each_gpu, testing};
use phasefront_mom::{
    Body, CellCount, Dielectric, Equation, KERNELS, Lcn, Material, Method, NearGrid, Polarization, Problem,
    Shape, Solution, kernel_defines, prepare,
};

/// Required agreement of two devices that round differently: a few hundred units in the last place after a solve.
const DOUBLE: f64 = 1e-11;
const SINGLE: f64 = 2e-3;

fn circle(center: [f64; 2], radius: f64) -> Shape {
    Shape::Circle { center, radius }
}

fn dielectric(shape: Shape, loss_tangent: f64) -> Body {
    let medium = Dielectric { mu_r: 1.2.into(), loss_tangent, ..Dielectric::lossless(2.5) };
    Body { shape, material: Material::Dielectric(medium), cells: None }
}

/// A circle and a strip, of conductors.
fn conductors() -> Vec<Body> {
    vec![
        Body::conductor(circle([-0.5, 0.1], 0.4)),
        Body { cells: Some(5), ..Body::conductor(Shape::Strip { from: [0.5, -0.6], to: [0.8, 0.7] }) },
    ]
}

/// A conductor between a lossless and a lossy dielectric.
fn mixed() -> Vec<Body> {
    vec![
        Body::conductor(circle([0.0, 0.0], 0.2)),
        dielectric(circle([-0.6, 0.1], 0.3), 0.0),
        dielectric(Shape::Ellipse { center: [0.6, 0.0], semi_axes: [0.3, 0.5], rotation: 0.3 }, 0.2),
    ]
}

fn problem(bodies: Vec<Body>, polarization: Polarization) -> Problem {
    let axis = |points: i32| (0..points).map(|i| -1.2 + 2.4 * f64::from(i) / f64::from(points - 1)).collect();
    Problem {
        bodies,
        frequencies: vec![C0],
        polarization,
        propagation: vec![0.3],
        method: Method::Lcn(Lcn { order: 6, corner_levels: Some(4), ..Lcn::default() }),
        cells: CellCount::PerWavelength(4.0),
        observation: (0..37).map(|i| f64::from(i) * 0.17).collect(),
        monostatic: true,
        currents: true,
        near_field: Some(NearGrid { x: axis(23), y: axis(17) }),
        ..Problem::default()
    }
}

fn solve(problem: Problem, backend: &Backend) -> Solution {
    prepare(problem).unwrap().solve(backend, &Progress::silent()).unwrap()
}

#[track_caller]
fn assert_close(what: &str, got: &[Complex64], expected: &[Complex64], tolerance: f64) {
    let scale = expected.iter().map(|z| z.norm()).fold(0.0, f64::max);
    assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        assert!((g - e).norm() <= tolerance * scale, "{what} {i}: {g} and {e}, largest {scale}");
    }
}

/// Everything a solution holds, on a device and on the CPU in double precision.
fn agree_with_cpu(problem: Problem, backend: &Backend, tolerance: f64) {
    let exact = Problem { precision: Precision::Double, ..problem.clone() };
    let (got, expected) = (solve(problem, backend), solve(exact, &Backend::Cpu));
    let (got, expected) = (&got.frequencies[0], &expected.frequencies[0]);
    let complex = |v: &[f64]| v.iter().map(|&x| Complex64::from(x)).collect::<Vec<_>>();
    assert_close("current", &got.currents[0], &expected.currents[0], tolerance);
    assert_close("echo width", &complex(&got.echo_width[0]), &complex(&expected.echo_width[0]), tolerance);
    assert_close("monostatic", &complex(&got.monostatic), &complex(&expected.monostatic), tolerance);
    assert_close(
        "extinction",
        &complex(&got.extinction_width),
        &complex(&expected.extinction_width),
        tolerance,
    );
    // An estimate, whose iteration may take another path where it is uncertain anyway.
    let [condition, exact] = [got.condition, expected.condition].map(Option::unwrap);
    assert!((condition / exact - 1.0).abs() < 1e-3, "{condition} {exact}");
    let (got, expected) = (got.near_field.as_ref().unwrap(), expected.near_field.as_ref().unwrap());
    assert_close("total field", &got.total, &expected.total, tolerance);
    assert_close("scattered field", &got.scattered, &expected.scattered, tolerance);
}

for_each_gpu! {
    fn conductors_agree_with_the_cpu(backend: &Backend) {
        for polarization in [Polarization::Tm, Polarization::Te] {
            agree_with_cpu(problem(conductors(), polarization), backend, DOUBLE);
        }
    }

    fn every_equation_agrees_with_the_cpu(backend: &Backend) {
        for polarization in [Polarization::Tm, Polarization::Te] {
            for equation in [Equation::Efie, Equation::Mfie, Equation::Cfie] {
                let bodies = vec![Body::conductor(circle([-0.5, 0.1], 0.4))];
                agree_with_cpu(Problem { equation, ..problem(bodies, polarization) }, backend, DOUBLE);
            }
        }
    }

    fn dielectrics_agree_with_the_cpu(backend: &Backend) {
        for polarization in [Polarization::Tm, Polarization::Te] {
            agree_with_cpu(problem(mixed(), polarization), backend, DOUBLE);
        }
    }

    fn pulses_agree_with_the_cpu(backend: &Backend) {
        let pulses = Problem {
            method: Method::Pulse,
            cells: CellCount::PerWavelength(25.0),
            ..problem(conductors(), Polarization::Tm)
        };
        agree_with_cpu(pulses, backend, DOUBLE);
    }

    fn sweeps_agree_with_the_cpu(backend: &Backend) {
        let sweep = || Problem {
            frequencies: vec![0.7 * C0, C0],
            propagation: vec![0.0, 1.0, 2.5],
            near_field: None,
            ..problem(mixed(), Polarization::Tm)
        };
        let (got, expected) = (solve(sweep(), backend), solve(sweep(), &Backend::Cpu));
        for (g, e) in got.frequencies.iter().zip(&expected.frequencies) {
            for direction in 0..3 {
                assert_close("current", &g.currents[direction], &e.currents[direction], DOUBLE);
            }
        }
    }

    /// Entries against libm, whose Bessel functions are accurate to 2e-15: nodes on a line, kR up to 300.
    fn matrix_entries_to_13_digits(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let n = 300;
        let k = 2.0 * std::f64::consts::PI;
        let x: Vec<f64> = (0..n).map(|i| 0.159 * f64::from(i)).collect();
        let ones = vec![1.0; n as usize];
        let [gx, zero, one, w] =
            [x.clone(), vec![0.0; n as usize], ones.clone(), vec![0.15; n as usize]].map(|v| gpu.upload(&v).unwrap());
        let nodes = gpu.upload(&(0..n).collect::<Vec<i32>>()).unwrap();
        let kind = gpu.upload(&vec![0_i32; n as usize]).unwrap();
        let z = gpu.alloc::<Complex64>((n * n) as usize).unwrap();
        let defines = kernel_defines(Precision::Double, 1);
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = gpu.compile(&KERNELS, &defines).unwrap();
        // H0 alone; then with H1: a normal along x makes (n.R)/r = 1, so that the entry is (k w/4)(H0 + j H1).
        for both in [0, 1] {
            let mut args = vec![Arg::from(&z)];
            args.extend([&gx, &zero, &one, &zero, &w].map(Arg::from));
            args.extend([Arg::from(&nodes), Arg::from(&one), Arg::from(&one), Arg::from(&nodes), Arg::from(&kind)]);
            args.extend([Arg::I64(n.into()), Arg::F64(k), Arg::I32(both)]);
            gpu.launch(&*program, "fill", Grid::cover_2d([n as usize; 2], [32, 4]), &args).unwrap();
            let z = gpu.download(&z).unwrap();
            for row in 1..n as usize {
                let r = k * (x[row] - x[0]);
                let mut exact = Complex64::new(libm::j0(r), -libm::y0(r));
                if both == 1 {
                    exact += Complex64::new(0.0, 1.0) * Complex64::new(libm::j1(r), -libm::y1(r));
                }
                exact *= 0.25 * k * 0.15;
                // H0 + jH1 nearly cancels at large distances: the error is relative to its terms.
                let size = 0.25 * k * 0.15 * libm::j0(r).hypot(libm::y0(r));
                let error = (z[row] - exact).norm() / size;
                assert!(error < 1e-13, "kR = {r}: {} and {exact}, error {error:e}", z[row]);
            }
        }
    }
}

for_each_device! {
    fn single_precision_agrees_with_the_cpu_in_double(backend: &Backend) {
        let single = Problem { precision: Precision::Single, ..problem(conductors(), Polarization::Tm) };
        let (got, expected) = (solve(single.clone(), backend), solve(Problem { precision: Precision::Double, ..single }, &Backend::Cpu));
        assert_close("current", &got.frequencies[0].currents[0], &expected.frequencies[0].currents[0], SINGLE);
    }

    fn a_second_run_gives_the_same_bits(backend: &Backend) {
        let run = || solve(problem(mixed(), Polarization::Te), backend);
        let (a, b) = (run(), run());
        assert_eq!(a.frequencies[0].currents, b.frequencies[0].currents);
        assert_eq!(a.frequencies[0].echo_width, b.frequencies[0].echo_width);
        assert_eq!(a.frequencies[0].near_field.as_ref().unwrap().total, b.frequencies[0].near_field.as_ref().unwrap().total);
    }
}

#[test]
fn kernels_compile_for_every_architecture() {
    for (precision, order) in [(Precision::Single, 8), (Precision::Double, 1), (Precision::Double, 16)] {
        let defines = kernel_defines(precision, order);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        testing::compile_for_all_architectures(&KERNELS, &defines);
    }
}
