//! Where on the target an echo comes from: `hotspots.vtu`, and a picture of it.

use super::plots::{gigahertz, short};
use super::tables::POLARIZATIONS;
use crate::mom::degrees;
use num_complex::Complex64;
use phasefront_case::model::sbr::HotSpots as Wanted;
use phasefront_mesh::TriangleMesh;
use phasefront_report::Surface;
use phasefront_report::plot::{BodyPlot, Plot, level_range};
use phasefront_sbr::{Direction, HotSpots, Problem, Solution, cross_section, dbsm};
use std::f64::consts::PI;

/// Decibels below the hottest spot where colors end.
const DEPTH: f64 = 40.0;

/// Aspect and frequency, as positions, of the strongest echo among those that are wanted.
pub(super) fn strongest(wanted: &Wanted, problem: &Problem, solution: &Solution) -> Option<(usize, usize)> {
    let is_wanted = |aspect: usize, frequency: usize| match wanted {
        Wanted::None => false,
        Wanted::Strongest => true,
        Wanted::Look(asked) => {
            let Direction { theta, phi } = problem.aspects[aspect].incident;
            asked.is(theta, phi, problem.frequencies[frequency])
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

/// The surface with, for every triangle, the cross section of what leaves it in each polarization, and what leaves it in VV after
/// one bounce, two, and so on.
pub(super) fn surface(mesh: &TriangleMesh, found: &HotSpots) -> Surface {
    let mut values = Vec::new();
    for (name, pick) in POLARIZATIONS {
        let sum = |t: usize| found.by_bounce.iter().map(|spots| pick(&spots[t])).sum::<Complex64>();
        values.push((format!("{name}_dbsm"), (0..mesh.triangles.len()).map(|t| dbsm(sum(t))).collect()));
    }
    for (i, spots) in found.by_bounce.iter().enumerate() {
        let name = format!("vv_after_{}_dbsm", i + 1);
        values.push((name, spots.iter().map(|spot| dbsm(spot.vv)).collect()));
    }
    Surface {
        name: "hotspots".into(),
        vertices: mesh.vertices.clone().into(),
        triangles: mesh.triangles.clone().into(),
        values,
        ..Surface::default()
    }
}

/// The body with its hot spots.
pub(super) fn plot(problem: &Problem, found: &HotSpots, (aspect, frequency): (usize, usize)) -> Plot {
    let mesh = &problem.mesh;
    let Direction { theta, phi } = problem.aspects[aspect].incident;
    let source = [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()];
    let values: Vec<f64> = (0..mesh.triangles.len()).map(|t| heat(mesh, found, t)).collect();
    Plot::Body(BodyPlot {
        name: "hotspots".into(),
        title: format!(
            "Hot spots, {}, theta {} deg, phi {} deg",
            gigahertz(problem.frequencies[frequency]),
            short(degrees(theta)),
            short(degrees(phi))
        ),
        caption: "Where the echo leaves the body: the mean of VV and HH for each triangle, as a cross section over the square of its \
                  area. They may cancel each other; what stays is in rcs.csv."
            .into(),
        value_label: "cross section over area squared (dB re 1/m\u{b2})".into(),
        range: Some(level_range(values.iter().copied(), DEPTH)),
        vertices: mesh.vertices.clone(),
        triangles: mesh.triangles.clone(),
        values,
        source: Some(source),
        up: upwards(problem),
        ..BodyPlot::default()
    })
}

/// Co-polar echo of a triangle, dB, over the square of its area: amplitudes add up over an area, so that sizes do not matter.
fn heat(mesh: &TriangleMesh, found: &HotSpots, t: usize) -> f64 {
    let vv = found.by_bounce.iter().map(|spots| spots[t].vv).sum();
    let hh = found.by_bounce.iter().map(|spots| spots[t].hh).sum();
    let area_squared: f64 = mesh.area_vector(t).iter().map(|x| x * x).sum();
    10.0 * (0.5 * (cross_section(vv) + cross_section(hh)) / area_squared).log10()
}

/// Looks that go around beyond the poles turn about φ̂, which is then upwards: a ship whose mast is along y.
fn upwards(problem: &Problem) -> Option<[f64; 3]> {
    let aspects = || problem.aspects.iter().map(|aspect| aspect.incident);
    let highest = aspects().map(|aspect| aspect.theta).fold(f64::NEG_INFINITY, f64::max);
    let phi = aspects().next()?.phi;
    let is_turn = highest > PI && aspects().all(|aspect| aspect.phi == phi);
    is_turn.then(|| [-phi.sin(), phi.cos(), 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::targets::plate;
    use phasefront_sbr::{Aspect, Counts, FrequencySolution, ScatteringMatrix};

    #[test]
    fn heat_does_not_mind_into_how_many_triangles_a_face_is_cut() {
        let spot = |s: f64| ScatteringMatrix {
            vv: s.into(),
            vh: Complex64::ZERO,
            hv: Complex64::ZERO,
            hh: s.into(),
        };
        for cells in [1, 3] {
            // A plate of 6 m² sends 12 m: a share to each triangle, in two bounces, one of them against the other.
            let mesh = plate([2.0, 3.0], [cells, cells]).unwrap();
            let count = mesh.triangles.len();
            let all = |sum: f64| vec![spot(sum / count as f64); count];
            let found = HotSpots { by_bounce: vec![all(15.0), all(-3.0)] };
            let level = 10.0 * (4.0 * PI * 4.0_f64).log10();
            assert!((0..count).all(|t| (heat(&mesh, &found, t) - level).abs() < 1e-9));
        }
    }

    #[test]
    fn the_strongest_look_is_found_among_those_asked_for() {
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
