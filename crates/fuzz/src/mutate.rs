//! Damage to inputs, repeatable: the same seed, target and number give the same bytes on every machine.

use crate::Target;

/// Longest input made.
const MAX_LENGTH: usize = 1 << 17;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): small, and every seed is a good one.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`, 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.number() % count.max(1) as u64) as usize
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Numbers in text that programs trip over.
const NUMBERS: [&str; 26] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
    "1e9",
    "1e300",
    "1e-170",
    "1e-310",
    "-1e300",
    "1e309",
    "nan",
    "inf",
    "-inf",
    "0.1",
    "1e-9",
];

/// Integers in binary fields.
const INTEGERS: [u64; 12] = [
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// The seeds of a target, and the words that occur in them.
#[derive(Debug)]
pub struct Corpus {
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Corpus {
    /// Of a target.
    pub fn of(target: &Target) -> Self {
        let mut seeds = (target.seeds)();
        seeds.retain(|seed| seed.len() <= MAX_LENGTH);
        if seeds.is_empty() {
            seeds.push(Vec::new());
        }
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$-.".contains(byte);
        let mut words: Vec<Vec<u8>> = Vec::new();
        for seed in &seeds {
            words.extend(
                seed.split(|byte| !is_word(byte))
                    .filter(|word| (2..40).contains(&word.len()))
                    .map(<[u8]>::to_vec),
            );
        }
        words.sort_unstable();
        words.dedup();
        words.extend(
            [&b"\n"[..], b"{", b"}", b"[", b"]", b"(", b"\"", b",", b"=", b"\\\n", b"\0"].map(<[u8]>::to_vec),
        );
        Self { seeds, words }
    }

    /// Input number `n` of a campaign: the seeds themselves first, then seeds with one to eight damages.
    pub fn input(&self, campaign: u64, n: u64) -> Vec<u8> {
        if let Some(seed) = usize::try_from(n).ok().and_then(|n| self.seeds.get(n)) {
            return seed.clone();
        }
        let mut random = Random::new(campaign.rotate_left(32) ^ n);
        let mut bytes = self.seeds[random.below(self.seeds.len())].clone();
        for _ in 0..=random.below(8) {
            self.damage(&mut bytes, &mut random);
        }
        bytes.truncate(MAX_LENGTH);
        bytes
    }

    fn damage(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(bytes.len());
        // Mostly short pieces: a long one replaces most of the input.
        let length = 1 + if random.below(4) == 0 { random.below(bytes.len() / 2) } else { random.below(16) };
        let end = (at + length).min(bytes.len());
        match random.below(12) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.number() as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                splice(bytes, random, &piece);
            }
            4 => bytes.truncate(at),
            5 => {
                let other = &self.seeds[random.below(self.seeds.len())];
                let from = random.below(other.len());
                let piece = &other[from..(from + length).min(other.len())];
                splice(bytes, random, piece);
            }
            6 => {
                let word = &self.words[random.below(self.words.len())];
                splice(bytes, random, word);
            }
            7 => {
                // A binary field of two, four or eight bytes.
                let size = random.of(&[2, 4, 8]);
                let value =
                    random.of(&INTEGERS).wrapping_add(random.below(3) as u64).wrapping_sub(1).to_le_bytes();
                for (byte, new) in bytes.iter_mut().skip(at).take(size).zip(value) {
                    *byte = new;
                }
            }
            8 => replace_word(bytes, at, |_| true, &self.words[random.below(self.words.len())]),
            _ => replace_word(
                bytes,
                at,
                |byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte),
                random.of(&NUMBERS).as_bytes(),
            ),
        }
    }
}

fn splice(bytes: &mut Vec<u8>, random: &mut Random, piece: &[u8]) {
    if bytes.len() + piece.len() <= MAX_LENGTH {
        let at = random.below(bytes.len() + 1);
        bytes.splice(at..at, piece.iter().copied());
    }
}

/// Replaces the first word at or behind a position: of bytes that `fits` accepts, no blanks, and with a digit if it is a number.
fn replace_word(bytes: &mut Vec<u8>, at: usize, fits: impl Fn(u8) -> bool, new: &[u8]) {
    let inside =
        |byte: &u8| fits(*byte) && !byte.is_ascii_whitespace() && !b",;=\"'[](){}<>/:".contains(byte);
    let Some(start) = bytes.iter().skip(at).position(inside).map(|i| at + i) else { return };
    let end = bytes[start..].iter().position(|byte| !inside(byte)).map_or(bytes.len(), |i| start + i);
    // Back to the start of the word that the position is in.
    let start = bytes[..start].iter().rposition(|byte| !inside(byte)).map_or(0, |i| i + 1);
    bytes.splice(start..end, new.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    #[test]
    fn inputs_repeat_and_differ() {
        let target = TARGETS.iter().find(|target| target.name == "obj").unwrap();
        let corpus = Corpus::of(target);
        let all: Vec<Vec<u8>> = (0..200).map(|n| corpus.input(7, n)).collect();
        assert_eq!(all, (0..200).map(|n| Corpus::of(target).input(7, n)).collect::<Vec<_>>());
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() > 150, "{}", distinct.len());
    }

    #[test]
    fn every_target_has_seeds_and_survives_them() {
        for target in TARGETS {
            let seeds = (target.seeds)();
            assert!(!seeds.is_empty() && seeds.iter().all(|seed| !seed.is_empty()), "{}", target.name);
            let before = crate::accepted();
            for seed in seeds {
                (target.run)(&seed);
            }
            assert!(crate::accepted() > before, "{} accepts none of its seeds", target.name);
        }
    }
}
