//! Which part of a mesh belongs to which solid and sheet.

use super::model::{AIR, Drawing, DrawnSolid, HUYGENS, PML};
use super::planes::SAME_PLANE;
use crate::error::MeshError;
use crate::gmsh::{ElementBlock, GmshMesh, PhysicalGroup};
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};
use std::collections::HashMap;

/// Steps behind a face, relative to its size, at which a body is looked for: thin bodies are found by the first, and behind a chord of
/// a curved face they begin later.
const BEHIND: [f64; 5] = [1e-5, 1e-3, 0.02, 0.1, 0.3];

/// Elements of a volume at which it is looked for other solids.
const SAMPLES: usize = 50;

/// Which solids and sheets of a drawing have a part in its mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Meshed {
    /// Whether something is left of each solid.
    pub solids: Vec<bool>,
    /// Whether something is left of each sheet.
    pub sheets: Vec<bool>,
    /// Whether a part of each sheet is in no volume.
    pub outside: Vec<bool>,
    /// Volumes of two bodies of one CAD file at once: that which applies, the other one, and a point there.
    pub shared: Vec<([usize; 2], Vec3)>,
}

/// What a part of a mesh belongs to.
enum Part {
    Solid(usize),
    Sheet(usize),
    Around(&'static str),
}

impl Drawing {
    /// Gives the volumes and surfaces of a mesh the names of the drawing, and scales it to meters.
    pub fn name(&self, mesh: &mut GmshMesh) -> Result<Meshed, MeshError> {
        let unit = self.unit();
        mesh.nodes.iter_mut().flatten().for_each(|x| *x *= unit);
        let mut names = Names::default();
        let mut meshed = Meshed {
            solids: vec![false; self.solids.len()],
            sheets: vec![false; self.sheets.len()],
            outside: vec![false; self.sheets.len()],
            shared: Vec::new(),
        };
        let inner = faces(mesh);
        for b in 0..mesh.blocks.len() {
            let block = &mesh.blocks[b];
            let part = match block.kind.dim {
                3 => Some(self.volume(mesh, block)?),
                2 => self.surface(mesh, block, &inner),
                _ => None,
            };
            match part {
                Some(Part::Solid(i)) => {
                    meshed.solids[i] = true;
                    let found = self.shared(mesh, block, i);
                    let is_new = |pair: &[usize; 2]| meshed.shared.iter().all(|(known, _)| known != pair);
                    meshed.shared.extend(found.filter(|(pair, _)| is_new(pair)));
                }
                Some(Part::Sheet(i)) => {
                    meshed.sheets[i] = true;
                    meshed.outside[i] |= !inner.contains_key(&sorted(&largest(mesh, block)));
                }
                Some(Part::Around(_)) | None => {}
            }
            let name = part.map(|part| match part {
                Part::Solid(i) => self.solids[i].name.clone(),
                Part::Sheet(i) => self.sheets[i].name.clone(),
                Part::Around(name) => name.into(),
            });
            let dim = block.kind.dim;
            mesh.blocks[b].groups = name.map(|name| names.number(name, dim)).into_iter().collect();
        }
        mesh.groups = names.groups;
        Ok(meshed)
    }

    /// The last solid that contains a point; a body, or one that is none.
    fn solid_at(&self, point: Vec3, is_body: bool) -> Option<Part> {
        let contains = |solid: &DrawnSolid| solid.is_body == is_body && solid.shape.contains(point);
        self.solids.iter().rposition(contains).map(Part::Solid)
    }

    /// The other body of the same CAD file that most of a volume of the solid `i` belongs to, too.
    fn shared(&self, mesh: &GmshMesh, block: &ElementBlock, i: usize) -> Option<([usize; 2], Vec3)> {
        let file = self.solids[i].shape.cad_file()?;
        if block.kind.dim != 3 {
            return None;
        }
        let step = (block.nodes.len() / block.kind.nodes).div_ceil(SAMPLES).max(1);
        let centers: Vec<Vec3> = block
            .nodes
            .chunks(block.kind.nodes)
            .step_by(step)
            .map(|nodes| centroid::<4>(mesh, nodes))
            .collect();
        let other = (0..i).rev().find(|&j| {
            let other = &self.solids[j];
            let meant = other.shape.cad_file() == Some(file) && other.name != self.solids[i].name;
            // Near curved faces, which are approximated, single elements may seem to be in both.
            meant
                && self.overlap(i, j)
                && 2 * centers.iter().filter(|center| other.shape.contains(**center)).count() > centers.len()
        })?;
        Some(([i, other], centers[centers.len() / 2]))
    }

    /// What a volume is: the last solid that contains its largest element.
    fn volume(&self, mesh: &GmshMesh, block: &ElementBlock) -> Result<Part, MeshError> {
        let point = center::<4>(mesh, block);
        if let Some(solid) = self.solid_at(point, false) {
            return Ok(solid);
        }
        match self.boxes() {
            Some([_, [low, high], _]) => {
                let is_air = (0..3).all(|k| low[k] < point[k] && point[k] < high[k]);
                Ok(Part::Around(if is_air { AIR } else { PML }))
            }
            None => Err(MeshError::geometry(
                format!(
                    "Gmsh meshed a volume at {} m that belongs to no solid",
                    crate::tet::position_text(point)
                ),
                "this should not happen: please report it with the case",
            )),
        }
    }

