//! The same fields on every device, with LPBP and by equivalent sources, and whole studies.

use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Progress};
use phasefront_device::testing::compile_for_all_architectures;
use phasefront_device::{Backend, Gpu, for_each_device, for_each_gpu};
use phasefront_nah::simulate::{SimulatedSource, add_noise, field};
use phasefront_nah::{
    Analysis, ESM_KERNELS, Esm, EsmOperator, Extrapolation, Filter, FilterChoice, Filters, GpuEsm, GpuLpbp,
    Grid, Input, KSpace, LPBP_KERNELS, Medium, Method, Problem, Samples, Scalar, SpectralMethod, Study,
    esm_defines, lpbp_defines, prepare, propagator, sampled_propagator,
};
use std::f64::consts::TAU;
use std::sync::Arc;

const DISTANCE: f64 = 0.05;
const MEDIUM: Medium = Medium::AIR;
const FREQUENCIES: [f64; 2] = [600.0, 1100.0];
const SQUARE: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
const OTHER: Grid = Grid { columns: 7, rows: 10, pitch: [0.03, 0.02] };

fn k(frequency: f64) -> f64 {
    MEDIUM.wavenumber(frequency)
}

/// A monopole behind the source plane, with noise: without it, prediction coefficients are determined by rounding.
fn measured(grid: Grid) -> Vec<Vec<Complex64>> {
    let positions = grid.positions();
    let source = SimulatedSource::Monopole { position: [0.03, 0.01, -0.03], strength: Complex64::ONE };
    let of = |(i, f): (u64, f64)| {
        let mut pressure = field(&[source], &positions, DISTANCE, k(f), &MEDIUM);
        add_noise(&mut pressure, 40.0, 1, i);
        pressure
    };
    (0..).zip(FREQUENCIES).map(of).collect()
}

fn rounded<T: Scalar>(measured: &[Vec<Complex64>]) -> Vec<Complex<T>> {
    measured.concat().into_iter().map(T::complex_from_f64).collect()
}

/// The largest difference, in parts of the largest value of each field.
fn max_error<T: Scalar>(found: &[Complex<T>], exact: &[Vec<Complex64>]) -> f64 {
    let of_field = |(found, exact): (&[Complex<T>], &Vec<Complex64>)| {
        let largest = exact.iter().map(|z| z.norm()).fold(0.0, f64::max);
        found.iter().zip(exact).map(|(a, b)| (T::complex_to_f64(*a) - b).norm()).fold(0.0, f64::max) / largest
    };
    let size = exact[0].len();
    found.chunks_exact(size).zip(exact).map(of_field).fold(0.0, f64::max)
}

fn lpbp_error<T: Scalar>(gpu: &Arc<dyn Gpu>, grid: Grid) -> f64 {
    let phasors = measured(grid);
    let filter = Filter::CosModified { cutoff: 0.45 * grid.nyquist_wavenumber(), slope: 0.1 };
    let (mut propagators, mut exact) = (Vec::new(), Vec::new());
    for (frequency, pressure) in FREQUENCIES.iter().zip(&phasors) {
        let k = k(*frequency);
        let of_pressure = |kr: f64| propagator(k, kr, DISTANCE, filter);
        propagators.push(sampled_propagator(&grid, &of_pressure));
        propagators.push(sampled_propagator(&grid, &|kr| of_pressure(kr) * MEDIUM.admittance(k, kr)));
        let space = KSpace::new(grid, pressure, Extrapolation::Lpbp, k);
        exact.extend([space.pressure(DISTANCE, filter), space.velocity(DISTANCE, filter, MEDIUM)]);
    }
    let mut lpbp = GpuLpbp::<T>::new(gpu, grid, 2, &propagators).unwrap();
    let mut found = vec![T::complex_from_f64(Complex64::ZERO); 4 * grid.len()];
    // Twice: the state of the first run must not matter.
    (0..2).for_each(|_| lpbp.reconstruct(&rounded(&phasors), &mut found).unwrap());
    max_error(&found, &exact)
}

fn esm_error<T: Scalar>(gpu: &Arc<dyn Gpu>) -> f64 {
    let phasors = measured(OTHER);
    let positions = OTHER.positions();
    let (mut operators, mut exact) = (Vec::new(), Vec::new());
    for (frequency, pressure) in FREQUENCIES.iter().zip(&phasors) {
        let sources =
            Esm::new(&positions, &[], OTHER, [DISTANCE, Esm::default_depth(&OTHER)], k(*frequency), MEDIUM);
        let weight = sources.auto_weight(pressure);
        let plain: EsmOperator<f64> = sources.operator(weight, &[DISTANCE]).unwrap();
        let mut fields = vec![Complex64::ZERO; 2 * OTHER.len()];
        plain.apply(pressure, &mut fields);
        exact.extend(fields.chunks_exact(OTHER.len()).map(<[_]>::to_vec));
        operators.push(sources.operator::<T>(weight, &[DISTANCE]).unwrap());
    }
    let mut esm = GpuEsm::<T>::new(gpu, OTHER.len(), &operators).unwrap();
    let mut found = vec![T::complex_from_f64(Complex64::ZERO); 4 * OTHER.len()];
    esm.reconstruct(&rounded(&phasors), &mut found).unwrap();
    max_error(&found, &exact)
}

