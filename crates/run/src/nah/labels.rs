//! Names and axes common to tables and plots.

use phasefront_nah::{Grid, Plane};

/// A frequency in few digits: 1000, 46.875.
pub(super) fn hertz(frequency: f64) -> String {
    ((frequency * 1e3).round() / 1e3).to_string()
}

/// x and y of the grid, m.
pub(super) fn axes(grid: &Grid) -> [Vec<f64>; 2] {
    let x = (0..grid.columns).map(|i| grid.position(i)[0]).collect();
    let y = (0..grid.rows).map(|i| grid.position(i * grid.columns)[1]).collect();
    [x, y]
}

/// The end of a hologram's file name: its frequency, and its plane unless that is the first.
pub(super) fn stem(frequency: f64, plane: &Plane, index: usize) -> String {
    let frequency = hertz(frequency);
    if index == 0 { frequency } else { format!("{frequency}_{}mm", (1e4 * plane.distance).round() / 10.0) }
}
