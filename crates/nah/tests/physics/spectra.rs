//! Phasors of known tones by every spectral method.

use num_complex::Complex64;
use phasefront_nah::simulate::{Modulator, Tones};
use phasefront_nah::{
    Analysis, Bits, Block, CpuSpectrumEstimator, Format, SpectralMethod, SpectrumEstimator, WalshFunctions,
    WalshSelection, WalshTerms,
};
use std::f64::consts::TAU;

const SAMPLES: usize = 1024;

/// Phasors of a bitstream at bins, of the last window.
fn of_bits(method: SpectralMethod, bits: &Bits, bins: &[usize]) -> Vec<Complex64> {
    let format = Format { microphones: bits.microphones, bits: Some(bits.full_scale) };
    let hop = 32;
    let mut estimator =
        CpuSpectrumEstimator::<f64>::new(format, &Analysis { method, samples: SAMPLES, hop }, bins.to_vec());
    for block in bits.words.chunks_exact(hop * bits.microphones) {
        estimator.push(Block::Words(block)).unwrap();
    }
    assert!(estimator.is_full());
    let mut phasors = vec![Complex64::ZERO; bins.len() * bits.microphones];
    estimator.spectra(&mut phasors).unwrap();
    phasors
}

/// Words of a sigma-delta modulator, for a tone with a phase at the start of the last window.
fn modulated(amplitude: f64, phase: f64, bin: usize, offset: f64) -> Bits {
    // A window and a block before it, for the filters to settle.
    let words = SAMPLES + 32;
    let tone = |n: usize| {
        let cycles = bin as f64 * (n as f64 - 32.0 * 32.0) / (32 * SAMPLES) as f64;
        offset + amplitude * (TAU * cycles + phase).cos()
    };
    let mut modulator = Modulator::default();
    let word =
        |w: usize| (0..32).fold(0_u32, |bits, i| bits | u32::from(modulator.bit(tone(32 * w + i))) << i);
    Bits { rate: 1.5e6, microphones: 1, words: (0..words).map(word).collect(), full_scale: 1.0 }
}

/// At −54 dB of full scale, the CIC filter is accurate to a thousandth of the tone. The mean of 32 bits lets the shaped quantization noise through, which
/// aliases onto the tone. Bins up to 1.5 kHz: the noise of the modulator grows with the square of the frequency, and exceeds a thousandth of so quiet a
/// tone above.
#[test]
fn quiet_tones_pass_the_cic_filter_but_not_the_mean() {
    let amplitude = 10_f64.powf(-54.0 / 20.0);
    let (mut worst, mut worst_mean) = (0.0_f64, 0.0_f64);
    for (bin, phase) in [(10, 0.3), (20, 1.0), (33, -0.4)] {
        let bits = modulated(amplitude, phase, bin, 0.0);
        let exact = Complex64::from_polar(amplitude, phase);
        let error = |method: SpectralMethod| (of_bits(method, &bits, &[bin])[0] - exact).norm() / amplitude;
        println!(
            "bin {bin}: popcount {:.2e}, nominal {:.2e}, average {:.2e}",
            error(SpectralMethod::CicPopcount),
            error(SpectralMethod::Fft { fir: false }),
            error(SpectralMethod::BlockAverage)
        );
        worst = worst
            .max(error(SpectralMethod::CicPopcount))
            .max(error(SpectralMethod::Fft { fir: false }))
            .max(error(SpectralMethod::SlidingDft));
        worst_mean = worst_mean.max(error(SpectralMethod::BlockAverage));
    }
    assert!(worst < 1e-3, "{worst:e}");
    // A bin above, as in the manual.
    let exact = Complex64::from_polar(amplitude, 0.3);
    let above = of_bits(SpectralMethod::CicPopcount, &modulated(amplitude, 0.3, 60, 0.0), &[60])[0] - exact;
    println!("bin 60: popcount {:.2e}", above.norm() / amplitude);
    assert!(above.norm() < 1e-2 * amplitude, "{:e}", above.norm() / amplitude);
    assert!(worst_mean > 0.5, "{worst_mean:e}");
}

