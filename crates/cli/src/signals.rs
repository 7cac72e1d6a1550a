//! Signals that end a run: the first asks it to stop and to save its work, the second ends the process at once.
//!
//! Ctrl-C and SIGTERM, which schedulers send before the time limit, are such signals. SIGHUP, sent when
//! the terminal closes, is one too, unless it was ignored when the program started: that is what
//! `nohup` does, and it must protect. SIGXFSZ is caught so that a write beyond the file size limit
//! (`ulimit -f`) fails with an error that says so, instead of ending the process without a word.

use crate::failure::{Failure, Result};
use crate::output;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Exit code of a run that the user ended.
const INTERRUPTED: i32 = 130;
/// How often the flag is looked at for the message.
const POLL: Duration = Duration::from_millis(50);

/// Installs the handlers and returns the flag that the first signal raises. To be called once.
pub fn install(quiet: bool) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    register(&stop).map_err(|error| Failure::io("cannot install the handler of signals", &error))?;
    if !quiet {
        let raised = Arc::clone(&stop);
        // Handlers of signals may not write to the terminal; a thread does. It ends with the process.
        thread::spawn(move || {
            while !raised.load(Ordering::Relaxed) {
                thread::sleep(POLL);
            }
            output::message("stopping; press Ctrl-C again to quit immediately\n");
        });
    }
    Ok(stop)
}

fn register(stop: &Arc<AtomicBool>) -> io::Result<()> {
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(target_os = "linux")]
    if !is_ignored(signal_hook::consts::SIGHUP) {
        signals.push(signal_hook::consts::SIGHUP);
    }
    for signal in signals {
        // In this order: the first signal finds the flag down, and raises it.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(stop))?;
        flag::register(signal, Arc::clone(stop))?;
    }
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Whether the process was started with a signal ignored. `/proc/self/status` has the mask, bit n − 1 for signal n.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
