//! What every communicator must do; the same bodies run on threads and under MPI, on any number of ranks.

pub mod dense;

use phasefront_comm::queue::{self, Ended};
use phasefront_comm::{Comm, CommError, Halo, Link};
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

/// More than MPI gets in one piece.
const LARGE: usize = (64 << 20) + 4321;

/// Runs all of them.
pub fn all(comm: &dyn Comm) -> Result<(), CommError> {
    who_is_who(comm)?;
    broadcast(comm)?;
    gather(comm)?;
    max(comm)?;
    messages(comm)?;
    ring(comm)?;
    irregular_graph(comm)?;
    two_exchanges_at_once(comm)?;
    links_that_do_not_fit(comm)?;
    share(comm)?;
    stop(comm)?;
    dense::solve_together(comm)?;
    if comm.size() <= 3 {
        large(comm)?;
    }
    comm.barrier()
}

/// Bytes that only one sender, receiver and moment have.
fn pattern(length: usize, key: [usize; 4]) -> Vec<u8> {
    let seed = key.iter().fold(17, |sum, value| sum * 31 + value);
    (0..length).map(|index| (index * 7 + seed) as u8).collect()
}

fn who_is_who(comm: &dyn Comm) -> Result<(), CommError> {
    assert!(comm.rank() < comm.size());
    // The tests run on one machine.
    assert_eq!((comm.node_rank(), comm.node_size()), (comm.rank(), comm.size()));
    assert!(!comm.host().is_empty());
    let names = comm.gather(format!("{}@{}", comm.rank(), comm.host()).as_bytes())?;
    assert_eq!(names.is_some(), comm.rank() == 0);
    let expected = (0..comm.size()).map(|rank| format!("{rank}@{}", comm.host()).into_bytes());
    assert!(names.is_none_or(|names| names.into_iter().eq(expected)));
    Ok(())
}

fn broadcast(comm: &dyn Comm) -> Result<(), CommError> {
    for length in [0, 1, 1000, 300_000] {
        let expected = pattern(length, [length, 0, 0, 0]);
        let mut bytes = if comm.rank() == 0 { expected.clone() } else { vec![9; 77] };
        comm.broadcast(&mut bytes)?;
        assert!(bytes == expected, "{length} bytes on rank {}", comm.rank());
    }
    Ok(())
}

fn gather(comm: &dyn Comm) -> Result<(), CommError> {
    for round in 0..3 {
        let message = |rank: usize| pattern(rank * 50_000, [rank, round, 1, 0]);
        if let Some(all) = comm.gather(&message(comm.rank()))? {
            assert!((0..comm.size()).map(message).eq(all));
        }
    }
    Ok(())
}

fn max(comm: &dyn Comm) -> Result<(), CommError> {
    let (rank, last) = (comm.rank() as f64, comm.size() as f64 - 1.0);
    assert_eq!(comm.max(rank)?, last);
    assert_eq!(comm.max(-rank - 1.0)?, -1.0);
    assert_eq!(comm.max(f64::NEG_INFINITY)?, f64::NEG_INFINITY);
    assert_eq!(comm.max(if rank == last { f64::INFINITY } else { 0.0 })?, f64::INFINITY);
    for unstable in 0..comm.size() {
        let value = if comm.rank() == unstable { f64::NAN } else { f64::INFINITY };
        assert!(comm.max(value)?.is_nan(), "NaN of rank {unstable}");
    }
    Ok(())
}

fn messages(comm: &dyn Comm) -> Result<(), CommError> {
    const EACH: usize = 5;
    let message = |rank: usize, nth: usize| pattern(nth * 1000, [rank, nth, 2, 0]);
    if comm.rank() > 0 {
        (0..EACH).try_for_each(|nth| comm.send(0, &message(comm.rank(), nth)))?;
        assert_eq!(comm.receive(0)?, b"enough");
        return comm.barrier();
    }
    // Those of one rank arrive in order.
    let mut seen = vec![0; comm.size()];
    while seen[1..].iter().any(|count| *count < EACH) {
        let Some((rank, bytes)) = comm.try_receive()? else {
            std::thread::yield_now();
            continue;
        };
        assert!(bytes == message(rank, seen[rank]));
        seen[rank] += 1;
    }
    assert_eq!(comm.try_receive()?, None);
    (1..comm.size()).try_for_each(|rank| comm.send(rank, b"enough"))?;
    comm.barrier()
}

