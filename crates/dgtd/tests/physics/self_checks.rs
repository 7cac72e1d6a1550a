//! Self-checks: they fail where a result is known to be wrong, and hold where it is known to be right.

use crate::channel::{Channel, solve, walls};
use phasefront_core::constants::{C0, ETA0};
use phasefront_core::{Event, Progress, SelfCheck, Sink};
use phasefront_device::Backend;
use phasefront_dgtd::{
    Boundary, Dipole, Initial, Monitors, Port, PortShape, Problem, Pulse, Solution, Sources, Stop, Study,
    prepare,
};
use phasefront_mesh::{BoxMesh, BoxSheet, GmshMesh, TetMesh, Units, gmsh_tets};
use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

fn find<'a>(checks: &'a [SelfCheck], name: &str) -> Option<&'a SelfCheck> {
    checks.iter().find(|check| check.name == name)
}

fn failing(study: &Study, solution: &Solution) -> Vec<SelfCheck> {
    let all = study.self_checks.iter().cloned().chain(solution.self_checks(study));
    all.filter(|check| !check.holds()).collect()
}

fn port(surface: &str, resistance: f64, along: [f64; 3]) -> Port {
    Port { surface: surface.into(), resistance: Some(resistance), shape: PortShape::Lumped { along } }
}

/// A WR-90 guide, 22.86 by 10.16 mm, between two lumped ports. Nothing in it absorbs: a wave port would have |S₁₁|² + |S₂₁|² = 1 (Pozar,
/// Microwave Engineering, section 4.3).
#[test]
fn lumped_ports_of_a_guide_are_told() {
    let sides = ["xmin", "xmax", "ymin", "ymax"];
    let guide = |narrow: Boundary, margin: f64| {
        // Ports away from the narrow walls leave magnetic walls beside them.
        let port_at = |name: &str, z: f64| BoxSheet {
            name: name.into(),
            from: [margin, 0.0, z],
            to: [22.86e-3 - margin, 10.16e-3, z],
        };
        let has_margin = margin > 0.0;
        let sheets = if has_margin { vec![port_at("in", 0.0), port_at("out", 40e-3)] } else { Vec::new() };
        let ends = if has_margin { ["in", "out"] } else { ["zmin", "zmax"] };
        let walls =
            sides.iter().map(|name| (*name, if name.starts_with('x') { narrow } else { Boundary::Pec }));
        let beside = ["zmin", "zmax"].into_iter().filter(|_| has_margin).map(|name| (name, Boundary::Pmc));
        Problem {
            mesh: BoxMesh {
                to: [22.86e-3, 10.16e-3, 40e-3],
                cell: [6e-3; 3],
                name: "air".into(),
                sheets,
                ..BoxMesh::default()
            }
            .mesh()
            .unwrap(),
            boundaries: walls.chain(beside).map(|(name, boundary)| (name.into(), boundary)).collect(),
            sources: Sources {
                ports: ends.map(|name| port(name, ETA0 * 10.16 / 22.86, [0.0, 1.0, 0.0])).into(),
                ..Sources::default()
            },
            pulse: Pulse::gaussian(15e9),
            highest_frequency: 12e9,
            monitors: Monitors { frequencies: vec![8e9, 10e9, 12e9], ..Monitors::default() },
            stop: Stop { energy_db: Some(50.0), time: 16e-9 },
            ..Problem::default()
        }
    };
    // Across all of the guide its narrow walls short them.
    let Err(refused) = prepare(guide(Boundary::Pec, 0.0)) else { panic!("it is refused") };
    let refused = refused.to_string();
    assert!(refused.contains("source.ports[0].surface: a conductor at (0.0"), "{refused}");
    assert!(refused.contains("joins the two ends of the port \"zmin\": it is short-circuited"), "{refused}");
    // Beside the walls no conductor is on them, but their field is not that of the guide, whose power they do not conserve.
    let (study, solution) = solve(guide(Boundary::Pec, 3e-3));
    assert!(find(&study.self_checks, "conductors along ports").unwrap().holds());
    let measured = solution.self_checks(&study);
    let missing = find(&measured, "power unaccounted for").unwrap();
    assert!(!missing.holds() && missing.value > 0.02, "{missing:?}");
    // Between magnetic walls the same guide is a parallel-plate line, and the ports match it.
    let (study, solution) = solve(guide(Boundary::Pmc, 0.0));
    assert_eq!(failing(&study, &solution), []);
    assert!(find(&solution.self_checks(&study), "power unaccounted for").unwrap().value < 1e-3);
}

