//! What all stages share: the device, its program, and the buffers that describe nodes, rows and columns.

use crate::error::MomError;
use crate::green::Medium;
use crate::layout::Density;
use crate::mesh::Mesh;
use crate::system::System;
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_core::special::ray_hankel;
use phasefront_device::{Arg, Buffer, Gpu, Grid, KernelSource, Program};
use std::sync::Arc;

/// The kernels of this solver.
pub const KERNELS: KernelSource = KernelSource {
    name: "mom/mom.cu",
    text: concat!(
        "#line 1 \"mom/hankel_tables.h\"\n",
        include_str!("../../kernels/hankel_tables.h"),
        "#line 1 \"mom/hankel.h\"\n",
        include_str!("../../kernels/hankel.h"),
        "#line 1 \"mom/ray_hankel.h\"\n",
        include_str!("../../kernels/ray_hankel.h"),
        "#line 1 \"mom/mom.cu\"\n",
        include_str!("../../kernels/mom.cu")
    ),
};

/// Layout of the table of a lossy medium, from the code that makes it: macros that `kernels/ray_hankel.h` is compiled with.
pub const HANKEL_LAYOUT: [(&str, usize); 4] = [
    ("RAY_NEAR_TERMS", ray_hankel::NEAR_TERMS),
    ("RAY_FAR_TERMS", ray_hankel::FAR_TERMS),
    ("RAY_NEAR", ray_hankel::NEAR),
    ("RAY_FAR", ray_hankel::FAR),
];

/// The macros that [`KERNELS`] are compiled with.
pub fn kernel_defines(precision: Precision, order: usize) -> Vec<(&'static str, String)> {
    let mut defines = vec![("REAL", precision.c_name().into()), ("ORDER", order.to_string())];
    defines.extend(HANKEL_LAYOUT.map(|(name, value)| (name, value.to_string())));
    defines
}

/// Work items per group of kernels that are launched over one axis.
pub(super) const GROUP: u32 = 128;
/// The same for the matrix, launched over rows and columns. Rows are contiguous, and four columns per
/// group let the number of groups along the second axis, which CUDA limits to 65535, cover 262140 columns, a matrix of
/// half a terabyte in single precision.
pub(super) const MATRIX_GROUP: [u32; 2] = [32, 4];

/// The device, the compiled kernels and the nodes of the mesh.
pub(super) struct Context {
    pub gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    /// Number of unknowns.
    pub n: usize,
    /// Nodes per cell.
    pub order: usize,
    /// x, y, nx, ny, w: `NODE_PARAMS` of the kernels.
    nodes: [Buffer<f64>; 5],
}

impl Context {
    pub(super) fn new(
        gpu: Arc<dyn Gpu>,
        precision: Precision,
        mesh: &Mesh,
        n: usize,
    ) -> Result<Self, MomError> {
        let order = mesh.rules.order();
        let defines = kernel_defines(precision, order);
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = gpu.compile(&KERNELS, &defines)?;
        let nodes = [
            gpu.upload(&mesh.x)?,
            gpu.upload(&mesh.y)?,
            gpu.upload(&mesh.nx)?,
            gpu.upload(&mesh.ny)?,
            gpu.upload(&mesh.w)?,
        ];
        Ok(Self { gpu, program, n, order, nodes })
    }

    pub(super) fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), MomError> {
        Ok(self.gpu.launch(&*self.program, kernel, grid, args)?)
    }

    /// `NODE_PARAMS`.
    pub(super) fn node_args(&self) -> impl Iterator<Item = Arg<'_>> {
        self.nodes.iter().map(Arg::from)
    }
}

/// Rows and columns of a system on the device.
pub(super) struct DeviceSystem {
    row_node: Buffer<i32>,
    dirichlet: Buffer<f64>,
    neumann: Buffer<f64>,
    column_node: Buffer<i32>,
    is_double: Buffer<i32>,
}

impl DeviceSystem {
    pub(super) fn new(gpu: &dyn Gpu, system: &System<'_>) -> Result<Self, MomError> {
        let rows = &system.rows;
        let column_nodes: Vec<i32> = system.columns.iter().map(|c| c.0 as i32).collect();
        // Flags as i32: the kernel dialect has no type of one byte.
        let doubles: Vec<i32> = system.columns.iter().map(|c| i32::from(c.1 == Density::Double)).collect();
        Ok(Self {
            row_node: gpu.upload(&rows.iter().map(|r| r.node as i32).collect::<Vec<_>>())?,
            dirichlet: gpu.upload(&rows.iter().map(|r| r.dirichlet).collect::<Vec<_>>())?,
            neumann: gpu.upload(&rows.iter().map(|r| r.neumann).collect::<Vec<_>>())?,
            column_node: gpu.upload(&column_nodes)?,
            is_double: gpu.upload(&doubles)?,
        })
    }

    /// `ROW_PARAMS`.
    pub(super) fn row_args(&self) -> [Arg<'_>; 3] {
        [(&self.row_node).into(), (&self.dirichlet).into(), (&self.neumann).into()]
    }

    /// `COLUMN_PARAMS`.
    pub(super) fn column_args(&self) -> [Arg<'_>; 2] {
        [(&self.column_node).into(), (&self.is_double).into()]
    }
}

/// A medium on the device: its wavenumber and, if it is lossy, the table of its Hankel functions.
pub(super) struct DeviceMedium {
    k: Complex64,
    table: Buffer<f64>,
    is_lossy: bool,
}

impl DeviceMedium {
    pub(super) fn new(gpu: &dyn Gpu, k: Complex64) -> Result<Self, MomError> {
        let medium = Medium::new(k);
        let (table, is_lossy) = match medium.table() {
            Some(table) => (gpu.upload(table)?, true),
            // Kernels need a valid pointer, which they do not read for a lossless medium.
            None => (gpu.alloc(1)?, false),
        };
        Ok(Self { k, table, is_lossy })
    }

    /// `MEDIUM_PARAMS`.
    pub(super) fn args(&self) -> [Arg<'_>; 4] {
        let is_lossy = Arg::I32(i32::from(self.is_lossy));
        [(&self.table).into(), is_lossy, Arg::F64(self.k.re), Arg::F64(self.k.im)]
    }
}
