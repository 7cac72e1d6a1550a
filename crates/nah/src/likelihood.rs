//! Signal and noise of a measured field at every wavenumber, by the largest marginal likelihood, and the filter that they give.
//!
//! The signal is that of independent monopoles of variance s at the pitch of the array, at the height h below it (h is the standoff and a depth behind
//! the source plane); their transform is 2π e^{−j k_z h}/(j k_z) (Weyl's identity; Williams, *Fourier Acoustics*, 1999, eq. 2.64), so that the power at a wavenumber k_r is
//! s S, S = (2π/(Δx Δy |k_z|))² e^{−2 √(k_r² − k²) h} with the exponential only outside of the radiation circle. The noise has the power λs at
//! every wavenumber. λ is that of the largest likelihood of the periodogram P of the tapered array, with M what S becomes by the taper: the least
//! ln mean(P/(M + λ)) + mean ln(M + λ) (Whittle, *J. R. Stat. Soc. B* 15 (1953) 125; with the taper in M: Sykulski et al., *Biometrika* 106 (2019) 251). These are
//! the sources and the likelihood of the equivalent source method, at the cost of a few FFTs.
//!
//! The error that is expected of a filter F, Σ|G|²(F²λ + (1 − F)²S) for any propagator G, is least for Wiener's filter F = S/(S + λ), which
//! is one half where signal and noise are equal.

use crate::filter::Filter;
use crate::grid::Grid;
use crate::kspace::Fft2;
use crate::medium::wavenumber_of_bin;
use crate::scalar::Scalar;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// λ over the mean of M: powers of ten, and steps to each.
const DECADES: std::ops::RangeInclusive<i32> = -12..=2;
const STEPS: i32 = 4;
/// The least cutoff over k, and the range of slopes.
const LEAST_CUTOFF: f64 = 1.05;
const SLOPES: std::ops::RangeInclusive<f64> = 0.05..=0.5;

/// Signal and noise of a measured field in k-space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpectrumFit {
    grid: Grid,
    k: f64,
    /// h.
    height: f64,
    /// s, Pa² m².
    strength: f64,
    /// λ, 1/m².
    weight: f64,
}

impl SpectrumFit {
    /// For the pressure at the microphones of a grid; `height` is the distance from the sources to the array.
    pub fn new(grid: Grid, pressure: &[Complex64], k: f64, height: f64) -> Self {
        let mut fit = Self { grid, k, height, strength: 1.0, weight: 1.0 };
        let (periodogram, model) = fit.periodograms(pressure);
        let count = model.len() as f64;
        let scale = model.iter().sum::<f64>() / count;
        let strength_at = |weight: f64| {
            let ratios = periodogram.iter().zip(&model).map(|(p, m)| p / (m + weight));
            ratios.sum::<f64>() / count
        };
        let candidate = |step: i32| {
            let weight = scale * 10_f64.powf(f64::from(step) / f64::from(STEPS));
            let strength = strength_at(weight);
            let logarithms = model.iter().map(|m| (m + weight).ln()).sum::<f64>() / count;
            (strength.ln() + logarithms, weight, strength)
        };
        let steps = DECADES.start() * STEPS..=DECADES.end() * STEPS;
        if let Some(best) = steps.map(candidate).min_by(|a, b| a.0.total_cmp(&b.0)) {
            (fit.weight, fit.strength) = (best.1, best.2);
        }
        fit
    }

    /// Power of the noise at a microphone, Pa².
    pub fn noise_power(&self) -> f64 {
        self.weight * self.strength
    }

    /// Power of the signal at a radial wavenumber, Pa².
    pub fn signal_power(&self, kr: f64) -> f64 {
        self.strength * self.density(kr)
    }

    /// S.
    fn density(&self, kr: f64) -> f64 {
        let square = kr * kr - self.k * self.k;
        // An aperture does not resolve the infinite peak at the radiation circle.
        let resolution = TAU / (self.grid.len() as f64 * self.cell()).sqrt();
        let scale = TAU / self.cell();
        scale * scale * (-2.0 * square.max(0.0).sqrt() * self.height).exp()
            / square.abs().max(self.k * resolution)
    }

