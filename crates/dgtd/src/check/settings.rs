//! What is refused before anything runs.

use crate::error::DgtdError;
use crate::problem::{Flux, Initial, PortShape, Problem};
use glam::DVec3;
use phasefront_core::{FieldError, Precision};

fn refuse<T>(path: &str, message: impl Into<String>, advice: impl Into<String>) -> Result<T, DgtdError> {
    Err(FieldError::new(path, message, advice).into())
}

/// Orders that there are.
pub const ORDERS: std::ops::RangeInclusive<usize> = 1..=6;

/// Settings that do not need the mesh.
pub fn check(problem: &Problem) -> Result<(), DgtdError> {
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
    content(problem)?;
    snapshots(problem)?;
    sources(problem)?;
    initial(problem)
}

/// The least part of its largest spectral density that a pulse may have at a frequency that is asked for: what comes back is
/// divided by it, and below this it is all rounding. A pulse begins with 1e-13 of its peak, and single precision has seven digits.
fn least_content(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-4,
        Precision::Double => 1e-10,
    }
}

/// Refuses frequencies that the pulse does not hold.
fn content(problem: &Problem) -> Result<(), DgtdError> {
    if problem.sources.initial.is_some() {
        return Ok(());
    }
    let least = least_content(problem.precision);
    let empty = |f: &&f64| problem.pulse.content(**f) < least;
    let Some(f) = problem.monitors.frequencies.iter().find(empty) else { return Ok(()) };
    refuse(
        "source.frequency",
        format!(
            "the pulse has nothing at {} GHz: {:.0e} of its largest spectral density, and below {least:e} there is only rounding",
            1e-9 * f,
            problem.pulse.content(*f)
        ),
        "ask for frequencies that the pulse holds, or leave out `pulse`: it follows from `frequency` then",
    )
}

/// How far, in parts of their lengths, vectors may be from square to each other: files have few digits.
const ACROSS: f64 = 1e-3;

/// Refuses initial fields that are none, or not across their wave vector.
fn initial(problem: &Problem) -> Result<(), DgtdError> {
    let (path, name, k, field) = match problem.sources.initial {
        None => return Ok(()),
        Some(Initial::Mode { k, a }) => ("source.initial.mode", "a", k, a),
        Some(Initial::Wave { k, e }) => ("source.initial.wave", "e", k, e),
    };
    let (wave, vector) = (DVec3::from(k), DVec3::from(field));
    let size = wave.length() * vector.length();
    if !(size.is_finite() && size > 0.0) {
        return refuse(path, format!("k and {name} need a length"), "write for example [0.0, 0.0, 1.0]");
    }
    if wave.dot(vector).abs() > ACROSS * size {
        return refuse(
            &format!("{path}.{name}"),
            format!(
                "{name} must be across k, and {name}·k is {:.3} of their lengths",
                wave.dot(vector) / size
            ),
            "a wave has no field along its way: turn it, so that the sum of the products of their components is zero",
        );
    }
    // E_x goes with sin(k_y y) sin(k_z z), and so on round.
    let gone = |axis: usize| field[axis] == 0.0 || k[(axis + 1) % 3] == 0.0 || k[(axis + 2) % 3] == 0.0;
    if path.ends_with("mode") && (0..3).all(gone) {
        return refuse(
            &format!("{path}.a"),
            "the mode has no field: E_x goes with sin(k_y y) sin(k_z z), and so on round, and k is zero along an axis",
            "where k is zero along one axis, the field goes along that axis",
        );
    }
    Ok(())
}

fn snapshots(problem: &Problem) -> Result<(), DgtdError> {
    let end = problem.stop.time;
    let short = |time: f64| (1e15 * time).round() / 1e6;
    // Rounding of a range of times.
    let outside = |time: &&f64| !(**time >= 0.0 && **time <= (1.0 + 1e-9) * end);
    match problem.monitors.snapshots.iter().find(outside) {
        Some(time) => refuse(
            "output.snapshots",
            format!(
                "the run ends at {} ns at the latest, and a snapshot is asked for at {} ns",
                short(end),
                short(*time)
            ),
            "ask for times up to that, or give a longer `time` in [solve]",
        ),
        None => Ok(()),
    }
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
    if !sources.ports.is_empty() && sources.driven >= sources.ports.len() {
        return refuse(
            "source.driven",
            format!("there is no port {} to drive", sources.driven + 1),
            "ports count from 1, in the order of `ports`",
        );
    }
    if problem.flux == Flux::Central && (!sources.ports.is_empty() || has_sheets(problem)) {
        return refuse("solve.flux", "the central flux knows no sheets and no ports", "use \"upwind\"");
    }
    Ok(())
}

fn has_sheets(problem: &Problem) -> bool {
    problem.boundaries.iter().any(|(_, b)| matches!(b, crate::problem::Boundary::Resistive(_)))
}
