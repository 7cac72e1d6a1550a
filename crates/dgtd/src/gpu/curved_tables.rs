//! Tables of curved elements: what `kernels/curved.cu` reads besides the tables of all elements.

use super::layout::KernelLayout;
use super::tables::{GpuReal, SourceTables, reals};
use crate::error::DgtdError;
use crate::interleave::interleaved;
use crate::offsets::{CURVED, Operator, OperatorOffsets};
use crate::plan::{Face, Plan};
use crate::reference::points::Points;
use crate::share::Share;
use phasefront_device::{Buffer, Gpu};

/// Operators at quadrature points, and the maps of curved elements.
pub struct CurvedTables<T> {
    pub operators: Buffer<T>,
    /// Maps, and flags of curved faces: [slot][CURVED].
    pub maps: Buffer<T>,
    /// Position of the neighbor's trace at points, and its orientation: [slot][face].
    pub neighbors: Buffer<i32>,
    /// Face permutations of the quadrature points, for each orientation.
    pub permutations: Buffer<i32>,
    /// Traces at quadrature points: those of stages or steps in two buffers alternately, and with local steps those halfway.
    pub traces: [Buffer<T>; 3],
    /// Sources at quadrature points of curved faces.
    pub sources: SourceTables<T>,
}

impl<T: GpuReal> CurvedTables<T> {
    pub fn new(share: &Share<'_>, shape: KernelLayout, gpu: &dyn Gpu) -> Result<Self, DgtdError> {
        let plan = &share.plan;
        let (slots, points) = (plan.curved_slots(), plan.points.face.len());
        let traces = plan.curved_trace_slots() * 4 * points * plan.point_traces();
        let maps = interleaved::<T>(slots.clone(), CURVED, shape.lanes(), |slot, row| maps(plan, slot, row));
        let code = |(slot, f): (usize, usize)| {
            let face: &Face = &plan.faces[slot][f];
            // Faces that are not curved have no trace at quadrature points.
            let there = if face.curved { face.neighbor as usize } else { 4 * slot + f };
            ((there - 4 * slots.start) << 2 | usize::from(face.orientation)) as i32
        };
        let faces = slots.clone().flat_map(|slot| (0..4).map(move |face| (slot, face)));
        // Points have permutations of their own: a face has more points than nodes.
        let permutations: Vec<i32> =
            plan.points.face.permutations.iter().flatten().map(|point| i32::from(*point)).collect();
        Ok(Self {
            operators: gpu.upload(&reals::<T>(operators(plan)))?,
            maps: gpu.upload(&maps)?,
            neighbors: gpu.upload(&faces.map(code).collect::<Vec<i32>>())?,
            permutations: gpu.upload(&permutations)?,
            traces: [
                gpu.alloc(traces)?,
                gpu.alloc(traces)?,
                gpu.alloc(if shape.local { traces } else { 0 })?,
            ],
            sources: SourceTables::new(share, true, plan.point_traces(), gpu)?,
        })
    }
}

/// The map of an element, and a flag for each curved face.
fn maps(plan: &Plan, slot: usize, row: &mut [f64]) {
    let map = plan.shapes[slot].map_coefficients();
    let curved = plan.faces[slot].iter().map(|face| f64::from(u8::from(face.curved)));
    let entries = map.iter().flat_map(glam::DVec3::to_array).chain(curved);
    row.iter_mut().zip(entries).for_each(|(value, entry)| *value = entry);
}

/// All operators, each at its offset.
fn operators(plan: &Plan) -> Vec<f64> {
    let (element, nodes) = (&plan.element, plan.element.len());
    let Points { coordinates, weights, values, gradients, project, face } = &*plan.points;
    let count = coordinates.len();
    let offsets = OperatorOffsets::new([nodes, element.face_len()], [count, face.len()]);
    let mut table = vec![0.0; offsets.table_len()];
    let mut put = |operator: Operator, values: &mut dyn Iterator<Item = f64>| {
        table[offsets.range(operator)].iter_mut().zip(values).for_each(|(entry, value)| *entry = value);
    };
    put(Operator::Points, &mut coordinates.iter().flatten().copied());
    put(Operator::FacePoints, &mut (0..4).flat_map(|f| face.on(f)).flatten());
    put(Operator::Values, &mut values.values.iter().copied());
    let gradient = |at: usize| (0..3).map(move |axis| gradients[axis].values[at]);
    put(Operator::Gradients, &mut (0..count * nodes).flat_map(gradient));
    // By columns: work items of neighboring nodes load neighboring numbers.
    let column = |p: usize| (0..nodes).map(move |node| project.row(node)[p]);
    put(Operator::Project, &mut (0..count).flat_map(column));
    put(Operator::FaceValues, &mut face.values.values.iter().copied());
    put(Operator::FaceProject, &mut face.project.values.iter().copied());
    let column = |k: usize| (0..nodes).map(move |node| element.lift.row(node)[k]);
    put(Operator::Lift, &mut (0..4 * element.face_len()).flat_map(column));
    put(Operator::Weights, &mut weights.iter().copied());
    table
}
