//! The finished blocks of a recording, saved so that a run can be resumed.

use crate::summary::{
    BINS, HologramHistory, HologramSummary, LatencyHistogram, MeanPowers, StreamCounts, Summary,
};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};

/// The finished blocks of a recording: what a run keeps of them. Filters and saved holograms are those of one spectrum, and recomputed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checkpoint {
    /// How many of the first blocks are finished.
    pub blocks: u64,
    /// Their holograms in numbers, and how long they took.
    pub summary: Summary,
}

/// Saves checkpoints, and decides how often. A checkpoint that cannot be saved does not end the run.
pub trait CheckpointSink {
    /// Whether the next one is due; requested after every block.
    fn is_due(&mut self) -> bool;
    /// Saves one: when it is due, and when the user stops the run.
    fn save(&mut self, checkpoint: &Checkpoint);
}

/// Saves none.
pub(crate) struct NoCheckpoints;

impl CheckpointSink for NoCheckpoints {
    fn is_due(&mut self) -> bool {
        false
    }
    fn save(&mut self, _: &Checkpoint) {}
}

impl State for Checkpoint {
    const VERSION: u32 = 1;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Summary { history, powers, latencies, counts, dropped_blocks, dropped_maps, seconds } =
            &self.summary;
        let of_history = [history.holograms, u64::from(history.decimation)];
        let of_input = [counts.accepted, *dropped_blocks, *dropped_maps];
        out.integer(self.blocks);
        out.integers(of_history.into_iter().chain(of_input).collect::<Vec<u64>>().into_iter());
        out.integers([latencies.count, powers.holograms].into_iter());
        out.integers(latencies.bins.iter().copied());
        out.doubles(&[*seconds, latencies.sum]);
        out.doubles(&powers.sums);
        let values = |row: &HologramSummary| {
            let HologramSummary { time, frequency, measured, pressure, peak, power } = *row;
            [time, frequency, measured, pressure, peak, power]
        };
        out.doubles(&history.summaries.iter().flat_map(values).collect::<Vec<f64>>());
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let blocks = from.integer()?;
        let [holograms, decimation, accepted, dropped_blocks, dropped_maps] =
            from.integers()?.try_into().ok()?;
        let [latency_count, power_count] = from.integers()?.try_into().ok()?;
        let bins = from.integers()?;
        let [seconds, sum] = from.doubles()?.try_into().ok()?;
        let sums = from.doubles()?;
        let values = from.doubles()?;
        let (rows, rest) = values.as_chunks::<6>();
        // A short or inconsistent file gives `None`, and all blocks are processed again.
        if bins.len() != BINS || !rest.is_empty() || decimation >= 64 {
            return None;
        }
        let row = |&[time, frequency, measured, pressure, peak, power]: &[f64; 6]| HologramSummary {
            time,
            frequency,
            measured,
            pressure,
            peak,
            power,
        };
        let summaries = rows.iter().map(row).collect();
        let decimation = u32::try_from(decimation).ok()?;
        let summary = Summary {
            history: HologramHistory { summaries, holograms, decimation },
            powers: MeanPowers { sums, holograms: power_count },
            latencies: LatencyHistogram { bins, count: latency_count, sum },
            counts: StreamCounts { accepted, ..StreamCounts::default() },
            dropped_blocks,
            dropped_maps,
            seconds,
        };
        Some(Self { blocks, summary })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_blocks_read_back_to_the_last_bit() {
        let mut checkpoint = Checkpoint { blocks: 77, ..Checkpoint::default() };
        let summary = &mut checkpoint.summary;
        for i in 0..9 {
            let time = f64::from(i).sin() * 1e-30;
            let row = HologramSummary {
                time,
                frequency: 0.1,
                measured: 0.2,
                pressure: -0.0,
                peak: 1e300,
                power: -time,
            };
            summary.history.add(|| vec![row, row]);
            summary.powers.add([time, -time].into_iter());
            summary.latencies.add(1e-4 * f64::from(i));
        }
        summary.history.decimation = 3;
        (summary.seconds, summary.dropped_blocks, summary.dropped_maps) = (0.3, 4, 5);
        summary.counts.accepted = 78;
        let mut out = StateWriter::default();
        checkpoint.write(&mut out);
        let bytes = out.parts().concat();
        assert_eq!(Checkpoint::read(&mut StateReader::new(&bytes)).as_ref(), Some(&checkpoint));
        for length in (0..bytes.len()).step_by(997) {
            assert_eq!(Checkpoint::read(&mut StateReader::new(&bytes[..length])), None);
        }
    }
}
