//! A problem that passed its checks, with everything known before a device is chosen.

use crate::ade;
use crate::check;
use crate::clusters::Clusters;
use crate::domain::Domain;
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::guides::add_guides;
use crate::images::{cut_ports, named_planes};
use crate::incident::Incident;
use crate::kind::{Kind, Kinds};
use crate::locate::Locator;
use crate::monitors::MonitorPlan;
use crate::part::Part;
use crate::plan::{LANES, Plan, point_traces, traces};
use crate::ports::PortPlan;
use crate::problem::{Dipole, Kernels, Problem, TimeStepping};
use crate::reference::points::Reference;
use crate::scheme;
use crate::sheets::{self, SheetPlan};
use crate::sources::{SourcePlan, SourcePoint, source_tets};
use crate::terminals::Terminals;
use crate::thin_wires::WirePlan;
use crate::time::{self, TimeStep};
use num_complex::Complex64;
use phasefront_core::{FieldError, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_mesh::TetMesh;
use std::sync::OnceLock;

/// Predicted speed-up by local steps from which on they are taken: they need twice the memory.
const WORTHWHILE: f64 = 1.5;
/// Numbers per element for its shape, its faces and its neighbors.
const GEOMETRY: usize = 74;
/// Numbers per curved element for its map, flags of its curved faces, and their neighbors.
const CURVED_GEOMETRY: usize = 36;
/// Bytes held on the host for each tetrahedron: the mesh twice, its faces, and the shapes of its elements. Measured: 843 of a mesh of
/// 11.7 million of the first order; those of the second order have six more nodes, twice.
const TET_BYTES: u64 = 950;
/// For each point of a slice or a near field at each frequency: E and H as computed, as arrays, and in the file.
const SLICE_BYTES: u64 = 3 * 96;
/// For each point of a volume while its file is written: position, share of the tetrahedra, and all of it as text.
const FILE_BYTES: u64 = 320;

/// A problem that passed its checks, with its mesh and sources discretized.
pub struct Study {
    /// The problem.
    pub problem: Problem,
    /// The time step.
    pub step: TimeStep,
    /// Warnings about the unit of length or the run time.
    pub warnings: Vec<String>,
    /// How far the result can be trusted, as far as it is known before the run.
    pub self_checks: Vec<SelfCheck>,
    pub(crate) domain: Domain,
    pub(crate) reference: Reference,
    pub(crate) ports: Vec<PortPlan>,
    /// Terminals of wave ports.
    pub terminals: Vec<Terminals>,
    pub(crate) kinds: Kinds,
    pub(crate) clusters: Clusters,
    pub(crate) sources: SourcePlan,
    pub(crate) sheets: SheetPlan,
    pub(crate) wires: WirePlan,
    pub(crate) monitors: MonitorPlan,
    observed: OnceLock<Plan>,
}

/// Checks a problem, orders its mesh and determines its time step.
pub fn prepare(mut problem: Problem) -> Result<Study, DgtdError> {
    check::settings(&problem)?;
    add_guides(&mut problem)?;
    let mut domain = Domain::new(&problem)?;
    check::boundaries(&domain)?;
    check::pml(&domain)?;
    check::anisotropy(&problem, &domain)?;
    check::curved(&domain)?;
    check::resolution(&problem, &domain)?;
    let lumped = sheets::lumped_plans(&problem, &domain)?;
    domain.sheet_models = sheets::models(&problem, &lumped)?;
    let sheets = SheetPlan::new(&domain);
    let ports = PortPlan::all(&problem, &domain)?;
    check::ports(&problem, &domain, &ports, &lumped)?;
    let terminals = Terminals::all(&problem, &domain, &ports)?;
    let incident = Incident::find(&problem, &domain)?;
    let dipoles = locate_dipoles(&problem, &domain)?;
    let reference = Reference::new(problem.order);
    let wires = WirePlan::new(&problem, &domain, &reference)?;
    // Elements with sources are a kind of their own.
    let marked = source_tets(&domain, incident.as_ref(), &ports, &dipoles, &sheets, &wires);
    let kinds = Kinds::new(&domain, &marked);
    check::size(&reference, problem.flux, &kinds)?;
    let mut limits = time::limits(&problem, &domain, &ports);
    wires.limit(&mut limits, problem.courant);
    let mut step = time::step(&problem, &domain, &ports, &limits);
    let shortest = step;
    let clusters = clusters(&problem, &domain, &kinds, (&limits, &mut step))?;
    let with_sources = Part::of(indices(&marked));
    let plan = Plan::new(&reference, problem.flux, &domain, &ports, (&kinds, &clusters), &with_sources);
    let sources = SourcePlan::new(&problem, &domain, &plan, incident.as_ref(), &ports, &dipoles);
    // It borrows the problem, which moves into the study.
    let interior = incident.and_then(|incident| incident.interior_field());
    let monitors = MonitorPlan::new(&problem, &domain, &plan, (&ports, &sources), &wires)?;
    // The last step ends exactly at the requested time.
    let length = problem.stop.time - sources.start;
    step.dt = length / (length / step.dt).ceil();
    let mut warnings = check::warnings(&problem, &domain, (&shortest, &clusters));
    warnings.extend(check::waves(&problem, &ports)?);
    warnings.extend(terminals_as_modes(&problem));
    let planes =
        if monitors.mirrors.is_empty() { named_planes(&problem, &domain)? } else { monitors.mirrors.clone() };
    warnings.extend(cut_ports(&problem, &domain, [&ports, &lumped], &planes));
    let mut self_checks = check::self_checks(&problem, &domain, &ports, &lumped)?;
    self_checks.extend(interior.map(check::interior_field));
    self_checks.extend(check::clouds(&problem, wires.cloud));
    let observed = OnceLock::new();
    Ok(Study {
        problem,
        step,
        warnings,
        self_checks,
        domain,
        reference,
        ports,
        terminals,
        kinds,
        clusters,
        sources,
        sheets,
        wires,
        monitors,
        observed,
    })
}

/// Far and near fields of ports with terminals are not those of a terminal.
fn terminals_as_modes(problem: &Problem) -> Option<String> {
    let (sources, monitors) = (&problem.sources, &problem.monitors);
    let surface = &sources.ports.get(sources.excited)?.surface;
    let has_terminals = sources.terminals.iter().any(|(of, _)| of == surface);
    (has_terminals && (monitors.far_field || monitors.near_field.is_some())).then(|| {
        format!(
            "the wave port {surface:?} has terminals, and each run excites one of its modes: far and near fields, gain and efficiency are \
             those of a mode, not of a terminal"
        )
    })
}

/// Local steps, if they are asked for or make the run clearly faster; then `step` becomes the longest of them.
fn clusters(
    problem: &Problem,
    domain: &Domain,
    kinds: &Kinds,
    (limits, step): (&[f64], &mut TimeStep),
) -> Result<Clusters, DgtdError> {
    let obstacle = match problem {
        // Rates before the start are zero only if the fields are.
        _ if problem.sources.initial.is_some() => Some("with initial fields"),
        _ if !problem.thin_wires.is_empty() => Some("with thin wires"),
        _ if problem.kernels == Kernels::Split => Some("with split kernels"),
        _ => None,
    };
    match (problem.time_stepping, obstacle) {
        (TimeStepping::Global, _) | (TimeStepping::Auto, Some(_)) => return Ok(Clusters::global()),
        (TimeStepping::Local, Some(with)) => {
            return Err(FieldError::new(
                "solve.time_stepping",
                format!("\"local\" does not work {with}"),
                "write \"auto\", the default, which takes one step for all elements there",
            )
            .into());
        }
        _ => {}
    }
    let highest = problem.pulse.highest_content().max(problem.highest_frequency);
    let (clusters, dt) = Clusters::local(limits, domain, kinds, highest);
    if problem.time_stepping == TimeStepping::Auto && clusters.gain < WORTHWHILE {
        return Ok(Clusters::global());
    }
    step.dt = dt;
    Ok(clusters)
}

/// Indices of what is marked.
fn indices(marked: &[bool]) -> Vec<u32> {
    marked.iter().enumerate().filter(|(_, marked)| **marked).map(|(i, _)| i as u32).collect()
}

fn locate_dipoles(problem: &Problem, domain: &Domain) -> Result<Vec<(usize, [f64; 3])>, DgtdError> {
    if problem.sources.dipoles.is_empty() {
        return Ok(Vec::new());
    }
    let locator = Locator::new(&domain.mesh, |tet| !domain.in_guide(tet));
    let find = |(i, dipole): (usize, &Dipole)| {
        let [x, y, z] = dipole.position;
        locator.find(dipole.position.into()).ok_or_else(|| {
            FieldError::new(
                format!("source.dipoles[{i}].position"),
                format!("the dipole at ({x}, {y}, {z}) m is outside of the mesh"),
                "place it inside the mesh",
            )
            .into()
        })
    };
    problem.sources.dipoles.iter().enumerate().map(find).collect()
}

impl Study {
    /// The same problem with another port excited.
    pub fn exciting(&self, port: usize) -> Result<Self, DgtdError> {
        let mut problem = self.problem.clone();
        problem.sources.excited = port;
        prepare(problem)
    }

    /// The elements that monitors look at. They are few, or as many as their spectra and snapshots.
    pub(crate) fn observed(&self) -> &Plan {
        self.observed.get_or_init(|| {
            let mut marked = vec![false; self.domain.mesh.tets.len()];
            let nodes = self.monitors.nodes.iter().map(|node| node.0);
            for tet in nodes.chain(self.monitors.snapshots.iter().copied()) {
                marked[tet as usize] = true;
            }
            self.plan(&Part::of(indices(&marked)))
        })
    }

    /// The states of each face of a sheet, with its tetrahedron.
    pub(crate) fn sheet_states(&self) -> impl Iterator<Item = (usize, usize)> {
        let (Reference { element, points }, flux) = (&self.reference, self.problem.flux);
        let values = [element.face_len() * traces(flux), points.face.len() * point_traces(flux)];
        self.sheets.faces.iter().map(move |face| {
            let tet = face.tet as usize;
            let curved = Shape::of(&self.domain.mesh, tet).face_is_curved(usize::from(face.face));
            (tet, self.sheets.states(face) * values[usize::from(curved)])
        })
    }

    /// The plan of a part of the mesh.
    pub(crate) fn plan(&self, part: &Part) -> Plan {
        Plan::new(
            &self.reference,
            self.problem.flux,
            &self.domain,
            &self.ports,
            (&self.kinds, &self.clusters),
            part,
        )
    }

    /// The mesh, in the order in which elements are numbered.
    pub fn mesh(&self) -> &TetMesh {
        &self.domain.mesh
    }

    /// Nodes of an element.
    pub(crate) fn nodes(&self) -> usize {
        self.reference.element.len()
    }

    /// Time after which all sources are zero, s.
    pub(crate) fn source_end(&self) -> f64 {
        self.problem.pulse.end() + self.sources.last
    }

    /// Number of steps if the energy criterion does not stop the run earlier.
    pub fn max_steps(&self) -> u64 {
        ((self.problem.stop.time - self.sources.start) / self.step.dt).round() as u64
    }

    /// Times of the stages of a step, relative to it: of the LSRK scheme, or of the shortest local steps.
    pub(crate) fn stages(&self) -> Vec<f64> {
        if !self.clusters.is_local() {
            return scheme::C.to_vec();
        }
        let stages = self.clusters.stages();
        (0..stages).map(|stage| stage as f64 / stages as f64).collect()
    }

    /// What a saved state has of every unknown: its value, and with local steps its rates at three steps.
    pub(crate) fn saved_registers(&self) -> usize {
        if self.clusters.is_local() { 4 } else { 1 }
    }

    /// Evaluations of the rates of an element in a step, for all elements together.
    pub(crate) fn evaluations(&self) -> u64 {
        let (tets, stages) = (self.domain.mesh.tets.len(), self.clusters.stages() as u64);
        if !self.clusters.is_local() {
            return tets as u64 * stages;
        }
        (0..tets).map(|tet| stages >> self.clusters.level(tet)).sum()
    }

    /// Predicted speed-up by local steps, and the number of their levels; none if all elements take the same step.
    pub fn local_steps(&self) -> Option<(f64, usize)> {
        self.clusters.is_local().then(|| (self.clusters.gain, self.clusters.levels()))
    }

    /// Nodes per wavelength along the longest edge of an element, where that is least.
    pub fn points_per_wavelength(&self) -> f64 {
        check::points_per_wavelength(&self.problem, &self.domain)
    }

    /// Bytes of a run: fields and increments, traces twice, geometry, ADE unknowns and coefficients, tables of curved elements, states
    /// of sheets, sources, and spectra.
    pub fn bytes(&self) -> u64 {
        let (nodes, flux) = (self.nodes(), self.problem.flux);
        // The three split kernels pass rates through memory.
        let rates = if self.problem.kernels == Kernels::Split { 6 * nodes } else { 0 };
        // Fields and ADE unknowns, and their increments; with local steps the rates of three steps instead. Traces of four faces in two
        // buffers; with local steps also halfway.
        let (copies, buffers) = if self.clusters.is_local() { (4, 3) } else { (2, 2) };
        let slot = copies * 6 * nodes
            + rates
            + buffers * 4 * self.reference.element.face_len() * traces(flux)
            + GEOMETRY;
        let curved = buffers * 4 * self.reference.points.face.len() * point_traces(flux) + CURVED_GEOMETRY;
        let reals = Kind::ALL.into_iter().map(|kind| {
            let unknowns = ade::unknowns(self.kinds.poles, &self.domain, kind);
            let coefficients = ade::coefficient_count(kind, nodes, unknowns);
            let curved = if kind == Kind::Curved { curved } else { 0 };
            let slots = self.kinds.count(kind).next_multiple_of(LANES);
            slots * (slot + copies * unknowns * nodes + coefficients + curved)
        });
        let sheets = copies * self.sheet_states().map(|(_, states)| states).sum::<usize>();
        ((reals.sum::<usize>() + sheets) * self.problem.precision.bytes()) as u64
            + self.source_bytes()
            + self.spectrum_bytes()
    }

    /// Bytes of the sources on faces: of a near field some copies of the pulse at each point.
    fn source_bytes(&self) -> u64 {
        let points: usize = self.sources.faces.iter().map(|face| face.points.len()).sum();
        (points * size_of::<SourcePoint>()) as u64
    }

    /// Bytes of the spectra.
    pub fn spectrum_bytes(&self) -> u64 {
        let values = 6 * self.monitors.nodes.len() * self.problem.monitors.frequencies.len();
        (values * size_of::<Complex64>()) as u64
    }

    /// Degrees of freedom: components times nodes.
    pub fn dof(&self) -> usize {
        self.domain.mesh.tets.len() * self.nodes() * 6
    }

    /// Memory that one of so many ranks, with so many GPUs each, needs at once for a case of so many runs, one for each excited port. A
    /// checkpoint holds the fields of a rank once more on its host, half of what a run holds; a snapshot has them in double precision.
    /// Of several ranks the first needs [`Self::output_bytes`] in addition.
    pub fn memory(&self, runs: usize, backend: &Backend, ranks: usize, gpus: usize) -> MemoryEstimate {
        // With several runs, the study of the current one is held beside that of the first.
        let studies = if runs > 1 { 2 } else { 1 };
        let [ranks, gpus] = [ranks, gpus].map(|count| count.max(1) as u64);
        let (own, dof) = (self.bytes().div_ceil(ranks), (self.dof() as u64).div_ceil(ranks));
        let output = if ranks > 1 { 0 } else { self.output_bytes() };
        let host = studies * self.problem.mesh.tets.len() as u64 * TET_BYTES
            + (own / 2).max(dof * size_of::<f64>() as u64)
            + output;
        match backend {
            Backend::Cpu => MemoryEstimate { device: 0, host: host + own },
            // Tables are assembled on the host one after the other; the largest are the fields, less than half of all.
            Backend::Gpu(_) => MemoryEstimate { device: own.div_ceil(gpus), host: host + own / 2 },
        }
    }

    /// Host memory of the near field, slices, currents, volumes and snapshots while their files are written.
    pub fn output_bytes(&self) -> u64 {
        let monitors = &self.problem.monitors;
        let slices =
            monitors.slices.iter().map(|slice| (slice.points[0] * slice.points[1]) as u64).sum::<u64>();
        let near = self.monitors.near.len(self.reference.points.face.len()) << self.monitors.mirrors.len();
        let points = self.volume_points().max(self.snapshot_points()) as u64;
        // Files hold spectra in single precision, with magnitudes: less than the spectra themselves. Snapshots keep their size.
        self.spectrum_bytes()
            + 2 * self.snapshot_bytes()
            + (slices + near as u64) * monitors.frequencies.len() as u64 * SLICE_BYTES
            + points * FILE_BYTES
    }

    /// Steps after which snapshots are saved: those nearest to the requested times, each once.
    pub(crate) fn snapshot_steps(&self) -> Vec<u64> {
        let step = |time: &f64| ((time - self.sources.start) / self.step.dt).round() as u64;
        let mut steps: Vec<u64> = self.problem.monitors.snapshots.iter().map(step).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Points of [`Self::volume_subdivision`].
    pub fn volume_points(&self) -> usize {
        self.nodes() * self.monitors.volumes.len()
    }

    /// Points of [`Self::snapshot_subdivision`].
    pub fn snapshot_volume_points(&self) -> usize {
        self.nodes() * self.monitors.in_snapshot_volumes
    }

    /// Points at which snapshots are saved: those, and other elements that slices cut.
    pub(crate) fn snapshot_points(&self) -> usize {
        self.nodes() * self.monitors.snapshots.len()
    }

    /// Bytes of all snapshots, which the host holds until the end.
    pub fn snapshot_bytes(&self) -> u64 {
        (self.snapshot_steps().len() * 6 * self.snapshot_points() * size_of::<f32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Boundary;
    use phasefront_mesh::BoxMesh;

    /// Every rank has the mesh, and its share of the fields; GPUs of one process share those of their rank.
    #[test]
    fn ranks_hold_their_part_of_the_fields() {
        let mesh = BoxMesh { to: [1.0; 3], cell: [0.25; 3], name: "air".into(), ..BoxMesh::default() };
        let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
        let study = prepare(Problem {
            mesh: mesh.mesh().unwrap(),
            boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
            highest_frequency: 1e9,
            order: 3,
            ..Problem::default()
        })
        .unwrap();
        let mesh = study.problem.mesh.tets.len() as u64 * TET_BYTES;
        let fields = |ranks| study.memory(1, &Backend::Cpu, ranks, 1).host - mesh;
        let alone = fields(1) - study.output_bytes();
        for ranks in [2, 3, 7] {
            let all = ranks as u64 * fields(ranks);
            assert!(all.abs_diff(alone) <= 2 * ranks as u64, "{ranks} ranks: {all} bytes of {alone}");
        }
    }
}
