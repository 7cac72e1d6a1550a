//! Where on the target an echo comes from: `hotspots.vtu`, and a picture of it.

use super::plots::{gigahertz, short};
use super::tables::{POLARIZATIONS, Pick};
use crate::mom::degrees;
use num_complex::Complex64;
use phasefront_case::model::sbr::HotSpots as Wanted;
use phasefront_core::constants::C0;
use phasefront_mesh::TriangleMesh;
use phasefront_report::Surface;
use phasefront_report::plot::{BodyPlot, Plot, level_range};
use phasefront_sbr::{Direction, HotSpots, Problem, Solution, cross_section, dbsm};
use std::collections::HashMap;
use std::f64::consts::PI;

/// Decibels below the hottest spot where colours end.
const DEPTH: f64 = 40.0;
/// Side, in widths of a tube, of the cubes that small triangles share their heat in: each takes that of nine cubes and more, which hold
/// so many tubes that one more or less is not seen.
const EVEN_TUBES: f64 = 2.0;

/// Look and frequency, as positions, of the strongest echo among those that are wanted.
pub(super) fn strongest(wanted: &Wanted, problem: &Problem, solution: &Solution) -> Option<(usize, usize)> {
    let is_wanted = |look: usize, frequency: usize| match wanted {
        Wanted::None => false,
        Wanted::Strongest => true,
        Wanted::Look(asked) => {
            let Direction { theta, phi } = problem.looks[look].incident;
            asked.is(theta, phi, problem.frequencies[frequency])
        }
    };
    let echo = |&(look, frequency): &(usize, usize)| {
        let scattering = &solution.frequencies[frequency].scattering[look];
        POLARIZATIONS.iter().map(|(_, pick)| pick(scattering).norm()).fold(0.0, f64::max)
    };
    let all =
        (0..problem.frequencies.len()).flat_map(|f| (0..problem.looks.len()).map(move |look| (look, f)));
    all.filter(|&(look, f)| is_wanted(look, f)).max_by(|a, b| echo(a).total_cmp(&echo(b)))
}

/// The surface with, for every triangle, the cross section of what leaves it in each polarisation, and what leaves it in VV after
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
        vertices: mesh.vertices.clone(),
        triangles: mesh.triangles.clone(),
        values,
    }
}

