//! Traces that are exchanged with other ranks.

use super::engine::CpuEngine;
use super::float::Float;
use super::sheet_tables::trace_start;
use crate::plan::LANES;
use crate::share::{Direction, face_values};

impl<T: Float> CpuEngine<'_, T> {
    /// The traces of the faces that another rank reads in the next stage, face after face.
    pub(super) fn pack_traces(&self, halo: usize, bytes: &mut [u8]) {
        let (share, clusters) = (self.share, &self.share.study.clusters);
        let halo = &share.halos[halo];
        let mut rest = bytes;
        for face in halo.faces(Direction::Sent, clusters.last_due(self.next)) {
            let ((slot, f), curved) = (halo.sent[face], halo.curved[face]);
            let (start, values) = self.trace(4 * slot as usize + usize::from(f), curved);
            let (now, later) = rest.split_at_mut(values * size_of::<T>());
            let tet = share.plan.tets[slot as usize].map_or(0, |tet| tet as usize);
            let buffer = if clusters.is_due(clusters.level(tet), self.next) { 0 } else { 2 };
            let traces = if curved { &self.point_traces[buffer] } else { &self.traces[buffer] };
            for (i, bytes) in now.chunks_exact_mut(size_of::<T>()).enumerate() {
                bytes.copy_from_slice(bytemuck::bytes_of(&traces[start + i * LANES]));
            }
            rest = later;
        }
    }

    /// The traces that another rank has sent, into the slots behind those of the elements.
    pub(super) fn unpack_traces(&mut self, halo: usize, bytes: &[u8]) {
        let clusters = &self.share.study.clusters;
        let halo = &self.share.halos[halo];
        // Runge-Kutta stages exchange the buffers before they read.
        let buffer = usize::from(clusters.is_local());
        let mut rest = bytes;
        for face in halo.faces(Direction::Received, clusters.last_due(self.next)) {
            let curved = halo.curved[face];
            let (start, values) = self.trace(halo.first + face, curved);
            let (now, later) = rest.split_at(values * size_of::<T>());
            let traces = if curved { &mut self.point_traces[buffer] } else { &mut self.traces[buffer] };
            for (i, bytes) in now.chunks_exact(size_of::<T>()).enumerate() {
                traces[start + i * LANES] = bytemuck::pod_read_unaligned(bytes);
            }
            rest = later;
        }
    }

    /// Start of the trace of a face in [block][face][value][lane], and its values: at nodes, or at the quadrature points of a curved face.
    fn trace(&self, face: usize, curved: bool) -> (usize, usize) {
        let values = face_values(&self.share.plan, curved);
        (trace_start(face, values, if curved { self.curved_tables.first } else { 0 }), values)
    }
}
