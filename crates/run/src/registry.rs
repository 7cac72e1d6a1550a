//! The solvers: one row each with name, template, job, checkpoints and demo case. Adding a solver adds a row.

use crate::dgtd::DgtdJob;
use crate::error::{RunError, SolverError};
use crate::input::InputFolder;
use crate::job::Job;
use crate::mom::MomJob;
use crate::nah::NahJob;
use crate::reflectarray::ReflectarrayJob;
use crate::sbr::SbrJob;
use phasefront_case::model::reflectarray::Method;
use phasefront_case::{Case, CaseFile};

/// A case with the folder of its input files, and the job that it becomes.
type NewJob = fn(&Case, &InputFolder) -> Option<Result<Box<dyn Job>, SolverError>>;

/// One solver.
pub(crate) struct Solver {
    pub name: &'static str,
    /// A commented case that runs unchanged.
    pub template: &'static str,
    /// The job of a case of this solver; none for a case of another one.
    new: NewJob,
    /// Whether runs of a case write checkpoints.
    checkpoints: fn(&Case) -> bool,
    pub demo: DemoCase,
}

/// A gallery case that is embedded in the binary.
pub(crate) struct DemoCase {
    pub path: &'static str,
    pub case: &'static str,
    pub expected: &'static str,
    /// What the case computes, and what its picture shows.
    pub meaning: &'static str,
}

/// A row: variant of [`Case`], name, job, whether a case writes checkpoints, demo case and its meaning.
macro_rules! solver {
    ($variant:ident, $name:literal, $job:ty, $checkpoints:expr, $demo:literal, $meaning:literal) => {
        Solver {
            name: $name,
            template: include_str!(concat!("../templates/", $name, ".toml")),
            new: |case, folder| match case {
                Case::$variant(case) => Some(<$job>::new(case, folder).map(|job| Box::new(job) as _)),
                _ => None,
            },
            checkpoints: $checkpoints,
            demo: DemoCase {
                path: concat!("cases/", $demo),
                case: include_str!(concat!("../../../cases/", $demo, "/case.toml")),
                expected: include_str!(concat!("../../../cases/", $demo, "/expected.json")),
                meaning: $meaning,
            },
        }
    };
}

/// All solvers, in the order in which the demo runs them.
#[rustfmt::skip]
pub(crate) const SOLVERS: [Solver; 5] = [
    solver!(Mom, "mom", MomJob, |_| true, "01-circle",
        "A plane wave illuminates a conducting cylinder with a radius of one wavelength. The picture shows the field around it: a shadow behind, standing waves in front. The echo width in three directions and the current on the lit side are compared with the series that solves the problem exactly."),
    solver!(Reflectarray, "reflectarray", ReflectarrayJob, synthesizes, "20-pencil-beam",
        "The phases of 71 x 71 elements form one pencil beam along the normal of the array. The picture shows the directivity: the main lobe, and side lobes along the principal planes. A uniformly illuminated square has the pattern in closed form: at the peak, half-way to the first null, and in the first side lobe."),
    solver!(Sbr, "sbr", SbrJob, |_| true, "40-plate",
        "A radar observes a square plate of ten wavelengths, from broadside to grazing. The curve shows the monostatic RCS against the angle: 4 pi A^2/lambda^2 at broadside, and the side lobes of physical optics in closed form."),
    solver!(Dgtd, "dgtd", DgtdJob, |_| true, "62-slab",
        "A pulse is incident on a glass slab. From one time-domain run, the curves show reflection and transmission over a whole band; transmission-line theory gives both in closed form."),
    solver!(Nah, "nah", NahJob, has_an_end, "80-two-monopoles",
        "An array of 1024 microphones receives two monopoles at a distance of eight centimeters, and noise. At the array their fields overlap; the hologram, propagated back to a plane close to the sources, resolves them. It is compared with the exact field of the sources in that plane."),
];

/// A synthesis runs for minutes, an analysis for seconds.
fn synthesizes(case: &Case) -> bool {
    matches!(case, Case::Reflectarray(case) if case.solve.method != Method::Analysis)
}

