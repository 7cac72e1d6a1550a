//! What the two formats of GRASP share: components and the normalization of fields.
//!
//! Sources: the descriptions of the `.cut` and `.grd` formats in the documentation of grasp2alm, which follows TICRA's manual; "Definition
//! and Normalization of Field Components" in pyticra; the source of TicraUtilities.jl, which converts between the components.
//!
//! - E = E_SI/(k √(2ζ)), and a far field is k r E without e^{−jkr}: it is r E_SI/√(2ζ), and |E|² is the radiation intensity in W/sr.
//!   A source of 4π W, which GRASP normalizes to, has |E|² equal to its directivity. Nothing in a file tells its power.
//! - e^{+jωt}, inferred from TicraUtilities.jl and not read in TICRA's manual: it shifts a pattern by dz along z with the factor
//!   e^{+jk dz cos θ}, and its right-handed unit vector is (e_co − j e_cx)/√2, which is right-handed by the IEEE for e^{+jωt} only. So
//!   nothing is conjugated. (Feko's manual says that GRASP assumes another time dependence, but of coefficients of spherical waves, which
//!   are not read here.)
//! - ICOMP 1 is E_θ, E_φ; 2 is E_rhc, E_lhc; 3 is E_co, E_cx with e_co = cos φ θ̂ − sin φ φ̂. Others are ratios and axes without phase.
//! - NCOMP 3 has a radial component: a near field.

use super::text::Reader;
use crate::error::PatternError;
use crate::polarization::{linear, ludwig3};
use num_complex::Complex64;
use phasefront_core::constants::ETA0;

/// Names of the components ICOMP 4 to 9.
const WITHOUT_PHASE: [&str; 6] = [
    "major and minor axis of the polarization ellipse",
    "a cross-polar discrimination",
    "a cross-polar discrimination",
    "a cross-polar discrimination",
    "ratio of major and minor axis",
    "total power and the ratio of circular components",
];

/// Components of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Components {
    ThetaPhi,
    Circular,
    Ludwig3,
}

impl Components {
    /// From ICOMP and NCOMP of the current line.
    pub fn read(reader: &Reader, icomp: f64, ncomp: f64) -> Result<Self, PatternError> {
        match reader.integer(ncomp, "NCOMP")? {
            2 => {}
            3 => return Err(reader.unsupported("NCOMP = 3, a near field", "export the far field")),
            other => {
                return Err(
                    reader.unsupported(format!("NCOMP = {other}"), "export two components: NCOMP = 2")
                );
            }
        }
        match reader.integer(icomp, "ICOMP")? {
            1 => Ok(Self::ThetaPhi),
            2 => Ok(Self::Circular),
            3 => Ok(Self::Ludwig3),
            other => {
                let name = usize::try_from(other).ok().and_then(|n| WITHOUT_PHASE.get(n.wrapping_sub(4)));
                let name = name.map_or(String::new(), |name| format!(" ({name})"));
                let advice =
                    "export complex components: ICOMP 1 (theta and phi), 2 (circular) or 3 (Ludwig 3)";
                Err(reader.unsupported(format!("ICOMP = {other}{name}"), advice))
            }
        }
    }

    /// [r E_θ, r E_φ] in volts at azimuth φ (radians).
    pub fn to_volts(self, field: [Complex64; 2], azimuth: f64) -> [Complex64; 2] {
        let field = match self {
            Self::ThetaPhi => field,
            Self::Circular | Self::Ludwig3 => ludwig3(self.to_ludwig3(field, azimuth), -azimuth),
        };
        field.map(|component| component * (2.0 * ETA0).sqrt())
    }

    /// [E_co, E_cx], which are smooth on the axis.
    pub fn to_ludwig3(self, field: [Complex64; 2], azimuth: f64) -> [Complex64; 2] {
        match self {
            Self::ThetaPhi => ludwig3(field, azimuth),
            Self::Circular => linear(field),
            Self::Ludwig3 => field,
        }
    }
}

/// A rectangular grid of a `.grd` file in its own components; samples outside the limits of a row are missing.
pub(super) struct Grid {
    pub line: usize,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub fields: Vec<Option<[Complex64; 2]>>,
}

/// [E_θ, E_φ] of GRASP from volts.
pub(super) fn from_volts(field: [Complex64; 2]) -> [Complex64; 2] {
    field.map(|component| component / (2.0 * ETA0).sqrt())
}
