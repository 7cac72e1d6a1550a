//! From datagrams in network order to consecutive blocks.
//!
//! Two blocks are open at a time, so that neighboring datagrams may arrive in any order. A block is completed when all its frames have arrived, or when a
//! frame arrives from beyond the next block: missing frames are then replaced by zeros, and ignored if they arrive later. Datagrams at unexpected
//! frame numbers are accepted only after several consecutive ones: a restarted sender sends such a run, corrupt data does not. Nor do duplicates:
//! a datagram with sequence and frame number of one that was accepted shortly before is ignored.

use super::block::{BlockData, LiveBlock};
use super::datagram::{Datagram, width};
use crate::input::Stream;
use crate::statistics::ChannelStatistics;
use crate::summary::StreamCounts;
use std::collections::VecDeque;

/// Sequence numbers that a late datagram may be behind.
const MAX_DELAY: u64 = 1024;
/// Accepted datagrams that another one is compared with: networks duplicate a datagram soon after it, and a sender that restarts within so few
/// loses no more than these.
const REMEMBERED: usize = 64;
/// Consecutive datagrams at unexpected frame numbers that are accepted as a restart.
const RESTART_RUN: u64 = 4;

/// Assembles blocks from datagrams.
pub struct Assembler {
    stream: Stream,
    /// Frames of a block.
    length: u64,
    /// Consecutive frames that may be missing.
    max_gap: u64,
    /// Words of a frame.
    width: usize,
    /// The first frame of the open blocks, their words, and which of their frames have arrived.
    first: Option<u64>,
    words: Vec<u32>,
    arrived: Vec<bool>,
    number: u64,
    /// Sequence number of the newest accepted datagram.
    newest: u64,
    /// Sequence and frame numbers of the last accepted datagrams.
    recent: VecDeque<[u64; 2]>,
    /// A run of datagrams at unexpected frame numbers: the frame after the last one, and the length of the run.
    unexpected: Option<(u64, u64)>,
    statistics: ChannelStatistics,
    dead: Vec<usize>,
    counts: StreamCounts,
}

impl Assembler {
    /// For blocks of `hop` samples, with at most `max_gap` consecutive samples missing.
    pub fn new(stream: Stream, hop: usize, max_gap: usize) -> Self {
        let scale = stream.frames_per_sample();
        let width = width(stream.microphones, stream.bits.is_some());
        let length = hop * scale;
        Self {
            statistics: ChannelStatistics::new(stream.microphones),
            stream,
            length: length as u64,
            max_gap: (max_gap * scale) as u64,
            width,
            first: None,
            // Two open blocks: neighboring datagrams may arrive in any order.
            words: vec![0; 2 * length * width],
            arrived: vec![false; 2 * length],
            number: 0,
            newest: 0,
            recent: VecDeque::with_capacity(REMEMBERED),
            unexpected: None,
            dead: Vec::new(),
            counts: StreamCounts::default(),
        }
    }

    /// Counts so far.
    pub fn counts(&self) -> StreamCounts {
        self.counts
    }

    /// For counts of the receiver.
    pub fn counts_mut(&mut self) -> &mut StreamCounts {
        &mut self.counts
    }

    /// Microphones that were dead in the last second.
    pub fn dead(&self) -> &[usize] {
        &self.dead
    }

