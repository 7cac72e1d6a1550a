//! Translates an sbr case into the problem of the solver; reads meshes and material tables.

use super::antenna;
use crate::input::{InputFolder, columns, complex, read_bytes, read_text, units};
use crate::memory::check_list;
use phasefront_case::model::sbr::{
    Antenna as CaseAntenna, Bounces as CaseBounces, Edges as CaseEdges, Formulation as CaseFormulation,
    Geometry, Layer as CaseLayer, Material as CaseMaterial, Medium as CaseMedium, Row, SbrCase, Source,
    SurfaceModel as CaseSurface, Target, Tracer as CaseTracer, Tubes as CaseTubes, Winding,
};
use phasefront_case::model::{Axis, ComplexNumber, Directions as Receivers, Rotation, Two};
use phasefront_core::FieldError;
use phasefront_core::constants::EPS0;
use phasefront_core::text::{list, nearest};
use phasefront_mesh::{
    MeshError, MeshFormat, MeshReport, TriangleMesh, Units, WELD_TOLERANCE, read_triangles, repair, targets,
};
use phasefront_sbr::{
    Antenna, Antennas, Aspect, Bounces, Constants, Direction, Edges, Formulation, Layer, Material, Medium,
    Problem, Surface, Tracer, Tubes,
};
use std::f64::consts::TAU;
use std::num::NonZeroU32;
use std::path::Path;

/// Frequencies times aspects, at most: a larger number is a mistake in the case.
const MAX_ROWS: f64 = 1e8;
/// Triangles of a built-in target, at most.
const MAX_TRIANGLES: f64 = 1e8;
/// Bytes of a triangle of a built-in target while it is made, welded and checked.
const TRIANGLE_BYTES: u64 = 300;

/// The problem of a case.
pub(super) struct Translated {
    pub problem: Problem,
    /// Properties of the mesh, and repairs.
    pub report: MeshReport,
    /// Warnings about the mesh.
    pub warnings: Vec<String>,
}

/// Translates a case; `folder` is where the files that it names are.
pub(super) fn translate(case: &SbrCase, folder: &InputFolder) -> Result<Translated, FieldError> {
    let (mesh, report, warnings) = match &case.geometry.target {
        Some(target) => built_in(target, case.geometry.scale)?,
        None => read(&case.geometry, folder)?,
    };
    let mesh = case.geometry.rotation.iter().fold(mesh, turned);
    let solve = &case.solve;
    let frequencies = case.source.frequency.values();
    let antennas = antennas(case, &mesh, &frequencies, folder)?;
    let problem = Problem {
        materials: materials(&case.geometry, &frequencies, &mesh, folder)?,
        mesh,
        surface: match case.geometry.surface {
            CaseSurface::Interpolated => Surface::Interpolated,
            CaseSurface::Facets => Surface::Facets,
        },
        aspects: match antennas {
            Some(_) => Vec::new(),
            None => aspects(&case.source, case.output.rcs.table())?,
        },
        antennas,
        frequencies,
        bounces: match solve.bounces {
            CaseBounces::Auto => Bounces::Auto,
            CaseBounces::AtMost(bounces) => Bounces::AtMost(bounces as usize),
        },
        tube_width: solve.tube_width,
        tubes: match solve.tubes {
            CaseTubes::Adaptive => Tubes::Beams,
            CaseTubes::RayGrid => Tubes::RayGrid,
        },
        formulation: match solve.formulation {
            CaseFormulation::Eh => Formulation::Eh,
            CaseFormulation::E => Formulation::E,
            CaseFormulation::H => Formulation::H,
        },
        edge_angle: case.geometry.edge_angle.si(),
        edges: match solve.edges {
            CaseEdges::None => Edges::None,
            CaseEdges::Ptd => Edges::Ptd,
            CaseEdges::Truncated => Edges::Truncated,
        },
        tracer: match solve.tracer {
            CaseTracer::Bvh => Tracer::Bvh,
            CaseTracer::KdTree => Tracer::KdTree,
        },
    };
    Ok(Translated { problem, report, warnings })
}

