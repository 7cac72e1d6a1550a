//! Settings that do not need the mesh.

use crate::error::DgtdError;
use crate::problem::{Flux, Initial, PortShape, Problem};
use glam::DVec3;
use phasefront_core::{FieldError, Precision};

fn refuse<T>(path: &str, message: impl Into<String>, advice: impl Into<String>) -> Result<T, DgtdError> {
    Err(FieldError::new(path, message, advice).into())
}

/// Supported polynomial orders.
pub const ORDERS: std::ops::RangeInclusive<usize> = 1..=6;

/// Refuses settings out of range.
pub fn check(problem: &Problem) -> Result<(), DgtdError> {
    if !ORDERS.contains(&problem.order) {
        return refuse(
            "solve.order",
            format!("order {} is not between 1 and 6", problem.order),
            "order 3 suits most cases",
        );
    }
    if !(problem.courant > 0.0 && problem.courant <= 1.0) {
        return refuse(
            "solve.courant",
            "the Courant factor must be positive and at most 1",
            "choose for example 0.9",
        );
    }
    if !(problem.stop.time.is_finite() && problem.stop.time > 0.0) {
        return refuse("solve.max_time", "the longest time must be positive", "write e.g. \"100 ns\"");
    }
    if !(problem.highest_frequency.is_finite() && problem.highest_frequency > 0.0) {
        return refuse("source.frequency", "frequencies must be positive", "write e.g. \"1 GHz\"");
    }
    if problem.monitors.frequencies.iter().any(|f| !(f.is_finite() && *f > 0.0)) {
        return refuse("source.frequency", "frequencies must be positive", "write e.g. \"1 GHz\"");
    }
    content(problem)?;
    snapshots(problem)?;
    lumped(problem)?;
    sources(problem)?;
    initial(problem)
}

/// Smallest spectral density of the pulse, relative to its maximum, at a requested frequency: spectra are divided by it, and below
/// this they are rounding noise. A pulse starts with 1e-13 of its peak, and single precision has seven digits.
fn least_content(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-4,
        Precision::Double => 1e-10,
    }
}

/// Refuses frequencies outside of the pulse's spectrum.
fn content(problem: &Problem) -> Result<(), DgtdError> {
    // Initial fields have no pulse.
    if problem.sources.initial.is_some() {
        return Ok(());
    }
    let least = least_content(problem.precision);
    let empty = |f: &&f64| problem.pulse.content(**f) < least;
    let Some(f) = problem.monitors.frequencies.iter().find(empty) else { return Ok(()) };
    refuse(
        "source.frequency",
        format!(
            "the pulse has no spectral content at {} GHz: {:.0e} of its maximum, and below {least:e} there is only rounding noise",
            1e-9 * f,
            problem.pulse.content(*f)
        ),
        "choose frequencies within the spectrum of the pulse, or leave out `pulse`, which then follows from `frequency`",
    )
}

/// Tolerance for perpendicular vectors, relative to their lengths: files have few digits.
const ACROSS: f64 = 1e-3;

/// Refuses initial fields that are zero, or not perpendicular to their wave vector.
fn initial(problem: &Problem) -> Result<(), DgtdError> {
    let (path, name, k, field) = match problem.sources.initial {
        None => return Ok(()),
        Some(Initial::Mode { k, a }) => ("source.initial.mode", "a", k, a),
        Some(Initial::Wave { k, e }) => ("source.initial.plane_wave", "e", k, e),
    };
    let (wave, vector) = (DVec3::from(k), DVec3::from(field));
    let size = wave.length() * vector.length();
    if !(size.is_finite() && size > 0.0) {
        return refuse(path, format!("k and {name} must not be zero"), "write for example [0.0, 0.0, 1.0]");
    }
    if wave.dot(vector).abs() > ACROSS * size {
        return refuse(
            &format!("{path}.amplitude"),
            format!(
                "{name} must be perpendicular to k, but {name}·k is {:.3} of the product of their lengths",
                wave.dot(vector) / size
            ),
            format!("choose a field orthogonal to k ({name}·k = 0)"),
        );
    }
    // E_x contains sin(k_y y) sin(k_z z), and cyclically.
    let gone = |axis: usize| field[axis] == 0.0 || k[(axis + 1) % 3] == 0.0 || k[(axis + 2) % 3] == 0.0;
    if path.ends_with("mode") && (0..3).all(gone) {
        return refuse(
            &format!("{path}.amplitude"),
            "the mode has no field: E_x contains sin(k_y y) sin(k_z z), and cyclically, and k is zero along an axis",
            "if k is zero along one axis, the field must be along that axis",
        );
    }
    Ok(())
}

