//! Wave ports: a mode of the guide that continues a port, on the faces of the mesh.

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::{Edge, Shape, edges_of, tangent};
use crate::material::Material;
use crate::modes::{Mode, ModeKind, Section, Wall};
use crate::problem::{Guide, PortShape, Problem};
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, EPS0, ETA0, MU0};
use phasefront_mesh::{TET_EDGES, TET_FACES};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Highest order of the elements of a cross section.
const MAX_ORDER: usize = 6;
/// Most nodes of a cross section: its matrices are dense.
const MAX_NODES: usize = 4000;
/// Share of a mode's field that counts as some: fields across an axis are zero up to the error of the mesh.
const SOME: f64 = 0.1;
/// Moment of a field relative to that of its magnitude that tells a sign: one of higher order has few percent, and one that symmetry makes
/// vanish has the error of the mesh.
const TELLING: f64 = 0.01;
/// Component of `polarity` along the normal of a port that is none: files have few digits.
const IN_PLANE: f64 = 1e-3;
/// Powers of the two coordinates of a port in the moments that tell the sign of a mode, the first that does not vanish: the mean, then
/// those of fields that are odd along the first axis, the second, both, and of higher modes.
const POWERS: [[i32; 2]; 9] = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [0, 2], [2, 1], [1, 2], [2, 2]];

/// A face: tetrahedron and face.
type Face = (usize, usize);

/// A point of a port: a face, and a position on it.
pub type OnFace = (Face, DVec3);

/// A mode of a wave port.
#[derive(Debug, Clone)]
pub struct WavePort {
    /// The cross section of its guide.
    pub cross: Arc<CrossSection>,
    /// The mode.
    pub mode: Mode,
    /// Transverse wave number of the mode after it, if it is known, rad/m.
    next: Option<f64>,
    /// Distance of the reference plane of its S-parameters from the port, into the model, m.
    shift: f64,
}

/// Coordinates in the plane of a port.
#[derive(Debug, Clone, Copy)]
struct Frame {
    origin: DVec3,
    axes: [DVec3; 2],
}

impl Frame {
    fn flat(&self, position: DVec3) -> [f64; 2] {
        self.axes.map(|axis| axis.dot(position - self.origin))
    }

    fn vector(&self, [u, v]: [f64; 2]) -> DVec3 {
        u * self.axes[0] + v * self.axes[1]
    }
}

impl WavePort {
    /// The modes of the ports of a problem, none of those that are no wave ports.
    pub fn all(problem: &Problem, domain: &Domain) -> Result<Vec<Option<Self>>, DgtdError> {
        let ports = &problem.sources.ports;
        let mut all = vec![None; ports.len()];
        for guide in &problem.guides {
            let of_guide = ports.iter().enumerate().filter(|(_, port)| port.surface == guide.surface);
            let asked: Vec<_> = of_guide
                .filter_map(|(i, port)| match port.shape {
                    PortShape::Wave { mode, polarity, shift } => Some((i, mode, polarity, shift)),
                    _ => None,
                })
                .collect();
            let Some(&(first, _, polarity, _)) = asked.first() else { continue };
            let path = problem.sources.port_path(first);
            let cross = Arc::new(CrossSection::new(problem, domain, guide, &path)?);
            let highest = asked.iter().map(|(_, mode, ..)| *mode).fold(0, usize::max);
            let modes = cross.modes(highest + 1, polarity.map(DVec3::from), &path)?;
            for (i, mode, _, shift) in asked {
                let Some(found) = modes.get(mode) else {
                    return Err(cross.has_fewer(&guide.surface, modes.len(), &path));
                };
                let (mode, next) = (found.clone(), modes.get(mode + 1).map(|next| next.cutoff));
                all[i] = Some(Self { cross: cross.clone(), mode, next, shift });
            }
        }
        Ok(all)
    }

