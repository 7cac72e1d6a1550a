//! What is watched while the fields run: sums over few nodes at every step, and spectra at many.

use crate::domain::{Domain, Skin, blame};
use crate::error::DgtdError;
use crate::huygens::Huygens;
use crate::locate::Locator;
use crate::plan::Plan;
use crate::ports::PortPlan;
use crate::problem::{Entry, Problem, Slice};
use crate::sources::Drive;
use glam::DVec3;
use phasefront_core::FieldError;

/// A value that is kept at every step: Σ weight × field + drive × pulse(t).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// Slot, component (E, then η₀H), node, weight.
    pub terms: Vec<(u32, u8, u8, f64)>,
    /// What the pulse itself adds.
    pub drive: f64,
}

/// Faces of elements whose nodes have spectra: where they begin in the list of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedFace {
    /// Slot of the element.
    pub slot: u32,
    /// Which face.
    pub face: u8,
    /// The first of its nodes in [`Watch::nodes`].
    pub first: u32,
}

/// A slice: for each point the element and the place on it, where there is one.
#[derive(Debug, Clone)]
pub struct WatchedSlice {
    /// Slot, first of its nodes in [`Watch::nodes`], place on the reference element.
    pub points: Vec<Option<(u32, u32, [f64; 3])>>,
}

/// Everything that is watched.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// Six for each probe, then one for each port.
    pub rows: Vec<Row>,
    /// How many probes there are.
    pub probes: usize,
    /// Nodes with spectra: slot and node.
    pub nodes: Vec<(u32, u8)>,
    /// Faces of the far field.
    pub far: Vec<WatchedFace>,
    /// Faces of conductors.
    pub conductors: Vec<WatchedFace>,
    /// Slices.
    pub slices: Vec<WatchedSlice>,
    /// Elements of the volumes: slot and first node.
    pub volumes: Vec<(u32, u32)>,
    /// Slots of the elements that snapshots show.
    pub snapshots: Vec<u32>,
}

impl Watch {
    /// What a problem asks for.
    pub fn new(
        problem: &Problem,
        domain: &Domain,
        plan: &Plan,
        (ports, drive): (&[PortPlan], &Drive),
    ) -> Result<Self, DgtdError> {
        let mut watch = Self { probes: problem.monitors.probes.len(), ..Self::default() };
        let locator = Locator::new(&domain.mesh);
        for (i, place) in problem.monitors.probes.iter().enumerate() {
            watch.add_probe(i, *place, &locator, plan)?;
        }
        for (i, port) in ports.iter().enumerate() {
            watch.rows.push(voltage(plan, port, (i == problem.sources.driven).then_some(drive)));
        }
        watch.add_far(problem, domain, plan)?;
        if problem.monitors.currents {
            let faces = conductors(domain);
            if faces.is_empty() {
                return Err(FieldError::new(
                    "output.currents",
                    "there are no conductors to show currents on",
                    "leave it out",
                )
                .into());
            }
            watch.conductors = watch.add_faces(plan, &faces);
        }
        for (i, slice) in problem.monitors.slices.iter().enumerate() {
            let slice = watch.add_slice(i, slice, &locator, plan)?;
            watch.slices.push(slice);
        }
        for slot in slots_of(&problem.monitors.volumes, "output.volumes", domain, plan)? {
            let first = watch.add_element(plan, slot);
            watch.volumes.push((slot, first));
        }
        if !problem.monitors.snapshots.is_empty() {
            let named = &problem.monitors.snapshot_groups;
            let groups = if named.is_empty() { &domain.mesh.volume_names } else { named };
            watch.snapshots = slots_of(groups, "output.snapshot_groups", domain, plan)?;
        }
        Ok(watch)
    }

    fn add_probe(
        &mut self,
        i: usize,
        place: [f64; 3],
        locator: &Locator<'_>,
        plan: &Plan,
    ) -> Result<(), DgtdError> {
        let (tet, local) = locator.find(place.into()).ok_or_else(|| {
            FieldError::new(
                format!("output.probes[{i}]"),
                format!("the probe at ({}, {}, {}) m is outside of the mesh", place[0], place[1], place[2]),
                "put it where there are fields: not in conductors, which have no mesh inside",
            )
        })?;
        let weights = plan.element.interpolation(local);
        for component in 0..6 {
            let terms =
                weights.iter().enumerate().map(|(node, w)| (plan.slot_of[tet], component, node as u8, *w));
            self.rows.push(Row { terms: terms.collect(), drive: 0.0 });
        }
        Ok(())
    }

    fn add_far(&mut self, problem: &Problem, domain: &Domain, plan: &Plan) -> Result<(), DgtdError> {
        if !problem.monitors.far_field {
            return Ok(());
        }
        let wave = problem.sources.plane_wave.as_ref();
        let through = match wave.map(|wave| &wave.entry) {
            Some(Entry::Surface(name)) => Some((name, "source.plane_wave.surface")),
            _ => None,
        };
        let named =
            problem.monitors.far_surface.as_ref().map(|name| (name, "output.far_surface")).or(through);
        let faces = match named {
            Some((name, path)) => Huygens::new(domain, name, path)?.outer,
            None if wave.is_some() => conductors(domain),
            None => {
                return Err(FieldError::new(
                    "output",
                    "a far field is asked for, and no surface to compute it from",
                    "name a closed surface of the mesh: far_surface = \"...\"",
                )
                .into());
            }
        };
        self.far = self.add_faces(plan, &faces);
        Ok(())
    }

