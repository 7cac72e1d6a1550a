//! What is refused before anything runs.

use crate::error::DgtdError;
use crate::material::{Material, Pole};
use crate::problem::{Flux, PortShape, Problem};
use phasefront_core::FieldError;

fn refuse<T>(path: &str, message: impl Into<String>, advice: impl Into<String>) -> Result<T, DgtdError> {
    Err(FieldError::new(path, message, advice).into())
}

/// Orders that there are.
pub const ORDERS: std::ops::RangeInclusive<usize> = 1..=6;

/// Settings that do not need the mesh.
pub fn settings(problem: &Problem) -> Result<(), DgtdError> {
    if !ORDERS.contains(&problem.order) {
        return refuse(
            "solve.order",
            format!("order {} is not from 1 to 6", problem.order),
            "3 serves most cases",
        );
    }
    if !(problem.courant > 0.0 && problem.courant <= 1.0) {
        return refuse(
            "solve.courant",
            "the time step must be above zero and at most the stable one",
            "write a number up to 1, such as 0.9",
        );
    }
    if !(problem.stop.time.is_finite() && problem.stop.time > 0.0) {
        return refuse("solve.time", "the longest time must be above zero", "write e.g. \"100 ns\"");
    }
    if !(problem.highest_frequency.is_finite() && problem.highest_frequency > 0.0) {
        return refuse("source.frequency", "frequencies must be above zero", "write e.g. \"1 GHz\"");
    }
    if problem.monitors.frequencies.iter().any(|f| !(f.is_finite() && *f > 0.0)) {
        return refuse("source.frequency", "frequencies must be above zero", "write e.g. \"1 GHz\"");
    }
    sources(problem)
}

fn sources(problem: &Problem) -> Result<(), DgtdError> {
    let sources = &problem.sources;
    if let Some(wave) = &sources.plane_wave {
        let dot: f64 = wave.propagation.iter().zip(wave.polarization).map(|(a, b)| a * b).sum();
        if dot.abs() > 1e-9 {
            return refuse(
                "source.plane_wave.polarization",
                "the field of a plane wave lies across its way",
                "turn it",
            );
        }
    }
    for (i, port) in sources.ports.iter().enumerate() {
        if !(port.resistance.is_finite() && port.resistance > 0.0) {
            return refuse(
                &format!("source.ports[{i}].resistance"),
                "the resistance must be above zero",
                "write e.g. \"50 ohm\"",
            );
        }
        if let PortShape::Coaxial { inner, outer, .. } = port.shape
            && !(inner > 0.0 && outer > inner)
        {
            return refuse(
                &format!("source.ports[{i}].coaxial"),
                "the outer radius must be above the inner one, and that above zero",
                "give the radii of the two conductors",
            );
        }
    }
    if problem.flux == Flux::Central && (!sources.ports.is_empty() || has_sheets(problem)) {
        return refuse("solve.flux", "the central flux knows no sheets and no ports", "use \"upwind\"");
    }
    Ok(())
}

fn has_sheets(problem: &Problem) -> bool {
    problem.boundaries.iter().any(|(_, b)| matches!(b, crate::problem::Boundary::Resistive(_)))
}

/// The constants of a material.
pub fn material(path: &str, material: &Material) -> Result<(), DgtdError> {
    for (name, value) in [("eps", material.eps), ("mu", material.mu)] {
        if !(value.is_finite() && value > 0.0) {
            return refuse(
                &format!("{path}.{name}"),
                format!("{name} must be above zero, and is {value}"),
                "a material with a negative permittivity at some frequency is a Drude or Lorentz term beside a positive eps",
            );
        }
    }
    if !(material.sigma.is_finite() && material.sigma >= 0.0) {
        return refuse(
            &format!("{path}.sigma"),
            "a conductivity is not negative",
            "leave it out for a lossless material",
        );
    }
    for pole in &material.poles {
        let (name, values): (&str, &[f64]) = match pole {
            Pole::Debye { delta, tau } => ("debye", &[*delta, *tau]),
            Pole::Drude { plasma, damping } => ("drude", &[*plasma, *damping]),
            Pole::Lorentz { delta, resonance, damping } => ("lorentz", &[*delta, *resonance, *damping]),
        };
        let zero_damping = matches!(pole, Pole::Drude { .. } | Pole::Lorentz { .. });
        let (last, first) = values.split_last().map_or((0.0, &[][..]), |(l, f)| (*l, f));
        let fine = first.iter().all(|v| v.is_finite() && *v > 0.0)
            && last.is_finite()
            && (last > 0.0 || (zero_damping && last == 0.0));
        if !fine {
            return refuse(
                &format!("{path}.{name}"),
                format!("the {name} term has a constant that is not above zero"),
                "its constants are above zero; only damping may be zero",
            );
        }
    }
    Ok(())
}
