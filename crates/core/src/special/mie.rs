//! Plane-wave scattering by a sphere: the Mie series.
//!
//! C. F. Bohren and D. R. Huffman, *Absorption and Scattering of Light by Small Particles*, Wiley, 1983, chapter 4. They use
//! e^{−iωt}; here the time dependence is e^{+jωt}, so that ε = ε′ − jε″ and their expressions are conjugated.

use num_complex::Complex64;

/// The scattering coefficients of a sphere.
///
/// ```
/// use phasefront_core::special::mie::Mie;
/// // Rayleigh limit: a conducting sphere backscatters σ = πa² 9(ka)⁴ (Bohren and Huffman, section 5.7).
/// let x: f64 = 0.01;
/// let [s1, _] = Mie::conductor(x).amplitudes(-1.0);
/// let sigma = 4.0 * s1.norm_sqr() / x.powi(2);
/// assert!((sigma / (9.0 * x.powi(4)) - 1.0).abs() < 1e-3);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mie {
    /// a₁, a₂, …: electric multipoles.
    a: Vec<Complex64>,
    /// b₁, b₂, …: magnetic multipoles.
    b: Vec<Complex64>,
}

impl Mie {
    /// A perfectly conducting sphere of size parameter x = ka.
    pub fn conductor(x: f64) -> Self {
        // (4.88) with an infinite index: a_n = ψ′_n/ξ′_n and b_n = ψ_n/ξ_n, by ψ′_n = ψ_{n−1} − nψ_n/x.
        Self::from_waves(x, |n, [psi, before], [xi, xi_before]| {
            let order = n as f64 / x;
            [(before - order * psi) / (xi_before - order * xi), psi / xi]
        })
    }

    /// A sphere of size parameter x = ka, k in the surrounding medium, with permittivity and permeability relative to that medium.
    pub fn dielectric(x: f64, eps: Complex64, mu: f64) -> Self {
        let index = (eps * mu).sqrt();
        // D_n(mx) rather than ψ_n(mx), which grows like e^{|Im mx|} in a lossy sphere and may
        // overflow.
        let slopes = logarithmic_slopes(terms(x), index * x);
        // (4.88), with the impedance μ/m in place of 1/m, as in (4.53).
        let impedance = mu / index;
        Self::from_waves(x, |n, [psi, before], [xi, xi_before]| {
            [slopes[n] * impedance, slopes[n] / impedance].map(|slope| {
                let slope = slope + n as f64 / x;
                (slope * psi - before) / (slope * xi - xi_before)
            })
        })
    }

    /// Computes a_n and b_n from the order n with ψ_n, ψ_{n−1} and ξ_n, ξ_{n−1} at x.
    fn from_waves(
        x: f64,
        coefficients: impl Fn(usize, [Complex64; 2], [Complex64; 2]) -> [Complex64; 2],
    ) -> Self {
        let (psi, chi) = riccati_bessel(terms(x), x);
        let standing = |n: usize| Complex64::from(psi[n]);
        let outgoing = |n: usize| Complex64::new(psi[n], chi[n]);
        let (a, b) = (1..psi.len())
            .map(|n| coefficients(n, [n, n - 1].map(standing), [n, n - 1].map(outgoing)).into())
            .unzip();
        Self { a, b }
    }

    /// The amplitude functions S₁ (perpendicular) and S₂ (parallel to the scattering plane) at the cosine of the scattering angle (4.74).
    /// The bistatic cross sections are 4π|S|²/k².
    pub fn amplitudes(&self, cosine: f64) -> [Complex64; 2] {
        let mut sums = [Complex64::default(); 2];
        let (mut before, mut pi) = (0.0, 1.0);
        for (i, (a, b)) in self.a.iter().zip(&self.b).enumerate() {
            let n = (i + 1) as f64;
            // (4.47): π_n and τ_n by recurrence.
            let tau = n * cosine * pi - (n + 1.0) * before;
            // (4.74): S₁ = Σ (2n+1)/(n(n+1)) (a_n π_n + b_n τ_n), S₂ with π_n and τ_n exchanged.
            let weight = (2.0 * n + 1.0) / (n * (n + 1.0));
            sums[0] += weight * (a * pi + b * tau);
            sums[1] += weight * (a * tau + b * pi);
            (before, pi) = (pi, ((2.0 * n + 1.0) * cosine * pi - (n + 1.0) * before) / n);
        }
        sums
    }
}

