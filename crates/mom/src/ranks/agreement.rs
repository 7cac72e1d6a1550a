//! How ranks stay together: rank 0 alone knows which frequencies are left, and whether the user has stopped the run.

use crate::error::MomError;
use phasefront_comm::Comm;
use phasefront_core::Interrupted;

const GO_ON: u8 = 1;
const STOP: u8 = 0;

/// The frequencies that rank 0 has to solve, by their indices, on all ranks. Collective.
pub(crate) fn unsolved(comm: &dyn Comm, indices: &[usize]) -> Result<Vec<usize>, MomError> {
    let numbers: Vec<u64> = indices.iter().map(|&index| index as u64).collect();
    let mut bytes = bytemuck::cast_slice(&numbers).to_vec();
    comm.broadcast(&mut bytes)?;
    let numbers: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
    Ok(numbers.into_iter().map(|index| index as usize).collect())
}

/// Refuses ranks of which some factor on GPUs and others do not: they would wait for each other without end. Collective.
pub(crate) fn same_devices(comm: &dyn Comm, is_on_gpus: bool) -> Result<(), MomError> {
    let some = |is: bool| comm.max(f64::from(u8::from(is))).map(|most| most > 0.0);
    let (some_on_gpus, some_on_cpus) = (some(is_on_gpus)?, some(!is_on_gpus)?);
    if some_on_gpus && some_on_cpus { Err(MomError::MixedDevices) } else { Ok(()) }
}

/// Begins what all ranks do together; an error on ranks other than 0 if the user has stopped the run on rank 0, which then has left by an
/// error of its own. Collective.
pub(super) fn go_on(comm: &dyn Comm) -> Result<(), MomError> {
    let mut message = vec![GO_ON];
    comm.broadcast(&mut message)?;
    if message == [GO_ON] { Ok(()) } else { Err(Interrupted.into()) }
}

/// The last agreement: rank 0 has finished, or was stopped, and the others leave. Collective, but for other ranks that were told to stop
/// by [`go_on`] already.
pub(crate) fn end(comm: &dyn Comm, is_stopped: bool) -> Result<(), MomError> {
    let mut message = vec![if is_stopped { STOP } else { GO_ON }];
    Ok(comm.broadcast(&mut message)?)
}
