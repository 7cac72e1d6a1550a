//! Meshes with faults, made from sound ones.

use phasefront_mesh::targets::{self, cuboid, cylinder, plate, sphere};
use phasefront_mesh::{Repairs, SMOOTH_ANGLE, TriangleMesh, WELD_TOLERANCE, repair, wedges};
use std::f64::consts::TAU;

/// Every triangle with vertices of its own, each a little off.
fn shattered(mesh: &TriangleMesh, off: f64) -> TriangleMesh {
    let corners = mesh.triangles.iter().flatten().map(|&i| mesh.vertices[i as usize]);
    // Steps of the golden ratio: without pattern, and the same in every run.
    let noise = |i: usize| off * ((i as f64 * 0.618_033_988_749_895).fract() - 0.5);
    let vertices = corners.enumerate().map(|(i, p)| [0, 1, 2].map(|k| p[k] + noise(3 * i + k))).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriangleMesh { vertices, triangles, ..mesh.clone() }
}

#[test]
fn shattered_bodies_are_put_together() {
    let ball = sphere(1.0, 12).unwrap();
    for (off, shift) in [(0.0, 0.0), (1e-7, 0.0), (1e-7, 1000.0), (1e-7, -3e4)] {
        let soup = shattered(&ball, off).mapped(|[x, y, z]| [x + shift, y - shift, z]);
        let report = repair(soup, WELD_TOLERANCE).unwrap().report;
        assert_eq!((report.vertices, report.triangles, report.closed_shells), (1442, 2880, 1));
        assert_eq!(report.repairs, Repairs { vertices: 3 * 2880 - 1442, ..Repairs::default() });
        assert!((report.volume.unwrap() - ball.volume()).abs() < 1e-5);
    }
    // Farther apart than the tolerance, and nothing is joined that should not be.
    let report = repair(shattered(&ball, 1e-4), WELD_TOLERANCE).unwrap().report;
    assert_eq!(report.closed_shells, 0);
}

#[test]
fn winding_is_made_alike_and_outward() {
    let good = sphere(1.0, 6).unwrap();
    let mut bad = good.clone();
    for t in (0..bad.triangles.len()).filter(|t| t % 3 == 0 || t % 7 == 0) {
        bad.triangles[t].swap(0, 1);
    }
    let turned = (0..720).filter(|t| t % 3 == 0 || t % 7 == 0).count();
    let repaired = repair(bad, WELD_TOLERANCE).unwrap();
    assert_eq!(repaired.report.repairs.flipped, turned);
    assert!((repaired.mesh.volume() - good.volume()).abs() < 1e-12);
    let inside_out = repair(good.clone().reversed(), WELD_TOLERANCE).unwrap();
    assert_eq!(inside_out.report.repairs.flipped, 720);
    assert!((inside_out.mesh.volume() - good.volume()).abs() < 1e-12);
    // In a sheet most triangles keep their side.
    let mut sheet = plate([1.0, 1.0], [4, 4]).unwrap();
    for t in [0, 3, 9] {
        sheet.triangles[t].swap(0, 1);
    }
    let repaired = repair(sheet, WELD_TOLERANCE).unwrap();
    assert_eq!(repaired.report.repairs.flipped, 3);
    assert!((0..32).all(|t| repaired.mesh.area_vector(t)[2] > 0.0));
}

#[test]
fn several_shells_are_turned_one_by_one() {
    let mut both = cuboid([1.0; 3], [2; 3]).unwrap();
    both.append(&sphere(1.0, 4).unwrap().reversed().mapped(|[x, y, z]| [x + 5.0, y, z]));
    let report = repair(both, WELD_TOLERANCE).unwrap().report;
    assert_eq!((report.shells, report.closed_shells, report.repairs.flipped), (2, 2, 320));
    assert!((report.volume.unwrap() - 1.0 - sphere(1.0, 4).unwrap().volume()).abs() < 1e-12);
}

