//! `phasefront sweep`: runs many cases from one, with lists of values for its keys.

use crate::args::Sweep;
use crate::case_file;
use crate::failure::Result;
use crate::output::{self, path_text, seconds};
use crate::run::with_ranks;
use crate::session::Session;
use crate::table::Table;
use phasefront_run::{Options, PointState, Shard, Status, SweepPlan};
use serde_json::json;
use std::process::ExitCode;
use std::time::Instant;

/// Runs it.
pub fn sweep(args: &Sweep) -> Result<ExitCode> {
    with_ranks(&args.threads, &args.options(), |options| {
        let session = Session::new(&args.verbosity);
        let file = case_file::find(&args.file)?;
        if let Some(out) = &args.out {
            case_file::printable(out)?;
        }
        let plan = SweepPlan::read(&file, options)?;
        if args.instead.collect {
            let states = plan.collect()?;
            return tell(session, &plan, &states, None);
        }
        let shard = match args.shard {
            Some(shard) => shard,
            None => Shard::of_slurm(|name| std::env::var(name).ok())?.unwrap_or(Shard::WHOLE),
        };
        if args.instead.dry_run {
            list(session, &plan, shard, options)
        } else {
            run(session, &plan, shard, options)
        }
    })
}

fn run(session: Session, plan: &SweepPlan, shard: Shard, options: &Options) -> Result<ExitCode> {
    let (progress, _) = session.progress()?;
    if shard != Shard::WHOLE {
        let own = shard.points(plan.points()).count();
        session.bars.say(&format!("shard {shard}: {own} of {} points\n", plan.points()));
    }
    let started = Instant::now();
    let states = plan.run(shard, options, &progress)?;
    let failed = failed(&states, shard);
    tell(session, plan, &states, Some(started.elapsed().as_secs_f64()))?;
    if failed > 0 {
        output::message(&format!(
            "error: {failed} of {} points failed\nhelp: `sweep.csv` has their messages; repeat the command to run them again\n",
            shard.points(plan.points()).count()
        ));
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// Points of a shard that failed.
fn failed(states: &[PointState], shard: Shard) -> usize {
    shard.points(states.len()).filter(|point| states[*point].status == Status::Failed).count()
}

/// Checks the points of a shard, and prints them.
fn list(mut session: Session, plan: &SweepPlan, shard: Shard, options: &Options) -> Result<ExitCode> {
    let (progress, _) = session.progress()?;
    plan.check(shard, options, &progress)?;
    let states = plan.states()?;
    let own: Vec<&PointState> = shard.points(states.len()).map(|point| &states[point]).collect();
    if session.json {
        session.out.json(&json!({"folder": plan.folder, "points": own}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let keys: Vec<&str> = plan.keys().collect();
    let mut table = Table::new(&[&["folder", "status"], &keys[..]].concat(), &[]);
    for point in own {
        let mut cells = vec![path_text(&point.folder), point.status.name().to_owned()];
        cells.extend(point.values.values().cloned());
        table.row(&cells, None);
    }
    let text = table.render(session.style);
    session.print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Reports the state of all points.
fn tell(
    mut session: Session,
    plan: &SweepPlan,
    states: &[PointState],
    took: Option<f64>,
) -> Result<ExitCode> {
    let table = plan.folder.join("sweep.csv");
    if let Some(warning) = warning(states) {
        session.bars.warn(&warning);
    }
    if session.json {
        session.out.json(&json!({"folder": plan.folder, "table": table, "points": states}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let time = took.map(|took| format!("time    {}\n", seconds(took))).unwrap_or_default();
    session.print(&format!("{}\ntable   {}\n{time}", counts(states), path_text(&table)))?;
    Ok(ExitCode::SUCCESS)
}

/// How many points have warnings, and where the first are.
fn warning(states: &[PointState]) -> Option<String> {
    let warned: Vec<_> = states.iter().filter(|state| state.warnings > 0).collect();
    let first = path_text(&warned.first()?.folder);
    let (count, all) = (warned.len(), states.len());
    Some(format!("{count} of {all} points have warnings; the first are in {first}/result.json"))
}

/// `12 points: 10 done, 2 failed`.
fn counts(states: &[PointState]) -> String {
    let kinds = [Status::Done, Status::Failed, Status::Unfinished, Status::Missing];
    let count = |kind: &Status| states.iter().filter(|state| state.status == *kind).count();
    let parts: Vec<String> = kinds
        .iter()
        .filter(|kind| count(kind) > 0)
        .map(|kind| format!("{} {}", count(kind), kind.name()))
        .collect();
    let noun = if states.len() == 1 { "point" } else { "points" };
    format!("{} {noun}: {}", states.len(), parts.join(", "))
}
