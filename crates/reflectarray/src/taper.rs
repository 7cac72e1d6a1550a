//! Places of the elements from the amplitudes of a continuous aperture: where it wants more amplitude than the feed gives, elements
//! stand closer (R. Willey, "Space tapering of linear and planar arrays", IRE Trans. Antennas Propag. 10 (1962), 369-377).
//!
//! The aperture's field a(x, y), free in amplitude and phase, comes from alternating projections that begin at a phase front: |E| is put
//! within the mask, and with cells of area A
//!
//! ```text
//! δa_n = (Δu Δv A/λ²) Σ g δE e^{−jβ(u x_n + v y_n)}
//! ```
//!
//! is what that changes of the aperture; the power is 4π/P_rad = 4πA/(λ² Σ|a|²) for beams near the normal. Then the spacing of columns is
//! inverse to Σ|a|/Σ|f| over each of them, f the feed's wave, and that of rows likewise.

use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::mask::Mask;
use crate::problem::{Design, Problem};
use crate::radiation::Radiation;
use crate::spacing::Bounds;
use num_complex::Complex64;
use phasefront_device::Backend;
use std::f64::consts::PI;

/// Projections: the amplitudes change little after so many, and they are only where the synthesis begins.
const ITERATIONS: usize = 30;

/// The elements of `front`, which stand evenly, moved to where the aperture wants them; phases stay.
pub(crate) fn tapered(
    problem: &Problem,
    front: &Design,
    mask: &Mask,
    bounds: Bounds,
) -> Result<Design, ReflectarrayError> {
    let wave = Illumination::new(problem.feed, problem.frequencies[0]);
    let feed: Vec<Complex64> = wave.waves(front).iter().map(|wave| wave.value).collect();
    let wanted = aperture(problem, front, mask, feed.clone())?;
    let shape = front.shape();
    let mut design = front.clone();
    for (axis, places) in [&mut design.x, &mut design.y].into_iter().enumerate() {
        let (mut sums, mut lit) = (vec![0.0; shape[axis]], vec![0.0; shape[axis]]);
        for ((index, a), f) in front.index.iter().zip(&wanted).zip(&feed) {
            sums[index[axis]] += a.norm();
            lit[index[axis]] += f.norm();
        }
        let density: Vec<f64> = sums.iter().zip(&lit).map(|(sum, lit)| sum / lit).collect();
        let line = line(&density, bounds);
        places.iter_mut().zip(&front.index).for_each(|(place, index)| *place = line[index[axis]]);
    }
    Ok(design)
}

/// The continuous aperture's field at the cells of `front`, from what the feed gives.
fn aperture(
    problem: &Problem,
    front: &Design,
    mask: &Mask,
    mut a: Vec<Complex64>,
) -> Result<Vec<Complex64>, ReflectarrayError> {
    let mut radiation = Radiation::new(problem, &problem.window, problem.frequencies[0], &Backend::Cpu);
    radiation.set_positions(front)?;
    let area = front.spacing()[0].powi(2) / problem.wavelength().powi(2);
    for _ in 0..ITERATIONS {
        let field = radiation.field(&a)?;
        let scale = 4.0 * PI * area / a.iter().map(Complex64::norm_sqr).sum::<f64>();
        let change = |((e, lower), upper): ((&Complex64, &f64), &f64)| {
            let d = (e.norm_sqr() * scale).max(f64::MIN_POSITIVE);
            (d.clamp(*lower, *upper) / d).sqrt() - 1.0
        };
        let weights: Vec<f64> = field.iter().zip(&mask.lower).zip(&mask.upper).map(change).collect();
        let back = radiation.element_sums(&field, &weights, false)?.s;
        let share = area * problem.window.step.powi(2);
        a.iter_mut().zip(&back).for_each(|(a, back)| *a += share * back.conj());
    }
    Ok(a)
}

/// Places around 0 with spacings inverse to the density, the widest where it is least, none below the bound.
fn line(density: &[f64], bounds: Bounds) -> Vec<f64> {
    let gaps: Vec<f64> = density.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let mut place = 0.0;
    let mut places = vec![place];
    for gap in &gaps {
        place += (bounds.max * least / gap).clamp(bounds.min, bounds.max);
        places.push(place);
    }
    places.iter().map(|p| p - 0.5 * place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacings_are_inverse_to_the_density_within_the_bounds() {
        let bounds = Bounds { min: 0.5, max: 0.7 };
        let gaps = |density: &[f64]| -> Vec<f64> {
            let places = line(density, bounds);
            assert!((places[0] + places[places.len() - 1]).abs() < 1e-12, "around 0: {places:?}");
            places.windows(2).map(|pair| pair[1] - pair[0]).collect()
        };
        let near = |got: Vec<f64>, expected: &[f64]| {
            assert_eq!(got.len(), expected.len());
            assert!(got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-12), "{got:?} {expected:?}");
        };
        near(gaps(&[3.0; 4]), &[0.7; 3]);
        // Between neighbors the density is the mean, 1, 1.1, 1.2 and 1.6, the last too dense for the bound.
        near(gaps(&[1.0, 1.0, 1.2, 1.2, 2.0]), &[0.7, 0.7 / 1.1, 0.7 / 1.2, 0.5]);
        assert_eq!(line(&[1.0], bounds), [0.0]);
    }
}
