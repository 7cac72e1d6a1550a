//! Monitors: time series of few values at every step (probes, port voltages), and spectra at many nodes.

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::huygens::Huygens;
use crate::images::{self, Mirror};
use crate::locate::Locator;
use crate::near_box::{BoxPoint, box_points};
use crate::plan::{Face, Plan};
use crate::ports::PortPlan;
use crate::problem::{Injection, NearField, Problem, Slice, SnapshotExtent};
use crate::sources::SourcePlan;
use crate::thin_wires::WirePlan;
use crate::wave_port::WavePort;
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_core::constants::ETA0;
use std::cell::OnceCell;

/// Contribution of one element to a value of the time series: Σ weight × field.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The element.
    pub tet: u32,
    /// Component (E, then η₀H), node, weight.
    pub weights: Vec<(u8, u8, f64)>,
    /// A current of a thin wire, η₀I, and its weight.
    pub current: Option<(usize, f64)>,
}

/// A value of the time series: the sum of the terms in their order, wherever they are computed, + source × pulse(t).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// Contributions of elements.
    pub terms: Vec<Term>,
    /// Contribution of the pulse itself.
    pub source: f64,
}

/// A face whose nodes have spectra.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonitoredFace {
    /// The element.
    pub tet: u32,
    /// Which face.
    pub face: u8,
    /// Index of its first node in [`MonitorPlan::nodes`].
    pub first: u32,
}

/// A slice: for each point the element and the local coordinates, where the point is in the mesh.
#[derive(Debug, Clone)]
pub struct MonitoredSlice {
    /// Element, index of its first node in [`MonitorPlan::nodes`], local coordinates.
    pub points: Vec<Option<(u32, u32, [f64; 3])>>,
}

/// Where the near field is saved.
#[derive(Debug, Clone, Default)]
pub enum MonitoredNear {
    /// Nowhere.
    #[default]
    None,
    /// On faces of a closed surface, as seen from outside.
    Faces(Vec<MonitoredFace>),
    /// At points of a box, each with the index of the first node of its element in [`MonitorPlan::nodes`].
    Points(Vec<(u32, BoxPoint)>),
}

impl MonitoredNear {
    /// Number of points, where a face has so many.
    pub fn len(&self, per_face: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Faces(faces) => faces.len() * per_face,
            Self::Points(points) => points.len(),
        }
    }
}

/// All monitors.
#[derive(Debug, Clone, Default)]
pub struct MonitorPlan {
    /// Rows of the time series: six for each probe, then the voltage of each port, then the current of each wave port.
    pub rows: Vec<Row>,
    /// Number of probes.
    pub probes: usize,
    /// Nodes with spectra: element and node.
    pub nodes: Vec<(u32, u8)>,
    /// Faces of the near-to-far-field surface.
    pub far: Vec<MonitoredFace>,
    /// The near field.
    pub near: MonitoredNear,
    /// Flat outer walls, behind which its images lie.
    pub mirrors: Vec<Mirror>,
    /// Faces of conductors.
    pub conductors: Vec<MonitoredFace>,
    /// Slices.
    pub slices: Vec<MonitoredSlice>,
    /// Elements of the volumes, with the index of the first node.
    pub volumes: Vec<(u32, u32)>,
    /// Elements in snapshots: those of the volumes, then others that slices cut.
    pub snapshots: Vec<u32>,
    /// How many of them are in the volumes.
    pub in_snapshot_volumes: usize,
}

