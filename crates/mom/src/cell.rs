//! Cells of a contour: short curved segments with Gauss-Legendre nodes, which carry the unknowns.

use crate::legendre::polynomials;
use num_complex::Complex64;
use phasefront_core::quadrature::{Rule, gauss_legendre};
use phasefront_mesh::Segment;

/// Fewest fine points, on which kernels are resampled near their singularity; otherwise twice the order of the cell.
const MIN_FINE_POINTS: usize = 12;

/// Quadrature rules that all cells of one order share: nodes, a finer rule for near targets, and the interpolation between the two.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    /// The `q` nodes, which carry the unknowns.
    pub coarse: Rule,
    /// The rule for near targets.
    pub fine: Rule,
    /// Value of a polynomial at fine point j from its values at the nodes i: `interpolation[j * q + i]`,
    /// w_i Σ_{m<q} ((2m+1)/2) P_m(u_i) P_m(U_j).
    pub interpolation: Vec<f64>,
    /// Legendre coefficient l of a function from its values at the fine points: `legendre_transform[l * fine + j]`,
    /// ((2l+1)/2) P_l(U_j) W_j.
    pub legendre_transform: Vec<f64>,
}

impl Rules {
    pub(crate) fn new(order: usize) -> Self {
        let coarse = gauss_legendre(order);
        // Twice the order resolves the product of the density and the smooth factor of a kernel.
        let count = (2 * order).max(MIN_FINE_POINTS);
        let fine = gauss_legendre(count);
        let at_coarse: Vec<Vec<f64>> = coarse.nodes.iter().map(|&u| polynomials(order, u)).collect();
        let at_fine: Vec<Vec<f64>> = fine.nodes.iter().map(|&u| polynomials(count, u)).collect();
        // 1/∫ P_m² du.
        let norm = |m: usize| (2 * m + 1) as f64 / 2.0;
        let mut interpolation = Vec::with_capacity(count * order);
        for p in &at_fine {
            for (at_node, weight) in at_coarse.iter().zip(&coarse.weights) {
                // P_m, m < q, are orthogonal under the Gauss rule of q nodes: it is exact to degree
                // 2q − 1.
                let sum: f64 = (0..order).map(|m| norm(m) * at_node[m] * p[m]).sum();
                interpolation.push(weight * sum);
            }
        }
        let mut legendre_transform = Vec::with_capacity(count * count);
        for l in 0..count {
            legendre_transform
                .extend(at_fine.iter().zip(&fine.weights).map(|(p, weight)| norm(l) * p[l] * weight));
        }
        Self { coarse, fine, interpolation, legendre_transform }
    }

    /// Weights of the nodes in the value of a polynomial at `u`.
    pub(crate) fn interpolation_at(&self, u: f64) -> Vec<f64> {
        let here = polynomials(self.order(), u);
        let weight = |(&node, w): (&f64, &f64)| {
            let there = polynomials(self.order(), node);
            w * here.iter().zip(&there).enumerate().map(|(m, (a, b))| (m as f64 + 0.5) * a * b).sum::<f64>()
        };
        self.coarse.nodes.iter().zip(&self.coarse.weights).map(weight).collect()
    }

    /// Weights of the nodes that integrate the same as the given weights of the fine points.
    pub(crate) fn interpolation_transpose(&self, fine: &[Complex64]) -> Vec<Complex64> {
        // Operators that are not needed have no entries.
        let mut coarse = if fine.is_empty() { Vec::new() } else { vec![Complex64::ZERO; self.order()] };
        for (value, row) in fine.iter().zip(self.interpolation.chunks(self.order())) {
            coarse.iter_mut().zip(row).for_each(|(sum, t)| *sum += value * t);
        }
        coarse
    }

    /// Unknowns per cell.
    pub(crate) fn order(&self) -> usize {
        self.coarse.nodes.len()
    }
}

