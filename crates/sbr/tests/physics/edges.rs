//! Edge diffraction (PTD) against closed forms and published values.

use super::sheet;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::{C0, wavenumber};
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{
    Aspect, Bounces, Direction, Edges, Material, Problem, ScatteringMatrix, Surface, dbsm, prepare,
};
use std::f64::consts::PI;

const INCH: f64 = 0.0254;

fn solve(problem: Problem) -> Vec<ScatteringMatrix> {
    let solution = prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap();
    solution.frequencies[0].scattering.clone()
}

fn problem(mesh: &TriangleMesh, edges: Edges, frequency: f64, aspects: &[Aspect]) -> Problem {
    Problem {
        mesh: mesh.clone(),
        edges,
        frequencies: vec![frequency],
        aspects: aspects.to_vec(),
        bounces: Bounces::AtMost(1),
        ..Problem::default()
    }
}

fn monostatic(theta: f64, phi: f64) -> Aspect {
    Aspect::monostatic(Direction::degrees(theta, phi))
}

fn parts(s: &ScatteringMatrix) -> [Complex64; 4] {
    [s.vv, s.vh, s.hv, s.hh]
}

/// Fringe fields alone, with segments of a wavelength over `finer`.
fn fringes(
    mesh: &TriangleMesh,
    edges: Edges,
    frequency: f64,
    aspects: &[Aspect],
    finer: f64,
) -> Vec<[Complex64; 4]> {
    let asked = |edges| {
        let problem = problem(mesh, edges, frequency, aspects);
        Problem { frequencies: vec![frequency, finer * frequency], tube_width: 1.0, ..problem }
    };
    let (with, without) = (solve(asked(edges)), solve(asked(Edges::None)));
    let less = |(a, b): (&ScatteringMatrix, &ScatteringMatrix)| {
        let (a, b) = (parts(a), parts(b));
        [0, 1, 2, 3].map(|i| a[i] - b[i])
    };
    with.iter().zip(&without).map(less).collect()
}

