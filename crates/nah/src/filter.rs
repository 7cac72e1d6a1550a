//! Filters in k-space, which regularize the inverse propagation: they limit the amplification of evanescent waves, and of noise.

/// A low-pass filter over the radial wavenumber k_r. Cutoffs are in rad/m; slopes are relative to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Filter {
    /// No filter.
    None,
    /// Veronesi's filter (Veronesi and Maynard, *J. Acoust. Soc. Am.* 81 (1987) 1307): 1 − e^{−(1−u)/φ}/2 for u = k_r/k_co < 1, and
    /// e^{(1−u)/φ}/2 above.
    Cos {
        /// k_co.
        cutoff: f64,
        /// φ.
        slope: f64,
    },
    /// The same with u = (k_r − k)/(k_co − k), normalized to start at one, and one inside the radiation circle: propagating waves pass.
    CosModified {
        /// k_co.
        cutoff: f64,
        /// φ.
        slope: f64,
    },
    /// Tikhonov regularization, |H|²/(|H|² + α) with H the forward propagator from the plane to the array.
    Tikhonov {
        /// α.
        weight: f64,
    },
}

impl Filter {
    /// The filter at a radial wavenumber, for inverse propagation over `distance`.
    pub fn at(&self, kr: f64, k: f64, distance: f64) -> f64 {
        match *self {
            Self::None => 1.0,
            Self::Cos { cutoff, slope } => rolloff(kr / cutoff, slope),
            Self::CosModified { .. } if kr <= k => 1.0,
            Self::CosModified { cutoff, slope } => {
                // At the radiation circle u = 0: normalized there, the filter is continuous.
                rolloff((kr - k) / (cutoff - k), slope) / rolloff(0.0, slope)
            }
            Self::Tikhonov { weight } => {
                // |H|²: propagating waves keep their amplitude, evanescent waves decay.
                let power = if kr <= k { 1.0 } else { (-2.0 * (kr * kr - k * k).sqrt() * distance).exp() };
                power / (power + weight)
            }
        }
    }
}

/// Filters of the two quantities on a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filters {
    /// For the pressure.
    pub pressure: Filter,
    /// For the velocity.
    pub velocity: Filter,
}

fn rolloff(u: f64, slope: f64) -> f64 {
    if u < 1.0 { 1.0 - 0.5 * (-(1.0 - u) / slope).exp() } else { 0.5 * ((1.0 - u) / slope).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_one_half_at_the_cutoff() {
        let filter = Filter::Cos { cutoff: 50.0, slope: 0.3 };
        assert_eq!(filter.at(50.0, 10.0, 0.05), 0.5);
        // 1 − e^{−1/0.3}/2 and e^{−1/0.3}/2.
        assert!((filter.at(0.0, 10.0, 0.05) - 0.982_163).abs() < 1e-6);
        assert!((filter.at(100.0, 10.0, 0.05) - 0.017_837).abs() < 1e-6);
    }

    #[test]
    fn the_modified_filter_passes_all_propagating_waves() {
        let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
        assert_eq!(filter.at(18.0, 18.3, 0.05), 1.0);
        assert!((filter.at(18.3 + 1e-9, 18.3, 0.05) - 1.0).abs() < 1e-9);
        assert!((filter.at(70.0, 18.3, 0.05) - 0.5 / (1.0 - 0.5 * (-10.0_f64).exp())).abs() < 1e-12);
        // It decreases monotonically.
        let values: Vec<f64> = (0..200).map(|i| filter.at(f64::from(i), 18.3, 0.05)).collect();
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0]));
    }

    #[test]
    fn tikhonov_is_one_half_where_the_propagated_power_equals_the_weight() {
        let (k, distance) = (18.3_f64, 0.05);
        let kr = k.hypot(0.5 * 100_f64.ln() / distance);
        assert!((Filter::Tikhonov { weight: 0.01 }.at(kr, k, distance) - 0.5).abs() < 1e-12);
    }
}