/// Transmitters and receivers at positions; none if the case has directions.
fn antennas(
    case: &SbrCase,
    mesh: &TriangleMesh,
    frequencies: &[f64],
    folder: &InputFolder,
) -> Result<Option<Antennas>, FieldError> {
    let list = |antennas: &[CaseAntenna], path: &str| -> Result<Vec<Antenna>, FieldError> {
        let all = antennas.iter().enumerate();
        all.map(|(i, antenna)| antenna::antenna(antenna, &format!("{path}[{i}]"), mesh, frequencies, folder))
            .collect()
    };
    let Some(transmitters) = &case.source.transmitters else { return Ok(None) };
    let receivers = case.output.receivers.as_ref();
    let rows = transmitters.len() as f64 * receivers.map_or(1, Vec::len) as f64 * frequencies.len() as f64;
    if rows > MAX_ROWS {
        let message = format!("frequencies, transmitters and receivers give {rows:.1e} rows");
        let advice = format!("use at most {MAX_ROWS:.0e} combinations: each is a row of received.csv");
        return Err(FieldError::new("source", message, advice));
    }
    Ok(Some(Antennas {
        transmitters: list(transmitters, "source.transmitters")?,
        receivers: receivers.map(|receivers| list(receivers, "output.receivers")).transpose()?,
    }))
}

/// All pairs of θ and φ, φ fastest; in bistatic cases, all receivers for each.
fn aspects(source: &Source, receivers: Option<&Receivers>) -> Result<Vec<Aspect>, FieldError> {
    let incident = source.angles().theta_phi();
    let receivers = receivers.map(|receivers| receivers.angles().theta_phi());
    let angles = incident.iter().chain(receivers.iter().flatten());
    let lengths = angles.map(Vec::len).chain([source.frequency.values().len()]);
    let rows: f64 = lengths.map(|length| length as f64).product();
    if rows > MAX_ROWS {
        let message = format!("frequencies and angles give {rows:.1e} rows");
        let advice = format!("use at most {MAX_ROWS:.0e} combinations: each is a row of rcs.csv");
        return Err(FieldError::new("source", message, advice));
    }
    let pairs = |[theta, phi]: &[Vec<f64>; 2]| -> Vec<Direction> {
        theta.iter().flat_map(|&theta| phi.iter().map(move |&phi| Direction { theta, phi })).collect()
    };
    let incident = pairs(&incident);
    match &receivers {
        None => Ok(incident.into_iter().map(Aspect::monostatic).collect()),
        Some(receivers) => {
            let observers = pairs(receivers);
            let all = |incident: &Direction| {
                let incident = *incident;
                observers.iter().map(move |&observer| Aspect { incident, observer }).collect::<Vec<_>>()
            };
            Ok(incident.iter().flat_map(all).collect())
        }
    }
}

/// A built-in target, enlarged.
fn built_in(target: &Target, scale: f64) -> Result<(TriangleMesh, MeshReport, Vec<String>), FieldError> {
    let wrong = |error: MeshError| FieldError::new("geometry.target", error.to_string(), error.advice());
    // Beyond its largest number of triangles, a target refuses itself.
    if triangles(target) <= MAX_TRIANGLES {
        check_list("geometry.target", "triangles", triangles(target), TRIANGLE_BYTES)?;
    }
    let mesh = scaled(shape(target).map_err(wrong)?, scale);
    let report = repair(mesh.clone(), WELD_TOLERANCE).map_err(wrong)?.report;
    Ok((mesh, report, Vec::new()))
}

fn scaled(mesh: TriangleMesh, scale: f64) -> TriangleMesh {
    if scale == 1.0 { mesh } else { mesh.mapped(|point| point.map(|x| scale * x)) }
}

