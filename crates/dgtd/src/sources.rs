//! Sources: incident fields on faces, and dipole currents.

use crate::curved::FacePoint;
use crate::domain::Domain;
use crate::incident::Incident;
use crate::plan::{Face, Plan};
use crate::ports::PortPlan;
use crate::problem::Problem;
use crate::sheets::SheetPlan;
use crate::thin_wires::WirePlan;
use crate::wave_port::WavePort;
use glam::DVec3;
use phasefront_core::constants::ETA0;

/// A source point of a face: a node, or a quadrature point of a curved face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SourcePoint {
    /// Delay of the pulse, s.
    pub delay: f64,
    /// s of E* along t₁ and t₂, and with the central flux that of n × H*; on curved faces both along x, y and z.
    pub amplitude: [f64; 6],
}

/// A face with sources. One with several copies of the pulse is there as often, one after the other.
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

/// Marks the tetrahedra that have sources, or sheets with states, which act as such.
pub fn source_tets(
    domain: &Domain,
    incident: Option<&Incident<'_>>,
    ports: &[PortPlan],
    dipoles: &[(usize, [f64; 3])],
    sheets: &SheetPlan,
    wires: &WirePlan,
) -> Vec<bool> {
    let mut marked = vec![false; domain.mesh.tets.len()];
    for element in &wires.elements {
        marked[element.tet as usize] = true;
    }
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
            sources.add_incident(problem, domain, plan, incident);
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

    fn add_incident(&mut self, problem: &Problem, domain: &Domain, plan: &Plan, incident: &Incident<'_>) {
        let faces = incident.faces(domain);
        let signals = incident.signals(faces.iter().flat_map(|&(tet, face)| positions(plan, tet, face)));
        for (tet, face) in faces {
            // Z of the neighbor, whose trace w⁺ the incident field completes.
            let impedance = domain.faces.neighbors[tet][face]
                .map_or(1.0, |n| domain.material(n.tet as usize).impedance());
            let at = (tet, domain.conditions[tet][face], impedance);
            for copy in 0..signals.copies() {
                let points = |frame: &Face, position: DVec3| {
                    let signal = signals.at(position, copy);
                    (signal.delay, incident.amplitude(&signal, problem.flux, frame, at))
                };
                self.push(plan, tet, face, points);
            }
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

/// Where a face has source points.
fn positions(plan: &Plan, tet: usize, face: usize) -> Vec<DVec3> {
    let slot = plan.slot_of[tet] as usize;
    if plan.faces[slot][face].curved {
        return plan.face_points(slot, face).into_iter().map(|point| point.position).collect();
    }
    plan.element.face_nodes[face].iter().map(|node| plan.position(slot, usize::from(*node))).collect()
}
