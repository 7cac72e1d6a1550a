//! Sources: what comes in through faces, and currents at points.

use crate::curved::FacePoint;
use crate::domain::{Domain, Skin, blame};
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::huygens::Huygens;
use crate::plan::{Face, Plan};
use crate::ports::PortPlan;
use crate::problem::{Entry, Flux, PlaneWave, Problem};
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, ETA0};

/// How far from square to something a direction may be.
const ACROSS: f64 = 1e-6;

/// Where a face is driven: a node of it, or a quadrature point of a curved one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// When the pulse arrives, s.
    pub delay: f64,
    /// s of E* along t₁ and t₂, and with the central flux what n × H* gets along them; on curved faces both along x, y and z.
    pub amount: [f64; 6],
}

/// A face with sources.
#[derive(Debug, Clone, PartialEq)]
pub struct DrivenFace {
    /// The slot of its element.
    pub slot: u32,
    /// Which face.
    pub face: u8,
    /// Its points.
    pub points: Vec<Point>,
}

/// A current at a point in an element.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCurrent {
    /// The slot of the element.
    pub slot: u32,
    /// What −J adds to ∂E/∂τ at each node, for each component: [component][node].
    pub amount: [Vec<f64>; 3],
}

/// All sources.
#[derive(Debug, Clone, Default)]
pub struct Drive {
    /// Faces, by slot.
    pub faces: Vec<DrivenFace>,
    /// Currents, by slot.
    pub currents: Vec<PointCurrent>,
    /// When the run starts, s: before the wave reaches the first face.
    pub start: f64,
    /// When the middle of the pulse reaches the last face, s after its own time.
    pub last: f64,
}

/// The plane wave, with its way into the mesh.
pub struct Incident<'a> {
    wave: &'a PlaneWave,
    /// The surface that it comes in through; none where it is put on conductors.
    pub surface: Option<Huygens>,
    /// Speed, relative to vacuum's.
    speed: f64,
    /// Impedance, relative to vacuum's.
    impedance: f64,
}

impl<'a> Incident<'a> {
    /// The plane wave of a problem, if it has one.
    pub fn find(problem: &'a Problem, domain: &Domain) -> Result<Option<Self>, DgtdError> {
        let Some(wave) = &problem.sources.plane_wave else { return Ok(None) };
        along_periodic_sides(wave, problem, domain)?;
        let surface = match &wave.entry {
            Entry::Surface(name) => Some(Huygens::new(domain, name, "source.plane_wave.surface")?),
            Entry::Conductors => {
                conductors_in_vacuum(domain)?;
                fits_magnetic_walls(wave, domain)?;
                None
            }
        };
        let (speed, impedance) =
            surface.as_ref().map_or((1.0, 1.0), |s| (s.medium.speed(), s.medium.impedance()));
        Ok(Some(Self { wave, surface, speed, impedance }))
    }

    /// When what passes the origin at time zero passes here, s.
    fn delay(&self, place: DVec3) -> f64 {
        DVec3::from(self.wave.propagation).dot(place) / (self.speed * C0)
    }

    /// What the wave adds to E* (and, with the central flux, to n × H*) at a face.
    fn amount(
        &self,
        problem: &Problem,
        face: &Face,
        impedance: f64,
        skin: Skin,
        inside: bool,
    ) -> Option<[DVec3; 2]> {
        let n = face.normal;
        let across = |v: DVec3| v - n * n.dot(v);
        let e = DVec3::from(self.wave.polarization);
        // E* = −E_inc on the conductors of a scattered field.
        if self.surface.is_none() {
            return (skin == Skin::Pec).then(|| [-across(e), DVec3::ZERO]);
        }
        // Inside is the total field: the neighbor's lacks the incident wave, and outside the other way round.
        let sign = if inside { 1.0 } else { -1.0 };
        let h = n.cross(DVec3::from(self.wave.propagation).cross(e)) / self.impedance;
        Some(match problem.flux {
            Flux::Upwind => [sign * face.other * across(e + impedance * h), DVec3::ZERO],
            Flux::Central => [sign * face.other * across(e), sign * (1.0 - face.other) * h],
        })
    }

    /// The faces that it drives: tetrahedron and face.
    fn faces(&self, domain: &Domain) -> Vec<(usize, usize)> {
        match &self.surface {
            Some(surface) => {
                let behind = |&(tet, face): &(usize, usize)| {
                    domain.faces.neighbors[tet][face].map(|n| (n.tet as usize, usize::from(n.face)))
                };
                surface.outer.iter().copied().chain(surface.outer.iter().filter_map(behind)).collect()
            }
            None => (0..domain.mesh.tets.len())
                .flat_map(|tet| (0..4).map(move |face| (tet, face)))
                .filter(|&(tet, face)| domain.skins[tet][face] == Skin::Pec)
                .collect(),
        }
    }
}

