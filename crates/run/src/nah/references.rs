//! Channels of a recording that are references, and no microphones.

use phasefront_core::FieldError;
use phasefront_nah::{Input, Samples};

/// Takes the channels of the references out of a recording.
pub(super) fn split(input: Input, references: &[u32]) -> Result<(Input, Option<Samples>), FieldError> {
    if references.is_empty() {
        return Ok((input, None));
    }
    let path = "source.references";
    let Input::Samples(samples) = input else {
        let message = "`references` are channels of samples, and the source has bitstreams or phasors";
        return Err(FieldError::new(path, message, "remove them"));
    };
    let channels = samples.microphones;
    let references: Vec<usize> = references.iter().map(|channel| *channel as usize).collect();
    if let Some(channel) = references.iter().find(|channel| **channel >= channels) {
        let message = format!("there is no channel {channel}: the recording has {channels}, counted from 0");
        return Err(FieldError::new(path, message, "give channels of the recording"));
    }
    let microphones: Vec<usize> = (0..channels).filter(|channel| !references.contains(channel)).collect();
    let some = |which: &[usize]| {
        let mut values = Vec::with_capacity(which.len() * samples.frames());
        for frame in samples.values.chunks_exact(channels) {
            values.extend(which.iter().map(|channel| frame[*channel]));
        }
        Samples { microphones: which.len(), values, rate: samples.rate, full_scale: samples.full_scale }
    };
    Ok((Input::Samples(some(&microphones)), Some(some(&references))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_told_apart() {
        let values = vec![0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0];
        let input = || {
            Input::Samples(Samples {
                rate: 1e3,
                microphones: 4,
                values: values.clone(),
                full_scale: Some(5.0),
            })
        };
        let (Input::Samples(microphones), Some(references)) = split(input(), &[2, 0]).unwrap() else {
            panic!("no references")
        };
        assert_eq!((microphones.microphones, microphones.values), (2, vec![1.0, 3.0, 11.0, 13.0]));
        assert_eq!((references.microphones, references.values), (2, vec![2.0, 0.0, 12.0, 10.0]));
        assert_eq!((references.rate, references.full_scale), (1e3, Some(5.0)));
        let error = split(input(), &[4]).unwrap_err();
        assert!(error.to_string().contains("there is no channel 4"), "{error}");
    }
}
