//! Linear prediction by Burg's method: x_n ≈ −Σ a_i x_{n−i}, and backwards with the conjugates (Burg, *Maximum entropy spectral analysis*, 1975;
//! Marple, *Digital Spectral Analysis*, 1987, section 8.5).

use num_complex::Complex64;

/// The coefficients a₁, a₂, … with the least forward and backward prediction error over all rows together.
///
/// Levinson's recursion over the order m, with the reflection coefficient k_m = −2 Σ f_n b*_{n−1}/Σ(|f_n|² + |b_{n−1}|²) of the forward and
/// backward prediction errors f and b.
pub fn coefficients(rows: &[Vec<Complex64>], order: usize) -> Vec<Complex64> {
    let mut forward = rows.to_vec();
    let mut backward = rows.to_vec();
    let mut a: Vec<Complex64> = Vec::with_capacity(order);
    for m in 0..order {
        let (mut product, mut power) = (Complex64::ZERO, 0.0);
        for (f, b) in forward.iter().zip(&backward) {
            // f_n and b_{n−1}: forward errors are one step ahead.
            for (f, b) in f.iter().skip(1).zip(b) {
                product += f * b.conj();
                power += f.norm_sqr() + b.norm_sqr();
            }
        }
        // No error is left: the prediction is exact.
        if power == 0.0 {
            break;
        }
        let k = -2.0 * product / power;
        let previous = a.clone();
        // Levinson's recursion needs the coefficients of the order before on both sides.
        for (i, a) in a.iter_mut().enumerate() {
            *a += k * previous[m - 1 - i].conj();
        }
        a.push(k);
        for (f, b) in forward.iter_mut().zip(&mut backward) {
            // Both errors get shorter by one: the first forward
            // and the last backward error have no partner.
            (*f, *b) = f.iter().skip(1).zip(b.iter()).map(|(f, b)| (f + k * b, b + k.conj() * f)).unzip();
        }
    }
    a
}

/// A row extrapolated by `count` values on either side.
pub fn extrapolate(row: &[Complex64], a: &[Complex64], count: usize) -> Vec<Complex64> {
    let mut all = vec![Complex64::ZERO; row.len() + 2 * count];
    all[count..count + row.len()].copy_from_slice(row);
    for n in count + row.len()..all.len() {
        // The nearest value first, as a₁ belongs to it;
        // predicted values enter the next predictions.
        all[n] = -a.iter().zip(all[..n].iter().rev()).map(|(a, x)| a * x).sum::<Complex64>();
    }
    for n in (0..count).rev() {
        all[n] = -a.iter().zip(&all[n + 1..]).map(|(a, x)| a.conj() * x).sum::<Complex64>();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A complex exponential is predicted exactly, forwards and backwards.
    #[test]
    fn an_exponential_is_extrapolated() {
        let at = |n: f64| Complex64::from_polar(1.0, 0.37 * n + 0.5);
        let row: Vec<Complex64> = (0..32).map(|n| at(f64::from(n))).collect();
        for order in [1, 8] {
            let all = extrapolate(&row, &coefficients(std::slice::from_ref(&row), order), 32);
            for (i, x) in all.iter().enumerate() {
                assert!((x - at(i as f64 - 32.0)).norm() < 1e-5, "order {order}, {i}: {x}");
            }
        }
    }

    /// Two exponentials have two coefficients: x_n = (u + v) x_{n−1} − u v x_{n−2}.
    #[test]
    fn two_exponentials_have_two_coefficients() {
        let [u, v] = [0.3, -1.1].map(|angle| Complex64::from_polar(1.0, angle));
        let row: Vec<Complex64> = (0..400).map(|n| u.powi(n) + v.powi(n)).collect();
        let a = coefficients(&[row], 2);
        assert!((a[0] + u + v).norm() < 1e-2 && (a[1] - u * v).norm() < 1e-2, "{a:?}");
    }

    #[test]
    fn zeros_are_extrapolated_by_zeros() {
        let row = vec![Complex64::ZERO; 12];
        assert_eq!(
            extrapolate(&row, &coefficients(std::slice::from_ref(&row), 4), 3),
            vec![Complex64::ZERO; 18]
        );
    }
}
