//! One body per device: every device must give what the CPU gives.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::{Backend, for_each_device, for_each_gpu, testing};
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{
    Antenna, AntennaPattern, Antennas, Aspect, BEAM_KERNELS, Bounces, Constants, Direction, Formulation,
    KernelConfig, Layer, Material, Medium, Problem, RAY_GRID_KERNELS, ScatteringMatrix, Surface, Tracer,
    Tubes, prepare,
};

/// Relative tolerance of amplitudes: phases of some hundred radians, summed over beams that are clipped at the same positions up to
/// rounding.
const TOLERANCE: f64 = 1e-8;
/// The same for bodies with beams at grazing incidence, where rounding decides what a narrow beam hits.
const OF_VEHICLES: f64 = 1e-6;

fn problem(mesh: TriangleMesh, frequencies: Vec<f64>, angles: &[[f64; 2]]) -> Problem {
    let aspect = |&[theta, phi]: &[f64; 2]| Aspect::monostatic(Direction::degrees(theta, phi));
    let surface = Surface::Facets;
    Problem { mesh, surface, frequencies, aspects: angles.iter().map(aspect).collect(), ..Problem::default() }
}

fn parts(s: &ScatteringMatrix) -> [Complex64; 4] {
    [s.vv, s.vh, s.hv, s.hh]
}

/// Solves on the device and on the CPU, and compares.
#[track_caller]
fn agrees(backend: &Backend, problem: &Problem, tolerance: f64) {
    let study = prepare(problem.clone()).unwrap();
    let [here, there] = [&Backend::Cpu, backend].map(|b| study.solve(b, &Progress::silent()).unwrap());
    let all = |s: &phasefront_sbr::Solution| -> Vec<Complex64> {
        s.frequencies.iter().flat_map(|f| &f.scattering).flat_map(parts).collect()
    };
    let (here_all, there_all) = (all(&here), all(&there));
    assert_eq!(here_all.len(), there_all.len());
    let largest = here_all.iter().map(|a| a.norm()).fold(0.0, f64::max);
    let apart = here_all.iter().zip(&there_all).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    println!("{apart:.1e} of {largest:.1e}; rays {} and {}", here.counts.rays, there.counts.rays);
    assert!(largest > 0.0 && apart <= tolerance * largest, "{apart:e} of {largest:e}");
    assert_eq!(here.counts.bounces, there.counts.bounces);
    let [a, b] = [here.counts.hit_area, there.counts.hit_area];
    assert!((a - b).abs() < 1e-4 * a, "{a} {b}");
    let [a, b] = [here.counts.discarded_area_share(), there.counts.discarded_area_share()];
    assert!((a - b).abs() < 1e-3, "{a} {b}");
    let [a, b] = [here.counts.worst_remaining_share, there.counts.worst_remaining_share];
    assert!((a - b).abs() <= 1e-4 + 0.02 * a, "{a} {b}");
    // Devices bisect beams at different times, as they store subdivisions differently.
    let [a, b] = [here.counts.rays as f64, there.counts.rays as f64];
    assert!((0.8..1.25).contains(&(b / a)), "{a} {b}");
}

