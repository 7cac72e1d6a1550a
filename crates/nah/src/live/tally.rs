//! What is counted while a stream is heard, in memory that does not grow.

use crate::solve::Moment;

/// What came in, and what did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Datagrams, or blocks of a recording, that were taken.
    pub taken: u64,
    /// Datagrams that came after their block had gone on.
    pub late: u64,
    /// Datagrams that say nothing, or something else than they should.
    pub corrupt: u64,
    /// Moments that never came, and count as silence.
    pub lost: u64,
    /// How often the stream went on at another place.
    pub restarts: u64,
    /// How often it was silent for longer than a second.
    pub stalls: u64,
    /// Samples that reach the largest value there is.
    pub clipped: u64,
}

/// Bins for each factor of e: neighbors are one percent apart.
const FINENESS: f64 = 100.0;
/// The middle of the first bin, s.
const SHORTEST: f64 = 1e-8;
/// The last one is above ten minutes.
const BINS: usize = 2500;

/// Times, sorted into bins that are one percent wide.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies {
    bins: Vec<u64>,
    count: u64,
    sum: f64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { bins: vec![0; BINS], count: 0, sum: 0.0 }
    }
}

impl Latencies {
    /// Adds a time, s.
    pub fn add(&mut self, seconds: f64) {
        let bin = (FINENESS * (seconds / SHORTEST).ln()).round().clamp(0.0, (BINS - 1) as f64);
        self.bins[bin as usize] += 1;
        self.count += 1;
        self.sum += seconds;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All of them together, s.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The time, s, that this share of them do not exceed, to one percent; none where there are no times.
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let wanted = ((self.count as f64 * share).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += count;
            seen >= wanted
        })?;
        Some(SHORTEST * (bin as f64 / FINENESS).exp())
    }
}

/// Holograms that are remembered, at most: then every other one is forgotten.
const REMEMBERED: usize = 20_000;

/// Holograms in numbers: all of the first ones, then every second, every fourth and so on, over the whole time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Those that are remembered, in order; those of all frequencies at a time.
    pub moments: Vec<Moment>,
    /// How many holograms there were at each frequency.
    pub holograms: u64,
    /// One of 2 to the power of this is remembered.
    thinned: u32,
}

impl History {
    /// Whether the next hologram would be remembered.
    fn wants(&self) -> bool {
        self.holograms.is_multiple_of(1 << self.thinned)
    }

    /// Adds a hologram; `moments` is asked for the numbers of all frequencies if it is remembered.
    pub fn add(&mut self, moments: impl FnOnce() -> Vec<Moment>) {
        if self.wants() {
            let moments = moments();
            let lines = moments.len().max(1);
            self.moments.extend(moments);
            if self.moments.len() >= REMEMBERED * lines {
                let mut index = 0;
                self.moments.retain(|_| {
                    index += 1;
                    ((index - 1) / lines).is_multiple_of(2)
                });
                self.thinned += 1;
            }
        }
        self.holograms += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_one_percent() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(0.5), None);
        (1..=1000).for_each(|i| latencies.add(1e-6 * f64::from(i)));
        for (share, exact) in [(0.5, 500e-6), (0.99, 990e-6), (1.0, 1e-3)] {
            let found = latencies.percentile(share).unwrap();
            assert!((found / exact - 1.0).abs() < 0.01, "{share}: {found:e}");
        }
        assert_eq!(latencies.count(), 1000);
        assert!((latencies.sum() - 0.5005).abs() < 1e-12);
        // Nonsense is sorted in too.
        for nonsense in [0.0, -1.0, 1e9] {
            latencies.add(nonsense);
        }
        assert_eq!(latencies.count(), 1003);
    }

    #[test]
    fn a_long_history_is_thinned_evenly() {
        let mut history = History::default();
        let moment = |time: f64, frequency| Moment {
            time,
            frequency,
            measured: 0.0,
            pressure: 0.0,
            peak: 0.0,
            power: 0.0,
        };
        let holograms = 1_000_000_u32;
        for i in 0..holograms {
            history.add(|| vec![moment(f64::from(i), 1.0), moment(f64::from(i), 2.0)]);
        }
        assert_eq!(history.holograms, u64::from(holograms));
        let kept = history.moments.len() / 2;
        assert!((REMEMBERED / 2..REMEMBERED).contains(&kept), "{kept}");
        let step = history.moments[2].time - history.moments[0].time;
        for (i, pair) in history.moments.chunks_exact(2).enumerate() {
            assert_eq!((pair[0].time, pair[0].frequency), (i as f64 * step, 1.0));
            assert_eq!((pair[1].time, pair[1].frequency), (i as f64 * step, 2.0));
        }
    }
}
