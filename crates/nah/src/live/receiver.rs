//! Reception of datagrams over UDP.

use super::assembler::Assembler;
use super::block::{POLL_INTERVAL, TimedBlock};
use super::queue::{CloseOnDrop, Queue};
use crate::summary::StreamCounts;
use socket2::{Domain, Protocol, Socket, Type};
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A sender that is silent for this long stalls.
const STALL_TIMEOUT: Duration = Duration::from_secs(1);
/// Another sender is accepted when the first was silent for this long.
const SWITCH_TIMEOUT: Duration = Duration::from_millis(200);
/// The largest UDP datagram.
const MAX_DATAGRAM: usize = 65_536;
/// Receive buffer of the socket: a tenth of a second of a large array. Operating systems may limit it.
const RECEIVE_BUFFER: usize = 16 << 20;

/// A socket bound to an address.
pub fn bind(address: SocketAddr) -> std::io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    // Bursts of many datagrams arrive faster than they are assembled.
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Receives a stream.
pub struct Receiver<'a> {
    /// Where datagrams arrive.
    pub socket: &'a UdpSocket,
    /// How long to receive.
    pub duration: Option<Duration>,
    /// Set by another thread to end the reception.
    pub stop: &'a AtomicBool,
    /// Microphones that were dead in the last second.
    pub dead: &'a Mutex<Vec<usize>>,
}

impl Receiver<'_> {
    /// Receives until the duration is over, or until it is stopped.
    pub fn run(&self, assembler: &mut Assembler, queue: &Queue<TimedBlock>) -> std::io::Result<StreamCounts> {
        let _close = CloseOnDrop(queue);
        // The timeout lets the loop check for its end.
        self.socket.set_read_timeout(Some(POLL_INTERVAL))?;
        let mut bytes = vec![0; MAX_DATAGRAM];
        let start = Instant::now();
        // The current sender, and when its last datagram arrived.
        let mut sender: Option<(SocketAddr, Instant)> = None;
        let mut stalled = false;
        while !self.stop.load(Ordering::Relaxed) && self.duration.is_none_or(|d| start.elapsed() < d) {
            let received = self.socket.recv_from(&mut bytes);
            let now = Instant::now();
            let (length, from) = match received {
                Ok(received) => received,
                Err(error) if is_transient(error.kind()) => {
                    if !stalled && sender.is_some_and(|(_, last)| now - last > STALL_TIMEOUT) {
                        stalled = true;
                        assembler.counts_mut().stalls += 1;
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            // Another sender interferes: ignored until the current one has been silent for a while.
            if sender.is_some_and(|(address, last)| address != from && now - last < SWITCH_TIMEOUT) {
                assembler.counts_mut().corrupt += 1;
                continue;
            }
            let accepted = assembler.push(&bytes[..length], |block| {
                // `now`, the arrival of the last frame, starts the latency.
                queue.push_dropping((block, Some(now)));
            });
            if accepted {
                sender = Some((from, now));
                stalled = false;
                let mut dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
                if *dead != assembler.dead() {
                    *dead = assembler.dead().to_vec();
                }
            }
        }
        Ok(assembler.counts())
    }
}

/// Timeouts, interrupted system calls, and ICMP errors of datagrams sent from this socket.
fn is_transient(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
    )
}
