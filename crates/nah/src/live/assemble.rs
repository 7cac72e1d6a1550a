//! From datagrams, as a network brings them, to blocks that follow one another.
//!
//! Two blocks are open at a time, so that neighbors may come in any order. A block goes on when it is complete, or when something comes from beyond
//! the next one: what is missing then counts as silence, and is left out when it comes later. Datagrams that are off their place are
//! believed only when a few in a row follow from one another: a source that began anew does that, and garbage does not.

use super::datagram::{Datagram, width};
use super::tally::Counts;
use crate::input::Stream;
use crate::mend::Census;

/// Datagrams that one may be behind and still be a late one.
const BEHIND: u64 = 1024;
/// Datagrams off their place that follow from one another before they are believed.
const BELIEVED: u64 = 4;

/// A block of what all microphones heard.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// One more than that of the block before where it follows from it.
    pub number: u64,
    /// Samples or words.
    pub data: Data,
}

/// What a block holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// So many moments of a recording from this one on.
    Part(usize),
    /// Samples, Pa.
    Samples(Vec<f32>),
    /// Words of 32 bits.
    Words(Vec<u32>),
}

/// Makes blocks of datagrams.
pub struct Assembler {
    stream: Stream,
    /// Moments of a block.
    length: u64,
    /// Moments that may be missing in a row.
    patience: u64,
    /// Words of a moment.
    width: usize,
    /// The first moment of the blocks that are open, their words, and which of their moments came.
    first: Option<u64>,
    words: Vec<u32>,
    came: Vec<bool>,
    number: u64,
    /// The sequence of the newest datagram that was taken.
    newest: u64,
    /// Off its place: the moment after the last datagram, and how many followed from one another up to there.
    elsewhere: Option<(u64, u64)>,
    census: Census,
    dead: Vec<usize>,
    counts: Counts,
}