/// The scattered field of conductors alone is driven on them; other bodies would have to be driven inside.
fn conductors_in_vacuum(domain: &Domain) -> Result<(), DgtdError> {
    let other =
        (0..domain.mesh.tets.len()).find(|&tet| domain.material(tet) != &crate::material::Material::VACUUM);
    let sheet = domain.skins.iter().flatten().any(|skin| matches!(skin, Skin::Sheet(_) | Skin::Port(_)));
    let conducts = domain.skins.iter().flatten().any(|skin| *skin == Skin::Pec);
    let problem = if let Some(tet) = other {
        format!(
            "the volume {:?} is no vacuum",
            domain.mesh.volume_names[usize::from(domain.mesh.volume_of[tet])]
        )
    } else if sheet {
        "there is a sheet or a port".into()
    } else if !conducts {
        "there is no conductor".into()
    } else {
        return Ok(());
    };
    Err(FieldError::new(
        "source.plane_wave",
        format!("a plane wave without a surface to come in through drives conductors in vacuum alone, and {problem}"),
        "name a closed surface of the mesh around the bodies: surface = \"...\"",
    )
    .into())
}

/// Sides are joined without a delay: a wave that meets the one later than the other has no place between them.
fn along_periodic_sides(wave: &PlaneWave, problem: &Problem, domain: &Domain) -> Result<(), DgtdError> {
    for (a, b) in &problem.periodic {
        let middle = |name: &str| -> Result<DVec3, DgtdError> {
            let group = domain.mesh.surface(name).map_err(blame("geometry.periodic"))?;
            let corners: Vec<DVec3> = domain
                .faces
                .faces_in(group)
                .flat_map(|(tet, face)| domain.mesh.face_corners(tet, face))
                .map(DVec3::from)
                .collect();
            Ok(corners.iter().sum::<DVec3>() / corners.len() as f64)
        };
        let apart = middle(b)? - middle(a)?;
        if apart.dot(wave.propagation.into()).abs() > ACROSS * apart.length() {
            return Err(FieldError::new(
                "source.plane_wave",
                format!("the wave meets the periodic sides {a:?} and {b:?} one after the other, and they are joined without a delay"),
                "let it run along them, or model more of the structure without periodic sides",
            )
            .into());
        }
    }
    Ok(())
}

/// A magnetic wall is a plane of symmetry: it lets the scattered field alone only where the wave has no H along it.
fn fits_magnetic_walls(wave: &PlaneWave, domain: &Domain) -> Result<(), DgtdError> {
    let h = DVec3::from(wave.propagation).cross(wave.polarization.into());
    let off = domain.faces.boundary().find(|&(tet, face)| {
        let normal = Shape::of(&domain.mesh, tet).face_normal(face, [1.0 / 3.0; 2]).normalize();
        domain.skins[tet][face] == Skin::Pmc && normal.cross(h).length() > ACROSS
    });
    let Some((tet, face)) = off else { return Ok(()) };
    let [p, q, r] = domain.mesh.face_corners(tet, face).map(DVec3::from);
    let at = (p + q + r) / 3.0;
    Err(FieldError::new(
        "source.plane_wave",
        format!(
            "the wave has a magnetic field along the magnetic wall at ({:.4}, {:.4}, {:.4}) m, which is no plane of symmetry for it",
            at.x, at.y, at.z
        ),
        "model the other half, too, or turn the wave so that its magnetic field stands on the wall",
    )
    .into())
}

/// The tetrahedra that have sources.
pub fn driven_tets(
    domain: &Domain,
    incident: Option<&Incident<'_>>,
    ports: &[PortPlan],
    dipoles: &[(usize, [f64; 3])],
) -> Vec<bool> {
    let mut driven = vec![false; domain.mesh.tets.len()];
    for (tet, _) in incident.map(|i| i.faces(domain)).unwrap_or_default() {
        driven[tet] = true;
    }
    for (tet, _) in ports.iter().flat_map(|port| &port.faces) {
        driven[*tet] = true;
    }
    for (tet, _) in dipoles {
        driven[*tet] = true;
    }
    driven
}

impl Drive {
    /// The sources of a problem. `dipoles` are the tetrahedra and places on them that hold the dipoles.
    pub fn new(
        problem: &Problem,
        domain: &Domain,
        plan: &Plan,
        incident: Option<&Incident<'_>>,
        ports: &[PortPlan],
        dipoles: &[(usize, [f64; 3])],
    ) -> Self {
        let mut drive = Self::default();
        if let Some(incident) = incident {
            drive.add_wave(problem, domain, plan, incident);
        }
        if let Some(port) = ports.get(problem.sources.driven) {
            drive.add_port(plan, port);
        }
        drive.faces.sort_by_key(|face| (face.slot, face.face));
        for point in drive.faces.iter().flat_map(|face| &face.points) {
            drive.start = drive.start.min(point.delay);
            drive.last = drive.last.max(point.delay);
        }
        for (dipole, &(tet, place)) in problem.sources.dipoles.iter().zip(dipoles) {
            let slot = plan.slot_of[tet];
            let shape = &plan.shapes[slot as usize];
            let weights = plan.element.point_source(place);
            let weights = if shape.curved {
                plan.over_jacobian(slot as usize, &weights)
            } else {
                weights.iter().map(|w| w / shape.jacobian(place).determinant()).collect()
            };
            // ε ∂E/∂τ = curl H − η₀ J.
            let scale = -ETA0 / plan.media[slot as usize][0];
            let amount = dipole.moment.map(|m| weights.iter().map(|w| scale * m * w).collect());
            drive.currents.push(PointCurrent { slot, amount });
        }
        drive.currents.sort_by_key(|current| current.slot);
        drive
    }

