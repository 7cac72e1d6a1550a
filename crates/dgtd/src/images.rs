//! Walls as mirrors: far fields in front of flat outer walls, by the images of the currents behind them.

use crate::boundary_condition::Tangential;
use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::{Shape, edges_of};
use crate::ports::PortPlan;
use crate::problem::{PlaneWave, Problem};
use crate::radiation::Current;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::FieldError;
use std::collections::HashMap;

/// Relative deviation of nodes from a plane, and of angles from right ones.
const FLAT: f64 = 1e-6;

/// A flat wall along the whole model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mirror {
    /// A point of it, m.
    point: DVec3,
    /// Unit normal, out of the model.
    normal: DVec3,
    /// Whether it is PEC, else PMC.
    electric: bool,
    /// Whether it is a symmetry plane, with the other half of the model behind it; else an infinite ground plane with nothing behind it.
    pub symmetry: bool,
    /// Distance from it that counts as none, m.
    tolerance: f64,
}

impl Mirror {
    /// The image of a current: J and M of opposite sign or the same, with the reflected position (Balanis, Antenna Theory, 4.7).
    fn image(&self, (position, values): &Current) -> Current {
        (self.image_point(*position), self.image_fields(values))
    }

    /// The image of a point, reflected relative to one of the plane.
    pub fn image_point(&self, position: DVec3) -> DVec3 {
        self.point + self.image_direction(position - self.point)
    }

    /// The reflection of a vector, v − 2 n (n·v).
    pub fn image_direction(&self, v: DVec3) -> DVec3 {
        v - 2.0 * self.normal * self.normal.dot(v)
    }

    /// The images of J and M, or of E and H: at PEC, J and E along the wall are reversed, M and H are not; at PMC the other way round.
    pub fn image_fields(&self, values: &[Complex64; 6]) -> [Complex64; 6] {
        let signs = if self.electric { [-1.0, 1.0] } else { [1.0, -1.0] };
        let mut images = *values;
        for (source, sign) in [0, 3].into_iter().zip(signs) {
            let part = |of: fn(&Complex64) -> f64| {
                let v = DVec3::from_array(std::array::from_fn(|i| of(&values[source + i])));
                sign * self.image_direction(v)
            };
            let (re, im) = (part(|z| z.re), part(|z| z.im));
            for i in 0..3 {
                images[source + i] = Complex64::new(re[i], im[i]);
            }
        }
        images
    }

    /// Distance of a node from it, out of the model.
    fn height(&self, node: &[f64; 3]) -> f64 {
        (DVec3::from(*node) - self.point).dot(self.normal)
    }

    /// Whether no node lies behind it.
    fn bounds(&self, nodes: &[[f64; 3]]) -> bool {
        nodes.iter().all(|node| self.height(node) <= self.tolerance)
    }

    /// Whether a node lies in it.
    pub fn holds(&self, node: &[f64; 3]) -> bool {
        self.height(node).abs() <= self.tolerance
    }

    /// Whether a direction points behind an infinite ground plane, where there is no field.
    pub fn hides(&self, direction: DVec3) -> bool {
        !self.symmetry && direction.dot(self.normal) > FLAT
    }
}

/// The currents and their images in all mirrors.
pub fn with_images(mut currents: Vec<Current>, mirrors: &[Mirror]) -> Vec<Current> {
    for mirror in mirrors {
        // Images of images too: mirrors are perpendicular, so that n of them make 2ⁿ sources.
        let images: Vec<Current> = currents.iter().map(|current| mirror.image(current)).collect();
        currents.extend(images);
    }
    currents
}

/// How many copies of the model these planes make the whole of: two for each symmetry plane.
pub fn copies(mirrors: &[Mirror]) -> f64 {
    mirrors.iter().filter(|mirror| mirror.symmetry).fold(1.0, |copies, _| 2.0 * copies)
}

/// Ports and lumped elements that a symmetry plane cuts: the other half of them is behind it, and the impedance of the whole differs.
pub fn cut_ports(
    problem: &Problem,
    domain: &Domain,
    [ports, lumped]: [&[PortPlan]; 2],
    mirrors: &[Mirror],
) -> Vec<String> {
    let mut found = Vec::new();
    let ports = problem.sources.ports.iter().zip(ports).filter(|(port, _)| !port.shape.is_wave());
    let ports = ports.map(|(port, plan)| ("port", &port.surface, plan));
    let lumped = problem.lumped.iter().zip(lumped);
    let lumped = lumped.map(|(element, plan)| ("lumped element", &element.surface, plan));
    for (kind, surface, plan) in ports.chain(lumped) {
        let nodes = || plan.faces.iter().flat_map(|&(tet, face)| domain.mesh.face_corners(tet, face));
        for mirror in mirrors.iter().filter(|mirror| mirror.symmetry) {
            // One that lies in the plane is not cut by it.
            let (touches, lies) = (nodes().any(|n| mirror.holds(&n)), nodes().all(|n| mirror.holds(&n)));
            if touches && !lies {
                // At PMC half of the current is behind it, at PEC half of the voltage.
                let (wall, times) = if mirror.electric { ("PEC", "twice") } else { ("PMC", "half of") };
                let share = match kind {
                    "port" => {
                        "give the part's share as `resistance`, and read S-parameters with respect to it"
                    }
                    _ => "give the values of this part",
                };
                found.push(format!(
                    "a {wall} symmetry plane cuts the {kind} {surface:?}: the whole {kind} has {times} the impedance of this part; {share}"
                ));
            }
        }
    }
    found
}

