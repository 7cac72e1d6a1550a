//! The polarimetric scattering matrix.

use num_complex::Complex64;

/// Elements of a scattering matrix during summation: vv, vh, hv, hh, the receiver's polarization first.
pub(crate) type Amplitudes = [Complex64; 4];

/// Polarimetric scattering matrix S = E_s r e^{jkr}/E_i in meters, with phases referred to the origin of the mesh coordinates. The
/// first letter is the receiver's polarization, the second the transmitter's: v along θ̂, h along φ̂ of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScatteringMatrix {
    /// S_θθ.
    pub vv: Complex64,
    /// S_θφ.
    pub vh: Complex64,
    /// S_φθ.
    pub hv: Complex64,
    /// S_φφ.
    pub hh: Complex64,
}
