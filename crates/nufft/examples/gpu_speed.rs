//! How fast the transforms of points and modes on a GPU are, beside cuFINUFFT.
//!
//! `cargo run --release -p phasefront-nufft --example gpu_speed [cuda|opencl] [most points]`

use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_device::{DeviceChoice, Direction, Fft, Gpu, open};
use phasefront_nufft::{GpuMethod, GpuPlan, NufftError, Options, Sign, Upsampling};
use std::error::Error;
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

/// Points, modes per side, and what cuFINUFFT 2.4.1 takes on an H200 in µs, types 1 and 2, at 1e-6 and at 1e-12.
const ROWS: [(usize, usize, [[f64; 2]; 2]); 5] = [
    (5041, 256, [[83.0, 63.0], [80.0, 73.0]]),
    (10_000, 256, [[82.0, 57.0], [113.0, 59.0]]),
    (1_000_000, 256, [[640.0, 179.0], [2065.0, 335.0]]),
    (1_000_000, 1000, [[795.0, 322.0], [2206.0, 550.0]]),
    (10_000_000, 1000, [[5277.0, 1281.0], [17302.0, 2716.0]]),
];

const METHODS: [GpuMethod; 6] = [
    GpuMethod::Auto,
    GpuMethod::OutputDriven,
    GpuMethod::Subproblem,
    GpuMethod::Sorted,
    GpuMethod::PaperPoint,
    GpuMethod::PaperTap,
];

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let choice: DeviceChoice = arguments.next().as_deref().unwrap_or("cuda").parse()?;
    let most = arguments.next().map_or(Ok(usize::MAX), |text| text.parse())?;
    let opened = open(choice, false)?;
    println!("{}", opened.reason);
    let Some(gpu) = opened.backend.gpu() else { return Err("this needs a GPU".into()) };
    println!(
        "µs: one call from launch to finish, its share of {RUNS} in a row; the same recorded; median of {RUNS}"
    );
    for (count, side, theirs) in ROWS {
        if count > most {
            continue;
        }
        for (tolerance, theirs) in [1e-6, 1e-12].into_iter().zip(theirs) {
            println!("\n{count} points, {side} x {side} modes, {tolerance:.0e}; cuFINUFFT {theirs:?}");
            for upsampling in [Upsampling::High, Upsampling::Low] {
                println!("  upsampling {}, {}", upsampling.value(), fft_alone(gpu, side, upsampling)?);
                row(gpu, count, side, tolerance, upsampling)?;
            }
        }
    }
    Ok(())
}

/// The fine grid's FFT, without anything else.
fn fft_alone(gpu: &Arc<dyn Gpu>, side: usize, upsampling: Upsampling) -> Outcome<String> {
    let n = (side as f64 * upsampling.value()) as usize;
    let shape = Fft { planes: 1, rows: n, cols: n, batch: 1, precision: Precision::Double };
    let data = gpu.alloc::<Complex64>(n * n)?;
    let work = || gpu.fft(shape, Direction::Forward, &data);
    let plain = times(gpu, || Ok(work()?))?;
    let recording = gpu.record(Box::new(work))?;
    Ok(format!("FFT of {n} x {n}: {plain}  {}", times(gpu, || Ok(recording.replay()?))?))
}

fn row(gpu: &Arc<dyn Gpu>, count: usize, side: usize, tolerance: f64, upsampling: Upsampling) -> Outcome<()> {
    let points = [1, 2].map(|seed| noise(count, seed).iter().map(|x| PI * x).collect::<Vec<_>>());
    let points = [gpu.upload(&points[0])?, gpu.upload(&points[1])?];
    let strengths = complex_noise(count, 3);
    let (strengths, modes) = (gpu.upload(&strengths)?, gpu.alloc(side * side)?);
    let gradient = gpu.alloc(2 * count)?;
    for gpu_method in METHODS {
        let options = Options { gpu_method, upsampling: Some(upsampling), ..Options::default() };
        let mut plan = match GpuPlan::<f64>::new(gpu, &[side, side], tolerance, &options) {
            Err(NufftError::Tolerance { .. }) => {
                println!("    beyond reach");
                return Ok(());
            }
            plan => plan?,
        };
        let set_points = times(gpu, || Ok(plan.set_device_points(&[&points[0], &points[1]])?))?;
        let plain = times(gpu, || Ok(plan.type1(&strengths, Sign::Plus, &modes)?))?;
        let recording = plan.record_type1(&strengths, Sign::Plus, &modes)?;
        let recorded = times(gpu, || Ok(recording.replay()?))?;
        println!("    type 1 {:13} {plain}  {recorded}  points {set_points}", format!("{gpu_method:?}"));
        if gpu_method != GpuMethod::OutputDriven {
            continue;
        }
        drop(recording);
        for (name, few_points) in [("by lanes", usize::MAX), ("by points", 0)] {
            plan.few_points = few_points;
            let plain = times(gpu, || Ok(plan.type2(&modes, Sign::Plus, &strengths)?))?;
            let recording = plan.record_type2(&modes, Sign::Plus, &strengths)?;
            let recorded = times(gpu, || Ok(recording.replay()?))?;
            println!("    type 2 {name:13} {plain}  {recorded}");
        }
        let recording = plan.record_type2_gradient(&modes, Sign::Plus, &strengths, &gradient)?;
        println!("    type 2 and gradient recorded  {}", times(gpu, || Ok(recording.replay()?))?);
    }
    Ok(())
}

/// Runs of which the median is taken.
const RUNS: u32 = 20;

/// µs from launch to finish, median; and of each of many in a row.
fn times(gpu: &Arc<dyn Gpu>, mut work: impl FnMut() -> Outcome<()>) -> Outcome<String> {
    let mut each = Vec::new();
    for run in 0..RUNS + 3 {
        let start = Instant::now();
        work()?;
        gpu.synchronize()?;
        // The first ones make plans and warm up.
        if run >= 3 {
            each.push(start.elapsed().as_secs_f64());
        }
    }
    each.sort_by(f64::total_cmp);
    let start = Instant::now();
    (0..RUNS).try_for_each(|_| work())?;
    gpu.synchronize()?;
    let in_a_row = start.elapsed().as_secs_f64() / f64::from(RUNS);
    Ok(format!("{:8.1} {:8.1}", 1e6 * each[each.len() / 2], 1e6 * in_a_row))
}

/// Numbers without pattern in [-1, 1).
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn complex_noise(count: usize, seed: u64) -> Vec<Complex64> {
    noise(2 * count, seed).chunks(2).map(|pair| Complex64::new(pair[0], pair[1])).collect()
}