/// Exchanges `rounds` times and checks every byte.
fn exchange(comm: &dyn Comm, links: &[Link], halo: &mut dyn Halo, rounds: usize) -> Result<(), CommError> {
    let addresses: Vec<_> = (0..links.len()).map(|index| halo.incoming(index).as_ptr()).collect();
    for round in 0..rounds {
        for (index, link) in links.iter().enumerate() {
            let bytes = pattern(link.outgoing, [comm.rank(), link.neighbor, nth(links, index), round]);
            assert_eq!(halo.outgoing(index).as_ptr() as usize % 64, 0);
            halo.outgoing(index).copy_from_slice(&bytes);
        }
        halo.start()?;
        // Ranks are out of step, so that some are one exchange ahead.
        std::thread::sleep(Duration::from_micros((comm.rank() * 7 + round * 3) as u64 % 5 * 100));
        if round.is_multiple_of(2) {
            while !halo.poll()? {
                std::thread::yield_now();
            }
        }
        halo.wait()?;
        for (index, link) in links.iter().enumerate() {
            let key = [link.neighbor, comm.rank(), nth(links, index), round];
            assert!(halo.incoming(index) == pattern(link.incoming, key), "from rank {}", link.neighbor);
            assert_eq!(halo.incoming(index).as_ptr(), addresses[index], "buffers do not move");
            let sent = pattern(link.outgoing, [comm.rank(), link.neighbor, nth(links, index), round]);
            assert!(halo.outgoing(index) == sent, "what was sent stays");
        }
    }
    Ok(())
}

/// Which of the links to its neighbor a link is.
fn nth(links: &[Link], index: usize) -> usize {
    links[..index].iter().filter(|link| link.neighbor == links[index].neighbor).count()
}

fn ring(comm: &dyn Comm) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let next = Link { neighbor: (rank + 1) % size, outgoing: 4096, incoming: 4096 };
    let previous = Link { neighbor: (rank + size - 1) % size, ..next };
    // Two ranks are linked twice, and both sides must count the two links alike.
    let links = if rank.is_multiple_of(2) { [next, previous] } else { [previous, next] };
    let mut halo = comm.halo(&links)?;
    exchange(comm, &links, &mut *halo, 20)?;
    let traffic = halo.traffic();
    assert_eq!((traffic.exchanges, traffic.bytes_sent, traffic.bytes_received), (20, 20 * 8192, 20 * 8192));
    assert!(traffic.seconds_waited > 0.0);
    Ok(())
}

/// Links between some ranks, of any size in both directions, some of them double, some to the rank itself.
fn irregular_links(comm: &dyn Comm) -> Vec<Link> {
    let bytes = |from: usize, to: usize, nth: usize| (from * 5003 + to * 911 + nth * 10_007) % 20_000;
    let mut links = Vec::new();
    for neighbor in 0..comm.size() {
        let (low, high) = (comm.rank().min(neighbor), comm.rank().max(neighbor));
        let count = if low == high { low % 2 } else { (low * 3 + high) % 3 };
        for nth in 0..count {
            let outgoing = if (low + nth) % 4 == 3 { 0 } else { bytes(comm.rank(), neighbor, nth) };
            let incoming = if (low + nth) % 4 == 3 { 0 } else { bytes(neighbor, comm.rank(), nth) };
            links.push(Link { neighbor, outgoing, incoming });
        }
    }
    links
}

fn irregular_graph(comm: &dyn Comm) -> Result<(), CommError> {
    let links = irregular_links(comm);
    let mut halo = comm.halo(&links)?;
    exchange(comm, &links, &mut *halo, 10)
}