/// Triangles of a built-in target that is cut into cells; the others are small.
fn triangles(target: &Target) -> f64 {
    let two = |cells: Two<NonZeroU32>| cells.array().map(|n| f64::from(n.get())).iter().product::<f64>();
    let one = |cells: NonZeroU32| f64::from(cells.get()).powi(2);
    match target {
        Target::Plate(t) => 2.0 * two(t.cells),
        Target::Sphere(t) => 20.0 * one(t.cells),
        // At most twice the side, with the two fans that close it.
        Target::Cylinder(t) => 4.0 * two(t.cells),
        Target::Dihedral(t) => 4.0 * two(t.cells),
        Target::Trihedral(t) => 3.0 * one(t.cells),
        Target::SquareTrihedral(t) => 6.0 * one(t.cells),
        Target::ConeSphere(t) => 4.0 * two(t.cells),
        Target::Ogive(t) => 2.0 * two(t.cells),
        Target::Almond(t) => 2.0 * two(t.cells),
        Target::Missile(_) | Target::Ship(_) | Target::AircraftA(_) | Target::AircraftB(_) => 0.0,
    }
}

fn shape(target: &Target) -> Result<TriangleMesh, MeshError> {
    let two = |cells: Two<NonZeroU32>| cells.array().map(|n| n.get() as usize);
    let one = |cells: NonZeroU32| cells.get() as usize;
    match target {
        Target::Plate(t) => targets::plate(t.size.si(), two(t.cells)),
        Target::Sphere(t) => targets::sphere(t.radius.si(), one(t.cells)),
        Target::Cylinder(t) => targets::cylinder(t.radius.si(), t.length.si(), two(t.cells), t.closed),
        Target::Dihedral(t) => targets::dihedral(t.width.si(), t.length.si(), two(t.cells)),
        Target::Trihedral(t) => targets::trihedral(t.leg.si(), one(t.cells)),
        Target::SquareTrihedral(t) => targets::square_trihedral(t.side.si(), one(t.cells)),
        Target::ConeSphere(t) => {
            let [along, around] = two(t.cells);
            targets::cone_sphere(t.half_angle.si(), t.radius.si(), [along, along, around])
        }
        Target::Ogive(t) => targets::ogive(t.length.si(), t.radius.si(), two(t.cells)),
        Target::Almond(t) => targets::nasa_almond(two(t.cells)),
        Target::Missile(_) => Ok(targets::missile()),
        Target::Ship(_) => targets::ship(),
        Target::AircraftA(_) => Ok(targets::aircraft_a()),
        Target::AircraftB(_) => Ok(targets::aircraft_b()),
    }
}

/// Reads and repairs a mesh file.
fn read(
    geometry: &Geometry,
    folder: &InputFolder,
) -> Result<(TriangleMesh, MeshReport, Vec<String>), FieldError> {
    const PATH: &str = "geometry.mesh";
    let file = geometry.mesh.as_deref().unwrap_or_default();
    let wrong = |error: MeshError| FieldError::new(PATH, format!("{file}: {error}"), error.advice());
    let extension = Path::new(file).extension().map(|e| e.to_string_lossy()).unwrap_or_default();
    let format = MeshFormat::from_extension(&extension).map_err(wrong)?;
    let bytes = read_bytes(folder, file, PATH)?;
    // The case parser refuses a mesh without units.
    let units = geometry.units.map_or(Units::Meters, units);
    let import = read_triangles(&bytes, format, units).map_err(wrong)?;
    let repaired =
        repair(scaled(import.mesh, geometry.scale), geometry.weld_tolerance.unwrap_or(WELD_TOLERANCE))
            .map_err(wrong)?;
    let report = repaired.report;
    let against = report.repairs.flipped + report.one_sided_edges;
    if geometry.winding == Some(Winding::Reject) && against > 0 {
        return Err(FieldError::new(
            PATH,
            format!("{file}: {against} of {} triangles have inconsistent winding", report.triangles),
            "correct the normals in the meshing program, or set `winding = \"fix\"`",
        ));
    }
    let mut warnings: Vec<String> = import.notes.iter().map(|note| format!("{file}: {note}")).collect();
    let crossings = repaired.mesh.self_crossings();
    warnings.extend(flaws(&report, crossings).into_iter().map(|flaw| format!("{file}: {flaw}")));
    Ok((repaired.mesh, report, warnings))
}

