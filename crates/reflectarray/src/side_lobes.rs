//! The highest lobe in the whole of visible space, beyond the (u, v) grid of the problem too.

use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::problem::{Design, Problem};
use crate::transform::Transform;
use phasefront_core::constants::wavenumber;
use phasefront_core::decibels::power_db;
use phasefront_device::Backend;
use std::f64::consts::TAU;

/// Samples per beamwidth λ/L.
const SAMPLES_PER_BEAMWIDTH: f64 = 4.0;
/// Maximum samples along u and v: arrays wider than 500 wavelengths are sampled more coarsely.
const MAX_SAMPLES: usize = 4001;
/// Beamwidths around the coverage, or around the peak of a focused beam, in which the beam falls off.
const TRANSITION: f64 = 2.0;

/// The highest lobe outside the coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideLobe {
    /// Its direction (u, v).
    pub direction: [f64; 2],
    /// Level relative to the peak of the beam, dB.
    pub level: f64,
    /// Frequency, Hz.
    pub frequency: f64,
}

/// The highest lobe of a design over all frequencies; none where there is no telling lobe from beam.
pub(crate) fn highest(
    problem: &Problem,
    design: &Design,
    backend: &Backend,
) -> Result<Option<SideLobe>, ReflectarrayError> {
    // A given design may have any beam.
    if problem.coverage.is_empty() && problem.design.is_some() {
        return Ok(None);
    }
    let mut worst: Option<SideLobe> = None;
    for &frequency in &problem.frequencies {
        let lobe = at(problem, design, frequency, backend)?;
        worst = [worst, lobe].into_iter().flatten().max_by(|a, b| a.level.total_cmp(&b.level));
    }
    Ok(worst)
}

fn at(
    problem: &Problem,
    design: &Design,
    frequency: f64,
    backend: &Backend,
) -> Result<Option<SideLobe>, ReflectarrayError> {
    let beta = wavenumber(frequency);
    let wavelength = TAU / beta;
    let sides = [0, 1].map(|axis| design.extent()[axis] + problem.lattice.spacing[axis]);
    let axis = |side: f64| {
        // An integer stays one despite rounding.
        let half = (SAMPLES_PER_BEAMWIDTH * side / wavelength - 1e-9).ceil() as usize;
        let half = half.clamp(4, MAX_SAMPLES / 2);
        (0..=2 * half).map(|i| i as f64 / half as f64 - 1.0).collect::<Vec<f64>>()
    };
    let [u, v] = sides.map(axis);
    let a = Illumination::new(&problem.feed, frequency).excitations(design);
    let mut transform = Transform::new(beta, u.clone(), v.clone(), problem.synthesis.tolerance, backend);
    transform.set_positions(design)?;
    let mut field = Vec::new();
    transform.field(&a, &mut field)?;
    let direction = |i: usize| [u[i % u.len()], v[i / u.len()]];
    let power = |i: usize| {
        let [u, v] = direction(i);
        let cos2 = 1.0 - u * u - v * v;
        if cos2 < 0.0 { 0.0 } else { field[i].norm_sqr() * problem.element.field(cos2).norm_sqr() }
    };
    let mut samples: Vec<(f64, usize)> = (0..field.len()).map(|i| (power(i), i)).collect();
    samples.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let peak = direction(samples[0].1);
    // The wider beam of the shorter side.
    let transition = TRANSITION * wavelength / sides[0].min(sides[1]);
    let in_beam = |p: [f64; 2]| {
        if problem.coverage.is_empty() {
            (p[0] - peak[0]).hypot(p[1] - peak[1]) <= transition
        } else {
            problem.coverage.iter().any(|region| region.contains(p) || region.distance(p) <= transition)
        }
    };
    // From the highest down: the first sample inside and the first one outside.
    let beam = samples.iter().find(|(_, i)| in_beam(direction(*i)));
    let lobe = samples.iter().find(|(_, i)| !in_beam(direction(*i)));
    Ok(beam.zip(lobe).filter(|(_, lobe)| lobe.0 > 0.0).map(|(beam, lobe)| SideLobe {
        direction: direction(lobe.1),
        level: power_db(lobe.0 / beam.0),
        frequency,
    }))
}
