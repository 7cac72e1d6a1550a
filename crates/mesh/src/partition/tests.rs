//! Properties of partitions of many graphs, and bounds on their cuts from geometry.

use super::*;
use crate::{BoxMesh, TetMesh};

/// A box of cells of size one, six tetrahedra to a cell.
fn box_mesh(cells: [usize; 3]) -> TetMesh {
    BoxMesh { to: cells.map(|n| n as f64), cell: [1.0; 3], ..BoxMesh::default() }.mesh().unwrap()
}

fn dual(mesh: &TetMesh) -> Graph {
    Graph::dual(&mesh.faces().unwrap(), vec![1; mesh.tets.len()], &[]).unwrap()
}

fn box_graph(cells: [usize; 3]) -> Graph {
    dual(&box_mesh(cells))
}

/// The dual graph of a cube with weights as solvers have them: absorbing layers at the sides cost 1.3 to 3 times a plain
/// element, those on a curved surface 8 times.
fn graded_cube(cells: usize) -> Graph {
    let mesh = box_mesh([cells; 3]);
    let side = cells as f64;
    let cost = |tet: usize| {
        let corners = mesh.corners(tet);
        let centroid = [0, 1, 2].map(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() / 4.0 / side);
        let layers = centroid.iter().filter(|&&x| !(0.1..=0.9).contains(&x)).count();
        let radius = centroid.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>().sqrt();
        if (radius - 0.25).abs() < 1.0 / side { 8.0 } else { [1.0, 1.3, 2.0, 3.0][layers] }
    };
    let costs: Vec<f64> = (0..mesh.tets.len()).map(cost).collect();
    Graph { weights: integer_weights(&costs), ..dual(&mesh) }
}

fn from_edges(vertices: usize, edges: &[[u32; 2]]) -> Graph {
    let mut rows = vec![Vec::new(); vertices];
    for &[a, b] in edges {
        rows[a as usize].push(b);
        rows[b as usize].push(a);
    }
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |end, row| {
        *end += row.len() as u32;
        Some(*end)
    }));
    Graph { offsets, neighbors: rows.concat(), weights: vec![1; vertices] }
}

/// Random points in the unit cube, neighbors if closer than the radius.
fn geometric_graph(vertices: usize, radius: f64, seed: u64) -> Graph {
    let coordinate = |key: u64| hash(seed ^ hash(key)) as f64 / u64::MAX as f64;
    let points: Vec<[f64; 3]> =
        (0..vertices as u64).map(|v| [0, 1, 2].map(|k| coordinate(3 * v + k))).collect();
    let near = |a: usize, b: usize| {
        (0..3).map(|k| (points[a][k] - points[b][k]).powi(2)).sum::<f64>() < radius * radius
    };
    let pairs = (0..vertices).flat_map(|a| (0..a).map(move |b| (a, b)));
    let edges: Vec<[u32; 2]> =
        pairs.filter(|&(a, b)| near(a, b)).map(|(a, b)| [a as u32, b as u32]).collect();
    let weights = (0..vertices as u64).map(|v| 1 + (hash(seed + v) % 30) as u32).collect();
    Graph { weights, ..from_edges(vertices, &edges) }
}

/// Two graphs side by side.
fn beside(a: &Graph, b: &Graph) -> Graph {
    let (vertices, end) = (a.len() as u32, a.neighbors.len() as u32);
    Graph {
        offsets: a.offsets.iter().copied().chain(b.offsets[1..].iter().map(|offset| end + offset)).collect(),
        neighbors: a.neighbors.iter().copied().chain(b.neighbors.iter().map(|v| vertices + v)).collect(),
        weights: [a.weights.clone(), b.weights.clone()].concat(),
    }
}

fn isolated(vertices: usize) -> Graph {
    from_edges(vertices, &[])
}

fn path(vertices: u32) -> Graph {
    from_edges(vertices as usize, &(1..vertices).map(|v| [v - 1, v]).collect::<Vec<_>>())
}

