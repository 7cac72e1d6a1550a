//! The same holograms of streams on every device.

use num_complex::{Complex, Complex64};
use phasefront_device::testing::compile_for_all_architectures;
use phasefront_device::{Backend, Gpu, for_each_gpu};
use phasefront_nah::{
    Extrapolation, Filter, GpuStream, Grid, HOLOGRAM_KERNELS, KSpace, Medium, Propagator, Scalar,
    StreamShape, propagator,
};
use std::f64::consts::TAU;
use std::sync::Arc;

const SAMPLES: usize = 64;
const HOP: usize = 8;
const RATE: f64 = 8000.0;
const DISTANCE: f64 = 0.05;
const MEDIUM: Medium = Medium::AIR;

fn shape(grid: Grid, extrapolation: Extrapolation, batch: usize) -> StreamShape {
    StreamShape {
        grid,
        extrapolation,
        samples: SAMPLES,
        hop: HOP,
        bins: vec![1, 8],
        fields: 2,
        frames: 3 * SAMPLES,
        batch,
    }
}

/// Two monopoles with tones of two bins, noise 40 dB below the weaker, and a large constant. With less noise, prediction coefficients are determined by
/// rounding.
fn frames(shape: &StreamShape) -> Vec<f32> {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let mut at = |n: usize, i: usize| {
        let [x, y] = shape.grid.position(i);
        let sources = [(shape.bins[0], [0.03, 0.01], 0.3), (shape.bins[1], [-0.04, 0.02], 1.0)];
        let sum: f64 = sources
            .iter()
            .map(|(bin, [sx, sy], size)| {
                let distance = (x - sx).hypot(y - sy).hypot(0.08);
                let cycles =
                    *bin as f64 * (n as f64 / SAMPLES as f64 - distance * RATE / SAMPLES as f64 / 343.2);
                size / distance * (TAU * cycles).cos()
            })
            .sum();
        (3.0 + sum + 0.3 * noise()) as f32
    };
    (0..shape.frames)
        .flat_map(|n| (0..shape.grid.len()).map(move |i| (n, i)))
        .map(|(n, i)| at(n, i))
        .collect()
}

/// Phasors of a window by definition: mean removed, Hann window, scaled to the amplitude of a tone.
fn phasors(shape: &StreamShape, frames: &[f32], first: usize, bin: usize) -> Vec<Complex64> {
    let (count, microphones) = (SAMPLES as f64, shape.grid.len());
    (0..microphones)
        .map(|i| {
            let x: Vec<f64> =
                (0..SAMPLES).map(|n| f64::from(frames[(first + n) * microphones + i])).collect();
            let mean = x.iter().sum::<f64>() / count;
            let term = |(n, x): (usize, &f64)| {
                let angle = TAU * n as f64 / count;
                (x - mean)
                    * (0.5 - 0.5 * angle.cos())
                    * Complex64::from_polar(4.0 / count, -angle * bin as f64)
            };
            x.iter().enumerate().map(term).sum()
        })
        .collect()
}

/// The largest difference of fields and phasors on a GPU from the definition, relative to the largest value.
fn max_error<T: Scalar>(gpu: &Arc<dyn Gpu>, shape: &StreamShape, runs: usize) -> f64 {
    let frames = frames(shape);
    let filter = Filter::CosModified { cutoff: 0.45 * shape.grid.nyquist_wavenumber(), slope: 0.1 };
    let k = |bin: usize| MEDIUM.wavenumber(bin as f64 * RATE / SAMPLES as f64);
    let propagators: Vec<Propagator> = shape
        .bins
        .iter()
        .flat_map(|bin| [(k(*bin), false), (k(*bin), true)])
        .map(|(k, velocity)| {
            let pressure = move |kr| propagator(k, kr, DISTANCE, filter);
            let both =
                move |kr| pressure(kr) * if velocity { MEDIUM.admittance(k, kr) } else { Complex64::ONE };
            Box::new(both) as Propagator
        })
        .collect();
    let propagators: Vec<&dyn Fn(f64) -> Complex64> =
        propagators.iter().map(|propagator| &**propagator as _).collect();
    let mut stream = GpuStream::<T>::new(gpu, shape.clone(), &propagators).unwrap();
    stream.upload(&frames).unwrap();
    (0..runs).for_each(|_| stream.run().unwrap());
    let (found_phasors, found) = (stream.phasors().unwrap(), stream.fields().unwrap());
    let mut worst = 0.0_f64;
    let mut compare = |found: &[Complex<T>], exact: &[Complex64]| {
        let largest = exact.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let off = found.iter().zip(exact).map(|(a, b)| (T::complex_to_f64(*a) - b).norm());
        worst = worst.max(off.fold(0.0, f64::max) / largest);
    };
    let size = shape.grid.len();
    for window in 0..shape.batch {
        let first = ((runs - 1) * shape.batch + window + 1) * HOP - SAMPLES;
        for (b, bin) in shape.bins.iter().enumerate() {
            let hologram = window * shape.bins.len() + b;
            let exact = phasors(shape, &frames, first, *bin);
            compare(&found_phasors[hologram * size..][..size], &exact);
            let space = KSpace::new(shape.grid, &exact, shape.extrapolation, k(*bin));
            let exact = [space.pressure(DISTANCE, filter), space.velocity(DISTANCE, filter, MEDIUM)];
            for (found, exact) in found[hologram * 2 * size..].chunks_exact(size).zip(&exact) {
                compare(found, exact);
            }
        }
    }
    worst
}

for_each_gpu! {
    fn streams_agree(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let square = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
        let other = Grid { columns: 7, rows: 10, pitch: [0.03, 0.02] };
        for (grid, extrapolation, batch, runs) in [
            (square, Extrapolation::Plpbp, 1, 8),
            (square, Extrapolation::Plpbp, 1, 11),
            (square, Extrapolation::Plpbp, 8, 2),
            (other, Extrapolation::Plpbp, 4, 3),
            (other, Extrapolation::Zero, 3, 4),
        ] {
            let shape = shape(grid, extrapolation, batch);
            let (double, single) = (max_error::<f64>(gpu, &shape, runs), max_error::<f32>(gpu, &shape, runs));
            assert!(double < 1e-10, "{shape:?}: {double:e}");
            assert!(single < 1e-5, "{shape:?}: {single:e}");
        }
    }
}

#[test]
fn kernels_compile_everywhere() {
    let square = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
    let shape = shape(square, Extrapolation::Plpbp, 1);
    for defines in [shape.defines::<f32>(), shape.defines::<f64>()] {
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        compile_for_all_architectures(&HOLOGRAM_KERNELS, &defines);
    }
}
