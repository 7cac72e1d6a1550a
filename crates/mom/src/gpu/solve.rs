//! Right-hand sides of plane waves, and columns of their solutions.

use super::context::{Context, DeviceSystem, GROUP};
use crate::error::MomError;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, Complex as DeviceComplex, Grid};

/// Right-hand sides of plane waves in the given directions, one column each.
pub(super) fn right_hand_sides<T: Real>(
    context: &Context,
    system: &DeviceSystem,
    directions: &[f64],
    k: f64,
) -> Result<Buffer<Complex<T>>, MomError>
where
    Complex<T>: DeviceComplex,
{
    let (n, columns) = (context.n, directions.len());
    let rhs: Buffer<Complex<T>> = context.gpu.alloc(n * columns)?;
    let directions = context.gpu.upload(directions)?;
    let mut args = vec![Arg::from(&rhs)];
    args.extend(context.node_args());
    args.extend(system.row_args());
    args.extend([Arg::from(&directions), Arg::I64(n as i64), Arg::I64(columns as i64), Arg::F64(k)]);
    context.launch("incident", Grid::cover(n * columns, GROUP), &args)?;
    Ok(rhs)
}

/// Some columns of the solutions, in double precision on the host.
pub(super) fn select<T: Real>(
    context: &Context,
    solutions: &Buffer<Complex<T>>,
    which: &[usize],
) -> Result<Vec<Vec<Complex64>>, MomError>
where
    Complex<T>: DeviceComplex,
{
    let (gpu, n) = (&context.gpu, context.n);
    let count = n * which.len();
    // Widened to double on the device: what the host evaluates has one type.
    let selected: Buffer<Complex64> = gpu.alloc(count)?;
    let indices = gpu.upload(&which.iter().map(|&d| d as i32).collect::<Vec<_>>())?;
    let args = [
        Arg::from(&selected),
        solutions.into(),
        (&indices).into(),
        Arg::I64(n as i64),
        Arg::I64(count as i64),
    ];
    context.launch("select_columns", Grid::cover(count, GROUP), &args)?;
    Ok(gpu.download(&selected)?.chunks(n).map(<[_]>::to_vec).collect())
}