#[test]
fn degenerate_and_double_triangles_are_dropped() {
    let mut mesh = cuboid([1.0; 3], [1; 3]).unwrap();
    let [a, b, c] = mesh.triangles[0];
    // A point, a line, a needle between a vertex and one next to it, a double and a double turned over.
    mesh.vertices.push(mesh.vertices[a as usize].map(|x| x + 1e-8));
    let near = mesh.vertices.len() as u32 - 1;
    mesh.triangles.extend([[a, a, a], [a, b, a], [a, near, c], [b, c, a], [a, c, b]]);
    mesh.groups.extend([0; 5]);
    let report = repair(mesh, WELD_TOLERANCE).unwrap().report;
    assert_eq!(report.repairs, Repairs { vertices: 1, degenerate: 3, duplicate: 2, ..Repairs::default() });
    assert_eq!((report.triangles, report.vertices, report.closed_shells), (12, 8, 1));
}

#[test]
fn a_sliver_leaves_its_corner_to_its_neighbor() {
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.5, 1e-8, 0.0], [0.0, 1.0, 0.0]];
    let mesh = TriangleMesh::with_one_group(vertices, vec![[0, 2, 1], [0, 1, 3]], "all").unwrap();
    let report = repair(mesh, WELD_TOLERANCE).unwrap().report;
    assert_eq!(report.repairs, Repairs { degenerate: 1, cut: 1, ..Repairs::default() });
    assert_eq!((report.triangles, report.vertices), (2, 4));
    assert!((report.area - 0.5).abs() < 1e-7);
}

#[test]
fn a_closed_body_with_slivers_stays_closed() {
    // Each edge of a cube is cut in the triangle on one side of it, and the gap of no width to the other is filled by a
    // sliver, or by slivers upon slivers.
    for (deep, count) in [(1, 12), (2, 36)] {
        let mut mesh = cuboid([1.0; 3], [1; 3]).unwrap();
        let edges: Vec<[u32; 2]> = wedges(&mesh, SMOOTH_ANGLE).iter().map(|wedge| wedge.vertices).collect();
        for [from, to] in edges {
            bend(&mut mesh, from, to, deep);
        }
        assert_eq!(mesh.triangles.len(), 12 + 2 * count);
        let repaired = repair(mesh, WELD_TOLERANCE).unwrap();
        let report = &repaired.report;
        assert_eq!((report.closed_shells, report.holes.len(), report.non_manifold_edges), (1, 0, 0));
        assert_eq!((report.repairs.degenerate, report.repairs.cut), (count, count));
        assert!((report.volume.unwrap() - 1.0).abs() < 1e-12 && (report.area - 6.0).abs() < 1e-12);
    }
}

/// Cuts the triangle that goes from one vertex to the other in half, and fills the gap of no width to its neighbor with a
/// sliver; `deep` times.
fn bend(mesh: &mut TriangleMesh, from: u32, to: u32, deep: usize) {
    if deep == 0 {
        return;
    }
    let goes = |t: &[u32; 3]| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [from, to]);
    let t = mesh.triangles.iter().position(goes).unwrap();
    let middle = mesh.vertices.len() as u32;
    let [a, b] = [from, to].map(|i| mesh.vertices[i as usize]);
    mesh.vertices.push([0, 1, 2].map(|k| 0.5 * (a[k] + b[k])));
    let put = |end: u32| mesh.triangles[t].map(|i| if i == end { middle } else { i });
    let halves = [put(to), put(from)];
    mesh.triangles[t] = halves[0];
    mesh.triangles.extend([halves[1], [from, to, middle]]);
    mesh.groups.extend([0; 2]);
    bend(mesh, from, middle, deep - 1);
    bend(mesh, middle, to, deep - 1);
}

#[test]
fn holes_have_their_edges_and_length() {
    let mut can = cylinder(0.5, 1.0, [4, 60], true).unwrap();
    // The fan at the top: all triangles with the middle of it.
    let top = can.vertices.iter().position(|&p| p == [0.0, 0.0, 0.5]).unwrap() as u32;
    can.triangles.retain(|triangle| !triangle.contains(&top));
    can.groups.truncate(can.triangles.len());
    let report = repair(can, WELD_TOLERANCE).unwrap().report;
    assert_eq!((report.shells, report.closed_shells, report.holes.len()), (1, 0, 1));
    assert_eq!((report.holes[0].edges, report.volume), (60, None));
    assert!((report.holes[0].length - 60.0 * (TAU / 120.0).sin()).abs() < 1e-12);
}