    /// e and g at a point of the port or of the sheet.
    pub fn fields(&self, (face, position): OnFace) -> [DVec3; 2] {
        // A point is on a triangle of the port by its face, since fields differ between the two sides of a conductor.
        let CrossSection { section, frame, triangles, .. } = &*self.cross;
        let Some(&triangle) = triangles.get(&face) else { return [DVec3::ZERO; 2] };
        let point = section.point(triangle, frame.flat(position));
        let electric = section.electric(&self.mode, triangle, point);
        let dual = section.dual(&self.mode, triangle, point);
        [electric, dual].map(|field| frame.vector(field))
    }

    /// Whether it is a mode of the same port.
    pub fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cross, &other.cross)
    }

    /// Edges of the conductors on the port.
    pub fn conductor_edges(&self) -> BTreeSet<Edge> {
        self.cross.section.conductor_edges()
    }

    /// The potentials of the ends of these edges that are on the port, for 1 V of its mode; none if it has a cut-off.
    pub fn potentials(&self, edges: &BTreeSet<Edge>) -> Option<Vec<f64>> {
        matches!(self.mode.kind, ModeKind::Line { .. })
            .then(|| self.cross.section.potentials_at(&self.mode, edges))
    }

    /// ε of its media, weighted by their shares in it.
    fn permittivity(&self, frequency: f64) -> Complex64 {
        match &self.mode.kind {
            ModeKind::Line { shares, .. } => shares
                .iter()
                .zip(&self.cross.media)
                .map(|(share, medium)| share * medium.permittivity(frequency))
                .sum(),
            ModeKind::Te | ModeKind::Tm => self.cross.media[0].permittivity(frequency),
        }
    }

    /// Propagation constant γ = α + jβ, 1/m: γ² = k_c² − k².
    pub fn propagation(&self, frequency: f64) -> Complex64 {
        let k = TAU * frequency / C0;
        let square = self.mode.cutoff.powi(2) - k * k * self.permittivity(frequency) * self.cross.media[0].mu;
        square.sqrt()
    }

    /// Impedance, Ω: that of the line, or the wave impedance, jωμ/γ of TE and γ/jωε of TM modes.
    pub fn impedance(&self, frequency: f64) -> Complex64 {
        let (gamma, eps, mu) =
            (self.propagation(frequency), self.permittivity(frequency), self.cross.media[0].mu);
        let j_omega = Complex64::new(0.0, TAU * frequency);
        match &self.mode.kind {
            ModeKind::Line { empty_impedance, .. } => empty_impedance * (mu / eps).sqrt(),
            ModeKind::Te => j_omega * MU0 * mu / gamma,
            ModeKind::Tm => gamma / (j_omega * EPS0 * eps),
        }
    }

    /// Cut-off frequency, Hz, by the permittivity near some frequency.
    pub fn cutoff_frequency(&self, near: f64) -> f64 {
        self.mode.cutoff * self.speed(near) / TAU
    }

    /// Cut-off frequency of the mode after it, if it is known, Hz.
    pub fn next_cutoff_frequency(&self, near: f64) -> Option<f64> {
        self.next.map(|cutoff| cutoff * self.speed(near) / TAU)
    }

    /// Phase velocity in its media, m/s.
    fn speed(&self, near: f64) -> f64 {
        C0 / (self.permittivity(near).re * self.cross.media[0].mu).sqrt()
    }

    /// Whether it propagates.
    pub fn propagates(&self, frequency: f64) -> bool {
        let gamma = self.propagation(frequency);
        gamma.im > gamma.re
    }

    /// e^{γd}: what moves an outgoing wave from the port back to its reference plane.
    pub fn to_reference(&self, frequency: f64) -> Complex64 {
        (self.propagation(frequency) * self.shift).exp()
    }

    /// What the current in the sheet is multiplied by, so that it excites a voltage near 1 V times the pulse.
    pub fn strength(&self, frequency: f64) -> f64 {
        ETA0 / self.impedance(frequency).norm().max(f64::MIN_POSITIVE)
    }
}

