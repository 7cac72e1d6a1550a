//! Halo exchange by persistent requests, which MPI sets up once.

use super::abi::Handle;
use super::messages::HALO;
use super::session::{PIECE, Session};
use crate::backoff::Backoff;
use crate::buffer::Buffer;
use crate::comm::{Halo, Link, Traffic};
use crate::error::{CommError, Result};
use std::ffi::c_int;
use std::sync::Arc;
use std::time::Instant;

/// Pieces of one exchange between two ranks. MPI guarantees tags up to 32767, so this times the number below stays
/// under it.
const MAX_PIECES: usize = 128;
/// Exchanges that have tags of their own; more of them are told apart as long as they are not under way together.
const EXCHANGES: usize = 240;

/// One rank's side of an exchange.
pub struct MpiHalo<H: Handle> {
    session: Arc<Session<H>>,
    links: Vec<Link>,
    outgoing: Vec<Buffer>,
    incoming: Vec<Buffer>,
    /// Receives, then sends.
    requests: Vec<H>,
    is_under_way: bool,
    traffic: Traffic,
}

impl<H: Handle> MpiHalo<H> {
    /// Prepares exchange `number`. The links have been checked.
    pub fn new(session: Arc<Session<H>>, number: usize, links: &[Link]) -> Result<Self> {
        let mut halo = Self {
            session,
            links: links.to_vec(),
            outgoing: links.iter().map(|link| Buffer::zeroed(link.outgoing)).collect::<Result<_>>()?,
            incoming: links.iter().map(|link| Buffer::zeroed(link.incoming)).collect::<Result<_>>()?,
            requests: Vec::new(),
            is_under_way: false,
            traffic: Traffic::default(),
        };
        let first_tag = HALO + (number % EXCHANGES * MAX_PIECES) as c_int;
        for piece in pieces(links, &halo.incoming)? {
            halo.prepare_receive(&piece, first_tag)?;
        }
        for piece in pieces(links, &halo.outgoing)? {
            halo.prepare_send(&piece, first_tag)?;
        }
        Ok(halo)
    }

    fn prepare_receive(&mut self, piece: &Piece, first_tag: c_int) -> Result<()> {
        let Session { functions, abi, comm, .. } = &*self.session;
        let mut request = abi.no_request;
        let guard = self.session.enter()?;
        // SAFETY: the piece is part of a buffer that outlives the request.
        let code = unsafe {
            let (data, tag) = (piece.start.cast(), first_tag + piece.nth as c_int);
            (functions.recv_init)(data, piece.count, abi.byte, piece.rank, tag, *comm, &raw mut request)
        };
        drop(guard);
        self.session.check("MPI_Recv_init", code)?;
        self.requests.push(request);
        Ok(())
    }

    fn prepare_send(&mut self, piece: &Piece, first_tag: c_int) -> Result<()> {
        let Session { functions, abi, comm, .. } = &*self.session;
        let mut request = abi.no_request;
        let guard = self.session.enter()?;
        // SAFETY: as above.
        let code = unsafe {
            let (data, tag) = (piece.start.cast_const().cast(), first_tag + piece.nth as c_int);
            (functions.send_init)(data, piece.count, abi.byte, piece.rank, tag, *comm, &raw mut request)
        };
        drop(guard);
        self.session.check("MPI_Send_init", code)?;
        self.requests.push(request);
        Ok(())
    }

    fn assert_idle(&self) {
        assert!(!self.is_under_way, "a halo exchange is under way: wait for it first");
    }
}

/// A part of a buffer that MPI can count.
struct Piece {
    start: *mut u8,
    count: c_int,
    rank: c_int,
    /// Which one between the two ranks; both sides count alike.
    nth: usize,
}

fn pieces(links: &[Link], buffers: &[Buffer]) -> Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (link, buffer) in links.iter().zip(buffers) {
        let rank = link.neighbor as c_int;
        for offset in (0..buffer.len()).step_by(PIECE) {
            let nth = pieces.iter().filter(|other| other.rank == rank).count();
            if nth >= MAX_PIECES {
                let reason = format!("more than {MAX_PIECES} messages to rank {rank} in one exchange");
                return Err(CommError::Links { reason });
            }
            let count = PIECE.min(buffer.len() - offset) as c_int;
            let start = buffer.address().wrapping_add(offset);
            pieces.push(Piece { start, count, rank, nth });
        }
    }
    Ok(pieces)
}

impl<H: Handle> Halo for MpiHalo<H> {
    fn outgoing(&mut self, link: usize) -> &mut [u8] {
        self.assert_idle();
        self.outgoing[link].bytes_mut()
    }

    fn incoming(&self, link: usize) -> &[u8] {
        self.assert_idle();
        self.incoming[link].bytes()
    }

    fn start(&mut self) -> Result<()> {
        self.assert_idle();
        let guard = self.session.enter()?;
        // SAFETY: the requests are prepared and idle; the buffers are not handed out until they are finished.
        let code = unsafe {
            (self.session.functions.startall)(self.requests.len() as c_int, self.requests.as_mut_ptr())
        };
        drop(guard);
        self.is_under_way = true;
        self.traffic.count(&self.links);
        self.session.check("MPI_Startall", code)
    }

    fn poll(&mut self) -> Result<bool> {
        if self.is_under_way && self.session.test(&mut self.requests)? {
            self.is_under_way = false;
        }
        Ok(!self.is_under_way)
    }

    fn wait(&mut self) -> Result<()> {
        let (started, backoff) = (Instant::now(), Backoff::start());
        while !self.poll()? {
            backoff.pause();
        }
        self.traffic.seconds_waited += started.elapsed().as_secs_f64();
        Ok(())
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

impl<H: Handle> Drop for MpiHalo<H> {
    fn drop(&mut self) {
        // Without permission to call MPI the requests stay; there are few of them.
        if let Ok(_guard) = self.session.enter() {
            for request in &mut self.requests {
                // SAFETY: the request was prepared here and is freed once; MPI finishes one that is under way.
                unsafe { (self.session.functions.request_free)(request) };
            }
        }
        if self.is_under_way {
            // MPI still reads and writes them.
            std::mem::forget((std::mem::take(&mut self.outgoing), std::mem::take(&mut self.incoming)));
        }
    }
}
