//! Spacing of neighboring elements: bounds with a penalty and a projection, and the effect of the spacing on the radiated power.

use super::position_map::place_uniformly;
use crate::illumination::Illumination;
use crate::problem::Design;

/// Bounds on the distance between neighbors, m. A spacing above about λ/(1 + sin θ) lets grating lobes into visible space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpacingBounds {
    pub min: f64,
    pub max: f64,
}

/// A value and its gradients in x and y.
pub(crate) struct Gradients {
    pub value: f64,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

/// Floor of a cell's area, m²: cells of coincident elements then have a finite share, and no slope.
const MIN_AREA: f64 = 1e-100;

/// Pairs (m, n) of neighbors of a full grid of `nx` columns, x running fastest, with the direction of the lattice from m to n.
fn neighbors([nx, ny]: [usize; 2]) -> impl Iterator<Item = (usize, usize, [f64; 2])> {
    (0..nx * ny).flat_map(move |n| {
        let right = (n % nx + 1 < nx).then_some((n, n + 1, [1.0, 0.0]));
        let above = (n / nx + 1 < ny).then_some((n, n + nx, [0.0, 1.0]));
        [right, above].into_iter().flatten()
    })
}

impl SpacingBounds {
    /// Whether a design satisfies them, to a relative 1e-6.
    pub fn satisfied_by(&self, design: &Design) -> bool {
        let [low, high] = design.spacing();
        low >= self.min * (1.0 - 1e-6) && high <= self.max * (1.0 + 1e-6)
    }

    /// Penalty Σ (d − 𝒫d)²/w² over all pairs of neighbors, 𝒫 the projection onto the bounds and w their width.
    pub fn penalty(&self, design: &Design) -> Gradients {
        let mut gradients = Gradients { value: 0.0, x: vec![0.0; design.len()], y: vec![0.0; design.len()] };
        // In units of the width of the bounds, so that the weight does not depend on the problem.
        let scale = (self.max - self.min).powi(-2);
        for (m, n, lattice) in neighbors(design.shape()) {
            let (dx, dy) = (design.x[n] - design.x[m], design.y[n] - design.y[m]);
            let d = dx.hypot(dy);
            let miss = d - d.clamp(self.min, self.max);
            if miss != 0.0 {
                gradients.value += scale * miss * miss;
                let slope = 2.0 * scale * miss;
                // Coincident elements have no direction of their own: they part along the lattice.
                let [along_x, along_y] = if d > 0.0 { [dx / d, dy / d] } else { lattice };
                gradients.x[n] += slope * along_x;
                gradients.x[m] -= slope * along_x;
                gradients.y[n] += slope * along_y;
                gradients.y[m] -= slope * along_y;
            }
        }
        gradients
    }

    /// The bounds tightened by a fraction of their width on each side.
    pub fn tightened(&self, share: f64) -> Self {
        let margin = share * (self.max - self.min);
        Self { min: self.min + margin, max: self.max - margin }
    }

    /// Moves the positions toward a regular lattice, by the smallest fraction that satisfies the bounds. Distances are convex in the
    /// fraction, so the maximum falls at once; the minimum need not rise from the beginning, hence a scan instead of a bisection.
    pub fn project(&self, design: &mut Design) {
        const STEPS: u32 = 200;
        let mut regular = design.clone();
        let [low, high] = design.spacing();
        // The regular lattice itself must satisfy the bounds, with room for rounding.
        place_uniformly(
            &mut regular,
            (0.5 * (low + high)).clamp(self.tightened(1e-3).min, self.tightened(1e-3).max),
        );
        let given = design.clone();
        for share in (0..=STEPS).map(|i| f64::from(i) / f64::from(STEPS)) {
            let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| (1.0 - share) * a + share * b).collect()
            };
            (design.x, design.y) = (mix(&given.x, &regular.x), mix(&given.y, &regular.y));
            if self.satisfied_by(design) {
                return;
            }
        }
    }
}

