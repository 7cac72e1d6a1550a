//! Where blocks come from: a recording, as fast as it is taken or as fast as it was heard, or a network.

use super::assemble::{Assembler, Data, Heard};
use super::queue::{Closing, Queue};
use super::tally::Counts;
use crate::input::Input;
use socket2::{Domain, Protocol, Socket, Type};
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How fast a recording is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As fast as holograms are made.
    Full,
    /// As fast as it was recorded.
    RealTime,
}

/// A block with the time when its last moment was heard; none where the block waited to be taken.
pub type Timed = (Heard, Option<Instant>);

/// Plays a recording block by block, over and over.
pub struct Player<'a> {
    /// The recording.
    pub input: &'a Input,
    /// Its moments, and those of a block.
    pub frames: usize,
    pub hop: usize,
    /// Moments a second.
    pub rate: f64,
    /// How fast.
    pub pace: Pace,
    /// How many times.
    pub times: u64,
}

impl Player<'_> {
    /// Blocks of it all; a remainder that fills none is left out.
    pub fn blocks(&self) -> u64 {
        (self.frames as u64).saturating_mul(self.times) / self.hop as u64
    }

    /// Plays it until its end, or until the queue is closed.
    pub fn run(&self, queue: &Queue<Timed>) -> Counts {
        let _closing = Closing(queue);
        let start = Instant::now();
        let mut counts = Counts::default();
        for number in 0..self.blocks() {
            let heard = Heard { number, data: self.data(number) };
            let open = match self.pace {
                Pace::Full => queue.push_waiting((heard, None)),
                Pace::RealTime => {
                    let due =
                        start + Duration::from_secs_f64((number + 1) as f64 * self.hop as f64 / self.rate);
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    queue.push_dropping((heard, Some(due)))
                }
            };
            if !open {
                break;
            }
            counts.taken += 1;
        }
        counts
    }

    /// A block that goes over the end of the recording goes on at its beginning.
    fn data(&self, number: u64) -> Data {
        let first = (number * self.hop as u64 % self.frames as u64) as usize;
        if first + self.hop <= self.frames {
            return Data::Part(first);
        }
        match self.input {
            Input::Samples(samples) => {
                Data::Samples(self.wrapped(&samples.values, samples.microphones, first))
            }
            Input::Bits(bits) => Data::Words(self.wrapped(&bits.words, bits.microphones, first)),
            Input::Spectra(_) | Input::Stream(_) => Data::Samples(Vec::new()),
        }
    }

    fn wrapped<T: Copy>(&self, values: &[T], microphones: usize, first: usize) -> Vec<T> {
        let moments = (first..first + self.hop).map(|n| n % self.frames);
        moments.flat_map(|n| &values[n * microphones..][..microphones]).copied().collect()
    }
}

/// How long to wait for a datagram before looking whether to stop.
const TICK: Duration = Duration::from_millis(20);
/// A source that sends nothing for so long stalls.
const STALL: Duration = Duration::from_secs(1);
/// Another source is listened to when the first was silent for so long.
const SWITCH: Duration = Duration::from_millis(200);
/// The largest datagram there is.
const LARGEST: usize = 65_536;

/// What a socket should hold while this program is busy elsewhere: a tenth of a second of a large array. Systems give less where they are told to.
const BUFFER: usize = 16 << 20;

/// A socket at an address.
pub fn bind(address: SocketAddr) -> std::io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_recv_buffer_size(BUFFER)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Listens to a socket.
pub struct Listener<'a> {
    /// Where datagrams come in.
    pub socket: &'a UdpSocket,
    /// When to end by itself.
    pub duration: Option<Duration>,
    /// Raised by whoever wants it to end.
    pub stop: &'a AtomicBool,
    /// Microphones that heard nothing in the last second.
    pub dead: &'a Mutex<Vec<usize>>,
}

impl Listener<'_> {
    /// Listens until the time is over, or until it is told to stop.
    pub fn run(&self, assembler: &mut Assembler, queue: &Queue<Timed>) -> std::io::Result<Counts> {
        let _closing = Closing(queue);
        self.socket.set_read_timeout(Some(TICK))?;
        let mut bytes = vec![0; LARGEST];
        let start = Instant::now();
        // Who is listened to, and when something came from there.
        let mut source: Option<(SocketAddr, Instant)> = None;
        let mut stalled = false;
        while !self.stop.load(Ordering::Relaxed) && self.duration.is_none_or(|d| start.elapsed() < d) {
            let received = self.socket.recv_from(&mut bytes);
            let now = Instant::now();
            let (length, from) = match received {
                Ok(received) => received,
                Err(error) if is_passing(error.kind()) => {
                    if !stalled && source.is_some_and(|(_, last)| now - last > STALL) {
                        stalled = true;
                        assembler.counts_mut().stalls += 1;
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            if source.is_some_and(|(address, last)| address != from && now - last < SWITCH) {
                assembler.counts_mut().corrupt += 1;
                continue;
            }
            let taken = assembler.take(&bytes[..length], |heard| {
                queue.push_dropping((heard, Some(now)));
            });
            if taken {
                source = Some((from, now));
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

/// Nothing came in time, a signal came in between, or a datagram that was sent from here reached nobody.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
    )
}
