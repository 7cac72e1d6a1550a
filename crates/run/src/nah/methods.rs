//! Comparison of spectral methods.

use super::labels::{axes, hertz};
use num_complex::Complex64;
use phasefront_nah::{
    Hologram, MethodComparison, Problem, Solution, SpectralMethod, WalshSelection, WalshTerms, walsh,
};
use phasefront_report::Table;
use phasefront_report::plot::{Axis, LinePlot, Panel, PanelPlot, Plot, Series};

/// The highest frequency of the Walsh coefficient counts, Hz.
const HIGHEST: f64 = 10e3;
/// The default threshold of Walsh weights.
const THRESHOLD: f64 = 0.1;

/// The smallest RMSRE whose differences are plotted: below it they are rounding errors.
const MIN_RMSRE: f64 = 1e-4;
/// The upper end of the color scale of differences, in units of the RMSRE.
const COLOR_LIMIT: f64 = 3.0;

/// The name of a spectral method in case files.
pub(super) fn name(method: SpectralMethod) -> &'static str {
    match method {
        SpectralMethod::Fft { fir: false } => "fft",
        SpectralMethod::Fft { fir: true } => "fft-compensation-fir",
        SpectralMethod::Dft => "dft",
        SpectralMethod::Auto => "auto",
        SpectralMethod::BlockAverage => "block-average",
        SpectralMethod::Walsh(_) => "walsh",
        SpectralMethod::WalshExact => "walsh-exact",
        SpectralMethod::CicPopcount => "cic-popcount",
        SpectralMethod::SlidingDft => "sliding-dft",
    }
}

/// Differences of phasors and holograms from those of the reference method.
pub(super) fn table(solution: &Solution) -> Option<Table> {
    let rows: Vec<(f64, &MethodComparison)> = solution
        .holograms
        .iter()
        // The first one is the reference method.
        .flat_map(|hologram| hologram.compared.iter().skip(1).map(|compared| (hologram.frequency, compared)))
        .collect();
    let number =
        |get: &dyn Fn(&MethodComparison) -> f64| rows.iter().map(|row| get(row.1)).collect::<Vec<f64>>();
    (!rows.is_empty()).then(|| {
        Table::new("compare")
            .text("method", rows.iter().map(|row| name(row.1.method).to_owned()).collect())
            .number("frequency_hz", rows.iter().map(|row| row.0).collect())
            .number("rmsre", number(&|c| c.plane.rmsre))
            .number("nsad", number(&|c| c.plane.nsad))
            .number("l2", number(&|c| c.plane.l2))
            .number("rmsre_array", number(&|c| c.array.rmsre))
            .number("nsad_array", number(&|c| c.array.nsad))
            .number("l2_array", number(&|c| c.array.l2))
    })
}

/// Holograms of all methods side by side, one figure for each frequency.
pub(super) fn plots(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let [x, y] = axes(&problem.grid);
    let panel = |compared: &MethodComparison| {
        let note = match compared.method {
            SpectralMethod::Fft { fir: false } => String::new(),
            _ => {
                format!("RMSRE {} %, NSAD {} %", percent(compared.plane.rmsre), percent(compared.plane.nsad))
            }
        };
        Panel { title: name(compared.method).to_owned(), note, values: normalized(&compared.pressure) }
    };
    let compared = solution.holograms.iter().filter(|hologram| hologram.compared.len() > 1);
    let plot = |hologram: &Hologram| {
        Plot::Panels(PanelPlot {
            name: format!("compare_{}", hertz(hologram.frequency)),
            title: format!(
                "Holograms at {} Hz by different spectral methods",
                hertz(hologram.frequency)
            ),
            caption:
                "Magnitude of the pressure on the first plane, normalized to its maximum; RMSRE and NSAD relative to the nominal method."
                    .into(),
            x_label: "x (m)".into(),
            y_label: "y (m)".into(),
            value_label: "|p|/max |p|".into(),
            x: x.clone(),
            y: y.clone(),
            panels: hologram.compared.iter().map(panel).collect(),
            range: Some([0.0, 1.0]),
            ..PanelPlot::default()
        })
    };
    compared.map(plot).collect()
}

