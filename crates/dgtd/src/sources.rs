//! Sources: incident fields on faces, and dipole currents.

use crate::boundary_condition::{BoundaryCondition, Tangential};
use crate::curved::FacePoint;
use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::Shape;
use crate::huygens::Huygens;
use crate::plan::{Face, Plan};
use crate::ports::PortPlan;
use crate::problem::{Flux, Injection, PlaneWave, Problem};
use crate::sheets::SheetPlan;
use crate::wave_port::WavePort;
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, ETA0};

/// Tolerance for perpendicular directions.
const ACROSS: f64 = 1e-6;

/// A source point of a face: a node, or a quadrature point of a curved face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourcePoint {
    /// Delay of the pulse, s.
    pub delay: f64,
    /// s of E* along t₁ and t₂, and with the central flux that of n × H*; on curved faces both along x, y and z.
    pub amplitude: [f64; 6],
}

/// A face with sources.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceFace {
    /// Its element.
    pub tet: u32,
    /// Which face.
    pub face: u8,
    /// Its points.
    pub points: Vec<SourcePoint>,
}

/// A dipole current in an element.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCurrent {
    /// The element.
    pub tet: u32,
    /// What −J adds to ∂E/∂τ at each node, for each component: [component][node].
    pub amplitude: [Vec<f64>; 3],
}

/// All sources.
#[derive(Debug, Clone, Default)]
pub struct SourcePlan {
    /// Faces, in the order of the mesh.
    pub faces: Vec<SourceFace>,
    /// Currents, in the order of the mesh.
    pub currents: Vec<PointCurrent>,
    /// Start of the run, s: before the wave reaches the first face.
    pub start: f64,
    /// Largest delay of the pulse, s.
    pub last: f64,
}

/// The incident plane wave, with its injection.
pub struct Incident<'a> {
    wave: &'a PlaneWave,
    /// The TF/SF surface; none for the scattered-field formulation.
    pub surface: Option<Huygens>,
    /// Phase velocity relative to vacuum.
    speed: f64,
    /// Impedance relative to vacuum.
    impedance: f64,
}

impl<'a> Incident<'a> {
    /// The plane wave of a problem, if it has one.
    pub fn find(problem: &'a Problem, domain: &Domain) -> Result<Option<Self>, DgtdError> {
        let Some(wave) = &problem.sources.plane_wave else { return Ok(None) };
        along_periodic_sides(wave, problem, domain)?;
        let surface = match &wave.injection {
            Injection::TfSf(name) => Some(Huygens::new(domain, name, "source.plane_wave.surface")?),
            Injection::ScatteredField => {
                conductors_in_vacuum(domain)?;
                fits_magnetic_walls(wave, domain)?;
                None
            }
        };
        // The scattered-field formulation is in vacuum.
        let (speed, impedance) =
            surface.as_ref().map_or((1.0, 1.0), |s| (s.medium.speed(), s.medium.impedance()));
        Ok(Some(Self { wave, surface, speed, impedance }))
    }

    /// Delay relative to the origin, k̂·r/v, s.
    fn delay(&self, position: DVec3) -> f64 {
        DVec3::from(self.wave.propagation).dot(position) / (self.speed * C0)
    }

    /// What the wave adds to E* (and, with the central flux, to n × H*) at a face.
    fn amplitude(
        &self,
        problem: &Problem,
        face: &Face,
        impedance: f64,
        condition: BoundaryCondition,
        inside: bool,
    ) -> Option<[DVec3; 2]> {
        let n = face.normal;
        let tangential = |v: DVec3| v - n * n.dot(v);
        let e = DVec3::from(self.wave.polarization);
        // Scattered-field formulation: E* = −E_inc on conductors.
        if self.surface.is_none() {
            return condition.is_conductor().then(|| [-tangential(e), DVec3::ZERO]);
        }
        // TF/SF: inside is the total field, so the neighbor's trace lacks the incident wave; outside it has it in excess.
        let sign = if inside { 1.0 } else { -1.0 };
        let h = n.cross(DVec3::from(self.wave.propagation).cross(e)) / self.impedance;
        Some(match problem.flux {
            // B w⁺ of the incident wave: w⁺ = E − Z n⁺ × H with n⁺ = −n. `h` is n × η₀H.
            Flux::Upwind => [sign * face.plus * tangential(e + impedance * h), DVec3::ZERO],
            Flux::Central => [sign * face.plus * tangential(e), sign * (1.0 - face.plus) * h],
        })
    }

