//! The same fields on every device.

#[path = "../physics/deformed.rs"]
mod deformed;
mod ranks;
mod resume;

use deformed::{cube, deformed};
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0};
use phasefront_core::{Precision, Progress};
use phasefront_device::testing::{ARCHITECTURES, compile_for, compile_for_all_architectures};
use phasefront_device::{Backend, DeviceKind, KernelSource, for_each_gpu};
use phasefront_dgtd::{
    Boundary, Circuit, Coating, Conductor, Connection, Dipole, Flux, HALO_KERNELS, Initial, Injection,
    KernelLayout, Kernels, LumpedElement, MONITOR_KERNELS, Material, NearBox, NearField, NearSource,
    PlaneWave, PmlKind, Pole, Port, PortShape, Problem, Pulse, RecordedField, Solution, Sources, Stop,
    SurfacePoint, TimeStepping, Variant, Waveform, monitor_defines, prepare, sheet_kernels,
};
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet};
use std::collections::HashSet;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

fn solve(problem: Problem, backend: &Backend) -> Solution {
    prepare(problem).unwrap().solve(backend, &Progress::silent()).unwrap()
}

fn mode(order: usize, precision: Precision, flux: Flux) -> Problem {
    Problem {
        mesh: cube(2),
        boundaries: SIDES.map(|name| (name.into(), Boundary::Pec)).into(),
        sources: Sources {
            initial: Some(Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] }),
            ..Sources::default()
        },
        stop: Stop { energy_db: None, time: 0.15 / C0 },
        highest_frequency: 1e8,
        order,
        precision,
        flux,
        ..Problem::default()
    }
}