impl MonitorPlan {
    /// The monitors of a problem; `plan` has the elements with sources, those of ports among them.
    pub fn new(
        problem: &Problem,
        domain: &Domain,
        plan: &Plan,
        (ports, sources): (&[PortPlan], &SourcePlan),
        wires: &WirePlan,
    ) -> Result<Self, DgtdError> {
        let mut monitors = Self { probes: problem.monitors.probes.len(), ..Self::default() };
        // Only probes and slices look for elements.
        let locator = OnceCell::new();
        let locator = || locator.get_or_init(|| Locator::new(&domain.mesh, |tet| !domain.in_guide(tet)));
        for (i, position) in problem.monitors.probes.iter().enumerate() {
            monitors.add_probe(i, *position, locator(), plan)?;
        }
        let mut currents = Vec::new();
        for (i, port) in ports.iter().enumerate() {
            let excitation = (i == problem.sources.excited).then_some(sources);
            monitors.rows.push(match (&port.wave, wires.ports[i]) {
                (_, Some(current)) => gap(problem, wires, i, current),
                (Some(wave), _) => {
                    let [voltage, current] = modal(domain, plan, wave);
                    currents.push(current);
                    voltage
                }
                (None, None) => voltage(domain, plan, port, excitation),
            });
        }
        monitors.rows.extend(currents);
        if problem.monitors.far_field || problem.monitors.near_field.is_some() {
            monitors.mirrors = images::mirrors(problem, domain)?;
        }
        monitors.add_far(problem, domain, plan)?;
        match &problem.monitors.near_field {
            None => {}
            Some(NearField::Surface(name)) => monitors.add_near_surface(name, problem, domain, plan)?,
            Some(NearField::Box(sides)) => {
                monitors.check_mirrors("output.near_field.box")?;
                let points = box_points(problem, domain, (sides, &monitors.mirrors), locator())?;
                monitors.add_near_points(points, plan);
            }
        }
        if problem.monitors.currents {
            let faces: Vec<_> = domain.conductors().collect();
            if faces.is_empty() {
                return Err(FieldError::new(
                    "output.currents",
                    "there are no conductors that carry surface currents",
                    "leave it out",
                )
                .into());
            }
            monitors.conductors = monitors.add_faces(plan, &faces);
        }
        for (i, slice) in problem.monitors.slices.iter().enumerate() {
            let slice = monitors.add_slice(i, slice, locator(), plan)?;
            monitors.slices.push(slice);
        }
        for tet in tets_of(&problem.monitors.volumes, "output.volumes", domain)? {
            let first = monitors.add_element(plan, tet);
            monitors.volumes.push((tet, first));
        }
        if !problem.monitors.snapshots.is_empty() {
            monitors.snapshots = match &problem.monitors.snapshot_extent {
                SnapshotExtent::All => {
                    let all = 0..domain.mesh.tets.len() as u32;
                    all.filter(|tet| !domain.in_guide(*tet as usize)).collect()
                }
                SnapshotExtent::Groups(named) => tets_of(named, "output.snapshot_volumes", domain)?,
                SnapshotExtent::Slices => Vec::new(),
            };
            monitors.in_snapshot_volumes = monitors.snapshots.len();
            monitors.add_cut_elements(domain);
        }
        Ok(monitors)
    }

    fn add_probe(
        &mut self,
        i: usize,
        position: [f64; 3],
        locator: &Locator<'_>,
        plan: &Plan,
    ) -> Result<(), DgtdError> {
        let (tet, local) = locator.find(position.into()).ok_or_else(|| {
            FieldError::new(
                format!("output.probes[{i}]"),
                format!(
                    "the probe at ({}, {}, {}) m is outside of the mesh",
                    position[0], position[1], position[2]
                ),
                "place it inside the mesh; the interior of conductors is not meshed",
            )
        })?;
        // The polynomial of the element at the point: one row for each component of E and η₀H.
        let weights = plan.element.interpolation(local);
        for component in 0..6 {
            let weights = weights.iter().enumerate().map(|(node, w)| (component, node as u8, *w)).collect();
            self.rows.push(Row { terms: vec![Term { tet: tet as u32, weights, current: None }], source: 0.0 });
        }
        Ok(())
    }

