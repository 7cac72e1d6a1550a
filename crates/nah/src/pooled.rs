//! Burg's method for all rows of a field at once, with one prediction for all: the fast way to `plpbp`.
//!
//! A field lies in two planes, real and imaginary, step by step along the prediction; the rows that share it are lanes, side by side, so that
//! every loop runs over neighbours in memory.

// What runs inside of pulp's dispatch must be inlined into it: only there are the wide instructions allowed.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::Complex;

/// Lanes of a sum: as wide as the widest vectors, so that sums need no particular order of their terms.
const SUMS: usize = 16;

/// Complex values in two planes: `lanes` of them at each step.
#[derive(Debug, Clone, Default)]
pub struct Planes<T> {
    pub re: Vec<T>,
    pub im: Vec<T>,
    pub lanes: usize,
}

impl<T: Scalar> Planes<T> {
    /// Zeros.
    pub fn new(steps: usize, lanes: usize) -> Self {
        let zeros = vec![T::zero(); steps * lanes];
        Self { re: zeros.clone(), im: zeros, lanes }
    }

    pub fn steps(&self) -> usize {
        self.re.len() / self.lanes.max(1)
    }
}

/// What prediction errors need, kept between calls.
#[derive(Debug, Clone, Default)]
pub struct Burg<T> {
    ahead: Planes<T>,
    behind: Planes<T>,
}

impl<T: Scalar> Burg<T> {
    /// For fields of so many values.
    pub fn new(steps: usize, lanes: usize) -> Self {
        Self { ahead: Planes::new(steps, lanes), behind: Planes::new(steps, lanes) }
    }

    /// The coefficients a₁, a₂, … that predict x_n ≈ −Σ a_i x_{n−i} best in all lanes.
    #[inline(always)]
    pub fn coefficients(&mut self, field: &Planes<T>, order: usize, a: &mut Vec<Complex<T>>) {
        for errors in [&mut self.ahead, &mut self.behind] {
            errors.re.copy_from_slice(&field.re);
            errors.im.copy_from_slice(&field.im);
        }
        let (steps, lanes) = (field.steps(), field.lanes);
        a.clear();
        let mut before: Vec<Complex<T>> = Vec::with_capacity(order);
        for m in 0..order {
            // Errors ahead are those at steps m + 1 on. Errors behind stay where they are while their number falls, so that
            // the first of them always is the partner of the first ahead.
            let first = (m + 1) * lanes;
            let count = steps * lanes - first;
            let ahead = [&mut self.ahead.re[first..], &mut self.ahead.im[first..]];
            let behind = [&mut self.behind.re[..count], &mut self.behind.im[..count]];
            let k = reflection(&ahead, &behind);
            // Nothing is left: the prediction is exact.
            let Some(k) = k else { break };
            before.clone_from(a);
            for (i, a) in a.iter_mut().enumerate() {
                *a = *a + k * before[m - 1 - i].conj();
            }
            a.push(k);
            step(ahead, behind, k);
        }
    }
}

/// k = −2 Σ f b* / Σ(|f|² + |b|²).
#[inline(always)]
fn reflection<T: Scalar>(ahead: &[&mut [T]; 2], behind: &[&mut [T]; 2]) -> Option<Complex<T>> {
    let mut sums = [[T::zero(); SUMS]; 3];
    let count = ahead[0].len();
    let whole = count - count % SUMS;
    let mut add = |at: usize, lane: usize| {
        let (fr, fi, br, bi) = (ahead[0][at], ahead[1][at], behind[0][at], behind[1][at]);
        sums[0][lane] = sums[0][lane] + fr * br + fi * bi;
        sums[1][lane] = sums[1][lane] + fi * br - fr * bi;
        sums[2][lane] = sums[2][lane] + (fr * fr + fi * fi) + (br * br + bi * bi);
    };
    for start in (0..whole).step_by(SUMS) {
        for lane in 0..SUMS {
            add(start + lane, lane);
        }
    }
    for at in whole..count {
        add(at, at - whole);
    }
    let [re, im, power] = sums.map(|lanes| lanes.iter().fold(T::zero(), |sum, x| sum + *x));
    let two = T::one() + T::one();
    (power > T::zero()).then(|| Complex::new(-two * re / power, -two * im / power))
}

/// f + k b and b + k* f.
#[inline(always)]
fn step<T: Scalar>(ahead: [&mut [T]; 2], behind: [&mut [T]; 2], k: Complex<T>) {
    let ([fr, fi], [br, bi]) = (ahead, behind);
    for (((fr, fi), br), bi) in fr.iter_mut().zip(fi).zip(br).zip(bi) {
        let (f, b) = ((*fr, *fi), (*br, *bi));
        *fr = f.0 + (k.re * b.0 - k.im * b.1);
        *fi = f.1 + (k.re * b.1 + k.im * b.0);
        *br = b.0 + (k.re * f.0 + k.im * f.1);
        *bi = b.1 + (k.re * f.1 - k.im * f.0);
    }
}

