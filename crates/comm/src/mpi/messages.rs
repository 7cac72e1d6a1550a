//! Messages of any length between two ranks: the length first, then pieces that MPI can count.

use super::abi::{Handle, Status};
use super::session::{PIECE, Session};
use crate::error::{CommError, Result};
use std::ffi::c_int;

/// Tag of gathered messages.
pub const GATHER: c_int = 1;
/// Tag of `send` and `receive`.
pub const DIRECT: c_int = 2;
/// First tag of halo exchanges.
pub const HALO: c_int = 1024;

impl<H: Handle> Session<H> {
    /// Sends `bytes` to `rank`.
    pub fn send(&self, rank: usize, tag: c_int, bytes: &[u8]) -> Result<()> {
        self.send_piece(rank, tag, &(bytes.len() as u64).to_le_bytes())?;
        bytes.chunks(PIECE).try_for_each(|piece| self.send_piece(rank, tag, piece))
    }

    /// Receives the next message of `rank`.
    pub fn receive(&self, rank: usize, tag: c_int) -> Result<Vec<u8>> {
        let mut length = [0; 8];
        self.receive_piece(rank, tag, &mut length)?;
        let mut bytes = zeros(u64::from_le_bytes(length) as usize)?;
        bytes.chunks_mut(PIECE).try_for_each(|piece| self.receive_piece(rank, tag, piece))?;
        Ok(bytes)
    }

    /// The sender of a message that has arrived.
    pub fn probe(&self, tag: c_int) -> Result<Option<usize>> {
        let (mut found, mut status) = (0, Status([0; 8]));
        let guard = self.enter()?;
        // SAFETY: the pointers are to live locals, and the status has room for that of any ABI.
        let code = unsafe {
            (self.functions.iprobe)(self.abi.any_source, tag, self.comm, &raw mut found, &raw mut status)
        };
        drop(guard);
        self.check("MPI_Iprobe", code)?;
        Ok((found != 0).then(|| status.0[self.abi.source_field] as usize))
    }

    /// Rank 0's `bytes` on every rank.
    pub fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let mut length = (bytes.len() as u64).to_le_bytes();
        self.broadcast_piece(&mut length)?;
        if self.rank > 0 {
            *bytes = zeros(u64::from_le_bytes(length) as usize)?;
        }
        bytes.chunks_mut(PIECE).try_for_each(|piece| self.broadcast_piece(piece))
    }

    fn send_piece(&self, rank: usize, tag: c_int, piece: &[u8]) -> Result<()> {
        let (count, byte) = (piece.len() as c_int, self.abi.byte);
        self.complete("MPI_Isend", |request| {
            // SAFETY: the piece is borrowed until the send is finished.
            unsafe {
                let data = piece.as_ptr().cast();
                (self.functions.isend)(data, count, byte, rank as c_int, tag, self.comm, request)
            }
        })
    }

    fn receive_piece(&self, rank: usize, tag: c_int, piece: &mut [u8]) -> Result<()> {
        let (count, byte) = (piece.len() as c_int, self.abi.byte);
        let data = piece.as_mut_ptr().cast();
        self.complete("MPI_Irecv", |request| {
            // SAFETY: the piece is borrowed until the receive is finished.
            unsafe { (self.functions.irecv)(data, count, byte, rank as c_int, tag, self.comm, request) }
        })
    }

    fn broadcast_piece(&self, piece: &mut [u8]) -> Result<()> {
        let (count, byte) = (piece.len() as c_int, self.abi.byte);
        let data = piece.as_mut_ptr().cast();
        self.complete("MPI_Ibcast", |request| {
            // SAFETY: the piece is borrowed until the broadcast is finished, and as long on all ranks.
            unsafe { (self.functions.ibcast)(data, count, byte, 0, self.comm, request) }
        })
    }
}

/// Memory for a message whose length another rank has told.
fn zeros(bytes: usize) -> Result<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| CommError::OutOfMemory { bytes })?;
    memory.resize(bytes, 0);
    Ok(memory)
}
