//! Angles that defaults are made of.

use phasefront_core::Angle;

/// An angle of whole degrees, so that it prints back as degrees and not as radians.
pub(super) fn degrees(whole: u16) -> Angle {
    format!("{whole} deg").parse().expect("a whole number of degrees is an angle")
}

/// The rotation of a body that is not rotated.
pub(super) fn no_rotation() -> Angle {
    degrees(0)
}
