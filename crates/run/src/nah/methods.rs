//! Ways from samples to phasors, one against the other.

use super::plots::hertz;
use super::tables::axes;
use num_complex::Complex64;
use phasefront_nah::{Compared, Problem, Solution, Terms, Way, Which, walsh};
use phasefront_report::Table;
use phasefront_report::plot::{Axis, LinePlot, Panel, PanelPlot, Plot, Series};

/// Frequencies up to which Walsh coefficients are counted, Hz.
const HIGHEST: f64 = 10e3;
/// The weight from which on a Walsh coefficient counts, where a case gives none.
const WEIGHT: f64 = 0.1;

/// The least RMSRE of a way whose differences are shown: below it they are rounding.
const SEEN: f64 = 1e-4;
/// Ends of the colors of differences, in RMSREs.
const LARGEST: f64 = 3.0;

/// A way, as cases name it.
pub(super) fn name(way: Way) -> &'static str {
    match way {
        Way::Nominal { fir: false } => "nominal",
        Way::Nominal { fir: true } => "nominal-fir",
        Way::Dot => "dot",
        Way::Auto => "auto",
        Way::Average => "average",
        Way::Walsh(_) => "walsh",
        Way::WalshExact => "walsh-exact",
        Way::CicPopcount => "cic-popcount",
        Way::Hop => "hop",
    }
}

/// Phasors and holograms of each way against those of the nominal one.
pub(super) fn table(solution: &Solution) -> Option<Table> {
    let rows: Vec<(f64, &Compared)> = solution
        .lines
        .iter()
        // The first one is the nominal one.
        .flat_map(|line| line.compared.iter().skip(1).map(|compared| (line.frequency, compared)))
        .collect();
    let number = |get: &dyn Fn(&Compared) -> f64| rows.iter().map(|row| get(row.1)).collect::<Vec<f64>>();
    (!rows.is_empty()).then(|| {
        Table::new("compare")
            .text("method", rows.iter().map(|row| name(row.1.way).to_owned()).collect())
            .number("frequency_hz", rows.iter().map(|row| row.0).collect())
            .number("rmsre", number(&|c| c.plane.rmsre))
            .number("nsad", number(&|c| c.plane.nsad))
            .number("l2", number(&|c| c.plane.l2))
            .number("rmsre_array", number(&|c| c.array.rmsre))
            .number("nsad_array", number(&|c| c.array.nsad))
            .number("l2_array", number(&|c| c.array.l2))
    })
}

/// Holograms of all ways side by side, a figure for each frequency.
pub(super) fn plots(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let [x, y] = axes(&problem.grid);
    let panel = |compared: &Compared| {
        let note = match compared.way {
            Way::Nominal { fir: false } => String::new(),
            _ => {
                format!("RMSRE {} %, NSAD {} %", percent(compared.plane.rmsre), percent(compared.plane.nsad))
            }
        };
        Panel { title: name(compared.way).to_owned(), note, values: normalized(&compared.pressure) }
    };
    let compared = solution.lines.iter().filter(|line| line.compared.len() > 1);
    let plot = |line: &phasefront_nah::Line| {
        Plot::Panels(PanelPlot {
            name: format!("compare_{}", hertz(line.frequency)),
            title: format!(
                "Holograms at {} Hz by different ways from samples to phasors",
                hertz(line.frequency)
            ),
            caption:
                "Pressure on the first plane over its largest value; RMSRE and NSAD against the nominal way."
                    .into(),
            x_label: "x (m)".into(),
            y_label: "y (m)".into(),
            value_label: "|p|/max |p|".into(),
            x: x.clone(),
            y: y.clone(),
            panels: line.compared.iter().map(panel).collect(),
            range: Some([0.0, 1.0]),
            ..PanelPlot::default()
        })
    };
    compared.map(plot).collect()
}

