//! One frequency on a GPU: the kernels of `kernels/array.cu`.
//!
//! Everything stays on the device. Of a design, the phases go up, and the positions if they have moved; Φ and the gradients come
//! down in one piece, |E|² if somebody asks. Both ways and what lies between are recorded once and replayed.

mod stages;

use crate::engine::{Engine, IntensityBounds};
use crate::error::ReflectarrayError;
use crate::objective::{Evaluation, Wanted};
use crate::problem::{Design, Feed, Problem, Window};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::{Gpu, KernelSource, Program, Recording};
use stages::{Job, Places, Stages};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// The kernels of this solver.
pub const KERNELS: KernelSource =
    KernelSource { name: "reflectarray/array.cu", text: include_str!("../kernels/array.cu") };

/// What does not depend on the design, and the last design on the device.
pub(crate) struct GpuEngine {
    setting: Setting,
    state: Option<State>,
}

/// The device, the window and the feed.
#[derive(Clone)]
struct Setting {
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    beta: f64,
    feed: Feed,
    u: Vec<f64>,
    v: Vec<f64>,
    /// Field pattern of one element at the samples.
    g: Vec<Complex64>,
}

/// A design on the device.
struct State {
    stages: Rc<Stages>,
    places: Places,
    x: Vec<f64>,
    y: Vec<f64>,
    bounds: Option<IntensityBounds>,
    recordings: HashMap<Job, Box<dyn Recording>>,
}

impl GpuEngine {
    pub fn new(
        gpu: Arc<dyn Gpu>,
        problem: &Problem,
        window: &Window,
        frequency: f64,
    ) -> Result<Self, ReflectarrayError> {
        let setting = Setting {
            program: gpu.compile(&KERNELS, &[])?,
            gpu,
            beta: wavenumber(frequency),
            feed: problem.feed,
            u: window.u(),
            v: window.v(),
            g: problem.element.fields(window),
        };
        Ok(Self { setting, state: None })
    }

    /// Writes down a design for the device; true if its elements have moved.
    fn load(&mut self, design: &Design) -> Result<(&mut State, bool), ReflectarrayError> {
        let stays = |state: &mut State| state.x == design.x && state.y == design.y;
        if let Some(state) = self.state.take_if(stays) {
            state.stages.set_phases(&design.phase)?;
            return Ok((self.state.insert(state), false));
        }
        let places = Places::of(design);
        let (x, y) = (design.x.clone(), design.y.clone());
        let state = match self.state.take() {
            Some(state) if state.places.has_layout_of(&places) => State { places, x, y, ..state },
            _ => State {
                stages: Rc::new(Stages::new(&self.setting, &places)?),
                places,
                x,
                y,
                bounds: None,
                recordings: HashMap::new(),
            },
        };
        state.stages.set_design(design, &state.places)?;
        Ok((self.state.insert(state), true))
    }

    fn loaded(&mut self) -> &mut State {
        self.state.as_mut().expect("a pattern comes before what falls back of it")
    }
}

impl State {
    /// Does a job, recorded the first time.
    fn run(&mut self, job: Job) -> Result<(), ReflectarrayError> {
        if let Some(recording) = self.recordings.get(&job) {
            return Ok(recording.replay()?);
        }
        let stages = self.stages.clone();
        let recording = self.stages.gpu.record(Box::new(move || stages.run(job)))?;
        self.recordings.insert(job, recording);
        Ok(())
    }

    fn set_bounds(&mut self, bounds: &IntensityBounds) -> Result<(), ReflectarrayError> {
        if !self.bounds.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, bounds)) {
            self.stages.set_bounds(bounds)?;
            self.bounds = Some(bounds.clone());
        }
        Ok(())
    }
}

/// How many of S[W], S[uW] and S[vW] a gradient takes.
fn kinds(gradient: Wanted) -> usize {
    match gradient {
        Wanted::None => 0,
        Wanted::Phase => 1,
        Wanted::PhaseAndPosition => 3,
    }
}

impl Engine for GpuEngine {
    fn pattern(&mut self, design: &Design) -> Result<Vec<f64>, ReflectarrayError> {
        let (state, moved) = self.load(design)?;
        state.run(Job::Pattern { moved })?;
        state.stages.fetched_intensity()
    }

    fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        self.state.as_ref().map_or(Ok(Vec::new()), |state| state.stages.intensity())
    }

    fn gradient(&mut self, weights: &[f64], wanted: Wanted) -> Result<Evaluation, ReflectarrayError> {
        let kinds = kinds(wanted);
        let state = self.loaded();
        state.stages.set_weights(weights)?;
        state.run(Job::Gradient { kinds })?;
        Ok(Evaluation { value: 0.0, ..state.stages.fetched_cost(kinds)? })
    }

    fn distance(
        &mut self,
        design: &Design,
        bounds: &IntensityBounds,
        wanted: Wanted,
    ) -> Result<Evaluation, ReflectarrayError> {
        let kinds = kinds(wanted);
        let (state, moved) = self.load(design)?;
        state.set_bounds(bounds)?;
        state.run(Job::Distance { moved, kinds })?;
        state.stages.fetched_cost(kinds)
    }

    fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let state = self.loaded();
        state.stages.set_weights(weights)?;
        state.run(Job::Gradient { kinds: 1 })?;
        state.stages.back()
    }

    fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        self.state.as_ref().map_or(Ok(Vec::new()), |state| state.stages.field())
    }

    fn renewed(&self) -> Box<dyn Engine> {
        Box::new(Self { setting: self.setting.clone(), state: None })
    }
}

impl fmt::Debug for GpuEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements = self.state.as_ref().map_or(0, |state| state.x.len());
        f.debug_struct("GpuEngine").field("elements", &elements).finish_non_exhaustive()
    }
}
