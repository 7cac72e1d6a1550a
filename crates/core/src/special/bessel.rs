//! Bessel and Hankel functions of integer order and real positive argument.
//!
//! Orders 0 and 1 come from `libm`, whose error stays below 2e-15 |H| from 1e-8 to 1e6 (checked in
//! `tests/bessel.rs` against 40-digit values); higher orders follow by recurrence in its stable direction.

use num_complex::Complex64;

/// H₀⁽²⁾(x) = J₀(x) − jY₀(x), the outgoing wave of a line source under e^{+jωt}.
///
/// ```
/// let h = phasefront_core::special::bessel::hankel2_0(1.0);
/// assert!((h.re - 0.765_197_686_557_966_6).abs() < 1e-15);
/// assert!((h.im + 0.088_256_964_215_676_96).abs() < 1e-15);
/// ```
pub fn hankel2_0(x: f64) -> Complex64 {
    Complex64::new(libm::j0(x), -libm::y0(x))
}

/// H₁⁽²⁾(x) = J₁(x) − jY₁(x).
pub fn hankel2_1(x: f64) -> Complex64 {
    Complex64::new(libm::j1(x), -libm::y1(x))
}

/// J₀(x) … J_n(x), `n + 1` values.
///
/// Upward recurrence J_{m+1} = (2m/x) J_m − J_{m−1} (Abramowitz and Stegun 9.1.27) from J₀, J₁
/// while the order is below x, where it is stable; Miller's downward recurrence above, normalized
/// to the upward values.
pub fn j_orders(n: usize, x: f64) -> Vec<f64> {
    let mut j = vec![0.0; n + 1];
    // The recurrence divides by x; at the origin only J₀ differs from zero.
    if x == 0.0 {
        j[0] = 1.0;
        return j;
    }
    // Turning point: J oscillates below order x and decays above it. Upward recurrence past it
    // would amplify rounding errors, which grow like Y.
    let turn = n.min(x.floor() as usize).max(1);
    j[0] = libm::j0(x);
    if n == 0 {
        return j;
    }
    j[1] = libm::j1(x);
    for m in 1..turn {
        j[m + 1] = 2.0 * m as f64 / x * j[m] - j[m - 1];
    }
    if n > turn {
        j_above(&mut j, turn, x);
    }
    j
}

/// Fills `j[turn + 1 ..]` by backward recurrence, scaled on the larger of `j[turn - 1]`, `j[turn]`.
fn j_above(j: &mut [f64], turn: usize, x: f64) {
    let n = j.len() - 1;
    // Starting this far above makes the error of the arbitrary start smaller than 1e-17 of J_n:
    // past the turning point J falls faster than exp(-(m - x)^{3/2} / x^{1/2}).
    let top = n.max(x.ceil() as usize) + 40 + (30.0 * x.cbrt()) as usize;
    // J_{top+1} = 0 and J_top arbitrary: the recurrence is linear and homogeneous, so one factor at
    // the end normalizes all orders. The tiny start leaves 550 decades before the first rescaling.
    let (mut above, mut here) = (0.0, 1e-300);
    let mut trial = vec![0.0; n + 1];
    for m in (turn - 1..=top).rev() {
        if m <= n {
            trial[m] = here;
        }
        if m > 0 {
            (above, here) = (here, 2.0 * m as f64 / x * here - above);
        }
        // Rescale before overflow. Entries far above the turning point may underflow to zero, as do
        // the values of J they stand for.
        if here.abs() > 1e250 {
            above *= 1e-250;
            here *= 1e-250;
            for t in &mut trial {
                *t *= 1e-250;
            }
        }
    }
    // J_turn or J_{turn−1} may be near a zero, but never both: neighboring orders have no common
    // zero.
    let pivot = if j[turn].abs() > j[turn - 1].abs() { turn } else { turn - 1 };
    let scale = j[pivot] / trial[pivot];
    for m in turn + 1..=n {
        j[m] = scale * trial[m];
    }
}

/// Y₀(x) … Y_n(x), `n + 1` values, by the upward recurrence, which is stable for Y.
pub fn y_orders(n: usize, x: f64) -> Vec<f64> {
    let mut y = Vec::with_capacity(n + 1);
    y.push(libm::y0(x));
    if n > 0 {
        y.push(libm::y1(x));
    }
    for m in 1..n {
        // Above order x |Y| grows, so that errors stay relative; it overflows to −∞.
        y.push(2.0 * m as f64 / x * y[m] - y[m - 1]);
    }
    y
}

/// H₀⁽²⁾(x) … H_n⁽²⁾(x), `n + 1` values.
pub fn hankel2_orders(n: usize, x: f64) -> Vec<Complex64> {
    j_orders(n, x).into_iter().zip(y_orders(n, x)).map(|(j, y)| Complex64::new(j, -y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn wronskian_holds_at_every_order() {
        // J_{n+1} Y_n − J_n Y_{n+1} = 2/(πx)  (Abramowitz and Stegun 9.1.16)
        for x in [0.05, 0.7, 2.404825557695773, 6.0, 31.4, 250.0] {
            let (j, y) = (j_orders(60, x), y_orders(60, x));
            for n in 0..60 {
                if !y[n + 1].is_finite() {
                    break;
                }
                let w = j[n + 1] * y[n] - j[n] * y[n + 1];
                assert!((w * PI * x / 2.0 - 1.0).abs() < 2e-12, "n={n} x={x} w={w}");
            }
        }
    }

    #[test]
    fn zero_argument_and_zero_order() {
        assert_eq!(j_orders(2, 0.0), [1.0, 0.0, 0.0]);
        assert_eq!(j_orders(0, 3.0), [libm::j0(3.0)]);
        assert_eq!(hankel2_orders(0, 3.0), [hankel2_0(3.0)]);
        assert_eq!(hankel2_orders(1, 3.0)[1], hankel2_1(3.0));
    }
}
