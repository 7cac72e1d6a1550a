//! The far field of a design as other programs take it.

use crate::error::ReflectarrayError;
use crate::pattern::Pattern;
use crate::post::scaled_array_factors;
use crate::problem::{Design, Problem};
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use phasefront_pattern::{Pattern as FarField, Powers, UvField};
use std::f64::consts::{FRAC_PI_2, PI};

/// The far field of a design at each frequency over θ × φ, rad, for one watt of radiated power.
///
/// A cell that reflects a field polarized at the angle χ from x radiates E_θ ∝ cos φ' and E_φ ∝ −cos θ sin φ' with φ' = φ − χ; its
/// co-polar part (Ludwig's third definition) is cos²φ' + cos θ sin²φ', which has the element power pattern. The cross-polar field of a
/// sampled feed is reflected at χ + 90°.
pub fn far_fields(
    problem: &Problem,
    design: &Design,
    theta: &[f64],
    phi: &[f64],
) -> Result<Vec<FarField>, ReflectarrayError> {
    let angles: Vec<[f64; 2]> = theta.iter().flat_map(|&t| phi.iter().map(move |&p| [t, p])).collect();
    let directions: Vec<[f64; 2]> =
        angles.iter().map(|[t, p]| [t.sin() * p.cos(), t.sin() * p.sin()]).collect();
    // Radiation intensity |E|²/2η₀ = D/4π for one watt.
    let volts = (ETA0 / (2.0 * PI)).sqrt();
    let polarizations = [0.0, FRAC_PI_2].map(|across| problem.feed.polarization + across);
    let at = |&frequency: &f64| {
        let factors = scaled_array_factors(problem, design, frequency, &directions)?;
        let field = |(i, [theta, phi]): (usize, &[f64; 2])| {
            let cos = theta.cos();
            let mut sum = [Complex64::ZERO; 2];
            for (polarization, factor) in
                polarizations.iter().zip(&factors).filter(|(_, factor)| !factor.is_empty())
            {
                let (s, c) = (phi - polarization).sin_cos();
                // The co-polar component carries the element pattern: the others follow from their
                // ratios to it. It vanishes on the horizon across the polarization.
                let co = c * c + cos * s * s;
                let share =
                    problem.element.field(cos * cos) * factor[i] * if co > 0.0 { volts / co } else { 0.0 };
                sum[0] += share * c;
                sum[1] -= share * cos * s;
            }
            sum
        };
        let fields = angles.iter().enumerate().map(field).collect();
        let powers = Powers { radiated: Some(1.0), ..Powers::default() };
        Ok(FarField::new(frequency, theta.to_vec(), phi.to_vec(), fields, powers)?)
    };
    problem.frequencies.iter().map(at).collect()
}

/// Patterns on the (u, v) grid of their problem for a radiated power of 4π W, for which GRASP's |E|² is the directivity. Without a
/// cross-polar component it is zero.
///
/// Components of files refer to +x; here they refer to the polarization χ: e_co(χ) = cos χ e_co(0) + sin χ e_cross(0).
pub fn uv_fields(problem: &Problem, patterns: &[Pattern]) -> Vec<UvField> {
    let (sin, cos) = problem.feed.polarization.sin_cos();
    let volts = (2.0 * ETA0).sqrt();
    let of = |pattern: &Pattern| {
        let field = |(i, co): (usize, &Complex64)| {
            let cross = pattern.e_cross.as_ref().map_or(Complex64::ZERO, |e| e[i]);
            [co * cos - cross * sin, co * sin + cross * cos].map(|component| component * volts)
        };
        UvField {
            frequency: pattern.frequency,
            u: problem.uv_grid.u(),
            v: problem.uv_grid.v(),
            fields: pattern.e_co.iter().enumerate().map(field).collect(),
        }
    };
    patterns.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Feed, FeedPattern, Lattice, Method, Outputs, Placement, Synthesis, UvGrid};
    use phasefront_pattern::Component;

    fn problem(polarization: f64) -> Problem {
        Problem {
            frequencies: vec![15e9],
            feed: Feed {
                offset: 0.1,
                height: 0.2,
                pattern: FeedPattern::Cosine { power_exponent: 6.0 },
                polarization,
            },
            element: Element { power_exponent: 1.0, reflection: None },
            lattice: Lattice { elements: [1, 1], spacing: [0.01; 2] },
            placement: Placement::Periodic,
            design: None,
            focus: None,
            coverage: Vec::new(),
            outside: None,
            uv_grid: UvGrid { center: [0.1, 0.2], points: [3, 3], spacing: 0.1 },
            synthesis: Synthesis { method: Method::Analysis, ..Synthesis::default() },
            outputs: Outputs { cross_polar: true, sensitivity: None },
        }
    }

    /// One element whose co-polar power pattern is cos θ has D = 4 cos θ: along θ in the plane of its polarization, along φ across it.
    #[test]
    fn the_field_of_one_element_is_known() {
        let polarization = 0.4;
        let problem = problem(polarization);
        let theta = [0.0_f64, 0.3, 0.9];
        let planes = [polarization, polarization + PI / 2.0];
        let fields = far_fields(&problem, &problem.initial_design(), &theta, &planes).unwrap();
        let gain = fields[0].gain(1.0);
        for (i, theta) in theta.iter().enumerate() {
            for plane in 0..2 {
                let (d, field) = (gain[2 * i + plane], fields[0].at(i, plane));
                assert!((d / (4.0 * theta.cos()) - 1.0).abs() < 1e-5, "{d}");
                assert!(field[1 - plane].norm() < 1e-10);
            }
        }
    }

    /// The same field in both forms, at a polarization between the axes.
    #[test]
    fn components_on_the_grid_are_those_of_the_far_field() {
        let problem = problem(0.4);
        let study = crate::prepare(problem.clone()).unwrap();
        let solution = study.analyze(problem.initial_design(), &phasefront_device::Backend::Cpu).unwrap();
        let grid = &uv_fields(&problem, &solution.patterns)[0];
        let (u, v) = (grid.u[2], grid.v[0]);
        let (theta, phi) = (u.hypot(v).asin(), v.atan2(u));
        let far = &far_fields(&problem, &solution.design, &[theta], &[phi]).unwrap()[0];
        for (component, on_grid) in
            [Component::Co(0.0), Component::Cross(0.0)].into_iter().zip(grid.fields[2])
        {
            // 4π W instead of one.
            let expected = component.of(far.at(0, 0), phi) * (4.0 * PI).sqrt();
            assert!((on_grid - expected).norm() < 1e-6 * far.at(0, 0)[0].norm(), "{on_grid} {expected}");
        }
    }
}
