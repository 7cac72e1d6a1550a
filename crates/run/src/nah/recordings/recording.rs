//! What a file of samples holds, and what is known of it before.

/// The samples of a file.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::nah) struct Recording {
    /// Sample rate, where the file tells, Hz.
    pub rate: Option<f64>,
    /// Number of channels.
    pub channels: usize,
    /// Pressures, Pa, frame by frame.
    pub values: Vec<f32>,
    /// The largest pressure that a sample can represent, where it is known, Pa.
    pub limit: Option<f32>,
}

/// What is known of a recording beside its file.
#[derive(Debug, Clone, Copy)]
pub(in crate::nah) struct Expected<'a> {
    /// Pressure of full scale, or of a value of one, Pa.
    pub full_scale: f64,
    /// Number of microphones of the array.
    pub microphones: usize,
    /// Name of the array of samples in a file of several.
    pub variable: Option<&'a str>,
}

/// Names of the sample rate in files of several variables, in lower case.
pub(super) const RATES: [&str; 8] =
    ["fs", "samplerate", "sample_rate", "sample_freq", "samplefreq", "samplingrate", "sampling_rate", "f_s"];

/// The sample rate of a file, which must be one.
pub(super) fn checked_rate(rate: f64) -> Result<f64, String> {
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(format!("its sample rate is {rate} Hz")) }
}
