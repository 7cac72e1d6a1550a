//! Ports of a dgtd run: S-parameters and impedances, as a table, for circuit simulators, and as plots.

use super::plots::{DEPTH_DB, short};
use num_complex::Complex64;
use phasefront_dgtd::{Port, PortSpectrum, Solution, Study};
use phasefront_report::plot::{Axis, LinePlot, Plot, Series, SmithPlot, level_range};
use phasefront_report::{SParameters, Table};

/// Points of a curve on a Smith chart at the least: a line that is long for its band goes around some ten times, and a turn of forty
/// points is round.
const SMOOTH: usize = 401;

/// A column of the S-matrix: what one driven port sends to all, at each frequency.
pub(super) struct Column {
    /// Place of the driven port.
    pub port: usize,
    pub spectra: Vec<PortSpectrum>,
    /// What comes back to the driven port, from the lowest frequency to the highest, close enough to be drawn.
    pub curve: Vec<Complex64>,
}

impl Column {
    /// What a run found.
    pub(super) fn new(study: &Study, solution: &Solution) -> Self {
        let spectra = study.ports(solution);
        let curve = study.reflection(solution, &drawn(spectra.iter().map(|at| at.frequency)));
        Self { port: solution.excited, spectra, curve }
    }

    fn ports(&self) -> usize {
        self.spectra.first().map_or(0, |at| at.s.len())
    }

    /// What goes to a port, by its place, at each frequency.
    fn to(&self, port: usize) -> Vec<Complex64> {
        self.spectra.iter().map(|at| at.s[port]).collect()
    }

    /// `21` for what goes to port 2; with ten ports and more the numbers stand apart, `10_1`.
    fn name(&self, to: usize) -> String {
        let apart = if self.ports() > 9 { "_" } else { "" };
        format!("{}{apart}{}", to + 1, self.port + 1)
    }
}

/// Even frequencies for a curve, from the lowest of these to the highest; none of one alone.
fn drawn(asked: impl ExactSizeIterator<Item = f64> + Clone) -> Vec<f64> {
    let points = asked.len().max(SMOOTH);
    let (low, high) = (asked.clone().fold(f64::INFINITY, f64::min), asked.fold(0.0, f64::max));
    if high <= low {
        return Vec::new();
    }
    (0..points).map(|i| low + (high - low) * i as f64 / (points - 1) as f64).collect()
}

/// In dB; nothing at all is the least that there is, so that files have numbers.
pub(super) fn decibels(s: Complex64) -> f64 {
    20.0 * s.norm().max(f64::MIN_POSITIVE).log10()
}

/// The number of the frequency where least comes back to the driven port; the first where there is no port.
pub(super) fn best_matched(spectra: &[PortSpectrum], driven: usize) -> usize {
    let back = |f: &usize| spectra[*f].s[driven].norm();
    (0..spectra.len()).min_by(|a, b| back(a).total_cmp(&back(b))).unwrap_or(0)
}

/// `port.csv`: what goes from each driven port to each port, and the impedance that the first driven one sees.
pub(super) fn table(columns: &[Column]) -> Table {
    let first = columns.first().map_or(&[][..], |column| &column.spectra);
    let mut table = Table::new("port").number("frequency_hz", first.iter().map(|at| at.frequency).collect());
    for column in columns {
        for to in 0..column.ports() {
            let (name, s) = (column.name(to), column.to(to));
            table = table
                .number(format!("s{name}_db"), s.iter().copied().map(decibels).collect())
                .number(format!("s{name}_re"), s.iter().map(|s| s.re).collect())
                .number(format!("s{name}_im"), s.iter().map(|s| s.im).collect());
        }
    }
    table
        .sparse("impedance_re_ohm", first.iter().map(|at| Some(at.impedance.re)))
        .sparse("impedance_im_ohm", first.iter().map(|at| Some(at.impedance.im)))
}

/// Two resistances of ports that differ, if there are any: Touchstone 1.1 has one reference for all ports.
fn differing(ports: &[Port]) -> Option<[f64; 2]> {
    let first = ports.first()?.resistance;
    let other = ports.iter().map(|port| port.resistance).find(|&other| other != first)?;
    Some([first, other])
}

/// Words about a whole matrix that its file format cannot hold.
pub(super) fn two_references(ports: &[Port], columns: &[Column]) -> Option<String> {
    let [one, other] = differing(ports).filter(|_| columns.len() == ports.len())?;
    Some(format!(
        "there is no sparameters.s{}p: Touchstone 1.1 has one reference for all ports, and these have {one} and {other} ohm; port.csv has \
         the matrix, each port with its own",
        ports.len()
    ))
}

