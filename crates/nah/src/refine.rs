//! Fields between the places of the grid. Waves are sums that hold everywhere, and more of them that are zero make the steps finer; fields of
//! equivalent sources are known everywhere.

use crate::esm::Esm;
use crate::filter::Filters;
use crate::grid::Grid;
use crate::hologram::{KSpace, Transform};
use crate::problem::Problem;
use crate::scalar::Scalar;
use crate::solve::Kept;
use num_complex::Complex64;
use phasefront_core::FieldError;

impl Grid {
    /// The grid with so many points for each pitch, from the first microphone to the last.
    #[must_use]
    pub fn refined(&self, times: usize) -> Self {
        let finer = |count: usize| (count - 1) * times + 1;
        Self {
            columns: finer(self.columns),
            rows: finer(self.rows),
            pitch: self.pitch.map(|pitch| pitch / times as f64),
        }
    }
}

impl KSpace {
    /// The field above the array, of waves multiplied by a number for each k_r, on the refined grid.
    pub fn refined(&self, times: usize, factor: impl Fn(f64) -> Complex64) -> Vec<Complex64> {
        let (grid, wide) = (self.grid(), self.grid().widened());
        let large = Grid { columns: times * wide.columns, rows: times * wide.rows, ..wide };
        let mut field = vec![Complex64::ZERO; large.len()];
        let scale = 1.0 / wide.len() as f64;
        for (i, (p, kr)) in self.spectrum().iter().zip(self.radii()).enumerate() {
            let value = scale * factor(*kr) * p;
            for (x, of_x) in places(i % wide.columns, wide.columns, times) {
                for (y, of_y) in places(i / wide.columns, wide.rows, times) {
                    field[y * large.columns + x] += of_x * of_y * value;
                }
            }
        }
        Transform::new(&large, f64::back).run(&mut field);
        let fine = grid.refined(times);
        let row = |y: usize| {
            let start = (times * grid.rows + y) * large.columns + times * grid.columns;
            field[start..start + fine.columns].iter().copied()
        };
        (0..fine.rows).flat_map(row).collect()
    }
}

/// A field that holds between the places of the grid.
pub enum Fine {
    /// As waves, with what is kept of them.
    Waves(KSpace, Filters),
    /// As equivalent sources, with their strengths.
    Sources(Esm, Vec<Complex64>),
}

impl Fine {
    /// Of the pressure at the microphones, with what was kept of it.
    pub fn new(
        problem: &Problem,
        frequency: f64,
        kept: Kept,
        measured: &[Complex64],
    ) -> Result<Self, FieldError> {
        let k = problem.medium.wave_number(frequency);
        Ok(match kept {
            Kept::Filters(filters) => {
                Self::Waves(KSpace::new(problem.grid, measured, problem.extrapolation, k), filters)
            }
            Kept::Weight(weight) => {
                let sources =
                    Esm::new(&problem.microphones(), problem.grid, problem.distance, k, problem.medium);
                let strengths = sources.strengths(weight, measured)?;
                Self::Sources(sources, strengths)
            }
        })
    }

    /// Pressure and velocity on a plane.
    pub fn plane(&self, problem: &Problem, distance: f64) -> [Vec<Complex64>; 2] {
        match self {
            Self::Waves(space, filters) => filters
                .gains(space.wave_number(), distance, problem.medium)
                .map(|gain| space.refined(problem.refine, gain)),
            Self::Sources(sources, strengths) => {
                sources.field(strengths, &problem.grid.refined(problem.refine), distance)
            }
        }
    }
}

/// Where the i-th of `count` waves is among `times` as many, with its share. The one of the highest k stands for both of its signs.
fn places(i: usize, count: usize, times: usize) -> Vec<(usize, f64)> {
    let (before, after) = (i, i + (times - 1) * count);
    match (2 * i).cmp(&count) {
        std::cmp::Ordering::Less => vec![(before, 1.0)],
        std::cmp::Ordering::Equal => vec![(before, 0.5), (after, 0.5)],
        std::cmp::Ordering::Greater => vec![(after, 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Waves that fit into the widened grid, and one of the highest k along both axes where there is such, at any place.
    fn field(wide: &Grid, [x, y]: [f64; 2]) -> Complex64 {
        let wave = |n: f64, at: f64, count: usize| Complex64::from_polar(1.0, TAU * n * at / count as f64);
        let (columns, rows) = (wide.columns, wide.rows);
        let mut sum = wave(2.0, x, columns) * wave(-3.0, y, rows) + 0.5 * wave(-1.0, x, columns);
        sum += 0.3 * wave(4.0, y, rows);
        // cos(π n) between the points too: half of either sign.
        if columns.is_multiple_of(2) {
            sum += 0.2 * (TAU * 0.5 * x).cos() * wave(1.0, y, rows);
        }
        sum
    }

    #[test]
    fn waves_are_exact_between_the_points_and_unchanged_at_them() {
        for (columns, rows, times) in [(8, 6, 4), (7, 5, 3), (10, 7, 2), (6, 10, 1)] {
            let grid = Grid { columns, rows, pitch: [0.02, 0.03] };
            let wide = grid.widened();
            let whole: Vec<Complex64> = (0..wide.len())
                .map(|i| field(&wide, [(i % wide.columns) as f64, (i / wide.columns) as f64]))
                .collect();
            let space = KSpace::of_whole(grid, whole.clone(), 20.0);
            let found = space.refined(times, |_| Complex64::ONE);
            let fine = grid.refined(times);
            assert_eq!(found.len(), fine.len());
            let step = 1.0 / times as f64;
            for (i, value) in found.iter().enumerate() {
                let at = [i % fine.columns, i / fine.columns].map(|n| n as f64 * step);
                let exact = field(&wide, [columns as f64 + at[0], rows as f64 + at[1]]);
                assert!((value - exact).norm() < 1e-10, "{columns} x {rows}: {value} {exact}");
            }
            let coarse = grid.crop(&whole);
            for (i, value) in coarse.iter().enumerate() {
                let (x, y) = (times * (i % columns), times * (i / columns));
                assert!((found[y * fine.columns + x] - value).norm() < 1e-10);
            }
            // The ends stay where they are.
            let (a, b) = (grid.place(0), fine.place(0));
            assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-12);
        }
    }
}
