//! Fields and auxiliary unknowns by element, so that a state does not depend on the device, its layout, and the division among ranks.

use crate::ade;
use crate::domain::Domain;
use crate::error::DgtdError;
use crate::plan::{LANES, NO_SLOT, Plan};
use bytemuck::Pod;

/// Fields and auxiliary unknowns by slot, or their rates.
pub type Register<T> = (Vec<T>, Vec<T>);

/// Where the values of each element are in arrays by slot: of the fields, [slot][6 × node], and of the auxiliary unknowns of one section
/// after the other, [slot][unknown × node].
pub struct Elements {
    /// For each element in the order of the mesh: first field, first unknown, number of unknowns.
    at: Vec<(usize, usize, usize)>,
    /// Fields of an element.
    fields: usize,
    /// Fields and unknowns, and with local steps their rates at three steps.
    registers: usize,
}

impl Elements {
    /// The elements of a plan, with so many registers.
    pub fn new(plan: &Plan, domain: &Domain, registers: usize) -> Self {
        let nodes = plan.element.len();
        let (mut of_block, mut first) = (Vec::with_capacity(plan.blocks()), 0);
        for section in &plan.sections {
            let per = nodes * ade::unknowns(plan.poles, domain, section.kind);
            for _ in section.blocks.clone() {
                of_block.push((first, per));
                first += LANES * per;
            }
        }
        let slots = plan.slot_of.iter().filter(|slot| **slot != NO_SLOT);
        let at = slots.map(|&slot| {
            let (slot, (first, per)) = (slot as usize, of_block[slot as usize / LANES]);
            (slot * 6 * nodes, first + slot % LANES * per, per)
        });
        Self { at: at.collect(), fields: 6 * nodes, registers }
    }

    /// Values of all elements.
    pub fn values(&self) -> usize {
        self.registers * self.at.iter().map(|(_, _, unknowns)| self.fields + unknowns).sum::<usize>()
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
        for &(field, unknown, count) in &self.at {
            for (fields, ade) in registers {
                bytes.extend_from_slice(bytemuck::cast_slice(&fields[field..field + self.fields]));
                bytes.extend_from_slice(bytemuck::cast_slice(&ade[unknown..unknown + count]));
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
        for &(field, unknown, count) in &self.at {
            for (fields, ade) in &mut *registers {
                take(&mut fields[field..field + self.fields]);
                take(&mut ade[unknown..unknown + count]);
            }
        }
    }
}
