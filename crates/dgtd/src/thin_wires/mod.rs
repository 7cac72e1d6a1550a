//! Thin wires: lines of current and charge of their own, coupled to the elements around them.
//!
//! In units of the solver, with i = η₀I and u = η₀ c Q in volts and τ = ct, a wire of the radius a has
//!
//! ```text
//! μ Λ ∂i/∂τ = ⟨E⟩ − R i/η₀ + V − Gᵀ S u/ε,    ∂u/∂τ = G i,    ε ∂E/∂τ = curl H − Σ_d i_d J_d,
//! ```
//!
//! where i are currents at the ends of segments (linear between them) and u the charges of segments, G their differences, ⟨E⟩_d = ∫ E·J_d with
//! the cloud J_d of current d (`coupling.rs`), and Λ and S the interaction D of `wire_kernel.rs` between segments. All couplings are
//! antisymmetric: the energy ½ ∫ ε|E|² + μ|H|² + ½ i·μΛi + ½ u·Su/ε loses Σ R i²/η₀ and what the flux dissipates, and gains V·i. Λ and S are
//! positive as long as the wire is thinner than its cloud. Without a mesh this is the method of moments for thin wires (R. F. Harrington, *Field
//! Computation by Moment Methods*, 1968, chapter 4).

mod cholesky;
mod coupling;
mod crossing;
mod path;

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::locate::Locator;
use crate::material::Material;
use crate::problem::{Circuit, Connection, PortShape, Problem, ThinWire};
use crate::reference::points::Reference;
use crate::reference::{Element, Matrix};
use crate::scheme::REACH;
use crate::wire_kernel::WireKernel;
use cholesky::Cholesky;
use coupling::{Obstacle, Weights};
use glam::DVec3;
use path::{Paths, Tap};
use phasefront_core::FieldError;
use phasefront_core::constants::{C0, ETA0};
use phasefront_mesh::TET_EDGES;

/// Radius of the cloud relative to the size of the elements around the wire, for orders 1 to 6.
const CLOUD: [f64; 6] = [2.4, 1.6, 1.2, 1.0, 0.9, 0.8];
/// Length of a segment relative to the radius of the cloud, at most.
const SEGMENT: f64 = 0.5;
/// Radius of a wire relative to that of its cloud, at most.
const THIN: f64 = 0.1;
/// Most currents: their matrices are dense.
const MAX_CURRENTS: usize = 1000;
/// Points along a wire at which elements are looked at.
const LOOKS: usize = 400;
/// Extent of the stability region of the Runge-Kutta scheme along the imaginary axis, times dt.
const IMAGINARY_REACH: f64 = 3.3;

impl ThinWire {
    /// Length of its axis, m.
    pub fn length(&self) -> f64 {
        self.points.windows(2).map(|pair| DVec3::from(pair[0]).distance(pair[1].into())).sum()
    }
}

/// The coupling of one element to currents.
#[derive(Debug, Clone)]
pub struct WireElement {
    pub tet: u32,
    /// The currents in it.
    pub currents: Vec<u32>,
    /// ⟨E⟩ = Σ average E: [current][component][node].
    pub average: Vec<f64>,
    /// ∂E/∂τ = −Σ rate i, in the same order.
    pub rates: Vec<f64>,
}

/// All thin wires of a problem, with the equations y' = matrix y + input (⟨E⟩ + V) of their states y: currents, charges, and states of what is
/// connected to them.
#[derive(Debug, Clone, Default)]
pub struct WirePlan {
    pub elements: Vec<WireElement>,
    pub currents: usize,
    pub states: usize,
    /// Row after row.
    pub matrix: Vec<f64>,
    /// The same, with a column for each current.
    pub input: Vec<f64>,
    /// The quadratic form of the energy over currents and charges.
    pub energy: Vec<f64>,
    /// The current of each port on a wire.
    pub ports: Vec<Option<usize>>,
    /// A bound on the rates, 1/m.
    pub rate: f64,
    /// Radius of the clouds, m.
    pub cloud: f64,
}

