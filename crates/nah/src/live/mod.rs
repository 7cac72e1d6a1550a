//! Block-by-block processing: recordings that are played back, and streams without an end.
//!
//! One thread delivers blocks, one reconstructs holograms, one displays some of them, and for streams a fourth updates the regularization about once per
//! second. Between them are bounded queues: where a thread is slow, blocks or maps are dropped and counted, so that the latency stays
//! bounded. A recording at full speed waits instead.

mod adaptation;
mod assembler;
mod block;
mod datagram;
mod player;
mod processor;
mod queue;
mod receiver;
mod run;

pub use assembler::Assembler;
pub use datagram::Datagram;
