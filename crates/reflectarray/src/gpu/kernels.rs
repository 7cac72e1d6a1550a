//! The kernel file, and the constants that host and kernels share.

use phasefront_device::{Arg, KernelSource};

/// The kernels of this solver.
pub const KERNELS: KernelSource =
    KernelSource { name: "reflectarray/array.cu", text: include_str!("../../kernels/array.cu") };

/// Defines constants for the host and, under the same names, the macros of [`DEFINES`] for the kernels.
macro_rules! shared_constants {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: usize = $value;)*

        /// Macros that [`KERNELS`] are compiled with.
        pub const DEFINES: &[(&str, &str)] = &[$((stringify!($name), stringify!($value))),*];
    };
}

shared_constants! {
    /// Work items of a square group along each axis.
    SIDE = 16;
    /// Work items of a linear group, SIDE².
    GROUP = 256;
    /// Samples along u and along v of the block that a group sums.
    BLOCK_SAMPLES = 64;
    /// Elements of the block that a group sums.
    BLOCK_ELEMENTS = 32;
    /// Sections of the design buffer in units of the number of elements: ψ, x and y, then x of the columns and y of the rows.
    DESIGN_PHASE = 0;
    DESIGN_X = 1;
    DESIGN_Y = 2;
    DESIGN_AXES = 3;
    /// Sections of the factors of a sampled feed in units of the number of elements: p, (∂p/∂x)/p and (∂p/∂y)/p, real and imaginary parts.
    FACTOR_VALUE = 0;
    FACTOR_DX = 2;
    FACTOR_DY = 4;
    ALL_FACTORS = 6;
    /// Order of the adjoint sums S[W], S[uW], S[vW], and of the gradients in ψ, x and y.
    SUM_W = 0;
    SUM_UW = 1;
    SUM_VW = 2;
    /// Number of adjoint sums for phases and positions.
    ALL_SUMS = 3;
}

/// Sizes as kernels take them.
pub(super) fn sizes<const N: usize>(sizes: [usize; N]) -> [Arg<'static>; N] {
    sizes.map(|size| Arg::I64(size as i64))
}
