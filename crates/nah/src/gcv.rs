//! The filter by generalized cross-validation (GCV), and the one that is chosen where none is given.

use crate::filter::Filter;
use crate::kspace::KSpace;
use crate::likelihood::SpectrumFit;
use crate::medium::kz;

/// Number of cutoffs in the search.
const CUTOFFS: usize = 25;
/// Slopes in the search.
const SLOPES: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];

/// The lowest cutoff relative to k, and relative to the Nyquist wavenumber; and the highest relative to the latter.
pub const ABOVE_K: f64 = 1.1;
const LOWEST: f64 = 0.16;
pub const HIGHEST: f64 = 0.92;

/// The quantity that a filter is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Pressure.
    Pressure,
    /// Normal velocity, k_z p/(ρ c k): the factor k_z weights evanescent waves, and their noise, by how fast they decay.
    Velocity,
}

/// The filter that is chosen where none is given: that of GCV, but with no higher cutoff than where the noise exceeds the signal.
///
/// GCV asks how well the array is smoothed, and hardly sees evanescent waves that are amplified on the way back: with its filter alone, noise exceeds the
/// field some pitches away from the array. The likelihood of signal and noise knows the distance. Where the field has no waves up to its cutoff, as that
/// of a single mode of a plate, GCV sees that and takes a lower one.
pub fn auto_filter(space: &KSpace, fit: &SpectrumFit, quantity: Quantity) -> Filter {
    let (smooth, likely) = (gcv_filter(space, quantity), fit.filter());
    match (smooth, likely) {
        (Filter::CosModified { cutoff: of_gcv, .. }, Filter::CosModified { cutoff, .. })
            if of_gcv < cutoff =>
        {
            smooth
        }
        _ => likely,
    }
}

/// The modified cosine filter with the least GCV functional over the array, ‖(1 − F)q‖²/(Σ|w|(1 − F))²: the power of the residual over
/// that of white noise (Golub, Heath and Wahba, *Technometrics* 21 (1979) 215). q = w p is the quantity at the array in k-space.
/// Cutoffs range from the radiation circle to the Nyquist wavenumber.
pub fn gcv_filter(space: &KSpace, quantity: Quantity) -> Filter {
    let limit = space.grid().nyquist_wavenumber();
    // Cutoffs below the radiation circle would reject propagating
    // waves; beyond Nyquist they would pass everything.
    let (low, high) = ((ABOVE_K * space.wavenumber()).max(LOWEST * limit), HIGHEST * limit);
    let mut best = (f64::INFINITY, Filter::CosModified { cutoff: high, slope: SLOPES[0] });
    // An exhaustive search over a small grid: each filter costs one inverse FFT.
    for i in 0..CUTOFFS {
        let cutoff = low + (high - low) * i as f64 / (CUTOFFS - 1) as f64;
        for slope in SLOPES {
            let filter = Filter::CosModified { cutoff, slope };
            let score = gcv(space, filter, quantity);
            if score < best.0 {
                best = (score, filter);
            }
        }
    }
    best.1
}

/// The GCV functional of a filter.
fn gcv(space: &KSpace, filter: Filter, quantity: Quantity) -> f64 {
    let k = space.wavenumber();
    let weight = |kr: f64| match quantity {
        Quantity::Pressure => 1.0,
        Quantity::Velocity => kz(k, kr).norm(),
    };
    // At distance zero: the filter is judged on the array, where the pressure is known.
    let rejected = |kr: f64| weight(kr) * (1.0 - filter.at(kr, k, 0.0));
    // Over the aperture only: the padding is extrapolated, not measured.
    let residual: f64 =
        space.on_array(|kr| rejected(kr).into()).iter().map(num_complex::Complex64::norm_sqr).sum();
    let trace: f64 = space.radial_wavenumbers().iter().map(|kr| rejected(*kr)).sum();
    residual / (trace * trace)
}
