//! Universal files: time responses in datasets 58, as text or binary (58b). Format: Structural Dynamics Research Laboratory, University of
//! Cincinnati, *Universal File Formats for Modal Analysis Testing*, dataset 58.
//!
//! A dataset stands between lines of "    -1". Eleven lines of dataset 58 describe a function; the sixth has its type in columns 1 to 5, the
//! seventh the type of its values, their number, their spacing, the first abscissa and the increment.

use super::bytes::{Endian, Number};
use super::recording::Recording;

/// Function type of a time response, and of a function that is not specified.
const TIME_RESPONSE: i64 = 1;
const UNKNOWN: i64 = 0;
/// Type of abscissae in seconds.
const SECONDS: i64 = 17;
/// Types of ordinates that a microphone may have: unknown, general, pressure.
const SOUND: [i64; 3] = [0, 1, 15];
/// Lines that describe a function.
const HEADER: usize = 11;
/// Largest relative difference of the increments of two channels, and of their starts, which are text of six digits.
const SAME: f64 = 1e-5;
/// Largest difference of the starts of two channels, in increments: beyond it they differ in phase.
const SAME_START: f64 = 0.01;

/// One function of a file.
struct Function {
    /// Line that has the number of its dataset, from 1.
    line: usize,
    start: f64,
    increment: f64,
    values: Vec<f32>,
}

/// Reads the time responses of a file, one for each microphone in their order, with values multiplied by `full_scale`.
pub(super) fn read(bytes: &[u8], full_scale: f64) -> Result<Recording, String> {
    let mut lines = Lines { bytes, at: 0, number: 0 };
    let mut functions: Vec<Function> = Vec::new();
    let mut others = 0;
    while let Some(line) = lines.next() {
        if line.trim_ascii() != b"-1" {
            continue;
        }
        let Some(kind) = lines.next() else { break };
        let text = String::from_utf8_lossy(kind);
        let name = text.split_whitespace().next().unwrap_or_default();
        if name.eq_ignore_ascii_case("58") || name.eq_ignore_ascii_case("58b") {
            match function(&text, &mut lines, full_scale)? {
                Some(function) => functions.push(function),
                None => others += 1,
            }
        }
        if name == "164" {
            check_units(&mut lines)?;
        }
        lines.end_dataset();
    }
    recording(&functions, others)
}

/// Dataset 164: only values in SI units are pascals.
fn check_units(lines: &mut Lines<'_>) -> Result<(), String> {
    let text = lines.next().map(String::from_utf8_lossy).unwrap_or_default();
    match field(&text, 0..10) {
        "1" => Ok(()),
        code => Err(format!(
            "line {}: its units have the code {code:?} in dataset 164, and only 1, SI, is read: export it in SI",
            lines.number
        )),
    }
}

/// Channels of equal length and increment, as frames.
fn recording(functions: &[Function], others: usize) -> Result<Recording, String> {
    let Some(first) = functions.first() else {
        return Err(format!(
            "it has no time response of a pressure in a dataset 58; it has {others} functions of other types"
        ));
    };
    let (frames, increment) = (first.values.len(), first.increment);
    for other in functions {
        if other.values.len() != frames {
            return Err(format!(
                "the function at line {} has {} values, and the first one {frames}",
                other.line,
                other.values.len()
            ));
        }
        if (other.start - first.start).abs() > SAME_START * increment + SAME * first.start.abs() {
            return Err(format!(
                "the function at line {} begins at {} s, and the first one at {} s",
                other.line, other.start, first.start
            ));
        }
        if (other.increment - increment).abs() > SAME * increment {
            return Err(format!(
                "the function at line {} has a value every {} s, and the first one every {increment} s",
                other.line, other.increment
            ));
        }
    }
    let channels = functions.len();
    let mut values = Vec::new();
    values
        .try_reserve_exact(frames * channels)
        .map_err(|_| format!("there is no memory for its {} samples", frames * channels))?;
    for frame in 0..frames {
        values.extend(functions.iter().map(|function| function.values[frame]));
    }
    Ok(Recording { rate: Some(1.0 / increment), channels, values, limit: None })
}

