//! Aperture efficiency of the feed illumination: spillover and taper.
//!
//! The aperture efficiency η = η_spillover η_taper, with η_spillover = 1 − spillover, relates the gain to that of a uniformly illuminated
//! aperture without spillover, 4πA/λ² (C. A. Balanis, "Antenna Theory", chapter 15).

use crate::illumination::Illumination;
use crate::problem::{Design, Problem};
use phasefront_core::quadrature::gauss_legendre;

/// Panels of 16 Gauss points along each side of the aperture.
const PANELS: usize = 16;

/// Amplitudes |a_n| of the illumination.
pub(crate) fn amplitudes(problem: &Problem, design: &Design) -> Vec<f64> {
    let wave = Illumination::new(&problem.feed, problem.frequencies[0]);
    design.x.iter().zip(&design.y).map(|(&x, &y)| wave.amplitude(x, y)).collect()
}

/// Spillover, the fraction of the feed's power that misses the aperture; none if the power of the feed is not known. Of ∮|p|² dΩ the
/// aperture intercepts ∫∫ |p|² z₀/r³ dx dy, with the feed pattern p.
pub(crate) fn spillover(problem: &Problem, design: &Design) -> Option<f64> {
    let wave = Illumination::new(&problem.feed, problem.frequencies[0]);
    let total = wave.total()?;
    let rule = gauss_legendre(16);
    let panels = |[from, to]: [f64; 2]| -> Vec<[f64; 2]> {
        let at = |i: usize| from + (to - from) * i as f64 / PANELS as f64;
        (0..PANELS).map(|i| [at(i), at(i + 1)]).collect()
    };
    let density = |x: f64, y: f64| wave.intensity(x, y) * problem.feed.height / wave.distance(x, y).powi(3);
    let [along_x, along_y] = aperture(problem, design).map(panels);
    let row = |y: f64| along_x.iter().map(|[a, b]| rule.integrate(*a, *b, |x| density(x, y))).sum::<f64>();
    let intercepted: f64 = along_y.iter().map(|[a, b]| rule.integrate(*a, *b, row)).sum();
    Some(1.0 - intercepted / total)
}

/// Share of the co-polar component in the power that the feed sends toward the elements of the lattice.
pub(crate) fn co_polar_share(problem: &Problem, frequency: f64) -> f64 {
    let (wave, design) = (Illumination::new(&problem.feed, frequency), problem.lattice.design());
    let sums = design.x.iter().zip(&design.y).fold([0.0; 2], |[co, all], (&x, &y)| {
        let r = wave.distance(x, y);
        [co + wave.amplitude(x, y).powi(2), all + wave.intensity(x, y) / (r * r)]
    });
    sums[0] / sums[1]
}

/// The aperture: the bounding rectangle of the elements plus half a mean spacing on each side, [from, to] along x and y.
pub(crate) fn aperture(problem: &Problem, design: &Design) -> [[f64; 2]; 2] {
    let (shape, extent) = (design.shape(), design.extent());
    [0, 1].map(|axis| {
        let coordinates = if axis == 0 { &design.x } else { &design.y };
        // Half a mean spacing beyond the outermost elements;
        // a single row or column takes that of the lattice.
        let gap = match shape[axis] {
            0 | 1 => problem.lattice.spacing[axis],
            n => extent[axis] / (n - 1) as f64,
        };
        let low = coordinates.iter().copied().fold(f64::INFINITY, f64::min);
        [low - 0.5 * gap, low + extent[axis] + 0.5 * gap]
    })
}

/// Taper efficiency (Σ|a|)²/(N Σ|a|²): directivity of the focused beam relative to that under uniform illumination.
pub(crate) fn taper_efficiency(amplitude: &[f64]) -> f64 {
    let sum: f64 = amplitude.iter().sum();
    sum * sum / (amplitude.len() as f64 * amplitude.iter().map(|a| a * a).sum::<f64>())
}
