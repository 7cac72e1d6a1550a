//! The radiation pattern of a design: co- and cross-polar directivity, and its figures over the coverage.

use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::objective::Objective;
use crate::problem::{Design, Problem};
use crate::radiation::Radiation;
use num_complex::Complex64;
use phasefront_core::decibels::power_db;
use phasefront_device::Backend;

/// A level on its bound is within the mask despite rounding, dB.
const ROUNDING: f64 = 1e-9;

/// Directivity over one region.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverageFigures {
    /// Name; `all` for the union of the regions.
    pub region: String,
    /// Number of samples.
    pub samples: usize,
    /// Mean of D in dB.
    pub d_mean: f64,
    /// Minimum of D, dBi.
    pub d_min: f64,
    /// Fraction of the samples within the mask.
    pub share_within_mask: f64,
}

/// The pattern at one frequency, on the points of the grid, u running fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Frequency, Hz.
    pub frequency: f64,
    /// Co-polar directivity, dBi.
    pub d_co: Vec<f64>,
    /// Cross-polar directivity, dBi, if requested.
    pub d_cross: Option<Vec<f64>>,
    /// Complex co-polar field, scaled so that |E|² is the directivity.
    pub e_co: Vec<Complex64>,
    /// Complex cross-polar field on the same scale, if requested.
    pub e_cross: Option<Vec<Complex64>>,
    /// Figures per region, and for their union.
    pub coverage: Vec<CoverageFigures>,
}

/// The last pattern of `objective`, at one frequency.
pub(crate) fn pattern(
    problem: &Problem,
    objective: &Objective,
    design: &Design,
    f: usize,
) -> Result<Pattern, ReflectarrayError> {
    // |E|² times the scale is D, so E times its root.
    let root = objective.pattern().scale[f].sqrt();
    let e_co: Vec<Complex64> = objective.field(f)?.iter().map(|e| e * root).collect();
    let cross = || cross_polar(problem, design, f, &e_co, root);
    let e_cross = problem.outputs.cross_polar.then(cross).transpose()?;
    let level = |e: &Vec<Complex64>| e.iter().map(|e| power_db(e.norm_sqr())).collect::<Vec<_>>();
    let d_co = level(&e_co);
    Ok(Pattern {
        frequency: problem.frequencies[f],
        coverage: coverage_figures(problem, objective, &d_co),
        d_cross: e_cross.as_ref().map(level),
        d_co,
        e_co,
        e_cross,
    })
}

/// Cross-polar field. A cell that reflects the polarization of the feed ideally radiates E_θ ~ cos φ', E_φ ~ −cos θ sin φ' with φ' from that
/// direction; by Ludwig's third definition (A. C. Ludwig, IEEE Trans. Antennas Propag. 21 (1973), 116-119) the components are
///
/// ```text
/// co = cos² φ' + cos θ sin² φ',   cross = sin φ' cos φ' (1 − cos θ)
/// ```
///
/// and cross/co times the co-polar field is the cross-polar one: u'v'(1 − cos θ)/(u'² + cos θ v'²) with u' along the
/// polarization and v' across. The cross-polar field of a sampled feed adds what the elements reflect of it; its own term in 1 − cos θ,
/// a product of two small numbers, is left out.
fn cross_polar(
    problem: &Problem,
    design: &Design,
    f: usize,
    e_co: &[Complex64],
    root: f64,
) -> Result<Vec<Complex64>, ReflectarrayError> {
    let (sin, cos) = problem.feed.polarization.sin_cos();
    let (us, vs) = (problem.uv_grid.u(), problem.uv_grid.v());
    let ratio = |i: usize| {
        let (u, v) = (us[i % us.len()], vs[i / us.len()]);
        let (along, across) = (u * cos + v * sin, v * cos - u * sin);
        let c = (1.0 - u * u - v * v).max(0.0).sqrt();
        let co = along * along + c * across * across;
        // Zero at broadside, where the ratio tends to zero,
        // and on the horizon across the polarization.
        if co > 0.0 { along * across * (1.0 - c) / co } else { 0.0 }
    };
    let mut cross: Vec<Complex64> = e_co.iter().enumerate().map(|(i, e)| e * ratio(i)).collect();
    let frequency = problem.frequencies[f];
    if let Some(a) = Illumination::new(&problem.feed, frequency).cross_excitations(design) {
        let mut radiation = Radiation::new(problem, &problem.uv_grid, frequency, &Backend::Cpu);
        let (mut field, mut intensity) = (Vec::new(), vec![0.0; e_co.len()]);
        radiation.set_positions(design)?;
        radiation.field(&a, &mut field, &mut intensity)?;
        cross.iter_mut().zip(field).for_each(|(cross, reflected)| *cross += root * reflected);
    }
    Ok(cross)
}

/// Figures of each region and of `all`, under the mask of the problem, not the targets of a synthesis.
fn coverage_figures(problem: &Problem, objective: &Objective, d_co: &[f64]) -> Vec<CoverageFigures> {
    let mask = objective.pattern().mask;
    let (u, v) = (problem.uv_grid.u(), problem.uv_grid.v());
    let direction = |i: usize| [u[i % u.len()], v[i / u.len()]];
    // A sample of several regions satisfies the mask if it does so in each of them.
    let mut fits = vec![true; d_co.len()];
    let figures = |name: &str, samples: &[usize], fits: &[bool]| CoverageFigures {
        region: name.into(),
        samples: samples.len(),
        d_mean: samples.iter().map(|&i| d_co[i]).sum::<f64>() / samples.len() as f64,
        d_min: samples.iter().map(|&i| d_co[i]).fold(f64::INFINITY, f64::min),
        share_within_mask: samples.iter().filter(|&&i| fits[i]).count() as f64 / samples.len() as f64,
    };
    let mut rows = Vec::new();
    for (region, samples) in problem.coverage.iter().zip(&mask.regions) {
        let low = region.lower.unwrap_or(f64::NEG_INFINITY) - ROUNDING;
        let high = region.upper.unwrap_or(f64::INFINITY) + ROUNDING;
        // The upper bound holds inside, not at the samples just outside the boundary.
        let fits_own = |i: usize| d_co[i] >= low && (d_co[i] <= high || !region.contains(direction(i)));
        let own: Vec<bool> = (0..d_co.len()).map(fits_own).collect();
        samples.iter().filter(|&&i| !own[i]).for_each(|&i| fits[i] = false);
        rows.push(figures(&region.name, samples, &own));
    }
    if !mask.covered.is_empty() {
        rows.push(figures("all", &mask.covered, &fits));
    }
    rows
}
