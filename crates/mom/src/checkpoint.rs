//! A finished frequency, saved when it is solved, so that a sweep can be resumed.

use crate::solution::{FrequencySolution, NearField};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};

/// A finished frequency of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Its index among the frequencies of the problem.
    pub index: usize,
    /// Its solution.
    pub solution: FrequencySolution,
}

impl State for Checkpoint {
    const VERSION: u32 = 1;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let FrequencySolution {
            frequency,
            currents,
            echo_width,
            monostatic,
            extinction_width,
            near_field,
            residual,
            backward_error,
            condition,
            interior_field,
            echo_width_error,
        } = &self.solution;
        out.integer(self.index as u64);
        out.doubles(&[*frequency, *residual, *backward_error, *interior_field]);
        // An empty list for an engine without an estimate.
        out.doubles(condition.as_slice());
        out.doubles(echo_width_error.as_slice());
        out.doubles(monostatic);
        out.doubles(extinction_width);
        out.integer(currents.len() as u64);
        for row in currents {
            out.complex(row);
        }
        out.integer(echo_width.len() as u64);
        for row in echo_width {
            out.doubles(row);
        }
        out.integer(u64::from(near_field.is_some()));
        if let Some(NearField { total, scattered }) = near_field {
            out.complex(total);
            out.complex(scattered);
        }
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let index = from.count()?;
        let [frequency, residual, backward_error, interior_field] = from.doubles()?.try_into().ok()?;
        let condition = from.doubles()?.first().copied();
        let echo_width_error = from.doubles()?.first().copied();
        let (monostatic, extinction_width) = (from.doubles()?, from.doubles()?);
        // Collecting options reserves nothing in advance: a damaged count ends at the first missing row.
        let currents = (0..from.integer()?).map(|_| from.complex()).collect::<Option<_>>()?;
        let echo_width = (0..from.integer()?).map(|_| from.doubles()).collect::<Option<_>>()?;
        let near_field = match from.integer()? {
            0 => None,
            _ => Some(NearField { total: from.complex()?, scattered: from.complex()? }),
        };
        let solution = FrequencySolution {
            frequency,
            currents,
            echo_width,
            monostatic,
            extinction_width,
            near_field,
            residual,
            backward_error,
            condition,
            echo_width_error,
            interior_field,
        };
        Some(Self { index, solution })
    }
}