/// Warnings about a mesh: repairs, and defects that could not be repaired.
fn flaws(report: &MeshReport, crossings: usize) -> Vec<String> {
    let repairs = &report.repairs;
    let mut flaws = Vec::new();
    let mut tell = |count: usize, one: &str, many: &str| {
        if count > 0 {
            flaws.push(if count == 1 { one.to_owned() } else { many.replace('#', &count.to_string()) });
        }
    };
    tell(repairs.degenerate, "1 degenerate triangle was dropped", "# degenerate triangles were dropped");
    tell(repairs.duplicate, "1 duplicate triangle was dropped", "# duplicate triangles were dropped");
    tell(
        repairs.stitched,
        "1 T-junction was stitched: a vertex lay on the edge of another triangle",
        "# T-junctions were stitched: vertices lay on the edges of other triangles",
    );
    tell(
        repairs.flipped,
        "1 triangle had the wrong winding and was flipped",
        "# triangles had the wrong winding and were flipped",
    );
    tell(
        report.one_sided_edges,
        "the winding is inconsistent at 1 edge and cannot be repaired: the surface is not orientable",
        "the winding is inconsistent at # edges and cannot be repaired: the surface is not orientable",
    );
    tell(
        report.non_manifold_edges,
        "1 edge is non-manifold: more than two triangles share it",
        "# edges are non-manifold: more than two triangles share them",
    );
    tell(
        report.holes.len(),
        "the surface has 1 boundary loop: unless it is an open sheet, it has a hole that rays enter",
        "the surface has # boundary loops: unless they bound open sheets, they are holes that rays enter",
    );
    tell(
        crossings,
        "1 edge passes through the surface that it is part of: what rays meet there is no body",
        "# edges pass through the surface that they are part of: what rays meet there is no body",
    );
    flaws
}

/// Rotates a body about an axis, counterclockwise as seen from the tip of the axis.
fn turned(mesh: TriangleMesh, turn: &Rotation) -> TriangleMesh {
    let (sin, cos) = turn.angle.si().sin_cos();
    // The plane of rotation: the first axis turns into the second.
    let (first, second) = match turn.axis {
        Axis::X => (1, 2),
        Axis::Y => (2, 0),
        Axis::Z => (0, 1),
    };
    mesh.mapped(|mut point| {
        let [a, b] = [point[first], point[second]];
        point[first] = cos * a - sin * b;
        point[second] = sin * a + cos * b;
        point
    })
}

fn materials(
    geometry: &Geometry,
    frequencies: &[f64],
    mesh: &TriangleMesh,
    folder: &InputFolder,
) -> Result<Vec<(String, Material)>, FieldError> {
    let groups: Vec<&str> = mesh.group_names.iter().map(String::as_str).collect();
    let mut materials = Vec::new();
    for (name, material) in &geometry.materials {
        let path = format!("geometry.materials.{name}");
        if !groups.contains(&name.as_str()) {
            let meant = nearest(name, groups.iter().copied());
            let meant = meant.map(|meant| format!("did you mean \"{meant}\"? ")).unwrap_or_default();
            let known = match groups[..] {
                [one] => format!("the only group is \"{one}\""),
                _ => format!("the groups are {}", list(&groups, "\"", "and")),
            };
            let message = format!("the mesh has no group \"{name}\"");
            return Err(FieldError::new(path, message, format!("{meant}{known}")));
        }
        materials.push((name.clone(), self::material(material, frequencies, folder, &path)?));
    }
    Ok(materials)
}

