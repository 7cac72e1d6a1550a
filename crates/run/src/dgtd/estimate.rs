//! Passes of an adaptation, and the errors of what is asked that follow from two of them.
//!
//! At an edge, where fields grow as r^(λ−1), elements of the size h leave an error of h^(2λ) in resonances and all else that is quadratic in
//! the fields, whatever their order (I. Babuška, J. Osborn, *Eigenvalue problems*, Handbook of Numerical Analysis II, 1991): the energy of
//! what they cannot resolve. The upwind flux dissipates what changes in time of it, and D, the energy dissipated in a run, falls as
//! h^(2λ+1). At the edge of a thin sheet λ = ½, and the error is proportional to √D: from two passes
//!
//! q₀ − q₂ = (q₂ − q₁) √D₂/(√D₁ − √D₂),
//!
//! which is Richardson's extrapolation with the measured √D in place of the element size. For other edges, and for smooth fields, the error
//! falls faster than √D, and the estimate is too large rather than too small.

use super::far::amplitudes;
use super::ports::best_match;
use num_complex::Complex64;
use phasefront_case::model::dgtd::Output;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_dgtd::{Solution, Study};

/// Least decrease of √D from one pass to the next that counts as one.
const LEAST_DECREASE: f64 = 0.1;

/// What is asked of a case, as one pass has found it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Asked {
    /// Frequency of the best match of each excited port, Hz; NaN where it is not inside of the band.
    pub matches: Vec<f64>,
    /// S-parameters: [excited port][frequency][port].
    pub s: Vec<Complex64>,
    /// Amplitudes of the far field relative to the largest at their frequency: [frequency][direction].
    pub far: Vec<f64>,
}

impl Asked {
    pub(super) fn new(study: &Study, solutions: &[Solution], output: &Output) -> Self {
        let s = solutions.iter().flat_map(|solution| study.ports(solution)).flat_map(|at| at.s);
        let directions = output.rcs.as_ref().or(output.directivity.as_ref());
        Self {
            s: s.collect(),
            matches: solutions
                .iter()
                .filter(|_| !study.problem.sources.ports.is_empty())
                .map(|solution| best_match(study, solution).unwrap_or(f64::NAN))
                .collect(),
            far: directions
                .map(|directions| amplitudes(study, &solutions[0], directions))
                .unwrap_or_default(),
        }
    }
}

/// A finished pass.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Pass {
    pub order: u64,
    pub elements: u64,
    /// Energy that the mesh dissipates numerically in all runs, J.
    pub dissipated: f64,
    /// Where an element dissipates most, m.
    pub place: [f64; 3],
    pub asked: Asked,
    /// Element sizes of the next pass; none if its order is higher.
    pub sizes: String,
}

impl State for Pass {
    const VERSION: u32 = 1;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { order, elements, dissipated, place, asked, sizes } = self;
        out.integers([*order, *elements].into_iter());
        out.doubles(&[*dissipated, place[0], place[1], place[2]]);
        out.doubles(&asked.matches);
        out.complex(&asked.s);
        out.doubles(&asked.far);
        out.text(sizes);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let [order, elements] = from.integers()?.try_into().ok()?;
        let [dissipated, x, y, z] = from.doubles()?.try_into().ok()?;
        let place = [x, y, z];
        let asked = Asked { matches: from.doubles()?, s: from.complex()?, far: from.doubles()? };
        Some(Self { order, elements, dissipated, place, asked, sizes: from.text()?.to_owned() })
    }
}

/// Estimated errors of the last of two passes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Estimate {
    /// What is to be added to the frequency of each best match, Hz.
    pub matches: Vec<f64>,
    /// Of each S-parameter, absolute.
    pub s: Vec<f64>,
    /// Of amplitudes of the far field, root mean square relative to the largest; none without a far field.
    pub far: Option<f64>,
    /// The largest of those that count, relative.
    pub error: f64,
}

impl Estimate {
    pub(super) fn new(before: &Pass, last: &Pass) -> Self {
        let [first, second] = [before, last].map(|pass| pass.dissipated.sqrt());
        let factor = second / (first - second).max(LEAST_DECREASE * first);
        let (old, new) = (&before.asked, &last.asked);
        let matches: Vec<f64> =
            new.matches.iter().zip(&old.matches).map(|(new, old)| factor * (new - old)).collect();
        let s: Vec<f64> = new.s.iter().zip(&old.s).map(|(new, old)| factor * (new - old).norm()).collect();
        let squares: f64 = new.far.iter().zip(&old.far).map(|(new, old)| (new - old).powi(2)).sum();
        let far = (!new.far.is_empty()).then(|| factor * (squares / new.far.len() as f64).sqrt());
        let shift = matches.iter().zip(&new.matches).map(|(error, at)| (error / at).abs()).fold(0.0, largest);
        // S-parameters move along with a resonance: its frequency counts, where there is one.
        let ports = if shift.is_nan() { s.iter().copied().fold(0.0, f64::max) } else { shift };
        let error = ports.max(far.unwrap_or(0.0));
        Self { matches, s, far, error }
    }
}

/// The larger one, or NaN if one of them is.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass with elements of size h at thin edges: an error of first order of all that is asked, and D ~ h².
    fn pass(h: f64, far: f64) -> Pass {
        let asked = Asked {
            matches: vec![1e9 * (1.0 - 0.1 * h)],
            s: vec![Complex64::new(0.5 - 0.2 * h, 0.0), Complex64::new(0.0, 0.1 * h)],
            far: vec![1.0, 0.5 + far * h],
        };
        Pass { dissipated: 3e-18 * h * h, asked, ..Pass::default() }
    }

    #[test]
    fn errors_of_first_order_are_found() {
        let found = Estimate::new(&pass(0.2, 0.01), &pass(0.1, 0.01));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
        near(found.matches[0], 1e9 * 0.01);
        near(found.s[0], 0.02);
        near(found.s[1], 0.01);
        // One of the two directions is off by a thousandth.
        near(found.far.unwrap(), 0.001 / 2_f64.sqrt());
        // The resonance counts, and not the S-parameters that move with it.
        near(found.error, 0.01 / 0.99);
    }

    #[test]
    fn the_largest_error_counts() {
        let found = Estimate::new(&pass(0.2, 0.5), &pass(0.1, 0.5));
        assert_eq!(Some(found.error), found.far);
        let [mut first, mut second] = [pass(0.2, 0.0), pass(0.1, 0.0)];
        // A port without a match inside of the band: its S-parameters count.
        first.asked.matches.push(2e9);
        second.asked.matches.push(f64::NAN);
        assert_eq!(Estimate::new(&first, &second).error, 0.02_f64.max(found.s[0]));
    }

    #[test]
    fn a_mesh_that_is_no_better_promises_nothing() {
        let (first, mut second) = (pass(0.2, 0.0), pass(0.1, 0.0));
        second.dissipated = 0.99 * first.dissipated;
        assert!(Estimate::new(&first, &second).error > 0.05);
    }

    #[test]
    fn passes_read_back_to_the_last_bit() {
        let pass = Pass { order: 2, elements: 7, sizes: "View".into(), ..pass(0.3, 0.1) };
        let mut out = StateWriter::default();
        pass.write(&mut out);
        assert_eq!(Pass::read(&mut StateReader::new(&out.parts().concat())), Some(pass.clone()));
    }
}