/// Where holograms of other ways differ from the nominal one, over their RMSRE: the error maps of the thesis' Figs. 7.6 to 7.8, a figure for each
/// frequency. Ways that agree to rounding have none.
pub(super) fn errors(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let [x, y] = axes(&problem.grid);
    let plot = |line: &phasefront_nah::Line| {
        let nominal = normalized(&line.compared.first()?.pressure);
        let panel = |compared: &Compared| {
            let rmsre = compared.plane.rmsre;
            let relative = |(q, p): (f64, &f64)| ((q - p) / p).abs() / rmsre;
            Panel {
                title: name(compared.way).to_owned(),
                note: format!("RMSRE {} %", percent(rmsre)),
                values: normalized(&compared.pressure).into_iter().zip(&nominal).map(relative).collect(),
            }
        };
        let differ = line.compared.iter().skip(1).filter(|compared| compared.plane.rmsre > SEEN);
        let panels: Vec<Panel> = differ.map(panel).collect();
        (!panels.is_empty()).then(|| {
            Plot::Panels(PanelPlot {
                name: format!("compare_error_{}", hertz(line.frequency)),
                title: format!("Where holograms at {} Hz differ from the nominal one", hertz(line.frequency)),
                caption: "Difference of the pressure, over its largest value, from that of the nominal way, relative to that at each place and \
                          over the RMSRE of all places."
                    .into(),
                x_label: "x (m)".into(),
                y_label: "y (m)".into(),
                value_label: "relative difference/RMSRE".into(),
                x: x.clone(),
                y: y.clone(),
                panels,
                range: Some([0.0, LARGEST]),
                ..PanelPlot::default()
            })
        })
    };
    solution.lines.iter().filter_map(plot).collect()
}

fn normalized(pressure: &[Complex64]) -> Vec<f64> {
    let largest = pressure.iter().map(|p| p.norm()).fold(0.0, f64::max);
    pressure.iter().map(|p| p.norm() / largest).collect()
}

/// A part in per cent, as far as a picture can show it.
fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent < 0.01 { "< 0.01".to_owned() } else { format!("{percent:.2}") }
}

/// How many Walsh coefficients count in each bin, where Walsh functions are taken.
pub(super) fn walsh_coefficients(problem: &Problem) -> Option<(Table, Plot)> {
    let walsh = |way: &Way| match way {
        Way::Walsh(Terms { which: Which::Above(weight), .. }) => Some(*weight),
        Way::Walsh(_) => Some(WEIGHT),
        _ => None,
    };
    let weight = [problem.analysis.way].iter().chain(&problem.compare).find_map(walsh)?;
    let rate = problem.sample_rate()?;
    let samples = problem.analysis.samples;
    // 32 bits for each sample, and the highest bins are beyond what the samples hold.
    let bits = (32 * samples).trailing_zeros();
    let frequency = |bin: usize| bin as f64 * rate / samples as f64;
    let bins: Vec<usize> = (1..samples / 2).take_while(|bin| frequency(*bin) <= HIGHEST).collect();
    let counts: Vec<i64> = bins.iter().map(|bin| walsh::needed(*bin, bits, weight) as i64).collect();
    let frequencies: Vec<f64> = bins.iter().map(|bin| frequency(*bin)).collect();
    let most = counts.iter().copied().max().unwrap_or(0) as f64;
    let plot = Plot::Line(LinePlot {
        name: "walsh_coefficients".into(),
        title: format!("Walsh coefficients with a weight of at least {weight}"),
        caption: "How many Walsh coefficients count in each line of the spectrum.".into(),
        x: Axis::new("frequency (Hz)").with_range(0.0, HIGHEST),
        y: Axis::new("coefficients").with_range(0.0, 10.0 * (0.1 * most + 0.5).ceil()),
        series: vec![Series::points(
            "needed",
            frequencies.clone(),
            counts.iter().map(|n| *n as f64).collect(),
        )],
    });
    let table = Table::new("walsh_coefficients")
        .integer("bin", bins.iter().map(|bin| *bin as i64).collect())
        .number("frequency_hz", frequencies)
        .integer("coefficients", counts);
    Some((table, plot))
}
