//! From bits of all microphones at one moment to words of 32 moments of one microphone.

use crate::sorama::{MICROPHONES, TileMicrophone};

/// Bits of a word.
pub const WORD: usize = 32;

/// Which microphone each bit of a moment belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitOrder {
    /// Word by word, the lowest bit first.
    microphones: Vec<usize>,
}

impl BitOrder {
    /// Row by row, the first microphone in the lowest bit of the first word.
    pub fn rows(microphones: usize) -> Self {
        Self { microphones: (0..microphones).collect() }
    }

    /// As cameras with sixteen tiles have it.
    pub fn sorama() -> Self {
        let mut microphones = vec![0; MICROPHONES];
        for microphone in TileMicrophone::all() {
            let (word, bit) = microphone.bit();
            microphones[word * WORD + bit as usize] = microphone.index();
        }
        Self { microphones }
    }

    /// How many microphones there are.
    pub fn microphones(&self) -> usize {
        self.microphones.len()
    }

    /// Words of a moment.
    pub fn words(&self) -> usize {
        self.microphones.len().div_ceil(WORD)
    }

    /// Adds a word of each microphone for every 32 moments, the oldest bit lowest. Moments that fill no word are left out.
    pub fn gather(&self, moments: &[u32], words: &mut Vec<u32>) {
        let width = self.words();
        for block in moments.chunks_exact((WORD * width).max(1)) {
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

/// Makes bit b of word n the bit n of word b, by squares of half the size each time.
fn transpose(square: &mut [u32; WORD]) {
    let mut side = WORD / 2;
    // Bits that are in the first half of each square.
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

    /// Bit by bit, in both orders and for a last word that is not full.
    #[test]
    fn words_have_the_bits_of_their_microphone() {
        for order in [BitOrder::rows(40), BitOrder::sorama()] {
            let width = order.words();
            let moments: Vec<u32> =
                (0..70 * width as u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 31)).collect();
            let mut words = Vec::new();
            order.gather(&moments, &mut words);
            assert_eq!(words.len(), 2 * order.microphones());
            for (i, microphone) in order.microphones.iter().enumerate() {
                for n in 0..2 * WORD {
                    let bit = moments[n * width + i / WORD] >> (i % WORD) & 1;
                    let word = words[n / WORD * order.microphones() + microphone];
                    assert_eq!(word >> (n % WORD) & 1, bit, "microphone {microphone}, moment {n}");
                }
            }
        }
    }
}
