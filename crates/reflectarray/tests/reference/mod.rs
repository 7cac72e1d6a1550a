//! Direct sums and closed forms, written independently: nothing here comes from the crate but the shape of its input.

use num_complex::Complex64;
use phasefront_reflectarray::{Design, FeedPattern, Problem};
use std::f64::consts::{FRAC_PI_2, PI};

/// Speed of light, m/s.
pub const C0: f64 = 299_792_458.0;

/// a_n = cos^{m_f}(θ_n) e^{−jβ r_n}/r_n e^{jψ_n} with the vectors written out.
pub fn excitations(problem: &Problem, design: &Design, frequency: f64) -> Vec<Complex64> {
    let beta = 2.0 * PI * frequency / C0;
    let feed = &problem.feed;
    let FeedPattern::Cosine { power_exponent } = feed.pattern else { panic!("a cosine") };
    let norm = |p: [f64; 3]| (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    let axis = [0.0, feed.offset, feed.height];
    (0..design.phase.len())
        .map(|n| {
            let to = [design.x[n], design.y[n] + feed.offset, feed.height];
            let (r, along) = (norm(to), to[1] * axis[1] + to[2] * axis[2]);
            let amplitude = (along / (r * norm(axis))).powf(0.5 * power_exponent) / r;
            Complex64::from_polar(amplitude, design.phase[n] - beta * r)
        })
        .collect()
}

/// F(u, v) = Σ a_n e^{jβ(u x_n + v y_n)}.
pub fn array_factor(design: &Design, a: &[Complex64], beta: f64, u: f64, v: f64) -> Complex64 {
    let term = |(n, a): (usize, &Complex64)| a * Complex64::cis(beta * (u * design.x[n] + v * design.y[n]));
    a.iter().enumerate().map(term).sum()
}

/// P_rad = ∫∫ cos^p θ |F|² sin θ dθ dφ over the visible half space, by the midpoint rule in φ (exponentially accurate for a
/// periodic integrand) and the tanh-sinh rule in c = cos θ from 0 to 1 (which no root at the horizon disturbs).
pub fn power_by_quadrature(
    design: &Design,
    a: &[Complex64],
    beta: f64,
    pattern: impl Fn(f64) -> f64,
    rings: usize,
    spokes: usize,
) -> f64 {
    let h = 6.4 / rings as f64;
    let mut sum = 0.0;
    for i in 0..rings {
        let t = -3.2 + (i as f64 + 0.5) * h;
        let e = (2.0 * FRAC_PI_2 * t.sinh()).exp();
        let (c, weight) = (e / (1.0 + e), 2.0 * FRAC_PI_2 * t.cosh() * e / (1.0 + e).powi(2));
        let sine = (1.0 - c * c).sqrt();
        let ring: f64 = (0..spokes)
            .map(|j| {
                let phi = 2.0 * PI * (j as f64 + 0.5) / spokes as f64;
                array_factor(design, a, beta, sine * phi.cos(), sine * phi.sin()).norm_sqr()
            })
            .sum();
        sum += h * weight * pattern(c) * ring * 2.0 * PI / spokes as f64;
    }
    sum
}

/// P_rad = Σ_mn a_m a_n* κ(β d_mn) with a κ given by the test.
pub fn power_by_pairs(design: &Design, a: &[Complex64], beta: f64, kappa: impl Fn(f64) -> f64) -> f64 {
    let mut sum = 0.0;
    for m in 0..a.len() {
        sum += a[m].norm_sqr() * kappa(0.0);
        for n in 0..m {
            let d = (design.x[m] - design.x[n]).hypot(design.y[m] - design.y[n]);
            sum += 2.0 * (a[m] * a[n].conj()).re * kappa(beta * d);
        }
    }
    sum
}
