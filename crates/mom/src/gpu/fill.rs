//! The matrix: regular entries by Gauss quadrature on the device, then the local corrections from the host.

use super::context::{Context, DeviceMedium, DeviceSystem, GROUP, MATRIX_GROUP};
use crate::error::MomError;
use crate::layout::Density;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_core::{Progress, Real};
use phasefront_device::{Arg, Buffer, Complex as DeviceComplex, Grid};

/// Fills the column-major `matrix`; returns the rows and columns of the system on the device.
pub(super) fn fill<T: Real>(
    context: &Context,
    system: &System<'_>,
    matrix: &Buffer<Complex<T>>,
    progress: &Progress,
) -> Result<DeviceSystem, MomError>
where
    Complex<T>: DeviceComplex,
{
    let n = context.n;
    let stage = progress.stage("fill", Some(n as u64), "columns");
    let device = DeviceSystem::new(&*context.gpu, system)?;
    // Half the Hankel functions are enough where neither 𝒟, 𝒟' nor 𝒯 occurs.
    let both_orders =
        system.rows.iter().any(|r| r.neumann != 0.0) || system.columns.iter().any(|c| c.1 == Density::Double);
    let mut args = vec![Arg::from(matrix)];
    args.extend(context.node_args());
    args.extend(device.row_args());
    args.extend(device.column_args());
    args.extend([Arg::I64(n as i64), Arg::F64(system.k), Arg::I32(i32::from(both_orders))]);
    // In this order: interior operators are added to the fill, local corrections replace both.
    context.launch("fill", Grid::cover_2d([n, n], MATRIX_GROUP), &args)?;
    add_interiors(context, system, matrix)?;
    set_near(context, system, matrix)?;
    // Launches are asynchronous: the time of the fill belongs to its own stage.
    context.gpu.synchronize()?;
    stage.advance(n as u64);
    Ok(device)
}

/// Adds the interior operators of each dielectric to its block.
fn add_interiors<T: Real>(
    context: &Context,
    system: &System<'_>,
    matrix: &Buffer<Complex<T>>,
) -> Result<(), MomError>
where
    Complex<T>: DeviceComplex,
{
    for interior in &system.interiors {
        let block = &system.layout.blocks[interior.block];
        // One work item per pair of nodes fills four entries.
        let count = block.nodes.len();
        let medium = DeviceMedium::new(&*context.gpu, interior.k)?;
        let mut args = vec![Arg::from(matrix)];
        args.extend(context.node_args());
        args.extend(medium.args());
        let sizes = [context.n, block.nodes.start, block.unknowns.start, count];
        args.extend(sizes.map(|size| Arg::I64(size as i64)));
        args.extend([system.k, interior.ratio.re, interior.ratio.im].map(Arg::F64));
        context.launch("add_interior", Grid::cover_2d([count, count], MATRIX_GROUP), &args)?;
    }
    Ok(())
}

/// Replaces the near interactions by their locally corrected entries.
fn set_near<T: Real>(
    context: &Context,
    system: &System<'_>,
    matrix: &Buffer<Complex<T>>,
) -> Result<(), MomError>
where
    Complex<T>: DeviceComplex,
{
    let (gpu, near) = (&context.gpu, &system.near);
    let rows: Vec<i32> = near.iter().flat_map(|b| &b.rows).map(|&row| row as i32).collect();
    // Runs of ORDER entries: the row, the first column, the values.
    let columns: Vec<i32> = near.iter().flat_map(|b| b.rows.iter().map(|_| b.column as i32)).collect();
    let values: Vec<Complex64> = near.iter().flat_map(|b| &b.values).copied().collect();
    let count = rows.len();
    let (rows, columns, values) = (gpu.upload(&rows)?, gpu.upload(&columns)?, gpu.upload(&values)?);
    let args = [
        Arg::from(matrix),
        (&rows).into(),
        (&columns).into(),
        (&values).into(),
        Arg::I64(context.n as i64),
        Arg::I64(count as i64),
    ];
    context.launch("set_near", Grid::cover(count * context.order, GROUP), &args)
}
