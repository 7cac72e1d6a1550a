//! Foundations shared by all solvers: units, constants, special functions, quadrature, SIMD dispatch, decibels, progress and message text.
//!
//! Conventions: SI units, time dependence e^{+jωt}, spherical coordinates with θ from +z and φ from +x.

#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod constants;
pub mod decibels;
mod exact_sum;
mod field_error;
mod progress;
pub mod quadrature;
mod real;
mod self_check;
pub mod simd;
pub mod special;
mod stage_times;
pub mod text;
pub mod units;
mod vec3;

pub use exact_sum::ExactSum;
pub use field_error::FieldError;
pub use progress::{Event, Frame, Interrupted, Progress, Sink, Stage};
pub use real::{Precision, Real};
pub use self_check::{Bound, SelfCheck};
pub use stage_times::{StageTimes, timed};
pub use units::{
    Angle, Capacitance, Conductivity, Frequency, Inductance, Length, Quantity, Resistance, Sweep, Time,
};
pub use vec3::CVec3;
