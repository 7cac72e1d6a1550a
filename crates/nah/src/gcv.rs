//! The filter that the field itself asks for.

use crate::filter::Filter;
use crate::hologram::{KSpace, kz};

/// Cut-offs that are tried.
const CUTOFFS: usize = 25;
/// Slopes that are tried.
const SLOPES: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];

/// The lowest cut-off over k, and over the largest k of the grid; and the highest over the latter.
pub const ABOVE_K: f64 = 1.1;
const LOWEST: f64 = 0.16;
pub const HIGHEST: f64 = 0.92;

/// What a filter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Pressure.
    Pressure,
    /// Velocity along z, k_z p/(ρck): waves count more the faster they die out, and so does their noise.
    Velocity,
}

/// The modified cosine filter with the least generalized cross-validation over the array, ‖(1 − F)q‖²/(Σ|w|(1 − F))²: what is left out,
/// over what noise alone would lose (Golub, Heath and Wahba, *Technometrics* 21 (1979) 215). q is the quantity at the array, w p wave
/// by wave. Cut-offs lie between the radiation circle and what the pitch can tell.
pub fn best_filter(space: &KSpace, quantity: Quantity) -> Filter {
    let limit = space.grid().nyquist();
    let (low, high) = ((ABOVE_K * space.wave_number()).max(LOWEST * limit), HIGHEST * limit);
    let mut best = (f64::INFINITY, Filter::CosModified { cutoff: high, slope: SLOPES[0] });
    for i in 0..CUTOFFS {
        let cutoff = low + (high - low) * i as f64 / (CUTOFFS - 1) as f64;
        for slope in SLOPES {
            let filter = Filter::CosModified { cutoff, slope };
            let score = score(space, filter, quantity);
            if score < best.0 {
                best = (score, filter);
            }
        }
    }
    best.1
}

fn score(space: &KSpace, filter: Filter, quantity: Quantity) -> f64 {
    let k = space.wave_number();
    let weight = |kr: f64| match quantity {
        Quantity::Pressure => 1.0,
        Quantity::Velocity => kz(k, kr).norm(),
    };
    let lost = |kr: f64| weight(kr) * (1.0 - filter.at(kr, k, 0.0));
    let left_out: f64 =
        space.on_array(|kr| lost(kr).into()).iter().map(num_complex::Complex64::norm_sqr).sum();
    let of_noise: f64 = space.radii().iter().map(|kr| lost(*kr)).sum();
    left_out / (of_noise * of_noise)
}
