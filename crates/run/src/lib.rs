//! One case from file to result folder: the only crate where case files, solvers and reports meet.
//!
//! [`check()`] reads a case and reports the resources that a run needs; [`mesh()`] makes its mesh and describes it; [`run()`] runs it and
//! writes its result folder;
//! [`resume()`] continues an interrupted run; [`demo()`] runs the built-in cases. Each verb has a file of its name. [`SweepPlan`] runs
//! many cases from one.
//! A solver implements the trait of `job.rs` in its adapter (`mom.rs` and `mom/`, ...) and has a row in `registry.rs`.

#![forbid(unsafe_code)]

mod antenna_pattern;
mod assist;
mod check;
mod checkpoint;
mod demo;
mod dgtd;
mod error;
mod expected;
mod format;
mod input;
mod job;
mod memory;
mod mesh;
mod mom;
mod nah;
mod npy;
mod options;
mod parts;
mod ranks;
mod read;
mod reflectarray;
mod registry;
mod resume;
mod run;
mod sbr;
mod sweep;
mod write;

pub use assist::assist;
pub use check::{Plan, check, check_text};
pub use demo::{demo, next_commands};
pub use error::{Kind, RunError};
pub use expected::{Expected, ExpectedCheck, Tier};
pub use memory::{MEMORY_SHARE, MemoryUse};
pub use mesh::{CaseMesh, MeshGroup, mesh};
pub use options::{Format, Options};
pub use phasefront_case::schema;
pub use ranks::Ranks;
pub use read::identify;
pub use registry::{named_template, solvers, template, template_names};
pub use resume::resume;
pub use run::{Outcome, run, run_text};
pub use sweep::{PointState, Shard, Status, SweepPlan};