/// A stream cannot be repeated from where a run was stopped.
fn has_an_end(case: &Case) -> bool {
    matches!(case, Case::Nah(case) if case.source.listen.is_none())
}

/// Templates beside that of their solver: solver, name and text. Each is a commented case that runs unchanged.
const TEMPLATES: [(&str, &str, &str); 7] = [
    ("dgtd", "patch-antenna", include_str!("../templates/dgtd/patch-antenna.toml")),
    ("dgtd", "dipole", include_str!("../templates/dgtd/dipole.toml")),
    ("dgtd", "monopole", include_str!("../templates/dgtd/monopole.toml")),
    ("dgtd", "helix", include_str!("../templates/dgtd/helix.toml")),
    ("dgtd", "horn", include_str!("../templates/dgtd/horn.toml")),
    ("dgtd", "dielectric-resonator", include_str!("../templates/dgtd/dielectric-resonator.toml")),
    ("dgtd", "cavity", include_str!("../templates/dgtd/cavity.toml")),
];

/// Names of the solvers.
pub fn solvers() -> Vec<&'static str> {
    SOLVERS.iter().map(|solver| solver.name).collect()
}

/// A commented case for `solver` that runs unchanged; none if there is no such solver.
///
/// ```
/// let text = phasefront_run::template("mom").unwrap();
/// assert!(phasefront_case::parse("mom.toml", text).is_ok());
/// ```
pub fn template(solver: &str) -> Option<&'static str> {
    SOLVERS.iter().find(|known| known.name == solver).map(|known| known.template)
}

/// Names of the templates of `solver` beside its own, for [`named_template`].
pub fn template_names(solver: &str) -> Vec<&'static str> {
    TEMPLATES.iter().filter(|(known, ..)| *known == solver).map(|(_, name, _)| *name).collect()
}

/// The template of `solver` with this name; none if there is no such template.
///
/// ```
/// let text = phasefront_run::named_template("dgtd", "patch-antenna").unwrap();
/// assert!(phasefront_case::parse("patch-antenna.toml", text).is_ok());
/// ```
pub fn named_template(solver: &str, name: &str) -> Option<&'static str> {
    TEMPLATES.iter().find(|row| (row.0, row.1) == (solver, name)).map(|row| row.2)
}

/// The job of a case. Wrong fields are reported with their line. Files that the case names are read from `folder`.
pub(crate) fn job(file: &CaseFile, folder: &InputFolder) -> Result<Box<dyn Job>, RunError> {
    let job = SOLVERS.iter().find_map(|solver| (solver.new)(&file.case, folder));
    job.unwrap_or_else(|| unreachable!("every case is one of a solver, which the test below holds"))
        .map_err(|error| error.at(file))
}

/// Whether runs of this case write checkpoints.
pub(crate) fn has_checkpoints(case: &Case) -> bool {
    SOLVERS.iter().any(|solver| solver.name == case.solver() && (solver.checkpoints)(case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The case model and this table have the same solvers, and every template is a case of its solver.
    #[test]
    fn every_kind_of_case_has_a_solver() {
        assert_eq!(solvers(), phasefront_case::model::solvers().collect::<Vec<_>>());
        for solver in &SOLVERS {
            let file = phasefront_case::parse(solver.name, solver.template).unwrap();
            assert_eq!(file.case.solver(), solver.name);
            assert!((solver.new)(&file.case, &InputFolder::new(Path::new(""))).is_some());
            let demo = phasefront_case::parse(solver.demo.path, solver.demo.case).unwrap();
            assert_eq!(demo.case.solver(), solver.name);
        }
    }

    /// A template is a case of its solver, named as its results folder is.
    #[test]
    fn every_named_template_is_a_case() {
        for (solver, name, text) in TEMPLATES {
            let file = phasefront_case::parse(name, text).unwrap();
            assert_eq!((file.case.solver(), file.case.name()), (solver, name));
            assert_eq!(named_template(solver, name), Some(text));
            assert!(template_names(solver).contains(&name));
        }
        assert_eq!(named_template("mom", "patch-antenna"), None);
    }
}