    /// What a surface is: the last sheet that it is part of, the body or solid that it bounds, or the surface around the model.
    fn surface(
        &self,
        mesh: &GmshMesh,
        block: &ElementBlock,
        inner: &HashMap<[usize; 3], Vec<Vec3>>,
    ) -> Option<Part> {
        let (point, tolerance) = (face_center(mesh, block), SAME_PLANE * self.diagonal());
        if let Some(sheet) = self.sheets.iter().rposition(|sheet| sheet.shape.contains(point, tolerance)) {
            return Some(Part::Sheet(sheet));
        }
        if let Some(plane) = self.planes.at(point, tolerance) {
            return Some(Part::Around(plane));
        }
        let boxes = self.boxes();
        let on = |[low, high]: &[Vec3; 2]| {
            let near = |k: usize, end: &Vec3| (point[k] - end[k]).abs() <= tolerance;
            (0..3).any(|k| near(k, low) || near(k, high))
                && (0..3).all(|k| point[k] >= low[k] - tolerance && point[k] <= high[k] + tolerance)
        };
        if let Some([huygens, air, end]) = &boxes {
            if on(huygens) {
                return Some(Part::Around(HUYGENS));
            }
            if on(air) || on(end) {
                return None;
            }
        }
        // A face with one neighbor bounds the domain.
        let corners: [usize; 3] = largest(mesh, block);
        let [neighbor] = inner.get(&sorted(&corners))?[..] else { return None };
        let [a, b, c] = corners.map(|i| mesh.nodes[i]);
        let normal = cross(sub(b, a), sub(c, a));
        let size = norm(normal).sqrt();
        // Away from the element.
        let side = if dot(normal, sub(neighbor, a)) > 0.0 { -1.0 } else { 1.0 };
        let behind = |step: f64| add(point, times(side * step * size / norm(normal), normal));
        let body = BEHIND.iter().find_map(|&step| self.solid_at(behind(step), true));
        body.or_else(|| self.solid_at(neighbor, false))
    }
}

/// Physical groups by name and dimension.
#[derive(Default)]
struct Names {
    groups: Vec<PhysicalGroup>,
}

impl Names {
    fn number(&mut self, name: String, dim: usize) -> i32 {
        if let Some(group) = self.groups.iter().find(|group| group.name == name && group.dim == dim) {
            return group.tag;
        }
        let tag = i32::try_from(self.groups.len() + 1).unwrap_or(i32::MAX);
        self.groups.push(PhysicalGroup { name, dim, tag });
        tag
    }
}

/// The centers of the tetrahedra at each face.
fn faces(mesh: &GmshMesh) -> HashMap<[usize; 3], Vec<Vec3>> {
    let mut faces: HashMap<[usize; 3], Vec<Vec3>> = HashMap::new();
    for block in mesh.blocks.iter().filter(|block| block.kind.dim == 3) {
        for nodes in block.nodes.chunks(block.kind.nodes) {
            let middle = times(0.25, nodes[..4].iter().fold([0.0; 3], |sum, &i| add(sum, mesh.nodes[i])));
            for left in 0..4 {
                let corners: [usize; 3] = std::array::from_fn(|i| nodes[(left + 1 + i) % 4]);
                faces.entry(sorted(&corners)).or_default().push(middle);
            }
        }
    }
    faces
}

fn sorted(corners: &[usize; 3]) -> [usize; 3] {
    let mut sorted = *corners;
    sorted.sort_unstable();
    sorted
}

/// The corners of the largest element of a block, by its first three: slivers are close to other parts.
fn largest<const N: usize>(mesh: &GmshMesh, block: &ElementBlock) -> [usize; N] {
    let size = |nodes: &&[usize]| {
        let [a, b, c] = [0, 1, 2].map(|i| mesh.nodes[nodes[i]]);
        let base = cross(sub(b, a), sub(c, a));
        if N == 4 { dot(base, sub(mesh.nodes[nodes[3]], a)).abs() } else { norm(base) }
    };
    let nodes = block.nodes.chunks(block.kind.nodes).max_by(|a, b| size(a).total_cmp(&size(b)));
    std::array::from_fn(|i| nodes.map_or(0, |nodes| nodes[i]))
}

/// The center of the largest triangle; on a curved face if it is of second order.
fn face_center(mesh: &GmshMesh, block: &ElementBlock) -> Vec3 {
    if block.kind.nodes != 6 {
        return center::<3>(mesh, block);
    }
    // At the center the functions of corners are −1/9, those of middles 4/9.
    let add_to = |sum: Vec3, (i, node): (usize, usize)| {
        let weight = if i < 3 { -1.0 / 9.0 } else { 4.0 / 9.0 };
        add(sum, times(weight, mesh.nodes[node]))
    };
    largest::<6>(mesh, block).into_iter().enumerate().fold([0.0; 3], add_to)
}

/// The center of the largest element, a triangle or a tetrahedron, by its corners.
fn center<const N: usize>(mesh: &GmshMesh, block: &ElementBlock) -> Vec3 {
    centroid::<N>(mesh, &largest::<N>(mesh, block))
}

/// The mean of the first corners of an element.
fn centroid<const N: usize>(mesh: &GmshMesh, nodes: &[usize]) -> Vec3 {
    times(1.0 / N as f64, nodes[..N].iter().fold([0.0; 3], |sum, &i| add(sum, mesh.nodes[i])))
}