/// A plane wave through a box onto a lossy, dispersive, anisotropic body, a dipole beside it, and a PML around.
fn everything(order: usize, precision: Precision, pml: PmlKind, flux: Flux) -> Problem {
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
    let regions = vec![region("air", 0.2), region("body", 0.1)];
    let mesh = BoxMesh {
        // A PML of one cell: faces, edges and corners are all there, and OpenCL has only this machine's cores.
        from: [-0.3; 3],
        to: [0.3; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions,
        ..BoxMesh::default()
    };
    let mut mesh = mesh.mesh().unwrap();
    // The sides of the air would touch the PML: the Huygens surface is that of the body.
    mesh.surface_names.iter_mut().filter(|name| *name == "air").for_each(|name| *name = "hull".into());
    let body = Material {
        eps: 2.0,
        sigma: 0.01,
        poles: vec![
            Pole::Debye { delta: 1.0, tau: 1e-10 },
            Pole::Lorentz { delta: 1.0, resonance: 6e9, damping: 1e9 },
        ],
        ..Material::VACUUM
    }
    .with_principal([2.0, 3.0, 2.5], [1.3, 1.0, 1.6]);
    let mut problem = Problem {
        mesh,
        materials: vec![("body".into(), body)],
        pulse: Pulse::modulated(600e6, 800e6),
        stop: Stop { energy_db: None, time: 0.8e-9 },
        highest_frequency: 1e8,
        order,
        precision,
        pml,
        flux,
        ..Problem::default()
    };
    problem.sources.dipoles = vec![Dipole { position: [0.02, 0.03, 0.15], moment: [1e-3, 0.0, 1e-3] }];
    problem.monitors.probes = vec![[0.01, 0.02, 0.03], [0.15, 0.02, -0.03]];
    problem.monitors.frequencies = vec![600e6, 700e6];
    // Those of the PML too: all faces, edges and corners.
    problem.monitors.volumes = vec!["body".into(), "pml".into()];
    problem
}

/// A plane wave through an empty box.
fn waves(precision: Precision) -> Problem {
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
    let regions = vec![region("air", 0.2), region("vacuum", 0.1)];
    let mesh = BoxMesh {
        from: [-0.3; 3],
        to: [0.3; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions,
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        pulse: Pulse::modulated(600e6, 800e6),
        stop: Stop { energy_db: None, time: 2e-9 },
        highest_frequency: 1e8,
        order: 2,
        precision,
        ..Problem::default()
    };
    let injection = Injection::TfSf("vacuum".into());
    problem.sources.plane_wave =
        Some(PlaneWave { propagation: [0.0, 0.0, -1.0], polarization: [1.0, 0.0, 0.0], injection });
    problem.monitors.probes = vec![[0.01, 0.02, 0.03], [0.15, 0.02, -0.03]];
    problem
}

/// A near field at two frequencies through the same surface, from beside it.
fn near(precision: Precision, pulse: Pulse) -> Problem {
    let frequencies = [0.8e9, 1.1e9];
    let (mut points, mut fields) = (Vec::new(), vec![Vec::new(); 2]);
    let beside = [-0.4, 0.1, 0.05];
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        for (u, v) in (0..16).map(|i| (0.015 * f64::from(i % 4) - 0.0225, 0.015 * f64::from(i / 4) - 0.0225))
        {
            let mut at = [0.03 * sign; 3];
            (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (u, v);
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            for (f, fields) in frequencies.iter().zip(&mut fields) {
                fields.push(of_dipole(TAU * f / C0, at));
            }
            let position = std::array::from_fn(|k| beside[k] + at[k]);
            points.push(SurfacePoint { position, normal, area: 0.015 * 0.015 });
        }
    }
    let recorded = RecordedField { frequencies: frequencies.into(), points, fields };
    let mut problem =
        Problem { pulse, order: 1, stop: Stop { energy_db: None, time: 9e-9 }, ..waves(precision) };
    problem.sources.plane_wave = None;
    problem.sources.near_field = Some(NearSource { recorded: Arc::new(recorded), surface: "vacuum".into() });
    problem.monitors.frequencies = frequencies.into();
    problem
}

/// E and H of a vertical dipole of 1 A m at the origin (Balanis, Antenna Theory, 4-8 and 4-10).
fn of_dipole(k: f64, [x, y, z]: [f64; 3]) -> [Complex64; 6] {
    let r = (x * x + y * y + z * z).sqrt();
    let one_over = Complex64::new(0.0, -1.0 / (k * r));
    let wave = Complex64::new(0.0, k) * Complex64::cis(-k * r) / (4.0 * PI * r);
    let (cos, rho) = (z / r, x.hypot(y).max(1e-12));
    let radial = 2.0 * ETA0 * wave * (one_over + one_over * one_over) * cos;
    let polar = ETA0 * wave * (1.0 + one_over + one_over * one_over) * (rho / r);
    let azimuthal = wave * (1.0 + one_over) * (rho / r);
    let across = radial * (rho / r) + polar * cos;
    [
        across * (x / rho),
        across * (y / rho),
        radial * cos - polar * (rho / r),
        -azimuthal * (y / rho),
        azimuthal * (x / rho),
        Complex64::ZERO,
    ]
}

/// The same with local time steps, and a layer of elements a tenth as high as the others: nodes at x = 0.1 m move to the next cell.
fn local(mut problem: Problem) -> Problem {
    let beside = |x: f64| if (x - 0.1).abs() < 1e-9 { 0.19 } else { x };
    problem.mesh.nodes.iter_mut().for_each(|node| node[0] = beside(node[0]));
    problem.time_stepping = TimeStepping::Local;
    let (_, levels) = prepare(problem.clone()).unwrap().local_steps().unwrap();
    assert!(levels > 2, "{levels}");
    problem
}

/// The same with elements that are curved near the center, and straight farther out.
fn curved(mut problem: Problem) -> Problem {
    let window = |t: f64| (1.0 - (t / 0.2).powi(2)).max(0.0).powi(2);
    problem.mesh = deformed(problem.mesh, |[x, y, z]| {
        let shift = 0.03 * window(x) * window(y) * window(z);
        [x + shift * (9.0 * y).cos(), y - shift * (7.0 * z).cos(), z + shift * (8.0 * x).cos()]
    });
    problem
}

/// A parallel-plate line of poor metal, a tank circuit across it, a wall that is curved behind it, and a coated plate at its end; with a thin layer
/// for local steps.
fn lossy_line(precision: Precision, time_stepping: TimeStepping) -> Problem {
    let metal = Boundary::Conductor(Conductor { conductivity: 30.0, roughness: 1e-3 });
    let coated = Boundary::Coating(Coating { thickness: 0.02, eps: 3.0, mu: 1.2, loss_tangent: 0.05 });
    let sheet = |name: &str, z: f64| BoxSheet { name: name.into(), from: [0.0, 0.0, z], to: [0.1, 0.2, z] };
    let mesh = BoxMesh {
        to: [0.1, 0.2, 0.6],
        cell: [0.1; 3],
        name: "air".into(),
        sheets: vec![sheet("tank", 0.3), sheet("thin", 0.325)],
        ..BoxMesh::default()
    };
    let bump = |z: f64| ((z - 0.3) * (0.6 - z)).max(0.0).powi(2) / 0.0225_f64.powi(2);
    let along = [1.0, 0.0, 0.0];
    let circuit = Circuit {
        resistance: Some(300.0),
        inductance: Some(20e-9),
        capacitance: Some(3e-12),
        connection: Connection::Parallel,
    };
    let mut problem = Problem {
        mesh: deformed(mesh.mesh().unwrap(), |[x, y, z]| [x + 0.2 * x * bump(z), y, z]),
        boundaries: [
            ("xmin", metal),
            ("xmax", metal),
            ("ymin", Boundary::Pmc),
            ("ymax", Boundary::Pmc),
            ("zmax", coated),
        ]
        .map(|(name, boundary)| (name.into(), boundary))
        .into(),
        lumped: vec![LumpedElement { surface: "tank".into(), along, circuit }],
        pulse: Pulse::modulated(400e6, 600e6),
        stop: Stop { energy_db: None, time: 3e-9 },
        highest_frequency: 1e8,
        order: 2,
        precision,
        time_stepping,
        ..Problem::default()
    };
    let shape = PortShape::Lumped { along };
    problem.sources.ports = vec![Port { surface: "zmin".into(), resistance: Some(188.0), shape }];
    problem.monitors.probes = vec![[0.05, 0.1, 0.45]];
    problem
}

/// The largest difference relative to the largest value.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

for_each_gpu! {
    fn cavities_agree(backend: &Backend) {
        for order in 1..=6 {
            for (precision, tolerance) in [(Precision::Double, 1e-11), (Precision::Single, 2e-4)] {
                // The compiler of OpenCL takes some 10 s for the kernels of an order: each in one of the precisions.
                if backend.kind() == DeviceKind::OpenCl && (order % 2 == 0) == (precision == Precision::Double) {
                    continue;
                }
                let (here, there) = (solve(mode(order, precision, Flux::Upwind), &Backend::Cpu), solve(mode(order, precision, Flux::Upwind), backend));
                let energies = |s: &Solution| s.energy.iter().map(|e| e.1).collect::<Vec<f64>>();
                assert!(apart(&energies(&here), &energies(&there)) < tolerance);
                let (a, b) = (here.error.unwrap(), there.error.unwrap());
                assert!((a - b).abs() < tolerance, "order {order}: {a} {b}");
            }
        }
    }

    fn the_central_flux_agrees(backend: &Backend) {
        let central = |backend: &Backend| solve(mode(3, Precision::Double, Flux::Central), backend).error.unwrap();
        assert!((central(&Backend::Cpu) - central(backend)).abs() < 1e-11);
    }

    fn pml_poles_and_sources_agree(backend: &Backend) {
        for (pml, flux) in [(PmlKind::Cfs, Flux::Upwind), (PmlKind::Uniaxial, Flux::Central)] {
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(everything(2, Precision::Double, pml, flux), b));
            assert!(apart(&here.samples, &there.samples) < 1e-10, "{}", apart(&here.samples, &there.samples));
            let parts = |s: &Solution| s.spectra.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f64>>();
            assert!(apart(&parts(&here), &parts(&there)) < 1e-10);
        }
    }

    fn pml_poles_and_sources_agree_in_single_precision(backend: &Backend) {
        for (pml, order) in [(PmlKind::Cfs, 3), (PmlKind::Uniaxial, 2)] {
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(everything(order, Precision::Single, pml, Flux::Upwind), b));
            assert!(apart(&here.samples, &there.samples) < 1e-4, "{}", apart(&here.samples, &there.samples));
        }
    }

    fn curved_elements_agree(backend: &Backend) {
        for (pml, flux) in [(PmlKind::Cfs, Flux::Upwind), (PmlKind::Uniaxial, Flux::Central)] {
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(curved(everything(1, Precision::Double, pml, flux)), b));
            assert!(apart(&here.samples, &there.samples) < 1e-10, "{}", apart(&here.samples, &there.samples));
            let energies = |s: &Solution| s.energy.iter().map(|e| e.1).collect::<Vec<f64>>();
            assert!(apart(&energies(&here), &energies(&there)) < 1e-10);
        }
        for (order, precision, kernels, tolerance) in [
            (2, Precision::Double, Kernels::Split, 1e-10),
            (4, Precision::Single, Kernels::Fused, 1e-4),
        ] {
            let stop = Stop { energy_db: None, time: 0.7e-9 };
            let problem = || Problem { order, kernels, stop, ..curved(waves(precision)) };
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(problem(), b));
            assert!(apart(&here.samples, &there.samples) < tolerance, "order {order}: {}", apart(&here.samples, &there.samples));
        }
    }

    fn sheets_agree(backend: &Backend) {
        for (precision, stepping, tolerance) in [
            (Precision::Double, TimeStepping::Local, 1e-10),
            (Precision::Single, TimeStepping::Global, 1e-4),
        ] {
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(lossy_line(precision, stepping), b));
            assert!(apart(&here.samples, &there.samples) < tolerance, "{}", apart(&here.samples, &there.samples));
        }
    }

    fn local_steps_agree(backend: &Backend) {
        let parts = |s: &Solution| s.spectra.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f64>>();
        for (pml, flux, precision, tolerance) in [
            (PmlKind::Cfs, Flux::Upwind, Precision::Double, 1e-10),
            (PmlKind::Uniaxial, Flux::Central, Precision::Double, 1e-10),
            (PmlKind::Cfs, Flux::Upwind, Precision::Single, 1e-4),
        ] {
            for problem in [curved(local(everything(1, precision, pml, flux))), local(everything(2, precision, pml, flux))] {
                let [here, there] = [&Backend::Cpu, backend].map(|b| solve(problem.clone(), b));
                assert!(apart(&here.samples, &there.samples) < tolerance, "{}", apart(&here.samples, &there.samples));
                assert!(apart(&parts(&here), &parts(&there)) < tolerance);
            }
        }
        let [here, there] = [&Backend::Cpu, backend].map(|b| solve(local(waves(Precision::Double)), b));
        assert!(apart(&here.samples, &there.samples) < 1e-10, "{}", apart(&here.samples, &there.samples));
    }

    fn three_kernels_agree(backend: &Backend) {
        for (pml, flux) in [(PmlKind::Cfs, Flux::Upwind), (PmlKind::Uniaxial, Flux::Central)] {
            let split = Problem { kernels: Kernels::Split, ..everything(2, Precision::Double, pml, flux) };
            let (here, there) = (solve(everything(2, Precision::Double, pml, flux), &Backend::Cpu), solve(split, backend));
            assert!(apart(&here.samples, &there.samples) < 1e-10, "{}", apart(&here.samples, &there.samples));
        }
    }

    fn waveforms_by_samples_agree(backend: &Backend) {
        // A sweep that begins before the run of other pulses does.
        let sample = |i: i32| (0.02e-9 * f64::from(i), (0.03 * f64::from(i) + 1e-3 * f64::from(i * i)).sin() * f64::from((60 - i) * (i + 20)));
        let samples: Vec<(f64, f64)> = (-20..=60).map(sample).collect();
        let pulse = Pulse::Table(Arc::new(Waveform::new(&samples).unwrap()));
        let stop = Stop { energy_db: None, time: 0.7e-9 };
        let problems = [(waves(Precision::Double), 1e-10), (curved(waves(Precision::Double)), 1e-10), (waves(Precision::Single), 1e-4)];
        for (problem, tolerance) in problems {
            let problem = Problem { pulse: pulse.clone(), stop, ..problem };
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(problem.clone(), b));
            assert!(here.samples.iter().any(|value| value.abs() > 1e-6));
            assert!(apart(&here.samples, &there.samples) < tolerance, "{}", apart(&here.samples, &there.samples));
        }
    }

    fn near_fields_agree(backend: &Backend) {
        // Without a dc component.
        let sample = |i: i32| (0.03e-9 * f64::from(i), (0.1 * f64::from(i)).sin() * f64::from((60 - i) * (i + 60)));
        let samples: Vec<(f64, f64)> = (-60..=60).map(sample).collect();
        let table = Pulse::Table(Arc::new(Waveform::new(&samples).unwrap()));
        for (pulse, precision, tolerance) in [(Pulse::modulated(1e9, 2e9), Precision::Single, 1e-4), (table, Precision::Double, 1e-10)] {
            let problem = near(precision, pulse);
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(problem.clone(), b));
            assert!(here.samples.iter().any(|value| value.abs() > 1e-6));
            assert!(apart(&here.samples, &there.samples) < tolerance, "{}", apart(&here.samples, &there.samples));
        }
    }

    fn plane_waves_agree(backend: &Backend) {
        for (precision, tolerance) in [(Precision::Double, 1e-10), (Precision::Single, 1e-4)] {
            let mut problem = waves(precision);
            problem.monitors.frequencies = vec![600e6];
            problem.monitors.near_field = Some(NearField::Box(NearBox { from: [-0.15; 3], to: [0.15; 3], points: [3; 3] }));
            let [here, there] = [&Backend::Cpu, backend].map(|b| solve(problem.clone(), b));
            assert!(apart(&here.samples, &there.samples) < tolerance, "{}", apart(&here.samples, &there.samples));
            let [here, there] = [here, there].map(|s| s.spectra.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f64>>());
            assert!(!here.is_empty() && apart(&here, &there) < tolerance, "{}", apart(&here, &there));
        }
    }
}

