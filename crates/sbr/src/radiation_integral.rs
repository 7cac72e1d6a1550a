//! Radiation integrals: a plane wave integrated over a square or a polygon, for one or many frequencies.
//!
//! At uniformly spaced frequencies every phase advances by a constant, so a sweep takes one sine and cosine per corner and one complex
//! product per corner and frequency.

use crate::layout::{FLAT_PHASE, MAX_CORNERS, SHORT_EDGE};
use glam::DVec2;
use num_complex::Complex64;

/// Wavenumbers of a study.
pub(crate) struct Wavenumbers {
    pub k: Vec<f64>,
    /// The step, if wavenumbers are uniformly spaced.
    pub step: Option<f64>,
    pub highest: f64,
}

impl Wavenumbers {
    pub fn new(k: Vec<f64>) -> Self {
        // Two frequencies gain nothing from a recurrence.
        let step = (k.len() > 2).then(|| (k[k.len() - 1] - k[0]) / (k.len() - 1) as f64);
        // Tight enough for phases at a thousand wavelengths to agree with those of single frequencies within rounding.
        let is_uniform = |step: &f64| {
            let expected = |i: usize| k[0] + i as f64 * step;
            k.iter().enumerate().all(|(i, &k)| (k - expected(i)).abs() < 1e-12 * k)
        };
        let highest = k.iter().copied().fold(0.0, f64::max);
        Self { step: step.filter(is_uniform), k, highest }
    }

    /// Calls `each` with e^{jkx} for all x, wavenumber by wavenumber.
    fn phasors<const N: usize>(&self, x: [f64; N], mut each: impl FnMut(usize, f64, &[Complex64; N])) {
        let at = |k: f64| x.map(|x| Complex64::cis(k * x));
        let Some(step) = self.step else {
            for (w, &k) in self.k.iter().enumerate() {
                each(w, k, &at(k));
            }
            return;
        };
        // The relative error of the recurrence grows by one
        // rounding per frequency: 1e-13 after a thousand.
        let (mut phasors, steps) = (at(self.k[0]), at(step));
        for (w, &k) in self.k.iter().enumerate() {
            each(w, k, &phasors);
            for (phasor, step) in phasors.iter_mut().zip(&steps) {
                *phasor *= step;
            }
        }
    }
}

/// sin(kx)/(kx), from the sine.
fn sinc(x: f64, sine: f64) -> f64 {
    if x.abs() < SHORT_EDGE { 1.0 - x * x / 6.0 } else { sine / x }
}

/// ∫∫ e^{jk(ψ₀ + g·r)} over a square about the origin: a² e^{jkψ₀} sinc(k g_u a/2) sinc(k g_v a/2), with ψ₀ = `phase`, g = `slope`.
pub(crate) fn square(
    phase: f64,
    slope: DVec2,
    side: f64,
    waves: &Wavenumbers,
    mut each: impl FnMut(usize, Complex64),
) {
    // Half the phase across the square, along each axis.
    let half = 0.5 * side * slope;
    waves.phasors([phase, half.x, half.y], |w, k, [phasor, u, v]| {
        each(w, phasor * (side * side * sinc(k * half.x, u.im) * sinc(k * half.y, v.im)));
    });
}

