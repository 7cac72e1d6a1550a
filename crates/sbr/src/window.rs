//! Window functions over a frequency band or an angular aperture: lower sidelobes for a wider main lobe.

use phasefront_core::decibels::amplitude_ratio;
use std::f64::consts::{PI, TAU};

/// A window over the samples of a band or a span of angles. Widths are half-power widths of the main lobe relative to no window,
/// sidelobes are peak levels (F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier
/// transform", Proc. IEEE 66 (1978), 51-83, Table 1).
///
/// ```
/// use phasefront_sbr::Window;
/// let weights = Window::Hann.weights(4);
/// assert!((weights[0] - weights[3]).abs() < 1e-15 && weights[0] < weights[1]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Window {
    /// Rectangular: the narrowest main lobe, sidelobes of −13 dB.
    None,
    /// Raised cosine: 1.6 times as wide, −32 dB, falling fast.
    Hann,
    /// Raised cosine on a pedestal of 0.08: 1.5 times as wide, −43 dB.
    Hamming,
    /// Taylor with n̄ = 4 and sidelobes of −35 dB: 1.3 times as wide. Common in radar imaging.
    #[default]
    Taylor,
}

/// n̄ and the sidelobe level of the Taylor window, dB.
const TAYLOR_N: i32 = 4;
const TAYLOR_LEVEL: f64 = 35.0;

impl Window {
    /// The weights of `count` samples, each at the center of its share of the band.
    pub fn weights(self, count: usize) -> Vec<f64> {
        // Samples are at the centers of equal shares, −½
        // to ½: no weight is zero at the ends of the band.
        let position = |n: usize| (n as f64 + 0.5) / count as f64 - 0.5;
        let cosine = |mean: f64| move |x: f64| mean + (1.0 - mean) * (TAU * x).cos();
        let positions = (0..count).map(position);
        match self {
            Self::None => vec![1.0; count],
            Self::Hann => positions.map(cosine(0.5)).collect(),
            Self::Hamming => positions.map(cosine(0.54)).collect(),
            Self::Taylor => {
                let terms: Vec<f64> = (1..TAYLOR_N).map(taylor_term).collect();
                let wave = |x: f64| move |(f, m): (&f64, u8)| 2.0 * f * (TAU * f64::from(m) * x).cos();
                positions.map(|x| 1.0 + terms.iter().zip(1..).map(wave(x)).sum::<f64>()).collect()
            }
        }
    }
}

/// F_m of w(x) = 1 + 2 Σ F_m cos 2πmx (Carrara, Goodman and Majewski, Spotlight Synthetic Aperture Radar, 1995, app. D.2):
///
/// ```text
/// F_m = (−1)^{m+1} Π_{n=1}^{n̄−1} [1 − m²/(σ²(A² + (n − ½)²))] / (2 Π_{n≠m} [1 − m²/n²])
/// A = acosh(10^{level/20})/π,   σ² = n̄²/(A² + (n̄ − ½)²)
/// ```
fn taylor_term(m: i32) -> f64 {
    let a = amplitude_ratio(TAYLOR_LEVEL).acosh() / PI;
    let zero = |n: i32| a * a + (f64::from(n) - 0.5).powi(2);
    let stretch = f64::from(TAYLOR_N * TAYLOR_N) / zero(TAYLOR_N);
    // σ² moves the n̄-th zero to that of the uniform window, n̄.
    let m2 = f64::from(m * m);
    let above: f64 = (1..TAYLOR_N).map(|n| 1.0 - m2 / (stretch * zero(n))).product();
    let below: f64 = (1..TAYLOR_N).filter(|n| *n != m).map(|n| 1.0 - m2 / f64::from(n * n)).product();
    let sign = if m % 2 == 1 { 1.0 } else { -1.0 };
    sign * above / (2.0 * below)
}
