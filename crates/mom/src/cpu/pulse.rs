//! The formulas of pulses and point matching; `kernels/pulse.cu` has the same ones under the same names.

use crate::engine::NEAR_CELLS;
use crate::mesh::Mesh;
use crate::shape::Point;
use crate::solve::kernel_scale;
use num_complex::Complex64;
use phasefront_core::constants::EXP_EULER;
use phasefront_core::special::bessel::hankel2_0;
use std::f64::consts::FRAC_2_PI;

/// Gauss-Legendre rule of four points (Abramowitz and Stegun, table 25.4), for the smooth rest of a near cell.
const GAUSS_4: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_86),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_86),
];

/// Z_mn = (kη w_n/4) H₀⁽²⁾(k R_mn), and on the diagonal (kη w/4) {1 − j(2/π)[ln(γ k w/4) − 1]}.
pub(crate) fn matrix_entry(mesh: &Mesh, k: f64, row: usize, col: usize) -> Complex64 {
    let w = mesh.w[col];
    let h = if row == col {
        Complex64::new(1.0, -FRAC_2_PI * ((0.25 * EXP_EULER * k * w).ln() - 1.0))
    } else {
        let (dx, dy) = (mesh.x[row] - mesh.x[col], mesh.y[row] - mesh.y[col]);
        hankel2_0(k * (dx * dx + dy * dy).sqrt())
    };
    kernel_scale(k) * w * h
}

/// e^{-jk(x cos a + y sin a)} at the mid points.
pub(crate) fn plane_wave(mesh: &Mesh, k: f64, direction: f64) -> impl Iterator<Item = Complex64> + '_ {
    let (sin, cos) = direction.sin_cos();
    mesh.x.iter().zip(&mesh.y).map(move |(x, y)| Complex64::cis(-k * (x * cos + y * sin)))
}

/// Σ J w e^{jk(x cos φ + y sin φ)} for each of the currents, which follow one another.
pub(crate) fn far_sums(mesh: &Mesh, k: f64, phi: f64, currents: &[Complex64]) -> Vec<Complex64> {
    let (sin, cos) = phi.sin_cos();
    let phases: Vec<Complex64> = (0..mesh.len())
        .map(|i| Complex64::cis(k * (mesh.x[i] * cos + mesh.y[i] * sin)) * mesh.w[i])
        .collect();
    currents.chunks(mesh.len()).map(|current| current.iter().zip(&phases).map(|(j, p)| j * p).sum()).collect()
}

/// Scattered field −(kη/4) Σ J_n ∫ H₀⁽²⁾(kR) ds at a point.
pub(crate) fn scattered_field(mesh: &Mesh, k: f64, current: &[Complex64], [x, y]: Point) -> Complex64 {
    let mut sum = Complex64::ZERO;
    for (i, j) in current.iter().enumerate() {
        let (dx, dy) = (x - mesh.x[i], y - mesh.y[i]);
        let along = dx * mesh.tx[i] + dy * mesh.ty[i];
        let beside = (dx * mesh.ty[i] - dy * mesh.tx[i]).abs();
        sum += j * cell_integral(k, mesh.w[i], along, beside);
    }
    -kernel_scale(k) * sum
}

/// ∫ H₀⁽²⁾(kR) ds over a straight cell of length `w`, seen from a point `t` along it from its middle and `d` beside
/// it. Far away by the mid point. Near, the logarithm is integrated in closed form and the smooth rest
/// H₀⁽²⁾ + j(2/π) ln R by Gauss points.
fn cell_integral(k: f64, w: f64, t: f64, d: f64) -> Complex64 {
    let r = (t * t + d * d).sqrt();
    if r > NEAR_CELLS * w {
        return w * hankel2_0(k * r);
    }
    let half = 0.5 * w;
    let mut sum = Complex64::new(0.0, -FRAC_2_PI * (log_integral(half - t, d) + log_integral(half + t, d)));
    for (node, weight) in GAUSS_4 {
        let u = half * node - t;
        let rho = (u * u + d * d).sqrt().max(1e-9 * w);
        let rest = hankel2_0(k * rho) + Complex64::new(0.0, FRAC_2_PI * rho.ln());
        sum += half * weight * rest;
    }
    sum
}

/// Antiderivative of ln √(u² + d²) in u.
fn log_integral(u: f64, d: f64) -> f64 {
    let r2 = u * u + d * d;
    if r2 > 0.0 { 0.5 * u * r2.ln() - u + d * u.atan2(d) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_core::quadrature::gauss_legendre;

    /// The same integral by brute force: a geometric subdivision towards the nearest point.
    fn brute(k: f64, w: f64, t: f64, d: f64) -> Complex64 {
        let rule = gauss_legendre(20);
        let foot = t.clamp(-0.5 * w, 0.5 * w);
        let mut sum = Complex64::ZERO;
        for end in [-0.5 * w, 0.5 * w] {
            let mut near = 1.0;
            for level in 0..60 {
                let far = near;
                near = if level == 59 { 0.0 } else { 0.5 * far };
                let (a, b) = (foot + (end - foot) * near, foot + (end - foot) * far);
                let at = |s: f64| hankel2_0(k * (s - t).hypot(d).max(1e-300));
                let re = rule.integrate(a, b, |s| at(s).re);
                let im = rule.integrate(a, b, |s| at(s).im);
                sum += Complex64::new(re, im) * (end - foot).signum();
            }
        }
        sum
    }

    #[test]
    fn near_cells_match_brute_force_quadrature() {
        let (k, w) = (2.0, 0.3);
        for (t, d) in [(0.0, 0.0), (0.1, 0.0), (0.15, 0.0), (0.05, 1e-6), (0.2, 0.1), (0.0, 0.4), (0.7, 0.2)]
        {
            let (got, exact) = (cell_integral(k, w, t, d), brute(k, w, t, d));
            assert!((got - exact).norm() < 2e-4 * exact.norm(), "t={t} d={d}: {got} {exact}");
        }
    }

    #[test]
    fn the_near_integral_at_the_middle_is_the_diagonal() {
        // Both integrate H₀⁽²⁾ over a straight cell from its middle; the diagonal drops terms of order (kw)².
        let (k, w) = (1.0, 1e-3);
        let diagonal = Complex64::new(1.0, -FRAC_2_PI * ((0.25 * EXP_EULER * k * w).ln() - 1.0)) * w;
        assert!((cell_integral(k, w, 0.0, 0.0) - diagonal).norm() < 1e-6 * diagonal.norm());
    }
}