/// A fin of metal along a part of a port shorts that part.
#[test]
fn conductors_along_a_part_of_a_port_are_told() {
    let fin = BoxSheet { name: "fin".into(), from: [5e-3, 0.0, 0.0], to: [5e-3, 5e-3, 20e-3] };
    let mesh = BoxMesh {
        to: [10e-3, 10e-3, 20e-3],
        cell: [5e-3; 3],
        name: "air".into(),
        sheets: vec![fin],
        ..BoxMesh::default()
    };
    let walls =
        [("xmin", Boundary::Pmc), ("xmax", Boundary::Pmc), ("ymin", Boundary::Pec), ("ymax", Boundary::Pec)];
    let study = prepare(Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries: walls
            .into_iter()
            .chain([("fin", Boundary::Pec), ("zmax", Boundary::Pec)])
            .map(|(name, boundary)| (name.into(), boundary))
            .collect(),
        sources: Sources { ports: vec![port("zmin", ETA0, [0.0, 1.0, 0.0])], ..Sources::default() },
        highest_frequency: 3e9,
        ..Problem::default()
    })
    .unwrap();
    let shorted = find(&study.self_checks, "conductors along ports").unwrap();
    assert!(!shorted.holds() && (shorted.value - 0.5).abs() < 1e-9, "{shorted:?}");
    assert!(shorted.sentence.contains("short a part of the port \"zmin\" (source.ports[0])"), "{shorted:?}");
}

/// Between two walls of ε = 16, each a quarter of a wavelength thick, half a wavelength of space passes all power at its resonance, with a
/// finesse of 12.5 (π√R/(1 − R) with √R = (16 − 1)/(16 + 1); Born and Wolf, Principles of Optics, section 7.6). When the energy has fallen by
/// 20 dB, some of what it lets through is still to come: the run goes on until the power of the ports is known, or says that it is not.
#[test]
fn a_resonance_rings_until_its_power_is_known() {
    let f = 1e9;
    let (gap, wall) = (C0 / (2.0 * f), C0 / (16.0 * f));
    let run = |time: f64| {
        let (near, far) = (0.05 + wall, 0.05 + wall + gap);
        let regions = [("near", 0.05, near), ("far", far, far + wall)];
        let channel = Channel {
            ends: [0.0, far + near],
            size: [0.025, 0.04],
            cell: 0.05,
            regions: &regions,
            planes: &[],
        };
        let dielectric = || phasefront_dgtd::Material::dielectric(16.0);
        solve(Problem {
            mesh: channel.mesh(),
            materials: vec![("near".into(), dielectric()), ("far".into(), dielectric())],
            boundaries: walls([None; 2]),
            sources: Sources {
                ports: ["zmin", "zmax"].map(|name| port(name, ETA0 * 0.025 / 0.04, [1.0, 0.0, 0.0])).into(),
                ..Sources::default()
            },
            pulse: Pulse::modulated(f, 0.4 * f),
            highest_frequency: 1.2 * f,
            monitors: Monitors { frequencies: vec![0.9 * f, f, 1.1 * f], ..Monitors::default() },
            stop: Stop { energy_db: Some(20.0), time },
            order: 3,
            ..Problem::default()
        })
    };
    let (study, solution) = run(2e-6);
    assert!(solution.settled && solution.energy_drop() > 25.0, "{}", solution.energy_drop());
    let power = |study: &Study, solution: &Solution| {
        find(&solution.self_checks(study), "power unaccounted for").cloned().unwrap()
    };
    let known = power(&study, &solution);
    assert!(known.holds() && known.limit == 1e-3, "{known:?}");
    let through = study.ports(&solution)[1].s[1].norm();
    assert!(through > 0.999, "{through}");
    // Cut off as soon as the energy has fallen by 20 dB.
    let peak = solution.energy.iter().map(|(_, energy)| *energy).fold(0.0, f64::max);
    let end = study.ring_down_start();
    let at = solution.energy.iter().find(|(time, energy)| *time > end && *energy < 0.01 * peak).unwrap().0;
    let (study, solution) = run(at);
    let missing = power(&study, &solution);
    assert!(!missing.holds() && missing.value > 0.01, "{missing:?}");
    assert!(missing.sentence.contains("set a longer `max_time`"), "{missing:?}");
}

fn mesh(bytes: &[u8], units: Units) -> TetMesh {
    gmsh_tets(&GmshMesh::parse(bytes).unwrap(), units).unwrap().mesh
}

