//! Statistics of a run in bounded memory: counts, latencies, and summaries of the holograms.

/// A hologram in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HologramSummary {
    /// Time of the first sample of its window, s.
    pub time: f64,
    /// Hz.
    pub frequency: f64,
    /// RMS amplitude of the pressure over the microphones, Pa.
    pub measured: f64,
    /// RMS amplitude of the pressure over the first plane, Pa.
    pub pressure: f64,
    /// The largest amplitude on the first plane, Pa.
    pub peak: f64,
    /// Sound power through the first plane, W.
    pub power: f64,
}

/// Summary of a stream or of a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Summaries of the holograms.
    pub history: HologramHistory,
    /// Mean sound power of the holograms.
    pub powers: MeanPowers,
    /// Latencies from the last frame of each block to its holograms, s.
    pub latencies: LatencyHistogram,
    /// Counts of the input.
    pub counts: StreamCounts,
    /// Blocks that were dropped because processing was too slow.
    pub dropped_blocks: u64,
    /// Level maps that were dropped because the display was too slow.
    pub dropped_maps: u64,
    /// Elapsed time, s.
    pub seconds: f64,
}

/// Counts of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Accepted datagrams, or blocks of a recording.
    pub accepted: u64,
    /// Datagrams that arrived after their block was processed.
    pub late: u64,
    /// Datagrams that arrived more than once.
    pub duplicates: u64,
    /// Datagrams that are corrupt, or do not match the stream.
    pub corrupt: u64,
    /// Frames that never arrived; they are replaced by zeros.
    pub lost: u64,
    /// How often the stream restarted at another frame.
    pub restarts: u64,
    /// How often it paused for longer than a second.
    pub stalls: u64,
    /// Samples at full scale.
    pub clipped: u64,
}

/// Mean sound power through the first plane, over all holograms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeanPowers {
    /// Sum over the holograms, for each frequency, W.
    pub(crate) sums: Vec<f64>,
    pub(crate) holograms: u64,
}

impl MeanPowers {
    /// Adds the powers of a hologram at all frequencies, W; negative ones are toward the source.
    pub fn add(&mut self, powers: impl ExactSizeIterator<Item = f64>) {
        self.sums.resize(powers.len(), 0.0);
        self.sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power);
        self.holograms += 1;
    }

    /// The mean at each frequency, W.
    pub fn mean(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.holograms.max(1) as f64).collect()
    }
}

/// Bins for each factor of e: neighbors are one percent apart.
const BINS_PER_NEPER: f64 = 100.0;
/// The center of the first bin, s.
const SHORTEST: f64 = 1e-8;
/// The last bin is above ten minutes.
pub(crate) const BINS: usize = 2500;

/// Latencies in logarithmic bins, one percent wide.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyHistogram {
    pub(crate) bins: Vec<u64>,
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self { bins: vec![0; BINS], count: 0, sum: 0.0 }
    }
}

impl LatencyHistogram {
    /// Adds a latency, s.
    pub fn add(&mut self, seconds: f64) {
        // Latencies outside of the range count in the first or last bin.
        let bin = (BINS_PER_NEPER * (seconds / SHORTEST).ln()).round().clamp(0.0, (BINS - 1) as f64);
        self.bins[bin as usize] += 1;
        self.count += 1;
        self.sum += seconds;
    }

    /// Number of latencies.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum, s.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The quantile at a fraction, s, accurate to one percent; none without latencies.
    pub fn percentile(&self, fraction: f64) -> Option<f64> {
        // The rank of the quantile, at least one.
        let wanted = ((self.count as f64 * fraction).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += count;
            seen >= wanted
        })?;
        Some(SHORTEST * (bin as f64 / BINS_PER_NEPER).exp())
    }
}

/// Holograms with a saved summary, at most: then every other one is discarded.
const MAX_SAVED: usize = 20_000;

/// Summaries of holograms over the whole run: of all at first, then of every second, every fourth and so on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HologramHistory {
    /// Saved summaries in order; those of all frequencies at a time.
    pub summaries: Vec<HologramSummary>,
    /// Number of holograms at each frequency.
    pub holograms: u64,
    /// One hologram of 2 to this power is saved.
    pub(crate) decimation: u32,
}

impl HologramHistory {
    /// Adds a hologram; `summaries` is called for those of all frequencies if it is saved.
    pub fn add(&mut self, summaries: impl FnOnce() -> Vec<HologramSummary>) {
        // The callback runs only for saved holograms: its cost is not paid for the others.
        if self.holograms.is_multiple_of(1 << self.decimation) {
            let summaries = summaries();
            let frequencies = summaries.len().max(1);
            self.summaries.extend(summaries);
            if self.summaries.len() >= MAX_SAVED * frequencies {
                let mut index = 0;
                // All frequencies of every other hologram, so that groups stay complete.
                self.summaries.retain(|_| {
                    index += 1;
                    ((index - 1) / frequencies).is_multiple_of(2)
                });
                self.decimation += 1;
            }
        }
        self.holograms += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_accurate_to_one_percent() {
        let mut latencies = LatencyHistogram::default();
        assert_eq!(latencies.percentile(0.5), None);
        (1..=1000).for_each(|i| latencies.add(1e-6 * f64::from(i)));
        for (share, exact) in [(0.5, 500e-6), (0.99, 990e-6), (1.0, 1e-3)] {
            let found = latencies.percentile(share).unwrap();
            assert!((found / exact - 1.0).abs() < 0.01, "{share}: {found:e}");
        }
        assert_eq!(latencies.count(), 1000);
        assert!((latencies.sum() - 0.5005).abs() < 1e-12);
        // Values out of range are counted in the outer bins.
        for nonsense in [0.0, -1.0, 1e9] {
            latencies.add(nonsense);
        }
        assert_eq!(latencies.count(), 1003);
    }

    #[test]
    fn a_long_history_is_thinned_evenly() {
        let mut history = HologramHistory::default();
        let summary = |time: f64, frequency| HologramSummary {
            time,
            frequency,
            measured: 0.0,
            pressure: 0.0,
            peak: 0.0,
            power: 0.0,
        };
        let holograms = 1_000_000_u32;
        for i in 0..holograms {
            history.add(|| vec![summary(f64::from(i), 1.0), summary(f64::from(i), 2.0)]);
        }
        assert_eq!(history.holograms, u64::from(holograms));
        let saved = history.summaries.len() / 2;
        assert!((MAX_SAVED / 2..MAX_SAVED).contains(&saved), "{saved}");
        let step = history.summaries[2].time - history.summaries[0].time;
        for (i, pair) in history.summaries.chunks_exact(2).enumerate() {
            assert_eq!((pair[0].time, pair[0].frequency), (i as f64 * step, 1.0));
            assert_eq!((pair[1].time, pair[1].frequency), (i as f64 * step, 2.0));
        }
    }
}
