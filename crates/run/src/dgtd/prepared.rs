//! A dgtd case that is ready to be solved: its study, with what the case asks for.

use super::error::solver_error;
use super::far;
use super::mesh::MADE_BY_GMSH;
use super::near_field;
use super::problem;
use super::resonances;
use super::runs::{self, Runs};
use super::saving::Interrupted;
use crate::error::SolverError;
use crate::input::InputFolder;
use crate::job::Context;
use phasefront_case::model::dgtd::DgtdCase;
use phasefront_core::{FieldError, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_dgtd::{Material, Pass, Problem, Study, prepare};
use phasefront_mesh::drawing::{DrawnSizes, SizeView};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The self-check of edges that a mesh may not resolve.
const EDGES: &str = "nodes across narrow conductors";

/// A case that is ready to be solved.
pub(super) struct Prepared {
    pub study: Study,
    pub warnings: Vec<String>,
    pub case: DgtdCase,
    /// The folder of the files that the case names.
    pub inputs: PathBuf,
    /// The digests of those files, and of the mesh that Gmsh has made.
    pub digests: BTreeMap<String, String>,
    /// Element sizes of a drawn mesh.
    pub drawn: Option<DrawnSizes>,
    /// Element sizes that earlier passes found.
    pub views: Vec<SizeView>,
    /// Indices of the excited ports, each in a run of its own; a single run where there are no ports.
    pub excited: Vec<usize>,
    /// The key of the case that the mesh is from, for messages.
    pub mesh_key: &'static str,
}

impl Prepared {
    /// Files that the case names are relative to `folder`.
    pub fn new(case: &DgtdCase, folder: &InputFolder) -> Result<Self, SolverError> {
        Self::with_sizes(case, Vec::new(), folder)
    }

    /// With element sizes that earlier passes found.
    pub fn with_sizes(
        case: &DgtdCase,
        views: Vec<SizeView>,
        folder: &InputFolder,
    ) -> Result<Self, SolverError> {
        let translated = problem::translate(case, views.clone(), folder)?;
        let mesh_key = case.geometry.mesh_key();
        let mut study = prepare(translated.problem).map_err(|error| solver_error(error, mesh_key))?;
        study.self_checks.extend(translated.self_checks);
        if !case.output.exports.is_empty() && study.far_medium() != Material::VACUUM {
            return Err(FieldError::new(
                "output.exports",
                "the far-field surface is not in vacuum, and exports have the impedance and the wavelength of vacuum",
                "remove `exports`, or end the material inside of the far-field surface",
            )
            .into());
        }
        near_field::check(&study, case.output.near_field.as_ref())?;
        resonances::check(&study, case.output.resonances)?;
        study.check_initial().map_err(|error| solver_error(error, mesh_key))?;
        if let Some(sphere) = &case.output.mie {
            far::sphere(sphere).check(&study).map_err(|error| solver_error(error, mesh_key))?;
        }
        let warnings = [&translated.warnings[..], &study.warnings[..]].concat();
        let excited = case.source.excited_ports();
        Ok(Self {
            study,
            warnings,
            case: case.clone(),
            inputs: folder.path().to_owned(),
            digests: folder.digests(),
            drawn: translated.drawn,
            views,
            excited,
            mesh_key,
        })
    }

    pub fn problem(&self) -> &Problem {
        &self.study.problem
    }

    /// A file that is not the same in a later pass.
    pub fn changed_input<'a>(&self, later: &'a Self) -> Option<&'a str> {
        let same = |(file, digest): &(&String, &String)| self.digests.get(*file) == Some(*digest);
        let files = later.digests.iter().filter(|(file, _)| *file != MADE_BY_GMSH);
        files.into_iter().find(|pair| !same(pair)).map(|(file, _)| file.as_str())
    }

    /// The digests of all files, as one text: the same on all ranks that solve the same problem.
    pub fn fingerprint(&self) -> String {
        self.digests.values().map(String::as_str).collect()
    }

    /// What is known about the validity of the result before the run.
    pub fn self_checks(&self) -> Vec<SelfCheck> {
        // An adaptation measures what this one guesses.
        let adapts = self.case.solve.accuracy.is_some() && self.drawn.is_some();
        let guessed = |check: &SelfCheck| adapts && check.name == EDGES;
        self.study.self_checks.iter().filter(|check| !guessed(check)).cloned().collect()
    }

    /// Peak memory of one of so many ranks that share a run on `backend`, each with so many `gpus` like it.
    pub fn memory(&self, backend: &Backend, ranks: usize, gpus: usize) -> MemoryEstimate {
        self.study.memory(self.excited.len(), backend, ranks, gpus)
    }

    /// One run for each excited port, after these passes, from where an earlier process left them; none if the user stops them.
    pub fn runs(
        &self,
        interrupted: Option<Interrupted<'_>>,
        passes: &[Pass],
        context: &Context<'_>,
    ) -> Result<Option<Runs>, SolverError> {
        runs::solve(&self.study, (&self.excited, passes), self.mesh_key, interrupted, context)
    }
}
