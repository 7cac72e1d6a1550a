//! A table of the permittivity by a few passive poles: candidates on a grid of frequencies, chosen by non-negative least squares, then all
//! parameters refined together, and poles left out that are not needed.

use super::fit::{PermittivityFit, points};
use super::nnls::nnls;
use crate::material::{Material, Pole};
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;
use num_complex::Complex64;
use phasefront_core::constants::EPS0;
use std::f64::consts::TAU;

/// Rows in the band that are enough; fewer have points between them by interpolation, so many in all of the band.
const ROWS: usize = 12;
const POINTS: usize = 41;
/// Relaxation frequencies, collision rates and resonances on the grid per decade.
const PER_DECADE: [f64; 3] = [6.0, 3.0, 16.0];
/// Damping of candidate resonances, relative to ω₀.
const DAMPING: [f64; 5] = [0.02, 0.06, 0.2, 0.6, 1.5];
/// Most poles of the result.
const MAX_POLES: usize = 8;
/// A pole is left out if the error stays below this, or grows by less than this factor.
const ENOUGH: (f64, f64) = (2e-3, 1.2);
/// Steps of a refinement.
const STEPS: usize = 60;
/// Losses are relative to themselves, and where they are small to this part of the largest, or of |ε|.
const FAINT: [f64; 2] = [0.05, 1e-5];

/// What is fitted: frequencies, values, and the sizes that errors of ε′ and ε″ are relative to.
struct Target {
    at: Vec<(f64, Complex64)>,
    sizes: Vec<[f64; 2]>,
}

pub fn fit(table: &[(f64, Complex64)], band: [f64; 2]) -> Option<PermittivityFit> {
    let target = Target::new(table, band)?;
    let mut best = target.refined(&target.initial(band))?;
    // The poles with the least part first.
    loop {
        let error = target.error(&best);
        let shorter = (0..best.poles.len()).filter_map(|i| {
            let mut poles = best.poles.clone();
            poles.remove(i);
            target.refined(&Material { poles, ..best.clone() })
        });
        let found = shorter.min_by(|a, b| target.error(a).total_cmp(&target.error(b)));
        match found {
            Some(next)
                if target.error(&next) < ENOUGH.0.max(ENOUGH.1 * error) || best.poles.len() > MAX_POLES =>
            {
                best = next;
            }
            _ => break,
        }
    }
    let [eps_error, loss_error] = target.errors(&best);
    (eps_error.is_finite() && loss_error.is_finite()).then_some(PermittivityFit {
        material: best,
        eps_error,
        loss_error,
        band,
    })
}

impl Target {
    /// The rows in the band and its ends, and points between them where there are few.
    fn new(table: &[(f64, Complex64)], band: [f64; 2]) -> Option<Self> {
        let value = |f: f64| {
            let after = table.partition_point(|(row, _)| *row < f).clamp(1, table.len() - 1);
            let ((f0, e0), (f1, e1)) = (table[after - 1], table[after]);
            e0 + (e1 - e0) * (f / f0).ln() / (f1 / f0).ln()
        };
        if table.len() < 2 {
            return None;
        }
        let mut at: Vec<(f64, Complex64)> =
            table.iter().filter(|(f, _)| (band[0]..=band[1]).contains(f)).copied().collect();
        let count = if at.len() < ROWS { POINTS } else { 2 };
        at.extend(points(band, count).into_iter().map(|f| (f, value(f))));
        let most = at.iter().map(|(_, eps)| -eps.im).fold(0.0, f64::max);
        let size = |(_, eps): &(f64, Complex64)| {
            [eps.norm(), (-eps.im).max(FAINT[0] * most).max(FAINT[1] * eps.norm())]
        };
        let sizes = at.iter().map(size).collect();
        Some(Self { at, sizes })
    }

    /// Relative differences of ε′ and ε″ at all points.
    fn residual(&self, of: impl Fn(f64) -> Complex64, minus: bool) -> Vec<f64> {
        let pairs = self.at.iter().zip(&self.sizes).flat_map(|((f, eps), [re, im])| {
            let difference = of(*f) - if minus { *eps } else { Complex64::ZERO };
            [difference.re / re, difference.im / im]
        });
        pairs.collect()
    }

