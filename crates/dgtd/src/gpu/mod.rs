//! Fields on a GPU: the kernels in `kernels/`, one launch per stage for straight elements, and one for curved ones.

mod ade;
mod curved;
mod curved_tables;
mod engine;
mod halo;
mod halo_tables;
mod layout;
mod monitors;
mod sheet_tables;
mod sheets;
mod sources;
mod split;
mod straight;
mod tables;

pub use engine::GpuEngine;
pub use layout::{
    HALO_KERNELS, KernelLayout, MONITOR_KERNELS, SplitKernel, Variant, monitor_defines, sheet_kernels,
};
pub use split::fastest_split;
pub use tables::GpuReal;