    /// The faces where it is injected: tetrahedron and face.
    fn faces(&self, domain: &Domain) -> Vec<(usize, usize)> {
        match &self.surface {
            Some(surface) => {
                // Both sides of the surface are corrected, with opposite signs.
                let behind = |&(tet, face): &(usize, usize)| {
                    domain.faces.neighbors[tet][face].map(|n| (n.tet as usize, usize::from(n.face)))
                };
                surface.outer.iter().copied().chain(surface.outer.iter().filter_map(behind)).collect()
            }
            None => (0..domain.mesh.tets.len())
                .flat_map(|tet| (0..4).map(move |face| (tet, face)))
                .filter(|&(tet, face)| domain.conditions[tet][face].is_conductor())
                .collect(),
        }
    }
}

/// The scattered-field formulation has sources on conductors only; in other bodies it would need volume sources.
fn conductors_in_vacuum(domain: &Domain) -> Result<(), DgtdError> {
    let other =
        (0..domain.mesh.tets.len()).find(|&tet| domain.material(tet) != &crate::material::Material::VACUUM);
    let sheet = domain.conditions.iter().flatten().any(|c| c.is_sheet() || c.is_lossy() || c.is_coated());
    let conducts = domain.conditions.iter().flatten().any(|condition| condition.is_conductor());
    let problem = if let Some(tet) = other {
        format!(
            "the volume {:?} is not vacuum",
            domain.mesh.volume_names[usize::from(domain.mesh.volume_of[tet])]
        )
    } else if sheet {
        "there is a sheet, a port, or a lossy or coated conductor".into()
    } else if !conducts {
        "there is no conductor".into()
    } else {
        return Ok(());
    };
    Err(FieldError::new(
        "source.plane_wave",
        format!("a plane wave without a TF/SF surface illuminates conductors in vacuum only, but {problem}"),
        "name a closed surface of the mesh around the bodies for TF/SF injection: surface = \"...\"",
    )
    .into())
}

/// Periodic sides are coupled without a phase shift, so that the wave must reach both at the same time.
fn along_periodic_sides(wave: &PlaneWave, problem: &Problem, domain: &Domain) -> Result<(), DgtdError> {
    for (a, b) in &problem.periodic {
        let middle = |name: &str| -> Result<DVec3, DgtdError> {
            let group = domain.mesh.surface(name).map_err(mesh_error_at("geometry.periodic"))?;
            let corners: Vec<DVec3> = domain
                .faces
                .faces_in(group)
                .flat_map(|(tet, face)| domain.mesh.face_corners(tet, face))
                .map(DVec3::from)
                .collect();
            Ok(corners.iter().sum::<DVec3>() / corners.len() as f64)
        };
        // The sides are translates of each other: the distance of their mean corners is the period.
        let apart = middle(b)? - middle(a)?;
        if apart.dot(wave.propagation.into()).abs() > ACROSS * apart.length() {
            return Err(FieldError::new(
                "source.plane_wave",
                format!("the wave reaches the periodic sides {a:?} and {b:?} at different times, but they are coupled without a phase shift"),
                "let it propagate parallel to them, or model more of the structure without periodic sides",
            )
            .into());
        }
    }
    Ok(())
}