/// The planes of symmetry that the case names.
pub fn named_planes(problem: &Problem, domain: &Domain) -> Result<Vec<Mirror>, DgtdError> {
    let nodes = model_nodes(domain);
    let extreme = extreme_nodes(&nodes);
    let sizes = extreme.iter().map(|node| DVec3::from(*node).distance(extreme[0].into()));
    let tolerance = FLAT * sizes.fold(0.0, f64::max);
    let mut planes: Vec<Mirror> = Vec::new();
    for (i, name) in problem.symmetry.iter().enumerate() {
        let group = domain.mesh.surface(name).map_err(mesh_error_at(format!("geometry.symmetry[{i}]")))?;
        let mut found: Option<Mirror> = None;
        for (tet, face) in domain.faces.faces_in(group) {
            let corners = domain.mesh.face_corners(tet, face);
            let outer = domain.faces.neighbors[tet][face].is_none();
            let vanishing = domain.conditions[tet][face].mirrors().filter(|_| outer);
            let wall = vanishing.map(|vanishing| Mirror {
                point: corners[0].into(),
                normal: Shape::of(&domain.mesh, tet).face_normal(face, [1.0 / 3.0; 2]).normalize(),
                electric: vanishing == Tangential::Electric,
                symmetry: true,
                tolerance,
            });
            let is_plane = wall.is_some_and(|wall| {
                let plane = found.get_or_insert(wall);
                plane.electric == wall.electric && corners.iter().all(|corner| plane.holds(corner))
            });
            if !is_plane {
                return Err(no_plane(i, name));
            }
        }
        planes.extend(found);
    }
    Ok(planes)
}

fn no_plane(i: usize, name: &str) -> DgtdError {
    refuse(
        &format!("geometry.symmetry[{i}]"),
        format!("the surface {name:?} is not a flat outer wall of PEC or PMC"),
        "a symmetry plane is a flat side of the model, and its boundary condition is \"pec\" or \"pmc\"",
    )
}

/// The flat outer walls of the model, which are mirrors.
pub fn mirrors(problem: &Problem, domain: &Domain) -> Result<Vec<Mirror>, DgtdError> {
    let nodes = model_nodes(domain);
    let extreme = extreme_nodes(&nodes);
    let sizes = extreme.iter().map(|node| DVec3::from(*node).distance(extreme[0].into()));
    let tolerance = FLAT * sizes.fold(0.0, f64::max);
    let mut mirrors: Vec<Mirror> = Vec::new();
    let of_model = |tet: usize| !domain.in_pml(tet) && !domain.in_guide(tet);
    for (tet, face) in domain.faces.boundary().filter(|(tet, _)| of_model(*tet)) {
        let Some(vanishing) = domain.conditions[tet][face].mirrors() else { continue };
        let electric = vanishing == Tangential::Electric;
        let normal = Shape::of(&domain.mesh, tet).face_normal(face, [1.0 / 3.0; 2]).normalize();
        let point = DVec3::from(domain.mesh.face_corners(tet, face)[0]);
        let mirror = Mirror { point, normal, electric, symmetry: !electric, tolerance };
        // One mirror for each normal: two parallel walls cannot both bound the model on the same side.
        let known = mirrors.iter_mut().find(|known| known.normal.dot(normal) > 1.0 - FLAT);
        let named = is_symmetry_plane(problem, domain, tet, face);
        if let Some(known) = known {
            known.symmetry |= named;
        // A few extreme nodes reject most faces before all nodes are visited.
        } else if mirror.bounds(&extreme) && mirror.bounds(&nodes) {
            mirrors.push(Mirror { symmetry: !electric || named, ..mirror });
        }
    }
    for (i, name) in problem.symmetry.iter().enumerate() {
        let group = domain.mesh.surface(name).map_err(mesh_error_at(format!("geometry.symmetry[{i}]")))?;
        let in_mirror = |(tet, face): (usize, usize)| {
            let corners = domain.mesh.face_corners(tet, face);
            mirrors.iter().any(|mirror| corners.iter().all(|corner| mirror.holds(corner)))
        };
        if !domain.faces.faces_in(group).all(in_mirror) {
            return Err(no_plane(i, name));
        }
    }
    for (i, mirror) in mirrors.iter().enumerate() {
        along_the_whole_model(domain, mirror)?;
        fits_wave(problem.sources.plane_wave.as_ref(), mirror)?;
        if mirrors[..i].iter().any(|other| other.normal.dot(mirror.normal).abs() > FLAT) {
            return Err(refuse(
                "output.far_field_surface",
                "the model lies between flat walls that are not perpendicular to each other, whose images never end".into(),
                "model the whole structure with air and an absorbing layer around it, or leave at most three perpendicular walls",
            ));
        }
    }
    Ok(mirrors)
}