    /// Δx Δy.
    fn cell(&self) -> f64 {
        self.grid.pitch[0] * self.grid.pitch[1]
    }

    /// Wiener's filter S/(S + λ) as a modified cosine filter: of the same cutoff, where both are one half, and the same slope there.
    pub fn filter(&self) -> Filter {
        // ln(S/λ) over κ = √(k_r² − k²) decreases from +∞ to −∞.
        let level = 2.0 * (TAU / self.cell()).ln() - self.weight.ln();
        let excess = |kappa: f64| level - 2.0 * kappa * self.height - 2.0 * kappa.ln();
        let highest = 2.0 * std::f64::consts::SQRT_2 * self.grid.nyquist_wavenumber();
        let (mut low, mut high) = (1e-9 * highest, highest);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        let kappa = 0.5 * (low + high);
        let cutoff = self.k.hypot(kappa).max(LEAST_CUTOFF * self.k);
        // d ln(S/λ)/dk_r: Wiener's filter falls by a quarter of it, the cosine filter by 1/(2φ(k_co − k)).
        let steepness = 2.0 * (self.height + 1.0 / kappa) * cutoff / kappa;
        let slope = 2.0 / (steepness * (cutoff - self.k));
        Filter::CosModified { cutoff, slope: slope.clamp(*SLOPES.start(), *SLOPES.end()) }
    }

    /// The periodogram of the tapered array, and M, both at the wavenumbers of the array's own DFT.
    fn periodograms(&self, pressure: &[Complex64]) -> (Vec<f64>, Vec<f64>) {
        let padded = self.grid.padded();
        let (forward, inverse) = (Fft2::new(&padded, f64::forward), Fft2::new(&padded, f64::inverse));
        let taper = self.taper();
        let norm: f64 = taper.iter().map(|w| w * w).sum();
        let spectrum = |values: &mut dyn Iterator<Item = Complex64>| {
            let mut field = self.in_corner(values);
            forward.run(&mut field);
            field
        };
        let measured = spectrum(&mut pressure.iter().zip(&taper).map(|(p, w)| p * w));
        // The covariance of the tapered field at each lag is that of the field times the autocorrelation of the taper; both by Wiener and
        // Khinchin's theorem.
        let power = |x: &Complex64| Complex64::from(x.norm_sqr() / norm);
        let mut window: Vec<Complex64> =
            spectrum(&mut taper.iter().map(|w| (*w).into())).iter().map(power).collect();
        inverse.run(&mut window);
        let mut covariance: Vec<Complex64> =
            (0..padded.len()).map(|i| self.density(self.radius(i)).into()).collect();
        inverse.run(&mut covariance);
        let scale = 1.0 / padded.len() as f64;
        let mut model: Vec<Complex64> =
            covariance.iter().zip(&window).map(|(c, w)| scale * scale * c * w).collect();
        forward.run(&mut model);
        let largest = model.iter().map(|m| m.re).fold(0.0, f64::max);
        // Every third wavenumber of the padded grid is one of the array.
        let own = (0..padded.rows)
            .step_by(3)
            .flat_map(|y| (0..padded.columns).step_by(3).map(move |x| y * padded.columns + x));
        let (periodogram, model) =
            own.map(|i| (measured[i].norm_sqr() / norm, model[i].re.max(f64::EPSILON * largest))).unzip();
        (periodogram, model)
    }

    /// k_r of a point of the padded k-space.
    fn radius(&self, i: usize) -> f64 {
        let padded = self.grid.padded();
        let kx = wavenumber_of_bin(i % padded.columns, padded.columns, self.grid.pitch[0]);
        kx.hypot(wavenumber_of_bin(i / padded.columns, padded.rows, self.grid.pitch[1]))
    }