/// Partitions the graph and checks all that is promised of every partition.
fn checked(graph: &Graph, parts: usize, seed: u64) -> Parts {
    let found = partition(graph, parts, seed).unwrap();
    let mut weights = vec![0_u64; parts];
    for (v, &part) in found.part_of.iter().enumerate() {
        weights[part as usize] += u64::from(graph.weights[v]);
    }
    assert_eq!((found.part_of.len(), &found.weights), (graph.len(), &weights));
    assert!(weights.iter().all(|&weight| weight > 0), "an empty part of {parts}");
    let mean = weights.iter().sum::<u64>() as f64 / parts as f64;
    let heaviest = f64::from(graph.weights.iter().copied().max().unwrap());
    let imbalance = weights.iter().copied().max().unwrap() as f64 / mean;
    assert!((found.imbalance - imbalance).abs() < 1e-12);
    assert!(
        imbalance <= (1.0 + heaviest / mean).max(MAX_IMBALANCE) + 1e-12,
        "{imbalance} with {parts} parts"
    );
    let ends = (0..graph.len()).flat_map(|v| graph.neighbors_of(v).iter().map(move |&other| (v, other)));
    let cut = ends.filter(|&(v, other)| found.part_of[v] != found.part_of[other as usize]).count() / 2;
    assert_eq!(found.cut, cut);
    found
}

#[test]
fn every_graph_is_divided_into_balanced_parts_that_are_not_empty() {
    let star = from_edges(501, &(1..501).map(|v| [0, v]).collect::<Vec<_>>());
    let complete = from_edges(60, &(0..60).flat_map(|a| (0..a).map(move |b| [a, b])).collect::<Vec<_>>());
    let loops = from_edges(4, &[[0, 0], [0, 1], [0, 1], [2, 2], [2, 3]]);
    let uneven =
        Graph { weights: (0..500).map(|v| if v == 7 { u32::MAX } else { 1 }).collect(), ..path(500) };
    let mixed = beside(&beside(&box_graph([5, 6, 7]), &geometric_graph(700, 0.12, 5)), &isolated(900));
    let graphs = [
        isolated(1),
        isolated(3000),
        path(2),
        path(4097),
        star,
        complete,
        loops,
        uneven,
        mixed,
        box_graph([1, 1, 1]),
        box_graph([30, 3, 2]),
        box_graph([9, 9, 9]),
        geometric_graph(1500, 0.1, 1),
        geometric_graph(1500, 0.05, 2),
        geometric_graph(300, 0.3, 3),
    ];
    for graph in &graphs {
        for parts in [1, 2, 3, 5, 8, 17, 64, 100].into_iter().filter(|&parts| parts <= graph.len()) {
            for seed in 0..2 {
                checked(graph, parts, seed);
            }
        }
        // One vertex to a part.
        let singles = checked(graph, graph.len().min(600), 1);
        assert!(graph.len() > 600 || singles.members().iter().all(|members| members.len() == 1));
    }
}

#[test]
fn imbalance_is_at_most_2_percent_up_to_64_parts() {
    let (plain, graded) = (box_graph([20, 18, 16]), graded_cube(22));
    for parts in [2, 3, 7, 8, 16, 47, 64] {
        for graph in [&plain, &graded] {
            let found = checked(graph, parts, 1);
            assert!(found.imbalance <= MAX_IMBALANCE, "{} with {parts} parts", found.imbalance);
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let graphs = [graded_cube(14), geometric_graph(2000, 0.1, 9), beside(&path(5000), &isolated(5000))];
    for graph in &graphs {
        for parts in [2, 7, 32] {
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| partition(graph, parts, 11).unwrap())
            };
            let alone = with(1);
            assert!(alone == with(2) && alone == with(5), "{parts} parts");
        }
    }
}

