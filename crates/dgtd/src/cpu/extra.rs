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

/// Variables of a layer with a frequency shift: D, c, b and a for each of six components.
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
            let x = component % 3;
            let (y, z) = ((x + 1) % 3, (x + 2) % 3);
            for i in 0..per {
                let (s, shift) =
                    (|axis: usize| profile[axis * per + i], |axis: usize| profile[(3 + axis) * per + i]);
                let place = |variable: usize| (6 * variable + component) * per + i;
                let [d, c, b, a] = [0, 1, 2, 3].map(|variable| values[place(variable)]);
                let k = d - c;
                let g = k - b;
                let slopes = [
                    rates[component * per + i],
                    s(z) * d - (shift(z) + s(z)) * c,
                    s(y) * k - (shift(y) + s(y)) * b,
                    s(x) * g - shift(x) * a,
                ];
                let mut moved = [d, c, b, a];
                for (variable, slope) in slopes.into_iter().enumerate() {
                    let increment = stage.a * increments[place(variable)] + stage.dt * slope;
                    increments[place(variable)] = increment;
                    moved[variable] += stage.b * increment;
                    values[place(variable)] = moved[variable];
                }
                q[component * per + i] = moved[0] - moved[1] - moved[2] + moved[3];
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
            let x = component % 3;
            let (y, z) = ((x + 1) % 3, (x + 2) % 3);
            for i in 0..per {
                let s = |axis: usize| profile[axis * per + i];
                let place = component * per + i;
                let (e, p) = (q[place], values[place]);
                rates[place] = rates[place] - ((s(y) + s(z) - s(x)) * e + p);
                let slope = (s(y) - s(x)) * (s(z) - s(x)) * e - s(x) * p;
                increments[place] = stage.a * increments[place] + stage.dt * slope;
                values[place] += stage.b * increments[place];
            }
        }
    }
}