    fn add_faces(&mut self, plan: &Plan, faces: &[(usize, usize)]) -> Vec<WatchedFace> {
        faces
            .iter()
            .map(|&(tet, face)| {
                let (slot, first) = (plan.slot_of[tet], self.nodes.len() as u32);
                self.nodes.extend(plan.element.face_nodes[face].iter().map(|node| (slot, *node)));
                WatchedFace { slot, face: face as u8, first }
            })
            .collect()
    }

    fn add_element(&mut self, plan: &Plan, slot: u32) -> u32 {
        let first = self.nodes.len() as u32;
        self.nodes.extend((0..plan.element.len()).map(|node| (slot, node as u8)));
        first
    }

    fn add_slice(
        &mut self,
        i: usize,
        slice: &Slice,
        locator: &Locator<'_>,
        plan: &Plan,
    ) -> Result<WatchedSlice, DgtdError> {
        let mut firsts = std::collections::HashMap::new();
        let [along, across] = slice.sides.map(DVec3::from);
        // |a × b| = |a||b| at a right angle; a side without a length has none.
        if along.cross(across).length() <= (1.0 - 1e-6) * along.length() * across.length() {
            return Err(FieldError::new(
                format!("output.slices[{i}].sides"),
                "a slice is a rectangle, and these two are not the sides of one",
                "give two vectors across each other, such as [[\"1 m\", \"0 m\", \"0 m\"], [\"0 m\", \"1 m\", \"0 m\"]]",
            )
            .into());
        }
        let part = |i: usize, n: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.5 };
        let mut points = Vec::with_capacity(slice.points[0] * slice.points[1]);
        for j in 0..slice.points[1] {
            for i in 0..slice.points[0] {
                let place = DVec3::from(slice.origin)
                    + part(i, slice.points[0]) * along
                    + part(j, slice.points[1]) * across;
                points.push(locator.find(place).map(|(tet, local)| {
                    let slot = plan.slot_of[tet];
                    let first = *firsts.entry(slot).or_insert_with(|| self.add_element(plan, slot));
                    (slot, first, local)
                }));
            }
        }
        if points.iter().all(Option::is_none) {
            return Err(FieldError::new(
                format!("output.slices[{i}]"),
                format!("no point of the slice {:?} is in the mesh", slice.name),
                "put it where there are fields: not beside the mesh or in conductors, which have no mesh inside",
            )
            .into());
        }
        Ok(WatchedSlice { points })
    }
}

/// Slots of the elements in volume groups, each once.
fn slots_of(names: &[String], path: &str, domain: &Domain, plan: &Plan) -> Result<Vec<u32>, DgtdError> {
    let mesh = &domain.mesh;
    let group = |(i, name): (usize, &String)| mesh.volume_group(name).map_err(blame(format!("{path}[{i}]")));
    let groups = names.iter().enumerate().map(group).collect::<Result<Vec<u16>, _>>()?;
    let tets = (0..mesh.tets.len()).filter(|&tet| groups.contains(&mesh.volume_of[tet]));
    Ok(tets.map(|tet| plan.slot_of[tet]).collect())
}

/// All faces of conductors.
pub fn conductors(domain: &Domain) -> Vec<(usize, usize)> {
    let all = (0..domain.mesh.tets.len()).flat_map(|tet| (0..4).map(move |face| (tet, face)));
    all.filter(|&(tet, face)| domain.skins[tet][face] == Skin::Pec).collect()
}

/// V = ∫ E*·v dA by quadrature, with E* = A w⁻ + B w⁺ + s from both sides of the sheet.
fn voltage(plan: &Plan, port: &PortPlan, drive: Option<&Drive>) -> Row {
    let mut row = Row::default();
    for &(tet, face) in &port.faces {
        let slot = plan.slot_of[tet];
        let here = plan.faces[slot as usize][face];
        // Each inner face once.
        if (here.neighbor as usize) < 4 * slot as usize + face {
            continue;
        }
        let points = plan.face_points(slot as usize, face);
        let at_points: Vec<DVec3> = points
            .iter()
            .map(|point| {
                let v = point.weight * port.voltage(point.place);
                v - here.normal * v.dot(here.normal)
            })
            .collect();
        let at_node =
            |k: usize| points.iter().zip(&at_points).map(|(point, v)| point.interpolation[k] * *v).sum();
        let at_nodes: Vec<DVec3> = (0..plan.element.face_len()).map(at_node).collect();
        for (k, &v) in at_nodes.iter().enumerate() {
            // −Z (n × H)·v = −Z H·(v × n).
            let across = v.cross(here.normal);
            let mut add = |slot: u32, node: u8, scale: f64, turn: f64| {
                let [eps, mu, _] = plan.media[slot as usize];
                let z = (mu / eps).sqrt();
                for axis in 0..3 {
                    row.terms.push((slot, axis as u8, node, scale * v[axis]));
                    row.terms.push((slot, 3 + axis as u8, node, scale * turn * z * across[axis]));
                }
            };
            add(slot, plan.element.face_nodes[face][k], here.own, -1.0);
            if here.other != 0.0 {
                let (there, their_face) = (here.neighbor / 4, here.neighbor as usize % 4);
                let theirs = plan.element.across(here.turn)[k];
                add(there, plan.element.face_nodes[their_face][usize::from(theirs)], here.other, 1.0);
            }
        }
        let driven =
            drive.and_then(|d| d.faces.iter().find(|f| f.slot == slot && usize::from(f.face) == face));
        for (k, [s1, s2, s3, ..]) in driven.iter().flat_map(|d| &d.points).map(|p| p.amount).enumerate() {
            row.drive += if here.curved {
                DVec3::new(s1, s2, s3).dot(at_points[k])
            } else {
                (s1 * here.tangent + s2 * here.normal.cross(here.tangent)).dot(at_nodes[k])
            };
        }
    }
    row
}
