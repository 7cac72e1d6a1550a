//! Scattered writes to one slice from several threads.

use std::marker::PhantomData;

/// A slice whose elements are written by several threads, each element by one of them only.
pub struct Scatter<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: it is used through `read` and `write` only, whose callers promise that no element is used by two threads at a time.
unsafe impl<T: Send> Sync for Scatter<'_, T> {}

impl<'a, T: Copy> Scatter<'a, T> {
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// Writes one element.
    ///
    /// # Safety
    /// No other thread uses this element meanwhile.
    #[inline(always)]
    pub unsafe fn write(&self, index: usize, value: T) {
        assert!(index < self.len);
        // SAFETY: within the slice, and by the caller's promise nobody else's.
        unsafe { self.start.add(index).write(value) };
    }

    /// Reads one element.
    ///
    /// # Safety
    /// No other thread writes to this element meanwhile.
    #[inline(always)]
    pub unsafe fn read(&self, index: usize) -> T {
        assert!(index < self.len);
        // SAFETY: within the slice, and by the caller's promise not being written.
        unsafe { self.start.add(index).read() }
    }
}