#[test]
fn holes_that_touch_are_all_counted() {
    // A chessboard of four squares without the second and the third: two sheets that share one vertex.
    let mut board = plate([2.0, 2.0], [2, 2]).unwrap();
    board.triangles = [0, 1, 6, 7].map(|t| board.triangles[t]).to_vec();
    board.groups.truncate(4);
    let report = repair(board, WELD_TOLERANCE).unwrap().report;
    assert_eq!(report.shells, 2);
    assert_eq!(report.holes.iter().map(|hole| hole.edges).sum::<usize>(), 8);
    assert!((report.holes.iter().map(|hole| hole.length).sum::<f64>() - 8.0).abs() < 1e-12);
}

#[test]
fn edges_of_more_than_two_triangles() {
    // Two boxes that share an edge: four triangles meet at it, and both stay closed.
    let cube = cuboid([1.0; 3], [1; 3]).unwrap();
    let mut pair = cube.clone();
    pair.append(&cube.mapped(|[x, y, z]| [x + 1.0, y + 1.0, z]));
    let repaired = repair(pair, WELD_TOLERANCE).unwrap();
    let report = &repaired.report;
    assert_eq!((report.non_manifold_edges, report.shells, report.closed_shells), (1, 2, 2));
    assert!((report.volume.unwrap() - 2.0).abs() < 1e-12);
    assert_eq!(wedges(&repaired.mesh, SMOOTH_ANGLE).len(), 22);
    // A wall on a floor: three triangles meet, and nothing is closed.
    let floor = plate([2.0, 2.0], [2, 2]).unwrap();
    let mut both = floor.clone();
    both.append(&floor.mapped(|[x, y, _]| [0.0, y, x + 1.0]));
    let report = repair(both, WELD_TOLERANCE).unwrap().report;
    assert_eq!((report.non_manifold_edges, report.closed_shells), (2, 0));
}

#[test]
fn a_moebius_strip_has_one_side() {
    let steps = 24;
    let point = |i: usize, w: f64| {
        let angle = TAU * i as f64 / steps as f64;
        let (sin, cos) = angle.sin_cos();
        let (half_sin, half_cos) = (0.5 * angle).sin_cos();
        let radius = 1.0 + w * half_cos;
        [radius * cos, radius * sin, w * half_sin]
    };
    let vertices: Vec<[f64; 3]> = (0..=steps).flat_map(|i| [point(i, -0.2), point(i, 0.2)]).collect();
    let cells = (0..steps as u32).map(|i| [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3]);
    let triangles = cells.flat_map(|[a, b, c, d]| [[a, c, b], [b, c, d]]).collect();
    let strip = TriangleMesh::with_one_group(vertices, triangles, "strip").unwrap();
    let report = repair(strip, WELD_TOLERANCE).unwrap().report;
    assert_eq!((report.shells, report.one_sided_edges, report.non_manifold_edges), (1, 1, 0));
    assert_eq!(report.holes.iter().map(|hole| hole.edges).sum::<usize>(), 2 * steps);
}

/// Small reproducible numbers without pattern, from 0 to 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// Cuts triangles one by one at a random position of a random side; the triangle on the other side is not cut. Cuts of cuts too.
fn with_hanging_nodes(mesh: &TriangleMesh, cuts: usize, noise: &mut Noise) -> TriangleMesh {
    let mut mesh = mesh.clone();
    for _ in 0..cuts {
        let t = (noise.next() * mesh.triangles.len() as f64) as usize;
        let k = (noise.next() * 3.0) as usize;
        let [a, b, c] = [0, 1, 2].map(|i| mesh.triangles[t][(k + i) % 3]);
        let (from, to) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
        let part = 0.1 + 0.8 * noise.next();
        let middle = mesh.vertices.len() as u32;
        mesh.vertices.push([0, 1, 2].map(|i| from[i] + part * (to[i] - from[i])));
        mesh.triangles[t] = [a, middle, c];
        mesh.triangles.push([middle, b, c]);
        mesh.groups.push(mesh.groups[t]);
    }
    mesh
}