for_each_gpu! {
    fn antennas_at_positions_are_refused(backend: &Backend) {
        let antenna = Antenna {
            position: [0.0, 0.0, 3.0],
            boresight: [0.0, 0.0, -1.0],
            rotation: 0.0,
            pattern: AntennaPattern::Isotropic,
        };
        let antennas = Antennas { transmitters: vec![antenna], receivers: None };
        let plate = targets::plate([0.3, 0.2], [2, 3]).unwrap();
        let study = prepare(Problem { antennas: Some(antennas), ..problem(plate, vec![10e9], &[]) }).unwrap();
        let error = study.receive(backend, &Progress::silent()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "source.transmitters: waves from transmitters at positions do not run on a GPU"
        );
    }

    fn plates(backend: &Backend) {
        let plate = targets::plate([0.3, 0.2], [2, 3]).unwrap();
        agrees(backend, &problem(plate, vec![10e9], &[[0.0, 0.0], [45.0, 10.0], [80.0, 70.0]]), TOLERANCE);
    }

    fn corners(backend: &Backend) {
        let corner = targets::trihedral(0.3, 2).unwrap();
        for tubes in [Tubes::Beams, Tubes::RayGrid] {
            for formulation in [Formulation::Eh, Formulation::E, Formulation::H] {
                let base = problem(corner.clone(), vec![10e9], &[[54.0, 45.0], [30.0, 20.0]]);
                agrees(backend, &Problem { tubes, formulation, ..base }, TOLERANCE);
            }
        }
    }

    fn curved(backend: &Backend) {
        let sphere = targets::sphere(0.2, 12).unwrap();
        agrees(backend, &problem(sphere, vec![5e9], &[[30.0, 40.0]]), TOLERANCE);
        let cylinder = targets::cylinder(0.1, 0.3, [3, 40], true).unwrap();
        agrees(backend, &problem(cylinder, vec![8e9], &[[90.0, 33.0], [60.0, 10.0]]), TOLERANCE);
    }

    fn vehicles(backend: &Backend) {
        agrees(backend, &problem(targets::missile(), vec![5e9], &[[80.0, 30.0], [90.0, 90.0]]), OF_VEHICLES);
    }

    /// A cavity, with too few bounces and with as many as it needs; coated, the power left has its losses.
    fn cavities(backend: &Backend) {
        let mut mesh = targets::cuboid([0.2, 0.15, 0.3], [1, 1, 1]).unwrap();
        let is_top = |t: &[u32; 3]| t.iter().all(|&i| mesh.vertices[i as usize][2] > 0.0);
        let kept: Vec<[u32; 3]> = mesh.triangles.iter().copied().filter(|t| !is_top(t)).collect();
        mesh.groups.truncate(kept.len());
        mesh.triangles = kept;
        let constants = Constants { eps_r: Complex64::new(4.0, -1.0), mu_r: 1.0.into() };
        let layer = Layer { medium: Medium::Constant(constants), thickness: 2e-3 };
        let materials = vec![(mesh.group_names[0].clone(), Material::Coated(vec![layer]))];
        for tubes in [Tubes::Beams, Tubes::RayGrid] {
            let base = Problem { tubes, ..problem(mesh.clone(), vec![8e9], &[[20.0, 35.0], [50.0, 10.0]]) };
            for bounces in [Bounces::AtMost(2), Bounces::Auto] {
                agrees(backend, &Problem { bounces, ..base.clone() }, TOLERANCE);
            }
            let bounces = Bounces::AtMost(3);
            agrees(backend, &Problem { bounces, materials: materials.clone(), ..base }, TOLERANCE);
        }
    }

    /// More beams than a queue holds for so few facets: attempts that overflow are repeated, and their rays counted once.
    fn overflow(backend: &Backend) {
        let mut mesh = targets::sphere(0.3, 6).unwrap();
        let opening = |t: &[u32; 3]| t.iter().any(|&i| mesh.vertices[i as usize][2] > 0.2);
        let kept: Vec<[u32; 3]> = mesh.triangles.iter().copied().filter(|t| !opening(t)).collect();
        mesh.groups.truncate(kept.len());
        mesh.triangles = kept;
        let base = problem(mesh, vec![3e9], &[[0.0, 0.0], [10.0, 20.0]]);
        agrees(backend, &Problem { bounces: Bounces::AtMost(6), ..base }, OF_VEHICLES);
    }

    fn bistatic(backend: &Backend) {
        let incident = Direction::degrees(40.0, 30.0);
        let aspect = |&[theta, phi]: &[f64; 2]| Aspect { incident, observer: Direction::degrees(theta, phi) };
        let mut aspects: Vec<Aspect> = [[40.0, 30.0], [140.0, 210.0], [20.0, 80.0]].iter().map(aspect).collect();
        aspects.push(Aspect::monostatic(Direction::degrees(50.0, 50.0)));
        let base = problem(targets::trihedral(0.3, 2).unwrap(), vec![8e9], &[]);
        agrees(backend, &Problem { aspects, ..base }, TOLERANCE);
    }

    fn sweeps_and_materials(backend: &Backend) {
        let constants = |re: f64, im: f64| Constants { eps_r: Complex64::new(re, im), mu_r: 1.0.into() };
        let layer = |re: f64, thickness: f64| Layer { medium: Medium::Constant(constants(re, -0.2)), thickness };
        let rows = vec![(6e9, constants(3.0, -0.1)), (10e9, constants(2.0, -0.5))];
        let mesh = targets::trihedral(0.3, 2).unwrap();
        let name = mesh.group_names[0].clone();
        let frequencies: Vec<f64> = (0..5).map(|i| 6e9 + 1e9 * f64::from(i)).collect();
        let kinds = [
            Material::Conductor,
            Material::HalfSpace(Medium::Table(rows)),
            Material::Coated(vec![layer(2.0, 1e-3), layer(4.0, 2e-3)]),
        ];
        for material in kinds {
            let base = problem(mesh.clone(), frequencies.clone(), &[[54.0, 45.0], [40.0, 30.0]]);
            agrees(backend, &Problem { materials: vec![(name.clone(), material)], ..base }, TOLERANCE);
        }
    }

    fn hot_spots(backend: &Backend) {
        let study = prepare(problem(targets::trihedral(0.3, 3).unwrap(), vec![8e9], &[[50.0, 40.0]])).unwrap();
        let [here, there] = [&Backend::Cpu, backend]
            .map(|b| study.solver(b).unwrap().hot_spots(0, 0, &Progress::silent()).unwrap().by_bounce);
        assert_eq!(here.len(), there.len());
        let largest = here.iter().flatten().map(|s| s.vv.norm()).fold(0.0, f64::max);
        for (a, b) in here.iter().flatten().zip(there.iter().flatten()) {
            for (a, b) in parts(a).iter().zip(parts(b)) {
                assert!((a - b).norm() <= TOLERANCE * largest, "{a} {b}");
            }
        }
    }
}

