//! Cuts through the middle of the window, finer than its samples.

use super::plots::{gigahertz, highest};
use phasefront_reflectarray::{Design, Problem, ReflectarrayError, co_polar_field};
use phasefront_report::Table;
use phasefront_report::plot::{Axis, LinePlot, Plot, Series};

/// Points of a cut for each sample of the window: nulls are deep and narrow.
const POINTS_PER_SAMPLE: usize = 8;
/// Decibels below the peak where the axis of the plot ends.
const DEPTH: f64 = 45.0;

/// D along u and along v.
pub(super) struct Cuts {
    frequencies: Vec<f64>,
    /// The middle of the window, where they cross.
    middle: [f64; 2],
    /// u of the first, v of the second.
    at: [Vec<f64>; 2],
    /// D of both, dBi, frequency by frequency.
    d_dbi: [Vec<Vec<f64>>; 2],
}

impl Cuts {
    pub fn new(problem: &Problem, design: &Design) -> Result<Self, ReflectarrayError> {
        let window = &problem.window;
        let fine = |axis: usize| -> Vec<f64> {
            let n = window.samples[axis];
            let place = |i: usize| {
                let sample = i as f64 / POINTS_PER_SAMPLE as f64 - (n / 2) as f64;
                window.center[axis] + sample * window.step
            };
            (0..=(n - 1) * POINTS_PER_SAMPLE).map(place).collect()
        };
        let at = [fine(0), fine(1)];
        let directions = [
            at[0].iter().map(|&u| [u, window.center[1]]).collect::<Vec<_>>(),
            at[1].iter().map(|&v| [window.center[0], v]).collect(),
        ];
        let mut d_dbi = [Vec::new(), Vec::new()];
        for (cut, directions) in d_dbi.iter_mut().zip(&directions) {
            for &frequency in &problem.frequencies {
                let field = co_polar_field(problem, design, frequency, directions)?;
                cut.push(field.iter().map(|e| 10.0 * e.norm_sqr().log10()).collect());
            }
        }
        Ok(Self { frequencies: problem.frequencies.clone(), middle: window.center, at, d_dbi })
    }

    pub fn tables(&self) -> [(Table, &'static str); 2] {
        let table = |axis: usize, letter: &str| {
            let at = &self.at[axis];
            let of_frequency = |f: &f64| vec![*f; at.len()];
            Table::new(format!("cut_{letter}"))
                .number(letter, at.repeat(self.frequencies.len()))
                .number("d_dbi", self.d_dbi[axis].concat())
                .number("frequency_hz", self.frequencies.iter().flat_map(of_frequency).collect())
        };
        [
            (table(0, "u"), "directivity along u through the middle of the window"),
            (table(1, "v"), "directivity along v through the middle of the window"),
        ]
    }

    pub fn plot(&self) -> Plot {
        let mut series = Vec::new();
        for (f, frequency) in self.frequencies.iter().enumerate() {
            let several = self.frequencies.len() > 1;
            let suffix = if several { format!(", {}", gigahertz(*frequency)) } else { String::new() };
            for (axis, letter) in ["u", "v"].into_iter().enumerate() {
                let from: Vec<f64> = self.at[axis].iter().map(|x| x - self.middle[axis]).collect();
                series.push(Series::solid(
                    format!("along {letter}{suffix}"),
                    from,
                    self.d_dbi[axis][f].clone(),
                ));
            }
        }
        let top = self.d_dbi.iter().flatten().map(|d| highest(d)).fold(f64::NEG_INFINITY, f64::max).ceil();
        let [u, v] = self.middle;
        Plot::Line(LinePlot {
            name: "cuts".into(),
            title: format!("Cuts through u = {u:.4}, v = {v:.4}"),
            caption: "Co-polar directivity along u and along v through the middle of the window.".into(),
            x: Axis::new("u or v, from that point"),
            y: Axis::new("directivity (dBi)").with_range(top - DEPTH, top + 1.0),
            series,
        })
    }
}
