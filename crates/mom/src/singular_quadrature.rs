//! Singular and near-singular quadrature: weights for a cell and a target on it or near it.
//!
//! With the complex preimage u₀ of the target, r(u₀) = target, every layer kernel is a smooth function times ln|u − u₀|,
//! 1/(u − u₀) or 1/(u − u₀)². Integrals of those times Legendre polynomials have closed forms ([`Singular`]), so
//! product quadrature with the smooth factor resampled on the fine points is accurate to many digits
//! (Helsing and Ojala, J. Comput. Phys. 227, 2008, for the pole; Kolm and Rokhlin, Comput. Math. Appl. 41, 2001, for
//! products).

use crate::cell::{Cell, Rules, evaluate};
use crate::legendre::Singular;
use num_complex::Complex64;

/// Parameter |u + √(u²−1)| of the Bernstein ellipse beyond which plain Gauss quadrature on the fine points integrates any of the
/// kernels, to 3^{-2·fine points} ≤ 4e-12.
const REGULAR_BEYOND: f64 = 3.0;

/// Most iterations of Newton's method for u₀; it converges in five or not at all.
const MAX_ITERATIONS: usize = 20;

/// Weights at the fine points of a cell for one target.
pub(crate) struct SingularQuadrature {
    /// r(U_j) − target.
    pub separation: Vec<Complex64>,
    /// For ∫ f ln|r − target| du.
    pub log: Vec<f64>,
    /// For ∫ f / (r − target) du.
    pub pole: Vec<Complex64>,
    /// For ∫ f / (r − target)² du.
    pub double_pole: Vec<Complex64>,
}

impl SingularQuadrature {
    /// `offset` is target − midpoint of the cell; `on` the parameter of a target that lies on the cell itself.
    pub(crate) fn new(rules: &Rules, cell: &Cell, offset: Complex64, on: Option<f64>) -> Self {
        let separation: Vec<Complex64> = match on {
            // Differences of positions relative to the midpoint, not of coordinates: exact on a flat cell.
            Some(u) => {
                let here = evaluate(&cell.series, Complex64::from(u)).0;
                cell.fine.iter().map(|r| r - here).collect()
            }
            None => cell.fine.iter().map(|r| r - offset).collect(),
        };
        match on.map(Complex64::from).or_else(|| newton(rules, cell, offset, &separation)) {
            Some(u0) => Self::singular(rules, &cell.tangents, separation, u0),
            None => Self::regular(rules, separation),
        }
    }

    fn regular(rules: &Rules, separation: Vec<Complex64>) -> Self {
        let weighted = |f: &dyn Fn(Complex64) -> Complex64| {
            separation.iter().zip(&rules.fine.weights).map(|(&d, &w)| w * f(d)).collect::<Vec<_>>()
        };
        // Far from the cell all kernels are smooth: the Gauss rule itself.
        let pole = weighted(&|d| 1.0 / d);
        let double_pole = weighted(&|d| 1.0 / (d * d));
        let log = separation.iter().zip(&rules.fine.weights).map(|(d, w)| w * d.norm().ln()).collect();
        Self { separation, log, pole, double_pole }
    }

    fn singular(rules: &Rules, tangents: &[Complex64], separation: Vec<Complex64>, u0: Complex64) -> Self {
        let count = separation.len();
        let singular = Singular::new(count, u0);
        let (mut log, mut pole) = (vec![0.0; count], vec![Complex64::ZERO; count]);
        let mut double_pole = pole.clone();
        // Weight j of the product rule: Σ_l ((2l+1)/2) P_l(U_j) W_j ∫ P_l s du for each singular factor s.
        for (l, row) in rules.legendre_transform.chunks(count).enumerate() {
            for (j, t) in row.iter().enumerate() {
                log[j] += t * singular.log[l];
                pole[j] += t * singular.pole[l];
                double_pole[j] += t * singular.double_pole[l];
            }
        }
        for (j, d) in separation.iter().enumerate() {
            // (u − u₀)/(r − target) is smooth, and ln|r − target| = ln|u − u₀| − ln|that|.
            // 0/0 for a target that coincides with a fine point: the limit is 1/r'.
            let smooth = if d.norm() > 0.0 { (rules.fine.nodes[j] - u0) / d } else { 1.0 / tangents[j] };
            log[j] -= rules.fine.weights[j] * smooth.norm().ln();
            pole[j] *= smooth;
            double_pole[j] *= smooth * smooth;
        }
        Self { separation, log, pole, double_pole }
    }
}

/// The complex preimage u₀ of a target near the cell, r(u₀) = target. Its imaginary part is positive to the left of the cell.
pub(crate) fn preimage(rules: &Rules, cell: &Cell, offset: Complex64) -> Option<Complex64> {
    let separation: Vec<Complex64> = cell.fine.iter().map(|r| r - offset).collect();
    newton(rules, cell, offset, &separation)
}

