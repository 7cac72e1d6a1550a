//! Self-checks over random inputs: whoever is wrong is told, whoever is right is not. None of these inputs was used to choose limits.

use super::cylinders::{body, conductor, filled};
use super::*;
use crate::reference::Cylinder;

/// Numbers from 0 to 1 (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Self(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2 * seed + 1));
        for _ in 0..10 {
            random.number();
        }
        random
    }

    fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly distributed logarithms.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.number())
    }
}

/// One or two cylinders, conducting, lossless or lossy, close or not.
fn cylinders(random: &mut Random) -> Vec<Cylinder> {
    let first = random.between(0.05, 0.6);
    let mut matter = |x: f64, y: f64, radius: f64| match (3.0 * random.number()) as usize {
        0 => conductor(x, y, radius),
        1 => filled(x, y, radius, random.between(1.5, 20.0).into(), 1.0),
        _ => filled(x, y, radius, Complex64::new(random.between(1.5, 20.0), -random.between(0.01, 9.0)), 1.0),
    };
    let one = matter(0.03, -0.02, first);
    if random.number() < 0.5 {
        return vec![one];
    }
    let second = first * random.between(0.4, 1.0);
    let (distance, angle) = (first + second * (1.0 + random.between(0.02, 1.0)), TAU * random.number());
    vec![one, conductor(0.03 + distance * angle.cos(), -0.02 + distance * angle.sin(), second)]
}

/// The error of a random input, relative to the largest echo width, and what is told.
fn judge(seed: u64) -> (f64, Vec<String>) {
    let random = &mut Random::new(seed);
    let cylinders = cylinders(random);
    let (a, order) = (TAU * random.number(), 1 + (16.0 * random.number()) as usize);
    // From far too few cells to more than the default.
    let density = (20.0 / order as f64).max(2.0) * random.between(0.1, 1.2);
    let polarization = if random.number() < 0.5 { Tm } else { Te };
    let observation = degrees(72);
    let (study, solution) = solve_all(Problem {
        polarization,
        propagation: vec![a],
        observation: observation.clone(),
        method: Method::Lcn(Lcn { order, ..Lcn::default() }),
        cells: CellCount::PerWavelength(density),
        ..problem(cylinders.iter().map(body).collect())
    });
    let exact = Cylinders::new(K, polarization, a, &cylinders);
    let exact: Vec<f64> = observation.iter().map(|&phi| exact.echo_width(phi)).collect();
    let misses = solution.frequencies[0].echo_width[0].iter().zip(&exact).map(|(g, e)| (g - e).abs());
    (misses.fold(0.0, f64::max) / exact.iter().copied().fold(0.0, f64::max), warnings(&study, &solution))
}

#[test]
fn random_inputs_are_told_if_and_only_if_they_are_wrong() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 5000..5060 {
        let (error, told) = judge(seed);
        if error > 1e-3 {
            wrong += 1;
            assert!(!told.is_empty(), "{seed}: off by {error:e} in silence");
        } else if error < 1e-5 {
            right += 1;
            assert!(told.is_empty(), "{seed}: off by {error:e} only, but {told:?}");
        }
    }
    assert!(wrong >= 5 && right >= 40, "{wrong} wrong, {right} right");
}

#[test]
fn every_run_lists_its_self_checks() {
    let (study, solution) = solve_all(conducting_circle(0.4, Tm));
    let names: Vec<String> = [study.self_checks.clone(), solution.self_checks(&study)]
        .concat()
        .into_iter()
        .map(|c| c.name)
        .collect();
    let expected = [
        "nodes per wavelength",
        "estimated error of the echo width",
        "field inside conductors",
        "condition number",
        "backward error",
    ];
    assert_eq!(names, expected);
}
