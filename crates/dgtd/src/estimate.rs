//! Errors of what is asked, estimated from two passes of an adaptation.
//!
//! At an edge, where fields grow as r^(λ−1), elements of the size h leave an error of h^(2λ) in resonances and all else that is quadratic in
//! the fields, whatever their order (I. Babuška, J. Osborn, *Eigenvalue problems*, Handbook of Numerical Analysis II, 1991): the energy of
//! what they cannot resolve. The upwind flux dissipates what changes in time of it, and D, the energy dissipated in a run, falls as
//! h^(2λ+1). At the edge of a thin sheet λ = ½, and the error is proportional to √D: from two passes
//!
//! q₀ − q₂ = (q₂ − q₁) √D₂/(√D₁ − √D₂),
//!
//! which is Richardson's extrapolation with the measured √D in place of the element size. At other edges, and of smooth fields, the error
//! falls faster than √D. Where smooth fields dominate D and edges the error, D falls faster: the factor has a lower bound.

use crate::pass::Pass;
use num_complex::Complex64;

/// Largest correction of a resonance, relative.
const MAX_CORRECTION: f64 = 0.05;
/// Least decrease of √D from one pass to the next that counts as one.
const LEAST_DECREASE: f64 = 0.1;
/// Least error relative to what has changed since the pass before: with finer elements, and with a higher order, which does little for
/// the error at edges: that falls as the inverse square of the order.
const LEAST_FACTORS: [f64; 2] = [0.5, 1.0];

/// Estimated errors of the last of two passes.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// What is to be added to the frequency of each best match, Hz.
    pub matches: Vec<f64>,
    /// What is to be added to each resonance of the last pass, Hz; NaN where the pass before has not found it.
    pub resonances: Vec<f64>,
    /// Of the S-parameters of each excited port, absolute.
    pub s: Vec<Vec<f64>>,
    /// The largest error of those that count: relative of frequencies and far fields, absolute of S-parameters. NaN if it is not known.
    pub error: f64,
}

impl Estimate {
    /// From two passes; `excited` are the indices of the excited ports.
    pub fn new(before: &Pass, last: &Pass, excited: &[usize]) -> Self {
        let factors = factors(before, last);
        let (old, new) = (&before.observables, &last.observables);
        let runs = || factors.iter().copied();
        let matches: Vec<f64> = runs()
            .zip(new.matches.iter().zip(&old.matches))
            .map(|(factor, (new, old))| factor * (new - old))
            .collect();
        let column = |(factor, (new, old)): (f64, (&Vec<Complex64>, &Vec<Complex64>))| -> Vec<f64> {
            new.iter().zip(old).map(|(new, old)| factor * (new - old).norm()).collect()
        };
        let s: Vec<Vec<f64>> = runs().zip(new.s.iter().zip(&old.s)).map(column).collect();
        let mut error = 0.0;
        for (run, column) in s.iter().enumerate() {
            let shift = (matches[run] / new.matches[run]).abs();
            for (i, miss) in column.iter().enumerate() {
                // The reflection of a port moves along with its resonance: where there is one, its frequency counts.
                if shift.is_nan() || excited.get(run) != Some(&(i % new.ports.max(1))) {
                    error = largest(error, *miss);
                }
            }
            if !shift.is_nan() {
                error = largest(error, shift);
            }
        }
        let resonances = corrections(before, last, factors.iter().copied().fold(0.0, largest));
        for (frequency, correction) in new.resonances.iter().flatten().zip(&resonances) {
            error = largest(error, (correction / frequency).abs());
        }
        // Where none was found nothing is known.
        if new.resonances.as_ref().is_some_and(Vec::is_empty) {
            error = f64::NAN;
        }
        let factor = factors.first().copied().unwrap_or(f64::NAN);
        for (new, old) in new.far.iter().zip(&old.far) {
            error = largest(error, factor * deviation(new, old));
        }
        Self { matches, resonances, s, error }
    }

    /// The best match of each excited port with its correction, both in Hz, where the last pass has found one. A correction that is too
    /// large is none: the match has moved to another resonance, or the mesh is far from resolving it.
    pub fn best_matches(&self, last: &Pass) -> Vec<Option<[f64; 2]>> {
        let corrected = |(found, correction): (&f64, &f64)| {
            ((correction / found).abs() <= MAX_CORRECTION).then_some([found + correction, *correction])
        };
        last.observables.matches.iter().zip(&self.matches).map(corrected).collect()
    }
}

/// The errors of each run over what has changed since the pass before.
fn factors(before: &Pass, last: &Pass) -> Vec<f64> {
    let least = LEAST_FACTORS[usize::from(last.order > before.order)];
    let factor = |(first, second): (&f64, &f64)| {
        let [first, second] = [first.sqrt(), second.sqrt()];
        // Without any dissipation nothing is known.
        let known = first > 0.0 && second > 0.0;
        if known { (second / (first - second).max(LEAST_DECREASE * first)).max(least) } else { f64::NAN }
    };
    before.dissipated.iter().zip(&last.dissipated).map(factor).collect()
}

