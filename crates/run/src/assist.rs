//! What ranks other than 0 do: they prepare the same job and help to solve it.

use crate::checkpoint::{Checkpoints, Identity};
use crate::error::{RunError, SolverError};
use crate::input::InputFolder;
use crate::job::{Context, Job};
use crate::memory::check_memory;
use crate::options::Options;
use crate::registry;
use phasefront_case::CaseFile;
use phasefront_core::{FieldError, Progress};
use phasefront_device::{DeviceChoice, Opened};

/// What all ranks do before they solve: the job with its device, if it fits.
pub(crate) fn prepare(
    file: &CaseFile,
    inputs: &InputFolder,
    options: &Options,
) -> Result<(Box<dyn Job>, Opened), RunError> {
    let job = registry::job(file, inputs)?;
    let mut opened = open_device(&*job, file, options)?;
    let comm = options.ranks.comm();
    let refused = if comm.size() > 1 && !job.is_shared() {
        Some(("several ranks", "start it without a launcher such as mpirun"))
    } else if !opened.others.is_empty() && !job.uses_several_gpus() {
        Some(("several GPUs of one process", "name one GPU"))
    } else {
        None
    };
    if let Some((what, advice)) = refused {
        let message = format!("{} does not run on {what}", file.case.solver());
        let advice = format!("{advice}; cases that do not depend on each other can run side by side");
        return Err(file.error_at(&FieldError::new("solver", message, advice)).into());
    }
    if comm.size() > 1 {
        let mut checked = job.check_ranks(comm, &opened.backend);
        // A GPU that the user has not asked for, and that the ranks cannot use together.
        if options.device == DeviceChoice::Auto
            && opened.backend.gpu().is_some()
            && let Err(SolverError::Field(error)) = &checked
        {
            opened = Opened::without_gpu(&error.message);
            checked = job.check_ranks(comm, &opened.backend);
        }
        checked.map_err(|error| error.at(file))?;
    }
    check_memory(file, &*job, &opened, comm)?;
    Ok((job, opened))
}

/// The device that the options ask for; the CPU in place of a GPU that the job cannot use, if the user has not asked for one.
pub(crate) fn open_device(job: &dyn Job, file: &CaseFile, options: &Options) -> Result<Opened, RunError> {
    let opened = options.open_device()?;
    match job.refuses_gpu() {
        Some(error) if opened.backend.gpu().is_some() => match options.device {
            DeviceChoice::Auto => Ok(Opened::without_gpu(&error.message)),
            _ => Err(file.error_at(&error).into()),
        },
        _ => Ok(opened),
    }
}

/// Helps rank 0 with what it runs or resumes. All other ranks call it, with the same options.
pub fn assist(options: &Options) -> Result<(), RunError> {
    let ranks = &options.ranks;
    let Some((file, origin)) = ranks.called()? else { return Ok(()) };
    let inputs = InputFolder::new(&origin);
    let (job, opened) = ranks.agree(prepare(&file, &inputs, options))?;
    let fingerprint = Identity::of(&file, &inputs).fingerprint();
    ranks.agree(ranks.check_same(&fingerprint))?;
    // Rank 0 opens its folder.
    ranks.agree(Ok(()))?;
    let folder = ranks.folder_of_first(&origin)?;
    let checkpoints = Checkpoints::of_other_rank(&folder, fingerprint, options.force);
    let progress = Progress::silent();
    let context = Context::new(&opened, ranks.comm(), &progress, &checkpoints);
    job.solve(&context).map_err(|error| error.at(&file))?;
    Ok(())
}