    /// Largest errors of ε′ and of ε″.
    fn errors(&self, material: &Material) -> [f64; 2] {
        let all = self.residual(|f| material.permittivity(f), true);
        [0, 1].map(|part| all.iter().skip(part).step_by(2).fold(0.0, |most: f64, r| most.max(r.abs())))
    }

    fn error(&self, material: &Material) -> f64 {
        self.errors(material).into_iter().fold(0.0, f64::max)
    }

    /// Candidates of all kinds on a grid, as many as non-negative least squares needs; those next to each other as one.
    fn initial(&self, [low, high]: [f64; 2]) -> Material {
        let grid = |[low, high]: [f64; 2], per_decade: f64| {
            points([low, high], (per_decade * (high / low).log10()).ceil().max(1.0) as usize + 1)
        };
        let debye = grid([low / 10.0, 10.0 * high], PER_DECADE[0]);
        let debye = debye.into_iter().map(|f| Pole::Debye { delta: 1.0, tau: 1.0 / (TAU * f) });
        let drude = grid([low / 100.0, 3.0 * high], PER_DECADE[1]);
        let drude = drude.into_iter().map(|f| Pole::Drude { plasma: TAU * low, damping: TAU * f });
        let lorentz = grid([low / 3.0, 5.0 * high], PER_DECADE[2]).into_iter().flat_map(|f| {
            let resonance = TAU * f;
            DAMPING.map(|part| Pole::Lorentz { delta: 1.0, resonance, damping: part * resonance })
        });
        let poles: Vec<Pole> = debye.chain(drude).chain(lorentz).collect();
        let sigma = EPS0 * TAU * low;
        let alone = |material: Material| move |f: f64| material.permittivity(f) - 1.0;
        let conductivity = self.residual(alone(Material { sigma, ..Material::VACUUM }), false);
        let column =
            |pole: &Pole| self.residual(alone(Material { poles: vec![*pole], ..Material::VACUUM }), false);
        let mut columns = vec![self.residual(|_| Complex64::ONE, false), conductivity];
        columns.extend(poles.iter().map(column));
        let right: Vec<f64> = self
            .at
            .iter()
            .zip(&self.sizes)
            .flat_map(|((_, eps), [re, im])| [(eps.re - 1.0) / re, eps.im / im])
            .collect();
        let found = nnls(&columns, &right);
        let chosen = poles.iter().zip(&found[2..]).filter(|(_, x)| **x > 0.0);
        let mut merged: Vec<Pole> = Vec::new();
        for pole in chosen.map(|(pole, x)| weighted(*pole, *x)) {
            match merged.last_mut().and_then(|last| together(last, &pole).map(|one| (last, one))) {
                Some((last, one)) => *last = one,
                None => merged.push(pole),
            }
        }
        Material { eps: 1.0 + found[0], sigma: sigma * found[1], poles: merged, ..Material::VACUUM }
    }

    /// All parameters refined by Levenberg and Marquardt's method, as logarithms, so that they stay positive.
    fn refined(&self, start: &Material) -> Option<Material> {
        let residual = |p: &[f64]| {
            let material = unpacked(start, p);
            self.residual(|f| material.permittivity(f), true)
        };
        let square = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
        let mut parameters = packed(start);
        let mut left = residual(&parameters);
        let mut damping = 1e-2;
        for _ in 0..STEPS {
            let slopes: Vec<Vec<f64>> = (0..parameters.len())
                .map(|k| {
                    let mut moved = parameters.clone();
                    moved[k] += 1e-6;
                    residual(&moved).iter().zip(&left).map(|(a, b)| (a - b) / 1e-6).collect()
                })
                .collect();
            let (n, m) = (parameters.len(), left.len());
            // Damping as further rows.
            let matrix = Mat::from_fn(m + n, n, |i, k| match i.checked_sub(m) {
                None => slopes[k][i],
                Some(row) => {
                    if row == k {
                        damping
                    } else {
                        0.0
                    }
                }
            });
            let right = Mat::from_fn(m + n, 1, |i, _| if i < m { -left[i] } else { 0.0 });
            let step = matrix.qr().solve_lstsq(&right);
            let trial: Vec<f64> = (0..n).map(|k| parameters[k] + step[(k, 0)].clamp(-1.0, 1.0)).collect();
            if trial.iter().any(|p| !p.is_finite()) {
                return None;
            }
            let found = residual(&trial);
            if square(&found) < square(&left) {
                let small = square(&left) - square(&found) < 1e-9 * square(&left);
                (parameters, left, damping) = (trial, found, 0.4 * damping);
                if small {
                    break;
                }
            } else {
                damping *= 4.0;
                if damping > 1e6 {
                    break;
                }
            }
        }
        Some(unpacked(start, &parameters))
    }
}