/// A recording of two tones, 48 microphones.
fn study(method: Method, extrapolation: Extrapolation, precision: Precision) -> Study {
    let grid = Grid { columns: 8, rows: 6, pitch: [0.05; 2] };
    let (rate, samples, hop) = (8000.0, 64, 16);
    let tones: Vec<(f64, Vec<Complex64>)> = [500.0, 1000.0]
        .map(|f| {
            let positions = grid.positions();
            let source =
                SimulatedSource::Monopole { position: [0.03, 0.01, -0.05], strength: Complex64::ONE };
            let mut pressure = field(&[source], &positions, DISTANCE, k(f), &MEDIUM);
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
    let input = Input::Samples(Samples { rate, microphones: grid.len(), values, full_scale: None });
    prepare(Problem {
        medium: MEDIUM,
        frequencies: vec![500.0, 1000.0],
        analysis: Analysis { method: SpectralMethod::SlidingDft, samples, hop },
        method,
        extrapolation,
        // The automatic choice needs an extrapolated aperture, or equivalent sources.
        filter: if method == Method::Fft && extrapolation == Extrapolation::Zero {
            let cos = Filter::Cos { cutoff: 60.0, slope: 0.2 };
            FilterChoice::Given(Filters { pressure: cos, velocity: cos })
        } else {
            FilterChoice::Auto
        },
        planes: vec![DISTANCE, 0.02],
        precision,
        ..Problem::new(grid, DISTANCE, input)
    })
    .unwrap()
}

for_each_gpu! {
    fn lpbp_agrees(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        for grid in [SQUARE, OTHER] {
            let (double, single) = (lpbp_error::<f64>(gpu, grid), lpbp_error::<f32>(gpu, grid));
            assert!(double < 1e-10, "{grid:?}: {double:e}");
            assert!(single < 1e-5, "{grid:?}: {single:e}");
        }
    }

    fn equivalent_sources_agree(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let (double, single) = (esm_error::<f64>(gpu), esm_error::<f32>(gpu));
        assert!(double < 1e-12, "{double:e}");
        assert!(single < 1e-5, "{single:e}");
    }
}

for_each_device! {
    /// Whole studies: every hologram of a recording.
    fn studies_agree(backend: &Backend) {
        for (method, extrapolation) in [
            (Method::Fft, Extrapolation::Lpbp),
            (Method::Fft, Extrapolation::Plpbp),
            (Method::Fft, Extrapolation::Zero),
            (Method::Esm, Extrapolation::Zero),
        ] {
            let exact = study(method, extrapolation, Precision::Double).solve(&Backend::Cpu, &Progress::silent()).unwrap();
            for (precision, allowed) in [(Precision::Double, 1e-10), (Precision::Single, 1e-4)] {
                let found = study(method, extrapolation, precision).solve(backend, &Progress::silent()).unwrap();
                assert_eq!(found.summary.history.holograms, 13);
                for (a, b) in found.summary.history.summaries.iter().zip(&exact.summary.history.summaries) {
                    assert!((a.power / b.power - 1.0).abs() < 10.0 * allowed, "{method:?} {extrapolation:?}: {a:?} {b:?}");
                    assert!((a.peak / b.peak - 1.0).abs() < allowed, "{method:?} {extrapolation:?}: {a:?} {b:?}");
                }
                for (a, b) in found.holograms.iter().zip(&exact.holograms) {
                    for (a, b) in a.planes.iter().zip(&b.planes) {
                        let off = max_error::<f64>(&a.pressure, std::slice::from_ref(&b.pressure));
                        let velocity = max_error::<f64>(&a.velocity, std::slice::from_ref(&b.velocity));
                        assert!(off < allowed && velocity < allowed, "{method:?} {extrapolation:?} {precision}: {off:e} {velocity:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn kernels_compile_everywhere() {
    for (source, defines) in [
        (&LPBP_KERNELS, lpbp_defines::<f32>(&SQUARE, 2)),
        (&LPBP_KERNELS, lpbp_defines::<f64>(&SQUARE, 2)),
        (&ESM_KERNELS, esm_defines::<f32>(1024, 2048)),
        (&ESM_KERNELS, esm_defines::<f64>(1024, 2048)),
    ] {
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        compile_for_all_architectures(source, &defines);
    }
}