/// The strip dipole of the gallery, whose resonance is 6.5 % low at order 2: see its README.
#[test]
fn edges_of_a_narrow_strip_are_told() {
    let problem = |order: usize| Problem {
        mesh: mesh(include_bytes!("../../../../cases/68-dipole/dipole.msh"), Units::Millimeters),
        boundaries: vec![("arms".into(), Boundary::Pec)],
        sources: Sources { ports: vec![port("port", 50.0, [0.0, 0.0, 1.0])], ..Sources::default() },
        highest_frequency: 1.3e9,
        order,
        ..Problem::default()
    };
    for order in [1, 2, 3] {
        let study = prepare(problem(order)).unwrap();
        let narrow = find(&study.self_checks, "nodes across narrow conductors").unwrap();
        // Triangles 5 to 10 mm high on a strip of 10 mm.
        assert!((1.0..2.5).contains(&(narrow.value / order as f64)), "order {order}: {narrow:?}");
        assert!(!narrow.holds() && narrow.sentence.contains("% low in frequency"), "{narrow:?}");
    }
}

/// A cracked square: the lowest Neumann eigenvalue of (−1, 1)² with a crack from its center to a side is 1.03407400850 (M. Dauge,
/// Benchmark computations for Maxwell equations, 2004), and H_z ~ r^1/2 around the end of the crack. A crack is as long as the domain is
/// large: its only edge is far from all others, the error is below 1 %, and nothing is told.
#[test]
fn a_single_edge_does_less() {
    let exact = 1.03407400850_f64.sqrt() * C0 / (2.0 * PI);
    let crack = BoxSheet { name: "crack".into(), from: [0.0; 3], to: [1.0, 0.0, 0.5] };
    let mesh = BoxMesh {
        from: [-1.0, -1.0, 0.0],
        to: [1.0, 1.0, 0.5],
        cell: [0.25; 3],
        name: "air".into(),
        sheets: vec![crack],
        ..BoxMesh::default()
    };
    let wall = |name: &str, boundary: Boundary| (name.to_owned(), boundary);
    let mut boundaries: Vec<(String, Boundary)> =
        ["xmin", "xmax", "ymin", "ymax", "crack"].map(|name| wall(name, Boundary::Pec)).into();
    boundaries.extend([wall("zmin", Boundary::Pmc), wall("zmax", Boundary::Pmc)]);
    let pulse = Pulse::modulated(exact, 0.7 * exact);
    let (study, solution) = solve(Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries,
        // Across the crack, at whose open side the mode has its largest field.
        sources: Sources {
            dipoles: vec![Dipole { position: [0.1, 0.6, 0.21], moment: [1.0, 0.0, 0.0] }],
            ..Sources::default()
        },
        pulse: pulse.clone(),
        monitors: Monitors { probes: vec![[0.12, -0.55, 0.3]], ..Monitors::default() },
        highest_frequency: 1.5 * exact,
        stop: Stop { energy_db: None, time: pulse.end() + 12.0 / exact },
        order: 2,
        ..Problem::default()
    });
    assert_eq!(failing(&study, &solution), []);
    let after = (pulse.end() / solution.dt).ceil() as usize;
    let signal: Vec<f64> = solution.samples.chunks_exact(6).skip(after).map(|fields| fields[0]).collect();
    let found =
        crate::curved::frequency(&signal, solution.dt, (0.25 / (exact * solution.dt)).round() as usize);
    assert!((found / exact - 1.0).abs() < 0.01, "{}", found / exact - 1.0);
}

/// A conducting ball in 78 elements: straight ones miss its lowest resonance by more than 2 %, curved ones by less than 0.1 %
/// (`curved.rs`).
#[test]
fn straight_facets_of_a_ball_are_told() {
    let curved = mesh(include_bytes!("../data/ball.msh"), Units::Meters);
    let straight = TetMesh { middles: Vec::new(), triangle_middles: Vec::new(), ..curved.clone() };
    let sagitta = |mesh: TetMesh| {
        let study = prepare(Problem {
            mesh,
            boundaries: vec![("wall".into(), Boundary::Pec)],
            highest_frequency: 2.743707 * C0 / (2.0 * PI),
            ..Problem::default()
        });
        find(&study.unwrap().self_checks, "sagitta of straight facets").cloned()
    };
    assert_eq!(sagitta(curved), None);
    let told = sagitta(straight).unwrap();
    assert!(!told.holds() && told.sentence.contains("Mesh.ElementOrder = 2"), "{told:?}");
    // Edges of 0.9 m on a radius of 1 m: L²/8R is 0.1 m, or 0.044 of 2.29 m.
    assert!((0.015..0.09).contains(&told.value), "{told:?}");
}

