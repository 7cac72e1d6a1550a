//! Third-octave bands (IEC 61260-1:2014, base ten): their frequencies, and the filter of a band.

/// Order of the low-pass prototype of the filters.
const ORDER: i32 = 3;

/// The number n of the third-octave band of a frequency; its center is 1000 Hz · 10^{n/10} (IEC 61260-1:2014, base ten).
pub fn third_octave(frequency: f64) -> i32 {
    (10.0 * (frequency / 1000.0).log10()).round() as i32
}

/// The center frequency of a third-octave band, Hz.
pub fn third_octave_center(band: i32) -> f64 {
    1000.0 * 10_f64.powf(0.1 * f64::from(band))
}

/// The lower and upper edge of a third-octave band, Hz: G^{∓1/6} of its center, with the octave ratio G = 10^{3/10}.
pub fn third_octave_edges(band: i32) -> [f64; 2] {
    [-0.05, 0.05].map(|exponent| third_octave_center(band) * 10_f64.powf(exponent))
}

/// The squared magnitude of the filter of a third-octave band at a frequency: a Butterworth band-pass filter of order 3, three pairs of poles,
///
/// |H|² = 1/(1 + (Q (f/f_m − f_m/f))⁶), Q = (π/6)/sin(π/6) · f_m/(f₂ − f₁).
///
/// The factor of Q makes the noise bandwidth ∫|H|² df exactly f₂ − f₁: white noise has the level of its density times the bandwidth.
///
/// ```
/// # use phasefront_nah::post::third_octave_filter;
/// // A tone in the middle of the band, and one an octave below it.
/// assert_eq!(third_octave_filter(0, 1000.0), 1.0);
/// assert!(third_octave_filter(0, 500.0) < 1e-4);
/// ```
pub fn third_octave_filter(band: i32, frequency: f64) -> f64 {
    let (center, [low, high]) = (third_octave_center(band), third_octave_edges(band));
    let angle = std::f64::consts::FRAC_PI_2 / f64::from(ORDER);
    let quality = angle / angle.sin() * center / (high - low);
    let offset = quality * (frequency / center - center / frequency);
    1.0 / (1.0 + offset.powi(2 * ORDER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn third_octave_bands_follow_the_standard() {
        assert_eq!([990.0, 1000.0, 1120.0, 1130.0, 63.0].map(third_octave), [0, 0, 0, 1, -12]);
        assert!((third_octave_center(-12) - 63.096).abs() < 1e-3);
        // IEC 61260-1:2014, annex E: the band at 1 kHz is from 891.25 Hz to 1122.0 Hz.
        let [low, high] = third_octave_edges(0);
        assert!((low - 891.25).abs() < 0.005 && (high - 1122.0).abs() < 0.05, "{low} {high}");
    }

    /// Table 1 of IEC 61260:1995, class 1, whose limits are within those of the edition of 2014: exponents of the octave ratio, least and largest
    /// attenuation in dB. For third octaves the frequencies are 1 + (G^{1/6} − 1)/(G^{1/2} − 1) (G^e − 1) and their inverses.
    #[test]
    fn filters_are_of_class_1() {
        const LIMITS: [(f64, f64, f64); 10] = [
            (0.0, -0.3, 0.3),
            (0.125, -0.3, 0.4),
            (0.25, -0.3, 0.6),
            (0.375, -0.3, 1.3),
            (0.4999, -0.3, 5.0),
            (0.5, 2.0, 5.0),
            (1.0, 17.5, f64::INFINITY),
            (2.0, 42.0, f64::INFINITY),
            (3.0, 61.0, f64::INFINITY),
            (4.0, 70.0, f64::INFINITY),
        ];
        let ratio = 10_f64.powf(0.3);
        for (exponent, least, largest) in LIMITS {
            let scale = (ratio.powf(1.0 / 6.0) - 1.0) / (ratio.sqrt() - 1.0);
            let relative = 1.0 + scale * (ratio.powf(exponent) - 1.0);
            for frequency in [100.0 * relative, 100.0 / relative] {
                let attenuation = -10.0 * third_octave_filter(-10, frequency).log10();
                assert!(
                    (least..=largest).contains(&attenuation),
                    "{frequency:.2} Hz: {attenuation:.2} dB is not from {least} to {largest}"
                );
            }
        }
    }

    /// By Simpson's rule in the logarithm of the frequency.
    #[test]
    fn the_noise_bandwidth_is_the_width_of_the_band() {
        let steps = 20_000;
        let step = 40.0 / f64::from(steps);
        let value = |i: i32| {
            let frequency = 1000.0 * (step * f64::from(i) - 20.0).exp();
            frequency * third_octave_filter(0, frequency)
        };
        let weight = |i: i32| if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        let width: f64 = (0..=steps).map(|i| weight(i) * value(i)).sum::<f64>() * step / 3.0;
        let [low, high] = third_octave_edges(0);
        assert!((width / (high - low) - 1.0).abs() < 1e-9, "{width}");
    }
}