    /// Adds a datagram; completed blocks are passed to `out`. Whether it was accepted.
    pub fn push(&mut self, bytes: &[u8], mut out: impl FnMut(LiveBlock)) -> bool {
        let Some(datagram) = Datagram::decode(bytes).filter(|d| self.matches(d)) else {
            self.counts.corrupt += 1;
            return false;
        };
        let identity = [datagram.sequence, datagram.first];
        if self.recent.contains(&identity) {
            self.counts.duplicates += 1;
            return false;
        }
        let end = datagram.first + datagram.frames() as u64;
        let open = self.first.unwrap_or(datagram.first);
        let is_old = end <= open;
        // Before the open blocks, or farther ahead than a gap may be.
        if is_old || datagram.first > open.saturating_add(2 * self.length + self.max_gap) {
            let late =
                is_old && datagram.sequence < self.newest && self.newest - datagram.sequence <= MAX_DELAY;
            let count = if late { &mut self.counts.late } else { &mut self.counts.corrupt };
            // The run continues only at the very next frame.
            let before =
                self.unexpected.map_or(0, |(next, run)| if next == datagram.first { run } else { 0 });
            if before + 1 < RESTART_RUN {
                self.unexpected = Some((end, before + 1));
                *count += 1;
                return false;
            }
            // The datagrams of the run before it were valid as well.
            *count = count.saturating_sub(before);
            self.counts.restarts += 1;
            // A gap in the block numbers: the processor restarts its window.
            self.number += 1;
            self.open(datagram.first);
        }
        self.unexpected = None;
        self.newest = datagram.sequence;
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(identity);
        self.counts.accepted += 1;
        if self.first.is_none() {
            self.open(datagram.first);
        }
        self.store(&datagram, &mut out);
        true
    }

    fn matches(&self, datagram: &Datagram<'_>) -> bool {
        datagram.microphones as usize == self.stream.microphones
            && datagram.bits == self.stream.bits.is_some()
    }

    /// Stores the frames of a datagram, at most a block of them at a time.
    fn store(&mut self, datagram: &Datagram<'_>, out: &mut impl FnMut(LiveBlock)) {
        let (words, length) = (datagram.payload.as_chunks::<4>().0, self.length as usize);
        let mut start = datagram.first;
        // Datagrams may be longer than a block.
        for part in words.chunks(length * self.width) {
            let end = start + (part.len() / self.width) as u64;
            while end > self.first().saturating_add(2 * self.length) {
                self.complete(out);
            }
            for (frame, words) in (start..end).zip(part.chunks_exact(self.width)) {
                // Frames of a block that is already complete.
                let Some(index) = frame.checked_sub(self.first()) else { continue };
                let index = index as usize;
                let target = &mut self.words[index * self.width..][..self.width];
                target.iter_mut().zip(words).for_each(|(to, from)| *to = u32::from_le_bytes(*from));
                self.arrived[index] = true;
            }
            while self.arrived[..length].iter().all(|arrived| *arrived) {
                self.complete(out);
            }
            start = end;
        }
    }

    fn first(&self) -> u64 {
        self.first.unwrap_or(0)
    }

    /// Completes the first of the open blocks, and opens another.
    fn complete(&mut self, out: &mut impl FnMut(LiveBlock)) {
        let length = self.length as usize;
        self.counts.lost += self.arrived[..length].iter().filter(|arrived| !**arrived).count() as u64;
        out(LiveBlock { number: self.number, data: self.finished() });
        self.number += 1;
        // The second open block becomes the first.
        self.first = self.first.map(|first| first.saturating_add(self.length));
        self.words.copy_within(length * self.width.., 0);
        self.arrived.copy_within(length.., 0);
        self.clear(length);
    }

    /// Opens blocks at a frame.
    fn open(&mut self, first: u64) {
        self.first = Some(first);
        self.clear(0);
    }

    /// Clears frames from `from` on: zero pressure until they arrive, which for bits is alternating ones and zeros.
    fn clear(&mut self, from: usize) {
        let bits = self.stream.bits.is_some();
        self.arrived[from..].fill(false);
        for (frame, words) in self.words.chunks_exact_mut(self.width.max(1)).enumerate().skip(from) {
            // Mean zero for the decimation filter; all zeros would be full negative scale.
            words.fill(if bits && frame % 2 == 1 { u32::MAX } else { 0 });
        }
    }

