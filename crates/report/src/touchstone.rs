//! Scattering parameters as Touchstone files: version 1.1 ("Touchstone File Format Specification", EIA/IBIS Open Forum, 2002), and version
//! 2.0 (IBIS Open Forum, 2009) where ports have different references.

use crate::ReportError;
use num_complex::Complex64;
use std::fmt::Write as _;

/// Relative difference of references that are one: those of computed lines have rounding errors.
const SAME: f64 = 1e-6;

/// Maximum number of parameters per line; a row continues on the next line.
const PER_LINE: usize = 4;

/// Scattering parameters of one or more ports at several frequencies: one Touchstone file, read by circuit simulators.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_report::SParameters;
///
/// let parameters = SParameters {
///     name: "sparameters".into(),
///     ports: 1,
///     references_ohm: vec![50.0],
///     frequencies_hz: vec![1e9, 2e9],
///     s: vec![vec![Complex64::new(0.5, -0.25)], vec![Complex64::new(0.125, 0.0)]],
///     comments: vec!["half-wave dipole".into()],
/// };
/// assert_eq!(parameters.file_name(), "sparameters.s1p");
/// let text = parameters.to_touchstone()?;
/// assert_eq!(text, "! half-wave dipole\n# HZ S RI R 50\n1e9 5e-1 -2.5e-1\n2e9 1.25e-1 0e0\n");
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SParameters {
    /// File stem: `sparameters` with two ports becomes `sparameters.s2p`.
    pub name: String,
    /// Number of ports.
    pub ports: usize,
    /// Reference resistance of each port.
    pub references_ohm: Vec<f64>,
    /// The frequencies, ascending.
    pub frequencies_hz: Vec<f64>,
    /// For each frequency the matrix row by row: S11, S12, ..., S21, ...
    pub s: Vec<Vec<Complex64>>,
    /// Lines at the head of the file.
    pub comments: Vec<String>,
}

impl SParameters {
    /// Name of the file; its extension contains the number of ports.
    pub fn file_name(&self) -> String {
        format!("{}.s{}p", self.name, self.ports)
    }

    /// The text of the file: real and imaginary parts, frequencies in Hz, every number with all its digits.
    pub fn to_touchstone(&self) -> Result<String, ReportError> {
        self.validate()?;
        let mut text = String::new();
        // Writing to a String cannot fail, so that the results of `write!` are ignored.
        for line in self.comments.iter().flat_map(|comment| comment.lines()) {
            // The format is ASCII.
            let line: String =
                line.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).collect();
            let _ = writeln!(text, "! {line}");
        }
        let first = self.references_ohm[0];
        let second = self.references_ohm.iter().any(|other| (other - first).abs() > SAME * first);
        if second {
            text.insert_str(0, "[Version] 2.0\n");
        }
        let _ = writeln!(text, "# HZ S RI R {}", self.references_ohm[0]);
        if second {
            let _ = writeln!(text, "[Number of Ports] {}", self.ports);
            if self.ports == 2 {
                text.push_str("[Two-Port Data Order] 21_12\n");
            }
            let _ = writeln!(text, "[Number of Frequencies] {}", self.frequencies_hz.len());
            let references: Vec<String> = self.references_ohm.iter().map(f64::to_string).collect();
            let _ = writeln!(text, "[Reference] {}\n[Network Data]", references.join(" "));
        }
        for (frequency, matrix) in self.frequencies_hz.iter().zip(&self.s) {
            let _ = write!(text, "{frequency:e}");
            for (i, line) in lines(self.ports, matrix).iter().enumerate() {
                // Continuation lines begin with a space in place of the frequency.
                text.push_str(if i == 0 { "" } else { " " });
                for s in line {
                    let _ = write!(text, " {:e} {:e}", s.re, s.im);
                }
                text.push('\n');
            }
        }
        if second {
            text.push_str("[End]\n");
        }
        Ok(text)
    }

    fn validate(&self) -> Result<(), ReportError> {
        let failed = |reason: String| Err(ReportError::Touchstone { file: self.file_name(), reason });
        let (matrices, frequencies, entries) =
            (self.s.len(), self.frequencies_hz.len(), self.ports * self.ports);
        if self.ports == 0 {
            return failed("it has no ports".to_owned());
        }
        if self.references_ohm.len() != self.ports {
            return failed(format!("{} references for {} ports", self.references_ohm.len(), self.ports));
        }
        if let Some(reference) = self.references_ohm.iter().find(|r| !(r.is_finite() && **r > 0.0)) {
            return failed(format!("the reference of {reference} ohm is not a positive number"));
        }
        if matrices != frequencies {
            return failed(format!("{matrices} matrices for {frequencies} frequencies"));
        }
        if let Some(f) = self.frequencies_hz.iter().find(|f| !(f.is_finite() && **f >= 0.0)) {
            return failed(format!("{f} Hz is not a frequency"));
        }
        if let Some([before, after]) = self.frequencies_hz.windows(2).find(|pair| pair[0] >= pair[1]) {
            return failed(format!("{after:e} Hz comes after {before:e} Hz; frequencies must rise"));
        }
        for (frequency, matrix) in self.frequencies_hz.iter().zip(&self.s) {
            if matrix.len() != entries {
                return failed(format!("{} parameters at {frequency:e} Hz, {entries} wanted", matrix.len()));
            }
            if matrix.iter().any(|s| !s.is_finite()) {
                return failed(format!("a parameter at {frequency:e} Hz is not a number"));
            }
        }
        Ok(())
    }
}

