//! Second-order meshes, deformed by smooth maps.

use phasefront_mesh::{BoxMesh, TET_EDGES, TetMesh};
use std::collections::HashMap;

/// The unit cube in cells.
pub fn cube(cells: usize) -> TetMesh {
    let cell = [1.0 / cells as f64; 3];
    BoxMesh { from: [0.0; 3], to: [1.0; 3], cell, name: "air".into(), ..BoxMesh::default() }.mesh().unwrap()
}

/// The mesh with a node on every edge, and all nodes moved by the map.
pub fn deformed(mut mesh: TetMesh, map: impl Fn([f64; 3]) -> [f64; 3]) -> TetMesh {
    let mut known = HashMap::new();
    let mut middle = |nodes: &mut Vec<[f64; 3]>, a: u32, b: u32| -> u32 {
        *known.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let (p, q) = (nodes[a as usize], nodes[b as usize]);
            nodes.push(std::array::from_fn(|i| 0.5 * (p[i] + q[i])));
            nodes.len() as u32 - 1
        })
    };
    let nodes = &mut mesh.nodes;
    mesh.middles =
        mesh.tets.iter().map(|tet| TET_EDGES.map(|[a, b]| middle(nodes, tet[a], tet[b]))).collect();
    mesh.triangle_middles = mesh
        .triangles
        .iter()
        .map(|t| [[0, 1], [1, 2], [2, 0]].map(|[a, b]| middle(nodes, t[a], t[b])))
        .collect();
    for node in &mut mesh.nodes {
        *node = map(*node);
    }
    mesh
}
