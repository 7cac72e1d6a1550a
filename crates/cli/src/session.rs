//! Common parts of the subcommands: outputs, thread pool and log.

use crate::args::{Threads, Verbosity};
use crate::failure::{Failure, Result};
use crate::output::Style;
use crate::progress::Bars;
use crate::signals;
use crate::stdout::Out;
use phasefront_core::Progress;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use tracing::level_filters::LevelFilter;

/// One invocation of the program.
pub struct Session {
    /// Where results go.
    pub out: Out,
    /// Its style.
    pub style: Style,
    /// Where messages and progress go.
    pub bars: Arc<Bars>,
    /// Results as JSON.
    pub json: bool,
    /// Errors and warnings only.
    pub quiet: bool,
}

impl Session {
    /// Sets up the log and the outputs.
    pub fn new(verbosity: &Verbosity) -> Self {
        let bars = Arc::new(Bars::new(verbosity.quiet || verbosity.json));
        let level = match verbosity.verbose {
            0 => LevelFilter::WARN,
            1 => LevelFilter::INFO,
            _ => LevelFilter::DEBUG,
        };
        let writer = Arc::clone(&bars);
        tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(Style::stderr().colors)
            .with_target(false)
            // Without times and module paths, logs of two runs can be compared line by line.
            .without_time()
            .with_writer(move || writer.writer())
            .init();
        Self {
            out: Out::default(),
            style: Style::stdout(),
            bars,
            json: verbosity.json,
            quiet: verbosity.quiet,
        }
    }

    /// A progress that draws the bars, and the flag that Ctrl-C sets. To be called once.
    pub fn progress(&self) -> Result<(Progress, Arc<AtomicBool>)> {
        let stop = signals::install(self.quiet)?;
        let sink: Arc<Bars> = Arc::clone(&self.bars);
        Ok((Progress::new(sink, Arc::clone(&stop)), stop))
    }

    /// Prints text unless the output is quiet or JSON.
    pub fn print(&mut self, text: &str) -> Result<()> {
        if self.quiet || self.json { Ok(()) } else { self.out.text(text) }
    }
}

/// Sets the size of the global thread pool.
pub fn use_threads(threads: &Threads) -> Result<()> {
    let Some(count) = threads.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(count.into())
        .build_global()
        .map_err(|error| Failure::threads(count.into(), &error))
}

/// The name under which the program was started.
static PROGRAM: OnceLock<String> = OnceLock::new();

/// Stores the name under which the program was started. In a Python process it is not the first argument of the process.
pub fn started_as(name: Option<&OsString>) {
    if let Some(name) = name {
        // A second call of the same process keeps the name of the first.
        let _ = PROGRAM.set(name.to_string_lossy().into_owned());
    }
}

/// How the user starts this program, for suggested commands.
pub fn program() -> &'static str {
    // Started by `cargo run`: the program is not on the path.
    if std::env::var_os("CARGO").is_some() {
        return "cargo run --release --";
    }
    PROGRAM.get().map_or("phasefront", String::as_str)
}
