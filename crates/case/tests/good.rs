//! Good cases: what the parser makes of them.

use phasefront_case::model::dgtd;
use phasefront_case::model::mom::{Body, Equation, Material, Method, NearQuadrature, Polarization};
use phasefront_case::model::nah;
use phasefront_case::model::reflectarray::{self, Export, Gradient};
use phasefront_case::model::sbr::{self, Winding};
use phasefront_case::model::{MeshUnits, Toggle};
use phasefront_case::{Case, CaseFile, parse};
use phasefront_core::{FieldError, Precision};
use std::f64::consts::PI;

fn read(name: &str) -> CaseFile {
    let path = format!("{}/tests/good/{name}", env!("CARGO_MANIFEST_DIR"));
    parse(name, &std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{}", e.render_plain()))
}

#[test]
fn the_worked_case_is_read() {
    let Case::Mom(case) = read("circle.toml").case else { panic!("a mom case") };
    assert_eq!((case.version, case.name.as_str()), (1, "circle"));
    let [Body::Circle(circle)] = &case.geometry.bodies[..] else { panic!("one circle") };
    assert_eq!((circle.radius.si(), circle.center.si()), (1.0, [0.0, 0.0]));
    assert_eq!(case.source.frequency.values(), [299_792_458.0]);
    assert_eq!(case.source.propagation_angles(), [0.0]);
    assert_eq!((case.solve.method, case.solve.precision), (Method::Pulse, Precision::Double));
    assert_eq!(case.solve.cells.map(std::num::NonZero::get), Some(320));
    assert_eq!(case.output.echo_width.unwrap().values().len(), 361);
    assert_eq!(case.output.near_field.unwrap().x.points, 200);
}

#[test]
fn defaults_are_filled_in() {
    let Case::Mom(case) = read("every-shape.toml").case else { panic!("a mom case") };
    assert_eq!(case.geometry.bodies.len(), 8);
    assert_eq!(case.geometry.bodies[1].cells().map(std::num::NonZero::get), Some(60));
    assert_eq!((case.solve.method, case.solve.order), (Method::Lcn, Some(14)));
    assert_eq!((case.solve.equation, case.solve.cfie_weight), (Equation::Auto, Some(0.5)));
    assert_eq!((case.solve.near_quadrature, case.solve.flat), (Some(NearQuadrature::Product), Some(false)));
    assert_eq!((case.solve.near_distance, case.solve.corner_levels), (None, None));
    assert_eq!(case.solve.cells_per_wavelength, Some(2.0));
    assert_eq!(case.output.echo_width.as_ref().unwrap().values()[360], 2.0 * PI);
    assert!(case.output.currents && case.output.near_field.is_none());
    let angles = case.source.propagation_angles();
    assert_eq!((angles.len(), angles[0]), (10, PI));
}

#[test]
fn bodies_come_from_files_and_have_materials() {
    let Case::Mom(case) = read("every-shape.toml").case else { panic!("a mom case") };
    let file = |i: usize| case.geometry.bodies[i].file();
    assert_eq!(file(4), None);
    assert_eq!(file(5), Some(("points.csv", MeshUnits::Mm)));
    assert_eq!(file(6), Some(("drawings/lens.svg", MeshUnits::In)));
    assert_eq!(case.geometry.bodies[4].material(), Material::Pec);
    let Material::Dielectric(lens) = case.geometry.bodies[6].material() else { panic!("a dielectric") };
    assert_eq!((lens.eps_r.re, lens.loss_tangent), (4.0, None));
    assert_eq!(lens.conductivity.map(phasefront_core::Conductivity::si), Some(0.02));
}

#[test]
fn a_monostatic_sweep_needs_no_observation_angles() {
    let Case::Mom(case) = read("monostatic.toml").case else { panic!("a mom case") };
    assert_eq!(case.source.polarization, Polarization::Te);
    assert!(case.output.monostatic && case.output.echo_width.is_none() && !case.output.currents);
    // 20 unknowns per wavelength would be 1.25 cells of order 16: too few to carry a wave.
    assert_eq!(case.solve.cells_per_wavelength, Some(2.0));
    let text = include_str!("good/monostatic.toml").replace("currents = false", "echo_width = \"0 deg\"");
    let Case::Mom(case) = parse("both.toml", &text).unwrap().case else { panic!("a mom case") };
    assert!(case.output.monostatic && case.output.echo_width.is_some());
}

#[test]
fn pulses_keep_their_defaults() {
    let text = include_str!("good/circle.toml").replace("cells = 320", "").replace("\"efie\"", "\"auto\"");
    let Case::Mom(case) = parse("pulse.toml", &text).unwrap().case else { panic!("a mom case") };
    assert_eq!(case.solve.cells_per_wavelength, Some(20.0));
    assert_eq!((case.solve.order, case.solve.cfie_weight, case.solve.near_quadrature), (None, None, None));
}

#[test]
fn a_reflectarray_is_read() {
    let Case::Reflectarray(case) = read("reflectarray.toml").case else { panic!("a reflectarray") };
    let geometry = &case.geometry;
    assert_eq!(geometry.elements.array().map(std::num::NonZero::get), [44, 40]);
    assert_eq!(geometry.spacing.meters(0.02), [0.01, 0.012]);
    assert_eq!(geometry.placement.unwrap().max_spacing.meters(0.02), 0.7 * 0.02);
    assert_eq!((geometry.feed.offset.si(), geometry.feed.polarization.si()), (0.276, PI / 4.0));
    assert_eq!(geometry.satellite.unwrap().longitude.to_string(), "-91 deg");
    assert_eq!(geometry.coverage.len(), 4);
    assert_eq!((geometry.coverage[0].lower_dbi, geometry.coverage[1].lower_dbi), (Some(29.0), None));
    assert_eq!(geometry.coverage[3].ellipse.unwrap().semi_axes.array(), [0.03, 0.02]);
    assert_eq!(case.solve.gradient, Some(Gradient::FiniteDifference));
    assert_eq!((case.solve.starts, case.solve.seed), (Some(2), 7));
    assert_eq!((case.solve.position_order, case.solve.polish_iterations), (Some(5), Some(800)));
    assert_eq!(case.output.exports, [Export::Grd, Export::Ffe, Export::Dxf]);
}

#[test]
fn a_radar_target_is_read() {
    let Case::Sbr(case) = read("sbr-mesh.toml").case else { panic!("an sbr case") };
    let geometry = &case.geometry;
    assert_eq!((geometry.mesh.as_deref(), geometry.units), (Some("ship.stl"), Some(MeshUnits::Mm)));
    assert_eq!((geometry.weld_tolerance, geometry.winding), (Some(3e-7), Some(Winding::Fix)));
    assert_eq!(geometry.materials.keys().collect::<Vec<_>>(), ["deck", "hull", "mast", "windows"]);
    let sbr::Material::Surface(hull) = &geometry.materials["hull"] else { panic!("a coating") };
    let layers = hull.layers.as_ref().unwrap();
    let inner = layers[0].mu_r.unwrap();
    assert_eq!((layers[0].thickness.si(), inner.re, inner.im), (1.5e-3, 1.6, -0.9));
    let rows = layers[1].table.as_ref().unwrap();
    assert_eq!((rows[0].frequency.si(), rows[0].mu_r.re, rows[1].eps_r.im), (8e9, 1.0, -0.1));
    assert_eq!(geometry.materials["mast"], sbr::Material::Pec);
    assert_eq!(
        (case.solve.bounces, case.solve.tube_width, case.solve.edges),
        (sbr::Bounces::Auto, 0.1, sbr::Edges::Ptd)
    );
    assert_eq!(case.output.range_profile.unwrap().window, sbr::Window::Taylor);
    assert_eq!(case.output.isar.unwrap().oversampling.get(), 8);
    let Toggle::Table(aspect) = case.output.hotspots else { panic!("an aspect") };
    assert!(aspect.is(PI / 2.0, 1e-12, 10e9) && !aspect.is(PI / 2.0, 0.0, 9e9));
}

#[test]
fn a_target_made_in_code_has_no_keys_of_files() {
    let Case::Sbr(case) = read("sbr-target.toml").case else { panic!("an sbr case") };
    let Some(sbr::Target::Plate(plate)) = &case.geometry.target else { panic!("a plate") };
    assert_eq!((plate.size.si(), plate.cells.array().map(std::num::NonZero::get)), ([0.3, 0.2], [1, 1]));
    assert_eq!((case.geometry.weld_tolerance, case.geometry.winding), (None, None));
    assert_eq!(case.output.rcs.table().unwrap().angles().theta_phi()[0].len(), 2);
    assert_eq!((case.solve.tracer, case.solve.tubes), (sbr::Tracer::KdTree, sbr::Tubes::RayGrid));
    assert_eq!(case.output.hotspots, Toggle::On);
}

fn read_dgtd(name: &str) -> dgtd::DgtdCase {
    let Case::Dgtd(case) = read(name).case else { panic!("a dgtd case") };
    *case
}

#[test]
fn a_mesh_of_tetrahedra_is_read() {
    let case = read_dgtd("dgtd-sphere.toml");
    let geometry = &case.geometry;
    assert_eq!((geometry.mesh.as_deref(), geometry.units), (Some("sphere.msh"), Some(MeshUnits::M)));
    let water = &geometry.materials["water"];
    assert_eq!((water.eps_r.axes(), water.mu_r.axes(), water.conductivity.si()), ([5.2; 3], [1.0; 3], 0.01));
    assert_eq!((water.debye[0].delta_eps, water.debye[0].relaxation_time.si()), (73.2, 8.1e-12));
    let gold = &geometry.materials["gold"];
    assert_eq!(
        (gold.eps_r.axes(), gold.drude[0].plasma_frequency.si(), gold.drude[0].damping.si()),
        ([1.0; 3], 2e12, 1e10)
    );
    assert_eq!((gold.lorentz[0].resonance_frequency.si(), gold.lorentz[0].damping.si()), (1e9, 1e8));
    assert_eq!(geometry.boundaries["wall"], dgtd::Boundary::Pmc);
    let dgtd::Boundary::ResistiveSheet(film) = geometry.boundaries["film"] else { panic!("a sheet") };
    assert_eq!(film.sheet_resistance.si(), 100.0);
    let wave = case.source.plane_wave.as_ref().unwrap();
    assert_eq!((wave.angles().theta_phi()[0], wave.polarization.angle()), (PI, PI / 4.0));
    assert_eq!((case.solve.order, case.solve.precision), (2, Precision::Single));
    assert_eq!(
        (case.solve.pml, case.solve.energy_decay_db),
        (dgtd::Pml::Uniaxial, Some(dgtd::EnergyDecay::At(60.0)))
    );
    assert_eq!(case.output.far_field_surface, Some(dgtd::SurfaceNames::from("huygens")));
    assert_eq!(case.output.probes[1].si(), [1.0, 0.0, 0.0]);
    assert_eq!(case.output.slices[0].sides.y.si(), [0.0, 2.0, 0.0]);
    assert_eq!(case.output.snapshots.unwrap().values()[10], 1e-8);
}

#[test]
fn a_pulse_holds_the_frequencies_of_its_case() {
    // From half the lowest to 1.25 times the highest, 300 MHz to 1125 MHz.
    let sphere = read_dgtd("dgtd-sphere.toml");
    let Some(dgtd::Pulse::Modulated(pulse)) = sphere.source.pulse else { panic!("a modulated pulse") };
    assert_eq!((pulse.center_frequency.si(), pulse.bandwidth.si()), (712.5e6, 825e6));
    let Some(dgtd::Pulse::Modulated(pulse)) = read_dgtd("dgtd-dipole.toml").source.pulse else { panic!() };
    assert_eq!((pulse.center_frequency.si(), pulse.bandwidth.si()), (0.875e9, 0.75e9));
    let Some(dgtd::Pulse::Gaussian(pulse)) = read_dgtd("dgtd-line.toml").source.pulse else { panic!() };
    assert_eq!(pulse.max_frequency.si(), 2.5e9);
    assert_eq!(read_dgtd("dgtd-cavity.toml").source.pulse, None);
    let text = include_str!("good/dgtd-sphere.toml")
        .replace("[solve]", "pulse = { shape = \"gaussian\", max_frequency = \"2 GHz\" }\n[solve]");
    let Case::Dgtd(case) = parse("given.toml", &text).unwrap().case else { panic!("a dgtd case") };
    let Some(dgtd::Pulse::Gaussian(pulse)) = case.source.pulse else { panic!("the one given") };
    assert_eq!(pulse.max_frequency.si(), 2e9);
}

#[test]
fn a_box_has_regions_and_sheets() {
    let case = read_dgtd("dgtd-line.toml");
    let brick = case.geometry.brick.as_ref().unwrap();
    assert_eq!((brick.cell_size.si(), brick.name.as_str()), ([0.005, 0.01, 0.01], "air"));
    assert_eq!((brick.regions[0].name.as_str(), brick.regions[0].from.si()), ("slab", [0.05, 0.0, 0.0]));
    assert_eq!(brick.sheets[0].to.si(), [0.08, 0.01, 0.01]);
    assert_eq!(case.geometry.periodic[0].clone().array(), ["ymin", "ymax"]);
    let ports = case.source.ports.as_ref().unwrap();
    assert_eq!((ports[0].resistance.unwrap().si(), ports[0].direction.unwrap().0), (377.0, [0.0, 0.0, 1.0]));
    let ring = ports[1].coaxial.unwrap();
    assert_eq!((ring.inner_radius.si(), ring.outer_radius.si()), (0.001, 0.0023));
    assert_eq!(
        case.solve,
        dgtd::Solve { energy_decay_db: Some(dgtd::EnergyDecay::At(50.0)), ..Default::default() }
    );
}

/// A resistor may be all that a drawn sheet is for, and planes have the boundary conditions of their names.
#[test]
fn a_drawing_has_planes_and_lumped_elements() {
    let text = r#"version = 1
solver = "dgtd"
name = "a"
[geometry]
sheets = [
    { name = "strip", shape = "rectangle", from = [0, 0, 1], to = [1, 1, 1] },
    { name = "end", shape = "rectangle", from = [0, 0, 0], to = [0, 1, 1] },
]
boundaries = { strip = "pec", zmin = "pec" }
planes = { zmin = "0 mm" }
lumped = [{ surface = "end", direction = [0, 0, 1], resistance = "50 ohm" }]
[source]
frequency = "1 GHz"
plane_wave = { theta = "0 deg", phi = "0 deg", polarization = "theta" }
[output]
probes = [[0, 0, 0]]
"#;
    let Case::Dgtd(case) = parse("case.toml", text).unwrap().case else { panic!("a dgtd case") };
    assert_eq!(case.geometry.planes.names().collect::<Vec<_>>(), ["zmin"]);
    assert!(case.has_role("end") && !case.has_role("zmax"));
}

#[test]
fn fields_that_are_there_run_until_their_time() {
    let case = read_dgtd("dgtd-cavity.toml");
    assert_eq!(case.source.initial.unwrap().mode.unwrap().amplitude.0, [1.0, -2.0, 1.0]);
    assert_eq!(
        (case.solve.energy_decay_db, case.solve.max_time.unwrap().si()),
        (Some(dgtd::EnergyDecay::Never), 1e-8)
    );
    assert_eq!((case.solve.flux, case.solve.kernels), (dgtd::Flux::Central, dgtd::Kernels::Split));
    assert_eq!(case.geometry.brick.unwrap().cell_size.si(), [0.5; 3]);
}

#[test]
fn an_analysis_has_no_settings_of_a_synthesis() {
    let Case::Reflectarray(case) = read("pencil.toml").case else { panic!("a reflectarray") };
    assert_eq!(case.geometry.spacing.meters(0.02), [0.01, 0.01]);
    assert_eq!((case.geometry.element.power_exponent, case.geometry.feed.polarization.si()), (1.0, 0.0));
    assert_eq!(case.solve.method, reflectarray::Method::Analysis);
    assert_eq!((case.solve.gradient, case.solve.seed, case.solve.starts), (None, 1, None));
    assert!(case.geometry.coverage.is_empty());
}

#[test]
fn settings_tell_defaults_from_what_is_given() {
    let settings = read("every-shape.toml").settings();
    let lines: Vec<String> = settings
        .iter()
        .map(|s| format!("{} = {}{}", s.path, s.value, if s.is_default { " (default)" } else { "" }))
        .collect();
    assert_eq!(
        lines,
        [
            "version = 1",
            "solver = \"mom\"",
            "name = \"every shape\"",
            "geometry.bodies[0].shape = \"circle\"",
            "geometry.bodies[0].radius = \"20 cm\"",
            "geometry.bodies[0].center = [\"0 m\", \"0 m\"] (default)",
            "geometry.bodies[0].material = \"pec\" (default)",
            "geometry.bodies[1].shape = \"ellipse\"",
            "geometry.bodies[1].semi_axes = [\"2 m\", \"1 m\"]",
            "geometry.bodies[1].center = [\"4 m\", \"-1 m\"]",
            "geometry.bodies[1].rotation = \"30 deg\"",
            "geometry.bodies[1].material = \"pec\" (default)",
            "geometry.bodies[1].cells = 60",
            "geometry.bodies[2].shape = \"polygon\"",
            "geometry.bodies[2].points = [[\"8 m\", \"0 m\"], [\"9 m\", \"0 m\"], [\"8 m\", \"1 m\"]]",
            "geometry.bodies[2].material = \"pec\" (default)",
            "geometry.bodies[3].shape = \"strip\"",
            "geometry.bodies[3].from = [\"-4 m\", \"-1 m\"]",
            "geometry.bodies[3].to = [\"-4 m\", \"1 m\"]",
            "geometry.bodies[3].material = \"pec\" (default)",
            "geometry.bodies[4].shape = \"naca\"",
            "geometry.bodies[4].code = \"2412\"",
            "geometry.bodies[4].chord = \"1 m\"",
            "geometry.bodies[4].position = [\"0 m\", \"5 m\"]",
            "geometry.bodies[4].rotation = \"-4 deg\"",
            "geometry.bodies[4].material = \"pec\" (default)",
            "geometry.bodies[5].shape = \"spline\"",
            "geometry.bodies[5].file = \"points.csv\"",
            "geometry.bodies[5].units = \"mm\"",
            "geometry.bodies[5].closed = false",
            "geometry.bodies[5].position = [\"0 m\", \"0 m\"] (default)",
            "geometry.bodies[5].rotation = \"0 deg\" (default)",
            "geometry.bodies[5].material = \"pec\" (default)",
            "geometry.bodies[6].shape = \"svg\"",
            "geometry.bodies[6].file = \"drawings/lens.svg\"",
            "geometry.bodies[6].units = \"in\"",
            "geometry.bodies[6].id = \"lens\"",
            "geometry.bodies[6].position = [\"0 m\", \"0 m\"] (default)",
            "geometry.bodies[6].rotation = \"0 deg\" (default)",
            "geometry.bodies[6].material.eps_r = 4.0",
            "geometry.bodies[6].material.mu_r = 1.0 (default)",
            "geometry.bodies[6].material.conductivity = \"20 mS/m\"",
            "geometry.bodies[7].shape = \"gmsh\"",
            "geometry.bodies[7].file = \"mesh.msh\"",
            "geometry.bodies[7].units = \"m\"",
            "geometry.bodies[7].flat = false (default)",
            "geometry.bodies[7].position = [\"0 m\", \"-9 m\"]",
            "geometry.bodies[7].rotation = \"0 deg\" (default)",
            "geometry.bodies[7].material.eps_r = 2.2",
            "geometry.bodies[7].material.mu_r = 1.5",
            "geometry.bodies[7].material.loss_tangent = 0.0 (default)",
            "geometry.bodies[7].cells = 40",
            "source.frequency = [\"100 MHz\", \"200 MHz\"]",
            "source.polarization = \"TE\"",
            "source.arrival = { from = \"0 deg\", to = \"90 deg\", points = 10 }",
            "solve.method = \"lcn\" (default)",
            "solve.order = 14 (default)",
            "solve.equation = \"auto\" (default)",
            "solve.cfie_weight = 0.5 (default)",
            "solve.near_quadrature = \"product\" (default)",
            "solve.flat = false (default)",
            "solve.precision = \"double\" (default)",
            "solve.cells_per_wavelength = 2.0 (default)",
            "output.echo_width = { from = \"0 deg\", to = \"360 deg\", points = 361 } (default)",
            "output.monostatic = false (default)",
            "output.currents = true (default)",
        ]
    );
}

#[test]
fn values_and_left_out_values_are_located() {
    let file = read("every-shape.toml");
    let at = |path: &str| file.locate(path).map(|span| file.source.text[span].to_owned());
    for (path, text) in [
        ("name", Some("\"every shape\"")),
        ("geometry.bodies[1].cells", Some("60")),
        ("geometry.bodies[2].points[1][0]", Some("\"9 m\"")),
        ("geometry.bodies[0].center", Some("[[geometry.bodies]]")),
        ("source.arrival.points", Some("10")),
        ("source.propagation", Some("[source]")),
        ("source.frequency[1]", Some("\"200 MHz\"")),
        ("solve.cells", None),
        ("nowhere", None),
    ] {
        assert_eq!(at(path).as_deref(), text, "{path}");
    }
}

#[test]
fn a_solvers_objection_finds_its_line() {
    let file = read("every-shape.toml");
    let error = file.error_at(&FieldError::new("geometry.bodies[0].radius", "too big", "shrink it"));
    assert_eq!(
        error.render_plain(),
        "error: geometry.bodies[0].radius: too big\n --> every-shape.toml:7:10\n  |\n7 | radius = \"20 cm\"\n  |          \
         ^^^^^^^ this value\n  |\nhelp: shrink it\n"
    );
    let error = file.error_at(&FieldError::new("geometry.bodies[1].material", "no", "x"));
    assert_eq!((error.line(), error.label()), (9, "`material` is not set here"));
    let error = file.error_at(&FieldError::new("solve.cells", "too few", "x"));
    assert_eq!((error.line(), error.label()), (1, "`cells` is not set here"));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    let text = include_str!("good/circle.toml");
    let plain = parse("a.toml", text).unwrap();
    let windows = parse("a.toml", &format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
    assert_eq!(windows.case, plain.case);
    let span = windows.locate("geometry.bodies[0].radius").unwrap();
    assert_eq!(&windows.source.text[span], "\"1 m\"");
}

#[test]
fn a_case_survives_a_round_trip() {
    for name in [
        "circle.toml",
        "every-shape.toml",
        "monostatic.toml",
        "reflectarray.toml",
        "pencil.toml",
        "sbr-mesh.toml",
        "sbr-target.toml",
        "dgtd-sphere.toml",
        "dgtd-line.toml",
        "dgtd-cavity.toml",
        "dgtd-dipole.toml",
    ] {
        let case = read(name).case;
        let text = toml::to_string(&case).unwrap();
        assert_eq!(parse(name, &text).unwrap().case, case, "{text}");
    }
}

#[test]
fn holograms_have_their_defaults() {
    let Case::Nah(case) = read("nah-monopoles.toml").case else { panic!("a nah case") };
    assert_eq!(case.geometry.medium, nah::Medium { sound_speed: 343.2, density: 1.204 });
    assert_eq!((case.source.signal, case.source.seed), (Some(nah::Signal::Samples), 1));
    assert_eq!(case.source.sample_rate.map(phasefront_core::Frequency::si), Some(51_200.0));
    assert_eq!((case.solve.fft_length.get(), case.solve.hop.map(std::num::NonZero::get)), (1024, Some(32)));
    assert_eq!((case.solve.filter, case.solve.cutoff), (nah::Filter::Auto, None));
    assert_eq!(case.output.planes.iter().map(|p| p.si()).collect::<Vec<_>>(), [0.05]);
    assert_eq!(case.output.frequency.unwrap().values(), [1000.0, 2000.0]);
    let Case::Nah(case) = read("nah-file.toml").case else { panic!("a nah case") };
    assert_eq!((case.geometry.medium.sound_speed, case.geometry.medium.density), (340.0, 1.204));
    assert_eq!(case.solve.walsh_terms.map(std::num::NonZero::get), Some(40));
    assert_eq!((case.solve.cutoff, case.solve.rolloff), (Some(40.0), Some(0.3)));
    assert_eq!(case.solve.hop.map(std::num::NonZero::get), Some(512));
    assert_eq!(case.source.channel_order, Some(nah::ChannelOrder::Rows));
}

#[test]
fn azimuth_and_elevation_are_phi_and_the_complement_of_theta() {
    let Case::Sbr(case) = read("sbr-azimuth.toml").case else { panic!("an sbr case") };
    let [theta, phi] = case.source.angles().theta_phi();
    assert!((theta[0] - 60_f64.to_radians()).abs() < 1e-15);
    assert_eq!((phi.len(), phi[9]), (10, 90_f64.to_radians()));
    let Toggle::Table(aspect) = case.output.hotspots else { panic!("an aspect") };
    assert!(aspect.is(60_f64.to_radians(), 10_f64.to_radians(), 10e9));
}
