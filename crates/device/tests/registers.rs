//! Products and factorizations leave the vector registers as they found them: scalar code that follows would be slow otherwise, and no
//! other test would notice.
#![cfg(target_arch = "x86_64")]

use num_complex::Complex64;
use phasefront_device::{Op, cpu};
use std::arch::x86_64::{__cpuid_count, _xgetbv};

/// The upper halves of the registers among the components of the processor's state, and the upper halves of those of AVX-512 (Intel 64
/// and IA-32 Architectures Software Developer's Manual, volume 1, section 13.1).
const UPPER_HALVES: u64 = (1 << 2) | (1 << 6);

/// The components that are in use; none where the processor does not tell.
fn in_use() -> Option<u64> {
    // CPUID leaf 0DH, subleaf 1: bit 2 of EAX stands for XGETBV with ECX = 1.
    let tells = is_x86_feature_detected!("xsave") && __cpuid_count(0xd, 1).eax & (1 << 2) != 0;
    // SAFETY: the processor and the system have the instruction, and this form of it.
    tells.then(|| unsafe { _xgetbv(1) })
}

#[test]
fn no_upper_halves_stay_in_use() {
    if in_use().is_none() {
        eprintln!("skipped: this processor does not tell which registers are in use");
        return;
    }
    let check = |what: &str| assert_eq!(in_use().unwrap() & UPPER_HALVES, 0, "after {what}");
    // Larger than a panel of the factorization.
    let n = 200;
    let mut matrix: Vec<Complex64> = (0..n * n).map(|i| Complex64::cis((i * i) as f64)).collect();
    let mut product = matrix.clone();
    cpu::gemm_on_one_thread([n; 3], &matrix, &matrix, &mut product);
    check("a product on one thread");
    cpu::gemm([n; 3], &matrix, &matrix, &mut product);
    check("a product");
    let lu = cpu::lu_factor(n, &mut matrix).unwrap();
    check("a factorization");
    cpu::lu_solve(&lu, Op::None, &matrix, &mut product);
    check("a solution");
}
