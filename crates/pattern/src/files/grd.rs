//! GRASP grids, `.grd`.
//!
//! Lines of text up to `++++`; KTYPE; NSET ICOMP NCOMP IGRID; NSET lines IX IY; then for each set XS YS XE YE; NX NY KLIMIT; and the
//! samples, X fastest, with a line IS IN before each row where KLIMIT is 1. X = DX·IX + XS + DX·(I − 1) with DX = (XE − XS)/(NX − 1), and
//! likewise Y; angles in degrees. IGRID 7: X is φ and Y is θ; IGRID 1: X is u and Y is v (documentation of grasp2alm; names of the other
//! grids from there and from pyticra). Frequencies stand in the text after a line `FREQUENCIES [GHz]:`, up to `++++`, in the unit of the
//! brackets (source of MEMACS). Components and normalization: see `grasp.rs`.

use super::grasp::{Components, Grid, from_volts};
use super::samples::{Samples, range};
use super::text::{Reader, number, shortened, words};
use super::uv;
use super::write::{check, components, scientific, uniform};
use crate::error::PatternError;
use crate::pattern::{Pattern, Powers, SAME_ANGLE};
use num_complex::Complex64;
use std::fmt::Write;

const FORMAT: &str = "a .grd file";

/// Values of IGRID that are read and written.
const UV: i64 = 1;
const THETA_PHI: i64 = 7;

/// Values of IGRID that are not read.
const OTHER_GRIDS: [(i64, &str); 8] = [
    (2, "rho-phi grid"),
    (3, "xy grid"),
    (4, "elevation over azimuth"),
    (5, "elevation and azimuth"),
    (6, "azimuth over elevation"),
    (8, "phi-z grid"),
    (9, "azimuth over elevation, EDX definition"),
    (10, "elevation over azimuth, EDX definition"),
];

