//! What can be wrong with a pattern or its file, and what to do about it.

/// An error of this crate. [`PatternError::advice`] says what to do. The name of the file is the caller's to add.
///
/// ```
/// let error = phasefront_pattern::read_ffd(b"0 180 3\n", None).unwrap_err();
/// assert_eq!(error.to_string(), "line 1: 3 by 1 samples are declared, and the rest of the file cannot hold them");
/// assert_eq!(error.advice(), "the file is incomplete: export or copy it again");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// The file violates its format.
    #[error("line {line}: {problem}")]
    Syntax {
        /// The line, from one.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// The file uses a variant of its format that is not read.
    #[error("line {line}: {what} is not supported")]
    Unsupported {
        /// The line, from one.
        line: usize,
        /// The variant.
        what: String,
        /// What to do.
        advice: String,
    },
    /// The file has no frequency, or not as many as patterns.
    #[error("patterns in the file: {patterns}; frequencies known for them: {frequencies}")]
    Frequencies {
        /// Patterns in the file.
        patterns: usize,
        /// Frequencies in the file, or given by the caller.
        frequencies: usize,
    },
    /// The values do not make a pattern.
    #[error("{problem}")]
    Invalid {
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// A format cannot hold this pattern.
    #[error("{format} cannot hold this pattern: {problem}")]
    NotRepresentable {
        /// Name of the format.
        format: &'static str,
        /// Why.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// A quantity that needs the whole sphere was asked of a part of it.
    #[error("the pattern does not cover the sphere: {problem}")]
    Partial {
        /// What is missing.
        problem: String,
    },
    /// The samples do not determine the phase center.
    #[error("the phase center is not determined: {problem}")]
    PhaseCenter {
        /// Why.
        problem: String,
    },
}

impl PatternError {
    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Syntax { advice, .. }
            | Self::Unsupported { advice, .. }
            | Self::Invalid { advice, .. }
            | Self::NotRepresentable { advice, .. } => advice.clone(),
            Self::Frequencies { frequencies: 0, .. } => {
                "give the frequency of each pattern, in its order in the file".into()
            }
            Self::Frequencies { .. } => {
                "give one frequency for each pattern, in its order in the file".into()
            }
            Self::Partial { .. } => {
                "sample theta from 0 to 180 deg and phi over 360 deg, or give the radiated power".into()
            }
            Self::PhaseCenter { .. } => {
                "widen the cone, sample it more densely, or choose the component that carries the power there"
                    .into()
            }
        }
    }

    pub(crate) fn invalid(problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into(), advice: advice.into() }
    }
}