/// The cross section of a port on the mesh.
#[derive(Debug)]
pub struct CrossSection {
    /// Its faces, from inside of the model: tetrahedron and face.
    pub faces: Vec<(usize, usize)>,
    /// Faces of the sheet that excites the modes, from both sides.
    pub sheet: Vec<(usize, usize)>,
    /// From the port to the sheet.
    pub offset: DVec3,
    section: Section,
    frame: Frame,
    /// The triangle of the section that a face of the port or of the sheet is on.
    triangles: HashMap<(usize, usize), usize>,
    /// The media of the section.
    media: Vec<Material>,
}

impl CrossSection {
    fn new(problem: &Problem, domain: &Domain, guide: &Guide, path: &str) -> Result<Self, DgtdError> {
        let all = |name: &str| -> Result<Vec<(usize, usize)>, DgtdError> {
            let group = domain.mesh.surface(name).map_err(mesh_error_at(format!("{path}.surface")))?;
            Ok(domain.faces.faces_in(group).collect())
        };
        let (behind, faces): (Vec<_>, Vec<_>) =
            all(&guide.surface)?.into_iter().partition(|&(tet, _)| domain.in_guide(tet));
        let sheet = all(&guide.sheet)?;
        let outward = DVec3::from(guide.offset).normalize();
        let along = tangent(outward);
        let origin = domain.mesh.face_corners(faces[0].0, faces[0].1)[0].into();
        let frame = Frame { origin, axes: [along, outward.cross(along)] };
        let (media, of_face) = media(domain, &faces, path)?;
        let near = problem.middle_frequency();
        let eps = media.iter().map(|medium| medium.permittivity(near).re).collect();
        let corners: Vec<[u32; 3]> = faces.iter().map(|&(tet, face)| domain.mesh.face(tet, face)).collect();
        let shapes = faces.iter().map(|&(tet, face)| shape(domain, &frame, tet, face)).collect();
        let order = order(&corners, path)?;
        let section = Section::new(corners.clone(), shapes, walls(domain, &corners), (of_face, eps), order);
        let triangles = triangles(domain, (&faces, &behind, &sheet), guide);
        Ok(Self { faces, sheet, offset: guide.offset.into(), section, frame, triangles, media })
    }

    /// The first `count` modes and the one after them, with their fields along `polarity`, or along the first axis that they have a field
    /// along.
    fn modes(&self, count: usize, polarity: Option<DVec3>, path: &str) -> Result<Vec<Mode>, DgtdError> {
        let path = format!("{path}.wave.polarity");
        // No minus before a zero.
        let normal = self.offset.normalize() + DVec3::ZERO;
        if let Some(direction) = polarity.filter(|direction| direction.dot(normal).abs() > IN_PLANE) {
            let message = format!(
                "the polarity ({:.3}, {:.3}, {:.3}) does not lie in the plane of the wave port, which is normal to ({:.0}, {:.0}, {:.0})",
                direction.x, direction.y, direction.z, normal.x, normal.y, normal.z
            );
            let advice = "give a direction in the plane of the port: the fields of its modes are transverse";
            return Err(FieldError::new(path, message, advice).into());
        }
        let points = self.moment_points();
        let modes = self.section.oriented(count + 1, |modes| {
            let fields: Vec<Vec<DVec3>> = modes.iter().map(|mode| self.field_at(mode, &points)).collect();
            let along = |direction| moments(&fields, direction, &points);
            let asked = polarity.and_then(along);
            let all = asked.is_some();
            let found = asked.or_else(|| [DVec3::X, DVec3::Y, DVec3::Z].into_iter().find_map(along));
            (found.unwrap_or_else(|| vec![0.0; modes.len()]), all)
        });
        // Of several modes some may have no field along it.
        let none = |direction: &DVec3| {
            let alone = |mode| moments(&[self.field_at(mode, &points)], *direction, &points);
            modes.iter().take(count).all(|mode| alone(mode).is_none())
        };
        if let Some(direction) = polarity.filter(none) {
            let message = format!(
                "no mode that is asked for has a field along the polarity ({:.3}, {:.3}, {:.3})",
                direction.x, direction.y, direction.z
            );
            let advice = "give the direction of the field, such as that of the short sides of a rectangular guide, or leave it out";
            return Err(FieldError::new(path, message, advice).into());
        }
        Ok(modes)
    }