/// Units in the brackets of `FREQUENCIES`.
const UNITS: [(&str, f64); 5] = [("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9), ("THz", 1e12)];

/// Reads a `.grd` file of GRASP with θφ grids (IGRID 7) or uv grids (IGRID 1). `frequencies` in Hz, one per set, are used where the file
/// has none.
///
/// A uv grid is interpolated to rings about the axis; of its edge, less than four samples are lost.
pub fn read_grd(bytes: &[u8], frequencies: &[f64]) -> Result<Vec<Pattern>, PatternError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::new(&text);
    let in_file = header(&mut reader)?;
    let [ktype] = reader.numbers("KTYPE")?;
    if ktype != 1.0 {
        return Err(reader
            .unsupported(format!("KTYPE = {ktype}"), "export the grid again: TICRA's files have KTYPE 1"));
    }
    let [sets, icomp, ncomp, igrid] = reader.numbers("the line NSET ICOMP NCOMP IGRID")?;
    let components = Components::read(&reader, icomp, ncomp)?;
    let is_uv = grid_type(&reader, igrid)?;
    let sets = reader.table(reader.count(sets, "NSET")?, 1)?;
    let frequencies = if in_file.is_empty() { frequencies } else { &in_file };
    if frequencies.len() != sets {
        return Err(PatternError::Frequencies { patterns: sets, frequencies: frequencies.len() });
    }
    let mut centers = Vec::with_capacity(sets);
    for _ in 0..sets {
        centers.push(reader.numbers::<2>("the line IX IY")?);
    }
    let mut patterns = Vec::with_capacity(sets);
    for (center, &frequency) in centers.into_iter().zip(frequencies) {
        let grid = set(&mut reader, center)?;
        patterns.push(if is_uv {
            uv::to_pattern(&grid, components, frequency)?
        } else {
            polar(grid, components, frequency)?
        });
    }
    if !reader.is_done() {
        let advice = "correct NSET, NX or NY";
        return Err(reader.wrong("lines follow the last sample".into(), advice.into()));
    }
    Ok(patterns)
}

/// Writes patterns of uniform grids as a `.grd` file of GRASP: θφ grids (IGRID 7) of E_θ and E_φ (ICOMP 1). Powers are not in such
/// files; see [`Pattern::scaled`] for GRASP's 4π W.
pub fn write_grd(patterns: &[Pattern]) -> Result<String, PatternError> {
    check(FORMAT, patterns, false)?;
    let mut text = heading(patterns.iter().map(Pattern::frequency), 1, THETA_PHI);
    for pattern in patterns {
        let [first_x, last_x, _] = uniform(FORMAT, "phi", pattern.phi())?;
        let [first_y, last_y, _] = uniform(FORMAT, "theta", pattern.theta())?;
        let counts = [pattern.phi().len(), pattern.theta().len()];
        write_set(&mut text, [first_x, first_y, last_x, last_y], counts, pattern.fields());
    }
    Ok(text)
}

/// A far field at one frequency on a uniform grid of direction cosines u = sin θ cos φ and v = sin θ sin φ.
#[derive(Debug, Clone, PartialEq)]
pub struct UvField {
    /// Frequency in Hz.
    pub frequency: f64,
    /// u, rising.
    pub u: Vec<f64>,
    /// v, rising.
    pub v: Vec<f64>,
    /// [r E_co, r E_cross] in volts by Ludwig's third definition with its reference along +x, u fastest.
    pub fields: Vec<[Complex64; 2]>,
}

/// Writes fields on uv grids as a `.grd` file of GRASP (IGRID 1) of E_co and E_cx (ICOMP 3).
///
/// ```
/// use phasefront_pattern::{UvField, read_grd, write_grd_uv};
/// let axis: Vec<f64> = (-5..=5).map(|i| 0.1 * f64::from(i)).collect();
/// let field = UvField { frequency: 1e10, u: axis.clone(), v: axis, fields: vec![[1.0.into(), 0.0.into()]; 121] };
/// let text = write_grd_uv(&[field])?;
/// assert_eq!(read_grd(text.as_bytes(), &[])?[0].frequency(), 1e10);
/// # Ok::<(), phasefront_pattern::PatternError>(())
/// ```
pub fn write_grd_uv(fields: &[UvField]) -> Result<String, PatternError> {
    if fields.is_empty() {
        return Err(PatternError::invalid("there is no field to write", "give at least one"));
    }
    let mut text = heading(fields.iter().map(|field| field.frequency), 3, UV);
    for UvField { u, v, fields, .. } in fields {
        let finite = fields.iter().flatten().all(|component| component.is_finite());
        let (Some(x), Some(y), true, true) = (ends(u), ends(v), u.len() * v.len() == fields.len(), finite)
        else {
            let problem = "the samples are not finite numbers on a uniform grid of u and v";
            return Err(PatternError::invalid(
                problem,
                "give one sample for each pair of u and v in equal steps",
            ));
        };
        write_set(&mut text, [x[0], y[0], x[1], y[1]], [u.len(), v.len()], fields);
    }
    Ok(text)
}

/// First and last of uniform values; none if they are not uniform.
fn ends(values: &[f64]) -> Option<[f64; 2]> {
    let (&first, &last) = (values.first()?, values.last()?);
    let step = (last - first) / (values.len() - 1).max(1) as f64;
    let is_uniform = values.iter().enumerate().all(|(n, x)| (x - first - step * n as f64).abs() < SAME_ANGLE);
    (is_uniform && (step > 0.0 || values.len() == 1)).then_some([first, last])
}

/// The file up to its first set.
fn heading(frequencies: impl ExactSizeIterator<Item = f64>, icomp: i64, igrid: i64) -> String {
    let sets = frequencies.len();
    let mut text =
        String::from("VERSION: TICRA-EM-FIELD-V0.1\nFar field, written by Phasefront\nFREQUENCIES [GHz]:\n");
    for frequency in frequencies {
        let _ = writeln!(text, " {}", scientific(frequency * 1e-9));
    }
    let _ = writeln!(text, "++++\n1\n{sets} {icomp} 2 {igrid}");
    text + &"0 0\n".repeat(sets)
}

/// One set: the line XS YS XE YE, the line NX NY KLIMIT, and the samples.
fn write_set(text: &mut String, limits: [f64; 4], [columns, rows]: [usize; 2], fields: &[[Complex64; 2]]) {
    let _ = writeln!(text, "{}\n{columns} {rows} 0", limits.map(scientific).join(" "));
    for &field in fields {
        let _ = writeln!(text, "{}", components(from_volts(field)));
    }
}

/// The text up to `++++`, and the frequencies in it.
fn header(reader: &mut Reader) -> Result<Vec<f64>, PatternError> {
    let mut unit = None;
    let mut frequencies = Vec::new();
    loop {
        let Some(line) = reader.next() else {
            return Err(reader.wrong("there is no line \"++++\"".into(), "give a .grd file of GRASP".into()));
        };
        let line = line.trim_start();
        if line.starts_with("++++") {
            return Ok(frequencies);
        }
        if let Some(rest) = line.strip_prefix("FREQUENCIES") {
            let name = rest
                .split_once('[')
                .and_then(|(_, rest)| rest.split_once(']'))
                .map_or("", |(name, _)| name.trim());
            let known = UNITS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let Some(&(_, factor)) = known else {
                let problem = format!("{:?} is not a unit of frequency", shortened(name));
                return Err(reader.wrong(problem, "write for example \"FREQUENCIES [GHz]:\"".into()));
            };
            unit = Some(factor);
        } else if let Some(factor) = unit {
            for word in words(line) {
                let value = number(word).ok_or_else(|| {
                    let problem = format!("{:?} is not a frequency", shortened(word));
                    reader.wrong(problem, "after \"FREQUENCIES\" only numbers stand before \"++++\"".into())
                })?;
                frequencies.push(value * factor);
            }
        }
    }
}

/// Whether a grid is one of u and v, and not of φ and θ.
fn grid_type(reader: &Reader, igrid: f64) -> Result<bool, PatternError> {
    match reader.integer(igrid, "IGRID")? {
        UV => Ok(true),
        THETA_PHI => Ok(false),
        other => {
            let name = OTHER_GRIDS.iter().find(|(number, _)| *number == other);
            let name = name.map_or(String::new(), |(_, name)| format!(" ({name})"));
            let advice = "export a theta-phi grid (IGRID 7) or a uv grid (IGRID 1)";
            Err(reader.unsupported(format!("IGRID = {other}{name}"), advice))
        }
    }
}

/// The grid and the samples of one set.
fn set(reader: &mut Reader, [ix, iy]: [f64; 2]) -> Result<Grid, PatternError> {
    let [first_x, first_y, last_x, last_y] = reader.numbers("the line XS YS XE YE")?;
    let [columns, rows, limits] = reader.numbers("the line NX NY KLIMIT")?;
    let (columns, rows) = (reader.count(columns, "NX")?, reader.count(rows, "NY")?);
    let limited = match reader.integer(limits, "KLIMIT")? {
        0 => false,
        1 => true,
        other => return Err(reader.unsupported(format!("KLIMIT = {other}"), "export the grid with KLIMIT 0")),
    };
    let line = reader.line();
    // Limited rows are short: memory for eight times the samples that the file can hold is allowed.
    let least = if limited { columns.div_ceil(8) } else { columns };
    reader.table(rows, least)?;
    let axis = |first: f64, last: f64, count: usize, center: f64| {
        let step = if count > 1 { (last - first) / (count - 1) as f64 } else { 0.0 };
        range(first + step * center, last + step * center, count)
    };
    let (x, y) = (axis(first_x, last_x, columns, ix), axis(first_y, last_y, rows, iy));
    let mut fields = vec![None; rows * columns];
    for row in fields.chunks_mut(columns) {
        let (start, count) = if limited { row_limits(reader, columns)? } else { (0, columns) };
        for sample in &mut row[start..start + count] {
            let [a, b, c, d] = reader.numbers("a sample of the grid")?;
            *sample = Some([Complex64::new(a, b), Complex64::new(c, d)]);
        }
    }
    Ok(Grid { line, x, y, fields })
}

/// First column and number of columns of a row, from the line IS IN.
fn row_limits(reader: &mut Reader, columns: usize) -> Result<(usize, usize), PatternError> {
    let [start, count] = reader.numbers("the line IS IN")?;
    let (start, count) = (reader.integer(start, "IS")?, reader.integer(count, "IN")?);
    if count == 0 {
        return Ok((0, 0));
    }
    match (usize::try_from(start - 1), usize::try_from(count)) {
        (Ok(start), Ok(count)) if start.checked_add(count).is_some_and(|end| end <= columns) => {
            Ok((start, count))
        }
        _ => {
            let problem = format!("IS = {start} and IN = {count} exceed a row of {columns} columns");
            Err(reader.wrong(problem, "IS counts from 1, and IS + IN - 1 is at most NX".into()))
        }
    }
}

/// A grid of φ and θ as a pattern.
fn polar(grid: Grid, components: Components, frequency: f64) -> Result<Pattern, PatternError> {
    let fields: Option<Vec<_>> = grid
        .fields
        .iter()
        .zip(grid.x.iter().cycle())
        .map(|(sample, phi)| sample.map(|field| components.to_volts(field, phi.to_radians())))
        .collect();
    let Some(fields) = fields else {
        return Err(PatternError::Unsupported {
            line: grid.line,
            what: "a theta-phi grid with missing samples (KLIMIT = 1)".into(),
            advice: "export the grid with KLIMIT 0".into(),
        });
    };
    Samples { theta: grid.y, phi: grid.x, fields }.into_pattern(frequency, Powers::default())
}