impl WirePlan {
    pub fn new(problem: &Problem, domain: &Domain, reference: &Reference) -> Result<Self, DgtdError> {
        let wires = &problem.thin_wires;
        if wires.is_empty() {
            return Ok(Self { ports: vec![None; problem.sources.ports.len()], ..Self::default() });
        }
        let element = &*reference.element;
        let locator = Locator::new(&domain.mesh, |tet| !domain.in_guide(tet));
        let (size, medium) = surroundings(wires, domain, &locator)?;
        let cloud = CLOUD[element.order - 1] * size;
        check_radii(wires, cloud)?;
        crossing::check(wires)?;
        let (taps, circuits) = taps(problem)?;
        let mut paths = Paths::new(problem, domain, &taps, SEGMENT * cloud)?;
        path::check_surroundings(problem, domain, &paths, cloud)?;
        paths.add_images(2.0 * cloud);
        if paths.currents > MAX_CURRENTS {
            return Err(FieldError::new(
                "geometry.thin_wires",
                format!("thin wires are divided into {} segments, and {MAX_CURRENTS} are the most", paths.currents),
                "mesh the longer ones as solids, or make the elements around them larger",
            )
            .into());
        }
        let weights = coupling::weights(domain, element, &locator, &paths, cloud)
            .map_err(|obstacle| refused(wires, &obstacle, cloud))?;
        let elements = elements(domain, element, &weights, &medium);
        let [inductance, elastance] = interactions(wires, &paths, cloud);
        let equations = Equations { wires, paths: &paths, circuits: &circuits, medium: &medium };
        let mut plan = equations.assemble(inductance, elastance)?;
        plan.ports = vec![None; problem.sources.ports.len()];
        let on_wires = (0..).zip(&problem.sources.ports).filter(|(_, port)| port.shape.is_on_wire());
        for ((port, _), current) in on_wires.zip(&paths.taps) {
            plan.ports[port] = Some(*current);
        }
        plan.rate = plan.largest_rate(&elements, element.len());
        plan.elements = elements;
        plan.cloud = cloud;
        Ok(plan)
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Shortens the stable steps of the elements around wires, s.
    pub fn limit(&self, limits: &mut [f64], courant: f64) {
        for element in &self.elements {
            let limit = &mut limits[element.tet as usize];
            // Rates of the mesh and of the wires add up; those of wires are imaginary.
            let mesh = courant * REACH / (C0 * *limit);
            *limit = courant * REACH / C0 / (mesh + self.rate * REACH / IMAGINARY_REACH);
        }
    }

    /// The energy of currents and charges, in the units of [`crate::engine::Engine::energy`].
    pub fn energy(&self, states: &[f64]) -> f64 {
        let n = (self.energy.len() as f64).sqrt() as usize;
        (0..n).map(|i| 0.5 * states[i] * dot(&self.energy[i * n..(i + 1) * n], &states[..n])).sum()
    }

    /// The largest rate by the power method: that of the equations without a mesh, and with what the fields of its elements add, as if they
    /// followed the currents without waves.
    fn largest_rate(&self, elements: &[WireElement], nodes: usize) -> f64 {
        let n = self.states;
        let mut states: Vec<f64> = (0..n).map(|k| if k % 2 == 0 { 1.0 } else { -0.7 }).collect();
        let mut rate = 0.0_f64;
        // The square of the rates: d²i/dτ² = matrix² y − input ⟨Σ rates i⟩.
        for _ in 0..200 {
            let norm = dot(&states, &states).sqrt().max(f64::MIN_POSITIVE);
            states.iter_mut().for_each(|state| *state /= norm);
            let first: Vec<f64> = self.matrix.chunks(n).map(|row| dot(row, &states)).collect();
            let mut second: Vec<f64> = self.matrix.chunks(n).map(|row| dot(row, &first)).collect();
            let mut fields = vec![0.0; self.currents];
            let mut values = vec![0.0; 3 * nodes];
            for element in elements {
                values.fill(0.0);
                for (rates, current) in element.rates.chunks(3 * nodes).zip(&element.currents) {
                    let current = states[*current as usize];
                    values.iter_mut().zip(rates).for_each(|(value, rate)| *value -= rate * current);
                }
                for (average, current) in element.average.chunks(3 * nodes).zip(&element.currents) {
                    fields[*current as usize] += dot(average, &values);
                }
            }
            for (value, row) in second.iter_mut().zip(self.input.chunks(self.currents)) {
                *value += dot(row, &fields);
            }
            rate = dot(&second, &second).sqrt().sqrt();
            states = second;
        }
        1.05 * rate
    }
}

/// The sum of products, four at a time: in order each addition would wait for the one before.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + rest
}

