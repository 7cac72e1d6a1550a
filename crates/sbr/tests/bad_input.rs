//! Every invalid problem is refused with its own message, which names the field at fault.

use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_pattern::{Pattern, Powers};
use phasefront_sbr::{
    Antenna, AntennaPattern, Antennas, Aspect, Bounces, Constants, Direction, Edges, Layer, Material, Medium,
    Problem, SampledAntenna, SbrError, Study, Tracer, Tubes, prepare,
};

fn good() -> Problem {
    Problem {
        mesh: targets::plate([0.3, 0.3], [1, 1]).unwrap(),
        frequencies: vec![1e9],
        aspects: vec![Aspect::monostatic(Direction::degrees(0.0, 0.0))],
        ..Problem::default()
    }
}

#[track_caller]
fn refused(problem: Problem, message: &str, advice: &str) {
    match prepare(problem) {
        Err(SbrError::Invalid(error)) => {
            assert_eq!(error.to_string(), message);
            assert_eq!(error.advice, advice);
        }
        Err(error) => panic!("expected {message:?}, got {error:?}"),
        Ok(_) => panic!("expected {message:?}, got a study"),
    }
}

#[test]
fn wrong_meshes() {
    refused(
        Problem { mesh: TriangleMesh::default(), ..good() },
        "geometry.mesh: the mesh has no triangles",
        "give a surface mesh",
    );
    let mut mesh = good().mesh;
    mesh.vertices[1][2] = f64::NAN;
    refused(
        Problem { mesh, ..good() },
        "geometry.mesh: vertex 2 is at (0.15, -0.15, NaN)",
        "give finite coordinates",
    );
    let mut mesh = good().mesh;
    mesh.triangles = vec![[0, 1, 1]];
    mesh.groups = vec![0];
    refused(Problem { mesh, ..good() }, "geometry.mesh: all triangles are degenerate", "give a surface mesh");
    refused(
        Problem { mesh: good().mesh.mapped(|p| p.map(|x| 1e6 * x)), ..good() },
        "geometry.units: the target is 1.4e6 wavelengths long",
        "check the units of the mesh and the frequency",
    );
}

#[test]
fn wrong_sources() {
    refused(
        Problem { frequencies: vec![], ..good() },
        "source.frequency: there is no frequency",
        "give at least one",
    );
    for f in [0.0, -1e9, f64::NAN] {
        refused(
            Problem { frequencies: vec![1e9, f], ..good() },
            &format!("source.frequency: a frequency of {f} Hz is not positive"),
            "give a positive frequency, for example \"10 GHz\"",
        );
    }
    refused(
        Problem { aspects: vec![], ..good() },
        "source: there is no aspect",
        "give at least one angle in each list",
    );
    refused(
        Problem { aspects: vec![Aspect::monostatic(Direction { theta: f64::NAN, phi: 0.0 })], ..good() },
        "source: an angle is not finite",
        "give finite angles",
    );
}

#[test]
fn wrong_settings() {
    for bounces in [0, 1001] {
        refused(
            Problem { bounces: Bounces::AtMost(bounces), ..good() },
            &format!("solve.bounces: {bounces} bounces are outside 1 to 1000"),
            "1 is physical optics; \"auto\" continues until little power is left",
        );
    }
    for tube in [0.0, -0.1, 1.5, f64::NAN] {
        refused(
            Problem { tube_width: tube, ..good() },
            &format!("solve.tube_width: a tube width of {tube} wavelengths is outside 0.0001 to 1"),
            "0.1 is usual",
        );
    }
    refused(
        Problem { tracer: Tracer::KdTree, tubes: Tubes::Beams, ..good() },
        "solve.tracer: a kd-tree traces single rays only; adaptive beams need the BVH",
        "set `tubes = \"ray-grid\"`, or omit `tracer`",
    );
    assert!(prepare(Problem { tracer: Tracer::KdTree, tubes: Tubes::RayGrid, ..good() }).is_ok());
}