    fn add_far(&mut self, problem: &Problem, domain: &Domain, plan: &Plan) -> Result<(), DgtdError> {
        if !problem.monitors.far_field {
            return Ok(());
        }
        let wave = problem.sources.plane_wave.as_ref();
        let through = match wave.map(|wave| &wave.injection) {
            Some(Injection::TfSf(name)) => Some((name, "source.plane_wave.surface")),
            _ => None,
        };
        let named =
            problem.monitors.far_surface.as_ref().map(|name| (name, "output.far_field_surface")).or(through);
        // By default the TF/SF surface, whose outside holds the scattered field, or the conductors
        // in the scattered-field formulation.
        let in_mirror = |(tet, face): &(usize, usize)| {
            let corners = domain.mesh.face_corners(*tet, *face);
            self.mirrors.iter().any(|mirror| corners.iter().all(|corner| mirror.holds(corner)))
        };
        let faces = match named {
            Some((name, path)) => {
                let outer = Huygens::new(domain, name, path)?.outer;
                images::is_closed(domain, &outer, &self.mirrors, path)?;
                outer
            }
            // What lies in a mirror is not a body: its images stand for it.
            None if wave.is_some() => {
                domain.conductors().filter(|face| !in_mirror(face)).collect()
            }
            None => {
                return Err(FieldError::new(
                    "output",
                    "the far field needs a closed surface for the near-to-far-field transformation",
                    "name a closed surface of the mesh in `far_field_surface`",
                )
                .into());
            }
        };
        self.far = self.add_faces(plan, &faces);
        Ok(())
    }

    fn add_near_surface(
        &mut self,
        name: &str,
        problem: &Problem,
        domain: &Domain,
        plan: &Plan,
    ) -> Result<(), DgtdError> {
        const PATH: &str = "output.near_field.surface";
        self.check_mirrors(PATH)?;
        let faces = if !self.far.is_empty() && problem.monitors.far_surface.as_deref() == Some(name) {
            self.far.clone()
        } else {
            let outer = Huygens::new(domain, name, PATH)?.outer;
            images::is_closed(domain, &outer, &self.mirrors, PATH)?;
            self.add_faces(plan, &outer)
        };
        self.near = MonitoredNear::Faces(faces);
        Ok(())
    }

    /// Equivalent currents with their images radiate behind a symmetry plane, too; behind a ground plane there is nothing.
    fn check_mirrors(&self, path: &str) -> Result<(), DgtdError> {
        if self.mirrors.iter().all(|mirror| mirror.symmetry) {
            return Ok(());
        }
        Err(FieldError::new(
            path,
            "the model has an infinite ground plane, and equivalent currents radiate behind it, too",
            "list the wall in `geometry.symmetry` if it is a symmetry plane, or model a ground of finite size",
        )
        .into())
    }

    /// Adds the elements that slices cut to those in snapshots, each once.
    fn add_cut_elements(&mut self, domain: &Domain) {
        let mut known = vec![false; domain.mesh.tets.len()];
        for &tet in &self.snapshots {
            known[tet as usize] = true;
        }
        for (tet, ..) in self.slices.iter().flat_map(|slice| slice.points.iter().flatten()) {
            if !std::mem::replace(&mut known[*tet as usize], true) {
                self.snapshots.push(*tet);
            }
        }
    }

    fn add_near_points(&mut self, points: Vec<BoxPoint>, plan: &Plan) {
        let mut firsts = std::collections::HashMap::new();
        let add = |point: BoxPoint| {
            let tet = point.tet as u32;
            (*firsts.entry(tet).or_insert_with(|| self.add_element(plan, tet)), point)
        };
        let points = points.into_iter().map(add).collect();
        self.near = MonitoredNear::Points(points);
    }

    fn add_faces(&mut self, plan: &Plan, faces: &[(usize, usize)]) -> Vec<MonitoredFace> {
        faces
            .iter()
            .map(|&(tet, face)| {
                let (tet, first) = (tet as u32, self.nodes.len() as u32);
                self.nodes.extend(plan.element.face_nodes[face].iter().map(|node| (tet, *node)));
                MonitoredFace { tet, face: face as u8, first }
            })
            .collect()
    }

    fn add_element(&mut self, plan: &Plan, tet: u32) -> u32 {
        let first = self.nodes.len() as u32;
        self.nodes.extend((0..plan.element.len()).map(|node| (tet, node as u8)));
        first
    }

