//! Holograms of 1024 microphones, 1024 samples to a spectrum, on a widened grid of 96 x 96: whole iterations from a block of 32 samples to
//! holograms at n frequencies, and the stages of them; and phasors by every way there is.

use super::{Bench, median_seconds, noise};
use crate::RunError;
use num_complex::{Complex, Complex64};
use phasefront_nah::{
    Analyser, Analysis, Block, Carrier, Extrapolation, Filter, Format, Functions, Grid, Medium, Mend,
    Pipeline, Plan, Scalar, Terms, Way, Which, gain,
};
use std::time::Instant;

const GRID: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
const DISTANCE: f64 = 0.05;
const SAMPLES: usize = 1024;
const HOP: usize = 32;
/// Samples a second, and the first bin that is looked at, with others after it.
const RATE: f64 = 46_875.0;
const FIRST_BIN: usize = 18;
/// Blocks of a timed run: a few turns of the ring, so that what it does once a turn counts.
const BLOCKS: usize = 2048;
const REPEATS: usize = 7;

pub(super) fn run(bench: &mut Bench<'_>) -> Result<(), RunError> {
    let samples: Vec<f32> = noise(1).take(SAMPLES * GRID.len()).map(|x| x as f32).collect();
    for n in [1, 2, 5, 10] {
        for beyond in [Extrapolation::Plpbp, Extrapolation::Lpbp] {
            iterations::<f32>(bench, &samples, n, beyond, "single")?;
        }
    }
    iterations::<f64>(bench, &samples, 1, Extrapolation::Plpbp, "double")?;
    for n in [1, 10] {
        stages(bench, &samples, n)?;
    }
    ways(bench)
}

fn bins(n: usize) -> Vec<usize> {
    (0..n).map(|i| FIRST_BIN + 2 * i).collect()
}

fn plan<T: Scalar>(bin: usize, beyond: Extrapolation) -> Plan<T> {
    let k = Medium::AIR.wave_number(RATE * bin as f64 / SAMPLES as f64);
    let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
    Plan::new(GRID, beyond, &[&|kr| gain(k, kr, DISTANCE, filter)])
}

/// From blocks to holograms.
fn iterations<T: Scalar>(
    bench: &mut Bench<'_>,
    samples: &[f32],
    n: usize,
    beyond: Extrapolation,
    precision: &str,
) -> Result<(), RunError> {
    bench.progress.check()?;
    let format = Format { microphones: GRID.len(), bits: None };
    let analyser =
        Analyser::<T>::new(format, &Analysis { way: Way::Hop, samples: SAMPLES, hop: HOP }, bins(n));
    let carriers = bins(n).iter().map(|bin| Carrier::Waves(Box::new(plan(*bin, beyond)))).collect();
    let places: Vec<[f64; 2]> = (0..GRID.len()).map(|i| GRID.place(i)).collect();
    let mut pipeline = Pipeline::new(analyser, Mend::new(&places, None, &[]), carriers);
    let mut times = Vec::with_capacity(BLOCKS);
    let blocks = samples.chunks_exact(HOP * GRID.len()).cycle();
    // Slow ones are timed over fewer blocks.
    let count = if beyond == Extrapolation::Lpbp { BLOCKS / 8 } else { BLOCKS };
    for block in blocks.take(count + SAMPLES / HOP) {
        let start = Instant::now();
        if pipeline.push(Block::Samples(block)) {
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let total: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| 1e6 * times[((times.len() - 1) as f64 * share) as usize];
    let beyond = if beyond == Extrapolation::Plpbp { "plpbp" } else { "lpbp" };
    let name =
        format!("nah {precision} {beyond} hop 32, n={n} (p50 {:.0} us, p99 {:.0} us)", at(0.5), at(0.99));
    bench.report(name, total / times.len() as f64, 1.0, "iterations/s");
    Ok(())
}

/// Phasors alone, and a hologram alone.
fn stages(bench: &mut Bench<'_>, samples: &[f32], n: usize) -> Result<(), RunError> {
    let format = Format { microphones: GRID.len(), bits: None };
    let mut analyser =
        Analyser::<f32>::new(format, &Analysis { way: Way::Hop, samples: SAMPLES, hop: HOP }, bins(n));
    let mut phasors = vec![Complex::new(0.0_f32, 0.0); n * GRID.len()];
    let mut blocks = samples.chunks_exact(HOP * GRID.len()).cycle();
    let turn = SAMPLES / HOP;
    let seconds = median_seconds(REPEATS, || {
        for block in blocks.by_ref().take(turn) {
            analyser.push(Block::Samples(block));
            analyser.spectra(&mut phasors);
        }
        Ok(())
    })?;
    bench.report(format!("nah phasors, hop 32, n={n}"), seconds / turn as f64, 1.0, "iterations/s");
    if n == 1 {
        let mut plan = plan::<f32>(FIRST_BIN, Extrapolation::Plpbp);
        let mut field = phasors.clone();
        let seconds = median_seconds(REPEATS, || {
            (0..turn).for_each(|_| plan.run(&phasors, &mut field));
            Ok(())
        })?;
        bench.report("nah hologram, plpbp".into(), seconds / turn as f64, 1.0, "holograms/s");
    }
    Ok(())
}

/// Phasors of a whole window, by every way, from words of bits.
fn ways(bench: &mut Bench<'_>) -> Result<(), RunError> {
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    let words: Vec<u32> = (0..(SAMPLES + 64) * GRID.len()).map(|_| word()).collect();
    let strongest = |functions| Way::Walsh(Terms { which: Which::Strongest(40), functions });
    for (name, way) in [
        ("nominal", Way::Nominal { fir: false }),
        ("dot", Way::Dot),
        ("average", Way::Average),
        ("cic-popcount", Way::CicPopcount),
        ("walsh, 40 precomputed", strongest(Functions::Precomputed)),
        ("walsh, 40 from Rademacher", strongest(Functions::Rademacher)),
    ] {
        for n in [1, 10] {
            bench.progress.check()?;
            let format = Format { microphones: GRID.len(), bits: Some(1.0) };
            let analysis = Analysis { way, samples: SAMPLES, hop: HOP };
            let mut analyser = Analyser::<f64>::new(format, &analysis, bins(n));
            for block in words.chunks_exact(HOP * GRID.len()) {
                analyser.push(Block::Words(block));
            }
            let mut phasors = vec![Complex64::ZERO; n * GRID.len()];
            let mut blocks = words.chunks_exact(HOP * GRID.len()).cycle();
            let seconds = median_seconds(REPEATS, || {
                if let Some(block) = blocks.next() {
                    analyser.push(Block::Words(block));
                }
                analyser.spectra(&mut phasors);
                Ok(())
            })?;
            bench.report(format!("nah {name} of bits, hop 32, n={n}"), seconds, 1.0, "iterations/s");
        }
    }
    Ok(())
}