    fn field_at(&self, mode: &Mode, points: &[MomentPoint]) -> Vec<DVec3> {
        let at = |point: &MomentPoint| self.section.electric(mode, point.triangle, point.at);
        points.iter().map(|point| self.frame.vector(at(point))).collect()
    }

    /// Quadrature points with the weights of all moments; coordinates count from the middle of the port.
    fn moment_points(&self) -> Vec<MomentPoint> {
        let corners = (0..self.section.len())
            .flat_map(|t| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|point| self.section.position(t, point)))
            .map(|flat| self.frame.vector(flat));
        let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let [low, high] = corners.fold(none, |[low, high], corner| [low.min(corner), high.max(corner)]);
        let (middle, size) = (0.5 * (low + high), low.distance(high));
        // The two axes in the plane of the port, in their order.
        let [u, v] = match self.offset.abs().max_position() {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        let with_weights = |(triangle, at, weight): (usize, [f64; 2], f64)| {
            let position = (self.frame.vector(self.section.position(triangle, at)) - middle) / size;
            let weights = POWERS.map(|[a, b]| weight * position[u].powi(a) * position[v].powi(b));
            MomentPoint { triangle, at, weights }
        };
        self.section.quadrature().map(with_weights).collect()
    }

    fn has_fewer(&self, surface: &str, count: usize, path: &str) -> DgtdError {
        let (message, advice) = if self.section.is_homogeneous() {
            (
                format!("the wave port {surface:?} has {count} modes on its mesh"),
                "ask for fewer `modes`, or refine the mesh",
            )
        } else {
            (
                format!("the wave port {surface:?} has several materials, and modes of {count} lines only"),
                "ports in layered materials have quasi-TEM modes, one fewer than there are conductors: ask for fewer `modes`, or end the \
                 guide where it is filled with one material",
            )
        };
        FieldError::new(format!("{path}.wave.modes"), message, advice).into()
    }
}

/// A quadrature point of a cross section.
struct MomentPoint {
    triangle: usize,
    at: [f64; 2],
    /// Of each moment of [`POWERS`].
    weights: [f64; POWERS.len()],
}

/// Moments of fields along a direction, with the first weight that tells the sign; none of fields without much along it.
fn moments(fields: &[Vec<DVec3>], direction: DVec3, points: &[MomentPoint]) -> Option<Vec<f64>> {
    let sum = |field: &[DVec3], value: &dyn Fn(&MomentPoint, DVec3) -> f64| -> f64 {
        points.iter().zip(field).map(|(point, field)| value(point, *field)).sum()
    };
    // Of a pair of degenerate modes both together: each of them is any mixture.
    let total = |value: &dyn Fn(&MomentPoint, DVec3) -> f64| {
        fields.iter().map(|field| sum(field, value).powi(2)).sum::<f64>().sqrt()
    };
    let along = total(&|point, e| point.weights[0] * e.dot(direction).abs());
    if along < SOME * total(&|point, e| point.weights[0] * e.length()) {
        return None;
    }
    let telling = |&k: &usize| {
        let magnitude = total(&|point, e| (point.weights[k] * e.dot(direction)).abs());
        total(&|point, e| point.weights[k] * e.dot(direction)) > TELLING * magnitude
    };
    let k = (0..POWERS.len()).find(telling)?;
    Some(fields.iter().map(|field| sum(field, &|point, e| point.weights[k] * e.dot(direction))).collect())
}

