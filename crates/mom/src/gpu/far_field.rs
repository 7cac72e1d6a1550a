//! Far-field integrals ∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds, ŝ = (cos φ, sin φ).

use super::context::{Context, DeviceSystem, GROUP};
use crate::error::MomError;
use num_complex::{Complex, Complex64};
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, Complex as DeviceComplex, Grid};

/// Toward every observation angle, per solution.
pub(super) fn bistatic<T: Real>(
    context: &Context,
    system: &DeviceSystem,
    observation: &[f64],
    solutions: &Buffer<Complex<T>>,
    k: f64,
) -> Result<Vec<Vec<Complex64>>, MomError>
where
    Complex<T>: DeviceComplex,
{
    // An empty list for each solution: callers index by direction of incidence.
    if observation.is_empty() {
        return Ok(vec![Vec::new(); solutions.len() / context.n]);
    }
    let integrals = integrals(context, system, (observation, false), solutions, k)?;
    Ok(integrals.chunks(observation.len()).map(<[_]>::to_vec).collect())
}

/// Toward one angle per solution.
pub(super) fn paired<T: Real>(
    context: &Context,
    system: &DeviceSystem,
    angles: &[f64],
    solutions: &Buffer<Complex<T>>,
    k: f64,
) -> Result<Vec<Complex64>, MomError>
where
    Complex<T>: DeviceComplex,
{
    integrals(context, system, (angles, true), solutions, k)
}

/// All angles for all solutions or, if `is_paired`, one angle per solution.
fn integrals<T: Real>(
    context: &Context,
    system: &DeviceSystem,
    (observation, is_paired): (&[f64], bool),
    solutions: &Buffer<Complex<T>>,
    k: f64,
) -> Result<Vec<Complex64>, MomError>
where
    Complex<T>: DeviceComplex,
{
    let (n, angles) = (context.n, observation.len());
    let columns = solutions.len() / n;
    // One work item per integral; angles run fastest.
    let count = if is_paired { columns } else { angles * columns };
    if count == 0 {
        return Ok(Vec::new());
    }
    let integrals: Buffer<Complex64> = context.gpu.alloc(count)?;
    let observation = context.gpu.upload(observation)?;
    let mut args = vec![Arg::from(&integrals), solutions.into()];
    args.extend(context.node_args());
    args.extend(system.column_args());
    args.push((&observation).into());
    args.extend([n, angles, columns].map(|size| Arg::I64(size as i64)));
    args.extend([Arg::I32(i32::from(is_paired)), Arg::F64(k)]);
    context.launch("far_field", Grid::cover(count, GROUP), &args)?;
    Ok(context.gpu.download(&integrals)?)
}
