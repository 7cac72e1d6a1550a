//! Translates a dgtd case into the solver's problem; meshes are read or generated here.

use super::far;
use super::groups::{add_vacuum, check_names, joined};
use super::materials;
use super::mesh::{CaseMesh, mesh};
use super::near_source::near_source;
use super::pulse::pulse;
use crate::error::SolverError;
use crate::input::InputFolder;
use phasefront_case::model::Point;
use phasefront_case::model::dgtd::{
    Boundary as CaseBoundary, Connection as CaseConnection, DgtdCase, EnergyDecay, Flux as CaseFlux,
    Geometry, Initial as CaseInitial, Kernels as CaseKernels, Lumped, NearField as CaseNearField, Output,
    PlaneWave as CaseWave, Pml, Port as CasePort, Slice as CaseSlice, Source,
    ThinWire as CaseThinWire, TimeStepping as CaseTimeStepping, WireLumped,
};
use phasefront_core::constants::C0;
use phasefront_core::{Capacitance, FieldError, Inductance, Length, Resistance, SelfCheck, Sweep, Time};
use phasefront_dgtd::{
    Boundary, Circuit, Coating, Conductor, Connection, Dipole, Flux, Initial, Injection, Kernels,
    LumpedElement, Material, Monitors, NearBox, NearField, PlaneWave, PmlKind, Port, PortShape, Problem,
    Pulse, Slice, SnapshotExtent, Sources, Stop, ThinWire, TimeStepping, WireLoad, last_delay,
};
use phasefront_mesh::TetMesh;
use phasefront_mesh::drawing::{DrawnSizes, SizeView};
use std::f64::consts::TAU;

/// Default duration of a run in crossings of the mesh by a wave: 100 crossings are the ringing of a cavity
/// with a quality factor of some hundreds.
const CROSSINGS: f64 = 100.0;

/// Most directions times frequencies of a far field, each a row of a table, and most points times frequencies of a slice.
const MAX_ROWS: f64 = 1e7;

/// A case in the terms of the solver.
pub(super) struct Translated {
    pub problem: Problem,
    /// Of a drawn mesh.
    pub drawn: Option<DrawnSizes>,
    /// Notes on the mesh file.
    pub warnings: Vec<String>,
    /// How well materials fit what the case gives.
    pub self_checks: Vec<SelfCheck>,
}

/// The problem of a case. Files that it names are relative to `folder`.
pub(super) fn translate(
    case: &DgtdCase,
    views: Vec<SizeView>,
    folder: &InputFolder,
) -> Result<Translated, SolverError> {
    check_rows(&case.output, &case.source)?;
    far::check_exports(&case.output)?;
    let geometry = &case.geometry;
    let pulse = pulse(&case.source, folder)?;
    let highest_frequency = highest_frequency(case, &pulse);
    let CaseMesh { mut mesh, drawn, warnings } = mesh(case, highest_frequency, views, folder)?;
    check_names(case, &mesh)?;
    let (mut materials, self_checks) = materials::all(case, highest_frequency, folder)?;
    add_vacuum(&mesh, &mut materials);
    let wave = case.source.plane_wave.as_ref().and_then(|wave| wave.surface.as_ref());
    let wave = wave.map(|names| joined(&mut mesh, names, "source.plane_wave.surface")).transpose()?;
    let injected = case.source.near_field.as_ref();
    let injected = injected.map(|near| {
        let surface = joined(&mut mesh, &near.surface, "source.near_field.surface")?;
        near_source(near, surface, folder)
    });
    let injected = injected.transpose()?;
    let far = case.output.far_field_surface.as_ref();
    let far = far.map(|names| joined(&mut mesh, names, "output.far_field_surface")).transpose()?;
    let near = case.output.near_field.as_ref();
    let near = near.map(|near| near_field(&mut mesh, near)).transpose()?.flatten();
    let source = &case.source;
    // The signal of a near field ends after the pulse.
    let later = injected.as_ref().and_then(|_| last_delay(&source.frequencies())).unwrap_or_default();
    let time = case.solve.max_time.map_or_else(|| later + long_enough(&mesh, &materials, &pulse), Time::si);
    let problem = Problem {
        materials,
        boundaries: geometry.boundaries.iter().map(|(name, b)| (name.clone(), boundary(b))).collect(),
        lumped: geometry.lumped.iter().map(lumped).collect(),
        thin_wires: geometry.thin_wires.iter().map(thin_wire).collect(),
        symmetry: symmetry(geometry),
        guides: Vec::new(),
        periodic: geometry.periodic.iter().map(|pair| (pair.x.clone(), pair.y.clone())).collect(),
        sources: Sources { near_field: injected, ..sources(case, wave) },
        pulse,
        highest_frequency,
        monitors: Monitors {
            near_field: near,
            dissipation: case.solve.accuracy.is_some(),
            ..monitors(&case.output, source, far)
        },
        stop: Stop {
            energy_db: match case.solve.energy_decay_db {
                Some(EnergyDecay::At(decibels)) => Some(decibels),
                Some(EnergyDecay::Never) | None => None,
            },
            time,
        },
        order: case.solve.order as usize,
        precision: case.solve.precision,
        flux: match case.solve.flux {
            CaseFlux::Upwind => Flux::Upwind,
            CaseFlux::Central => Flux::Central,
        },
        pml: match case.solve.pml {
            Pml::Cfs => PmlKind::Cfs,
            Pml::Uniaxial => PmlKind::Uniaxial,
        },
        courant: case.solve.courant,
        time_stepping: match case.solve.time_stepping {
            CaseTimeStepping::Auto => TimeStepping::Auto,
            CaseTimeStepping::Global => TimeStepping::Global,
            CaseTimeStepping::Local => TimeStepping::Local,
        },
        kernels: match case.solve.kernels {
            CaseKernels::Fused => Kernels::Fused,
            CaseKernels::Split => Kernels::Split,
        },
        mesh,
    };
    Ok(Translated { problem, drawn, warnings, self_checks })
}

