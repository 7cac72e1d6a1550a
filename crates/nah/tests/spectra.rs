//! Phasors of tones that are known, by every way there is.

use num_complex::Complex64;
use phasefront_nah::simulate::{Modulator, Tones};
use phasefront_nah::{Analysis, Analyzer, Bits, Block, Format, Functions, Terms, Way, Which};
use std::f64::consts::TAU;

const SAMPLES: usize = 1024;

/// Phasors of a stream of bits at bins, of the last window.
fn of_bits(way: Way, bits: &Bits, bins: &[usize]) -> Vec<Complex64> {
    let format = Format { microphones: bits.microphones, bits: Some(bits.full_scale) };
    let hop = 32;
    let mut analyzer = Analyzer::<f64>::new(format, &Analysis { way, samples: SAMPLES, hop }, bins.to_vec());
    for block in bits.words.chunks_exact(hop * bits.microphones) {
        analyzer.push(Block::Words(block));
    }
    assert!(analyzer.is_full());
    let mut phasors = vec![Complex64::ZERO; bins.len() * bits.microphones];
    analyzer.spectra(&mut phasors);
    phasors
}

/// Words of a modulator with a tone of an amplitude and a phase at the beginning of the last window.
fn modulated(amplitude: f64, phase: f64, bin: usize, offset: f64) -> Bits {
    // A window and a block before it.
    let words = SAMPLES + 32;
    let tone = |n: usize| {
        let turns = bin as f64 * (n as f64 - 32.0 * 32.0) / (32 * SAMPLES) as f64;
        offset + amplitude * (TAU * turns + phase).cos()
    };
    let mut modulator = Modulator::default();
    let word =
        |w: usize| (0..32).fold(0_u32, |bits, i| bits | u32::from(modulator.bit(tone(32 * w + i))) << i);
    Bits { rate: 1.5e6, microphones: 1, words: (0..words).map(word).collect(), full_scale: 1.0 }
}

/// At −54 dB of full scale, counting bits with the filter's weights is right to a thousandth of the tone. The mean of 32 bits lets the
/// modulator's noise through, which is folded down onto the tone. Bins are those up to 1.5 kHz: the noise of the modulator itself grows with the square of
/// the frequency, and is above a thousandth of so quiet a tone beyond.
#[test]
fn quiet_tones_come_through_the_filter_and_not_through_the_mean() {
    let amplitude = 10_f64.powf(-54.0 / 20.0);
    let (mut worst, mut worst_mean) = (0.0_f64, 0.0_f64);
    for (bin, phase) in [(10, 0.3), (20, 1.0), (33, -0.4)] {
        let bits = modulated(amplitude, phase, bin, 0.0);
        let exact = Complex64::from_polar(amplitude, phase);
        let error = |way: Way| (of_bits(way, &bits, &[bin])[0] - exact).norm() / amplitude;
        println!(
            "bin {bin}: counts {:.2e}, nominal {:.2e}, average {:.2e}",
            error(Way::CicPopcount),
            error(Way::Nominal { fir: false }),
            error(Way::Average)
        );
        worst =
            worst.max(error(Way::CicPopcount)).max(error(Way::Nominal { fir: false })).max(error(Way::Hop));
        worst_mean = worst_mean.max(error(Way::Average));
    }
    assert!(worst < 1e-3, "{worst:e}");
    // What the manual says of a line beyond.
    let exact = Complex64::from_polar(amplitude, 0.3);
    let beyond = of_bits(Way::CicPopcount, &modulated(amplitude, 0.3, 60, 0.0), &[60])[0] - exact;
    println!("bin 60: counts {:.2e}", beyond.norm() / amplitude);
    assert!(beyond.norm() < 1e-2 * amplitude, "{:e}", beyond.norm() / amplitude);
    assert!(worst_mean > 0.5, "{worst_mean:e}");
}

