//! Loops compiled for the widest vectors that this machine has.

use pulp::{Arch, Simd, WithSimd};

/// Runs a closure that is compiled for the vectors of `arch`. Only what is inlined into it is: mark it and what it calls `#[inline(always)]`.
#[inline]
pub fn in_vectors<R>(arch: Arch, work: impl FnMut() -> R) -> R {
    arch.dispatch(Inlined(work))
}

/// `pulp` takes closures as they are, but calls them by value, through code of the compiler's that it may leave outside, where there are no wide
/// instructions. Called by reference they have none in between.
struct Inlined<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Inlined<F> {
    type Output = R;

    #[expect(
        clippy::inline_always,
        reason = "compiled for the instruction set of its caller only if inlined"
    )]
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}