/// The planes of symmetry: those that the case names, and magnetic ones of a drawn model.
fn symmetry(geometry: &Geometry) -> Vec<String> {
    let is_magnetic = |name: &&str| geometry.boundaries.get(*name) == Some(&CaseBoundary::Pmc);
    let unnamed = |name: &&str| !geometry.symmetry.iter().any(|known| known == name);
    let planes = geometry.planes.names().filter(is_magnetic).filter(unnamed).map(str::to_owned);
    geometry.symmetry.iter().cloned().chain(planes).collect()
}

fn check_rows(output: &Output, source: &Source) -> Result<(), FieldError> {
    let requested = [("rcs", &output.rcs), ("directivity", &output.directivity)];
    for (key, directions) in requested.iter().filter_map(|(key, requested)| Some((key, requested.as_ref()?)))
    {
        let [theta, phi] = directions.angles().theta_phi();
        let lengths = [theta.len(), phi.len(), source.frequencies().len()];
        let rows: f64 = lengths.iter().map(|&length| length as f64).product();
        if rows > MAX_ROWS {
            let message = format!("frequencies times directions are {rows:.1e} values");
            let advice = format!("reduce them to {MAX_ROWS:.0e} at most: each is a row of {key}.csv");
            return Err(FieldError::new(format!("output.{key}"), message, advice));
        }
    }
    if let Some(sides) = output.near_field.as_ref().and_then(|near| near.sides) {
        let [x, y, z] = sides.points.0.map(|n| f64::from(n.get()));
        let values = 2.0 * (x * y + y * z + z * x) * source.frequencies().len() as f64;
        if values > MAX_ROWS {
            let message = format!("frequencies times points are {values:.1e} values");
            let advice = format!("reduce them to {MAX_ROWS:.0e} at most");
            return Err(FieldError::new("output.near_field.box.points", message, advice));
        }
    }
    for (i, slice) in output.slices.iter().enumerate() {
        let points: f64 = slice.points.array().map(|n| f64::from(n.get())).iter().product();
        let values = points * source.frequencies().len() as f64;
        if values > MAX_ROWS {
            let message = format!("frequencies times points are {values:.1e} values");
            let advice = format!("reduce them to {MAX_ROWS:.0e} at most");
            return Err(FieldError::new(format!("output.slices[{i}].points"), message, advice));
        }
    }
    Ok(())
}

/// Frequencies of a case are f; the solver takes ω = 2πf, and damping as a rate, γ = 2πf.
fn boundary(boundary: &CaseBoundary) -> Boundary {
    match boundary {
        CaseBoundary::Pec => Boundary::Pec,
        CaseBoundary::Pmc => Boundary::Pmc,
        CaseBoundary::Absorbing => Boundary::Absorbing,
        CaseBoundary::ResistiveSheet(sheet) => Boundary::ResistiveSheet(sheet.sheet_resistance.si()),
        CaseBoundary::Conductor(conductor) => Boundary::Conductor(Conductor {
            conductivity: conductor.conductivity.si(),
            roughness: conductor.roughness.map_or(0.0, Length::si),
        }),
        CaseBoundary::Coated(coated) => Boundary::Coating(Coating {
            thickness: coated.coating.thickness.si(),
            eps: coated.coating.eps_r,
            mu: coated.coating.mu_r,
            loss_tangent: coated.coating.loss_tangent,
        }),
    }
}

