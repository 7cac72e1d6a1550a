//! The four layer operators of the wave equation, at a distance and close by.
//!
//! With G = −(j/4) H₀⁽²⁾(kr), R = target − source, normals n at the target and n' at the source:
//!
//! ```text
//! 𝒮  = jk G              = (k/4) H₀
//! 𝒟  = ∂G/∂n'            = −(jk/4) H₁ (n'·R)/r
//! 𝒟' = ∂G/∂n             = +(jk/4) H₁ (n·R)/r
//! 𝒯  = (1/jk) ∂²G/∂n∂n'  = −¼ { n·n' H₁/r + (n·R)(n'·R)/r² (k H₀ − 2 H₁/r) }
//! ```
//! (Colton and Kress, Inverse Acoustic and Electromagnetic Scattering Theory, section 3.1, for e^{+jωt}).
//! Close by, the static poles of 𝒟, 𝒟' and 𝒯 are taken as the complex functions 1/(r − r₀) and 1/(r − r₀)² of the
//! position, and what is left as a + b ln r (`wave.rs`).

use crate::cell::{Cell, Rules};
use crate::close::Close;
use crate::wave::{Medium, Parts, Split};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

const J: Complex64 = Complex64::new(0.0, 1.0);

/// Values of the four operators.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Layers {
    pub s: Complex64,
    pub d: Complex64,
    pub dp: Complex64,
    pub t: Complex64,
}

/// Which of the operators are wanted.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "one for each operator")]
pub(crate) struct Wanted {
    pub s: bool,
    pub d: bool,
    pub dp: bool,
    pub t: bool,
}

fn dot(a: Complex64, b: Complex64) -> f64 {
    a.re * b.re + a.im * b.im
}

/// The kernels between two points apart; `away` = source − target.
pub(crate) fn far(medium: &Medium, away: Complex64, n: Complex64, n_source: Complex64) -> Layers {
    let (k, r) = (medium.k, away.norm());
    let (h0, h1) = medium.hankel(r);
    let (at_target, at_source) = (-dot(n, away) / r, -dot(n_source, away) / r);
    Layers {
        s: 0.25 * k * h0,
        d: -0.25 * J * k * h1 * at_source,
        dp: 0.25 * J * k * h1 * at_target,
        t: -0.25 * (dot(n, n_source) * h1 / r + at_target * at_source * (k * h0 - 2.0 * h1 / r)),
    }
}

/// Weights at the fine points of a cell for the four operators; the static part of 𝒯, −(1/2π) Im[ν r'/(r − r₀)²], stands
/// apart and without its factor 1/(jk), for it cancels between the two sides of a dielectric.
#[derive(Debug, Clone, Default)]
pub(crate) struct CloseLayers {
    pub s: Vec<Complex64>,
    pub d: Vec<Complex64>,
    pub dp: Vec<Complex64>,
    pub t: Vec<Complex64>,
    pub t_static: Vec<f64>,
}

impl CloseLayers {
    /// `n` is the normal at the target.
    pub(crate) fn new(
        rules: &Rules,
        cell: &Cell,
        close: &Close,
        medium: &Medium,
        n: Complex64,
        wanted: Wanted,
    ) -> Self {
        let k = medium.k;
        let mut layers = Self::default();
        for (j, &away) in close.away.iter().enumerate() {
            let (slope, weight) = (cell.slopes[j], rules.fine.weights[j]);
            let parts = Parts::new(medium, away.norm().max(f64::MIN_POSITIVE));
            let speed = slope.norm();
            let apply = |part: Split| speed * (weight * part.smooth + close.log[j] * part.log);
            let n_source = -J * slope / speed;
            let (at_target, at_source) = (-dot(n, away), -dot(n_source, away));
            if wanted.s {
                layers.s.push(0.25 * k * apply(parts.h0));
            }
            if wanted.d || wanted.dp || wanted.t {
                let h1 = apply(parts.h1);
                if wanted.d {
                    // (1/2π)(n'·R)/r² ds = −(1/2π) Im[r'/(r − r₀)] du.
                    let pole = -(close.pole[j] * slope).im / TAU;
                    layers.d.push(pole - 0.25 * J * k * at_source * h1);
                }
                if wanted.dp {
                    // −(1/2π)(n·R)/r² ds = (1/2π) Re[ν/(r − r₀)] ds.
                    let pole = (n * close.pole[j]).re * speed / TAU;
                    layers.dp.push(pole + 0.25 * J * k * at_target * h1);
                }
                if wanted.t {
                    // (n·R)(n'·R)/r² ds = ½ {Im[ν̄ r'] + Im[ν r' conj(r − r₀)/(r − r₀)]} du, its factor −jk/π
                    // being what kH₀ − 2H₁ʳ/r tends to.
                    let cosines =
                        0.5 * (weight * (n.conj() * slope).im + (n * slope * away.conj() * close.pole[j]).im);
                    let rest = dot(n, n_source) * h1 - J * k / PI * cosines
                        + at_target * at_source * apply(parts.h2);
                    layers.t.push(-0.25 * rest);
                    layers.t_static.push(-(n * slope * close.double_pole[j]).im / TAU);
                }
            }
        }
        layers
    }
}
