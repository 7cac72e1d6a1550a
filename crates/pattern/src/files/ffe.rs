//! FEKO far fields, `.ffe`.
//!
//! - Structure: "General File Format" and "Far Fields (.FFE)" in the Altair Feko user guide (2021, 2022). `##key: value` for the file,
//!   `**` for comments, `#key: value` and a line of quoted column names for each block, then rows of numbers between blanks. A file may
//!   have any number of blocks, one per request and frequency.
//! - Frequency in Hz (the same); angles in degrees and E in volts: "DataSet Structure: Far Field" of that guide.
//! - Order of rows: readers in public repositories take θ as the faster angle. The rows have their angles, so either order is read.
//! - Columns of gain in dB, G = (|E_θ|² + |E_φ|²)/(60 Ω · P), which is that of peak values: the public reader readFeko_FarFieldSrc.m, for
//!   format 8. With the result type (directivity, gain or realised gain: "Far Field Goal" of the guide) the power follows from them.
//! - e^{+jωt}, inferred: by "Spherical Mode Coefficients" of the guide, Feko's modes are the conjugates of those of GRASP, whose spherical
//!   waves are Hansen's, with e^{−jωt}.
//! - Refused: Cartesian grids; an origin or axes of their own, since it is not documented whether the phase refers to that origin;
//!   radar cross sections, which are no antenna patterns; column names of several lines.

use super::samples::{SAME, Samples};
use super::text::{INCOMPLETE, Reader, number, shortened, words};
use super::write::{check, components, degrees, scientific};
use crate::error::PatternError;
use crate::pattern::{Pattern, Powers};
use crate::power::intensity_of;
use num_complex::Complex64;
use phasefront_core::decibels::{power_db, power_ratio};
use std::f64::consts::PI;
use std::fmt::Write;

const FORMAT: &str = "an .ffe file";
/// Columns that every file of fields has.
const FIELD_COLUMNS: [&str; 6] = ["Theta", "Phi", "Re(Etheta)", "Im(Etheta)", "Re(Ephi)", "Im(Ephi)"];
/// Level written where the field vanishes.
const NO_GAIN: f64 = -1000.0;

/// What a block of rows says of itself.
#[derive(Default)]
struct Header {
    line: usize,
    frequency: Option<f64>,
    theta: Option<usize>,
    phi: Option<usize>,
    reference: Option<Reference>,
    /// Places of the field columns, and of the column of total gain.
    columns: Option<([usize; 6], Option<usize>)>,
}

/// The power that gains refer to.
#[derive(Clone, Copy)]
enum Reference {
    Radiated,
    Accepted,
    Available,
}

/// One row: θ, φ, field, total gain in dB.
struct Row {
    theta: f64,
    phi: f64,
    field: [Complex64; 2],
    gain: Option<f64>,
}

/// Reads an `.ffe` file of FEKO.
pub fn read_ffe(bytes: &[u8]) -> Result<Vec<Pattern>, PatternError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::new(&text);
    let mut patterns = Vec::new();
    let (mut header, mut rows) = (Header::default(), Vec::new());
    while let Some(line) = reader.filled() {
        if line.starts_with("**") {
        } else if let Some(entry) = line.strip_prefix("##") {
            check_file_type(&reader, entry)?;
        } else if let Some(entry) = line.strip_prefix('#') {
            if !rows.is_empty() {
                patterns.push(finish(&header, &rows)?);
                (header, rows) = (Header::default(), Vec::new());
            }
            header.line = reader.line();
            read_header(&reader, entry, &mut header)?;
        } else {
            if rows.is_empty() {
                let (theta, phi) = header.counts(&reader)?;
                // The first row is read already.
                rows.reserve(if theta * phi > 1 { reader.table(theta * phi - 1, 1)? + 1 } else { 1 });
            }
            rows.push(read_row(&reader, line, &header)?);
        }
    }
    if !rows.is_empty() {
        patterns.push(finish(&header, &rows)?);
    }
    if patterns.is_empty() {
        return Err(reader
            .wrong("the file has no samples".into(), "give an .ffe file of FEKO with far fields".into()));
    }
    Ok(patterns)
}

