//! The plot of a mesh: its surfaces by groups for the page, a picture that is cut open for print, and the elements to look at.

use super::mesh_groups::MeshGroups;
use phasefront_case::model::dgtd::DgtdCase;
use phasefront_dgtd::Study;
use phasefront_mesh::{ShownFace, TetMesh};
use phasefront_report::plot::{MeshMark, MeshPart, MeshPicture, MeshPlot, MeshSurface, Plot};
use std::collections::{BTreeMap, HashMap};

/// Directions toward the camera for cuts normal to x, y and z: what is on its side of the cut is left out.
const VIEWS: [[f64; 3]; 3] = [[1.0, -0.45, 0.5], [0.45, -1.0, 0.5], [0.3, -0.5, 1.0]];

/// The element that limits the time step.
pub(crate) struct Limiting {
    position: [f64; 3],
    altitude: f64,
    volume: String,
    /// The step, s, and whether other elements take longer ones.
    step: f64,
    is_local: bool,
}

impl Limiting {
    /// That of a study.
    pub(super) fn of(study: &Study) -> Self {
        let (step, levels) = (&study.step, study.local_steps().map(|(_, levels)| levels as f64));
        Self {
            position: step.position,
            altitude: step.altitude,
            volume: study.mesh().volume_names[usize::from(step.volume)].clone(),
            step: step.dt / shortest_part(levels),
            is_local: levels.is_some(),
        }
    }

    /// From what is known of a valid case, with the volume of the element.
    pub(crate) fn from_facts(facts: &BTreeMap<String, f64>, volume: &str) -> Option<Self> {
        let fact = |name: &str| facts.get(name).copied();
        let levels = fact("time_step_levels");
        Some(Self {
            position: [
                fact("limiting_element_x_m")?,
                fact("limiting_element_y_m")?,
                fact("limiting_element_z_m")?,
            ],
            altitude: fact("limiting_altitude_m")?,
            volume: volume.to_owned(),
            step: fact("dt_s")? / shortest_part(levels),
            is_local: levels.is_some(),
        })
    }

    fn mark(&self) -> MeshMark {
        let name = if self.is_local { "shortest time step" } else { "limits the time step" };
        let (altitude, step) = (with_prefix(&[self.altitude], "m"), with_prefix(&[self.step], "s"));
        let at = with_prefix(&self.position, "m");
        let note = format!("a smallest altitude of {altitude}, in {}, at {at}: steps of {step}", self.volume);
        MeshMark { name: name.into(), note, position: self.position }
    }
}

/// Ratio of the longest to the shortest of the steps of so many levels.
fn shortest_part(levels: Option<f64>) -> f64 {
    levels.map_or(1.0, |levels| (levels - 1.0).exp2())
}

/// The plot of the mesh of a case. `is_added` tells the volumes that are no part of its model.
pub(crate) fn plot(
    case: &DgtdCase,
    mesh: &TetMesh,
    is_added: impl Fn(&str) -> bool,
    limiting: Option<&Limiting>,
) -> Plot {
    let mut groups = MeshGroups::new(case, mesh, &is_added);
    let [low, high] = [0, 1].map(|end| groups.model_bounds().map(|ends| ends[end]));
    // Normal to the axis along which conductors are thinnest, so that they are seen from their face.
    let side = |k: &usize| high[*k] - low[*k];
    let axis = [1, 0, 2].into_iter().min_by(|a, b| side(a).total_cmp(&side(b))).unwrap_or(1);
    let cut = Cut { mesh, axis, middle: 0.5 * (low[axis] + high[axis]) };
    let mut sides = vec![(Vec::new(), Vec::new()); groups.parts.len()];
    let mut drawn = Vec::new();
    mesh.visit_faces(
        |tet| groups.part_of(tet).is_some(),
        |face| {
            add_to_sides(&groups, mesh, face, &mut sides);
            drawn.extend(cut.drawn(&groups, face));
        },
    );
    for (part, (triangles, quality)) in groups.parts.iter_mut().zip(sides) {
        (part.triangles, part.quality) = (triangles, quality);
    }
    groups.hide_what_hides(VIEWS[axis]);
    let own = (0..mesh.tets.len()).filter(|&tet| !is_added(name_of(mesh, tet)));
    let elements = own.clone().count();
    let marks: Vec<MeshMark> = limiting.map(Limiting::mark).into_iter().chain(worst(mesh, own)).collect();
    let told: Vec<String> =
        marks.iter().map(|mark| format!(" {}: {}.", capital(&mark.name), mark.note)).collect();
    Plot::Mesh(MeshPlot {
        name: "mesh".into(),
        title: format!("Mesh of {}, {elements} tetrahedra", case.name),
        caption: format!(
            "The mesh by groups, without absorbing layers; the printed picture is cut open.{}",
            told.concat()
        ),
        surface: MeshSurface::new(&mesh.nodes, &groups.parts),
        marks,
        view: VIEWS[axis],
        picture: picture(mesh, drawn),
    })
}

