//! NearQuadrature of the layer kernels over a near cell by adaptive quadrature, M_m = ∫ P_m(u) K(u) |r'| du: slow, and independent of
//! the product rules of `singular_quadrature.rs` except for the Hadamard finite part of the hypersingular kernel.

use crate::cell::{Cell, Rules, evaluate};
use crate::green::{HankelParts, LogSplit, Medium};
use crate::layer_potentials::{CellEntries, OperatorSet};
use crate::legendre::{Singular, polynomials};
use crate::problem::NearQuadrature;
use num_complex::Complex64;
use phasefront_core::quadrature::{Rule, gauss_legendre};
use std::f64::consts::{PI, TAU};

const J: Complex64 = Complex64::new(0.0, 1.0);

/// Gauss points per panel, and the shortest panel next to a singularity: the integral of a logarithm over it is below 1e-14.
const PANEL_POINTS: usize = 24;
const SHORTEST_PANEL: f64 = 1e-12;
/// Gauss points for smooth remainders.
const SMOOTH_POINTS: usize = 10;

/// At one point of the cell, the dynamic part of 𝒮, 𝒟, 𝒟', 𝒯 (without the static poles) and the static part of 𝒟, 𝒟', 𝒯
/// (without 1/jk).
type Kernels = [Complex64; 7];

/// A source cell and a target.
struct Interaction<'a> {
    cell: &'a Cell,
    /// Target relative to the midpoint of the cell.
    offset: Complex64,
    normal: Complex64,
    medium: &'a Medium,
    rule: Rule,
    order: usize,
}

/// Entries of the operators for the nodes of a cell; `on` is the parameter of a target that lies on the cell itself.
#[allow(clippy::too_many_arguments)]
pub(crate) fn entries(
    rules: &Rules,
    cell: &Cell,
    offset: Complex64,
    on: Option<f64>,
    medium: &Medium,
    normal: Complex64,
    needed: OperatorSet,
    how: NearQuadrature,
) -> CellEntries {
    // A target on the cell is taken from its own series, so that r − r₀ vanishes exactly at u₀.
    let offset = on.map_or(offset, |u| evaluate(&cell.series, Complex64::from(u)).0);
    let pair = Interaction {
        cell,
        offset,
        normal,
        medium,
        rule: gauss_legendre(PANEL_POINTS),
        order: rules.order(),
    };
    let mut moments = vec![[Complex64::ZERO; 7]; pair.order];
    // On the cell the kernels are singular at u₀: each side by itself, static poles in closed form.
    // Off the cell both parts are integrated together.
    match on {
        Some(u0) => {
            pair.adaptive(&mut moments, -1.0, u0, &|u| pair.dynamic(u));
            pair.adaptive(&mut moments, u0, 1.0, &|u| pair.dynamic(u));
            pair.static_on_cell(&mut moments, u0);
        }
        None => pair.adaptive(&mut moments, -1.0, 1.0, &|u| {
            let (dynamic, statics) = (pair.dynamic(u), pair.statics(u));
            std::array::from_fn(|i| dynamic[i] + statics[i])
        }),
    }
    let weigh = |kind: &dyn Fn(&Kernels) -> Complex64, needed: bool| {
        let column: Vec<Complex64> = moments.iter().map(kind).collect();
        match (needed, how) {
            (false, _) => Vec::new(),
            (true, NearQuadrature::LocalCorrection) => local_solve(rules, column),
            (true, _) => from_moments(rules, &column),
        }
    };
    CellEntries {
        s: weigh(&|m| m[0], needed.s),
        d: weigh(&|m| m[1] + m[4], needed.d),
        dp: weigh(&|m| m[2] + m[5], needed.dp),
        t: weigh(&|m| m[3], needed.t),
        t_static: weigh(&|m| m[6], needed.t).iter().map(|t| t.re).collect(),
    }
}

/// w_i L_i = w_i Σ_{m<q} ((2m+1)/2) P_m(u_i) M_m.
fn from_moments(rules: &Rules, moments: &[Complex64]) -> Vec<Complex64> {
    let entry = |(&u, &w): (&f64, &f64)| {
        let p = polynomials(moments.len(), u);
        w * moments
            .iter()
            .zip(p)
            .enumerate()
            .map(|(m, (moment, p))| (m as f64 + 0.5) * p * moment)
            .sum::<Complex64>()
    };
    rules.coarse.nodes.iter().zip(&rules.coarse.weights).map(entry).collect()
}

