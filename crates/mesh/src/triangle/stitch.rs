//! Stitching of T-junctions: hanging nodes are inserted into the edges that they lie on.

use super::edges::{Edges, ends};
use super::mesh::TriangleMesh;
use super::point_tree::PointTree;
use super::vec3::{Vec3, add, dot, norm, sub, times};
use std::collections::HashMap;

/// Largest distance of a hanging node from its edge, in weld tolerances. Files have the same digits at both ends of an edge, but a node
/// on it is rounded on its own: with six digits, as in text files of CAD programs, by some 1e-5 of the size.
const REACH: f64 = 30.0;
/// The same distance relative to the height of the triangles at the edge: small triangles keep their shape.
const MAX_OFFSET: f64 = 0.01;
/// The same distance relative to that from the nearer end of the edge.
const MAX_SLOPE: f64 = 0.1;
/// A split may bring other nodes into reach of the new edges; few rounds settle that.
const ROUNDS: usize = 4;

/// Hanging nodes by edge, each list ordered from the lower end of the edge.
type Nodes = HashMap<[u32; 2], Vec<u32>>;

/// Splits the edges that an end of a boundary edge lies on, in all of their triangles; returns the number of nodes inserted into edges.
/// Only ends of boundary edges can hang: where a surface is closed around a vertex, it conforms.
///
/// Every edge is searched once in a tree of these vertices: O(n log n) for n triangles.
pub(super) fn stitch(mesh: &mut TriangleMesh, weld_distance: f64) -> usize {
    let mut count = 0;
    for _ in 0..ROUNDS {
        let nodes = hanging_nodes(mesh, weld_distance);
        if nodes.is_empty() {
            break;
        }
        count += nodes.values().map(Vec::len).sum::<usize>();
        let (mut triangles, mut groups) = (Vec::with_capacity(mesh.triangles.len()), Vec::new());
        for (&triangle, &group) in mesh.triangles.iter().zip(&mesh.groups) {
            split(triangle, &nodes, &mut triangles);
            groups.resize(triangles.len(), group);
        }
        (mesh.triangles, mesh.groups) = (triangles, groups);
    }
    count
}

fn hanging_nodes(mesh: &TriangleMesh, weld_distance: f64) -> Nodes {
    let edges = Edges::of(mesh);
    let mut open: Vec<u32> =
        edges.iter().filter(|edge| edge.halves.len() == 1).flat_map(|edge| edge.vertices).collect();
    open.sort_unstable();
    open.dedup();
    let mut nodes = Nodes::new();
    if open.is_empty() {
        return nodes;
    }
    let tree = PointTree::new(open.iter().map(|&i| (mesh.vertices[i as usize], i)).collect());
    for edge in edges.iter() {
        let [from, to] = edge.vertices.map(|i| mesh.vertices[i as usize]);
        let height = edge.halves.iter().map(|&half| height(mesh, half)).fold(f64::INFINITY, f64::min);
        let reach = (MAX_OFFSET * height).min(REACH * weld_distance).max(weld_distance);
        let mut found: Vec<(f64, u32)> = Vec::new();
        tree.near_segment(from, to, reach, |point, vertex| {
            let (along, off) = position(from, to, point);
            let length = norm(sub(to, from));
            // Near an end only exactly on the edge: otherwise it may be an end that was not welded.
            let from_end = along.min(1.0 - along) * length;
            let is_inside = from_end > weld_distance && off <= weld_distance.max(MAX_SLOPE * from_end);
            let is_apex = edge.halves.iter().any(|&half| mesh.triangles[half as usize / 3].contains(&vertex));
            if is_inside && off <= reach && !is_apex {
                found.push((along, vertex));
            }
        });
        if !found.is_empty() {
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            nodes.insert(edge.vertices, found.into_iter().map(|(_, vertex)| vertex).collect());
        }
    }
    nodes
}

/// Position of the foot of a point on a segment, from 0 to 1 within it, and the distance of the point from the line.
fn position(from: Vec3, to: Vec3, point: Vec3) -> (f64, f64) {
    let (edge, offset) = (sub(to, from), sub(point, from));
    let along = dot(offset, edge) / dot(edge, edge);
    (along, norm(sub(point, add(from, times(along, edge)))))
}

/// Height of the triangle of a half-edge over it.
fn height(mesh: &TriangleMesh, half: u32) -> f64 {
    let [from, to] = ends(mesh, half).map(|i| mesh.vertices[i as usize]);
    2.0 * norm(mesh.area_vector(half as usize / 3)) / norm(sub(to, from))
}

/// Splits a triangle at the nodes on its edges, in the middle of them first, so that the parts are few in a row and not too thin.
fn split(triangle: [u32; 3], nodes: &Nodes, parts: &mut Vec<[u32; 3]>) {
    let on = |k: usize| {
        let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
        let mut list = nodes.get(&[a.min(b), a.max(b)]).cloned().unwrap_or_default();
        if a > b {
            list.reverse();
        }
        list
    };
    // Corners, and the nodes on the edges that start there.
    let mut waiting = vec![(triangle, [on(0), on(1), on(2)])];
    while let Some((corners, mut lists)) = waiting.pop() {
        let Some(k) = (0..3).max_by_key(|&k| lists[k].len()).filter(|&k| !lists[k].is_empty()) else {
            parts.push(corners);
            continue;
        };
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
        let [first, second, third] = [0, 1, 2].map(|i| std::mem::take(&mut lists[(k + i) % 3]));
        let middle = first.len() / 2;
        let (before, after) = (first[..middle].to_vec(), first[middle + 1..].to_vec());
        waiting.push(([a, first[middle], c], [before, Vec::new(), third]));
        waiting.push(([first[middle], b, c], [after, second, Vec::new()]));
    }
}
