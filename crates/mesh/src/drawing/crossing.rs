//! Wires that run through themselves.

use super::polygon::to_segment;
use super::solid::{circle, in_cone};
use crate::triangle::vec3::{Vec3, add, dot, norm, sub, times};

/// Parts of a wire whose axes are this part of the way along the wire apart, or less, are no neighbors: at a bend with the angle β between its
/// legs points are sin(β/2) of the way apart, so that bends of 23 degrees and more are none of this.
const NEAR: f64 = 0.2;
/// Steps along a piece in which it is looked at, by its radius, and how many on each side of the point that is closest.
const STEP: f64 = 0.25;
const STEPS: i32 = 24;
/// A wire touches another part of itself, and does not run through it, within this part of its radius.
const TOUCHING: f64 = 0.01;

/// A point where a wire of this radius along straight pieces runs through another part of itself. Its ends may lie on it.
pub(super) fn crossing(points: &[Vec3], radius: f64) -> Option<Vec3> {
    let pieces: Vec<[Vec3; 2]> = points.windows(2).map(|ends| [ends[0], ends[1]]).collect();
    let mut lengths = vec![0.0];
    for [from, to] in &pieces {
        lengths.push(lengths[lengths.len() - 1] + norm(sub(*to, *from)));
    }
    let whole = lengths[lengths.len() - 1];
    let is_closed = norm(sub(points[points.len() - 1], points[0])) < radius;
    // Of two positions along the wire: whether they are neighbors, or near one of its ends.
    let belong_together = |a: f64, b: f64, apart: f64| {
        let way = if is_closed { (a - b).abs().min(whole - (a - b).abs()) } else { (a - b).abs() };
        let at_end = |s: f64| !is_closed && s.min(whole - s) < 2.0 * radius;
        apart > NEAR * way || way < 4.0 * radius || at_end(a) || at_end(b)
    };
    for (j, [from, to]) in pieces.iter().enumerate() {
        for (i, other) in pieces[..j].iter().enumerate() {
            let closest = closest(*other, [*from, *to]);
            if closest[0] >= 2.0 * radius {
                continue;
            }
            let way = sub(*to, *from);
            let step = STEP * radius / norm(way);
            for k in -STEPS..=STEPS {
                let t = (closest[1] + f64::from(k) * step).clamp(0.0, 1.0);
                let middle = add(*from, times(t, way));
                let (along, apart) = to_segment(middle, *other);
                let at = [lengths[i] + along * norm(sub(other[1], other[0])), lengths[j] + t * norm(way)];
                if belong_together(at[0], at[1], apart) {
                    continue;
                }
                let rim = circle(middle, way, (1.0 - TOUCHING) * radius);
                let inside = |point: &Vec3| in_cone(*point, *other, [(1.0 - TOUCHING) * radius; 2]);
                if rim.iter().chain([&middle]).any(inside) {
                    return Some(middle);
                }
            }
        }
    }
    None
}

/// The distance between two pieces, and where it is on the second, from 0 to 1 (C. Ericson, *Real-Time Collision Detection*, 5.1.9).
fn closest(first: [Vec3; 2], second: [Vec3; 2]) -> [f64; 2] {
    let (u, v) = (sub(first[1], first[0]), sub(second[1], second[0]));
    let r = sub(first[0], second[0]);
    let (a, b, c, e) = (dot(u, u), dot(u, v), dot(u, r), dot(v, v));
    let f = dot(v, r);
    let determinant = a * e - b * b;
    let s = if determinant > 1e-12 * a * e { ((b * f - c * e) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    let t = ((b * s + f) / e).clamp(0.0, 1.0);
    let on_second = add(second[0], times(t, v));
    [to_segment(on_second, first).1, t]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Points turned by angles about x, y and z in turn, and moved: in any position the answer is the same.
    fn turned(points: &[Vec3], seed: u32) -> Vec<Vec3> {
        let angle = |k: u32| f64::from((seed * 7919 + k * 104_729) % 1000) / 1000.0 * TAU;
        let turn = |mut p: Vec3| {
            for axis in 0..3 {
                let (sin, cos) = angle(axis as u32).sin_cos();
                let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
                (p[i], p[j]) = (cos * p[i] - sin * p[j], sin * p[i] + cos * p[j]);
            }
            std::array::from_fn(|k| p[k] + 10.0 * angle(3 + k as u32))
        };
        points.iter().map(|&p| turn(p)).collect()
    }

    fn helix(radius: f64, pitch: f64, turns: usize) -> Vec<Vec3> {
        (0..=turns * 24)
            .map(|i| {
                let (sin, cos) = (TAU * i as f64 / 24.0).sin_cos();
                [radius * cos, radius * sin, pitch * i as f64 / 24.0]
            })
            .collect()
    }

    #[test]
    fn wires_through_themselves_are_found() {
        let loop_back =
            vec![[0.0; 3], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [5.0, 10.0, 0.0], [5.0, -10.0, 0.0]];
        let hairpin = vec![[0.0; 3], [20.0, 0.0, 0.0], [20.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        for (name, points) in [
            ("loop", loop_back),
            ("hairpin", hairpin),
            ("coil", helix(5.0, 1.5, 3)),
            ("tight", helix(2.5, 1.9, 3)),
        ] {
            for seed in 0..6 {
                assert!(crossing(&turned(&points, seed), 1.0).is_some(), "{name} {seed}");
            }
        }
        // The place is that of the crossing.
        let cross = [[0.0; 3], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [5.0, 10.0, 0.0], [5.0, -10.0, 0.0]];
        let found = crossing(&cross, 0.1).unwrap();
        assert!(norm(sub(found, [5.0, 0.0, 0.0])) < 0.2, "{found:?}");
    }

    #[test]
    fn bends_coils_loops_and_gaps_are_not() {
        let square = [[0.0; 3], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]];
        let closed = [&square[..], &[[0.0; 3]]].concat();
        // Ends that face each other over a gap of a tenth of the diameter; a lead that ends on its own loop.
        let gap = [&[[5.1, 0.0, 0.0]], &square[1..], &square[..1], &[[4.9, 0.0, 0.0]]].concat();
        let lead = [vec![[-10.0, 0.0, 0.0]], closed.clone()].concat();
        let zigzag: Vec<Vec3> = (0..8).map(|i| [f64::from(i) * 2.5, f64::from(i % 2) * 5.0, 0.0]).collect();
        let fine: Vec<Vec3> =
            (0..40).map(|i| [0.3 * f64::from(i), (0.1 * f64::from(i)).sin(), 0.0]).collect();
        let touching = vec![[0.0; 3], [20.0, 0.0, 0.0], [20.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
        for (name, points) in [
            ("square", square.to_vec()),
            ("closed", closed),
            ("gap", gap),
            ("lead", lead),
            ("zigzag", zigzag),
            ("fine", fine),
            ("touching", touching),
            ("coil", helix(5.0, 2.2, 3)),
            ("ring", helix(5.0, 0.0, 1)),
        ] {
            for seed in 0..6 {
                assert_eq!(crossing(&turned(&points, seed), 1.0), None, "{name} {seed}");
            }
        }
    }
}
