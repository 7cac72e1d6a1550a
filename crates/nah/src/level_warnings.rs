//! Where levels at the microphones mean less than they seem to: known from the recording before they are computed.

use crate::input::Input;
use crate::microphone_levels::{FADE, LevelSettings, measured_bands};
use crate::study::Study;
use crate::third_octaves::third_octave_center;
use phasefront_core::decibels::power_db;

/// Time constants after which a level that begins in silence lacks less than 0.1 dB.
const SETTLED: f64 = 4.0;
/// The mean square in the ends of a recording, relative to that of the whole, above which fading them takes away what was to be measured.
const LOUD_ENDS: f64 = 4.0;

impl LevelSettings {
    /// Warnings about the levels of a recording.
    pub fn warnings(&self, study: &Study) -> Vec<String> {
        let problem = &study.problem;
        let Some(rate) = problem.sample_rate() else { return Vec::new() };
        let duration = problem.frames() as f64 / rate;
        let mut warnings = Vec::new();
        match measured_bands(rate, duration).first() {
            Some(lowest) if third_octave_center(*lowest) > 20.5 => warnings.push(format!(
                "third-octave bands below {:.0} Hz are left out: the recording lasts {duration:.3} s, too short for a mean of them",
                third_octave_center(*lowest)
            )),
            Some(_) => {}
            None => warnings.push(format!(
                "there are no third-octave bands: the recording lasts {duration:.3} s, too short for a mean of any of them"
            )),
        }
        let constant = self.time_weighting.time_constant();
        if duration < SETTLED * constant {
            warnings.push(format!(
                "time-weighted levels begin in silence, and the recording lasts {duration:.3} s: with a time constant of {constant} s even a steady sound stays {:.1} dB too low; choose `time_weighting = \"fast\"` or record longer",
                -power_db(-(-duration / constant).exp_m1())
            ));
        }
        if loudness_of_ends(study, rate) > LOUD_ENDS {
            warnings.push(format!(
                "much of the sound is in the first or the last {:.0} ms of the recording, which are faded: levels of a sound that begins or ends there are too low; record some silence before and after it",
                1e3 * FADE
            ));
        }
        warnings
    }
}

/// The mean square of all microphones in the louder end, relative to that of the whole.
fn loudness_of_ends(study: &Study, rate: f64) -> f64 {
    let Input::Samples(samples) = &study.problem.input else { return 0.0 };
    let frames = study.problem.frames();
    let length = ((FADE * rate) as usize).min(frames / 10);
    let mean_square = |from: usize, to: usize| {
        let values = &samples.values[from * samples.microphones..to * samples.microphones];
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values.iter().map(|value| f64::from(*value)).filter(|value| value.is_finite()) {
            (sum, squares) = (sum + value, squares + value * value);
        }
        // Without a common offset.
        let count = values.len().max(1) as f64;
        squares / count - (sum / count).powi(2)
    };
    let whole = mean_square(0, frames);
    if length == 0 || whole <= 0.0 {
        return 0.0;
    }
    mean_square(0, length).max(mean_square(frames - length, frames)) / whole
}
