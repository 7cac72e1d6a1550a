//! What the synthesis minimizes: costs of the pattern, and their gradients in phases and positions.
//!
//! Any cost C of the |E|² at the samples and frequencies has, by the chain rule and with w = ∂C/∂|E|², W = g E* w,
//!
//! ```text
//! ∂C/∂ψ_n = −2 Im{ a_n S[W]_n }
//! ∂C/∂x_n =  2 Re{ ∂a_n/∂x S[W]_n + jβ a_n S[uW]_n },   y likewise with v
//! ```
//!
//! (S in `transform.rs`). P_rad, which scales the mask to |E|², is held fixed: [`Objective::update_power`] moves it.

use crate::engine::{Engine, IntensityBounds, engine};
use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::mask::{Mask, to_db};
use crate::power::Power;
use crate::problem::{Design, Problem, Window};
use num_complex::Complex64;
use phasefront_device::Backend;
use std::f64::consts::PI;

/// Which gradients to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The value alone.
    None,
    /// In the phases.
    Phase,
    /// In the phases and both coordinates.
    PhaseAndPosition,
}

/// A cost and its gradients; those not asked for are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// The cost.
    pub value: f64,
    /// Its derivatives in the phases, 1/rad.
    pub phase: Vec<f64>,
    /// In x, 1/m.
    pub x: Vec<f64>,
    /// In y, 1/m.
    pub y: Vec<f64>,
}

impl Evaluation {
    /// Adds what another frequency costs.
    fn add(&mut self, other: Self) {
        self.value += other.value;
        let gradients = [(&mut self.phase, other.phase), (&mut self.x, other.x), (&mut self.y, other.y)];
        for (sum, other) in gradients {
            if sum.is_empty() {
                *sum = other;
            } else {
                sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
            }
        }
    }
}

/// The pattern that a cost is made of.
#[derive(Debug, Clone, Copy)]
pub struct PatternView<'a> {
    /// |E|² at the samples, u fastest, one frequency after another.
    pub intensity: &'a [f64],
    /// 4π/P_rad of each frequency: D = scale · |E|².
    pub scale: &'a [f64],
    /// The mask, in D.
    pub mask: &'a Mask,
}

impl PatternView<'_> {
    /// |E|² of each frequency with its scale.
    pub fn frequencies(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let samples = self.intensity.len() / self.scale.len();
        self.intensity.chunks(samples).zip(self.scale.iter().copied())
    }
}

/// D over a set of samples at all frequencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// Mean of D in dB.
    pub d_mean: f64,
    /// Minimum, dBi.
    pub d_min: f64,
}

/// What a pattern does over the coverage.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Over all regions together.
    pub all: Levels,
    /// Region by region.
    pub regions: Vec<Levels>,
}

/// Costs of designs, for one problem.
#[derive(Clone)]
pub struct Objective {
    mask: Mask,
    bands: Vec<Band>,
    backend: Backend,
    /// |E|² of the last design, one frequency after another; empty as long as it has not left the device.
    intensity: Vec<f64>,
    /// 4π/P_rad by frequency; empty until it is first computed.
    scale: Vec<f64>,
    /// The mask in |E|², by frequency; empty after the mask or P_rad have changed.
    bounds: Vec<IntensityBounds>,
    evaluations: u64,
}

/// What one frequency needs.
#[derive(Clone)]
struct Band {
    illumination: Illumination,
    engine: Box<dyn Engine>,
    power: Power,
}

impl Objective {
    /// Prepares the transforms and the mask.
    pub fn new(problem: &Problem, backend: &Backend) -> Result<Self, ReflectarrayError> {
        let band = |&frequency: &f64| -> Result<Band, ReflectarrayError> {
            Ok(Band {
                illumination: Illumination::new(problem.feed, frequency),
                engine: engine(problem, &problem.window, frequency, backend)?,
                power: Power::new(problem, frequency, backend),
            })
        };
        Ok(Self {
            mask: Mask::new(problem)?,
            bands: problem.frequencies.iter().map(band).collect::<Result<_, _>>()?,
            backend: backend.clone(),
            intensity: Vec::new(),
            scale: Vec::new(),
            bounds: Vec::new(),
            evaluations: 0,
        })
    }

    /// The same mask and P_rad on an antenna that points wrongly by `shift`: its pattern is moved by that much.
    pub(crate) fn moved(&self, problem: &Problem, shift: [f64; 2]) -> Result<Self, ReflectarrayError> {
        let mut moved = self.clone();
        let center = [0, 1].map(|axis| problem.window.center[axis] - shift[axis]);
        let window = Window { center, ..problem.window };
        for (band, &frequency) in moved.bands.iter_mut().zip(&problem.frequencies) {
            band.engine = engine(problem, &window, frequency, &self.backend)?;
        }
        Ok(moved)
    }

