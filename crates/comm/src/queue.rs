//! Independent items shared between ranks: each takes the next range when it is done with one, so that fast ranks do
//! more. Rank 0 hands out the ranges, and works too.

use crate::backoff::long_pause;
use crate::comm::Comm;
use crate::error::CommError;
use std::ops::Range;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// How the work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every item is done.
    Complete,
    /// Rank 0 stopped before.
    Stopped,
}

/// Two 64-bit numbers, a range, at the front of every message.
const HEAD: usize = 16;
/// Without results, or without anything left to do.
const NOTHING: Range<usize> = 0..0;

/// Shares the items `0..total` between all ranks in ranges of up to `batch`. Collective.
///
/// `work` computes a range on any rank; `accept` gets every range once, with its bytes, on rank 0, in any order. When one of
/// them fails on rank 0, the others finish the range they have, whose results are still accepted after a failure of
/// `work`; then rank 0 returns the error, and the others [`Ended::Stopped`]. An error on another rank is returned
/// there, and must end the job.
///
/// ```
/// use phasefront_comm::{CommError, queue, threads};
/// let sum = threads::run(3, |comm| {
///     let mut sum = 0;
///     let square = |range: std::ops::Range<usize>| Ok(vec![(range.start * range.start) as u8]);
///     queue::share(comm, 5, 1, square, |_, bytes| {
///         sum += bytes[0];
///         Ok::<_, CommError>(())
///     })?;
///     Ok::<_, CommError>(sum)
/// })?;
/// assert_eq!(sum, 0 + 1 + 4 + 9 + 16);
/// # Ok::<(), CommError>(())
/// ```
pub fn share<E: From<CommError>>(
    comm: &dyn Comm,
    total: usize,
    batch: usize,
    work: impl FnMut(Range<usize>) -> Result<Vec<u8>, E>,
    accept: impl FnMut(Range<usize>, Vec<u8>) -> Result<(), E>,
) -> Result<Ended, E> {
    let items = Items::new(total, batch);
    share_items(comm, &items, comm.is_concurrent(), work, accept)
}

/// As above; `with_thread` says how rank 0 serves the others.
fn share_items<E: From<CommError>>(
    comm: &dyn Comm,
    items: &Items,
    with_thread: bool,
    work: impl FnMut(Range<usize>) -> Result<Vec<u8>, E>,
    accept: impl FnMut(Range<usize>, Vec<u8>) -> Result<(), E>,
) -> Result<Ended, E> {
    let mut error = None;
    if comm.rank() == 0 {
        error = lead(comm, items, with_thread, work, accept)?;
    } else {
        follow(comm, work)?;
    }
    // Only rank 0 knows how the last ranges went.
    let mut verdict = vec![u8::from(error.is_none())];
    comm.broadcast(&mut verdict)?;
    let ended = if verdict == [1] { Ended::Complete } else { Ended::Stopped };
    error.map_or(Ok(ended), Err)
}

/// Any rank but 0: results go out with the request for the next range.
fn follow<E: From<CommError>>(
    comm: &dyn Comm,
    mut work: impl FnMut(Range<usize>) -> Result<Vec<u8>, E>,
) -> Result<(), E> {
    let mut message = encode(&NOTHING, &[]);
    loop {
        comm.send(0, &message)?;
        let (range, _) = decode(0, &comm.receive(0)?)?;
        if range.is_empty() {
            return Ok(());
        }
        message = encode(&range, &work(range.clone())?);
    }
}

