//! The microphone order in raw bitstreams of Sorama acoustic cameras: 16 tiles of 64 microphones, one bit of each in 32 words per frame.

/// Microphones along a side of the array, and along a side of a tile.
const SIDE: usize = 32;
const TILE: usize = 8;
/// Tiles along a side.
const TILES: usize = SIDE / TILE;
/// Microphones.
pub const MICROPHONES: usize = SIDE * SIDE;
/// 32-bit words of a frame.
pub const WORDS: usize = MICROPHONES / 32;

/// A microphone by the column and row of its tile, and its number in the tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileMicrophone {
    /// A to D are 0 to 3.
    pub column: usize,
    /// 0 to 3.
    pub row: usize,
    /// 0 to 63.
    pub number: usize,
}

impl TileMicrophone {
    /// Its index in the array, row by row.
    pub fn index(self) -> usize {
        SIDE * (TILE * (TILES - 1 - self.row) + (self.number >> 3)) + TILE * self.column + (self.number & 7)
    }

    /// The word of a frame with its bit, and the number of the bit.
    pub fn bit(self) -> (usize, u32) {
        (2 * (TILES * self.column + self.row) + (self.number >> 5), (self.number & 31) as u32)
    }

    /// All microphones.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..MICROPHONES).map(|i| Self { column: i / 256, row: i / 64 % TILES, number: i % 64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn known_microphones_have_their_index() {
        let at = |column, row, number| TileMicrophone { column, row, number }.index();
        assert_eq!([at(0, 0, 0), at(0, 3, 0), at(3, 0, 63)], [768, 0, 1023]);
    }

    #[test]
    fn every_microphone_has_its_own_index_and_bit() {
        let indices: BTreeSet<usize> = TileMicrophone::all().map(TileMicrophone::index).collect();
        let bits: BTreeSet<(usize, u32)> = TileMicrophone::all().map(TileMicrophone::bit).collect();
        assert_eq!(indices, (0..MICROPHONES).collect());
        assert_eq!(bits.len(), MICROPHONES);
        assert!(bits.iter().all(|(word, bit)| *word < WORDS && *bit < 32));
    }
}