/// Writes patterns as an `.ffe` file of FEKO. Where a power is known, gain columns are written for the first of radiated, accepted and
/// available power; only that one can be read back.
pub fn write_ffe(patterns: &[Pattern]) -> Result<String, PatternError> {
    check(FORMAT, patterns, false)?;
    let mut text = String::from("##File Type: Far Field\n##File Format: 8\n** Written by Phasefront\n");
    for (n, pattern) in patterns.iter().enumerate() {
        let Powers { radiated, accepted, available } = pattern.powers();
        let named = [("Directivity", radiated), ("Gain", accepted), ("Realised Gain", available)];
        let power = named.into_iter().find_map(|(name, power)| power.map(|power| (name, power)));
        let _ = writeln!(text, "\n#Request Name: FarField{}", n + 1);
        let _ =
            writeln!(text, "#Frequency: {}\n#Coordinate System: Spherical", scientific(pattern.frequency()));
        let _ = writeln!(text, "#No. of Theta Samples: {}", pattern.theta().len());
        let _ = writeln!(text, "#No. of Phi Samples: {}", pattern.phi().len());
        if let Some((name, _)) = power {
            let _ = writeln!(text, "#Result Type: {name}");
        }
        let _ = writeln!(text, "#No. of Header Lines: 1");
        let gains = power.map(|(name, _)| ["Theta", "Phi", "Total"].map(|part| format!("{name}({part})")));
        let names = FIELD_COLUMNS.iter().copied().chain(gains.iter().flatten().map(String::as_str));
        let _ = writeln!(text, "# {}", names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" "));
        for (j, &phi) in pattern.phi().iter().enumerate() {
            for (i, &theta) in pattern.theta().iter().enumerate() {
                let (field, angles) =
                    (pattern.at(i, j), [theta, phi].map(|angle| scientific(degrees(angle))));
                let gains = power.map_or(String::new(), |(_, power)| gain_columns(field, power));
                let _ = writeln!(text, "{} {}{gains}", angles.join(" "), components(field));
            }
        }
    }
    Ok(text)
}

/// Three columns of gain in dB, each after a blank.
fn gain_columns([theta, phi]: [Complex64; 2], power: f64) -> String {
    [[theta, Complex64::ZERO], [Complex64::ZERO, phi], [theta, phi]]
        .map(|field| power_db(4.0 * PI * intensity_of(field) / power).max(NO_GAIN))
        .map(|gain| format!(" {}", scientific(gain)))
        .concat()
}

fn check_file_type(reader: &Reader, entry: &str) -> Result<(), PatternError> {
    match entry.split_once(':') {
        Some((key, value)) if is(key, "File Type") && !is(value, "Far Field") => Err(reader.unsupported(
            format!("the file type {:?}", shortened(value.trim())),
            "give a file of far fields",
        )),
        _ => Ok(()),
    }
}

/// One line of a block's header.
fn read_header(reader: &Reader, entry: &str, header: &mut Header) -> Result<(), PatternError> {
    if entry.contains('"') {
        header.columns = Some(read_columns(reader, entry)?);
        return Ok(());
    }
    let Some((key, value)) = entry.split_once(':') else { return Ok(()) };
    let value = value.trim();
    let count = || {
        reader
            .parse::<1>(value, "the number of samples")
            .and_then(|[count]| reader.count(count, "the number of samples"))
    };
    if is(key, "Frequency") {
        header.frequency = Some(reader.parse::<1>(value, "the frequency")?[0]);
    } else if is(key, "No. of Theta Samples") {
        header.theta = Some(count()?);
    } else if is(key, "No. of Phi Samples") {
        header.phi = Some(count()?);
    } else if is(key, "Coordinate System") && !is(value, "Spherical") {
        let what = format!("the coordinate system {:?}", shortened(value));
        return Err(reader.unsupported(what, "request the far field in spherical coordinates"));
    } else if is(key, "No. of Header Lines") && value != "1" {
        return Err(reader.unsupported("a header of several lines", "export one line of column names"));
    } else if is(key, "Incident Wave Direction") {
        return Err(
            reader.unsupported("the scattered field of a plane wave", "give the far field of an antenna")
        );
    } else if is(key, "Result Type") {
        header.reference = read_result_type(reader, value)?;
    } else {
        check_axes(reader, key, value)?;
    }
    Ok(())
}

fn read_result_type(reader: &Reader, value: &str) -> Result<Option<Reference>, PatternError> {
    if is(value, "RCS") || value.to_ascii_lowercase().contains("cross section") {
        return Err(reader.unsupported("a radar cross section", "give the far field of an antenna"));
    }
    Ok(if is(value, "Directivity") {
        Some(Reference::Radiated)
    } else if is(value, "Gain") {
        Some(Reference::Accepted)
    } else if is(value, "Realised Gain") || is(value, "Realized Gain") {
        Some(Reference::Available)
    } else {
        None
    })
}

/// Refuses an origin or axes that are not the global ones.
fn check_axes(reader: &Reader, key: &str, value: &str) -> Result<(), PatternError> {
    let standard =
        [("Origin", [0.0, 0.0, 0.0]), ("U-Vector", [1.0, 0.0, 0.0]), ("V-Vector", [0.0, 1.0, 0.0])];
    let Some((name, expected)) = standard.into_iter().find(|(name, _)| is(key, name)) else { return Ok(()) };
    let found: [f64; 3] = reader.parse(value.trim_matches(['(', ')', ' ']), name)?;
    let length = found.iter().map(|x| x * x).sum::<f64>().sqrt();
    // The vectors are points on their axes, at any distance.
    let scale = if name == "Origin" || length == 0.0 { 1.0 } else { length };
    if found.iter().zip(expected).any(|(found, expected)| (found / scale - expected).abs() > 1e-9) {
        let advice = "request the far field at the global origin with the global axes";
        return Err(reader.unsupported(format!("{name} {value}"), advice));
    }
    Ok(())
}

