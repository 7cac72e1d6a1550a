//! Physical and mathematical constants, in SI units.

use std::f64::consts::PI;

/// Speed of light in vacuum, m/s; exact by the definition of the meter.
pub const C0: f64 = 299_792_458.0;
/// Vacuum permeability, H/m (CODATA 2018).
pub const MU0: f64 = 1.256_637_062_12e-6;
/// Vacuum permittivity, F/m, from ε₀ = 1/(μ₀c²).
// Derived, not tabulated: ε₀μ₀c² = 1 and η₀ = √(μ₀/ε₀) then hold to rounding.
pub const EPS0: f64 = 1.0 / (MU0 * C0 * C0);
/// Wave impedance of vacuum, Ω, from η₀ = μ₀c.
pub const ETA0: f64 = MU0 * C0;
/// e^C with C Euler's constant 0.5772156649015329: the γ of the small-argument form of Y₀.
pub const EXP_EULER: f64 = 1.781_072_417_990_198;

/// Wavenumber k = 2πf/c, rad/m.
///
/// ```
/// let k = phasefront_core::constants::wavenumber(299_792_458.0);
/// assert!((k - 2.0 * std::f64::consts::PI).abs() < 1e-15);
/// ```
pub fn wavenumber(frequency: f64) -> f64 {
    2.0 * PI * frequency / C0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vacuum_constants_agree_with_codata() {
        // CODATA 2018: ε₀ = 8.8541878128(13)e-12 F/m, Z₀ = 376.730313668(57) Ω.
        assert!((EPS0 / 8.854_187_812_8e-12 - 1.0).abs() < 1e-10);
        assert!((ETA0 / 376.730_313_668 - 1.0).abs() < 1e-11);
    }
}
