//! Occlusion: single-bounce amplitudes, which are integrals over the visible surface, against closed forms.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{Aspect, Bounces, Direction, Problem, Solution, prepare};
use std::f64::consts::PI;

const FREQUENCY: f64 = 10e9;

fn solve(mesh: TriangleMesh, [theta, phi]: [f64; 2], bounces: usize) -> Solution {
    let aspects = vec![Aspect::monostatic(Direction::degrees(theta, phi))];
    let problem = Problem {
        mesh,
        frequencies: vec![FREQUENCY],
        aspects,
        bounces: Bounces::AtMost(bounces),
        ..Problem::default()
    };
    prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap()
}

fn echo(solution: &Solution) -> Complex64 {
    solution.frequencies[0].scattering[0].vv
}

type Motion<'a> = &'a dyn Fn([f64; 3]) -> [f64; 3];

/// Merges meshes, each with its vertices transformed.
fn together(parts: &[(&TriangleMesh, Motion<'_>)]) -> TriangleMesh {
    let mut all = TriangleMesh { group_names: vec!["all".into()], ..TriangleMesh::default() };
    for (mesh, moved) in parts {
        let base = all.vertices.len() as u32;
        all.vertices.extend(mesh.vertices.iter().map(|&p| moved(p)));
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| base + v)));
        all.groups.extend(mesh.triangles.iter().map(|_| 0));
    }
    all
}

/// ∫ e^{2jk s·r} dS over a rectangle perpendicular to z.
fn rectangle(sides: [f64; 2], middle: [f64; 3], s: [f64; 3]) -> Complex64 {
    let k = wavenumber(FREQUENCY);
    let side = |i: usize| sides[i] * (k * s[i] * sides[i]).sin() / (k * s[i] * sides[i]);
    Complex64::from_polar(side(0) * side(1), 2.0 * k * (0..3).map(|i| s[i] * middle[i]).sum::<f64>())
}

/// A plate in front of a larger one removes its shadow from it, with a boundary that no triangle has: |S| = (k/2π) cos θ |Σ ∫ e^{2jk s·r}|.
#[test]
fn a_plate_before_another_casts_its_shadow() {
    let (large, small) = ([0.3, 0.25], [0.08, 0.06]);
    let back = targets::plate(large, [5, 4]).unwrap();
    let front = targets::plate(small, [3, 2]).unwrap();
    let offset = [0.031, -0.017, 0.15];
    let mesh = together(&[(&back, &|p| p), (&front, &|p| [0, 1, 2].map(|i| p[i] + offset[i]))]);
    for [theta, phi] in [[20.0, 35.0], [7.0, 100.0], [31.0, -20.0]] {
        let (sin_t, cos_t) = f64::to_radians(theta).sin_cos();
        let (sin_p, cos_p) = f64::to_radians(phi).sin_cos();
        let s = [sin_t * cos_p, sin_t * sin_p, cos_t];
        let shadow = [offset[0] - s[0] / s[2] * offset[2], offset[1] - s[1] / s[2] * offset[2], 0.0];
        assert!((0..2).all(|i| shadow[i].abs() + 0.5 * small[i] < 0.5 * large[i]));
        let integral =
            rectangle(large, [0.0; 3], s) - rectangle(small, shadow, s) + rectangle(small, offset, s);
        let exact = wavenumber(FREQUENCY) / (2.0 * PI) * cos_t * integral.norm();
        let solution = solve(mesh.clone(), [theta, phi], 1);
        assert!((echo(&solution).norm() - exact).abs() < 1e-9 * exact, "{} {exact}", echo(&solution));
        let area = large[0] * large[1] * cos_t;
        assert!((solution.counts.hit_area - area).abs() < 1e-12 * area);
    }
}

/// Two intersecting plates, z = ±x tan 30°, from above: the upper half of each is visible, up to their intersection, which is no mesh
/// edge. Σ ∫ e^{2jkz} = 4 b (e^{2jka tan 30°} − 1)/(2jk tan 30°) for half widths a and b.
#[test]
fn plates_that_cross_are_seen_to_where_they_do() {
    let (a, b, slope) = (0.1, 0.07, f64::tan(PI / 6.0));
    let plate = targets::plate([2.0 * a, 2.0 * b], [3, 2]).unwrap();
    let mesh =
        together(&[(&plate, &|[x, y, _]| [x, y, slope * x]), (&plate, &|[x, y, _]| [x, y, -slope * x])]);
    let k = wavenumber(FREQUENCY);
    let rise = Complex64::new(0.0, 2.0 * k * slope);
    let exact = k / (2.0 * PI) * (4.0 * b * ((rise * a).exp() - 1.0) / rise).norm();
    let solution = solve(mesh, [0.0, 0.0], 1);
    assert!((echo(&solution).norm() - exact).abs() < 1e-9 * exact, "{} {exact}", echo(&solution));
    assert!((solution.counts.hit_area - 4.0 * a * b).abs() < 1e-12);
}

/// A large triangle is occluded by many small ones, and of coincident triangles one is hit.
#[test]
fn what_is_covered_is_not_seen() {
    let front = targets::plate([0.3, 0.3], [30, 30]).unwrap();
    let back = targets::plate([0.29, 0.29], [1, 1]).unwrap();
    let alone = solve(front.clone(), [0.0, 0.0], 3);
    for depth in [0.05, 0.0] {
        let mesh = together(&[(&front, &|p| p), (&back, &|[x, y, z]| [x, y, z - depth])]);
        let both = solve(mesh, [0.0, 0.0], 3);
        assert!((echo(&both) - echo(&alone)).norm() < 1e-9 * echo(&alone).norm());
        assert!((both.counts.hit_area - 0.09).abs() < 1e-12);
    }
}

/// With every triangle duplicated and flipped, a trihedral has the same amplitude.
#[test]
fn triangles_in_the_same_place_count_once() {
    let once = targets::trihedral(0.3, 3).unwrap();
    let mut turned = once.clone();
    for [_, b, c] in &mut turned.triangles {
        std::mem::swap(b, c);
    }
    let twice = together(&[(&once, &|p| p), (&turned, &|p| p)]);
    let [a, b] = [once, twice].map(|mesh| echo(&solve(mesh, [50.0, 40.0], 4)));
    assert!((a - b).norm() < 1e-9 * a.norm(), "{a} {b}");
}

/// A closed body, whose inner sides are culled, and the same body without one face at its back, whose inner sides are not.
#[test]
fn inner_sides_of_closed_bodies_are_never_met() {
    let closed = targets::cylinder(0.1, 0.3, [3, 24], true).unwrap();
    let mut open = closed.clone();
    open.triangles.retain(|t| {
        let height: f64 = t.iter().map(|&v| closed.vertices[v as usize][2]).sum();
        height > -0.149 * 3.0
    });
    open.groups.truncate(open.triangles.len());
    assert!(open.triangles.len() < closed.triangles.len());
    let [a, b] = [closed, open].map(|mesh| solve(mesh, [40.0, 25.0], 4));
    assert!((echo(&a) - echo(&b)).norm() < 1e-12, "{} {}", echo(&a), echo(&b));
    assert!((a.counts.hit_area - b.counts.hit_area).abs() < 1e-12);
}