/// A loud tone has the same phasor by every method, within the truncation of each.
#[test]
fn all_methods_agree_on_a_loud_tone() {
    let (amplitude, phase, bin) = (0.4, 0.7, 24);
    let bits = modulated(amplitude, phase, bin, 0.0);
    let exact = Complex64::from_polar(amplitude, phase);
    let strongest =
        |functions| SpectralMethod::Walsh(WalshTerms { which: WalshSelection::Strongest(40), functions });
    for (method, bound) in [
        (SpectralMethod::Fft { fir: false }, 1e-3),
        (SpectralMethod::Fft { fir: true }, 2e-3),
        (SpectralMethod::Dft, 1e-3),
        (SpectralMethod::Auto, 1e-3),
        (SpectralMethod::CicPopcount, 1e-3),
        (SpectralMethod::SlidingDft, 1e-3),
        (SpectralMethod::BlockAverage, 1e-3),
        (SpectralMethod::WalshExact, 1e-3),
        (strongest(WalshFunctions::Precomputed), 5e-3),
        (strongest(WalshFunctions::Rademacher), 5e-3),
        (
            SpectralMethod::Walsh(WalshTerms {
                which: WalshSelection::Above(0.1),
                functions: WalshFunctions::Precomputed,
            }),
            0.05,
        ),
    ] {
        let error = (of_bits(method, &bits, &[bin])[0] - exact).norm() / amplitude;
        println!("{method:?}: {error:.2e}");
        assert!(error < bound, "{method:?}: {error:e}");
    }
}

/// Precomputed Walsh functions equal products of Rademacher functions.
#[test]
fn precomputed_and_rademacher_functions_agree() {
    let bits = modulated(0.3, 0.1, 7, 0.05);
    let found = [WalshFunctions::Precomputed, WalshFunctions::Rademacher].map(|functions| {
        of_bits(
            SpectralMethod::Walsh(WalshTerms { which: WalshSelection::Strongest(64), functions }),
            &bits,
            &[7, 24],
        )
    });
    assert_eq!(found[0], found[1]);
}

/// All Walsh functions give the DFT of the bits.
#[test]
fn all_walsh_functions_give_the_dft() {
    let bits = modulated(0.3, 0.1, 7, 0.05);
    for bin in [1, 7, 24, 200] {
        let last = &bits.words[bits.words.len() - SAMPLES..];
        let value = |n: usize| if last[n / 32] >> (n % 32) & 1 == 1 { 1.0 } else { -1.0 };
        let count = 32 * SAMPLES;
        let wave =
            |n: usize| value(n) * Complex64::from_polar(1.0, -TAU * (bin * n % count) as f64 / count as f64);
        let direct = 2.0 / count as f64 * (0..count).map(wave).sum::<Complex64>();
        let found = of_bits(SpectralMethod::WalshExact, &bits, &[bin])[0];
        assert!((found - direct).norm() < 1e-9, "bin {bin}: {found} {direct}");
    }
}

/// A large constant does not leak into the first bin.
#[test]
fn a_constant_does_not_leak_into_the_first_bin() {
    let offset = 0.5;
    let tones = Tones { components: vec![(100.0, vec![Complex64::ZERO; 2])], offset, noise: None, seed: 1 };
    let samples = tones.samples(51_200.0, SAMPLES);
    for method in [SpectralMethod::Fft { fir: false }, SpectralMethod::Dft, SpectralMethod::SlidingDft] {
        let format = Format { microphones: 2, bits: None };
        let mut estimator = CpuSpectrumEstimator::<f64>::new(
            format,
            &Analysis { method, samples: SAMPLES, hop: 32 },
            vec![1, 2],
        );
        for block in samples.values.chunks_exact(64) {
            estimator.push(Block::Samples(block)).unwrap();
        }
        let mut phasors = [Complex64::ZERO; 4];
        estimator.spectra(&mut phasors).unwrap();
        assert!(phasors.iter().all(|p| p.norm() < 1e-6 * offset), "{method:?}: {phasors:?}");
    }
    // A modulator adds quantization noise to the constant.
    let bits = modulated(0.0, 0.0, 1, offset);
    for method in [SpectralMethod::Fft { fir: false }, SpectralMethod::CicPopcount] {
        let found = of_bits(method, &bits, &[1])[0].norm();
        println!("{method:?}: {:.2e} of the constant", found / offset);
        assert!(found < 1e-3 * offset, "{method:?}: {found:e}");
    }
}
