//! Outlines from the line elements of a mesh.

use super::mesh::GmshMesh;
use crate::error::MeshError;
use crate::outline::{CORNER_ANGLE, JOINT_GAP, MESH_CORNER_ANGLE, Outline};
use crate::point::{Point, add, angle_between, mix, sub, times};
use crate::segment::Segment;
use crate::spline;
use std::collections::{HashMap, HashSet};

/// The outlines formed by the line elements of a physical group, or by all line elements of the
/// mesh.
///
/// Elements of second and third order become their exact curves. Straight elements approximate a
/// curve that the mesh does not contain: they become a [`crate::spline`] through their nodes, with
/// corners where they turn by more than [`MESH_CORNER_ANGLE`], and cut where the geometric entity
/// changes; collinear elements become a line. `flat` keeps straight elements straight, with a
/// corner at every turn.
///
/// ```
/// let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
///     $PhysicalNames\n1\n1 7 \"skin\"\n$EndPhysicalNames\n\
///     $Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n\
///     $Elements\n3\n1 1 2 7 1 1 2\n2 1 2 7 2 2 3\n3 1 2 7 3 3 1\n$EndElements\n";
/// let mesh = phasefront_mesh::GmshMesh::parse(text).unwrap();
/// let triangle = phasefront_mesh::gmsh_outlines(&mesh, Some("skin"), false).unwrap().remove(0);
/// assert_eq!(triangle.signed_area(), 0.5);
/// assert_eq!(triangle.corners, [true; 3]);
/// ```
pub fn gmsh_outlines(mesh: &GmshMesh, group: Option<&str>, flat: bool) -> Result<Vec<Outline>, MeshError> {
    let edges = edges(mesh, group)?;
    check_plane(mesh, &edges)?;
    chains(mesh, &edges)?.iter().map(|chain| outline(mesh, &edges, chain, flat)).collect()
}

/// A line element: its ends, the nodes between them in order, its entity.
struct Edge {
    ends: [usize; 2],
    inner: Vec<usize>,
    entity: i32,
}

fn edges(mesh: &GmshMesh, group: Option<&str>) -> Result<Vec<Edge>, MeshError> {
    let tag = group.map(|name| mesh.group(name, 1)).transpose()?.map(|group| group.tag);
    let mut edges = Vec::new();
    let mut seen = HashSet::new();
    for block in mesh.blocks.iter().filter(|block| block.kind.dim == 1) {
        if tag.is_some_and(|tag| !block.groups.contains(&tag)) {
            continue;
        }
        if block.kind.nodes > 4 {
            return Err(MeshError::geometry(
                format!("the mesh has line elements with {} nodes", block.kind.nodes),
                "save a mesh of order 1, 2 or 3",
            ));
        }
        for nodes in block.nodes.chunks_exact(block.kind.nodes) {
            let mut key = nodes.to_vec();
            key.sort_unstable();
            // MSH 2.2 repeats an element for each of its groups.
            if seen.insert(key) {
                edges.push(Edge {
                    ends: [nodes[0], nodes[1]],
                    inner: nodes[2..].to_vec(),
                    entity: block.entity,
                });
            }
        }
    }
    if edges.is_empty() {
        let whose = group.map_or("the mesh".into(), |name| format!("the physical group {name:?}"));
        return Err(MeshError::geometry(
            format!("{whose} has no line elements"),
            "mesh the curves, and save them: all elements, or those of a Physical Curve",
        ));
    }
    Ok(edges)
}

fn check_plane(mesh: &GmshMesh, edges: &[Edge]) -> Result<(), MeshError> {
    let used = || edges.iter().flat_map(|edge| edge.ends.iter().chain(&edge.inner)).copied();
    // Relative to the extent: files carry about nine digits, and z = 1e-12 m is zero.
    let size = used().map(|i| mesh.nodes[i][0].abs().max(mesh.nodes[i][1].abs())).fold(0.0, f64::max);
    match used().find(|&i| mesh.nodes[i][2].abs() > JOINT_GAP * size) {
        Some(i) => Err(MeshError::geometry(
            format!("node {} is at z = {}", mesh.node_tags[i], mesh.nodes[i][2]),
            "an outline lies in the plane z = 0: move it there, or choose another physical group",
        )),
        None => Ok(()),
    }
}

/// Consecutive elements, each with a flag for reversed direction.
type Chain = Vec<(usize, bool)>;