/// The corners of triangles, and the quality of the elements behind them.
type Side = (Vec<[u32; 3]>, Vec<u8>);

/// Adds a face to the parts that it bounds.
fn add_to_sides(groups: &MeshGroups<'_>, mesh: &TetMesh, face: &ShownFace, sides: &mut [Side]) {
    let parts = [0, 1].map(|side| groups.part_of(*face.tets.get(side)?));
    let mut bounds: Vec<usize> = groups.surfaces_of(face).collect();
    let is_named = !bounds.is_empty();
    let is_outer = parts[1].is_none();
    if !is_named && parts[0] == parts[1] {
        return;
    }
    let quality = face.tets.iter().map(|&tet| mesh.quality(tet)).fold(1.0, f64::min);
    for part in parts.into_iter().flatten().filter(|_| parts[0] != parts[1]) {
        // Vacuum ends where others begin: only its outside is its own.
        let is_vacuum = groups.parts[part].kind == MeshPart::VACUUM;
        if !bounds.contains(&part) && (!is_vacuum || is_outer && !is_named) {
            bounds.push(part);
        }
    }
    for part in bounds {
        sides[part].0.push(face.corners);
        sides[part].1.push((100.0 * quality) as u8);
    }
}

/// The plane at which a picture is cut open.
struct Cut<'a> {
    mesh: &'a TetMesh,
    axis: usize,
    middle: f64,
}

impl Cut<'_> {
    /// What is drawn of a face: surfaces, but for those at the end of the mesh, and the faces of the elements behind the plane that have
    /// no neighbor there.
    fn drawn(&self, groups: &MeshGroups<'_>, face: &ShownFace) -> Option<([u32; 3], usize)> {
        let at_end = || groups.ends_at(&face.corners).any(|end| end);
        if let Some(part) = groups.surfaces_of(face).next().filter(|_| !at_end()) {
            return Some((face.corners, part));
        }
        let mut behind = face.tets.iter().filter(|&&tet| self.is_behind(tet));
        let (first, second) = (behind.next()?, behind.next());
        let part = groups.part_of(*first)?;
        second.is_none().then_some((face.corners, part))
    }

    fn is_behind(&self, tet: usize) -> bool {
        let away = -VIEWS[self.axis][self.axis].signum();
        let center = 0.25 * self.mesh.corners(tet).iter().map(|corner| corner[self.axis]).sum::<f64>();
        away * (center - self.middle) >= 0.0
    }
}

/// Only the nodes that are seen: others would take their place on the page.
fn picture(mesh: &TetMesh, drawn: Vec<([u32; 3], usize)>) -> MeshPicture {
    let (mut triangles, parts): (Vec<[u32; 3]>, Vec<usize>) = drawn.into_iter().unzip();
    let (mut vertices, mut numbers) = (Vec::new(), HashMap::new());
    for node in triangles.iter_mut().flatten() {
        *node = *numbers.entry(*node).or_insert_with(|| {
            vertices.push(mesh.nodes[*node as usize]);
            vertices.len() as u32 - 1
        });
    }
    MeshPicture { vertices, triangles, parts }
}

