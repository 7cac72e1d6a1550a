//! Recordings of microphone arrays, in the formats that people have them in.

mod bytes;
mod csv;
mod hdf5;
mod mat;
pub(super) mod positions;
mod recording;
mod uff;
mod wav;

pub(super) use recording::{Expected, Recording};

/// A format of recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Wav,
    Text,
    Universal,
    Mat,
    Hdf5,
}

impl Container {
    /// By the ending of a file's name, in lower case; none if it is not known.
    pub(super) fn of(ending: &str) -> Option<Self> {
        Some(match ending {
            "wav" | "rf64" | "bw64" | "w64" => Self::Wav,
            "csv" | "txt" => Self::Text,
            "uff" | "unv" | "u58" => Self::Universal,
            "mat" => Self::Mat,
            "h5" | "hdf5" => Self::Hdf5,
            _ => return None,
        })
    }

    /// Whether a file may hold several arrays, each with a name.
    pub(super) fn has_names(self) -> bool {
        matches!(self, Self::Mat | Self::Hdf5)
    }

    /// Reads a file.
    pub(super) fn read(self, bytes: Vec<u8>, expected: &Expected<'_>) -> Result<Recording, String> {
        match self {
            Self::Wav => wav::read(&bytes, expected.full_scale),
            Self::Text => csv::read(&bytes, expected.full_scale),
            Self::Universal => uff::read(&bytes, expected.full_scale),
            Self::Mat if hdf5::is_matlab(&bytes) => hdf5::read(bytes, expected),
            Self::Mat => mat::read(&bytes, expected),
            Self::Hdf5 => hdf5::read(bytes, expected),
        }
    }

    /// What to give in place of a file that cannot be read.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Wav => "give a complete WAV file with integer or floating-point samples",
            Self::Text => {
                "give a table with a row for each moment and a column for each microphone, and times in a first column named time_s, if any; or phasors in the \
                 columns frequency_hz, microphone, re_pa and im_pa"
            }
            Self::Universal => {
                "give time responses in datasets 58 or 58b of a universal file, one for each microphone"
            }
            Self::Mat => {
                "give a MAT file with a real matrix of samples by microphones; with several, name it by `variable`"
            }
            Self::Hdf5 => {
                "give an HDF5 file with a real array of samples by microphones, as Acoular writes it in `time_data`; with several, name it by \
                 `variable`"
            }
        }
    }
}

/// Whether a table of text holds phasors, with the column `frequency_hz`, and not samples.
pub(super) fn is_phasors(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(first).contains("frequency_hz")
}

/// Joins recordings of the same length and rate, channel after channel; an error has the index of the file at fault.
pub(super) fn join(recordings: &[Recording]) -> Result<Recording, (usize, String)> {
    let Some(first) = recordings.first() else { return Err((0, "there is no file".into())) };
    let frames = |recording: &Recording| recording.values.len() / recording.channels.max(1);
    for (i, other) in recordings.iter().enumerate() {
        if other.rate != first.rate {
            let text =
                |rate: Option<f64>| rate.map_or("no sample rate".to_owned(), |rate| format!("{rate} Hz"));
            return Err((i, format!("it has {}, and the first file {}", text(other.rate), text(first.rate))));
        }
        if frames(other) != frames(first) {
            return Err((
                i,
                format!("it has {} frames, and the first file {}", frames(other), frames(first)),
            ));
        }
    }
    let channels = recordings.iter().map(|recording| recording.channels).sum();
    let mut values = Vec::new();
    let count = recordings.iter().map(|recording| recording.values.len()).sum();
    values
        .try_reserve_exact(count)
        .map_err(|_| (0, format!("there is no memory for its {count} samples")))?;
    for frame in 0..frames(first) {
        for recording in recordings {
            values.extend_from_slice(&recording.values[frame * recording.channels..][..recording.channels]);
        }
    }
    // The lowest limit: clipping of any channel shows.
    let limits = recordings.iter().map(|recording| recording.limit);
    let limit = limits.reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten();
    Ok(Recording { rate: first.rate, channels, values, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(channels: usize, values: &[f32]) -> Recording {
        Recording { rate: Some(48e3), channels, values: values.to_vec(), limit: Some(1.0) }
    }

    #[test]
    fn channels_of_several_files_follow_each_other() {
        let joined = join(&[recording(1, &[1.0, 2.0]), recording(2, &[3.0, 4.0, 5.0, 6.0])]).unwrap();
        assert_eq!((joined.channels, &joined.values[..]), (3, &[1.0, 3.0, 4.0, 2.0, 5.0, 6.0][..]));
        let short = join(&[recording(1, &[1.0, 2.0]), recording(1, &[3.0])]);
        assert_eq!(short, Err((1, "it has 1 frames, and the first file 2".into())));
        let slow = Recording { rate: Some(44.1e3), ..recording(1, &[3.0, 4.0]) };
        assert_eq!(
            join(&[recording(1, &[1.0, 2.0]), slow]),
            Err((1, "it has 44100 Hz, and the first file 48000 Hz".into()))
        );
    }

    #[test]
    fn tables_of_phasors_are_told_from_samples() {
        assert!(is_phasors(b"frequency_hz,microphone,re_pa,im_pa\n1,0,1,2\n"));
        assert!(!is_phasors(b"time_s;p\n0;1\n") && !is_phasors(b""));
    }
}
