//! The same phasors on every device, by every spectral method.

use num_complex::Complex64;
use phasefront_device::testing::compile_for_all_architectures;
use phasefront_device::{Backend, for_each_gpu};
use phasefront_nah::{
    Analysis, Block, CpuSpectrumEstimator, Format, GpuSpectrumEstimator, SPECTRA_KERNELS, SpectralMethod,
    SpectrumEstimator, WalshFunctions, WalshSelection, WalshTerms, spectra_defines,
};

const MICROPHONES: usize = 37;
const SAMPLES: usize = 64;
const HOP: usize = 16;
const BINS: [usize; 3] = [1, 6, 20];
/// Blocks that fill any window, and some more, so that ring buffers wrap.
const BLOCKS: usize = 11;

fn methods(bits: bool) -> Vec<SpectralMethod> {
    let walsh = |which, functions| SpectralMethod::Walsh(WalshTerms { which, functions });
    let of_both = [
        SpectralMethod::Fft { fir: false },
        SpectralMethod::Dft,
        SpectralMethod::Auto,
        SpectralMethod::SlidingDft,
    ];
    let of_bits = [
        SpectralMethod::Fft { fir: true },
        SpectralMethod::BlockAverage,
        SpectralMethod::CicPopcount,
        walsh(WalshSelection::Strongest(12), WalshFunctions::Precomputed),
        walsh(WalshSelection::Above(0.1), WalshFunctions::Rademacher),
        SpectralMethod::WalshExact,
    ];
    of_both.into_iter().chain(of_bits.into_iter().filter(|_| bits)).collect()
}

/// Pseudorandom words by a linear congruential generator (Knuth's MMIX).
fn words(count: usize) -> Vec<u32> {
    let mut state = 3_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    std::iter::repeat_with(next).take(count).collect()
}

for_each_gpu! {
    fn phasors_agree(backend: &Backend) {
        let Backend::Gpu(gpu) = backend else { return };
        let words = words(BLOCKS * HOP * MICROPHONES);
        // With a constant, which must not leak.
        let samples: Vec<f32> = words.iter().map(|word| 3.0 + (f64::from(*word) / 4_294_967_296.0) as f32).collect();
        for bits in [None, Some(0.7)] {
            let format = Format { microphones: MICROPHONES, bits };
            for method in methods(bits.is_some()) {
                let analysis = Analysis { method, samples: SAMPLES, hop: HOP };
                let mut exact = CpuSpectrumEstimator::<f64>::new(format, &analysis, BINS.to_vec());
                let mut found = GpuSpectrumEstimator::new(gpu, format, &analysis, &BINS).unwrap();
                let (mut a, mut b) = ([Complex64::ZERO; 3 * MICROPHONES], [Complex64::ZERO; 3 * MICROPHONES]);
                for i in 0..BLOCKS {
                    let part = i * HOP * MICROPHONES..(i + 1) * HOP * MICROPHONES;
                    let block = if bits.is_some() { Block::Words(&words[part]) } else { Block::Samples(&samples[part]) };
                    exact.push(block).unwrap();
                    SpectrumEstimator::<f64>::push(&mut found, block).unwrap();
                    assert_eq!(exact.is_full(), SpectrumEstimator::<f64>::is_full(&found));
                    if !exact.is_full() {
                        continue;
                    }
                    exact.spectra(&mut a).unwrap();
                    found.spectra(&mut b).unwrap();
                    let largest = a.iter().map(|p| p.norm()).fold(0.0, f64::max);
                    let off = a.iter().zip(&b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                    // The FIR filter is in single precision.
                    let allowed = if method == (SpectralMethod::Fft { fir: true }) { 1e-6 } else { 1e-10 };
                    assert!(off < allowed * largest, "{method:?} of {bits:?}, block {i}: {:e}", off / largest);
                }
            }
        }
    }
}

#[test]
fn kernels_compile_everywhere() {
    // One of each front end.
    let methods = [
        (None, SpectralMethod::SlidingDft),
        (Some(1.0), SpectralMethod::Fft { fir: true }),
        (Some(1.0), SpectralMethod::BlockAverage),
        (Some(1.0), SpectralMethod::WalshExact),
    ];
    for (bits, method) in methods {
        let format = Format { microphones: 1024, bits };
        let defines = spectra_defines(format, &Analysis { method, samples: 1024, hop: 32 }, &[1, 22]);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        compile_for_all_architectures(&SPECTRA_KERNELS, &defines);
    }
}
