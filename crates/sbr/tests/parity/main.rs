//! Every device must give what the CPU gives.

mod devices;
mod kdtree;

use phasefront_sbr::KernelConfig;

/// Kernels for conductors, one frequency and one monostatic receiver.
fn plain() -> KernelConfig {
    KernelConfig {
        bounces: 5,
        frequencies: 1,
        receivers: 1,
        stack: 64,
        layers: None,
        weights: [1.0, 1.0],
        shadow: false,
        by_facet: false,
        kd_tree: None,
    }
}
