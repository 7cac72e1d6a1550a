//! Ctrl-C and SIGTERM: the first asks the run to stop, the second ends the process at once.

use crate::failure::{Failure, Result};
use crate::output;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a run that the user ended.
const INTERRUPTED: i32 = 130;

/// Installs the handler and returns the flag that the first signal raises. To be called once.
pub fn install(quiet: bool) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if raised.load(Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        // Before the flag is set: a run that stops at once would end the process ahead of the
        // message.
        if !quiet {
            output::message("stopping; press Ctrl-C again to quit at once\n");
        }
        raised.store(true, Ordering::Relaxed);
    })
    .map_err(|error| Failure::io("cannot install the Ctrl-C handler", &io::Error::other(error)))?;
    Ok(stop)
}
