//! The four layer operators of the Helmholtz equation: single layer 𝒮, double layer 𝒟, adjoint double layer 𝒟' and
//! hypersingular 𝒯, between separate points and on or near their singularities.
//!
//! With Green's function G = −(j/4) H₀⁽²⁾(kr), R = target − source, normals n at the target and n' at the source:
//!
//! ```text
//! 𝒮  = jk G              = (k/4) H₀
//! 𝒟  = ∂G/∂n'            = −(jk/4) H₁ (n'·R)/r
//! 𝒟' = ∂G/∂n             = +(jk/4) H₁ (n·R)/r
//! 𝒯  = (1/jk) ∂²G/∂n∂n'  = −¼ { n·n' H₁/r + (n·R)(n'·R)/r² (k H₀ − 2 H₁/r) }
//! ```
//! (Colton and Kress, Inverse Acoustic and Electromagnetic Scattering Theory, section 3.1, for e^{+jωt}).
//! Near the singularity, the static poles of 𝒟, 𝒟' and 𝒯 are the complex functions 1/(r − r₀) and 1/(r − r₀)² of the
//! position, and the remainder has the form a + b ln r (`green.rs`).

use crate::cell::{Cell, Rules};
use crate::green::{HankelParts, LogSplit, Medium};
use crate::singular_quadrature::SingularQuadrature;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

const J: Complex64 = Complex64::new(0.0, 1.0);

/// Kernels of the four operators between two points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LayerKernels {
    pub s: Complex64,
    pub d: Complex64,
    pub dp: Complex64,
    pub t: Complex64,
}

/// Which of the operators are needed.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "one for each operator")]
pub(crate) struct OperatorSet {
    pub s: bool,
    pub d: bool,
    pub dp: bool,
    pub t: bool,
}

fn dot(a: Complex64, b: Complex64) -> f64 {
    a.re * b.re + a.im * b.im
}

/// The kernels between two separate points; `separation` = source − target.
pub(crate) fn kernels(
    medium: &Medium,
    separation: Complex64,
    n: Complex64,
    n_source: Complex64,
) -> LayerKernels {
    let (k, r) = (medium.k, separation.norm());
    let (h0, h1) = medium.hankel(r);
    // Cosines between R and the normals at target and source.
    let (cos_target, cos_source) = (-dot(n, separation) / r, -dot(n_source, separation) / r);
    LayerKernels {
        s: 0.25 * k * h0,
        d: -0.25 * J * k * h1 * cos_source,
        dp: 0.25 * J * k * h1 * cos_target,
        t: -0.25 * (dot(n, n_source) * h1 / r + cos_target * cos_source * (k * h0 - 2.0 * h1 / r)),
    }
}

/// Entries of the four operators for the nodes of a cell; empty for operators that are not needed. The static part of 𝒯,
/// −(1/2π) Im[ν r'/(r − r₀)²], is separate and without its factor 1/(jk), because it cancels between the two sides of a dielectric.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellEntries {
    pub s: Vec<Complex64>,
    pub d: Vec<Complex64>,
    pub dp: Vec<Complex64>,
    pub t: Vec<Complex64>,
    pub t_static: Vec<f64>,
}

impl CellEntries {
    /// The entries of node `i`, with or without the static part of 𝒯.
    pub(crate) fn node(&self, i: usize, k: Complex64, with_static: bool) -> LayerKernels {
        let or_zero = |v: &Vec<Complex64>| v.get(i).copied().unwrap_or_default();
        // Left out on dielectrics, where the static parts of the two sides cancel.
        let pole = self.t_static.get(i).filter(|_| with_static).map_or(Complex64::ZERO, |t| t / (J * k));
        LayerKernels {
            s: or_zero(&self.s),
            d: or_zero(&self.d),
            dp: or_zero(&self.dp),
            t: or_zero(&self.t) + pole,
        }
    }

    /// The same for the nodes of the cell from those at its fine points.
    pub(crate) fn interpolation_transpose(&self, rules: &Rules) -> Self {
        let statics: Vec<Complex64> = self.t_static.iter().map(|&t| t.into()).collect();
        Self {
            s: rules.interpolation_transpose(&self.s),
            d: rules.interpolation_transpose(&self.d),
            dp: rules.interpolation_transpose(&self.dp),
            t: rules.interpolation_transpose(&self.t),
            t_static: rules.interpolation_transpose(&statics).iter().map(|t| t.re).collect(),
        }
    }

    /// At the fine points of a cell, by singular quadrature; `n` is the normal at the target.
    pub(crate) fn at_fine_points(
        rules: &Rules,
        cell: &Cell,
        quadrature: &SingularQuadrature,
        medium: &Medium,
        n: Complex64,
        needed: OperatorSet,
    ) -> Self {
        let k = medium.k;
        let mut entries = Self::default();
        for (j, &separation) in quadrature.separation.iter().enumerate() {
            let (tangent, weight) = (cell.tangents[j], rules.fine.weights[j]);
            // A target that coincides with a fine point: the parts a and b are regular there.
            let parts = HankelParts::new(medium, separation.norm().max(f64::MIN_POSITIVE));
            let jacobian = tangent.norm();
            let integrate = |part: LogSplit| jacobian * (weight * part.smooth + quadrature.log[j] * part.log);
            let n_source = -J * tangent / jacobian;
            // n·R and n'·R.
            let (n_r, n_source_r) = (-dot(n, separation), -dot(n_source, separation));
            if needed.s {
                entries.s.push(0.25 * k * integrate(parts.h0));
            }
            if needed.d || needed.dp || needed.t {
                let h1 = integrate(parts.h1);
                if needed.d {
                    // (1/2π)(n'·R)/r² ds = −(1/2π) Im[r'/(r − r₀)] du.
                    let pole = -(quadrature.pole[j] * tangent).im / TAU;
                    entries.d.push(pole - 0.25 * J * k * n_source_r * h1);
                }
                if needed.dp {
                    // −(1/2π)(n·R)/r² ds = (1/2π) Re[ν/(r − r₀)] ds.
                    let pole = (n * quadrature.pole[j]).re * jacobian / TAU;
                    entries.dp.push(pole + 0.25 * J * k * n_r * h1);
                }
                if needed.t {
                    // (n·R)(n'·R)/r² ds = ½ {Im[ν̄ r'] + Im[ν r' conj(r − r₀)/(r − r₀)]} du; its factor −jk/π
                    // is the limit of kH₀ − 2H₁ʳ/r.
                    let cosines = 0.5
                        * (weight * (n.conj() * tangent).im
                            + (n * tangent * separation.conj() * quadrature.pole[j]).im);
                    let rest =
                        dot(n, n_source) * h1 - J * k / PI * cosines + n_r * n_source_r * integrate(parts.h2);
                    entries.t.push(-0.25 * rest);
                    entries.t_static.push(-(n * tangent * quadrature.double_pole[j]).im / TAU);
                }
            }
        }
        entries
    }
}