    fn add_slice(
        &mut self,
        i: usize,
        slice: &Slice,
        locator: &Locator<'_>,
        plan: &Plan,
    ) -> Result<MonitoredSlice, DgtdError> {
        let mut firsts = std::collections::HashMap::new();
        let [u, v] = slice.sides.map(DVec3::from);
        // |a × b| = |a||b| for perpendicular sides; a side of zero length fails too.
        if u.cross(v).length() <= (1.0 - 1e-6) * u.length() * v.length() {
            return Err(FieldError::new(
                format!("output.slices[{i}].sides"),
                "the sides of a slice must be perpendicular and of nonzero length",
                "give two perpendicular vectors, such as [[\"1 m\", \"0 m\", \"0 m\"], [\"0 m\", \"1 m\", \"0 m\"]]",
            )
            .into());
        }
        // A single point lies in the middle of its side.
        let part = |i: usize, n: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.5 };
        let mut points = Vec::with_capacity(slice.points[0] * slice.points[1]);
        for j in 0..slice.points[1] {
            for i in 0..slice.points[0] {
                let position =
                    DVec3::from(slice.origin) + part(i, slice.points[0]) * u + part(j, slice.points[1]) * v;
                points.push(locator.find(position).map(|(tet, local)| {
                    let tet = tet as u32;
                    // Each element once, however many points of the slice are in it.
                    let first = *firsts.entry(tet).or_insert_with(|| self.add_element(plan, tet));
                    (tet, first, local)
                }));
            }
        }
        if points.iter().all(Option::is_none) {
            return Err(FieldError::new(
                format!("output.slices[{i}]"),
                format!("no point of the slice {:?} is in the mesh", slice.name),
                "place it inside the mesh; the interior of conductors is not meshed",
            )
            .into());
        }
        Ok(MonitoredSlice { points })
    }
}

/// Elements in volume groups, each once.
fn tets_of(names: &[String], path: &str, domain: &Domain) -> Result<Vec<u32>, DgtdError> {
    let mesh = &domain.mesh;
    let group =
        |(i, name): (usize, &String)| mesh.volume_group(name).map_err(mesh_error_at(format!("{path}[{i}]")));
    let groups = names.iter().enumerate().map(group).collect::<Result<Vec<u16>, _>>()?;
    let tets = (0..mesh.tets.len()).filter(|&tet| groups.contains(&mesh.volume_of[tet]));
    Ok(tets.map(|tet| tet as u32).collect())
}

/// V = ∫ E*·v dA by quadrature, with E* = A w⁻ + B w⁺ + s from both sides of the sheet.
fn voltage(domain: &Domain, plan: &Plan, port: &PortPlan, sources: Option<&SourcePlan>) -> Row {
    let mut row = Row::default();
    for &(tet, face) in &port.faces {
        let behind = domain.faces.neighbors[tet][face];
        // Each interior face once.
        if behind.is_some_and(|n| (n.tet as usize) < tet) {
            continue;
        }
        let slot = plan.slot_of[tet] as usize;
        let here = plan.faces[slot][face];
        let points = plan.face_points(slot, face);
        // Tangential part only: E* has no normal component.
        let at_points: Vec<DVec3> = points
            .iter()
            .map(|point| {
                let v = point.weight * port.voltage(point.position);
                v - here.normal * v.dot(here.normal)
            })
            .collect();
        // ∫ E*·v dA as weights of the face nodes, by interpolation to the quadrature points.
        let at_node =
            |k: usize| points.iter().zip(&at_points).map(|(point, v)| point.interpolation[k] * *v).sum();
        let at_nodes: Vec<DVec3> = (0..plan.element.face_len()).map(at_node).collect();
        // A w⁻ with w⁻ = E_t − Z n × H; behind the sheet the normal is the opposite one.
        let own = plan.element.face_nodes[face].iter().copied();
        row.terms.push(side(domain, tet, &here, (here.minus, -1.0), own.zip(&at_nodes)));
        if let Some(behind) = behind.filter(|_| here.plus != 0.0) {
            let their_face = &plan.element.face_nodes[usize::from(behind.face)];
            // The same nodes as the neighbor counts them.
            let theirs = plan.element.face_permutation(here.orientation);
            let theirs = theirs.iter().map(|k| their_face[usize::from(*k)]);
            row.terms.push(side(domain, behind.tet as usize, &here, (here.plus, 1.0), theirs.zip(&at_nodes)));
        }
        let face_source = sources
            .and_then(|d| d.faces.iter().find(|f| f.tet as usize == tet && usize::from(f.face) == face));
        for (k, [s1, s2, s3, ..]) in
            face_source.iter().flat_map(|d| &d.points).map(|p| p.amplitude).enumerate()
        {
            // s of E*: the impressed field of the excited port.
            row.source += if here.curved {
                DVec3::new(s1, s2, s3).dot(at_points[k])
            } else {
                (s1 * here.tangent + s2 * here.normal.cross(here.tangent)).dot(at_nodes[k])
            };
        }
    }
    row
}