    fn add_wave(&mut self, problem: &Problem, domain: &Domain, plan: &Plan, incident: &Incident<'_>) {
        for (tet, face) in incident.faces(domain) {
            let slot = plan.slot_of[tet];
            let inside = incident.surface.as_ref().is_some_and(|surface| surface.inside[tet]);
            let impedance = domain.faces.neighbors[tet][face]
                .map_or(1.0, |n| domain.material(n.tet as usize).impedance());
            let skin = domain.skins[tet][face];
            let points = |frame: &Face, place: DVec3| {
                let amount = incident.amount(problem, frame, impedance, skin, inside);
                (incident.delay(place), amount.unwrap_or_default())
            };
            self.push(plan, slot, face, points);
        }
    }

    fn add_port(&mut self, plan: &Plan, port: &PortPlan) {
        for &(tet, face) in &port.faces {
            let slot = plan.slot_of[tet];
            let points = |frame: &Face, place: DVec3| {
                // s = Ys Es/(Y⁻ + Y⁺ + Ys), and A + B = 1 − Ys/(Y⁻ + Y⁺ + Ys).
                let s = (1.0 - frame.own - frame.other) * port.field(place);
                (0.0, [s - frame.normal * frame.normal.dot(s), DVec3::ZERO])
            };
            self.push(plan, slot, face, points);
        }
    }

    /// Adds a face, with a delay and s of E* and of n × H* at each of its points.
    fn push(
        &mut self,
        plan: &Plan,
        slot: u32,
        face: usize,
        source: impl Fn(&Face, DVec3) -> (f64, [DVec3; 2]),
    ) {
        let frame = &plan.faces[slot as usize][face];
        let points = if frame.curved {
            let at = |point: FacePoint<'_>| {
                let here = Face { normal: point.normal, tangent: point.tangent, ..*frame };
                let (delay, [e, h]) = source(&here, point.place);
                Point { delay, amount: [e.x, e.y, e.z, h.x, h.y, h.z] }
            };
            plan.face_points(slot as usize, face).into_iter().map(at).collect()
        } else {
            let (t1, t2) = (frame.tangent, frame.normal.cross(frame.tangent));
            let at = |node: &u8| {
                let (delay, [e, h]) = source(frame, plan.place(slot as usize, usize::from(*node)));
                Point { delay, amount: [e.dot(t1), e.dot(t2), h.dot(t1), h.dot(t2), 0.0, 0.0] }
            };
            plan.element.face_nodes[face].iter().map(at).collect()
        };
        self.faces.push(DrivenFace { slot, face: face as u8, points });
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Boundary, Entry, PlaneWave, Problem, Sources};
    use phasefront_mesh::BoxMesh;

    /// What is said of a wave that runs along (sin, 0, −cos) onto a conductor, with magnetic walls across y.
    fn complaint(sin: f64, polarization: [f64; 3], periodic: bool) -> Option<String> {
        let mesh = BoxMesh { to: [1.0; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
        let wall = |name: &str, boundary| (name.to_owned(), boundary);
        let mut boundaries = vec![wall("zmin", Boundary::Pec), wall("zmax", Boundary::Absorbing)];
        boundaries.extend(["ymin", "ymax"].map(|name| wall(name, Boundary::Pmc)));
        if !periodic {
            boundaries.extend(["xmin", "xmax"].map(|name| wall(name, Boundary::Absorbing)));
        }
        let wave = PlaneWave {
            propagation: [sin, 0.0, -(1.0 - sin * sin).sqrt()],
            polarization,
            entry: Entry::Conductors,
        };
        let problem = Problem {
            mesh,
            boundaries,
            periodic: if periodic { vec![("xmin".into(), "xmax".into())] } else { Vec::new() },
            sources: Sources { plane_wave: Some(wave), ..Sources::default() },
            highest_frequency: 1e8,
            ..Problem::default()
        };
        crate::prepare(problem).err().map(|error| error.to_string())
    }

    #[test]
    fn a_wave_must_fit_walls_and_periodic_sides() {
        // H along y stands on the magnetic walls.
        assert_eq!(complaint(0.0, [1.0, 0.0, 0.0], true), None);
        assert_eq!(complaint(0.6, [0.8, 0.0, 0.6], false), None);
        let wall = complaint(0.0, [0.0, 1.0, 0.0], true).unwrap();
        assert!(
            wall.starts_with("source.plane_wave: the wave has a magnetic field along the magnetic wall at ("),
            "{wall}"
        );
        let sides = "source.plane_wave: the wave meets the periodic sides \"xmin\" and \"xmax\" one after the other, and they are joined \
                     without a delay";
        assert_eq!(complaint(0.6, [0.8, 0.0, 0.6], true).as_deref(), Some(sides));
    }
}
