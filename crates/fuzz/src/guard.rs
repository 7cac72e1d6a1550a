//! Guards a call: panics of any thread are caught, hangs end the process.

use crate::allocator;
use phasefront_fuzz::Target;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Longest time of a call.
const MAX_CALL: Duration = Duration::from_secs(10);
/// Bytes that a call may take besides twice its input.
const ALLOWANCE: usize = 100_000_000;

/// Number of the call in progress, 0 between calls.
static CALL: AtomicU64 = AtomicU64::new(0);
/// The message of the first panic of this call, of whatever thread.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn message() -> std::sync::MutexGuard<'static, Option<String>> {
    PANIC.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Once, before the first call.
pub fn prepare() {
    std::panic::set_hook(Box::new(|info| {
        message().get_or_insert_with(|| info.to_string());
    }));
    std::thread::spawn(|| {
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = CALL.load(Relaxed);
            if now != seen || now == 0 {
                (seen, since) = (now, Instant::now());
            } else if since.elapsed() > MAX_CALL {
                eprintln!("fuzz: a call takes longer than {} s", MAX_CALL.as_secs());
                std::process::abort();
            }
        }
    });
}

/// Calls a target; the message of a panic.
pub fn call(target: &Target, bytes: &[u8]) -> Result<(), String> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    CALL.store(NUMBER.fetch_add(1, Relaxed) + 1, Relaxed);
    allocator::begin(2 * bytes.len() + ALLOWANCE);
    let ended = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes)));
    allocator::end();
    CALL.store(0, Relaxed);
    match (message().take(), ended) {
        (None, Ok(())) => Ok(()),
        (text, _) => Err(text.unwrap_or_else(|| "a panic without a message".into())),
    }
}