/// Rank 0; the inner error is one of `work` or `accept`. A second thread serves the others while this one works, where
/// MPI allows it; else it serves them between its own ranges.
fn lead<E: From<CommError>>(
    comm: &dyn Comm,
    items: &Items,
    with_thread: bool,
    mut work: impl FnMut(Range<usize>) -> Result<Vec<u8>, E>,
    accept: impl FnMut(Range<usize>, Vec<u8>) -> Result<(), E>,
) -> Result<Option<E>, CommError> {
    let (sender, results) = channel();
    let server = Server { comm, items, results: sender, to_dismiss: comm.size() - 1 };
    let mut ledger = Ledger { items, accept, error: None, is_open: true };
    std::thread::scope(|scope| {
        // When this closure is left early, or by a panic, the scope waits for the thread, which hands out nothing more.
        let _stop = StopOnDrop(items);
        let (mut here, thread) = if with_thread && comm.size() > 1 {
            (None, Some(scope.spawn(move || server.serve_to_the_end())))
        } else {
            (Some(server), None)
        };
        while let Some(range) = items.next() {
            match work(range.clone()) {
                Ok(bytes) => ledger.enter(range, bytes),
                Err(error) => ledger.fail(error),
            }
            if let Some(server) = &mut here {
                while server.serve()? {}
            }
            for (range, bytes) in results.try_iter() {
                ledger.enter(range, bytes);
            }
        }
        if let Some(server) = here {
            server.serve_to_the_end()?;
        }
        // The channel ends with its server.
        for (range, bytes) in results {
            ledger.enter(range, bytes);
        }
        if let Some(thread) = thread {
            thread.join().unwrap_or(Err(CommError::RankFailed { rank: 0 }))?;
        }
        Ok(ledger.error)
    })
}

/// What is left to do.
struct Items {
    total: usize,
    batch: usize,
    /// The next item, and whether the work was stopped.
    next: Mutex<(usize, bool)>,
}

impl Items {
    fn new(total: usize, batch: usize) -> Self {
        Self { total, batch: batch.max(1), next: Mutex::new((0, false)) }
    }

    fn next(&self) -> Option<Range<usize>> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (start, is_stopped) = *next;
        if is_stopped || start >= self.total {
            return None;
        }
        next.0 = start.saturating_add(self.batch).min(self.total);
        Some(start..next.0)
    }

    fn stop(&self) {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
    }
}

struct StopOnDrop<'a>(&'a Items);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Answers the other ranks, and passes their results on.
struct Server<'a> {
    comm: &'a dyn Comm,
    items: &'a Items,
    results: Sender<(Range<usize>, Vec<u8>)>,
    /// Ranks that will ask again.
    to_dismiss: usize,
}

impl Server<'_> {
    /// Answers one request, if there is one.
    fn serve(&mut self) -> Result<bool, CommError> {
        let Some((rank, message)) = self.comm.try_receive()? else { return Ok(false) };
        let (range, bytes) = decode(rank, &message)?;
        let answer = self.items.next().unwrap_or(NOTHING);
        self.to_dismiss -= usize::from(answer.is_empty());
        self.comm.send(rank, &encode(&answer, &[]))?;
        if !range.is_empty() {
            // Nobody takes results any more if the work has failed.
            let _ = self.results.send((range, bytes.to_vec()));
        }
        Ok(true)
    }

    /// Answers until every rank has been dismissed.
    fn serve_to_the_end(mut self) -> Result<(), CommError> {
        while self.to_dismiss > 0 {
            if !self.serve()? {
                // The core belongs to the work.
                long_pause();
            }
        }
        Ok(())
    }
}

/// Passes results to the caller, until that fails.
struct Ledger<'a, A, E> {
    items: &'a Items,
    accept: A,
    error: Option<E>,
    is_open: bool,
}

impl<A: FnMut(Range<usize>, Vec<u8>) -> Result<(), E>, E> Ledger<'_, A, E> {
    fn enter(&mut self, range: Range<usize>, bytes: Vec<u8>) {
        if !self.is_open {
            return;
        }
        if let Err(error) = (self.accept)(range, bytes) {
            self.is_open = false;
            self.fail(error);
        }
    }

    fn fail(&mut self, error: E) {
        self.items.stop();
        self.error.get_or_insert(error);
    }
}

fn encode(range: &Range<usize>, bytes: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEAD + bytes.len());
    message.extend((range.start as u64).to_le_bytes());
    message.extend((range.end as u64).to_le_bytes());
    message.extend(bytes);
    message
}

