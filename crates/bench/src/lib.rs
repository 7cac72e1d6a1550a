//! Fixed, named workloads of `phasefront bench`.
//!
//! Each row gives a rate in the workload's own unit, and its fraction of a peak rate (copy
//! bandwidth or GEMM) measured in the same process, so that figures from different machines can be
//! compared. Each solver has a module; `workloads.rs` lists them.
//!
//! ```
//! assert!(phasefront_bench::names().contains(&"mom"));
//! ```

#![forbid(unsafe_code)]

mod arithmetic;
mod cores;
mod device;
mod dgtd;
mod error;
mod harness;
mod mom;
mod nah;
mod nufft;
mod python;
mod reflectarray;
mod sbr;
mod workloads;

pub use error::BenchError;
pub use harness::{BenchRow, Speedup};
pub use workloads::{Extras, bench, names};
