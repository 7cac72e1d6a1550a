//! Errors of the command, in three forms: graphical, plain and JSON.

use crate::output::{self, Style};
use phasefront_bench::BenchError;
use phasefront_case::CaseError;
use phasefront_core::text::visible_lines;
use phasefront_device::DeviceError;
use phasefront_run::{Kind, RunError};
use rayon::ThreadPoolBuildError;
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Result of a subcommand.
pub type Result<T> = std::result::Result<T, Failure>;

/// An error to be reported to the user.
#[derive(Debug)]
pub enum Failure {
    /// From the run: bad case, device, convergence.
    Run(RunError),
    /// From the command line itself.
    Own {
        /// Its class.
        kind: Kind,
        /// What is wrong.
        message: String,
        /// The file concerned.
        file: Option<PathBuf>,
        /// What to do.
        help: Option<String>,
    },
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        let kind = match error {
            BenchError::Unknown { .. } => Kind::BadInput,
            BenchError::Failed { .. } | BenchError::Device(DeviceError::Singular { .. }) => {
                Kind::NotConverged
            }
            BenchError::Device(_) => Kind::Device,
            BenchError::Interrupted(_) => Kind::Interrupted,
            BenchError::Threads { .. } => Kind::Other,
        };
        Self::Own { kind, message: error.to_string(), file: None, help: error.advice() }
    }
}

/// The text without colors and frames, as a log has it.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Style::PLAIN))
    }
}

impl Failure {
    /// The user's input is wrong.
    pub fn input(message: String, help: Option<String>) -> Self {
        Self::Own { kind: Kind::BadInput, message, file: None, help }
    }

    /// As [`Failure::input`], about a file.
    pub fn file(path: &Path, message: String, help: Option<String>) -> Self {
        Self::Own { kind: Kind::BadInput, message, file: Some(path.to_owned()), help }
    }

    /// Reading or writing failed.
    pub fn io(what: &str, error: &io::Error) -> Self {
        Self::Own { kind: Kind::Other, message: format!("{what}: {error}"), file: None, help: None }
    }

    /// The thread pool of the solvers cannot be made.
    pub fn threads(count: usize, error: &ThreadPoolBuildError) -> Self {
        Self::Own {
            kind: Kind::Other,
            message: format!("cannot start {count} threads: {error}"),
            file: None,
            help: Some("request fewer threads".into()),
        }
    }

    /// Its class.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Run(error) => error.kind(),
            Self::Own { kind, .. } => *kind,
        }
    }

    /// What the process returns to the shell.
    pub fn exit_code(&self) -> u8 {
        match self.kind() {
            Kind::Other => 1,
            Kind::BadInput => 2,
            Kind::NotConverged => 3,
            Kind::Device => 4,
            // 128 + SIGINT, as shells report it.
            Kind::Interrupted => 130,
        }
    }

    fn message(&self) -> String {
        match (self.case_error(), self) {
            (Some(case), _) => case.message().to_owned(),
            (None, Self::Run(error)) => error.to_string(),
            (None, Self::Own { message, .. }) => message.clone(),
        }
    }

    fn help(&self) -> Option<String> {
        match (self.case_error(), self) {
            (Some(case), _) => Some(case.help().to_owned()).filter(|help| !help.is_empty()),
            (None, Self::Run(error)) => error.advice(),
            (None, Self::Own { help, .. }) => help.clone(),
        }
    }

    /// The error with a position in the case file, if it is one.
    fn case_error(&self) -> Option<&CaseError> {
        match self {
            Self::Run(RunError::Case(case)) => Some(case),
            _ => None,
        }
    }

    /// `{"error": {...}}`.
    pub fn json(&self) -> Value {
        let case = self.case_error();
        let file = match self {
            Self::Own { file, .. } => file.as_ref().map(|path| path.display().to_string()),
            Self::Run(_) => case.map(|case| case.file().to_owned()),
        };
        json!({"error": {
            "kind": kind_name(self.kind()),
            "message": self.message(),
            "file": file,
            "line": case.map(CaseError::line),
            "column": case.map(CaseError::column),
            "help": self.help(),
        }})
    }

    /// Text for standard error, with the source line underlined when there is one.
    pub(crate) fn text(&self, style: Style) -> String {
        match self.case_error() {
            // A source with control characters is not drawn: the plain form makes them visible.
            Some(case) if style.is_terminal && is_plain(case.source_text()) && is_plain(case.file()) => {
                graphical(case, style)
            }
            Some(case) => visible_lines(&case.render_plain()).into_owned(),
            None => {
                let (message, help) = (self.message(), self.help());
                let help = help.map(|help| format!("{} {}\n", style.bold("help:"), visible_lines(&help)));
                let message = visible_lines(&message);
                format!("{} {message}\n{}", style.red("error:"), help.unwrap_or_default())
            }
        }
    }
}

