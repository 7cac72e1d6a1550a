//! The worker: calls targets in turn, and tells the supervisor on standard output how far it is.
//!
//! Lines are `at TARGET NUMBER` before a batch, `done TARGET CALLS SECONDS PEAK ACCEPTED` behind it, and `fail TARGET FILE` for a panic.

use crate::args::Order;
use crate::{allocator, guard};
use phasefront_fuzz::Target;
use phasefront_fuzz::mutate::Corpus;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// A worker starts over after so many panics: they may come from a broken state.
const MAX_PANICS: usize = 20;

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // Without a supervisor there is no one to tell, and nothing to do.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

fn file_of(save: &Path, target: &Target, seed: u64, number: u64) -> PathBuf {
    save.join(format!("{}-{seed}-{number}", target.name))
}

/// Works until the time is over.
pub fn work(order: &Order) -> ExitCode {
    guard::prepare();
    let campaign = &order.campaign;
    let start = Instant::now();
    let mut next = order.next.clone();
    let targets = campaign.targets;
    let chosen: Vec<usize> = (0..targets.len())
        .filter(|&i| campaign.target.is_none_or(|target| target.name == targets[i].name))
        .collect();
    let corpora: Vec<Corpus> = targets.iter().map(Corpus::of).collect();
    let mut panics = 0;
    loop {
        for &i in &chosen {
            if start.elapsed().as_secs_f64() > campaign.seconds || panics >= MAX_PANICS {
                return ExitCode::SUCCESS;
            }
            panics += batch(order, &targets[i], &corpora[i], next[i]);
            next[i] += targets[i].batch;
        }
        if order.careful {
            return ExitCode::SUCCESS;
        }
    }
}

/// One batch of a target; the number of panics.
fn batch(order: &Order, target: &Target, corpus: &Corpus, from: u64) -> usize {
    say(&format!("at {} {from}", target.name));
    let (seed, save) = (order.campaign.seed, &order.campaign.save);
    let (start, accepted) = (Instant::now(), phasefront_fuzz::accepted());
    let (mut peak, mut panics) = (0, 0);
    for number in from..from + target.batch {
        let bytes = corpus.input(seed, number);
        let file = file_of(save, target, seed, number);
        if order.careful {
            // On disk before the call, which may not come back.
            let _ = fs::write(&file, &bytes);
        }
        let ended = guard::call(target, &bytes);
        peak = peak.max(allocator::peak());
        match ended {
            Ok(()) if order.careful => drop(fs::remove_file(&file)),
            Ok(()) => {}
            Err(message) => {
                panics += 1;
                let _ = fs::write(&file, &bytes);
                let message = message.replace('\n', " ");
                say(&format!("fail {} {} {message}", target.name, file.display()));
            }
        }
    }
    let (seconds, accepted) = (start.elapsed().as_secs_f64(), phasefront_fuzz::accepted() - accepted);
    say(&format!("done {} {} {seconds:.6} {peak} {accepted}", target.name, target.batch));
    panics
}

/// Calls a target once.
pub fn replay(target: &Target, file: &Path) -> ExitCode {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    guard::prepare();
    match guard::call(target, &bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
