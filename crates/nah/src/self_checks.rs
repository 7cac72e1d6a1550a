//! How far a solution can be trusted, as measured with it.

use crate::input::Input;
use crate::interpolation::InterpolatedField;
use crate::neighbors::prediction_errors;
use crate::noise::{NoiseGain, mean_power};
use crate::problem::{PlaybackRate, Problem};
use crate::solution::{Hologram, Plane, Solution};
use crate::study::Study;
use phasefront_core::decibels::power_db;
use phasefront_core::{FieldError, SelfCheck};

// The limits are from a study of 153 random arrays of 6 x 6 to 32 x 32 microphones with one to four monopoles behind the source plane, half a pitch to
// three pitches from it, at signal-to-noise ratios of 20 to 60 dB, with filters by GCV and by hand and with equivalent sources, against the closed form.
// Those with even seeds were used for the choice, those with odd seeds to test it: the figures are of the latter.

/// Growth of noise, dB. With more, five of six holograms of the pressure, and nine of ten of the velocity, were off by more than their own magnitude.
const MAX_PRESSURE_GROWTH: f64 = 40.0;
const MAX_VELOCITY_GROWTH: f64 = 45.0;
/// Estimated noise relative to the field, dB. With less, one of a hundred holograms was off by more than its own magnitude; with more, two of three.
const MAX_NOISE: f64 = -10.0;
/// The part of a microphone's signal that its neighbors do not predict, by itself and relative to the median. No good array had more (one of 77 with
/// an even seed), nineteen of twenty with a microphone of inverted polarity, all with one of 20 dB more gain, two of three with one of 20 dB less.
const MAX_DEVIATION: f64 = 0.8;
const MAX_OVER_MEDIAN: f64 = 8.0;
/// The median of that part: at most 0.23 in the study, at 20 dB of signal to noise; one in noise and where channels are in another order.
const MAX_MEDIAN: f64 = 0.4;

impl Solution {
    /// Self-checks that are measured with the solution of a study.
    pub fn self_checks(&self, study: &Study) -> Result<Vec<SelfCheck>, FieldError> {
        let mut checks = self.noise_checks(study)?;
        checks.extend(self.neighbor_checks(study)?);
        checks.extend(self.power_check());
        checks.extend(self.coherence_check());
        checks.extend(self.average_checks(study));
        checks.extend(self.beamforming_checks());
        let is_stream = matches!(study.problem.input, Input::Stream(_));
        if is_stream {
            checks.extend(self.stream_checks(study));
        }
        if is_stream || study.problem.playback == PlaybackRate::RealTime {
            checks.extend(self.real_time_checks());
        }
        Ok(checks)
    }

    /// Noise on every plane, of every quantity.
    fn noise_checks(&self, study: &Study) -> Result<Vec<SelfCheck>, FieldError> {
        let problem = &study.problem;
        let (mut growth, mut noise) = ([const { None }; 3], [const { None }; 2]);
        for hologram in &self.holograms {
            for (at, gain, levels) in noise_of(problem, &self.dead, hologram)? {
                let gains = [gain.pressure, gain.velocity, gain.intensity()];
                growth.iter_mut().zip(gains).for_each(|(worst, gain)| keep(worst, power_db(gain), at));
                for (worst, level) in noise.iter_mut().zip(levels.into_iter().flatten()) {
                    keep(worst, level, at);
                }
            }
        }
        let names = ["pressure", "velocity", "intensity"];
        let limits =
            [MAX_PRESSURE_GROWTH, MAX_VELOCITY_GROWTH, 0.5 * (MAX_PRESSURE_GROWTH + MAX_VELOCITY_GROWTH)];
        let growth = growth.into_iter().zip(names.into_iter().zip(limits));
        let growth = growth.filter_map(|(worst, (name, limit))| Some(growth_check(name, worst?, limit)));
        let noise = noise.into_iter().zip(names);
        Ok(growth.chain(noise.filter_map(|(worst, name)| Some(noise_check(name, worst?)))).collect())
    }

