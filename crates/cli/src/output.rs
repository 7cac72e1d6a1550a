//! Styles, messages, and formatting of numbers.

use phasefront_core::text::visible;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes to standard error. If that fails, the error cannot be reported.
pub fn message(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The style of text on an output.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// The output is a terminal.
    pub is_terminal: bool,
    /// Colors are used.
    pub colors: bool,
}

impl Style {
    /// No terminal, no colors.
    pub const PLAIN: Self = Self { is_terminal: false, colors: false };

    /// For standard output.
    pub fn stdout() -> Self {
        Self::of(io::stdout().is_terminal())
    }

    /// For standard error.
    pub fn stderr() -> Self {
        Self::of(io::stderr().is_terminal())
    }

    fn of(is_terminal: bool) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        // The conventions of NO_COLOR (no-color.org) and of dumb terminals.
        Self { is_terminal, colors: is_terminal && !dumb && !set("NO_COLOR") }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colors { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Bold.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Bold red, for what failed.
    pub fn red(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// Green, for what passed.
    pub fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Faint, for details.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// The word for it.
    pub fn verdict(self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Pass => self.green("pass"),
            Verdict::Fail => self.red("FAIL"),
            Verdict::Holds => self.green("holds"),
            Verdict::Warning => self.bold("WARNING"),
        }
    }
}

/// The word that closes a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A value agrees with its reference.
    Pass,
    /// It does not.
    Fail,
    /// A self-check holds.
    Holds,
    /// It does not.
    Warning,
}

impl Verdict {
    /// Of a check against a reference.
    pub fn of_check(pass: bool) -> Self {
        if pass { Self::Pass } else { Self::Fail }
    }

    /// Of a self-check.
    pub fn of_self_check(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Warning }
    }
}

/// A path in a form that can be printed.
pub fn path_text(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// Columns of the terminal, limited to what reads well.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    // Shells rarely export COLUMNS; 100 is a common width.
    columns.unwrap_or(100_usize).clamp(60, 120)
}

/// A number with six significant digits, in scientific notation where it is very large or small.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..7).contains(&exponent) {
        let text = format!("{value:.5e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let decimals = (5 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with four significant digits, for a line that changes.
pub fn short(value: f64) -> String {
    if value == 0.0 || (1e-2..1e4).contains(&value.abs()) {
        let decimals =
            if value == 0.0 { 0 } else { (3 - value.abs().log10().floor() as i32).max(0) as usize };
        return format!("{value:.decimals$}");
    }
    format!("{value:.3e}")
}

/// A rate with its unit: `12.3 Gflop/s`.
pub fn rate(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 5] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let (scale, prefix) = PREFIXES.into_iter().find(|(scale, _)| value.abs() >= *scale).unwrap_or((1.0, ""));
    let scaled = value / scale;
    let decimals = if scaled.abs() < 10.0 { 2 } else { usize::from(scaled.abs() < 100.0) };
    format!("{scaled:.decimals$} {prefix}{unit}")
}

/// A rate per second: `27.0k/s`.
pub fn per_second(value: f64) -> String {
    rate(value, "/s").replacen(' ', "", 1)
}

/// A time in a suitable unit.
pub fn seconds(value: f64) -> String {
    match value {
        v if v < 1e-3 => format!("{:.1} us", v * 1e6),
        v if v < 1.0 => format!("{:.1} ms", v * 1e3),
        v if v < 100.0 => format!("{v:.2} s"),
        v => long_time(v.round() as u64),
    }
}

fn long_time(seconds: u64) -> String {
    let minutes = seconds / 60;
    match minutes / 60 {
        0..2 => format!("{minutes} min {:02} s", seconds % 60),
        hours @ 2..48 => format!("{hours} h {:02} min", minutes % 60),
        hours => format!("{} days", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-12.3456789, "-12.3457"),
            (100000.0, "100000"),
            (1234567.0, "1234567"),
            (1.5e-7, "1.5e-7"),
            (2.0e9, "2e9"),
            (0.00012345678, "0.000123457"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(f64::NAN), "NaN");
        for (value, text) in [(0.0, "0"), (29.314, "29.31"), (-1.5, "-1.500"), (12345.678, "1.235e4")] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn rates_bytes_and_times_take_a_fitting_unit() {
        assert_eq!(rate(1.234e10, "flop/s"), "12.3 Gflop/s");
        assert_eq!(rate(0.5, "runs/s"), "0.50 runs/s");
        assert_eq!(per_second(27_000.0), "27.0k/s");
        assert_eq!(seconds(0.25), "250.0 ms");
        for (value, text) in
            [(119.7, "2 min 00 s"), (125.0, "2 min 05 s"), (8000.0, "2 h 13 min"), (200_000.0, "2 days")]
        {
            assert_eq!(seconds(value), text);
        }
    }
}