/// `sparameters.s1p`, `.s2p` and so on, of a matrix that is whole: for a part of one the format has no place.
pub(super) fn touchstone(ports: &[Port], columns: &[Column]) -> Option<SParameters> {
    let (first, reference) = (columns.first()?, ports.first()?.resistance);
    if columns.len() != ports.len() || differing(ports).is_some() {
        return None;
    }
    let frequency = |&k: &usize| first.spectra[k].frequency;
    let mut order: Vec<usize> = (0..first.spectra.len()).collect();
    order.sort_by(|a, b| frequency(a).total_cmp(&frequency(b)));
    order.dedup_by(|a, b| frequency(a) == frequency(b));
    // Row by row; ports may be driven in any order.
    let mut by_port: Vec<&Column> = columns.iter().collect();
    by_port.sort_by_key(|column| column.port);
    let matrix = |k: &usize| -> Vec<Complex64> {
        (0..ports.len()).flat_map(|i| by_port.iter().map(move |column| column.spectra[*k].s[i])).collect()
    };
    let comment = |(i, port): (usize, &Port)| format!("port {} on the surface {}", i + 1, port.surface);
    Some(SParameters {
        name: "sparameters".into(),
        ports: ports.len(),
        reference_ohm: reference,
        frequencies_hz: order.iter().map(frequency).collect(),
        s: order.iter().map(matrix).collect(),
        comments: ports.iter().enumerate().map(comment).collect(),
    })
}

/// S-parameters against frequency, a plot for each driven port, and the reflections of driven ports on a Smith chart.
pub(super) fn plots(ports: &[Port], columns: &[Column]) -> Vec<Plot> {
    let Some(first) = columns.first().filter(|column| column.spectra.len() > 1) else { return Vec::new() };
    let [low, high] = level_range(columns.iter().flat_map(levels).flatten(), DEPTH_DB);
    let lines = |column: &Column| {
        let x: Vec<f64> = column.spectra.iter().map(|at| 1e-9 * at.frequency).collect();
        let curve = |(to, y): (usize, Vec<f64>)| Series::solid(format!("S{}", column.name(to)), x.clone(), y);
        let number = column.port + 1;
        Plot::Line(LinePlot {
            name: if columns.len() == 1 { "sparameters".into() } else { format!("sparameters_{number}") },
            // A plot of one curve has no legend.
            title: match column.ports() {
                1 => format!("S{}, the reflection of port {number}", column.name(column.port)),
                _ => format!("S-parameters, port {number} driven"),
            },
            caption: format!("What goes from port {number} to each port."),
            x: Axis::new("frequency (GHz)"),
            y: Axis::new("level (dB)").with_range(low, high),
            series: levels(column).into_iter().enumerate().map(curve).collect(),
        })
    };
    let own = |column: &Column| format!("S{}", column.name(column.port));
    let reflection = |column: &Column| Series::complex(own(column), &column.curve);
    let frequencies = first.spectra.iter().map(|at| 1e-9 * at.frequency);
    let reference = |column: &Column| format!("{} ohm", short(ports[column.port].resistance));
    let mut references: Vec<String> = columns.iter().map(reference).collect();
    references.dedup();
    let smith = Plot::Smith(SmithPlot {
        name: "smith".into(),
        title: match columns {
            [only] => format!("{}, the reflection of port {}", own(only), only.port + 1),
            _ => "Reflection of each driven port".into(),
        },
        caption: "The reflection of each driven port on a Smith chart.".into(),
        label: format!(
            "{} GHz to {} GHz, reference {}",
            short(frequencies.clone().fold(f64::INFINITY, f64::min)),
            short(frequencies.fold(0.0, f64::max)),
            references.join(", ")
        ),
        series: columns.iter().map(reflection).collect(),
        marks: Vec::new(),
    });
    columns.iter().map(lines).chain([smith]).collect()
}

