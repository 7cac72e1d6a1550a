//! Auxiliary differential equations (ADE) of PMLs and dispersive materials, and their update in a stage.

use super::stage::{Registers, Stage};
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
        /// [block][pole][2][3][node][lane], and what is kept of their rates.
        values: &'a mut [T],
        registers: Registers<'a, T>,
    },
}

/// Coefficients and unknowns of a PML.
pub struct PmlBlocks<'a, T> {
    /// Along one or two axes σ and α at the nodes, then flags of the axes: [block][axis (2 nodes + 3)][lane]; else σ and α along all
    /// axes: [block][6][node][lane].
    pub constants: &'a [T],
    /// [block][unknown][node][lane], and what is kept of their rates.
    pub values: &'a mut [T],
    pub registers: Registers<'a, T>,
}

impl<T: SimdReal> Ade<'_, T> {
    /// Completes the rates of block `at` with its fields q, and advances its auxiliary unknowns by one stage.
    #[inline(always)]
    pub fn advance(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        match self {
            Self::None => {}
            Self::PmlFace(pml) => pml.face(at, nodes, stage, q, rates),
            Self::PmlEdge(pml) => pml.edge(at, nodes, stage, q, rates),
            Self::PmlCorner(pml) => pml.corner(at, nodes, stage, q, rates),
            Self::UniaxialPml(pml) => pml.uniaxial(at, nodes, stage, q, rates),
            Self::Poles { constants, poles, values, registers } => {
                // Poles couple through E only, and E is that of the start of the stage: their order
                // is free.
                let (per_pole, len) = (6 * nodes * LANES, *poles * 6 * nodes * LANES);
                for pole in 0..*poles {
                    let c = &constants[(at * *poles + pole) * POLE * LANES..][..POLE * LANES];
                    let start = at * len + pole * per_pole;
                    let own = registers.part(start, per_pole);
                    advance_pole(c, stage, q, &mut values[start..start + per_pole], own, rates);
                }
            }
        }
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
    mut registers: Registers<'_, T>,
    rates: &mut [T],
) {
    // u and v of the three components of E, which come first in `q` and `rates`.
    let half = values.len() / 2;
    let (u, v) = values.split_at_mut(half);
    for row in (0..half).step_by(LANES) {
        let (mut slope_u, mut slope_v) = ([T::default(); LANES], [T::default(); LANES]);
        let [u, v] = [&mut u[row..row + LANES], &mut v[row..row + LANES]];
        for lane in 0..LANES {
            let c = |k: usize| c[k * LANES + lane];
            let (e, u0, v0) = (q[row + lane], u[lane], v[lane]);
            rates[row + lane] = rates[row + lane] - (c(POLE_EE) * e + c(POLE_EU) * u0 + c(POLE_EV) * v0);
            slope_u[lane] = c(POLE_UE) * e + c(POLE_UU) * u0 + c(POLE_UV) * v0;
            slope_v[lane] = c(POLE_VE) * e + c(POLE_VU) * u0 + c(POLE_VV) * v0;
        }
        stage.advance(u, registers.part(row, LANES), &slope_u);
        stage.advance(v, registers.part(half + row, LANES), &slope_v);
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
        for row in 0..6 * nodes {
            let (component, node) = (row / nodes, row % nodes);
            let [s, a] = [node, nodes + node].map(|k| &constants[k * LANES..][..LANES]);
            let along = &constants[2 * per + component % 3 * LANES..][..LANES];
            let start = at * 6 * per + row * LANES;
            let v = &mut self.values[start..][..LANES];
            let (rate, e) = (&mut rates[row * LANES..][..LANES], &q[row * LANES..][..LANES]);
            let mut slope = [T::default(); LANES];
            for i in 0..LANES {
                slope[i] = s[i] * e[i] - (along[i] * s[i] + a[i]) * v[i];
                // (2 along − 1) v' without a branch: lanes differ in their axis.
                let gain = along[i] * slope[i];
                rate[i] += gain + gain - slope[i];
            }
            stage.advance(v, self.registers.part(start, LANES), &slope);
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
            let [first, second] = [0, 3].map(|axis| &along[(axis + component % 3) * LANES..][..LANES]);
            for row in (0..per).step_by(LANES) {
                let [u, v] = [&mut u[row..row + LANES], &mut v[row..row + LANES]];
                let from = component * per + row;
                let (rate, e) = (&mut rates[from..][..LANES], &q[from..][..LANES]);
                let [s, a, s2, a2] = [0, 1, 2, 3].map(|k| &at_nodes[k * per + row..][..LANES]);
                let (mut slope, mut slope2) = ([T::default(); LANES], [T::default(); LANES]);
                for i in 0..LANES {
                    // 1 where the component is along the first or the second absorbing axis, else 0.
                    let (f, g) = (first[i], second[i]);
                    // G = E/s, with s of the component's own axis.
                    let rest = e[i] - f * u[i] - g * v[i];
                    slope[i] = s[i] * rest - a[i] * u[i];
                    slope2[i] = s2[i] * (rest + (one - f - g) * u[i]) - a2[i] * v[i];
                    rate[i] += (f + f - one) * slope[i] + (g + g - one) * slope2[i];
                }
                stage.advance(u, self.registers.part(start + row, LANES), &slope);
                stage.advance(v, self.registers.part(start + per + row, LANES), &slope2);
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
            let start = (at * 6 + component) * 3 * per;
            let unknowns = three(&mut self.values[start..][..3 * per]);
            for row in (0..per).step_by(LANES) {
                let [sx, sy, sz] = axes.map(|axis| &profile[axis * per + row..][..LANES]);
                let [ax, ay, az] = axes.map(|axis| &profile[(3 + axis) * per + row..][..LANES]);
                let [a, b, c] = unknowns.each_ref().map(|unknown| &unknown[row..row + LANES]);
                let from = component * per + row;
                let (rate, e) = (&mut rates[from..][..LANES], &q[from..][..LANES]);
                let mut slopes = [[T::default(); LANES]; 3];
                for i in 0..LANES {
                    // G = E_x/s_x, and s_y s_z G = G + b + c.
                    let g = e[i] - a[i];
                    slopes[0][i] = sx[i] * g - ax[i] * a[i];
                    slopes[1][i] = sy[i] * g - ay[i] * b[i];
                    slopes[2][i] = sz[i] * (g + b[i]) - az[i] * c[i];
                    rate[i] += slopes[0][i] - slopes[1][i] - slopes[2][i];
                }
                for (k, slope) in slopes.iter().enumerate() {
                    let registers = self.registers.part(start + k * per + row, LANES);
                    stage.advance(&mut unknowns[k][row..row + LANES], registers, slope);
                }
            }
        }
    }

    /// Uniaxial PML (Gedney 1996): ∂E_x/∂τ loses (σ_y + σ_z − σ_x) E_x + P_x; P_x' = (σ_y − σ_x)(σ_z − σ_x) E_x − σ_x P_x; cyclic in x,
    /// y, z, and the same for H.
    #[inline(always)]
    fn uniaxial(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
        let profile = &self.constants[at * 6 * per..(at + 1) * 6 * per];
        for row in (0..6 * per).step_by(LANES) {
            let (component, node) = (row / per, row % per);
            let axes = [component % 3, (component + 1) % 3, (component + 2) % 3];
            let [sx, sy, sz] = axes.map(|axis| &profile[axis * per + node..][..LANES]);
            let start = at * 6 * per + row;
            let p = &mut self.values[start..][..LANES];
            let (rate, e) = (&mut rates[row..][..LANES], &q[row..][..LANES]);
            let mut slope = [T::default(); LANES];
            for i in 0..LANES {
                // Partial fractions of the tensor; the last term times E_x is P_x:
                // jω s_y s_z/s_x = jω + σ_y + σ_z − σ_x + (σ_y − σ_x)(σ_z − σ_x)/(jω + σ_x).
                rate[i] = rate[i] - ((sy[i] + sz[i] - sx[i]) * e[i] + p[i]);
                slope[i] = (sy[i] - sx[i]) * (sz[i] - sx[i]) * e[i] - sx[i] * p[i];
            }
            stage.advance(p, self.registers.part(start, LANES), &slope);
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
        let stage = Stage::RungeKutta { a: -0.4, b: 0.3, dt: 0.1 };
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
                    let registers = Registers { newest: &mut increments, before: [&[]; 2] };
                    let pml = PmlBlocks { constants, values: &mut values, registers };
                    let mut ade = if variables == 12 { Ade::PmlEdge(pml) } else { Ade::PmlCorner(pml) };
                    let mut rates = vec![0.5; 6 * per];
                    ade.advance(0, nodes, stage, &q, &mut rates);
                    let registers = Registers { newest: &mut moved, before: [&[]; 2] };
                    stage.advance(&mut q, registers, &rates);
                }
                q
            };
            for (edge, corner) in run(&along_two, 12).iter().zip(run(&along_three, 18)) {
                assert!((edge - corner).abs() < 1e-13, "{edge} for {corner}");
            }
        }
    }
}