/// A function; none if it is not a time response.
fn function(kind: &str, lines: &mut Lines<'_>, full_scale: f64) -> Result<Option<Function>, String> {
    let line = lines.number;
    let binary = binary(kind, line)?;
    let mut header = Vec::with_capacity(HEADER);
    for _ in 0..HEADER {
        let text =
            lines.next().ok_or_else(|| format!("the dataset 58 at line {line} ends inside its header"))?;
        header.push(String::from_utf8_lossy(text).into_owned());
    }
    let integer = |row: usize, columns: std::ops::Range<usize>, what: &str| -> Result<i64, String> {
        let field = field(&header[row], columns);
        let at = line + 1 + row;
        field.parse().map_err(|_| format!("line {at}: the {what} is {field:?}, which is not an integer"))
    };
    let function_type = integer(5, 0..5, "function type")?;
    let data_type = integer(6, 0..10, "data type")?;
    let count = integer(6, 10..20, "number of values")?;
    let spacing = integer(6, 20..30, "spacing")?;
    let start = real(field(&header[6], 30..43)).unwrap_or(0.0);
    let text = field(&header[6], 43..56);
    let increment = real(text).filter(|increment| *increment > 0.0);
    let abscissa = integer(7, 0..10, "type of the abscissa")?;
    let is_time = abscissa == SECONDS || (abscissa == UNKNOWN && function_type == TIME_RESPONSE);
    // Accelerometers and hammers are no microphones.
    let is_sound = SOUND.contains(&integer(8, 0..10, "type of the ordinate")?);
    if !(matches!(function_type, TIME_RESPONSE | UNKNOWN) && is_time && is_sound) {
        lines.skip(binary.map_or(0, |(_, size)| size));
        return Ok(None);
    }
    let number = match data_type {
        2 => Number::F32,
        4 => Number::F64,
        _ => {
            return Err(format!(
                "line {}: the data type is {data_type}; time responses have real values in single (2) or double (4) precision",
                line + 7
            ));
        }
    };
    if spacing != 1 {
        return Err(format!("line {}: the values are not evenly spaced in time", line + 7));
    }
    let Some(increment) = increment else {
        return Err(format!("line {}: the increment is {text:?}, which is not a positive number", line + 7));
    };
    let count =
        usize::try_from(count).map_err(|_| format!("line {}: the number of values is {count}", line + 7))?;
    let values = match binary {
        Some((endian, size)) => binary_values(lines, (endian, size), number, count)?,
        None => text_values(lines, number, count)?,
    };
    let values = values.iter().map(|value| (value * full_scale) as f32).collect();
    Ok(Some(Function { line, start, increment, values }))
}

/// Order and number of the bytes of a binary dataset; none of one of text.
fn binary(kind: &str, line: usize) -> Result<Option<(Endian, usize)>, String> {
    let mut words = kind.split_whitespace();
    if !words.next().is_some_and(|name| name.ends_with(['b', 'B'])) {
        return Ok(None);
    }
    let fields: Vec<usize> = words.map_while(|word| word.parse().ok()).collect();
    let [order, format, lines, size, ..] = fields[..] else {
        return Err(format!("line {line}: the head of a dataset 58b has no size"));
    };
    let endian = match order {
        1 => Endian::Little,
        2 => Endian::Big,
        _ => {
            return Err(format!(
                "line {line}: the order of bytes is {order}, neither 1 (little) nor 2 (big)"
            ));
        }
    };
    if format != 2 || lines != HEADER {
        return Err(format!(
            "line {line}: the floating-point format is {format} after {lines} lines; format 2 (IEEE 754) after {HEADER} lines is read"
        ));
    }
    Ok(Some((endian, size)))
}

fn binary_values(
    lines: &mut Lines<'_>,
    (endian, size): (Endian, usize),
    number: Number,
    count: usize,
) -> Result<Vec<f64>, String> {
    let at = lines.number;
    let needed = count.checked_mul(number.size());
    let bytes = lines.take(size).filter(|bytes| needed.is_some_and(|needed| needed <= bytes.len()));
    let (Some(bytes), Some(needed)) = (bytes, needed) else {
        return Err(format!(
            "the {count} values after line {at} do not fit into the {size} bytes of their dataset, or the file ends before"
        ));
    };
    Ok(bytes[..needed].chunks_exact(number.size()).map(|bytes| number.value(bytes, endian)).collect())
}

