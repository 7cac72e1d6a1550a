//! Thread pools, also in forked processes.
//!
//! `multiprocessing` forks by default on Linux before Python 3.14. Only the thread that forks lives on in the child, so
//! that rayon's global pool has no threads there, and work for it would wait forever. A forked process
//! therefore has a pool of its own.

use phasefront_cli::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::{mem, process};

/// The process that imported the module: there the global pool is alive.
static IMPORTED_IN: AtomicU32 = AtomicU32::new(0);

/// The pool of a forked process, with the id of that process.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// To be called on import.
pub fn imported() {
    IMPORTED_IN.store(process::id(), Ordering::Relaxed);
}

/// Runs in a thread pool of the given size, else in the pool of the process.
pub fn pooled<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    match threads {
        Some(count) => pool(count)?.install(work),
        None if process::id() == IMPORTED_IN.load(Ordering::Relaxed) => work(),
        None => forked_pool()?.install(work),
    }
}

fn pool(count: usize) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    pool.map_err(|error| Failure::threads(count, &error))
}

fn forked_pool() -> Result<Arc<ThreadPool>, Failure> {
    // Zero is the default size, that of the global pool too: results are then the same bit for bit.
    let new = || pool(0).map(Arc::new);
    // A lock that was held during the fork stays locked: that process makes a pool for each call.
    let Ok(mut kept) = FORKED.try_lock() else { return new() };
    let this = process::id();
    match kept.as_ref() {
        Some((process, pool)) if *process == this => Ok(Arc::clone(pool)),
        _ => {
            let made = new()?;
            // The pool of the parent has no threads here that could end it.
            mem::forget(kept.replace((this, Arc::clone(&made))));
            Ok(made)
        }
    }
}