/// The nodes of the model, without those of guides behind ports.
fn model_nodes(domain: &Domain) -> Vec<[f64; 3]> {
    let mut used = vec![false; domain.mesh.nodes.len()];
    for tet in (0..domain.mesh.tets.len()).filter(|&tet| !domain.in_guide(tet)) {
        let middles = domain.mesh.middles.get(tet).into_iter().flatten();
        for node in domain.mesh.tets[tet].iter().chain(middles) {
            used[*node as usize] = true;
        }
    }
    domain.mesh.nodes.iter().zip(used).filter(|(_, used)| *used).map(|(node, _)| *node).collect()
}

/// The nodes farthest along some directions: what is not behind them is rarely an outer wall.
fn extreme_nodes(nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
    // Along axes, edges and corners of a cube: numbers of three digits to base three.
    let directions =
        (0..27).map(|i: i32| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - 1.0);
    let farthest = |direction: DVec3| {
        let along = |node: &&[f64; 3]| DVec3::from(**node).dot(direction);
        nodes.iter().max_by(|a, b| along(a).total_cmp(&along(b))).copied()
    };
    directions.filter_map(farthest).collect()
}

/// Refuses a surface with an edge that is neither shared by two of its faces nor on a mirror.
pub fn is_closed(
    domain: &Domain,
    surface: &[(usize, usize)],
    mirrors: &[Mirror],
    path: &str,
) -> Result<(), DgtdError> {
    let mut sides: HashMap<[u32; 2], bool> = HashMap::new();
    for &(tet, face) in surface {
        for edge in edges_of(domain.mesh.face(tet, face)) {
            // An edge is closed by its second face; a third would open it again, as where three sheets meet.
            sides.entry(edge).and_modify(|open| *open = !*open).or_insert(true);
        }
    }
    let on_mirror = |node: u32| {
        let node = domain.mesh.nodes[node as usize];
        mirrors.iter().any(|mirror| mirror.holds(&node))
    };
    let rim = sides.iter().find(|(edge, open)| **open && !edge.iter().all(|node| on_mirror(*node)));
    let Some((edge, _)) = rim else { return Ok(()) };
    Err(refuse(
        path,
        format!(
            "the surface is not closed: it ends at {}",
            position_text(&domain.mesh.nodes[edge[0] as usize])
        ),
        "give a surface that encloses the bodies, alone or together with flat outer walls of the model",
    ))
}

fn refuse(path: &str, message: String, advice: &str) -> DgtdError {
    FieldError::new(path, message, advice).into()
}

fn is_symmetry_plane(problem: &Problem, domain: &Domain, tet: usize, face: usize) -> bool {
    let names =
        domain.faces.surfaces_of(tet, face).map(|group| &domain.mesh.surface_names[usize::from(group)]);
    names.into_iter().any(|name| problem.symmetry.contains(name))
}

fn position_text(node: &[f64; 3]) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", node[0], node[1], node[2])
}

/// A mirror is infinite: all outer faces in its plane have its condition.
fn along_the_whole_model(domain: &Domain, mirror: &Mirror) -> Result<(), DgtdError> {
    let (wanted, word) =
        if mirror.electric { (Tangential::Electric, "PEC") } else { (Tangential::Magnetic, "PMC") };
    let other = domain.faces.boundary().filter(|(tet, _)| !domain.in_guide(*tet)).find(|&(tet, face)| {
        let flat = domain.mesh.face_corners(tet, face).iter().all(|node| mirror.holds(node));
        // A port in a ground plane is a part of the antenna.
        let condition = domain.conditions[tet][face];
        flat && condition.mirrors() != Some(wanted) && condition.port().is_none()
    });
    let Some((tet, face)) = other else { return Ok(()) };
    Err(refuse(
        "output.far_field_surface",
        format!(
            "the flat outer wall of {word} at {} is a mirror for the far field, but the same plane has another boundary condition at {}",
            position_text(&mirror.point.to_array()),
            position_text(&domain.mesh.face_corners(tet, face)[0])
        ),
        "give all outer faces in that plane the same boundary condition, those of absorbing layers too",
    ))
}

/// A plane wave must be its own image: E normal to a PEC wall, or H normal to a PMC wall.
fn fits_wave(wave: Option<&PlaneWave>, mirror: &Mirror) -> Result<(), DgtdError> {
    let Some(wave) = wave else { return Ok(()) };
    let e = DVec3::from(wave.polarization);
    let (field, word) =
        if mirror.electric { (e, "electric") } else { (DVec3::from(wave.propagation).cross(e), "magnetic") };
    if field.cross(mirror.normal).length() <= FLAT {
        return Ok(());
    }
    let [x, y, z] = mirror.point.to_array();
    Err(refuse(
        "source.plane_wave",
        format!(
            "the wave has {} {word} field along the wall at ({x:.4}, {y:.4}, {z:.4}) m, which is not a symmetry plane for it",
            if mirror.electric { "an" } else { "a" }
        ),
        "model the other half too, or choose a polarization whose field is normal to the wall",
    ))
}