fn decode(rank: usize, message: &[u8]) -> Result<(Range<usize>, &[u8]), CommError> {
    let malformed = CommError::Malformed { rank, bytes: message.len() };
    let (numbers, rest) = message.split_at_checked(HEAD).ok_or(malformed)?;
    let [start, end] =
        [0, 8].map(|at| numbers[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    Ok((start as usize..end as usize, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Shares `total` items and returns those that came back, each with its rank's own result.
    fn shared(size: usize, total: usize, batch: usize, with_thread: bool) -> Vec<usize> {
        let done = threads::run(size, |comm| {
            let mut done = Vec::new();
            let items = Items::new(total, batch);
            let work = |range: Range<usize>| Ok(range.map(|item| (item % 251) as u8).collect());
            let accept = |range: Range<usize>, bytes: Vec<u8>| {
                assert!(range.len() <= batch && range.len() == bytes.len());
                done.extend(range.zip(bytes).map(|(item, byte)| {
                    assert_eq!(item % 251, usize::from(byte));
                    item
                }));
                Ok(())
            };
            let ended = share_items::<CommError>(comm, &items, with_thread, work, accept)?;
            assert_eq!(ended, Ended::Complete);
            Ok::<_, CommError>(done)
        });
        done.unwrap()
    }

    #[test]
    fn every_item_is_done_once() {
        for size in 1..=7 {
            for (total, batch) in [(0, 1), (1, 1), (5, 2), (300, 7), (40, 100)] {
                for with_thread in [true, false] {
                    let done = shared(size, total, batch, with_thread);
                    assert_eq!(done.len(), total, "{size} ranks, {total} items by {batch}");
                    assert_eq!(done.into_iter().collect::<BTreeSet<_>>(), (0..total).collect());
                }
            }
        }
    }

    #[test]
    fn a_failure_on_rank_0_stops_all_and_is_returned() {
        for with_thread in [true, false] {
            let result = threads::run(3, |comm| {
                let items = Items::new(1_000_000, 1);
                let work = |range: Range<usize>| {
                    if comm.rank() == 0 && range.start > 20 {
                        Err(Text("stopped".into()))
                    } else {
                        Ok(Vec::new())
                    }
                };
                let ended = share_items(comm, &items, with_thread, work, |_, _| Ok(()))?;
                assert!(comm.rank() > 0 && ended == Ended::Stopped);
                Ok::<_, Text>(())
            });
            assert_eq!(result.unwrap_err().0, "stopped");
        }
    }

    #[test]
    fn a_result_that_is_not_accepted_stops_all() {
        let result = threads::run(2, |comm| {
            let accept =
                |range: Range<usize>, _| if range.start > 5 { Err(Text("full".into())) } else { Ok(()) };
            share(comm, 1_000_000, 1, |_| Ok(Vec::new()), accept)
        });
        assert_eq!(result.unwrap_err().0, "full");
    }

    #[test]
    fn a_panic_on_any_rank_ends_the_work() {
        for who in 0..3 {
            let planted = AtomicBool::new(false);
            let result = threads::run(3, |comm| {
                let work = |range: Range<usize>| {
                    if comm.rank() == who && range.start >= 10 {
                        planted.store(true, Ordering::Relaxed);
                        panic!("planted");
                    }
                    // On a busy machine the others could be done before its turn has come.
                    while range.start >= 1000 && !planted.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    Ok::<_, CommError>(Vec::new())
                };
                share(comm, 1_000_000, 1, work, |_, _| Ok(()))
            });
            let expected = CommError::RankPanicked { rank: who, message: "planted".into() };
            assert_eq!(result.unwrap_err(), expected);
        }
    }

    #[test]
    fn a_message_that_is_too_short_is_refused() {
        assert_eq!(decode(2, &[0; 15]), Err(CommError::Malformed { rank: 2, bytes: 15 }));
        assert_eq!(decode(2, &encode(&(3..9), &[7])), Ok((3..9, &[7][..])));
    }

    #[derive(Debug)]
    struct Text(String);

    impl From<CommError> for Text {
        fn from(error: CommError) -> Self {
            Self(error.to_string())
        }
    }
}