/// The body with its hot spots.
pub(super) fn plot(problem: &Problem, found: &HotSpots, (look, frequency): (usize, usize)) -> Plot {
    let mesh = &problem.mesh;
    let highest = problem.frequencies.iter().copied().fold(0.0, f64::max);
    let Direction { theta, phi } = problem.looks[look].incident;
    let source = [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()];
    let values = heat(mesh, found, source, EVEN_TUBES * problem.tube * C0 / highest);
    Plot::Body(BodyPlot {
        name: "hotspots".into(),
        title: format!(
            "Hot spots, {}, theta {} deg, phi {} deg",
            gigahertz(problem.frequencies[frequency]),
            short(degrees(theta)),
            short(degrees(phi))
        ),
        caption: "Where the echo leaves the body: the mean of VV and HH for each triangle, as a cross section over the square of its \
                  area; triangles smaller than ray tubes together with their neighbours. Others may cancel each other; what stays is in rcs.csv."
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

/// Co-polar echo of each triangle, dB, over the square of its area, so that sizes do not matter. Those smaller than `cell` share theirs
/// with their neighbours on the same side of the body: a tube is booked to one triangle, and others beside it go without.
fn heat(mesh: &TriangleMesh, found: &HotSpots, towards: [f64; 3], cell: f64) -> Vec<f64> {
    let own: Vec<Share> = (0..mesh.triangles.len()).map(|t| Share::of(mesh, found, t)).collect();
    let is_small = |t: usize| own[t].area < cell * cell;
    let is_lit = |t: usize| mesh.area_vector(t).iter().zip(towards).map(|(n, s)| n * s).sum::<f64>() > 0.0;
    let middle = |t: usize| {
        let corners = mesh.triangles[t].map(|corner| mesh.vertices[corner as usize]);
        [0, 1, 2].map(|k| corners.iter().map(|corner| corner[k]).sum::<f64>() / (3.0 * cell))
    };
    let mut cubes: HashMap<([i64; 3], bool), Share> = HashMap::new();
    for t in (0..own.len()).filter(|&t| is_small(t)) {
        let cube = middle(t).map(|x| x.floor() as i64);
        cubes.entry((cube, is_lit(t))).or_default().add(&own[t], 1.0);
    }
    let level = |t: usize| {
        if !is_small(t) {
            return own[t].level();
        }
        let (place, mut shared) = (middle(t), Share::default());
        for i in 0..27 {
            let cube = [i % 3, i / 3 % 3, i / 9];
            let cube = [0, 1, 2].map(|k| place[k].floor() as i64 + cube[k] - 1);
            // A cube that ends where this one's neighbours do has no weight, so that no border is seen.
            let weight = |k: usize| (1.0 - (place[k] - cube[k] as f64 - 0.5).abs() / 1.5).max(0.0);
            if let Some(share) = cubes.get(&(cube, is_lit(t))) {
                shared.add(share, weight(0) * weight(1) * weight(2));
            }
        }
        shared.level()
    };
    (0..own.len()).map(level).collect()
}

/// Amplitudes in VV and HH that leave an area.
#[derive(Clone, Copy, Default)]
struct Share {
    echoes: [Complex64; 2],
    area: f64,
}

impl Share {
    fn of(mesh: &TriangleMesh, found: &HotSpots, t: usize) -> Self {
        let sum = |pick: Pick| found.by_bounce.iter().map(|spots| pick(&spots[t])).sum::<Complex64>();
        let area = mesh.area_vector(t).iter().map(|x| x * x).sum::<f64>().sqrt();
        Self { echoes: [sum(|s| s.vv), sum(|s| s.hh)], area }
    }

    fn add(&mut self, other: &Self, weight: f64) {
        self.echoes.iter_mut().zip(other.echoes).for_each(|(sum, echo)| *sum += weight * echo);
        self.area += weight * other.area;
    }

    /// Amplitudes add up over an area, so that the cross section goes with its square.
    fn level(&self) -> f64 {
        let mean = 0.5 * self.echoes.iter().map(|echo| cross_section(*echo)).sum::<f64>();
        10.0 * (mean / (self.area * self.area)).log10()
    }
}

/// Looks that go around beyond the poles turn about φ̂, which is then upwards: a ship whose mast is along y.
fn upwards(problem: &Problem) -> Option<[f64; 3]> {
    let looks = || problem.looks.iter().map(|look| look.incident);
    let highest = looks().map(|look| look.theta).fold(f64::NEG_INFINITY, f64::max);
    let phi = looks().next()?.phi;
    let is_turn = highest > PI && looks().all(|look| look.phi == phi);
    is_turn.then(|| [-phi.sin(), phi.cos(), 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_sbr::{Counts, FrequencySolution, Look, Scattering};

    /// A strip of ten small triangles of which every other one caught a tube, and a large one beside them.
    #[test]
    fn small_triangles_share_what_their_neighbours_caught() {
        let vertices = (0..12).map(|i| [0.1 * f64::from(i), f64::from(i % 2) * 0.1, 0.0]);
        let vertices: Vec<[f64; 3]> =
            vertices.chain([[5.0, 0.0, 0.0], [9.0, 0.0, 0.0], [5.0, 4.0, 0.0]]).collect();
        let strip = (0..10).map(|i| if i % 2 == 0 { [i, i + 2, i + 1] } else { [i, i + 1, i + 2] });
        let triangles = strip.chain([[12, 13, 14]]).collect();
        let mesh = TriangleMesh::with_one_group(vertices, triangles, "body").unwrap();
        let spot =
            |s: f64| Scattering { vv: s.into(), vh: Complex64::ZERO, hv: Complex64::ZERO, hh: s.into() };
        let caught = (0..10).map(|t| spot(if t % 2 == 0 { 0.2 } else { 0.0 })).chain([spot(8.0)]).collect();
        let found = HotSpots { by_bounce: vec![caught] };
        // Each triangle of the strip has 0.01 m²; all of them caught 1 m over 0.1 m². The large one has 8 m².
        let levels = heat(&mesh, &found, [0.0, 0.0, 1.0], 2.0);
        let level = |s: f64, area: f64| 10.0 * (4.0 * PI * (s / area).powi(2)).log10();
        assert!(levels[..10].iter().all(|found| (found - level(1.0, 0.1)).abs() < 1e-9), "{levels:?}");
        assert!((levels[10] - level(8.0, 8.0)).abs() < 1e-9);
        let alone = heat(&mesh, &found, [0.0, 0.0, 1.0], 1e-3);
        assert!((alone[0] - level(0.2, 0.01)).abs() < 1e-9 && alone[1] == f64::NEG_INFINITY, "{alone:?}");
    }

    #[test]
    fn the_strongest_look_is_found_among_those_asked_for() {
        let direction = |phi: f64| Look::monostatic(Direction::degrees(90.0, phi));
        let problem = Problem {
            frequencies: vec![9e9, 10e9],
            looks: vec![direction(0.0), direction(1.0), direction(2.0)],
            ..Problem::default()
        };
        let echo = |hh: f64| Scattering {
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
