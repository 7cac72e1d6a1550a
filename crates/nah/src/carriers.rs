//! From the pressure at the microphones to fields on planes, at all frequencies: on a CPU one after the other or side by side, on a GPU together.

use crate::error::NahError;
use crate::esm::Operator;
use crate::extrapolate::Extrapolation;
use crate::filter::Gain;
use crate::gpu::{GpuStream, StreamShape};
use crate::gpu_lines::GpuLines;
use crate::gpu_sources::GpuSources;
use crate::grid::Grid;
use crate::mend::Mend;
use crate::plan::{Plan, gains_of_waves};
use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_device::{Complex as DeviceComplex, Gpu};
use rayon::prelude::*;
use std::sync::Arc;

/// From the pressure at the microphones to fields on planes at one frequency.
pub enum Carrier<T: Scalar> {
    /// Waves in k-space.
    Waves(Box<Plan<T>>),
    /// Equivalent sources.
    Sources(Operator<T>),
}

impl<T: Scalar> Carrier<T> {
    fn run(&mut self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        match self {
            Self::Waves(plan) => plan.run(pressure, fields),
            Self::Sources(operator) => operator.run(pressure, fields),
        }
    }

    fn places(&self) -> usize {
        match self {
            Self::Waves(plan) => plan.places(),
            Self::Sources(operator) => operator.places(),
        }
    }

    fn fields(&self) -> usize {
        match self {
            Self::Waves(plan) => plan.fields(),
            Self::Sources(operator) => operator.fields(),
        }
    }
}

/// What fields are made of, all frequencies alike.
pub enum Recipes<T: Scalar> {
    /// Gains of waves for the fields of each frequency.
    Waves(Grid, Extrapolation, Vec<Vec<Gain>>),
    /// An operator for each frequency.
    Sources(Vec<Operator<T>>),
}

/// Fields of all frequencies on a GPU.
pub trait GpuCarrier<T>: Send {
    /// From phasors of all microphones at the first frequency, then at the next, to the fields in the same order.
    fn run(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError>;
}

/// What makes the fields of all frequencies.
pub struct Carriers<T: Scalar> {
    how: How<T>,
    lines: usize,
    /// Fields of each frequency, and places of each field.
    fields: usize,
    places: usize,
}

enum How<T: Scalar> {
    Cpu(Vec<Carrier<T>>),
    Gpu(Box<dyn GpuCarrier<T>>),
}

impl<T: Scalar> From<Vec<Carrier<T>>> for Carriers<T> {
    fn from(carriers: Vec<Carrier<T>>) -> Self {
        let size = |of: fn(&Carrier<T>) -> usize| carriers.first().map_or(0, of);
        let (fields, places) = (size(Carrier::fields), size(Carrier::places));
        Self { lines: carriers.len(), fields, places, how: How::Cpu(carriers) }
    }
}

impl<T: Scalar> Carriers<T> {
    /// On a CPU.
    pub fn on_cpu(recipes: Recipes<T>) -> Self {
        let carriers: Vec<Carrier<T>> = match recipes {
            Recipes::Waves(grid, beyond, lines) => {
                let plan = |gains: Vec<Gain>| Plan::new(grid, beyond, &borrowed(&gains));
                lines.into_iter().map(|gains| Carrier::Waves(Box::new(plan(gains)))).collect()
            }
            Recipes::Sources(operators) => operators.into_iter().map(Carrier::Sources).collect(),
        };
        carriers.into()
    }

    /// On a GPU, for so many microphones.
    pub fn on_gpu(gpu: &Arc<dyn Gpu>, recipes: Recipes<T>, microphones: usize) -> Result<Self, NahError> {
        let (lines, fields, places) = match &recipes {
            Recipes::Waves(grid, _, lines) => (lines.len(), lines.first().map_or(0, Vec::len), grid.len()),
            Recipes::Sources(operators) => {
                let size = |of: fn(&Operator<T>) -> usize| operators.first().map_or(0, of);
                (operators.len(), size(Operator::fields), size(Operator::places))
            }
        };
        Ok(Self { how: How::Gpu(T::gpu_carrier(gpu, recipes, microphones)?), lines, fields, places })
    }

    /// How many frequencies there are.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Places of each field.
    pub fn places(&self) -> usize {
        self.places
    }

    /// Values of all fields of a frequency.
    pub fn values(&self) -> usize {
        self.fields * self.places
    }

    /// Puts phasors right, and makes the fields of them.
    pub(crate) fn run(
        &mut self,
        mend: &Mend<T>,
        phasors: &mut [Complex<T>],
        fields: &mut [Complex<T>],
    ) -> Result<(), NahError> {
        let (values, microphones) = (self.values().max(1), (phasors.len() / self.lines.max(1)).max(1));
        let carriers = match &mut self.how {
            How::Cpu(carriers) => carriers,
            How::Gpu(gpu) => {
                phasors.chunks_exact_mut(microphones).for_each(|line| mend.run(line));
                return gpu.run(phasors, fields);
            }
        };
        let one = |carrier: &mut Carrier<T>, fields: &mut [Complex<T>], phasors: &mut [Complex<T>]| {
            mend.run(phasors);
            carrier.run(phasors, fields);
        };
        if let [carrier] = &mut carriers[..] {
            one(carrier, fields, phasors);
        } else {
            let lines = fields.par_chunks_exact_mut(values).zip(phasors.par_chunks_exact_mut(microphones));
            carriers.par_iter_mut().zip(lines).for_each(|(carrier, line)| one(carrier, line.0, line.1));
        }
        Ok(())
    }
}

fn borrowed(gains: &[Gain]) -> Vec<&dyn Fn(f64) -> Complex64> {
    gains.iter().map(|gain| &**gain as &dyn Fn(f64) -> Complex64).collect()
}

/// The carrier on a GPU that fits.
pub fn gpu_carrier<T: Scalar>(
    gpu: &Arc<dyn Gpu>,
    recipes: Recipes<T>,
    microphones: usize,
) -> Result<Box<dyn GpuCarrier<T>>, NahError>
where
    Complex<T>: DeviceComplex,
{
    Ok(match recipes {
        Recipes::Sources(operators) => Box::new(GpuSources::new(gpu, microphones, &operators)?),
        Recipes::Waves(grid, Extrapolation::Lpbp, lines) => {
            let fields = lines.first().map_or(0, Vec::len);
            let gains: Vec<_> = lines.iter().flatten().map(|gain| gains_of_waves(&grid, &**gain)).collect();
            Box::new(GpuLines::new(gpu, grid, fields, &gains)?)
        }
        Recipes::Waves(grid, beyond, lines) => {
            let fields = lines.first().map_or(0, Vec::len);
            let gains: Vec<Gain> = lines.into_iter().flatten().collect();
            let shape = StreamShape::of_phasors(grid, beyond, gains.len() / fields.max(1), fields);
            Box::new(GpuStream::new(gpu, shape, &borrowed(&gains))?)
        }
    })
}
