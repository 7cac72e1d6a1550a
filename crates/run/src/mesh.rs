//! Makes or reads the mesh of a case, and describes it.

use crate::dgtd::{self, Limiting};
use crate::error::RunError;
use crate::input::InputFolder;
use crate::memory::{MemoryUse, check_memory};
use crate::options::Options;
use crate::read::{folder_of, read_case};
use crate::registry;
use phasefront_case::{Case, CaseFile};
use phasefront_comm::Single;
use phasefront_core::{FieldError, Progress};
use phasefront_mesh::{MeshStatistics, TetMesh};
use phasefront_report::plot::Plot;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The mesh of a case.
#[derive(Debug, Serialize)]
pub struct CaseMesh {
    /// Name of the case.
    pub name: String,
    /// Number of tetrahedra.
    pub elements: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// 1 for straight elements, 2 for curved ones.
    pub order: u8,
    /// Volumes, then surfaces.
    pub groups: Vec<MeshGroup>,
    /// Shape of the worst element, from 0 to 1 for a regular tetrahedron, and the median.
    pub quality: [f64; 2],
    /// Where the worst element is, in meters.
    pub worst_m: [f64; 3],
    /// Shortest, median and longest edge in meters.
    pub edges_m: [f64; 3],
    /// The volume of the element that limits the time step, if the case is valid.
    pub limiting_volume: Option<String>,
    /// Derived quantities of a valid case, with the unit in the name.
    pub facts: BTreeMap<String, f64>,
    /// Memory that a run of a valid case needs.
    pub memory: Vec<MemoryUse>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The mesh as an MSH file.
    #[serde(skip)]
    pub text: String,
    /// The mesh by groups, and a picture of it that is cut open.
    #[serde(skip)]
    pub plot: Plot,
    /// Why the case cannot run with this mesh, if so.
    #[serde(skip)]
    pub refused: Option<RunError>,
}

/// A group of a mesh.
#[derive(Debug, Serialize)]
pub struct MeshGroup {
    /// Its name.
    pub name: String,
    /// `volume` or `surface`.
    pub kind: &'static str,
    /// Its tetrahedra or triangles.
    pub elements: usize,
    /// Its volume in cubic meters, or its area in square meters.
    pub size: f64,
}

/// Makes or reads the mesh of a case. A mesh that the case cannot run with is described, too.
pub fn mesh(case: &Path, options: &Options, progress: &Progress) -> Result<CaseMesh, RunError> {
    let file = read_case(case)?;
    let inputs = InputFolder::watched(folder_of(case), progress);
    let Case::Dgtd(dgtd_case) = &file.case else {
        let message = format!("cases of {} have no volume mesh", file.case.solver());
        let advice = "give a case of the solver dgtd";
        return Err(file.error_at(&FieldError::new("solver", message, advice)).into());
    };
    let (mesh, mut warnings) = dgtd::case_mesh(dgtd_case, &inputs).map_err(|error| error.at(&file))?;
    let statistics = mesh.statistics();
    let (facts, memory, refused) = match predicted(&file, &inputs, options) {
        Ok((facts, memory, told)) => {
            warnings = told;
            (facts, memory, None)
        }
        Err(error @ (RunError::Interrupted(_) | RunError::Device(_))) => return Err(error),
        Err(error) => (BTreeMap::new(), Vec::new(), Some(error)),
    };
    let limiting_volume = limiting(&mesh, &facts);
    let limiting = limiting_volume.as_ref().and_then(|volume| Limiting::from_facts(&facts, volume));
    Ok(CaseMesh {
        name: file.case.name().into(),
        elements: mesh.tets.len(),
        nodes: mesh.nodes.len(),
        order: if mesh.middles.is_empty() { 1 } else { 2 },
        groups: groups(&statistics),
        quality: statistics.quality,
        worst_m: statistics.worst,
        edges_m: statistics.edges,
        plot: dgtd::mesh_plot(dgtd_case, &mesh, limiting.as_ref()),
        limiting_volume,
        facts,
        memory,
        warnings,
        text: phasefront_mesh::gmsh_text(&mesh),
        refused,
    })
}

type Predicted = (BTreeMap<String, f64>, Vec<MemoryUse>, Vec<String>);

/// What a run will need.
fn predicted(file: &CaseFile, inputs: &InputFolder, options: &Options) -> Result<Predicted, RunError> {
    let job = registry::job(file, inputs)?;
    let memory = check_memory(file, &*job, &options.open_device()?, &Single::new())?;
    Ok((job.facts(), memory, job.warnings().to_vec()))
}

fn groups(statistics: &MeshStatistics) -> Vec<MeshGroup> {
    let kinds = [("volume", &statistics.volumes), ("surface", &statistics.surfaces)];
    let group = |(kind, groups): (&'static str, &Vec<phasefront_mesh::GroupStatistics>)| {
        let described = groups.iter().map(|group| MeshGroup {
            name: group.name.clone(),
            kind,
            elements: group.elements,
            size: group.size,
        });
        described.collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(group).collect()
}

/// The volume of the element whose center is that of the limiting one.
fn limiting(mesh: &TetMesh, facts: &BTreeMap<String, f64>) -> Option<String> {
    let [x, y, z] = ["x", "y", "z"].map(|axis| facts.get(&format!("limiting_element_{axis}_m")).copied());
    let position = [x?, y?, z?];
    let distance = |&tet: &usize| {
        let corners = mesh.corners(tet);
        let off = |k: usize| 0.25 * corners.iter().map(|corner| corner[k]).sum::<f64>() - position[k];
        (0..3).map(|k| off(k) * off(k)).sum::<f64>()
    };
    let tet = (0..mesh.tets.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    mesh.volume_names.get(usize::from(mesh.volume_of[tet])).cloned()
}
