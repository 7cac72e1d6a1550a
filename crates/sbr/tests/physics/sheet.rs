//! The field of the fringe currents on a rectangular sheet, by numerical integration over the sheet.
//!
//! Each edge has the exact currents of a half-plane (Sommerfeld), which are integrated from the edge
//! along σ = x̂ sin β' + t̂ cos β' to the end of the sheet. With x into the sheet, y the normal of its illuminated side, t = x × y,
//! v = √(2k_t x) cos(φ'/2) and Q(v) = (e^{jπ/4}/√π) ∫_v^∞ e^{−ju²} du, the currents of both sides minus 2n × H are
//!
//! ```text
//! J_x = −4 H_t e^{jk_t x cos φ'} Q(v),    J_t = (jk cos β'/k_t²) dJ_x/dx
//!       + (jk E_t/(Z₀ k_t² x)) e^{jk_t x cos φ'} [4jk_t x sin φ' Q(v) + 2 Q'(v) √(2k_t x) sin(φ'/2)]
//! ```

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::PI;

const J: Complex64 = Complex64::I;
/// Quadrature points per direction on the part of the sheet behind an edge.
const POINTS: usize = 300;

/// Q(v) for v ≥ 0 by its series.
fn q(v: f64) -> Complex64 {
    let eighth = Complex64::cis(0.25 * PI);
    let z2 = J * v * v;
    if v < 4.5 {
        // ½ erfc(z) = ½ − (1/√π) Σ (−1)ⁿ z^{2n+1}/(n! (2n+1)).
        let (mut term, mut sum) = (eighth * v, Complex64::ZERO);
        for n in 0..120 {
            sum += term / f64::from(2 * n + 1);
            term *= -z2 / f64::from(n + 1);
        }
        return 0.5 - sum / PI.sqrt();
    }
    let t = (2.0 * z2).inv();
    let far = 1.0 - t * (1.0 - t * (3.0 - t * (15.0 - t * (105.0 - t * (945.0 - t * 10395.0)))));
    (-z2).exp() * far / (2.0 * PI.sqrt() * eighth * v)
}

/// The incident wave: direction, E and Z₀H.
pub struct Wave {
    pub k: f64,
    pub direction: DVec3,
    pub e: DVec3,
    pub h: DVec3,
}

/// Z₀ times the current at the distance x from an edge, for zero phase at the edge: J_x and J_t.
fn current(wave: &Wave, [inward, normal, along]: [DVec3; 3], x: f64) -> [Complex64; 2] {
    let cos = wave.direction.dot(along);
    let kt = wave.k * (1.0 - cos * cos).sqrt();
    let phi = (-wave.direction.dot(normal)).atan2(-wave.direction.dot(inward));
    let v = (2.0 * kt * x).sqrt() * (0.5 * phi).cos();
    let turn = (J * kt * x * phi.cos()).exp();
    let (q, slope) = (q(v), -Complex64::cis(0.25 * PI - v * v) / PI.sqrt());
    let across = -4.0 * wave.h.dot(along) * turn * q;
    let change = -4.0 * wave.h.dot(along) * turn * (J * kt * phi.cos() * q + slope * v / (2.0 * x));
    let soft = 4.0 * J * kt * x * phi.sin() * q + 2.0 * slope * (2.0 * kt * x).sqrt() * (0.5 * phi).sin();
    let driven = J * wave.k * wave.e.dot(along) / (kt * kt * x) * turn * soft;
    [across, J * wave.k * cos / (kt * kt) * change + driven]
}

/// E_s r e^{jkr} toward s: (jk/4π) ∫ s × (s × Z₀J) e^{jk s·r} dS over the rectangle |x| < a/2, |y| < b/2.
pub fn fringe_field(wave: &Wave, size: [f64; 2], s: DVec3) -> [Complex64; 3] {
    let normal = if wave.direction.z < 0.0 { DVec3::Z } else { -DVec3::Z };
    let mut field = [Complex64::ZERO; 3];
    for (inward, width, long) in [
        (DVec3::X, size[0], size[1]),
        (-DVec3::X, size[0], size[1]),
        (DVec3::Y, size[1], size[0]),
        (-DVec3::Y, size[1], size[0]),
    ] {
        let along = inward.cross(normal);
        let cos = wave.direction.dot(along);
        let sin = (1.0 - cos * cos).sqrt();
        for i in 0..POINTS {
            let tau = long * ((i as f64 + 0.5) / POINTS as f64 - 0.5);
            let edge = tau * along - 0.5 * width * inward;
            // Up to the far edge or the side edge.
            let side = if cos == 0.0 { f64::INFINITY } else { (0.5 * long - tau * cos.signum()) / cos.abs() };
            let length = (width / sin).min(side);
            for j in 0..POINTS {
                // The substitution l = length u² removes the square-root singularity at the edge.
                let u = (j as f64 + 0.5) / POINTS as f64;
                let l = length * u * u;
                let area = sin * (long / POINTS as f64) * (2.0 * length * u / POINTS as f64);
                let point = edge + l * (inward * sin + along * cos);
                let [across, parallel] = current(wave, [inward, normal, along], l * sin);
                let phase = wave.k * (s.dot(point) - wave.direction.dot(edge) - l * cos * cos);
                let amount = J * wave.k / (4.0 * PI) * area * Complex64::cis(phase);
                // s × (s × u) = s(s·u) − u.
                for (direction, value) in [(inward, across), (along, parallel)] {
                    let seen = (s * s.dot(direction) - direction).to_array();
                    for (sum, part) in field.iter_mut().zip(seen) {
                        *sum += amount * value * part;
                    }
                }
            }
        }
    }
    field
}