/// A PMC wall is a symmetry plane: it does not affect the incident wave only if the wave has no tangential H there.
fn fits_magnetic_walls(wave: &PlaneWave, domain: &Domain) -> Result<(), DgtdError> {
    let h = DVec3::from(wave.propagation).cross(wave.polarization.into());
    let off = domain.faces.boundary().find(|&(tet, face)| {
        let normal = Shape::of(&domain.mesh, tet).face_normal(face, [1.0 / 3.0; 2]).normalize();
        domain.conditions[tet][face].vanishing() == Some(Tangential::Magnetic)
            && normal.cross(h).length() > ACROSS
    });
    let Some((tet, face)) = off else { return Ok(()) };
    let [p, q, r] = domain.mesh.face_corners(tet, face).map(DVec3::from);
    let at = (p + q + r) / 3.0;
    Err(FieldError::new(
        "source.plane_wave",
        format!(
            "the wave has a magnetic field tangential to the PMC wall at ({:.4}, {:.4}, {:.4}) m, which is not a symmetry plane for it",
            at.x, at.y, at.z
        ),
        "model the other half too, or choose a polarization with the magnetic field normal to the wall",
    )
    .into())
}

/// Marks the tetrahedra that have sources, or sheets with states, which act as such.
pub fn source_tets(
    domain: &Domain,
    incident: Option<&Incident<'_>>,
    ports: &[PortPlan],
    dipoles: &[(usize, [f64; 3])],
    sheets: &SheetPlan,
) -> Vec<bool> {
    let mut marked = vec![false; domain.mesh.tets.len()];
    for face in &sheets.faces {
        marked[face.tet as usize] = true;
    }
    for (tet, _) in incident.map(|i| i.faces(domain)).unwrap_or_default() {
        marked[tet] = true;
    }
    let sheets = ports.iter().filter_map(|port| port.wave.as_ref()).flat_map(|wave| &wave.cross.sheet);
    for (tet, _) in ports.iter().flat_map(|port| &port.faces).chain(sheets) {
        marked[*tet] = true;
    }
    for (tet, _) in dipoles {
        marked[*tet] = true;
    }
    marked
}

impl SourcePlan {
    /// The sources of a problem; `plan` has the elements with sources. `dipoles` are the tetrahedra and local coordinates of the dipoles.
    pub fn new(
        problem: &Problem,
        domain: &Domain,
        plan: &Plan,
        incident: Option<&Incident<'_>>,
        ports: &[PortPlan],
        dipoles: &[(usize, [f64; 3])],
    ) -> Self {
        let mut sources = Self::default();
        if let Some(incident) = incident {
            sources.add_wave(problem, domain, plan, incident);
        }
        if let Some(port) = ports.get(problem.sources.excited) {
            match &port.wave {
                Some(wave) => sources.add_sheet(problem, plan, wave),
                None => sources.add_port(plan, port),
            }
        }
        sources.faces.sort_by_key(|face| (face.tet, face.face));
        for point in sources.faces.iter().flat_map(|face| &face.points) {
            // Faces upstream of the origin see the wave before time zero: the run starts with the
            // first.
            sources.start = sources.start.min(point.delay);
            sources.last = sources.last.max(point.delay);
        }
        // A table may begin before time zero.
        sources.start += problem.pulse.begin().min(0.0);
        for (dipole, &(tet, position)) in problem.sources.dipoles.iter().zip(dipoles) {
            let slot = plan.slot_of[tet];
            let shape = &plan.shapes[slot as usize];
            // δ(r − r₀) projected on the polynomials of the element: M⁻¹ φ(r₀)/J.
            let weights = plan.element.point_source(position);
            let weights = if shape.curved {
                plan.over_jacobian(slot as usize, &weights)
            } else {
                weights.iter().map(|w| w / shape.jacobian(position).determinant()).collect()
            };
            // ε ∂E/∂τ = curl H − η₀ J.
            let eps = plan.media[slot as usize].eps;
            let along =
                |axis: usize| weights.iter().map(|w| -ETA0 / eps[axis] * dipole.moment[axis] * w).collect();
            let amplitude = [along(0), along(1), along(2)];
            sources.currents.push(PointCurrent { tet: tet as u32, amplitude });
        }
        sources.currents.sort_by_key(|current| current.tet);
        sources
    }

    fn add_wave(&mut self, problem: &Problem, domain: &Domain, plan: &Plan, incident: &Incident<'_>) {
        for (tet, face) in incident.faces(domain) {
            let inside = incident.surface.as_ref().is_some_and(|surface| surface.inside[tet]);
            // Z of the neighbor, whose trace w⁺ the incident wave completes.
            let impedance = domain.faces.neighbors[tet][face]
                .map_or(1.0, |n| domain.material(n.tet as usize).impedance());
            let condition = domain.conditions[tet][face];
            let points = |frame: &Face, position: DVec3| {
                let amplitude = incident.amplitude(problem, frame, impedance, condition, inside);
                (incident.delay(position), amplitude.unwrap_or_default())
            };
            self.push(plan, tet, face, points);
        }
    }

