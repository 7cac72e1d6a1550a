//! The state in which matrix products leave the vector registers.
//!
//! The kernels of faer's products end with the upper halves of the registers in use. On Intel's processors every scalar
//! instruction without AVX then waits for the one before: sines took 280 ns instead of 12 after a product.

use faer::Par;

/// Gives the registers back after a call of faer, on the threads that it has used.
pub(super) fn release(threads: Par) {
    release_here();
    if !matches!(threads, Par::Seq) {
        // Nobody waits: each thread of the pool does it before it takes up other work.
        rayon::spawn_broadcast(|_| release_here());
    }
}

#[cfg(target_arch = "x86_64")]
fn release_here() {
    if is_x86_feature_detected!("avx") {
        // SAFETY: the processor has the instruction. It clears what no function may expect to be kept.
        unsafe { std::arch::x86_64::_mm256_zeroupper() };
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn release_here() {}