fn lumped(element: &Lumped) -> LumpedElement {
    LumpedElement {
        surface: element.surface.clone(),
        along: unit(element.direction.0),
        circuit: Circuit {
            resistance: element.resistance.map(Resistance::si),
            inductance: element.inductance.map(Inductance::si),
            capacitance: element.capacitance.map(Capacitance::si),
            connection: connection(element.connection),
        },
    }
}

fn thin_wire(wire: &CaseThinWire) -> ThinWire {
    let load = |element: &WireLumped| WireLoad {
        position: element.position.si(),
        circuit: Circuit {
            resistance: element.resistance.map(Resistance::si),
            inductance: element.inductance.map(Inductance::si),
            capacitance: element.capacitance.map(Capacitance::si),
            connection: connection(element.connection),
        },
    };
    ThinWire {
        name: wire.name.clone(),
        points: wire.points.iter().copied().map(Point::si).collect(),
        radius: wire.radius.si(),
        resistance: wire.resistance.map_or(0.0, Resistance::si) / wire.length(),
        loads: wire.lumped.iter().map(load).collect(),
    }
}

fn connection(connection: CaseConnection) -> Connection {
    match connection {
        CaseConnection::Series => Connection::Series,
        CaseConnection::Parallel => Connection::Parallel,
    }
}

fn sources(case: &DgtdCase, surface: Option<String>) -> Sources {
    let source = &case.source;
    let dipoles = source.dipoles.iter().flatten();
    Sources {
        plane_wave: source.plane_wave.as_ref().map(|wave| plane_wave(wave, surface)),
        near_field: None,
        dipoles: dipoles.map(|d| Dipole { position: d.position.si(), moment: d.moment.0 }).collect(),
        ports: source.ports.iter().flatten().flat_map(|port| ports(port, &case.geometry.thin_wires)).collect(),
        terminals: source.ports.iter().flatten().filter_map(terminals).collect(),
        excited: source.excited_ports().first().copied().unwrap_or_default(),
        initial: source.initial.as_ref().and_then(initial),
    }
}

/// A wave incident from (θ, φ) propagates along −r̂; its polarization is cos α θ̂ + sin α φ̂.
fn plane_wave(wave: &CaseWave, surface: Option<String>) -> PlaneWave {
    let [(sin_t, cos_t), (sin_p, cos_p)] = wave.angles().theta_phi().map(f64::sin_cos);
    let (sin_a, cos_a) = wave.polarization.angle().sin_cos();
    PlaneWave {
        propagation: [-sin_t * cos_p, -sin_t * sin_p, -cos_t],
        polarization: [
            cos_a * cos_t * cos_p - sin_a * sin_p,
            cos_a * cos_t * sin_p + sin_a * cos_p,
            -cos_a * sin_t,
        ],
        injection: surface.map_or(Injection::ScatteredField, Injection::TfSf),
    }
}

/// The ports of the S-parameters that a port of the case is: one, or one for each mode. One without a field was refused with the case.
fn ports(port: &CasePort, wires: &[CaseThinWire]) -> Vec<Port> {
    let lumped = port.direction.map(|along| PortShape::Lumped { along: unit(along.0) });
    let coaxial = port.coaxial.map(|ring| PortShape::Coaxial {
        center: ring.center.si(),
        inner: ring.inner_radius.si(),
        outer: ring.outer_radius.si(),
    });
    let wire = port.wire.map(|gap| {
        // One that does not exist is refused later.
        let middle = || wires.iter().find(|wire| wire.name == port.surface).map_or(0.0, |wire| 0.5 * wire.length());
        PortShape::Wire { position: gap.position.map_or_else(middle, Length::si) }
    });
    let modes = port.wave.iter().flat_map(|wave| {
        let polarity = wave.polarity.map(|direction| unit(direction.0));
        let shift = wave.reference_plane.map_or(0.0, Length::si);
        (0..wave.count()).map(move |mode| PortShape::Wave { mode, polarity, shift })
    });
    let of = |shape| Port {
        surface: port.surface.clone(),
        resistance: port.resistance.map(Resistance::si),
        shape,
    };
    lumped.or(coaxial).or(wire).into_iter().chain(modes).map(of).collect()
}