    /// Φ = Σ (|E|² − 𝒫|E|²)² over samples and frequencies, 𝒫 the nearest value within the mask (Capozzoli et al. 2016, A1). E is that of
    /// the model, unscaled; [`crate::Cost::Distance`] is the same of the directivities.
    ///
    /// With gradients, as a descent asks for them over and over, the pattern stays on the device: [`Objective::take_pattern`]
    /// gets it for [`Objective::pattern`] and [`Objective::figures`]. Without, it is there at once.
    pub fn evaluate(&mut self, design: &Design, gradient: Wanted) -> Result<Evaluation, ReflectarrayError> {
        if self.scale.is_empty() {
            self.update_power(design)?;
        }
        if self.bounds.is_empty() {
            self.bounds = self.scale.iter().map(|scale| self.mask.on_intensity(*scale)).collect();
        }
        self.intensity.clear();
        let mut evaluation = Evaluation::default();
        for (band, bounds) in self.bands.iter_mut().zip(&self.bounds) {
            evaluation.add(band.engine.distance(design, bounds, gradient)?);
        }
        self.evaluations += 1;
        if gradient == Wanted::None {
            self.take_pattern()?;
        }
        Ok(evaluation)
    }

    /// Gets the pattern of the last design from the device, if it is still there.
    pub fn take_pattern(&mut self) -> Result<(), ReflectarrayError> {
        if self.intensity.is_empty() {
            let of = |band: &Band| band.engine.intensity();
            self.intensity = self.bands.iter().map(of).collect::<Result<Vec<_>, _>>()?.concat();
        }
        Ok(())
    }

    /// Any cost of the pattern: `cost` gives its value and its derivatives in |E|², in the order of the view.
    pub fn evaluate_with(
        &mut self,
        design: &Design,
        cost: &mut dyn FnMut(&PatternView<'_>) -> (f64, Vec<f64>),
        gradient: Wanted,
    ) -> Result<Evaluation, ReflectarrayError> {
        if self.scale.is_empty() {
            self.update_power(design)?;
        }
        self.intensity.clear();
        for band in &mut self.bands {
            self.intensity.extend(band.engine.pattern(design)?);
        }
        self.evaluations += 1;
        let (value, weights) = cost(&self.pattern());
        let mut evaluation = Evaluation { value, ..Evaluation::default() };
        if gradient != Wanted::None {
            let samples = weights.len() / self.bands.len();
            for (band, weights) in self.bands.iter_mut().zip(weights.chunks(samples)) {
                evaluation.add(band.engine.gradient(weights, gradient)?);
            }
        }
        Ok(evaluation)
    }

    /// Takes P_rad from a design, for the costs that follow.
    pub fn update_power(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        let scale = |band: &mut Band| {
            let a: Vec<Complex64> = band.illumination.waves(design).iter().map(|wave| wave.value).collect();
            band.power.of(design, &a).map(|power| 4.0 * PI / power)
        };
        self.scale = self.bands.iter_mut().map(scale).collect::<Result<_, _>>()?;
        self.bounds.clear();
        Ok(())
    }

    /// Moves the lower bound of one region, dBi.
    pub fn set_lower(&mut self, region: usize, dbi: f64) {
        self.mask.set_lower(region, dbi);
        self.bounds.clear();
    }

    /// The present lower bounds of the regions, dBi.
    pub fn lower(&self) -> &[f64] {
        self.mask.region_lower.as_slice()
    }

    /// The pattern of the last design; empty before the first, and while it is on the device ([`Objective::take_pattern`]).
    pub fn pattern(&self) -> PatternView<'_> {
        PatternView { intensity: &self.intensity, scale: &self.scale, mask: &self.mask }
    }

    /// Complex E of the last design at one frequency.
    pub fn field(&self, frequency: usize) -> Result<Vec<Complex64>, ReflectarrayError> {
        self.bands[frequency].engine.field()
    }

    /// a_n S[g E* w]_n of the last design, with real weights w at the samples; summed over frequencies.
    pub(crate) fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let mut sums = Vec::new();
        let samples = weights.len() / self.bands.len();
        for (band, weights) in self.bands.iter_mut().zip(weights.chunks(samples)) {
            let back = band.engine.back_projection(weights)?;
            sums.resize(back.len(), Complex64::ZERO);
            sums.iter_mut().zip(back).for_each(|(sum, back)| *sum += back);
        }
        Ok(sums)
    }

    /// D over the coverage, of the last pattern with the present P_rad; not a number without coverage or pattern.
    pub fn figures(&self) -> Figures {
        let pattern = self.pattern();
        Figures {
            all: levels(&pattern, &self.mask.covered),
            regions: self.mask.regions.iter().map(|region| levels(&pattern, region)).collect(),
        }
    }

    /// Costs evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

fn levels(pattern: &PatternView<'_>, samples: &[usize]) -> Levels {
    if pattern.intensity.is_empty() || samples.is_empty() {
        return Levels { d_mean: f64::NAN, d_min: f64::NAN };
    }
    let of = |(intensity, scale): (&[f64], f64)| {
        samples.iter().map(|&i| to_db(intensity[i] * scale)).collect::<Vec<_>>()
    };
    let d: Vec<f64> = pattern.frequencies().flat_map(of).collect();
    let d_min = d.iter().copied().fold(f64::INFINITY, f64::min);
    Levels { d_mean: d.iter().sum::<f64>() / d.len() as f64, d_min }
}
