//! The same phasors on every device, by every way from samples and bits.

use num_complex::Complex64;
use phasefront_device::testing::compile_for_all_architectures;
use phasefront_device::{Backend, for_each_device};
use phasefront_nah::{
    Analysis, Analyzer, Block, Format, Functions, GpuAnalyzer, SPECTRA_KERNELS, Terms, Way, Which,
    spectra_defines,
};

const MICROPHONES: usize = 37;
const SAMPLES: usize = 64;
const HOP: usize = 16;
const BINS: [usize; 3] = [1, 6, 20];
/// Blocks that fill any window, and some more, so that rings go round.
const BLOCKS: usize = 11;

fn ways(bits: bool) -> Vec<Way> {
    let walsh = |which, functions| Way::Walsh(Terms { which, functions });
    let of_both = [Way::Nominal { fir: false }, Way::Dot, Way::Auto, Way::Hop];
    let of_bits = [
        Way::Nominal { fir: true },
        Way::Average,
        Way::CicPopcount,
        walsh(Which::Strongest(12), Functions::Precomputed),
        walsh(Which::Above(0.1), Functions::Rademacher),
        Way::WalshExact,
    ];
    of_both.into_iter().chain(of_bits.into_iter().filter(|_| bits)).collect()
}

/// Without pattern, from a linear congruence (Knuth's MMIX).
fn words(count: usize) -> Vec<u32> {
    let mut state = 3_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    std::iter::repeat_with(next).take(count).collect()
}

for_each_device! {
    fn phasors_agree(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let words = words(BLOCKS * HOP * MICROPHONES);
        // Over a constant, which must not show.
        let samples: Vec<f32> = words.iter().map(|word| 3.0 + (f64::from(*word) / 4_294_967_296.0) as f32).collect();
        for bits in [None, Some(0.7)] {
            let format = Format { microphones: MICROPHONES, bits };
            for way in ways(bits.is_some()) {
                let analysis = Analysis { way, samples: SAMPLES, hop: HOP };
                let mut exact = Analyzer::<f64>::new(format, &analysis, BINS.to_vec());
                let mut found = GpuAnalyzer::new(gpu, format, &analysis, &BINS).unwrap();
                let (mut a, mut b) = ([Complex64::ZERO; 3 * MICROPHONES], [Complex64::ZERO; 3 * MICROPHONES]);
                for i in 0..BLOCKS {
                    let part = i * HOP * MICROPHONES..(i + 1) * HOP * MICROPHONES;
                    let block = if bits.is_some() { Block::Words(&words[part]) } else { Block::Samples(&samples[part]) };
                    exact.push(block);
                    found.push(block).unwrap();
                    assert_eq!(exact.is_full(), found.is_full());
                    if !exact.is_full() {
                        continue;
                    }
                    exact.spectra(&mut a);
                    found.spectra(&mut b).unwrap();
                    let largest = a.iter().map(|p| p.norm()).fold(0.0, f64::max);
                    let off = a.iter().zip(&b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                    // A filter of samples is in single precision.
                    let allowed = if way == (Way::Nominal { fir: true }) { 1e-6 } else { 1e-10 };
                    assert!(off < allowed * largest, "{way:?} of {bits:?}, block {i}: {:e}", off / largest);
                }
            }
        }
    }
}

#[test]
fn kernels_compile_everywhere() {
    // One of each front.
    let ways = [
        (None, Way::Hop),
        (Some(1.0), Way::Nominal { fir: true }),
        (Some(1.0), Way::Average),
        (Some(1.0), Way::WalshExact),
    ];
    for (bits, way) in ways {
        let format = Format { microphones: 1024, bits };
        let defines = spectra_defines(format, &Analysis { way, samples: 1024, hop: 32 }, &[1, 22]);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        compile_for_all_architectures(&SPECTRA_KERNELS, &defines);
    }
}
