//! One body per device: every device must give what the CPU gives.

use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_core::{Precision, Progress};
use phasefront_device::{Arg, Backend, Grid, for_each_device, testing};
use phasefront_mom::{Body, CellCount, KERNELS, NearGrid, Problem, Shape, Solution, kernel_defines, prepare};

/// Agreement asked of two devices that round differently: a few hundred units in the last place after a solve.
const DOUBLE: f64 = 1e-11;
const SINGLE: f64 = 2e-3;

fn problem(precision: Precision) -> Problem {
    let axis = |points: i32| (0..points).map(|i| -1.2 + 2.4 * f64::from(i) / f64::from(points - 1)).collect();
    Problem {
        bodies: vec![
            Body { shape: Shape::Circle { center: [-0.5, 0.1], radius: 0.4 }, cells: None },
            Body { shape: Shape::Strip { from: [0.5, -0.6], to: [0.8, 0.7] }, cells: Some(31) },
        ],
        frequencies: vec![C0],
        propagation: vec![0.3],
        cells: CellCount::PerWavelength(25.0),
        precision,
        observation: (0..37).map(|i| f64::from(i) * 0.17).collect(),
        current: true,
        near_field: Some(NearGrid { x: axis(23), y: axis(17) }),
    }
}

fn solve(problem: Problem, backend: &Backend) -> Solution {
    prepare(problem).unwrap().solve(backend, &Progress::silent()).unwrap()
}

#[track_caller]
fn close(got: &[Complex64], expected: &[Complex64], tolerance: f64) {
    let scale = expected.iter().map(|z| z.norm()).fold(0.0, f64::max);
    assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        assert!((g - e).norm() <= tolerance * scale, "value {i}: {g} and {e}, largest {scale}");
    }
}

fn agree_with_cpu(backend: &Backend, precision: Precision, tolerance: f64) {
    let (got, expected) =
        (solve(problem(precision), backend), solve(problem(Precision::Double), &Backend::Cpu));
    let (got, expected) = (&got.frequencies[0], &expected.frequencies[0]);
    close(&got.currents[0], &expected.currents[0], tolerance);
    let complex = |v: &[f64]| v.iter().map(|&x| Complex64::from(x)).collect::<Vec<_>>();
    close(&complex(&got.echo_width[0]), &complex(&expected.echo_width[0]), tolerance);
    let (got, expected) = (got.near_field.as_ref().unwrap(), expected.near_field.as_ref().unwrap());
    close(&got.total, &expected.total, tolerance);
    close(&got.scattered, &expected.scattered, tolerance);
}

for_each_device! {
    fn double_precision_agrees_with_the_cpu(backend: &Backend) {
        agree_with_cpu(backend, Precision::Double, DOUBLE);
    }

    fn single_precision_agrees_with_the_cpu_in_double(backend: &Backend) {
        agree_with_cpu(backend, Precision::Single, SINGLE);
    }

    fn sweeps_agree_with_the_cpu(backend: &Backend) {
        let sweep = || Problem {
            frequencies: vec![0.7 * C0, C0],
            propagation: vec![0.0, 1.0, 2.5],
            near_field: None,
            ..problem(Precision::Double)
        };
        let (got, expected) = (solve(sweep(), backend), solve(sweep(), &Backend::Cpu));
        for (g, e) in got.frequencies.iter().zip(&expected.frequencies) {
            for direction in 0..3 {
                close(&g.currents[direction], &e.currents[direction], DOUBLE);
            }
        }
    }

    fn a_second_run_gives_the_same_bits(backend: &Backend) {
        let (a, b) = (solve(problem(Precision::Double), backend), solve(problem(Precision::Double), backend));
        assert_eq!(a.frequencies[0].currents, b.frequencies[0].currents);
        assert_eq!(a.frequencies[0].echo_width, b.frequencies[0].echo_width);
    }

    fn matrix_entries_agree_to_thirteen_digits(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        // Cells on a line, so that kR runs from 0.3 to 300; the reference is libm's Bessel functions.
        let (n, k, eta) = (1001_usize, 2.0, 376.730313668);
        let x: Vec<f64> = (0..n).map(|i| 0.15 * i as f64).collect();
        let (y, w) = (vec![0.0; n], vec![0.15; n]);
        let [gx, gy, gw] = [&x, &y, &w].map(|v| gpu.upload(v).unwrap());
        let z = gpu.alloc::<Complex64>(n * n).unwrap();
        let defines = kernel_defines(Precision::Double);
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = gpu.compile(&KERNELS, &defines).unwrap();
        let args = [&z].map(Arg::from).into_iter().chain([&gx, &gy, &gw].map(Arg::from));
        let args: Vec<Arg<'_>> = args.chain([Arg::I64(n as i64), Arg::F64(k), Arg::F64(eta)]).collect();
        gpu.launch(&*program, "fill", Grid::cover_2d([n, n], [32, 4]), &args).unwrap();
        let z = gpu.download(&z).unwrap();
        for row in 1..n {
            let r = k * (x[row] - x[0]);
            let exact = 0.25 * k * eta * 0.15 * Complex64::new(libm::j0(r), -libm::y0(r));
            let error = (z[row] - exact).norm() / exact.norm();
            assert!(error < 1e-13, "kR = {r}: {} and {exact}, error {error:e}", z[row]);
            assert_eq!(z[row], z[row * n], "the matrix of equal cells is symmetric");
        }
    }
}

#[test]
fn kernels_compile_for_every_architecture() {
    for precision in [Precision::Single, Precision::Double] {
        let defines = kernel_defines(precision);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        testing::compile_for_all_architectures(&KERNELS, &defines);
    }
}
