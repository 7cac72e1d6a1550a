//! Latency and bandwidth of a halo exchange between two ranks, and of other calls: `mpirun -n 2 exchange_rates`, or
//! `exchange_rates 2` for threads.

use phasefront_comm::{Comm, CommError, Link, open, threads};
use std::time::Instant;

fn main() -> Result<(), CommError> {
    match std::env::args().nth(1).and_then(|count| count.parse().ok()) {
        Some(ranks) => threads::run(ranks, measure),
        None => measure(&*open()?),
    }
}

/// Ranks are paired: 0 with 1, 2 with 3, and so on.
fn measure(comm: &dyn Comm) -> Result<(), CommError> {
    let partner = comm.rank() ^ 1;
    let is_paired = partner < comm.size();
    let is_first = comm.rank() == 0;
    if is_first {
        let threads = if comm.is_concurrent() { "several threads" } else { "one thread" };
        println!("{}; calls from {threads} at a time", comm.describe());
    }
    for (bytes, rounds) in [(8, 20_000), (1 << 10, 20_000), (1 << 20, 2_000), (100 << 20, 10)] {
        let link = Link { neighbor: partner, outgoing: bytes, incoming: bytes };
        let mut halo = comm.halo(if is_paired { std::slice::from_ref(&link) } else { &[] })?;
        let mut seconds = f64::INFINITY;
        for _ in 0..3 {
            comm.barrier()?;
            let started = Instant::now();
            for _ in 0..rounds {
                halo.start()?;
                halo.wait()?;
            }
            seconds = seconds.min(started.elapsed().as_secs_f64() / f64::from(rounds));
        }
        if is_first {
            let rate = bytes as f64 / seconds * 1e-9;
            println!("{bytes:>10} B  {:>10.2} us  {rate:>7.3} GB/s in each direction", seconds * 1e6);
        }
    }
    let started = Instant::now();
    for _ in 0..5_000 {
        comm.max(1.0)?;
    }
    if is_first {
        println!("       max    {:>10.2} us", started.elapsed().as_secs_f64() / 5_000.0 * 1e6);
    }
    Ok(())
}
