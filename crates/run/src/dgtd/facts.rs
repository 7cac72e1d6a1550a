//! What running a dgtd case would take.

use phasefront_device::{Backend, MemoryEstimate};
use phasefront_dgtd::Study;

/// Bytes held on the host for each tetrahedron: the mesh twice, its faces, and the shapes of its elements.
const TET_BYTES: u64 = 1500;
/// For each point of a slice at each frequency: E and H as they are found, as arrays, and in the file.
const SLICE_BYTES: u64 = 3 * 96;
/// For each point of a volume while a file is written: its place, its share of the tetrahedra, and all as text.
const FILE_BYTES: u64 = 320;

/// What follows from the settings of a case of so many runs.
pub(super) fn facts(study: &Study, runs: usize) -> Vec<(&'static str, f64)> {
    let (problem, step) = (&study.problem, &study.step);
    vec![
        ("elements", problem.mesh.tets.len() as f64),
        ("dof", study.dof() as f64),
        ("highest_frequency_hz", problem.highest_frequency),
        ("points_per_wavelength", study.points_per_wavelength()),
        ("dt_s", step.dt),
        ("limiting_element_x_m", step.place[0]),
        ("limiting_element_y_m", step.place[1]),
        ("limiting_element_z_m", step.place[2]),
        ("limiting_altitude_m", step.altitude),
        ("longest_time_s", problem.stop.time),
        ("steps_at_most", study.most_steps() as f64),
        ("runs", runs as f64),
    ]
}

/// What a case of so many runs holds at once. A checkpoint is on the host: the fields once more, half of what a run holds.
pub(super) fn memory(study: &Study, runs: usize, backend: &Backend) -> MemoryEstimate {
    // With several runs, the study of the one under way is held beside that of the first.
    let studies = if runs > 1 { 2 } else { 1 };
    let host = studies * study.problem.mesh.tets.len() as u64 * TET_BYTES + study.bytes() / 2 + files(study);
    match backend {
        Backend::Cpu => MemoryEstimate { device: 0, host: host + study.bytes() },
        // Tables are made on the host before they are sent.
        Backend::Gpu(_) => MemoryEstimate { device: study.bytes(), host: host + study.bytes() },
    }
}

/// What slices, currents, volumes and snapshots take on the host while their files are made.
fn files(study: &Study) -> u64 {
    let monitors = &study.problem.monitors;
    let slices = monitors.slices.iter().map(|slice| (slice.points[0] * slice.points[1]) as u64).sum::<u64>();
    let points = study.volume_points().max(study.snapshot_points()) as u64;
    // Files of spectra have them in single precision, with lengths: less than they are. Snapshots are as large as they were kept.
    study.spectrum_bytes()
        + 2 * study.snapshot_bytes()
        + slices * monitors.frequencies.len() as u64 * SLICE_BYTES
        + points * FILE_BYTES
}