#[test]
fn wrong_materials() {
    let group = good().mesh.group_names[0].clone();
    let with = |name: &str, material| Problem { materials: vec![(name.into(), material)], ..good() };
    refused(
        with("hull", Material::Conductor),
        "geometry.materials.hull: there is no group \"hull\"",
        &format!("the groups of the mesh are {group}"),
    );
    let medium = |eps_r: [f64; 2]| {
        Medium::Constant(Constants {
            eps_r: num_complex::Complex64::new(eps_r[0], eps_r[1]),
            mu_r: 1.0.into(),
        })
    };
    refused(
        with(&group, Material::HalfSpace(medium([4.0, 0.1]))),
        &format!("geometry.materials.{group}.eps_r: 4+0.1i has gain: its imaginary part is positive"),
        "with the time convention e^{+jωt}, losses are negative imaginary parts",
    );
    refused(
        with(&group, Material::HalfSpace(medium([0.0, 0.0]))),
        &format!("geometry.materials.{group}.eps_r: 0+0i is not a finite, nonzero number"),
        "give a relative permittivity or permeability",
    );
    let layer = Layer { medium: medium([4.0, 0.0]), thickness: 0.0 };
    refused(
        with(&group, Material::Coated(vec![layer])),
        &format!("geometry.materials.{group}.layers[0].thickness: a layer thickness of 0 m is not positive"),
        "give a positive length",
    );
}

#[test]
fn doubtful_input_gives_warnings() {
    let mut mesh = good().mesh;
    mesh.triangles.push([0, 0, 1]);
    mesh.groups.push(0);
    let coarse = Problem { mesh: mesh.clone(), tube_width: 0.5, tubes: Tubes::RayGrid, ..good() };
    let failing = |study: &Study| -> Vec<String> {
        study.self_checks.iter().filter(|check| !check.holds()).map(|check| check.name.clone()).collect()
    };
    let study = prepare(coarse).unwrap();
    assert_eq!(study.warnings, ["1 degenerate triangles were dropped"]);
    // The plate is one wavelength wide.
    assert_eq!(failing(&study), ["target width", "ray tube width"]);
    // Beams are clipped at facets whatever the tube width.
    let study = prepare(Problem { mesh, tube_width: 0.5, ..good() }).unwrap();
    assert_eq!(study.warnings, ["1 degenerate triangles were dropped"]);
    assert_eq!(failing(&study), ["target width"]);
    // Dropped triangles do not change the result.
    let echo =
        |study: Study| study.solve(&Backend::Cpu, &Progress::silent()).unwrap().frequencies[0].scattering[0];
    assert_eq!(echo(study), echo(prepare(Problem { tube_width: 0.5, ..good() }).unwrap()));
}

/// A transmitter 3 m above a plate.
fn from_above(pattern: AntennaPattern) -> Antenna {
    Antenna { position: [0.0, 0.0, 3.0], boresight: [0.0, 0.0, -1.0], rotation: 0.0, pattern }
}

fn with(antenna: Antenna) -> Problem {
    let antennas = Antennas { transmitters: vec![antenna], receivers: None };
    Problem { aspects: Vec::new(), antennas: Some(antennas), ..good() }
}

/// A Hertzian dipole along x, sampled at these steps of θ and φ, 0 ≤ θ ≤ `last`, in degrees.
fn sampled(frequency: f64, steps: [usize; 2], last: usize) -> AntennaPattern {
    let angles = |last: usize, step: usize| -> Vec<f64> {
        (0..=last / step).map(|i| ((i * step) as f64).to_radians()).collect()
    };
    let (theta, phi) = (angles(last, steps[0]), angles(360, steps[1]));
    let field = |t: &f64, p: &f64| [(t.cos() * p.cos()).into(), (-p.sin()).into()];
    let fields = theta.iter().flat_map(|t| phi.iter().map(move |p| field(t, p))).collect();
    let pattern = Pattern::new(frequency, theta, phi, fields, Powers::default()).unwrap();
    AntennaPattern::Sampled(SampledAntenna { far_fields: vec![pattern].into(), phase_center: [0.0; 3] })
}