/// Number of terms needed (Wiscombe's criterion, their page 477).
fn terms(x: f64) -> usize {
    (x + 4.0 * x.cbrt() + 2.0) as usize
}

/// ψ_n = x j_n(x) and χ_n = −x y_n(x) for n = 0 … `last`: ξ_n = ψ_n + jχ_n is the outgoing wave.
///
/// Both obey f_{n+1} = (2n+1)/x f_n − f_{n−1}. χ grows with n: its upward recurrence is stable. ψ
/// decays: its downward recurrence is stable, started from zero at an order so high that the start
/// does not affect the values used.
fn riccati_bessel(last: usize, x: f64) -> (Vec<f64>, Vec<f64>) {
    let (sin, cos) = x.sin_cos();
    let mut chi = vec![cos, cos / x + sin];
    for n in 1..last {
        chi.push((2 * n + 1) as f64 / x * chi[n] - chi[n - 1]);
    }
    // Twice as far beyond n = x as the series needs, and 15 more (their page 478).
    let top = last + (4.0 * x.cbrt()) as usize + 15;
    let mut psi = vec![0.0; top + 2];
    // Any start will do, since the result is normalized; a tiny one leaves room to grow.
    psi[top] = 1e-300;
    for n in (1..=top).rev() {
        psi[n - 1] = (2 * n + 1) as f64 / x * psi[n] - psi[n + 1];
    }
    // ψ₀ = sin x and ψ₁ = sin x/x − cos x have no common zero: normalize by the larger one.
    let first = sin / x - cos;
    let scale = if sin.abs() > first.abs() { sin / psi[0] } else { first / psi[1] };
    let psi = psi[..=last].iter().map(|trial| scale * trial).collect();
    (psi, chi)
}

