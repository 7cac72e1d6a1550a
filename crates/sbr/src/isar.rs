//! ISAR images: scattering centers of a rotating target in the plane of rotation.

use crate::range_profile::{check_count, check_padding, even_step};
use crate::window::Window;
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;
use phasefront_nufft::{NufftError, Options, Plan, Sign, TransformType};
use std::f64::consts::{FRAC_PI_2, TAU};

const PATH: &str = "output.isar";
/// Largest span of angles: beyond 90 degrees no single direction is down range.
const MAX_SPAN: f64 = FRAC_PI_2;
/// Pixels of an image, at most: one gigabyte.
const MAX_PIXELS: usize = 1 << 26;
/// Error of the nonuniform FFT, well below the dynamic range of an image.
const TOLERANCE: f64 = 1e-8;

/// An image of a target in the plane of rotation.
#[derive(Debug, Clone, PartialEq)]
pub struct IsarImage {
    /// Positions along the line of sight at the middle angle, m: increasing, positive away from the radar, zero at the origin.
    pub down_range: Vec<f64>,
    /// Positions perpendicular to it, m: increasing, positive toward increasing angles.
    pub cross_range: Vec<f64>,
    /// Scattering amplitudes, m, row by row: one row per down range.
    pub amplitude: Vec<Complex64>,
}

impl IsarImage {
    /// The part within a distance of the origin along both axes: the unambiguous extent is often many times the size of the target.
    #[must_use]
    pub fn within(&self, distance: f64) -> Self {
        let indices = |positions: &[f64]| {
            let first = positions.partition_point(|x| *x < -distance);
            first..positions.partition_point(|x| *x <= distance)
        };
        let (rows, columns) = (indices(&self.down_range), indices(&self.cross_range));
        let row = |i: usize| &self.amplitude[i * self.cross_range.len()..][columns.clone()];
        Self {
            down_range: self.down_range[rows.clone()].to_vec(),
            cross_range: self.cross_range[columns.clone()].to_vec(),
            amplitude: rows.flat_map(row).copied().collect(),
        }
    }
}

/// The image of monostatic amplitudes at uniformly spaced frequencies and angles (radians), `amplitudes[angle][frequency]`.
///
/// All aspects lie in one plane. With φ counted from the middle angle, u toward the radar there and v toward increasing angles, a point scatterer at
/// (x_u, x_v) has S = A e^{j(K_u x_u + K_v x_v)}, where
///
/// ```text
/// K = 2k (cos φ, sin φ),   a(x) = Σ W S e^{−jK·x} / Σ W,   W = k w(k) w(φ)
/// ```
///
/// with windows w and the area element k dk dφ of a sample. The samples are on a polar grid of K; a nonuniform FFT evaluates the sum
/// there without interpolation, so that scatterers stay focused over wide angles. Down range is −x_u, cross range x_v. Resolution
/// cells are c/2B by λ/2Δφ for small angles, with `padding` pixels each; the unambiguous extent is c/2df by λ/2dφ at the center
/// frequency.
///
/// For rotation about z seen at an angle θ, `frequencies` times sin θ give the image in the xy plane.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_core::constants::wavenumber;
/// use phasefront_sbr::{Window, isar};
///
/// // A point scatterer 1 m behind the origin, with a cross range of half a meter.
/// let frequencies: Vec<f64> = (0..32).map(|n| 9.5e9 + 1e9 / 32.0 * f64::from(n)).collect();
/// let angles: Vec<f64> = (-15..=15).map(|i| 0.004 * f64::from(i)).collect();
/// let echo = |phi: f64, f: f64| Complex64::cis(2.0 * wavenumber(f) * (-phi.cos() + 0.5 * phi.sin()));
/// let amplitudes: Vec<Vec<_>> =
///     angles.iter().map(|phi| frequencies.iter().map(|f| echo(*phi, *f)).collect()).collect();
/// let image = isar(&frequencies, &angles, &amplitudes, Window::Taylor, 4)?;
/// let peak = (0..image.amplitude.len()).max_by(|a, b| image.amplitude[*a].norm().total_cmp(&image.amplitude[*b].norm()));
/// let (row, column) = (peak.unwrap() / image.cross_range.len(), peak.unwrap() % image.cross_range.len());
/// assert!((image.down_range[row] - 1.0).abs() < 0.02 && (image.cross_range[column] - 0.5).abs() < 0.02);
/// # Ok::<(), phasefront_core::FieldError>(())
/// ```
pub fn isar(
    frequencies: &[f64],
    angles: &[f64],
    amplitudes: &[Vec<Complex64>],
    window: Window,
    padding: usize,
) -> Result<IsarImage, FieldError> {
    let frequency_step = even_step(PATH, "frequencies", frequencies)?;
    let angle_step = even_step(PATH, "angles", angles)?;
    check(angles, amplitudes, frequencies.len(), padding)?;
    let spectrum = Spectrum::new(frequencies, angles, amplitudes, window);
    // Cross-range sampling refers to the center frequency.
    let middle = wavenumber(0.5 * (frequencies[0] + frequencies[frequencies.len() - 1]));
    let pixels = |axis: usize, samples: usize, extent: f64| {
        let pixel = spectrum.cell(axis, samples) / padding as f64;
        (pixel, (extent / pixel).ceil() as usize)
    };
    let down = pixels(0, frequencies.len(), TAU / (2.0 * wavenumber(frequency_step)));
    let cross = pixels(1, angles.len(), TAU / (2.0 * middle * angle_step));
    if down.1.saturating_mul(cross.1) > MAX_PIXELS {
        let message = format!("an image of {} by {} pixels", down.1, cross.1);
        let advice = "use less padding, or fewer frequencies and angles";
        return Err(FieldError::new(PATH, message, advice));
    }
    let amplitude =
        spectrum.image(down, cross).map_err(|e| FieldError::new(PATH, e.to_string(), e.advice()))?;
    Ok(IsarImage { down_range: positions(down), cross_range: positions(cross), amplitude })
}

