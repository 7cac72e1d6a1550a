//! Sources that a case makes in code, as its array hears them.

use num_complex::Complex64;
use phasefront_case::model::nah::{Signal, Source};
use phasefront_core::FieldError;
use phasefront_nah::simulate::{Sounder, Tones, add_noise, field};
use phasefront_nah::{Input, Medium, Spectrum, cic};

/// The part of full scale that a modulator of second order takes without running over.
const MODULATED: f64 = 0.7;

/// What microphones at `distance` from the source plane hear.
pub(super) fn input(
    source: &Source,
    microphones: &[[f64; 2]],
    distance: f64,
    medium: &Medium,
    samples: usize,
) -> Result<Input, FieldError> {
    let sounders = sounders(source);
    let frequencies = source.frequency.as_ref().map(phasefront_core::Sweep::values).unwrap_or_default();
    let phasors =
        |f: f64| -> Vec<Complex64> { field(&sounders, microphones, distance, medium.wave_number(f), medium) };
    let lines: Vec<(f64, Vec<Complex64>)> = frequencies.iter().map(|f| (*f, phasors(*f))).collect();
    if source.signal == Some(Signal::Spectra) {
        let spectrum = |(i, (frequency, mut pressure)): (usize, (f64, Vec<Complex64>))| {
            if let Some(decibels) = source.snr_db {
                add_noise(&mut pressure, decibels, source.seed, i as u64);
            }
            Spectrum { frequency, pressure }
        };
        return Ok(Input::Spectra(lines.into_iter().enumerate().map(spectrum).collect()));
    }
    let tones = Tones {
        lines,
        offset: source.offset.unwrap_or(0.0),
        noise: source.snr_db.map(|decibels| (decibels, samples)),
        seed: source.seed,
    };
    // The case has filled both in.
    let rate = source.rate.map_or(0.0, phasefront_core::Frequency::si);
    let frames = (source.duration.map_or(0.0, phasefront_core::Time::si) * rate).round() as usize;
    if source.signal == Some(Signal::Bits) {
        let loudest = (0..microphones.len())
            .map(|m| tones.lines.iter().map(|(_, p)| p[m].norm()).sum::<f64>() + tones.offset.abs())
            .fold(0.0, f64::max);
        if loudest > MODULATED * source.full_scale {
            let message =
                format!("the sound reaches {loudest:.3} Pa, and a modulator takes {MODULATED} of full scale");
            let advice = format!("write for example `full_scale = {}`, in Pa", (2.0 * loudest).ceil());
            return Err(FieldError::new("source.full_scale", message, advice));
        }
        return Ok(Input::Bits(tones.bits(rate * cic::DECIMATION as f64, frames, source.full_scale)));
    }
    Ok(Input::Samples(tones.samples(rate, frames)))
}

fn sounders(source: &Source) -> Vec<Sounder> {
    let monopoles = source.monopoles.iter().map(|monopole| {
        let [x, y] = monopole.at.si();
        let strength = Complex64::new(monopole.strength, 0.0);
        Sounder::Monopole { at: [x, y, -monopole.depth.si()], strength }
    });
    let modes = source
        .modes
        .iter()
        .map(|mode| Sounder::Mode { waves: [mode.k.x, mode.k.y], pressure: mode.pressure });
    let plates = source.plates.iter().map(|plate| Sounder::Plate {
        size: plate.size.si(),
        mode: [plate.mode.x.get(), plate.mode.y.get()],
        velocity: plate.velocity,
    });
    let waves = source
        .waves
        .iter()
        .map(|wave| Sounder::Wave { direction: [wave.theta.si(), wave.phi.si()], pressure: wave.pressure });
    monopoles.chain(modes).chain(waves).chain(plates).collect()
}