/// D_n(z) = ψ′_n(z)/ψ_n(z) for n = 0 … `last`, downward by (4.89).
fn logarithmic_slopes(last: usize, z: Complex64) -> Vec<Complex64> {
    // The downward recurrence is stable; its start, zero, has no influence 15 orders below
    // (their page 478).
    let top = last.max(z.norm() as usize) + 15;
    let mut slopes = vec![Complex64::default(); top + 1];
    for n in (1..=top).rev() {
        let order = n as f64 / z;
        slopes[n - 1] = order - 1.0 / (slopes[n] + order);
    }
    slopes.truncate(last + 1);
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    /// Extinction and scattering over the area of the sphere (4.61, 4.62).
    fn efficiencies(mie: &Mie, x: f64) -> [f64; 2] {
        let weight = |i: usize| 2.0 * (2 * i + 3) as f64 / x.powi(2);
        let both = || mie.a.iter().zip(&mie.b).enumerate();
        [
            both().map(|(i, (a, b))| weight(i) * (a + b).re).sum(),
            both().map(|(i, (a, b))| weight(i) * (a.norm_sqr() + b.norm_sqr())).sum(),
        ]
    }

    fn dbsm(mie: &Mie, k: f64, degrees: f64) -> [f64; 2] {
        mie.amplitudes(degrees.to_radians().cos())
            .map(|s| 10.0 * (4.0 * PI * s.norm_sqr() / k.powi(2)).log10())
    }

    fn near(value: f64, reference: f64, tolerance: f64) {
        assert!((value - reference).abs() <= tolerance, "{value} is not {reference} ± {tolerance}");
    }

    /// The sample of Bohren and Huffman, appendix A: index 1.55, radius 0.525, wavelength 0.6328.
    #[test]
    #[expect(clippy::approx_constant, reason = "a figure of the book that happens to be near pi/4")]
    fn a_dielectric_sphere_is_that_of_the_book() {
        let x = TAU * 0.525 / 0.6328;
        let mie = Mie::dielectric(x, Complex64::from(1.55 * 1.55), 1.0);
        let [extinction, scattering] = efficiencies(&mie, x);
        near(extinction, 3.10543, 5e-6);
        near(scattering, 3.10543, 5e-6);
        let back = mie.amplitudes(-1.0);
        near(4.0 * back[0].norm_sqr() / x.powi(2), 2.92534, 5e-6);
        let intensity = |degrees: f64| mie.amplitudes(degrees.to_radians().cos()).map(|s| s.norm_sqr());
        let forward = intensity(0.0)[0];
        for (degrees, s11, polarization) in [
            (9.0, 0.785_390, -0.004_598_11),
            (18.0, 0.356_897, -0.045_854_1),
            (27.0, 0.076_611_9, -0.364_744),
            (36.0, 0.035_535_5, -0.534_997),
            (45.0, 0.070_184_5, 0.009_599_53),
        ] {
            let [across, along] = intensity(degrees);
            near(0.5 * (across + along) / forward, s11, 1e-6);
            near((across - along) / (across + along), polarization, 1e-6);
        }
    }

    /// Extinction and scattering with losses, summed independently with the Bessel functions of SciPy (`coefficients` of `tests/cross/mie.py`).
    #[test]
    fn lossy_spheres_are_those_of_an_independent_sum() {
        let index = |re: f64, im: f64| Complex64::new(re, im).powi(2);
        for (x, eps, extinction, scattering) in [
            (0.055, index(1.5, -1.0), 0.101_491, 0.000_011),
            (1.0, index(1.5, -1.0), 2.336_321, 0.663_454),
            (100.0, index(1.5, -1.0), 2.097_502, 1.283_697),
            (1.0, index(10.0, -10.0), 2.532_993, 2.049_405),
        ] {
            let found = efficiencies(&Mie::dielectric(x, eps, 1.0), x);
            near(found[0], extinction, 1e-6);
            near(found[1], scattering, 1e-6);
        }
    }

    /// dBsm of a sphere of 0.3 m at 900 MHz, from `tests/cross/mie.py`, which has its Bessel functions from SciPy.
    #[test]
    fn cross_sections_are_those_of_an_independent_sum() {
        let k = TAU * 900e6 / crate::constants::C0;
        let glass = Mie::dielectric(0.3 * k, Complex64::from(4.0), 1.0);
        let along = [13.752_438, 1.795_864, -1.911_341, -8.607_548, -7.700_939, -3.863_417, -1.044_275];
        let across = [13.752_438, -0.380_212, -2.155_105, -2.781_822, -12.606_869, -10.374_946, -1.044_275];
        for (i, reference) in across.into_iter().zip(along).enumerate() {
            let found = dbsm(&glass, k, 30.0 * i as f64);
            near(found[0], reference.0, 1e-6);
            near(found[1], reference.1, 1e-6);
        }
        let metal = Mie::conductor(0.3 * k);
        let along = [10.010, 2.914, -2.587, -5.626, -7.225, -4.937, -5.462];
        for (i, reference) in along.into_iter().enumerate() {
            near(dbsm(&metal, k, 30.0 * i as f64)[1], reference, 5e-4);
        }
    }

    /// Nothing is lost in a conductor, nor in a dielectric without losses; small and large spheres sum alike.
    #[test]
    fn what_is_taken_from_the_wave_is_scattered() {
        for x in [1e-3, 0.1, 3.0, PI, 40.0, 1000.0] {
            for mie in [Mie::conductor(x), Mie::dielectric(x, Complex64::from(3.0), 1.5)] {
                let [extinction, scattering] = efficiencies(&mie, x);
                near(scattering / extinction, 1.0, 1e-11);
            }
        }
    }

    /// A sphere with the same impedance as what is around it sends nothing back (Kerker, J. Opt. Soc. Am. 73 (1983) 765), and one
    /// that is the same in all nothing at all.
    #[test]
    fn a_matched_sphere_has_no_echo() {
        let back = Mie::dielectric(2.0, Complex64::from(3.0), 3.0).amplitudes(-1.0);
        assert!(back.iter().all(|s| s.norm() < 1e-12), "{back:?}");
        let same = Mie::dielectric(2.0, Complex64::from(1.0), 1.0).amplitudes(0.3);
        assert!(same.iter().all(|s| s.norm() < 1e-12), "{same:?}");
    }
}
