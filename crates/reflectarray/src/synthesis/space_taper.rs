//! Space tapering: element positions from the amplitudes of a continuous aperture. Where it requires more amplitude than the feed
//! provides, elements are closer (R. Willey, "Space tapering of linear and planar arrays", IRE Trans. Antennas Propag. 10 (1962), 369-377).
//!
//! The aperture field a(x, y), free in amplitude and phase, is found by alternating projections from a phase front: |E| is clipped to
//! the mask, and with cells of area A
//!
//! ```text
//! δa_n = (Δu Δv A/λ²) Σ g δE e^{−jβ(u x_n + v y_n)}
//! ```
//!
//! is the change of the aperture field; the power normalization is 4π/P_rad = 4πA/(λ² Σ|a|²) for beams near broadside. The spacing of
//! columns is then inversely proportional to Σ|a|/Σ|f| over each of them, f the illumination, and that of rows likewise.

use super::spacing::SpacingBounds;
use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::mask::Mask;
use crate::problem::{Design, Problem};
use crate::radiation::Radiation;
use num_complex::Complex64;
use phasefront_device::Backend;
use std::f64::consts::PI;

/// Projections. The amplitudes change little after that, and they only define the initial guess.
const ITERATIONS: usize = 30;

/// The elements of `front`, which are uniformly spaced, at space-tapered positions; phases are unchanged.
pub(crate) fn space_tapered(
    problem: &Problem,
    front: &Design,
    mask: &Mask,
    bounds: SpacingBounds,
) -> Result<Design, ReflectarrayError> {
    let wave = Illumination::new(problem.feed, problem.frequencies[0]);
    let feed = wave.excitations(front);
    let required = aperture_field(problem, front, mask, feed.clone())?;
    let shape = front.shape();
    let mut design = front.clone();
    for (axis, coordinates) in [&mut design.x, &mut design.y].into_iter().enumerate() {
        // Marginals along the axis: rows and columns remain straight.
        let (mut required_sums, mut feed_sums) = (vec![0.0; shape[axis]], vec![0.0; shape[axis]]);
        for ((index, a), f) in front.index.iter().zip(&required).zip(&feed) {
            required_sums[index[axis]] += a.norm();
            feed_sums[index[axis]] += f.norm();
        }
        let density: Vec<f64> =
            required_sums.iter().zip(&feed_sums).map(|(required, feed)| required / feed).collect();
        let line = tapered_line(&density, bounds);
        coordinates.iter_mut().zip(&front.index).for_each(|(x, index)| *x = line[index[axis]]);
    }
    Ok(design)
}

/// The field of the continuous aperture at the cells of `front`, initially that of the feed.
fn aperture_field(
    problem: &Problem,
    front: &Design,
    mask: &Mask,
    mut a: Vec<Complex64>,
) -> Result<Vec<Complex64>, ReflectarrayError> {
    let mut radiation = Radiation::new(problem, &problem.uv_grid, problem.frequencies[0], &Backend::Cpu);
    radiation.set_positions(front)?;
    // The front is uniformly spaced: the smallest spacing is the lattice constant.
    let area = front.spacing()[0].powi(2) / problem.wavelength().powi(2);
    let (mut field, mut intensity) = (Vec::new(), vec![0.0; mask.lower.len()]);
    for _ in 0..ITERATIONS {
        radiation.field(&a, &mut field, &mut intensity)?;
        // P_rad of the current amplitudes, which the projections change.
        let scale = 4.0 * PI * area / a.iter().map(Complex64::norm_sqr).sum::<f64>();
        let change = |((e, lower), upper): ((&f64, &f64), &f64)| {
            let d = (e * scale).max(f64::MIN_POSITIVE);
            (d.clamp(*lower, *upper) / d).sqrt() - 1.0
        };
        let weights: Vec<f64> = intensity.iter().zip(&mask.lower).zip(&mask.upper).map(change).collect();
        let back = radiation.adjoint(&field, &weights, false)?.s;
        let share = area * problem.uv_grid.spacing.powi(2);
        a.iter_mut().zip(&back).for_each(|(a, back)| *a += share * back.conj());
    }
    Ok(a)
}

/// Positions centered at 0 with spacings inversely proportional to the density, the widest at its minimum, none below the bound.
fn tapered_line(density: &[f64], bounds: SpacingBounds) -> Vec<f64> {
    let gaps: Vec<f64> = density.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let mut x = 0.0;
    let mut positions = vec![x];
    for gap in &gaps {
        // Never beyond the bounds, where the density asks for more contrast than they allow.
        x += (bounds.max * least / gap).clamp(bounds.min, bounds.max);
        positions.push(x);
    }
    positions.iter().map(|p| p - 0.5 * x).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacings_are_inverse_to_the_density_within_the_bounds() {
        let bounds = SpacingBounds { min: 0.5, max: 0.7 };
        let gaps = |density: &[f64]| -> Vec<f64> {
            let positions = tapered_line(density, bounds);
            assert!((positions[0] + positions[positions.len() - 1]).abs() < 1e-12, "around 0: {positions:?}");
            positions.windows(2).map(|pair| pair[1] - pair[0]).collect()
        };
        let near = |got: Vec<f64>, expected: &[f64]| {
            assert_eq!(got.len(), expected.len());
            assert!(got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-12), "{got:?} {expected:?}");
        };
        near(gaps(&[3.0; 4]), &[0.7; 3]);
        // Between neighbors the density is the mean, 1, 1.1, 1.2 and 1.6, the last too dense for the bound.
        near(gaps(&[1.0, 1.0, 1.2, 1.2, 2.0]), &[0.7, 0.7 / 1.1, 0.7 / 1.2, 0.5]);
        assert_eq!(tapered_line(&[1.0], bounds), [0.0]);
    }
}