    /// What microphones do not measure of what their neighbors predict: half of them, and the one that differs most.
    fn neighbor_checks(&self, study: &Study) -> Result<Vec<SelfCheck>, FieldError> {
        let problem = &study.problem;
        // Where waves alias, neighbors predict nothing.
        let is_sampled =
            |h: &&Hologram| problem.medium.wavenumber(h.frequency) < problem.grid.nyquist_wavenumber();
        let fields: Vec<_> = self.holograms.iter().filter(is_sampled).collect();
        if problem.positions.is_some() || fields.is_empty() {
            return Ok(Vec::new());
        }
        // Of partial fields the strongest: there is noise in the others.
        let fields = fields.iter().filter_map(|h| h.parts().first());
        let fields: Vec<_> = fields.map(|h| (h.frequency, h.measured.as_slice())).collect();
        let errors = prediction_errors(problem, &fields)?;
        let mut deviations: Vec<(f64, usize)> =
            errors.iter().enumerate().map(|(m, square)| (square.sqrt(), m)).collect();
        deviations.sort_by(|a, b| a.0.total_cmp(&b.0));
        let median = deviations[deviations.len() / 2].0;
        let Some((worst, microphone)) = deviations.pop() else { return Ok(Vec::new()) };
        Ok(vec![median_check(median), worst_check(worst, microphone, median)])
    }

    /// Whether power flows away from the source on all planes.
    fn power_check(&self) -> Option<SelfCheck> {
        let planes = self.holograms.iter().flat_map(|h| h.planes.iter().map(move |plane| (h, plane)));
        let share = |(hologram, plane): (&Hologram, &Plane)| {
            // Of the magnitudes, whose sum over the points is at least the net power.
            let net: f64 = plane.intensity.iter().sum();
            let gross: f64 = plane.intensity.iter().map(|i| i.abs()).sum();
            (net / gross, hologram.frequency, plane.distance)
        };
        let (least, frequency, distance) = planes.map(share).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let sentence = if least >= 0.0 {
            "Power flows away from the source through every plane.".to_owned()
        } else {
            format!(
                "at {frequency:.1} Hz more power flows toward the source than away from it through the plane {distance:.3} m from the array, and it has no \
                 level: sound comes from elsewhere, or noise exceeds the radiated part"
            )
        };
        Some(SelfCheck::at_least("power away from the source", least, 0.0, sentence))
    }

    fn stream_checks(&self, study: &Study) -> Vec<SelfCheck> {
        let counts = &self.summary.counts;
        let microphones = study.problem.format().microphones;
        let dead =
            format!("microphones without a signal in the last second: {} of {microphones}", self.dead.len());
        vec![
            count(
                "corrupt datagrams",
                counts.corrupt,
                "datagrams that were corrupt, incomplete or unexpected",
            ),
            count("late datagrams", counts.late, "late datagrams"),
            count("lost frames", counts.lost, "lost frames, replaced by zeros"),
            count("restarts of the stream", counts.restarts, "restarts of the stream at another frame"),
            count("pauses of the stream", counts.stalls, "pauses of the stream longer than a second"),
            count("clipped samples", counts.clipped, "clipped samples"),
            SelfCheck::at_most(
                "dead microphones",
                self.dead.len() as f64,
                0.0,
                if self.dead.is_empty() { "Every microphone has a signal.".to_owned() } else { dead },
            ),
        ]
    }

    fn real_time_checks(&self) -> [SelfCheck; 2] {
        let Self { summary, .. } = self;
        [
            count("dropped blocks", summary.dropped_blocks, "blocks dropped because processing was too slow"),
            count(
                "dropped maps",
                summary.dropped_maps,
                "level maps dropped because the display was too slow",
            ),
        ]
    }
}

/// A count that should be zero.
fn count(name: &str, value: u64, what: &str) -> SelfCheck {
    let sentence = if value == 0 { "None.".to_owned() } else { format!("{what}: {value}") };
    SelfCheck::at_most(name, value as f64, 0.0, sentence)
}

/// A value with the frequency and the plane that it is from.
type Worst = Option<(f64, (f64, f64))>;

/// Keeps the larger value; one that is not a number most of all.
fn keep(worst: &mut Worst, value: f64, at: (f64, f64)) {
    if worst.is_none_or(|(old, _)| value > old || value.is_nan()) {
        *worst = Some((value, at));
    }
}

