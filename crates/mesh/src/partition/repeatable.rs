//! What makes results independent of the number of threads: fixed tasks, and random choices without state.

/// Vertices per task. Fixed, so that the tasks, and with them the results, do not depend on the number of threads.
pub(super) const CHUNK: usize = 4096;

/// A pseudo-random number for a key: the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Random choices
/// are functions of the seed and of what is chosen, never of the order of work.
pub(super) fn hash(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