/// ln Q for Q = Σ |f_n|²/A_n with the cell areas A_n, and its gradients. For a beam near broadside and an aperture field that varies
/// slowly from cell to cell, P_rad = λ² Q by Parseval's theorem: to leading order, P_rad changes with the positions as Q does.
pub(crate) fn log_power(design: &Design, illumination: &Illumination) -> Gradients {
    let [nx, ny] = design.shape();
    // ∂/∂i by central differences, one-sided at the edge of the array: the two elements and 1/(difference of their indices).
    let ends = |n: usize, stride: usize, count: usize| {
        let i = n / stride % count;
        let (lower, upper) = (i.min(1), (count - 1 - i).min(1));
        (n - lower * stride, n + upper * stride, 1.0 / (lower + upper).max(1) as f64)
    };
    let mut gradients = Gradients { value: 0.0, x: vec![0.0; nx * ny], y: vec![0.0; nx * ny] };
    for n in 0..nx * ny {
        let ((a, b, s), (c, d, t)) = (ends(n, 1, nx), ends(n, nx, ny));
        let (xi, yi) = (s * (design.x[b] - design.x[a]), s * (design.y[b] - design.y[a]));
        let (xj, yj) = (t * (design.x[d] - design.x[c]), t * (design.y[d] - design.y[c]));
        // Jacobian of the map from indices to positions.
        let area = (xi * yj - xj * yi).max(MIN_AREA);
        let wave = illumination.at(design.x[n], design.y[n]);
        let share = wave.value.norm_sqr() / area;
        gradients.value += share;
        gradients.x[n] += 2.0 * share * wave.dx.re;
        gradients.y[n] += 2.0 * share * wave.dy.re;
        // ∂(share)/∂area, distributed over the four positions of the differences.
        let slope = if area > MIN_AREA { -share / area } else { 0.0 };
        gradients.x[b] += slope * s * yj;
        gradients.x[a] -= slope * s * yj;
        gradients.x[d] -= slope * t * yi;
        gradients.x[c] += slope * t * yi;
        gradients.y[d] += slope * t * xi;
        gradients.y[c] -= slope * t * xi;
        gradients.y[b] -= slope * s * xj;
        gradients.y[a] += slope * s * xj;
    }
    let total = gradients.value;
    // d ln Q = dQ/Q.
    gradients.x.iter_mut().chain(&mut gradients.y).for_each(|slope| *slope /= total);
    gradients.value = total.ln();
    gradients
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Feed, FeedPattern, Lattice};

    /// A lattice of unit spacing, each element moved by up to `shift`.
    fn perturbed(shift: f64) -> Design {
        let mut design = Lattice { elements: [5, 4], spacing: [1.0, 1.0] }.design();
        for n in 0..design.len() {
            design.x[n] += shift * (7.0 * n as f64).sin();
            design.y[n] += shift * (5.0 * n as f64).cos();
        }
        design
    }

    fn check_gradients(f: impl Fn(&Design) -> Gradients, design: &Design) {
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
    fn gradients_agree_with_finite_differences() {
        let design = perturbed(0.1);
        check_gradients(|design| SpacingBounds { min: 0.95, max: 1.05 }.penalty(design), &design);
        let feed = Feed {
            offset: 3.0,
            height: 8.0,
            pattern: FeedPattern::Cosine { power_exponent: 8.0 },
            polarization: 0.0,
        };
        check_gradients(|design| log_power(design, &Illumination::new(&feed, 3e8)), &design);
    }

    #[test]
    fn coincident_elements_have_finite_gradients_that_part_them() {
        let mut design = perturbed(0.0);
        for n in [1, 2, 5] {
            (design.x[n], design.y[n]) = (design.x[0], design.y[0]);
        }
        let feed = Feed {
            offset: 3.0,
            height: 8.0,
            pattern: FeedPattern::Cosine { power_exponent: 8.0 },
            polarization: 0.0,
        };
        let penalty = SpacingBounds { min: 0.95, max: 1.05 }.penalty(&design);
        // Down the slope the second element of the row moves right, and that of the column up.
        assert!(penalty.x[1] < 0.0 && penalty.y[5] < 0.0);
        let power = log_power(&design, &Illumination::new(&feed, 3e8));
        for gradients in [penalty, power] {
            let all = gradients.x.iter().chain(&gradients.y).chain([&gradients.value]);
            assert!(all.into_iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn projection_moves_no_more_than_it_must() {
        let bounds = SpacingBounds { min: 0.9, max: 1.1 };
        let mut kept = perturbed(0.01);
        bounds.project(&mut kept);
        assert_eq!(kept, perturbed(0.01));
        let mut design = perturbed(0.2);
        assert!(!bounds.satisfied_by(&design) && bounds.penalty(&design).value > 0.0);
        bounds.project(&mut design);
        let [low, high] = design.spacing();
        assert!(low >= 0.9 - 1e-5 && high <= 1.1 + 1e-5 && high - low > 0.15, "{low} {high}");
    }
}
