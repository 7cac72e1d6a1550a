//! The command line.

use phasefront_fuzz::{PLANTED, TARGETS, Target};
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: phasefront-fuzz [--seconds N] [--seed N] [--target NAME] [--save FOLDER]
       phasefront-fuzz --replay NAME FILE

  --seconds N      how long (60)
  --seed N         another sequence of inputs (1)
  --target NAME    one target only; all of them by default
  --save FOLDER    where inputs that fail are written (target/fuzz)
  --replay         calls a target once, with the bytes of a file";

/// What to do.
pub enum Command {
    Campaign(Campaign),
    Work(Order),
    Replay { target: &'static Target, file: PathBuf },
}

/// A run of the supervisor.
#[derive(Debug, Clone)]
pub struct Campaign {
    pub seconds: f64,
    pub seed: u64,
    /// All targets; numbers of inputs are kept in their order.
    pub targets: &'static [Target],
    /// The only one to run.
    pub target: Option<&'static Target>,
    pub save: PathBuf,
}

/// What a worker is told.
#[derive(Debug, Clone)]
pub struct Order {
    pub campaign: Campaign,
    /// First number of the inputs of each target, in the order of the targets.
    pub next: Vec<u64>,
    /// One batch only, each input written before its call.
    pub careful: bool,
}

/// Parses the arguments.
pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut campaign =
        Campaign { seconds: 60.0, seed: 1, targets: TARGETS, target: None, save: "target/fuzz".into() };
    let (mut worker, mut careful, mut next) = (false, false, Vec::new());
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--seconds" => campaign.seconds = number(&value()?)?,
            "--seed" => campaign.seed = number(&value()?)?,
            // Before the name of one of them. For tests.
            "--planted" => campaign.targets = PLANTED,
            "--target" => campaign.target = Some(target(campaign.targets, &value()?)?),
            "--save" => campaign.save = value()?.into(),
            "--replay" => {
                return Ok(Command::Replay {
                    target: target(campaign.targets, &value()?)?,
                    file: value()?.into(),
                });
            }
            "--worker" => worker = true,
            "--careful" => careful = true,
            "--next" => next = value()?.split(',').map(number).collect::<Result<_, _>>()?,
            _ => return Err(format!("{word:?} is not known")),
        }
    }
    if !worker {
        return Ok(Command::Campaign(campaign));
    }
    next.resize(campaign.targets.len(), 0);
    Ok(Command::Work(Order { campaign, next, careful }))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

fn target(targets: &'static [Target], name: &str) -> Result<&'static Target, String> {
    let names = || targets.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    targets
        .iter()
        .find(|target| target.name == name)
        .ok_or_else(|| format!("there is no target {name:?}; there are {}", names()))
}
