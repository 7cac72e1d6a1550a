//! `f32` and `f64` with the routines of this crate.

use super::sweep::Sweep;
use phasefront_core::simd::{SimdReal, dispatch};

/// The routines for one type. They are not generic, so they are compiled once, here, and not in every crate that runs the solver.
pub trait Routines: Sized {
    /// Advances blocks by one stage.
    fn sweep(job: Sweep<'_, Self>);
}

/// `f32` or `f64`, with SIMD vectors and routines.
pub trait Float: SimdReal + Routines {}

macro_rules! float {
    ($real:ty) => {
        impl Routines for $real {
            fn sweep(job: Sweep<'_, Self>) {
                dispatch(job);
            }
        }
        impl Float for $real {}
    };
}
float!(f32);
float!(f64);
