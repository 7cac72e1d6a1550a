//! Meshes with hanging nodes must have the edges of the surface, no more and no fewer.

use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, WELD_TOLERANCE, repair, targets};
use phasefront_sbr::{Aspect, Bounces, Direction, Edges, Problem, dbsm, prepare};
use std::f64::consts::PI;

/// Reproducible numbers without pattern, from 0 to 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// Cuts triangles at random positions of random sides, each without its neighbor; every triangle has vertices of its own.
fn broken(mesh: &TriangleMesh, cuts: usize, noise: &mut Noise) -> TriangleMesh {
    let mut soup: Vec<[[f64; 3]; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
    for _ in 0..cuts {
        let t = (noise.next() * soup.len() as f64) as usize;
        let k = (noise.next() * 3.0) as usize;
        let [a, b, c] = [0, 1, 2].map(|i| soup[t][(k + i) % 3]);
        let part = 0.1 + 0.8 * noise.next();
        let middle = [0, 1, 2].map(|i| a[i] + part * (b[i] - a[i]));
        soup[t] = [a, middle, c];
        soup.push([middle, b, c]);
    }
    let triangles = (0..soup.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriangleMesh::with_one_group(soup.concat(), triangles, "all").unwrap()
}

/// A prism over a triangle: a wedge with three long edges.
fn prism(noise: &mut Noise) -> TriangleMesh {
    let (tip, length) = (0.1 + 0.3 * noise.next(), 0.3 + 0.3 * noise.next());
    let ends = [[-0.2, -0.1], [0.2, -0.1], [tip - 0.2, 0.15]];
    let vertices = [-0.5 * length, 0.5 * length].iter().flat_map(|&z| ends.map(|[x, y]| [x, y, z])).collect();
    let sides = [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
    TriangleMesh::with_one_group(vertices, sides.to_vec(), "all").unwrap()
}

fn levels(mesh: TriangleMesh, edges: Edges, aspects: &[Aspect]) -> Vec<[f64; 2]> {
    let (frequencies, aspects) = (vec![10e9], aspects.to_vec());
    let problem =
        Problem { mesh, frequencies, aspects, edges, bounces: Bounces::AtMost(1), ..Problem::default() };
    let solution = prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap();
    solution.frequencies[0].scattering.iter().map(|s| [dbsm(s.vv), dbsm(s.hh)]).collect()
}

/// Over plates, boxes and wedges, turned and rounded as in files: edge diffraction is that of the conforming mesh.
#[test]
fn hanging_nodes_do_not_diffract() {
    let mut noise = Noise(7);
    let roundings: [fn(f64) -> f64; 3] =
        [|x| x, |x| f64::from(x as f32), |x| format!("{x:.5e}").parse().unwrap_or(f64::NAN)];
    let (mut worst, mut worst_without, mut count) = (0.0_f64, 0.0_f64, 0);
    for round in 0..60 {
        let sides = [0.2 + 0.3 * noise.next(), 0.2 + 0.3 * noise.next(), 0.1 + 0.2 * noise.next()];
        let cells = 1 + round % 2;
        let mesh = match round % 3 {
            0 => targets::plate([sides[0], sides[1]], [cells, cells]).unwrap(),
            1 => targets::cuboid(sides, [cells; 3]).unwrap(),
            _ => prism(&mut noise),
        };
        let (a, b) = (6.0 * noise.next(), 3.0 * noise.next());
        let turned = |[x, y, z]: [f64; 3]| {
            let [x, y] = [a.cos() * x - a.sin() * y, a.sin() * x + a.cos() * y];
            [x, b.cos() * y - b.sin() * z, b.sin() * y + b.cos() * z]
        };
        let mesh = mesh.mapped(turned);
        let rounding = roundings[round / 3 % 3];
        let broken = broken(&mesh, 1 + round % 8, &mut noise).mapped(|p| p.map(rounding));
        let aspects: Vec<Aspect> = (0..6)
            .map(|_| Aspect::monostatic(Direction::degrees(180.0 * noise.next(), 360.0 * noise.next())))
            .collect();
        let expected = levels(mesh, Edges::Ptd, &aspects);
        let repaired = repair(broken.clone(), WELD_TOLERANCE).unwrap();
        let found = levels(repaired.mesh, Edges::Ptd, &aspects);
        // What the mesh gives if nothing is stitched, with exact welding only.
        let without = levels(repair(broken, 0.0).unwrap().mesh, Edges::Ptd, &aspects);
        for ((expected, found), without) in expected.iter().zip(&found).zip(&without) {
            for i in 0..2 {
                // A wavelength squared is the scale of edge diffraction, here −30 dBsm.
                if expected[i] > -50.0 {
                    worst = worst.max((expected[i] - found[i]).abs());
                    worst_without = worst_without.max((expected[i] - without[i]).abs());
                    count += 1;
                    assert!((expected[i] - found[i]).abs() < 0.05, "{round}: {expected:?} {found:?}");
                }
            }
        }
    }
    println!("worst {worst:.1e} dB of {count}; not stitched {worst_without:.1} dB");
    assert!(count > 500);
}

/// Edge on, only the near edge of a plate scatters E along it: σ = L²/π (E. F. Knott, J. F. Shaeffer, M. T. Tuley, Radar Cross Section,
/// ch. 6). Hanging nodes anywhere on its edges and inside it change nothing, nor does a second sheet on it.
#[test]
fn a_plate_with_hanging_nodes_has_the_echo_of_its_near_edge() {
    let mut noise = Noise(3);
    for round in 0..12 {
        let upright =
            |size: [f64; 2], cells| targets::plate(size, cells).unwrap().mapped(|[x, y, z]| [z, x, y]);
        let length = 0.4 + 0.5 * noise.next();
        let mut mesh = upright([1.3, length], [1, 1]);
        if round % 3 == 2 {
            mesh.append(&upright([1.3, length], [2, 3]));
        }
        let mesh = repair(broken(&mesh, 1 + round, &mut noise), WELD_TOLERANCE).unwrap().mesh;
        let found = levels(mesh, Edges::Ptd, &[Aspect::monostatic(Direction::degrees(90.0, 90.0))])[0][0];
        let expected = 10.0 * (length * length / PI).log10();
        assert!((found - expected).abs() < 1e-3, "{round}: {found} {expected}");
    }
}

/// Rims that lie on each other do not diffract, joined or not: two sheets side by side are one.
#[test]
fn seams_do_not_diffract_even_if_nothing_is_repaired() {
    let mut mesh = targets::plate([0.3, 0.4], [1, 1]).unwrap().mapped(|[x, y, z]| [x - 0.15, y, z]);
    mesh.append(&targets::plate([0.3, 0.4], [2, 3]).unwrap().mapped(|[x, y, z]| [x + 0.15, y, z]));
    let aspects =
        [[30.0, 0.0], [50.0, 30.0], [70.0, 200.0]].map(|[t, p]| Aspect::monostatic(Direction::degrees(t, p)));
    for edges in [Edges::Ptd, Edges::Truncated] {
        let whole = levels(targets::plate([0.6, 0.4], [1, 1]).unwrap(), edges, &aspects);
        let found = levels(
            if edges == Edges::Ptd {
                mesh.clone()
            } else {
                repair(mesh.clone(), WELD_TOLERANCE).unwrap().mesh
            },
            edges,
            &aspects,
        );
        for (whole, found) in whole.iter().zip(&found) {
            assert!((0..2).all(|i| (whole[i] - found[i]).abs() < 0.05), "{whole:?} {found:?}");
        }
    }
}
