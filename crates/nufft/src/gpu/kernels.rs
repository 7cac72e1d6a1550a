//! The kernel files, and the macros they are compiled with.

use crate::table::TapTable;
use phasefront_core::Precision;
use phasefront_device::{Gpu, KernelSource, Program, Result};
use std::sync::Arc;

/// Points sorted by bins.
const SORT: KernelSource =
    KernelSource { name: "nufft/sort.cu", text: include_str!("../../kernels/sort.cu") };

/// Between grid and modes.
const MODES: KernelSource = KernelSource {
    name: "nufft/modes.cu",
    text: concat!(
        "#line 1 \"nufft/value.h\"\n",
        include_str!("../../kernels/value.h"),
        "#line 1 \"nufft/modes.cu\"\n",
        include_str!("../../kernels/modes.cu")
    ),
};

/// From points to grid.
const SPREAD: KernelSource = KernelSource {
    name: "nufft/spread.cu",
    text: concat!(
        "#line 1 \"nufft/value.h\"\n",
        include_str!("../../kernels/value.h"),
        "#line 1 \"nufft/taps.h\"\n",
        include_str!("../../kernels/taps.h"),
        "#line 1 \"nufft/spread.cu\"\n",
        include_str!("../../kernels/spread.cu")
    ),
};

/// From grid to points.
const INTERPOLATE: KernelSource = KernelSource {
    name: "nufft/interpolate.cu",
    text: concat!(
        "#line 1 \"nufft/value.h\"\n",
        include_str!("../../kernels/value.h"),
        "#line 1 \"nufft/taps.h\"\n",
        include_str!("../../kernels/taps.h"),
        "#line 1 \"nufft/interpolate.cu\"\n",
        include_str!("../../kernels/interpolate.cu")
    ),
};

/// Factors of type 3.
pub(super) const MULTIPLY: KernelSource = KernelSource {
    name: "nufft/multiply.cu",
    text: concat!(
        "#line 1 \"nufft/value.h\"\n",
        include_str!("../../kernels/value.h"),
        "#line 1 \"nufft/multiply.cu\"\n",
        include_str!("../../kernels/multiply.cu")
    ),
};

/// Work items per group of the sort, and of every kernel without a size of its own.
pub(super) const GROUP: u32 = 256;
/// Work items of a group that gathers a tile, and of one that interpolates by lanes; `LANES_GROUP` of the kernels.
pub(super) const LANES_GROUP: u32 = 128;
/// First taps per side of a bin: small enough that few points of the bins of a tile miss it.
pub(super) const BIN: usize = 4;
/// Cells of a tile of the output-driven spreading along each axis, in one, two and three dimensions.
pub(super) const TILE: [[usize; 3]; 3] = [[64, 1, 1], [16, 16, 1], [16, 8, 8]];
/// Bits of a key per pass of the radix sort.
pub(super) const DIGIT_BITS: u32 = 8;
/// Static local memory that every GPU has.
const LOCAL_BYTES: usize = 48 * 1024;
/// Points of a subproblem loaded at a time; `SUBPROBLEM_CHUNK` of the kernels.
const SUBPROBLEM_CHUNK: usize = 32;

/// The compiled files.
pub(super) struct Kernels {
    pub sort: Arc<dyn Program>,
    pub spread: Arc<dyn Program>,
    pub interpolate: Arc<dyn Program>,
    pub modes: Arc<dyn Program>,
    /// First taps per side of the bin of a subproblem, if its subgrid fits into local memory.
    pub side: Option<usize>,
}

impl Kernels {
    pub fn new(gpu: &dyn Gpu, precision: Precision, dimensions: usize, table: &TapTable) -> Result<Self> {
        let side = subproblem_side(precision, dimensions, table.width);
        let compile = |(source, defines): (KernelSource, Vec<(&str, String)>)| {
            let defines: Vec<_> = defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
            gpu.compile(&source, &defines)
        };
        let [sort, modes, spread, interpolate] = sources(precision, dimensions, table).map(compile);
        Ok(Self { sort: sort?, spread: spread?, interpolate: interpolate?, modes: modes?, side })
    }
}

/// The kernels of type 3 beyond those of its plans.
pub(super) fn compile_multiply(gpu: &dyn Gpu, precision: Precision) -> Result<Arc<dyn Program>> {
    gpu.compile(&MULTIPLY, &[("REAL", precision.c_name())])
}

/// Sort, modes, spread and interpolate, each with its macros.
pub(super) fn sources(
    precision: Precision,
    dimensions: usize,
    table: &TapTable,
) -> [(KernelSource, Vec<(&'static str, String)>); 4] {
    let real = ("REAL", precision.c_name().to_owned());
    let (dim, width) = (("DIM", dimensions.to_string()), ("WIDTH", table.width.to_string()));
    let sort = vec![
        real.clone(),
        dim.clone(),
        width.clone(),
        ("GROUP", GROUP.to_string()),
        ("DIGIT_BITS", DIGIT_BITS.to_string()),
    ];
    // Coefficients are part of the source: the compiler turns them into immediate operands.
    let coefficients: Vec<String> = table.coefficients.iter().flatten().map(|c| format!("{c:e}")).collect();
    let degree = ("DEGREE", (table.coefficients.len() - 1).to_string());
    let taps = vec![real.clone(), dim, width, degree, ("COEFFICIENTS", coefficients.join(","))];
    let mut spread = taps.clone();
    spread.push(("BIN", BIN.to_string()));
    spread.push(("LANES_GROUP", LANES_GROUP.to_string()));
    spread.push(("SUBPROBLEM_CHUNK", SUBPROBLEM_CHUNK.to_string()));
    let tile = TILE[dimensions - 1].map(|n| n.to_string());
    spread.extend(["TILE_X", "TILE_Y", "TILE_Z"].into_iter().zip(tile));
    if let Some(side) = subproblem_side(precision, dimensions, table.width) {
        spread.push(("SIDE", side.to_string()));
    }
    let mut interpolate = taps;
    interpolate.push(("LANES_GROUP", LANES_GROUP.to_string()));
    [(SORT, sort), (MODES, vec![real]), (SPREAD, spread), (INTERPOLATE, interpolate)]
}

/// Bins of about 256 first taps, 64 in three dimensions, if their subgrid and the loaded points fit into local memory.
fn subproblem_side(precision: Precision, dimensions: usize, width: usize) -> Option<usize> {
    let side = [256, 16, 4][dimensions - 1];
    let subgrid = (side + width - 1).pow(dimensions as u32);
    // Subgrid and strengths are complex, taps real: the local memory of spread_subproblems.
    let reals = 2 * (subgrid + SUBPROBLEM_CHUNK) + SUBPROBLEM_CHUNK * dimensions * width;
    let bytes = reals * precision.bytes() + SUBPROBLEM_CHUNK * size_of::<i32>();
    (bytes <= LOCAL_BYTES).then_some(side)
}
