//! One stage over a run of blocks: rates, what each kind of element adds, the step, and the new traces.

use super::ade::Extra;
use super::curved::{CurvedPart, Room};
use super::curved_tables::Bends;
use super::stage::Stage;
use super::straight::{Part, Scratch};
use super::tables::Tables;
use crate::plan::LANES;
use phasefront_core::simd::{Simd, SimdReal, WithSimd};

/// What sources add in one stage to the elements of a block.
#[derive(Default, Clone)]
pub struct BlockDrive<T> {
    /// Lane, position in the traces of the block, amount: added to d.
    pub faces: Vec<(u8, u32, T)>,
    /// The same at points of curved faces.
    pub points: Vec<(u8, u32, T)>,
    /// Lane, component times nodes plus node, amount: added to the rates.
    pub rates: Vec<(u8, u32, T)>,
}

/// What curved elements have besides.
pub struct Curved<'a, T> {
    pub bends: &'a Bends<T>,
    /// All traces at points, of the stage before.
    pub traces: &'a [T],
    /// Those of these blocks, of this stage.
    pub new_traces: &'a mut [T],
}

/// A run of blocks that one thread works on.
pub struct Sweep<'a, T> {
    pub tables: &'a Tables<T>,
    pub stage: Stage<T>,
    /// The first block, counted over the whole mesh.
    pub first: usize,
    pub fields: &'a mut [T],
    pub increments: &'a mut [T],
    /// All traces, of the stage before.
    pub traces: &'a [T],
    /// The traces of these blocks, of this stage.
    pub new_traces: &'a mut [T],
    /// What curved elements have besides.
    pub curved: Option<Curved<'a, T>>,
    /// What the kind of these elements needs besides.
    pub extra: Extra<'a, T>,
    /// Sources, one entry per block; none where there are none.
    pub drive: &'a [BlockDrive<T>],
}

impl<T: SimdReal> WithSimd for Sweep<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let tables = self.tables;
        let (block_len, trace_len) = (tables.block_len(), tables.trace_len());
        let mut scratch = Scratch::new(tables);
        let mut room = self.curved.as_ref().map(|curved| Room::new(tables, curved.bends));
        let nothing = BlockDrive::default();
        for at in 0..self.fields.len() / block_len {
            let q = &mut self.fields[at * block_len..(at + 1) * block_len];
            let drive = self.drive.get(at).unwrap_or(&nothing);
            for part in 0..LANES / T::simd_lanes::<S>() {
                let work = Part::new(simd, tables, self.first + at, part);
                // Scattered numbers first: they arrive while others are computed.
                work.gather(self.traces, &mut scratch);
                work.covariant(q, &mut scratch);
                work.jumps(q, &mut scratch);
                add(&drive.faces, part, T::simd_lanes::<S>(), &mut scratch.jumps);
                if let (Some(curved), Some(room)) = (&self.curved, &mut room) {
                    let work = CurvedPart::new(work, curved.bends);
                    work.load(q, room);
                    work.jumps(curved.traces, room);
                    add(&drive.points, part, T::simd_lanes::<S>(), &mut room.jumps);
                    work.rates(&mut scratch, room);
                } else {
                    work.rates(q, &mut scratch);
                }
            }
            for &(lane, position, amount) in &drive.rates {
                scratch.rates[position as usize * LANES + usize::from(lane)] += amount;
            }
            let increments = &mut self.increments[at * block_len..(at + 1) * block_len];
            self.extra.advance(at, tables.nodes, self.stage, q, increments, &mut scratch.rates);
            let new = &mut self.new_traces[at * trace_len..(at + 1) * trace_len];
            for part in 0..LANES / T::simd_lanes::<S>() {
                let work = Part::new(simd, tables, self.first + at, part);
                work.traces(q, new);
                if let (Some(curved), Some(room)) = (&mut self.curved, &mut room) {
                    let len = curved.bends.trace_len();
                    let work = CurvedPart::new(work, curved.bends);
                    work.load(q, room);
                    work.traces(room, &mut curved.new_traces[at * len..(at + 1) * len]);
                }
            }
        }
    }
}

/// Adds sources to values of one part of a block.
#[inline(always)]
fn add<T: SimdReal>(amounts: &[(u8, u32, T)], part: usize, lanes: usize, values: &mut [T]) {
    for &(lane, position, amount) in amounts {
        let lane = usize::from(lane);
        if lane / lanes == part {
            values[position as usize * lanes + lane % lanes] += amount;
        }
    }
}