/// Whether a terminal shows text as it is. Tabs and the line ends of Windows do no harm.
fn is_plain(text: &str) -> bool {
    let text = text.replace(['\t', '\r'], "");
    visible_lines(&text) == text
}

/// The value of `kind` in JSON.
fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::BadInput => "bad_input",
        Kind::NotConverged => "not_converged",
        Kind::Device => "device",
        Kind::Interrupted => "interrupted",
        Kind::Other => "other",
    }
}

fn graphical(case: &CaseError, style: Style) -> String {
    let mut theme = miette::GraphicalTheme::unicode();
    if !style.colors {
        theme.styles = miette::ThemeStyles::none();
    }
    // In place of the usual cross: every error starts with the same word.
    theme.characters.error = String::from("error:");
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_width(output::width());
    let mut text = String::new();
    match handler.render_report(&mut text, case) {
        Ok(()) => format!("{}\n", text.trim()),
        // The plain form as a fallback: an error must never get lost.
        Err(_) => case.render_plain(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_follow_the_kind() {
        let code = |kind| Failure::Own { kind, message: String::new(), file: None, help: None }.exit_code();
        let kinds = [Kind::Other, Kind::BadInput, Kind::NotConverged, Kind::Device, Kind::Interrupted];
        assert_eq!(kinds.map(code), [1, 2, 3, 4, 130]);
    }

    #[test]
    fn a_drawn_case_error_starts_with_the_word_too() {
        let case = phasefront_case::parse("my.toml", "version = 1\nsolver = \"mum\"\n").unwrap_err();
        let text = graphical(&case, Style { is_terminal: true, colors: false });
        assert!(text.starts_with("error: "), "{text}");
        assert!(text.contains("my.toml:2:10") && text.contains("help:"), "{text}");
    }

    #[test]
    fn escape_sequences_of_a_case_do_not_reach_the_terminal() {
        let terminal = Style { is_terminal: true, colors: false };
        let case = phasefront_case::parse("my.toml", "version = 1\n# \x1b[2J\nsolver = 'mom'\n").unwrap_err();
        let own = Failure::file(Path::new("a"), "no \x1b[2J".into(), Some("a\nb\x1b".into()));
        for failure in [Failure::Run(RunError::Case(case)), own] {
            for style in [terminal, Style::PLAIN] {
                assert!(!failure.text(style).contains('\x1b'), "{:?}", failure.text(style));
            }
        }
    }

    #[test]
    fn text_and_json_carry_the_advice() {
        let failure = Failure::file(Path::new("a.toml"), "a is there".into(), Some("use --force".into()));
        let text = failure.text(Style::PLAIN);
        assert!(text.starts_with("error: a is there"), "{text}");
        assert!(text.contains("\nhelp: "), "{text}");
        let error = &failure.json()["error"];
        assert_eq!(error["kind"], "bad_input");
        assert_eq!((&error["file"], &error["help"]), (&json!("a.toml"), &json!("use --force")));
        assert!(error["line"].is_null());
    }
}