fn material(
    material: &CaseMaterial,
    frequencies: &[f64],
    folder: &InputFolder,
    path: &str,
) -> Result<Material, FieldError> {
    let CaseMaterial::Surface(surface) = material else { return Ok(Material::Conductor) };
    let Some(layers) = &surface.layers else {
        return Ok(Material::HalfSpace(medium(surface.medium(), frequencies, folder, path)?));
    };
    let layer = |(i, layer): (usize, &CaseLayer)| {
        let medium = medium(layer.medium(), frequencies, folder, &format!("{path}.layers[{i}]"))?;
        Ok(Layer { medium, thickness: layer.thickness.si() })
    };
    Ok(Material::Coated(layers.iter().enumerate().map(layer).collect::<Result<_, FieldError>>()?))
}

/// A medium as a case gives it: constants, a table, or a file.
fn medium(
    given: CaseMedium<'_>,
    frequencies: &[f64],
    folder: &InputFolder,
    path: &str,
) -> Result<Medium, FieldError> {
    if let Some(rows) = given.table {
        let row = |row: &Row| (row.frequency.si(), constants(row.eps_r, row.mu_r));
        return Ok(Medium::Table(rows.iter().map(row).collect()));
    }
    if let Some(file) = given.file {
        return table_file(folder, file, &format!("{path}.file"));
    }
    // The case parser refuses a medium without any of them.
    let [mut eps_r, mu_r] = [given.eps_r, given.mu_r].map(|given| given.unwrap_or(ComplexNumber::ONE));
    // ε = ε' (1 − j tan δ).
    eps_r.im -= eps_r.re * given.loss_tangent.unwrap_or(0.0);
    let Some(conductivity) = given.conductivity else { return Ok(Medium::Constant(constants(eps_r, mu_r))) };
    // ε = ε' − jσ/(ωε₀): tabulated at the frequencies of the case, where the table is exact.
    let row = |&frequency: &f64| {
        let im = -conductivity.si() / (TAU * frequency * EPS0);
        (frequency, constants(ComplexNumber { re: eps_r.re, im }, mu_r))
    };
    let mut rows: Vec<_> = frequencies.iter().map(row).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.dedup_by(|a, b| a.0 == b.0);
    Ok(Medium::Table(rows))
}

fn constants(eps_r: ComplexNumber, mu_r: ComplexNumber) -> Constants {
    Constants { eps_r: complex(eps_r), mu_r: complex(mu_r) }
}