/// The materials of the elements behind these faces, each once, and the index of each face's.
fn media(
    domain: &Domain,
    faces: &[(usize, usize)],
    path: &str,
) -> Result<(Vec<Material>, Vec<usize>), DgtdError> {
    let mut media: Vec<Material> = Vec::new();
    let mut of_face = Vec::with_capacity(faces.len());
    for &(tet, _) in faces {
        let material = domain.material(tet);
        let known = media.iter().position(|other| other == material);
        of_face.push(known.unwrap_or(media.len()));
        if known.is_none() {
            media.push(material.clone());
        }
    }
    if media.iter().any(|medium| medium.mu != media[0].mu) {
        return Err(FieldError::new(
            format!("{path}.surface"),
            "the wave port has materials of different mu_r",
            "quasi-TEM modes are computed for layers of one mu_r: end the magnetic material before the port",
        )
        .into());
    }
    Ok((media, of_face))
}

/// Corners of a face and the nodes on its edges 01, 12 and 20, in the plane.
fn shape(domain: &Domain, frame: &Frame, tet: usize, face: usize) -> [[f64; 2]; 6] {
    let shape = Shape::of(&domain.mesh, tet);
    let [a, b, c] = TET_FACES[face];
    let middle = |ends: [usize; 2]| {
        let edge = TET_EDGES.iter().position(|[p, q]| ends == [*p, *q] || ends == [*q, *p]).unwrap_or(0);
        shape.middles[edge]
    };
    let corners = [a, b, c].map(|corner| shape.corners[corner]);
    let middles = [[a, b], [b, c], [c, a]].map(middle);
    let [p, q, r] = corners.map(|at| frame.flat(at));
    let [s, t, u] = middles.map(|at| frame.flat(at));
    [p, q, r, s, t, u]
}

/// Walls on the edges of triangles: conductors first.
fn walls(domain: &Domain, corners: &[[u32; 3]]) -> BTreeMap<Edge, Wall> {
    use crate::boundary_condition::Tangential;
    let edges: BTreeSet<Edge> = corners.iter().flat_map(|triangle| edges_of(*triangle)).collect();
    let mut walls = BTreeMap::new();
    for (tet, conditions) in domain.conditions.iter().enumerate() {
        for (face, condition) in conditions.iter().enumerate() {
            let Some(vanishing) = condition.vanishing() else { continue };
            for edge in edges_of(domain.mesh.face(tet, face)).into_iter().filter(|edge| edges.contains(edge))
            {
                if vanishing == Tangential::Electric {
                    walls.insert(edge, Wall::Electric);
                } else {
                    walls.entry(edge).or_insert(Wall::Magnetic);
                }
            }
        }
    }
    walls
}

/// The order of the cross section's elements: as high as its matrices allow, since modes are computed once.
fn order(corners: &[[u32; 3]], path: &str) -> Result<usize, DgtdError> {
    // A triangle has about order²/2 nodes of its own.
    let fits = |order: &usize| corners.len() * order * order <= 2 * MAX_NODES;
    (1..=MAX_ORDER).rev().find(fits).ok_or_else(|| {
        let most = 2 * MAX_NODES;
        FieldError::new(
            format!("{path}.surface"),
            format!("the wave port has {} triangles, more than {most}", corners.len()),
            "make its mesh coarser, or the port smaller",
        )
        .into()
    })
}

/// The triangle of each face of a port, from both sides, and of its sheet.
fn triangles(
    domain: &Domain,
    (faces, behind, sheet): (&[Face], &[Face], &[Face]),
    guide: &Guide,
) -> HashMap<(usize, usize), usize> {
    let middle = |&(tet, face): &(usize, usize)| {
        let [p, q, r] = domain.mesh.face_corners(tet, face).map(DVec3::from);
        (p + q + r) / 3.0
    };
    let middles: Vec<DVec3> = faces.iter().map(middle).collect();
    let nearest = |at: DVec3| {
        let distance = |i: &usize| middles[*i].distance_squared(at);
        (0..middles.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    };
    let own = faces.iter().copied().zip(0..);
    let offset = DVec3::from(guide.offset);
    let others = behind.iter().map(|face| (*face, nearest(middle(face))));
    let on_sheet = sheet.iter().map(|face| (*face, nearest(middle(face) - offset)));
    own.chain(others).chain(on_sheet).collect()
}