/// Errors of resonances, by what has changed since the closest one of the pass before, times `factor`.
fn corrections(before: &Pass, last: &Pass, factor: f64) -> Vec<f64> {
    let known = before.observables.resonances.as_deref().unwrap_or_default();
    let change = |new: &f64| {
        let old = known.iter().min_by(|a, b| (*a - new).abs().total_cmp(&(*b - new).abs()));
        old.filter(|old| (*old - new).abs() <= MAX_CORRECTION * new)
            .map_or(f64::NAN, |old| factor * (new - old))
    };
    last.observables.resonances.iter().flatten().map(change).collect()
}

/// Root mean square difference of amplitudes relative to the largest, over the directions with a field.
fn deviation(new: &[f64], old: &[f64]) -> f64 {
    let peak = new.iter().copied().fold(0.0, f64::max);
    let squares: Vec<f64> =
        new.iter().zip(old).filter(|(a, b)| **a != 0.0 || **b != 0.0).map(|(a, b)| (a - b).powi(2)).collect();
    (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt() / peak
}

/// The larger one, or NaN if one of them is.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::Observables;

    /// A pass with elements of size h at thin edges: an error of first order of all that is asked, and D ~ h².
    fn pass(h: f64, far: f64) -> Pass {
        let observables = Observables {
            matches: vec![1e9 * (1.0 - 0.1 * h)],
            ports: 2,
            s: vec![vec![Complex64::new(0.5 - 0.2 * h, 0.0), Complex64::new(0.0, 0.01 * h)]],
            far: vec![vec![2.0, 1.0 + far * h, 0.0]],
            resonances: None,
        };
        Pass { dissipated: vec![3e-18 * h * h], observables, ..Pass::default() }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
    }

    #[test]
    fn errors_of_first_order_are_found() {
        let found = Estimate::new(&pass(0.2, 0.01), &pass(0.1, 0.01), &[0]);
        near(found.matches[0], 1e9 * 0.01);
        near(found.s[0][0], 0.02);
        near(found.s[0][1], 0.001);
        // The resonance counts, and not the reflection that moves with it.
        near(found.error, 0.01 / 0.99);
    }

    #[test]
    fn the_largest_error_counts() {
        // The far field: one of two directions that have one is off by 0.05 of 2.
        near(Estimate::new(&pass(0.2, 0.5), &pass(0.1, 0.5), &[0]).error, 0.025 / 2_f64.sqrt());
        let [first, mut second] = [pass(0.2, 0.0), pass(0.1, 0.0)];
        // A port without a match inside of the band: its reflection counts.
        second.observables.matches = vec![f64::NAN];
        near(Estimate::new(&first, &second, &[0]).error, 0.02);
        // Transmission counts with or without one: with port 2 excited, that is the first value.
        near(Estimate::new(&first, &pass(0.1, 0.0), &[1]).error, 0.02);
    }

    /// A single direction: the level counts, not only the shape of the pattern.
    #[test]
    fn levels_count() {
        let [mut first, mut second] = [pass(0.2, 0.0), pass(0.1, 0.0)];
        (first.observables.far, second.observables.far) = (vec![vec![1.1]], vec![vec![1.0]]);
        near(Estimate::new(&first, &second, &[0]).error, 0.1);
    }

    #[test]
    fn resonances_count_and_are_matched_by_frequency() {
        let [mut first, mut second] = [pass(0.2, 0.0), pass(0.1, 0.0)];
        let at = |h: f64| [1e9 * (1.0 - 0.2 * h), 1.5e9 * (1.0 - 0.1 * h)];
        first.observables.resonances = Some(at(0.2).to_vec());
        second.observables.resonances = Some(at(0.1).to_vec());
        let found = Estimate::new(&first, &second, &[0]);
        near(found.resonances[0], 1e9 * 0.02);
        near(found.resonances[1], 1.5e9 * 0.01);
        near(found.error, 0.02 / 0.98);
        // One that the pass before has not found, or none at all, promises nothing.
        first.observables.resonances = Some(at(0.2)[..1].to_vec());
        let found = Estimate::new(&first, &second, &[0]);
        assert!(found.resonances[1].is_nan() && found.error.is_nan());
        second.observables.resonances = Some(Vec::new());
        assert!(Estimate::new(&first, &second, &[0]).error.is_nan());
    }

    #[test]
    fn a_mesh_that_is_no_better_promises_nothing() {
        let (first, mut second) = (pass(0.2, 0.0), pass(0.1, 0.0));
        second.dissipated = vec![0.99 * first.dissipated[0]];
        assert!(Estimate::new(&first, &second, &[0]).error > 0.05);
        second.dissipated = vec![0.0];
        assert!(Estimate::new(&first, &second, &[0]).error.is_nan());
        // Nor does a dissipation that falls without an effect on the error.
        second.dissipated = vec![1e-6 * first.dissipated[0]];
        near(Estimate::new(&first, &second, &[0]).matches[0], 0.5e7);
        second.order = 1;
        near(Estimate::new(&first, &second, &[0]).matches[0], 1e7);
    }
}