/// Open chains first, then closed ones, each in the order and direction of its first element.
fn chains(mesh: &GmshMesh, edges: &[Edge]) -> Result<Vec<Chain>, MeshError> {
    let mut at_node: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, edge) in edges.iter().enumerate() {
        for end in edge.ends {
            let there = at_node.entry(end).or_default();
            there.push(i);
            if there.len() > 2 {
                let [x, y, _] = mesh.nodes[end];
                return Err(MeshError::geometry(
                    format!("three lines meet at node {}, ({x}, {y})", mesh.node_tags[end]),
                    "an outline does not branch: put each body into a physical group of its own",
                ));
            }
        }
    }
    let mut free = vec![true; edges.len()];
    let mut follow = |first: usize, backwards: bool| {
        let mut chain = Chain::new();
        let mut next = Some((first, backwards));
        while let Some((i, backwards)) = next {
            free[i] = false;
            chain.push((i, backwards));
            let end = edges[i].ends[usize::from(!backwards)];
            next = at_node[&end].iter().find(|&&k| free[k]).map(|&k| (k, edges[k].ends[0] != end));
        }
        chain
    };
    let is_loose = |node: usize| at_node[&node].len() == 1;
    // Open chains must start at a loose end; whatever remains is closed and may start anywhere.
    let forwards = (0..edges.len()).filter(|&i| is_loose(edges[i].ends[0])).map(|i| (i, false));
    let backwards = (0..edges.len()).filter(|&i| is_loose(edges[i].ends[1])).map(|i| (i, true));
    let rest = (0..edges.len()).map(|i| (i, false));
    let mut done = HashSet::new();
    let mut chains = Vec::new();
    for (i, reversed) in forwards.chain(backwards).chain(rest) {
        if !done.contains(&i) {
            let chain = follow(i, reversed);
            done.extend(chain.iter().map(|&(i, _)| i));
            chains.push(chain);
        }
    }
    Ok(chains)
}

fn outline(mesh: &GmshMesh, edges: &[Edge], chain: &Chain, flat: bool) -> Result<Outline, MeshError> {
    let ends = |&(i, backwards): &(usize, bool)| {
        let [a, b] = edges[i].ends;
        if backwards { [b, a] } else { [a, b] }
    };
    let closed = ends(&chain[0])[0] == ends(&chain[chain.len() - 1])[1];
    if !flat && chain.iter().all(|&(i, _)| edges[i].inner.is_empty()) {
        let mut nodes: Vec<usize> = chain.iter().map(|link| ends(link)[0]).collect();
        let mut entities: Vec<i32> = chain.iter().map(|&(i, _)| edges[i].entity).collect();
        // An open chain has one node more than elements; the last repeats the entity of its
        // element.
        if !closed {
            nodes.push(ends(&chain[chain.len() - 1])[1]);
            entities.push(entities[chain.len() - 1]);
        }
        let points: Vec<Point> = nodes.iter().map(|&i| plane(mesh, i)).collect();
        return smooth(&points, &entities, closed);
    }
    let segments = chain.iter().flat_map(|&(i, backwards)| {
        let pieces = element(mesh, &edges[i]);
        if backwards { pieces.iter().rev().map(Segment::reversed).collect() } else { pieces }
    });
    let curved = chain.iter().any(|&(i, _)| !edges[i].inner.is_empty());
    let corner_angle = if curved { MESH_CORNER_ANGLE } else { CORNER_ANGLE };
    Outline::with_corner_angle(segments.collect(), closed, corner_angle)
}

fn plane(mesh: &GmshMesh, node: usize) -> Point {
    let [x, y, _] = mesh.nodes[node];
    [x, y]
}

/// The curve of one element: Lagrange's polynomial through its evenly spaced nodes, in Bezier form.
fn element(mesh: &GmshMesh, edge: &Edge) -> Vec<Segment> {
    let [p, q] = edge.ends.map(|i| plane(mesh, i));
    let inner: Vec<Point> = edge.inner.iter().map(|&i| plane(mesh, i)).collect();
    match inner[..] {
        // The parabola through (p, middle, q): control point 2m − (p + q)/2, raised to a cubic.
        [middle] => {
            let control = sub(times(2.0, middle), mix(p, q, 0.5));
            Segment::from_cubic([p, mix(p, control, 2.0 / 3.0), mix(q, control, 2.0 / 3.0), q])
        }
        [a, b] => {
            // From B(1/3) = a and B(2/3) = b.
            let handle = |p: Point, a: Point, b: Point, q: Point| {
                let near = sub(times(18.0, a), times(9.0, b));
                times(1.0 / 6.0, add(near, sub(times(2.0, q), times(5.0, p))))
            };
            Segment::from_cubic([p, handle(p, a, b, q), handle(q, b, a, p), q])
        }
        _ => vec![Segment::Line { from: p, to: q }],
    }
}

/// The spline through nodes; `entities` are those of the elements behind them.
fn smooth(points: &[Point], entities: &[i32], closed: bool) -> Result<Outline, MeshError> {
    spline::check(points, closed)?;
    let n = points.len();
    let corner = |i: usize| {
        let (before, after) = (points[(i + n - 1) % n], points[(i + 1) % n]);
        angle_between(sub(points[i], before), sub(after, points[i])) > MESH_CORNER_ANGLE
    };
    let corners: Vec<bool> =
        (0..n).map(|i| if closed || (i > 0 && i + 1 < n) { corner(i) } else { true }).collect();
    // A change of entity may be a jump of curvature, which the spline must not smooth.
    let cuts: Vec<bool> = (0..n).map(|i| corners[i] || entities[i] != entities[(i + n - 1) % n]).collect();
    let pieces = spline::through(points, &cuts, closed);
    let segments = pieces.iter().map(|piece| piece.segment).collect();
    let mut outline = Outline::with_corner_angle(segments, closed, MESH_CORNER_ANGLE)?;
    for (found, piece) in outline.corners.iter_mut().zip(&pieces) {
        *found |= piece.point.is_some_and(|i| corners[i]);
    }
    Ok(outline)
}
