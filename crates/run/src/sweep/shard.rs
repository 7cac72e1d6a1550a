//! The part of a sweep that a process runs.

use crate::error::RunError;
use std::fmt;
use std::str::FromStr;

/// Part `number` of `count`, from 1: the points number − 1, number − 1 + count, and so on.
///
/// ```
/// use phasefront_run::Shard;
/// let shard: Shard = "2/3".parse().unwrap();
/// assert_eq!(shard.points(8).collect::<Vec<_>>(), [1, 4, 7]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

impl Shard {
    /// The whole sweep.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    fn new(number: usize, count: usize) -> Option<Self> {
        (1..=count).contains(&number).then_some(Self { number, count })
    }

    /// Its points, of so many.
    pub fn points(self, total: usize) -> impl Iterator<Item = usize> {
        (self.number - 1..total).step_by(self.count)
    }

    /// The part of a task of a Slurm job array, by the variables of its environment; none outside an array.
    pub fn of_slurm(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, RunError> {
        let Some(id) = get("SLURM_ARRAY_TASK_ID") else { return Ok(None) };
        let number = |name: &str| get(name).and_then(|text| text.trim().parse::<usize>().ok());
        let shard = || {
            let id = id.trim().parse::<usize>().ok()?;
            let (first, last) = (number("SLURM_ARRAY_TASK_MIN")?, number("SLURM_ARRAY_TASK_MAX")?);
            let step = number("SLURM_ARRAY_TASK_STEP").unwrap_or(1).max(1);
            let count = last.checked_sub(first)? / step + 1;
            // A list of tasks with gaps, such as 1,5,7, tells nothing of the tasks that are not in it.
            let has_gaps = number("SLURM_ARRAY_TASK_COUNT").is_some_and(|given| given != count);
            let index = id.checked_sub(first)?;
            if has_gaps || !index.is_multiple_of(step) { None } else { Self::new(index / step + 1, count) }
        };
        shard().map(Some).ok_or(RunError::JobArray { task: id.clone() })
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text
            .split_once('/')
            .and_then(|(number, count)| Self::new(number.trim().parse().ok()?, count.trim().parse().ok()?));
        parts.ok_or("expected K/N with K from 1 to N, such as 3/64")
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_every_point_once() {
        for (total, count) in [(12, 1), (12, 5), (3, 7), (1, 1)] {
            let mut points: Vec<usize> =
                (1..=count).flat_map(|number| Shard::new(number, count).unwrap().points(total)).collect();
            points.sort_unstable();
            assert_eq!(points, (0..total).collect::<Vec<_>>());
        }
    }

    #[test]
    fn shards_count_from_one() {
        for wrong in ["0/4", "5/4", "1", "1/0", "a/b", "-1/4", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert_eq!("4/4".parse::<Shard>().unwrap().to_string(), "4/4");
    }

    fn slurm(variables: &[(&str, &str)]) -> Option<Result<String, String>> {
        let get = |name: &str| {
            let found = variables.iter().find(|(key, _)| name == format!("SLURM_ARRAY_TASK_{key}"))?;
            Some(found.1.to_owned())
        };
        match Shard::of_slurm(get) {
            Ok(shard) => shard.map(|shard| Ok(shard.to_string())),
            Err(error) => Some(Err(error.to_string())),
        }
    }

    #[test]
    fn tasks_of_job_arrays_are_shards() {
        assert_eq!(slurm(&[]), None);
        // sbatch --array=0-3
        let four = [("ID", "2"), ("MIN", "0"), ("MAX", "3"), ("STEP", "1"), ("COUNT", "4")];
        assert_eq!(slurm(&four), Some(Ok("3/4".into())));
        // sbatch --array=10-30:10
        let steps = [("ID", "30"), ("MIN", "10"), ("MAX", "30"), ("STEP", "10"), ("COUNT", "3")];
        assert_eq!(slurm(&steps), Some(Ok("3/3".into())));
        // sbatch --array=1,5,7, and variables that are missing.
        let gaps = [("ID", "5"), ("MIN", "1"), ("MAX", "7"), ("STEP", "1"), ("COUNT", "3")];
        for wrong in [&gaps[..], &[("ID", "5")]] {
            let told = "task 5 of the Slurm job array has no defined part of the sweep";
            assert_eq!(slurm(wrong), Some(Err(told.into())));
        }
    }
}
