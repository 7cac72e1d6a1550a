//! Ports that do not match their surfaces.

use crate::annulus::annulus;
use crate::deformed::{cube, deformed};
use phasefront_dgtd::{
    Boundary, Circuit, Connection, DgtdError, LumpedElement, Material, Port, PortShape, Problem, Sources,
    prepare,
};
use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet, TetMesh};

fn refused(mesh: TetMesh, surface: &str, shape: PortShape) -> Option<[String; 3]> {
    let others = mesh.surface_names.iter().filter(|name| *name != surface && *name != "middle");
    // Conductors at the sides of a lumped port would short it.
    let is_lumped = matches!(shape, PortShape::Lumped { .. });
    let beside = |name: &str| if is_lumped && name.starts_with('z') { Boundary::Pmc } else { Boundary::Pec };
    let problem = Problem {
        boundaries: others.map(|name| (name.clone(), beside(name))).collect(),
        mesh,
        sources: Sources {
            ports: vec![Port { surface: surface.into(), resistance: Some(50.0), shape }],
            ..Sources::default()
        },
        highest_frequency: 1e7,
        ..Problem::default()
    };
    match prepare(problem) {
        Err(DgtdError::Invalid(error)) => {
            Some([error.path.clone(), error.message.clone(), error.advice.clone()])
        }
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

fn coaxial(center: [f64; 3], inner: f64, outer: f64) -> PortShape {
    PortShape::Coaxial { center, inner, outer }
}

#[test]
fn radii_that_are_not_those_of_the_ring() {
    let mesh = || annulus([1e-3, 2.3e-3], 2e-3, [1, 8, 2]);
    assert_eq!(refused(mesh(), "zmin", coaxial([0.0; 3], 1e-3, 2.3e-3)), None);
    let advice = "give the radii of the conductors, not the diameters, and a center on the axis; also check the units of the mesh";
    let diameters = refused(mesh(), "zmin", coaxial([0.0; 3], 2e-3, 4.6e-3)).unwrap();
    let expected = "the annulus \"zmin\" extends from 1.0000 to 2.3000 mm from the axis, but the given radii are 2.0000 and 4.6000 mm";
    assert_eq!(diameters, ["source.ports[0].coaxial", expected, advice]);
    let off_axis = refused(mesh(), "zmin", coaxial([1e-4, 0.0, 0.0], 1e-3, 2.3e-3)).unwrap();
    let expected = "the annulus \"zmin\" extends from 0.9000 to 2.4000 mm from the axis, but the given radii are 1.0000 and 2.3000 mm";
    assert_eq!(off_axis, ["source.ports[0].coaxial", expected, advice]);
}

#[test]
fn half_a_ring() {
    let mut mesh = annulus([1e-3, 2.3e-3], 2e-3, [1, 8, 2]);
    let (port, wall) = (mesh.surface("zmin").unwrap(), mesh.surface("zmax").unwrap());
    for (triangle, group) in mesh.triangles.iter().zip(&mut mesh.surface_of) {
        if *group == port && triangle.iter().any(|node| mesh.nodes[*node as usize][1] < -1e-9) {
            *group = wall;
        }
    }
    let [path, message, advice] = refused(mesh, "zmin", coaxial([0.0; 3], 1e-3, 2.3e-3)).unwrap();
    assert_eq!(path, "source.ports[0].surface");
    let start = "the surface \"zmin\" is not the annulus between the conductors: its area is 6.7";
    let end = " mm², but that of the annulus is 13.4774 mm²";
    assert!(message.starts_with(start) && message.ends_with(end), "{message}");
    assert_eq!(
        advice,
        "assign all faces of the annulus to it, and no others; both circles need at least six edges"
    );
}

#[test]
fn a_lumped_port_that_is_no_rectangle() {
    let advice = "give a rectangle from one conductor to the other, and in `direction` the direction of two of its sides";
    let lumped = |along: [f64; 3]| PortShape::Lumped { along };
    assert_eq!(refused(cube(1), "xmin", lumped([0.0, 1.0, 0.0])), None);
    let diagonal = refused(cube(1), "xmin", lumped([0.0, 0.8, 0.6])).unwrap();
    let expected = "the port \"xmin\" is not a rectangle along its field: it is 1400.0000 mm long and 1400.0000 mm wide, but its area \
                    is 1000000.0000 mm²";
    assert_eq!(diagonal, ["source.ports[0]", expected, advice]);
    // A trapezium: from 1 m wide at y = 0 to 1.5 m at y = 1 m, 1.25 m² large.
    let trapezium = deformed(cube(1), |[x, y, z]| [x, y, z * (1.0 + 0.5 * y)]);
    let wide = refused(trapezium, "xmin", lumped([0.0, 1.0, 0.0])).unwrap();
    let expected = "the port \"xmin\" is not a rectangle along its field: it is 1000.0000 mm long and 1500.0000 mm wide, but its area \
                    is 1250000.0000 mm²";
    assert_eq!(wide, ["source.ports[0]", expected, advice]);
}

/// What each side of the cube is, but for `xmin`, which is the port.
fn between(along: [f64; 3], y: Boundary, z: Boundary, periodic: bool) -> Option<[String; 3]> {
    let port = Port { surface: "xmin".into(), resistance: Some(50.0), shape: PortShape::Lumped { along } };
    on_cube(
        [y, z],
        periodic,
        Problem { sources: Sources { ports: vec![port], ..Sources::default() }, ..Problem::default() },
    )
}

/// The same of whatever uses `xmin`.
fn on_cube([y, z]: [Boundary; 2], periodic: bool, problem: Problem) -> Option<[String; 3]> {
    let wall = |name: &str, boundary: Boundary| (name.to_owned(), boundary);
    let mut boundaries = vec![wall("xmax", Boundary::Pec), wall("zmin", z), wall("zmax", z)];
    if !periodic {
        boundaries.extend([wall("ymin", y), wall("ymax", y)]);
    }
    let problem = Problem {
        mesh: cube(2),
        boundaries,
        periodic: if periodic { vec![("ymin".into(), "ymax".into())] } else { Vec::new() },
        highest_frequency: 1e7,
        ..problem
    };
    match prepare(problem) {
        Err(DgtdError::Invalid(error)) => Some([error.path, error.message, error.advice]),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// A resistor, a coil or a capacitor across nothing, where one between conductors is taken.
#[test]
fn a_lumped_element_that_touches_no_conductor() {
    let circuits = [[Some(50.0), None, None], [None, Some(1e-9), None], [None, None, Some(1e-12)]];
    for [resistance, inductance, capacitance] in circuits {
        let across = |y: Boundary| {
            let circuit = Circuit { resistance, inductance, capacitance, connection: Connection::Series };
            let element = LumpedElement { surface: "xmin".into(), along: [0.0, 1.0, 0.0], circuit };
            on_cube([y, Boundary::Pmc], false, Problem { lumped: vec![element], ..Problem::default() })
        };
        assert_eq!(across(Boundary::Pec), None);
        let [path, message, advice] = across(Boundary::Pmc).unwrap();
        assert_eq!(path, "geometry.lumped[0].direction");
        assert_eq!(
            message,
            "the lumped element \"xmin\" ends at (0.0000, 0.0000, 0.2500) m, where there is no conductor"
        );
        assert!(advice.starts_with("a lumped element needs conductors at both ends: "), "{advice}");
    }
}

#[test]
fn a_lumped_port_that_touches_no_conductor() {
    let (along_y, along_z) = ([0.0, 1.0, 0.0], [0.0, 0.0, -1.0]);
    // Between magnetic walls its corners are on conductors still.
    let [path, message, advice] = between(along_y, Boundary::Pmc, Boundary::Pec, false).unwrap();
    assert_eq!(path, "source.ports[0].direction");
    assert_eq!(message, "the port \"xmin\" ends at (0.0000, 0.0000, 0.2500) m, where there is no conductor");
    assert_eq!(
        advice,
        "a lumped port needs conductors at both ends: extend it from one \"pec\" surface or sheet to another, and give in \
         `direction` the direction between them"
    );
    assert!(between(along_y, Boundary::Absorbing, Boundary::Absorbing, false).is_some());
    assert_eq!(between(along_z, Boundary::Pmc, Boundary::Pec, false), None);
    // A resistive sheet conducts, and behind a periodic side the next port begins.
    assert_eq!(between(along_y, Boundary::ResistiveSheet(10.0), Boundary::Pmc, false), None);
    assert_eq!(between(along_y, Boundary::Pec, Boundary::Pmc, true), None);
}

#[test]
fn a_ring_without_its_inner_conductor() {
    let mesh = annulus([1e-3, 2.3e-3], 2e-3, [1, 8, 2]);
    let wall = |name: &str, boundary: Boundary| (name.to_owned(), boundary);
    let boundaries =
        vec![wall("inner", Boundary::Pmc), wall("outer", Boundary::Pec), wall("zmax", Boundary::Pec)];
    let shape = coaxial([0.0; 3], 1e-3, 2.3e-3);
    let ports = vec![Port { surface: "zmin".into(), resistance: Some(50.0), shape }];
    let problem = Problem {
        mesh,
        boundaries,
        sources: Sources { ports, ..Sources::default() },
        highest_frequency: 1e7,
        ..Problem::default()
    };
    let Err(DgtdError::Invalid(error)) = prepare(problem) else { panic!("a refusal") };
    assert_eq!(
        [error.path.as_str(), error.advice.as_str()],
        ["source.ports[0].coaxial", "make the inner and the outer conductor \"pec\""]
    );
}

/// A guide of 2 by 1 along z, with this condition at one side and a wave port at its end.
fn guide(side: Option<Boundary>, mode: usize, frequency: f64) -> Option<[String; 2]> {
    let mesh = BoxMesh { to: [2.0, 1.0, 1.0], cell: [0.5; 3], name: "air".into(), ..BoxMesh::default() };
    let mut boundaries: Vec<(String, Boundary)> =
        ["xmin", "ymin", "ymax", "zmax"].map(|name| (name.into(), Boundary::Pec)).into();
    boundaries.extend(side.map(|condition| ("xmax".into(), condition)));
    let shape = PortShape::Wave { mode, polarity: None, shift: 0.0 };
    let mut problem = Problem {
        mesh: mesh.mesh().unwrap(),
        boundaries,
        sources: Sources {
            ports: vec![Port { surface: "zmin".into(), resistance: None, shape }],
            ..Sources::default()
        },
        pulse: phasefront_dgtd::Pulse::modulated(frequency, 0.5 * frequency),
        highest_frequency: frequency,
        ..Problem::default()
    };
    problem.monitors.frequencies = vec![frequency];
    match prepare(problem) {
        Err(DgtdError::Invalid(error)) => Some([error.path.clone(), error.message.clone()]),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// TE₁₀ of a guide 2 m wide has its cut-off at c/4 m = 0.0749 GHz, TE₂₀ at twice that.
#[test]
fn wave_ports_without_walls_or_waves() {
    assert_eq!(guide(Some(Boundary::Pec), 0, 0.1e9), None);
    let [path, message] = guide(Some(Boundary::Pec), 1, 0.1e9).unwrap();
    assert_eq!(path, "source.ports[0].wave.modes");
    assert_eq!(message, "port 1, a mode of \"zmin\", has its cut-off at 0.1499 GHz, above all frequencies");
    let [path, message] = guide(Some(Boundary::ResistiveSheet(100.0)), 0, 0.1e9).unwrap();
    assert_eq!(path, "source.ports[0].surface");
    assert!(
        message.starts_with("the sheet or coating \"xmax\" meets the wave port \"zmin\" at (2.0000, "),
        "{message}"
    );
    let [path, message] = guide(None, 0, 0.1e9).unwrap();
    assert_eq!(path, "source.ports[0].surface");
    assert!(message.starts_with("the border of the wave port \"zmin\" is open at (2.0000, "), "{message}");
}

/// A hollow guide with a dielectric beside air has no line, and its modes are neither TE nor TM; a sheet inside is no end of a guide.
#[test]
fn wave_ports_on_what_has_no_modes() {
    let refused = |surface: &str| {
        let mesh = BoxMesh {
            to: [2.0, 1.0, 1.0],
            cell: [0.5; 3],
            name: "air".into(),
            regions: vec![BoxRegion { name: "slab".into(), from: [0.0; 3], to: [1.0, 1.0, 1.0] }],
            sheets: vec![BoxSheet { name: "middle".into(), from: [0.0, 0.0, 0.5], to: [2.0, 1.0, 0.5] }],
            ..BoxMesh::default()
        };
        let walls =
            ["xmin", "xmax", "ymin", "ymax", "zmax"].into_iter().chain((surface != "zmin").then_some("zmin"));
        let shape = PortShape::Wave { mode: 0, polarity: None, shift: 0.0 };
        let problem = Problem {
            mesh: mesh.mesh().unwrap(),
            materials: vec![("slab".into(), Material::dielectric(2.0))],
            boundaries: walls.map(|name| (name.to_owned(), Boundary::Pec)).collect(),
            sources: Sources {
                ports: vec![Port { surface: surface.into(), resistance: None, shape }],
                ..Sources::default()
            },
            highest_frequency: 1e8,
            ..Problem::default()
        };
        let Err(DgtdError::Invalid(error)) = prepare(problem) else { panic!("{surface}: refused") };
        [error.path, error.message, error.advice]
    };
    let [path, message, advice] = refused("zmin");
    assert_eq!(path, "source.ports[0].wave.modes");
    assert_eq!(message, "the wave port \"zmin\" has several materials, and modes of 0 lines only");
    assert!(advice.ends_with("end the guide where it is filled with one material"), "{advice}");
    let [path, message, advice] = refused("middle");
    assert_eq!(
        [&*path, &*message],
        ["source.ports[0].surface", "the wave port \"middle\" lies inside the mesh"]
    );
    assert!(
        advice.starts_with("a wave port is the open end of a guide, on the outer boundary of the mesh"),
        "{advice}"
    );
}

/// On the curved side of a ring, and aslant.
#[test]
fn wave_ports_that_are_no_ends_of_guides() {
    let shape = PortShape::Wave { mode: 0, polarity: None, shift: 0.0 };
    let ring = || annulus([1e-3, 2.3e-3], 2e-3, [1, 8, 2]);
    let [path, message, _] = refused(ring(), "outer", shape).unwrap();
    assert_eq!(path, "source.ports[0].surface");
    assert!(message.starts_with("the port \"outer\" is not flat: "), "{message}");
    let mut turned = ring();
    for node in &mut turned.nodes {
        *node = [node[0], 0.8 * node[1] - 0.6 * node[2], 0.6 * node[1] + 0.8 * node[2]];
    }
    let [_, message, _] = refused(turned, "zmin", shape).unwrap();
    assert_eq!(
        message,
        "the wave port \"zmin\" has the normal (0.000, 0.600, -0.800), which is not along x, y or z"
    );
}

/// The film would be left out where the port is.
#[test]
fn a_port_on_a_sheet() {
    let sheet = |name: &str, [from, to]: [f64; 2]| BoxSheet {
        name: name.into(),
        from: [0.5, from, 0.0],
        to: [0.5, to, 1.0],
    };
    let with_film = |y: [f64; 2]| {
        let sheets = vec![sheet("gap", [0.0, 0.5]), sheet("film", y)];
        let mesh = BoxMesh { to: [1.0; 3], cell: [0.5; 3], name: "air".into(), sheets, ..BoxMesh::default() };
        // The side of the port at ymin must not short it.
        let of = |side: &str| if side == "ymin" { Boundary::Pmc } else { Boundary::Pec };
        let outer = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"].map(|side| (side.to_owned(), of(side)));
        let port = Port {
            surface: "gap".into(),
            resistance: Some(50.0),
            shape: PortShape::Lumped { along: [0.0, 0.0, 1.0] },
        };
        prepare(Problem {
            mesh: mesh.mesh().unwrap(),
            boundaries: outer
                .into_iter()
                .chain([("film".to_owned(), Boundary::ResistiveSheet(100.0))])
                .collect(),
            sources: Sources { ports: vec![port], ..Sources::default() },
            highest_frequency: 1e7,
            ..Problem::default()
        })
    };
    let Err(DgtdError::Invalid(error)) = with_film([0.0, 1.0]) else { panic!("refused") };
    assert_eq!(error.path, "source.ports[0].surface");
    let expected = "the port \"gap\" shares faces with a surface that has a boundary condition, or with another port, one of them at (0.5000, ";
    assert!(error.message.starts_with(expected), "{}", error.message);
    assert!(with_film([0.5, 1.0]).is_ok());
}
