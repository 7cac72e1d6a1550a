//! What layers and materials with poles have besides E and H, and how a stage moves it on.

use super::lanes::Float;
use super::sweep::Stage;
use crate::auxiliary::POLE;
use crate::plan::LANES;

/// The further variables of a run of blocks.
pub enum Extra<'a, T> {
    /// None.
    Nothing,
    /// A layer along one axis.
    Flat(Layer<'a, T>),
    /// A layer along several axes, with a frequency shift.
    Shifted(Layer<'a, T>),
    /// A uniaxial layer along several axes.
    Uniaxial(Layer<'a, T>),
    /// Poles, so many of them.
    Poles {
        /// [block][pole][POLE][lane].
        constants: &'a [T],
        poles: usize,
        /// [block][pole][2][3][node][lane], and their increments.
        values: &'a mut [T],
        increments: &'a mut [T],
    },
}

/// A layer's variables.
pub struct Layer<'a, T> {
    /// Along one axis s and a at the nodes, and where the axis is: [block][2 nodes + 3][lane]; else s and a along all axes:
    /// [block][6][node][lane].
    pub constants: &'a [T],
    /// [block][variable][node][lane], and their increments.
    pub values: &'a mut [T],
    pub increments: &'a mut [T],
}

impl<T: Float> Extra<'_, T> {
    /// Moves the fields of block `at` and what goes with them on by one stage.
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
            Self::Nothing => {}
            Self::Flat(layer) => layer.flat(at, nodes, stage, q, rates),
            Self::Shifted(layer) => layer.shifted(at, nodes, stage, q, rates),
            Self::Uniaxial(layer) => layer.uniaxial(at, nodes, stage, q, rates),
            Self::Poles { constants, poles, values, increments: own } => {
                let (per_pole, len) = (6 * nodes * LANES, *poles * 6 * nodes * LANES);
                for pole in 0..*poles {
                    let c = &constants[(at * *poles + pole) * POLE * LANES..][..POLE * LANES];
                    let range = at * len + pole * per_pole..at * len + (pole + 1) * per_pole;
                    advance_pole(c, stage, q, &mut values[range.clone()], &mut own[range], rates);
                }
            }
        }
        stage.advance(q, increments, rates);
    }
}

/// u' = c₀E + c₁u + c₂v, v' = c₃E + c₄u + c₅v, and ∂E/∂τ loses c₆E + c₇u + c₈v.
#[inline(always)]
fn advance_pole<T: Float>(
    c: &[T],
    stage: Stage<T>,
    q: &[T],
    values: &mut [T],
    increments: &mut [T],
    rates: &mut [T],
) {
    let half = values.len() / 2;
    let (u, v) = values.split_at_mut(half);
    let (du, dv) = increments.split_at_mut(half);
    for i in 0..half {
        let lane = i % LANES;
        let c = |k: usize| c[k * LANES + lane];
        let (e, u0, v0) = (q[i], u[i], v[i]);
        rates[i] = rates[i] - (c(6) * e + c(7) * u0 + c(8) * v0);
        du[i] = stage.a * du[i] + stage.dt * (c(0) * e + c(1) * u0 + c(2) * v0);
        dv[i] = stage.a * dv[i] + stage.dt * (c(3) * e + c(4) * u0 + c(5) * v0);
        u[i] += stage.b * du[i];
        v[i] += stage.b * dv[i];
    }
}

impl<T: Float> Layer<'_, T> {
    /// With 1 + s/(a + jω) along one axis. Along it, a component's v' = s E − (s + a) v, and ∂E/∂τ gains v'; across it v' = s E − a v,
    /// and ∂E/∂τ loses v'; the same for H.
    #[inline(always)]
    fn flat(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
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
                let gain = along[i] * slope;
                rate[i] += gain + gain - slope;
                dv[i] = stage.a * dv[i] + stage.dt * slope;
                v[i] += stage.b * dv[i];
            }
        }
    }

    /// With 1 + s/(a + jω) along x, y and z: G = E_x − a, a' = s_x G − a_x a, b' = s_y G − a_y b, c' = s_z (G + b) − a_z c, and ∂E_x/∂τ
    /// gains a' − b' − c'; and so on round, and the same for H.
    #[inline(always)]
    fn shifted(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
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

    /// ∂E_x/∂τ loses (s_y + s_z − s_x) E_x + P_x; P_x' = (s_y − s_x)(s_z − s_x) E_x − s_x P_x; and so on round, and the same for H.
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
