//! The objective of the synthesis: costs of the pattern and their gradients with respect to phases and positions.
//!
//! Any cost C of the |E|² at the samples and frequencies has, by the chain rule and with w = ∂C/∂|E|², W = g E* w,
//!
//! ```text
//! ∂C/∂ψ_n = −2 Im{ a_n S[W]_n }
//! ∂C/∂x_n =  2 Re{ ∂a_n/∂x S[W]_n + jβ a_n S[uW]_n },   y likewise with v
//! ```
//!
//! (S in `transform/`). P_rad, which scales the mask to |E|², is held fixed between calls of [`Objective::update_power`].

use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::error::ReflectarrayError;
use crate::evaluation::{Derivatives, Evaluation};
use crate::gpu::GpuEngine;
use crate::illumination::{Illumination, Waves, excite};
use crate::mask::{IntensityBounds, Mask};
use crate::parallel::each;
use crate::power::Power;
use crate::problem::{Design, Problem, UvGrid};
use num_complex::Complex64;
use phasefront_core::decibels::power_db;
use phasefront_device::Backend;
use std::f64::consts::PI;
use std::sync::Arc;

/// A pattern as cost functions see it.
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

/// Directivity over a set of samples at all frequencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// Mean of D in dB.
    pub d_mean: f64,
    /// Minimum, dBi.
    pub d_min: f64,
}

/// Directivity over the coverage.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Over all regions together.
    pub all: Levels,
    /// Region by region.
    pub regions: Vec<Levels>,
}

/// Costs of designs, for one problem.
pub struct Objective {
    mask: Mask,
    frequencies: Vec<FrequencyPoint>,
    /// An engine for each frequency.
    engines: Vec<Box<dyn Engine>>,
    backend: Backend,
    /// |E|² of the last design, one frequency after another; empty until it is fetched from the device.
    intensity: Vec<f64>,
    /// 4π/P_rad by frequency; empty until first computed.
    scale: Vec<f64>,
    /// The design that it belongs to.
    powered: Option<Design>,
    /// The mask in |E|², by frequency; empty after the mask or P_rad have changed.
    bounds: Vec<IntensityBounds>,
    evaluations: u64,
}

/// One frequency: all but its engine.
#[derive(Clone)]
struct FrequencyPoint {
    illumination: Illumination,
    /// The feed's wave at the positions for which P_rad was computed, and the excitations.
    waves: Arc<Waves>,
    excitations: Vec<Complex64>,
    open: OpenEngine,
    power: Power,
}

/// Makes an engine without a design.
type OpenEngine = Arc<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

/// An objective without engines, which belong to a thread: other threads make their own objectives of it.
#[derive(Clone)]
pub(crate) struct Blueprint {
    mask: Mask,
    frequencies: Vec<FrequencyPoint>,
    backend: Backend,
    scale: Vec<f64>,
}

impl Blueprint {
    /// An objective with the mask and P_rad of the original, and without a pattern.
    pub fn open(&self) -> Objective {
        let Self { mask, frequencies, backend, scale } = self.clone();
        Objective {
            engines: frequencies.iter().map(|point| (point.open)()).collect(),
            mask,
            frequencies,
            backend,
            intensity: Vec::new(),
            scale,
            powered: None,
            bounds: Vec::new(),
            evaluations: 0,
        }
    }
}

impl Objective {
    /// Sets up the mask, and an engine for each frequency.
    pub fn new(problem: &Problem, backend: &Backend) -> Result<Self, ReflectarrayError> {
        let point = |&frequency: &f64| -> Result<FrequencyPoint, ReflectarrayError> {
            Ok(FrequencyPoint {
                illumination: Illumination::new(problem.feed, frequency),
                waves: Arc::default(),
                excitations: Vec::new(),
                open: engine_opener(problem, &problem.uv_grid, frequency, backend)?,
                power: Power::new(problem, frequency, backend),
            })
        };
        let blueprint = Blueprint {
            mask: Mask::new(problem)?,
            frequencies: problem.frequencies.iter().map(point).collect::<Result<_, _>>()?,
            backend: backend.clone(),
            scale: Vec::new(),
        };
        Ok(blueprint.open())
    }

