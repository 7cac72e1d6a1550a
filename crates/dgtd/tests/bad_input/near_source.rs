//! Near fields that cannot be a source.

use glam::{DMat3, DVec3};
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, ETA0};
use phasefront_dgtd::{
    Boundary, DgtdError, Material, NearSource, Problem, Pulse, RecordedField, Stop, SurfacePoint, prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// A small loop along z at the origin, on a cube: E_φ = −jkη₀ (1 + 1/jkr) g sin θ and so on, with g = e^{−jkr}/4πr (Balanis, Antenna
/// Theory, 5.2).
fn recorded() -> RecordedField {
    let frequencies = vec![200e6, 300e6];
    let (mut points, mut fields) = (Vec::new(), vec![Vec::new(); 2]);
    let of_loop = |k: f64, at: DVec3| {
        let (r, n) = (at.length(), at.normalize());
        let one_over = Complex64::new(0.0, -1.0 / (k * r));
        let wave = Complex64::new(0.0, k) * Complex64::cis(-k * r) / (4.0 * PI * r);
        let (along, across) = (n * n.z, DVec3::Z - n * n.z);
        let near = one_over + one_over * one_over;
        let [e, radial, polar] = [wave * (1.0 + one_over), 2.0 * wave * near, -wave * (1.0 + near)];
        let turned = DVec3::Z.cross(n);
        let h = [0, 1, 2].map(|i| (radial * along[i] + polar * across[i]) / ETA0);
        [-e * turned.x, -e * turned.y, -e * turned.z, h[0], h[1], h[2]]
    };
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        for (u, v) in (0..64).map(|i| (0.02 * f64::from(i % 8) - 0.07, 0.02 * f64::from(i / 8) - 0.07)) {
            let mut at = DVec3::splat(0.08 * sign);
            (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (u, v);
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            points.push(SurfacePoint { position: at.to_array(), normal, area: 4e-4 });
            for (f, fields) in frequencies.iter().zip(&mut fields) {
                fields.push(of_loop(TAU * f / C0, at));
            }
        }
    }
    RecordedField { frequencies, points, fields }
}

/// In a cube of vacuum, with air and a PML around, and a cube of 0.1 m in the air.
fn problem(recorded: RecordedField, surface: &str) -> Problem {
    let region = |name: &str, s: f64| BoxRegion { name: name.into(), from: [-s; 3], to: [s; 3] };
    let body = BoxRegion { name: "body".into(), from: [-0.3; 3], to: [-0.2; 3] };
    let mesh = BoxMesh {
        from: [-0.5; 3],
        to: [0.5; 3],
        cell: [0.1; 3],
        name: "pml".into(),
        regions: vec![region("air", 0.4), region("vacuum", 0.2), body],
        ..BoxMesh::default()
    };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        materials: vec![("body".into(), Material::VACUUM)],
        pulse: Pulse::modulated(300e6, 400e6),
        highest_frequency: 300e6,
        stop: Stop { energy_db: Some(50.0), time: 100e-9 },
        order: 2,
        ..Problem::default()
    };
    problem.monitors.frequencies = vec![300e6];
    problem.sources.near_field = Some(NearSource { recorded: Arc::new(recorded), surface: surface.into() });
    problem
}

fn refused(problem: Problem) -> Option<[String; 2]> {
    match prepare(problem) {
        Err(DgtdError::Invalid(FieldError { path, message, .. })) => Some([path, message]),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// The start of the message of what is refused at a key.
fn complains(problem: Problem, path: &str, start: &str) {
    let [at, message] = refused(problem).unwrap_or_else(|| panic!("accepted, without {start:?}"));
    assert!(at == path && message.starts_with(start), "{at}: {message}");
}

fn moved(x: f64) -> RecordedField {
    recorded().placed(DMat3::IDENTITY, DVec3::X * x)
}

#[test]
fn data_that_are_no_near_field() {
    const FILE: &str = "source.near_field.file";
    let changed = |change: fn(&mut RecordedField)| {
        let mut recorded = recorded();
        change(&mut recorded);
        problem(recorded, "vacuum")
    };
    assert_eq!(refused(changed(|_| {})), None);
    let open = "the points do not lie on a closed surface with normals out of it";
    complains(changed(|r| r.points.truncate(320)), FILE, open);
    complains(changed(|r| r.points.iter_mut().for_each(|p| p.normal = p.normal.map(|n| -n))), FILE, open);
    complains(changed(|r| r.points.iter_mut().for_each(|p| p.area *= 1e-3)), FILE, open);
    let other = "E and H are not the field of sources inside of their surface";
    complains(changed(|r| r.fields.iter_mut().flatten().flatten().for_each(|z| *z = z.conj())), FILE, other);
    complains(
        changed(|r| r.fields[1].iter_mut().for_each(|f| f[3..].iter_mut().for_each(|h| *h *= ETA0))),
        FILE,
        other,
    );
    complains(
        changed(|r| r.fields[1].iter_mut().for_each(|f| *f = [Complex64::ZERO; 6])),
        FILE,
        "the field is zero",
    );
}

#[test]
fn near_fields_that_do_not_fit() {
    const SURFACE: &str = "source.near_field.surface";
    let with = |change: fn(&mut Problem)| {
        let mut problem = problem(recorded(), "vacuum");
        change(&mut problem);
        problem
    };
    let missing = "the near field of the file is not known at 0.25 GHz";
    complains(with(|p| p.monitors.frequencies = vec![250e6]), "source.frequency", missing);
    complains(with(|p| p.pulse = Pulse::gaussian(400e6)), "source.pulse", "the pulse has a dc component");
    complains(
        with(|p| p.stop.time = 10e-9),
        "solve.max_time",
        "the run ends at 10.0000 ns, before the signal",
    );
    let dielectric =
        |p: &mut Problem| p.materials.push(("vacuum".into(), Material { eps: 2.0, ..Material::VACUUM }));
    complains(with(dielectric), SURFACE, "the surface \"vacuum\" touches");
    let crossing = "the recorded near field crosses the TF/SF surface \"vacuum\": ";
    complains(problem(moved(0.2), "vacuum"), "source.near_field.position", crossing);
    complains(problem(moved(0.115), "vacuum"), SURFACE, "the surface is ");
    // From outside nothing radiates, and bodies must be inside.
    let far = |x: f64, surface: &str| {
        let mut problem = problem(moved(x), "vacuum");
        problem.monitors.far_field = true;
        problem.monitors.far_surface = Some(surface.into());
        problem
    };
    assert_eq!(refused(problem(moved(0.7), "vacuum")), None);
    complains(far(0.7, "vacuum"), "output.directivity", "the near field is incident from outside");
    complains(far(0.0, "body"), "output.far_field_surface", "the surface \"body\" ");
    let dense = |mut problem: Problem| {
        problem.materials[0].1.eps = 2.0;
        problem
    };
    assert_eq!(refused(dense(problem(recorded(), "vacuum"))), None);
    complains(dense(problem(moved(0.7), "vacuum")), SURFACE, "there is a body or a wall near (-0.");
    let walled = |mut problem: Problem| {
        problem.boundaries.push(("body".into(), Boundary::Pec));
        problem
    };
    complains(walled(problem(moved(0.7), "vacuum")), SURFACE, "there is a body or a wall near (-0.");
}
