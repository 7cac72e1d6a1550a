//! One stage over a run of blocks: rates, ADE, Runge-Kutta update, new traces.

use super::ade::Ade;
use super::curved::{CurvedScratch, CurvedVector};
use super::curved_tables::CurvedTables;
use super::stage::{Registers, Stage};
use super::straight::{ElementVector, Scratch};
use super::tables::Tables;
use crate::plan::LANES;
use phasefront_core::simd::{Simd, SimdReal, WithSimd};

/// Sources of one stage in the elements of a block.
#[derive(Default, Clone)]
pub struct BlockSources<T> {
    /// Lane, index in the traces of the block, value: added to d.
    pub faces: Vec<(u8, u32, T)>,
    /// The same at points of curved faces.
    pub points: Vec<(u8, u32, T)>,
    /// Lane, component times nodes plus node, value: added to the rates.
    pub rates: Vec<(u8, u32, T)>,
}

impl<T> BlockSources<T> {
    /// Removes all sources, and keeps their memory.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.points.clear();
        self.rates.clear();
    }
}

/// Data of curved elements.
pub struct Curved<'a, T> {
    pub tables: &'a CurvedTables<T>,
    /// All traces at quadrature points, at the time of this stage.
    pub traces: &'a [T],
    /// Those of these blocks, at its end.
    pub new_traces: &'a mut [T],
    /// And halfway.
    pub halfway_traces: &'a mut [T],
}

/// A run of blocks that one thread works on.
pub struct Sweep<'a, T> {
    pub tables: &'a Tables<T>,
    pub stage: Stage<T>,
    /// The first block, counted over the whole mesh.
    pub first: usize,
    pub fields: &'a mut [T],
    /// What is kept of their rates.
    pub registers: Registers<'a, T>,
    /// All traces, at the time of this stage.
    pub traces: &'a [T],
    /// The traces of these blocks, at its end.
    pub new_traces: &'a mut [T],
    /// Their traces halfway, for neighbors with shorter steps; empty if there are none.
    pub halfway_traces: &'a mut [T],
    /// Data of curved elements.
    pub curved: Option<Curved<'a, T>>,
    /// Auxiliary unknowns of these elements.
    pub ade: Ade<'a, T>,
    /// Sources, one entry per block; empty if there are none.
    pub sources: &'a [BlockSources<T>],
}

impl<T: SimdReal> WithSimd for Sweep<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let tables = self.tables;
        let (block_len, trace_len) = (tables.block_len(), tables.trace_len());
        // Temporaries of one block, reused for all blocks of the run: they stay in the cache.
        let mut scratch = Scratch::new(tables);
        let mut curved_scratch = self.curved.as_ref().map(|curved| CurvedScratch::new(tables, curved.tables));
        // `sources` is empty when no block has any.
        let nothing = BlockSources::default();
        let mut halfway = vec![T::default(); if self.halfway_traces.is_empty() { 0 } else { block_len }];
        for at in 0..self.fields.len() / block_len {
            let q = &mut self.fields[at * block_len..(at + 1) * block_len];
            let sources = self.sources.get(at).unwrap_or(&nothing);
            for part in 0..LANES / T::simd_lanes::<S>() {
                let work = ElementVector::new(simd, tables, self.first + at, part);
                // Scattered loads first: they complete while other work is done.
                work.gather(self.traces, &mut scratch);
                work.covariant(q, &mut scratch);
                work.jumps(q, &mut scratch);
                add(&sources.faces, part, T::simd_lanes::<S>(), &mut scratch.jumps);
                if let (Some(curved), Some(curved_scratch)) = (&self.curved, &mut curved_scratch) {
                    let work = CurvedVector::new(work, curved.tables);
                    work.load(q, curved_scratch);
                    work.jumps(curved.traces, curved_scratch);
                    add(&sources.points, part, T::simd_lanes::<S>(), &mut curved_scratch.jumps);
                    work.rates(&mut scratch, curved_scratch);
                } else {
                    work.rates(q, &mut scratch);
                }
            }
            // Dipoles: −J/ε projected on the nodes.
            for &(lane, position, amount) in &sources.rates {
                scratch.rates[position as usize * LANES + usize::from(lane)] += amount;
            }
            // In place: other blocks read the traces of this one, never its fields.
            self.ade.advance(at, tables.nodes, self.stage, q, &mut scratch.rates);
            let registers = self.registers.part(at * block_len, block_len);
            if !halfway.is_empty() {
                self.stage.halfway(q, registers.before, &scratch.rates, &mut halfway);
            }
            // The fields come last: the equations above use their values at the start of the stage.
            self.stage.advance(q, registers, &scratch.rates);
            let range = at * trace_len..(at + 1) * trace_len;
            let both = [
                (&*q, Some(&mut self.new_traces[range.clone()]), false),
                (&halfway[..], self.halfway_traces.get_mut(range), true),
            ];
            for (fields, new, is_halfway) in both {
                let Some(new) = new else { continue };
                for part in 0..LANES / T::simd_lanes::<S>() {
                    let work = ElementVector::new(simd, tables, self.first + at, part);
                    work.traces(fields, new);
                    if let (Some(curved), Some(curved_scratch)) = (&mut self.curved, &mut curved_scratch) {
                        let len = curved.tables.trace_len();
                        let new =
                            if is_halfway { &mut curved.halfway_traces } else { &mut curved.new_traces };
                        let work = CurvedVector::new(work, curved.tables);
                        work.load(fields, curved_scratch);
                        work.traces(curved_scratch, &mut new[at * len..(at + 1) * len]);
                    }
                }
            }
        }
    }
}

/// Adds sources to the values of one vector of a block.
#[inline(always)]
fn add<T: SimdReal>(amounts: &[(u8, u32, T)], part: usize, lanes: usize, values: &mut [T]) {
    for &(lane, position, amount) in amounts {
        let lane = usize::from(lane);
        // Sources are given by lane of the block; a vector holds `lanes` of them.
        if lane / lanes == part {
            values[position as usize * lanes + lane % lanes] += amount;
        }
    }
}
