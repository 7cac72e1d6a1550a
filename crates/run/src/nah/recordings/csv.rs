//! Tables of samples as text: a row for each moment, a column for each microphone, and a column of times if there is one. Columns are
//! separated by commas, semicolons, tabs or spaces; but for the first, numbers may have decimal commas.

use super::recording::Recording;
use crate::input::{DecimalSigns, decimal};

/// Lines before the numbers, at most.
const MAX_HEADER: usize = 200;
/// Largest deviation of a time from equal spacing, in spacings: times are rounded, but none is missing.
const MAX_JITTER: f64 = 0.25;

/// Reads a file whose values are multiplied by `full_scale`.
pub(super) fn read(bytes: &[u8], full_scale: f64) -> Result<Recording, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("it is not text in UTF-8: byte {} is not", error.valid_up_to()))?;
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let mut lines = lines.by_ref().filter(|(_, line)| !line.trim().is_empty());
    let mut names = "";
    let mut header = 0;
    let (first, table) = loop {
        let (number, line) = lines.next().ok_or("it has no line of numbers")?;
        if let Some(table) = Table::of(line) {
            break ((number, line), table);
        }
        (names, header) = (line, header + 1);
        if header > MAX_HEADER {
            return Err(format!("its first {MAX_HEADER} lines are not rows of numbers"));
        }
    };
    let names = Names::of(&table, names)?;
    let columns = table.cells(first.1).count();
    if names.count.is_some_and(|count| count != columns) {
        return Err(format!(
            "line {} has {columns} numbers, and the line before it {} names: with decimal commas separate columns by semicolons or tabs",
            first.0 + 1,
            names.count.unwrap_or_default()
        ));
    }
    let row = table.row(first.1).unwrap_or_default();
    let counts_from = |start: usize| row.iter().enumerate().all(|(i, value)| *value == (i + start) as f64);
    if names.time.is_none() && columns > 2 && (counts_from(0) || counts_from(1)) {
        return Err(format!(
            "line {} numbers the columns and has no samples: give them names, or remove it",
            first.0 + 1
        ));
    }
    let channels = columns - usize::from(names.time.is_some());
    if channels == 0 {
        return Err("it has times and no samples".into());
    }
    let (mut values, mut times) = (Vec::new(), Vec::new());
    let mut signs = DecimalSigns::default();
    for (number, line) in std::iter::once(first).chain(lines) {
        let row = table.row(line).filter(|row| row.len() == columns).ok_or_else(|| {
            format!("line {} is not a row of {columns} numbers: {:?}", number + 1, shown(line))
        })?;
        if table.separator != Some(',') {
            signs.check(line, number + 1)?;
        }
        let samples = if let Some(unit) = names.time {
            times.push(row[0] * unit);
            &row[1..]
        } else {
            &row[..]
        };
        values.extend(samples.iter().map(|value| (value * full_scale) as f32));
    }
    let rate = names.time.map(|_| rate(&times)).transpose()?;
    Ok(Recording { rate, channels, values, limit: None })
}

/// The beginning of a line, for a message.
fn shown(line: &str) -> String {
    line.chars().take(40).collect()
}

/// How the columns of a file are separated.
struct Table {
    separator: Option<char>,
}

impl Table {
    /// By the first of these with which a line is a row of numbers: semicolons, tabs, commas, spaces.
    fn of(line: &str) -> Option<Self> {
        let separators = [Some(';'), Some('\t'), Some(','), None];
        separators.into_iter().map(|separator| Self { separator }).find(|table| {
            table.separator.is_none_or(|separator| line.contains(separator)) && table.row(line).is_some()
        })
    }

    fn cells<'a>(&self, line: &'a str) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        match self.separator {
            // Some programs end each line with a separator.
            Some(separator) => {
                let line = line.trim();
                Box::new(line.strip_suffix(separator).unwrap_or(line).split(separator).map(str::trim))
            }
            None => Box::new(line.split_whitespace()),
        }
    }

    /// The numbers of a row; none if it has anything else.
    fn row(&self, line: &str) -> Option<Vec<f64>> {
        self.cells(line).map(decimal).collect()
    }
}

/// What the line before the numbers says.
struct Names {
    /// Number of names; none if there is no such line, or a title of one cell.
    count: Option<usize>,
    /// Seconds in the unit of the first column, if it has times.
    time: Option<f64>,
}

impl Names {
    fn of(table: &Table, line: &str) -> Result<Self, String> {
        // NumPy and MATLAB mark such a line.
        let line = line.trim_start_matches(['#', '%']).trim_start();
        let cells: Vec<String> =
            table.cells(line).map(|cell| cell.trim_matches(['"', '\'']).trim().to_lowercase()).collect();
        let first = cells.first().map(String::as_str).unwrap_or_default();
        let is_time = ["time", "zeit", "temps", "tiempo"].iter().any(|name| first.starts_with(name))
            || first.split(|c: char| !c.is_alphanumeric()).next() == Some("t");
        // Words of a title are separated by spaces too.
        let count = (table.separator.is_some() && cells.len() > 1).then_some(cells.len());
        if !is_time {
            return Ok(Self { count, time: None });
        }
        let unit = first.rsplit(|c: char| !c.is_alphanumeric() && c != 'µ').find(|part| !part.is_empty());
        let time = match unit.unwrap_or_default() {
            "s" | "sec" | "seconds" | "t" | "time" | "zeit" | "temps" | "tiempo" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            unit => {
                return Err(format!(
                    "the unit of the times, {unit:?} in {first:?}, is not known: name the column time_s, time_ms or time_us"
                ));
            }
        };
        Ok(Self { count, time: Some(time) })
    }
}