#[test]
fn cuts_of_boxes_are_near_those_of_planes() {
    // Cells, parts, and the planes that divide the box into equal boxes, by axis. A plane between cells cuts two faces
    // for each pair of cells.
    let cases = [
        ([20, 20, 20], 2, [1, 0, 0]),
        ([20, 20, 20], 4, [1, 1, 0]),
        ([20, 20, 20], 8, [1, 1, 1]),
        ([21, 21, 21], 27, [2, 2, 2]),
        ([24, 24, 24], 64, [3, 3, 3]),
        ([60, 10, 10], 2, [1, 0, 0]),
        ([60, 10, 10], 6, [5, 0, 0]),
        ([32, 32, 4], 16, [3, 3, 0]),
    ];
    for (cells, parts, planes) in cases {
        let area = |axis: usize| 2 * cells[(axis + 1) % 3] * cells[(axis + 2) % 3];
        let ideal: usize = (0..3).map(|axis| planes[axis] * area(axis)).sum();
        let found = checked(&box_graph(cells), parts, 1);
        let ratio = found.cut as f64 / ideal as f64;
        assert!(ratio <= 1.4, "{cells:?} in {parts}: {} faces, planes cut {ideal}", found.cut);
    }
}

#[test]
fn a_space_filling_curve_cuts_more() {
    // Equal pieces of the Hilbert curve through the elements, where they are not cubes by chance.
    let mesh = box_mesh([25, 22, 20]).reordered();
    let graph = dual(&mesh);
    for parts in [3, 7, 12, 48] {
        let curve: Vec<u32> = (0..graph.len()).map(|v| (v * parts / graph.len()) as u32).collect();
        let curve = Parts::measure(&graph, curve, parts);
        let found = checked(&graph, parts, 1);
        assert!(1.3 * found.cut as f64 <= curve.cut as f64, "{parts} parts: {} and {}", found.cut, curve.cut);
    }
}

#[test]
fn separate_bodies_of_equal_weight_become_parts() {
    let body = box_graph([8, 8, 8]);
    let four = beside(&beside(&body, &body), &beside(&body, &body));
    for parts in [2, 4] {
        assert_eq!(checked(&four, parts, 1).cut, 0);
    }
}

#[test]
fn a_path_is_cut_into_pieces() {
    // At least one edge between two pieces; some pieces may be in two.
    for parts in [2_usize, 5, 16, 64] {
        let cut = checked(&path(20_000), parts, 1).cut;
        assert!((parts - 1..2 * parts).contains(&cut), "{cut} edges for {parts} parts");
    }
}

#[test]
fn dual_graphs_have_faces_and_joins_as_edges() {
    let mesh = box_mesh([3, 4, 5]);
    let mut faces = mesh.faces().unwrap();
    let graph = dual(&mesh);
    // Two faces on each square of the surface.
    let boundary = 2 * 2 * (3 * 4 + 4 * 5 + 5 * 3);
    assert_eq!(graph.neighbors.len(), 4 * mesh.tets.len() - boundary);
    let [a, b] = ["xmin", "xmax"].map(|name| mesh.surface(name).unwrap());
    faces.join_periodic(&mesh, a, b).unwrap();
    let periodic = Graph::dual(&faces, graph.weights.clone(), &[]).unwrap();
    assert_eq!(periodic.neighbors.len(), graph.neighbors.len() + 2 * 2 * 4 * 5);
    // The same edges, given as pairs.
    let pairs: Vec<[u32; 2]> = faces
        .faces_in(a)
        .map(|(tet, face)| [tet as u32, faces.neighbors[tet][face].unwrap().tet])
        .chain([[3, 3]])
        .collect();
    let joined = Graph::dual(&mesh.faces().unwrap(), graph.weights.clone(), &pairs).unwrap();
    for v in 0..graph.len() {
        let sorted = |graph: &Graph| {
            let mut row = graph.neighbors_of(v).to_vec();
            row.sort_unstable();
            row
        };
        assert_eq!(sorted(&periodic), sorted(&joined));
    }
    // A single layer of cells, periodic across it: some tetrahedra are their own neighbors, which is no edge.
    let thin = box_mesh([1, 2, 2]);
    let mut faces = thin.faces().unwrap();
    faces.join_periodic(&thin, a, b).unwrap();
    let graph = Graph::dual(&faces, vec![1; thin.tets.len()], &[]).unwrap();
    assert!((0..graph.len()).all(|v| !graph.neighbors_of(v).contains(&(v as u32))));
    checked(&graph, 5, 1);
}

