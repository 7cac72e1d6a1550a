//! What separates a thin wire from the cloud of current that stands for it in the mesh: a static interaction of short range.
//!
//! On the mesh the current of a wire is spread over a cloud of density w around each point of its axis (the in-cell model of R. Holland and
//! L. Simpson, *IEEE Trans. Electromagn. Compat.* 23, 88, 1981, with a cloud in place of a cell), and the mesh gives the field of the cloud,
//! averaged with w. The field on the surface of the wire itself is that of the kernel of thin wires, 1/(4π √(R² + a²)) with the radius a. The
//! difference of the two kernels,
//!
//! ```text
//! D(R) = 1/(4π √(R² + a²)) − W(R),    W(R) = ∫∫ w(r) w(r') / (4π |R + r − r'|),
//! ```
//!
//! vanishes beyond two radii of the cloud, where each cloud acts as a point. It gives the wire an inductance and an elastance of its own, as
//! Ewald's method splits the interaction of charges (P. P. Ewald, *Ann. Phys.* 369, 253, 1921). D is static: what it leaves out is of the
//! order (kb)⁴, since the second moment of w is zero.

use glam::DVec3;
use phasefront_core::quadrature::{Rule, gauss_legendre};
use std::f64::consts::PI;

/// Exponent p of the density c (1 − r²)^p (1 − γ r²) of a cloud of radius 1.
const EXPONENT: i32 = 2;
/// γ: ∫ r⁴ (1 − r²)^p (1 − γ r²) dr = 0, so that a cloud radiates as a point up to (kb)⁴.
const GAMMA: f64 = (2.0 * EXPONENT as f64 + 7.0) / 5.0;
/// Coefficients of the density over c, of 1, r², r⁴, ...: (1 − 2r² + r⁴)(1 − γ r²).
const POWERS: [f64; 4] = [1.0, -2.0 - GAMMA, 1.0 + 2.0 * GAMMA, -GAMMA];
/// Intervals of the table of W between 0 and two radii.
const INTERVALS: usize = 4096;
/// Panels of an integral along a segment become shorter by this towards its ends, where the potential of the next segment has a logarithm.
const GRADE: f64 = 0.15;

/// The density of a cloud of radius 1 times 4πr², relative to its integral.
pub fn shell(r: f64) -> f64 {
    4.0 * PI * r * r * density(r) / total()
}

fn density(r: f64) -> f64 {
    POWERS.iter().rev().fold(0.0, |sum, a| sum * r * r + a)
}

/// ∫ 4πr² density dr from 0 to 1.
fn total() -> f64 {
    POWERS.iter().enumerate().map(|(k, a)| 4.0 * PI * a / (2 * k + 3) as f64).sum()
}

/// Moments ∫∫ λ_α(s) λ_β(s') D of two segments with the linear functions λ₀ and λ₁ on each, m.
pub type Moments = [[f64; 2]; 2];

/// D for clouds of one radius.
pub struct WireKernel {
    /// b, m.
    pub cloud: f64,
    /// W b at the nodes of the table.
    table: Vec<f64>,
    inner: Rule,
    outer: Rule,
}

impl WireKernel {
    pub fn new(cloud: f64) -> Self {
        let table = (0..=INTERVALS).map(|i| smooth(2.0 * i as f64 / INTERVALS as f64)).collect();
        Self { cloud, table, inner: gauss_legendre(12), outer: gauss_legendre(8) }
    }

    /// W at a distance, 1/m.
    fn smooth(&self, distance: f64) -> f64 {
        let at = 0.5 * distance / self.cloud * INTERVALS as f64;
        let i = at as usize;
        if i >= INTERVALS {
            return 1.0 / (4.0 * PI * distance);
        }
        let part = at - i as f64;
        ((1.0 - part) * self.table[i] + part * self.table[i + 1]) / self.cloud
    }

    /// The moments of two segments; none if they are farther apart than clouds reach. `radius` is that of the wire if both are of one, or zero.
    pub fn moments(&self, a: [DVec3; 2], b: [DVec3; 2], radius: f64) -> Option<Moments> {
        let (middle, reach) = (0.5 * (a[0] + a[1] - b[0] - b[1]), a[0].distance(a[1]) + b[0].distance(b[1]));
        if middle.length() > 2.0 * self.cloud + 0.5 * reach {
            return None;
        }
        let length = a[0].distance(a[1]);
        // From both ends to the middle, down to the radius.
        let mut ends = vec![0.5];
        while ends.last().is_some_and(|end| end * length > 0.1 * radius.max(1e-3 * self.cloud)) {
            ends.push(ends[ends.len() - 1] * GRADE);
        }
        ends.push(0.0);
        let mut moments = [[0.0; 2]; 2];
        for panel in ends.windows(2) {
            for (node, weight) in self.outer.nodes.iter().zip(&self.outer.weights) {
                let from_end = 0.5 * (panel[0] + panel[1]) + 0.5 * (panel[0] - panel[1]) * node;
                for s in [from_end, 1.0 - from_end] {
                    let weight = 0.5 * (panel[0] - panel[1]) * weight * length;
                    let potential = self.potential(a[0].lerp(a[1], s), b, radius);
                    for (alpha, shape) in [1.0 - s, s].into_iter().enumerate() {
                        for beta in 0..2 {
                            moments[alpha][beta] += weight * shape * potential[beta];
                        }
                    }
                }
            }
        }
        Some(moments)
    }

