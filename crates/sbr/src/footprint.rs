//! The integral of a plane wave over a square and over a polygon, at one frequency or at many.
//!
//! At evenly spaced frequencies every phase turns by the same angle from each to the next, so that a sweep takes one sine and cosine
//! per corner, and then a product per frequency.

use glam::DVec2;
use num_complex::Complex64;

/// Below this (k|g|)² A the phase over a polygon is nearly constant about its centroid, and the sum over edges loses digits to
/// cancellation: to 1e-12 of A here. What is left out is (k|g|)² A/24 for squares, 4e-10.
pub(crate) const FLAT_PHASE: f64 = 1e-8;
/// Half the phase along an edge below which sin x/x is taken from its series: x⁴/120 is left out.
pub(crate) const SHORT_EDGE: f64 = 1e-3;
/// Most corners of a tube.
pub(crate) const MOST_CORNERS: usize = 8;

/// Wavenumbers of a study.
pub(crate) struct Waves {
    pub k: Vec<f64>,
    /// From each to the next, if that is always the same.
    pub step: Option<f64>,
    pub highest: f64,
}

impl Waves {
    pub fn new(k: Vec<f64>) -> Self {
        let step = (k.len() > 2).then(|| (k[k.len() - 1] - k[0]) / (k.len() - 1) as f64);
        // Phases at a thousand wavelengths stay within rounding of single frequencies.
        let even = |step: &f64| {
            let place = |i: usize| k[0] + i as f64 * step;
            k.iter().enumerate().all(|(i, &k)| (k - place(i)).abs() < 1e-12 * k)
        };
        let highest = k.iter().copied().fold(0.0, f64::max);
        Self { step: step.filter(even), k, highest }
    }

    /// e^{jkx} for each x, at one wavenumber after the other.
    fn turns<const N: usize>(&self, x: [f64; N], mut each: impl FnMut(usize, f64, &[Complex64; N])) {
        let at = |k: f64| x.map(|x| Complex64::cis(k * x));
        let Some(step) = self.step else {
            for (w, &k) in self.k.iter().enumerate() {
                each(w, k, &at(k));
            }
            return;
        };
        let (mut turns, steps) = (at(self.k[0]), at(step));
        for (w, &k) in self.k.iter().enumerate() {
            each(w, k, &turns);
            for (turn, step) in turns.iter_mut().zip(&steps) {
                *turn *= step;
            }
        }
    }
}

/// sin(kx)/(kx), from the sine.
fn sinc(x: f64, sine: f64) -> f64 {
    if x.abs() < SHORT_EDGE { 1.0 - x * x / 6.0 } else { sine / x }
}

/// ∫∫ e^{jk(middle + slope·r)} over a square about the origin: a² e^{jk·middle} sinc(k g_u a/2) sinc(k g_v a/2).
pub(crate) fn square(
    middle: f64,
    slope: DVec2,
    side: f64,
    waves: &Waves,
    mut each: impl FnMut(usize, Complex64),
) {
    let half = 0.5 * side * slope;
    waves.turns([middle, half.x, half.y], |w, k, [turn, u, v]| {
        each(w, turn * (side * side * sinc(k * half.x, u.im) * sinc(k * half.y, v.im)));
    });
}

/// ∫∫ e^{jk(middle + g·r)} over a polygon, whichever way its corners run (W. B. Gordon, IEEE Trans. Antennas Propag. 23, 590,
/// 1975): by the divergence theorem
///
/// ```text
/// I = (1/(jk|g|²)) Σ_m (g·n_m) l_m ⟨e^{jkψ}⟩_m,    ⟨e^{jkψ}⟩ = (e^{jkψ_b} − e^{jkψ_a})/(jk(ψ_b − ψ_a))
/// ```
///
/// with n_m l_m the outward normal of edge m times its length, and the mean over it.
pub(crate) fn polygon(
    middle: f64,
    slope: DVec2,
    corners: &[DVec2],
    waves: &Waves,
    mut each: impl FnMut(usize, Complex64),
) {
    let count = corners.len().min(MOST_CORNERS);
    let next = |m: usize| if m + 1 == count { 0 } else { m + 1 };
    let signed = 0.5 * (0..count).map(|m| corners[m].perp_dot(corners[next(m)])).sum::<f64>();
    let steepness = slope.length_squared();
    if steepness * waves.highest.powi(2) * signed.abs() < FLAT_PHASE {
        let phase = middle + slope.dot(centroid(&corners[..count]));
        waves.turns([phase], |w, _, [turn]| each(w, turn * signed.abs()));
        return;
    }
    let mut phases = [middle; MOST_CORNERS];
    let mut weights = [0.0; MOST_CORNERS];
    for m in 0..count {
        phases[m] = middle + slope.dot(corners[m]);
        let edge = corners[next(m)] - corners[m];
        // n l = (e_y, −e_x) of an edge that runs counter-clockwise.
        weights[m] = (slope.x * edge.y - slope.y * edge.x) * signed.signum() / steepness;
    }
    waves.turns(phases, |w, k, turns| {
        let mut sum = Complex64::ZERO;
        for m in 0..count {
            let (a, b) = (turns[m], turns[next(m)]);
            let half = 0.5 * k * (phases[next(m)] - phases[m]);
            sum += weights[m]
                * if half.abs() < SHORT_EDGE {
                    // (a + b)/2 = e^{jkψ} cos x at the middle, and sinc x = cos x (1 + x²/3 + …).
                    (a + b) * (0.5 + half * half / 6.0)
                } else {
                    (b - a) * Complex64::new(0.0, -0.5 / half)
                };
        }
        each(w, sum * Complex64::new(0.0, -1.0 / k));
    });
}

/// Of the triangles between the first corner and each side.
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

    fn evenly(count: usize, first: f64, step: f64) -> Waves {
        Waves::new((0..count).map(|i| first + step * i as f64).collect())
    }

    fn values(count: usize, run: impl FnOnce(&mut dyn FnMut(usize, Complex64))) -> Vec<Complex64> {
        let mut values = vec![Complex64::ZERO; count];
        run(&mut |w, value| values[w] = value);
        values
    }

    /// A rectangle: a b sinc(q_x a/2) sinc(q_y b/2) times the phase of its middle, from far to near the flat limit, whichever way
    /// its corners run; at frequencies one by one and in a sweep.
    #[test]
    fn rectangle_is_a_product_of_sincs_either_way_round() {
        let (a, b) = (0.7, 0.4);
        let mut corners = [[0.0, 0.0], [a, 0.0], [a, b], [0.0, b]].map(|[x, y]| DVec2::new(x + 0.1, y - 0.2));
        for waves in [Waves::new(vec![30.0, 3.0, 0.1, 1e-2, 1e-3]), evenly(300, 1.0, 0.7)] {
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

    /// A square as a polygon and as a square.
    #[test]
    fn square_is_a_polygon() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|p| 0.1 * DVec2::from(p));
        let waves = evenly(64, 20.0, 1.0);
        for slope in [DVec2::new(0.4, 1.1), DVec2::new(0.0, 2.0), DVec2::new(1e-7, 1.0)] {
            let whole = values(64, |each| square(2.0, slope, 0.2, &waves, each));
            let edges = values(64, |each| polygon(2.0, slope, &corners, &waves, each));
            for (a, b) in whole.iter().zip(&edges) {
                assert!((a - b).norm() < 1e-12, "{a} {b}");
            }
        }
    }
}
