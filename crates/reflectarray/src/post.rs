//! From a design to what the user asked for.

use crate::cost::{Cost, Goals};
use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::mask::to_db;
use crate::objective::{Objective, PatternView, Wanted};
use crate::problem::{
    CoverageFigures, Design, Pattern, Problem, Sensitivity, SensitivityFigures, Solution, Study,
};
use num_complex::Complex64;
use phasefront_core::quadrature::gauss_legendre;
use phasefront_device::Backend;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::f64::consts::TAU;

/// Directions in which the antenna may point wrongly.
const POINTING_DIRECTIONS: usize = 8;
/// Panels of 16 Gauss points along each side of the aperture.
const PANELS: usize = 16;
/// A level on its bound is within the mask, whatever rounding makes of it.
const ROUNDING: f64 = 1e-9;

impl Study {
    /// Everything about a design, as it stands: patterns at all frequencies, figures, efficiencies and sensitivity.
    pub fn analyze(&self, design: Design, backend: &Backend) -> Result<Solution, ReflectarrayError> {
        let problem = &self.problem;
        let mut objective = Objective::new(problem, backend)?;
        objective.update_power(&design)?;
        let goals = Goals::new(problem, objective.pattern().mask);
        let mut distance = |pattern: &PatternView<'_>| Cost::Distance.of(&goals, pattern);
        let value = objective.evaluate_with(&design, &mut distance, Wanted::None)?.value;
        let amplitude = amplitudes(problem, &design);
        let wanted = problem.extras.sensitivity;
        let sensitivity =
            wanted.map(|wanted| sensitivity(problem, &objective, &design, wanted)).transpose()?;
        Ok(Solution {
            patterns: (0..problem.frequencies.len())
                .map(|f| pattern(problem, &objective, f))
                .collect::<Result<_, _>>()?,
            history: Vec::new(),
            objective: value,
            evaluations: objective.evaluations(),
            spacing: design.spacing().map(|d| d / problem.wavelength()),
            spillover: spillover(problem, &design),
            taper_efficiency: taper_efficiency(&amplitude),
            sensitivity,
            interrupted: false,
            amplitude,
            design,
        })
    }
}

/// |a_n|.
fn amplitudes(problem: &Problem, design: &Design) -> Vec<f64> {
    let wave = Illumination::new(problem.feed, problem.frequencies[0]);
    design.x.iter().zip(&design.y).map(|(&x, &y)| wave.amplitude(x, y)).collect()
}

/// The pattern that `objective` saw last, at one frequency.
fn pattern(problem: &Problem, objective: &Objective, f: usize) -> Result<Pattern, ReflectarrayError> {
    let root = objective.pattern().scale[f].sqrt();
    let e_co: Vec<Complex64> = objective.field(f)?.iter().map(|e| e * root).collect();
    let e_cross = problem.extras.cross_polar.then(|| cross_polar(problem, &e_co));
    let level = |e: &Vec<Complex64>| e.iter().map(|e| to_db(e.norm_sqr())).collect::<Vec<_>>();
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

/// A cell that reflects the feed's polarization ideally radiates E_θ ~ cos φ', E_φ ~ −cos θ sin φ' with φ' from that
/// direction; by Ludwig's third definition (1973) the components are
///
/// ```text
/// co = cos² φ' + cos θ sin² φ',   cross = sin φ' cos φ' (1 − cos θ)
/// ```
///
/// and cross/co times the co-polar field is the cross-polar one: u'v'(1 − cos θ)/(u'² + cos θ v'²) with u' along the
/// polarization and v' across.
fn cross_polar(problem: &Problem, e_co: &[Complex64]) -> Vec<Complex64> {
    let (sin, cos) = problem.feed.polarization.sin_cos();
    let (us, vs) = (problem.window.u(), problem.window.v());
    let ratio = |i: usize| {
        let (u, v) = (us[i % us.len()], vs[i / us.len()]);
        let (along, across) = (u * cos + v * sin, v * cos - u * sin);
        let c = (1.0 - u * u - v * v).max(0.0).sqrt();
        let co = along * along + c * across * across;
        if co > 0.0 { along * across * (1.0 - c) / co } else { 0.0 }
    };
    e_co.iter().enumerate().map(|(i, e)| e * ratio(i)).collect()
}

/// Region by region, and `all`; the mask is that of the problem, without the targets that a synthesis sets itself.
fn coverage_figures(problem: &Problem, objective: &Objective, d_co: &[f64]) -> Vec<CoverageFigures> {
    let mask = objective.pattern().mask;
    let (u, v) = (problem.window.u(), problem.window.v());
    let place = |i: usize| [u[i % u.len()], v[i / u.len()]];
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
        // The upper bound holds inside, not at the samples around the outline.
        let fits_own = |i: usize| d_co[i] >= low && (d_co[i] <= high || !region.contains(place(i)));
        let own: Vec<bool> = (0..d_co.len()).map(fits_own).collect();
        samples.iter().filter(|&&i| !own[i]).for_each(|&i| fits[i] = false);
        rows.push(figures(&region.name, samples, &own));
    }
    if !mask.covered.is_empty() {
        rows.push(figures("all", &mask.covered, &fits));
    }
    rows
}

