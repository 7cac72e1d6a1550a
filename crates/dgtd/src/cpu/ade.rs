//! Auxiliary differential equations (ADE) of PMLs and dispersive materials, and their update in a stage.

use super::stage::Stage;
use crate::offsets::{POLE, POLE_EE, POLE_EU, POLE_EV, POLE_UE, POLE_UU, POLE_UV, POLE_VE, POLE_VU, POLE_VV};
use crate::plan::LANES;
use phasefront_core::simd::SimdReal;

/// Auxiliary unknowns of a run of blocks.
pub enum Ade<'a, T> {
    /// None.
    None,
    /// PML along one axis.
    PmlFace(PmlBlocks<'a, T>),
    /// CFS-PML along two axes.
    PmlEdge(PmlBlocks<'a, T>),
    /// CFS-PML along three axes.
    PmlCorner(PmlBlocks<'a, T>),
    /// Uniaxial PML along several axes.
    UniaxialPml(PmlBlocks<'a, T>),
    /// Dispersive material with so many poles.
    Poles {
        /// [block][pole][POLE][lane].
        constants: &'a [T],
        poles: usize,
        /// [block][pole][2][3][node][lane], and their increments.
        values: &'a mut [T],
        increments: &'a mut [T],
    },
}

/// Coefficients and unknowns of a PML.
pub struct PmlBlocks<'a, T> {
    /// Along one or two axes σ and α at the nodes, then flags of the axes: [block][axis (2 nodes + 3)][lane]; else σ and α along all
    /// axes: [block][6][node][lane].
    pub constants: &'a [T],
    /// [block][unknown][node][lane], and their increments.
    pub values: &'a mut [T],
    pub increments: &'a mut [T],
}

impl<T: SimdReal> Ade<'_, T> {
    /// Completes the rates of block `at`, and advances its fields and auxiliary unknowns by one stage.
    #[inline(always)]
    pub fn advance(
        &mut self,
        at: usize,
        nodes: usize,
        stage: Stage<T>,
        q: &mut [T],
        increments: &mut [T],
        rates: &mut [T],
    ) {
        match self {
            Self::None => {}
            Self::PmlFace(pml) => pml.face(at, nodes, stage, q, rates),
            Self::PmlEdge(pml) => pml.edge(at, nodes, stage, q, rates),
            Self::PmlCorner(pml) => pml.corner(at, nodes, stage, q, rates),
            Self::UniaxialPml(pml) => pml.uniaxial(at, nodes, stage, q, rates),
            Self::Poles { constants, poles, values, increments: own } => {
                // Poles couple through E only, and E is that of the start of the stage: their order
                // is free.
                let (per_pole, len) = (6 * nodes * LANES, *poles * 6 * nodes * LANES);
                for pole in 0..*poles {
                    let c = &constants[(at * *poles + pole) * POLE * LANES..][..POLE * LANES];
                    let range = at * len + pole * per_pole..at * len + (pole + 1) * per_pole;
                    advance_pole(c, stage, q, &mut values[range.clone()], &mut own[range], rates);
                }
            }
        }
        // The fields come last: the equations above use their values at the start of the stage.
        stage.advance(q, increments, rates);
    }
}

/// One pole (Taflove and Hagness, Computational Electrodynamics, 2005, chapter 9): u' = c_UE E + c_UU u + c_UV v, v' = c_VE E + c_VU u +
/// c_VV v, and ∂E/∂τ loses c_EE E + c_EU u + c_EV v.
#[inline(always)]
fn advance_pole<T: SimdReal>(
    c: &[T],
    stage: Stage<T>,
    q: &[T],
    values: &mut [T],
    increments: &mut [T],
    rates: &mut [T],
) {
    // u and v of the three components of E, which come first in `q` and `rates`.
    let half = values.len() / 2;
    let (u, v) = values.split_at_mut(half);
    let (du, dv) = increments.split_at_mut(half);
    for i in 0..half {
        let lane = i % LANES;
        let c = |k: usize| c[k * LANES + lane];
        let (e, u0, v0) = (q[i], u[i], v[i]);
        rates[i] = rates[i] - (c(POLE_EE) * e + c(POLE_EU) * u0 + c(POLE_EV) * v0);
        du[i] = stage.a * du[i] + stage.dt * (c(POLE_UE) * e + c(POLE_UU) * u0 + c(POLE_UV) * v0);
        dv[i] = stage.a * dv[i] + stage.dt * (c(POLE_VE) * e + c(POLE_VU) * u0 + c(POLE_VV) * v0);
        u[i] += stage.b * du[i];
        v[i] += stage.b * dv[i];
    }
}

impl<T: SimdReal> PmlBlocks<'_, T> {
    /// PML face, stretching 1 + σ/(α + jω) along one axis. The component along it: v' = σE − (σ + α)v, and ∂E/∂τ gains v'; the others:
    /// v' = σE − αv, and ∂E/∂τ loses v'; the same for H.
    #[inline(always)]
    fn face(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
        // σ and α at the nodes, then a flag for each of x, y and z.
        let len = 2 * per + 3 * LANES;
        let constants = &self.constants[at * len..(at + 1) * len];
        let values = &mut self.values[at * 6 * per..(at + 1) * 6 * per];
        let increments = &mut self.increments[at * 6 * per..(at + 1) * 6 * per];
        for row in 0..6 * nodes {
            let (component, node) = (row / nodes, row % nodes);
            let [s, a] = [node, nodes + node].map(|k| &constants[k * LANES..][..LANES]);
            let along = &constants[2 * per + component % 3 * LANES..][..LANES];
            let (v, dv) = (&mut values[row * LANES..][..LANES], &mut increments[row * LANES..][..LANES]);
            let (rate, e) = (&mut rates[row * LANES..][..LANES], &q[row * LANES..][..LANES]);
            for i in 0..LANES {
                let slope = s[i] * e[i] - (along[i] * s[i] + a[i]) * v[i];
                // (2 along − 1) v' without a branch: lanes differ in their axis.
                let gain = along[i] * slope;
                rate[i] += gain + gain - slope;
                dv[i] = stage.a * dv[i] + stage.dt * slope;
                v[i] += stage.b * dv[i];
            }
        }
    }

    /// PML edge, stretching along two axes. G is E less the unknown of its own axis, if that
    /// absorbs; u' = σG − αu of the first axis, v' = σG − αv of the second, with G + u instead of G
    /// if neither is the component's own; ∂E/∂τ gains u' or v' of its own axis and loses the other;
    /// the same for H.
    #[inline(always)]
    fn edge(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
        let len = 4 * per + 6 * LANES;
        let (at_nodes, along) = self.constants[at * len..(at + 1) * len].split_at(4 * per);
        let one = T::from_f64(1.0);
        for component in 0..6 {
            let start = (at * 6 + component) * 2 * per;
            let (u, v) = self.values[start..][..2 * per].split_at_mut(per);
            let (du, dv) = self.increments[start..][..2 * per].split_at_mut(per);
            let (rate, e) = (&mut rates[component * per..][..per], &q[component * per..][..per]);
            let [first, second] = [0, 3].map(|axis| &along[(axis + component % 3) * LANES..][..LANES]);
            for i in 0..per {
                // 1 where the component is along the first or the second absorbing axis, else 0.
                let (f, g) = (first[i % LANES], second[i % LANES]);
                let [s, a, s2, a2] = [0, 1, 2, 3].map(|k| at_nodes[k * per + i]);
                // G = E/s, with s of the component's own axis.
                let rest = e[i] - f * u[i] - g * v[i];
                let (slope, slope2) = (s * rest - a * u[i], s2 * (rest + (one - f - g) * u[i]) - a2 * v[i]);
                rate[i] += (f + f - one) * slope + (g + g - one) * slope2;
                du[i] = stage.a * du[i] + stage.dt * slope;
                dv[i] = stage.a * dv[i] + stage.dt * slope2;
                u[i] += stage.b * du[i];
                v[i] += stage.b * dv[i];
            }
        }
    }

    /// PML corner: uniaxial tensor s_y s_z/s_x (Gedney 1996) with CFS stretching s = 1 + σ/(α + jω) along x, y and z (Roden and Gedney
    /// 2000): G = E_x/s_x = E_x − a, a' = σ_x G − α_x a, b' = σ_y G − α_y b, c' = σ_z (G + b) − α_z c, and ∂E_x/∂τ
    /// gains a' − b' − c', since s_y s_z G = G + b + c; cyclic in x, y, z, and the same for H.
    #[inline(always)]
    fn corner(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
        let profile = &self.constants[at * 6 * per..(at + 1) * 6 * per];
        for component in 0..6 {
            let axes = [component % 3, (component + 1) % 3, (component + 2) % 3];
            let [sx, sy, sz] = axes.map(|axis| &profile[axis * per..][..per]);
            let [ax, ay, az] = axes.map(|axis| &profile[(3 + axis) * per..][..per]);
            let start = (at * 6 + component) * 3 * per;
            let [a, b, c] = three(&mut self.values[start..][..3 * per]);
            let [da, db, dc] = three(&mut self.increments[start..][..3 * per]);
            let (rate, e) = (&mut rates[component * per..][..per], &q[component * per..][..per]);
            for i in 0..per {
                // G = E_x/s_x, and s_y s_z G = G + b + c.
                let g = e[i] - a[i];
                let slope_a = sx[i] * g - ax[i] * a[i];
                let slope_b = sy[i] * g - ay[i] * b[i];
                let slope_c = sz[i] * (g + b[i]) - az[i] * c[i];
                rate[i] += slope_a - slope_b - slope_c;
                da[i] = stage.a * da[i] + stage.dt * slope_a;
                db[i] = stage.a * db[i] + stage.dt * slope_b;
                dc[i] = stage.a * dc[i] + stage.dt * slope_c;
                a[i] += stage.b * da[i];
                b[i] += stage.b * db[i];
                c[i] += stage.b * dc[i];
            }
        }
    }

    /// Uniaxial PML (Gedney 1996): ∂E_x/∂τ loses (σ_y + σ_z − σ_x) E_x + P_x; P_x' = (σ_y − σ_x)(σ_z − σ_x) E_x − σ_x P_x; cyclic in x,
    /// y, z, and the same for H.
    #[inline(always)]
    fn uniaxial(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
        let profile = &self.constants[at * 6 * per..(at + 1) * 6 * per];
        let values = &mut self.values[at * 6 * per..(at + 1) * 6 * per];
        let increments = &mut self.increments[at * 6 * per..(at + 1) * 6 * per];
        for component in 0..6 {
            let axes = [component % 3, (component + 1) % 3, (component + 2) % 3];
            let [sx, sy, sz] = axes.map(|axis| &profile[axis * per..][..per]);
            let (p, dp) = (&mut values[component * per..][..per], &mut increments[component * per..][..per]);
            let (rate, e) = (&mut rates[component * per..][..per], &q[component * per..][..per]);
            for i in 0..per {
                // Partial fractions of the tensor; the last term times E_x is P_x:
                // jω s_y s_z/s_x = jω + σ_y + σ_z − σ_x + (σ_y − σ_x)(σ_z − σ_x)/(jω + σ_x).
                rate[i] = rate[i] - ((sy[i] + sz[i] - sx[i]) * e[i] + p[i]);
                let slope = (sy[i] - sx[i]) * (sz[i] - sx[i]) * e[i] - sx[i] * p[i];
                dp[i] = stage.a * dp[i] + stage.dt * slope;
                p[i] += stage.b * dp[i];
            }
        }
    }
}

