//! What layers and materials with poles have besides E and H, and how a stage moves it on.

use super::lanes::Float;
use super::sweep::Stage;
use crate::auxiliary::POLE;
use crate::plan::LANES;

/// The further variables of a run of blocks.
pub enum Extra<'a, T> {
    /// None.
    Nothing,
    /// A layer with a frequency shift.
    Shifted(Layer<'a, T>),
    /// A uniaxial layer.
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
    /// s and a along the axes: [block][6][node][lane].
    pub profile: &'a [T],
    /// [block][variable][node][lane], and their increments.
    pub values: &'a mut [T],
    pub increments: &'a mut [T],
}

/// Variables of a layer with a frequency shift: D, c, b and a of each of six components.
pub const SHIFTED: usize = 24;
/// Variables of a uniaxial layer: P and Q.
pub const UNIAXIAL: usize = 6;

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
            Self::Nothing => stage.advance(q, increments, rates),
            Self::Shifted(layer) => layer.shifted(at, nodes, stage, q, rates),
            Self::Uniaxial(layer) => {
                layer.uniaxial(at, nodes, stage, q, rates);
                stage.advance(q, increments, rates);
            }
            Self::Poles { constants, poles, values, increments: own } => {
                let (per_pole, len) = (6 * nodes * LANES, *poles * 6 * nodes * LANES);
                for pole in 0..*poles {
                    let c = &constants[(at * *poles + pole) * POLE * LANES..][..POLE * LANES];
                    let range = at * len + pole * per_pole..at * len + (pole + 1) * per_pole;
                    advance_pole(c, stage, q, &mut values[range.clone()], &mut own[range], rates);
                }
                stage.advance(q, increments, rates);
            }
        }
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
    /// D moves on by the curl; K = D − c, c' = s_z D − (a_z + s_z) c; G = K − b, b' = s_y K − (a_y + s_y) b;
    /// E_x = G + a, a' = s_x G − a_x a; and so on round, and the same for H.
    #[inline(always)]
    fn shifted(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &mut [T], rates: &[T]) {
        let per = nodes * LANES;
        let profile = &self.profile[at * 6 * per..(at + 1) * 6 * per];
        let values = &mut self.values[at * SHIFTED * per..(at + 1) * SHIFTED * per];
        let increments = &mut self.increments[at * SHIFTED * per..(at + 1) * SHIFTED * per];
        for component in 0..6 {
            let axes = [component % 3, (component + 1) % 3, (component + 2) % 3];
            let [sx, sy, sz] = axes.map(|axis| &profile[axis * per..][..per]);
            let [ax, ay, az] = axes.map(|axis| &profile[(3 + axis) * per..][..per]);
            let [d, c, b, a] = four(&mut values[4 * component * per..][..4 * per]);
            let [dd, dc, db, da] = four(&mut increments[4 * component * per..][..4 * per]);
            let (rate, e) = (&rates[component * per..][..per], &mut q[component * per..][..per]);
            for i in 0..per {
                let k = d[i] - c[i];
                let g = k - b[i];
                dd[i] = stage.a * dd[i] + stage.dt * rate[i];
                dc[i] = stage.a * dc[i] + stage.dt * (sz[i] * d[i] - (az[i] + sz[i]) * c[i]);
                db[i] = stage.a * db[i] + stage.dt * (sy[i] * k - (ay[i] + sy[i]) * b[i]);
                da[i] = stage.a * da[i] + stage.dt * (sx[i] * g - ax[i] * a[i]);
                d[i] += stage.b * dd[i];
                c[i] += stage.b * dc[i];
                b[i] += stage.b * db[i];
                a[i] += stage.b * da[i];
                e[i] = d[i] - c[i] - b[i] + a[i];
            }
        }
    }

    /// ∂E_x/∂τ loses (s_y + s_z − s_x) E_x + P_x; P_x' = (s_y − s_x)(s_z − s_x) E_x − s_x P_x; and so on round, and the same for H.
    #[inline(always)]
    fn uniaxial(&mut self, at: usize, nodes: usize, stage: Stage<T>, q: &[T], rates: &mut [T]) {
        let per = nodes * LANES;
        let profile = &self.profile[at * 6 * per..(at + 1) * 6 * per];
        let values = &mut self.values[at * UNIAXIAL * per..(at + 1) * UNIAXIAL * per];
        let increments = &mut self.increments[at * UNIAXIAL * per..(at + 1) * UNIAXIAL * per];
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

/// Four equal parts.
#[inline(always)]
fn four<T>(values: &mut [T]) -> [&mut [T]; 4] {
    let len = values.len() / 4;
    let (first, second) = values.split_at_mut(2 * len);
    let ((a, b), (c, d)) = (first.split_at_mut(len), second.split_at_mut(len));
    [a, b, c, d]
}
