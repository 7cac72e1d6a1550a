//! Low-storage Runge-Kutta update of one stage.

use phasefront_core::simd::SimdReal;

/// Coefficients of a stage: increment = A increment + dt rate; field += B increment (Carpenter and Kennedy 1994).
#[derive(Debug, Clone, Copy)]
pub struct Stage<T> {
    pub a: T,
    pub b: T,
    /// c dt, m.
    pub dt: T,
}

impl<T: SimdReal> Stage<T> {
    /// Advances values by their rates.
    #[inline(always)]
    pub fn advance(&self, values: &mut [T], increments: &mut [T], rates: &[T]) {
        for ((value, increment), rate) in values.iter_mut().zip(increments.iter_mut()).zip(rates) {
            *increment = self.a * *increment + self.dt * *rate;
            *value += self.b * *increment;
        }
    }
}