/// Fills the steps before `first` and from `first + count` on from those between, by the prediction.
#[inline(always)]
pub fn carry_on<T: Scalar>(all: &mut Planes<T>, first: usize, count: usize, a: &[Complex<T>]) {
    let lanes = all.lanes;
    for n in first + count..all.steps() {
        let (re, re_rest) = all.re.split_at_mut(n * lanes);
        let (im, im_rest) = all.im.split_at_mut(n * lanes);
        let from = |i: usize| (&re[(n - 1 - i) * lanes..][..lanes], &im[(n - 1 - i) * lanes..][..lanes]);
        predict([&mut re_rest[..lanes], &mut im_rest[..lanes]], from, a, T::one());
    }
    for n in (0..first).rev() {
        let (re, re_rest) = all.re.split_at_mut((n + 1) * lanes);
        let (im, im_rest) = all.im.split_at_mut((n + 1) * lanes);
        let from = |i: usize| (&re_rest[i * lanes..][..lanes], &im_rest[i * lanes..][..lanes]);
        // Backwards with the conjugates.
        predict([&mut re[n * lanes..], &mut im[n * lanes..]], from, a, -T::one());
    }
}

#[inline(always)]
fn predict<'a, T: Scalar>(
    [re, im]: [&mut [T]; 2],
    from: impl Fn(usize) -> (&'a [T], &'a [T]),
    a: &[Complex<T>],
    sign: T,
) {
    let whole = re.len() - re.len() % SUMS;
    for first in (0..whole).step_by(SUMS) {
        // Sums of a few lanes stay where they are added up while all coefficients go by.
        let (mut sum_re, mut sum_im) = ([T::zero(); SUMS], [T::zero(); SUMS]);
        for (i, a) in a.iter().enumerate() {
            let (x, y) = from(i);
            let (x, y) = (&x[first..first + SUMS], &y[first..first + SUMS]);
            let (ar, ai) = (a.re, sign * a.im);
            for (((u, v), x), y) in sum_re.iter_mut().zip(&mut sum_im).zip(x).zip(y) {
                *u = *u - (ar * *x - ai * *y);
                *v = *v - (ar * *y + ai * *x);
            }
        }
        re[first..first + SUMS].copy_from_slice(&sum_re);
        im[first..first + SUMS].copy_from_slice(&sum_im);
    }
    for at in whole..re.len() {
        let term = |(i, a): (usize, &Complex<T>)| {
            let (x, y) = from(i);
            Complex::new(a.re, sign * a.im) * Complex::new(x[at], y[at])
        };
        let sum = a.iter().enumerate().map(term).fold(Complex::new(T::zero(), T::zero()), |sum, x| sum - x);
        (re[at], im[at]) = (sum.re, sum.im);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::burg;
    use num_complex::Complex64;

    /// The same coefficients and the same field as row by row.
    #[test]
    fn lanes_are_rows() {
        let (steps, lanes) = (13, 5);
        let rows: Vec<Vec<Complex64>> = (0..lanes)
            .map(|r| {
                (0..steps)
                    .map(|n| {
                        let n = n as f64;
                        Complex64::from_polar(1.0 + 0.1 * r as f64, 0.7 * n + r as f64)
                            + 0.3 * (0.9 * n).cos()
                    })
                    .collect()
            })
            .collect();
        let mut field = Planes::<f64>::new(steps, lanes);
        let mut wide = Planes::<f64>::new(3 * steps, lanes);
        for (r, row) in rows.iter().enumerate() {
            for (n, x) in row.iter().enumerate() {
                (field.re[n * lanes + r], field.im[n * lanes + r]) = (x.re, x.im);
                let at = (steps + n) * lanes + r;
                (wide.re[at], wide.im[at]) = (x.re, x.im);
            }
        }
        let mut a = Vec::new();
        Burg::new(steps, lanes).coefficients(&field, 4, &mut a);
        let plain = burg::coefficients(&rows, 4);
        for (one, other) in a.iter().zip(&plain) {
            assert!((one - other).norm() < 1e-12, "{a:?} {plain:?}");
        }
        carry_on(&mut wide, steps, steps, &a);
        for (r, row) in rows.iter().enumerate() {
            for (n, x) in burg::carry_on(row, &plain, steps).iter().enumerate() {
                let at = n * lanes + r;
                assert!((Complex64::new(wide.re[at], wide.im[at]) - x).norm() < 1e-10, "{r} {n}");
            }
        }
    }
}
