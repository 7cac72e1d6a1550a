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
        self.text(&(escaped(&text) + "\n"))
    }
}

/// JSON in which the control characters above ASCII are escaped as those below are: a terminal obeys
/// both. They occur inside of strings only.
fn escaped(json: &str) -> String {
    use std::fmt::Write;
    let is_high = |c: char| c.is_control() && !c.is_ascii() || c == '\u{7f}';
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_high(c) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_no_raw_control_characters() {
        let text = escaped(&serde_json::json!({"name": "a\u{9b}31m\u{7f}\x1bµ"}).to_string());
        assert_eq!(text, r#"{"name":"a\u009b31m\u007f\u001bµ"}"#);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap()["name"],
            "a\u{9b}31m\u{7f}\x1bµ"
        );
    }
}