/// A segment of a contour, parameter u in [-1, 1]; points of the plane as complex numbers x + jy. Positions on it are
/// relative to its midpoint, so that the smallest cell at a corner retains full relative accuracy.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The body it belongs to.
    pub body: usize,
    /// Arc length.
    pub length: f64,
    /// Arc length from the start of the body to its start.
    pub start: f64,
    /// Level of dyadic refinement toward a corner or an open end.
    pub refinement_level: usize,
    /// r(0).
    pub midpoint: Complex64,
    /// r(u) − r(0) at the nodes.
    pub nodes: Vec<Complex64>,
    /// dr/du at the nodes.
    pub node_tangents: Vec<Complex64>,
    /// r(u) − r(0) at the fine points.
    pub fine: Vec<Complex64>,
    /// dr/du at the fine points.
    pub tangents: Vec<Complex64>,
    /// Legendre series of r(u) − r(0).
    pub series: Vec<Complex64>,
}

impl Cell {
    /// The part of `segment` between the parameters `from` and `to`.
    pub(crate) fn curved(rules: &Rules, body: usize, segment: &Segment, from: f64, to: f64) -> Self {
        let (half, mid) = (0.5 * (to - from), 0.5 * (from + to));
        let slope = |u: f64| half * complex(segment.derivative(mid + half * u));
        Self::new(rules, body, complex(segment.point(mid)), slope)
    }

    /// The chord of that part: a flat cell.
    pub(crate) fn flat(rules: &Rules, body: usize, segment: &Segment, from: f64, to: f64) -> Self {
        let (a, b) = (complex(segment.point(from)), complex(segment.point(to)));
        Self::new(rules, body, 0.5 * (a + b), |_| 0.5 * (b - a))
    }

    fn new(rules: &Rules, body: usize, midpoint: Complex64, slope: impl Fn(f64) -> Complex64) -> Self {
        let tangents: Vec<Complex64> = rules.fine.nodes.iter().map(|&u| slope(u)).collect();
        // Positions by integration of the tangent: differences of coordinates would lose the digits of small cells.
        let series = integrated(rules, &tangents);
        let at = |u: &f64| evaluate(&series, Complex64::from(*u)).0;
        Self {
            body,
            length: tangents.iter().zip(&rules.fine.weights).map(|(s, w)| s.norm() * w).sum(),
            start: 0.0,
            refinement_level: 0,
            midpoint,
            nodes: rules.coarse.nodes.iter().map(at).collect(),
            node_tangents: rules.coarse.nodes.iter().map(|&u| slope(u)).collect(),
            fine: rules.fine.nodes.iter().map(at).collect(),
            tangents,
            series,
        }
    }

    /// Arc length from the start of the cell to each node.
    pub(crate) fn arc_lengths(&self, rules: &Rules) -> Vec<f64> {
        // The series of |dr/du|, integrated, is the arc length.
        let jacobians: Vec<Complex64> = self.tangents.iter().map(|s| Complex64::from(s.norm())).collect();
        let series = integrated(rules, &jacobians);
        let at = |u: f64| evaluate(&series, Complex64::from(u)).0.re;
        rules.coarse.nodes.iter().map(|&u| at(u) - at(-1.0)).collect()
    }

    /// r(−1) − r(0).
    pub(crate) fn start_point(&self) -> Complex64 {
        evaluate(&self.series, Complex64::from(-1.0)).0
    }

    /// The point at half the arc length, relative to the midpoint r(0), and dr/du there.
    pub(crate) fn arc_midpoint(&self, rules: &Rules) -> (Complex64, Complex64) {
        let jacobians: Vec<Complex64> = self.tangents.iter().map(|s| Complex64::from(s.norm())).collect();
        let series = integrated(rules, &jacobians);
        let at = |u: f64| evaluate(&series, Complex64::from(u));
        let target = 0.5 * (at(-1.0).0 + at(1.0).0).re;
        let mut u = 0.0;
        // Newton's method converges fast: |dr/du| varies little within a cell.
        for _ in 0..8 {
            let (value, slope) = at(u);
            u -= (value.re - target) / slope.re;
        }
        evaluate(&self.series, Complex64::from(u))
    }

    /// Distance of a point from the cell, measured at its fine points and ends: accurate to a fraction of the cell length.
    pub(crate) fn distance(&self, point: Complex64) -> f64 {
        let offset = point - self.midpoint;
        // Gauss points are short of the ends.
        let ends = [-1.0, 1.0].map(|u| evaluate(&self.series, Complex64::from(u)).0);
        self.fine.iter().chain(&ends).map(|r| (r - offset).norm()).fold(f64::INFINITY, f64::min)
    }
}

