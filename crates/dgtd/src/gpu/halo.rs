//! Traces that are exchanged with other ranks: packed on the device, one copy in each direction.

use super::engine::GpuEngine;
use super::layout::{GROUP, HALO_KERNELS};
use super::tables::GpuReal;
use crate::error::DgtdError;
use crate::share::{Share, face_values};
use phasefront_device::{Arg, Buffer, Gpu, Grid, Program};
use std::ops::Range;
use std::sync::Arc;

/// Faces whose traces travel: straight ones, or curved ones.
struct Faces {
    /// Numbers of the own faces that are sent, and of those that are received.
    sent: Buffer<i32>,
    received: Buffer<i32>,
    /// Where their traces begin in the array that travels.
    starts: Buffer<i64>,
    /// Values of a trace.
    values: usize,
}

/// The exchange of one rank.
pub struct HaloTables<T> {
    program: Arc<dyn Program>,
    /// At nodes, and at the quadrature points of curved faces.
    faces: [Faces; 2],
    /// The values of each halo in the arrays that travel.
    ranges: Vec<Range<usize>>,
    outgoing: Buffer<T>,
    incoming: Buffer<T>,
    /// Packed values of this stage; empty before they are fetched.
    packed: Vec<T>,
    /// Values received so far in this stage.
    received: Vec<T>,
}

impl<T: GpuReal> HaloTables<T> {
    /// None if no faces are shared.
    pub fn new(share: &Share<'_>, gpu: &dyn Gpu) -> Result<Option<Self>, DgtdError> {
        if share.halos.is_empty() {
            return Ok(None);
        }
        let plan = &share.plan;
        let first_curved = 4 * plan.curved_slots().start;
        let (mut sent, mut received, mut starts) = ([vec![], vec![]], [vec![], vec![]], [vec![], vec![]]);
        let (mut ranges, mut at) = (Vec::new(), 0);
        for halo in &share.halos {
            let begin = at;
            for (i, (&(slot, face), &curved)) in halo.sent.iter().zip(&halo.curved).enumerate() {
                let (list, origin) = if curved { (1, first_curved) } else { (0, 0) };
                sent[list].push((4 * slot as usize + usize::from(face) - origin) as i32);
                received[list].push((halo.first + i - origin) as i32);
                starts[list].push(at as i64);
                at += face_values(plan, curved);
            }
            ranges.push(begin..at);
        }
        let faces = |list: usize| -> Result<Faces, DgtdError> {
            Ok(Faces {
                sent: gpu.upload(&sent[list])?,
                received: gpu.upload(&received[list])?,
                starts: gpu.upload(&starts[list])?,
                values: face_values(plan, list == 1),
            })
        };
        Ok(Some(Self {
            program: gpu.compile(&HALO_KERNELS, &[("REAL", T::PRECISION.c_name())])?,
            faces: [faces(0)?, faces(1)?],
            ranges,
            outgoing: gpu.alloc(at)?,
            incoming: gpu.alloc(at)?,
            packed: Vec::new(),
            received: vec![T::default(); at],
        }))
    }

    /// Forgets what was packed: a new stage has begun.
    pub fn begin(&mut self) {
        self.packed.clear();
    }
}

impl<T: GpuReal> GpuEngine<'_, T> {
    /// The traces that another rank reads. The first call waits for the kernels of the border, which are few; those of the interior are
    /// launched after it.
    pub(super) fn pack_traces(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError> {
        let Some(tables) = &mut self.halo else { return Ok(()) };
        if tables.packed.is_empty() {
            for (faces, traces) in tables.faces.iter().zip([&self.traces[0], &self.curved.traces[0]]) {
                launch(&*self.gpu, tables, faces, "pack", [traces, &tables.outgoing])?;
            }
            tables.packed = self.gpu.download(&tables.outgoing)?;
        }
        bytes.copy_from_slice(bytemuck::cast_slice(&tables.packed[tables.ranges[halo].clone()]));
        Ok(())
    }

    /// The traces that another rank has sent; after those of the last one they go to the device, behind the kernels of the interior.
    pub(super) fn unpack_traces(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError> {
        let Some(tables) = &mut self.halo else { return Ok(()) };
        let range = tables.ranges[halo].clone();
        bytemuck::cast_slice_mut(&mut tables.received[range]).copy_from_slice(bytes);
        if halo + 1 < tables.ranges.len() {
            return Ok(());
        }
        self.gpu.upload_bytes(bytemuck::cast_slice(&tables.received), tables.incoming.memory())?;
        for (faces, traces) in tables.faces.iter().zip([&self.traces[0], &self.curved.traces[0]]) {
            launch(&*self.gpu, tables, faces, "unpack", [traces, &tables.incoming])?;
        }
        Ok(())
    }
}

fn launch<T: GpuReal>(
    gpu: &dyn Gpu,
    tables: &HaloTables<T>,
    faces: &Faces,
    kernel: &str,
    [traces, travelling]: [&Buffer<T>; 2],
) -> Result<(), DgtdError> {
    let count = faces.sent.len() * faces.values;
    if count == 0 {
        return Ok(());
    }
    let numbers = if kernel == "pack" { &faces.sent } else { &faces.received };
    let args = [
        traces.into(),
        numbers.into(),
        (&faces.starts).into(),
        travelling.into(),
        Arg::I32(faces.values as i32),
        Arg::I64(count as i64),
    ];
    gpu.launch(&*tables.program, kernel, Grid::cover(count, GROUP), &args)?;
    Ok(())
}