/// Where ports and loads are, ports first, and the circuits of the latter.
fn taps(problem: &Problem) -> Result<(Vec<Tap>, Vec<Circuit>), DgtdError> {
    let (mut taps, mut circuits) = (Vec::new(), Vec::new());
    for (i, port) in problem.sources.ports.iter().enumerate() {
        let PortShape::Wire { position } = port.shape else { continue };
        let path = problem.sources.port_path(i);
        let wire = problem.thin_wires.iter().position(|wire| wire.name == port.surface).ok_or_else(|| {
            FieldError::new(
                format!("{path}.surface"),
                format!("there is no thin wire {:?}", port.surface),
                "name one of `geometry.thin_wires`",
            )
        })?;
        let resistance = port.resistance;
        let connection = Connection::Series;
        circuits.push(Circuit { resistance, inductance: None, capacitance: None, connection });
        taps.push(Tap { wire, position, path: format!("{path}.wire.position") });
    }
    for (i, wire) in problem.thin_wires.iter().enumerate() {
        for (k, load) in wire.loads.iter().enumerate() {
            circuits.push(load.circuit);
            let path = format!("geometry.thin_wires[{i}].lumped[{k}].position");
            taps.push(Tap { wire: i, position: load.position, path });
        }
    }
    Ok((taps, circuits))
}

/// The size of the elements on the axes of wires, and their medium.
fn surroundings(
    wires: &[ThinWire],
    domain: &Domain,
    locator: &Locator<'_>,
) -> Result<(f64, Material), DgtdError> {
    let mut size = 0.0_f64;
    let mut medium: Option<Material> = None;
    for (i, wire) in wires.iter().enumerate() {
        let path = format!("geometry.thin_wires[{i}]");
        let step = wire.length() / LOOKS as f64;
        for pair in wire.points.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(DVec3::from);
            let count = (from.distance(to) / step).ceil() as usize;
            // Not the ends, which may be on the boundary of the mesh.
            for k in 0..count {
                let point = from.lerp(to, (k as f64 + 0.5) / count as f64);
                let Some((tet, _)) = locator.find(point) else {
                    return Err(refused(wires, &Obstacle::Outside(i, point), 0.0));
                };
                let corners = domain.mesh.corners(tet).map(DVec3::from);
                let edges = TET_EDGES.iter().map(|[a, b]| corners[*a].distance_squared(corners[*b]));
                size = size.max((edges.sum::<f64>() / 6.0).sqrt());
                let material = domain.material(tet);
                let plain = material.sigma == 0.0 && material.poles.is_empty() && material.is_isotropic();
                if !plain || medium.as_ref().is_some_and(|medium| medium != material) || domain.in_pml(tet) {
                    return Err(FieldError::new(
                        path,
                        format!(
                            "the thin wire {:?} at ({:.4}, {:.4}, {:.4}) m lies in the volume {:?}, but thin wires need one lossless, isotropic \
                             material without poles, and no PML",
                            wire.name, point.x, point.y, point.z, domain.volume_name(tet)
                        ),
                        "move it, or draw it as a solid with its true radius",
                    )
                    .into());
                }
                medium = Some(material.clone());
            }
        }
    }
    Ok((size, medium.unwrap_or(Material::VACUUM)))
}

fn check_radii(wires: &[ThinWire], cloud: f64) -> Result<(), DgtdError> {
    let Some((i, wire)) = wires.iter().enumerate().find(|(_, wire)| wire.radius > THIN * cloud) else {
        return Ok(());
    };
    Err(FieldError::new(
        format!("geometry.thin_wires[{i}].radius"),
        format!(
            "the wire {:?} has a radius of {:.4} mm and is not thin: the elements around it resolve {:.4} mm",
            wire.name,
            1e3 * wire.radius,
            1e3 * cloud
        ),
        "draw it as a solid, or use larger elements",
    )
    .into())
}

fn refused(wires: &[ThinWire], obstacle: &Obstacle, cloud: f64) -> DgtdError {
    let (i, point, what) = match obstacle {
        Obstacle::Outside(i, point) => (*i, point, "is not in the mesh"),
        Obstacle::Curved(i, point) => (*i, point, "is in a curved element"),
    };
    FieldError::new(
        format!("geometry.thin_wires[{i}]"),
        format!(
            "the thin wire {:?}, whose current is spread over {:.4} mm around it, {what} at ({:.4}, {:.4}, {:.4}) m",
            wires[i].name, 1e3 * cloud, point.x, point.y, point.z
        ),
        "leave straight elements of one material around it",
    )
    .into()
}

