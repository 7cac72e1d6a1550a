//! The kernel sources with their macros compile.

use super::kernels::{MULTIPLY, sources};
use crate::kernel::Kernel;
use crate::table::TapTable;
use phasefront_core::Precision;
use phasefront_device::testing::compile_for_all_architectures;

#[test]
fn kernels_compile_for_every_architecture() {
    for real in ["float", "double"] {
        compile_for_all_architectures(&MULTIPLY, &[("REAL", real)]);
    }
    for (precision, dimensions, width) in [
        (Precision::Double, 2, 13),
        (Precision::Single, 3, 4),
        (Precision::Double, 3, 7),
        (Precision::Single, 1, 20),
    ] {
        let table = TapTable::new(&Kernel::prolate(width, 2.0), 1e-6);
        for (source, defines) in sources(precision, dimensions, &table) {
            let defines: Vec<_> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
            compile_for_all_architectures(&source, &defines);
        }
    }
}
