//! The aspect and frequency for which hot spots are computed.

use super::polarization::POLARIZATIONS;
use phasefront_case::model::Toggle;
use phasefront_case::model::sbr::HotSpotAspect;
use phasefront_sbr::{Direction, Problem, Solution};

/// Indices of the aspect and the frequency with the largest amplitude among those that the case selects.
pub(super) fn strongest(
    wanted: &Toggle<HotSpotAspect>,
    problem: &Problem,
    solution: &Solution,
) -> Option<(usize, usize)> {
    let is_wanted = |aspect: usize, frequency: usize| match wanted {
        Toggle::Off => false,
        Toggle::On => true,
        Toggle::Table(selected) => {
            let Direction { theta, phi } = problem.aspects[aspect].incident;
            selected.is(theta, phi, problem.frequencies[frequency])
        }
    };
    let echo = |&(aspect, frequency): &(usize, usize)| {
        let scattering = &solution.frequencies[frequency].scattering[aspect];
        POLARIZATIONS.iter().map(|(_, pick)| pick(scattering).norm()).fold(0.0, f64::max)
    };
    let all = (0..problem.frequencies.len())
        .flat_map(|f| (0..problem.aspects.len()).map(move |aspect| (aspect, f)));
    all.filter(|&(aspect, f)| is_wanted(aspect, f)).max_by(|a, b| echo(a).total_cmp(&echo(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;
    use phasefront_sbr::{Aspect, Counts, FrequencySolution, ScatteringMatrix};

    #[test]
    fn the_strongest_aspect_is_found_among_those_selected() {
        let direction = |phi: f64| Aspect::monostatic(Direction::degrees(90.0, phi));
        let problem = Problem {
            frequencies: vec![9e9, 10e9],
            aspects: vec![direction(0.0), direction(1.0), direction(2.0)],
            ..Problem::default()
        };
        let echo = |hh: f64| ScatteringMatrix {
            vv: Complex64::new(0.1, 0.0),
            vh: Complex64::ZERO,
            hv: Complex64::ZERO,
            hh: Complex64::new(0.0, hh),
        };
        let at = |frequency: f64, echoes: [f64; 3]| FrequencySolution {
            frequency,
            scattering: echoes.map(echo).to_vec(),
        };
        let solution = Solution {
            frequencies: vec![at(9e9, [1.0, 5.0, 2.0]), at(10e9, [3.0, 4.0, 1.0])],
            counts: Counts::default(),
        };
        let found = |text: &str| strongest(&serde_json::from_str(text).unwrap(), &problem, &solution);
        assert_eq!(found("true"), Some((1, 0)));
        assert_eq!(found(r#"{ "theta": "90 deg", "phi": "0 deg" }"#), Some((0, 1)));
        assert_eq!(found(r#"{ "theta": "90 deg", "phi": "2 deg", "frequency": "10 GHz" }"#), Some((2, 1)));
        assert_eq!(found("false"), None);
    }
}
