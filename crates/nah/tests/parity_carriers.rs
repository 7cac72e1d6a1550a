//! Row by row and column by column, and by equivalent sources: the same fields on every device.

use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Progress};
use phasefront_device::testing::compile_for_all_architectures;
use phasefront_device::{Backend, Complex as DeviceComplex, Gpu, for_each_device};
use phasefront_nah::simulate::{Sounder, add_noise, field};
use phasefront_nah::{
    Analysis, Esm, Extrapolation, Filter, FilterChoice, GpuCarrier, GpuLines, GpuSources, Grid, Input,
    KSpace, LINE_KERNELS, Medium, Method, Operator, Pace, Problem, SOURCE_KERNELS, Samples, Scalar, Study,
    Way, gain, gains_of_waves, line_defines, prepare, source_defines,
};
use std::f64::consts::TAU;
use std::sync::Arc;

const DISTANCE: f64 = 0.05;
const MEDIUM: Medium = Medium::AIR;
const FREQUENCIES: [f64; 2] = [600.0, 1100.0];
const SQUARE: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
const OTHER: Grid = Grid { columns: 7, rows: 10, pitch: [0.03, 0.02] };

fn k(frequency: f64) -> f64 {
    MEDIUM.wave_number(frequency)
}

/// A point behind the source plane, with noise: without any, predictions hang on the last digits.
fn heard(grid: Grid) -> Vec<Vec<Complex64>> {
    let places: Vec<[f64; 2]> = (0..grid.len()).map(|i| grid.place(i)).collect();
    let point = Sounder::Monopole { at: [0.03, 0.01, -0.03], strength: Complex64::ONE };
    let of = |(i, f): (u64, f64)| {
        let mut pressure = field(&[point], &places, DISTANCE, k(f), &MEDIUM);
        add_noise(&mut pressure, 40.0, 1, i);
        pressure
    };
    (0..).zip(FREQUENCIES).map(of).collect()
}

fn rounded<T: Scalar>(heard: &[Vec<Complex64>]) -> Vec<Complex<T>> {
    heard.concat().into_iter().map(T::complex_from_f64).collect()
}

/// The largest difference, in parts of the largest value of each field.
fn apart<T: Scalar>(found: &[Complex<T>], exact: &[Vec<Complex64>]) -> f64 {
    let of_field = |(found, exact): (&[Complex<T>], &Vec<Complex64>)| {
        let largest = exact.iter().map(|z| z.norm()).fold(0.0, f64::max);
        found.iter().zip(exact).map(|(a, b)| (T::complex_to_f64(*a) - b).norm()).fold(0.0, f64::max) / largest
    };
    let size = exact[0].len();
    found.chunks_exact(size).zip(exact).map(of_field).fold(0.0, f64::max)
}

fn lines_apart<T: Scalar>(gpu: &Arc<dyn Gpu>, grid: Grid) -> f64
where
    Complex<T>: DeviceComplex,
{
    let heard = heard(grid);
    let filter = Filter::CosModified { cutoff: 0.45 * grid.nyquist(), slope: 0.1 };
    let (mut gains, mut exact) = (Vec::new(), Vec::new());
    for (frequency, pressure) in FREQUENCIES.iter().zip(&heard) {
        let k = k(*frequency);
        let of_pressure = |kr: f64| gain(k, kr, DISTANCE, filter);
        gains.push(gains_of_waves(&grid, &of_pressure));
        gains.push(gains_of_waves(&grid, &|kr| of_pressure(kr) * MEDIUM.admittance(k, kr)));
        let space = KSpace::new(grid, pressure, Extrapolation::Lpbp, k);
        exact.extend([space.pressure(DISTANCE, filter), space.velocity(DISTANCE, filter, MEDIUM)]);
    }
    let mut lines = GpuLines::<T>::new(gpu, grid, 2, &gains).unwrap();
    let mut found = vec![T::complex_from_f64(Complex64::ZERO); 4 * grid.len()];
    // Twice: what is left of the first time must not matter.
    (0..2).for_each(|_| lines.run(&rounded(&heard), &mut found).unwrap());
    apart(&found, &exact)
}

fn sources_apart<T: Scalar>(gpu: &Arc<dyn Gpu>) -> f64
where
    Complex<T>: DeviceComplex,
{
    let heard = heard(OTHER);
    let places: Vec<[f64; 2]> = (0..OTHER.len()).map(|i| OTHER.place(i)).collect();
    let (mut operators, mut exact) = (Vec::new(), Vec::new());
    for (frequency, pressure) in FREQUENCIES.iter().zip(&heard) {
        let sources = Esm::new(&places, OTHER, DISTANCE, k(*frequency), MEDIUM);
        let weight = sources.best_weight(pressure);
        let plain: Operator<f64> = sources.operator(weight, &[DISTANCE]).unwrap();
        let mut fields = vec![Complex64::ZERO; 2 * OTHER.len()];
        plain.run(pressure, &mut fields);
        exact.extend(fields.chunks_exact(OTHER.len()).map(<[_]>::to_vec));
        operators.push(sources.operator::<T>(weight, &[DISTANCE]).unwrap());
    }
    let mut sources = GpuSources::<T>::new(gpu, OTHER.len(), &operators).unwrap();
    let mut found = vec![T::complex_from_f64(Complex64::ZERO); 4 * OTHER.len()];
    sources.run(&rounded(&heard), &mut found).unwrap();
    apart(&found, &exact)
}