#[test]
fn hanging_nodes_are_stitched() {
    let mut noise = Noise(1);
    // To all digits, to those of binary STL files, and to six digits.
    let roundings: [fn(f64) -> f64; 3] =
        [|x| x, |x| f64::from(x as f32), |x| format!("{x:.5e}").parse().unwrap_or(f64::NAN)];
    for round in 0..60 {
        let (sin, cos) = (6.0 * noise.next()).sin_cos();
        let turned = |[x, y, z]: [f64; 3]| {
            [cos * x - sin * z, 0.6 * y - 0.8 * (sin * x + cos * z), 0.8 * y + 0.6 * (sin * x + cos * z)]
        };
        let body = cuboid([1.0, 0.7, 0.4], [1 + round % 3; 3]).unwrap().mapped(turned);
        let broken = with_hanging_nodes(&body, 1 + round % 7, &mut noise);
        let rounding = roundings[round % 3];
        let broken = shattered(&broken, 0.0).mapped(|p| p.map(rounding));
        let report = repair(broken, WELD_TOLERANCE).unwrap().report;
        assert!(report.repairs.stitched > 0, "{round}: {report:?}");
        assert_eq!(
            (report.closed_shells, report.shells, report.holes.len()),
            (1, 1, 0),
            "{round}: {report:?}"
        );
        assert_eq!((report.non_manifold_edges, report.one_sided_edges), (0, 0), "{round}: {report:?}");
        assert!((report.volume.unwrap() - 0.28).abs() < 1e-4 && (report.area - 2.76).abs() < 1e-4);
    }
}

#[test]
fn sheets_on_each_other_are_joined_at_their_common_rims() {
    // The same square twice, with different cells: one rim of interior angle zero around it.
    let mut double = plate([1.0, 1.0], [1, 1]).unwrap();
    double.append(&plate([1.0, 1.0], [3, 2]).unwrap());
    let repaired = repair(double, WELD_TOLERANCE).unwrap();
    let edges = wedges(&repaired.mesh, SMOOTH_ANGLE);
    assert_eq!((repaired.report.repairs.stitched, edges.len()), (6, 10));
    assert!(edges.iter().all(|edge| edge.interior().abs() < 1e-9));
    // Two plates side by side with different cells: the seam is no edge.
    let mut side_by_side = plate([1.0, 1.0], [1, 2]).unwrap();
    side_by_side.append(&plate([1.0, 1.0], [2, 3]).unwrap().mapped(|[x, y, z]| [x + 1.0, y, z]));
    let repaired = repair(side_by_side, WELD_TOLERANCE).unwrap();
    assert_eq!(
        (repaired.report.repairs.stitched, repaired.report.shells, repaired.report.holes.len()),
        (3, 1, 1)
    );
    assert!(wedges(&repaired.mesh, SMOOTH_ANGLE).iter().all(|edge| edge.other.is_none()));
}

/// A disk whose rim has far more nodes than its neighbor's: long edges, which cross the boxes of many nodes, must not meet all of them.
#[test]
fn stitching_takes_little_more_than_linear_time() {
    let around = 100_000;
    let at = |i: usize, radius: f64| {
        let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
        [radius * cos, radius * sin, 0.0]
    };
    let mut vertices = vec![[0.0; 3]];
    vertices.extend((0..around).map(|i| at(i, 1.0)));
    vertices.extend((0..around).map(|i| at(i, 1.001)));
    // The inner fan, and a ring that is not joined to it: every edge of the fan is searched among all nodes of both rims.
    let next = |i: usize| (i + 1) % around;
    let fan = (0..around).map(|i| [0, 1 + i, 1 + next(i)]);
    let ring = (0..around).map(|i| [1 + around + i, 1 + around + next(i), 1 + i]);
    let triangles = fan.chain(ring).map(|triangle| triangle.map(|i| i as u32)).collect();
    let disk = TriangleMesh::with_one_group(vertices, triangles, "disk").unwrap();
    let start = std::time::Instant::now();
    let report = repair(disk, WELD_TOLERANCE).unwrap().report;
    assert_eq!(report.repairs.stitched, 0);
    // All pairs would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// The sizes and numbers of triangles of built-in targets are given: nothing of them needs a repair.
#[test]
fn built_in_targets_conform() {
    for mesh in [targets::missile(), targets::ship().unwrap(), targets::aircraft_a(), targets::aircraft_b()] {
        let report = repair(mesh.clone(), WELD_TOLERANCE).unwrap().report;
        assert_eq!((report.repairs.stitched, report.triangles), (0, mesh.triangles.len()));
    }
}