/// The q x q system Σ_i P_m(u_i) (w_i L_i) = M_m, m < q, of Canino et al. (1998), by Gaussian elimination.
fn local_solve(rules: &Rules, mut moments: Vec<Complex64>) -> Vec<Complex64> {
    let q = moments.len();
    let columns: Vec<Vec<f64>> = rules.coarse.nodes.iter().map(|&u| polynomials(q, u)).collect();
    let mut a: Vec<Vec<f64>> = (0..q).map(|m| columns.iter().map(|column| column[m]).collect()).collect();
    // Partial pivoting; q is at most 16.
    for step in 0..q {
        let pivot = (step..q).max_by(|&i, &j| a[i][step].abs().total_cmp(&a[j][step].abs())).unwrap_or(step);
        a.swap(step, pivot);
        moments.swap(step, pivot);
        for row in step + 1..q {
            let factor = a[row][step] / a[step][step];
            let (above, below) = a.split_at_mut(row);
            below[0].iter_mut().zip(&above[step]).skip(step).for_each(|(x, y)| *x -= factor * y);
            let shift = factor * moments[step];
            moments[row] -= shift;
        }
    }
    for row in (0..q).rev() {
        let known: Complex64 = (row + 1..q).map(|j| a[row][j] * moments[j]).sum();
        moments[row] = (moments[row] - known) / a[row][row];
    }
    moments
}