/// The places of the columns.
fn read_columns(reader: &Reader, entry: &str) -> Result<([usize; 6], Option<usize>), PatternError> {
    // Names stand between quotes: every second part.
    let names: Vec<&str> = entry.split('"').skip(1).step_by(2).collect();
    let place = |name: &str| names.iter().position(|other| is(other, name));
    let mut places = [0; 6];
    for (place_of, name) in places.iter_mut().zip(FIELD_COLUMNS) {
        *place_of = place(name).ok_or_else(|| {
            let advice = "export the electric far field, with real and imaginary parts".to_owned();
            reader.wrong(format!("there is no column {name:?}"), advice)
        })?;
    }
    let total = names.iter().position(|name| name.trim().to_ascii_lowercase().ends_with("(total)"));
    Ok((places, total))
}

fn read_row(reader: &Reader, line: &str, header: &Header) -> Result<Row, PatternError> {
    let Some((places, total)) = header.columns else {
        let advice = "a line such as #\"Theta\" \"Phi\" \"Re(Etheta)\" ... precedes the rows".to_owned();
        return Err(reader.wrong("a row stands before the names of its columns".into(), advice));
    };
    let words: Vec<&str> = words(line).collect();
    let value = |place: usize| {
        words.get(place).and_then(|word| number(word)).ok_or_else(|| {
            let problem = format!("column {} of the row is not a number", place + 1);
            reader.wrong(problem, "each row has a number for each column name".into())
        })
    };
    let [theta, phi, a, b, c, d] = places;
    let field = [Complex64::new(value(a)?, value(b)?), Complex64::new(value(c)?, value(d)?)];
    Ok(Row { theta: value(theta)?, phi: value(phi)?, field, gain: total.and_then(|place| value(place).ok()) })
}

impl Header {
    /// Numbers of θ and φ.
    fn counts(&self, reader: &Reader) -> Result<(usize, usize), PatternError> {
        match (self.theta, self.phi) {
            (Some(theta), Some(phi)) if theta.checked_mul(phi).is_some() => Ok((theta, phi)),
            _ => Err(reader.wrong(
                "the numbers of samples are not known at the first row".into(),
                "lines \"#No. of Theta Samples\" and \"#No. of Phi Samples\" precede the rows".into(),
            )),
        }
    }
}

/// The rows of a block as a pattern.
fn finish(header: &Header, rows: &[Row]) -> Result<Pattern, PatternError> {
    let wrong = |problem: String, advice: &str| {
        Err(PatternError::Syntax { line: header.line, problem, advice: advice.into() })
    };
    let (Some(frequency), Some(thetas), Some(phis)) = (header.frequency, header.theta, header.phi) else {
        return wrong(
            "the rows after this line have no frequency".into(),
            "a line \"#Frequency\" precedes the rows",
        );
    };
    if rows.len() != thetas * phis {
        return wrong(format!("{} rows follow instead of {thetas} by {phis}", rows.len()), INCOMPLETE);
    }
    // Row of θᵢ, φⱼ, with θ or φ fastest.
    let orders: [&dyn Fn(usize, usize) -> usize; 2] = [&|i, j| j * thetas + i, &|i, j| i * phis + j];
    let same = |a: f64, b: f64| (a - b).abs() < SAME;
    let is_grid = |row: &dyn Fn(usize, usize) -> usize| {
        (0..thetas).all(|i| {
            (0..phis).all(|j| {
                let here = &rows[row(i, j)];
                same(here.theta, rows[row(i, 0)].theta) && same(here.phi, rows[row(0, j)].phi)
            })
        })
    };
    let Some(row) = orders.into_iter().find(|order| is_grid(*order)) else {
        return wrong(
            "the rows after this line are no grid of theta and phi".into(),
            "export all pairs of theta and phi",
        );
    };
    let powers = powers(header.reference, rows);
    let theta = (0..thetas).map(|i| rows[row(i, 0)].theta).collect();
    let phi = (0..phis).map(|j| rows[row(0, j)].phi).collect();
    let fields = (0..thetas)
        .flat_map(|i| (0..phis).map(move |j| (i, j)))
        .map(|(i, j)| rows[row(i, j)].field)
        .collect();
    Samples { theta, phi, fields }.into_pattern(frequency, powers)
}

/// The power that the strongest row implies, P = 4πU/G.
fn powers(reference: Option<Reference>, rows: &[Row]) -> Powers {
    let strongest = rows.iter().max_by(|a, b| intensity_of(a.field).total_cmp(&intensity_of(b.field)));
    let power =
        strongest.and_then(|row| row.gain.map(|gain| 4.0 * PI * intensity_of(row.field) / power_ratio(gain)));
    let power = power.filter(|power| power.is_finite() && *power > 0.0);
    match reference {
        Some(Reference::Radiated) => Powers { radiated: power, ..Powers::default() },
        Some(Reference::Accepted) => Powers { accepted: power, ..Powers::default() },
        Some(Reference::Available) => Powers { available: power, ..Powers::default() },
        None => Powers::default(),
    }
}

/// Whether a key or value is this one, whatever its case and the blanks around it.
fn is(text: &str, name: &str) -> bool {
    text.trim().eq_ignore_ascii_case(name)
}