/// A recording of two tones, 48 microphones.
fn study(method: Method, extrapolation: Extrapolation, precision: Precision) -> Study {
    let grid = Grid { columns: 8, rows: 6, pitch: [0.05; 2] };
    let (rate, samples, hop) = (8000.0, 64, 16);
    let tones: Vec<(f64, Vec<Complex64>)> = [500.0, 1000.0]
        .map(|f| {
            let places: Vec<[f64; 2]> = (0..grid.len()).map(|i| grid.place(i)).collect();
            let point = Sounder::Monopole { at: [0.03, 0.01, -0.05], strength: Complex64::ONE };
            let mut pressure = field(&[point], &places, DISTANCE, k(f), &MEDIUM);
            add_noise(&mut pressure, 40.0, 1, f as u64);
            (f, pressure)
        })
        .into();
    let at = |n: usize, m: usize| -> f32 {
        let tone = |(f, p): &(f64, Vec<Complex64>)| {
            (p[m] * Complex64::from_polar(1.0, TAU * f * n as f64 / rate)).re
        };
        tones.iter().map(tone).sum::<f64>() as f32
    };
    let values =
        (0..4 * samples).flat_map(|n| (0..grid.len()).map(move |m| (n, m))).map(|(n, m)| at(n, m)).collect();
    prepare(Problem {
        grid,
        places: None,
        distance: DISTANCE,
        medium: MEDIUM,
        input: Input::Samples(Samples { rate, microphones: grid.len(), values, full_scale: None }),
        calibration: None,
        frequencies: vec![500.0, 1000.0],
        analysis: Analysis { way: Way::Hop, samples, hop },
        method,
        extrapolation,
        filter: FilterChoice::Auto,
        planes: vec![DISTANCE, 0.02],
        at: 0.0,
        compare: Vec::new(),
        refine: 1,
        reference: Vec::new(),
        precision,
        pace: Pace::Full,
        times: 1,
    })
    .unwrap()
}

for_each_device! {
    /// Whole studies: every hologram of a recording.
    fn studies_agree(backend: &Backend) {
        for (method, beyond) in [
            (Method::Fft, Extrapolation::Lpbp),
            (Method::Fft, Extrapolation::Plpbp),
            (Method::Fft, Extrapolation::Zero),
            (Method::Esm, Extrapolation::Zero),
        ] {
            let exact = study(method, beyond, Precision::Double).solve(&Backend::Cpu, &Progress::silent()).unwrap();
            for (precision, allowed) in [(Precision::Double, 1e-10), (Precision::Single, 1e-4)] {
                let found = study(method, beyond, precision).solve(backend, &Progress::silent()).unwrap();
                assert_eq!(found.followed.history.holograms, 13);
                for (a, b) in found.followed.history.moments.iter().zip(&exact.followed.history.moments) {
                    assert!((a.power / b.power - 1.0).abs() < 10.0 * allowed, "{method:?} {beyond:?}: {a:?} {b:?}");
                    assert!((a.peak / b.peak - 1.0).abs() < allowed, "{method:?} {beyond:?}: {a:?} {b:?}");
                }
                for (a, b) in found.lines.iter().zip(&exact.lines) {
                    for (a, b) in a.planes.iter().zip(&b.planes) {
                        let off = apart::<f64>(&a.pressure, std::slice::from_ref(&b.pressure));
                        let moved = apart::<f64>(&a.velocity, std::slice::from_ref(&b.velocity));
                        assert!(off < allowed && moved < allowed, "{method:?} {beyond:?} {precision}: {off:e} {moved:e}");
                    }
                }
            }
        }
    }

    fn lines_agree(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        for grid in [SQUARE, OTHER] {
            let (double, single) = (lines_apart::<f64>(gpu, grid), lines_apart::<f32>(gpu, grid));
            assert!(double < 1e-10, "{grid:?}: {double:e}");
            assert!(single < 1e-5, "{grid:?}: {single:e}");
        }
    }

    fn sources_agree(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let (double, single) = (sources_apart::<f64>(gpu), sources_apart::<f32>(gpu));
        assert!(double < 1e-12, "{double:e}");
        assert!(single < 1e-5, "{single:e}");
    }
}

#[test]
fn kernels_compile_everywhere() {
    for (source, defines) in [
        (&LINE_KERNELS, line_defines::<f32>(&SQUARE, 2)),
        (&LINE_KERNELS, line_defines::<f64>(&SQUARE, 2)),
        (&SOURCE_KERNELS, source_defines::<f32>(1024, 2048)),
        (&SOURCE_KERNELS, source_defines::<f64>(1024, 2048)),
    ] {
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        compile_for_all_architectures(source, &defines);
    }
}
