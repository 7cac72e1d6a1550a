//! Tables of the exchange with other ranks: which traces are sent and received, and where they are.

use super::layout::HALO_KERNELS;
use super::tables::GpuReal;
use crate::error::DgtdError;
use crate::share::{Direction, Share, face_values};
use phasefront_device::{Buffer, Gpu, Program, Staging};
use std::ops::Range;
use std::sync::Arc;

/// Faces whose traces are sent, or received.
pub struct Faces {
    /// Whether their traces are at the quadrature points of curved faces.
    pub curved: bool,
    /// Numbers of the faces.
    pub numbers: Buffer<i32>,
    /// Levels of the elements whose traces these are.
    pub levels: Buffer<i32>,
    /// Where their traces begin in the packed array.
    pub starts: Buffer<i64>,
    /// Values of a trace.
    pub values: usize,
}

/// Traces in one direction: sent, or received.
pub struct Transfer<T> {
    pub faces: Vec<Faces>,
    /// The values of each halo in the packed array.
    pub ranges: Vec<Range<usize>>,
    /// Traces of all faces, contiguous.
    pub packed: Buffer<T>,
    /// The same on the host.
    pub staging: Staging<T>,
}

/// The exchange of one rank before a stage.
pub struct HaloTables<T> {
    pub program: Arc<dyn Program>,
    pub outgoing: Transfer<T>,
    pub incoming: Transfer<T>,
}

impl<T: GpuReal> HaloTables<T> {
    /// One exchange for each level that may be the highest to take a step; none if no faces are shared.
    pub fn of_levels(share: &Share<'_>, gpu: &dyn Gpu) -> Result<Vec<Self>, DgtdError> {
        if share.halos.is_empty() {
            return Ok(Vec::new());
        }
        let program = gpu.compile(&HALO_KERNELS, &[("REAL", T::PRECISION.c_name())])?;
        let of = |level: u8| {
            Ok(Self {
                program: program.clone(),
                outgoing: Transfer::new(share, Direction::Sent, level, gpu)?,
                incoming: Transfer::new(share, Direction::Received, level, gpu)?,
            })
        };
        (0..share.study.clusters.levels() as u8).map(of).collect()
    }
}

impl<T: GpuReal> Transfer<T> {
    fn new(share: &Share<'_>, direction: Direction, level: u8, gpu: &dyn Gpu) -> Result<Self, DgtdError> {
        let plan = &share.plan;
        let first_curved = 4 * plan.curved_slots().start;
        // Of straight and of curved faces: numbers, levels, and where their traces begin.
        let mut lists = [const { (Vec::new(), Vec::new(), Vec::new()) }; 2];
        let (mut ranges, mut at) = (Vec::new(), 0);
        for halo in &share.halos {
            let begin = at;
            for face in halo.faces(direction, level) {
                let ((slot, own), curved) = (halo.sent[face], halo.curved[face]);
                let number = match direction {
                    Direction::Sent => 4 * slot as usize + usize::from(own),
                    Direction::Received => halo.first + face,
                };
                let list = &mut lists[usize::from(curved)];
                list.0.push((number - if curved { first_curved } else { 0 }) as i32);
                list.1.push(i32::from(halo.writer_levels(direction)[face]));
                list.2.push(at as i64);
                at += face_values(plan, curved);
            }
            ranges.push(begin..at);
        }
        let mut faces = Vec::new();
        for (curved, (numbers, levels, starts)) in [false, true].into_iter().zip(&lists) {
            if !numbers.is_empty() {
                faces.push(Faces {
                    curved,
                    numbers: gpu.upload(numbers)?,
                    levels: gpu.upload(levels)?,
                    starts: gpu.upload(starts)?,
                    values: face_values(plan, curved),
                });
            }
        }
        Ok(Self { faces, ranges, packed: gpu.alloc(at)?, staging: gpu.staging(at)? })
    }
}