fn median_check(median: f64) -> SelfCheck {
    let sentence = if median <= MAX_MEDIAN {
        "Neighbors predict most microphones: they measure one sound field."
    } else {
        "most microphones do not measure what their neighbors predict, and the map is wrong: check the channel order of `source.file`, `grid` and `spacing`, and \
         whether there is more than noise at this frequency"
    };
    SelfCheck::at_most("microphones unlike their neighbors", median, MAX_MEDIAN, sentence)
}

fn worst_check(worst: f64, microphone: usize, median: f64) -> SelfCheck {
    let limit = MAX_DEVIATION.max(MAX_OVER_MEDIAN * median);
    let sentence = if worst <= limit {
        format!("Neighbors predict every microphone; the one that differs most is microphone {microphone}.")
    } else {
        format!(
            "microphone {microphone}, or one next to it, does not measure what its neighbors predict: its polarity, gain or position is probably wrong, and the \
             map is wrong around it; check the microphone, or correct it by `source.calibration`"
        )
    };
    SelfCheck::at_most("microphone most unlike its neighbors", worst, limit, sentence)
}

/// How much noise grows to a plane, at its frequency and distance, and the noise of pressure and velocity relative to the field there, dB, if it is known.
type PlaneNoise = ((f64, f64), NoiseGain, Option<[f64; 2]>);

/// The noise on every plane of a hologram. Of partial fields it adds, and its growth is that in the strongest: the others are smoothed more.
fn noise_of(problem: &Problem, dead: &[usize], hologram: &Hologram) -> Result<Vec<PlaneNoise>, FieldError> {
    let mut planes: Vec<Option<PlaneNoise>> = vec![None; hologram.planes.len()];
    for part in hologram.parts() {
        let field =
            InterpolatedField::new(problem, dead, part.frequency, part.regularization, &part.measured)?;
        for (all, plane) in planes.iter_mut().zip(&hologram.planes) {
            let gain = field.noise_gain(problem, plane.distance)?;
            let power = field.noise_power(&part.measured, plane.distance)?;
            let own = power.map(|power| [power * gain.pressure, power * gain.velocity]);
            let (_, _, sum) = all.get_or_insert(((part.frequency, plane.distance), gain, None));
            *sum = match (*sum, own) {
                (Some(sum), Some(own)) => Some([sum[0] + own[0], sum[1] + own[1]]),
                (sum, own) => sum.or(own),
            };
        }
    }
    let impedance = problem.medium.density * problem.medium.speed;
    let relative = |(noise, plane): (PlaneNoise, &Plane)| {
        let fields = [mean_power(&plane.pressure), mean_power(&plane.velocity) * impedance * impedance];
        let level = |power: [f64; 2]| [0, 1].map(|i| power_db(power[i] / fields[i]));
        (noise.0, noise.1, noise.2.map(level))
    };
    Ok(planes.into_iter().flatten().zip(&hologram.planes).map(relative).collect())
}

fn growth_check(name: &str, (growth, (frequency, distance)): (f64, (f64, f64)), limit: f64) -> SelfCheck {
    let at = format!("at {frequency:.1} Hz over {distance:.3} m");
    let sentence = if growth <= limit {
        format!("Noise in the {name} grows by at most {growth:.0} dB from the array to the planes, {at}.")
    } else {
        format!(
            "the {name} is reconstructed from evanescent waves that are amplified so much that noise grows by {growth:.0} dB {at}: it is unreliable there; \
             move the array nearer to the source, or give a lower `cutoff` or a larger `regularization` in [solve]"
        )
    };
    SelfCheck::at_most(format!("growth of noise in the {name}"), growth, limit, sentence).in_unit("dB")
}

fn noise_check(name: &str, (level, (frequency, distance)): (f64, (f64, f64))) -> SelfCheck {
    let at = format!("on the plane {distance:.3} m from the array at {frequency:.1} Hz");
    let sentence = if level <= MAX_NOISE {
        format!(
            "The noise estimated from the array is {:.0} dB below the {name} {at}, and more elsewhere.",
            -level
        )
    } else {
        format!(
            "by the noise estimated from the array, {level:.0} dB relative to the {name} {at}, much of it is noise: move the array nearer to the source, \
             measure with less noise, or give a lower `cutoff` or a larger `regularization` in [solve]"
        )
    };
    SelfCheck::at_most(format!("noise in the {name}"), level, MAX_NOISE, sentence).in_unit("dB")
}
