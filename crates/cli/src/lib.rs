//! The `phasefront` command: one file per subcommand, and what they share.
//!
//! It is a library so that the Python package can provide the same command ([`main`]) and report the same errors
//! ([`Failure`], [`find_case`]).

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod args;
mod bench;
mod case_file;
mod check;
mod completions;
mod demo;
mod doctor;
mod failure;
mod licenses;
mod live;
mod man;
mod mesh;
mod new;
mod output;
mod progress;
mod ranks;
mod resume;
mod run;
mod schema;
mod self_checks;
mod session;
mod signals;
mod stdout;
mod sweep;
mod table;
mod view;

pub use case_file::find as find_case;
pub use failure::Failure;
pub use new::unknown as unknown_solver;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use output::Style;
use phasefront_run::Kind;
use std::ffi::OsString;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::sync::Mutex;
use stdout::Out;

/// Message of the first panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the command with `arguments`, of which the first is the name of the program.
pub fn main(arguments: &[OsString]) -> ExitCode {
    session::started_as(arguments.first());
    // Determined before parsing, so that even a usage error is JSON if JSON was requested.
    let json = arguments.iter().any(|argument| argument == "--json");
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        remember(info);
        // A user who sets this wants the backtrace, not only a short message.
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            default(info);
        }
    }));
    match panic::catch_unwind(|| command(arguments, json)) {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => report(&failure, json),
        Err(_) => report(&bug(), json),
    }
}

fn command(arguments: &[OsString], json: bool) -> failure::Result<ExitCode> {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && json => return Err(usage(&error)),
        Err(error) => {
            // Fails only if standard error is closed.
            let _ = error.print();
            if error.use_stderr() {
                ranks::leave(error.exit_code());
            }
            return Ok(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)));
        }
    };
    match &cli.command {
        None => {
            Out::default().text(&Cli::command().render_help().to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Demo(args)) => demo::demo(args),
        Some(Command::New(args)) => new::new(args),
        Some(Command::Check(args)) => check::check(args),
        Some(Command::Mesh(args)) => mesh::mesh(args),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Resume(args)) => resume::resume(args),
        Some(Command::Sweep(args)) => sweep::sweep(args),
        Some(Command::Bench(args)) => bench::bench(args),
        Some(Command::Doctor(args)) => doctor::doctor(args),
        Some(Command::View(args)) => view::view(args),
        Some(Command::Schema) => schema::schema(),
        Some(Command::Completions(args)) => completions::completions(args),
        Some(Command::Licenses(args)) => licenses::licenses(args),
        Some(Command::Man) => man::man(),
    }
}

/// A usage error of clap as a failure.
fn usage(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message).trim().to_owned();
    Failure::input(message, Some(rest.trim().to_owned()).filter(|help| !help.is_empty()))
}

fn report(failure: &Failure, json: bool) -> ExitCode {
    // Errors go to standard error in any case, where the log of a script has them.
    if !ranks::is_told_elsewhere(failure) {
        output::message(&failure.text(Style::stderr()));
    }
    if json {
        // If this fails too, the exit code still reports the error.
        let _ = Out::default().json(&failure.json());
    }
    ExitCode::from(failure.exit_code())
}

fn remember(info: &PanicHookInfo<'_>) {
    let what = info.payload_as_str().unwrap_or("unknown reason");
    let location = info.location().map(|location| format!(" ({}:{})", location.file(), location.line()));
    let text = format!("{what}{}", location.unwrap_or_default());
    tracing::debug!("panic: {text}");
    // The first panic is the cause; those of other threads follow from it.
    if let Ok(mut first) = PANIC.lock() {
        first.get_or_insert(text);
    }
}

fn bug() -> Failure {
    let what = PANIC.lock().ok().and_then(|text| text.clone());
    let message = match what {
        Some(what) => format!("internal error: {what}"),
        None => "internal error".to_owned(),
    };
    let help = "this is a bug, please report it with the case file and the output of `phasefront doctor`";
    Failure::Own { kind: Kind::Other, message, file: None, help: Some(help.to_owned()) }
}
