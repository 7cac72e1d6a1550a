//! Checkpoints: states of solvers, records in a file, and the header with what it belongs to.

use crate::files::folder;
use phasefront_core::Progress;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_device::DeviceChoice;
use phasefront_report::{Checkpoint, OutputFolder};
use phasefront_run::Options;
use std::fs;
use std::sync::OnceLock;

/// A state that is read is written back to the same bytes.
fn state<S: State>(bytes: &[u8]) {
    let mut reader = StateReader::new(bytes);
    if let Some(state) = S::read(&mut reader)
        && reader.is_empty()
    {
        crate::accept();
        let mut out = StateWriter::default();
        state.write(&mut out);
        assert!(out.parts().concat().len() <= bytes.len(), "a state grows when it is written back");
    }
}

/// The states of all solvers, selected by the first byte.
pub(crate) fn states(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 7 {
        0 => state::<phasefront_dgtd::Checkpoint>(bytes),
        1 => state::<phasefront_sbr::Checkpoint>(bytes),
        2 => state::<phasefront_reflectarray::Checkpoint>(bytes),
        3 => state::<phasefront_mom::Checkpoint>(bytes),
        4 => state::<phasefront_nah::Checkpoint>(bytes),
        5 => state::<phasefront_dgtd::PartNumbers>(bytes),
        _ => state::<phasefront_dgtd::PartValues>(bytes),
    }
}

/// The records of a checkpoint file.
pub(crate) fn records(bytes: &[u8]) {
    let folder = folder("records");
    if fs::write(folder.join("checkpoint.bin"), bytes).is_err() {
        return;
    }
    let checkpoint = Checkpoint::of(&folder);
    let records = checkpoint.records();
    if let Ok(records) = records {
        if records.iter().next().is_some() {
            crate::accept();
        }
        let total: usize = records.iter().map(<[u8]>::len).sum();
        assert!(total + records.damaged_bytes() <= bytes.len(), "records larger than their file");
        let _ = checkpoint.truncate(&records, records.iter().count() / 2);
    }
    // The same bytes as the part of a rank.
    if fs::write(folder.join(Checkpoint::part_name("g", 0)), bytes).is_err() {
        return;
    }
    for number in 0..3 {
        if let Ok(Some((payload, _))) = checkpoint.read_part("g", 0, number) {
            assert!(payload.len() <= bytes.len(), "a record larger than its file");
        }
    }
}

/// A folder that is to be resumed: header and records, with a zero byte between. It is refused, for its problem is another one.
pub(crate) fn checkpoint(bytes: &[u8]) {
    const CASE: &str = include_str!("../../../cases/57-bistatic-plate/case.toml");
    // A folder with the mark of a run that did not finish.
    static MARKED: OnceLock<bool> = OnceLock::new();
    let folder = folder("resumed");
    let begin = || OutputFolder::create(&folder, false)?.write("case.toml", CASE, "the case");
    if !MARKED.get_or_init(|| begin().is_ok()) {
        return;
    }
    let cut = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (header, rest) = bytes.split_at(cut);
    let files = [("case.toml", CASE.as_bytes()), ("checkpoint.json", header), ("checkpoint.bin", rest)];
    if files.iter().any(|(name, bytes)| fs::write(folder.join(name), bytes).is_err()) {
        return;
    }
    let options = Options { device: DeviceChoice::Cpu, ..Options::default() };
    let refused = phasefront_run::resume(&folder, &options, &Progress::silent());
    let Err(refused) = refused else { panic!("a checkpoint of another problem was resumed") };
    // The header was understood, if it is the problem that differs.
    if refused.to_string().contains("changed") {
        crate::accept();
    }
}
