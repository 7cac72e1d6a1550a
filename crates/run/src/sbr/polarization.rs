//! The four elements of a polarimetric scattering matrix by name.

use num_complex::Complex64;
use phasefront_sbr::ScatteringMatrix;

/// Selects one element of a scattering matrix.
pub(super) type Pick = fn(&ScatteringMatrix) -> Complex64;

/// The four polarizations, the receiver's first.
pub(super) const POLARIZATIONS: [(&str, Pick); 4] =
    [("vv", |s| s.vv), ("vh", |s| s.vh), ("hv", |s| s.hv), ("hh", |s| s.hh)];