/// V = V_s − R I of a port in a thin wire.
fn gap(problem: &Problem, wires: &WirePlan, port: usize, current: usize) -> Row {
    let resistance = problem.sources.ports[port].resistance.unwrap_or_default();
    let term = Term { tet: wires.elements[0].tet, weights: Vec::new(), current: Some((current, -resistance / ETA0)) };
    Row { terms: vec![term], source: if port == problem.sources.excited { 1.0 } else { 0.0 } }
}

/// V = ∫ E*·g dA and I = ∫ (n × H*)·e dA with the outward normal, on the open faces of a wave port. E* = A w⁻ + B w⁺, and
/// n × H* = Y⁻ (E* − w⁻).
fn modal(domain: &Domain, plan: &Plan, wave: &WavePort) -> [Row; 2] {
    let mut rows = [Row::default(), Row::default()];
    for &(tet, face) in &wave.cross.faces {
        let Some(behind) = domain.faces.neighbors[tet][face] else { continue };
        let slot = plan.slot_of[tet] as usize;
        let here = plan.faces[slot][face];
        let points = plan.face_points(slot, face);
        let at_points: Vec<[DVec3; 2]> = points
            .iter()
            .map(|point| wave.fields(((tet, face), point.position)).map(|v| point.weight * v))
            .collect();
        let admittance = domain.material(tet).impedance().recip();
        let scales = [
            [here.minus, here.plus],
            [(here.minus - 1.0) * admittance / ETA0, here.plus * admittance / ETA0],
        ];
        for (row, (field, [minus, plus])) in rows.iter_mut().zip([1, 0].into_iter().zip(scales)) {
            let at_node = |k: usize| {
                points.iter().zip(&at_points).map(|(point, v)| point.interpolation[k] * v[field]).sum()
            };
            let at_nodes: Vec<DVec3> = (0..plan.element.face_len()).map(at_node).collect();
            let own = plan.element.face_nodes[face].iter().copied();
            row.terms.push(side(domain, tet, &here, (minus, -1.0), own.zip(&at_nodes)));
            let their_face = &plan.element.face_nodes[usize::from(behind.face)];
            let theirs = plan.element.face_permutation(here.orientation);
            let theirs = theirs.iter().map(|k| their_face[usize::from(*k)]);
            row.terms.push(side(domain, behind.tet as usize, &here, (plus, 1.0), theirs.zip(&at_nodes)));
        }
    }
    rows
}

/// Scale times (E_t ∓ Z n × H)·v summed over the nodes of one side of a face.
fn side<'a>(
    domain: &Domain,
    tet: usize,
    face: &Face,
    (scale, sign): (f64, f64),
    nodes: impl Iterator<Item = (u8, &'a DVec3)>,
) -> Term {
    let z = domain.material(tet).impedance();
    let mut weights = Vec::new();
    for (node, v) in nodes {
        // −Z (n × H)·v = −Z H·(v × n).
        let v_cross_n = v.cross(face.normal);
        for axis in 0..3 {
            weights.push((axis as u8, node, scale * v[axis]));
            weights.push((3 + axis as u8, node, scale * sign * z * v_cross_n[axis]));
        }
    }
    Term { tet: tet as u32, weights, current: None }
}