#[test]
fn wrong_antennas() {
    let isotropic = || from_above(AntennaPattern::Isotropic);
    assert!(prepare(with(isotropic())).is_ok());
    refused(
        Problem { aspects: good().aspects, ..with(isotropic()) },
        "source.transmitters: there are both transmitters at positions and plane waves from directions",
        "give one or the other",
    );
    refused(
        Problem { edges: Edges::Ptd, ..with(isotropic()) },
        "solve.edges: edge diffraction has plane waves only, none from transmitters at positions",
        "set `edges = \"none\"`",
    );
    refused(
        Problem { tubes: Tubes::RayGrid, ..with(isotropic()) },
        "solve.tubes: a grid of rays has plane waves only, none from transmitters at positions",
        "set `tubes = \"adaptive\"`, the default",
    );
    refused(
        with(Antenna { boresight: [0.0; 3], ..isotropic() }),
        "source.transmitters[0].boresight: the boresight has no direction",
        "give a direction such as [0.0, 0.0, -1.0], or leave it out: toward the middle of the target",
    );
    refused(
        with(Antenna { position: [0.1, 0.0, 0.01], ..isotropic() }),
        "source.transmitters[0].position: the antenna is on the target: 1.000e-2 m from its surface, below λ/2π = 4.771e-2 m",
        "move it away: the method has the far field of antennas only",
    );
    refused(
        Problem {
            mesh: targets::sphere(1.0, 6).unwrap(),
            ..with(Antenna { position: [0.3, 0.1, 0.2], ..isotropic() })
        },
        "source.transmitters[0].position: the antenna is inside of the closed target",
        "move it out; coordinates are those of the mesh after scaling and rotation",
    );
    refused(
        with(Antenna {
            boresight: [0.0, 0.0, 1.0],
            ..from_above(AntennaPattern::Cosine { power_exponent: 4.0 })
        }),
        "source.transmitters[0]: the antenna does not radiate toward the middle of the target, to which cross sections are referred",
        "turn its `boresight`, or move it",
    );
    refused(
        with(from_above(AntennaPattern::Cosine { power_exponent: -1.0 })),
        "source.transmitters[0].power_exponent: an exponent of -1 is outside 0 to 1e6",
        "write for example `power_exponent = 24`",
    );
    refused(
        with(from_above(AntennaPattern::Dipole { lengths: vec![0.0] })),
        "source.transmitters[0].dipole: the length of a dipole is not positive",
        "write for example `dipole = \"0.5 lambda\"`",
    );
    refused(
        with(from_above(sampled(1.02e9, [2, 5], 180))),
        "source.transmitters[0].pattern.file: the pattern has no frequency within 1 % of 1.000000 GHz",
        "export the pattern at the frequencies of the case",
    );
    refused(
        with(from_above(sampled(1e9, [2, 5], 90))),
        "source.transmitters[0].pattern.file: the power that the pattern belongs to is not known: it covers a part of the sphere, and its file has no gain",
        "export theta from 0 to 180 deg and phi over 360 deg, or a file with gain",
    );
}

/// Antennas too near for their far field, and patterns with too few samples, are told before the run.
#[test]
fn doubtful_antennas_are_told() {
    let failing = |antenna: Antenna| -> Vec<String> {
        let study = prepare(Problem { frequencies: vec![10e9], ..with(antenna) }).unwrap();
        let checks = study.self_checks.iter().filter(|check| !check.holds());
        checks.map(|check| check.name.clone()).collect()
    };
    assert!(failing(from_above(AntennaPattern::Isotropic)).is_empty());
    assert!(failing(from_above(sampled(10e9, [2, 5], 180))).is_empty());
    assert_eq!(failing(from_above(sampled(10e9, [60, 60], 180))), ["interpolation of patterns"]);
    // A gain of 36 dB is an aperture of 0.6 m: its far field begins at 24 m.
    let dish = from_above(AntennaPattern::Cosine { power_exponent: 2000.0 });
    assert_eq!(failing(dish), ["distance of antennas over 2D²/λ"]);
}