    fn add_port(&mut self, plan: &Plan, port: &PortPlan) {
        for &(tet, face) in &port.faces {
            let points = |frame: &Face, position: DVec3| {
                // s = Ys Es/(Y⁻ + Y⁺ + Ys), and A + B = 1 − Ys/(Y⁻ + Y⁺ + Ys).
                let s = (1.0 - frame.minus - frame.plus) * port.field(position);
                (0.0, [s - frame.normal * frame.normal.dot(s), DVec3::ZERO])
            };
            self.push(plan, tet, face, points);
        }
    }

    /// The sheet of a wave port, with the current J of [H] = J that launches the mode in both directions, η₀J = −2g times its strength.
    fn add_sheet(&mut self, problem: &Problem, plan: &Plan, wave: &WavePort) {
        let strength = wave.strength(problem.middle_frequency());
        for &(tet, face) in &wave.cross.sheet {
            let impedance = plan.media[plan.slot_of[tet] as usize].impedance;
            let points = |frame: &Face, position: DVec3| {
                let [_, dual] = wave.fields(((tet, face), position - wave.cross.offset));
                // s = −η₀J/(Y⁻ + Y⁺), and A = Y⁻/(Y⁻ + Y⁺) of the upwind flux: the central one has no ports.
                (0.0, [2.0 * strength * frame.minus * impedance * dual, DVec3::ZERO])
            };
            self.push(plan, tet, face, points);
        }
    }

    /// Adds a face, with a delay and s of E* and of n × H* at each of its points.
    fn push(
        &mut self,
        plan: &Plan,
        tet: usize,
        face: usize,
        source: impl Fn(&Face, DVec3) -> (f64, [DVec3; 2]),
    ) {
        let slot = plan.slot_of[tet] as usize;
        let frame = &plan.faces[slot][face];
        let points = if frame.curved {
            let at = |point: FacePoint<'_>| {
                let here = Face { normal: point.normal, tangent: point.tangent, ..*frame };
                let (delay, [e, h]) = source(&here, point.position);
                SourcePoint { delay, amplitude: [e.x, e.y, e.z, h.x, h.y, h.z] }
            };
            plan.face_points(slot, face).into_iter().map(at).collect()
        } else {
            let (t1, t2) = (frame.tangent, frame.normal.cross(frame.tangent));
            let at = |node: &u8| {
                let (delay, [e, h]) = source(frame, plan.position(slot, usize::from(*node)));
                SourcePoint { delay, amplitude: [e.dot(t1), e.dot(t2), h.dot(t1), h.dot(t2), 0.0, 0.0] }
            };
            plan.element.face_nodes[face].iter().map(at).collect()
        };
        self.faces.push(SourceFace { tet: tet as u32, face: face as u8, points });
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Boundary, Injection, PlaneWave, Problem, Sources};
    use phasefront_mesh::BoxMesh;

    /// The error for a wave along (sin, 0, −cos) onto a conductor, with PMC walls normal to y.
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
            injection: Injection::ScatteredField,
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
        // H along y is normal to the PMC walls.
        assert_eq!(complaint(0.0, [1.0, 0.0, 0.0], true), None);
        assert_eq!(complaint(0.6, [0.8, 0.0, 0.6], false), None);
        let wall = complaint(0.0, [0.0, 1.0, 0.0], true).unwrap();
        assert!(
            wall.starts_with(
                "source.plane_wave: the wave has a magnetic field tangential to the PMC wall at ("
            ),
            "{wall}"
        );
        let sides = "source.plane_wave: the wave reaches the periodic sides \"xmin\" and \"xmax\" at different times, but they are coupled \
                     without a phase shift";
        assert_eq!(complaint(0.6, [0.8, 0.0, 0.6], true).as_deref(), Some(sides));
    }
}