fn two_exchanges_at_once(comm: &dyn Comm) -> Result<(), CommError> {
    let links = irregular_links(comm);
    let (mut first, mut second) = (comm.halo(&links)?, comm.halo(&links)?);
    for round in 0..5_u8 {
        for (index, _) in links.iter().enumerate() {
            first.outgoing(index).fill(round);
            second.outgoing(index).fill(100 + round);
        }
        // Not in the same order on all ranks.
        let order: [&mut dyn Halo; 2] = if comm.rank().is_multiple_of(2) {
            [&mut *first, &mut *second]
        } else {
            [&mut *second, &mut *first]
        };
        for halo in order {
            halo.start()?;
        }
        second.wait()?;
        first.wait()?;
        for (index, _) in links.iter().enumerate() {
            assert!(first.incoming(index).iter().all(|byte| *byte == round));
            assert!(second.incoming(index).iter().all(|byte| *byte == 100 + round));
        }
    }
    Ok(())
}

fn links_that_do_not_fit(comm: &dyn Comm) -> Result<(), CommError> {
    let unknown = Link { neighbor: comm.size(), outgoing: 1, incoming: 1 };
    let refused = comm.halo(if comm.rank() == 0 { std::slice::from_ref(&unknown) } else { &[] });
    let message = refused.err().map(|error| error.to_string());
    let expected = format!("halo exchange: rank 0 names rank {0} of {0} as a neighbor", comm.size());
    assert_eq!(message, Some(expected));
    // All ranks go on together.
    comm.barrier()
}

fn share(comm: &dyn Comm) -> Result<(), CommError> {
    for (total, batch) in [(0, 1), (7, 2), (200, 3)] {
        let mut done = Vec::new();
        let work = |range: Range<usize>| {
            std::thread::sleep(Duration::from_micros(100));
            Ok(pattern(range.len() * 100, [range.start, 0, 0, 0]))
        };
        let ended = queue::share(comm, total, batch, work, |range, bytes| {
            assert!(bytes == pattern(range.len() * 100, [range.start, 0, 0, 0]));
            done.extend(range);
            Ok::<_, CommError>(())
        })?;
        assert_eq!(ended, Ended::Complete);
        if comm.rank() == 0 {
            assert_eq!(done.len(), total);
            assert_eq!(done.into_iter().collect::<BTreeSet<_>>(), (0..total).collect());
        }
    }
    Ok(())
}

/// Rank 0 ends the work early, and all ranks go on together.
fn stop(comm: &dyn Comm) -> Result<(), CommError> {
    let work = |range: Range<usize>| {
        if comm.rank() == 0 && range.start >= 20 {
            Err(CommError::RankFailed { rank: 77 })
        } else {
            Ok(vec![1])
        }
    };
    match queue::share(comm, 1_000_000, 1, work, |_, _| Ok(())) {
        Ok(ended) => assert!(comm.rank() > 0 && ended == Ended::Stopped),
        Err(error) => assert!(comm.rank() == 0 && error == CommError::RankFailed { rank: 77 }),
    }
    comm.barrier()
}

/// Messages in several pieces.
fn large(comm: &dyn Comm) -> Result<(), CommError> {
    let last = comm.size() - 1;
    let length = |rank: usize| if rank == last { LARGE } else { 10 };
    if let Some(all) = comm.gather(&pattern(length(comm.rank()), [comm.rank(), 0, 0, 5]))? {
        assert!((0..comm.size()).map(|rank| pattern(length(rank), [rank, 0, 0, 5])).eq(all));
    }
    let mut bytes = if comm.rank() == 0 { pattern(LARGE, [6; 4]) } else { Vec::new() };
    comm.broadcast(&mut bytes)?;
    assert!(bytes == pattern(LARGE, [6; 4]));
    drop(bytes);
    // From the last rank to the first, and a little back.
    let mut links = Vec::new();
    if comm.rank() == 0 {
        links.push(Link { neighbor: last, outgoing: if last == 0 { LARGE } else { 8 }, incoming: LARGE });
    } else if comm.rank() == last {
        links.push(Link { neighbor: 0, outgoing: LARGE, incoming: 8 });
    }
    let mut halo = comm.halo(&links)?;
    exchange(comm, &links, &mut *halo, 2)
}
