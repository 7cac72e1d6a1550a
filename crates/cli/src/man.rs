//! `phasefront man`: the manual page, with a section for each subcommand.

use crate::args::Cli;
use crate::failure::{Failure, Result};
use crate::stdout::Out;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::process::ExitCode;

/// Prints it.
pub fn man() -> Result<ExitCode> {
    let mut page = Vec::new();
    write(&mut page).map_err(|error| Failure::io("cannot make the manual page", &error))?;
    Out::default().text(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}

fn write(page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let man = Man::new(command.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        subcommand(sub, page)?;
    }
    man.render_extra_section(page)
}

/// The text of `phasefront NAME --help` as a section.
fn subcommand(sub: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [sub.get_name().to_uppercase().as_str()]);
    roff.text([roman(sub.get_about().map(ToString::to_string).unwrap_or_default())]);
    for argument in sub.get_arguments().filter(|argument| !argument.is_hide_set()) {
        roff.control("TP", []);
        roff.text([bold(argument.to_string())]);
        roff.text([roman(argument.get_help().map(ToString::to_string).unwrap_or_default())]);
    }
    roff.to_writer(page)
}