/// The surface of a port, and those of its terminals.
fn terminals(port: &CasePort) -> Option<(String, Vec<String>)> {
    let names = port.wave.as_ref()?.terminals.as_ref()?;
    Some((port.surface.clone(), names.clone()))
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = norm(vector);
    vector.map(|v| v / length)
}

fn norm(vector: [f64; 3]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn initial(initial: &CaseInitial) -> Option<Initial> {
    let mode = initial.mode.map(|mode| Initial::Mode { k: mode.wave_vector.0, a: mode.amplitude.0 });
    let wave = initial.plane_wave.map(|wave| Initial::Wave { k: wave.wave_vector.0, e: wave.amplitude.0 });
    mode.or(wave)
}

/// The highest frequency of the outputs; without any, that of the fields themselves.
pub(super) fn highest_frequency(case: &DgtdCase, pulse: &Pulse) -> f64 {
    let source = &case.source;
    let resonances = case.output.resonances.map(|band| band.to.si());
    let requested = source.frequencies().into_iter().chain(resonances).fold(0.0, f64::max);
    if requested > 0.0 {
        return requested;
    }
    match &source.initial {
        Some(CaseInitial { mode: Some(mode), .. }) => norm(mode.wave_vector.0) * C0 / TAU,
        Some(CaseInitial { plane_wave: Some(wave), .. }) => norm(wave.wave_vector.0) * C0 / TAU,
        _ => pulse.band()[1],
    }
}

fn monitors(output: &Output, source: &Source, far_surface: Option<String>) -> Monitors {
    let slice = |slice: &CaseSlice| Slice {
        name: slice.name.clone(),
        origin: slice.origin.si(),
        sides: slice.sides.array().map(Point::si),
        points: slice.points.array().map(|n| n.get() as usize),
    };
    Monitors {
        frequencies: source.frequencies(),
        far_surface,
        far_field: output.rcs.is_some() || output.directivity.is_some(),
        near_field: None,
        probes: output.probes.iter().copied().map(Point::si).collect(),
        slices: output.slices.iter().map(slice).collect(),
        currents: output.currents,
        volumes: output.volumes.clone(),
        snapshots: output.snapshots.as_ref().map_or_else(Vec::new, Sweep::values),
        snapshot_extent: snapshot_extent(output),
        dissipation: false,
    }
}

fn snapshot_extent(output: &Output) -> SnapshotExtent {
    match &output.snapshot_volumes[..] {
        [] if output.slices.iter().any(|slice| slice.film.is_some()) => SnapshotExtent::Slices,
        [] => SnapshotExtent::All,
        named => SnapshotExtent::Groups(named.to_vec()),
    }
}

/// Where the near field is saved; its surface was filled in with the case.
fn near_field(mesh: &mut TetMesh, near: &CaseNearField) -> Result<Option<NearField>, FieldError> {
    if let Some(sides) = near.sides {
        let points = sides.points.0.map(|n| n.get() as usize);
        return Ok(Some(NearField::Box(NearBox { from: sides.from.si(), to: sides.to.si(), points })));
    }
    let named = near.surface.as_ref().map(|names| joined(mesh, names, "output.near_field.surface"));
    Ok(named.transpose()?.map(NearField::Surface))
}

/// A time by which little should remain: the pulse, and [`CROSSINGS`] of the mesh by the slowest wave.
fn long_enough(mesh: &TetMesh, materials: &[(String, Material)], pulse: &Pulse) -> f64 {
    let ends = |k: usize| {
        let along = mesh.nodes.iter().map(|node| node[k]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    let sides: [f64; 3] = std::array::from_fn(ends).map(|[low, high]| high - low);
    let slowest = materials.iter().map(|(_, material)| material.speed()).fold(1.0, f64::min);
    pulse.end() + CROSSINGS * norm(sides) / (slowest * C0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_dgtd::Pole;
    use std::path::Path;

    fn case(text: &str) -> DgtdCase {
        let file = phasefront_case::parse("case.toml", text).unwrap();
        let phasefront_case::Case::Dgtd(case) = file.case else { panic!("a dgtd case") };
        *case
    }

    const HEAD: &str = "version = 1\nsolver = \"dgtd\"\nname = \"a\"\n[geometry]\n\
                        box = { from = [0, 0, 0], to = [1, 2, 3], cell_size = 1 }\n";

    fn with(source: &str) -> Problem {
        translate(&case(&format!("{HEAD}{source}")), Vec::new(), &InputFolder::new(Path::new("")))
            .unwrap()
            .problem
    }

    #[test]
    fn the_defaults_of_a_case_are_those_of_the_solver() {
        let found = with(
            "[source]\nfrequency = \"1 GHz\"\n\
             ports = [{ surface = \"xmin\", resistance = 50, direction = [0, 0, 2] }]\n",
        );
        let default = Problem::default();
        assert_eq!(
            (found.order, found.precision, found.flux, found.pml, found.courant),
            (default.order, default.precision, default.flux, default.pml, default.courant)
        );
        assert_eq!(found.stop.energy_db, default.stop.energy_db);
        assert_eq!((found.highest_frequency, found.pulse.clone()), (1e9, Pulse::gaussian(1.25e9)));
        assert_eq!(found.sources.ports[0].shape, PortShape::Lumped { along: [0.0, 0.0, 1.0] });
        // 100 crossings along the diagonal, √14 m.
        let expected = found.pulse.end() + 100.0 * 14_f64.sqrt() / C0;
        assert!((found.stop.time - expected).abs() < 1e-12 * expected);
    }

    #[test]
    fn a_wave_travels_away_from_where_it_comes_from() {
        let wave = |theta: &str, phi: &str, polarization: &str| {
            with(&format!(
                "[source]\nfrequency = \"1 GHz\"\n[source.plane_wave]\ntheta = \"{theta}\"\nphi = \"{phi}\"\n\
                 polarization = \"{polarization}\"\n[output]\nprobes = [[0.5, 0.5, 0.5]]\n"
            ))
            .sources
            .plane_wave
            .unwrap()
        };
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-15);
        // From +z with θ̂ along +x: down, E along x. From +x: θ̂ is −z, φ̂ is +y. From +y: φ̂ is −x.
        for (theta, phi, polarization, way, field) in [
            ("0 deg", "0 deg", "theta", [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]),
            ("90 deg", "0 deg", "theta", [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]),
            ("90 deg", "0 deg", "phi", [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
            ("90 deg", "90 deg", "90 deg", [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]),
        ] {
            let found = wave(theta, phi, polarization);
            assert!(near(found.propagation, way) && near(found.polarization, field), "{found:?}");
            assert_eq!(found.injection, Injection::ScatteredField);
        }
    }

    #[test]
    fn frequencies_of_materials_become_rates() {
        let case = case(&format!(
            "{HEAD}materials = {{ air = {{ eps_r = 2, conductivity = \"3 mS/m\", debye = [{{ delta_eps = 3, relaxation_time = \"1 ns\" }}], \
             drude = [{{ plasma_frequency = \"1 GHz\", damping = \"10 MHz\" }}], \
             lorentz = [{{ delta_eps = 4, resonance_frequency = \"2 GHz\", damping = \"0 Hz\" }}] }} }}\n\
             [source]\ninitial = {{ plane_wave = {{ wave_vector = [3, 0, 4], amplitude = [0, 1, 0] }} }}\n[solve]\nmax_time = \"1 ns\"\n"
        ));
        let found = translate(&case, Vec::new(), &InputFolder::new(Path::new(""))).unwrap().problem;
        let (name, air) = &found.materials[0];
        assert_eq!((name.as_str(), air.eps, air.mu, air.sigma), ("air", 2.0, 1.0, 0.003));
        assert_eq!(
            air.poles,
            [
                Pole::Debye { delta: 3.0, tau: 1e-9 },
                Pole::Drude { plasma: TAU * 1e9, damping: TAU * 1e7 },
                Pole::Lorentz { delta: 4.0, resonance: TAU * 2e9, damping: 0.0 },
            ]
        );
        assert_eq!((found.stop.energy_db, found.stop.time), (None, 1e-9));
        assert_eq!(found.sources.initial, Some(Initial::Wave { k: [3.0, 0.0, 4.0], e: [0.0, 1.0, 0.0] }));
        assert_eq!(found.highest_frequency, 5.0 * C0 / TAU);
    }

    #[test]
    fn a_box_that_cannot_be_is_blamed_where_it_stands() {
        let text = HEAD.replace(
            "cell_size = 1",
            "cell_size = 1, sheets = [{ name = \"s\", from = [0, 0, 9], to = [1, 1, 9] }]",
        );
        let text = format!(
            "{text}[source]\ninitial = {{ plane_wave = {{ wave_vector = [1, 0, 0], amplitude = [0, 1, 0] }} }}\n[solve]\nmax_time = 1\n"
        );
        let error = translate(&case(&text), Vec::new(), &InputFolder::new(Path::new(""))).err().unwrap();
        assert!(matches!(error, SolverError::Field(error) if error.path == "geometry.box"));
    }
}
