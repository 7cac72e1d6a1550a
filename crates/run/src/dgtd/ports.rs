//! S-parameters of a dgtd run: columns of the S-matrix, and the best match.

use super::labels::short;
use num_complex::Complex64;
use phasefront_core::decibels::finite_amplitude_db;
use phasefront_dgtd::{Port, PortShape, PortSpectrum, Solution, Study, band, s_matrix};

/// A column of the S-matrix, that of one excited port, at each frequency.
pub(super) struct Column {
    /// Index of the excited port.
    pub port: usize,
    pub spectra: Vec<PortSpectrum>,
    /// Reflection coefficient of the excited port over the band, at points close enough for a smooth curve.
    pub curve: Vec<Complex64>,
}

impl Column {
    /// The column of a run.
    pub(super) fn new(study: &Study, solution: &Solution) -> Self {
        let spectra = study.ports(solution);
        let curve = study.reflection(solution, &band(&study.problem.monitors.frequencies));
        Self { port: solution.excited, spectra, curve }
    }

    pub(super) fn ports(&self) -> usize {
        self.spectra.first().map_or(0, |at| at.s.len())
    }

    /// S-parameters to a port, by its index, at each frequency.
    pub(super) fn to(&self, port: usize) -> Vec<Complex64> {
        self.spectra.iter().map(|at| at.s[port]).collect()
    }

    /// `21` for transmission to port 2; with ten ports and more the numbers are separated, `10_1`.
    pub(super) fn name(&self, to: usize) -> String {
        let apart = if self.ports() > 9 { "_" } else { "" };
        format!("{}{apart}{}", to + 1, self.port + 1)
    }
}

/// In dB; zero becomes the smallest positive number, so that files have numbers.
pub(super) fn decibels(s: Complex64) -> f64 {
    finite_amplitude_db(s.norm())
}

/// Index of the frequency with the smallest reflection at the excited port; the first if there are no ports.
pub(super) fn best_matched(spectra: &[PortSpectrum], excited: usize) -> usize {
    let back = |f: &usize| spectra[*f].s[excited].norm();
    (0..spectra.len()).min_by(|a, b| back(a).total_cmp(&back(b))).unwrap_or(0)
}

/// A port of the S-parameters, as files and plots name it.
pub(super) struct PortLabel {
    /// Its surface, with the terminal, or with the mode of one that has several.
    pub name: String,
    /// Reference impedance, Ω; none if it is that of a mode and differs between frequencies.
    pub reference: Option<f64>,
}

impl PortLabel {
    /// Of all ports of a study.
    pub(super) fn all(study: &Study) -> Vec<Self> {
        let sources = &study.problem.sources;
        let ports = &sources.ports;
        let shared = |port: &Port| ports.iter().filter(|other| other.surface == port.surface).count() > 1;
        let label = |(i, port): (usize, &Port)| {
            let terminals = sources.terminals.iter().find(|(surface, _)| *surface == port.surface);
            let name = match (port.shape, terminals) {
                (PortShape::Wave { mode, .. }, Some((_, names))) => {
                    format!("{}, {}", port.surface, names[mode])
                }
                (PortShape::Wave { mode, .. }, None) if shared(port) => {
                    format!("{}, mode {}", port.surface, mode + 1)
                }
                _ => port.surface.clone(),
            };
            Self { name, reference: study.fixed_reference(i) }
        };
        ports.iter().enumerate().map(label).collect()
    }

    /// The reference, in words.
    pub(super) fn reference_text(&self) -> String {
        self.reference.map_or_else(|| "the impedance of the mode".into(), |ohm| format!("{} ohm", short(ohm)))
    }
}

