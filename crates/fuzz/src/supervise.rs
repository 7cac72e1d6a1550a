//! The supervisor: starts a worker, counts, and finds the input of one that ended.

use crate::args::Campaign;
use phasefront_fuzz::{FOLDER_VARIABLE, PLANTED, Target};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;
use std::{fs, io};

/// Failures shown; more of them are counted.
const MAX_SHOWN: usize = 30;

/// Calls, time and memory of a target.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    calls: u64,
    seconds: f64,
    peak: usize,
    /// Inputs accepted, or parts of them.
    accepted: u64,
}

#[derive(Debug, Default)]
struct Tally {
    counts: BTreeMap<String, Count>,
    failures: Vec<String>,
    /// Number of the next input, by the order of the targets.
    next: Vec<u64>,
    /// The batch in progress.
    at: Option<(String, u64)>,
}

/// Runs a campaign; fails if any input did.
pub fn campaign(campaign: &Campaign) -> ExitCode {
    match supervise(campaign) {
        Ok(tally) => report(&tally, campaign),
        Err(error) => {
            eprintln!("the worker cannot be started: {error}");
            ExitCode::from(1)
        }
    }
}

fn supervise(campaign: &Campaign) -> io::Result<Tally> {
    fs::create_dir_all(&campaign.save)?;
    // In memory where the system has such a folder: a disk takes milliseconds for every file.
    let files = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
    let start = Instant::now();
    let targets = campaign.targets;
    let mut tally = Tally { next: vec![0; targets.len()], ..Tally::default() };
    loop {
        let left = campaign.seconds - start.elapsed().as_secs_f64();
        if left <= 0.0 || tally.failures.len() >= MAX_SHOWN {
            return Ok(tally);
        }
        let mut worker =
            spawn(&Campaign { seconds: left, ..campaign.clone() }, &tally.next, false, files.path())?;
        listen(&mut worker, targets, &mut tally);
        let status = worker.wait()?;
        if status.success() {
            continue;
        }
        // It ended inside a batch: once more, with each input on disk before its call.
        let Some((name, from)) = tally.at.take() else {
            tally.failures.push(format!("the worker ended with {status} outside of any target"));
            return Ok(tally);
        };
        let index = targets.iter().position(|target| target.name == name).unwrap_or_default();
        let alone = Campaign { target: Some(&targets[index]), ..campaign.clone() };
        let mut next = tally.next.clone();
        next[index] = from;
        let mut careful = spawn(&alone, &next, true, files.path())?;
        listen(&mut careful, targets, &mut tally);
        let again = careful.wait()?;
        tally.at = None;
        let saved = newest(campaign, &name).unwrap_or_else(|| format!("a batch from input {from} on"));
        tally
            .failures
            .push(format!("{name}: the process ended with {status}, repeated with {again}: {saved}"));
        tally.next[index] = from + targets[index].batch;
    }
}

fn spawn(campaign: &Campaign, next: &[u64], careful: bool, files: &Path) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(FOLDER_VARIABLE, files);
    command.arg("--worker").args([
        "--seconds",
        &campaign.seconds.to_string(),
        "--seed",
        &campaign.seed.to_string(),
    ]);
    command.arg("--save").arg(&campaign.save);
    if campaign.targets[0].name == PLANTED[0].name {
        command.arg("--planted");
    }
    let next: Vec<String> = next.iter().map(u64::to_string).collect();
    command.args(["--next", &next.join(",")]);
    if let Some(target) = campaign.target {
        command.args(["--target", target.name]);
    }
    if careful {
        command.arg("--careful");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

/// Reads what a worker says, until it ends.
fn listen(worker: &mut Child, targets: &[Target], tally: &mut Tally) {
    let Some(out) = worker.stdout.take() else { return };
    for line in BufReader::new(out).lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["at", name, number] => tally.at = number.parse().ok().map(|number| (name.to_owned(), number)),
            ["done", name, calls, seconds, peak, accepted] => {
                tally.at = None;
                let count = tally.counts.entry(name.to_owned()).or_default();
                let calls = calls.parse().unwrap_or(0);
                count.calls += calls;
                count.seconds += seconds.parse().unwrap_or(0.0);
                count.accepted += accepted.parse().unwrap_or(0);
                count.peak = count.peak.max(peak.parse().unwrap_or(0));
                if let Some(index) = targets.iter().position(|target| target.name == name) {
                    tally.next[index] += calls;
                }
            }
            ["fail", ..] => tally.failures.push(line),
            _ => println!("{line}"),
        }
    }
}

/// The input that a careful worker wrote last and did not remove.
fn newest(campaign: &Campaign, name: &str) -> Option<String> {
    let files = fs::read_dir(&campaign.save).ok()?.flatten();
    let of_target = files.filter(|file| file.file_name().to_string_lossy().starts_with(&format!("{name}-")));
    let newest = of_target.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok())?;
    Some(newest.path().display().to_string())
}

fn report(tally: &Tally, campaign: &Campaign) -> ExitCode {
    println!("{:<14} {:>12} {:>12} {:>12} {:>10}", "target", "calls", "calls/s", "accepted", "peak MB");
    let mut total = 0;
    for target in campaign.targets {
        let Some(count) = tally.counts.get(target.name) else { continue };
        total += count.calls;
        let rate = count.calls as f64 / count.seconds.max(1e-9);
        let (calls, accepted, peak) = (count.calls, count.accepted, count.peak as f64 / 1e6);
        println!("{:<14} {calls:>12} {rate:>12.0} {accepted:>12} {peak:>10.1}", target.name);
    }
    println!("{total} calls with seed {}", campaign.seed);
    if tally.failures.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\n{} failures; repeat one with `phasefront-fuzz --replay TARGET FILE`:", tally.failures.len());
    for failure in tally.failures.iter().take(MAX_SHOWN) {
        println!("{failure}");
    }
    ExitCode::FAILURE
}