/// Share of the feed's power that misses the aperture: the feed sends cos^{2m_f} θ into its half space, 2π/(2m_f + 1) in all,
/// of which the aperture gets ∫∫ cos^{2m_f} θ z₀/r³ dx dy.
fn spillover(problem: &Problem, design: &Design) -> f64 {
    let wave = Illumination::new(problem.feed, problem.frequencies[0]);
    let rule = gauss_legendre(16);
    let panels = |[from, to]: [f64; 2]| -> Vec<[f64; 2]> {
        let at = |i: usize| from + (to - from) * i as f64 / PANELS as f64;
        (0..PANELS).map(|i| [at(i), at(i + 1)]).collect()
    };
    let density = |x: f64, y: f64| wave.amplitude(x, y).powi(2) * problem.feed.height / wave.distance(x, y);
    let [along_x, along_y] = aperture(problem, design).map(panels);
    let row = |y: f64| along_x.iter().map(|[a, b]| rule.integrate(*a, *b, |x| density(x, y))).sum::<f64>();
    let caught: f64 = along_y.iter().map(|[a, b]| rule.integrate(*a, *b, row)).sum();
    1.0 - caught * (2.0 * problem.feed.exponent + 1.0) / TAU
}

/// The rectangle of the elements and half a mean spacing around them, [from, to] along x and y.
fn aperture(problem: &Problem, design: &Design) -> [[f64; 2]; 2] {
    let (shape, extent) = (design.shape(), design.extent());
    [0, 1].map(|axis| {
        let places = if axis == 0 { &design.x } else { &design.y };
        let gap = match shape[axis] {
            0 | 1 => problem.lattice.spacing[axis],
            n => extent[axis] / (n - 1) as f64,
        };
        let low = places.iter().copied().fold(f64::INFINITY, f64::min);
        [low - 0.5 * gap, low + extent[axis] + 0.5 * gap]
    })
}

/// (Σ|a|)²/(N Σ|a|²): directivity of the beam in step against that of even illumination.
fn taper_efficiency(amplitude: &[f64]) -> f64 {
    let sum: f64 = amplitude.iter().sum();
    sum * sum / (amplitude.len() as f64 * amplitude.iter().map(|a| a * a).sum::<f64>())
}

fn sensitivity(
    problem: &Problem,
    objective: &Objective,
    design: &Design,
    wanted: Sensitivity,
) -> Result<SensitivityFigures, ReflectarrayError> {
    let mut with_failures = objective.clone();
    let mut levels = Vec::with_capacity(wanted.trials);
    for trial in 0..wanted.trials {
        let left = survivors(design, wanted.failed_share, problem.synthesis.seed, trial as u64);
        with_failures.update_power(&left)?;
        with_failures.evaluate(&left, Wanted::None)?;
        levels.push(with_failures.figures().all.d_min);
    }
    let worst = |levels: &[f64]| levels.iter().copied().fold(f64::INFINITY, f64::min);
    let mut pointed = Vec::with_capacity(POINTING_DIRECTIONS);
    for direction in 0..POINTING_DIRECTIONS {
        let (sin, cos) = (TAU * direction as f64 / POINTING_DIRECTIONS as f64).sin_cos();
        let mut moved = objective.moved(problem, [cos, sin].map(|c| c * wanted.pointing_error))?;
        moved.evaluate(design, Wanted::None)?;
        pointed.push(moved.figures().all.d_min);
    }
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    Ok(SensitivityFigures { failed_d_min: [mean, worst(&levels)], pointing_d_min: worst(&pointed) })
}

/// The design without the nearest whole number of `share` of its elements, drawn at random: the first of a shuffled list
/// (Fisher and Yates), one stream of numbers per trial.
fn survivors(design: &Design, share: f64, seed: u64, trial: u64) -> Design {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(trial);
    let n = design.len();
    let failed = (share * n as f64).round() as usize;
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..failed {
        let below = (n - i) as u64;
        // The high word of a product: even to 2^-64 of its range.
        let pick = (u128::from(random.next_u64()) * u128::from(below)) >> 64;
        order.swap(i, i + pick as usize);
    }
    let mut kept = order.split_off(failed);
    kept.sort_unstable();
    Design {
        index: kept.iter().map(|&n| design.index[n]).collect(),
        x: kept.iter().map(|&n| design.x[n]).collect(),
        y: kept.iter().map(|&n| design.y[n]).collect(),
        phase: kept.iter().map(|&n| design.phase[n]).collect(),
    }
}
