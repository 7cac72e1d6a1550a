//! Points of the plane.

/// A point of the plane, or a vector.
pub type Point = [f64; 2];

pub(crate) fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1]]
}

pub(crate) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

pub(crate) fn times(s: f64, a: Point) -> Point {
    [s * a[0], s * a[1]]
}

/// Exactly `a` for t = 0 and exactly `b` for t = 1.
pub(crate) fn mix(a: Point, b: Point, t: f64) -> Point {
    [0, 1].map(|i| (1.0 - t) * a[i] + t * b[i])
}

pub(crate) fn norm(a: Point) -> f64 {
    a[0].hypot(a[1])
}

pub(crate) fn distance(a: Point, b: Point) -> f64 {
    norm(sub(a, b))
}

pub(crate) fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// `a` rotated counterclockwise.
pub(crate) fn turned(a: Point, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    [cos * a[0] - sin * a[1], sin * a[0] + cos * a[1]]
}

/// The angle between two directions, 0 to π.
pub(crate) fn angle_between(a: Point, b: Point) -> f64 {
    // atan2 keeps full precision near 0 and π, unlike the arc cosine.
    cross(a, b).abs().atan2(dot(a, b))
}
