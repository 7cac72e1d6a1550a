//! Bit transposition: from frames with one bit of every microphone to words of 32 consecutive bits of one microphone.

use crate::sorama::{MICROPHONES, TileMicrophone};

/// Bits per word.
pub const WORD: usize = 32;

/// Which microphone each bit of a frame belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitOrder {
    /// Microphone of each bit, word by word, the least significant first.
    microphones: Vec<usize>,
}

impl BitOrder {
    /// Row by row, the first microphone in the least significant bit of the first word.
    pub fn rows(microphones: usize) -> Self {
        Self { microphones: (0..microphones).collect() }
    }

    /// The order of Sorama cameras with sixteen tiles.
    pub fn sorama() -> Self {
        let mut microphones = vec![0; MICROPHONES];
        for microphone in TileMicrophone::all() {
            let (word, bit) = microphone.bit();
            microphones[word * WORD + bit as usize] = microphone.index();
        }
        Self { microphones }
    }

    /// Number of microphones.
    pub fn microphones(&self) -> usize {
        self.microphones.len()
    }

    /// Words per frame.
    pub fn words(&self) -> usize {
        self.microphones.len().div_ceil(WORD)
    }

    /// Appends a word of each microphone for every 32 frames, the oldest bit least significant. Remaining frames are dropped.
    pub fn gather(&self, frames: &[u32], words: &mut Vec<u32>) {
        let width = self.words();
        // One frame after the other in memory, 32 of them at a time: a square of bits for each word
        // of a frame.
        for block in frames.chunks_exact((WORD * width).max(1)) {
            let first = words.len();
            words.resize(first + self.microphones.len(), 0);
            for (w, of_word) in self.microphones.chunks(WORD).enumerate() {
                let mut square: [u32; WORD] = std::array::from_fn(|n| block[n * width + w]);
                transpose(&mut square);
                for (word, microphone) in square.iter().zip(of_word) {
                    words[first + microphone] = *word;
                }
            }
        }
    }
}

/// Transposes a 32 x 32 bit matrix by swapping blocks of half the size each time (Warren, *Hacker's Delight*, section 7-3).
fn transpose(square: &mut [u32; WORD]) {
    let mut side = WORD / 2;
    // Selects the first half of each block.
    let mut mask = 0x0000_ffff_u32;
    while side > 0 {
        for n in (0..WORD).filter(|n| n & side == 0) {
            let swapped = ((square[n] >> side) ^ square[n + side]) & mask;
            square[n] ^= swapped << side;
            square[n + side] ^= swapped;
        }
        side /= 2;
        mask ^= mask << side;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, in both orders and with an incomplete last word.
    #[test]
    fn words_hold_the_bits_of_their_microphone() {
        for order in [BitOrder::rows(40), BitOrder::sorama()] {
            let width = order.words();
            let frames: Vec<u32> =
                (0..70 * width as u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 31)).collect();
            let mut words = Vec::new();
            order.gather(&frames, &mut words);
            assert_eq!(words.len(), 2 * order.microphones());
            for (i, microphone) in order.microphones.iter().enumerate() {
                for n in 0..2 * WORD {
                    let bit = frames[n * width + i / WORD] >> (i % WORD) & 1;
                    let word = words[n / WORD * order.microphones() + microphone];
                    assert_eq!(word >> (n % WORD) & 1, bit, "microphone {microphone}, frame {n}");
                }
            }
        }
    }
}
