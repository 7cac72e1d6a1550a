//! Distances of neighbors: a penalty that keeps them within bounds, a projection that makes sure of it, and what they do to the
//! radiated power.

use crate::illumination::Illumination;
use crate::positions::spread;
use crate::problem::Design;

/// Bounds on the distance of neighbors, m.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub min: f64,
    pub max: f64,
}

/// Value and derivatives in x and y.
pub(crate) struct Slopes {
    pub value: f64,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

/// Pairs (m, n) of neighbors of a full grid of `nx` columns, x running fastest.
fn neighbors([nx, ny]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..nx * ny).flat_map(move |n| {
        let right = (n % nx + 1 < nx).then_some((n, n + 1));
        let above = (n / nx + 1 < ny).then_some((n, n + nx));
        [right, above].into_iter().flatten()
    })
}

impl Bounds {
    /// Whether a design keeps them, to a millionth.
    pub fn hold(&self, design: &Design) -> bool {
        let [low, high] = design.spacing();
        low >= self.min * (1.0 - 1e-6) && high <= self.max * (1.0 + 1e-6)
    }

    /// Σ (d − nearest allowed d)²/w² over all neighbors, w the width between the bounds.
    pub fn penalty(&self, design: &Design) -> Slopes {
        let mut slopes = Slopes { value: 0.0, x: vec![0.0; design.len()], y: vec![0.0; design.len()] };
        let scale = (self.max - self.min).powi(-2);
        for (m, n) in neighbors(design.shape()) {
            let (dx, dy) = (design.x[n] - design.x[m], design.y[n] - design.y[m]);
            let d = dx.hypot(dy);
            let miss = d - d.clamp(self.min, self.max);
            if miss != 0.0 {
                slopes.value += scale * miss * miss;
                let slope = 2.0 * scale * miss / d.max(f64::MIN_POSITIVE);
                slopes.x[n] += slope * dx;
                slopes.x[m] -= slope * dx;
                slopes.y[n] += slope * dy;
                slopes.y[m] -= slope * dy;
            }
        }
        slopes
    }

    /// The same bounds, drawn in by a share of their width at each side.
    pub fn within(&self, share: f64) -> Self {
        let edge = share * (self.max - self.min);
        Self { min: self.min + edge, max: self.max - edge }
    }

    /// Draws the positions towards an even lattice, just as far as the bounds ask. Distances along the way are convex in the share, so
    /// the longest falls at once; the shortest need not rise from the start, hence the search over shares and no bisection.
    pub fn project(&self, design: &mut Design) {
        const SHARES: u32 = 200;
        let mut even = design.clone();
        let [low, high] = design.spacing();
        spread(&mut even, (0.5 * (low + high)).clamp(self.within(1e-3).min, self.within(1e-3).max));
        let given = design.clone();
        for share in (0..=SHARES).map(|i| f64::from(i) / f64::from(SHARES)) {
            let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| (1.0 - share) * a + share * b).collect()
            };
            (design.x, design.y) = (mix(&given.x, &even.x), mix(&given.y, &even.y));
            if self.hold(design) {
                return;
            }
        }
    }
}

/// ln Q for Q = Σ |f_n|²/A_n with the cells' areas A_n, and its derivatives. For a beam near the normal and a field that varies little
/// from cell to cell, Parseval's theorem makes P_rad = λ² Q: its change with the positions is that of Q, to leading order.
pub(crate) fn log_power(design: &Design, illumination: &Illumination) -> Slopes {
    let [nx, ny] = design.shape();
    // ∂/∂i by central differences, one-sided at the rim: the two places and one over the distance of their indices.
    let ends = |n: usize, stride: usize, count: usize| {
        let i = n / stride % count;
        let (below, above) = (i.min(1), (count - 1 - i).min(1));
        (n - below * stride, n + above * stride, 1.0 / (below + above).max(1) as f64)
    };
    let mut slopes = Slopes { value: 0.0, x: vec![0.0; nx * ny], y: vec![0.0; nx * ny] };
    for n in 0..nx * ny {
        let ((a, b, s), (c, d, t)) = (ends(n, 1, nx), ends(n, nx, ny));
        let (xi, yi) = (s * (design.x[b] - design.x[a]), s * (design.y[b] - design.y[a]));
        let (xj, yj) = (t * (design.x[d] - design.x[c]), t * (design.y[d] - design.y[c]));
        let area = xi * yj - xj * yi;
        let wave = illumination.at(design.x[n], design.y[n]);
        let share = wave.value.norm_sqr() / area;
        slopes.value += share;
        slopes.x[n] += 2.0 * share * wave.dx.re;
        slopes.y[n] += 2.0 * share * wave.dy.re;
        let slope = -share / area;
        slopes.x[b] += slope * s * yj;
        slopes.x[a] -= slope * s * yj;
        slopes.x[d] -= slope * t * yi;
        slopes.x[c] += slope * t * yi;
        slopes.y[d] += slope * t * xi;
        slopes.y[c] -= slope * t * xi;
        slopes.y[b] -= slope * s * xj;
        slopes.y[a] += slope * s * xj;
    }
    let total = slopes.value;
    slopes.x.iter_mut().chain(&mut slopes.y).for_each(|slope| *slope /= total);
    slopes.value = total.ln();
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Feed, Lattice};

    /// A lattice of unit spacing, each element moved by up to `shake`.
    fn shaken(shake: f64) -> Design {
        let mut design = Lattice { elements: [5, 4], spacing: [1.0, 1.0] }.design();
        for n in 0..design.len() {
            design.x[n] += shake * (7.0 * n as f64).sin();
            design.y[n] += shake * (5.0 * n as f64).cos();
        }
        design
    }

    fn check_slopes(f: impl Fn(&Design) -> Slopes, design: &Design) {
        let h = 1e-6;
        let exact = f(design);
        for n in 0..design.len() {
            let moved = |by: [f64; 2]| {
                let mut moved = design.clone();
                moved.x[n] += by[0];
                moved.y[n] += by[1];
                f(&moved).value
            };
            let dx = (moved([h, 0.0]) - moved([-h, 0.0])) / (2.0 * h);
            let dy = (moved([0.0, h]) - moved([0.0, -h])) / (2.0 * h);
            assert!((dx - exact.x[n]).abs() < 1e-7 * (1.0 + dx.abs()), "{n}: {dx} {}", exact.x[n]);
            assert!((dy - exact.y[n]).abs() < 1e-7 * (1.0 + dy.abs()), "{n}: {dy} {}", exact.y[n]);
        }
    }

    #[test]
    fn slopes_agree_with_differences() {
        let design = shaken(0.1);
        check_slopes(|design| Bounds { min: 0.95, max: 1.05 }.penalty(design), &design);
        let feed = Feed { offset: 3.0, height: 8.0, exponent: 4.0, polarization: 0.0 };
        check_slopes(|design| log_power(design, &Illumination::new(feed, 3e8)), &design);
    }

    #[test]
    fn projection_moves_no_more_than_it_must() {
        let bounds = Bounds { min: 0.9, max: 1.1 };
        let mut kept = shaken(0.01);
        bounds.project(&mut kept);
        assert_eq!(kept, shaken(0.01));
        let mut design = shaken(0.2);
        assert!(!bounds.hold(&design) && bounds.penalty(&design).value > 0.0);
        bounds.project(&mut design);
        let [low, high] = design.spacing();
        assert!(low >= 0.9 - 1e-5 && high <= 1.1 + 1e-5 && high - low > 0.15, "{low} {high}");
    }
}
