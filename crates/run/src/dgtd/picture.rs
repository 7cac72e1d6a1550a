//! A picture of a mesh, cut open through its conductors.

use phasefront_case::model::dgtd::DgtdCase;
use phasefront_mesh::{TET_FACES, TetMesh};
use phasefront_report::ReportError;
use phasefront_report::plot::MeshPlot;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Directions toward the camera for cuts normal to x, y and z: what is on its side of the cut is left out.
const VIEWS: [[f64; 3]; 3] = [[1.0, -0.45, 0.5], [0.45, -1.0, 0.5], [0.3, -0.5, 1.0]];

/// The elements behind a plane, without those of a PML, and all conductors and ports that are not at the end of the mesh; as PNG.
pub(super) fn picture(case: &DgtdCase, mesh: &TetMesh) -> Result<Vec<u8>, ReportError> {
    let mut names = mesh.volume_names.clone();
    let parts = conductors(case, mesh, &mut names);
    let corners: Vec<u32> = parts.iter().flat_map(|(corners, _)| *corners).collect();
    let all: Vec<u32> = (0..mesh.nodes.len() as u32).collect();
    let ends = bounds(mesh, if corners.is_empty() { &all } else { &corners });
    // Normal to the axis along which conductors are thinnest, so that they are seen from their face.
    let side = |k: &usize| ends[*k][1] - ends[*k][0];
    let axis = [1, 0, 2].into_iter().min_by(|a, b| side(a).total_cmp(&side(b))).unwrap_or(1);
    let middle = 0.5 * (ends[axis][0] + ends[axis][1]);
    let away = -VIEWS[axis][axis].signum();
    let is_pml = |tet: usize| mesh.volume_names[usize::from(mesh.volume_of[tet])].starts_with("pml");
    let is_kept = |tet: &usize| {
        let center = 0.25 * mesh.corners(*tet).iter().map(|corner| corner[axis]).sum::<f64>();
        away * (center - middle) >= 0.0 && !is_pml(*tet)
    };
    let mut sides: BTreeMap<[u32; 3], ([u32; 3], usize)> = BTreeMap::new();
    for tet in (0..mesh.tets.len()).filter(is_kept) {
        for face in 0..TET_FACES.len() {
            let corners = mesh.face(tet, face);
            // A face between two elements is seen from neither.
            if sides.remove(&sorted(corners)).is_none() {
                sides.insert(sorted(corners), (corners, usize::from(mesh.volume_of[tet])));
            }
        }
    }
    let colored: HashSet<[u32; 3]> = parts.iter().map(|(corners, _)| sorted(*corners)).collect();
    let sides = sides.into_iter().filter(|(key, _)| !colored.contains(key)).map(|(_, side)| side);
    let (triangles, groups): (Vec<[u32; 3]>, Vec<usize>) = parts.into_iter().chain(sides).unzip();
    let (vertices, triangles) = compact(mesh, triangles);
    let plot = MeshPlot {
        name: "mesh".into(),
        title: format!("{}: {} tetrahedra, cut open", case.name, mesh.tets.len()),
        vertices,
        triangles,
        groups,
        names,
        view: VIEWS[axis],
    };
    Ok(plot.render()?.png)
}

/// Triangles of surfaces with a boundary condition or a port, but for those at the end of the mesh, with the positions of their names.
fn conductors(case: &DgtdCase, mesh: &TetMesh, names: &mut Vec<String>) -> Vec<([u32; 3], usize)> {
    let is_shown = |name: &str| {
        let ports = case.source.ports.iter().flatten();
        let lumped = case.geometry.lumped.iter().map(|element| &element.surface);
        case.geometry.boundaries.contains_key(name)
            || ports.map(|port| &port.surface).chain(lumped).any(|s| s == name)
    };
    let mut surfaces: HashMap<u16, usize> = HashMap::new();
    for (group, name) in (0_u16..).zip(&mesh.surface_names).filter(|(_, name)| is_shown(name)) {
        // A solid of a closed model has one name for its inside and its surface.
        let position = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        });
        surfaces.insert(group, position);
    }
    let ends = bounds(mesh, &(0..mesh.nodes.len() as u32).collect::<Vec<_>>());
    let tolerance = 1e-9 * ends.iter().map(|[low, high]| high - low).sum::<f64>();
    let at_end = |corners: &[u32; 3]| {
        (0..3).any(|k| {
            let on = |end: f64| corners.iter().all(|&i| (mesh.nodes[i as usize][k] - end).abs() < tolerance);
            on(ends[k][0]) || on(ends[k][1])
        })
    };
    let named = mesh.triangles.iter().zip(&mesh.surface_of);
    let shown = named.filter_map(|(corners, of)| Some((*corners, *surfaces.get(of)?)));
    shown.filter(|(corners, _)| !at_end(corners)).collect()
}

/// The lowest and highest coordinates of nodes.
fn bounds(mesh: &TetMesh, nodes: &[u32]) -> [[f64; 2]; 3] {
    std::array::from_fn(|k| {
        let along = nodes.iter().map(|&i| mesh.nodes[i as usize][k]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    })
}

/// Only the nodes that are seen: others would take their place on the page.
fn compact(mesh: &TetMesh, mut triangles: Vec<[u32; 3]>) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let (mut vertices, mut numbers) = (Vec::new(), HashMap::new());
    for node in triangles.iter_mut().flatten() {
        *node = *numbers.entry(*node).or_insert_with(|| {
            vertices.push(mesh.nodes[*node as usize]);
            vertices.len() as u32 - 1
        });
    }
    (vertices, triangles)
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}
