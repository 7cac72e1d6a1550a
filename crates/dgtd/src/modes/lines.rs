//! Lines: modes without cut-off between two and more conductors, TEM in a homogeneous medium and quasi-TEM in layers.
//!
//! The static potentials give the capacitances per length C of the line and C₀ without its dielectrics; with the conductors' voltages v,
//! C v = ε_eff C₀ v, and a mode's impedance is √μ_r η₀/(√ε_eff vᵀC₀v/ε₀) (C. R. Paul, *Analysis of Multiconductor Transmission Lines*, 2nd ed.,
//! 2008, sections 3.2 and 7.2).

use super::section::{Section, Unknowns};
use super::{Mode, ModeKind, of_triangles};
use faer::prelude::Solve;
use faer::{Mat, Side};
use phasefront_core::constants::ETA0;
use std::collections::BTreeSet;

/// Share of C₀ that tells the modes of a homogeneous line apart, which have one ε_eff: they become the eigenvectors of C₀, such as the
/// even and the odd mode of a symmetric pair.
const TIE: f64 = 1e-6;

/// Relative difference of the lengths of conductors that are one.
const SAME_LENGTH: f64 = 1e-3;

/// Potentials of the conductors beside the first, 1 V on one of them each, and their capacitances relative to ε₀.
struct Static {
    potentials: Vec<Vec<f64>>,
    capacitance: Mat<f64>,
}

impl Section {
    /// The modes, one fewer than there are conductors, by falling ε_eff. The conductor with the longest edges is the ground; if two have the
    /// same, they do not tell the sign.
    pub(super) fn lines(&self) -> Vec<Mode> {
        let unknowns = self.unknowns();
        let conductors = self.conductors(&unknowns);
        let signed = match &conductors[..] {
            [] | [_] => return Vec::new(),
            [(longest, _), (next, _), ..] => *next < (1.0 - SAME_LENGTH) * longest,
        };
        let conductors: Vec<BTreeSet<usize>> = conductors.into_iter().map(|(_, nodes)| nodes).collect();
        let empty = vec![1.0; self.eps.len()];
        let solve = |weights: &[f64]| self.potentials(&unknowns, &conductors, weights);
        let (Some(filled), Some(empty)) = (solve(&self.eps), solve(&empty)) else { return Vec::new() };
        let modes = voltages(&filled.capacitance, &empty.capacitance).unwrap_or_default();
        let line = |voltages: Vec<f64>| Mode { signed, ..self.line(&unknowns, [&filled, &empty], &voltages) };
        modes.into_iter().map(line).collect()
    }

    /// None if the matrix is not positive definite, which a sound mesh excludes.
    fn potentials(
        &self,
        unknowns: &Unknowns,
        conductors: &[BTreeSet<usize>],
        weights: &[f64],
    ) -> Option<Static> {
        let [stiffness, _] = self.matrices(unknowns, weights);
        let fixed = |i: &usize| conductors.iter().any(|conductor| conductor.contains(i));
        let free: Vec<usize> = (0..unknowns.count).filter(|i| !fixed(i)).collect();
        let lines = &conductors[1..];
        let mut potentials = vec![vec![0.0; unknowns.count]; lines.len()];
        for (potential, line) in potentials.iter_mut().zip(lines) {
            for &i in line {
                potential[i] = 1.0;
            }
        }
        let matrix = Mat::from_fn(free.len(), free.len(), |i, j| stiffness[(free[i], free[j])]);
        let given = Mat::from_fn(free.len(), lines.len(), |i, line| {
            -lines[line].iter().map(|&j| stiffness[(free[i], j)]).sum::<f64>()
        });
        let found = matrix.llt(Side::Lower).ok()?.solve(&given);
        for (line, potential) in potentials.iter_mut().enumerate() {
            for (i, &unknown) in free.iter().enumerate() {
                potential[unknown] = found[(i, line)];
            }
        }
        let columns = Mat::from_fn(unknowns.count, lines.len(), |i, line| potentials[line][i]);
        let capacitance = columns.transpose() * (&stiffness * &columns);
        Some(Static { potentials, capacitance })
    }

    fn line(&self, unknowns: &Unknowns, [filled, empty]: [&Static; 2], voltages: &[f64]) -> Mode {
        let sum = |of: &Static, scale: f64| -> Vec<Vec<f64>> {
            let at =
                |i: usize| scale * voltages.iter().zip(&of.potentials).map(|(v, p)| v * p[i]).sum::<f64>();
            of_triangles(unknowns, &(0..unknowns.count).map(at).collect::<Vec<f64>>())
        };
        let capacitance = quadratic_form(&empty.capacitance, voltages);
        let electric = sum(filled, 1.0);
        let share = |medium: usize| {
            let energy = self.integral(|triangle, point| {
                if self.media[triangle] != medium {
                    return 0.0;
                }
                let [x, y] = self.gradient(triangle, point, &electric[triangle]);
                x * x + y * y
            });
            energy / capacitance
        };
        let shares = (0..self.eps.len()).map(share).collect();
        // ∫ ∇ψ·∇ψ₀ dA = vᵀC₀v/ε₀ by Green's theorem, with ψ of the filled line and ψ₀ of the empty one.
        let dual = sum(empty, 1.0 / capacitance);
        Mode {
            kind: ModeKind::Line { empty_impedance: ETA0 / capacitance, shares },
            cutoff: 0.0,
            signed: true,
            electric,
            dual,
        }
    }
}

fn quadratic_form(matrix: &Mat<f64>, v: &[f64]) -> f64 {
    let row = |i: usize| (0..v.len()).map(|j| matrix[(i, j)] * v[j]).sum::<f64>();
    (0..v.len()).map(|i| v[i] * row(i)).sum()
}

/// The solutions v of C v = ε_eff C₀ v, by falling ε_eff, each with 1 V as its largest voltage.
fn voltages(filled: &Mat<f64>, empty: &Mat<f64>) -> Option<Vec<Vec<f64>>> {
    let n = filled.nrows();
    let trace: f64 = (0..n).map(|i| empty[(i, i)]).sum();
    // The mode with the least capacitance first, the even one of a pair.
    let told_apart = filled - empty * empty * faer::Scale(TIE / trace);
    let (_, vectors) = super::eigen::dense(&told_apart, empty)?;
    let mode = |k: usize| {
        let v: Vec<f64> = (0..n).map(|i| vectors[(i, k)]).collect();
        let most = v.iter().copied().reduce(|a, b| if b.abs() > a.abs() * (1.0 + TIE) { b } else { a })?;
        Some(v.into_iter().map(|x| x / most).collect())
    };
    (0..n).rev().map(mode).collect()
}
