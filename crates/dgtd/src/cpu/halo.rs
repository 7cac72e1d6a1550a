//! Traces that are exchanged with other ranks.

use super::engine::Cpu;
use super::float::Float;
use crate::plan::LANES;
use crate::share::face_values;

impl<T: Float> Cpu<'_, T> {
    /// The traces of the faces that another rank reads, face after face.
    pub(super) fn pack_traces(&self, halo: usize, bytes: &mut [u8]) {
        let halo = &self.share.halos[halo];
        let mut rest = bytes;
        for (&(slot, face), &curved) in halo.sent.iter().zip(&halo.curved) {
            let (start, values) = self.trace(4 * slot as usize + usize::from(face), curved);
            let (now, later) = rest.split_at_mut(values * size_of::<T>());
            let traces = if curved { &self.point_traces[0] } else { &self.traces[0] };
            for (i, bytes) in now.chunks_exact_mut(size_of::<T>()).enumerate() {
                bytes.copy_from_slice(bytemuck::bytes_of(&traces[start + i * LANES]));
            }
            rest = later;
        }
    }

    /// The traces that another rank has sent, into the slots behind those of the elements.
    pub(super) fn unpack_traces(&mut self, halo: usize, bytes: &[u8]) {
        let halo = &self.share.halos[halo];
        let mut rest = bytes;
        for (i, &curved) in halo.curved.iter().enumerate() {
            let (start, values) = self.trace(halo.first + i, curved);
            let (now, later) = rest.split_at(values * size_of::<T>());
            let traces = if curved { &mut self.point_traces[0] } else { &mut self.traces[0] };
            for (i, bytes) in now.chunks_exact(size_of::<T>()).enumerate() {
                traces[start + i * LANES] = bytemuck::pod_read_unaligned(bytes);
            }
            rest = later;
        }
    }

    /// Start of the trace of a face in [block][face][value][lane], and its values: at nodes, or at the quadrature points of a curved face.
    fn trace(&self, face: usize, curved: bool) -> (usize, usize) {
        let values = face_values(&self.share.plan, curved);
        let (slot, face) = (face / 4, face % 4);
        let block = slot / LANES - if curved { self.curved_tables.first } else { 0 };
        ((block * 4 + face) * values * LANES + slot % LANES, values)
    }
}
