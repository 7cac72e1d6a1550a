//! The update of one stage: a low-storage Runge-Kutta stage, or a local Adams-Bashforth step.

use phasefront_core::simd::SimdReal;
use std::ops::Range;

/// What a stage does with rates.
#[derive(Debug, Clone, Copy)]
pub enum Stage<T> {
    /// increment = A increment + dt rate; value += B increment (Carpenter and Kennedy 1994).
    RungeKutta {
        a: T,
        b: T,
        /// c dt, m.
        dt: T,
    },
    /// A local step: value += Σ weight_j rate_j, of the rates now and at the three steps before.
    Local {
        /// Of a whole step, times c dt.
        weights: [T; 4],
        /// Of half a step, for neighbors with shorter steps.
        halfway: [T; 3],
    },
}

/// What is kept of earlier rates: increments, or the rates of three steps.
pub struct Registers<'a, T> {
    /// The increments, or the oldest rates, which those of this step replace.
    pub newest: &'a mut [T],
    /// The rates one and two steps before; empty in a Runge-Kutta stage.
    pub before: [&'a [T]; 2],
}

impl<T> Registers<'_, T> {
    /// Those of some values.
    #[inline(always)]
    pub fn part(&mut self, start: usize, len: usize) -> Registers<'_, T> {
        let before = self.before.map(|rates| rates.get(start..start + len).unwrap_or(&[]));
        Registers { newest: &mut self.newest[start..start + len], before }
    }
}

/// The registers in the order of their age: that with the oldest rates takes the newest.
pub(super) fn by_age<T>(
    registers: &mut [impl AsMut<[T]>; 3],
    oldest: usize,
    range: Range<usize>,
) -> Registers<'_, T> {
    let [a, b, c] = registers.each_mut().map(AsMut::as_mut);
    let (newest, first, second) = match oldest {
        0 => (a, c, b),
        1 => (b, a, c),
        _ => (c, b, a),
    };
    let before = [&*first, &*second].map(|rates| rates.get(range.clone()).unwrap_or(&[]));
    Registers { newest: &mut newest[range], before }
}

impl<T: SimdReal> Stage<T> {
    /// Advances values by their rates.
    #[inline(always)]
    pub fn advance(&self, values: &mut [T], registers: Registers<'_, T>, rates: &[T]) {
        let Registers { newest, before: [first, second] } = registers;
        let all = values.iter_mut().zip(newest).zip(rates);
        match *self {
            Self::RungeKutta { a, b, dt } => {
                for ((value, increment), rate) in all {
                    *increment = (a * *increment + dt * rate.flushed()).flushed();
                    *value = (*value + b * *increment).flushed();
                }
            }
            Self::Local { weights: [w0, w1, w2, w3], .. } => {
                for (((value, oldest), rate), (r1, r2)) in all.zip(first.iter().zip(second)) {
                    let rate = rate.flushed();
                    *value = (*value + w0 * rate + w1 * *r1 + w2 * *r2 + w3 * *oldest).flushed();
                    *oldest = rate;
                }
            }
        }
    }

    /// The values halfway through a local step, from those at its start; called before [`Self::advance`].
    #[inline(always)]
    pub fn halfway(&self, values: &[T], before: [&[T]; 2], rates: &[T], out: &mut [T]) {
        let Self::Local { halfway: [w0, w1, w2], .. } = *self else { return };
        let [first, second] = before;
        for (((out, value), rate), (r1, r2)) in
            out.iter_mut().zip(values).zip(rates).zip(first.iter().zip(second))
        {
            *out = (*value + w0 * rate.flushed() + w1 * *r1 + w2 * *r2).flushed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What decays comes to rest where its rate becomes zero, by either scheme, and never is subnormal on its way.
    #[test]
    fn what_decays_comes_to_rest() {
        let schemes = [
            Stage::RungeKutta { a: -0.4_f32, b: 0.4, dt: 1.0 },
            Stage::Local { weights: [1.0, 0.0, 0.0, 0.0], halfway: [0.0; 3] },
        ];
        for scheme in schemes {
            let (mut values, mut newest, zeros) = ([1.0_f32, f32::NAN], [0.0; 2], [0.0; 2]);
            for _ in 0..2000 {
                let rates = values.map(|value| -0.5 * value);
                let registers = Registers { newest: &mut newest, before: [&zeros; 2] };
                scheme.advance(&mut values, registers, &rates);
                assert!(!values[0].is_subnormal() && !newest[0].is_subnormal(), "{values:?}");
            }
            assert!((0.5 * values[0]).flushed() == 0.0 && values[1].is_nan(), "{values:?}");
        }
    }
}
