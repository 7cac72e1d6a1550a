//! Simulated sources of a case, as the array measures them.

use num_complex::Complex64;
use phasefront_case::model::nah::{Signal, Source};
use phasefront_core::FieldError;
use phasefront_nah::simulate::{SimulatedSource, Tones, add_noise, field};
use phasefront_nah::{IncoherentSources, Input, Medium, Spectrum, cic};

/// The largest stable input of a second-order sigma-delta modulator, relative to full scale.
const MAX_INPUT: f64 = 0.7;

/// The input of microphones at the standoff `distance` from the source plane.
pub(super) fn input(
    source: &Source,
    microphones: &[[f64; 2]],
    distance: f64,
    medium: &Medium,
    samples: usize,
) -> Result<Input, FieldError> {
    let sources = sources(source);
    let frequencies = source.frequency.as_ref().map(phasefront_core::Sweep::values).unwrap_or_default();
    if source.incoherent == Some(true) {
        let incoherent = IncoherentSources {
            sources,
            positions: microphones.to_vec(),
            distance,
            medium: *medium,
            frequencies,
            window: samples,
            offset: source.dc_offset.unwrap_or(0.0),
            snr_db: source.snr_db,
            seed: source.seed,
        };
        let (rate, frames) = rate_and_frames(source);
        return Ok(Input::Samples(incoherent.samples(rate, frames)));
    }
    let phasors =
        |f: f64| -> Vec<Complex64> { field(&sources, microphones, distance, medium.wavenumber(f), medium) };
    let components: Vec<(f64, Vec<Complex64>)> = frequencies.iter().map(|f| (*f, phasors(*f))).collect();
    if source.signal == Some(Signal::Spectra) {
        let spectrum = |(i, (frequency, mut pressure)): (usize, (f64, Vec<Complex64>))| {
            if let Some(decibels) = source.snr_db {
                // A separate random stream per frequency: the noise is independent between them.
                add_noise(&mut pressure, decibels, source.seed, i as u64);
            }
            Spectrum { frequency, pressure }
        };
        return Ok(Input::Spectra(components.into_iter().enumerate().map(spectrum).collect()));
    }
    let tones = Tones {
        components,
        offset: source.dc_offset.unwrap_or(0.0),
        noise: source.snr_db.map(|decibels| (decibels, samples)),
        seed: source.seed,
    };
    let (rate, frames) = rate_and_frames(source);
    if source.signal == Some(Signal::Pdm) {
        // Worst case: all tones in phase at one microphone.
        let loudest = (0..microphones.len())
            .map(|m| tones.components.iter().map(|(_, p)| p[m].norm()).sum::<f64>() + tones.offset.abs())
            .fold(0.0, f64::max);
        if loudest > MAX_INPUT * source.full_scale {
            let message = format!(
                "the pressure reaches {loudest:.3} Pa, above {MAX_INPUT} of full scale, where the modulator overloads"
            );
            let advice = format!("write for example `full_scale = {}`, in Pa", (2.0 * loudest).ceil());
            return Err(FieldError::new("source.full_scale", message, advice));
        }
        return Ok(Input::Bits(tones.bits(rate * cic::DECIMATION as f64, frames, source.full_scale)));
    }
    Ok(Input::Samples(tones.samples(rate, frames)))
}

/// The case has defaults for both.
fn rate_and_frames(source: &Source) -> (f64, usize) {
    let rate = source.sample_rate.map_or(0.0, phasefront_core::Frequency::si);
    (rate, (source.duration.map_or(0.0, phasefront_core::Time::si) * rate).round() as usize)
}

fn sources(source: &Source) -> Vec<SimulatedSource> {
    let monopoles = source.monopoles.iter().map(|monopole| {
        let [x, y] = monopole.position.si();
        let strength = Complex64::new(monopole.strength, 0.0);
        // The source plane is z = 0, and depths are behind it.
        SimulatedSource::Monopole { position: [x, y, -monopole.depth.si()], strength }
    });
    let modes = source.modes.iter().map(|mode| SimulatedSource::Mode {
        wavenumbers: [mode.wave_vector.x, mode.wave_vector.y],
        pressure: mode.pressure,
    });
    let plates = source.plates.iter().map(|plate| SimulatedSource::Plate {
        size: plate.size.si(),
        mode: [plate.mode.x.get(), plate.mode.y.get()],
        velocity: plate.velocity,
    });
    let waves = source.plane_waves.iter().map(|wave| SimulatedSource::PlaneWave {
        direction: [wave.theta.si(), wave.phi.si()],
        pressure: wave.pressure,
    });
    monopoles.chain(modes).chain(waves).chain(plates).collect()
}
