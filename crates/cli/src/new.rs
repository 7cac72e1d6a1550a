//! `phasefront new`: a case file to start from.

use crate::args::New;
use crate::failure::{Failure, Result};
use crate::output::path_text;
use crate::session::program;
use crate::stdout::Out;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs it.
pub fn new(args: &New) -> Result<ExitCode> {
    let Some(general) = phasefront_run::template(&args.solver) else {
        return Err(unknown(&args.solver));
    };
    let template = match &args.template {
        Some(name) => phasefront_run::named_template(&args.solver, name)
            .ok_or_else(|| unknown_template(&args.solver, name))?,
        None => general,
    };
    let mut out = Out::default();
    let stem = args.template.as_ref().unwrap_or(&args.solver);
    let path = args.file.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.toml")));
    if path == Path::new("-") {
        out.text(template)?;
        return Ok(ExitCode::SUCCESS);
    }
    write(&path, template, args.force)?;
    if !args.quiet {
        let path = path_text(&path);
        out.text(&format!("wrote {path}\n\nEdit it, or run it unchanged:\n  {} run {path}\n", program()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str, force: bool) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    // `create_new` tests and creates atomically: no other program can create the file in between.
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    match options.open(path).and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let message = format!("{} already exists", path.display());
            let help = "choose another name, or overwrite it with --force".to_owned();
            Err(Failure::file(path, message, Some(help)))
        }
        Err(error) => Err(Failure::io(&format!("cannot write {}", path.display()), &error)),
    }
}

/// The error for an unknown solver.
pub fn unknown(solver: &str) -> Failure {
    let known: Vec<&str> = phasefront_run::solvers();
    Failure::input(format!("unknown solver \"{solver}\""), Some(format!("choose from: {}", known.join(", "))))
}

fn unknown_template(solver: &str, name: &str) -> Failure {
    let known = phasefront_run::template_names(solver);
    let help = if known.is_empty() {
        format!("omit --template: {solver} has one template")
    } else {
        format!("choose from: {}", known.join(", "))
    };
    Failure::input(format!("{solver} has no template \"{name}\""), Some(help))
}