    /// What other threads need to make the same objective.
    pub(crate) fn blueprint(&self) -> Blueprint {
        let Self { mask, frequencies, backend, scale, .. } = self;
        Blueprint {
            mask: mask.clone(),
            frequencies: frequencies.clone(),
            backend: backend.clone(),
            scale: scale.clone(),
        }
    }
}

impl Blueprint {
    /// The same mask and P_rad with a pointing error: the pattern is shifted by `shift` in (u, v).
    pub fn with_pointing_error(&self, problem: &Problem, shift: [f64; 2]) -> Result<Self, ReflectarrayError> {
        let mut shifted = self.clone();
        // A pattern shifted by +s over a fixed mask is the same pattern on a grid shifted by −s.
        let center = [0, 1].map(|axis| problem.uv_grid.center[axis] - shift[axis]);
        let uv_grid = UvGrid { center, ..problem.uv_grid };
        for (point, &frequency) in shifted.frequencies.iter_mut().zip(&problem.frequencies) {
            point.open = engine_opener(problem, &uv_grid, frequency, &self.backend)?;
        }
        Ok(shifted)
    }
}

impl Objective {
    /// Φ = Σ (|E|² − 𝒫|E|²)² over samples and frequencies, 𝒫 the projection onto the mask (Capozzoli et al. 2016, A1). E is
    /// unscaled here; [`crate::Cost::Distance`] is the same functional of the directivities.
    ///
    /// With gradients, the pattern stays on the device: [`Objective::fetch_pattern`] gets it for [`Objective::pattern`] and
    /// [`Objective::figures`]. Without, it is fetched here.
    pub fn evaluate(
        &mut self,
        design: &Design,
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        if self.scale.is_empty() {
            self.update_power(design)?;
        }
        if self.bounds.is_empty() {
            // The mask is in D: |E|² = D P_rad/4π.
            self.bounds = self.scale.iter().map(|scale| self.mask.on_intensity(*scale)).collect();
        }
        // The intensity of the last design is no longer valid, whether or not this one is fetched.
        self.intensity.clear();
        let mut evaluation = Evaluation::default();
        // Frequencies are independent engines; costs and gradients add.
        for (engine, bounds) in self.engines.iter_mut().zip(&self.bounds) {
            evaluation.add(engine.distance(design, bounds, derivatives)?);
        }
        self.evaluations += 1;
        if derivatives == Derivatives::None {
            self.fetch_pattern()?;
        }
        Ok(evaluation)
    }

    /// Fetches the pattern of the last design from the device, unless that has been done.
    pub fn fetch_pattern(&mut self) -> Result<(), ReflectarrayError> {
        if self.intensity.is_empty() {
            let all: Result<Vec<_>, _> = self.engines.iter().map(|engine| engine.intensity()).collect();
            self.intensity = all?.concat();
        }
        Ok(())
    }

    /// Evaluates any cost of the pattern. `cost` returns its value and its derivatives with respect to |E|², in the order of the view.
    pub fn evaluate_with(
        &mut self,
        design: &Design,
        cost: &mut dyn FnMut(&PatternView<'_>) -> (f64, Vec<f64>),
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        if self.scale.is_empty() {
            self.update_power(design)?;
        }
        let samples = self.mask.lower.len();
        self.intensity.resize(samples * self.engines.len(), 0.0);
        for (engine, intensity) in self.engines.iter_mut().zip(self.intensity.chunks_mut(samples)) {
            if let Err(error) = engine.pattern(design, intensity) {
                self.intensity.clear();
                return Err(error);
            }
        }
        self.evaluations += 1;
        // The cost needs the patterns of all frequencies, hence two loops over the engines.
        let (value, weights) = cost(&self.pattern());
        let mut evaluation = Evaluation { value, ..Evaluation::default() };
        if derivatives != Derivatives::None {
            let samples = weights.len() / self.frequencies.len();
            for (engine, weights) in self.engines.iter_mut().zip(weights.chunks(samples)) {
                evaluation.add(engine.gradient(weights, derivatives)?);
            }
        }
        Ok(evaluation)
    }

    /// Computes P_rad of a design, for the evaluations that follow.
    pub fn update_power(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        // The end of a search is often its best design, and scored twice.
        if self.powered.as_ref() == Some(design) {
            return Ok(());
        }
        self.powered = None;
        let scale = |point: &mut FrequencyPoint| {
            // Excitations on the host: P_rad needs them at once, and the host has the positions.
            let FrequencyPoint { illumination, waves, excitations, power, .. } = point;
            if !excite(waves, design, excitations) {
                *waves = Arc::new(illumination.waves(design));
                excite(waves, design, excitations);
            }
            power.of(design, excitations).map(|power| 4.0 * PI / power)
        };
        self.scale = self.frequencies.iter_mut().map(scale).collect::<Result<_, _>>()?;
        self.powered = Some(design.clone());
        // Bounds in |E|² depend on P_rad.
        self.bounds.clear();
        Ok(())
    }

    /// Sets the lower bound of one region, dBi.
    pub fn set_lower_bound(&mut self, region: usize, dbi: f64) {
        self.mask.set_lower(region, dbi);
        self.bounds.clear();
    }

    /// The current lower bounds of the regions, dBi.
    pub fn lower_bounds(&self) -> &[f64] {
        self.mask.region_lower.as_slice()
    }

    /// The pattern of the last design; empty before the first, and while it is on the device ([`Objective::fetch_pattern`]).
    pub fn pattern(&self) -> PatternView<'_> {
        PatternView { intensity: &self.intensity, scale: &self.scale, mask: &self.mask }
    }