/// A medium tabulated over frequency in a CSV file: ε = `eps_real` − j `eps_loss`, and μ likewise.
fn table_file(folder: &InputFolder, file: &str, path: &str) -> Result<Medium, FieldError> {
    let names = ["frequency_hz", "eps_real", "eps_loss", "mu_real", "mu_loss"];
    let advice = "give a CSV file with the columns frequency_hz, eps_real, eps_loss, mu_real and mu_loss; frequencies increase, losses are nonnegative";
    let wrong = |message: String| FieldError::new(path, format!("{file}: {message}"), advice);
    let rows = columns(&read_text(folder, file, path)?, names).map_err(wrong)?;
    if rows.is_empty() {
        return Err(wrong("the table is empty".into()));
    }
    if let Some(pair) = rows.windows(2).find(|pair| pair[0][0] >= pair[1][0]) {
        return Err(wrong(format!("frequency_hz does not increase from {} to {}", pair[0][0], pair[1][0])));
    }
    if let Some([frequency, ..]) = rows.iter().find(|row| row[2] < 0.0 || row[4] < 0.0) {
        return Err(wrong(format!("negative loss at {frequency} Hz")));
    }
    let lossy = |real: f64, loss: f64| ComplexNumber { re: real, im: -loss };
    let row = |row: &[f64; 5]| (row[0], constants(lossy(row[1], row[2]), lossy(row[3], row[4])));
    Ok(Medium::Table(rows.iter().map(row).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> SbrCase {
        let file = phasefront_case::parse("case.toml", text).unwrap();
        let phasefront_case::Case::Sbr(case) = file.case else { panic!("an sbr case") };
        case
    }

    #[test]
    fn the_defaults_of_a_case_are_those_of_the_solver() {
        let case = case(
            "version = 1\nsolver = \"sbr\"\nname = \"a\"\n[geometry]\ntarget = { shape = \"missile\" }\n\
             [source]\nfrequency = \"10 GHz\"\ntheta = \"90 deg\"\nphi = \"0 deg\"\n",
        );
        let found = translate(&case, &InputFolder::new(Path::new(""))).unwrap().problem;
        let default = Problem::default();
        // 30 degrees, as read from text and as converted.
        assert!((found.edge_angle - default.edge_angle).abs() < 1e-15);
        assert_eq!(
            (
                found.surface,
                found.bounces,
                found.tube_width,
                found.tubes,
                found.formulation,
                found.edges,
                found.tracer
            ),
            (
                default.surface,
                default.bounces,
                default.tube_width,
                default.tubes,
                default.formulation,
                default.edges,
                default.tracer
            )
        );
    }

    #[test]
    fn turns_are_counter_clockwise_about_their_axis() {
        let plate = targets::plate([2.0, 1.0], [1, 1]).unwrap();
        let quarter = |axis: &str| -> Rotation {
            serde_json::from_str(&format!(r#"{{ "axis": "{axis}", "angle": "90 deg" }}"#)).unwrap()
        };
        assert_eq!(plate.vertices[0], [-1.0, -0.5, 0.0]);
        // x leads y to z, y leads z to x, z leads x to y.
        for (axis, expected) in [("x", [-1.0, 0.0, -0.5]), ("y", [0.0, -0.5, 1.0]), ("z", [0.5, -1.0, 0.0])] {
            let found = turned(plate.clone(), &quarter(axis)).vertices[0];
            assert!((0..3).all(|k| f64::abs(found[k] - expected[k]) < 1e-12), "{axis}: {found:?}");
        }
    }

    #[test]
    fn receivers_go_with_every_transmitter() {
        let case = case(
            "version = 1\nsolver = \"sbr\"\nname = \"a\"\n[geometry]\ntarget = { shape = \"missile\" }\n\
             [source]\nfrequency = \"10 GHz\"\ntheta = [\"80 deg\", \"90 deg\"]\nphi = [\"0 deg\", \"1 deg\"]\n\
             [output]\nrcs = { theta = \"70 deg\", phi = [\"5 deg\", \"6 deg\", \"7 deg\"] }\n",
        );
        let aspects = aspects(&case.source, case.output.rcs.table()).unwrap();
        assert_eq!(aspects.len(), 12);
        assert_eq!(aspects[4].incident, Direction::degrees(80.0, 1.0));
        assert_eq!(aspects[4].observer, Direction::degrees(70.0, 6.0));
    }

    #[test]
    fn losses_are_given_in_three_ways() {
        let frequencies = [12e9, 10e9];
        let medium = |keys: &str| {
            let material = serde_json::from_str(&format!("{{ {keys} }}")).unwrap();
            self::material(&material, &frequencies, &InputFolder::new(Path::new("")), "m").unwrap()
        };
        let Material::HalfSpace(Medium::Constant(complex)) = medium(r#""eps_r": "4 - 0.5j""#) else {
            panic!()
        };
        let Material::HalfSpace(Medium::Constant(tangent)) = medium(r#""eps_r": 4, "loss_tangent": 0.125"#)
        else {
            panic!()
        };
        assert_eq!(complex, tangent);
        // σ/(ωε₀) = 0.5 at 10 GHz, and 10/12 of it at 12 GHz.
        let sigma = 0.5 * TAU * 10e9 * EPS0;
        let Material::HalfSpace(Medium::Table(rows)) =
            medium(&format!(r#""eps_r": 4, "conductivity": "{sigma} S/m""#))
        else {
            panic!()
        };
        assert_eq!((rows.len(), rows[0].0), (2, 10e9));
        for ((_, constants), loss) in rows.iter().zip([0.5, 0.5 / 1.2]) {
            assert!((constants.eps_r.im + loss).abs() < 1e-14);
        }
    }
}
