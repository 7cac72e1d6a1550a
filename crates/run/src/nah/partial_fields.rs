//! Partial fields of averaged cross-spectra: in numbers, as arrays and as maps.

use super::labels::{axes, hertz, stem};
use super::plots::{levels, map};
use num_complex::Complex64;
use phasefront_nah::post::{level, power_level};
use phasefront_nah::{Averages, Hologram, Plane, Problem, Solution};
use phasefront_report::plot::{MapPlot, Panel, PanelPlot, Plot};
use phasefront_report::{Array, ArrayFile, Table};

/// How many of the strongest partial fields are written, and how many are drawn.
const WRITTEN: usize = 16;
const DRAWN: usize = 4;

fn averaged(solution: &Solution) -> impl Iterator<Item = (&Hologram, &Averages)> {
    solution.holograms.iter().filter_map(|hologram| Some((hologram, hologram.averages.as_ref()?)))
}

/// A row for each partial field of each frequency.
pub(super) fn table(solution: &Solution) -> Option<Table> {
    let rows: Vec<(&Averages, usize, &Hologram)> = averaged(solution)
        .flat_map(|(_, averages)| averages.parts.iter().enumerate().map(move |(i, part)| (averages, i, part)))
        .collect();
    let square = |part: &Hologram| part.measured.iter().map(Complex64::norm_sqr).sum::<f64>();
    let number = |get: &dyn Fn(&Averages, &Hologram) -> f64| {
        rows.iter().map(|(averages, _, part)| get(averages, part)).collect::<Vec<f64>>()
    };
    let share = |averages: &Averages, part: &Hologram| {
        let all: f64 = averages.parts.iter().map(square).sum();
        averages.explained * square(part) / all
    };
    let at_array = |_: &Averages, part: &Hologram| level((square(part) / part.measured.len() as f64).sqrt());
    let largest = |_: &Averages, part: &Hologram| level(peak(&part.planes[0]));
    (!rows.is_empty()).then(|| {
        Table::new("partial_fields")
            .number("frequency_hz", number(&|_, part| part.frequency))
            .integer("field", rows.iter().map(|(_, i, _)| *i as i64 + 1).collect())
            .number("array_fraction", number(&share))
            .number("array_db", number(&at_array))
            .number("plane_max_db", number(&largest))
            .number("power_w", number(&|_, part| part.planes[0].power))
            .number("power_db", number(&|_, part| power_level(part.planes[0].power)))
            .number("averages", number(&|averages, _| averages.averages))
    })
}

fn peak(plane: &Plane) -> f64 {
    plane.pressure.iter().map(|p| p.norm()).fold(0.0, f64::max)
}

/// The strongest partial fields of each frequency and plane, and the coherence of the microphones.
pub(super) fn arrays(problem: &Problem, solution: &Solution) -> Vec<ArrayFile> {
    let [x, y] = axes(&problem.grid.refined(problem.refine));
    let (rows, cols) = (y.len(), x.len());
    let file = |(hologram, averages): (&Hologram, &Averages), i: usize| {
        let stem = stem(hologram.frequency, &hologram.planes[i], i);
        let mut file = ArrayFile::new(format!("partial_fields_{stem}"))
            .with("x", Array::Real1(x.clone()))
            .with("y", Array::Real1(y.clone()))
            .with("coherence", Array::Real1(averages.coherence.clone()));
        for (number, part) in averages.parts.iter().take(WRITTEN).enumerate() {
            let plane = &part.planes[i];
            let field = |values: &Vec<_>| Array::Complex2 { rows, cols, values: values.clone() };
            file = file
                .with(format!("p_measured_{}", number + 1), Array::Complex1(part.measured.clone()))
                .with(format!("p_{}", number + 1), field(&plane.pressure))
                .with(format!("u_{}", number + 1), field(&plane.velocity));
        }
        file
    };
    averaged(solution)
        .flat_map(|of| (0..of.0.planes.len()).map(move |i| (of, i)))
        .map(|(of, i)| file(of, i))
        .collect()
}

/// The strongest partial fields on the first plane side by side, where there are several, and with references the coherence of the microphones.
pub(super) fn plots(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let has_coherence = problem.references.is_some() && problem.positions.is_none();
    let of_one = |(hologram, averages): (&Hologram, &Averages)| {
        let coherence = has_coherence.then(|| coherence(problem, hologram, averages));
        fields(problem, hologram, averages).into_iter().chain(coherence)
    };
    averaged(solution).flat_map(of_one).collect()
}

fn fields(problem: &Problem, hologram: &Hologram, averages: &Averages) -> Option<Plot> {
    let [x, y] = axes(&problem.grid.refined(problem.refine));
    let (_, range) = levels(&hologram.planes[0].pressure);
    // Of a common color scale the weakest would show nothing.
    let shows = |part: &&Hologram| level(peak(&part.planes[0])) > range.map_or(f64::NAN, |range| range[0]);
    let shown: Vec<&Hologram> = averages.parts.iter().take(DRAWN).filter(shows).collect();
    if shown.len() < 2 {
        return None;
    }
    let (kind, whose) = match problem.references {
        Some(_) => ("partial field", "what is coherent with the principal components of the references"),
        // They look like sources, and are none.
        None => ("mixture", "principal components, each a mixture of all sources and the image of none"),
    };
    let panel = |(i, part): (usize, &&Hologram)| Panel {
        title: format!("{kind} {}", i + 1),
        note: format!("{:.2e} W", part.planes[0].power),
        values: levels(&part.planes[0].pressure).0,
    };
    Some(Plot::Panels(PanelPlot {
        name: format!("partial_fields_{}", hertz(hologram.frequency)),
        title: match problem.references {
            Some(_) => format!("Partial fields at {} Hz on the first plane", hertz(hologram.frequency)),
            None => {
                format!("Principal components at {} Hz: mixtures of the sources", hertz(hologram.frequency))
            }
        },
        caption: format!(
            "The strongest of {} fields on the first plane, whose powers add: {whose}; dB re 20 uPa.",
            averages.parts.len()
        ),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "level (dB re 20 uPa)".into(),
        x,
        y,
        panels: shown.iter().enumerate().map(panel).collect(),
        range,
        ..PanelPlot::default()
    }))
}

fn coherence(problem: &Problem, hologram: &Hologram, averages: &Averages) -> Plot {
    let frequency = hertz(hologram.frequency);
    let name = format!("coherence_{frequency}");
    let title = format!("Multiple coherence at {frequency} Hz");
    let caption = "The part of the power at each microphone that the references explain.".to_owned();
    Plot::Map(MapPlot {
        values: averages.coherence.clone(),
        range: Some([0.0, 1.0]),
        value_label: "coherence".into(),
        ..map(&problem.grid, name, title, caption)
    })
}