/// Values in columns of 13 characters, or of 20 in double precision, which may touch each other.
fn text_values(lines: &mut Lines<'_>, number: Number, count: usize) -> Result<Vec<f64>, String> {
    let width = if number == Number::F64 { 20 } else { 13 };
    let mut values = Vec::new();
    while values.len() < count {
        let line = lines.next().map(<[u8]>::trim_ascii_end);
        let Some(line) = line.filter(|line| line.trim_ascii() != b"-1") else {
            return Err(format!("line {}: the values end after {} of {count}", lines.number, values.len()));
        };
        let before = values.len();
        for bytes in line.chunks(width) {
            let text = String::from_utf8_lossy(bytes);
            let value = real(text.trim()).ok_or_else(|| {
                format!("line {}: {:?} is not a number in {width} columns", lines.number, text.trim())
            })?;
            values.push(value);
        }
        if values.len() == before {
            return Err(format!("line {}: it is empty after {before} of {count} values", lines.number));
        }
    }
    values.truncate(count);
    Ok(values)
}

/// Columns of a line, as far as it has them.
fn field(line: &str, columns: std::ops::Range<usize>) -> &str {
    line.get(columns.start..columns.end.min(line.len())).unwrap_or_default().trim()
}

/// A finite number with an exponent of E or, as in Fortran, D.
fn real(text: &str) -> Option<f64> {
    text.replace(['D', 'd'], "E").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Lines of a file with binary parts.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Number of the last line, from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.at += end.map_or(rest.len(), |end| end + 1);
        self.number += 1;
        Some(&rest[..end.unwrap_or(rest.len())])
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes[self.at..].get(..count)?;
        self.at += count;
        Some(taken)
    }

    /// Skips bytes, to the end of the file at most.
    fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    /// Skips the rest of a dataset, and the line that ends it.
    fn end_dataset(&mut self) {
        while let Some(line) = self.next() {
            if line.trim_ascii() == b"-1" {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// The eleven lines of a function.
    fn header(function_type: i64, data_type: i64, count: usize, increment: f64) -> String {
        let id = "Microphone\nNONE\n19-Nov-26 12:00:00\nNONE\nNONE\n";
        let mut text = id.to_owned();
        writeln!(
            text,
            "{function_type:5}{:10}{:5}{:10} {:10}{:10}{:4} {:10}{:10}{:4}",
            0, 0, 0, "NONE", 1, 3, "NONE", 0, 0
        )
        .unwrap();
        writeln!(
            text,
            "{data_type:10}{count:10}{:10}{:>13}{:>13}{:>13}",
            1,
            "0.00000E+00",
            format!("{increment:.5e}"),
            "0.00000E+00"
        )
        .unwrap();
        for (kind, name) in [(17, "Time"), (15, "Pressure"), (0, "NONE"), (0, "NONE")] {
            writeln!(text, "{kind:10}{:5}{:5}{:5} {name:20} {:20}", 0, 0, 0, "NONE").unwrap();
        }
        text
    }

    fn text(data_type: i64, values: &[f64]) -> String {
        let (width, each) = if data_type == 4 { (20, 4) } else { (13, 6) };
        let mut text = format!("    -1\n    58\n{}", header(1, data_type, values.len(), 2e-5));
        for row in values.chunks(each) {
            for value in row {
                let value = if data_type == 4 { format!("{value:.11e}") } else { format!("{value:.5e}") };
                write!(text, "{value:>width$}").unwrap();
            }
            text.push('\n');
        }
        text + "    -1\n"
    }

    fn binary(order: u8, data_type: i64, values: &[f64]) -> Vec<u8> {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| {
                let single = (*value as f32).to_le_bytes().to_vec();
                let mut bytes = if data_type == 4 { value.to_le_bytes().to_vec() } else { single };
                if order == 2 {
                    bytes.reverse();
                }
                bytes
            })
            .collect();
        let head = format!(
            "    -1\n    58b{order:6}{:6}{:12}{:12}{:6}{:6}{:12}{:12}\n",
            2,
            11,
            bytes.len(),
            0,
            0,
            0,
            0
        );
        [head.as_bytes(), header(1, data_type, values.len(), 2e-5).as_bytes(), &bytes, b"\n    -1\n"].concat()
    }

    const LEFT: [f64; 7] = [0.5, -1.25, 3.0, -4.5e-3, 10.0, 1e-20, -2.0];
    const RIGHT: [f64; 7] = [-1.0, -10.0, -13.0, -100.0, -1000.0, -1e10, -2.5];

    /// Text and binary, single and double precision, either order of bytes, between datasets of other kinds.
    #[test]
    fn time_responses_are_channels() {
        let other = b"    -1\n   151\nmodel\n    -1\n".to_vec();
        let spectrum = text(2, &[1.0; 7])
            .replace("    1         0", "   12         0")
            .replace("        17", "        18");
        let expected: Vec<f32> =
            LEFT.iter().zip(RIGHT).flat_map(|(l, r)| [2.0 * l, 2.0 * r]).map(|v| v as f32).collect();
        for (left, right) in [
            (text(2, &LEFT).into_bytes(), text(4, &RIGHT).into_bytes()),
            (binary(1, 2, &LEFT), binary(2, 4, &RIGHT)),
            (binary(2, 2, &LEFT), text(2, &RIGHT).into_bytes()),
        ] {
            let file = [&other[..], &left, spectrum.as_bytes(), &other, &right].concat();
            let found = read(&file, 2.0).unwrap();
            assert!((found.rate.unwrap() - 50e3).abs() < 1e-6);
            assert_eq!((found.channels, found.limit), (2, None));
            for (found, expected) in found.values.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found} {expected}");
            }
        }
    }

    /// Accelerometers are left out; channels that do not begin together and other units than SI are refused.
    #[test]
    fn only_pressures_at_the_same_times_are_channels() {
        let good = text(2, &LEFT);
        let acceleration = good.replace("        15", "        12");
        let found = read([acceleration, good.clone()].concat().as_bytes(), 1.0).unwrap();
        assert_eq!((found.channels, found.values.len()), (1, 7));
        let later = good.replacen("  0.00000E+00", "  1.00000E-05", 1);
        let refused = read([good.as_str(), &later].concat().as_bytes(), 1.0).unwrap_err();
        assert!(refused.ends_with("begins at 0.00001 s, and the first one at 0 s"), "{refused}");
        let units = |code: i64| format!("    -1\n   164\n{code:10}units\n    -1\n{good}");
        assert!(read(units(1).as_bytes(), 1.0).is_ok());
        let refused = read(units(5).as_bytes(), 1.0).unwrap_err();
        assert!(refused.starts_with("line 3: its units have the code \"5\""), "{refused}");
    }

    /// A binary part may hold what looks like the end of a dataset.
    #[test]
    fn binary_values_are_not_searched_for_lines() {
        let trap = f64::from_le_bytes(*b"\n    -1\n");
        let file = [binary(1, 4, &[trap, 1.0]), binary(1, 4, &[2.0, 3.0])].concat();
        assert_eq!(read(&file, 1.0).unwrap().values[1..], [2.0, 1.0, 3.0]);
    }

    #[test]
    fn truncated_files_are_refused() {
        for file in [text(2, &LEFT).into_bytes(), binary(1, 4, &LEFT)] {
            let values = read(&file, 1.0).unwrap().values.len();
            assert_eq!(values, 7);
            // Without the last number; the line that ends the dataset is not needed.
            for end in 0..file.len() - 20 {
                assert!(read(&file[..end], 1.0).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn wrong_files_say_where() {
        let refused = |file: &[u8]| read(file, 1.0).map(|found| found.values.len()).unwrap_err();
        let good = text(2, &LEFT);
        assert_eq!(
            refused(b"noise"),
            "it has no time response of a pressure in a dataset 58; it has 0 functions of other types"
        );
        let wrong = |from: &str, to: &str| refused(good.replacen(from, to, 1).as_bytes());
        assert_eq!(
            wrong("5.00000e-1", "5.00000x-1"),
            "line 14: \"5.00000x-1\" is not a number in 13 columns"
        );
        assert_eq!(
            wrong("2.00000e-5", "0.00000e-5"),
            "line 9: the increment is \"0.00000e-5\", which is not a positive number"
        );
        assert!(
            wrong("         2         7", "         5         7").starts_with("line 9: the data type is 5")
        );
        assert_eq!(
            wrong("         7         1", "         7         0"),
            "line 9: the values are not evenly spaced in time"
        );
        assert!(
            wrong("         7         1", "  99999999         1")
                .contains("the values end after 7 of 99999999")
        );
        assert_eq!(
            wrong("         7         1", "        -7         1"),
            "line 9: the number of values is -7"
        );
        let short = text(2, &LEFT[..6]);
        assert_eq!(
            refused([good.as_bytes(), short.as_bytes()].concat().as_slice()),
            "the function at line 18 has 6 values, and the first one 7"
        );
        let bytes = binary(1, 4, &LEFT);
        let mut vax = bytes.clone();
        vax[25] = b'1';
        assert!(refused(&vax).contains("the floating-point format is 1"), "{}", refused(&vax));
    }
}
