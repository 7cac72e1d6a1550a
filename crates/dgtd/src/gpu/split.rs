//! A stage in three split kernels, their timing, and the choice of their group size.

use super::engine::{GpuEngine, Section, Step};
use super::layout::{KernelLayout, SplitKernel};
use super::tables::{GpuReal, Tables};
use crate::error::DgtdError;
use crate::problem::Kernels;
use crate::share::Share;
use phasefront_device::{Arg, DeviceKind, Gpu};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Group sizes that are tried, in elements: those of the paper (Zhao, Chen and Yu 2016).
const ELEMENTS: std::ops::RangeInclusive<usize> = 1..=10;
/// Stages that are timed for each of them.
const TRIALS: usize = 20;
/// Largest shared memory of a group, bytes: what every GPU has.
const SHARED: usize = 48 * 1024;

/// The group size with the shortest stage.
pub fn fastest_split<T: GpuReal>(share: &Share<'_>, gpu: &Arc<dyn Gpu>) -> Result<KernelLayout, DgtdError> {
    let any = KernelLayout::of(share.plan.element.order, share.plan.traces(), T::PRECISION);
    // On OpenCL, compiling all of them would take longer than the tests that it serves.
    if gpu.info().kind != DeviceKind::Cuda {
        return Ok(any.split(4));
    }
    // The best group size depends on the order, the precision and the GPU: it is measured.
    let mut best = (f64::INFINITY, any.split(1));
    for elements in ELEMENTS {
        let shape = any.split(elements);
        // Local memory of an element: its fields and its jumps. `split` clamps to the largest
        // group.
        let numbers = 6 * any.nodes + 4 * any.face_nodes * any.traces;
        if elements > 1
            && (shape.items() < elements * any.nodes || elements * numbers * size_of::<T>() > SHARED)
        {
            break;
        }
        // An engine per size: the number of elements is a macro of the kernels.
        let mut engine = GpuEngine::<T>::with_layout(share, gpu, shape)?;
        // Stages of zero length.
        let seconds = engine.timed(TRIALS, |engine| engine.launch_stage(&engine.rest()))?;
        if seconds < best.0 {
            best = (seconds, shape);
        }
    }
    Ok(best.1)
}

impl<'a, T: GpuReal> GpuEngine<'a, T> {
    /// The engine with the initial fields and the default kernel layout.
    pub fn new(share: &'a Share<'a>, gpu: &Arc<dyn Gpu>) -> Result<Self, DgtdError> {
        let shape = match share.study.problem.kernels {
            Kernels::Fused => KernelLayout::new(&share.plan, T::PRECISION, &**gpu),
            Kernels::Split => fastest_split::<T>(share, gpu)?,
        };
        Self::with_layout(share, gpu, shape)
    }

    /// The kernel layout.
    pub fn shape(&self) -> KernelLayout {
        self.layout
    }

    /// Seconds of `times` launches of one of the split kernels for all elements.
    pub fn time_kernel(&mut self, kernel: SplitKernel, times: usize) -> Result<f64, DgtdError> {
        self.timed(times, |engine| {
            let (step, sections) = (engine.rest(), engine.sections.iter());
            sections
                .filter(|section| !section.curved)
                .try_for_each(|section| engine.launch_split(kernel, section, &section.slots, &step))
        })
    }

    /// Seconds of `times` calls of `work`, after one to warm up.
    fn timed(
        &mut self,
        times: usize,
        work: impl Fn(&mut Self) -> Result<(), DgtdError>,
    ) -> Result<f64, DgtdError> {
        work(self)?;
        self.gpu.synchronize()?;
        // Launches are asynchronous: the clock starts and stops with an idle device.
        let started = Instant::now();
        for _ in 0..times {
            work(self)?;
        }
        self.gpu.synchronize()?;
        Ok(started.elapsed().as_secs_f64())
    }

    /// Launches one of the split kernels on a section.
    pub(super) fn launch_split(
        &self,
        kernel: SplitKernel,
        section: &Section<T>,
        slots: &Range<usize>,
        step: &Step,
    ) -> Result<(), DgtdError> {
        let Tables { shapes, faces, neighbors, permutations, derivative, lift, sources, currents, .. } =
            &self.tables;
        let mut args: Vec<Arg<'_>> = match kernel {
            SplitKernel::Curl => {
                vec![(&self.fields).into(), shapes.into(), derivative.into(), (&self.rates).into()]
            }
            SplitKernel::Surface => vec![
                (&self.fields).into(),
                (&self.traces[step.read()]).into(),
                shapes.into(),
                faces.into(),
                neighbors.into(),
                permutations.into(),
                lift.into(),
                (&sources.of_face).into(),
                (&sources.values).into(),
                (&section.ade.of_block).into(),
                (&self.rates).into(),
            ],
            SplitKernel::Update => vec![
                (&self.fields).into(),
                (&self.registers[0]).into(),
                (&self.rates).into(),
                (&self.traces[1 - step.read()]).into(),
                shapes.into(),
                faces.into(),
                (&currents.of_slot).into(),
                (&currents.values).into(),
            ],
        };
        if kernel == SplitKernel::Update {
            args.extend(section.ade.args(false));
            args.extend(step.scalars.iter().map(|scalar| Arg::F64(*scalar)));
        }
        args.push(self.first_group(section, slots));
        // The last group may have fewer elements: the kernels compare with this number.
        args.push(Arg::I32((slots.end - section.slots.start) as i32));
        self.gpu.launch(&*section.program, kernel.name(), self.grid(slots), &args)?;
        Ok(())
    }
}