/// What elements need: weights of the average, and the rates of E of their currents, −M⁻¹ weights/(ε J).
fn elements(domain: &Domain, element: &Element, weights: &Weights, medium: &Material) -> Vec<WireElement> {
    let n = element.len();
    // Column k of M⁻¹ is the projection of a point source at node k.
    let columns: Vec<Vec<f64>> = element.nodes.iter().map(|node| element.point_source(*node)).collect();
    let of = |(tet, currents): (&u32, &std::collections::BTreeMap<usize, Vec<f64>>)| {
        let shape = crate::geometry::Shape::of(&domain.mesh, *tet as usize);
        let scale = 1.0 / (shape.jacobian([0.25; 3]).determinant() * medium.eps);
        let average: Vec<f64> = currents.values().flatten().copied().collect();
        let rates = average
            .chunks(n)
            .flat_map(|weights| {
                (0..n).map(|i| scale * columns.iter().zip(weights).map(|(c, w)| c[i] * w).sum::<f64>()).collect::<Vec<_>>()
            })
            .collect();
        WireElement { tet: *tet, currents: currents.keys().map(|d| *d as u32).collect(), average, rates }
    };
    weights.iter().map(of).collect()
}

/// Λ and S: the interaction of segments beyond what the mesh has, in m over currents, and in 1/m over charges.
fn interactions(wires: &[ThinWire], paths: &Paths, cloud: f64) -> [Matrix; 2] {
    let kernel = WireKernel::new(cloud);
    let (n, m) = (paths.currents, paths.charges());
    let [mut inductance, mut elastance] = [n, m].map(|n| Matrix::from_fn(n, n, |_, _| 0.0));
    for a in paths.own() {
        for b in &paths.segments {
            let radius = if a.wire == b.wire { wires[a.wire].radius } else { 0.0 };
            let Some(moments) = kernel.moments(a.ends, b.ends, radius) else { continue };
            let [along_a, along_b] = [a, b].map(|s| s.ends[1] - s.ends[0]);
            let [length_a, length_b] = [along_a, along_b].map(DVec3::length);
            let parallel = along_a.dot(along_b) / (length_a * length_b);
            for (alpha, row) in a.currents.iter().enumerate() {
                for (beta, column) in b.currents.iter().enumerate() {
                    if let (Some(row), Some(column)) = (row, column) {
                        inductance.values[row * n + column] += parallel * moments[alpha][beta];
                    }
                }
            }
            let sign = if b.image { -1.0 } else { 1.0 };
            let sum: f64 = moments.iter().flatten().sum();
            elastance.values[a.charge * m + b.charge] += sign * sum / (length_a * length_b);
        }
    }
    // Integrals over the one segment are numerical, over the other exact.
    [inductance, elastance].map(|a| Matrix::from_fn(a.cols, a.cols, |i, j| 0.5 * (a.row(i)[j] + a.row(j)[i])))
}

/// The equations of the states.
struct Equations<'a> {
    wires: &'a [ThinWire],
    paths: &'a Paths,
    circuits: &'a [Circuit],
    medium: &'a Material,
}