/// The element of the worst shape.
fn worst(mesh: &TetMesh, tets: impl Iterator<Item = usize>) -> Option<MeshMark> {
    let (tet, quality) = tets.map(|tet| (tet, mesh.quality(tet))).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let corners = mesh.corners(tet);
    let position: [f64; 3] =
        std::array::from_fn(|k| 0.25 * corners.iter().map(|corner| corner[k]).sum::<f64>());
    let (name, at) = (name_of(mesh, tet), with_prefix(&position, "m"));
    let note = format!("a quality of {quality:.3}, in {name}, at {at}");
    Some(MeshMark { name: "worst shape".into(), note, position })
}

fn name_of(mesh: &TetMesh, tet: usize) -> &str {
    &mesh.volume_names[usize::from(mesh.volume_of[tet])]
}

/// A value or a point with four digits and the prefix that suits it: `0.4213 ps`, `(−8, 0.3, 1.2) mm`.
fn with_prefix(values: &[f64], unit: &str) -> String {
    const PREFIXES: [(f64, &str); 6] =
        [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"), (1e-15, "f")];
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let (scale, prefix) = PREFIXES.into_iter().find(|(scale, _)| largest >= *scale).unwrap_or(PREFIXES[0]);
    let number = |value: &f64| {
        // What is small beside the largest is rounded as that is.
        let digits = 3 - (largest / scale).max(1e-300).log10().floor() as i32;
        let step = 10_f64.powi(digits);
        let rounded = (value / scale * step).round() / step;
        // Not minus zero.
        format!("{}", rounded + 0.0).replace('-', "\u{2212}")
    };
    let numbers: Vec<String> = values.iter().map(number).collect();
    match &numbers[..] {
        [only] => format!("{only} {prefix}{unit}"),
        several => format!("({}) {prefix}{unit}", several.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::{BoxMesh, BoxRegion, BoxSheet};

    #[test]
    fn figures_have_the_prefix_that_suits_them() {
        assert_eq!(with_prefix(&[4.2131e-13], "s"), "421.3 fs");
        assert_eq!(with_prefix(&[-8.0e-3, 1e-9, 1.23456e-3], "m"), "(\u{2212}8, 0, 1.235) mm");
        assert_eq!(with_prefix(&[0.0; 3], "m"), "(0, 0, 0) m");
        assert_eq!(with_prefix(&[12345.6], "m"), "12350 m");
    }

    /// Air of 4 x 4 x 4 with a slab below its middle, a sheet on the slab, a port, and a layer that absorbs above.
    fn case_and_mesh() -> (DgtdCase, TetMesh) {
        let text = "version = 1\nsolver = \"dgtd\"\nname = \"a\"\n[geometry]\n\
            box = { from = [0, 0, 0], to = [4, 4, 4], cell_size = 1 }\nmaterials = { slab = { eps_r = 2 } }\n\
            boundaries = { strip = \"pec\", zmin = \"pec\", xmax = \"pec\" }\n\
            [source]\nfrequency = \"10 MHz\"\nports = [{ surface = \"feed\", resistance = 50, direction = [0, 0, 1] }]\n";
        let phasefront_case::Case::Dgtd(case) = phasefront_case::parse("case.toml", text).unwrap().case
        else {
            panic!("a dgtd case")
        };
        let region = |name: &str, from, to| BoxRegion { name: name.into(), from, to };
        let sheet = |name: &str, from, to| BoxSheet { name: name.into(), from, to };
        let mesh = BoxMesh {
            to: [4.0; 3],
            cell: [1.0; 3],
            name: "air".into(),
            regions: vec![
                region("slab", [0.0; 3], [4.0, 4.0, 1.0]),
                region("pml_z", [0.0, 0.0, 3.0], [4.0; 3]),
            ],
            sheets: vec![
                sheet("strip", [1.0, 1.0, 1.0], [3.0, 3.0, 1.0]),
                sheet("feed", [2.0, 2.0, 0.0], [3.0, 2.0, 1.0]),
            ],
            ..BoxMesh::default()
        };
        (*case, mesh.mesh().unwrap())
    }

    fn mesh_plot(limiting: Option<&Limiting>) -> MeshPlot {
        let (case, mesh) = case_and_mesh();
        let Plot::Mesh(plot) = plot(&case, &mesh, |_| false, limiting) else { panic!("a mesh") };
        plot
    }

    #[test]
    fn groups_have_their_outside_and_layers_none() {
        let plot = mesh_plot(None);
        let found: Vec<_> = plot
            .surface
            .parts
            .iter()
            .map(|part| (part.name.as_str(), part.kind.as_str(), part.triangles.len(), part.shown))
            .collect();
        let mut expected = vec![
            // Two triangles a cell: four sides of 4 x 2 cells but one with a wall, and the side below the layer; none on the slab.
            ("air", "vacuum", 2 * (3 * 8 + 16), false),
            ("slab", "material", 2 * (16 + 16 + 4 * 4), true),
            ("strip", "conductor", 2 * 4, true),
            ("feed", "port", 2, true),
            // From above, the floor hides nothing, and the wall at the side toward the camera does.
            ("zmin", "conductor", 2 * 16, true),
            ("xmax", "conductor", 2 * 12, false),
        ];
        expected.retain(|part| part.2 > 0);
        for part in &expected {
            assert!(found.contains(part), "{part:?} among {found:?}");
        }
        assert_eq!(found.iter().filter(|part| part.2 > 0).count(), expected.len(), "{found:?}");
        let highest = plot
            .surface
            .vertices
            .iter()
            .map(|at| f64::from(at[2]) * plot.surface.spacing)
            .fold(0.0, f64::max);
        assert!((highest - 3.0).abs() < 1e-3, "the layer begins there");
    }

    #[test]
    fn a_picture_is_cut_open_where_conductors_are_thinnest() {
        let plot = mesh_plot(None);
        // The strip and the feed are 2 x 2 x 1: cut across z at 0.5, which leaves the slab out above its middle.
        assert_eq!(plot.view, VIEWS[2]);
        let drawn = |name: &str| {
            let part = plot.surface.parts.iter().position(|part| part.name == name).unwrap();
            plot.picture.parts.iter().filter(|&&of| of == part).count()
        };
        assert_eq!((drawn("strip"), drawn("feed"), drawn("air")), (8, 2, 0));
        assert!(drawn("slab") > 0 && drawn("zmin") == 0);
    }

    #[test]
    fn the_elements_to_look_at_have_figures() {
        let limiting = Limiting {
            position: [0.5, 0.25, 0.75],
            altitude: 0.125,
            volume: "slab".into(),
            step: 2.5e-10,
            is_local: false,
        };
        let plot = mesh_plot(Some(&limiting));
        let notes: Vec<_> = plot.marks.iter().map(|mark| (mark.name.as_str(), mark.note.as_str())).collect();
        assert_eq!(
            notes[0],
            (
                "limits the time step",
                "a smallest altitude of 125 mm, in slab, at (500, 250, 750) mm: steps of 250 ps"
            )
        );
        // All six tetrahedra of a cube are alike: V = 1/6, edges of 1, 1, 1, √2, √2, √3, so 12 (1/2)^(2/3)/10.
        assert!(
            notes[1].0 == "worst shape" && notes[1].1.starts_with("a quality of 0.756, in "),
            "{notes:?}"
        );
        assert!(plot.surface.parts.iter().flat_map(|part| &part.quality).all(|quality| *quality == 75));
        assert!(
            plot.caption.contains("Limits the time step: a smallest altitude of 125 mm"),
            "{}",
            plot.caption
        );
    }
}
