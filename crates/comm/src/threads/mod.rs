//! Ranks that are threads of one process: several GPUs of one machine, and every test.

mod halo;
mod world;

use crate::comm::{Comm, Halo, Link};
use crate::error::{CommError, Result};
use crate::links;
use halo::ThreadHalo;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use world::{Purpose, World};

/// One rank among the threads of a process.
pub struct ThreadRank {
    rank: usize,
    world: Arc<World>,
    halos: AtomicUsize,
}

/// Runs `body` on `size` ranks, each in a thread of its own, and returns what rank 0 returns.
///
/// A rank that fails or panics makes all calls of the others fail, so that nobody waits for it; its error is the one
/// returned.
///
/// ```
/// use phasefront_comm::{CommError, threads};
/// let largest = threads::run(4, |comm| comm.max(comm.rank() as f64))?;
/// assert_eq!(largest, 3.0);
/// # Ok::<(), CommError>(())
/// ```
pub fn run<T, E>(
    size: usize,
    body: impl Fn(&dyn Comm) -> std::result::Result<T, E> + Sync,
) -> std::result::Result<T, E>
where
    T: Send,
    E: Send + From<CommError>,
{
    let world = Arc::new(World::new(size.max(1)));
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let ranks = (0..world.size).map(|rank| {
            let (world, body) = (world.clone(), &body);
            scope.spawn(move || run_rank(&ThreadRank { rank, world, halos: AtomicUsize::new(0) }, body))
        });
        let ranks: Vec<_> = ranks.collect();
        // What panics is caught inside.
        ranks.into_iter().filter_map(|rank| rank.join().ok()).collect()
    });
    match world.failure() {
        None => results.swap_remove(0),
        // A rank that aborted may have gone on as if nothing had happened.
        Some((rank, error)) => results.swap_remove(rank).and(Err(error.into())),
    }
}

/// The body on one rank, with failures made known to the others.
fn run_rank<T, E: From<CommError>>(
    comm: &ThreadRank,
    body: impl Fn(&dyn Comm) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let rank = comm.rank;
    match catch_unwind(AssertUnwindSafe(|| body(comm))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            comm.world.fail(rank, CommError::RankFailed { rank });
            Err(error)
        }
        Err(panic) => {
            let error = CommError::RankPanicked { rank, message: panic_text(panic.as_ref()) };
            comm.world.fail(rank, error.clone());
            Err(error.into())
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

impl ThreadRank {
    /// The only rank of its world.
    pub(crate) fn alone() -> Self {
        Self { rank: 0, world: Arc::new(World::new(1)), halos: AtomicUsize::new(0) }
    }

    fn put(&self, to: usize, purpose: Purpose, bytes: &[u8]) -> Result<()> {
        let message = bytes.to_vec();
        self.world.update(|state| {
            state.mail.entry((self.rank, to, purpose)).or_default().push_back(message);
        })
    }

    fn get(&self, from: usize, purpose: Purpose) -> Result<Vec<u8>> {
        self.world.wait_for(|state| state.mail.get_mut(&(from, self.rank, purpose))?.pop_front())
    }
}

impl Comm for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.world.size
    }

    fn node_rank(&self) -> usize {
        self.rank
    }

    fn node_size(&self) -> usize {
        self.world.size
    }

    fn host(&self) -> &str {
        &self.world.host
    }

    fn describe(&self) -> String {
        format!("{} ranks, threads of one process", self.world.size)
    }

    fn is_concurrent(&self) -> bool {
        true
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        if self.rank > 0 {
            *bytes = self.get(0, Purpose::Broadcast)?;
            return Ok(());
        }
        (1..self.world.size).try_for_each(|rank| self.put(rank, Purpose::Broadcast, bytes))
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        self.put(0, Purpose::Gather, bytes)?;
        if self.rank > 0 {
            return Ok(None);
        }
        (0..self.world.size).map(|rank| self.get(rank, Purpose::Gather)).collect::<Result<_>>().map(Some)
    }

    fn max(&self, value: f64) -> Result<f64> {
        let mut largest = Vec::new();
        if let Some(all) = self.gather(&value.to_le_bytes())? {
            let values =
                all.iter().filter_map(|bytes| bytes.first_chunk()).map(|&bytes| f64::from_le_bytes(bytes));
            let max = values.fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || a > b { a } else { b });
            largest = max.to_le_bytes().to_vec();
        }
        self.broadcast(&mut largest)?;
        let malformed = CommError::Malformed { rank: 0, bytes: largest.len() };
        largest.first_chunk().map(|&bytes| f64::from_le_bytes(bytes)).ok_or(malformed)
    }

    fn barrier(&self) -> Result<()> {
        self.gather(&[])?;
        self.broadcast(&mut Vec::new())
    }

    fn halo(&self, links: &[Link]) -> Result<Box<dyn Halo>> {
        links::check(self, links)?;
        let number = self.halos.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(ThreadHalo::new(self.world.clone(), number, self.rank, links)?))
    }

    fn send(&self, rank: usize, bytes: &[u8]) -> Result<()> {
        self.put(rank, Purpose::Direct, bytes)
    }

    fn receive(&self, rank: usize) -> Result<Vec<u8>> {
        self.get(rank, Purpose::Direct)
    }

    fn try_receive(&self) -> Result<Option<(usize, Vec<u8>)>> {
        self.world.take(|state| {
            (0..self.world.size).find_map(|from| {
                let message = state.mail.get_mut(&(from, self.rank, Purpose::Direct))?.pop_front()?;
                Some((from, message))
            })
        })
    }

    fn abort(&self, exit_code: i32, message: &str) -> CommError {
        let (rank, host) = (self.rank, self.world.host.clone());
        let error = CommError::Aborted { rank, host, exit_code, message: message.into() };
        self.world.fail(rank, error.clone());
        error
    }
}
