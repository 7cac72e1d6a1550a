//! Every body on ranks that are threads; failures of one rank wake the others.

mod bodies;

use phasefront_comm::{Comm, CommError, Link, Single, threads};
use std::time::{Duration, Instant};

#[test]
fn every_body_on_one_to_seven_ranks() {
    for size in 1..=7 {
        threads::run(size, bodies::all).unwrap();
    }
}

#[test]
fn every_body_in_one_process() {
    bodies::all(&Single::new()).unwrap();
}

type Wait = fn(&dyn Comm) -> Result<(), CommError>;

/// All ways to wait for a rank that will not come.
fn waits() -> Vec<Wait> {
    vec![
        |comm| comm.barrier(),
        |comm| comm.max(1.0).map(drop),
        |comm| comm.gather(&[1]).map(drop).and_then(|()| comm.barrier()),
        |comm| comm.receive(2).map(drop),
        |comm| {
            while comm.try_receive()?.is_none() {}
            Ok(())
        },
    ]
}

#[test]
fn an_error_wakes_all_and_is_returned() {
    for wait in waits() {
        let result = threads::run(4, |comm| {
            if comm.rank() == 2 {
                return Err(CommError::OutOfMemory { bytes: 5 });
            }
            let woken = wait(comm);
            assert_eq!(woken, Err(CommError::RankFailed { rank: 2 }));
            woken
        });
        assert_eq!(result, Err(CommError::OutOfMemory { bytes: 5 }));
    }
}

#[test]
fn a_panic_wakes_all_and_is_an_error() {
    for wait in waits() {
        let result =
            threads::run(4, |comm| if comm.rank() == 2 { panic!("planted {}", 7) } else { wait(comm) });
        assert_eq!(result, Err(CommError::RankPanicked { rank: 2, message: "planted 7".into() }));
    }
}

#[test]
fn an_abort_wakes_all_and_has_rank_host_and_exit_code() {
    for wait in waits() {
        let result = threads::run(4, |comm| {
            if comm.rank() == 2 {
                // Its own error is no less seen if it is not returned.
                comm.abort(3, "not converged");
                return Ok(());
            }
            wait(comm)
        });
        let Err(CommError::Aborted { rank: 2, host, exit_code: 3, message }) = result else {
            panic!("{result:?}")
        };
        assert_eq!((host.as_str(), message.as_str()), (Single::new().host(), "not converged"));
    }
}

#[test]
fn a_failure_ends_a_halo_exchange_at_once() {
    let started = Instant::now();
    let result = threads::run(3, |comm| {
        let others = (0..3).filter(|rank| *rank != comm.rank());
        let links: Vec<_> = others.map(|neighbor| Link { neighbor, outgoing: 8, incoming: 8 }).collect();
        let mut halo = comm.halo(&links)?;
        for round in 0.. {
            assert!(comm.rank() != 1 || round < 3, "planted");
            halo.start()?;
            halo.wait()?;
        }
        Ok(())
    });
    assert_eq!(result, Err(CommError::RankPanicked { rank: 1, message: "planted".into() }));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
#[should_panic(expected = "a halo exchange is under way")]
fn buffers_are_not_touched_during_an_exchange() {
    let comm = Single::new();
    let mut halo = comm.halo(&[Link { neighbor: 0, outgoing: 8, incoming: 8 }]).unwrap();
    halo.start().unwrap();
    halo.outgoing(0);
}