/// Three equal parts.
#[inline(always)]
fn three<T>(values: &mut [T]) -> [&mut [T]; 3] {
    let len = values.len() / 3;
    let (a, rest) = values.split_at_mut(len);
    let (b, c) = rest.split_at_mut(len);
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If one of the three axes does not absorb, a PML corner equals a PML edge.
    #[test]
    fn edges_are_corners_that_absorb_along_two_axes() {
        let nodes = 4;
        let per = nodes * LANES;
        let number = |i: usize| ((i * 7919 + 13) % 101) as f64 / 101.0;
        let stage = Stage { a: -0.4, b: 0.3, dt: 0.1 };
        for axes in [[0, 1], [0, 2], [1, 2]] {
            let of_axis = |axis: usize, k: usize| (0..per).map(move |i| number(1000 * axis + 500 * k + i));
            let mut along_two: Vec<f64> =
                axes.iter().flat_map(|&axis| [0, 1].map(|k| of_axis(axis, k))).flatten().collect();
            for axis in axes {
                along_two.extend((0..3 * LANES).map(|i| f64::from(u8::from(i / LANES == axis))));
            }
            let along_three: Vec<f64> = (0..6)
                .flat_map(|row| {
                    of_axis(row % 3, row / 3).map(move |s| if axes.contains(&(row % 3)) { s } else { 0.0 })
                })
                .collect();
            let run = |constants: &[f64], variables: usize| {
                let (mut values, mut increments) = (vec![0.0; variables * per], vec![0.0; variables * per]);
                let mut q: Vec<f64> = (0..6 * per).map(number).collect();
                let mut moved = vec![0.0; 6 * per];
                for _ in 0..5 {
                    let pml = PmlBlocks { constants, values: &mut values, increments: &mut increments };
                    let mut ade = if variables == 12 { Ade::PmlEdge(pml) } else { Ade::PmlCorner(pml) };
                    ade.advance(0, nodes, stage, &mut q, &mut moved, &mut vec![0.5; 6 * per]);
                }
                q
            };
            for (edge, corner) in run(&along_two, 12).iter().zip(run(&along_three, 18)) {
                assert!((edge - corner).abs() < 1e-13, "{edge} for {corner}");
            }
        }
    }
}