/// A loud tone has the same phasor by every way, within what each of them leaves out.
#[test]
fn all_ways_find_a_loud_tone() {
    let (amplitude, phase, bin) = (0.4, 0.7, 24);
    let bits = modulated(amplitude, phase, bin, 0.0);
    let exact = Complex64::from_polar(amplitude, phase);
    let strongest = |functions| Way::Walsh(Terms { which: Which::Strongest(40), functions });
    for (way, bound) in [
        (Way::Nominal { fir: false }, 1e-3),
        (Way::Nominal { fir: true }, 2e-3),
        (Way::Dot, 1e-3),
        (Way::Auto, 1e-3),
        (Way::CicPopcount, 1e-3),
        (Way::Hop, 1e-3),
        (Way::Average, 1e-3),
        (Way::WalshExact, 1e-3),
        (strongest(Functions::Precomputed), 5e-3),
        (strongest(Functions::Rademacher), 5e-3),
        (Way::Walsh(Terms { which: Which::Above(0.1), functions: Functions::Precomputed }), 0.05),
    ] {
        let error = (of_bits(way, &bits, &[bin])[0] - exact).norm() / amplitude;
        println!("{way:?}: {error:.2e}");
        assert!(error < bound, "{way:?}: {error:e}");
    }
}

/// Walsh functions from memory and from Rademacher's are the same numbers.
#[test]
fn functions_are_the_same_wherever_they_come_from() {
    let bits = modulated(0.3, 0.1, 7, 0.05);
    let found = [Functions::Precomputed, Functions::Rademacher].map(|functions| {
        of_bits(Way::Walsh(Terms { which: Which::Strongest(64), functions }), &bits, &[7, 24])
    });
    assert_eq!(found[0], found[1]);
}

/// All Walsh functions are the discrete Fourier transform of the bits.
#[test]
fn all_walsh_functions_are_the_transform_of_the_bits() {
    let bits = modulated(0.3, 0.1, 7, 0.05);
    for bin in [1, 7, 24, 200] {
        let last = &bits.words[bits.words.len() - SAMPLES..];
        let value = |n: usize| if last[n / 32] >> (n % 32) & 1 == 1 { 1.0 } else { -1.0 };
        let count = 32 * SAMPLES;
        let wave =
            |n: usize| value(n) * Complex64::from_polar(1.0, -TAU * (bin * n % count) as f64 / count as f64);
        let direct = 2.0 / count as f64 * (0..count).map(wave).sum::<Complex64>();
        let found = of_bits(Way::WalshExact, &bits, &[bin])[0];
        assert!((found - direct).norm() < 1e-9, "bin {bin}: {found} {direct}");
    }
}

/// A large constant leaves the first line clean.
#[test]
fn a_constant_does_not_leak_into_the_first_line() {
    let offset = 0.5;
    let tones = Tones { lines: vec![(100.0, vec![Complex64::ZERO; 2])], offset, noise: None, seed: 1 };
    let samples = tones.samples(51_200.0, SAMPLES);
    for way in [Way::Nominal { fir: false }, Way::Dot, Way::Hop] {
        let format = Format { microphones: 2, bits: None };
        let mut analyzer =
            Analyzer::<f64>::new(format, &Analysis { way, samples: SAMPLES, hop: 32 }, vec![1, 2]);
        for block in samples.values.chunks_exact(64) {
            analyzer.push(Block::Samples(block));
        }
        let mut phasors = [Complex64::ZERO; 4];
        analyzer.spectra(&mut phasors);
        assert!(phasors.iter().all(|p| p.norm() < 1e-6 * offset), "{way:?}: {phasors:?}");
    }
    // Bits of a modulator have noise beside their constant.
    let bits = modulated(0.0, 0.0, 1, offset);
    for way in [Way::Nominal { fir: false }, Way::CicPopcount] {
        let found = of_bits(way, &bits, &[1])[0].norm();
        println!("{way:?}: {:.2e} of the constant", found / offset);
        assert!(found < 1e-3 * offset, "{way:?}: {found:e}");
    }
}
