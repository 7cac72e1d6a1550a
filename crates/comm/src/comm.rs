//! The interface between solvers and ranks: [`Comm`] and its persistent [`Halo`] exchange.

use crate::dense::DenseLu;
use crate::error::{CommError, Result};

/// Ranks that solve one problem together.
///
/// Collective calls (`broadcast`, `gather`, `max`, `barrier`, `halo`) are made by all ranks, in the same order.
/// Waiting ranks leave the processor to others.
pub trait Comm: Send + Sync {
    /// The number of this rank, from 0. Rank 0 alone writes results and shows progress.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The number of this rank among those of the same host, from 0; it selects a GPU.
    fn node_rank(&self) -> usize;

    /// How many ranks are on the same host: they share its memory.
    fn node_size(&self) -> usize;

    /// Name of this rank's host.
    fn host(&self) -> &str;

    /// Number of ranks and how they are connected, for messages.
    fn describe(&self) -> String;

    /// Whether several threads of a rank may communicate at the same time without waiting for each other.
    fn is_concurrent(&self) -> bool;

    /// Rank 0's `bytes` on every rank. Collective.
    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()>;

    /// The `bytes` of every rank, in the order of ranks, on rank 0; `None` on the others. Collective.
    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>>;

    /// The largest value of all ranks; NaN if one of them has NaN, so that an unstable rank is seen. Collective.
    fn max(&self, value: f64) -> Result<f64>;

    /// Returns when all ranks have called it. Collective.
    fn barrier(&self) -> Result<()>;

    /// Prepares an exchange with the neighbors in `links`. Collective, with no links too.
    ///
    /// Of several links between two ranks, the first of one belongs to the first of the other, and so on. A rank
    /// may be its own neighbor. Links whose sizes differ on the two sides are refused on all ranks.
    fn halo(&self, links: &[Link]) -> Result<Box<dyn Halo>>;

    /// The LU factorization of a dense matrix of order `n` that the ranks share, with so many `threads` on each where its library can be
    /// told. Not collective: each rank looks for the library by itself, and an error is that of one rank.
    fn dense_lu(&self, _n: usize, _threads: usize) -> Result<Box<dyn DenseLu>> {
        Err(CommError::NoDenseLu { ranks: self.describe() })
    }

    /// Sends a message to `rank`; returns when `bytes` may be reused. For one thread of a rank at a time, as are
    /// [`receive`](Comm::receive) and [`try_receive`](Comm::try_receive).
    fn send(&self, rank: usize, bytes: &[u8]) -> Result<()>;

    /// Waits for the next message of `rank`. Messages of one rank arrive in order.
    fn receive(&self, rank: usize) -> Result<Vec<u8>>;

    /// The next message of any rank, with its sender, if one has arrived.
    fn try_receive(&self) -> Result<Option<(usize, Vec<u8>)>>;

    /// Ends the job on all ranks, which wait for nobody any more.
    ///
    /// Under MPI it does not return: it writes `message` with rank and host to standard error, and all processes end
    /// with `exit_code`. Ranks that are threads get [`CommError::Aborted`] from every call, and the caller gets it
    /// here, to return it.
    fn abort(&self, exit_code: i32, message: &str) -> CommError;
}

/// A neighbor in a halo exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Its rank.
    pub neighbor: usize,
    /// Bytes sent to it in each exchange.
    pub outgoing: usize,
    /// Bytes received from it in each exchange.
    pub incoming: usize,
}

/// A halo exchange that is prepared once and repeated: fill [`outgoing`](Halo::outgoing), [`start`](Halo::start),
/// compute, [`wait`](Halo::wait), read [`incoming`](Halo::incoming).
///
/// Buffers are aligned to 64 bytes, never move, and begin as zeros; what was written to an outgoing one stays there.
pub trait Halo: Send {
    /// The bytes for the neighbor of `link`, an index of the links.
    ///
    /// # Panics
    /// While an exchange is under way.
    fn outgoing(&mut self, link: usize) -> &mut [u8];

    /// The bytes of the last exchange from the neighbor of `link`, an index of the links.
    ///
    /// # Panics
    /// While an exchange is under way.
    fn incoming(&self, link: usize) -> &[u8];

    /// Begins an exchange.
    ///
    /// # Panics
    /// While another one is under way.
    fn start(&mut self) -> Result<()>;

    /// Moves the exchange on; true when it is finished, or none is under way.
    fn poll(&mut self) -> Result<bool>;

    /// Returns when the exchange is finished.
    fn wait(&mut self) -> Result<()>;

    /// What was exchanged so far.
    fn traffic(&self) -> Traffic;
}

/// Totals of a halo exchange on one rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic {
    /// Exchanges started.
    pub exchanges: u64,
    /// Bytes sent.
    pub bytes_sent: u64,
    /// Bytes received.
    pub bytes_received: u64,
    /// Seconds in [`Halo::wait`]: communication that computation did not hide.
    pub seconds_waited: f64,
}

impl Traffic {
    /// Counts one exchange over `links`.
    pub(crate) fn count(&mut self, links: &[Link]) {
        self.exchanges += 1;
        self.bytes_sent += links.iter().map(|link| link.outgoing as u64).sum::<u64>();
        self.bytes_received += links.iter().map(|link| link.incoming as u64).sum::<u64>();
    }
}
