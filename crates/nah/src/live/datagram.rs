//! What an array sends over a network: a head of 32 bytes and samples, or bits, of all microphones at a few moments.
//!
//! | bytes | what, little end first |
//! |---|---|
//! | 0..4 | `PFNA` |
//! | 4..6 | version, 1 |
//! | 6..8 | flags: 1 where bits follow, 0 where whole numbers of 32 bits do |
//! | 8..16 | sequence: one more than that of the datagram before |
//! | 16..24 | moments before the first one in here |
//! | 24..28 | microphones |
//! | 28..32 | moments in here |
//! | 32.. | moment by moment a number of each microphone; or a bit of each, in words of 32 bits, the last one filled up |

use crate::bits::WORD;

/// What every datagram begins with.
const MAGIC: [u8; 4] = *b"PFNA";
const VERSION: u16 = 1;
/// The flag of bits.
const OF_BITS: u16 = 1;
/// Bytes of the head.
pub const HEAD: usize = 32;

/// A datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// One more than that of the datagram before.
    pub sequence: u64,
    /// Moments before the first one in here.
    pub first: u64,
    /// How many microphones there are.
    pub microphones: u32,
    /// Whether these are bits.
    pub bits: bool,
    /// Moment by moment, in words of 32 bits.
    pub payload: &'a [u8],
}

/// Words of a moment.
pub fn width(microphones: usize, bits: bool) -> usize {
    if bits { microphones.div_ceil(WORD) } else { microphones }
}

impl<'a> Datagram<'a> {
    /// What some bytes say; none where they are no datagram, or not a whole one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (head, payload) = bytes.split_first_chunk::<HEAD>()?;
        let two = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let four = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        let (flags, microphones, moments) = (two(6), four(24), four(28));
        let bits = flags == OF_BITS;
        let whole = width(microphones as usize, bits).checked_mul(4 * moments as usize)?;
        let good = head[..4] == MAGIC
            && two(4) == VERSION
            && flags <= OF_BITS
            && whole > 0
            && payload.len() == whole
            && eight(16).checked_add(u64::from(moments)).is_some();
        good.then_some(Self { sequence: eight(8), first: eight(16), microphones, bits, payload })
    }

    /// Its bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.payload.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((if self.bits { OF_BITS } else { 0 }).to_le_bytes());
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.microphones.to_le_bytes());
        bytes.extend((self.moments() as u32).to_le_bytes());
        bytes.extend(self.payload);
        bytes
    }

    /// How many moments are in here.
    pub fn moments(&self) -> usize {
        self.payload.len() / (4 * width(self.microphones as usize, self.bits)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written out by hand, byte by byte.
    const BYTES: [u8; 48] = [
        b'P', b'F', b'N', b'A', 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0,
        0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 128,
    ];

    #[test]
    fn datagrams_are_read_as_they_are_written() {
        let datagram = Datagram::decode(&BYTES).unwrap();
        assert_eq!((datagram.sequence, datagram.first, datagram.microphones), (7, 256, 2));
        assert_eq!((datagram.moments(), datagram.bits), (2, false));
        assert_eq!(datagram.encode(), BYTES);
    }

    #[test]
    fn what_is_no_whole_datagram_is_none() {
        let changed = |at: usize, value: u8| {
            let mut bytes = BYTES;
            bytes[at] = value;
            bytes
        };
        // Magic, version, flags, microphones, moments.
        for (at, value) in [(0, b'Q'), (4, 2), (6, 2), (7, 1), (24, 3), (24, 0), (28, 1), (28, 0), (31, 255)]
        {
            assert_eq!(Datagram::decode(&changed(at, value)), None, "byte {at} = {value}");
        }
        for length in 0..BYTES.len() {
            assert_eq!(Datagram::decode(&BYTES[..length]), None, "{length} bytes");
        }
        // Moments that no count can hold.
        let mut far = BYTES;
        far[16..24].fill(255);
        assert_eq!(Datagram::decode(&far), None);
    }
}