    /// Complex E of the last design at one frequency.
    pub fn field(&self, frequency: usize) -> Result<Vec<Complex64>, ReflectarrayError> {
        self.engines[frequency].field()
    }

    /// a_n S[g E* w]_n of the last design with real weights w at the samples, summed over frequencies.
    pub(crate) fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let mut sums = Vec::new();
        let samples = weights.len() / self.frequencies.len();
        for (engine, weights) in self.engines.iter_mut().zip(weights.chunks(samples)) {
            let back = engine.back_projection(weights)?;
            // Empty before the first frequency: the number
            // of elements is known only from the engine.
            sums.resize(back.len(), Complex64::ZERO);
            sums.iter_mut().zip(back).for_each(|(sum, back)| *sum += back);
        }
        Ok(sums)
    }

    /// Directivity over the coverage, of the last pattern with the current P_rad; NaN without coverage or pattern.
    pub fn figures(&self) -> Figures {
        let pattern = self.pattern();
        Figures {
            all: self.levels(),
            regions: self.mask.regions.iter().map(|region| levels(&pattern, region)).collect(),
        }
    }

    /// The same over all regions together.
    pub(crate) fn levels(&self) -> Levels {
        levels(&self.pattern(), &self.mask.covered)
    }

    /// Number of evaluations so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

/// A clone has the mask and P_rad, but no pattern.
impl Clone for Objective {
    fn clone(&self) -> Self {
        self.blueprint().open()
    }
}

/// Makes engines of one frequency on the device of `backend`.
fn engine_opener(
    problem: &Problem,
    uv_grid: &UvGrid,
    frequency: f64,
    backend: &Backend,
) -> Result<OpenEngine, ReflectarrayError> {
    Ok(match backend {
        Backend::Cpu => {
            let engine = CpuEngine::new(problem, uv_grid, frequency);
            Arc::new(move || Box::new(engine.clone()))
        }
        Backend::Gpu(gpu) => {
            let setup = GpuEngine::setup(gpu.clone(), problem, uv_grid, frequency)?;
            Arc::new(move || Box::new(GpuEngine::new(setup.clone())))
        }
    })
}

fn levels(pattern: &PatternView<'_>, samples: &[usize]) -> Levels {
    if pattern.intensity.is_empty() || samples.is_empty() {
        return Levels { d_mean: f64::NAN, d_min: f64::NAN };
    }
    let of = |(intensity, scale): (&[f64], f64)| each(samples, |&i| power_db(intensity[i] * scale));
    // Minimum and mean run over samples and frequencies alike: the worst case of the band counts.
    let d: Vec<f64> = pattern.frequencies().flat_map(of).collect();
    let d_min = d.iter().copied().fold(f64::INFINITY, f64::min);
    Levels { d_mean: d.iter().sum::<f64>() / d.len() as f64, d_min }
}