/// Each source for all architectures, and its other variants for one each, in turn: there are eighty, and a compilation takes half a second.
#[test]
fn kernels_compile_everywhere() {
    use Precision::{Double, Single};
    let (mut known, mut variants) = (HashSet::new(), ARCHITECTURES.chunks(1).cycle());
    let mut texts = |source: &KernelSource, defines: &[(&'static str, String)]| {
        let defines: Vec<(&str, &str)> = defines.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let first = known.insert(source.name);
        compile_for(if first { &ARCHITECTURES } else { variants.next().unwrap() }, source, &defines);
    };
    let mut compile = |shape: KernelLayout, kinds: &[i32]| {
        texts(shape.source(), &shape.defines(kinds, 2));
        texts(&MONITOR_KERNELS, &monitor_defines(&shape));
        texts(&HALO_KERNELS, &[("REAL", shape.precision.c_name().into())]);
        let (sheets, defines) = sheet_kernels(&shape);
        texts(sheets, &defines);
    };
    // Numbers of kinds: see `src/offsets.rs`.
    for (order, traces, kinds, precision) in [
        (1, 2, &[0][..], Single),
        (2, 4, &[0, 1, 2, 5, 6], Double),
        (4, 2, &[1, 3, 4, 5], Double),
        (3, 4, &[2], Single),
    ] {
        let shape = KernelLayout::of(order, traces, precision);
        compile(shape, kinds);
        compile(shape.with_local_steps(true), kinds);
        compile(shape.split(order), kinds);
    }
    for (order, traces, precision, lanes) in
        [(1, 2, Single, Variant::Tensor), (6, 4, Double, Variant::Split { elements: 1 })]
    {
        let shape = KernelLayout { variant: lanes, ..KernelLayout::of(order, traces, precision) };
        let shape = shape.with_local_steps(order == 1);
        let defines = shape.curved_defines(order % 2, [(order + 1).pow(3), 8 * order]);
        let defines: Vec<(&str, &str)> = defines.iter().map(|(n, v)| (*n, v.as_str())).collect();
        compile_for_all_architectures(shape.curved_source(), &defines);
    }
    for (order, kinds) in [(1, &[0][..]), (2, &[0, 1, 2, 5, 6]), (4, &[0, 3, 4, 5]), (6, &[1])] {
        let shape = KernelLayout { variant: Variant::Tensor, ..KernelLayout::of(order, 2, Single) };
        compile(shape, kinds);
        compile(shape.with_local_steps(true), kinds);
    }
}
