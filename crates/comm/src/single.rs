//! One process that works alone.

use crate::comm::{Comm, Halo, Link};
use crate::error::{CommError, Result};
use crate::threads::ThreadRank;

/// The only rank: collective calls return at once, and a halo exchange can only have links to itself.
///
/// ```
/// use phasefront_comm::{Comm, Single};
/// let comm = Single::new();
/// assert_eq!((comm.rank(), comm.size()), (0, 1));
/// ```
pub struct Single(ThreadRank);

impl Single {
    /// A rank without others.
    pub fn new() -> Self {
        Self(ThreadRank::alone())
    }
}

impl Default for Single {
    fn default() -> Self {
        Self::new()
    }
}

impl Comm for Single {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn node_rank(&self) -> usize {
        0
    }

    fn node_size(&self) -> usize {
        1
    }

    fn host(&self) -> &str {
        self.0.host()
    }

    fn describe(&self) -> String {
        "one process".into()
    }

    fn is_concurrent(&self) -> bool {
        true
    }

    fn broadcast(&self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        Ok(Some(vec![bytes.to_vec()]))
    }

    fn max(&self, value: f64) -> Result<f64> {
        Ok(value)
    }

    fn barrier(&self) -> Result<()> {
        Ok(())
    }

    fn halo(&self, links: &[Link]) -> Result<Box<dyn Halo>> {
        self.0.halo(links)
    }

    fn send(&self, rank: usize, bytes: &[u8]) -> Result<()> {
        self.0.send(rank, bytes)
    }

    fn receive(&self, rank: usize) -> Result<Vec<u8>> {
        self.0.receive(rank)
    }

    fn try_receive(&self) -> Result<Option<(usize, Vec<u8>)>> {
        self.0.try_receive()
    }

    fn abort(&self, exit_code: i32, message: &str) -> CommError {
        self.0.abort(exit_code, message)
    }
}