/// The columns of all runs. Where all ports were excited, what the ends of guides reflect is removed, and wave ports refer to the resistances
/// that the case gives them.
pub(super) fn columns(study: &Study, solutions: &[Solution]) -> Vec<Column> {
    let mut columns: Vec<Column> = solutions.iter().map(|solution| Column::new(study, solution)).collect();
    let ports = &study.problem.sources.ports;
    if columns.len() < ports.len() || !ports.iter().any(|port| port.shape.is_wave()) {
        return columns;
    }
    let renormalized = ports.iter().any(|port| port.shape.is_wave() && port.resistance.is_some());
    for f in 0..study.problem.monitors.frequencies.len() {
        let mut by_port: Vec<&Column> = columns.iter().collect();
        by_port.sort_by_key(|column| column.port);
        let spectra: Vec<&PortSpectrum> = by_port.iter().map(|column| &column.spectra[f]).collect();
        let Some(matrix) = s_matrix(&spectra, ports, &study.terminals) else { continue };
        for column in &mut columns {
            let at = &mut column.spectra[f];
            at.s = matrix.iter().map(|row| row[column.port]).collect();
            let reference = ports[column.port].resistance.unwrap_or(at.reference[column.port]);
            at.impedance = reference * (1.0 + at.s[column.port]) / (1.0 - at.s[column.port]);
        }
    }
    // Between the frequencies of the spectra only the reflection with respect to the mode is known.
    for column in columns.iter_mut().filter(|_| renormalized) {
        column.curve = column.to(column.port);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::super::files::touchstone;
    use super::super::plots::s_parameters as plots;
    use super::super::tables::port as table;
    use super::*;
    use phasefront_report::plot::Plot;

    fn at(frequency: f64, s: &[f64]) -> PortSpectrum {
        let s = s.iter().map(|&s| Complex64::new(s, 0.0)).collect();
        PortSpectrum {
            frequency,
            s,
            incident: Vec::new(),
            reference: Vec::new(),
            impedance: Complex64::new(25.0, 1.0),
            accepted_power: 1.0,
        }
    }

    fn column(port: usize, spectra: &[(f64, &[f64])]) -> Column {
        Column {
            port,
            spectra: spectra.iter().map(|(frequency, s)| at(*frequency, s)).collect(),
            curve: Vec::new(),
        }
    }

    fn ports(references: &[f64]) -> Vec<PortLabel> {
        let port = |(i, &ohm): (usize, &f64)| PortLabel { name: format!("port{i}"), reference: Some(ohm) };
        references.iter().enumerate().map(port).collect()
    }

    #[test]
    fn a_table_has_three_columns_for_each_way() {
        let csv = table(&[column(0, &[(1e9, &[0.1, -1.0])])], None).to_csv();
        assert_eq!(
            csv,
            "frequency_hz,s11_db,s11_re,s11_im,s21_db,s21_re,s21_im,impedance_re_ohm,impedance_im_ohm\n\
             1000000000,-20,0.1,0,0,-1,0,25,1\n"
        );
        let both = [column(1, &[(1e9, &[1.0, 1.0])]), column(0, &[(1e9, &[0.1, -1.0])])];
        let head = "frequency_hz,s12_db,s12_re,s12_im,s22_db,s22_re,s22_im,s11_db,";
        assert!(table(&both, None).to_csv().starts_with(head));
        let many = column(10, &[(1e9, &[0.5; 11])]);
        assert_eq!([many.name(0), many.name(10)], ["1_11", "11_11"]);
    }

    #[test]
    fn touchstone_has_rising_frequencies() {
        let columns = [column(0, &[(2e9, &[0.2]), (1e9, &[0.1]), (2e9, &[0.2])])];
        let text = touchstone(&ports(&[50.0]), &columns).unwrap().to_touchstone().unwrap();
        assert_eq!(text, "! port 1: port0, reference 50 ohm\n# HZ S RI R 50\n1e9 1e-1 0e0\n2e9 2e-1 0e0\n");
    }

    /// Touchstone 1.1 lists S11 S21 S12 S22 of two ports, in whatever order they were excited.
    #[test]
    fn touchstone_has_the_whole_matrix_or_nothing() {
        let columns = [column(1, &[(1e9, &[0.12, 0.22])]), column(0, &[(1e9, &[0.11, 0.21])])];
        let text = touchstone(&ports(&[50.0; 2]), &columns).unwrap().to_touchstone().unwrap();
        assert!(text.ends_with("\n1e9 1.1e-1 0e0 2.1e-1 0e0 1.2e-1 0e0 2.2e-1 0e0\n"), "{text}");
        assert_eq!(touchstone(&ports(&[50.0; 2]), &columns[..1]), None);
        let text = touchstone(&ports(&[50.0, 75.0]), &columns).unwrap().to_touchstone().unwrap();
        assert!(text.contains("[Reference] 50 75\n"), "{text}");
        // Modes with an impedance of their own at each frequency have a nominal one.
        let modes: Vec<PortLabel> =
            (0..2).map(|i| PortLabel { name: format!("end{i}"), reference: None }).collect();
        let text = touchstone(&modes, &columns).unwrap().to_touchstone().unwrap();
        assert!(
            text.starts_with("! port 1: end0, reference the impedance of the mode\n")
                && text.contains("R 50\n"),
            "{text}"
        );
    }

    #[test]
    fn one_curve_is_named_by_the_title() {
        let titles = |columns: &[Column]| -> Vec<String> {
            plots(&ports(&[50.0; 2]), columns).iter().map(|plot| plot.title().to_owned()).collect()
        };
        let of_one = column(0, &[(2e9, &[0.2]), (1e9, &[0.1])]);
        assert_eq!(titles(&[of_one]), ["S11, the reflection of port 1"; 2]);
        let of_two = column(1, &[(2e9, &[0.2, 0.1]), (1e9, &[0.1, 0.3])]);
        assert_eq!(titles(&[of_two]), ["S-parameters, port 2 excited", "S22, the reflection of port 2"]);
        let Some(Plot::Smith(smith)) =
            plots(&ports(&[50.0]), &[column(0, &[(2e9, &[0.2]), (1e9, &[0.1])])]).pop()
        else {
            panic!("a Smith chart")
        };
        assert_eq!(smith.label, "1 GHz to 2 GHz, reference 50 ohm");
    }

    #[test]
    fn least_comes_back_where_the_match_is_best() {
        assert_eq!(best_matched(&[at(1e9, &[0.9]), at(2e9, &[-0.1]), at(3e9, &[0.5])], 0), 1);
        assert_eq!(best_matched(&[at(1e9, &[0.1, 0.5]), at(2e9, &[0.9, 0.2])], 1), 1);
        assert_eq!(best_matched(&[], 0), 0);
    }
}
