//! Pattern cuts through the center of the grid, on a finer grid than its samples.

use phasefront_core::decibels::power_db;
use phasefront_reflectarray::{Design, Problem, ReflectarrayError, co_polar_field};

/// Points of a cut per sample of the (u, v) grid: nulls are deep and narrow.
const POINTS_PER_SAMPLE: usize = 8;

/// Directivity along u and along v.
pub(super) struct Cuts {
    pub frequencies: Vec<f64>,
    /// The center of the grid, where the cuts intersect.
    pub center: [f64; 2],
    /// u of the first cut, v of the second.
    pub coordinate: [Vec<f64>; 2],
    /// Directivity of both, dBi, by frequency.
    pub d_dbi: [Vec<Vec<f64>>; 2],
}

impl Cuts {
    pub fn new(problem: &Problem, design: &Design) -> Result<Self, ReflectarrayError> {
        let uv_grid = &problem.uv_grid;
        let fine = |axis: usize| -> Vec<f64> {
            let n = uv_grid.points[axis];
            let point = |i: usize| {
                let sample = i as f64 / POINTS_PER_SAMPLE as f64 - (n / 2) as f64;
                uv_grid.center[axis] + sample * uv_grid.spacing
            };
            (0..=(n - 1) * POINTS_PER_SAMPLE).map(point).collect()
        };
        let coordinate = [fine(0), fine(1)];
        let directions = [
            coordinate[0].iter().map(|&u| [u, uv_grid.center[1]]).collect::<Vec<_>>(),
            coordinate[1].iter().map(|&v| [uv_grid.center[0], v]).collect(),
        ];
        let mut d_dbi = [Vec::new(), Vec::new()];
        for (cut, directions) in d_dbi.iter_mut().zip(&directions) {
            for &frequency in &problem.frequencies {
                let field = co_polar_field(problem, design, frequency, directions)?;
                cut.push(field.iter().map(|e| power_db(e.norm_sqr())).collect());
            }
        }
        Ok(Self { frequencies: problem.frequencies.clone(), center: uv_grid.center, coordinate, d_dbi })
    }
}