/// The preimage by Newton's method from the nearest fine point, unless it is so far from the cell that
/// regular quadrature is sufficient.
fn newton(rules: &Rules, cell: &Cell, offset: Complex64, separation: &[Complex64]) -> Option<Complex64> {
    let nearest =
        (0..separation.len()).min_by(|&a, &b| separation[a].norm().total_cmp(&separation[b].norm()))?;
    // First Newton step from the nearest fine point, whose tangent is known.
    let mut u = rules.fine.nodes[nearest] - separation[nearest] / cell.tangents[nearest];
    for _ in 0..MAX_ITERATIONS {
        // Diverging or far: the plain rule is accurate there.
        if bernstein(u) > 2.0 * REGULAR_BEYOND {
            return None;
        }
        let (value, slope) = evaluate(&cell.series, u);
        let step = (value - offset) / slope;
        u -= step;
        if step.norm() < 1e-14 {
            return (bernstein(u) < REGULAR_BEYOND).then_some(u);
        }
    }
    None
}

/// |u + √(u²−1)| ≥ 1: the parameter of the Bernstein ellipse, with foci ±1, through u.
fn bernstein(u: Complex64) -> f64 {
    let root = (u * u - 1.0).sqrt();
    (u + root).norm().max((u - root).norm())
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_core::quadrature::gauss_legendre;
    use phasefront_mesh::Segment;

    /// ∫ f(u) du by bisection until each panel is shorter than its distance from the target.
    fn bisected(cell: &Cell, offset: Complex64, f: &dyn Fn(f64) -> Complex64, a: f64, b: f64) -> Complex64 {
        let rule = gauss_legendre(20);
        let points = |t: f64| evaluate(&cell.series, Complex64::from(t)).0 - offset;
        let gap =
            (0..=8).map(|i| points(a + (b - a) * f64::from(i) / 8.0).norm()).fold(f64::INFINITY, f64::min);
        if gap < 1.5 * (b - a) * cell.length / 2.0 && b - a > 1e-13 {
            let mid = 0.5 * (a + b);
            return bisected(cell, offset, f, a, mid) + bisected(cell, offset, f, mid, b);
        }
        Complex64::new(rule.integrate(a, b, |u| f(u).re), rule.integrate(a, b, |u| f(u).im))
    }

    #[test]
    fn weights_match_bisection_on_a_curved_cell() {
        let rules = Rules::new(8);
        let arc =
            Segment::Arc { center: [0.0, 0.0], semi_axes: [1.0, 0.6], rotation: 0.0, start: 0.3, sweep: 0.5 };
        let cell = Cell::curved(&rules, 0, &arc, 0.0, 1.0);
        let density = |u: f64| (1.0 + 0.7 * u).sin();
        // From almost on the cell to a cell length from it, on both sides and past its ends.
        for (along, beside) in
            [(0.1, 1e-5), (-0.4, -1e-3), (0.95, 0.05), (1.02, 1e-4), (0.0, 0.2), (-1.3, -0.3), (0.5, 1.5)]
        {
            let (r, slope) = evaluate(&cell.series, Complex64::from(along));
            let offset = r + slope * Complex64::new(0.0, beside);
            let quadrature = SingularQuadrature::new(&rules, &cell, offset, None);
            let d = |u: f64| evaluate(&cell.series, Complex64::from(u)).0 - offset;
            let kinds: [&dyn Fn(f64) -> Complex64; 3] =
                [&|u| Complex64::from(density(u) * d(u).norm().ln()), &|u| density(u) / d(u), &|u| {
                    density(u) / (d(u) * d(u))
                }];
            let f: Vec<f64> = rules.fine.nodes.iter().map(|&u| density(u)).collect();
            let got = [
                quadrature.log.iter().zip(&f).map(|(w, f)| Complex64::from(w * f)).sum::<Complex64>(),
                quadrature.pole.iter().zip(&f).map(|(w, f)| w * f).sum(),
                quadrature.double_pole.iter().zip(&f).map(|(w, f)| w * f).sum(),
            ];
            for (i, (got, kind)) in got.iter().zip(kinds).enumerate() {
                let exact = bisected(&cell, offset, kind, -1.0, 1.0);
                // Error of the reference by rounding of the small distance, where large values cancel.
                let lost = f64::EPSILON * cell.length / (slope * beside).norm();
                let noise =
                    lost * bisected(&cell, offset, &|u| Complex64::from(kind(u).norm()), -1.0, 1.0).re;
                let error = (got - exact).norm();
                assert!(
                    error < 1e-11 * exact.norm() + noise,
                    "kind {i} at ({along}, {beside}): {got} {exact}"
                );
            }
        }
    }
}
