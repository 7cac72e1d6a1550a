//! Parts of a checkpoint: each rank saves its share of a large state in a file of its own, and rank 0 the manifest.

use crate::checkpoint::Checkpoints;
use crate::error::{Kind, RunError};
use phasefront_comm::Comm;
use phasefront_core::checkpoint::State;
use phasefront_report::{Checkpoint, Checksum, ReportError};
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// Checksums of the two records of a part: what it has, and the values.
pub(crate) type PartChecksums = [Checksum; 2];

/// The generation of parts by which ranks find out whether they share a folder.
const TRIAL: &str = "trial";

impl Checkpoints {
    /// Saves the part of a rank: what it has, and the values. It counts when a manifest has its checksums.
    pub(crate) fn write_part<N: State, V: State>(
        &self,
        generation: &str,
        rank: usize,
        (numbers, values): (&N, &V),
    ) -> Result<PartChecksums, ReportError> {
        let (numbers, values) = (self.framed(numbers), self.framed(values));
        self.files.write_part(generation, rank, &[numbers.parts(), values.parts()])
    }

    /// A record of a part, or why it cannot be used.
    pub(crate) fn read_part<S: State>(
        &self,
        generation: &str,
        rank: usize,
        record: usize,
        expected: &Checksum,
    ) -> Result<S, String> {
        let name = Checkpoint::part_name(generation, rank);
        let damaged = || format!("{name} is damaged: it was truncated or changed");
        match self.files.read_part(generation, rank, record) {
            Ok(Some((payload, checksum))) if checksum == *expected => {
                self.read(&payload).ok().flatten().ok_or_else(damaged)
            }
            Ok(_) => Err(damaged()),
            Err(ReportError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Err(format!("{name} is missing"))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Finds out at the start of a run whether all ranks share its folder, so that it does not fail at the first checkpoint: each other
    /// rank writes a part, which rank 0 must find. Collective.
    pub(crate) fn check_shared(&self, comm: &dyn Comm) -> Result<(), RunError> {
        if comm.size() == 1 {
            return Ok(());
        }
        // One that an earlier job has left must not count.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let mut token = format!("{}-{now}", std::process::id()).into_bytes();
        comm.broadcast(&mut token)?;
        let mut failed = None;
        if comm.rank() > 0 {
            let written = self.files.write_part(TRIAL, comm.rank(), &[vec![&token]]);
            failed = written.err().map(|error| match error {
                ReportError::Io { source, .. } => source.to_string(),
                other => other.to_string(),
            });
        }
        // Text, which always serializes.
        let reports = comm.gather(&serde_json::to_vec(&(comm.host(), failed)).unwrap_or_default())?;
        let refused = reports.and_then(|reports| {
            let found = self.first_stranger(&reports, &token);
            // What cannot be removed now goes with the first old checkpoint.
            let _ = self.files.remove_parts(|generation| generation == TRIAL);
            found
        });
        let mut is_refused = vec![u8::from(refused.is_some())];
        comm.broadcast(&mut is_refused)?;
        match refused {
            Some(error) => Err(error),
            None if is_refused == [0] => Ok(()),
            None => Err(RunError::OtherRank { rank: 0, kind: Kind::BadInput }),
        }
    }

    /// The first rank whose part of a trial is not in the folder, on rank 0.
    fn first_stranger(&self, reports: &[Vec<u8>], token: &[u8]) -> Option<RunError> {
        reports.iter().enumerate().skip(1).find_map(|(rank, report)| {
            let (host, failed): (String, Option<String>) = serde_json::from_slice(report).unwrap_or_default();
            let is_here = || {
                let found = self.files.read_part(TRIAL, rank, 0);
                found.is_ok_and(|found| found.is_some_and(|(payload, _)| payload == token))
            };
            let reason = match failed {
                None if is_here() => return None,
                None => "rank 0 does not see what it writes there".to_owned(),
                Some(reason) => reason,
            };
            Some(RunError::FolderNotShared { rank, host, folder: self.folder().to_owned(), reason })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_comm::threads;
    use std::fs;
    use std::path::Path;

    /// What each of three ranks finds, where they have these folders.
    fn found(folders: [&Path; 3]) -> Vec<String> {
        let text = threads::run(3, |comm| {
            let checked = Checkpoints::none(folders[comm.rank()]).check_shared(comm);
            let text = checked.map_or_else(|error| error.to_string(), |()| "shared".into());
            let all = comm.gather(text.as_bytes())?.unwrap_or_default();
            Ok::<_, phasefront_comm::CommError>(
                all.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect(),
            )
        });
        text.unwrap()
    }

    #[test]
    fn a_rank_with_another_folder_is_found_at_the_start() {
        let (first, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (first, other) = (first.path(), other.path());
        assert_eq!(found([first; 3]), ["shared"; 3]);
        assert_eq!(fs::read_dir(first).unwrap().count(), 0);

        let texts = found([first, first, other]);
        assert!(texts[0].starts_with("rank 2 on "), "{texts:?}");
        assert!(texts[0].ends_with(": rank 0 does not see what it writes there"), "{texts:?}");
        assert_eq!(texts[1..], ["rank 0 has failed"; 2]);

        let texts = found([first, &other.join("missing"), first]);
        assert!(texts[0].starts_with("rank 1 on ") && texts[0].contains("No such file"), "{texts:?}");
        assert_eq!(fs::read_dir(first).unwrap().count(), 0);
    }
}