/// Maps of the differences from the nominal method relative to their RMSRE, as in Figs. 7.6 to 7.8 of the thesis, one figure for each frequency. Methods
/// that agree to rounding are omitted.
pub(super) fn errors(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let [x, y] = axes(&problem.grid);
    let plot = |hologram: &Hologram| {
        let nominal = normalized(&hologram.compared.first()?.pressure);
        let panel = |compared: &MethodComparison| {
            let rmsre = compared.plane.rmsre;
            // Relative to the RMSRE, so that methods of different accuracy share a color scale.
            let relative = |(q, p): (f64, &f64)| ((q - p) / p).abs() / rmsre;
            Panel {
                title: name(compared.method).to_owned(),
                note: format!("RMSRE {} %", percent(rmsre)),
                values: normalized(&compared.pressure).into_iter().zip(&nominal).map(relative).collect(),
            }
        };
        let differ = hologram.compared.iter().skip(1).filter(|compared| compared.plane.rmsre > MIN_RMSRE);
        let panels: Vec<Panel> = differ.map(panel).collect();
        (!panels.is_empty()).then(|| {
            Plot::Panels(PanelPlot {
                name: format!("compare_error_{}", hertz(hologram.frequency)),
                title: format!("Differences of holograms at {} Hz from the nominal method", hertz(hologram.frequency)),
                caption: "Relative difference of the normalized pressure magnitude from that of the nominal method at each point, divided by the \
                          RMSRE."
                    .into(),
                x_label: "x (m)".into(),
                y_label: "y (m)".into(),
                value_label: "relative difference/RMSRE".into(),
                x: x.clone(),
                y: y.clone(),
                panels,
                range: Some([0.0, COLOR_LIMIT]),
                ..PanelPlot::default()
            })
        })
    };
    solution.holograms.iter().filter_map(plot).collect()
}

fn normalized(pressure: &[Complex64]) -> Vec<f64> {
    let largest = pressure.iter().map(|p| p.norm()).fold(0.0, f64::max);
    pressure.iter().map(|p| p.norm() / largest).collect()
}

/// A fraction in percent, to two decimals.
fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if percent < 0.01 { "< 0.01".to_owned() } else { format!("{percent:.2}") }
}

/// The number of Walsh coefficients above the threshold in each DFT bin, if Walsh functions are used.
pub(super) fn walsh_coefficients(problem: &Problem) -> Option<(Table, Plot)> {
    let walsh = |method: &SpectralMethod| match method {
        SpectralMethod::Walsh(WalshTerms { which: WalshSelection::Above(weight), .. }) => Some(*weight),
        SpectralMethod::Walsh(_) => Some(THRESHOLD),
        _ => None,
    };
    let weight = [problem.analysis.method].iter().chain(&problem.compare).find_map(walsh)?;
    let rate = problem.sample_rate()?;
    let samples = problem.analysis.samples;
    // 32 bits for each sample; bins above the Nyquist frequency of the samples are omitted.
    let bits = (32 * samples).trailing_zeros();
    let frequency = |bin: usize| bin as f64 * rate / samples as f64;
    let bins: Vec<usize> = (1..samples / 2).take_while(|bin| frequency(*bin) <= HIGHEST).collect();
    let counts: Vec<i64> = bins.iter().map(|bin| walsh::count_above(*bin, bits, weight) as i64).collect();
    let frequencies: Vec<f64> = bins.iter().map(|bin| frequency(*bin)).collect();
    let most = counts.iter().copied().max().unwrap_or(0) as f64;
    let plot = Plot::Line(LinePlot {
        name: "walsh_coefficients".into(),
        title: format!("Walsh coefficients with a weight of at least {weight}"),
        caption: "Number of Walsh coefficients above the threshold in each DFT bin.".into(),
        x: Axis::new("frequency (Hz)").with_range(0.0, HIGHEST),
        y: Axis::new("coefficients").with_range(0.0, 10.0 * (0.1 * most + 0.5).ceil()),
        series: vec![Series::points(
            "above threshold",
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