/// Gordon's integral ∫∫ e^{jkψ}, ψ = ψ₀ + g·r, over a polygon with corners in either order (W. B. Gordon, IEEE Trans. Antennas Propag. 23, 590,
/// 1975): by the divergence theorem
///
/// ```text
/// I = (1/(jk|g|²)) Σ_m (g·n_m) l_m ⟨e^{jkψ}⟩_m,    ⟨e^{jkψ}⟩ = (e^{jkψ_b} − e^{jkψ_a})/(jk(ψ_b − ψ_a))
/// ```
///
/// with n_m l_m the outward normal of edge m times its length, and ⟨⟩ the mean over the edge.
pub(crate) fn polygon(
    phase: f64,
    slope: DVec2,
    corners: &[DVec2],
    waves: &Wavenumbers,
    mut each: impl FnMut(usize, Complex64),
) {
    let count = corners.len().min(MAX_CORNERS);
    let next = |m: usize| if m + 1 == count { 0 } else { m + 1 };
    let signed = 0.5 * (0..count).map(|m| corners[m].perp_dot(corners[next(m)])).sum::<f64>();
    // Scaled by the highest wavenumber: all frequencies of a sweep take the same branch.
    let steepness = slope.length_squared();
    if steepness * waves.highest.powi(2) * signed.abs() < FLAT_PHASE {
        let phase = phase + slope.dot(centroid(&corners[..count]));
        waves.phasors([phase], |w, _, [phasor]| each(w, phasor * signed.abs()));
        return;
    }
    let mut phases = [phase; MAX_CORNERS];
    let mut weights = [0.0; MAX_CORNERS];
    for m in 0..count {
        phases[m] = phase + slope.dot(corners[m]);
        let edge = corners[next(m)] - corners[m];
        // n l = (e_y, −e_x) of a counterclockwise edge.
        weights[m] = (slope.x * edge.y - slope.y * edge.x) * signed.signum() / steepness;
    }
    waves.phasors(phases, |w, k, phasors| {
        let mut sum = Complex64::ZERO;
        for m in 0..count {
            let (a, b) = (phasors[m], phasors[next(m)]);
            let half = 0.5 * k * (phases[next(m)] - phases[m]);
            sum += weights[m]
                * if half.abs() < SHORT_EDGE {
                    // (a + b)/2 = e^{jkψ} cos x with ψ at the midpoint, and sinc x = cos x (1 + x²/3 + …).
                    (a + b) * (0.5 + half * half / 6.0)
                } else {
                    (b - a) * Complex64::new(0.0, -0.5 / half)
                };
        }
        each(w, sum * Complex64::new(0.0, -1.0 / k));
    });
}

/// Centroid, from the fan of triangles about the first corner.
fn centroid(corners: &[DVec2]) -> DVec2 {
    let first = corners[0];
    let (mut moment, mut area) = (DVec2::ZERO, 0.0);
    for pair in corners[1..].windows(2) {
        let (a, b) = (pair[0] - first, pair[1] - first);
        moment += a.perp_dot(b) / 3.0 * (a + b);
        area += a.perp_dot(b);
    }
    if area == 0.0 { first } else { first + moment / area }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(count: usize, first: f64, step: f64) -> Wavenumbers {
        Wavenumbers::new((0..count).map(|i| first + step * i as f64).collect())
    }

    fn values(count: usize, run: impl FnOnce(&mut dyn FnMut(usize, Complex64))) -> Vec<Complex64> {
        let mut values = vec![Complex64::ZERO; count];
        run(&mut |w, value| values[w] = value);
        values
    }

    /// A rectangle: a b sinc(q_x a/2) sinc(q_y b/2) times the phase of its center, down to the flat-phase limit, for corners
    /// in either order; at single frequencies and in a sweep.
    #[test]
    fn rectangle_is_a_product_of_sincs_either_way_round() {
        let (a, b) = (0.7, 0.4);
        let mut corners = [[0.0, 0.0], [a, 0.0], [a, b], [0.0, b]].map(|[x, y]| DVec2::new(x + 0.1, y - 0.2));
        for waves in [Wavenumbers::new(vec![30.0, 3.0, 0.1, 1e-2, 1e-3]), uniform(300, 1.0, 0.7)] {
            for _ in 0..2 {
                let slope = DVec2::new(0.8, -0.5);
                let found = values(waves.k.len(), |each| polygon(0.3, slope, &corners, &waves, each));
                for (&k, found) in waves.k.iter().zip(found) {
                    let q = k * slope;
                    let sinc = |x: f64| x.sin() / x;
                    let size = a * b * sinc(0.5 * q.x * a) * sinc(0.5 * q.y * b);
                    let phase = 0.3 * k + q.x * (0.1 + 0.5 * a) + q.y * (0.5 * b - 0.2);
                    let exact = Complex64::from_polar(size, phase);
                    assert!((found - exact).norm() < 1e-9 * a * b, "{k}: {found} {exact}");
                }
                corners.reverse();
            }
        }
    }

    /// The closed form of a square equals Gordon's integral.
    #[test]
    fn square_is_a_polygon() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|p| 0.1 * DVec2::from(p));
        let waves = uniform(64, 20.0, 1.0);
        for slope in [DVec2::new(0.4, 1.1), DVec2::new(0.0, 2.0), DVec2::new(1e-7, 1.0)] {
            let whole = values(64, |each| square(2.0, slope, 0.2, &waves, each));
            let edges = values(64, |each| polygon(2.0, slope, &corners, &waves, each));
            for (a, b) in whole.iter().zip(&edges) {
                assert!((a - b).norm() < 1e-12, "{a} {b}");
            }
        }
    }
}
