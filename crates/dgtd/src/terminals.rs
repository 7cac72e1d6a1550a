//! Terminals of lines: the conductors of a wave port in place of its modes.
//!
//! The voltages of conductors against the ground are v = T V, where T has their potentials in each mode and V are the modes' voltages. Power is
//! the same in both, vᵀi = VᵀI for all V, so that their currents are i = T⁻ᵀ I (C. R. Paul, *Analysis of Multiconductor Transmission Lines*,
//! 2nd ed., 2008, section 7.2).

use crate::domain::{Domain, mesh_error_at};
use crate::error::DgtdError;
use crate::geometry::{Edge, edges_of};
use crate::ports::PortPlan;
use crate::problem::Problem;
use crate::wave_port::WavePort;
use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;
use num_complex::Complex64;
use phasefront_core::FieldError;
use std::collections::BTreeSet;
use std::ops::Range;

/// Difference of potentials, of a mode of 1 V, that is none.
const SAME: f64 = 1e-6;

/// The terminals of a wave port.
#[derive(Debug, Clone)]
pub struct Terminals {
    /// Its modes among the ports of the problem, as many as terminals.
    pub ports: Range<usize>,
    /// T: a row for each terminal, a column for each mode.
    voltages: Mat<f64>,
    /// T⁻ᵀ.
    currents: Mat<f64>,
}

impl Terminals {
    /// Of all wave ports that have some.
    pub fn all(problem: &Problem, domain: &Domain, plans: &[PortPlan]) -> Result<Vec<Self>, DgtdError> {
        let of =
            |(surface, names): &(String, Vec<String>)| Self::new(problem, domain, plans, (surface, names));
        problem.sources.terminals.iter().map(of).collect()
    }

    fn new(
        problem: &Problem,
        domain: &Domain,
        plans: &[PortPlan],
        (surface, names): (&str, &[String]),
    ) -> Result<Self, DgtdError> {
        let ports = &problem.sources.ports;
        let first = ports.iter().position(|port| port.surface == surface).unwrap_or_default();
        let waves: Vec<&WavePort> = plans[first..].iter().map_while(|plan| plan.wave.as_ref()).collect();
        // The modes of one port have one cross section.
        let waves: Vec<&WavePort> = waves.iter().copied().take_while(|wave| wave.is_of(waves[0])).collect();
        let count = waves.len();
        let path = format!("{}.wave.terminals", problem.sources.port_path(first));
        let mut others = waves.first().map(|wave| wave.conductor_edges()).unwrap_or_default();
        let mut rows = Vec::with_capacity(count + 1);
        for (i, name) in names.iter().enumerate() {
            let group = domain.mesh.surface(name).map_err(mesh_error_at(format!("{path}[{i}]")))?;
            let faces = domain.faces.faces_in(group).map(|(tet, face)| domain.mesh.face(tet, face));
            let edges: BTreeSet<Edge> = faces.flat_map(edges_of).collect();
            others.retain(|edge| !edges.contains(edge));
            rows.push(potentials(&waves, &edges).map_err(|why| {
                let (message, advice) = why.of_terminal(name, surface);
                FieldError::new(format!("{path}[{i}]"), message, advice)
            })?);
        }
        let same = |(i, row): (usize, &Vec<f64>)| {
            let other =
                rows[..i].iter().position(|other| row.iter().zip(other).all(|(a, b)| (a - b).abs() < SAME));
            Some([i, other?])
        };
        if let Some([i, other]) = rows.iter().enumerate().find_map(same) {
            let message = format!(
                "the terminals {:?} and {:?} are one conductor on the wave port {surface:?}",
                names[other], names[i]
            );
            let advice = "name each conductor once, and give each a surface of its own";
            return Err(FieldError::new(format!("{path}[{i}]"), message, advice).into());
        }
        let ground = potentials(&waves, &others).map_err(|why| {
            let (message, advice) = why.of_ground(surface);
            FieldError::new(&*path, message, advice)
        })?;
        let is_ground = |row: &Vec<f64>| row.iter().zip(&ground).all(|(a, b)| (a - b).abs() < SAME);
        if let Some(i) = rows.iter().position(is_ground) {
            let message = format!("the terminal {:?} is the ground on the wave port {surface:?}", names[i]);
            let advice = "leave it out: voltages are those against the conductor that is no terminal";
            return Err(FieldError::new(format!("{path}[{i}]"), message, advice).into());
        }
        let voltages = Mat::from_fn(rows.len(), count, |t, mode| rows[t][mode] - ground[mode]);
        // Potentials of lines are independent, and so are their differences if no two conductors are one.
        let currents = voltages.partial_piv_lu().inverse().transpose().to_owned();
        Ok(Self { ports: first..first + count, voltages, currents })
    }

