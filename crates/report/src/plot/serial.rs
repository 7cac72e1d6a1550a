//! Compact serialization of image data.

use serde::{Serialize, Serializer};

/// Values of images to seven digits, more than colors resolve: this halves the files.
pub fn short<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| *value as f32))
}

/// Positions to seven digits.
pub fn short_positions<S: Serializer>(positions: &[[f64; 3]], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(positions.iter().map(|position| position.map(|x| x as f32)))
}

/// Triples of integers as one list: brackets would be a fifth of a large file.
pub fn flat<T: Serialize, S: Serializer>(triples: &[[T; 3]], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(triples.iter().flatten())
}
