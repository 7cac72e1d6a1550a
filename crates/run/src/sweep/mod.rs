//! Runs many cases: one case with lists of values for its keys.
//!
//! Processes may share a sweep ([`Shard`]): each runs its points in their own folders, and the table is made from the folders, so that
//! no process waits for another.

mod point;
mod shard;
mod table;

pub use point::{PointState, Status};
pub use shard::Shard;

use crate::error::RunError;
use crate::input::InputFolder;
use crate::memory::check_memory;
use crate::options::Options;
use crate::read::{folder_of, read_case, read_file};
use crate::registry;
use phasefront_case::{Sweep, SweepFile};
use phasefront_comm::Single;
use phasefront_core::{Event, Progress, Sink};
use phasefront_report::ReportError;
use point::{InputDigests, Record};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A sweep whose points are valid cases.
pub struct SweepPlan {
    /// Where it is written: a folder for each point, and `sweep.csv`.
    pub folder: PathBuf,
    sweep: Sweep,
    /// Folder of the files that the case names.
    origin: PathBuf,
}

impl SweepPlan {
    /// Reads a sweep file with its case, and parses the case of every point. It is written to `options.out`, by default to
    /// `results/NAME`.
    pub fn read(path: &Path, options: &Options) -> Result<Self, RunError> {
        if options.ranks.are_several() {
            return options.ranks.or_dismiss(Err(RunError::SweepOnRanks));
        }
        let name = path.display().to_string();
        let text = String::from_utf8(read_file(path)?)
            .map_err(|error| RunError::Read { path: path.into(), error: error.to_string() })?;
        let file = SweepFile::parse(&name, &text)?;
        let case = folder_of(path).join(&file.case);
        if !case.is_file() {
            let message = format!("{} is not a file", case.display());
            return Err(file.error_at_case(&message, "give its path relative to the sweep file").into());
        }
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let folder = match &options.out {
            Some(out) => out.clone(),
            None => Path::new("results").join(file.name.as_deref().unwrap_or(&stem)),
        };
        let sweep = Sweep::new(file, read_case(&case)?)?;
        let plan = Self { folder, sweep, origin: folder_of(&case).to_owned() };
        for point in 0..plan.points() {
            plan.sweep.case(point)?;
        }
        Ok(plan)
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.sweep.points()
    }

    /// Paths of the keys that vary.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.sweep.keys().map(|key| &*key.path)
    }

    /// The folder of a point: its number, with zeros so that names sort.
    fn folder_of(&self, point: usize) -> PathBuf {
        let digits = (self.points() - 1).to_string().len().max(4);
        self.folder.join(format!("{point:0digits$}"))
    }

    /// Checks the points of a shard that are not done: their physics and their memory. A folder with another case, or with a
    /// result of other input files or of another version, is refused unless `options.force`. Returns the points that are left to run.
    pub fn check(
        &self,
        shard: Shard,
        options: &Options,
        progress: &Progress,
    ) -> Result<Vec<usize>, RunError> {
        let opened = options.open_device()?;
        let (mut left, inputs) = (Vec::new(), InputDigests::new(&self.origin));
        let stage = progress.stage("check", None, "points");
        for point in shard.points(self.points()) {
            progress.check()?;
            let (file, folder) = (self.sweep.case(point)?, self.folder_of(point));
            let record = Record::of(&folder)?;
            if let (false, Some(difference)) = (options.force, record.difference(&file.source.text, &inputs))
            {
                return Err(RunError::OtherPoint { folder, difference });
            }
            if options.force || !record.is_done() {
                let job = registry::job(&file, &InputFolder::watched(&self.origin, progress));
                job.and_then(|job| check_memory(&file, &*job, &opened, &Single::new()))
                    .map_err(|error| self.explain(point, error))?;
                left.push(point);
            }
            stage.advance(1);
        }
        let done = shard.points(self.points()).count() - left.len();
        if done > 0 {
            progress.note(&format!("points already finished: {done}"));
        }
        Ok(left)
    }

    /// Runs the points of a shard that are not done, and resumes those that were interrupted; with `options.force` all of them are run
    /// again. A point that fails is recorded, and the others go on. The state of all points of the sweep is returned, and written as
    /// `sweep.csv`.
    pub fn run(
        &self,
        shard: Shard,
        options: &Options,
        progress: &Progress,
    ) -> Result<Vec<PointState>, RunError> {
        let left = self.check(shard, options, progress)?;
        let ran = self.run_points(&left, options, progress);
        let states = self.collect()?;
        let count = |status| states.iter().filter(|state| state.status == status).count();
        match ran {
            Err(error) if error.kind() == crate::Kind::Interrupted => {
                Err(RunError::SweepStopped { done: count(Status::Done), points: self.points() })
            }
            ran => ran.map(|()| states),
        }
    }

    fn run_points(&self, left: &[usize], options: &Options, progress: &Progress) -> Result<(), RunError> {
        let stage = progress.stage("sweep", Some(left.len() as u64), "points");
        let inside = progress.through(|next| Arc::new(WithoutWarnings(next)));
        for &point in left {
            progress.check()?;
            let (file, folder) = (self.sweep.case(point)?, self.folder_of(point));
            match point::run(&file, &self.origin, &folder, options, &inside) {
                Err(error) if error.kind() == crate::Kind::Interrupted => return Err(error),
                // Another process has it.
                Err(RunError::Report(ReportError::InUse { .. } | ReportError::Exists { .. })) => {
                    progress.note(&format!("{} is run by another process", folder.display()));
                }
                Err(error) => {
                    progress.warn(&format!("{} failed: {error}", folder.display()));
                    point::record_failure(&folder, &file, &self.explain(point, error))?;
                }
                Ok(_) => {}
            }
            stage.advance(1);
        }
        progress.check().map_err(RunError::from)
    }

    /// The state of every point, from the folders; writes it as `sweep.csv`.
    pub fn collect(&self) -> Result<Vec<PointState>, RunError> {
        table::write(&self.folder, &self.sweep, || self.states())
    }

    /// The state of every point, from the folders.
    pub fn states(&self) -> Result<Vec<PointState>, RunError> {
        let inputs = InputDigests::new(&self.origin);
        let state = |point| {
            let values = self.sweep.values(point).map(|(key, value)| (key.path.clone(), value.text().into()));
            let basis = (&*self.sweep.text(point), &inputs);
            PointState::of(point, self.folder_of(point), basis, values.collect())
        };
        (0..self.points()).map(state).collect()
    }

    /// The error of a point, at its position in the sweep file if that is where it comes from.
    fn explain(&self, point: usize, error: RunError) -> RunError {
        match error {
            RunError::Case(error) => RunError::Case(self.sweep.explain(point, error)),
            other => other,
        }
    }
}

/// Leaves out the warnings of points, of which there may be thousands that do not say where they belong: results have them, and the table
/// counts them.
struct WithoutWarnings(Arc<dyn Sink>);

impl Sink for WithoutWarnings {
    fn event(&self, event: Event<'_>) {
        if !matches!(event, Event::Warning(_)) {
            self.0.event(event);
        }
    }
}
