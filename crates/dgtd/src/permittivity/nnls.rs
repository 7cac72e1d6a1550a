//! Least squares with non-negative unknowns (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23).

use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

/// Gradients below this part of the largest column are zero.
const FLAT: f64 = 1e-11;

/// x ≥ 0 that makes |Ax − b| least; `columns` are those of A.
pub fn nnls(columns: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = columns.len();
    let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
    let mut x = vec![0.0; n];
    let mut used = vec![false; n];
    let residual = |x: &[f64]| -> Vec<f64> {
        let of = |i: usize| b[i] - columns.iter().zip(x).map(|(column, x)| column[i] * x).sum::<f64>();
        (0..b.len()).map(of).collect()
    };
    let norms: Vec<f64> = columns.iter().map(|column| dot(column, column).sqrt()).collect();
    let size = dot(b, b).sqrt();
    // Each round adds a column; the bound ends cycles of rounding.
    for _ in 0..3 * n {
        let left = residual(&x);
        let gradient = |i: usize| dot(&columns[i], &left) / norms[i].max(f64::MIN_POSITIVE);
        let free = (0..n).filter(|&i| !used[i]);
        let Some(best) = free.max_by(|&i, &j| gradient(i).total_cmp(&gradient(j))) else { break };
        if gradient(best) <= FLAT * size {
            break;
        }
        used[best] = true;
        loop {
            let active: Vec<usize> = (0..n).filter(|&i| used[i]).collect();
            let Some(trial) = least_squares(columns, &active, b) else { return x };
            let outside = |k: &usize| trial[*k] <= 0.0;
            if !(0..active.len()).any(|k| outside(&k)) {
                x.fill(0.0);
                active.iter().zip(&trial).for_each(|(&i, value)| x[i] = *value);
                break;
            }
            // As far as all stay non-negative; what becomes zero leaves.
            let step = |k: usize| x[active[k]] / (x[active[k]] - trial[k]);
            let alpha = (0..active.len()).filter(outside).map(step).fold(1.0, f64::min);
            for (k, &i) in active.iter().enumerate() {
                x[i] += alpha * (trial[k] - x[i]);
                if trial[k] <= 0.0 && x[i] <= 1e-14 * trial.iter().copied().fold(0.0, f64::max) {
                    (x[i], used[i]) = (0.0, false);
                }
            }
            if active.iter().all(|&i| used[i]) {
                return x;
            }
        }
    }
    x
}

/// The unconstrained solution with some of the columns.
fn least_squares(columns: &[Vec<f64>], active: &[usize], b: &[f64]) -> Option<Vec<f64>> {
    if active.len() > b.len() {
        return None;
    }
    let a = Mat::from_fn(b.len(), active.len(), |i, k| columns[active[k]][i]);
    let right = Mat::from_fn(b.len(), 1, |i, _| b[i]);
    let x = a.col_piv_qr().solve_lstsq(&right);
    let x: Vec<f64> = (0..active.len()).map(|k| x[(k, 0)]).collect();
    x.iter().all(|x| x.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unconstrained, the second unknown would be −1: with it at zero the first is the mean.
    #[test]
    fn unknowns_stay_at_zero_or_above() {
        let columns = [vec![1.0, 1.0], vec![0.0, 1.0]];
        let mean = nnls(&columns, &[3.0, 2.0]);
        assert!((mean[0] - 2.5).abs() < 1e-12 && mean[1] == 0.0, "{mean:?}");
        let both = nnls(&columns, &[2.0, 3.0]);
        assert!((both[0] - 2.0).abs() < 1e-12 && (both[1] - 1.0).abs() < 1e-12, "{both:?}");
        assert_eq!(nnls(&columns, &[0.0, 0.0]), [0.0, 0.0]);
    }
}