    /// ∫ λ_β(s') D ds' over a segment.
    fn potential(&self, point: DVec3, [from, to]: [DVec3; 2], radius: f64) -> [f64; 2] {
        let length = from.distance(to);
        let along = (to - from) / length;
        let foot = (point - from).dot(along);
        let across = ((point - from - foot * along).length_squared() + radius * radius).sqrt();
        // ∫ du/√(u² + d²) = asinh(u/d), ∫ u du/√(u² + d²) = √(u² + d²), with u = s' − foot.
        let [low, high] = [-foot, length - foot];
        let logarithm = (high / across).asinh() - (low / across).asinh();
        let root = high.hypot(across) - low.hypot(across);
        let first = (root + foot * logarithm) / length;
        let mut potential = [(logarithm - first) / (4.0 * PI), first / (4.0 * PI)];
        for (node, weight) in self.inner.nodes.iter().zip(&self.inner.weights) {
            let s = 0.5 + 0.5 * node;
            let smooth = 0.5 * weight * length * self.smooth(point.distance(from.lerp(to, s)));
            potential[0] -= smooth * (1.0 - s);
            potential[1] -= smooth * s;
        }
        potential
    }
}

/// W of clouds of radius 1: (2π/R) ∫ r w(r) [Ψ(R + r) − Ψ(|R − r|)] dr, where Ψ(u) = ∫ u φ(u) du with the potential φ of a cloud.
fn smooth(distance: f64) -> f64 {
    // The limit at zero is smooth.
    let distance = distance.max(1e-3);
    let rule = gauss_legendre(16);
    // Ψ has another form outside of the cloud: R + r or |R − r| is 1.
    let kink = (1.0 - distance).abs().min(1.0);
    let integrand = |r: f64| {
        2.0 * PI * r * density(r) / total() * (primitive(distance + r) - primitive((distance - r).abs()))
    };
    (rule.integrate(0.0, kink, integrand) + rule.integrate(kink, 1.0, integrand)) / distance
}

/// Ψ(u): φ = C − Σ a_k r^(2k+2)/((2k+2)(2k+3)) inside, 1/(4πr) outside.
fn primitive(u: f64) -> f64 {
    let inside = |u: f64| {
        let (mut at_rim, mut sum) = (1.0 / (4.0 * PI), 0.0);
        for (k, a) in POWERS.iter().enumerate() {
            let k = 2.0 * k as f64;
            let a = a / total() / ((k + 2.0) * (k + 3.0));
            at_rim += a;
            sum -= a * u.powf(k + 4.0) / (k + 4.0);
        }
        0.5 * at_rim * u * u + sum
    };
    if u < 1.0 { inside(u) } else { inside(1.0) + (u - 1.0) / (4.0 * PI) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clouds that do not overlap act as points; the density has the moments 1 and 0.
    #[test]
    fn clouds_are_points_from_afar() {
        for distance in [2.0, 2.5] {
            assert!((smooth(distance) * 4.0 * PI * distance - 1.0).abs() < 1e-12, "{}", smooth(distance));
        }
        let rule = gauss_legendre(16);
        assert!((rule.integrate(0.0, 1.0, shell) - 1.0).abs() < 1e-12);
        assert!(rule.integrate(0.0, 1.0, |r| r * r * shell(r)).abs() < 1e-12);
        // By Parseval, W(0) = ∫ ŵ² dk/(2π²).
        let fourier = |k: f64| rule.integrate(0.0, 1.0, |r| shell(r) * if k * r > 0.0 { (k * r).sin() / (k * r) } else { 1.0 });
        let sum = gauss_legendre(400).integrate(0.0, 60.0, |k| fourier(k).powi(2)) / (2.0 * PI * PI);
        assert!((sum / smooth(0.0) - 1.0).abs() < 1e-4, "{sum} {}", smooth(0.0));
    }

    /// Far from its ends a wire has the inductance μ/2π (ln(b/a) + constant) per length: a tenth of the radius adds ln(10)/2π.
    #[test]
    fn the_inductance_is_logarithmic() {
        let kernel = WireKernel::new(0.1);
        let sum = |radius: f64| -> f64 {
            let segment = |i: i32| [0, 1].map(|k| DVec3::X * 0.03 * f64::from(i + k));
            let of = |i| kernel.moments(segment(0), segment(i), radius).unwrap_or_default();
            (-10..=10).map(|i| of(i).iter().flatten().sum::<f64>()).sum::<f64>() / 0.03
        };
        let difference = sum(1e-5) - sum(1e-4);
        assert!((difference / (10_f64.ln() / (2.0 * PI)) - 1.0).abs() < 1e-4, "{difference}");
    }
}