#[test]
fn lists_of_parts_agree_with_the_assignment() {
    let graph = graded_cube(8);
    let found = checked(&graph, 6, 1);
    let members = found.members();
    assert_eq!((found.len(), members.len(), found.is_empty()), (6, 6, false));
    for (part, members) in (0_u32..).zip(&members) {
        assert!(members.is_sorted() && members.iter().all(|&v| found.part_of[v as usize] == part));
    }
    assert_eq!(members.iter().map(Vec::len).sum::<usize>(), graph.len());
    let cut = found.cut_edges(&graph);
    assert_eq!(cut.len(), found.cut);
    let is_cut = |[a, b]: [u32; 2]| {
        a < b
            && graph.neighbors_of(a as usize).contains(&b)
            && found.part_of[a as usize] != found.part_of[b as usize]
    };
    assert!(cut.iter().all(|&edge| is_cut(edge)));
    let interfaces = found.interfaces(&graph);
    assert!(interfaces.is_sorted() && interfaces.iter().all(|([a, b], _)| a < b));
    assert_eq!(interfaces.iter().map(|&(_, faces)| faces).sum::<usize>(), found.cut);
}

#[test]
fn weights_keep_the_ratios_of_costs() {
    assert_eq!(integer_weights(&[]), [0_u32; 0]);
    assert_eq!(integer_weights(&[0.5, 1.5, 0.0, -1.0, f64::NAN, f64::INFINITY]), [64, 192, 64, 64, 64, 64]);
    assert_eq!(integer_weights(&[0.0, f64::NAN]), [1, 1]);
    // The highest weight is bounded, and none is zero.
    assert_eq!(integer_weights(&[1e-300, 1.0, 1e300]), [1, 1, 1 << 24]);
}

#[test]
fn wrong_graphs_are_refused() {
    let said = |graph: &Graph, parts: usize| {
        let error = partition(graph, parts, 1).unwrap_err();
        (error.to_string(), error.advice())
    };
    let advice = "ask for at least one part, and for no more parts than there are vertices";
    for (vertices, parts) in [(0, 1), (3, 0), (3, 4)] {
        let problem = format!("a graph of {vertices} vertices cannot be divided into {parts} parts");
        assert_eq!(said(&isolated(vertices), parts), (problem, advice.to_owned()));
    }
    let good = path(3);
    let wrong = |graph: Graph| said(&graph, 2).0;
    for offsets in [vec![], vec![0, 1, 3], vec![0, 1, 3, 5], vec![1, 1, 3, 4], vec![0, 3, 1, 4]] {
        assert_eq!(
            wrong(Graph { offsets, ..good.clone() }),
            "the offsets of a graph of 3 vertices and 4 neighbors are not 4 rising numbers from 0 to 4"
        );
    }
    assert_eq!(
        wrong(Graph { neighbors: vec![1, 0, 3, 1], ..good.clone() }),
        "there is no vertex 3, counted from 0, of 3"
    );
    assert_eq!(
        wrong(Graph { neighbors: vec![1, 0, 2, 0], ..good.clone() }),
        "the graph has an edge that only one of its ends names"
    );
    assert_eq!(wrong(Graph { weights: vec![1, 0, 1], ..good.clone() }), "vertex 1 has weight zero");
    let faces = box_mesh([1, 1, 1]).faces().unwrap();
    let dual = |weights: usize, joins: &[[u32; 2]]| {
        Graph::dual(&faces, vec![1; weights], joins).unwrap_err().to_string()
    };
    assert_eq!(dual(5, &[]), "there are 5 weights for 6 tetrahedra");
    assert_eq!(dual(6, &[[6, 1]]), "a join names tetrahedron 6, counted from 0, of 6");
}