for_each_device! {
    fn kd_tree(backend: &Backend) {
        let base = problem(targets::missile(), vec![5e9], &[[80.0, 30.0], [90.0, 90.0]]);
        let base = Problem { tubes: Tubes::RayGrid, ..base };
        let boxes = prepare(base.clone()).unwrap().solve(backend, &Progress::silent()).unwrap();
        let base = Problem { tracer: Tracer::KdTree, ..base };
        agrees(backend, &base, TOLERANCE);
        // BVH and kd-tree find the same facets.
        let planes = prepare(base).unwrap().solve(backend, &Progress::silent()).unwrap();
        for (a, b) in boxes.frequencies[0].scattering.iter().zip(&planes.frequencies[0].scattering) {
            assert!((a.vv - b.vv).norm() <= TOLERANCE * a.vv.norm(), "{} {}", a.vv, b.vv);
        }
    }

    /// Sums are fixed-point integers: the same bits in every run, whatever the order.
    fn repeatability(backend: &Backend) {
        let study = prepare(problem(targets::missile(), vec![5e9], &[[80.0, 30.0]])).unwrap();
        let [first, second] = [0, 1].map(|_| study.solve(backend, &Progress::silent()).unwrap());
        assert_eq!(first.frequencies[0].scattering, second.frequencies[0].scattering);
    }
}

#[test]
fn kernels_compile_for_all_architectures() {
    let plain = super::plain();
    let wide = KernelConfig { layers: Some(2), frequencies: 3, receivers: 2, shadow: true, ..plain.clone() };
    let programs = [
        (BEAM_KERNELS, plain.clone()),
        (BEAM_KERNELS, wide.clone()),
        (BEAM_KERNELS, KernelConfig { by_facet: true, ..plain.clone() }),
        (RAY_GRID_KERNELS, wide),
        (RAY_GRID_KERNELS, KernelConfig { kd_tree: Some([31, 16]), ..plain }),
    ];
    for (kernels, config) in programs {
        let defines = config.defines();
        let defines: Vec<(&str, &str)> = defines.iter().map(|(name, text)| (*name, text.as_str())).collect();
        testing::compile_for_all_architectures(&kernels, &defines);
    }
}
