//! Counts the bytes that are allocated, and ends the process when a call takes more than it may.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counted.
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Starts a call that may take so many bytes.
pub fn begin(allowance: usize) {
    let live = LIVE.load(Relaxed);
    PEAK.store(live, Relaxed);
    LIMIT.store(live.saturating_add(allowance), Relaxed);
}

/// Ends the call.
pub fn end() {
    LIMIT.store(usize::MAX, Relaxed);
}

/// Most bytes that were allocated at once since [`begin`], of the whole process.
pub fn peak() -> usize {
    PEAK.load(Relaxed)
}

fn count(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
    if live > LIMIT.load(Relaxed) {
        // Without allocating: the message of an abort is enough, the supervisor finds the input.
        LIMIT.store(usize::MAX, Relaxed);
        eprintln!("fuzz: a call allocated more than twice its input and 100 MB, the last time {bytes} bytes");
        std::process::abort();
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged; the counters do not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise about pointer and layout is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise about pointer, layout and size is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
