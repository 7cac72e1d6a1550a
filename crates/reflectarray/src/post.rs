//! Fields of a design in any directions: pattern cuts, grids over θ and φ.

use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::power::Power;
use crate::problem::{Design, Problem};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;
use phasefront_nufft::{Options, Plan, TransformType};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Elements times directions up to which direct sums are faster than an NUFFT of type 3 and its plan.
const DIRECT_SUM_LIMIT: usize = 2_000_000;

/// The co-polar field of a design in directions (u, v), scaled so that |E|² is the directivity; zero outside visible space,
/// u² + v² > 1.
///
/// ```
/// # fn of(problem: &phasefront_reflectarray::Problem) -> Result<(), phasefront_reflectarray::ReflectarrayError> {
/// let along_u: Vec<[f64; 2]> = (0..100).map(|i| [0.001 * f64::from(i), 0.1]).collect();
/// let field = phasefront_reflectarray::co_polar_field(problem, &problem.initial_design(), 14.25e9, &along_u)?;
/// println!("{:.2} dBi", 10.0 * field[0].norm_sqr().log10());
/// # Ok(())
/// # }
/// ```
pub fn co_polar_field(
    problem: &Problem,
    design: &Design,
    frequency: f64,
    directions: &[[f64; 2]],
) -> Result<Vec<Complex64>, ReflectarrayError> {
    let [factor, _] = scaled_array_factors(problem, design, frequency, directions)?;
    let field = |(f, [u, v]): (Complex64, &[f64; 2])| problem.element.field(1.0 - u * u - v * v) * f;
    Ok(factor.into_iter().zip(directions).map(field).collect())
}

/// √(4π/P_rad) F(u, v) of the co-polar and of the cross-polar field of the feed: the fields that elements without pattern radiate with
/// the polarization of the feed and across it. The second is empty without samples of the feed.
pub(crate) fn scaled_array_factors(
    problem: &Problem,
    design: &Design,
    frequency: f64,
    directions: &[[f64; 2]],
) -> Result<[Vec<Complex64>; 2], ReflectarrayError> {
    let illumination = Illumination::new(&problem.feed, frequency);
    let excitations = illumination.excitations(design);
    let power = Power::new(problem, frequency, &Backend::Cpu).of_feed(design, &excitations, &illumination)?;
    let scale = (4.0 * PI / power).sqrt();
    let (beta, tolerance) = (wavenumber(frequency), problem.synthesis.tolerance);
    let of = |a: Vec<Complex64>| -> Result<Vec<Complex64>, ReflectarrayError> {
        let factor = array_factor(design, &a, beta, directions, tolerance)?;
        Ok(factor.into_iter().map(|f| scale * f).collect())
    };
    let cross = illumination.cross_excitations(design).map(of).transpose()?;
    Ok([of(excitations)?, cross.unwrap_or_default()])
}

/// Array factor F(u, v) = Σ a_n e^{jβ(u x_n + v y_n)}.
fn array_factor(
    design: &Design,
    a: &[Complex64],
    beta: f64,
    directions: &[[f64; 2]],
    tolerance: f64,
) -> Result<Vec<Complex64>, ReflectarrayError> {
    // Few directions or few elements: the plan of a type-3 transform would cost more than the sums.
    if design.len() * directions.len() <= DIRECT_SUM_LIMIT {
        let sum = |[u, v]: &[f64; 2]| {
            let positions = design.x.iter().zip(&design.y);
            positions.zip(a).map(|((x, y), a)| a * Complex64::cis(beta * (u * x + v * y))).sum()
        };
        return Ok(directions.par_iter().map(sum).collect());
    }
    // Directions are irregular, hence type 3: frequencies β(u, v) at the points (x, y).
    let [u, v] = [0, 1].map(|axis| directions.iter().map(|d| beta * d[axis]).collect::<Vec<f64>>());
    let mut plan = Plan::new(TransformType::Three, &[1, 1], tolerance, &Options::default(), &Backend::Cpu)?;
    plan.set_points_and_frequencies(&[&design.x, &design.y], &[&u, &v])?;
    let mut factor = vec![Complex64::ZERO; directions.len()];
    plan.execute(a, &mut factor)?;
    Ok(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lattice;

    #[test]
    fn the_transform_agrees_with_the_sums() {
        let design = Lattice { elements: [30, 20], spacing: [0.5, 0.6] }.design();
        let a: Vec<Complex64> = (0..600).map(|n| Complex64::cis(0.1 * f64::from(n * n))).collect();
        let direction = |i: u32| {
            let (angle, radius) = (0.7 * f64::from(i), f64::from(i) / 4000.0);
            [radius * angle.cos(), radius * angle.sin()]
        };
        let directions: Vec<[f64; 2]> = (0..4000).map(direction).collect();
        let of = |directions: &[[f64; 2]]| array_factor(&design, &a, 2.0 * PI, directions, 1e-9).unwrap();
        let (fast, direct) = (of(&directions), of(&directions[..1000]));
        assert!(
            directions.len() * design.len() > DIRECT_SUM_LIMIT && 1000 * design.len() <= DIRECT_SUM_LIMIT
        );
        // All 600 in phase would give 600.
        let miss = direct.iter().zip(&fast).map(|(d, f)| (d - f).norm()).fold(0.0, f64::max);
        assert!(miss < 600.0 * 1e-8, "{miss}");
    }
}