/// A candidate with its weight.
fn weighted(pole: Pole, x: f64) -> Pole {
    match pole {
        Pole::Debye { delta, tau } => Pole::Debye { delta: x * delta, tau },
        Pole::Drude { plasma, damping } => Pole::Drude { plasma: plasma * x.sqrt(), damping },
        Pole::Lorentz { delta, resonance, damping } => Pole::Lorentz { delta: x * delta, resonance, damping },
    }
}

/// One pole in place of two of a kind that are next to each other on the grid.
fn together(one: &Pole, other: &Pole) -> Option<Pole> {
    let near = |a: f64, b: f64, per_decade: f64| (a / b).log10().abs() < 1.5 / per_decade;
    let mean = |(a, wa): (f64, f64), (b, wb): (f64, f64)| ((wa * a.ln() + wb * b.ln()) / (wa + wb)).exp();
    match (*one, *other) {
        (Pole::Debye { delta: a, tau: s }, Pole::Debye { delta: b, tau: t }) if near(s, t, PER_DECADE[0]) => {
            Some(Pole::Debye { delta: a + b, tau: mean((s, a), (t, b)) })
        }
        (Pole::Drude { plasma: a, damping: s }, Pole::Drude { plasma: b, damping: t })
            if near(s, t, PER_DECADE[1]) =>
        {
            Some(Pole::Drude { plasma: a.hypot(b), damping: mean((s, a * a), (t, b * b)) })
        }
        (
            Pole::Lorentz { delta: a, resonance: s, damping: c },
            Pole::Lorentz { delta: b, resonance: t, damping: d },
        ) if near(s, t, PER_DECADE[2]) => Some(Pole::Lorentz {
            delta: a + b,
            resonance: mean((s, a), (t, b)),
            damping: mean((c, a), (d, b)),
        }),
        _ => None,
    }
}

/// Logarithms of all parameters: ε_∞ − 1, σ if there is any, those of the poles.
fn packed(material: &Material) -> Vec<f64> {
    let mut p = vec![(material.eps - 1.0).max(1e-6).ln()];
    if material.sigma > 0.0 {
        p.push(material.sigma.ln());
    }
    for pole in &material.poles {
        match *pole {
            Pole::Debye { delta, tau } => p.extend([delta.ln(), tau.ln()]),
            Pole::Drude { plasma, damping } => p.extend([plasma.ln(), damping.ln()]),
            Pole::Lorentz { delta, resonance, damping } => {
                p.extend([delta.ln(), resonance.ln(), damping.ln()]);
            }
        }
    }
    p
}

/// The material of these parameters, with terms like those of `shape`.
fn unpacked(shape: &Material, p: &[f64]) -> Material {
    let mut p = p.iter().map(|p| p.exp());
    let mut next = || p.next().unwrap_or_default();
    let eps = 1.0 + next();
    let sigma = if shape.sigma > 0.0 { next() } else { 0.0 };
    let pole = |pole: &Pole| match pole {
        Pole::Debye { .. } => Pole::Debye { delta: next(), tau: next() },
        Pole::Drude { .. } => Pole::Drude { plasma: next(), damping: next() },
        Pole::Lorentz { .. } => Pole::Lorentz { delta: next(), resonance: next(), damping: next() },
    };
    Material { eps, sigma, poles: shape.poles.iter().map(pole).collect(), ..*shape }
}
