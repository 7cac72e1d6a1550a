//! Range profiles: scattering amplitude against range, from monostatic amplitudes over a frequency band.

use crate::window::Window;
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, wavenumber};
use phasefront_device::Direction;
use phasefront_device::cpu::PlanFft;

const PATH: &str = "output.range_profile";
/// Allowed deviation from uniform steps, in steps: that of numbers rounded for a table.
const STEP_TOLERANCE: f64 = 1e-3;
/// Zero padding above this only interpolates.
const MAX_PADDING: usize = 64;

/// Scattering amplitude against range.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeProfile {
    /// Distance from the origin of the mesh coordinates, m: increasing, positive away from the radar.
    pub range: Vec<f64>,
    /// Scattering amplitudes, m; [`dbsm`](crate::dbsm) gives radar cross sections.
    pub amplitude: Vec<Complex64>,
}

/// The range profile of monostatic amplitudes at uniformly spaced frequencies.
///
/// A point scatterer at r has S = A e^{+j2k s·r}, with s toward the radar; its range is R = −s·r. With window weights w,
///
/// ```text
/// a(R) = Σ w_n S_n e^{+j2k_n R} / Σ w_n
/// ```
///
/// is A at the range of the scatterer, in magnitude and phase. The range resolution is about c/2B. Frequency steps of df give an
/// unambiguous range from −c/4df to c/4df; scatterers outside are aliased. `padding` is the number of samples per frequency.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_core::constants::wavenumber;
/// use phasefront_sbr::{Window, range_profile};
///
/// // A point scatterer of 2 m, half a meter behind the origin: resolution cells of 15 cm, one sample every 1.9 cm.
/// let frequencies: Vec<f64> = (0..64).map(|n| 9.5e9 + 1e9 / 64.0 * f64::from(n)).collect();
/// let amplitudes: Vec<_> = frequencies.iter().map(|f| 2.0 * Complex64::cis(-2.0 * wavenumber(*f) * 0.5)).collect();
/// let profile = range_profile(&frequencies, &amplitudes, Window::Hann, 8)?;
/// let peak = (0..profile.range.len()).max_by(|a, b| profile.amplitude[*a].norm().total_cmp(&profile.amplitude[*b].norm()));
/// assert!((profile.range[peak.unwrap()] - 0.5).abs() < 0.01);
/// assert!((profile.amplitude[peak.unwrap()].norm() - 2.0).abs() < 0.01);
/// # Ok::<(), phasefront_core::FieldError>(())
/// ```
pub fn range_profile(
    frequencies: &[f64],
    amplitudes: &[Complex64],
    window: Window,
    padding: usize,
) -> Result<RangeProfile, FieldError> {
    let step = even_step(PATH, "frequencies", frequencies)?;
    check_count(PATH, amplitudes.len(), frequencies.len())?;
    check_padding(PATH, padding)?;
    let (weights, count) = (window.weights(frequencies.len()), padding * frequencies.len());
    // Normalized by the sum of weights: a point scatterer keeps its amplitude under every window.
    let sum: f64 = weights.iter().sum();
    let mut amplitude = vec![Complex64::ZERO; count];
    for ((a, s), w) in amplitude.iter_mut().zip(amplitudes).zip(&weights) {
        *a = s * w / sum;
    }
    f64::plan_fft(count, Direction::Inverse).process(&mut amplitude);
    // The FFT starts at range zero; its second half holds the negative ranges.
    amplitude.rotate_right(count / 2);
    // 2k R advances by 4π df R/c per sample, hence a bin of c/(2 df count).
    let bin = C0 / (2.0 * step * count as f64);
    let range: Vec<f64> = (0..count).map(|i| bin * (i as f64 - (count / 2) as f64)).collect();
    // The FFT omits the first frequency: its phase is applied here.
    let k = wavenumber(frequencies[0]);
    amplitude.iter_mut().zip(&range).for_each(|(a, r)| *a *= Complex64::cis(2.0 * k * r));
    Ok(RangeProfile { range, amplitude })
}

/// The step of uniformly increasing values.
pub(crate) fn even_step(path: &str, what: &str, values: &[f64]) -> Result<f64, FieldError> {
    let advice = format!("give {what} as {{ from, to, points }} with `from` below `to`");
    let (&[first, .., last], count) = (values, values.len()) else {
        let message = format!("needs at least 2 {what}, {} given", values.len());
        return Err(FieldError::new(path, message, advice));
    };
    let step = (last - first) / (count - 1) as f64;
    let fits = |(i, value): (usize, &f64)| (value - (first + step * i as f64)).abs() <= STEP_TOLERANCE * step;
    if !(step.is_finite() && step > 0.0 && values.iter().enumerate().all(fits)) {
        return Err(FieldError::new(path, format!("needs {what} in uniform, increasing steps"), advice));
    }
    Ok(step)
}

pub(crate) fn check_count(path: &str, found: usize, expected: usize) -> Result<(), FieldError> {
    if found == expected {
        return Ok(());
    }
    let message = format!("{found} amplitudes given for {expected} frequencies");
    Err(FieldError::new(path, message, "give one amplitude for each frequency"))
}

pub(crate) fn check_padding(path: &str, padding: usize) -> Result<(), FieldError> {
    if (1..=MAX_PADDING).contains(&padding) {
        return Ok(());
    }
    let message = format!("a padding of {padding} is outside 1 to {MAX_PADDING}");
    Err(FieldError::new(path, message, "4 gives a smooth curve"))
}
