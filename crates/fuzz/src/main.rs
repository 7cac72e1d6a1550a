//! Feeds damaged inputs to every reader for a while: `phasefront-fuzz --seconds 60`.
//!
//! The work is done by a second process, so that an abort, a stack overflow or a hang is seen and its input found: inputs follow
//! from their number, and a batch that ended the worker is repeated with every input written to disk before its call.

mod allocator;
mod args;
mod guard;
mod supervise;
mod work;

use args::{Command, parse};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)) {
        Ok(Command::Campaign(campaign)) => supervise::campaign(&campaign),
        Ok(Command::Work(order)) => work::work(&order),
        Ok(Command::Replay { target, file }) => work::replay(target, &file),
        Err(message) => {
            eprintln!("{message}\n\n{}", args::USAGE);
            ExitCode::from(2)
        }
    }
}
