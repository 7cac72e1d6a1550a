//! Fields and auxiliary unknowns by element, so that a state does not depend on the device, its layout, and the division among ranks.

use crate::ade;
use crate::domain::Domain;
use crate::error::DgtdError;
use crate::plan::{LANES, NO_SLOT, Plan};
use bytemuck::Pod;

/// Interleaved values, [block][number][lane], as [slot][number].
pub fn by_slot<T: Copy>(values: &[T], slots: usize, lanes: usize) -> Vec<T> {
    let per = values.len() / slots.max(1);
    let at = |slot: usize, i: usize| values[(slot / lanes * per + i) * lanes + slot % lanes];
    (0..slots).flat_map(|slot| (0..per).map(move |i| at(slot, i))).collect()
}

/// The inverse of [`by_slot`].
pub fn by_lane<T: Copy>(values: &[T], slots: usize, lanes: usize) -> Vec<T> {
    let per = values.len() / slots.max(1);
    let block = |block: usize| {
        (0..per).flat_map(move |i| (0..lanes).map(move |lane| values[(block * lanes + lane) * per + i]))
    };
    (0..slots / lanes).flat_map(block).collect()
}

/// Where the values of each element are in arrays by slot: of the fields, [slot][6 × node], and of the auxiliary unknowns of one section
/// after the other, [slot][unknown × node].
pub struct Elements {
    /// For each element in the order of the mesh: first field, first unknown, number of unknowns.
    at: Vec<(usize, usize, usize)>,
    /// Fields of an element.
    fields: usize,
}

impl Elements {
    /// The elements of a plan.
    pub fn new(plan: &Plan, domain: &Domain) -> Self {
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
        Self { at: at.collect(), fields: 6 * nodes }
    }

    /// Values of all elements.
    pub fn values(&self) -> usize {
        self.at.iter().map(|(_, _, unknowns)| self.fields + unknowns).sum()
    }

    /// The values in the bytes of a state; a state of another mesh, order or precision has another length.
    pub fn read<T: Pod>(&self, state: &[u8]) -> Result<Vec<T>, DgtdError> {
        let expected = self.values() * size_of::<T>();
        if state.len() != expected {
            return Err(DgtdError::WrongState(format!("it has {} bytes instead of {expected}", state.len())));
        }
        Ok(bytemuck::pod_collect_to_vec(state))
    }

    /// From arrays by slot to the order of the mesh.
    pub fn gather<T: Copy>(&self, fields: &[T], ade: &[T]) -> Vec<T> {
        let mut values = Vec::with_capacity(self.values());
        for &(field, unknown, count) in &self.at {
            values.extend_from_slice(&fields[field..field + self.fields]);
            values.extend_from_slice(&ade[unknown..unknown + count]);
        }
        values
    }

    /// The inverse; slots without an element stay as they are.
    pub fn scatter<T: Copy>(&self, values: &[T], fields: &mut [T], ade: &mut [T]) {
        let mut rest = values;
        let mut take = |target: &mut [T]| {
            let (now, later) = rest.split_at(target.len());
            target.copy_from_slice(now);
            rest = later;
        };
        for &(field, unknown, count) in &self.at {
            take(&mut fields[field..field + self.fields]);
            take(&mut ade[unknown..unknown + count]);
        }
    }
}
