//! The division of a mesh among ranks, by the work that its elements take.

use crate::domain::mesh_error_at;
use crate::error::DgtdError;
use crate::kind::Kind;
use crate::study::Study;
use phasefront_mesh::partition::{Graph, integer_weights, partition};

/// Seed of the partition: the same mesh is always divided in the same way.
const SEED: u64 = 1;

impl Study {
    /// The rank of each tetrahedron. Every rank gets the same work, and few faces lie between ranks; periodic sides are joined.
    pub(crate) fn partition(&self, ranks: usize) -> Result<Vec<u32>, DgtdError> {
        let kinds = &self.kinds.of;
        let weights = if self.clusters.is_local() {
            // Local steps are as many as they are short.
            let cost = |(tet, kind): (usize, &Kind)| {
                f64::from(kind.work()) / f64::from(self.clusters.level(tet)).exp2()
            };
            integer_weights(&kinds.iter().enumerate().map(cost).collect::<Vec<f64>>())
        } else {
            kinds.iter().map(|kind| kind.work()).collect()
        };
        let wrong = |error| mesh_error_at("geometry.mesh")(error);
        let graph = Graph::dual(&self.domain.faces, weights, &[]).map_err(wrong)?;
        Ok(partition(&graph, ranks, SEED).map_err(wrong)?.part_of)
    }
}