/// Largest difference of amplitudes over the largest amplitude.
fn apart(a: &[Complex64; 4], b: &[Complex64; 4]) -> f64 {
    let largest = b.iter().map(|x| x.norm()).fold(0.0, f64::max);
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

fn frame(direction: Direction) -> [DVec3; 3] {
    let (sin_t, cos_t) = direction.theta.sin_cos();
    let (sin_p, cos_p) = direction.phi.sin_cos();
    [
        DVec3::new(sin_t * cos_p, sin_t * sin_p, cos_t),
        DVec3::new(cos_t * cos_p, cos_t * sin_p, -sin_t),
        DVec3::new(-sin_p, cos_p, 0.0),
    ]
}

#[track_caller]
fn close(name: &str, value: f64, reference: f64, tolerance: f64) {
    println!("{name}: {value:.4e}, reference {reference:.4e}");
    assert!((value - reference).abs() <= tolerance, "{name}: {value} is not {reference} ± {tolerance}");
}

/// With its normal along x, its first side along y and its second along z.
fn upright_plate(size: [f64; 2], cells: [usize; 2]) -> TriangleMesh {
    targets::plate(size, cells).unwrap().mapped(|[x, y, z]| [z, x, y])
}

/// The RCS of a thin plate, 10.5 by 6 inches, by the method of moments: broadside 8.07 (V) and 7.96 dBsm (H) at 5.12 GHz,
/// 13.79 and 13.83 at 10.2 GHz; at 45° −20.5 and −22.4, where physical optics alone has −27.3.
#[test]
fn a_plate_has_the_echo_of_the_method_of_moments() {
    let mesh = upright_plate([10.5 * INCH, 6.0 * INCH], [1, 1]);
    for (edges, tolerance) in [(Edges::Ptd, 0.3), (Edges::Truncated, 0.15)] {
        for (frequency, v, h) in [(5.12e9, 8.07, 7.96), (10.2e9, 13.79, 13.83)] {
            let echo = solve(problem(&mesh, edges, frequency, &[monostatic(90.0, 0.0)]))[0];
            close("broadside vv", dbsm(echo.vv), v, tolerance);
            close("broadside hh", dbsm(echo.hh), h, tolerance);
        }
        let echo = solve(problem(&mesh, edges, 10.2e9, &[monostatic(90.0, 45.0)]))[0];
        close("vv at 45 degrees", dbsm(echo.vv), -20.5, 2.5);
        close("hh at 45 degrees", dbsm(echo.hh), -22.4, 2.5);
    }
    let alone = solve(problem(&mesh, Edges::None, 10.2e9, &[monostatic(90.0, 45.0)]))[0];
    close("without edges", dbsm(alone.vv), -27.3, 0.05);
}

/// At edge-on incidence only the near edge scatters, with E parallel to it, σ = L²/π; E perpendicular to it does not (E. F. Knott, J. F. Shaeffer,
/// M. T. Tuley, Radar Cross Section, ch. 6).
#[test]
fn a_plate_edge_on_has_the_echo_of_its_near_edge() {
    let mesh = upright_plate([1.3, 0.7], [1, 1]);
    for phi in [90.0, -90.0] {
        for edges in [Edges::Ptd, Edges::Truncated] {
            let echo = solve(problem(&mesh, edges, 5e9, &[monostatic(90.0, phi)]))[0];
            // Minus the part beyond the far edge, 1/√(2πkl) of it.
            let tail = (2.0 * PI * wavenumber(5e9) * 1.3).sqrt().recip();
            let tolerance = if edges == Edges::Ptd { 1e-6 } else { 20.0 * (1.0 + tail).log10() };
            close("edge on vv", dbsm(echo.vv), 10.0 * (0.49 / PI).log10(), tolerance);
            assert!(echo.hh.norm() < 1e-12 && echo.vh.norm() < 1e-12 && echo.hv.norm() < 1e-12);
        }
    }
}

/// A cone of half-angle γ and base radius a from its nose, σ = 4π [(a/n) sin(π/n)/(cos(π/n) − cos(3π/n))]² with
/// n = 3/2 + γ/π (J. B. Keller, IRE Trans. Antennas Propag. 8, 175, 1960): the diffraction of its rim, which rays and
/// fringe fields must add up to.
#[test]
fn a_cone_from_its_nose_has_the_echo_of_its_rim() {
    for gamma in [10.0_f64, 15.0, 30.0].map(f64::to_radians) {
        let (radius, n) = (1.0, 1.5 + gamma / PI);
        let mesh = cone(radius, radius / gamma.tan(), 360);
        let (first, last) = ((PI / n).cos(), (3.0 * PI / n).cos());
        let exact = dbsm((radius / n * (PI / n).sin() / (first - last)).into());
        let [without, ptd, truncated] = [Edges::None, Edges::Ptd, Edges::Truncated]
            .map(|edges| solve(problem(&mesh, edges, 20.0 * C0, &[monostatic(0.0, 0.0)]))[0]);
        assert!(dbsm(without.vv) < exact - 4.0);
        // The fringe current of the rim is truncated at the tip.
        close("cone vv, truncated", dbsm(truncated.vv), exact, 0.5);
        close("cone vv", dbsm(ptd.vv), exact, 0.05);
        close("cone hh", dbsm(ptd.hh), exact, 0.05);
    }
}

/// Tip up, base in the xy plane.
fn cone(radius: f64, height: f64, around: u32) -> TriangleMesh {
    let ring = |i: u32| 2.0 * PI * f64::from(i) / f64::from(around);
    let mut vertices = vec![[0.0, 0.0, height], [0.0; 3]];
    vertices.extend((0..around).map(|i| [radius * ring(i).cos(), radius * ring(i).sin(), 0.0]));
    let sides = |i: u32| {
        let (here, next) = (2 + i, 2 + (i + 1) % around);
        [[0, here, next], [1, next, here]]
    };
    TriangleMesh::with_one_group(vertices, (0..around).flat_map(sides).collect(), "cone").unwrap()
}

/// The field of the fringe currents, integrated over the plate.
#[test]
fn a_plate_has_the_fringe_field_of_its_currents() {
    let (frequency, size) = (C0, [2.1, 1.7]);
    let mesh = targets::plate(size, [1, 1]).unwrap();
    let directions = [
        [30.0, 0.0, 30.0, 0.0],
        [50.0, 30.0, 50.0, 30.0],
        [50.0, 30.0, 20.0, 200.0],
        [130.0, 80.0, 40.0, -50.0],
        [70.0, 300.0, 100.0, 10.0],
    ];
    for [theta_i, phi_i, theta_s, phi_s] in directions {
        let aspect = Aspect {
            incident: Direction::degrees(theta_i, phi_i),
            observer: Direction::degrees(theta_s, phi_s),
        };
        let [toward, v, h] = frame(aspect.incident);
        let [s, theta, phi] = frame(aspect.observer);
        let mut exact = [Complex64::ZERO; 4];
        for (i, e) in [v, h].into_iter().enumerate() {
            let h = (-toward).cross(e);
            let wave = sheet::Wave { k: wavenumber(frequency), direction: -toward, e, h };
            let field = sheet::fringe_field(&wave, size, s);
            for (r, unit) in [theta, phi].into_iter().enumerate() {
                exact[2 * r + i] = field[0] * unit.x + field[1] * unit.y + field[2] * unit.z;
            }
        }
        // Shorter segments resolve the kinks of the face extent better.
        for (finer, tolerance) in [(1.0, 0.07), (4.0, 0.01)] {
            let ours = fringes(&mesh, Edges::Truncated, frequency, &[aspect], finer)[0];
            close("sheet", apart(&ours, &exact), 0.0, tolerance);
        }
    }
}

/// The truncated part decreases with the square root of the width.
#[test]
fn wide_faces_are_as_good_as_endless() {
    let aspects: Vec<Aspect> = (0..11).map(|i| monostatic(40.0 + 2.0 * f64::from(i), 90.0)).collect();
    let [narrow, wide] = [4.0, 64.0].map(|width| {
        let mesh = targets::plate([1.0, width], [1, 1]).unwrap();
        let [ptd, truncated] =
            [Edges::Ptd, Edges::Truncated].map(|edges| fringes(&mesh, edges, 4.0 * C0, &aspects, 1.0));
        truncated.iter().zip(&ptd).map(|(truncated, ptd)| apart(truncated, ptd)).sum::<f64>() / 11.0
    });
    close("wide", wide / narrow, 0.25, 0.1);
    assert!(wide < 0.1);
}

/// Rotation by `angle` about a unit axis (Rodrigues).
fn turned(axis: DVec3, angle: f64) -> impl Fn([f64; 3]) -> [f64; 3] {
    move |p| glam::DQuat::from_axis_angle(axis, angle).mul_vec3(DVec3::from(p)).to_array()
}

fn box_and_fin() -> TriangleMesh {
    let fin = targets::plate([0.2, 0.2], [1, 1]).unwrap().mapped(|[x, y, z]| [x + 0.1, z, y + 0.15]);
    union(&targets::cuboid([0.5, 0.3, 0.2], [1, 1, 1]).unwrap(), &fin)
}

fn union(a: &TriangleMesh, b: &TriangleMesh) -> TriangleMesh {
    let first = a.vertices.len() as u32;
    let mut all = a.clone();
    all.vertices.extend(&b.vertices);
    all.triangles.extend(b.triangles.iter().map(|triangle| triangle.map(|i| i + first)));
    all.groups.extend(&b.groups);
    all
}

/// A translation by d multiplies the amplitude by e^{jk(s − k_i)·d}.
#[test]
fn a_target_may_be_far_from_the_origin() {
    let mesh = box_and_fin();
    let moved = mesh.clone().mapped(|[x, y, z]| [x + 100.0, y - 100.0, z + 100.0]);
    let aspect =
        Aspect { incident: Direction::degrees(60.0, 30.0), observer: Direction::degrees(50.0, 70.0) };
    let ways = frame(aspect.incident)[0] + frame(aspect.observer)[0];
    let turn = Complex64::cis(wavenumber(3e9) * ways.dot(DVec3::new(100.0, -100.0, 100.0)));
    for edges in [Edges::Ptd, Edges::Truncated] {
        let [here, there] = [&mesh, &moved].map(|mesh| fringes(mesh, edges, 3e9, &[aspect], 1.0)[0]);
        // Vertices at 100 m are rounded to 1.4e-14 m: 1e-12 rad at 3 GHz.
        close("moved", apart(&there, &here.map(|x| x * turn)), 0.0, 1e-9);
    }
}

/// Edges rotated with the line of sight have the same span |vv|² + |vh|² + |hv|² + |hh|².
#[test]
fn a_target_may_be_turned() {
    let mesh = box_and_fin();
    let span = |parts: &[Complex64; 4]| parts.iter().map(Complex64::norm_sqr).sum::<f64>();
    for edges in [Edges::Ptd, Edges::Truncated] {
        let still = span(&fringes(&mesh, edges, 3e9, &[monostatic(60.0, 30.0)], 1.0)[0]);
        for angle in [0.3, 1.0, 2.0] {
            let turn = turned(DVec3::new(0.6, 0.0, 0.8), angle);
            let [x, y, z] = turn(frame(Direction::degrees(60.0, 30.0))[0].to_array());
            let aspect = monostatic(z.acos().to_degrees(), y.atan2(x).to_degrees());
            let echo = fringes(&mesh.clone().mapped(&turn), edges, 3e9, &[aspect], 1.0)[0];
            close("turned", span(&echo) / still, 1.0, 1e-9);
        }
    }
}

/// Smaller triangles have more, shorter edges on the same lines.
#[test]
fn a_plate_may_be_cut_into_many() {
    let aspects = [monostatic(50.0, 30.0), monostatic(40.0, 0.0)];
    for (edges, tolerance) in [(Edges::Ptd, 1e-9), (Edges::Truncated, 0.01)] {
        let [whole, cut] = [[1, 1], [7, 5]]
            .map(|cells| fringes(&targets::plate([0.3, 0.2], cells).unwrap(), edges, 10e9, &aspects, 4.0));
        for (whole, cut) in whole.iter().zip(&cut) {
            close("cut", apart(cut, whole), 0.0, tolerance);
        }
    }
}

/// Reciprocity, where edges are perpendicular to the line of sight or come in symmetric pairs. Elsewhere the fringe field of one edge
/// does not satisfy it.
#[test]
fn cross_polar_echoes_are_the_same() {
    let plate = targets::plate([0.3, 0.2], [1, 1]).unwrap().mapped(turned(DVec3::Y, 0.6));
    let rolled = plate.mapped(turned(DVec3::Z, 0.4));
    for edges in [Edges::Ptd, Edges::Truncated] {
        let [vv, vh, hv, _] = fringes(&rolled, edges, 10e9, &[monostatic(0.0, 0.0)], 1.0)[0];
        assert!(vh.norm() > 0.1 * vv.norm());
        close("hv/vh", (hv / vh - 1.0).norm(), 0.0, 1e-9);
    }
}

/// Edges inside another shell, or occluded by it, do not diffract.
#[test]
fn hidden_edges_add_nothing() {
    let shell = targets::cuboid([1.0, 0.8, 0.6], [1, 1, 1]).unwrap();
    let inside = targets::cuboid([0.5, 0.3, 0.2], [1, 1, 1]).unwrap();
    let behind = inside.clone().mapped(|[x, y, z]| [x - 5.0, y, z]);
    let aspects = [
        monostatic(90.0, 0.0),
        monostatic(88.0, 1.0),
        Aspect { incident: Direction::degrees(90.0, 1.0), observer: Direction::degrees(91.0, -1.0) },
    ];
    for edges in [Edges::Ptd, Edges::Truncated] {
        let alone = fringes(&shell, edges, 3e9, &aspects, 1.0);
        for hidden in [&inside, &behind] {
            // The center of the scene differs, which does not change phases.
            let both = fringes(&union(&shell, hidden), edges, 3e9, &aspects, 1.0);
            for (both, alone) in both.iter().zip(&alone) {
                close("hidden", apart(both, alone), 0.0, 1e-9);
            }
        }
        // From the other side the one behind is in front.
        let aspect = [monostatic(90.0, 170.0)];
        let [alone, both] =
            [shell.clone(), union(&shell, &behind)].map(|mesh| fringes(&mesh, edges, 3e9, &aspect, 1.0)[0]);
        assert!(apart(&both, &alone) > 0.1);
    }
}

/// A wall that occludes one half of a strip halves its amplitude: both halves are mirror images at the same distance.
#[test]
fn edges_are_hidden_in_part() {
    // Twenty segments on each of the long edges.
    let strip = targets::plate([0.1, 0.59], [1, 1]).unwrap();
    let wall = targets::plate([2.0, 1.0], [1, 1]).unwrap().mapped(|[x, y, z]| [x, y - 0.5, z + 1.0]);
    let with = |mesh: &TriangleMesh| fringes(mesh, Edges::Ptd, 10e9, &[monostatic(8.0, 0.0)], 1.0)[0];
    let (whole, wall_alone, both) = (with(&strip), with(&wall), with(&union(&wall, &strip)));
    for i in [0, 3] {
        close("half", ((both[i] - wall_alone[i]) / (0.5 * whole[i]) - 1.0).norm(), 0.0, 1e-9);
    }
}

/// Neither facets of curved bodies nor coated faces have diffracting edges.
#[test]
fn only_sharp_edges_of_conductors_count() {
    let nothing = |with: Problem| {
        let without = Problem { edges: Edges::None, ..with.clone() };
        assert_eq!(solve(with), solve(without));
    };
    let aspects = [monostatic(70.0, 20.0)];
    nothing(problem(&targets::sphere(0.3, 12).unwrap(), Edges::Truncated, 3e9, &aspects));
    let plate = targets::plate([0.3, 0.2], [2, 2]).unwrap();
    let materials = vec![(plate.group_names[0].clone(), Material::Coated(Vec::new()))];
    nothing(Problem { materials, ..problem(&plate, Edges::Ptd, 3e9, &aspects) });
}

/// What diffracts is told: twelve edges of a box, of which four are cut in two, and the rims of a plate beside it.
#[test]
fn edges_are_listed() {
    let cuboid = targets::cuboid([3.0, 2.0, 1.0], [2, 1, 1]).unwrap();
    let plate = targets::plate([0.3, 0.2], [1, 1]).unwrap().mapped(|[x, y, z]| [x + 5.0, y, z]);
    let with = |edge_angle: f64| Problem {
        edge_angle,
        surface: Surface::Facets,
        ..problem(&union(&cuboid, &plate), Edges::Ptd, 3e9, &[monostatic(70.0, 20.0)])
    };
    let edges = |angle: f64| prepare(with(angle.to_radians())).unwrap().diffracting_edges();
    let (rims, wedges): (Vec<_>, Vec<_>) = edges(30.0).into_iter().partition(|edge| edge.is_rim);
    assert_eq!((wedges.len(), rims.len()), (16, 4));
    close("wedges", wedges.iter().map(|edge| edge.length).sum(), 24.0, 1e-12);
    close("rims", rims.iter().map(|edge| edge.length).sum(), 1.0, 1e-12);
    for edge in &wedges {
        close("angle", edge.interior_angle, 0.5 * PI, 1e-12);
        let along: f64 = (0..3).map(|k| (edge.to[k] - edge.from[k]).powi(2)).sum();
        close("ends", along.sqrt(), edge.length, 1e-12);
        // On the box, about the origin.
        assert!((0..3).all(|k| edge.from[k].abs() < [1.5, 1.0, 0.5][k] + 1e-12));
    }
    // A box whose faces meet at less than what counts as an edge.
    assert!(edges(91.0).iter().all(|edge| edge.is_rim));
}

/// The same bits in every run, in sweeps and alone.
#[test]
fn sums_are_repeatable() {
    let aspects = [monostatic(60.0, 30.0), monostatic(61.0, 30.0)];
    let sweep =
        Problem { frequencies: vec![2e9, 3e9], ..problem(&box_and_fin(), Edges::Truncated, 3e9, &aspects) };
    let all = prepare(sweep.clone()).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap();
    assert_eq!(solve(sweep), all.frequencies[0].scattering);
    assert_eq!(
        solve(problem(&box_and_fin(), Edges::Truncated, 3e9, &aspects)),
        all.frequencies[1].scattering
    );
}
