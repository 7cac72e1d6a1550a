//! SIMD arithmetic, dispatched at run time: AVX-512, AVX2 or a portable fallback, chosen by [`pulp`](https://docs.rs/pulp).
//!
//! The wide instructions exist only inside the functions that `pulp` compiles with them. Everything called there must be inlined into them: mark it
//! `#[inline(always)]`, and pass closures by reference (see [`vectorize`]).
//!
//! | what | for |
//! |---|---|
//! | [`vectorize`] | a plain loop that the compiler vectorizes |
//! | [`dispatch`], [`SimdReal`], [`Lanes`] | loops written in vectors, in either precision |
//! | [`ComplexPack`], [`ComplexLanes`] | complex numbers in structure-of-arrays layout |
//! | [`f32x8`] | exactly eight lanes, whatever the machine: wide BVH nodes |

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

mod complex;
mod dispatch;
pub mod f32x8;
mod lanes;
mod real;

pub use complex::{ComplexLanes, ComplexPack, PACK, transpose};
pub use dispatch::{dispatch, instruction_sets, vectorize};
pub use lanes::{Lanes, Lanes3};
pub use pulp::{Arch, Scalar, Simd, WithSimd};
pub use real::SimdReal;
