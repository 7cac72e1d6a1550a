//! Quantities with units: `"10 GHz"`, `"3 mm"`, `"45 deg"`.
//!
//! A [`Quantity`] remembers the unit it was written in, so that it prints back as the user wrote it, and gives
//! its SI value to the physics. A bare number is SI, except for angles, which always carry a unit.

mod bytes;
mod quantity;
mod serial;
mod sweep;

pub use bytes::bytes_text;
pub use quantity::{
    Angle, AngleDim, Capacitance, CapacitanceDim, Conductivity, ConductivityDim, Dimension, Frequency,
    FrequencyDim, Inductance, InductanceDim, Length, LengthDim, Quantity, QuantityError, Resistance,
    ResistanceDim, Scale, Time, TimeDim, Unit,
};
pub use serial::{complaint, split_advice};
pub use sweep::{MAX_SWEEP_POINTS, Range, Sweep};
