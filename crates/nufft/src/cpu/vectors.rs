//! SIMD helpers of spreading and interpolation.

use super::scalar::Scalar;
use super::sort::SortedPoints;
use super::taps::{MAX_TAPS, Taps, store};
use crate::grid::GridShape;
use phasefront_core::simd::Simd;

/// Selects the instantiation with the number of vectors that hold a row of `width` complex taps (`V`) and of as many real ones (`U`).
macro_rules! by_vectors {
    ($width:expr, $t:ty, $s:ty, $v:ident, $u:ident => $call:expr) => {
        match (2 * $width).div_ceil(<$t>::simd_lanes::<$s>()) {
            1 => {
                const $v: usize = 1;
                const $u: usize = 1;
                $call
            }
            2 => {
                const $v: usize = 2;
                const $u: usize = 1;
                $call
            }
            3 => {
                const $v: usize = 3;
                const $u: usize = 2;
                $call
            }
            4 => {
                const $v: usize = 4;
                const $u: usize = 2;
                $call
            }
            5 => {
                const $v: usize = 5;
                const $u: usize = 3;
                $call
            }
            6 => {
                const $v: usize = 6;
                const $u: usize = 3;
                $call
            }
            7 => {
                const $v: usize = 7;
                const $u: usize = 4;
                $call
            }
            8 => {
                const $v: usize = 8;
                const $u: usize = 4;
                $call
            }
            // Two numbers of vectors share an instance from
            // here on: less code, at the cost of some padding.
            9 | 10 => {
                const $v: usize = 10;
                const $u: usize = 5;
                $call
            }
            // More than ten vectors occur with 128-bit registers in double precision only.
            _ => {
                const $v: usize = 20;
                const $u: usize = 10;
                $call
            }
        }
    };
}
pub(super) use by_vectors;

/// (1, 0, 1, 0, …) and (0, 1, 0, 1, …): the masks of real and imaginary parts.
#[inline(always)]
pub(super) fn parts<T: Scalar, S: Simd>(simd: S) -> (T::Vector<S>, T::Vector<S>) {
    let mut pattern = [T::zero(); MAX_TAPS + 1];
    pattern.iter_mut().step_by(2).for_each(|one| *one = T::one());
    let _ = simd;
    (T::as_simd::<S>(&pattern)[0], T::as_simd::<S>(&pattern[1..])[0])
}

/// Taps of point `p` along the second or third axis; a single 1 for an unused axis.
#[inline(always)]
pub(super) fn axis_taps<T: Scalar, S: Simd, const U: usize>(
    simd: S,
    taps: &Taps<T>,
    points: &SortedPoints<T>,
    shape: &GridShape,
    axis: usize,
    p: usize,
) -> [T; MAX_TAPS] {
    if axis < shape.dimensions {
        return store::<T, S, U>(&taps.single::<S, U>(simd, points.z[axis][p]));
    }
    let mut one = [T::zero(); MAX_TAPS];
    one[0] = T::one();
    one
}
