//! Run-time choice of the instruction set.

use pulp::{Arch, Scalar128b, Simd, WithSimd};

/// Runs `op` with the widest vectors of this CPU. Without AVX2, vectors are 128 bits wide, so that a vector always holds an even number of lanes.
pub fn dispatch<Op: WithSimd>(op: Op) -> Op::Output {
    match Arch::new() {
        // `pulp`'s scalar set has one lane; 128 bits hold the interleaved parts of one complex f64.
        Arch::Scalar => Simd::vectorize(Scalar128b, op),
        arch => arch.dispatch(op),
    }
}

/// Runs a closure compiled for the instruction set of `arch`, so that the compiler vectorizes its loops. Mark the closure and what it calls
/// `#[inline(always)]`: only inlined code is compiled for that instruction set.
#[inline]
pub fn vectorize<R>(arch: Arch, work: impl FnMut() -> R) -> R {
    arch.dispatch(ByReference(work))
}

/// `pulp` accepts closures directly but calls them by value, through a compiler shim that may stay outside the dispatched function and then lacks its
/// instruction set. A call by reference has no shim.
struct ByReference<F>(F);

impl<R, F: FnMut() -> R> WithSimd for ByReference<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

/// Every instruction set of this machine by name, narrowest first; for tests.
#[doc(hidden)]
pub fn instruction_sets() -> Vec<(&'static str, Arch)> {
    let mut sets = vec![("scalar", Arch::Scalar)];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        sets.extend(pulp::x86::V3::try_new().map(|simd| ("AVX2", Arch::V3(simd))));
        sets.extend(pulp::x86::V4::try_new().map(|simd| ("AVX-512", Arch::V4(simd))));
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    sets.push(("best", Arch::new()));
    sets
}