    /// Hann's window over the array: its side lobes are below the noise, so that what propagates does not pass for evanescent waves.
    fn taper(&self) -> Vec<f64> {
        let along = |count: usize| -> Vec<f64> {
            (0..count).map(|i| (PI * (i as f64 + 0.5) / count as f64).sin().powi(2)).collect()
        };
        let (x, y) = (along(self.grid.columns), along(self.grid.rows));
        y.iter().flat_map(|y| x.iter().map(move |x| x * y)).collect()
    }

    /// A field of the array in a corner of the padded grid.
    fn in_corner(&self, values: &mut dyn Iterator<Item = Complex64>) -> Vec<Complex64> {
        let padded = self.grid.padded();
        let mut field = vec![Complex64::ZERO; padded.len()];
        for (i, value) in values.enumerate() {
            field[i / self.grid.columns * padded.columns + i % self.grid.columns] = value;
        }
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Noise;

    const GRID: Grid = Grid { columns: 24, rows: 20, pitch: [0.03, 0.04] };

    /// Monopoles and noise as the fit takes them for.
    fn drawn(seed: u64, strength: f64, noise: f64, k: f64, height: f64) -> Vec<Complex64> {
        let mut random = Noise::new(seed, 3);
        let wide = Grid { columns: GRID.columns + 8, rows: GRID.rows + 8, ..GRID };
        let q: Vec<Complex64> = (0..wide.len()).map(|_| random.complex(strength)).collect();
        let at = |[x, y]: [f64; 2]| -> Complex64 {
            let of = |(i, q): (usize, &Complex64)| {
                let [a, b] = wide.position(i);
                let r = (x - a).hypot(y - b).hypot(height);
                q * Complex64::from_polar(1.0 / r, -k * r)
            };
            q.iter().enumerate().map(of).sum()
        };
        GRID.positions().into_iter().map(|position| at(position) + random.complex(noise)).collect()
    }

    /// The noise is found within 1 dB on the average of eight draws, over 40 dB, and the strength within 3 dB: the model has no more of the peak at the
    /// radiation circle than the array resolves.
    #[test]
    fn signal_and_noise_are_told_apart() {
        let (k, height) = (18.0, 0.12);
        for noise in [1e-1, 1e-3, 1e-5] {
            let fits: Vec<SpectrumFit> = (0..8)
                .map(|seed| SpectrumFit::new(GRID, &drawn(seed, 1e-4, noise, k, height), k, height))
                .collect();
            let mean = |of: &dyn Fn(&SpectrumFit) -> f64| {
                fits.iter().map(|fit| of(fit).log10()).sum::<f64>() * 10.0 / 8.0
            };
            let (found, strength) =
                (mean(&|fit| fit.noise_power() / noise), mean(&|fit| fit.strength / 1e-4));
            println!("noise {noise:e}: {found:+.2} dB, strength {strength:+.2} dB");
            assert!(found.abs() < 1.0, "{noise:e}: {found} dB");
            assert!(strength.abs() < 3.0, "{noise:e}: {strength} dB");
        }
    }

    /// The cutoff is where signal and noise are equal, and the slope that of Wiener's filter.
    #[test]
    fn the_filter_is_that_of_wiener() {
        let k = 18.0;
        let fit = SpectrumFit { grid: GRID, k, height: 0.12, strength: 1e-4, weight: 40.0 };
        let Filter::CosModified { cutoff, .. } = fit.filter() else { panic!("another filter") };
        assert!((fit.signal_power(cutoff) / fit.noise_power() - 1.0).abs() < 1e-6, "{cutoff}");
        let wiener = |kr: f64| 1.0 / (1.0 + fit.noise_power() / fit.signal_power(kr));
        for kr in [cutoff - 2.0, cutoff - 1.0, cutoff + 1.0, cutoff + 2.0] {
            let found = fit.filter().at(kr, k, 0.1);
            assert!((found - wiener(kr)).abs() < 0.05, "{kr}: {found} {}", wiener(kr));
        }
    }
}
