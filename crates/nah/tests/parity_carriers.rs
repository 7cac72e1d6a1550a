//! Row by row and column by column, and by equivalent sources: the same fields on every device.

use num_complex::{Complex, Complex64};
use phasefront_device::testing::compile_for_all_architectures;
use phasefront_device::{Backend, Complex as DeviceComplex, Gpu, for_each_device};
use phasefront_nah::simulate::{Sounder, add_noise, field};
use phasefront_nah::{
    Esm, Extrapolation, Filter, GpuLines, GpuSources, Grid, KSpace, LINE_KERNELS, Medium, Operator,
    SOURCE_KERNELS, Scalar, gain, gains_of_waves, line_defines, source_defines,
};
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
    let lines = GpuLines::<T>::new(gpu, grid, 2, &gains).unwrap();
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
    let sources = GpuSources::<T>::new(gpu, OTHER.len(), &operators).unwrap();
    let mut found = vec![T::complex_from_f64(Complex64::ZERO); 4 * OTHER.len()];
    sources.run(&rounded(&heard), &mut found).unwrap();
    apart(&found, &exact)
}

for_each_device! {
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