fn snapshots(problem: &Problem) -> Result<(), DgtdError> {
    let end = problem.stop.time;
    // Nanoseconds to six digits behind the point, without noise from rounding.
    let short = |time: f64| (1e15 * time).round() / 1e6;
    // Allows for rounding of a range of times.
    let outside = |time: &&f64| !(**time >= 0.0 && **time <= (1.0 + 1e-9) * end);
    match problem.monitors.snapshots.iter().find(outside) {
        Some(time) => refuse(
            "output.snapshots",
            format!(
                "the run ends at {} ns at the latest, but a snapshot is requested at {} ns",
                short(end),
                short(*time)
            ),
            "choose earlier snapshots, or a longer `max_time` in [solve]",
        ),
        None => Ok(()),
    }
}

/// Refuses a surface of two lumped elements, or of one and a port: the later one would replace the other.
fn lumped(problem: &Problem) -> Result<(), DgtdError> {
    for (i, element) in problem.lumped.iter().enumerate() {
        let before = problem.lumped[..i].iter().map(|other| &other.surface);
        let ports = problem.sources.ports.iter().map(|port| &port.surface);
        if before.chain(ports).any(|surface| *surface == element.surface) {
            return refuse(
                &format!("geometry.lumped[{i}].surface"),
                format!(
                    "the surface {:?} is also that of another lumped element or of a port",
                    element.surface
                ),
                "give each a surface of its own; parts of one element are connected by `connection`",
            );
        }
    }
    Ok(())
}

fn sources(problem: &Problem) -> Result<(), DgtdError> {
    let sources = &problem.sources;
    if let Some(wave) = &sources.plane_wave {
        let dot: f64 = wave.propagation.iter().zip(wave.polarization).map(|(a, b)| a * b).sum();
        if dot.abs() > 1e-9 {
            return refuse(
                "source.plane_wave.polarization",
                "the polarization must be perpendicular to the direction of propagation (E·k = 0)",
                "choose one orthogonal to k",
            );
        }
    }
    for (i, port) in sources.ports.iter().enumerate() {
        // Wave ports have the impedance of their mode.
        let wanted = port.resistance.or(port.shape.is_wave().then_some(1.0)).unwrap_or(f64::NAN);
        if !(wanted.is_finite() && wanted > 0.0) {
            return refuse(
                &format!("{}.resistance", problem.sources.port_path(i)),
                "the resistance must be positive",
                "write e.g. \"50 ohm\"",
            );
        }
        if let PortShape::Coaxial { inner, outer, .. } = port.shape
            && !(inner > 0.0 && outer > inner)
        {
            return refuse(
                &format!("{}.coaxial", problem.sources.port_path(i)),
                "the outer radius must exceed the inner one, and both must be positive",
                "give the radii of the two conductors",
            );
        }
    }
    if !sources.ports.is_empty() && sources.excited >= sources.ports.len() {
        return refuse(
            "source.excite",
            format!("there is no port {} to excite", sources.excited + 1),
            "ports are numbered from 1, in the order of `ports`",
        );
    }
    if problem.flux == Flux::Central && (!sources.ports.is_empty() || has_sheets(problem)) {
        return refuse(
            "solve.flux",
            "flux = \"central\" does not support resistive sheets, lossy conductors, lumped elements or ports",
            "use \"upwind\"",
        );
    }
    Ok(())
}

fn has_sheets(problem: &Problem) -> bool {
    use crate::problem::Boundary::{Conductor, ResistiveSheet};
    !problem.lumped.is_empty()
        || problem.boundaries.iter().any(|(_, b)| matches!(b, ResistiveSheet(_) | Conductor(_)))
}
