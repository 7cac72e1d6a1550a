//! Reads the recordings and spectra that a nah case names.

use super::recordings::{self, Container, Expected, Recording};
use super::spectra_files::{self, wrong};
use crate::input::{InputFolder, read_bytes, try_collect};
use crate::npy::{self, Kind};
use phasefront_case::model::nah::{ChannelOrder, Format, Source};
use phasefront_core::FieldError;
use phasefront_nah::bits::{BitOrder, WORD};
use phasefront_nah::sorama::MICROPHONES;
use phasefront_nah::{Bits, Input, Samples, Stream};
use std::net::SocketAddr;
use std::path::Path;

/// Default bit rate of bitstreams, Hz.
const BIT_RATE: f64 = 1.5e6;

/// Reads a file, for an array of so many microphones.
pub(super) fn input(
    source: &Source,
    folder: &InputFolder,
    file: &str,
    microphones: usize,
) -> Result<Input, FieldError> {
    let ending = ending(file);
    let raw = matches!(ending.as_str(), "raw" | "bits" | "bin" | "pcm");
    if source.format.is_some() && !raw {
        let message = format!("`format` applies to raw files only, and {file} has a header");
        return Err(FieldError::new("source.format", message, "remove it, or rename the file to .raw"));
    }
    let bytes = || read_bytes(folder, file, "source.file");
    check_variable(source, file, &ending)?;
    match ending.as_str() {
        "npy" => npy(&bytes()?, file, source).map(Input::Samples),
        "csv" if recordings::is_phasors(&bytes()?) => {
            spectra_files::csv(folder, file, microphones).map(Input::Spectra)
        }
        "npz" => spectra_files::npz(&bytes()?, file, microphones).map(Input::Spectra),
        _ if raw => {
            let format = if ending == "bits" { Some(Format::Pdm) } else { source.format };
            raw_file(&bytes()?, file, format, source, microphones)
        }
        _ => {
            let recording = recording(source, folder, file, microphones, "source.file")?;
            samples(source, file, recording).map(Input::Samples)
        }
    }
}

/// A recording of several files, channel after channel.
pub(super) fn inputs(source: &Source, folder: &InputFolder, microphones: usize) -> Result<Input, FieldError> {
    let path = |i: usize| format!("source.files[{i}]");
    let read = |(i, file): (usize, &String)| {
        check_variable(source, file, &ending(file))?;
        recording(source, folder, file, microphones, &path(i))
    };
    if let Some(format) = source.format {
        let message = format!("`format` ({format:?}) applies to one raw file, and `files` have headers");
        return Err(FieldError::new("source.format", message, "remove it, or give one file by `file`"));
    }
    let channels = source.files.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let joined = recordings::join(&channels).map_err(|(i, message)| {
        let message = format!("{}: {message}", source.files[i]);
        FieldError::new(
            path(i),
            message,
            "give recordings of one measurement, of equal sample rate and length",
        )
    })?;
    samples(source, &source.files[0], joined).map(Input::Samples)
}

