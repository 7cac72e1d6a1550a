//! Standard output, for results.

use crate::failure::{Failure, Result};
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Standard output for results. Once its reader has closed the pipe (`| head`), further text is
/// dropped: the computation itself did not fail.
#[derive(Debug, Default)]
pub struct Out {
    closed: bool,
}

impl Out {
    /// Whether the reader has closed the pipe.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Writes `text` as it is.
    pub fn text(&mut self, text: &str) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => return Err(Failure::io("cannot write to standard output", &error)),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Writes one JSON document.
    pub fn json(&mut self, document: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(document)
            .map_err(|error| Failure::io("cannot write JSON", &io::Error::other(error)))?;
        self.text(&(text + "\n"))
    }
}
