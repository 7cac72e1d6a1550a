//! Memory of halo exchanges: aligned, zeroed, and reached through one pointer, which MPI may hold at the same time.

use crate::error::{CommError, Result};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// A cache line; enough for any SIMD type.
const ALIGNMENT: usize = 64;

/// Bytes at a fixed address.
pub struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to the buffer alone; whoever gives its address to others says when they are done.
unsafe impl Send for Buffer {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// `bytes` zeros.
    pub fn zeroed(bytes: usize) -> Result<Self> {
        let no_memory = CommError::OutOfMemory { bytes };
        let Ok(layout) = Layout::from_size_align(bytes, ALIGNMENT) else { return Err(no_memory) };
        if bytes == 0 {
            return Ok(Self { start: NonNull::<Line>::dangling().cast(), layout });
        }
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(no_memory)?;
        Ok(Self { start, layout })
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.layout.size()
    }

    /// The first byte; it does not move.
    pub fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are allocated and initialized, and nobody writes to them meanwhile.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len()) }
    }

    /// The bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else reads them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.len() > 0 {
            // SAFETY: allocated with this layout, freed once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

/// Gives pointers to empty buffers their alignment.
#[repr(align(64))]
struct Line;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_aligned_and_may_be_empty() {
        for bytes in [0, 1, 64, 1000] {
            let mut buffer = Buffer::zeroed(bytes).unwrap();
            assert_eq!(buffer.bytes(), vec![0; bytes]);
            buffer.bytes_mut().fill(7);
            assert_eq!(buffer.bytes(), vec![7; bytes]);
            assert_eq!(buffer.address() as usize % ALIGNMENT, 0);
        }
        let huge = Buffer::zeroed(usize::MAX / 4);
        assert!(matches!(huge, Err(CommError::OutOfMemory { .. })));
    }
}
