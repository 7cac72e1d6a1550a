//! GRASP cuts, `.cut`.
//!
//! Every cut has a line of text, a line V_INI V_INC V_NUM C ICOMP ICUT NCOMP, and V_NUM lines of real and imaginary parts; angles in
//! degrees. ICUT 1: φ = C and θ varies; ICUT 2: θ = C and φ varies (documentation of grasp2alm). NCOMP may be missing and is then 2, and
//! the cuts of a further frequency begin where C occurs again (source of TicraUtilities.jl). The file has no frequencies.
//! Components and normalization: see `grasp.rs`.

use super::grasp::{Components, from_volts};
use super::samples::{SAME, Samples, ramp};
use super::text::{Reader, words};
use super::write::{check, components, degrees, scientific, uniform};
use crate::error::PatternError;
use crate::pattern::{Pattern, Powers};
use num_complex::Complex64;
use std::collections::HashSet;
use std::fmt::Write;

const FORMAT: &str = "a .cut file";

/// One cut. Its fields are in volts.
struct Cut {
    line: usize,
    constant: f64,
    varying: Vec<f64>,
    conical: bool,
    fields: Vec<[Complex64; 2]>,
}

/// Reads a `.cut` file of GRASP, whose patterns have these frequencies in Hz, in the order of the file.
pub fn read_cut(bytes: &[u8], frequencies: &[f64]) -> Result<Vec<Pattern>, PatternError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::new(&text);
    let mut patterns: Vec<Vec<Cut>> = Vec::new();
    let mut seen = HashSet::new();
    while !reader.is_done() {
        let cut = read_one(&mut reader)?;
        if !seen.insert((cut.constant / SAME).round() as i64) || patterns.is_empty() {
            seen = HashSet::from([(cut.constant / SAME).round() as i64]);
            patterns.push(Vec::new());
        }
        if let Some(cuts) = patterns.last_mut() {
            cuts.push(cut);
        }
    }
    if patterns.is_empty() {
        return Err(reader.wrong("the file has no cut".into(), "give a .cut file of GRASP".into()));
    }
    if patterns.len() != frequencies.len() {
        return Err(PatternError::Frequencies { patterns: patterns.len(), frequencies: frequencies.len() });
    }
    patterns.into_iter().zip(frequencies).map(|(cuts, &frequency)| joined(cuts, frequency)).collect()
}

/// Writes patterns, uniform in θ, as polar cuts of GRASP with E_θ and E_φ (ICOMP 1). Frequencies and powers are not in such files; see
/// [`Pattern::scaled`] for GRASP's 4π W.
pub fn write_cut(patterns: &[Pattern]) -> Result<String, PatternError> {
    check(FORMAT, patterns, false)?;
    let mut text = String::new();
    for pattern in patterns {
        let [first, _, step] = uniform(FORMAT, "theta", pattern.theta())?;
        for (j, &phi) in pattern.phi().iter().enumerate() {
            let (count, phi) = (pattern.theta().len(), degrees(phi));
            let _ = writeln!(text, "Far field at {} Hz, phi = {phi} deg", pattern.frequency());
            let _ = writeln!(
                text,
                "{} {} {count} {} 1 1 2",
                scientific(first),
                scientific(step),
                scientific(phi)
            );
            for i in 0..count {
                let _ = writeln!(text, "{}", components(from_volts(pattern.at(i, j))));
            }
        }
    }
    Ok(text)
}

fn read_one(reader: &mut Reader) -> Result<Cut, PatternError> {
    const WHAT: &str = "the line V_INI V_INC V_NUM C ICOMP ICUT NCOMP";
    // The text may be blank.
    reader.next();
    let line = reader.expect(WHAT)?;
    let [first, step, count, constant, icomp, icut] = reader.parse(line, WHAT)?;
    let ncomp = if words(line).count() > 6 { reader.parse::<7>(line, WHAT)?[6] } else { 2.0 };
    let components = Components::read(reader, icomp, ncomp)?;
    let conical = match reader.integer(icut, "ICUT")? {
        1 => false,
        2 => true,
        other => {
            let advice = "export spherical cuts: ICUT 1 (phi constant) or 2 (theta constant)";
            return Err(reader.unsupported(format!("ICUT = {other}"), advice));
        }
    };
    let count = reader.table(reader.count(count, "V_NUM")?, 1)?;
    let header = reader.line();
    let varying = ramp(first, step, count);
    let mut fields = Vec::with_capacity(count);
    for &angle in &varying {
        let [a, b, c, d] = reader.numbers("a sample of the cut")?;
        let phi = if conical { angle } else { constant };
        fields.push(components.to_volts([Complex64::new(a, b), Complex64::new(c, d)], phi.to_radians()));
    }
    Ok(Cut { line: header, constant, varying, conical, fields })
}

/// The cuts of one frequency as a pattern.
fn joined(cuts: Vec<Cut>, frequency: f64) -> Result<Pattern, PatternError> {
    let first = &cuts[0];
    for cut in &cuts {
        let same = cut.varying.len() == first.varying.len()
            && cut.varying.iter().zip(&first.varying).all(|(a, b)| (a - b).abs() < SAME);
        if !same || cut.conical != first.conical {
            return Err(PatternError::Syntax {
                line: cut.line,
                problem: "this cut has other angles than the first cut of its frequency".into(),
                advice: "export all cuts with the same V_INI, V_INC, V_NUM and ICUT".into(),
            });
        }
    }
    let (conical, varying) = (first.conical, first.varying.clone());
    let constants: Vec<f64> = cuts.iter().map(|cut| cut.constant).collect();
    let (theta, phi, fields) = if conical {
        (constants, varying, cuts.into_iter().flat_map(|cut| cut.fields).collect())
    } else {
        let fields = (0..varying.len()).flat_map(|i| cuts.iter().map(move |cut| cut.fields[i])).collect();
        (varying, constants, fields)
    };
    Samples { theta, phi, fields }.into_pattern(frequency, Powers::default())
}
