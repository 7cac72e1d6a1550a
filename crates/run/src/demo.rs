//! The cases built into the program: what `phasefront demo` runs.

use crate::{Asked, Expected, Options, Outcome, RunError, run_case};
use phasefront_core::Progress;
use phasefront_report::{Overview, ReportError};
use std::path::Path;

/// A gallery case that travels in the binary.
struct BuiltIn {
    name: &'static str,
    case: &'static str,
    expected: &'static str,
    /// What is asked, and what the picture shows.
    meaning: &'static str,
}

/// One small case of each solver.
const CASES: &[BuiltIn] = &[
    BuiltIn {
        name: "cases/01-circle",
        case: include_str!("../../../cases/01-circle/case.toml"),
        expected: include_str!("../../../cases/01-circle/expected.json"),
        meaning: "A plane wave meets a conducting cylinder whose radius is one wavelength. The picture is the field around it: a shadow behind, standing waves before it. The echo width in three directions and the current on the lit side are compared with the series that solves the problem exactly.",
    },
    BuiltIn {
        name: "cases/20-pencil-beam",
        case: include_str!("../../../cases/20-pencil-beam/case.toml"),
        expected: include_str!("../../../cases/20-pencil-beam/expected.json"),
        meaning: "The phases of 71 x 71 elements make one narrow beam along the normal of the array. The picture is the directivity: the main lobe, and side lobes along the sides of the square. A square that is lit alike everywhere has it in closed form: at the peak, half-way to the first null, and in the first side lobe.",
    },
    BuiltIn {
        name: "cases/40-plate",
        case: include_str!("../../../cases/40-plate/case.toml"),
        expected: include_str!("../../../cases/40-plate/expected.json"),
        meaning: "A radar looks at a square plate of ten wavelengths, from broadside to grazing. The curve is the cross section against the angle: straight ahead 4 pi A^2/lambda^2, and side lobes as those of a slit, in the closed form of physical optics.",
    },
    BuiltIn {
        name: "cases/62-slab",
        case: include_str!("../../../cases/62-slab/case.toml"),
        expected: include_str!("../../../cases/62-slab/expected.json"),
        meaning: "A pulse meets a slab of glass head-on. From one run in time the curves tell what comes back and what goes through over a whole band; transmission lines in a row have both in closed form.",
    },
    BuiltIn {
        name: "cases/80-two-monopoles",
        case: include_str!("../../../cases/80-two-monopoles/case.toml"),
        expected: include_str!("../../../cases/80-two-monopoles/expected.json"),
        meaning: "1024 microphones hear two small sources from eight centimeters away, and noise. At the array their sounds run into each other; the hologram, computed backwards to a plane close to them, shows them apart. It is compared with the field of the sources there.",
    },
];

const INTRO: &str =
    "One small case of each solver, each compared with a reference. Follow a name for its full report.";

/// What to try after a demo in `out`: commands behind the name of the program, and what they do.
pub fn next_commands(out: &Path) -> [(String, &'static str); 3] {
    [
        (format!("view {}", out.display()), "these results in a browser: zoom, turn, compare"),
        ("new mom".into(), "write a commented case file, mom.toml"),
        ("run mom.toml --live".into(), "run it, and watch it in a browser"),
    ]
}

/// Runs the built-in cases under `out/<case name>`, and writes `out/report.html` over them.
pub fn demo(out: &Path, options: &Options, progress: &Progress) -> Result<Vec<Outcome>, RunError> {
    let mut outcomes = Vec::new();
    for built_in in CASES {
        let file = phasefront_case::parse(&format!("{}/case.toml", built_in.name), built_in.case)?;
        let expected = Expected::parse(&Path::new(built_in.name).join("expected.json"), built_in.expected)?;
        // A demo is run again and again: its own folder may always be overwritten.
        let options = Options { out: Some(out.join(file.case.name())), force: true, ..options.clone() };
        // Cases built in name no files.
        let asked = Asked { file: &file, origin: Path::new(""), expected: Some(&expected) };
        outcomes.push(run_case(&asked, None, &options, progress)?);
    }
    let links: Vec<String> = outcomes.iter().map(|o| format!("{}/report.html", o.result.case)).collect();
    let rows: Vec<_> = outcomes
        .iter()
        .zip(CASES)
        .zip(&links)
        .map(|((outcome, built_in), address)| Overview {
            result: &outcome.result,
            picture: outcome.picture.as_deref(),
            meaning: built_in.meaning,
            address,
        })
        .collect();
    let next = next_commands(out).map(|(command, what)| format!("phasefront {command}    # {what}"));
    let next = next.each_ref().map(String::as_str);
    let page = phasefront_report::overview("Phasefront demo", INTRO, &rows, &next);
    let path = out.join("report.html");
    std::fs::write(&path, page).map_err(|source| ReportError::Io {
        action: "write",
        path: path.clone(),
        source,
    })?;
    Ok(outcomes)
}
