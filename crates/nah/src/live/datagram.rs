//! The datagrams of a stream: a header of 32 bytes, then frames of samples or bits of all microphones.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 0..4 | `PFNA` |
//! | 4..6 | version, 1 |
//! | 6..8 | flags: 1 for bits, 0 for 32-bit integers |
//! | 8..16 | sequence number: one more than that of the datagram before |
//! | 16..24 | number of the first frame |
//! | 24..28 | number of microphones |
//! | 28..32 | number of frames |
//! | 32.. | frames: an integer of each microphone; or a bit of each, in 32-bit words, the last one padded |

use crate::bits::WORD;

/// The first bytes of every datagram.
const MAGIC: [u8; 4] = *b"PFNA";
const VERSION: u16 = 1;
/// The flag for bits.
const BITS_FLAG: u16 = 1;
/// Bytes of the header.
pub const HEADER: usize = 32;

/// A datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Sequence number, one more than that of the datagram before.
    pub sequence: u64,
    /// Number of the first frame.
    pub first: u64,
    /// Number of microphones.
    pub microphones: u32,
    /// Whether the payload is bits.
    pub bits: bool,
    /// Frame by frame, in words of 32 bits.
    pub payload: &'a [u8],
}

/// 32-bit words of a frame.
pub fn width(microphones: usize, bits: bool) -> usize {
    if bits { microphones.div_ceil(WORD) } else { microphones }
}

impl<'a> Datagram<'a> {
    /// Decodes a datagram; none if the bytes are not a complete datagram.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (header, payload) = bytes.split_first_chunk::<HEADER>()?;
        let two = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let four =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        let (flags, microphones, frames) = (two(6), four(24), four(28));
        let bits = flags == BITS_FLAG;
        // Checked: a corrupt header must not overflow the expected length.
        let expected = width(microphones as usize, bits).checked_mul(4 * frames as usize)?;
        let valid = header[..4] == MAGIC
            && two(4) == VERSION
            && flags <= BITS_FLAG
            && expected > 0
            && payload.len() == expected
            // The frame after the last one must be representable:
            // the assembler computes it without a check.
            && eight(16).checked_add(u64::from(frames)).is_some();
        valid.then_some(Self { sequence: eight(8), first: eight(16), microphones, bits, payload })
    }

    /// Encodes a datagram.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.payload.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((if self.bits { BITS_FLAG } else { 0 }).to_le_bytes());
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.microphones.to_le_bytes());
        bytes.extend((self.frames() as u32).to_le_bytes());
        bytes.extend(self.payload);
        bytes
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.payload.len() / (4 * width(self.microphones as usize, self.bits)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram byte by byte.
    const BYTES: [u8; 48] = [
        b'P', b'F', b'N', b'A', 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0,
        0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 128,
    ];

    #[test]
    fn datagrams_are_decoded_as_they_are_encoded() {
        let datagram = Datagram::decode(&BYTES).unwrap();
        assert_eq!((datagram.sequence, datagram.first, datagram.microphones), (7, 256, 2));
        assert_eq!((datagram.frames(), datagram.bits), (2, false));
        assert_eq!(datagram.encode(), BYTES);
    }

    #[test]
    fn incomplete_datagrams_are_refused() {
        let changed = |at: usize, value: u8| {
            let mut bytes = BYTES;
            bytes[at] = value;
            bytes
        };
        // Magic, version, flags, microphones, frames.
        for (at, value) in [(0, b'Q'), (4, 2), (6, 2), (7, 1), (24, 3), (24, 0), (28, 1), (28, 0), (31, 255)]
        {
            assert_eq!(Datagram::decode(&changed(at, value)), None, "byte {at} = {value}");
        }
        for length in 0..BYTES.len() {
            assert_eq!(Datagram::decode(&BYTES[..length]), None, "{length} bytes");
        }
        // A frame number that overflows.
        let mut far = BYTES;
        far[16..24].fill(255);
        assert_eq!(Datagram::decode(&far), None);
    }
}