    /// The data of the first open block.
    fn finished(&mut self) -> BlockData {
        let raw = &self.words[..self.length as usize * self.width];
        let data = if let Some(order) = &self.stream.bits {
            let mut words = Vec::new();
            order.gather(raw, &mut words);
            self.statistics.add_words(&words);
            BlockData::Words(words)
        } else {
            // Integers are scaled to their largest magnitude, 2³¹.
            let scale = (self.stream.full_scale / 2_147_483_648.0) as f32;
            let integer = |word: &u32| word.cast_signed();
            let clipped =
                raw.iter().map(integer).filter(|value| matches!(*value, i32::MIN | i32::MAX)).count();
            self.counts.clipped += clipped as u64;
            let samples: Vec<f32> = raw.iter().map(|word| integer(word) as f32 * scale).collect();
            self.statistics.add_samples(&samples);
            BlockData::Samples(samples)
        };
        // One second of samples; then the statistics start over, so that microphones can recover.
        if self.statistics.frames() >= self.stream.sample_rate() {
            self.dead = self.statistics.dead();
            self.statistics = ChannelStatistics::new(self.stream.microphones);
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
    const MAX_GAP: usize = 8;

    fn stream(microphones: usize, bits: Option<BitOrder>) -> Stream {
        let address = ([127, 0, 0, 1], 0).into();
        Stream { address, duration: None, rate: 1.5e6, microphones, bits, full_scale: 1.0 }
    }

    /// A stream whose sample of microphone m at frame n is 2^16 (2n + m).
    fn assembler() -> Assembler {
        let stream = Stream { full_scale: 2_147_483_648.0 / 65_536.0, ..stream(MICROPHONES, None) };
        Assembler::new(Stream { rate: 16.0, ..stream }, HOP, MAX_GAP)
    }

    fn datagram(sequence: u64, first: u64, frames: u64) -> Vec<u8> {
        let sample = |i: u64| ((i as i32) << 16).to_le_bytes();
        let payload: Vec<u8> =
            (0..2 * frames).flat_map(|i| sample(i.wrapping_add(first.wrapping_mul(2)))).collect();
        Datagram { sequence, first, microphones: 2, bits: false, payload: &payload }.encode()
    }

    fn run(assembler: &mut Assembler, datagrams: &[Vec<u8>]) -> Vec<(u64, Vec<f32>)> {
        let mut blocks = Vec::new();
        for bytes in datagrams {
            assembler.push(bytes, |block| {
                let BlockData::Samples(samples) = block.data else { panic!("samples") };
                blocks.push((block.number, samples));
            });
        }
        blocks
    }

    fn samples(from: u32) -> Vec<f32> {
        (from..from + 8).map(|i| i as f32).collect()
    }

    #[test]
    fn blocks_do_not_depend_on_the_packet_size() {
        for packed in [1, 3, 4, 5, 12] {
            let all: Vec<Vec<u8>> = (0..60 / packed).map(|i| datagram(i, i * packed, packed)).collect();
            let mut assembler = assembler();
            let blocks = run(&mut assembler, &all);
            assert_eq!(blocks.len(), 15);
            for (i, (number, block)) in blocks.iter().enumerate() {
                assert_eq!((*number, block), (i as u64, &samples(8 * i as u32)));
            }
            assert_eq!(assembler.counts(), StreamCounts { accepted: 60 / packed, ..StreamCounts::default() });
        }
    }

    /// Neighbors may arrive in any order; datagrams of completed blocks are late; missing frames are zero.
    #[test]
    fn gaps_are_zero_and_late_datagrams_are_ignored() {
        // Two frames each, two datagrams to a block: 5 is late, and 12 is lost.
        let order = [0, 2, 1, 4, 3, 6, 7, 8, 9, 5, 10, 11, 13, 14, 15, 16, 17];
        let all: Vec<Vec<u8>> = order.iter().map(|i| datagram(*i, 2 * i, 2)).collect();
        let mut assembler = assembler();
        let blocks = run(&mut assembler, &all);
        let mut expected: Vec<Vec<f32>> = (0..9).map(|i| samples(8 * i)).collect();
        expected[2][4..].fill(0.0);
        expected[6][..4].fill(0.0);
        assert_eq!(blocks, (0..).zip(expected).collect::<Vec<_>>());
        let counts = StreamCounts { accepted: 16, late: 1, lost: 4, ..StreamCounts::default() };
        assert_eq!(assembler.counts(), counts);
    }

    /// A restarted sender is accepted from its fourth datagram on, and its block numbers leave a gap.
    #[test]
    fn a_sender_may_restart() {
        // At frame zero, far ahead, and a little earlier.
        for (sequence, first) in [(0, 0), (0, 1 << 40), (4900, 900)] {
            let mut all: Vec<Vec<u8>> = (0..5).map(|i| datagram(5000 + i, 1000 + 4 * i, 4)).collect();
            all.extend((0..6).map(|i| datagram(sequence + i, first + 4 * i, 4)));
            let mut assembler = assembler();
            let blocks = run(&mut assembler, &all);
            assert_eq!(blocks.iter().map(|b| b.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 6, 7, 8]);
            assert_eq!(
                assembler.counts(),
                StreamCounts { accepted: 8, restarts: 1, ..StreamCounts::default() }
            );
        }
    }

    #[test]
    fn corrupt_datagrams_are_counted_and_ignored() {
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
            // Valid datagrams at unexpected frame numbers.
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
        assert_eq!(assembler.counts(), StreamCounts { accepted: 20, corrupt: 20, ..StreamCounts::default() });
    }

    /// Every datagram twice, at once, a few later, or in a burst that would be a restart by its frame numbers: the blocks are the same, and
    /// nothing counts as corrupt or late.
    #[test]
    fn duplicates_are_counted_and_ignored() {
        let good: Vec<Vec<u8>> = (0..40).map(|i| datagram(i, 3 * i, 3)).collect();
        let expected = run(&mut assembler(), &good);
        let with_copies = |burst: usize| -> Vec<Vec<u8>> {
            good.chunks(burst).flat_map(|all| all.iter().chain(all)).cloned().collect()
        };
        for burst in [1, 2, 4, 5, 8, 40] {
            let mut assembler = assembler();
            assert_eq!(run(&mut assembler, &with_copies(burst)), expected, "bursts of {burst}");
            let counts = StreamCounts { accepted: 40, duplicates: 40, ..StreamCounts::default() };
            assert_eq!(assembler.counts(), counts, "bursts of {burst}");
        }
    }

    #[test]
    fn bits_become_words_and_their_gaps_alternate() {
        let mut assembler = Assembler::new(stream(32, Some(BitOrder::rows(32))), 1, 64);
        let mut words = Vec::new();
        // Sixteen frames each, with all ones in the first microphone; the second datagram is lost.
        for i in [0, 2, 3, 4, 5, 6] {
            let payload = [1, 0, 0, 0].repeat(16);
            let datagram =
                Datagram { sequence: i, first: 16 * i, microphones: 32, bits: true, payload: &payload };
            assembler.push(&datagram.encode(), |block| {
                let BlockData::Words(words_of_block) = block.data else { panic!("words") };
                words.push([words_of_block[0], words_of_block[1]]);
            });
        }
        assert_eq!(words, [[0xaaaa_ffff, 0xaaaa_0000], [u32::MAX, 0], [u32::MAX, 0]]);
        assert_eq!(assembler.counts().lost, 16);
    }

    #[test]
    fn dead_microphones_are_updated_every_second() {
        let mut assembler = assembler();
        for i in 0..8 {
            let sample = |n: u64| if n.is_multiple_of(2) { (n as i32) << 16 } else { 77 };
            let payload: Vec<u8> = (8 * i..8 * i + 8).flat_map(|n| sample(n).to_le_bytes()).collect();
            let datagram =
                Datagram { sequence: i, first: 4 * i, microphones: 2, bits: false, payload: &payload };
            assembler.push(&datagram.encode(), |_| {});
        }
        assert_eq!(assembler.dead(), [1]);
    }
}