impl Assembler {
    /// For blocks of so many samples, with no more than `patience` samples missing in a row.
    pub fn new(stream: Stream, hop: usize, patience: usize) -> Self {
        let scale = stream.moments_per_sample();
        let width = width(stream.microphones, stream.bits.is_some());
        let length = hop * scale;
        Self {
            census: Census::new(stream.microphones),
            stream,
            length: length as u64,
            patience: (patience * scale) as u64,
            width,
            first: None,
            words: vec![0; 2 * length * width],
            came: vec![false; 2 * length],
            number: 0,
            newest: 0,
            elsewhere: None,
            dead: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// For what was counted elsewhere.
    pub fn counts_mut(&mut self) -> &mut Counts {
        &mut self.counts
    }

    /// Microphones that heard nothing in the last second.
    pub fn dead(&self) -> &[usize] {
        &self.dead
    }

    /// Takes what a network brought; blocks that are complete go to `out`. Whether it was taken.
    pub fn take(&mut self, bytes: &[u8], mut out: impl FnMut(Heard)) -> bool {
        let Some(datagram) = Datagram::decode(bytes).filter(|d| self.fits(d)) else {
            self.counts.corrupt += 1;
            return false;
        };
        let end = datagram.first + datagram.moments() as u64;
        let open = self.first.unwrap_or(datagram.first);
        let is_old = end <= open;
        if is_old || datagram.first > open.saturating_add(2 * self.length + self.patience) {
            let late = is_old && datagram.sequence < self.newest && self.newest - datagram.sequence <= BEHIND;
            let count = if late { &mut self.counts.late } else { &mut self.counts.corrupt };
            let before = self.elsewhere.map_or(0, |(next, run)| if next == datagram.first { run } else { 0 });
            if before + 1 < BELIEVED {
                self.elsewhere = Some((end, before + 1));
                *count += 1;
                return false;
            }
            // Those before it were good as well.
            *count = count.saturating_sub(before);
            self.counts.restarts += 1;
            self.number += 1;
            self.open(datagram.first);
        }
        self.elsewhere = None;
        self.newest = datagram.sequence;
        self.counts.taken += 1;
        if self.first.is_none() {
            self.open(datagram.first);
        }
        self.put(&datagram, &mut out);
        true
    }

    fn fits(&self, datagram: &Datagram<'_>) -> bool {
        datagram.microphones as usize == self.stream.microphones
            && datagram.bits == self.stream.bits.is_some()
    }

    /// Puts the moments of a datagram where they belong, no more than a block of them at a time.
    fn put(&mut self, datagram: &Datagram<'_>, out: &mut impl FnMut(Heard)) {
        let (words, length) = (datagram.payload.as_chunks::<4>().0, self.length as usize);
        let mut start = datagram.first;
        for part in words.chunks(length * self.width) {
            let end = start + (part.len() / self.width) as u64;
            while end > self.first().saturating_add(2 * self.length) {
                self.pass_on(out);
            }
            for (moment, words) in (start..end).zip(part.chunks_exact(self.width)) {
                let Some(place) = moment.checked_sub(self.first()) else { continue };
                let place = place as usize;
                let target = &mut self.words[place * self.width..][..self.width];
                target.iter_mut().zip(words).for_each(|(to, from)| *to = u32::from_le_bytes(*from));
                self.came[place] = true;
            }
            while self.came[..length].iter().all(|came| *came) {
                self.pass_on(out);
            }
            start = end;
        }
    }

    fn first(&self) -> u64 {
        self.first.unwrap_or(0)
    }

    /// Lets the first of the open blocks go, and opens another.
    fn pass_on(&mut self, out: &mut impl FnMut(Heard)) {
        let length = self.length as usize;
        self.counts.lost += self.came[..length].iter().filter(|came| !**came).count() as u64;
        out(Heard { number: self.number, data: self.finished() });
        self.number += 1;
        self.first = self.first.map(|first| first.saturating_add(self.length));
        self.words.copy_within(length * self.width.., 0);
        self.came.copy_within(length.., 0);
        self.silence(length);
    }

    /// Begins at a moment with nothing heard.
    fn open(&mut self, first: u64) {
        self.first = Some(first);
        self.silence(0);
    }

    /// Forgets moments from one on: silent until something comes. For bits that is ones and zeros in turn.
    fn silence(&mut self, from: usize) {
        let bits = self.stream.bits.is_some();
        self.came[from..].fill(false);
        for (moment, words) in self.words.chunks_exact_mut(self.width.max(1)).enumerate().skip(from) {
            words.fill(if bits && moment % 2 == 1 { u32::MAX } else { 0 });
        }
    }

    /// The first of the open blocks as samples or words of microphones.
    fn finished(&mut self) -> Data {
        let raw = &self.words[..self.length as usize * self.width];
        let data = if let Some(order) = &self.stream.bits {
            let mut words = Vec::new();
            order.gather(raw, &mut words);
            self.census.add_words(&words);
            Data::Words(words)
        } else {
            let scale = (self.stream.full_scale / 2_147_483_648.0) as f32;
            let whole = |word: &u32| word.cast_signed();
            let clipped = raw.iter().map(whole).filter(|value| matches!(*value, i32::MIN | i32::MAX)).count();
            self.counts.clipped += clipped as u64;
            let samples: Vec<f32> = raw.iter().map(|word| whole(word) as f32 * scale).collect();
            self.census.add_samples(&samples);
            Data::Samples(samples)
        };
        if self.census.moments() >= self.stream.sample_rate() {
            self.dead = self.census.dead();
            self.census = Census::new(self.stream.microphones);
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitOrder;

    const MICROPHONES: usize = 2;
    const HOP: usize = 4;
    const PATIENCE: usize = 8;

    fn stream(microphones: usize, bits: Option<BitOrder>) -> Stream {
        let address = ([127, 0, 0, 1], 0).into();
        Stream { address, duration: None, rate: 1.5e6, microphones, bits, full_scale: 1.0 }
    }

    /// A stream whose sample of microphone m at moment n is 2^16 (2n + m).
    fn assembler() -> Assembler {
        let stream = Stream { full_scale: 2_147_483_648.0 / 65_536.0, ..stream(MICROPHONES, None) };
        Assembler::new(Stream { rate: 16.0, ..stream }, HOP, PATIENCE)
    }

    fn datagram(sequence: u64, first: u64, moments: u64) -> Vec<u8> {
        let sample = |i: u64| ((i as i32) << 16).to_le_bytes();
        let payload: Vec<u8> =
            (0..2 * moments).flat_map(|i| sample(i.wrapping_add(first.wrapping_mul(2)))).collect();
        Datagram { sequence, first, microphones: 2, bits: false, payload: &payload }.encode()
    }

    fn run(assembler: &mut Assembler, datagrams: &[Vec<u8>]) -> Vec<(u64, Vec<f32>)> {
        let mut blocks = Vec::new();
        for bytes in datagrams {
            assembler.take(bytes, |heard| {
                let Data::Samples(samples) = heard.data else { panic!("samples") };
                blocks.push((heard.number, samples));
            });
        }
        blocks
    }

    fn samples(from: u32) -> Vec<f32> {
        (from..from + 8).map(|i| i as f32).collect()
    }

    #[test]
    fn blocks_do_not_depend_on_how_moments_are_packed() {
        for packed in [1, 3, 4, 5, 12] {
            let all: Vec<Vec<u8>> = (0..60 / packed).map(|i| datagram(i, i * packed, packed)).collect();
            let mut assembler = assembler();
            let blocks = run(&mut assembler, &all);
            assert_eq!(blocks.len(), 15);
            for (i, (number, block)) in blocks.iter().enumerate() {
                assert_eq!((*number, block), (i as u64, &samples(8 * i as u32)));
            }
            assert_eq!(assembler.counts(), Counts { taken: 60 / packed, ..Counts::default() });
        }
    }

    /// Neighbors may come in any order; what comes when its block has gone on is late; what never comes is silence.
    #[test]
    fn gaps_are_silent_and_late_datagrams_are_left_out() {
        // Two moments each, two datagrams to a block: 5 is late, and 12 never comes.
        let order = [0, 2, 1, 4, 3, 6, 7, 8, 9, 5, 10, 11, 13, 14, 15, 16, 17];
        let all: Vec<Vec<u8>> = order.iter().map(|i| datagram(*i, 2 * i, 2)).collect();
        let mut assembler = assembler();
        let blocks = run(&mut assembler, &all);
        let mut expected: Vec<Vec<f32>> = (0..9).map(|i| samples(8 * i)).collect();
        expected[2][4..].fill(0.0);
        expected[6][..4].fill(0.0);
        assert_eq!(blocks, (0..).zip(expected).collect::<Vec<_>>());
        let counts = Counts { taken: 16, late: 1, lost: 4, ..Counts::default() };
        assert_eq!(assembler.counts(), counts);
    }

    /// A source that begins anew is followed from its fourth datagram on, and its blocks do not follow from those before.
    #[test]
    fn a_source_may_begin_anew() {
        // From its beginning, from far away, and from a little earlier.
        for (sequence, first) in [(0, 0), (0, 1 << 40), (4900, 900)] {
            let mut all: Vec<Vec<u8>> = (0..5).map(|i| datagram(5000 + i, 1000 + 4 * i, 4)).collect();
            all.extend((0..6).map(|i| datagram(sequence + i, first + 4 * i, 4)));
            let mut assembler = assembler();
            let blocks = run(&mut assembler, &all);
            assert_eq!(blocks.iter().map(|b| b.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 6, 7, 8]);
            assert_eq!(assembler.counts(), Counts { taken: 8, restarts: 1, ..Counts::default() });
        }
    }

    #[test]
    fn garbage_is_counted_and_changes_nothing() {
        let good: Vec<Vec<u8>> = (0..20).map(|i| datagram(i, 4 * i, 4)).collect();
        let expected = run(&mut assembler(), &good);
        let mut wrong_count = datagram(3, 12, 4);
        wrong_count[24] = 4;
        wrong_count[28] = 2;
        let garbage = [
            Vec::new(),
            vec![0; 7],
            vec![0xff; 2000],
            good[3][..40].to_vec(),
            wrong_count,
            // Whole datagrams that belong nowhere.
            datagram(9, 1 << 50, 4),
            datagram(u64::MAX, u64::MAX - 100, 4),
        ];
        let mut mixed = Vec::new();
        for (i, datagram) in good.iter().enumerate() {
            mixed.push(datagram.clone());
            mixed.push(garbage[i % garbage.len()].clone());
        }
        let mut assembler = assembler();
        assert_eq!(run(&mut assembler, &mixed), expected);
        assert_eq!(assembler.counts(), Counts { taken: 20, corrupt: 20, ..Counts::default() });
    }

    #[test]
    fn bits_become_words_and_their_gaps_are_silent() {
        let mut assembler = Assembler::new(stream(32, Some(BitOrder::rows(32))), 1, 64);
        let mut words = Vec::new();
        // Sixteen moments each, with all ones in the first microphone; the second datagram is lost.
        for i in [0, 2, 3, 4, 5, 6] {
            let payload = [1, 0, 0, 0].repeat(16);
            let datagram =
                Datagram { sequence: i, first: 16 * i, microphones: 32, bits: true, payload: &payload };
            assembler.take(&datagram.encode(), |heard| {
                let Data::Words(block) = heard.data else { panic!("words") };
                words.push([block[0], block[1]]);
            });
        }
        assert_eq!(words, [[0xaaaa_ffff, 0xaaaa_0000], [u32::MAX, 0], [u32::MAX, 0]]);
        assert_eq!(assembler.counts().lost, 16);
    }

    #[test]
    fn silent_microphones_are_named_every_second() {
        let mut assembler = assembler();
        for i in 0..8 {
            let sample = |n: u64| if n.is_multiple_of(2) { (n as i32) << 16 } else { 77 };
            let payload: Vec<u8> = (8 * i..8 * i + 8).flat_map(|n| sample(n).to_le_bytes()).collect();
            let datagram =
                Datagram { sequence: i, first: 4 * i, microphones: 2, bits: false, payload: &payload };
            assembler.take(&datagram.encode(), |_| {});
        }
        assert_eq!(assembler.dead(), [1]);
    }
}