/// The ending of a file's name in lower case.
fn ending(file: &str) -> String {
    Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Refuses the name of an array in a file of one.
fn check_variable(source: &Source, file: &str, ending: &str) -> Result<(), FieldError> {
    if source.variable.is_some() && !Container::of(ending).is_some_and(Container::has_names) {
        let message = format!("`variable` applies to .mat, .h5 and .hdf5 files only, and {file} is none");
        return Err(FieldError::new("source.variable", message, "remove it"));
    }
    Ok(())
}

fn unknown(file: &str, path: &str) -> FieldError {
    let others = if path == "source.file" { ", .npy, .npz, .raw and .bits" } else { "" };
    let message = format!(
        "the format of {file} is not known: its name ends in none of .wav, .rf64, .w64, .csv, .txt, .uff, .mat, .h5{others}"
    );
    FieldError::new(path, message, "give a recording in one of these formats")
}

/// The recording of a file with a header, named by the key at `path`.
fn recording(
    source: &Source,
    folder: &InputFolder,
    file: &str,
    microphones: usize,
    path: &str,
) -> Result<Recording, FieldError> {
    let container = Container::of(&ending(file)).ok_or_else(|| unknown(file, path))?;
    let bytes = read_bytes(folder, file, path)?;
    let expected =
        Expected { full_scale: source.full_scale, microphones, variable: source.variable.as_deref() };
    container
        .read(bytes, &expected)
        .map_err(|error| FieldError::new(path, format!("{file} cannot be read: {error}"), container.advice()))
}

/// Largest relative difference of two sample rates that are the same.
const SAME_RATE: f64 = 1e-3;

/// A recording with its sample rate: of the file, or of the case.
fn samples(source: &Source, file: &str, recording: Recording) -> Result<Samples, FieldError> {
    let given = source.sample_rate.map(phasefront_core::Frequency::si);
    let rate = match (recording.rate, given) {
        (Some(found), Some(given)) if (found - given).abs() > SAME_RATE * found => {
            let message = format!("{file} has a sample rate of {found} Hz, and {given} Hz is given");
            return Err(FieldError::new("source.sample_rate", message, "remove it"));
        }
        // Times of tables are rounded: what is given is exact.
        (_, Some(given)) => given,
        (Some(found), None) => found,
        (None, None) => rate(source, file)?,
    };
    let Recording { channels, values, limit, .. } = recording;
    Ok(Samples { rate, microphones: channels, values, full_scale: limit })
}

/// An array of frames by channels, of any of four types.
fn npy(bytes: &[u8], file: &str, source: &Source) -> Result<Samples, FieldError> {
    let rate = rate(source, file)?;
    let broken = |error: String| {
        let advice =
            "give a complete array of frames by microphones, of type float32, float64, int16 or int32";
        wrong(format!("{file} cannot be read: {error}"), advice)
    };
    let array = npy::npy(bytes).map_err(broken)?;
    let scaled = |largest: f64| source.full_scale / largest;
    let (scale, limit) = match array.header.kind {
        Kind::F32 | Kind::F64 => (scaled(1.0), None),
        Kind::I16 => (scaled(32_768.0), Some(scaled(32_768.0) * 32_767.0)),
        // In single precision the largest sample rounds to full scale: the clipping limit is just below it.
        Kind::I32 => (scaled(2_147_483_648.0), Some(scaled(1.000_000_1))),
        kind @ (Kind::C64 | Kind::C128) => {
            return Err(broken(format!("its elements are complex ({kind:?})")));
        }
    };
    let [_, microphones] = array.header.shape[..] else {
        return Err(broken(format!("its shape is {:?}", array.header.shape)));
    };
    let values = try_collect(array.values().map(|value| (value.re * scale) as f32)).map_err(broken)?;
    Ok(Samples { rate, microphones, values, full_scale: limit.map(|limit| limit as f32) })
}

fn rate(source: &Source, file: &str) -> Result<f64, FieldError> {
    source.sample_rate.map(phasefront_core::Frequency::si).ok_or_else(|| {
        let message = format!("{file} does not contain its sample rate");
        FieldError::new("source.sample_rate", message, "write for example `sample_rate = \"48 kHz\"`")
    })
}

fn raw_file(
    bytes: &[u8],
    file: &str,
    format: Option<Format>,
    source: &Source,
    microphones: usize,
) -> Result<Input, FieldError> {
    let Some(format) = format else {
        let message = format!("the sample format of {file} is missing: raw files have no header");
        return Err(FieldError::new(
            "source.format",
            message,
            "add `format = \"i32\"`; it may be \"i16\", \"i32\", \"f32\" or \"pdm\"",
        ));
    };
    let width = match format {
        Format::I16 => 2 * microphones,
        Format::I32 | Format::F32 => 4 * microphones,
        Format::Pdm => microphones.div_ceil(8),
    };
    // A wrong grid or format shows as a partial frame, which is all that a raw file can reveal.
    if bytes.is_empty() || !bytes.len().is_multiple_of(width) {
        let message = format!(
            "{file} has {} bytes, which is not a multiple of the {width} bytes of a frame of {microphones} microphones",
            bytes.len()
        );
        return Err(wrong(message, "check the grid, the format, and whether the file is complete"));
    }
    if format == Format::Pdm {
        return bits(bytes, file, source, microphones).map(Input::Bits);
    }
    let rate = rate(source, file)?;
    let integer = |largest: f64| {
        (source.full_scale / largest, Some((source.full_scale * (1.0 - 1.0 / largest)) as f32))
    };
    let (values, full_scale) = match format {
        Format::F32 => {
            let value = |b: &[u8; 4]| (f64::from(f32::from_le_bytes(*b)) * source.full_scale) as f32;
            (try_collect(bytes.as_chunks().0.iter().map(value)), None)
        }
        Format::I16 => {
            let (scale, limit) = integer(32_768.0);
            let value = |b: &[u8; 2]| (f64::from(i16::from_le_bytes(*b)) * scale) as f32;
            (try_collect(bytes.as_chunks().0.iter().map(value)), limit)
        }
        Format::I32 | Format::Pdm => {
            let (scale, limit) = integer(2_147_483_648.0);
            let value = |b: &[u8; 4]| (f64::from(i32::from_le_bytes(*b)) * scale) as f32;
            (try_collect(bytes.as_chunks().0.iter().map(value)), limit)
        }
    };
    let values = values
        .map_err(|error| wrong(format!("{file} cannot be read: {error}"), "give a shorter recording"))?;
    Ok(Input::Samples(Samples { rate, microphones, values, full_scale }))
}

/// Transposes frames of bits of all microphones to words of each microphone.
fn bits(bytes: &[u8], file: &str, source: &Source, microphones: usize) -> Result<Bits, FieldError> {
    if !microphones.is_multiple_of(WORD) {
        let message = format!("{microphones} microphones do not fill {WORD}-bit words");
        return Err(wrong(message, "bitstreams require a multiple of 32 microphones"));
    }
    let order = bit_order(source, microphones)?;
    // Bits of 32 microphones per word: the transposition to 32 bits per microphone feeds the CIC
    // filter.
    let short_of_memory =
        |error: String| wrong(format!("{file} cannot be read: {error}"), "give a shorter recording");
    let frames: Vec<u32> =
        try_collect(bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b))).map_err(short_of_memory)?;
    let count = frames.len() / order.words();
    if count < WORD {
        let message = format!("{file} has {count} bits of each microphone, but one sample needs {WORD}");
        return Err(wrong(message, "give a longer recording"));
    }
    // As many words as were read.
    let mut words = Vec::new();
    words
        .try_reserve_exact(count / WORD * microphones)
        .map_err(|error| short_of_memory(error.to_string()))?;
    order.gather(&frames, &mut words);
    let rate = source.sample_rate.map_or(BIT_RATE, phasefront_core::Frequency::si);
    Ok(Bits { rate, microphones, words, full_scale: source.full_scale })
}

/// The microphone order of the bits.
fn bit_order(source: &Source, microphones: usize) -> Result<BitOrder, FieldError> {
    match source.channel_order {
        Some(ChannelOrder::Sorama) if microphones != MICROPHONES => {
            let message =
                format!("this order requires {MICROPHONES} microphones, but the array has {microphones}");
            Err(FieldError::new(
                "source.channel_order",
                message,
                "write `grid = [32, 32]`, or `channel_order = \"rows\"`",
            ))
        }
        Some(ChannelOrder::Sorama) => Ok(BitOrder::sorama()),
        Some(ChannelOrder::Rows) | None => Ok(BitOrder::rows(microphones)),
    }
}

/// A stream received at an address.
pub(super) fn stream(source: &Source, address: SocketAddr, microphones: usize) -> Result<Stream, FieldError> {
    let of_bits = source.format == Some(Format::Pdm);
    let rate = source.sample_rate.map(phasefront_core::Frequency::si);
    Ok(Stream {
        address,
        duration: source.duration.map(phasefront_core::Time::si),
        rate: rate.unwrap_or(BIT_RATE),
        microphones,
        bits: of_bits.then(|| bit_order(source, microphones)).transpose()?,
        full_scale: source.full_scale,
    })
}