/// The sample rate of equally spaced times, Hz.
fn rate(times: &[f64]) -> Result<f64, String> {
    let ([first, ..], [.., last], true) = (times, times, times.len() > 1) else {
        return Err("it has fewer than two moments".into());
    };
    let step = (last - first) / (times.len() - 1) as f64;
    if !(step > 0.0 && step.is_finite()) {
        return Err(format!("its times are from {first} s to {last} s, and do not increase"));
    }
    for (i, time) in times.iter().enumerate() {
        let expected = first + step * i as f64;
        if time.is_nan() || (time - expected).abs() > MAX_JITTER * step {
            return Err(format!(
                "its times are not equally spaced: row {} of the numbers has {time} s, where {expected} s would be",
                i + 1
            ));
        }
    }
    Ok(1.0 / step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Option<f64>, usize, Vec<f32>) {
        let recording = read(text.as_bytes(), 2.0).unwrap();
        (recording.rate, recording.channels, recording.values)
    }

    #[test]
    fn tables_of_every_kind_hold_the_same_samples() {
        let expected = vec![1.0, -2.5, 0.5, 3e-3];
        let rows = ["0,5 -1,25", "0,25 1,5E-3"];
        let points = rows.map(|row| row.replace(',', "."));
        for separator in [";", "\t", " ", " ; "] {
            for rows in [rows.map(str::to_owned), points.clone()] {
                let text = rows.map(|row| row.replace(' ', separator)).join("\n");
                assert_eq!(found(&text), (None, 2, expected.clone()), "{text:?}");
                // A title, names, an empty line, the end of lines of Windows, and a mark of the order of bytes.
                let text = format!(
                    "\u{feff}Measurement 7\r\n\r\na{separator}b\r\n{}\r\n",
                    text.replace('\n', "\r\n")
                );
                assert_eq!(found(&text), (None, 2, expected.clone()), "{text:?}");
            }
        }
        assert_eq!(found(&points.join("\n").replace(' ', ",")), (None, 2, expected.clone()));
        assert_eq!(found(&points.join(",\n").replace(' ', ",")), (None, 2, expected));
    }

    #[test]
    fn times_give_the_sample_rate() {
        for name in ["time_s", "Time [s]", "t", "Zeit / s", "t (s)", "\"Time\""] {
            let (rate, channels, values) = found(&format!("{name};p\n0,1;1\n0,2;2\n0,3;3\n"));
            assert!((rate.unwrap() - 10.0).abs() < 1e-9, "{name}");
            assert_eq!((channels, values), (1, vec![2.0, 4.0, 6.0]));
        }
        // As NumPy writes names; and a title before columns that spaces separate.
        assert_eq!(found("# time_s,p\n0.1,1\n0.2,2\n").2, [2.0, 4.0]);
        assert_eq!(found("Measurement of a plate\n1 2\n3 4\n").2, [2.0, 4.0, 6.0, 8.0]);
        let (rate, ..) = found("time_ms,p\n0,1\n0.02,2\n");
        assert!((rate.unwrap() - 50_000.0).abs() < 1e-6);
        // Rounded to a microsecond, at 48 kHz.
        let rows: Vec<String> = (0..1000).map(|n| format!("{:.6};0", f64::from(n) / 48e3)).collect();
        let (rate, ..) = found(&format!("time_s;p\n{}\n", rows.join("\n")));
        assert!((rate.unwrap() / 48e3 - 1.0).abs() < 1e-4);
    }

    #[test]
    fn wrong_tables_say_where() {
        let refused = |text: &str| read(text.as_bytes(), 1.0).unwrap_err();
        assert_eq!(refused(""), "it has no line of numbers");
        assert_eq!(refused("a;b\n"), "it has no line of numbers");
        assert_eq!(refused("1;2\n3;x\n"), "line 2 is not a row of 2 numbers: \"3;x\"");
        assert_eq!(refused("1;2\n\n3\n"), "line 3 is not a row of 2 numbers: \"3\"");
        assert_eq!(
            refused("1;2;3\n0,5;1;2\n"),
            "line 1 numbers the columns and has no samples: give them names, or remove it"
        );
        assert_eq!(refused("1,234\t2\n0.5\t1\n"), "line 2: decimal points and decimal commas are mixed");
        // Of points and commas one would separate thousands.
        assert_eq!(refused("1;2\n1.234,5;2\n"), "line 2 is not a row of 2 numbers: \"1.234,5;2\"");
        assert!(
            refused("a,b\n0,5,1,5\n").starts_with("line 2 has 4 numbers, and the line before it 2 names")
        );
        assert!(refused("time_s;p\n0;1\n1;1\n3;1\n").starts_with("its times are not equally spaced: row 2"));
        assert_eq!(refused("time_s;p\n1;1\n1;1\n"), "its times are from 1 s to 1 s, and do not increase");
        assert_eq!(refused("time_s;p\n1;1\n"), "it has fewer than two moments");
        assert_eq!(refused("time_s\n1\n2\n"), "it has times and no samples");
        assert!(refused("time_h;p\n1;1\n").starts_with("the unit of the times, \"h\""));
        assert_eq!(read(b"1;2\n\xff;3", 1.0).unwrap_err(), "it is not text in UTF-8: byte 4 is not");
    }
}
