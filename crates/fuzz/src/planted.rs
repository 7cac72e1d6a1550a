//! Targets that fail in every way on purpose, so that a test sees them found.

use crate::Target;

/// One input in a hundred fails.
fn is_bad(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'!')
}

fn seeds() -> Vec<Vec<u8>> {
    let mut all = vec![b"good".to_vec(); 99];
    all.push(b"!bad".to_vec());
    all
}

fn panics(bytes: &[u8]) {
    assert!(!is_bad(bytes), "planted");
}

fn overflows_the_stack(bytes: &[u8]) {
    /// Deep enough for any stack, and nothing that an optimizer turns into a loop.
    fn deep(depth: u64) -> u64 {
        let here = std::hint::black_box([depth; 64]);
        if depth == 0 { 0 } else { deep(depth - 1) + here[depth as usize % 64] }
    }
    if is_bad(bytes) {
        std::hint::black_box(deep(1 << 40));
    }
}

fn takes_memory(bytes: &[u8]) {
    if is_bad(bytes) {
        std::hint::black_box(vec![0_u8; 200_000_000]);
    }
}

fn panics_elsewhere(bytes: &[u8]) {
    if is_bad(bytes) {
        // The panic of a thread that no one asks about.
        let _ = std::thread::spawn(|| panic!("planted")).join();
    }
}

/// Instead of [`crate::TARGETS`], with `--planted`.
pub const PLANTED: &[Target] = &[
    Target { name: "panic", run: panics, seeds, batch: 100 },
    Target { name: "stack", run: overflows_the_stack, seeds, batch: 100 },
    Target { name: "memory", run: takes_memory, seeds, batch: 100 },
    Target { name: "thread", run: panics_elsewhere, seeds, batch: 100 },
];
