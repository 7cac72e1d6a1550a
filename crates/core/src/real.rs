//! The two floating-point precisions the solvers run in.

use num_complex::Complex;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Floating-point precision of a solver's bulk data and arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "precision"))]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Single precision (32 bits).
    Single,
    /// Double precision (64 bits).
    #[default]
    Double,
}

impl Precision {
    /// Bytes of one real number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// The C type a kernel uses for `REAL`.
    pub fn c_name(self) -> &'static str {
        match self {
            Self::Single => "float",
            Self::Double => "double",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "single",
            Self::Double => "double",
        })
    }
}

// Sealed: the kernels exist in these two precisions only.
mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`: what generic CPU code may run in.
pub trait Real: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The matching [`Precision`].
    const PRECISION: Precision;
    /// Rounds a double to this precision.
    fn from_f64(x: f64) -> Self;
    /// Widens to double.
    fn to_f64(self) -> f64;
    /// Rounds a complex double to this precision.
    fn complex_from_f64(z: Complex<f64>) -> Complex<Self> {
        Complex { re: Self::from_f64(z.re), im: Self::from_f64(z.im) }
    }
    /// Widens a complex number to double.
    fn complex_to_f64(z: Complex<Self>) -> Complex<f64> {
        Complex { re: z.re.to_f64(), im: z.im.to_f64() }
    }
}

impl Real for f32 {
    const PRECISION: Precision = Precision::Single;
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    const PRECISION: Precision = Precision::Double;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}
