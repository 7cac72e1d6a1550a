//! Echoes between antennas by physical optics, point by point: equivalent currents J = n × H and M = −n × E of the geometrical-optics field on
//! midpoints of a fine grid, radiated by E = −(jk/4πR) e^{−jkR} [η₀J⊥ − s × M] (C. A. Balanis, "Antenna Theory", section 12.3).

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::PI;

/// An antenna with gain 2(p + 1) cos^p θ, isotropic for p = 0, polarized by Ludwig's third definition.
#[derive(Clone, Copy)]
pub struct Ludwig {
    position: DVec3,
    axes: [DVec3; 3],
    exponent: f64,
}

impl Ludwig {
    /// Looks at a point, polarized at an angle from the horizontal toward θ̂ of its own direction from there.
    pub fn toward(position: DVec3, point: DVec3, angle: f64, exponent: f64) -> Self {
        let r = (position - point).normalize();
        let azimuth = r.y.atan2(r.x);
        let phi = DVec3::new(-azimuth.sin(), azimuth.cos(), 0.0);
        let theta = phi.cross(r);
        let x = angle.cos() * phi + angle.sin() * theta;
        let y = -angle.sin() * phi + angle.cos() * theta;
        Self { position, axes: [x, y, -r], exponent }
    }

    /// The root of the gain times the unit vector of polarization.
    fn field(&self, d: DVec3) -> DVec3 {
        let [x, y, z] = self.axes;
        let (cosine, azimuth) = (z.dot(d), y.dot(d).atan2(x.dot(d)));
        let gain = if self.exponent == 0.0 {
            1.0
        } else {
            2.0 * (self.exponent + 1.0) * cosine.max(0.0).powf(self.exponent)
        };
        let polar = cosine.clamp(-1.0, 1.0).acos();
        let radial = azimuth.cos() * x + azimuth.sin() * y;
        let theta = polar.cos() * radial - polar.sin() * z;
        let phi = azimuth.cos() * y - azimuth.sin() * x;
        gain.sqrt() * (azimuth.cos() * theta - azimuth.sin() * phi)
    }
}

/// A piece of surface, lit directly or by way of a mirror through the origin with this normal.
pub struct Sample {
    point: DVec3,
    normal: DVec3,
    area: f64,
    mirror: Option<DVec3>,
    /// Whether the incident field radiates, too, as toward receivers elsewhere: the current is 2n × H then.
    total: bool,
}

fn mirrored(vector: DVec3, normal: DVec3) -> DVec3 {
    vector - 2.0 * normal.dot(vector) * normal
}

/// Midpoints of a square grid over a rectangle about a point.
fn grid(middle: DVec3, sides: [DVec3; 2], count: i32) -> impl Iterator<Item = DVec3> {
    let at = move |i: i32| (f64::from(i) + 0.5) / f64::from(count) - 0.5;
    (0..count * count).map(move |n| middle + at(n % count) * sides[0] + at(n / count) * sides[1])
}

/// A plate in the plane z = 0 about the origin, with its whole current: three points of Gauss in each of so many intervals along a side.
pub fn plate(side: f64, intervals: i32, from: DVec3) -> Vec<Sample> {
    let step = side / f64::from(intervals);
    let rule = [(-0.6_f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6_f64.sqrt(), 5.0 / 18.0)];
    let line = || {
        (0..intervals).flat_map(move |i| {
            let middle = (f64::from(i) + 0.5) * step - 0.5 * side;
            rule.map(|(at, weight)| (middle + 0.5 * step * at, weight * step))
        })
    };
    let normal = DVec3::Z * from.z.signum();
    let sample = |x: (f64, f64), y: (f64, f64)| Sample {
        point: DVec3::new(x.0, y.0, 0.0),
        normal,
        area: x.1 * y.1,
        mirror: None,
        total: true,
    };
    line().flat_map(|x| line().map(move |y| sample(x, y))).collect()
}

/// The faces x = 0 and y = 0 of a dihedral along z, lit from a point between them, as seen from there: points whose mirrored ray meets the other
/// face do not radiate, those that the image behind the other face lights through it do. Cells on the boundary count by the part that does.
pub fn dihedral(width: f64, length: f64, count: i32, from: DVec3) -> Vec<Sample> {
    let mut samples = Vec::new();
    let area = width * length / f64::from(count * count);
    for (normal, other) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::X)] {
        // The face with this normal is along the other axis.
        let meets = |point: DVec3, direction: DVec3| {
            let t = -other.dot(point) / other.dot(direction);
            let hit = point + t * direction;
            t > 0.0 && (0.0..=width).contains(&normal.dot(hit)) && hit.z.abs() <= 0.5 * length
        };
        let leaves = |point: DVec3| {
            let reflected = mirrored(point - from, normal);
            !(other.dot(reflected) < 0.0 && meets(point, reflected))
        };
        // Back toward the image behind the other face.
        let is_lit_again = |point: DVec3| meets(point, mirrored(from, other) - point);
        let sides = [width * other, length * DVec3::Z];
        let cell = sides.map(|side| side / f64::from(count));
        for point in grid(0.5 * width * other, sides, count) {
            let mut add = |share: f64, mirror| {
                samples.push(Sample { point, normal, area: share * area, mirror, total: false });
            };
            add(share(point, cell, leaves), None);
            add(share(point, cell, is_lit_again), Some(other));
        }
    }
    samples.retain(|sample| sample.area > 0.0);
    samples
}

/// The part of a cell for which something holds.
fn share(point: DVec3, cell: [DVec3; 2], holds: impl Fn(DVec3) -> bool) -> f64 {
    let count = |n: i32| grid(point, cell, n).filter(|&point| holds(point)).count() as f64;
    match count(2) {
        0.0 => 0.0,
        4.0 => 1.0,
        _ => count(16) / 256.0,
    }
}

/// b/a = j(λ/4π) E·√G ê between a transmitter and a receiver.
pub fn transmission(samples: &[Sample], [from, to]: [Ludwig; 2], k: f64) -> Complex64 {
    let echo = |sample: &Sample| {
        let Sample { point, normal, area, mirror, total } = *sample;
        let seen = mirror.map_or(point, |m| mirrored(point, m)) - from.position;
        let distance = seen.length();
        let (mut direction, mut e) = (seen / distance, from.field(seen / distance));
        if let Some(m) = mirror {
            (direction, e) = (mirrored(direction, m), -mirrored(e, m));
        }
        let (electric, magnetic) = if total {
            (2.0 * normal.cross(direction.cross(e)), DVec3::ZERO)
        } else {
            let (out, e) = (mirrored(direction, normal), -mirrored(e, normal));
            (normal.cross(out.cross(e)), -normal.cross(e))
        };
        let range = (to.position - point).length();
        let s = (to.position - point) / range;
        let field = electric - s.dot(electric) * s - s.cross(magnetic);
        let phasor = Complex64::cis(-k * (distance + range));
        phasor * (field.dot(to.field(-s)) * area / (distance * range))
    };
    let sum: Complex64 = samples.iter().map(echo).sum();
    // j/(2k) times −jk/4π.
    sum / (8.0 * PI)
}

/// 4πA²/λ² of a square plate.
pub fn plate_far(side: f64, wavelength: f64) -> f64 {
    4.0 * PI * (side * side / wavelength).powi(2)
}
