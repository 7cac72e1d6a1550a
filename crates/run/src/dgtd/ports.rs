//! Ports of a dgtd run: S-parameters and impedances, as a table, for circuit simulators, and as plots.

use super::plots::{DEPTH_DB, short};
use num_complex::Complex64;
use phasefront_dgtd::{PortSpectrum, Problem};
use phasefront_report::plot::{Axis, LinePlot, Plot, Series, SmithPlot, level_range};
use phasefront_report::{SParameters, Table};

pub(super) fn decibels(s: Complex64) -> f64 {
    20.0 * s.norm().log10()
}

/// The number of the frequency where least comes back to the driven port; the first where there is no port.
pub(super) fn best_matched(spectra: &[PortSpectrum]) -> usize {
    let back = |f: &usize| spectra[*f].s[0].norm();
    (0..spectra.len()).min_by(|a, b| back(a).total_cmp(&back(b))).unwrap_or(0)
}

/// `port.csv`: what goes from the driven port to each, and the impedance that the driven one sees.
pub(super) fn table(spectra: &[PortSpectrum]) -> Table {
    let column = |get: &dyn Fn(&PortSpectrum) -> f64| spectra.iter().map(get).collect();
    let ports = spectra.first().map_or(0, |at| at.s.len());
    let mut table = Table::new("port").number("frequency_hz", column(&|at| at.frequency));
    for i in 0..ports {
        let name = format!("s{}1", i + 1);
        table = table
            .number(format!("{name}_db"), column(&|at| decibels(at.s[i])))
            .number(format!("{name}_re"), column(&|at| at.s[i].re))
            .number(format!("{name}_im"), column(&|at| at.s[i].im));
    }
    table
        .number("impedance_re_ohm", column(&|at| at.impedance.re))
        .number("impedance_im_ohm", column(&|at| at.impedance.im))
}

/// `sparameters.s1p`. Of several ports one run knows a column of the matrix only, which the format has no place for.
pub(super) fn touchstone(problem: &Problem, spectra: &[PortSpectrum]) -> Option<SParameters> {
    let [port] = &problem.sources.ports[..] else { return None };
    let mut spectra: Vec<&PortSpectrum> = spectra.iter().collect();
    spectra.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    spectra.dedup_by(|a, b| a.frequency == b.frequency);
    Some(SParameters {
        name: "sparameters".into(),
        ports: 1,
        reference_ohm: port.resistance,
        frequencies_hz: spectra.iter().map(|at| at.frequency).collect(),
        s: spectra.iter().map(|at| at.s.clone()).collect(),
        comments: vec![format!("port on the surface {}", port.surface)],
    })
}

/// S-parameters against frequency, and the driven port's reflection on a Smith chart.
pub(super) fn plots(problem: &Problem, spectra: &[PortSpectrum]) -> Vec<Plot> {
    let ([first, .., last], [port, ..]) = (spectra, &problem.sources.ports[..]) else { return Vec::new() };
    let x: Vec<f64> = spectra.iter().map(|at| 1e-9 * at.frequency).collect();
    let curve = |i: usize| {
        let y = spectra.iter().map(|at| decibels(at.s[i])).collect();
        Series::solid(format!("S{}1", i + 1), x.clone(), y)
    };
    let series: Vec<Series> = (0..first.s.len()).map(curve).collect();
    let [low, high] = level_range(series.iter().flat_map(|s| s.y.iter().copied()), DEPTH_DB);
    let lines = Plot::Line(LinePlot {
        name: "sparameters".into(),
        title: "S-parameters".into(),
        caption: "What goes from the driven port, which is the first, to each port.".into(),
        x: Axis::new("frequency (GHz)"),
        y: Axis::new("level (dB)").with_range(low, high),
        series,
    });
    let reflections: Vec<Complex64> = spectra.iter().map(|at| at.s[0]).collect();
    let smith = Plot::Smith(SmithPlot {
        name: "smith".into(),
        title: "Reflection of the driven port".into(),
        caption: "The reflection of the driven port on a Smith chart.".into(),
        label: format!(
            "S11 from {} GHz to {} GHz, reference {} ohm",
            short(1e-9 * first.frequency),
            short(1e-9 * last.frequency),
            short(port.resistance)
        ),
        series: vec![Series::complex("S11", &reflections)],
        marks: Vec::new(),
    });
    vec![lines, smith]
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_dgtd::{Port, PortShape, Sources};

    fn at(frequency: f64, s: &[f64]) -> PortSpectrum {
        let s = s.iter().map(|&s| Complex64::new(s, 0.0)).collect();
        PortSpectrum { frequency, s, impedance: Complex64::new(25.0, 1.0), accepted_power: 1.0 }
    }

    fn problem(ports: usize) -> Problem {
        let shape = PortShape::Lumped { along: [0.0, 0.0, 1.0] };
        let port = |i: usize| Port { surface: format!("port{i}"), resistance: 50.0, shape };
        let sources = Sources { ports: (0..ports).map(port).collect(), ..Sources::default() };
        Problem { sources, ..Problem::default() }
    }

    #[test]
    fn a_table_has_three_columns_for_each_port() {
        let csv = table(&[at(1e9, &[0.1, -1.0])]).to_csv();
        assert_eq!(
            csv,
            "frequency_hz,s11_db,s11_re,s11_im,s21_db,s21_re,s21_im,impedance_re_ohm,impedance_im_ohm\n\
             1000000000,-20,0.1,0,0,-1,0,25,1\n"
        );
    }

    #[test]
    fn least_comes_back_where_the_match_is_best() {
        assert_eq!(best_matched(&[at(1e9, &[0.9]), at(2e9, &[-0.1]), at(3e9, &[0.5])]), 1);
        assert_eq!(best_matched(&[]), 0);
    }

    #[test]
    fn touchstone_has_one_port_and_rising_frequencies() {
        let spectra = [at(2e9, &[0.2]), at(1e9, &[0.1]), at(2e9, &[0.2])];
        let text = touchstone(&problem(1), &spectra).unwrap().to_touchstone().unwrap();
        assert_eq!(text, "! port on the surface port0\n# HZ S RI R 50\n1e9 1e-1 0e0\n2e9 2e-1 0e0\n");
        assert_eq!(touchstone(&problem(2), &spectra), None);
    }
}