/// The lines of one matrix: a single line for one and two ports, in the order S11 S21 S12 S22 for
/// two; otherwise every row begins a line and continues after four parameters.
fn lines(ports: usize, matrix: &[Complex64]) -> Vec<Vec<Complex64>> {
    match *matrix {
        [s11, s12, s21, s22] => vec![vec![s11, s21, s12, s22]],
        _ => matrix.chunks(ports).flat_map(|row| row.chunks(PER_LINE)).map(<[_]>::to_vec).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S_ij = i + j/100 - jk/7 at the k-th frequency: every parameter is another number.
    fn sample(ports: usize) -> SParameters {
        let entry = |k: usize, i: usize| {
            Complex64::new((i / ports + 1) as f64 + (i % ports + 1) as f64 / 100.0, -(k as f64) / 7.0)
        };
        SParameters {
            name: "s".into(),
            ports,
            references_ohm: vec![75.0; ports],
            frequencies_hz: vec![1e9, 1.5e9, 2.000000001e9],
            s: (0..3).map(|k| (0..ports * ports).map(|i| entry(k, i)).collect()).collect(),
            comments: vec!["\u{3b5} = 4\nsecond".into()],
        }
    }

    /// Reads it by the rules of the format, which knows nothing of lines but comments and options: numbers follow each other.
    fn read(text: &str, ports: usize) -> (Vec<f64>, Vec<Vec<Complex64>>) {
        let data = text.lines().filter(|line| !line.starts_with(['!', '#']));
        let numbers: Vec<f64> = data.flat_map(str::split_whitespace).map(|n| n.parse().unwrap()).collect();
        let matrix = |record: &[f64]| -> Vec<Complex64> {
            let listed: Vec<_> = record[1..].chunks(2).map(|p| Complex64::new(p[0], p[1])).collect();
            // Two ports are listed column by column, all others row by row.
            (0..ports * ports).map(|i| listed[if ports == 2 { i % 2 * 2 + i / 2 } else { i }]).collect()
        };
        numbers.chunks(1 + 2 * ports * ports).map(|record| (record[0], matrix(record))).unzip()
    }

    #[test]
    fn what_is_written_is_read_to_the_last_bit() {
        for ports in [1, 2, 3, 4, 5, 9] {
            let parameters = sample(ports);
            let text = parameters.to_touchstone().unwrap();
            assert!(text.is_ascii() && text.starts_with("! ? = 4\n! second\n# HZ S RI R 75\n1e9 "));
            let (frequencies, s) = read(&text, ports);
            assert_eq!(frequencies, parameters.frequencies_hz, "{ports} ports");
            assert_eq!(s, parameters.s, "{ports} ports");
        }
    }

    /// The specification's order of parameters for two, three and six ports.
    #[test]
    fn lines_break_where_the_format_wants_them() {
        let head = |ports: usize| {
            let text = sample(ports).to_touchstone().unwrap();
            let names = |line: &str| -> Vec<String> {
                let numbers: Vec<&str> = line.split_whitespace().filter(|n| !n.ends_with("e9")).collect();
                // The real part of S_ij is i.0j, the imaginary one 0 at the first frequency.
                let index = |n: &&str| n.parse::<f64>().unwrap() * 100.0;
                numbers.iter().step_by(2).map(|n| format!("{:.0}", index(n)).replace('0', "")).collect()
            };
            text.lines().filter(|line| !line.starts_with(['!', '#'])).map(names).collect::<Vec<_>>()
        };
        assert_eq!(head(1)[..2], [["11"], ["11"]]);
        assert_eq!(head(2)[0], ["11", "21", "12", "22"]);
        assert_eq!(head(3)[..3], [["11", "12", "13"], ["21", "22", "23"], ["31", "32", "33"]]);
        assert_eq!(head(4)[1], ["21", "22", "23", "24"]);
        assert_eq!(head(6)[..2], [vec!["11", "12", "13", "14"], vec!["15", "16"]]);
        assert_eq!(head(6)[2], ["21", "22", "23", "24"]);
    }

    /// The keywords of version 2.0, in the order of its specification.
    #[test]
    fn different_references_need_the_second_version() {
        let parameters = SParameters { references_ohm: vec![50.0, 75.0], comments: Vec::new(), ..sample(2) };
        let text = parameters.to_touchstone().unwrap();
        let head = "[Version] 2.0\n# HZ S RI R 50\n[Number of Ports] 2\n[Two-Port Data Order] 21_12\n[Number of Frequencies] 3\n\
                    [Reference] 50 75\n[Network Data]\n1e9 ";
        assert!(text.starts_with(head) && text.ends_with("\n[End]\n"), "{text}");
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        let message = |change: &dyn Fn(&mut SParameters)| {
            let mut parameters = sample(2);
            change(&mut parameters);
            parameters.to_touchstone().unwrap_err().to_string()
        };
        assert_eq!(message(&|p| p.ports = 0), "cannot write s.s0p: it has no ports");
        assert_eq!(
            message(&|p| p.references_ohm[1] = -50.0),
            "cannot write s.s2p: the reference of -50 ohm is not a positive number"
        );
        assert_eq!(message(&|p| p.s.truncate(1)), "cannot write s.s2p: 1 matrices for 3 frequencies");
        assert_eq!(
            message(&|p| p.frequencies_hz[0] = f64::NAN),
            "cannot write s.s2p: NaN Hz is not a frequency"
        );
        assert_eq!(
            message(&|p| p.frequencies_hz[1] = 5e8),
            "cannot write s.s2p: 5e8 Hz comes after 1e9 Hz; frequencies must rise"
        );
        assert_eq!(
            message(&|p| p.s[2].truncate(3)),
            "cannot write s.s2p: 3 parameters at 2.000000001e9 Hz, 4 wanted"
        );
        assert_eq!(
            message(&|p| p.s[0][1].im = f64::INFINITY),
            "cannot write s.s2p: a parameter at 1e9 Hz is not a number"
        );
    }
}