    /// Series impedance R + jωL, Ω/m, and shunt admittance G + jωC, S/m, per length, rows by columns, from γ and Z of its modes: T diag(γZ) Tᵀ
    /// and T⁻ᵀ diag(γ/Z) T⁻¹.
    pub fn per_length(&self, modes: &[[Complex64; 2]]) -> [Vec<Vec<Complex64>>; 2] {
        let product = |matrix: &Mat<f64>, of: fn([Complex64; 2]) -> Complex64| {
            let at = |i: usize, j: usize| -> Complex64 {
                modes.iter().enumerate().map(|(m, mode)| matrix[(i, m)] * matrix[(j, m)] * of(*mode)).sum()
            };
            (0..modes.len()).map(|i| (0..modes.len()).map(|j| at(i, j)).collect()).collect()
        };
        [
            product(&self.voltages, |[gamma, impedance]| gamma * impedance),
            product(&self.currents, |[gamma, impedance]| gamma / impedance),
        ]
    }

    /// Voltages and currents of the modes of all ports to those of the terminals of this one.
    pub fn apply(&self, voltages: &mut [Complex64], currents: &mut [Complex64]) {
        for (values, matrix) in [(voltages, &self.voltages), (currents, &self.currents)] {
            let modes = values[self.ports.clone()].to_vec();
            for (t, value) in values[self.ports.clone()].iter_mut().enumerate() {
                *value = modes.iter().enumerate().map(|(mode, x)| matrix[(t, mode)] * x).sum();
            }
        }
    }
}

/// Why edges are no conductor of a line.
enum NoConductor {
    NotALine,
    Apart,
    Several,
}

impl NoConductor {
    fn of_terminal(&self, name: &str, surface: &str) -> (String, &'static str) {
        match self {
            Self::NotALine => (
                format!(
                    "the wave port {surface:?} has more terminals than lines: one of its modes has a cut-off"
                ),
                "a port has one terminal fewer than conductors: name all but the ground",
            ),
            Self::Apart => (
                format!("the terminal {name:?} has no edge on the wave port {surface:?}"),
                "a terminal is the surface of a conductor that meets the port: name another, or extend it to the port",
            ),
            Self::Several => (
                format!("the terminal {name:?} is several conductors on the wave port {surface:?}"),
                "give each conductor a surface of its own name",
            ),
        }
    }

    fn of_ground(&self, surface: &str) -> (String, &'static str) {
        match self {
            Self::NotALine | Self::Apart => (
                format!("all conductors of the wave port {surface:?} are terminals"),
                "leave out the ground: voltages are those against it",
            ),
            Self::Several => (
                format!("the wave port {surface:?} has several conductors that are no terminals"),
                "name all but the ground: voltages are those against it",
            ),
        }
    }
}

/// The potential of the conductor that these edges are on, in each mode.
fn potentials(waves: &[&WavePort], edges: &BTreeSet<Edge>) -> Result<Vec<f64>, NoConductor> {
    let of_mode = |wave: &&WavePort| {
        let found = wave.potentials(edges).ok_or(NoConductor::NotALine)?;
        let first = *found.first().ok_or(NoConductor::Apart)?;
        let same = found.iter().all(|volt| (volt - first).abs() < SAME);
        if same { Ok(first) } else { Err(NoConductor::Several) }
    };
    waves.iter().map(of_mode).collect()
}
