//! Tables of the exchange with other ranks: which traces travel, and where they are.

use super::layout::HALO_KERNELS;
use super::tables::GpuReal;
use crate::error::DgtdError;
use crate::share::{Share, face_values};
use phasefront_device::{Buffer, Gpu, Program, Staging};
use std::ops::Range;
use std::sync::Arc;

/// Faces whose traces travel: straight ones, or curved ones.
pub struct Faces {
    /// Numbers of the own faces that are sent, and of those that are received.
    pub sent: Buffer<i32>,
    pub received: Buffer<i32>,
    /// Where their traces begin in the array that travels.
    pub starts: Buffer<i64>,
    /// Values of a trace.
    pub values: usize,
}

/// The exchange of one rank.
pub struct HaloTables<T> {
    pub program: Arc<dyn Program>,
    /// At nodes, and at the quadrature points of curved faces.
    pub faces: [Faces; 2],
    /// The values of each halo in the arrays that travel.
    pub ranges: Vec<Range<usize>>,
    pub outgoing: Buffer<T>,
    pub incoming: Buffer<T>,
    /// What was packed in this stage, and what was received so far, on the host.
    pub packed: Staging<T>,
    pub received: Staging<T>,
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
            packed: gpu.staging(at)?,
            received: gpu.staging(at)?,
        }))
    }
}
