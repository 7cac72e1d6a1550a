//! The `.grd` format of GRASP: complex co- and cross-polar fields on a grid in (u, v).
//!
//! The header as the GRASP manual names its fields (TICRA, "Field data in rectangular grid"):
//! KTYPE = 1 (standard grid); NSET sets; ICOMP = 3 (co and cross, Ludwig's third definition); NCOMP = 2 components;
//! IGRID = 1 (u, v); IX, IY of each set's center; then for each set XS, YS, XE, YE, and NX, NY, KLIMIT = 0 (rows are
//! complete), and one line per sample, u running fastest.

use crate::pattern::Pattern;
use crate::problem::UvGrid;
use num_complex::Complex64;
use std::fmt::Write as _;

/// The text of a `.grd` file: one set of fields per pattern, scaled so that |E|² is the directivity.
///
/// ```
/// use phasefront_reflectarray::{Pattern, UvGrid, export};
/// let uv_grid = UvGrid { center: [0.0, 0.1], points: [2, 1], spacing: 0.01 };
/// let pattern = Pattern {
///     frequency: 1e10,
///     d_co: vec![0.0, 0.0],
///     d_cross: None,
///     e_co: vec![1.0.into(), 1.0.into()],
///     e_cross: None,
///     coverage: Vec::new(),
/// };
/// let text = export::grd("two samples", &uv_grid, &[pattern]);
/// assert_eq!(text.lines().count(), 10);
/// ```
pub fn grd(title: &str, uv_grid: &UvGrid, patterns: &[Pattern]) -> String {
    let [nu, nv] = uv_grid.points;
    let samples = patterns.iter().map(|pattern| pattern.e_co.len()).sum::<usize>();
    let mut text = String::with_capacity(400 + 72 * samples);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", one_line(title));
    let frequencies: Vec<String> = patterns.iter().map(|p| format!("{:.9e}", p.frequency)).collect();
    let _ = writeln!(text, "FREQUENCIES [Hz]: {}\n++++\n           1", frequencies.join(" "));
    let _ = writeln!(text, "{:12}{:12}{:12}{:12}", patterns.len(), 3, 2, 1);
    for _ in patterns {
        text += "           0           0\n";
    }
    let (u, v) = (uv_grid.u(), uv_grid.v());
    let ends = |axis: &[f64]| [axis.first().copied().unwrap_or(0.0), axis.last().copied().unwrap_or(0.0)];
    let ([us, ue], [vs, ve]) = (ends(&u), ends(&v));
    for pattern in patterns {
        let _ = writeln!(text, " {us:.10e} {vs:.10e} {ue:.10e} {ve:.10e}");
        let _ = writeln!(text, "{nu:12}{nv:12}{:12}", 0);
        for (i, co) in pattern.e_co.iter().enumerate() {
            // NCOMP = 2 needs a cross-polar component: zero if it was not computed.
            let cross = pattern.e_cross.as_ref().map_or(Complex64::ZERO, |e| e[i]);
            let _ = writeln!(text, " {:.10e} {:.10e} {:.10e} {:.10e}", co.re, co.im, cross.re, cross.im);
        }
    }
    text
}

/// The title on one line, so that it cannot end the header.
fn one_line(title: &str) -> String {
    title.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file as the manual describes it.
    fn read(text: &str) -> (Vec<f64>, Vec<f64>, Vec<Vec<[f64; 4]>>) {
        let mut lines = text.lines().skip_while(|line| *line != "++++").skip(1);
        let mut numbers = || -> Vec<f64> {
            lines.next().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
        };
        assert_eq!(numbers(), [1.0]);
        let kind = numbers();
        assert_eq!(kind[1..], [3.0, 2.0, 1.0]);
        let sets = kind[0] as usize;
        (0..sets).for_each(|_| assert_eq!(numbers(), [0.0, 0.0]));
        let (mut ends, mut counts, mut fields) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..sets {
            ends = numbers();
            counts = numbers();
            let samples = (counts[0] * counts[1]) as usize;
            fields.push((0..samples).map(|_| numbers().try_into().unwrap()).collect());
        }
        (ends, counts, fields)
    }

    #[test]
    fn the_file_reads_back_as_the_manual_says() {
        let uv_grid = UvGrid { center: [0.01, 0.1], points: [4, 3], spacing: 0.005 };
        let field = |scale: f64| -> Vec<Complex64> {
            (0..12).map(|i| Complex64::new(scale * f64::from(i), -1.0 / 3.0)).collect()
        };
        let pattern = |frequency: f64, cross: bool| Pattern {
            frequency,
            d_co: vec![0.0; 12],
            d_cross: None,
            e_co: field(frequency * 1e-10),
            e_cross: cross.then(|| field(1e-3)),
            coverage: Vec::new(),
        };
        let text = grd("case\n++++", &uv_grid, &[pattern(1e10, true), pattern(2e10, false)]);
        let (ends, counts, fields) = read(&text);
        // Samples are centered as those of a transform: 4 of them reach from -2 to 1 steps.
        for (found, expected) in ends.iter().zip([0.0, 0.095, 0.015, 0.105]) {
            assert!((found - expected).abs() < 1e-12, "{ends:?}");
        }
        assert_eq!(counts, [4.0, 3.0, 0.0]);
        assert_eq!(fields.len(), 2);
        // Eleven digits are written.
        let same = |found: [f64; 4], written: [f64; 4]| {
            found.iter().zip(written).all(|(a, b): (&f64, f64)| (a - b).abs() <= 5e-11 * b.abs())
        };
        let third = -1.0 / 3.0;
        assert!(same(fields[0][7], [7.0, third, 0.007, third]), "{:?}", fields[0][7]);
        assert!(same(fields[1][7], [14.0, third, 0.0, 0.0]), "{:?}", fields[1][7]);
    }
}
