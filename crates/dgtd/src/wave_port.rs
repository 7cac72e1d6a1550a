//! Wave ports: a mode of the guide that continues a port, on the faces of the mesh.

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::{Shape, tangent};
use crate::material::Material;
use crate::modes::{Edge, Mode, ModeKind, Section, Wall, edges_of};
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
/// Share of the largest moment of a mode that counts as some: fields across an axis are zero up to the error of the mesh.
const SOME: f64 = 0.1;
/// Uneven weights of the three axes, so that no usual symmetry makes the moment of a mode vanish.
const UNEVEN: [f64; 3] = [0.31, 0.23, 0.17];

/// A face: tetrahedron and face.
type Face = (usize, usize);

/// A point of a port: a face, and a position on it.
pub type OnFace = (Face, DVec3);

/// A mode of a wave port.
#[derive(Debug, Clone)]
pub struct WavePort {
    /// Its faces, from inside of the model: tetrahedron and face.
    pub faces: Vec<(usize, usize)>,
    /// Faces of the sheet that excites it, from both sides.
    pub sheet: Vec<(usize, usize)>,
    /// The mode.
    pub mode: Mode,
    /// Transverse wave number of the mode after it, if it is known, rad/m.
    next: Option<f64>,
    /// Distance of the reference plane of its S-parameters from the port, into the model, m.
    shift: f64,
    section: Arc<Section>,
    frame: Frame,
    /// From the port to the sheet.
    offset: DVec3,
    /// The triangle of the section that a face of the port or of the sheet is on.
    triangles: Arc<HashMap<(usize, usize), usize>>,
    /// The media of the section.
    media: Vec<Material>,
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
    /// The mode of port `i` of a problem, if it is a wave port.
    pub fn new(problem: &Problem, domain: &Domain, i: usize) -> Result<Option<Self>, DgtdError> {
        let port = &problem.sources.ports[i];
        let PortShape::Wave { mode, polarity, shift } = port.shape else { return Ok(None) };
        let path = problem.sources.port_path(i);
        let Some(guide) = problem.guides.iter().find(|guide| guide.surface == port.surface) else {
            return Ok(None);
        };
        let cross = CrossSection::new(problem, domain, guide, &path)?;
        let modes = cross.modes(mode + 2, polarity.map(DVec3::from));
        let (count, next) = (modes.len(), modes.get(mode + 1).map(|next| next.cutoff));
        let Some(mode) = modes.into_iter().nth(mode) else {
            let (message, advice) = if cross.section.is_homogeneous() {
                (
                    format!("the wave port {:?} has {count} modes on its mesh", port.surface),
                    "ask for fewer `modes`, or refine the mesh",
                )
            } else {
                (
                    format!(
                        "the wave port {:?} has several materials, and modes of {count} lines only",
                        port.surface
                    ),
                    "ports in layered materials have quasi-TEM modes, one fewer than there are conductors: ask for fewer `modes`, or \
                     end the guide where it is filled with one material",
                )
            };
            return Err(FieldError::new(format!("{path}.wave.modes"), message, advice).into());
        };
        let CrossSection { faces, sheet, section, frame, triangles, media } = cross;
        let offset = guide.offset.into();
        Ok(Some(Self { faces, sheet, mode, next, shift, section, frame, offset, triangles, media }))
    }

    /// e and g at a point of the port or of the sheet.
    pub fn fields(&self, (face, position): OnFace) -> [DVec3; 2] {
        // A point is on a triangle of the port by its face, since fields differ between the two sides of a conductor.
        let Some(&triangle) = self.triangles.get(&face) else { return [DVec3::ZERO; 2] };
        let point = self.section.point(triangle, self.frame.flat(position));
        let electric = self.section.electric(&self.mode, triangle, point);
        let dual = self.section.dual(&self.mode, triangle, point);
        [electric, dual].map(|field| self.frame.vector(field))
    }

    /// ε of its media, weighted by their shares in it.
    fn permittivity(&self, frequency: f64) -> Complex64 {
        match &self.mode.kind {
            ModeKind::Line { shares, .. } => shares
                .iter()
                .zip(&self.media)
                .map(|(share, medium)| share * medium.permittivity(frequency))
                .sum(),
            ModeKind::Te | ModeKind::Tm => self.media[0].permittivity(frequency),
        }
    }

    /// Propagation constant γ = α + jβ, 1/m: γ² = k_c² − k².
    pub fn propagation(&self, frequency: f64) -> Complex64 {
        let k = TAU * frequency / C0;
        let square = self.mode.cutoff.powi(2) - k * k * self.permittivity(frequency) * self.media[0].mu;
        square.sqrt()
    }

    /// Impedance, Ω: that of the line, or the wave impedance, jωμ/γ of TE and γ/jωε of TM modes.
    pub fn impedance(&self, frequency: f64) -> Complex64 {
        let (gamma, eps, mu) = (self.propagation(frequency), self.permittivity(frequency), self.media[0].mu);
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
        C0 / (self.permittivity(near).re * self.media[0].mu).sqrt()
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

    /// From the port to the sheet.
    pub fn offset(&self) -> DVec3 {
        self.offset
    }
}

/// The cross section of a port on the mesh.
struct CrossSection {
    faces: Vec<(usize, usize)>,
    sheet: Vec<(usize, usize)>,
    section: Arc<Section>,
    frame: Frame,
    triangles: Arc<HashMap<(usize, usize), usize>>,
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
        Ok(Self { faces, sheet, section: Arc::new(section), frame, triangles: Arc::new(triangles), media })
    }

    /// Modes with their fields along `polarity`, or along the first axis that they have a field along.
    fn modes(&self, count: usize, polarity: Option<DVec3>) -> Vec<Mode> {
        let section = &self.section;
        let moment = |mode: &Mode, direction: DVec3, uneven: bool| {
            section.integral(|triangle, point| {
                let [u, v] = section.position(triangle, point);
                let position = self.frame.vector([u, v]) + self.frame.origin - self.middle();
                let weight = if uneven { 1.0 + position.dot(DVec3::from(UNEVEN)) / self.size() } else { 1.0 };
                weight * self.frame.vector(section.electric(mode, triangle, point)).dot(direction)
            })
        };
        section.oriented(count, polarity.is_some(), |mode| {
            if let Some(direction) = polarity {
                return moment(mode, direction, false);
            }
            let along = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| moment(mode, axis, true));
            let most = along.iter().fold(0.0, |most: f64, m| most.max(m.abs()));
            along.into_iter().find(|m| m.abs() > SOME * most).unwrap_or(0.0)
        })
    }

    fn corners(&self) -> impl Iterator<Item = DVec3> {
        let section = &self.section;
        let at = move |t: usize| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|point| section.position(t, point));
        (0..section.len()).flat_map(at).map(|flat| self.frame.origin + self.frame.vector(flat))
    }

    /// Middle of its bounding box.
    fn middle(&self) -> DVec3 {
        let [low, high] = self.bounds();
        0.5 * (low + high)
    }

    fn size(&self) -> f64 {
        let [low, high] = self.bounds();
        low.distance(high)
    }

    fn bounds(&self) -> [DVec3; 2] {
        let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        self.corners().fold(none, |[low, high], corner| [low.min(corner), high.max(corner)])
    }
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
