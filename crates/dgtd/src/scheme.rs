//! Time integration: the five-stage, fourth-order, low-storage Runge-Kutta (LSRK) scheme of Carpenter and Kennedy (1994), and the
//! Adams-Bashforth scheme of local steps.

/// Stages of a step.
pub const STAGES: usize = 5;
/// A of the LSRK scheme: increment = A increment + dt rate (Carpenter and Kennedy, NASA TM 109112, 1994, solution 3).
pub const A: [f64; STAGES] = [
    0.0,
    -567_301_805_773.0 / 1_357_537_059_087.0,
    -2_404_267_990_393.0 / 2_016_746_695_238.0,
    -3_550_918_686_646.0 / 2_091_501_179_385.0,
    -1_275_806_237_668.0 / 842_570_457_699.0,
];
/// B: field = field + B increment.
pub const B: [f64; STAGES] = [
    1_432_997_174_477.0 / 9_575_080_441_755.0,
    5_161_836_677_717.0 / 13_612_068_292_357.0,
    1_720_146_321_549.0 / 2_090_206_949_498.0,
    3_134_564_353_537.0 / 4_481_467_310_338.0,
    2_277_821_191_437.0 / 14_882_151_754_819.0,
];
/// C: time of a stage relative to the step.
pub const C: [f64; STAGES] = [
    0.0,
    1_432_997_174_477.0 / 9_575_080_441_755.0,
    2_526_269_341_429.0 / 6_820_363_962_896.0,
    2_006_345_519_317.0 / 3_224_310_063_776.0,
    2_802_321_613_138.0 / 2_924_317_926_251.0,
];

/// Weight of the third difference of the rates in a local step. It lengthens the stable step of the third-order Adams-Bashforth scheme by
/// half, to that of LSRK per evaluation of the rates; 3/8 would make it of fourth order, with a far shorter step.
const DIFFERENCE: f64 = -0.2;
/// A local step: field += dt Σ β_j rate_j, of the rates at this step and at the three before; of third order for any [`DIFFERENCE`]
/// (multirate Adams-Bashforth: Gear and Wells, BIT 24, 484, 1984; for this method Gödel, Schomann, Warburton and Clemens, IEEE Trans.
/// Magn. 46, 2735, 2010).
pub const LOCAL: [f64; 4] =
    [23.0 / 12.0 + DIFFERENCE, -16.0 / 12.0 - 3.0 * DIFFERENCE, 5.0 / 12.0 + 3.0 * DIFFERENCE, -DIFFERENCE];
/// Half of such a step, without the third difference: what neighbors with half the step need.
pub const HALFWAY: [f64; 3] = [17.0 / 24.0, -7.0 / 24.0, 2.0 / 24.0];
/// Extent of the stability region of LSRK along the negative real axis, times dt.
pub const REACH: f64 = 4.2;

#[cfg(test)]
mod tests {
    use super::*;

    /// A step of y' = λy multiplies by a polynomial that agrees with e^z to fourth order: 1 + z + z²/2 + z³/6 + z⁴/24 + ...
    #[test]
    fn the_scheme_is_of_fourth_order() {
        let factor = |z: f64| {
            let (mut y, mut increment) = (1.0, 0.0);
            for stage in 0..STAGES {
                increment = A[stage] * increment + z * y;
                y += B[stage] * increment;
            }
            y
        };
        let miss = |z: f64| (factor(z) - z.exp()).abs();
        let order = (miss(0.1) / miss(0.05)).log2();
        assert!((order - 5.0).abs() < 0.1, "{order}");
        assert!(factor(-REACH).abs() < 1.0);
        // Time itself has y' = 1: the stages are at C.
        let (mut t, mut increment) = (0.0, 0.0);
        for stage in 0..STAGES {
            assert!((t - C[stage]).abs() < 1e-12);
            increment = A[stage] * increment + 1.0;
            t += B[stage] * increment;
        }
        assert!((t - 1.0).abs() < 1e-12);
    }

    /// Exact for rates that are polynomials of second degree in time, and stable as far as LSRK per evaluation.
    #[test]
    fn local_steps_are_of_third_order() {
        for degree in 0..3 {
            let rate = |t: f64| (f64::from(degree) + 1.0) * t.powi(degree);
            let step = |weights: &[f64]| -> f64 {
                weights.iter().enumerate().map(|(j, weight)| weight * rate(-(j as f64))).sum()
            };
            assert!((step(&LOCAL) - 1.0).abs() < 1e-14, "{degree}");
            assert!((step(&HALFWAY) - 0.5_f64.powi(degree + 1)).abs() < 1e-14, "{degree}");
        }
        // y' = −y with steps of 0.95/5 of the longest stable one of LSRK.
        let z = -0.95 * REACH / STAGES as f64;
        let mut rates = [0.0; 4];
        let mut y = 1.0;
        for _ in 0..2000 {
            rates.rotate_right(1);
            rates[0] = z * y;
            y += LOCAL.iter().zip(rates).map(|(weight, rate)| weight * rate).sum::<f64>();
        }
        assert!(y.abs() < 1e-6, "{y}");
    }
}
