//! Modes of wave ports below their cut-off, modes that a port does not count, and open sides of guides.

use crate::error::DgtdError;
use crate::ports::PortPlan;
use crate::problem::Problem;
use phasefront_core::FieldError;

/// Refuses modes that no frequency of the run lets propagate; warns of frequencies below a cut-off, of guides that carry more modes than
/// are asked for, and of absorbing sides.
pub fn check(problem: &Problem, ports: &[PortPlan]) -> Result<Vec<String>, DgtdError> {
    let mut warnings = Vec::new();
    let frequencies = &problem.monitors.frequencies;
    let near = problem.middle_frequency();
    for guide in problem.guides.iter().filter(|guide| guide.on_absorbing) {
        warnings.push(format!(
            "the wave port {:?} borders on an \"absorbing\" side, which its modes and the guide behind it take as a magnetic wall: put the \
             side where the field of the line is weak",
            guide.surface
        ));
    }
    for (i, (port, plan)) in problem.sources.ports.iter().zip(ports).enumerate() {
        let Some(wave) = &plan.wave else { continue };
        let below = frequencies.iter().filter(|f| !wave.propagates(**f)).count();
        let gigahertz = 1e-9 * wave.cutoff_frequency(near);
        let name = &port.surface;
        if below > 0 && below == frequencies.len() {
            return Err(FieldError::new(
                format!("{}.wave.modes", problem.sources.port_path(i)),
                format!("port {}, a mode of {name:?}, has its cut-off at {gigahertz:.4} GHz, above all frequencies", i + 1),
                "ask for fewer modes, or for frequencies above the cut-off",
            )
            .into());
        }
        if below > 0 {
            warnings.push(format!(
                "port {}, a mode of {name:?}, has its cut-off at {gigahertz:.4} GHz: it carries no power at {below} of {} frequencies, and its \
                 S-parameters are zero there",
                i + 1,
                frequencies.len()
            ));
        }
        let last = problem.sources.ports[i + 1..].iter().all(|later| later.surface != *name);
        let highest = frequencies.iter().copied().fold(0.0, f64::max);
        let next = wave.next_cutoff_frequency(near).filter(|next| last && *next < highest);
        if let Some(next) = next {
            warnings.push(format!(
                "the guide at {name:?} carries another mode from {:.4} GHz on, which no port counts: its power is missing; raise `modes`",
                1e-9 * next
            ));
        }
    }
    Ok(warnings)
}
