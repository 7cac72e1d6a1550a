//! Unambiguous windows of range profiles and ISAR images against the extent of the target, as known before the run.

use super::imaging::{Rotation, rotation};
use phasefront_case::model::sbr::Output;
use phasefront_core::SelfCheck;
use phasefront_core::constants::C0;
use phasefront_sbr::Problem;

/// Self-checks of the windows that the requested outputs have.
pub(super) fn self_checks(problem: &Problem, output: &Output) -> Vec<SelfCheck> {
    let mut checks = Vec::new();
    let Some(df) = step(&problem.frequencies) else { return checks };
    if output.range_profile.is_some() {
        let along = |s: [f64; 3]| extent(problem, s);
        let needed =
            problem.aspects.iter().map(|aspect| along(toward(aspect.incident.theta, aspect.incident.phi)));
        let needed = needed.fold(0.0, f64::max);
        checks.push(range_check("range window of profiles", C0 / (2.0 * df), needed, df));
    }
    if output.isar.is_some() {
        let Rotation { about_z, angles, foreshortening, .. } = rotation(problem);
        let middle = 0.5 * (angles[0] + angles[angles.len() - 1]);
        let incident = problem.aspects[0].incident;
        // Down range and cross range at the middle angle, in the plane of rotation.
        let (down, cross) = if about_z {
            let (sin, cos) = middle.sin_cos();
            ([cos, sin, 0.0], [-sin, cos, 0.0])
        } else {
            (toward(middle, incident.phi), toward(middle + std::f64::consts::FRAC_PI_2, incident.phi))
        };
        let window = C0 / (2.0 * df * foreshortening);
        checks.push(range_check("down-range window of the image", window, extent(problem, down), df));
        if let Some(dphi) = step(&angles) {
            // At the highest frequency, where it is narrowest.
            let highest = problem.frequencies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let window = C0 / (2.0 * highest * foreshortening * dphi);
            checks.push(cross_range_check(window, extent(problem, cross), dphi));
        }
    }
    checks
}

fn range_check(name: &str, window: f64, needed: f64, df: f64) -> SelfCheck {
    let sentence = if window >= needed {
        format!("Frequency steps of {:.4} MHz show all of the target without ambiguity.", 1e-6 * df)
    } else {
        format!(
            "the {name}, c/2Δf = {window:.3} m for steps of {:.4} MHz, is shorter than the {needed:.3} m that the target \
             takes about the origin: parts of it are aliased; give source.frequency at least {} times as many points",
            1e-6 * df,
            tenths(needed / window)
        )
    };
    SelfCheck::at_least(name, window, needed, sentence).in_unit("m")
}

fn cross_range_check(window: f64, needed: f64, dphi: f64) -> SelfCheck {
    let step = dphi.to_degrees();
    let sentence = if window >= needed {
        format!("Angle steps of {step:.4} deg show all of the target without ambiguity.")
    } else {
        format!(
            "the cross-range window of the image, λ/2Δφ = {window:.3} m for steps of {step:.4} deg, is narrower than the \
             {needed:.3} m that the target takes about the origin: parts of it are aliased; give the swept angle of \
             source at least {} times as many points",
            tenths(needed / window)
        )
    };
    SelfCheck::at_least("cross-range window of the image", window, needed, sentence).in_unit("m")
}

/// Rounded up to one decimal.
fn tenths(ratio: f64) -> f64 {
    (10.0 * ratio).ceil() / 10.0
}

/// The step of values in equal, increasing steps; `None` for fewer than two.
fn step(values: &[f64]) -> Option<f64> {
    let (first, last) = (values.first()?, values.last()?);
    (last > first).then(|| (last - first) / (values.len() - 1) as f64)
}

/// Unit vector toward a direction.
fn toward(theta: f64, phi: f64) -> [f64; 3] {
    let ((sin_t, cos_t), (sin_p, cos_p)) = (theta.sin_cos(), phi.sin_cos());
    [sin_t * cos_p, sin_t * sin_p, cos_t]
}

/// What the target takes of a window that is centered on the origin: twice the largest distance from there.
fn extent(problem: &Problem, along: [f64; 3]) -> f64 {
    let mesh = &problem.mesh;
    let corners = mesh.triangles.iter().flatten().map(|&i| mesh.vertices[i as usize]);
    2.0 * corners.map(|p| (0..3).map(|k| along[k] * p[k]).sum::<f64>().abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::targets::plate;
    use phasefront_sbr::{Aspect, Direction, RangeProfile, Window, range_profile};

    fn problem(shift: f64, points: u32) -> Problem {
        let frequencies = (0..points).map(|i| 9e9 + 1e9 * f64::from(i) / f64::from(points - 1)).collect();
        let mesh = plate([0.02, 0.02], [1, 1]).unwrap().mapped(|[x, y, z]| [x, y, z + shift]);
        let aspects = vec![Aspect::monostatic(Direction::degrees(0.0, 0.0))];
        Problem { mesh, frequencies, aspects, ..Problem::default() }
    }

    /// A plate at a distance from the origin: its peak is where it stands as long as the check holds, and elsewhere if not.
    #[test]
    fn the_check_tells_where_a_scatterer_is_aliased() {
        let output: Output = serde_json::from_str(r#"{ "range_profile": {} }"#).unwrap();
        for points in [6, 11, 21, 41] {
            for shift in [0.1, 0.3, 0.5, 0.9, 1.6, 2.5] {
                let problem = problem(-shift, points);
                let checks = self_checks(&problem, &output);
                assert_eq!(checks.len(), 1);
                let amplitudes: Vec<_> = problem
                    .frequencies
                    .iter()
                    .map(|f| {
                        let k = phasefront_core::constants::wavenumber(*f);
                        num_complex::Complex64::cis(-2.0 * k * shift)
                    })
                    .collect();
                let RangeProfile { range, amplitude } =
                    range_profile(&problem.frequencies, &amplitudes, Window::Hann, 8).unwrap();
                let peak = (0..range.len())
                    .max_by(|&a, &b| amplitude[a].norm().total_cmp(&amplitude[b].norm()))
                    .unwrap();
                assert_eq!(
                    (range[peak] - shift).abs() < 0.1,
                    checks[0].holds(),
                    "{points} points, {shift} m"
                );
            }
        }
    }

    #[test]
    fn cross_range_windows_follow_the_angles() {
        let output: Output = serde_json::from_str(r#"{ "isar": {} }"#).unwrap();
        for (points, fits) in [(9, false), (33, true)] {
            let looks = |i: u32| {
                Aspect::monostatic(Direction::degrees(90.0, 8.0 * f64::from(i) / f64::from(points - 1)))
            };
            let aspects = (0..points).map(looks).collect();
            // 1 m wide; λ/2Δφ is 0.86 m for steps of a degree, and 3.4 m for a quarter.
            let mesh = plate([1.0, 1.0], [1, 1]).unwrap();
            let problem = Problem { aspects, mesh, ..problem(0.0, 41) };
            let checks = self_checks(&problem, &output);
            let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
            assert_eq!(names, ["down-range window of the image", "cross-range window of the image"]);
            assert_eq!((checks[0].holds(), checks[1].holds()), (true, fits));
        }
    }
}
