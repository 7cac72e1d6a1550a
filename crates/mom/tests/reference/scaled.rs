//! Complex numbers times a power of two, for cylinder functions of high order.

use num_complex::Complex64;
use std::ops::{Add, Div, Mul, Sub};

/// `mantissa` · 2^`exponent`; the larger part of the mantissa is from 0.5 to 1.
#[derive(Debug, Clone, Copy)]
pub struct Scaled {
    mantissa: Complex64,
    exponent: i32,
}

impl Scaled {
    fn new(z: Complex64, exponent: i32) -> Self {
        let (_, shift) = libm::frexp(z.re.abs().max(z.im.abs()));
        Self { mantissa: scale(z, -shift), exponent: exponent + shift }
    }

    /// As an ordinary number.
    pub fn value(self) -> Complex64 {
        scale(self.mantissa, self.exponent)
    }
}

fn scale(z: Complex64, exponent: i32) -> Complex64 {
    Complex64::new(libm::scalbn(z.re, exponent), libm::scalbn(z.im, exponent))
}

impl From<Complex64> for Scaled {
    fn from(z: Complex64) -> Self {
        Self::new(z, 0)
    }
}

impl Mul for Scaled {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Mul<Complex64> for Scaled {
    type Output = Self;
    fn mul(self, other: Complex64) -> Self {
        self * Self::from(other)
    }
}

impl Div for Scaled {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::new(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }
}

impl Add for Scaled {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.mantissa == Complex64::ZERO {
            return other;
        }
        if other.mantissa == Complex64::ZERO {
            return self;
        }
        let exponent = self.exponent.max(other.exponent);
        let part = |x: Self| scale(x.mantissa, x.exponent - exponent);
        Self::new(part(self) + part(other), exponent)
    }
}

impl Sub for Scaled {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * Complex64::from(-1.0)
    }
}
