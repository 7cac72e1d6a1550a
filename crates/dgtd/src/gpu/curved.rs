//! Curved elements on a GPU: what kernels/curved.cu reads besides the tables of all elements, and how it is launched.

use super::shape::KernelShape;
use super::tables::{DriveTables, interleaved, reals};
use super::{GpuEngine, GpuReal, Section};
use crate::error::DgtdError;
use crate::plan::{Face, Kind, Plan};
use crate::reference::points::Points;
use crate::solve::Study;
use phasefront_device::{Arg, Buffer, Gpu, Grid};

/// Operators at points, and the maps of curved elements.
pub struct CurvedTables<T> {
    operators: Buffer<T>,
    /// Maps, and whether faces are curved: [slot][31].
    bends: Buffer<T>,
    /// Where the neighbor's trace at points is, and how it is turned: [slot][face].
    neighbors: Buffer<i32>,
    /// Which of the neighbor's points each point is, for each turn.
    across: Buffer<i32>,
    /// Traces at points, of the stage before and of this one.
    pub traces: [Buffer<T>; 2],
    /// Sources at points of curved faces.
    pub drive: DriveTables<T>,
}

impl<T: GpuReal> CurvedTables<T> {
    pub fn new(study: &Study, shape: KernelShape, gpu: &dyn Gpu) -> Result<Self, DgtdError> {
        let plan = &study.plan;
        let (slots, points) = (plan.slots_of(Kind::Curved), plan.points.face.len());
        let traces = slots.len() * 4 * points * plan.point_traces();
        let bends: Vec<Vec<f64>> = slots.clone().map(|slot| bends(plan, slot)).collect();
        let code = |(slot, f): (usize, usize)| {
            let face: &Face = &plan.faces[slot][f];
            // Faces that are not curved have no trace at points.
            let there = if face.curved { face.neighbor as usize } else { 4 * slot + f };
            ((there - 4 * slots.start) << 2 | usize::from(face.turn)) as i32
        };
        let faces = slots.clone().flat_map(|slot| (0..4).map(move |face| (slot, face)));
        let across: Vec<i32> =
            plan.points.face.across.iter().flatten().map(|point| i32::from(*point)).collect();
        Ok(Self {
            operators: gpu.upload(&reals::<T>(operators(plan)))?,
            bends: gpu.upload(&interleaved::<T>(&bends, shape.lanes()))?,
            neighbors: gpu.upload(&faces.map(code).collect::<Vec<i32>>())?,
            across: gpu.upload(&across)?,
            traces: [gpu.alloc(traces)?, gpu.alloc(traces)?],
            drive: DriveTables::new(study, true, plan.point_traces(), gpu)?,
        })
    }
}

/// The map of an element, and one for each face that is curved.
fn bends(plan: &Plan, slot: usize) -> Vec<f64> {
    let map = plan.shapes[slot].bends();
    let curved = plan.faces[slot].iter().map(|face| f64::from(u8::from(face.curved)));
    map.iter().flat_map(glam::DVec3::to_array).chain(curved).collect()
}

/// All operators, one behind the other, as kernels/curved.cu finds them.
fn operators(plan: &Plan) -> Vec<f64> {
    let (element, nodes) = (&plan.element, plan.element.len());
    let Points { places, weights, values, slopes, project, face } = &plan.points;
    let count = places.len();
    let mut all: Vec<f64> = places.iter().flatten().copied().collect();
    all.extend((0..4).flat_map(|f| face.on(f)).flatten());
    all.extend(&values.values);
    all.extend((0..count * nodes).flat_map(|at| (0..3).map(move |axis| slopes[axis].values[at])));
    // Columns together: work items of neighboring nodes read neighboring numbers.
    all.extend((0..count).flat_map(|p| (0..nodes).map(move |node| project.row(node)[p])));
    all.extend(&face.values.values);
    all.extend(&face.project.values);
    all.extend(
        (0..4 * element.face_len()).flat_map(|k| (0..nodes).map(move |node| element.lift.row(node)[k])),
    );
    all.extend(weights);
    all
}

impl<T: GpuReal> GpuEngine<'_, T> {
    fn curved_grid(&self, section: &Section<T>) -> Grid {
        let lanes = self.shape.lanes();
        let groups = section.slots.len() / lanes;
        Grid { groups: [groups as u32, 1, 1], group_size: [self.shape.curved_items() as u32, 1, 1] }
    }

    /// A stage of the curved elements; `step` is the pulse, a, b and dt.
    pub(super) fn launch_curved(&self, section: &Section<T>, step: [f64; 4]) -> Result<(), DgtdError> {
        let (tables, curved) = (&self.tables, &self.curved);
        let mut args: Vec<Arg<'_>> = vec![
            (&self.fields).into(),
            (&self.increments).into(),
            (&self.traces[0]).into(),
            (&self.traces[1]).into(),
            (&curved.traces[0]).into(),
            (&curved.traces[1]).into(),
            (&tables.shapes).into(),
            (&tables.faces).into(),
            (&curved.bends).into(),
            (&tables.neighbors).into(),
            (&curved.neighbors).into(),
            (&tables.across).into(),
            (&curved.across).into(),
            (&curved.operators).into(),
            (&tables.drive.of_face).into(),
            (&curved.drive.of_face).into(),
            (&tables.drive.values).into(),
            (&curved.drive.values).into(),
            (&tables.currents.of_slot).into(),
            (&tables.currents.values).into(),
        ];
        args.extend(section.further.args());
        args.extend(step.map(Arg::F64));
        args.push(Arg::I32((section.slots.start / self.shape.lanes()) as i32));
        self.gpu.launch(&*section.program, "stage", self.curved_grid(section), &args)?;
        Ok(())
    }

    /// Twice the energies of groups of curved elements, behind those of the others.
    pub(super) fn launch_curved_energies(
        &self,
        section: &Section<T>,
        first_sum: usize,
    ) -> Result<(), DgtdError> {
        let args = [
            (&self.fields).into(),
            (&self.tables.shapes).into(),
            (&self.curved.bends).into(),
            (&self.curved.operators).into(),
            (&self.energies).into(),
            Arg::I32((section.slots.start / self.shape.lanes()) as i32),
            Arg::I32(first_sum as i32),
        ];
        self.gpu.launch(&*section.program, "energies", self.curved_grid(section), &args)?;
        Ok(())
    }
}
