//! HFSS far-field data, `.ffd`.
//!
//! - Lines, order of loops (φ fastest) and degrees: "Frequency Dependent Far Fields" in the online help of Ansys HFSS (2025 R1), which
//!   separates numbers by commas, and "ANSYS ffd Format" in the help of STK, which separates them by blanks and gives the unit, volts.
//! - Without the lines `frequencies` and `frequency` the fields are those of any frequency: the same page of STK.
//! - Peak values with r E: pyAEDT computes the realized gain as 2π |rE|²/(377 Ω · incident power).
//! - e^{+jωt}, inferred: TicraUtilities.jl takes the fields over into GRASP cuts unchanged.
//! - "If the infinite sphere setup is not Theta-Phi then theta is in reverse order" (Ansys): such a θ does not rise and is refused, since
//!   the meaning of the components is then not documented.

use super::samples::{Samples, range};
use super::text::{Reader, number, words};
use super::write::{check, components, uniform};
use crate::error::PatternError;
use crate::pattern::{Pattern, Powers};
use num_complex::Complex64;
use std::fmt::Write;

const FORMAT: &str = "an .ffd file";

/// Reads an `.ffd` file of HFSS. `frequency` in Hz is used where the file has none.
pub fn read_ffd(bytes: &[u8], frequency: Option<f64>) -> Result<Vec<Pattern>, PatternError> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::new(&text);
    let theta = axis(&mut reader, "theta")?;
    let phi = axis(&mut reader, "phi")?;
    reader.table(theta.len(), phi.len())?;
    let third = reader.expect("the line of frequencies or the first sample")?;
    let Some(count) = keyword(&reader, third, "frequencies")? else {
        let frequency = frequency.ok_or(PatternError::Frequencies { patterns: 1, frequencies: 0 })?;
        let pattern = block(&mut reader, Some(third), &theta, &phi, frequency)?;
        finish(&mut reader)?;
        return Ok(vec![pattern]);
    };
    let count = reader.count(count, "the number of frequencies")?;
    reader.table(count, theta.len() * phi.len())?;
    let mut patterns = Vec::with_capacity(count);
    for _ in 0..count {
        let line = reader.expect("a line \"Frequency\"")?;
        let frequency = keyword(&reader, line, "frequency")?.ok_or_else(|| {
            let advice = "each block of samples begins with a line such as \"Frequency 1e10\"";
            reader.wrong("a line \"Frequency\" is expected here".into(), advice.into())
        })?;
        patterns.push(block(&mut reader, None, &theta, &phi, frequency)?);
    }
    finish(&mut reader)?;
    Ok(patterns)
}

/// Writes patterns of one uniform grid as an `.ffd` file of HFSS. Powers are not in such files.
pub fn write_ffd(patterns: &[Pattern]) -> Result<String, PatternError> {
    check(FORMAT, patterns, true)?;
    let mut text = String::new();
    for (name, angles) in [("theta", patterns[0].theta()), ("phi", patterns[0].phi())] {
        let [first, last, _] = uniform(FORMAT, name, angles)?;
        let _ = writeln!(text, "{first} {last} {}", angles.len());
    }
    let _ = writeln!(text, "Frequencies {}", patterns.len());
    for pattern in patterns {
        let _ = writeln!(text, "Frequency {}", pattern.frequency());
        for &field in pattern.fields() {
            let _ = writeln!(text, "{}", components(field));
        }
    }
    Ok(text)
}

/// A line of first and last angle in degrees and their number.
fn axis(reader: &mut Reader, name: &str) -> Result<Vec<f64>, PatternError> {
    let [first, last, count] = reader.numbers(&format!("the line of {name}"))?;
    let count = reader.count(count, &format!("the number of {name}"))?;
    // Before the angles are listed: as many samples at least must follow.
    reader.table(count, 1)?;
    if count > 1 && last <= first {
        return Err(reader.unsupported(
            format!("{name} from {first} to {last} deg"),
            "export an infinite sphere of the kind Theta-Phi with rising angles",
        ));
    }
    Ok(range(first, last, count))
}

/// The number after a keyword, or none for another line.
fn keyword(reader: &Reader, line: &str, name: &str) -> Result<Option<f64>, PatternError> {
    let mut words = words(line);
    if !words.next().is_some_and(|word| word.eq_ignore_ascii_case(name)) {
        return Ok(None);
    }
    let value = words.next().and_then(number).ok_or_else(|| {
        reader.wrong(format!("a number is missing after {name:?}"), format!("write for example \"{name} 3\""))
    })?;
    Ok(Some(value))
}

/// The samples of one frequency; the first line may have been read already.
fn block(
    reader: &mut Reader,
    first: Option<&str>,
    theta: &[f64],
    phi: &[f64],
    frequency: f64,
) -> Result<Pattern, PatternError> {
    let count = theta.len() * phi.len();
    let mut fields = Vec::with_capacity(count);
    for n in 0..count {
        let [a, b, c, d] = match first.filter(|_| n == 0) {
            Some(line) => reader.parse(line, "a sample")?,
            None => reader.numbers("a sample")?,
        };
        fields.push([Complex64::new(a, b), Complex64::new(c, d)]);
    }
    Samples { theta: theta.to_vec(), phi: phi.to_vec(), fields }.into_pattern(frequency, Powers::default())
}

fn finish(reader: &mut Reader) -> Result<(), PatternError> {
    match reader.filled() {
        None => Ok(()),
        Some(_) => Err(reader.wrong(
            "there are more lines than the file declares".into(),
            "correct the numbers of angles in the first two lines, or that of frequencies".into(),
        )),
    }
}
