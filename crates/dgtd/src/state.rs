//! Fields and auxiliary unknowns by element, so that a state does not depend on the device, its layout, and the division among ranks.

use crate::ade;
use crate::domain::Domain;
use crate::error::DgtdError;
use crate::plan::{LANES, NO_SLOT, Plan};
use bytemuck::Pod;
use std::collections::HashMap;
use std::ops::Range;

/// Fields and auxiliary unknowns by slot, or their rates.
pub type Register<T> = (Vec<T>, Vec<T>);

/// Where the values of each element are in arrays by slot: of the fields, [slot][6 × node], and of the auxiliary unknowns of one section
/// after the other, [slot][unknown × node], and behind them the states of sheets.
pub struct Elements {
    /// For each element in the order of the mesh: first field, unknowns, states of its sheets.
    at: Vec<(usize, Range<usize>, Range<usize>)>,
    /// Fields of an element.
    fields: usize,
    /// Fields and unknowns, and with local steps their rates at three steps.
    registers: usize,
}

impl Elements {
    /// The elements of a plan, with the states of the sheets of some and so many registers.
    pub fn new(
        plan: &Plan,
        domain: &Domain,
        sheets: impl Iterator<Item = (u32, Range<usize>)>,
        registers: usize,
    ) -> Self {
        let nodes = plan.element.len();
        let (mut of_block, mut first) = (Vec::with_capacity(plan.blocks()), 0);
        for section in &plan.sections {
            let per = nodes * ade::unknowns(plan.poles, domain, section.kind);
            for _ in section.blocks.clone() {
                of_block.push((first, per));
                first += LANES * per;
            }
        }
        // The faces of an element follow each other.
        let mut states: HashMap<u32, Range<usize>> = HashMap::new();
        for (tet, range) in sheets {
            let of = states.entry(tet).or_insert(first + range.start..first + range.start);
            of.end = first + range.end;
        }
        let here = (0..).zip(&plan.slot_of).filter(|(_, slot)| **slot != NO_SLOT);
        let at = here.map(|(tet, &slot)| {
            let (slot, (first, per)) = (slot as usize, of_block[slot as usize / LANES]);
            let unknown = first + slot % LANES * per;
            (slot * 6 * nodes, unknown..unknown + per, states.get(&tet).cloned().unwrap_or(0..0))
        });
        Self { at: at.collect(), fields: 6 * nodes, registers }
    }

    /// Values of all elements.
    pub fn values(&self) -> usize {
        self.registers
            * self
                .at
                .iter()
                .map(|(_, unknowns, states)| self.fields + unknowns.len() + states.len())
                .sum::<usize>()
    }

    /// The values in the bytes of a state; a state of another mesh, order or precision has another length.
    pub fn read<T: Pod>(&self, state: &[u8]) -> Result<Vec<T>, DgtdError> {
        let expected = self.values() * size_of::<T>();
        if state.len() != expected {
            return Err(DgtdError::WrongState(format!("it has {} bytes instead of {expected}", state.len())));
        }
        Ok(bytemuck::pod_collect_to_vec(state))
    }

    /// From arrays by slot, of fields and unknowns in each register, to the order of the mesh, as the bytes of a state.
    pub fn gather<T: Pod>(&self, registers: &[Register<T>]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.values() * size_of::<T>());
        for (field, unknowns, states) in &self.at {
            for (fields, ade) in registers {
                bytes.extend_from_slice(bytemuck::cast_slice(&fields[*field..field + self.fields]));
                bytes.extend_from_slice(bytemuck::cast_slice(&ade[unknowns.clone()]));
                bytes.extend_from_slice(bytemuck::cast_slice(&ade[states.clone()]));
            }
        }
        bytes
    }

    /// The inverse; slots without an element stay as they are.
    pub fn scatter<T: Copy>(&self, values: &[T], registers: &mut [Register<T>]) {
        let mut rest = values;
        let mut take = |target: &mut [T]| {
            let (now, later) = rest.split_at(target.len());
            target.copy_from_slice(now);
            rest = later;
        };
        for (field, unknowns, states) in &self.at {
            for (fields, ade) in &mut *registers {
                take(&mut fields[*field..field + self.fields]);
                take(&mut ade[unknowns.clone()]);
                take(&mut ade[states.clone()]);
            }
        }
    }
}