/// Flat walls, and a crease of 20 degrees between two flat parts, are no curved surface.
#[test]
fn a_crease_is_not_curved() {
    let mut mesh = BoxMesh { cell: [0.25; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
    for node in &mut mesh.nodes {
        node[2] += 20_f64.to_radians().tan() * (node[0] - 0.5).max(0.0);
    }
    let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
    let study = prepare(Problem {
        mesh,
        boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
        highest_frequency: 1e8,
        ..Problem::default()
    });
    assert_eq!(find(&study.unwrap().self_checks, "sagitta of straight facets"), None);
}

/// What a stage was told to expect, after so many of its steps.
#[derive(Default)]
struct Expectations(Mutex<(u64, Vec<(u64, u64)>)>);

impl Sink for Expectations {
    fn event(&self, event: Event<'_>) {
        let mut state = self.0.lock().unwrap();
        match event {
            Event::Stage { name: "fields", total, .. } => state.1.push((0, total.unwrap())),
            Event::Advance { done, .. } => state.0 = done,
            Event::Total { total, .. } => {
                let done = state.0;
                state.1.push((done, total));
            }
            _ => {}
        }
    }
}

/// A slab between two ports stops by its energy, long before its latest time; at half of the run the end is known to a factor of 1.5.
#[test]
fn progress_tells_the_end_by_the_energy() {
    let channel = Channel {
        ends: [0.0, 0.5],
        size: [0.05, 0.08],
        cell: 0.05,
        regions: &[("slab", 0.2, 0.3)],
        planes: &[],
    };
    let study = prepare(Problem {
        mesh: channel.mesh(),
        materials: vec![("slab".into(), phasefront_dgtd::Material::dielectric(9.0))],
        boundaries: walls([None; 2]),
        sources: Sources {
            ports: ["zmin", "zmax"].map(|name| port(name, ETA0 * 0.05 / 0.08, [1.0, 0.0, 0.0])).into(),
            ..Sources::default()
        },
        pulse: Pulse::gaussian(1e9),
        // The mesh resolves waves of these in the slab.
        monitors: Monitors { frequencies: vec![0.3e9, 0.5e9], ..Monitors::default() },
        stop: Stop { energy_db: Some(60.0), time: 400e-9 },
        order: 3,
        ..Problem::default()
    })
    .unwrap();
    let told = Arc::new(Expectations::default());
    let progress = Progress::new(told.clone(), Arc::new(AtomicBool::new(false)));
    let steps = study.solve(&Backend::Cpu, &progress).unwrap().steps;
    assert!(steps < study.max_steps() / 10, "{steps} of {}", study.max_steps());
    let state = told.0.lock().unwrap();
    let at_half = state.1.iter().rev().find(|(done, _)| 2 * done <= steps).unwrap().1;
    let ratio = at_half as f64 / steps as f64;
    assert!((1.0 / 1.5..1.5).contains(&ratio), "{at_half} expected at half of {steps}");
    // Before the run: within a factor of three.
    let ratio = study.likely_steps() as f64 / steps as f64;
    assert!((1.0 / 3.0..3.0).contains(&ratio), "{} for {steps}", study.likely_steps());
}

/// A run that is cut off while it rings, and one that starts with fields: what is told of each.
#[test]
fn fields_that_still_ring_are_told() {
    let channel = Channel { ends: [0.0, 0.3], size: [0.05, 0.08], cell: 0.05, regions: &[], planes: &[] };
    let (study, solution) = solve(Problem {
        mesh: channel.mesh(),
        boundaries: walls([None, Some(Boundary::Pec)]),
        sources: Sources { ports: vec![port("zmin", 20.0, [1.0, 0.0, 0.0])], ..Sources::default() },
        pulse: Pulse::gaussian(1e9),
        monitors: Monitors { frequencies: vec![0.5e9], ..Monitors::default() },
        stop: Stop { energy_db: Some(50.0), time: 8e-9 },
        order: 2,
        ..Problem::default()
    });
    let told = failing(&study, &solution);
    assert_eq!(told[0].name, "energy decay at the end");
    assert!(told[0].sentence.contains("instead of the requested 50 dB: fields still ring"), "{told:?}");
    let mut mode = Problem {
        mesh: BoxMesh { cell: [0.25; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap(),
        boundaries: ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]
            .map(|name| (name.into(), Boundary::Pec))
            .into(),
        highest_frequency: 260e6,
        stop: Stop { energy_db: None, time: 5e-9 },
        ..Problem::default()
    };
    mode.sources.initial = Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] });
    let (study, solution) = solve(mode);
    let names: Vec<String> = solution.self_checks(&study).into_iter().map(|check| check.name).collect();
    assert_eq!(names, ["rise of the energy"]);
    assert_eq!(failing(&study, &solution), []);
}
