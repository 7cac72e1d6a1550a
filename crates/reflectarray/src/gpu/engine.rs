//! One frequency on a GPU.

use super::buffers::{Buffers, Setup};
use super::kernels::{ALL_SUMS, DEFINES, KERNELS};
use super::layout::ElementLayout;
use crate::engine::Engine;
use crate::error::ReflectarrayError;
use crate::evaluation::{Derivatives, Evaluation};
use crate::mask::IntensityBounds;
use crate::problem::{Design, Problem, UvGrid};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::{DeviceError, Gpu, Recording};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// The engine on a GPU.
pub(crate) struct GpuEngine {
    setup: Setup,
    state: Option<State>,
}

/// The last design on the device.
struct State {
    buffers: Rc<Buffers>,
    layout: ElementLayout,
    x: Vec<f64>,
    y: Vec<f64>,
    bounds: Option<IntensityBounds>,
    recordings: HashMap<Sequence, Box<dyn Recording>>,
}

/// A sequence of copies and launches that is recorded once and replayed. `sums` is the number of adjoint sums: 0 without
/// gradients, 1 for phases, 3 for phases and positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sequence {
    /// E and |E|², and the download of the latter.
    Pattern { moved: bool },
    /// Gradients for given weights.
    Gradient { sums: usize },
    /// Pattern, Φ and its gradients; the download of all but the pattern.
    Distance { moved: bool, sums: usize },
}

impl Sequence {
    fn run(self, buffers: &Buffers) -> Result<(), DeviceError> {
        match self {
            Self::Pattern { moved } => {
                buffers.pattern(moved)?;
                buffers.gpu.fetch(&buffers.intensity, &buffers.download, buffers.samples())
            }
            Self::Gradient { sums } => {
                buffers.weighted_field()?;
                buffers.gradient(sums)
            }
            Self::Distance { moved, sums } => {
                buffers.pattern(moved)?;
                buffers.gradient(sums)
            }
        }
    }
}

impl GpuEngine {
    /// What engines of one frequency have in common.
    pub fn setup(
        gpu: Arc<dyn Gpu>,
        problem: &Problem,
        uv_grid: &UvGrid,
        frequency: f64,
    ) -> Result<Setup, ReflectarrayError> {
        Ok(Setup {
            program: gpu.compile(&KERNELS, DEFINES)?,
            gpu,
            beta: wavenumber(frequency),
            feed: problem.feed,
            u: uv_grid.u(),
            v: uv_grid.v(),
            g: problem.element.fields(uv_grid),
        })
    }

    pub fn new(setup: Setup) -> Self {
        Self { setup, state: None }
    }

    /// Stages a design for the device; true if its elements have moved.
    fn load(&mut self, design: &Design) -> Result<(&mut State, bool), ReflectarrayError> {
        // Compared by value: bitwise equal positions have bitwise equal exponentials.
        let unmoved = |state: &mut State| state.x == design.x && state.y == design.y;
        // Only phases have changed: the exponentials on the device remain valid.
        if let Some(state) = self.state.take_if(unmoved) {
            state.buffers.set_phases(&design.phase)?;
            return Ok((self.state.insert(state), false));
        }
        let layout = ElementLayout::of(design);
        let (x, y) = (design.x.clone(), design.y.clone());
        // Buffers and recordings depend on the arrangement
        // of cells alone; new coordinates reuse them.
        let state = match self.state.take() {
            Some(state) if state.layout.has_same_cells(&layout) => State { layout, x, y, ..state },
            _ => State {
                // Shared with the recordings, which refer to the
                // buffers for as long as they can be replayed.
                buffers: Rc::new(Buffers::new(&self.setup, &layout)?),
                layout,
                x,
                y,
                bounds: None,
                recordings: HashMap::new(),
            },
        };
        state.buffers.set_design(design, &state.layout)?;
        Ok((self.state.insert(state), true))
    }

    fn loaded(&mut self) -> &mut State {
        self.state.as_mut().expect("a pattern is computed before its gradients")
    }
}

impl State {
    /// Runs a sequence, recording it the first time.
    fn run(&mut self, sequence: Sequence) -> Result<(), ReflectarrayError> {
        if let Some(recording) = self.recordings.get(&sequence) {
            return Ok(recording.replay()?);
        }
        let buffers = self.buffers.clone();
        // Recording also executes the sequence.
        let recording = self.buffers.gpu.record(Box::new(move || sequence.run(&buffers)))?;
        self.recordings.insert(sequence, recording);
        Ok(())
    }

    /// Uploads the bounds unless they are those of the last call, recognized by their pointer.
    fn set_bounds(&mut self, bounds: &IntensityBounds) -> Result<(), ReflectarrayError> {
        if !self.bounds.as_ref().is_some_and(|last| Arc::ptr_eq(last, bounds)) {
            self.buffers.set_bounds(bounds)?;
            self.bounds = Some(bounds.clone());
        }
        Ok(())
    }
}

/// Number of the adjoint sums S[W], S[uW] and S[vW] that the derivatives need.
fn adjoint_sums(derivatives: Derivatives) -> usize {
    match derivatives {
        Derivatives::None => 0,
        Derivatives::Phase => 1,
        Derivatives::PhaseAndPosition => ALL_SUMS,
    }
}

impl Engine for GpuEngine {
    fn pattern(&mut self, design: &Design, intensity: &mut [f64]) -> Result<(), ReflectarrayError> {
        let (state, moved) = self.load(design)?;
        state.run(Sequence::Pattern { moved })?;
        intensity.copy_from_slice(&state.buffers.downloaded_intensity()?);
        Ok(())
    }

    fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        self.state.as_ref().map_or(Ok(Vec::new()), |state| state.buffers.intensity())
    }

    fn gradient(
        &mut self,
        weights: &[f64],
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        let sums = adjoint_sums(derivatives);
        let state = self.loaded();
        state.buffers.set_weights(weights)?;
        state.run(Sequence::Gradient { sums })?;
        Ok(Evaluation { value: 0.0, ..state.buffers.downloaded_cost(sums)? })
    }

    fn distance(
        &mut self,
        design: &Design,
        bounds: &IntensityBounds,
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        let sums = adjoint_sums(derivatives);
        let (state, moved) = self.load(design)?;
        state.set_bounds(bounds)?;
        state.run(Sequence::Distance { moved, sums })?;
        state.buffers.downloaded_cost(sums)
    }

    fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let state = self.loaded();
        state.buffers.set_weights(weights)?;
        state.run(Sequence::Gradient { sums: 1 })?;
        state.buffers.back_projection()
    }

    fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        self.state.as_ref().map_or(Ok(Vec::new()), |state| state.buffers.field())
    }
}

impl fmt::Debug for GpuEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements = self.state.as_ref().map_or(0, |state| state.x.len());
        f.debug_struct("GpuEngine").field("elements", &elements).finish_non_exhaustive()
    }
}
