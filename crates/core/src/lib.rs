//! What every Phasefront solver shares: units, constants, special functions, quadrature and progress.
//!
//! SI units inside, time convention e^{+jωt}, spherical θ from +z and φ from +x.

pub mod constants;
mod field_error;
mod progress;
pub mod quadrature;
mod real;
pub mod simd;
pub mod special;
mod stage_times;
pub mod units;
mod vec3;
pub mod words;

pub use field_error::FieldError;
pub use progress::{Event, Frame, Interrupted, Progress, Sink, Stage};
pub use real::{Precision, Real};
pub use stage_times::{StageTimes, timed};
pub use units::{Angle, Conductivity, Frequency, Length, Quantity, Resistance, Sweep, Time};
pub use vec3::CVec3;
