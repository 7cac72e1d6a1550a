//! Propagators in k-space, from the pressure at the array to pressure and velocity on another plane.

use crate::filter::{Filter, Filters};
use crate::grid::Grid;
use crate::medium::{Medium, kz, wavenumber_of_bin};
use num_complex::Complex64;

/// A propagator as a function of the radial wavenumber k_r.
pub type Propagator = Box<dyn Fn(f64) -> Complex64>;

/// The filtered inverse propagator to the plane that is nearer to the source by `distance`: G = F(k_r) e^{+j k_z z} (Williams, *Fourier
/// Acoustics*, 1999, eq. 3.5). A negative distance propagates forward, away from the source.
///
/// A wave along the normal is advanced by a quarter of its period over a quarter of the wavelength; outside of the radiation circle an evanescent
/// wave is amplified by e^{√(k_r² − k²) z}:
/// ```
/// # use phasefront_nah::{Filter, propagator};
/// let (k, quarter) = (2.0, std::f64::consts::FRAC_PI_4);
/// let propagating = propagator(k, 0.0, quarter, Filter::None);
/// assert!((propagating - num_complex::Complex64::I).norm() < 1e-15);
/// let evanescent = propagator(k, 2_f64.sqrt() * k, quarter, Filter::None);
/// assert!((evanescent.re - (k * quarter).exp()).abs() < 1e-12 && evanescent.im.abs() < 1e-12);
/// ```
pub fn propagator(k: f64, kr: f64, distance: f64, filter: Filter) -> Complex64 {
    // e^{+j k_z z} undoes the propagation e^{−j k_z z} away from the source; evanescent waves grow,
    // which the filter limits.
    filter.at(kr, k, distance) * (Complex64::I * kz(k, kr) * distance).exp()
}

impl Filters {
    /// From the pressure at the array to pressure and velocity on a plane; the velocity has the factor k_z/(ρ c k) (Euler's equation).
    pub fn propagators(self, k: f64, distance: f64, medium: Medium) -> [Propagator; 2] {
        let Self { pressure, velocity } = self;
        let of_velocity = move |kr: f64| propagator(k, kr, distance, velocity) * medium.admittance(k, kr);
        [Box::new(move |kr| propagator(k, kr, distance, pressure)), Box::new(of_velocity)]
    }
}

/// A propagator sampled on the k-space grid of the padded array, all k_y of the first k_x, then of the next; divided by the number of
/// points, which normalizes the inverse DFT.
pub fn sampled_propagator(grid: &Grid, propagator: &dyn Fn(f64) -> Complex64) -> Vec<Complex64> {
    let padded = grid.padded();
    let radius = |i: usize| {
        // k_y fastest, as the transform along y of the engines reads it.
        let kx = wavenumber_of_bin(i / padded.rows, padded.columns, grid.pitch[0]);
        kx.hypot(wavenumber_of_bin(i % padded.rows, padded.rows, grid.pitch[1]))
    };
    let scale = 1.0 / padded.len() as f64;
    (0..padded.len()).map(|i| scale * propagator(radius(i))).collect()
}
