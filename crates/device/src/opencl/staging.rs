//! Pageable host memory: OpenCL copies are synchronous.

use super::memory::ClMemory;
use crate::{HostMemory, Result};
use std::any::Any;
use std::cell::RefCell;

/// Pageable memory.
pub struct Pageable(RefCell<Vec<u8>>);

impl Pageable {
    /// `bytes` of zeros.
    pub fn zeroed(bytes: usize) -> Self {
        Self(RefCell::new(vec![0; bytes]))
    }

    /// Copies its first `bytes` to the start of `target`.
    pub fn send(&self, target: &ClMemory, bytes: usize) -> Result<()> {
        target.upload(&self.0.borrow()[..bytes])
    }

    /// Copies the first `bytes` of `source` to its start.
    pub fn fetch(&self, source: &ClMemory, bytes: usize) -> Result<()> {
        source.download(&mut self.0.borrow_mut()[..bytes])
    }
}

impl HostMemory for Pageable {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn write_bytes(&self, at: usize, source: &[u8]) -> Result<()> {
        self.0.borrow_mut()[at..at + source.len()].copy_from_slice(source);
        Ok(())
    }

    fn read_bytes(&self, at: usize, target: &mut [u8]) -> Result<()> {
        target.copy_from_slice(&self.0.borrow()[at..at + target.len()]);
        Ok(())
    }
}