fn check(
    angles: &[f64],
    amplitudes: &[Vec<Complex64>],
    frequencies: usize,
    padding: usize,
) -> Result<(), FieldError> {
    check_padding(PATH, padding)?;
    let span = angles[angles.len() - 1] - angles[0];
    if span > MAX_SPAN {
        let message = format!("the angles span {:.1} deg", span.to_degrees());
        let advice = format!(
            "use at most {} deg per image; split the rotation into several cases",
            MAX_SPAN.to_degrees()
        );
        return Err(FieldError::new(PATH, message, advice));
    }
    if amplitudes.len() != angles.len() {
        let message = format!("amplitudes of {} angles given for {} angles", amplitudes.len(), angles.len());
        return Err(FieldError::new(PATH, message, "give the amplitudes of each angle"));
    }
    amplitudes.iter().try_for_each(|row| check_count(PATH, row.len(), frequencies))
}

/// Positions of pixels of a given width, centered on the origin.
fn positions((pixel, count): (f64, usize)) -> Vec<f64> {
    (0..count).map(|i| pixel * (i as f64 - (count / 2) as f64)).collect()
}

/// Weighted samples in the plane of K.
struct Spectrum {
    /// Along −u, so that the image is over down range, and along v.
    k: [Vec<f64>; 2],
    values: Vec<Complex64>,
}

impl Spectrum {
    fn new(frequencies: &[f64], angles: &[f64], amplitudes: &[Vec<Complex64>], window: Window) -> Self {
        let middle = 0.5 * (angles[0] + angles[angles.len() - 1]);
        let (along, across) = (window.weights(frequencies.len()), window.weights(angles.len()));
        let (mut k, mut values, mut sum) = ([Vec::new(), Vec::new()], Vec::new(), 0.0);
        for ((angle, row), w_angle) in angles.iter().zip(amplitudes).zip(&across) {
            let (sin, cos) = (angle - middle).sin_cos();
            for ((frequency, s), w_frequency) in frequencies.iter().zip(row).zip(&along) {
                let wave = wavenumber(*frequency);
                // k is the Jacobian of polar coordinates in the plane of K.
                let weight = wave * w_frequency * w_angle;
                k[0].push(-2.0 * wave * cos);
                k[1].push(2.0 * wave * sin);
                values.push(weight * s);
                sum += weight;
            }
        }
        // Σ W normalizes: a point scatterer has its amplitude A at its peak.
        for value in &mut values {
            *value /= sum;
        }
        Self { k, values }
    }

    /// Width of a resolution cell: 2π over the extent in K, including half a step on either side of its `count` samples.
    fn cell(&self, axis: usize, count: usize) -> f64 {
        let low = self.k[axis].iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.k[axis].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // count/(count − 1) widens the span of samples by half a step at both ends.
        TAU * (count - 1) as f64 / (count as f64 * (high - low))
    }

    /// a(x) on pixels of the widths and counts of both axes, the second running fastest.
    fn image(&self, down: (f64, usize), cross: (f64, usize)) -> Result<Vec<Complex64>, NufftError> {
        // The transform's modes are the pixels; its points, in radians, are K times their width.
        let scaled = |axis: usize, pixel: f64| self.k[axis].iter().map(|k| k * pixel).collect::<Vec<_>>();
        // Cross range first: the first axis of the transform runs fastest, and images are stored
        // row by row.
        let points = [scaled(1, cross.0), scaled(0, down.0)];
        let options = Options { sign: Sign::Minus, ..Options::default() };
        // On the host: one transform per image, negligible against the rays.
        let mut plan = Plan::new(TransformType::One, &[cross.1, down.1], TOLERANCE, &options, &Backend::Cpu)?;
        plan.set_points(&[&points[0], &points[1]])?;
        let mut image = vec![Complex64::ZERO; cross.1 * down.1];
        plan.execute(&self.values, &mut image)?;
        Ok(image)
    }
}