pub(crate) fn complex([x, y]: [f64; 2]) -> Complex64 {
    Complex64::new(x, y)
}

/// Legendre series of ∫_0^u of the function with the given values at the fine points, by
/// ∫ P_l = (P_{l+1} − P_{l−1})/(2l+1).
fn integrated(rules: &Rules, tangents: &[Complex64]) -> Vec<Complex64> {
    let count = tangents.len();
    let mut series = vec![Complex64::ZERO; count + 1];
    for l in 0..count {
        let row = &rules.legendre_transform[l * count..(l + 1) * count];
        let slope: Complex64 = row.iter().zip(tangents).map(|(t, s)| s * t).sum();
        let part = slope / (2 * l + 1) as f64;
        series[l + 1] += part;
        if l > 0 {
            series[l - 1] -= part;
        }
    }
    // Integration constant: zero at u = 0, the origin of the cell.
    let at_middle = evaluate(&series, Complex64::ZERO).0;
    series[0] -= at_middle;
    series
}

/// Value and derivative of a Legendre series at a complex point, by the recurrences of P_l and
/// P'_{l+1} = P'_{l−1} + (2l+1) P_l.
pub(crate) fn evaluate(series: &[Complex64], u: Complex64) -> (Complex64, Complex64) {
    let one = Complex64::ONE;
    let (mut p, mut dp) = ([one, u], [Complex64::ZERO, one]);
    let (mut value, mut slope) = (series[0], Complex64::ZERO);
    // (l + 1) P_{l+1} = (2l + 1) u P_l − l P_{l−1}, also off the real axis, where the preimages of
    // near targets lie.
    for (l, c) in series.iter().enumerate().skip(1) {
        value += c * p[1];
        slope += c * dp[1];
        let m = l as f64;
        let next = ((2.0 * m + 1.0) * u * p[1] - m * p[0]) / (m + 1.0);
        let next_slope = dp[0] + (2.0 * m + 1.0) * p[1];
        (p, dp) = ([p[1], next], [dp[1], next_slope]);
    }
    (value, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_lies_on_its_curve() {
        let rules = Rules::new(8);
        let arc = Segment::Arc {
            center: [2.0, -1.0],
            semi_axes: [1.5, 0.7],
            rotation: 0.4,
            start: 0.2,
            sweep: 2.0,
        };
        let cell = Cell::curved(&rules, 0, &arc, 0.25, 0.5);
        for (&u, r) in rules.coarse.nodes.iter().zip(&cell.nodes) {
            let exact = complex(arc.point(0.375 + 0.125 * u));
            assert!((cell.midpoint + r - exact).norm() < 1e-15);
        }
        let (end, slope) = evaluate(&cell.series, Complex64::ONE);
        assert!((cell.midpoint + end - complex(arc.point(0.5))).norm() < 1e-14);
        assert!((slope - 0.125 * complex(arc.derivative(0.5))).norm() < 1e-12);
    }

    #[test]
    fn interpolation_is_exact_for_polynomials_of_the_order() {
        let rules = Rules::new(5);
        let f = |u: f64| 1.0 + u * (0.3 - u * (2.0 - u * (1.1 + 0.7 * u)));
        for (j, &fine) in rules.fine.nodes.iter().enumerate() {
            let sum: f64 = (0..5).map(|i| rules.interpolation[j * 5 + i] * f(rules.coarse.nodes[i])).sum();
            assert!((sum - f(fine)).abs() < 1e-14);
        }
    }

    #[test]
    fn the_smallest_cell_retains_full_accuracy() {
        let line = Segment::Line { from: [1.0, 3.0], to: [2.0, 3.5] };
        let cell = Cell::curved(&Rules::new(4), 0, &line, 0.0, 1e-9);
        let expected = Complex64::new(0.5e-9, 0.25e-9);
        for (&u, r) in gauss_legendre(4).nodes.iter().zip(&cell.nodes) {
            assert!((r - expected * u).norm() < 1e-24);
        }
    }
}
