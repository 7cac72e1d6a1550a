//! Default angles.

use phasefront_core::Angle;

/// Angle in integer degrees, which is also displayed in degrees.
pub(super) fn degrees(value: u16) -> Angle {
    format!("{value} deg").parse().expect("an integer number of degrees is an angle")
}

/// Default rotation, 0 deg.
pub(super) fn no_rotation() -> Angle {
    degrees(0)
}
