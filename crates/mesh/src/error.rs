//! Errors of geometry files and outlines, with advice.

use phasefront_core::text::{list, nearest};
use std::fmt;

/// Where in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Line of a text, from one.
    Line(usize),
    /// Byte of a binary file, from zero.
    Byte(usize),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// An error of this crate. [`MeshError::advice`] says what to do. The name of the file is the caller's to add.
///
/// ```
/// let error = phasefront_mesh::naca4("12", 1.0).unwrap_err();
/// assert_eq!(error.to_string(), "\"12\" is not a four-digit NACA section");
/// assert_eq!(error.advice(), "give four digits, for example \"0012\" or \"2412\"");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// The file violates its format.
    #[error("{location}: {problem}")]
    Syntax {
        /// Where.
        location: Location,
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// The file uses an unsupported feature.
    #[error("{location}: {what} is not supported")]
    Unsupported {
        /// Where.
        location: Location,
        /// What it uses.
        what: String,
        /// What to do.
        advice: String,
    },
    /// A name that does not occur in the file.
    #[error("there is no {kind} {name:?}")]
    NotFound {
        /// What was looked for.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names there are, each with a remark for the reader, which may be empty.
        known: Vec<(String, String)>,
    },
    /// Too little memory for the content of the file.
    #[error("the mesh needs more memory than there is: {bytes} bytes for one of its lists")]
    Memory {
        /// Size of the list.
        bytes: usize,
    },
    /// A graph cannot be divided into this many parts.
    #[error("a graph of {vertices} vertices cannot be divided into {parts} parts")]
    Parts {
        /// The number of parts asked for.
        parts: usize,
        /// The number of vertices.
        vertices: usize,
    },
    /// An invalid graph.
    #[error("{problem}")]
    Graph {
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// An invalid geometry.
    #[error("{problem}")]
    Geometry {
        /// What is wrong.
        problem: String,
        /// What to do.
        advice: String,
    },
}

/// Maximum number of names listed in a message.
const MAX_LISTED: usize = 12;

impl MeshError {
    /// What to do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Syntax { advice, .. }
            | Self::Unsupported { advice, .. }
            | Self::Graph { advice, .. }
            | Self::Geometry { advice, .. } => advice.clone(),
            Self::Memory { .. } => "mesh more coarsely, or run on a machine with more memory".into(),
            Self::Parts { .. } => {
                "ask for at least one part, and for no more parts than there are vertices".into()
            }
            Self::NotFound { name, known, .. } => {
                if known.is_empty() {
                    return "the file has none".into();
                }
                let shown: Vec<String> =
                    known.iter().take(MAX_LISTED).map(|(name, remark)| format!("{name:?}{remark}")).collect();
                let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
                let there = if known.len() > MAX_LISTED {
                    format!("the file has {} and {} more", shown.join(", "), known.len() - MAX_LISTED)
                } else {
                    format!("the file has {}", list(&shown, "", "and"))
                };
                match nearest(name, known.iter().map(|(name, _)| name.as_str())) {
                    Some(meant) => format!("did you mean {meant:?}? {there}"),
                    None => there,
                }
            }
        }
    }

    pub(crate) fn syntax(location: Location, problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Syntax { location, problem: problem.into(), advice: advice.into() }
    }

    pub(crate) fn unsupported(
        location: Location,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::Unsupported { location, what: what.into(), advice: advice.into() }
    }

    /// Grows a list by at least `more` items; a failed allocation is an error and does not abort the process.
    pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), Self> {
        list.try_reserve(more).map_err(|_| Self::Memory {
            bytes: list.len().saturating_add(more).saturating_mul(size_of::<T>()),
        })
    }

    /// Appends an item, growing the list as [`MeshError::reserve`] does.
    pub(crate) fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), Self> {
        Self::reserve(list, 1)?;
        list.push(item);
        Ok(())
    }

    pub(crate) fn graph(problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Graph { problem: problem.into(), advice: advice.into() }
    }

    pub(crate) fn geometry(problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Geometry { problem: problem.into(), advice: advice.into() }
    }
}
