//! The groups of a mesh that plots show: volumes without absorbing layers, and the surfaces that mean something.

use phasefront_case::model::dgtd::{Boundary, DgtdCase, is_vacuum};
use phasefront_mesh::{ShownFace, TetMesh};
use phasefront_report::plot::MeshPart;

/// Part of the size of a mesh within which a point is at its end.
const TOLERANCE: f64 = 1e-9;

/// The groups that are shown, and the groups of the mesh that they are.
pub(super) struct MeshGroups<'a> {
    mesh: &'a TetMesh,
    /// In the order of their colors.
    pub parts: Vec<MeshPart>,
    /// The part of each volume; none for those that are not shown.
    volumes: Vec<Option<usize>>,
    surfaces: Vec<Option<usize>>,
    /// The lowest and highest coordinates of the mesh.
    ends: [[f64; 2]; 3],
}

impl<'a> MeshGroups<'a> {
    /// Those of a case. `is_added` tells the volumes that are no part of its model.
    pub fn new(case: &DgtdCase, mesh: &'a TetMesh, is_added: impl Fn(&str) -> bool) -> Self {
        let mut parts: Vec<MeshPart> = Vec::new();
        let mut part = |name: &String, kind: Option<&str>| {
            // A solid of a closed model has one name for its inside and its surface.
            let known = parts.iter().position(|part| part.name == *name);
            known.or_else(|| {
                let (name, kind) = (name.clone(), kind?.to_owned());
                parts.push(MeshPart { name, kind, shown: true, ..MeshPart::default() });
                Some(parts.len() - 1)
            })
        };
        let volume = |name: &String| {
            let is_air = is_vacuum(name) && !case.geometry.materials.contains_key(name);
            let kind = if is_air { MeshPart::VACUUM } else { "material" };
            Some(kind).filter(|_| !name.starts_with("pml") && !is_added(name))
        };
        let volumes = mesh.volume_names.iter().map(|name| part(name, Some(volume(name)?))).collect();
        let surface = |name: &String| part(name, Some(surface_kind(case, name)?));
        let surfaces = mesh.surface_names.iter().map(surface).collect();
        let own = |&tet: &usize| !is_added(&mesh.volume_names[usize::from(mesh.volume_of[tet])]);
        let nodes = (0..mesh.tets.len()).filter(own).flat_map(|tet| mesh.tets[tet]);
        Self { mesh, parts, volumes, surfaces, ends: bounds(mesh, nodes) }
    }

    /// The part that an element belongs to.
    pub fn part_of(&self, tet: usize) -> Option<usize> {
        self.volumes[usize::from(self.mesh.volume_of[tet])]
    }

    /// The parts of the surfaces that a face is in.
    pub fn surfaces_of(&self, face: &ShownFace) -> impl Iterator<Item = usize> {
        face.surfaces.iter().filter_map(|&group| *self.surfaces.get(usize::from(group))?)
    }

    /// Corners of the surfaces that are not at the end of the mesh; of all nodes if there are none: the lowest and highest coordinates.
    pub fn model_bounds(&self) -> [[f64; 2]; 3] {
        let named = self.mesh.triangles.iter().zip(&self.mesh.surface_of);
        let is_inside = |(corners, of): &(&[u32; 3], &u16)| {
            self.surfaces[usize::from(**of)].is_some() && !self.ends_at(corners).any(|end| end)
        };
        let mut corners = named.filter(is_inside).flat_map(|(corners, _)| *corners).peekable();
        if corners.peek().is_none() { self.ends } else { bounds(self.mesh, corners) }
    }

    /// Whether a face lies on each of the six ends of the mesh: the low and the high one along x, y and z.
    pub fn ends_at(&self, corners: &[u32; 3]) -> impl Iterator<Item = bool> {
        let size: f64 = self.ends.iter().map(|[low, high]| high - low).sum();
        let nodes = corners.map(|corner| self.mesh.nodes[corner as usize]);
        let on = move |k: usize, end: f64| nodes.iter().all(|node| (node[k] - end).abs() < TOLERANCE * size);
        let ends = self.ends;
        (0..6).map(move |i| on(i / 2, ends[i / 2][i % 2]))
    }

    /// Hides the groups around the model from a camera in the direction `view`: vacuum, and what lies at the ends of the mesh toward it.
    pub fn hide_what_hides(&mut self, view: [f64; 3]) {
        let near = |(i, at_end): (usize, bool)| at_end && (view[i / 2] > 0.0) == (i % 2 == 1);
        let hides = |part: &MeshPart| {
            let at_end = |corners: &[u32; 3]| self.ends_at(corners).any(|end| end);
            let is_near = |corners: &[u32; 3]| self.ends_at(corners).enumerate().any(near);
            let is_fed = [PORT, LUMPED].contains(&part.kind.as_str());
            part.kind == MeshPart::VACUUM
                || !is_fed && part.triangles.iter().all(at_end) && part.triangles.iter().any(is_near)
        };
        let hidden: Vec<bool> = self.parts.iter().map(hides).collect();
        let is_empty = |(part, hidden): (&MeshPart, &bool)| *hidden || part.triangles.is_empty();
        if self.parts.iter().zip(&hidden).all(is_empty) {
            return;
        }
        self.parts.iter_mut().zip(hidden).for_each(|(part, hidden)| part.shown = !hidden);
    }
}

const PORT: &str = "port";
const LUMPED: &str = "lumped element";

/// What a surface of this name is; none for those that only bound or cut the model.
fn surface_kind(case: &DgtdCase, name: &str) -> Option<&'static str> {
    let condition = case.geometry.boundaries.get(name).map(|boundary| match boundary {
        Boundary::Pec | Boundary::Conductor(_) | Boundary::Coated(_) => "conductor",
        Boundary::Pmc => "magnetic wall",
        Boundary::Absorbing => "absorbing boundary",
        Boundary::ResistiveSheet(_) => "resistive sheet",
    });
    let port = case.source.ports.iter().flatten().any(|port| port.surface == name).then_some(PORT);
    let lumped = case.geometry.lumped.iter().any(|element| element.surface == name).then_some(LUMPED);
    port.or(lumped).or(condition)
}

/// The lowest and highest coordinates of nodes.
fn bounds(mesh: &TetMesh, nodes: impl Iterator<Item = u32>) -> [[f64; 2]; 3] {
    nodes.fold([[f64::INFINITY, f64::NEG_INFINITY]; 3], |ends, node| {
        let node = mesh.nodes[node as usize];
        std::array::from_fn(|k| [ends[k][0].min(node[k]), ends[k][1].max(node[k])])
    })
}