/// Levels in dB of what goes to each port.
fn levels(column: &Column) -> Vec<Vec<f64>> {
    (0..column.ports()).map(|to| column.to(to).into_iter().map(decibels).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_dgtd::PortShape;

    fn at(frequency: f64, s: &[f64]) -> PortSpectrum {
        let s = s.iter().map(|&s| Complex64::new(s, 0.0)).collect();
        PortSpectrum { frequency, s, impedance: Complex64::new(25.0, 1.0), accepted_power: 1.0 }
    }

    fn column(port: usize, spectra: &[(f64, &[f64])]) -> Column {
        Column {
            port,
            spectra: spectra.iter().map(|(frequency, s)| at(*frequency, s)).collect(),
            curve: Vec::new(),
        }
    }

    fn ports(resistances: &[f64]) -> Vec<Port> {
        let shape = PortShape::Lumped { along: [0.0, 0.0, 1.0] };
        let port = |(i, &resistance): (usize, &f64)| Port { surface: format!("port{i}"), resistance, shape };
        resistances.iter().enumerate().map(port).collect()
    }

    #[test]
    fn a_table_has_three_columns_for_each_way() {
        let csv = table(&[column(0, &[(1e9, &[0.1, -1.0])])]).to_csv();
        assert_eq!(
            csv,
            "frequency_hz,s11_db,s11_re,s11_im,s21_db,s21_re,s21_im,impedance_re_ohm,impedance_im_ohm\n\
             1000000000,-20,0.1,0,0,-1,0,25,1\n"
        );
        let both = [column(1, &[(1e9, &[1.0, 1.0])]), column(0, &[(1e9, &[0.1, -1.0])])];
        let head = "frequency_hz,s12_db,s12_re,s12_im,s22_db,s22_re,s22_im,s11_db,";
        assert!(table(&both).to_csv().starts_with(head));
        let many = column(10, &[(1e9, &[0.5; 11])]);
        assert_eq!([many.name(0), many.name(10)], ["1_11", "11_11"]);
    }

    #[test]
    fn touchstone_has_rising_frequencies() {
        let columns = [column(0, &[(2e9, &[0.2]), (1e9, &[0.1]), (2e9, &[0.2])])];
        let text = touchstone(&ports(&[50.0]), &columns).unwrap().to_touchstone().unwrap();
        assert_eq!(text, "! port 1 on the surface port0\n# HZ S RI R 50\n1e9 1e-1 0e0\n2e9 2e-1 0e0\n");
    }

    /// Touchstone 1.1 lists S11 S21 S12 S22 of two ports, whatever order they were driven in.
    #[test]
    fn touchstone_has_the_whole_matrix_or_nothing() {
        let columns = [column(1, &[(1e9, &[0.12, 0.22])]), column(0, &[(1e9, &[0.11, 0.21])])];
        let text = touchstone(&ports(&[50.0; 2]), &columns).unwrap().to_touchstone().unwrap();
        assert!(text.ends_with("\n1e9 1.1e-1 0e0 2.1e-1 0e0 1.2e-1 0e0 2.2e-1 0e0\n"), "{text}");
        assert_eq!(touchstone(&ports(&[50.0; 2]), &columns[..1]), None);
        assert_eq!(two_references(&ports(&[50.0; 2]), &columns), None);
        let differ = ports(&[50.0, 75.0]);
        assert_eq!(touchstone(&differ, &columns), None);
        assert_eq!(two_references(&differ, &columns[..1]), None);
        assert_eq!(
            two_references(&differ, &columns).unwrap(),
            "there is no sparameters.s2p: Touchstone 1.1 has one reference for all ports, and these have 50 and 75 ohm; port.csv has \
             the matrix, each port with its own"
        );
    }

    #[test]
    fn curves_are_close_and_rise() {
        let falling = drawn([3e9, 2e9, 1e9].into_iter());
        assert_eq!((falling.len(), falling[0], falling[200], falling[400]), (401, 1e9, 2e9, 3e9));
        assert_eq!(drawn([1e9].into_iter()), [0.0; 0]);
    }

    #[test]
    fn one_curve_is_named_by_the_title() {
        let titles = |columns: &[Column]| -> Vec<String> {
            plots(&ports(&[50.0; 2]), columns).iter().map(|plot| plot.title().to_owned()).collect()
        };
        let of_one = column(0, &[(2e9, &[0.2]), (1e9, &[0.1])]);
        assert_eq!(titles(&[of_one]), ["S11, the reflection of port 1"; 2]);
        let of_two = column(1, &[(2e9, &[0.2, 0.1]), (1e9, &[0.1, 0.3])]);
        assert_eq!(titles(&[of_two]), ["S-parameters, port 2 driven", "S22, the reflection of port 2"]);
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