impl Interaction<'_> {
    /// Adds ∫ P_m K du over [a, b]; panels are bisected until each is shorter than its distance from the target.
    fn adaptive(&self, moments: &mut [Kernels], a: f64, b: f64, kernels: &dyn Fn(f64) -> Kernels) {
        let (half, mid) = (0.5 * (b - a), 0.5 * (a + b));
        let distance = |u: f64| (evaluate(&self.cell.series, Complex64::from(u)).0 - self.offset).norm();
        let nearest = self
            .rule
            .nodes
            .iter()
            .map(|&u| distance(mid + half * u))
            .fold(distance(a).min(distance(b)), f64::min);
        // Gauss quadrature converges fast on panels shorter than their distance from the
        // singularity; the arc length of a panel is about half · length.
        if nearest < half * self.cell.length && b - a > SHORTEST_PANEL {
            self.adaptive(moments, a, mid, kernels);
            self.adaptive(moments, mid, b, kernels);
        } else {
            self.panel(moments, a, b, kernels);
        }
    }

    fn panel(&self, moments: &mut [Kernels], a: f64, b: f64, kernels: &dyn Fn(f64) -> Kernels) {
        let (half, mid) = (0.5 * (b - a), 0.5 * (a + b));
        for (node, weight) in self.rule.nodes.iter().zip(&self.rule.weights) {
            let u = mid + half * node;
            let values = kernels(u);
            // One evaluation of the kernels serves all moments.
            for (moment, p) in moments.iter_mut().zip(polynomials(self.order, u)) {
                moment.iter_mut().zip(values).for_each(|(m, v)| *m += half * weight * p * v);
            }
        }
    }

    fn geometry(&self, u: f64) -> (Complex64, Complex64) {
        let (value, tangent) = evaluate(&self.cell.series, Complex64::from(u));
        (value - self.offset, tangent)
    }

    /// The kernels without their static poles.
    fn dynamic(&self, u: f64) -> Kernels {
        let (separation, tangent) = self.geometry(u);
        // ln r stays finite at the target itself.
        let (k, n, r) = (self.medium.k, self.normal, separation.norm().max(1e-300));
        let dot = |a: Complex64, b: Complex64| (a.conj() * b).re;
        let n_source = -J * tangent / tangent.norm();
        let (n_r, n_source_r) = (-dot(n, separation), -dot(n_source, separation));
        let parts = HankelParts::new(self.medium, r);
        let value = |part: LogSplit| tangent.norm() * (part.smooth + part.log * r.ln());
        let cosines = n_r * n_source_r / (r * r) * tangent.norm();
        let t =
            dot(n, n_source) * value(parts.h1) - J * k / PI * cosines + n_r * n_source_r * value(parts.h2);
        let zero = Complex64::ZERO;
        [
            0.25 * k * value(parts.h0),
            -0.25 * J * k * n_source_r * value(parts.h1),
            0.25 * J * k * n_r * value(parts.h1),
            -0.25 * t,
            zero,
            zero,
            zero,
        ]
    }

    /// The static poles (1/2π)(n'·R)/r², −(1/2π)(n·R)/r², (1/2π)[n·n' r² − 2(n·R)(n'·R)]/r⁴.
    fn statics(&self, u: f64) -> Kernels {
        let (separation, tangent) = self.geometry(u);
        let zero = Complex64::ZERO;
        // As complex functions of r − r₀, with n' = −j r'/|r'|.
        let d = -(tangent / separation).im / TAU;
        let dp = (self.normal / separation).re * tangent.norm() / TAU;
        let t = -(self.normal * tangent / (separation * separation)).im / TAU;
        [zero, zero, zero, zero, d.into(), dp.into(), t.into()]
    }

    /// On the cell the static parts of 𝒟 and 𝒟' are smooth; that of 𝒯 is (1/2π)/(ρ(u₀)(u − u₀)²) plus a smooth remainder, because
    /// Im[ν r'/(r − r₀)²] = −1/(ρ(u₀)(u − u₀)²) + O(1).
    fn static_on_cell(&self, moments: &mut [Kernels], u0: f64) {
        // ρ(u₀) = |dr/du|.
        let speed = evaluate(&self.cell.series, Complex64::from(u0)).1.norm();
        let pole = |u: f64| 1.0 / (TAU * speed * (u - u0) * (u - u0));
        let smooth = |u: f64| {
            let mut kernels = self.statics(u);
            kernels[6] -= pole(u);
            kernels
        };
        // Few points: near u₀ the difference of the two poles is dominated by rounding.
        let coarse = Interaction { rule: gauss_legendre(SMOOTH_POINTS), ..*self };
        coarse.panel(moments, -1.0, u0, &smooth);
        coarse.panel(moments, u0, 1.0, &smooth);
        // The pole itself: Hadamard finite part in closed form.
        let finite_part = Singular::new(self.order, Complex64::from(u0)).double_pole;
        for (moment, part) in moments.iter_mut().zip(finite_part) {
            moment[6] += part / (TAU * speed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::singular_quadrature::SingularQuadrature;
    use phasefront_mesh::Segment;

    const ALL: OperatorSet = OperatorSet { s: true, d: true, dp: true, t: true };

    /// Entries by the product rules, as in `local_correction.rs`.
    fn split(
        rules: &Rules,
        cell: &Cell,
        offset: Complex64,
        on: Option<f64>,
        k: &Medium,
        n: Complex64,
    ) -> [Vec<Complex64>; 5] {
        let quadrature = SingularQuadrature::new(rules, cell, offset, on);
        let e =
            CellEntries::at_fine_points(rules, cell, &quadrature, k, n, ALL).interpolation_transpose(rules);
        let statics = e.t_static.iter().map(|&t| t.into()).collect();
        [e.s, e.d, e.dp, e.t, statics]
    }

    #[test]
    fn product_rules_agree_with_adaptive_quadrature() {
        let rules = Rules::new(8);
        let arc =
            Segment::Arc { center: [0.3, 0.0], semi_axes: [1.0, 0.8], rotation: 0.2, start: 0.3, sweep: 0.3 };
        let cell = Cell::curved(&rules, 0, &arc, 0.0, 1.0);
        for k in [Complex64::new(5.0, 0.0), Complex64::new(6.0, -2.0)] {
            let mut targets = vec![
                (Complex64::ZERO, Some(rules.coarse.nodes[2])),
                (Complex64::ZERO, Some(rules.coarse.nodes[7])),
            ];
            for (along, beside) in [(0.2, 0.01), (-0.5, -0.1), (1.1, 0.02), (1.6, -0.5)] {
                let (r, tangent) = evaluate(&cell.series, Complex64::from(along));
                targets.push((r + tangent * Complex64::new(0.0, beside), None));
            }
            for (offset, on) in targets {
                let n = on.map_or(Complex64::cis(0.9), |u| {
                    let tangent = evaluate(&cell.series, Complex64::from(u)).1;
                    -J * tangent / tangent.norm()
                });
                let medium = Medium::new(k);
                let got = split(&rules, &cell, offset, on, &medium, n);
                for how in [NearQuadrature::Adaptive, NearQuadrature::LocalCorrection] {
                    let e = entries(&rules, &cell, offset, on, &medium, n, ALL, how);
                    let statics = e.t_static.iter().map(|&t| t.into()).collect();
                    for (kind, (got, exact)) in got.iter().zip([e.s, e.d, e.dp, e.t, statics]).enumerate() {
                        let scale = exact.iter().map(|z| z.norm()).fold(0.1, f64::max);
                        for (g, e) in got.iter().zip(&exact) {
                            assert!(
                                (g - e).norm() < 2e-10 * scale,
                                "kind {kind}, {offset} {on:?} {k}: {g} {e}"
                            );
                        }
                    }
                }
            }
        }
    }
}