impl Equations<'_> {
    fn assemble(&self, mut inductance: Matrix, mut elastance: Matrix) -> Result<WirePlan, DgtdError> {
        let (n, m) = (self.paths.currents, self.paths.charges());
        inductance.values.iter_mut().for_each(|value| *value *= self.medium.mu);
        elastance.values.iter_mut().for_each(|value| *value /= self.medium.eps);
        // μΛ i' = force · (i, u, x) + ⟨E⟩ + V, and rows of the other states.
        let loads: usize = self.circuits.iter().map(load_states).sum();
        let states = n + m + loads;
        let mut rows = Matrix::from_fn(states, states, |_, _| 0.0);
        let mut add = |row: usize, column: usize, value: f64| rows.values[row * states + column] += value;
        for segment in self.paths.own() {
            let [first, second] = segment.currents;
            for (current, sign) in [(first, -1.0), (second, 1.0)] {
                let Some(current) = current else { continue };
                // u' = i₀ − i₁ in the direction of the current; Gᵀ S u is the difference of potentials.
                add(n + segment.charge, current, -sign);
                for charge in 0..m {
                    add(current, n + charge, sign * elastance.row(segment.charge)[charge]);
                }
            }
            // R' ∫ φ φ ds.
            let length = segment.ends[0].distance(segment.ends[1]);
            let ohm = self.wires[segment.wire].resistance * length / ETA0;
            for (i, a) in segment.currents.iter().enumerate() {
                for (j, b) in segment.currents.iter().enumerate() {
                    if let (Some(a), Some(b)) = (a, b) {
                        add(*a, *b, -ohm * if i == j { 1.0 / 3.0 } else { 1.0 / 6.0 });
                    }
                }
            }
        }
        let mut next = n + m;
        for (circuit, &current) in self.circuits.iter().zip(&self.paths.taps) {
            let load = Load::new(circuit);
            inductance.values[current * n + current] += load.inductance;
            add(current, current, -load.direct);
            let k = load.input.len();
            for i in 0..k {
                add(current, next + i, -load.output[i]);
                add(next + i, current, load.input[i]);
                (0..k).for_each(|j| add(next + i, next + j, load.matrix[i * k + j]));
            }
            next += k;
        }
        let factor = Cholesky::new(&inductance).filter(|_| Cholesky::new(&elastance).is_some());
        let factor = factor.ok_or_else(|| not_thin(self.wires))?;
        let inverse = factor.inverse();
        let force = Matrix { cols: states, values: rows.values[..n * states].to_vec() };
        rows.values[..n * states].copy_from_slice(&inverse.times(&force).values);
        let energy = Matrix::from_fn(n + m, n + m, |i, j| match (i < n, j < n) {
            (true, true) => inductance.row(i)[j],
            (false, false) => elastance.row(i - n)[j - n],
            _ => 0.0,
        });
        let input = Matrix::from_fn(states, n, |i, j| if i < n { inverse.row(i)[j] } else { 0.0 });
        Ok(WirePlan {
            currents: n,
            states,
            matrix: rows.values,
            input: input.values,
            energy: energy.values,
            ..WirePlan::default()
        })
    }
}

fn not_thin(wires: &[ThinWire]) -> DgtdError {
    let i = (0..wires.len()).max_by(|a, b| wires[*a].radius.total_cmp(&wires[*b].radius)).unwrap_or(0);
    FieldError::new(
        format!("geometry.thin_wires[{i}]"),
        format!("the equations of the thin wire {:?} are not passive: wires are too close to each other, or too thick", wires[i].name),
        "thin wires must not touch or cross each other; draw those that do as solids, or use larger elements",
    )
    .into()
}

/// A lumped circuit in series with a wire: V = direct i + output·x, x' = matrix x + input i, and an inductance; relative to η₀.
#[derive(Default)]
struct Load {
    inductance: f64,
    direct: f64,
    matrix: Vec<f64>,
    input: Vec<f64>,
    output: Vec<f64>,
}

fn load_states(circuit: &Circuit) -> usize {
    Load::new(circuit).input.len()
}

impl Load {
    fn new(circuit: &Circuit) -> Self {
        // Relative to vacuum: inductances and capacitances in meters.
        let r = circuit.resistance.map(|ohm| ohm / ETA0);
        let l = circuit.inductance.map(|henry| henry * C0 / ETA0);
        let c = circuit.capacitance.map(|farad| farad * C0 * ETA0);
        match (circuit.connection, r, l, c) {
            (Connection::Series, ..) | (_, None, _, None) | (_, None, None, _) | (_, _, None, None) => {
                // C V' = i.
                let one = |value: f64| vec![value; usize::from(c.is_some())];
                Self {
                    inductance: l.unwrap_or(0.0),
                    direct: r.unwrap_or(0.0),
                    matrix: one(0.0),
                    input: one(c.map_or(0.0, f64::recip)),
                    output: one(1.0),
                }
            }
            // L I' = V = R (i − I).
            (Connection::Parallel, Some(r), Some(l), None) => {
                Self { direct: r, matrix: vec![-r / l], input: vec![r / l], output: vec![-r], ..Self::default() }
            }
            // C V' = i − V/R − I, L I' = V; states V and I √(L/C).
            (Connection::Parallel, r, l, Some(c)) => {
                let swing = l.map_or(0.0, |l| 1.0 / (l * c).sqrt());
                let g = r.map_or(0.0, f64::recip);
                if l.is_none() {
                    return Self { matrix: vec![-g / c], input: vec![1.0 / c], output: vec![1.0], ..Self::default() };
                }
                Self {
                    matrix: vec![-g / c, -swing, swing, 0.0],
                    input: vec![1.0 / c, 0.0],
                    output: vec![1.0, 0.0],
                    ..Self::default()
                }
            }
        }
    }
}
